"""The Quest generator: each of its documented laws, on draws large enough to tell them from others."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from deniable.datasets import quest
from deniable.datasets.quest import _levels, _patterns
from deniable.errors import ParameterError
from deniable.kernels.quest import baskets, corrupted

ONE_EACH = (np.array([0, 1, 2]), np.array([0, 1], dtype=np.int32))


def seeded(seed=1):
    return np.random.default_rng(seed)


def sizes_of(name, **parameters):
    return np.diff(quest(name, form="arrays", rng=seeded(), **parameters)[1])


@pytest.mark.statistical
def test_lengths_are_those_of_the_well_known_file():
    # Mean and variance of the 100,000 transaction lengths of FIMI's T10I4D100K, and how many have 1, 5, 10, 15 and 20 items.
    lengths = sizes_of("T10I4D100kN1000")
    assert lengths.mean() == pytest.approx(10.102, abs=0.1)
    assert lengths.var() == pytest.approx(13.448, rel=0.04)
    assert lengths.min() == 1
    counts = np.bincount(lengths, minlength=21)
    for length, published in {1: 128, 5: 4849, 10: 10892, 15: 4185, 20: 388}.items():
        assert counts[length] == pytest.approx(published, rel=0.08, abs=110), length


@pytest.mark.statistical
@pytest.mark.parametrize("average", [1, 4, 8.5])
def test_patterns_have_the_average_size_and_distinct_items(average):
    flat, starts = _patterns(4000, average, 500, 0.5, True, seeded())
    sizes = np.diff(starts)
    assert sizes.min() >= 1
    assert sizes.mean() == pytest.approx(average, abs=4 * np.sqrt((average - 1) / 4000) + 1e-12)
    assert sizes.var() == pytest.approx(average - 1, rel=0.12)
    assert all(len(set(flat[a:b])) == b - a for a, b in pairwise(starts))


@pytest.mark.statistical
def test_a_pattern_shares_an_exponential_part_with_the_one_before_it():
    # Patterns of about 40 of 100,000 items: what two of them share by chance is next to nothing.
    flat, starts = _patterns(3000, 40, 100_000, 0.3, False, seeded())
    parts = [set(flat[a:b]) for a, b in pairwise(starts)]
    shares = np.array([len(mine & before) / len(mine) for before, mine in pairwise(parts)])
    # min(1, Exp(mean m)) has the mean m(1 - exp(-1/m)); patterns that are longer than the one before can share less.
    assert shares.mean() == pytest.approx(0.3 * (1 - np.exp(-1 / 0.3)), abs=0.02)
    for share in (0.2, 0.5, 0.8):
        assert (shares > share).mean() == pytest.approx(np.exp(-share / 0.3), abs=0.04)


def test_without_correlation_patterns_share_what_chance_gives():
    flat, starts = _patterns(2000, 10, 1000, 0.0, False, seeded())
    parts = [set(flat[a:b]) for a, b in pairwise(starts)]
    shared = np.mean([len(mine & before) for before, mine in pairwise(parts)])
    assert shared == pytest.approx(100 / 1000, abs=0.04)


@pytest.mark.statistical
def test_corruption_drops_items_as_long_as_draws_lie_below_the_level():
    rng, kept = seeded(), np.empty(10, np.int32)
    pattern = np.arange(4, dtype=np.int32)
    left, items = np.zeros(5), np.zeros(4)
    for _ in range(40_000):
        size = corrupted(pattern, 0.6, rng, kept)
        assert len(set(kept[:size])) == size
        left[size] += 1
        items[kept[:size]] += 1
    dropped = left[::-1] / left.sum()
    np.testing.assert_allclose(dropped, [0.4, 0.24, 0.144, 0.0864, 0.1296], atol=0.008)
    np.testing.assert_allclose(items / items.sum(), 0.25, atol=0.005)


def test_patterns_are_bought_by_their_weights():
    starts, flat = ONE_EACH
    found, offsets = baskets(np.ones(50_000, np.int64), starts, flat, np.array([0.3, 1.0]), np.zeros(2), 2, seeded())
    assert np.diff(offsets).tolist() == [1] * 50_000
    assert (found == 0).mean() == pytest.approx(0.3, abs=0.008)


def test_a_pattern_that_does_not_fit_goes_in_half_the_time_and_else_opens_the_next_basket():
    flat, starts = np.array([0, 1, 2, 3], dtype=np.int32), np.array([0, 2, 4])
    found, offsets = baskets(np.full(20_000, 3), starts, flat, np.array([0.5, 1.0]), np.zeros(2), 4, seeded())
    sizes = np.diff(offsets)
    assert set(sizes) == {2, 4}
    assert (sizes == 4).mean() == pytest.approx(0.5, abs=0.012)
    rows = [found[a:b].tolist() for a, b in pairwise(offsets)]
    # What was left over is in the next basket: after {0, 1} alone, {2, 3} must come.
    assert all(len(after) == 4 or after != before for before, after in pairwise(rows) if len(before) == 2)


def test_corruption_levels_are_normal_around_their_mean_and_stay_probabilities():
    levels = _levels(100_000, 0.5, seeded())
    # Phi(-0.5 / sqrt(0.1)) lies at each end; a standard deviation is sqrt(0.1).
    assert (levels == 0).mean() == pytest.approx(0.0569, abs=0.003)
    assert (levels == 1).mean() == pytest.approx(0.0569, abs=0.003)
    assert (levels < 0.5 - np.sqrt(0.1)).mean() == pytest.approx(0.1587, abs=0.005)
    assert np.median(levels) == pytest.approx(0.5, abs=0.005)
    assert not _levels(10, 0.0, seeded()).any()


def test_corruption_breaks_patterns_up():
    def whole(corruption):
        table = quest("T12I6D5kN2000L30", corruption=corruption, correlation=0, rng=seeded(), form="matrix")
        flat, starts = _patterns(30, 6.0, 2000, 0.0, True, seeded())
        return np.mean([table[:, flat[a:b]].all(axis=1).mean() for a, b in pairwise(starts)])

    assert whole(0.0) > 1.1 * whole(0.3)
    assert whole(0.0) > 1.3 * whole(0.6)


def test_no_corruption_and_one_pattern_give_that_pattern_always():
    rows = quest("T4I4D500N20L1", corruption=0, form="transactions", rng=seeded())
    assert len({tuple(row) for row in rows}) == 1


@pytest.mark.statistical
def test_skewed_items_have_exponential_weights_and_even_ones_are_alike():
    def spread(skewed):
        found, _ = quest("T5I3D50kN300L20000", correlation=0, skewed=skewed, form="arrays", rng=seeded())
        counts = np.bincount(found, minlength=300)
        return counts.std() / counts.mean()

    assert spread(True) == pytest.approx(1.0, abs=0.15)
    assert spread(False) < 0.2


@pytest.mark.statistical
def test_items_of_a_pattern_occur_together_more_often_than_apart():
    table = quest("T10I4D20kN200L40", rng=seeded(), form="matrix").astype(float)
    support = table.mean(axis=0)
    joint = table.T @ table / len(table)
    np.fill_diagonal(joint, 0)
    lift = joint / np.outer(support, support).clip(1e-9)
    # Independent items would have a lift near 1; the pairs of a rare pattern have far more.
    assert (lift[joint > 0.01] > 5).sum() > 20


def test_all_forms_hold_the_same_baskets():
    name, parameters = "T6I3D300N50", {"patterns": 30}
    frame = quest(name, rng=seeded(5), **parameters)
    rows = quest(name, rng=seeded(5), form="transactions", **parameters)
    found, offsets = quest(name, rng=seeded(5), form="arrays", **parameters)
    assert isinstance(frame, pd.DataFrame)
    assert set(frame.dtypes) == {np.dtype(bool)}
    assert frame.columns.tolist() == [str(k) for k in range(50)]
    np.testing.assert_array_equal(frame.to_numpy(), quest(name, rng=seeded(5), form="matrix", **parameters))
    assert [list(frame.columns[row]) for row in frame.to_numpy()] == rows
    assert [[str(k) for k in found[a:b]] for a, b in pairwise(offsets)] == rows


def test_a_name_and_parameters_say_the_same():
    by_name = quest("T6I3D1kN50L30", rng=seeded())
    by_parameters = quest(transactions=1000, length=6, pattern_length=3, items=50, patterns=30, rng=seeded())
    pd.testing.assert_frame_equal(by_name, by_parameters)
    assert not by_name.equals(quest("T6I3D1kN50L30", rng=seeded(2)))
    assert not quest("T6I3D1kN50L30").equals(quest("T6I3D1kN50L30"))


def test_a_handful_of_items_ends_rather_than_loops():
    assert quest("T50I2D20N3L2", rng=seeded()).shape == (20, 3)
    assert quest("T1I1D1N1L1", rng=seeded()).to_numpy().tolist() == [[True]]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"name": "T10X4"}, "T10I4D100kN1000"),
        ({"name": ""}, "T10I4D100kN1000"),
        ({"name": 10}, "T10I4D100kN1000"),
        ({"name": "T10T5"}, "twice"),
        ({"name": "D0"}, "transactions must be a whole number of at least 1, got 0"),
        ({"transactions": 2.5}, "transactions must be a whole number"),
        ({"items": True}, "items must be a whole number"),
        ({"length": 0.5}, "length must be a number of at least 1"),
        ({"pattern_length": float("nan")}, "pattern_length must be a number"),
        ({"correlation": -0.1}, r"correlation must lie in \[0, 1\]"),
        ({"corruption": 1.5}, r"corruption must lie in \[0, 1\]"),
        ({"skewed": 1}, "skewed must be True or False"),
        ({"form": "csv"}, "form must be"),
        ({"rng": 5}, r"numpy\.random\.default_rng\(seed\)"),
    ],
)
def test_what_cannot_be_is_refused_by_name(arguments, says):
    with pytest.raises(ParameterError, match=says):
        quest(**arguments)
