"""The attack by linkage: anyone who knows people's true ages, places and the like looks for their records among the reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.core.domains.exact import Ints
from deniable.core.schema import Schema
from deniable.core.shuffle_mark import refuse_unpaired
from deniable.errors import ParameterError
from deniable.privacy.measures.likelihood import Likelihoods, part, posterior_over, rows_of

SAMPLE = 1000
"""How many reports are drawn to estimate the rate."""


@dataclass(frozen=True)
class Linkage:
    """How often a record is traced to its person: by its reports, by the undistorted values, and by pure chance."""

    rate: float
    error: float
    undistorted: float
    chance: float
    attributes: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"Anyone who knows the true {', '.join(self.attributes)} of everyone traces {self.rate:.2%} of the reports to their "
            f"person ({self.undistorted:.2%} if nothing were hidden, {self.chance:.2%} by chance)."
        )


def reidentification_rate(
    schema: Schema,
    truths: Any,
    attributes: Sequence[str] | None = None,
    sample: int = SAMPLE,
    rng: np.random.Generator | None = None,
) -> Linkage:
    """The mean over reports z of max_j P(z | x_j) / sum_j P(z | x_j): the chance that a report is traced to its person j by an
    attacker who knows the true `attributes` x_j of everyone in `truths`.

    The attacker takes the likeliest person, which nobody who looks at one report at a time can beat.

    Parameters
    ----------
    schema : Schema
        How answers are randomised.
    truths : frame
        The true answers of everyone.
    attributes : sequence of str, optional
        What the attacker knows (the quasi-identifiers); by default everything.
    sample : int
        How many reports are drawn from the schema to average over.
    rng : numpy.random.Generator, optional
        Makes the simulation repeatable.

    Returns
    -------
    Linkage
        The rate and its standard error, beside the rate for undistorted answers and that of pure chance.

    Examples
    --------
    >>> import deniable as dn, numpy as np
    >>> people = dn.datasets.town(1000, np.random.default_rng(1))
    >>> found = dn.privacy.reidentification_rate(dn.datasets.town_schema(), people, rng=np.random.default_rng(2))
    >>> found.chance < found.rate < found.undistorted
    True
    """
    generator = np.random.default_rng() if rng is None else rng
    quasi = part(schema, attributes)
    likelihoods = Likelihoods(quasi)
    people = likelihoods.truths(truths)
    persons, owners = _distinct(people)
    n = len(people)
    chosen = rows_of(truths, list(quasi), generator.integers(n, size=sample))
    reports = likelihoods.reports(quasi.randomise(chosen, generator))
    largest = np.empty(sample)
    alike = np.bincount(owners)
    for place, table in likelihoods.pieces(reports, persons):
        # People with the same answers share their chance.
        largest[place] = (posterior_over(table, np.log(alike)) / alike).max(axis=1)
    return Linkage(
        rate=float(largest.mean()),
        error=float(largest.std(ddof=1) / np.sqrt(sample)),
        undistorted=len(persons) / n,
        chance=1 / n,
        attributes=tuple(quasi),
    )


def linkage_attack(
    schema: Schema,
    truths: Any,
    reported: Any,
    attributes: Sequence[str] | None = None,
    rng: np.random.Generator | None = None,
) -> float:
    """Carry out the attack: the share of rows of `reported` that are assigned to the right row of `truths`, by likelihood.

    Parameters
    ----------
    schema : Schema
        How the answers were randomised.
    truths, reported : frame
        Row i of both belongs to person i (randomise with an `rng`, or `order="kept"`); the attacker is not told.
    attributes : sequence of str, optional
        What the attacker knows (the quasi-identifiers); by default everything.
    rng : numpy.random.Generator, optional
        To break ties at random.

    Returns
    -------
    float
        The share of reports that were traced.

    Examples
    --------
    >>> import deniable as dn, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> people, schema = dn.datasets.town(1000, rng), dn.datasets.town_schema()
    >>> traced = dn.privacy.linkage_attack(schema, people, schema.randomise(people, rng), rng=rng)
    >>> 0.2 < traced < 0.4
    True
    """
    refuse_unpaired(
        reported,
        truths,
        ("reported", "truths"),
        'linkage_attack compares them row by row: randomise with an rng, or with order="kept".',
    )
    generator = np.random.default_rng() if rng is None else rng
    likelihoods = Likelihoods(part(schema, attributes))
    people, reports = likelihoods.truths(truths), likelihoods.reports(reported)
    if len(people) != len(reports):
        raise ParameterError(
            "rows_differ",
            "linkage_attack: truths and reports must have the same people, got {a:,} and {b:,} rows.",
            a=len(people),
            b=len(reports),
        )
    right = 0
    for place, table in likelihoods.pieces(reports, people):
        top = table >= table.max(axis=1, keepdims=True) - 1e-9
        order = generator.random(top.shape) * top
        right += int((order.argmax(axis=1) == np.arange(place.start, place.stop)).sum())
    return right / len(reports)


def _distinct(people: Ints) -> tuple[Ints, Ints]:
    """The combinations of answers that occur, and which of them each person has."""
    rows, owners = np.unique(people, axis=0, return_inverse=True)
    return rows, owners.ravel()
