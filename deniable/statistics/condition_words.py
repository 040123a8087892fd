"""The words of the condition language: how text falls into names, values and signs, and how names and values are written.

A name of letters, digits and _ stands as it is. Any other is written in double quotes or in backticks: "a.b" or `monthly salary`.
Words in 'single quotes' are values. Inside quotes of any kind a backslash makes the next character ordinary.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from deniable.errors import ParameterError

KEYWORDS = ("and", "or", "not", "in")
NAMES = ("word", "quoted")
"""Kinds of tokens that name an attribute."""

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
          |(?P<string>'(?:[^'\\]|\\.)*')|(?P<quoted>"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)
          |(?P<operator><=|>=|==|!=|<|>)|(?P<mark>[(),])|(?P<word>[^\W\d]\w*))""",
    re.VERBOSE | re.DOTALL,
)
_PLAIN_NAME = re.compile(r"[^\W\d]\w*")
_RUN = re.compile(r"[^\s<>=!(),&|]*")
"""What a reader takes for one word."""
_MEANT = {
    "=": " Equality is written ==.",
    "&": " Write: and.",
    "|": " Write: or.",
    "!": " Write: not, or != between two things that differ.",
    **dict.fromkeys("[]{}", " A list of values stands in round brackets: party in ('left', 'right')."),
    **dict.fromkeys("'\"`", " The quote that begins here does not end."),
}
_METHODS = {".between": "20 <= {name} <= 30", ".isin": "{name} in ('left', 'right')"}
"""What people used to pandas write, and what it is here."""
_PART_OF_A_NAME = ' If it is part of an attribute\'s name, write the name in double quotes or in backticks: "a.b" or `a.b`.'


@dataclass(frozen=True)
class Token:
    """A piece of text with its kind and the place where it begins."""

    kind: str
    value: Any
    position: int


def pointed(code: str, sentence: str, text: str, position: int | None, **parameters: Any) -> ParameterError:
    """An error that shows the place in the text, if there is one."""
    if position is None:
        return ParameterError(code, sentence, **parameters)
    pointer = "\n    {_text}\n    {_arrow}"
    return ParameterError(
        code, sentence + " (character {_at})" + pointer, _at=position + 1, _text=text, _arrow=" " * position + "^", **parameters
    )


def split(text: str) -> list[Token]:
    """The tokens of a condition, the last of kind "end".

    >>> [(token.kind, token.value) for token in split('"a.b" <= 3')]
    [('quoted', 'a.b'), ('operator', '<='), ('number', 3), ('end', 'the end')]
    >>> split("a.b <= 3")
    Traceback (most recent call last):
    deniable.errors.ParameterError: A name such as a.b must be quoted: write "a.b" or `a.b`. (character 1)
        a.b <= 3
        ^
    """
    tokens, position = [], 0
    while text[position:].strip():
        token = _TOKEN.match(text, position)
        if token is None:
            at = position + len(text[position:]) - len(text[position:].lstrip())
            hint = _MEANT.get(text[at], _PART_OF_A_NAME)
            raise pointed("bad_character", "{got!r} is not understood here." + hint, text, at, got=text[at])
        kind = str(token.lastgroup)
        _refuse_unquoted(text, kind, token)
        tokens.append(Token(kind, _value(kind, token.group(kind)), token.start(kind)))
        position = token.end()
    tokens.append(Token("end", "the end", len(text)))
    return tokens


def _refuse_unquoted(text: str, kind: str, token: re.Match[str]) -> None:
    """A word or number that goes straight on in other signs (a.b, a-1, 2nd) is a name that nobody quoted."""
    if kind not in ("word", "number") or token.group(kind) in KEYWORDS:
        return
    rest = _RUN.match(text, token.end())
    following = rest.group() if rest is not None else ""
    if not following or (kind == "number" and (following in KEYWORDS or not following[0].isalpha())):
        return
    name = token.group(kind) + following
    method = _METHODS.get(following)
    if method is not None:
        raise pointed("python_method", "Write: {meant}.", text, token.start(kind), meant=method.format(name=token.group(kind)))
    raise pointed(
        "unquoted_name",
        "A name such as {got} must be quoted: write {double} or {back}.",
        text,
        token.start(kind),
        got=name,
        double=_in_quotes(name, '"'),
        back=_in_quotes(name, "`"),
    )


def _value(kind: str, text: str) -> Any:
    if kind == "number":
        return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)
    if kind in ("string", "quoted"):
        return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)
    return text


def _in_quotes(text: str, quote: str) -> str:
    return quote + text.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote


def written_name(name: str) -> str:
    r"""A name as `split` reads it back.

    >>> print(written_name("age"), written_name("a.b"), written_name('the "second"'), written_name("not"))
    age "a.b" "the \"second\"" "not"
    """
    return name if _PLAIN_NAME.fullmatch(name) and name not in KEYWORDS else _in_quotes(name, '"')


def written_value(value: Any) -> str:
    r"""A value as `split` reads it back; true and false are 1 and 0.

    >>> print(written_value("it's"), written_value(1.5), written_value(True))
    'it\'s' 1.5 1
    """
    if isinstance(value, str):
        return _in_quotes(value, "'")
    if isinstance(value, float) and math.isinf(value):
        return "1e999" if value > 0 else "-1e999"  # which Python reads as infinity
    return repr(int(value) if isinstance(value, bool) else value)


def plain_value(value: Any, name: str) -> Any:
    """A value from Python as text, a whole number, a decimal or true/false; anything else is refused."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (Decimal, Fraction)):
        value = float(value)
    for kind, plain in ((bool, bool), (int, int), (float, float), (str, str.__str__)):
        # Enumerations and the like are values of their kind, and are written as such.
        if isinstance(value, kind) and value == value:
            return plain(value)
    raise ParameterError(
        "not_a_value",
        "{name!r} can be compared with text, a number or true/false, got {got!r}. For those who gave no answer, compare it with the label "
        "that stands for that.",
        name=name,
        got=value,
    )
