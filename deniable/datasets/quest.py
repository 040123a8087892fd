"""IBM Quest's market baskets (Agrawal and Srikant, VLDB 1994, section 2.4.3): people buy sets of items, not single ones.

`patterns` sets of items are drawn first; each shares a part of the one before it, has a weight that says how often it is bought and a
corruption level that says how incompletely. Then every transaction is filled with patterns until it has its size.

| letter | parameter | what it is | in the paper |
|---|---|---|---|
| D | `transactions` | how many transactions | 100,000 |
| T | `length` | their average size; sizes are 1 + Poisson(T - 1), so that none is meant to be empty | 5, 10, 20 |
| I | `pattern_length` | the patterns' average size, 1 + Poisson(I - 1) | 2, 4, 6 |
| N | `items` | how many items there are | 1,000 |
| L | `patterns` | how many patterns | 2,000 |
| | `correlation` | the mean of the exponential share of its items that a pattern takes from the one before it | 0.5 |
| | `corruption` | the mean of the normal level (variance 0.1, within 0 and 1); each draw below it drops an item | 0.5 |
| | `skewed` | items enter patterns with exponential weights, some often, some hardly ever; `False`: all equally often | equally |

IBM's released program skews the items, defaults to 10,000 patterns, a correlation of 0.25 and a corruption of 0.25, and made the sets
that later papers used. With `skewed=True` the lengths and the item counts of T10I4D100K are those of the well-known file.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from deniable.errors import ParameterError

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Items = np.ndarray[Any, np.dtype[np.int32]]
Booleans = np.ndarray[Any, np.dtype[np.bool_]]

CORRUPTION_VARIANCE = 0.1
_LETTERS = {"T": "length", "I": "pattern_length", "D": "transactions", "N": "items", "L": "patterns"}
_NAME = re.compile(r"(?:[TIDNL]\d+[kKmM]?)+")


def quest(
    name: str | None = None,
    *,
    form: str = "frame",
    rng: np.random.Generator | None = None,
    transactions: float = 100_000,
    length: float = 10,
    pattern_length: float = 4,
    items: float = 1000,
    patterns: float = 2000,
    correlation: float = 0.5,
    corruption: float = 0.5,
    skewed: bool = True,
) -> Any:
    """Synthetic transactions in which sets of items occur together.

    Parameters
    ----------
    name : str, optional
        Parameters by their letters, such as "T10I4D100kN1000"; they override those given by name.
    form : str
        "frame" (boolean columns named "0", "1", ...), "matrix" (the same as a numpy array), "transactions" (a list of lists of names)
        or "arrays" (item numbers one after another, and where each transaction begins: the least memory).
    rng : numpy.random.Generator, optional
        A fresh generator by default: there is nobody to protect here.
    transactions : int
        How many transactions (D).
    length : float
        Their average size (T).
    pattern_length : float
        The average size of a pattern (I).
    items : int
        How many items there are (N).
    patterns : int
        How many patterns (L).
    correlation : float
        The mean share of its items that a pattern takes from the one before it.
    corruption : float
        The mean level of corruption, by which items of a pattern are left out.
    skewed : bool
        Whether some items are far more frequent in patterns than others.

    Returns
    -------
    pandas.DataFrame, numpy.ndarray, list or tuple
        The transactions, as `form` says.

    Examples
    --------
    >>> import numpy as np
    >>> from deniable.datasets import quest
    >>> baskets = quest("T10I4D5kN100", patterns=50, rng=np.random.default_rng(1))
    >>> baskets.shape, bool(8 < baskets.sum(axis=1).mean() < 12)
    ((5000, 100), True)
    >>> quest("T3I2D2N6L5", form="transactions", rng=np.random.default_rng(4))
    [['1', '3'], ['1', '3', '4', '5']]
    """
    given = {
        "transactions": transactions,
        "length": length,
        "pattern_length": pattern_length,
        "items": items,
        "patterns": patterns,
    } | _of_name(name)
    sizes = {what: _whole(what, given[what]) for what in ("transactions", "items", "patterns")}
    averages = {what: _average(what, given[what]) for what in ("length", "pattern_length")}
    for what, share in {"correlation": correlation, "corruption": corruption}.items():
        if isinstance(share, bool) or not isinstance(share, (int, float, np.number)) or not 0 <= share <= 1:
            raise ParameterError("quest_share", "quest: {what} must lie in [0, 1], got {got!r}.", what=what, got=share)
    if not isinstance(skewed, bool):
        raise ParameterError("quest_skewed", "quest: skewed must be True or False, got {got!r}.", got=skewed)
    if form not in ("frame", "matrix", "transactions", "arrays"):
        raise ParameterError(
            "quest_form", "quest: form must be 'frame', 'matrix', 'transactions' or 'arrays', got {got!r}.", got=form
        )
    if rng is None:
        rng = np.random.default_rng()
    elif not isinstance(rng, np.random.Generator):
        raise ParameterError(
            "quest_rng",
            "quest: rng must be None or a numpy Generator; for a seed use numpy.random.default_rng(seed). Got {got!r}.",
            got=rng,
        )
    from deniable.kernels.quest import baskets  # compiles on first use, and only here

    flat, starts = _patterns(sizes["patterns"], averages["pattern_length"], sizes["items"], float(correlation), skewed, rng)
    weights = rng.exponential(size=sizes["patterns"])
    levels = _levels(sizes["patterns"], float(corruption), rng)
    wanted = 1 + rng.poisson(averages["length"] - 1, sizes["transactions"])
    found, offsets = baskets(wanted, starts, flat, np.cumsum(weights) / weights.sum(), levels, sizes["items"], rng)
    return _shaped(found, offsets, sizes["items"], form)


def _patterns(
    count: int, average: float, items: int, correlation: float, skewed: bool, rng: np.random.Generator
) -> tuple[Items, Ints]:
    """The patterns one after another, and where each begins."""
    wanted = np.minimum(1 + rng.poisson(average - 1, count), items)
    weights = rng.exponential(size=items) if skewed else np.ones(items)
    ends = np.cumsum(weights) / weights.sum()
    shares = np.minimum(rng.exponential(correlation, count), 1.0)
    found: list[Any] = []
    before: Any = np.empty(0, np.int64)
    for size, share in zip(wanted.tolist(), shares.tolist(), strict=True):
        chosen = rng.choice(before, min(len(before), round(share * size)), replace=False)
        while len(chosen) < size:
            # Repeats are ignored: the same as drawing without putting back.
            drawn = np.minimum(np.searchsorted(ends, rng.random(size), side="right"), items - 1)
            together = np.concatenate([chosen, drawn])
            chosen = together[np.sort(np.unique(together, return_index=True)[1])][:size]
        found.append(chosen)
        before = chosen
    return np.concatenate(found).astype(np.int32), np.concatenate([[0], np.cumsum(wanted)]).astype(np.int64)


def _levels(count: int, corruption: float, rng: np.random.Generator) -> Floats:
    """Corruption levels of the patterns; none at all where none is asked for."""
    drawn: Floats = np.clip(rng.normal(corruption, np.sqrt(CORRUPTION_VARIANCE), count), 0, 1)
    return drawn if corruption > 0 else np.zeros(count)


def _shaped(found: Items, offsets: Ints, items: int, form: str) -> Any:
    if form == "arrays":
        return found, offsets
    if form == "transactions":
        names = [str(k) for k in range(items)]
        ends = offsets.tolist()
        return [[names[k] for k in found[a:b].tolist()] for a, b in pairwise(ends)]
    # Column by column in memory: frames keep it so without a copy, and miners read columns.
    matrix = np.zeros((len(offsets) - 1, items), np.bool_, order="F")
    matrix[np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), found] = True
    return matrix if form == "matrix" else pd.DataFrame(matrix, columns=[str(k) for k in range(items)], copy=False)


def _of_name(name: str | None) -> dict[str, float]:
    if name is None:
        return {}
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ParameterError(
            "quest_name",
            "quest: a name is letters of T, I, D, N, L, each with a whole number, such as 'T10I4D100kN1000'; got {got!r}.",
            got=name,
        )
    parts = re.findall(r"([TIDNL])(\d+)([kKmM]?)", name)
    if len({letter for letter, *_ in parts}) < len(parts):
        raise ParameterError("quest_name_twice", "quest: the name {got!r} has a letter twice.", got=name)
    scale = {"": 1, "k": 1000, "m": 1_000_000}
    return {_LETTERS[letter]: int(number) * scale[unit.lower()] for letter, number, unit in parts}


def _whole(what: str, got: object) -> int:
    if isinstance(got, bool) or not isinstance(got, (int, np.integer)) or got < 1:
        raise ParameterError(
            "quest_size", "quest: {what} must be a whole number of at least 1, got {got!r}.", what=what, got=got
        )
    return int(got)


def _average(what: str, got: object) -> float:
    if isinstance(got, bool) or not isinstance(got, (int, float, np.number)) or not 1 <= got < float("inf"):
        raise ParameterError("quest_average", "quest: {what} must be a number of at least 1, got {got!r}.", what=what, got=got)
    return float(got)
