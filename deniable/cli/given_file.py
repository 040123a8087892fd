"""Files that may be a questionnaire or a schema."""

from __future__ import annotations

import json
from pathlib import Path


def is_questionnaire(path: Path) -> bool:
    """YAML always is a questionnaire; JSON is one if it has pages."""
    if path.suffix.lower() in (".yaml", ".yml"):
        return True
    if path.suffix.lower() != ".json":
        return False
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        # The error is raised where it is read later.
        return False
    return isinstance(content, dict) and "pages" in content
