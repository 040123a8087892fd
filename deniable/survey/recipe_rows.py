"""What a served recipe does, from its integers alone: the rows by which randomise.js draws, and how far a report can change odds.

The rules of docs/page-rules.md for one column. static/mixing.js says the same in JavaScript; vectors/pages.json is run by both.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from deniable.core.domains.exact import LARGEST_DENOMINATOR, Ints

LONGEST_KERNEL = 25_000
FARTHEST = 1_000_000


class UnreadableRecipeError(Exception):
    """A recipe that randomise.js could not follow as it is written down, with the reason."""


def whole(number: Any, least: int = -LARGEST_DENOMINATOR, most: int = LARGEST_DENOMINATOR) -> int:
    """A whole number as JavaScript reads it: 2.0 is one, true and "2" are not, and beyond 2^53 none is exact.

    >>> whole(2.0), whole(-3)
    (2, -3)
    """
    if type(number) is float and number.is_integer():
        number = int(number)
    if type(number) is not int or not least <= number <= most:
        raise UnreadableRecipeError(f"{str(number)[:40]!r} is no whole number that it may have")
    return number


def _wholes(numbers: Any, count: int | None, most: int = LONGEST_KERNEL) -> list[int]:
    if not isinstance(numbers, list) or not 1 <= len(numbers) <= most or (count is not None and len(numbers) != count):
        raise UnreadableRecipeError("a list of weights has another length than its question")
    return [whole(number, 0) for number in numbers]


def _adds_up(weights: list[int], denominator: int) -> None:
    if sum(weights) != denominator:
        raise UnreadableRecipeError("its weights do not add up")


def rows(recipe: Any, labels: int, other_reports: bool = False) -> Ints:
    """In how many of the recipe's `denominator` cases each true label (a row) is reported as each label (a column).

    With `other_reports` a table may have any number of columns: numbers may be reported more coarsely than they are answered.

    >>> rows({"law": "shift", "denominator": 2, "inputs": 3, "outputs": 3, "lowest": 0, "kernel": [1, 1]}, 3).tolist()
    [[1, 1, 0], [0, 1, 1], [0, 0, 2]]
    """
    if not isinstance(recipe, dict):
        raise UnreadableRecipeError("it is no recipe")
    law, denominator = recipe.get("law"), whole(recipe.get("denominator"), 1)
    if law == "table":
        given = recipe.get("weights")
        if not isinstance(given, list) or len(given) != labels:
            raise UnreadableRecipeError("it has not one row for each label")
        columns = len(given[0]) if other_reports and isinstance(given[0], list) and len(given[0]) > 1 else labels
        table = [_wholes(row, columns) for row in given]
        for row in table:
            _adds_up(row, denominator)
        return np.array(table, dtype=np.int64)
    if law == "mixture":
        replacement, diagonal = _wholes(recipe.get("replacement"), labels), whole(recipe.get("diagonal"))
        if whole(sum(replacement)) + diagonal != denominator or diagonal + min(replacement) < 0:
            raise UnreadableRecipeError("its weights do not add up")
        return np.tile(np.array(replacement, dtype=np.int64), (labels, 1)) + diagonal * np.eye(labels, dtype=np.int64)
    if law == "shift":
        return _shifted(recipe, labels, denominator)
    if law == "silent":
        return _silent(recipe, labels, denominator)
    raise UnreadableRecipeError(f"a survey has no law {str(law)[:40]!r}")


def _shifted(recipe: dict[str, Any], labels: int, denominator: int) -> Ints:
    whole(recipe.get("inputs"), labels, labels)
    whole(recipe.get("outputs"), labels, labels)
    kernel, lowest = _wholes(recipe.get("kernel"), None), whole(recipe.get("lowest"), -FARTHEST, FARTHEST)
    _adds_up(kernel, denominator)
    weights = np.zeros((labels, labels), dtype=np.int64)
    offsets = np.arange(len(kernel)) + lowest
    for x in range(labels):
        np.add.at(weights[x], np.clip(x + offsets, 0, labels - 1), kernel)
    return weights


def _silent(recipe: dict[str, Any], labels: int, denominator: int) -> Ints:
    inner = recipe.get("inner")
    if not isinstance(inner, dict) or inner.get("law") == "silent" or labels < 2:
        raise UnreadableRecipeError("its parts do not fit together")
    even = _wholes(recipe.get("even"), labels - 1)
    answers = rows(inner, labels - 1)
    # Draws of an answer are taken modulo the inner denominator: only whole multiples of it are shared out as the inner recipe says.
    kept, rest = divmod(denominator - sum(even), whole(inner.get("denominator"), 1))
    if rest or kept < 1:
        raise UnreadableRecipeError("its parts do not fit together")
    turned = np.full((labels - 1, 1), sum(even), dtype=np.int64)
    return np.vstack([np.hstack([answers * kept, turned]), [*even, denominator - sum(even)]])


def odds(recipe: Any, labels: int, other_reports: bool = False) -> float:
    """How many times a report can change anyone's odds at most; infinite where some report rules an answer out.

    >>> odds({"law": "mixture", "denominator": 5, "diagonal": 2, "replacement": [1, 1, 1]}, 3)
    3.0
    """
    weights = rows(recipe, labels, other_reports)
    low, high = weights.min(axis=0).tolist(), weights.max(axis=0).tolist()
    # A label that nobody ever reports gives nobody away.
    return max(1.0 if most == 0 else most / least if least else math.inf for least, most in zip(low, high, strict=True))


def odds_if_asked(recipe: Any, labels: int) -> float:
    """The same where a second question is put to the person: of the first answer for an organiser who knows the second, and of the second.

    Of the cases that do not tell the first answer, half send the second and half a label of the declared table: anyone who knows the second
    answer o and sees z, another one, has P(z | z) = diagonal + replacement[z] / 2 against P(z | else) = replacement[z] / 2. Of the second
    answer z is sent by sum(replacement) / 2 + replacement[z] / 2 of those who gave it, against replacement[z] / 2 of the others.

    >>> odds_if_asked({"law": "mixture", "denominator": 25, "diagonal": 15, "replacement": [4, 4, 2]}, 3)
    16.0
    """
    if not isinstance(recipe, dict) or recipe.get("law") != "mixture" or whole(recipe.get("diagonal")) < 1:
        raise UnreadableRecipeError("a second question needs a mixture that tells the first answer at times")
    rows(recipe, labels)
    replacement = _wholes(recipe.get("replacement"), labels)
    rarest = min(replacement)
    return 1 + max(2 * whole(recipe.get("diagonal")), sum(replacement)) / rarest if rarest else math.inf


def is_identity(recipe: Any, labels: int) -> bool:
    """Whether every answer is sent as it is.

    >>> is_identity({"law": "mixture", "denominator": 1, "diagonal": 1, "replacement": [0, 0, 0]}, 3)
    True
    """
    weights = rows(recipe, labels)
    return bool((np.diagonal(weights) == weights.sum(axis=1)).all())
