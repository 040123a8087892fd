"""Intervals of growth rates, for patterns fixed beforehand, hold the truth as often as they say.

The whole run (4,000 simulations of each design, seeds 0 to 3,999): `pytest -m slow tests/statistical/test_growth_coverage.py`, about
five minutes. Coverage of the 95% interval must lie between 93.5 and 96.5%; it was 94.8 to 95.2%.
"""

import numpy as np
import pytest

import deniable as dn
from deniable.classify.confusion import class_weights
from deniable.classify.features import Hidden
from deniable.classify.patterns.growth import Contrast
from deniable.classify.patterns.items import item_table
from deniable.classify.patterns.strata import Strata
from deniable.classify.target import Target

YES = dn.Binary()
THREE = dn.Nominal(["a", "b", "c"])
OPEN = dn.Identity(YES)
NEAR = dn.Neighbours(dn.Ordinal(["1", "2", "3"]), [0.7, 0.15])

DESIGNS = {
    # channels of both attributes, of the class; rows; P(both items | class), P(first alone), P(second alone) for class 0 and 1
    "undistorted": ([OPEN, OPEN], OPEN, 300, [(0.1, 0.2, 0.2), (0.25, 0.2, 0.1)]),
    "kept with 0.8": ([dn.KRR(YES, 0.8), dn.KRR(YES, 0.8)], OPEN, 1_000, [(0.1, 0.2, 0.2), (0.3, 0.2, 0.1)]),
    "three labels": ([dn.KRR(THREE, 0.7), dn.Retention(THREE, 0.6)], OPEN, 1_000, [(0.1, 0.2, 0.2), (0.4, 0.1, 0.1)]),
    "neighbours": ([NEAR, dn.KRR(YES, 0.8)], OPEN, 1_000, [(0.1, 0.2, 0.2), (0.3, 0.2, 0.1)]),
    "hidden class": ([dn.KRR(YES, 0.85), dn.KRR(YES, 0.85)], dn.KRR(YES, 0.85), 2_000, [(0.1, 0.2, 0.2), (0.4, 0.1, 0.1)]),
}  # fmt: skip


def truths(rng, rows, chances):
    """Classes and two attributes: the first label of each is the item; other labels are drawn evenly."""
    y = (rng.random(rows) < 0.4).astype(int)
    both, first, second = np.array(chances).T[:, y]
    u = rng.random(rows)
    return y, [u < both + first, (u < both) | ((u >= both + first) & (u < both + first + second))]


def codes_of(rng, channel, has_item):
    """The reported codes: the item is code 0, other codes are drawn evenly among the rest."""
    k = channel.domain.size
    true = np.where(has_item, 0, rng.integers(1, k, len(has_item)))
    running = np.cumsum(channel.matrix(), axis=1)[true]
    return np.minimum((running < rng.random(len(true))[:, None]).sum(axis=1), running.shape[1] - 1)


def covered(design, seeds):
    channels, of_class, rows, chances = DESIGNS[design]
    columns = [Hidden(f"x{i}", channel) for i, channel in enumerate(channels)]
    features = [column.cells(np.ones(column.reported_size), 10, 10) for column in columns]
    evenly = [np.full(feature.cells, 1 / feature.cells) for feature in features]
    table = item_table(columns, features, [np.ones(column.reported_size) for column in columns], evenly, 2)
    place = table.number_of()
    itemset = np.array([[place[0, 0], place[1, 0]]], dtype=np.int32)
    weights = class_weights(Target.declared("c", of_class).matrix)
    truth = chances[1][0] / chances[0][0]
    held = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        y, items = truths(rng, rows, chances)
        fine = [codes_of(rng, channel, item) for channel, item in zip(channels, items, strict=True)]
        running = np.cumsum(of_class.matrix(), axis=1)[y]
        reported = (running < rng.random(rows)[:, None]).sum(axis=1)
        strata = Strata(table, fine, reported, weights)
        known = Contrast(strata, 1, itemset, strata.sums(itemset)[0]).precision(0.95)
        held.append(known.growth_low[0] <= truth <= known.growth_high[0])
    return float(np.mean(held))


@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_of_growth_rates_cover(design):
    # 500 simulations: four simulation errors around 95%.
    assert 0.911 <= covered(design, range(500)) <= 0.989


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_of_growth_rates_cover_as_they_say(design):
    assert 0.935 <= covered(design, range(4_000)) <= 0.965
