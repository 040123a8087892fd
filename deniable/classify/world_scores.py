"""A score of `predict` on true rows with a band: computed in the likeliest world and in many others that the reports do not refute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from deniable.classify.confusion import class_weights, one_hot
from deniable.classify.latent_classes import fit_latent_classes
from deniable.classify.measures import CHANCES, MACRO, OF_ALL_CLASSES, measure, metric_label, part_measured
from deniable.classify.worlds import Outcomes, Worlds, possible
from deniable.core.estimate import Estimate
from deniable.core.intervals import AtLeastDirect, Ends, IntervalRule

LATENT = "latent class model"
ASSUMES = (
    "what more than two attributes say together is as in a latent class model: a few kinds of people in each class, attributes independent "
    "within each kind"
)
WORLDS = 300
"""How many other worlds a band is made of."""
MOST_NUMBERS = 8_000_000
MOST_ROWS = 50_000
"""Of more rows some are enough, evenly spread."""
WIDE, WANTED = 0.15, 0.1
"""Bands that reach further are said to be wide, and how many rows the other reach would take."""


class Fares(Protocol):
    """How people of a class fare in each world."""

    has_chances: bool
    """Whether it is known what chances people are given."""

    def outcomes(self, y: int, with_chances: bool) -> Outcomes:
        """Of class y."""


class Counted:
    """Where nothing is hidden people fare as they are seen to."""

    has_chances = True

    def __init__(self, model: Any, codes: Any, worlds: Worlds) -> None:
        self.worlds, self.given = worlds, model._proba(codes)

    def outcomes(self, y: int, with_chances: bool) -> Outcomes:
        """Of class y."""
        given, weights = self.given[self.worlds.rows(y)], self.worlds.weights(y)
        predicted = given.argmax(axis=1)[:, None] == np.arange(given.shape[1])
        return Outcomes(weights @ predicted, weights @ -np.log(np.maximum(given[:, y], 1e-15)), weights, given[None])


@dataclass(frozen=True)
class BandOfWorlds:
    """The rule of the interval: the middle of the scores in all worlds.

    `values` are the scores, [way of measuring, world]; the interval holds the middle of each way.
    """

    value: float
    values: Any

    def __call__(self, level: float) -> Ends:
        # The truth is one more world: Weibull's quantiles leave out as many of all of them as is promised, others too many.
        low, high = np.quantile(self.values, [(1 - level) / 2, (1 + level) / 2], axis=1, method="weibull")
        return np.array([min(low.min(), self.value)]), np.array([max(high.max(), self.value)])


def in_worlds(
    model: Any, codes: Any, reported_class: Any, metric: str, positive: int | None, worlds: int = WORLDS
) -> tuple[Any, str, float | None] | None:
    """The score in the likeliest world and in others, how it was obtained, and of how many people it is the share.

    None where the reports cannot be undone.
    """
    of_class = class_weights(model.target_.matrix)
    if of_class is None:
        return None
    step = -(-len(codes) // MOST_ROWS)
    codes, reported_class = codes[::step], reported_class[::step]
    seed = model.random_state if isinstance(model.random_state, (int, np.integer)) else 0
    drawn = Worlds(of_class[reported_class], min(worlds, MOST_NUMBERS // len(codes)), np.random.default_rng(seed))
    matrices = [feature.matrix for feature in model.features_]
    fares: Fares
    if not model.target_.hidden and all(np.array_equal(matrix, np.eye(len(matrix))) for matrix in matrices):
        fares, how = Counted(model, codes, drawn), "unbiased"
    elif any(np.ptp(model.features_[i].matrix, axis=0).any() for group in model.groups_ for i in group.members):
        return None
    else:
        latent = fit_latent_classes(codes, reported_class, matrices, model.target_.matrix)
        made = model._fares(codes, drawn, latent)
        if made is None or (metric == "auc" and not made.has_chances):
            return None
        fares, how = made, LATENT
    present = [y for y in range(len(model.classes_)) if drawn.prior[0, y] > 0]
    found = {y: fares.outcomes(y, metric in CHANCES) for y in present}
    shares = np.zeros((len(model.classes_), len(model.classes_)))
    for y, outcomes in found.items():
        shares[y] = drawn.prior[0, y] * possible(outcomes.predictions[:1], y)[0]
    part = part_measured(shares, metric, positive)
    return _measured(found, drawn.prior, metric, positive), how, None if part is None else part * len(codes)


def counted(model: Any, codes: Any, labels: Any, metric: str, positive: int | None) -> Any:
    """The score on true rows, and on true rows resampled."""
    step = -(-len(codes) // MOST_ROWS)
    codes, labels, k = codes[::step], labels[::step], len(model.classes_)
    worlds = Worlds(one_hot(labels, k), min(WORLDS, MOST_NUMBERS // len(codes)), np.random.default_rng(0))
    fares = Counted(model, codes, worlds)
    return _measured({int(y): fares.outcomes(y, True) for y in np.unique(labels)}, worlds.prior, metric, positive)


def _measured(found: dict[int, Outcomes], prior: Any, metric: str, positive: int | None) -> Any:
    """The measure in every world, [way of measuring, world]."""
    classes = prior.shape[1]
    if metric == "log_loss":
        return np.sum([prior[:, y] * outcomes.loss for y, outcomes in found.items()], axis=0)[None]
    if metric == "auc":
        wanted = [positive] if positive is not None else [max(found)] if len(found) == 2 else list(found)
        return np.mean([_auc(found, prior, c) for c in wanted], axis=0)[None]
    shares = np.zeros((2, len(prior), classes, classes))
    for y, outcomes in found.items():
        # As they are, which is right on average, and brought back to what is possible, so that no class makes up for another.
        shares[0, :, y] = prior[:, [y]] * outcomes.predictions
        shares[1, :, y] = prior[:, [y]] * possible(outcomes.predictions, y)
    return np.clip([[measure(one, metric, positive) for one in way] for way in shares], 0, 1)


def _auc(found: dict[int, Outcomes], prior: Any, c: int) -> Any:
    """In every world the chance that somebody of class c is given a higher chance of it than somebody else is; ties count half."""
    out = np.full(len(prior), np.nan)
    own = found.get(c)
    rest = {y: outcomes for y, outcomes in found.items() if y != c}
    if own is None or not rest:
        return out
    for b in range(len(prior)):
        values = np.concatenate([o.chances[min(b, len(o.chances) - 1), :, c] for o in rest.values()])
        weights = np.concatenate([prior[b, y] * o.weights[b] for y, o in rest.items()])
        order = np.argsort(values, kind="stable")
        values, running = values[order], np.concatenate([[0.0], np.cumsum(weights[order])])
        mine = own.chances[min(b, len(own.chances) - 1), :, c]
        below = running[np.searchsorted(values, mine, "left")] + running[np.searchsorted(values, mine, "right")]
        out[b] = own.weights[b] @ below / 2 / max(running[-1], 1e-300)
    return np.clip(out, 0, 1)


def estimate_of(values: Any, how: str, direct: float | None, n: int, metric: str, pos_label: Any) -> Estimate:
    """The estimate whose band is the middle of the scores in all worlds, and no narrower than that of so many direct answers."""
    share = metric != "log_loss"
    value, others = float(values[0, 0]), values[:, 1:][:, np.isfinite(values[:, 1:]).all(axis=0)]
    if not others.size:
        why = (
            "no worlds were drawn."
            if np.isfinite(value)
            else "there are people of one class only, so there is nothing to measure."
        )
        return Estimate([value], [metric], n=n, method=how, name=metric_label(metric, pos_label), no_interval=why)
    rule: IntervalRule = BandOfWorlds(value, others)
    if direct is not None:
        rule = AtLeastDirect(rule, np.array([value]), direct)
    notes = [MACRO] if pos_label is None and metric not in (*OF_ALL_CLASSES, *CHANCES) else []
    low, high = rule(0.95)
    reach = float(high[0] - low[0]) / 2
    if share and reach > WIDE:
        rows = n * (reach / WANTED) ** 2
        digits = max(0, int(np.log10(rows)) - 1)
        notes.append(f"the band is wide: one of 10 points to either side would take about {round(rows, -digits):,.0f} rows")
    return Estimate(
        [value], [metric], n=n, method=how, covariance=[[float(others[0].var())]], name=metric_label(metric, pos_label), ends=rule,
        limits=(0.0, 1.0) if share else (0.0, np.inf), notes=notes, assumes=[ASSUMES] if how == LATENT else [],
    )  # fmt: skip
