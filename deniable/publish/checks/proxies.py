"""Proxies: columns that are handed on as they are and give the true answer away to anyone who knows how they are related."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.core.domains.exact import Ints
from deniable.plurals import counted
from deniable.privacy.reporting.words import percent
from deniable.publish.cells import as_numbers, as_text, cells, number
from deniable.publish.checks.check import Check
from deniable.publish.checks.measured import Measured
from deniable.publish.encoding import Attribute, quantiles
from deniable.publish.remedies import recode_or_drop
from deniable.publish.rules import single_views

FEWEST_ROWS = 20
"""A value of another column shared by fewer rows says little about anyone else who has it."""
RANGES = 20
"""Into how many ranges, of about equally many rows, a column of numbers is cut beside testing its single values."""
VALUES_SHOWN = 3
SURPRISE = 1e-4
"""Rare values are said to tell the answer where fewer by chance than one column in so many would have as many of one answer each."""
HARDLY = 0.5
"""A column of which fewer rows than this share their value with enough others is said to be hardly tested."""


@dataclass(frozen=True)
class Telling:
    """What was found: a sentence for the owner, what was tested for the public, the rows (from 0) and the columns."""

    found: str
    public: str
    rows: Ints
    columns: tuple[str, ...]


def proxies(measured: Measured) -> Check:
    """Whether other columns by themselves tell an answer of any sensitive column."""
    sensitive = measured.fitted.sensitive
    columns = single_views(sensitive.view_outcomes)
    telling = find_proxies(
        measured.attributes,
        measured.columns,
        [sensitive.views[v][measured.labels] for v in columns],
        [sensitive.view_outcomes[v] for v in columns],
        measured.limits.posterior,
    )
    remedy = recode_or_drop(telling.columns, measured.naming, measured.recoded) if telling.columns else None
    return Check(
        "other columns",
        not telling.columns,
        telling.found,
        telling.rows + 1,
        telling.columns,
        telling.public,
        remedy=remedy,
    )


def find_proxies(
    attributes: Sequence[Attribute], columns: dict[str, Any], answers: Sequence[Ints], outcomes: Sequence[int], limit: float
) -> Telling:
    """Test every value, and every range of numbers, that enough rows share: is one true answer given in more than `limit` of them?
    Rarer values are tested in sum: do more of them have one answer each than chance would bring?

    It is the share among these very rows that counts, not whether chance could have brought it about: those people are exposed to
    anyone who knows the true counts either way, and what is promised is what is tested.

    Parameters
    ----------
    attributes : the other columns as the tree reads them.
    columns : their cells, by name.
    answers : the codes of the true answers, one array per sensitive column.
    outcomes : how many answers each of these can have.
    limit : the largest share of one answer that a value may have.

    Returns
    -------
    Telling
        What was found, with rows and columns; none, where no column tells an answer.

    Examples
    --------
    >>> import pandas as pd
    >>> from deniable.publish.encoding import read_table
    >>> X = pd.DataFrame({"pills": ["many"] * 30 + ["few"] * 30, "town": ["A", "B"] * 30})
    >>> attributes, _ = read_table(X, None, None, 1000)
    >>> find_proxies(attributes, dict(X), [np.repeat([1, 0], 30)], [2], 0.95).columns
    ('pills',)
    """
    rows = len(answers[0])
    # An answer that nearly everyone gave is over the limit wherever one looks: of such a column the other answers are tested.
    whole = [np.bincount(codes, minlength=k) for codes, k in zip(answers, outcomes, strict=True)]
    but = [int(np.argmax(counts)) if counts.max() > limit * rows else None for counts in whole]
    exposed = np.zeros(rows, bool)
    named: list[str] = []
    telling: list[str] = []
    hardly: list[str] = []
    related = False
    for attribute in attributes:
        if attribute.identifier and not attribute.measured:
            continue
        here = np.zeros(rows, bool)
        reached = np.zeros(rows, bool)
        worst: list[tuple[int, str]] = []
        chance = 0.0
        for codes, size, shown in _cells(attribute, columns[attribute.name]):
            bad, rare = np.zeros(size, bool), np.zeros(size, bool)
            for answer, k, left_out in zip(answers, outcomes, but, strict=True):
                counts = np.bincount(codes.astype(np.int64) * k + answer, minlength=size * k).reshape(size, k)
                bad |= _over(counts, limit, left_out)
                chance += _by_chance(counts, limit, left_out)
                rare |= _too_many_of_one_answer(counts)
            sizes = np.bincount(codes, minlength=size)
            worst += [(int(sizes[code]), shown(int(code))) for code in np.flatnonzero(bad)]
            if rare.any():
                worst.append((int(sizes[rare].sum()), f"{rare.sum():,} rarer values of one answer each"))
            here |= (bad | rare)[codes]
            reached |= (sizes >= FEWEST_ROWS)[codes]
        if reached.mean() < HARDLY:
            hardly.append(attribute.name)
        if worst:
            exposed |= here
            telling.append(attribute.name)
            related |= not _no_more_than(len(worst), chance)
            named.append(f"{attribute.name} ({percent(here.mean(), up=True)} of the rows: {_listed(worst)}{_expected(chance)})")
    public = _tested("no", "and none", limit, hardly)
    if not telling:
        return Telling(public, public, np.flatnonzero(exposed), ())
    why = (
        "the true answer can be read off other columns by anyone who knows how they are related"
        if related
        else "people with some values of other columns nearly all gave one answer. Chance brings about as many such values where an answer "
        "is this frequent, so the columns need not be related to it; but anyone who knows the true counts is as sure of these people"
    )
    found = f"{why}: {'; '.join(named)}. Tested is whether {_tested('a', 'or one', limit, hardly)}"
    return Telling(found, public, np.flatnonzero(exposed), tuple(telling))


def _tested(value: str, part: str, limit: float, hardly: Sequence[str]) -> str:
    """The test in words: what it promises and what it leaves open."""
    left = f". Hardly tested, for their values are too rare: {', '.join(hardly)}" if hardly else ""
    return (
        f"{value} single value of another column, {part} of {RANGES} ranges of a column of numbers (fewer where there are few rows), "
        f"that {FEWEST_ROWS} rows or more share goes with one true answer in over {percent(limit, up=True)} of them (an answer that so "
        "many of all rows gave is not counted here: that fails worst posterior); rarer values are tested only in sum, "
        f"other ranges and several columns together not at all{left}"
    )


def _cells(attribute: Attribute, column: Any) -> Iterator[tuple[Ints, int, Callable[[int], str]]]:
    """Codes of the rows, how many there are, and what each is called: by single values, and for numbers by ranges too."""
    array = cells(column, attribute.name, attribute.missing, attribute.ordered)
    if not attribute.ordered:
        encoded = as_text(array).dictionary_encode()
        labels = encoded.dictionary
        yield encoded.indices.to_numpy(zero_copy_only=False), len(labels), lambda code: str(labels[code])
        return
    # Not the attribute's own values: those may be cells that single values are hidden in (`resolution`).
    values, codes = np.unique(as_numbers(array), return_inverse=True)
    single = Attribute(attribute.name, True, values, attribute.missing)
    yield codes, len(values), single.shown
    # In small sets fewer ranges, so that each has enough rows.
    ranges, coarse = quantiles(single, codes.astype(np.int32), min(RANGES, max(2, len(codes) // FEWEST_ROWS)))
    if ranges is not single:
        yield coarse.astype(np.int64), len(ranges.values), lambda code: f"{number(ranges.lows[code])} to {ranges.shown(code)}"


def _over(counts: Ints, most: float, left_out: int | None = None) -> Any:
    sizes = counts.sum(axis=1)
    asked = counts if left_out is None else np.delete(counts, left_out, axis=1)
    return (sizes >= FEWEST_ROWS) & (asked.max(axis=1) / np.maximum(sizes, 1) > most + 1e-12)


def _too_many_of_one_answer(counts: Ints) -> Any:
    """Values that too few rows share to be tested one by one, and that have one answer only, if there are more such than by chance."""
    from scipy.stats import poisson

    sizes = counts.sum(axis=1)
    rare = (sizes >= 2) & (sizes < FEWEST_ROWS)
    one = rare & (counts.max(axis=1) == sizes)
    shares = counts.sum(axis=0) / sizes.sum()
    expected = float((shares[None, :] ** sizes[rare][:, None]).sum())
    return one if poisson.sf(one.sum() - 1, expected) < SURPRISE else np.zeros(len(sizes), bool)


def _by_chance(counts: Ints, most: float, left_out: int | None = None) -> float:
    """How many values would be over the limit on average if the column had nothing to do with the answers."""
    from scipy.stats import binom

    sizes = counts.sum(axis=1)
    enough = sizes[sizes >= FEWEST_ROWS]
    shares = counts.sum(axis=0) / sizes.sum()
    shares = shares if left_out is None else np.delete(shares, left_out)
    needed = np.floor(enough * (most + 1e-12))
    return float(sum(binom.sf(needed, enough, share).sum() for share in shares))


def _no_more_than(seen: int, chance: float) -> bool:
    """Whether chance brings about as many often enough (one column in 20)."""
    from scipy.stats import poisson

    return bool(poisson.sf(seen - 1, chance) > 0.05)


def _listed(worst: list[tuple[int, str]]) -> str:
    order = sorted(worst, key=lambda value: -value[0])
    shown = ", ".join(f"{name} in {counted(rows, 'row')}" for rows, name in order[:VALUES_SHOWN])
    return shown + (f" and {len(order) - VALUES_SHOWN:,} more" if len(order) > VALUES_SHOWN else "")


def _expected(chance: float) -> str:
    return f"; about {chance:.2g} such by chance if it had nothing to do with the answer" if chance >= 0.1 else ""
