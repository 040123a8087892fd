"""A channel seen in cells: merging is exact where it can be, and cells are read alike everywhere."""

import numpy as np
import pyarrow as pa
import pytest

import deniable as dn
from deniable.core.channels.laws import Mixture
from deniable.core.channels.views import View
from deniable.core.domains.bad_cells import BadCells

MIXTURES = [
    dn.Identity(dn.Integer(0, 5)),
    dn.KRR(dn.Integer(0, 5), 0.6),
    dn.KRR(dn.Integer(0, 5), 0.05),
    dn.Retention(dn.Integer(0, 5), 0.3, [0.1, 0.2, 0.3, 0.2, 0.1, 0.1]),
    dn.Matrix(dn.Integer(0, 2), [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.2, 0.3, 0.5]]),
]


@pytest.mark.parametrize("channel", MIXTURES, ids=lambda channel: type(channel).__name__)
def test_a_merged_mixture_stays_a_mixture_of_integers(channel):
    classes = np.arange(channel.domain.size) % 2
    view = View.merged(channel, classes)
    assert isinstance(view.law, Mixture)
    assert not view.assumes_uniform
    expected = np.zeros((2, 2))
    np.add.at(expected, (slice(None), classes), channel.matrix()[:2])
    np.testing.assert_allclose(view.matrix(), expected, atol=1e-15)
    keep, replacement = view.law.keep_and_replacement()
    np.testing.assert_allclose(keep * np.eye(2) + replacement, expected, atol=1e-15)
    assert isinstance(View.bins(channel, 2).law, Mixture)


def test_numbers_without_a_grid_that_are_kept_or_replaced_are_known_to_be():
    keep, replacement = View.bins(dn.Retention(dn.Continuous(0, 100), 0.6), [0, 10, 40, 100]).law.keep_and_replacement()
    assert keep == 0.6
    np.testing.assert_allclose(replacement, [0.04, 0.12, 0.24])


@pytest.mark.parametrize(
    "channel",
    [
        dn.Neighbours(dn.Integer(0, 5), [0.6, 0.2]),
        dn.Additive(dn.Integer(0, 5), dn.Laplace(2)),
        dn.Optional(dn.KRR(dn.Integer(0, 5), 0.6), 0.8),
    ],
    ids=lambda channel: type(channel).__name__,
)
def test_other_laws_are_merged_as_if_truths_were_uniform_inside_a_class(channel):
    k = channel.law.inputs
    assert channel.law.keep_and_replacement() is None
    for classes in (np.arange(k) % 3, np.arange(k) * 3 // k, np.append(np.arange(k - 1) % 2, 2)):
        view = View.merged(channel, classes)
        members = (classes == np.arange(3)[:, None]).astype(float)
        expected = members / members.sum(axis=1, keepdims=True) @ channel.matrix() @ members.T
        np.testing.assert_allclose(view.matrix(), expected, atol=1e-12)
        assert len(view.inputs) == len(view.outputs) == 3


def test_every_value_may_be_a_cell():
    channel = dn.Optional(dn.Additive(dn.Integer(0, 3), dn.Laplace(2)), 0.8)
    view = View.values(channel)
    assert view.law is channel.law
    assert view.inputs == channel.inputs
    assert not view.assumes_uniform
    assert view.true.widths.tolist() == [1] * 5
    assert view.codes(pa.array([3, None, 0]), BadCells("x", "")).tolist() == [3, 4, 0]


def test_truths_and_reports_are_read_in_the_same_cells():
    channel = dn.Optional(dn.Retention(dn.Integer(0, 9), 0.5), 0.8)
    view = View.bins(channel, [0, 4, 9])
    assert view.encode([0, 4, None], "x").tolist() == view.encode_true([0, 4, None], "x").tolist() == [0, 1, 2]
    with pytest.raises(dn.DeniableError, match="2 cells do not fit"):
        view.encode([0, 11, 12], "x")


def test_cells_of_a_finer_view_are_found_in_a_coarser_one():
    channel = dn.Additive(dn.Continuous(0, 8), dn.Uniform(2))
    true, reported = View.bins(channel, [0, 4, 8]).holding(View.bins(channel, 8))
    assert true.tolist() == [0] * 4 + [1] * 4
    assert reported.max() < View.bins(channel, [0, 4, 8]).law.outputs
    assert (np.diff(reported) >= 0).all()


@pytest.mark.parametrize("channel", [dn.Identity(dn.Continuous(0, 40)), dn.Retention(dn.Continuous(0, 40), 0.4)])
def test_bins_of_numbers_without_a_step_are_mined(channel):
    rng = np.random.default_rng(1)
    truths = rng.choice([3.5, 30.5], 20_000, p=[0.8, 0.2])
    reports = pa.table({"x": channel.randomise(truths, rng)})
    found = dn.frequent_itemsets(reports, dn.Schema({"x": channel}), 0.1, bins={"x": [0, 10, 40]})
    supports = {next(iter(items)): support for items, support in zip(found["itemsets"], found["support"], strict=True)}
    assert supports == {"x=[0, 10)": pytest.approx(0.8, abs=0.05), "x=[10, 40]": pytest.approx(0.2, abs=0.05)}
