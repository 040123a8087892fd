"""Hostile servers are described in two files, of which one needs the other. Stores and servers are those of the other tests."""

import importlib.util
import sys
from pathlib import Path


def _loaded(name: str, path: Path):
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


_HERE = Path(__file__).parent
_loaded("hostile_servers", _HERE / "hostile_servers.py")
_web, _survey = (_loaded(f"fixtures_of_{name}", _HERE.parent / name / "conftest.py") for name in ("web", "survey"))
serve, static = _web.serve, _web.static
standin, database, open_store, store, send, stored = (
    getattr(_survey, name) for name in ("standin", "database", "open_store", "store", "send", "stored")
)
