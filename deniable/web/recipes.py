"""What a served recipe does, told from its integers alone: a page that does not mix is found without knowing the questionnaire."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from deniable.privacy.words import odds

Floats = npt.NDArray[np.float64]
MOST_CELLS = 25_000_000
MOST_ODDS = 100
"""Beyond this a recipe hardly mixes: a report turns a chance of 10% into one of more than 90%."""


class UnreadableRecipeError(Exception):
    """A recipe that randomise.js could not follow as it is written down, with the reason."""


def told(element: dict[str, Any] | None, block: dict[str, Any]) -> tuple[bool, str]:
    """Whether one private answer is mixed, and how, in words.

    >>> smokes = {"attributes": ["smokes"], "law": "mixture", "denominator": 4, "diagonal": 2, "replacement": [1, 1]}
    >>> told({"choices": [{"value": "no"}, {"value": "yes"}]}, smokes)
    (True, "a report changes anyone's odds at most 3.0 times; of 100 people whose answer is 'no', 25 send another")
    >>> told(None, smokes | {"diagonal": 4, "replacement": [0, 0]})
    (False, 'NOT MIXED: some report proves an answer; of 100 people with the first answer, 0 send another')
    """
    try:
        if block.get("law") == "group":
            ratio, another = _group(block)
        else:
            chances = matrix(block)
            lowest, highest = chances.min(axis=0), chances.max(axis=0)
            possible = highest > 0
            ratio = math.inf if (lowest[possible] == 0).any() else float((highest[possible] / lowest[possible]).max())
            another = 100 * (1 - float(chances[0, 0])) if chances.shape[0] == chances.shape[1] else None
    except UnreadableRecipeError as error:
        return False, f"the recipe cannot be followed: {error}"
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError, IndexError):
        return False, "the recipe cannot be followed: it is not written as docs/recipes.md says"
    said = [
        f"a report changes anyone's odds {odds(math.log(ratio))}" if math.isfinite(ratio) else "some report proves an answer"
    ]
    if another is not None:
        said.append(f"of 100 people {_first(element)}, {another:.0f} send another")
    mixes = ratio <= MOST_ODDS
    return mixes, ("" if mixes else "NOT MIXED: ") + "; ".join(said)


def _first(element: dict[str, Any] | None) -> str:
    choices = (element or {}).get("choices")
    if (element or {}).get("type") == "checkbox":
        return "who do not tick it"
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return f"whose answer is {str(choices[0].get('value'))!r}"
    return "with the first answer"


def matrix(block: dict[str, Any]) -> Floats:
    """With which chance each true label (a row) is reported as each label (a column), as randomise.js would draw it.

    >>> matrix({"law": "shift", "denominator": 2, "inputs": 2, "outputs": 3, "lowest": 0, "kernel": [1, 1]}).tolist()
    [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]
    """
    weights, denominator = _weights(block)
    if (weights < 0).any() or not np.array_equal(weights.sum(axis=1), np.full(len(weights), float(denominator))):
        raise UnreadableRecipeError("its weights do not add up")
    chances: Floats = weights / denominator
    return chances


def _weights(block: dict[str, Any]) -> tuple[Floats, int]:
    law, denominator = block["law"], _whole(block["denominator"], 1)
    if law == "table":
        rows = [_row(row) for row in block["weights"]]
        _fits(len(rows), len(rows[0]))
        return np.array(rows, dtype=np.float64), denominator
    if law == "mixture":
        replacement = np.array(_row(block["replacement"]), dtype=np.float64)
        _fits(len(replacement), len(replacement))
        return replacement + _whole(block["diagonal"], -(2**53)) * np.eye(len(replacement)), denominator
    if law == "shift":
        inputs, outputs, kernel = _whole(block["inputs"], 1), _whole(block["outputs"], 1), _row(block["kernel"])
        _fits(inputs, max(outputs, len(kernel)))
        weights = np.zeros((inputs, outputs))
        offsets = np.arange(len(kernel)) + _whole(block["lowest"], -(2**31))
        for x in range(inputs):
            np.add.at(weights[x], np.clip(x + offsets, 0, outputs - 1), kernel)
        return weights, denominator
    if law == "silent":
        even = _row(block["even"])
        inner, parts = _weights(block["inner"])
        kept, rest = divmod(denominator - sum(even), parts)
        if rest or kept < 0 or inner.shape[1] != len(even):
            raise UnreadableRecipeError("its parts do not fit together")
        answers = np.hstack([inner * kept, np.full((len(inner), 1), float(sum(even)))])
        return np.vstack([answers, [*even, denominator - sum(even)]]), denominator
    raise UnreadableRecipeError(f"there is no law {law!r}")


def _group(block: dict[str, Any]) -> tuple[float, None]:
    """The largest odds of a group's joint report, from the rarest innocuous one."""
    tell, denominator = _whole(block["tell"], 0), _whole(block["denominator"], 1)
    sizes = [_whole(size, 1) for size in block["sizes"]]
    if block.get("flips"):
        # A flipped report leaves two possible truths, whatever the others are.
        return (max(tell, denominator - tell) / max(min(tell, denominator - tell), 1e-300) if sizes == [2] else math.inf), None
    if "innocuous" in block:
        parts = [_row(weights) for weights in block["innocuous"]]
        if [len(weights) for weights in parts] != sizes:
            raise UnreadableRecipeError("its parts do not fit together")
        rarest = math.prod(min(weights) / sum(weights) for weights in parts)
    else:
        weights = _row(block["weights"])
        cells = {tuple(cell) for cell in block["cells"]}
        every = math.prod(sizes) <= MOST_CELLS and cells == set(itertools.product(*(range(size) for size in sizes)))
        rarest = min(weights) / sum(weights) if every else 0.0
    theta = tell / denominator
    instead = (1 - theta) * rarest
    return (math.inf if instead <= 0 else (theta + instead) / instead), None


def _whole(number: Any, least: int) -> int:
    if type(number) is not int or not least <= number <= 2**53:
        raise UnreadableRecipeError(f"{str(number)[:40]!r} is no whole number that it may have")
    return number


def _row(numbers: Any) -> list[int]:
    if not isinstance(numbers, list) or not numbers:
        raise UnreadableRecipeError("a list of weights is empty")
    return [_whole(number, 0) for number in numbers]


def _fits(rows: int, columns: int) -> None:
    if rows * columns > MOST_CELLS:
        raise UnreadableRecipeError("it is larger than any that Deniable makes")
