"""Text to conditions: `parse` gives the tree of a text, `as_condition` takes text or a condition written in Python."""

from __future__ import annotations

from typing import Any

from deniable.errors import ParameterError
from deniable.statistics.condition_words import KEYWORDS, NAMES, Token, pointed, split, written_name, written_value
from deniable.statistics.conditions import All, AnyOf, Compare, Condition, Not

TRUTH_VALUES = {"true": True, "false": False}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def _truth_value(token: Token, other: Token) -> Token:
    """The word true or false beside a name is a value, as in `smokes == true`; between two such words nobody can tell."""
    value = TRUTH_VALUES.get(str(token.value).lower()) if token.kind == "word" else None
    if value is None or (other.kind == "word" and str(other.value).lower() in TRUTH_VALUES):
        return token
    return Token("number", value, token.position)


class _Parser:
    """Recursive descent: or, and, not, then comparisons, chains and parentheses."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = split(text)
        self._next = 0

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _take(self, *values: str) -> Token | None:
        token = self._token
        if token.kind in ("word", "mark", "operator") and token.value in values:
            self._next += 1
            return token
        return None

    def _expected(self, what: str) -> ParameterError:
        token = self._token
        return pointed("unexpected", "Expected {what}, got {got}.", self._text, token.position, what=what, got=token.value)

    def parse(self) -> Condition:
        if self._token.kind == "end":
            raise pointed("empty", "The condition is empty.", self._text, 0)
        condition = self._either()
        if self._token.kind != "end":
            raise self._expected("'and', 'or' or the end")
        return condition

    def _either(self) -> Condition:
        parts = [self._both()]
        while self._take("or"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _both(self) -> Condition:
        parts = [self._negated()]
        while self._take("and"):
            parts.append(self._negated())
        flat = [inner for part in parts for inner in (part.parts if isinstance(part, All) else (part,))]
        return flat[0] if len(flat) == 1 else All(tuple(flat))

    def _negated(self) -> Condition:
        if self._take("not"):
            return Not(self._negated())
        if self._take("("):
            inside = self._either()
            if not self._take(")"):
                raise self._expected("')'")
            return inside
        return self._comparison()

    def _comparison(self) -> Condition:
        start = self._token
        sides, operators = [self._operand()], []
        if self._take("not"):
            if not self._take("in"):
                raise self._expected("'in'")
            return self._in(sides[0], "not in", start)
        if self._take("in"):
            return self._in(sides[0], "in", start)
        while self._token.kind == "operator":
            operators.append(self._token)
            self._next += 1
            sides.append(self._operand())
        if not operators:
            raise self._expected("a comparison (==, !=, <, <=, >, >=, in)" + self._hint(sides[0]))
        parts = [self._single(sides[i], sides[i + 1], operator) for i, operator in enumerate(operators)]
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _hint(self, name: Token) -> str:
        """What may have been meant where a name is followed by another word."""
        if not name.kind == self._token.kind == "word":
            return ""
        if str(self._token.value).lower() == "is":
            return f" (for those who gave no answer, compare with the label that stands for it, such as {name.value} == 'no answer')"
        return " (a name of several words is quoted)"

    def _single(self, left: Token, right: Token, operator: Token) -> Condition:
        if left.kind in NAMES and right.kind in NAMES:
            left, right = _truth_value(left, other=right), _truth_value(right, other=left)
        names = [token for token in (left, right) if token.kind in NAMES]
        if len(names) != 1:
            meant = f" Did you mean {written_name(left.value)} {operator.value} {written_value(right.value)}?" if names else ""
            raise pointed(
                "not_attribute_and_value",
                "A comparison needs an attribute on one side and a value on the other (words in 'single quotes' are values; "
                "two attributes cannot be compared).{meant}",
                self._text,
                operator.position,
                meant=meant,
            )
        name = names[0]
        value = right if name is left else left
        sign = operator.value if name is left else _MIRRORED[operator.value]
        return Compare(str(name.value), sign, value.value, name.position, self._text)

    def _operand(self) -> Token:
        token = self._token
        if token.kind not in ("word", "quoted", "string", "number") or (token.kind == "word" and token.value in KEYWORDS):
            raise self._expected("an attribute or a value")
        self._next += 1
        return token

    def _in(self, name: Token, operator: str, start: Token) -> Condition:
        if name.kind not in NAMES:
            raise pointed("not_an_attribute", "An attribute must stand before 'in'.", self._text, start.position)
        if not self._take("("):
            raise self._expected("'(' and a list of values")
        values: list[Any] = []
        if self._take(")"):
            return Compare(str(name.value), operator, (), name.position, self._text)
        while True:
            token = self._token
            if token.kind not in ("string", "number"):
                raise self._expected("a value (a number, or a word in 'single quotes')")
            values.append(token.value)
            self._next += 1
            if self._take(")"):
                return Compare(str(name.value), operator, tuple(values), name.position, self._text)
            if not self._take(","):
                raise self._expected("',' or ')'")


def parse(text: str) -> Condition:
    """The tree of a condition; an error points at the character where it stops making sense.

    >>> parse("18 <= age < 30").attributes()
    ['age']
    >>> parse("age < ")
    Traceback (most recent call last):
    deniable.errors.ParameterError: Expected an attribute or a value, got the end. (character 7)
        age <
              ^
    """
    return _Parser(text).parse()


def as_condition(given: Any) -> Condition | None:
    """A condition from text, from Python, or none at all."""
    if given is None or isinstance(given, Condition):
        return given
    if isinstance(given, str):
        return parse(given)
    raise ParameterError(
        "not_a_condition", "A condition is text such as \"age < 30\" or dn.where('age') < 30, got {got!r}.", got=given
    )
