"""Values as YAML that `lines.Document` reads back as the same values, with the line of each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from deniable.survey.lines import Path

# Words that mean nothing but themselves, wherever they stand; everything else is put in quotes.
_PLAIN = re.compile(r"[^\W\d_](?:[\w ./()+%?!€$§-]*[\w/()+%?!€$§])?")
_OTHER_KINDS = re.compile(r"(?i)(?:true|false|null|yes|no|on|off|y|n|nan|inf)")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_FLOW_WIDTH = 110


def yaml_text(value: Any) -> tuple[str, dict[Path, int]]:
    """The text, and by its path the line of every value.

    >>> text, lines = yaml_text({"title": "Traffic: a survey", "pages": [{"elements": [{"type": "age", "name": "how_old"}]}]})
    >>> print(text)
    title: "Traffic: a survey"
    pages:
    - elements:
      - type: age
        name: how_old
    <BLANKLINE>
    >>> lines["pages", 0, "elements", 0, "name"]
    5
    """
    lines: dict[Path, int] = {(): 1}
    written: list[str] = []
    for text, path in _written(value, (), 0):
        written.append(text)
        for one in path:
            lines.setdefault(one, len(written))
    return "\n".join([*written, ""]), lines


def _written(value: Any, path: Path, indent: int) -> Iterator[tuple[str, list[Path]]]:
    """Line by line, with the paths of what begins on it."""
    if isinstance(value, dict) and value:
        for key, inside in value.items():
            yield from _entry(
                " " * indent + _scalar(str(key)) + ":", inside, (*path, str(key)), indent, isinstance(inside, list)
            )
    elif isinstance(value, list) and value:
        for i, inside in enumerate(value):
            here = (*path, i)
            if isinstance(inside, dict) and inside and _flow(inside) is None:
                rows = _written(inside, here, indent + 2)
                first, begun = next(rows)
                yield f"{' ' * indent}- {first[indent + 2 :]}", [here, *begun]
                yield from rows
            else:
                yield from _entry(" " * indent + "-", inside, here, indent, False)
    else:
        yield " " * indent + _scalar(value), [path]


def _entry(begin: str, value: Any, path: Path, indent: int, flush: bool) -> Iterator[tuple[str, list[Path]]]:
    """Something behind a key or a dash: in the same line where it is short, else in lines of its own."""
    flat = _flow(value)
    if flat is not None and len(begin) + len(flat) < _FLOW_WIDTH:
        yield f"{begin} {flat}", [path, *_inside(value, path)]
        return
    if not isinstance(value, (dict, list)) or not value:
        yield f"{begin} {_scalar(value)}", [path]
        return
    yield begin, [path]
    yield from _written(value, path, indent if flush else indent + 2)


def _flow(value: Any) -> str | None:
    """A short list or mapping of plain values in one line; None where it takes several."""
    if isinstance(value, dict) and value and not any(isinstance(one, (dict, list)) for one in value.values()):
        flat = "{" + ", ".join(f"{_scalar(str(key))}: {_quoted(one)}" for key, one in value.items()) + "}"
        return flat if len(value) <= 4 and len(flat) < _FLOW_WIDTH and not {"type", "elements"} & set(value) else None
    if isinstance(value, list) and value and not any(isinstance(one, (dict, list)) for one in value):
        flat = "[" + ", ".join(map(_quoted, value)) + "]"
        return flat if len(flat) < _FLOW_WIDTH else None
    return None


def _inside(value: Any, path: Path) -> list[Path]:
    return [(*path, key) for key in (value if isinstance(value, dict) else range(len(value) if isinstance(value, list) else 0))]


def _quoted(value: Any) -> str:
    """Inside brackets even fewer words are plain."""
    return _scalar(value) if not isinstance(value, str) or re.fullmatch(r"[\w-]+", value) else _in_quotes(value)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and not _OTHER_KINDS.fullmatch(value) and "  " not in value
        return value if plain else _in_quotes(value)
    if value == {} or value == []:
        return "{}" if isinstance(value, dict) else "[]"
    text = json.dumps(value)
    # YAML takes 1e+22 for a word.
    return text.replace("e", ".0e") if isinstance(value, float) and "e" in text and "." not in text else text


def _in_quotes(text: str) -> str:
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))
