"""How well a classifier predicts truths behind noise, which no weights undo: a band from held-out reports and a model of the rows.

Two things are known. How well the classifier predicts held-out *reports*, read through the channels, is counted; who sees the truths is
hardly worse off. And a latent class model of these reports says how true rows would fare. It may miss how attributes depend on each
other, and then says too much. What it cannot know of its own rows is seen where it is fitted to reports simulated from itself. The band
holds both, and what might be reached if nothing were hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from deniable.classify.confusion import UNBIASED, class_weights, one_hot
from deniable.classify.latent_classes import LatentClasses, Reports, fit_kinds, fit_latent_classes
from deniable.classify.scoring import score
from deniable.core.estimate import Estimate
from deniable.core.intervals import Ends, at_least_direct

SIMULATED = 12
"""So many times reports are simulated from the model, and the model is fitted to them."""
MOST_ROWS = 5_000
"""Of more rows some are enough, evenly spread."""
DRAWN = 2_000
"""So many people of each class are drawn from a model."""


@dataclass(frozen=True)
class BandBehindNoise:
    """The rule of the interval: from how well reports are predicted, or less, to what the model says, or more."""

    modelled: float
    off: float
    """By how much the model misses the accuracy in rows that are its own: the root of the mean square."""
    of_reports: Estimate
    n: int
    attainable: float
    """What might be reached without noise: who learns from more rows comes closer to that."""

    def __call__(self, level: float) -> Ends:
        z = NormalDist().inv_cdf(0.5 + level / 2)
        value, reach = np.array([self.modelled]), z * self.off
        low, high = at_least_direct((value - reach, value + reach), value, self.n, level)
        counted = self.of_reports.interval(level)
        return np.minimum(low, counted[0]), np.maximum(np.maximum(high, counted[1]), self.attainable)


def score_behind_noise(model: Any, codes: Any, reported_class: Any, attainable: float | None) -> Estimate | None:
    """The accuracy of a classifier on true rows, from reports that it did not learn from; None where the class cannot be undone.

    `attainable` is what might be reached without noise, which the band holds, as whoever learns from all rows comes closer to it.
    """
    undone = class_weights(model.target_.matrix)
    if undone is None or model.groups_:
        return None
    some = slice(None, None, -(-len(codes) // MOST_ROWS))
    codes, reported_class = codes[some], reported_class[some]
    matrices, of_class = [feature.matrix for feature in model.features_], model.target_.matrix
    latent = fit_latent_classes(codes, reported_class, matrices, of_class)
    kinds = np.bincount(latent.of_class, minlength=len(of_class))
    reports, rng = Reports(codes, reported_class, matrices, of_class), np.random.default_rng(0)
    modelled = _in_model(model, latent)
    again = [
        _in_model(model, fit_kinds(reports.simulated(latent, rng), reported_class, matrices, of_class, kinds))
        for _ in range(SIMULATED)
    ]
    off = float(np.sqrt(np.mean((np.array(again) - modelled) ** 2)))
    said = one_hot(model._proba_distorted(codes).argmax(axis=1), len(of_class))
    of_reports = score(undone[reported_class][:, :, None] * said[:, None, :], UNBIASED, model.classes_, "accuracy")
    return Estimate(
        [modelled], ["accuracy"], n=len(codes), method="latent class model", covariance=[[off**2]], name="accuracy",
        ends=BandBehindNoise(modelled, off, of_reports, len(codes), modelled if attainable is None else attainable), limits=(0.0, 1.0),
    )  # fmt: skip


def _in_model(model: Any, latent: LatentClasses) -> float:
    """The share of people of a model that a classifier predicts right."""
    rng, right = np.random.default_rng(0), 0.0
    for y in np.unique(latent.of_class[latent.parts > 0]):
        share = float(latent.parts[latent.of_class == y].sum())
        right += share * float((model._proba(latent.draw(y, DRAWN, rng)).argmax(axis=1) == y).mean())
    return right / float(latent.parts.sum())
