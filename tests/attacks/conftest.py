"""Hostile servers are described in two files, of which one needs the other."""

import importlib.util
import sys
from pathlib import Path

if "hostile_servers" not in sys.modules:
    _spec = importlib.util.spec_from_file_location("hostile_servers", Path(__file__).parent / "hostile_servers.py")
    sys.modules["hostile_servers"] = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(sys.modules["hostile_servers"])
