"""The design of a number or a rating, chosen by what it will be asked for: the one that tells it best at given odds.

All designs hide a number equally well, as the odds say. What they tell differs: the mean of 0 to 99 is known ten times as well behind one
bit as behind k-ary randomised response over 100 labels. The choice depends on the numbers, the odds and the use alone, so it is made before
anything is asked, and whoever opens a survey freezes it with the schema.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from deniable.core.channels.additive import Additive
from deniable.core.channels.base import Channel
from deniable.core.channels.designs import KRR
from deniable.core.channels.noise import Laplace
from deniable.core.channels.number_designs import OneBit, Piecewise, is_rating
from deniable.core.domains.domain import Domain
from deniable.core.domains.exact import Number, fraction
from deniable.core.domains.grids import Continuous, Integer
from deniable.core.domains.labels import Ordinal
from deniable.core.undoing import ALL_NODES
from deniable.errors import NotInvertibleError, ParameterError
from deniable.planning.known_to import USES, known_for
from deniable.planning.mean_errors import MeanErrors
from deniable.planning.questions import has_mean
from deniable.survey.levels import MOST_NEIGHBOURS, neighbours_for

ANSWERS = 1_000
"""Shares and quantiles are compared for this many answers: behind noise their margins do not simply shrink with the root."""
MOST_REPORTS = 8
"""A mean is told best by few reports: at odds of 3 by two, of 5 by three, of 20 by four."""
ALIKE = 1e-6
"""Costs that differ by less are the same, and the simpler design is taken."""


class Considered(NamedTuple):
    """A design, what it is called, and its cost: of a mean the largest standard error of one answer, else the margin of 1,000 answers."""

    name: str
    channel: Channel
    cost: float


class Chosen(NamedTuple):
    """The cheapest design, and all that were considered, cheapest first."""

    channel: Channel
    name: str
    cost: float
    considered: tuple[Considered, ...]


def cheapest(domain: Domain, odds: Number, use: str) -> Chosen:
    """The design that tells a mean, a share or a quantile best, if no report may change anyone's odds more than `odds` times.

    Parameters
    ----------
    domain : Domain
        Numbers of a grid (`dn.Integer` or `dn.Continuous` with a step), a rating, or for shares and quantiles any labels in an order
        (`dn.Ordinal`); perhaps with a label for "no answer".
    odds : number
        How many times a report may change anyone's odds.
    use : str
        What the number is asked for: "mean", "share" or "quantile".

    Returns
    -------
    Chosen
        The channel, its name and its cost, and what else was considered.

    Examples
    --------
    >>> import deniable as dn
    >>> chosen = cheapest(dn.Integer(0, 99), 5, "mean")
    >>> chosen.name, round(chosen.cost, 1)
    ('Piecewise with 3 reports', 63.4)
    >>> [(other.name, round(other.cost, 1)) for other in chosen.considered if other.name in ("OneBit", "KRR")]
    [('OneBit', 74.2), ('KRR', 776.4)]
    """
    if use not in USES:
        raise ParameterError("use", "A number is asked for one of {allowed}, got {got!r}.", allowed=list(USES), got=use)
    _check_use(domain, use)
    read = fraction(odds, "cheapest", "odds")
    if read <= 1:
        raise ParameterError("odds_range", "odds must be above 1, got {got}.", got=odds)
    considered = []
    for place, (name, channel) in enumerate(_designs(domain, read, use)):
        try:
            considered.append((place, Considered(name, channel, _cost(channel, use))))
        except NotInvertibleError:
            continue
    best = min(one.cost for _, one in considered)
    place, taken = next((place, one) for place, one in considered if one.cost <= best * (1 + ALIKE))
    order = sorted(considered, key=lambda each: (each[0] != place, each[1].cost))
    return Chosen(taken.channel, taken.name, taken.cost, tuple(one for _, one in order))


def _check_use(domain: Any, use: str) -> None:
    grid = isinstance(domain, Domain) and isinstance(domain.answered, (Integer, Continuous)) and domain.has_grid
    ordered = isinstance(domain, Domain) and isinstance(domain.answered, Ordinal)
    if not grid and not ordered:
        raise ParameterError(
            "use_of_numbers", "What is asked for its {use} is a number of a grid or an answer in an order, got {got!r}.",
            use=use, got=domain,
        )  # fmt: skip
    if use == "mean" and not has_mean(domain):
        raise ParameterError(
            "mean_of_words",
            "What is asked for its mean has more than two answers, all of them numbers; got {got!r}.",
            got=domain,
        )


def _cost(channel: Channel, use: str) -> float:
    return MeanErrors(channel).largest if use == "mean" else known_for(channel, ANSWERS, use).margin


def _designs(domain: Domain, odds: Fraction, use: str) -> Iterator[tuple[str, Channel]]:
    """What may hide an answer at these odds, the simplest first."""
    values, labels = domain.size - (domain.missing is not None), isinstance(domain.answered, Ordinal)
    if use == "mean" and (not labels or is_rating(domain)):
        yield "OneBit", OneBit(domain, odds)
        for reports in range(3, min(values, MOST_REPORTS + 1)):
            yield f"Piecewise with {reports} reports", Piecewise(domain, odds, reports=reports, width=1)
    yield "KRR", KRR(domain, odds / (odds + domain.size - 1))
    if labels:
        if domain.missing is not None and values <= MOST_NEIGHBOURS:
            yield "Matrix (neighbours)", neighbours_for(domain, odds)
        return
    if values <= ALL_NODES or use == "mean":
        yield "Piecewise", Piecewise(domain, odds)
    if domain.missing is None:
        # Silence is drawn as any of the reports, evenly; noise that stops at the ends is far from even there.
        yield "Laplace noise", _laplace(domain.answered, odds)


def _laplace(domain: Any, odds: Fraction) -> Channel:
    """The least Laplace noise, to three figures, within the odds."""
    scale = float(domain.high - domain.low) / math.log(odds)
    figure = Fraction(10) ** (math.floor(math.log10(scale)) - 2)
    parts = math.ceil(Fraction(scale) / figure)
    while True:
        channel = Additive(domain, Laplace(parts * figure), edges="clamp")
        if channel.epsilon <= math.log(odds):
            return channel
        parts += 1
