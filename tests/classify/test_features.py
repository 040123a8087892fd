"""Attributes in cells: what is merged, and that P between cells is the channel's."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.classify.features import Hidden, Numbers, _starts, undistorted_attribute
from deniable.core.channels.views import View
from deniable.errors import DataError


def test_cells_of_a_channel_have_the_matrix_that_simulation_gives():
    rng = np.random.default_rng(1)
    channel = dn.Retention(dn.Integer(0, 99), 0.4)
    truth = np.clip(rng.normal(30, 12, 200_000), 0, 99).astype(int)
    reports = channel.randomise(truth, rng)
    attribute = Hidden("a", channel)
    feature = attribute.cells(np.bincount(attribute.reported(reports, []), minlength=100), 6, 255)
    x, z = feature.of_true[attribute.true(truth, [])], feature.of_reported[attribute.reported(reports, [])]
    seen = np.zeros_like(feature.matrix)
    np.add.at(seen, (x, z), 1)
    counts = seen.sum(axis=1, keepdims=True)
    assert feature.exact
    assert feature.cells == 6
    assert (np.abs(seen / counts - feature.matrix) < 5 * np.sqrt(0.25 / counts)).all()
    np.testing.assert_allclose(np.bincount(z) / len(z), 1 / 6, atol=0.02)


@pytest.mark.parametrize(
    "channel",
    [
        dn.KRR(dn.Nominal(list("abc")), 0.6),
        dn.KRR(dn.Nominal(list("abc")), 0.1),
        dn.Retention(dn.Integer(0, 3), 0.2, [0.4, 0.3, 0.2, 0.1]),
        dn.Neighbours(dn.Ordinal(list("abcd")), [0.6, 0.2]),
        dn.Matrix(dn.Nominal(["a", "b"]), [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]], outputs=["x", "y", "z"]),
    ],
    ids=lambda channel: type(channel).__name__,
)
def test_the_inverse_undoes_the_matrix(channel):
    feature = Hidden("a", channel).cells(np.ones(channel.law.outputs), 10, 255)
    np.testing.assert_allclose(feature.matrix @ feature.inverse(), np.eye(feature.cells), atol=1e-12)


def test_noise_seen_through_bins_has_no_exact_inverse():
    feature = Hidden("a", dn.Additive(dn.Integer(0, 99), dn.Uniform(10))).cells(np.ones(120)[: 100 + 20], 5, 255)
    assert not feature.exact
    assert feature.inverse() is None


def test_borders_never_cut_a_value_in_two_and_fall_where_the_data_is():
    assert _starts([0, 0, 90, 5, 5], 2).tolist() == [0, 3]  # 90 and 10 are more even than 0 and 100
    assert _starts([10, 10, 10, 10], 2).tolist() == [0, 2]
    assert _starts([0, 0, 0, 0], 2).tolist() == [0, 2]


def test_undistorted_numbers_are_cut_half_way_between_neighbours():
    attribute = Numbers("a", np.array([1.0, 2.0, 4.0, 4.0]))
    assert attribute.edges.tolist() == [1.5, 3.0]
    assert attribute.true(np.array([-9.0, 1.6, 3.0, 99.0]), []).tolist() == [0, 1, 2, 2]


def test_optional_numbers_keep_silence_apart():
    channel = dn.Optional(dn.Retention(dn.Integer(0, 49), 0.5), 0.9)
    attribute = Hidden("a", channel)
    feature = attribute.cells(np.ones(51), 5, 255)
    assert (feature.cells, feature.n_unordered) == (6, 1)
    assert feature.of_true[attribute.true([3, None], [])].tolist() == [0, 5]
    np.testing.assert_allclose(feature.matrix.sum(axis=1), 1)


@pytest.mark.statistical
def test_floating_point_channels_are_read_through_bins():
    rng = np.random.default_rng(2)
    channel = dn.Multiplicative(dn.Continuous(1, 9), dn.Normal(0.1))
    attribute = Hidden("a", channel)
    reports = channel.randomise(rng.uniform(1, 9, 5_000), rng)
    feature = attribute.cells(np.bincount(attribute.reported(reports, []), minlength=attribute.reported_size), 6, 255)
    assert feature.cells >= 5
    assert feature.of_reported[attribute.reported(reports, [])].max() < feature.matrix.shape[1]


def test_a_column_without_any_value_is_refused():
    with pytest.raises(dn.DeniableError, match="no values at all"):
        undistorted_attribute("a", [None, None])


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("channel", "possible", "impossible"),
    [
        (dn.Additive(dn.Continuous(0, 1), dn.Uniform(0.1)), [-0.1, 0.5, 1.1], [1e9, -0.2, 1.2]),
        (dn.Multiplicative(dn.Continuous(100, 200), dn.Uniform(0.1)), [90, 220], [89, 221]),
        (dn.Additive(dn.Continuous(0, 1), dn.Normal(0.1)), [-5.0, 7.0], [np.nan, np.inf]),
    ],
)
@pytest.mark.parametrize("kind", [dn.ReconstructionNaiveBayes, dn.ReconstructionTree])
def test_reports_that_no_truth_can_give_are_refused_as_by_counts(channel, possible, impossible, kind):
    schema = dn.Schema({"x": channel, "y": dn.Identity(dn.Binary())}, target="y")
    rows = pd.DataFrame({"x": possible * 20, "y": [0, 1] * (10 * len(possible))})
    model = kind(schema).fit(rows)
    bad = pd.DataFrame({"x": [*possible, *impossible], "y": [*[0] * len(possible), *[1] * len(impossible)]})
    refusals = (
        lambda: dn.counts(bad["x"], channel, bins=4),
        lambda: kind(schema).fit(bad),
        lambda: model.predict_distorted(bad[["x"]]),
    )
    for refused in refusals:
        with pytest.raises(DataError) as caught:
            refused()
        assert f"{len(impossible)} cells do not fit (row {len(possible) + 1}" in str(caught.value)
        assert f"Allowed: {View.bins(channel, 4).allowed}." in str(caught.value)
