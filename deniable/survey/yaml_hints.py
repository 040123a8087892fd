"""What to do about text that is no YAML: the mistakes that beginners make, each with the line's own words put right."""

from __future__ import annotations

import re
from typing import Any

LONGEST_LINE = 200
"""Longer lines are not shown again."""

_ITEM = r"(?P<start>\s*(?:-\s+)*)"
_PAIR = re.compile(_ITEM + r"(?P<key>[^\s:\"'{}\[\],#-][^:\"'{}\[\],]*):(?P<gap>\s*)(?P<value>\S.*?)?\s*")
_TIGHT_PAIR = re.compile(_ITEM + r"(?P<key>\w+):(?P<value>[^\s:/].*)")
_TIGHT_DASH = re.compile(r"(?P<start>\s*)-(?P<rest>[^\s-].*)")
_KEY = re.compile(_ITEM + r"[^\s:]+:(\s|$)")
_OUTER = {"'": "'", '"': '"'}


def hint(text: str, error: Exception) -> tuple[int, str]:
    """The line of a mistake and what to do about it, from what the YAML reader says of it.

    >>> from ruamel.yaml import YAML
    >>> from ruamel.yaml.error import YAMLError
    >>> text = "survey: life\\ntitle: Life: a survey\\n"
    >>> try:
    ...     YAML(typ="safe", pure=True).compose(text)
    ... except YAMLError as error:
    ...     print(*hint(text, error))
    2 a text with a colon in it needs quotes: title: "Life: a survey".
    """
    lines = text.splitlines() or [""]
    mark, start = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    context, problem = str(getattr(error, "context", None) or ""), str(getattr(error, "problem", None) or "")
    if mark is None:
        return _unreadable(text, error)
    at = min(mark.line, len(lines) - 1)
    begun = at if start is None else min(start.line, len(lines) - 1)
    if "'\\t'" in problem:
        return at + 1, "there is a tab where YAML wants spaces. Use spaces instead."
    if "cannot start any token" in problem or "expected the node content" in problem or "scanning an anchor" in context:
        return at + 1, _first_sign(lines[at], mark.column)
    if "undefined alias" in problem or "scanning an alias" in context or "block scalar" in context:
        return begun + 1, _first_sign(lines[begun], (start or mark).column)
    if "sequence entries are not allowed" in problem:
        return at + 1, "a list begins on the next line. A text that begins with a dash needs quotes" + _quoted_pair(lines[at])
    unclosed = _unclosed(lines, at)
    if unclosed is not None:
        return unclosed + 1, 'the quote " that opens here is not closed on its line. Put another at the end of the text.'
    if "mapping values are not allowed" in problem:
        return _colon(lines, at, mark.column)
    if "could not find expected ':'" in problem:
        return begun + 1, _no_colon(lines[begun])
    if "quoted scalar" in context and "escape" in problem:
        return at + 1, "in double quotes a backslash has a meaning of its own. Use single quotes: 'text'."
    if "quoted scalar" in context:
        quote = lines[begun][start.column : start.column + 1] if start is not None else '"'
        return begun + 1, (
            f"the quote {quote} that opens here is never closed. Put the same quote at the end of the text"
            + (", or write the text between double quotes if it has an apostrophe." if quote == "'" else ".")
        )
    if "flow" in context:
        return _brackets(lines, at, mark.column, begun, start, problem)
    if "another document" in problem:
        return at + 1, "--- begins a second document. A questionnaire is one: take the line away."
    if "<block end>" in problem and "<scalar>" in problem:
        return at + 1, (
            "a text goes on after its closing quote. If it has quotes inside, put others around the whole"
            + _requoted(lines[at])
        )
    if "<block end>" in problem:
        return at + 1, (
            "this line is indented otherwise than those it belongs to. What belongs together begins below each other, "
            "with the same number of spaces in front."
        )
    return at + 1, f"{problem or 'not YAML or JSON'}."


def _unreadable(text: str, error: Exception) -> tuple[int, str]:
    place: Any = getattr(error, "position", None)
    if not isinstance(place, int):
        return 1, "not YAML or JSON."
    return text.count("\n", 0, place) + 1, "there is a character that cannot be printed. Take it away, or type the line again."


def _shown(line: str) -> str | None:
    """A line as it can be shown again."""
    return line.strip() if len(line) <= LONGEST_LINE and line.strip().isprintable() else None


def _in_quotes(text: str) -> str:
    """The text as YAML reads it whole.

    >>> print(_in_quotes("a: b"), _in_quotes('say "no": now'))
    "a: b" 'say "no": now'
    """
    if '"' not in text and "\\" not in text:
        return f'"{text}"'
    return "'" + text.replace("'", "''") + "'"


def _example(line: str, piece: str) -> str:
    """The end of a sentence: the line's own words put right."""
    return f": {piece}" if _shown(line) is not None else "."


def _quoted_pair(line: str) -> str:
    pair = _PAIR.fullmatch(line)
    if pair is None or pair["value"] is None or _shown(line) is None:
        return "."
    return f": {pair['key']}: {_in_quotes(pair['value'])}."


def _first_sign(line: str, column: int) -> str:
    sign = line[column : column + 1]
    return f"a text that begins with {sign} needs quotes" + _quoted_pair(line)


def _before(lines: list[str], at: int) -> int | None:
    """The nearest line above that says anything."""
    return next((i for i in range(at - 1, -1, -1) if lines[i].strip() and not lines[i].lstrip().startswith("#")), None)


def _colon(lines: list[str], at: int, column: int) -> tuple[int, str]:
    """A colon where none may be: the second of a line, or the first of a line that the one above has swallowed."""
    if ":" in re.sub(r"^\s*(-\s+)*", "", lines[at][:column]):
        return at + 1, "a text with a colon in it needs quotes" + _quoted_pair(lines[at])
    above = _before(lines, at)
    for i in [at] if above is None else [above, at]:
        tight = _tight(lines[i])
        if tight is not None:
            return i + 1, tight
    return at + 1, (
        "this line is indented further than the one above, so it is taken for the end of its text. Begin it below the line it belongs with."
    )


def _unclosed(lines: list[str], at: int) -> int | None:
    """The first line whose text has no closing quote, if the next quote, which closes it instead, was meant to open another."""
    first = next((i for i in range(at + 1) if lines[i].count('"') % 2), None)
    then = None if first is None else next((i for i in range(first + 1, at + 1) if '"' in lines[i]), None)
    opens = then is not None and re.fullmatch(r"(.*[:{\[,]\s*|\s*-\s+)", lines[then].partition('"')[0])
    return first if opens else None


def _tight(line: str) -> str | None:
    """What to say of a line without the space after its dash or its colon."""
    dash = _TIGHT_DASH.fullmatch(line)
    if dash is not None:
        return "a space is missing after the dash" + _example(line, f"- {dash['rest'].rstrip()}")
    pair = _TIGHT_PAIR.fullmatch(line)
    if pair is not None:
        return "a space is missing after the colon" + _example(line, f"{pair['key']}: {pair['value'].rstrip()}")
    return None


def _no_colon(line: str) -> str:
    return _tight(line) or (
        "this line has no colon. Every line reads `name: value`; one that goes on with the text above is indented further."
    )


def _brackets(lines: list[str], at: int, column: int, begun: int, start: Any, problem: str) -> tuple[int, str]:
    line = lines[at]
    if at == begun and "got ':'" in problem and _shown(line) is not None:
        left = max(line.rfind(sign, 0, column) + len(sign) for sign in (",", "[", "{", ": "))
        ends = [place for sign in ",]}" if (place := line.find(sign, column)) >= 0]
        piece = line[left : min(ends, default=len(line))].strip()
        return at + 1, f"a text with a colon in it needs quotes: {_in_quotes(piece)}."
    opened = lines[begun][start.column : start.column + 1] if start is not None else ""
    closing = {"[": "]", "{": "}"}.get(opened)
    if closing is None:
        return at + 1, f"{problem}."
    return (
        begun + 1,
        f"the {opened} that opens here is not closed by {closing}, or a comma is missing between two of its parts.",
    )


def _requoted(line: str) -> str:
    pair = _PAIR.fullmatch(line)
    value = pair["value"] if pair is not None else None
    if pair is None or not value or _shown(line) is None or value[0] not in _OUTER or value[-1] != value[0] or len(value) < 3:
        return "."
    return f": {pair['key']}: {_in_quotes(value[1:-1])}."
