"""Bands of scores where a class has few people, or fewer than there are pairs of attributes: nobody seems surer than they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.classify.drawn_worlds import DrawnWorlds
from deniable.classify.latent_classes import fit_latent_classes
from deniable.classify.leaf_worlds import OF_TWO, LeafWorlds
from deniable.classify.margin_worlds import MarginsOfModel
from deniable.classify.measures import part_measured
from deniable.classify.pair_terms import LARGE, Belief, PairTerms
from deniable.classify.scoring import UNBIASED, score
from deniable.classify.world_scores import in_worlds
from deniable.classify.worlds import Worlds
from deniable.core.intervals import at_least_direct

pytestmark = pytest.mark.statistical

NEVER = Belief(0.0, 0.0, 1.0)


@pytest.mark.parametrize("people", [6, 12])
def test_resampled_means_of_few_people_hold_the_truth_as_often_as_promised(people):
    """1,000 means of normal numbers; plain resampling holds 83% and 91%."""
    rng = np.random.default_rng(1)
    held = []
    for _ in range(1_000):
        means = Worlds(np.ones((people, 1)), 300, rng).weights(0) @ rng.normal(size=people)
        low, high = np.quantile(means[1:], [0.025, 0.975], method="weibull")
        held.append(low <= 0 <= high)
    assert 0.93 < np.mean(held) < 0.97


def test_weights_of_people_still_sum_to_one():
    rng = np.random.default_rng(2)
    weights = Worlds(np.ones((20, 1)), 50, rng).weights(0)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    np.testing.assert_allclose(weights[0], 0.05)


@pytest.mark.parametrize(("numbers", "rows", "in_common"), [(40, 60, 0.0), (40, 60, 0.5), (6, 2_000, 0.5)])
def test_correlations_are_as_much_smaller_as_they_vary_by_chance(numbers, rows, in_common):
    """Beside the sums that define it (Schäfer and Strimmer 2005, section 2), one pair of numbers at a time."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(numbers, rows)) + in_common * rng.normal(size=rows)
    found = Worlds(np.ones((rows, 1)), 1, rng).covariance(0, values)
    standard = (values - values.mean(axis=1, keepdims=True)) / values.std(axis=1, keepdims=True)
    varies = squares = 0.0
    for i in range(numbers):
        for j in range(i):
            products = standard[i] * standard[j]
            varies += products.var() / rows
            squares += products.mean() ** 2
    kept = max(1 - varies / squares, 0)
    expected = np.cov(values, ddof=0) / rows
    expected[~np.eye(numbers, dtype=bool)] *= kept
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert (kept > 0.98) if rows > 1_000 else (kept < 0.2) if not in_common else (0.4 < kept < 0.9)


def test_more_pairs_than_people_are_not_told_without_error():
    """60 people, 150 pairs: the sum is believed no surer than it is. With covariances as rows show them errors were 7 times too small."""
    rng = np.random.default_rng(4)
    sizes, apart = np.full(150, 0.05), []
    for _ in range(60):
        worlds = Worlds(np.ones((60, 1)), 100, rng)
        rows = rng.normal(size=(150, 60)) * 0.5
        told = PairTerms(worlds.weights(0) @ rows.T, sizes, worlds.covariance(0, rows))
        # The truth is drawn as it is believed to be; reports tell it plus their errors.
        kind = rng.random(150) < OF_TWO[1].chance
        truth = sizes * np.where(
            kind, rng.normal(OF_TWO[1].mean, OF_TWO[1].error, 150), rng.normal(OF_TWO[0].mean, OF_TWO[0].error, 150)
        )
        told.gaps = told.gaps + truth
        found = told.believed(OF_TWO, NEVER)
        apart.append((found.off[0] - truth.sum()) / np.hypot(found.doubt, found.off[1:].std()))
    assert 0.7 < np.sqrt(np.mean(np.square(apart))) < 1.3


def test_small_pairs_say_nothing_about_the_belief():
    sizes = np.array([0.5, 0.4, 0.5 * np.sqrt(0.9 * LARGE)])
    evidence = []
    for last in (0.0, 10.0):
        told = PairTerms(np.array([[0.01, 0.02, last]]) * sizes, sizes, np.diag((0.1 * sizes) ** 2))
        evidence.append(told.believed(OF_TWO, NEVER).evidence)
    assert evidence[0] == pytest.approx(evidence[1])
    larger = PairTerms(np.array([[0.01, 1.0, 0.0]]) * sizes, sizes, np.diag((0.1 * sizes) ** 2))
    assert larger.believed(OF_TWO, NEVER).evidence < evidence[0] - 1


def _alike(keep: float, few: int, says: int, make):
    """A classifier and test rows in which few people of class 1 all report the same."""
    rng = np.random.default_rng(1)
    names = [f"a{i}" for i in range(4)]
    schema = dn.Schema({name: dn.Retention(dn.Binary(), keep) for name in names})

    def people(n):
        y = (rng.random(n) < 0.3).astype(int)
        return pd.DataFrame((rng.random((n, 4)) < np.where(y[:, None] == 1, 0.15, 0.75)).astype(int), columns=names), y

    truth, y = people(4_000)
    model = make(schema).fit(schema.randomise(truth, rng), y)
    truth, y = people(600)
    rows = schema.randomise(truth, rng)
    chosen = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:few]]
    rows, y = rows.iloc[chosen].reset_index(drop=True), y[chosen]
    rows.loc[y == 1] = says
    return model, rows, y


@pytest.mark.parametrize("says", [0, 1])
@pytest.mark.parametrize("make", [dn.ReconstructionTree, dn.ReconstructionNaiveBayes])
def test_few_people_who_all_report_the_same_are_not_certain(make, says):
    model, rows, y = _alike(0.5, 14, says, make)
    recall = model.score_distorted(rows, y, metric="recall", pos_label=1)
    low, high = recall.interval()
    direct = at_least_direct((recall.value, recall.value), recall.value, 14, 0.95)
    assert float(high[0] - low[0]) >= 0.99 * float(direct[1][0] - direct[0][0])
    low, high = model.score_distorted(rows, y).interval()
    assert 0.5 < float(low[0]) < 0.93 < float(high[0])

    worlds = Worlds(np.eye(2)[y], 300, np.random.default_rng(0))
    latent = fit_latent_classes(rows.to_numpy(), y, [feature.matrix for feature in model.features_], np.eye(2))
    fares = model._fares(rows.to_numpy(), worlds, latent)
    for label in (0, 1):
        right = fares.outcomes(label, False).predictions[:, label]
        assert -0.5 < right.min() <= right.max() < 1.5


def test_worlds_show_the_errors_of_people_who_all_report_the_same():
    model, rows, y = _alike(0.5, 14, 0, dn.ReconstructionTree)
    codes, matrices = rows.to_numpy(), [feature.matrix for feature in model.features_]
    latent = fit_latent_classes(codes, y, matrices, np.eye(2))
    terms = LeafWorlds(model, codes, Worlds(np.eye(2)[y], 300, np.random.default_rng(0)), latent)._terms(1)
    assert terms.right[1:, 3:].std(axis=0) == pytest.approx(terms.errors[3:], rel=0.2)
    assert terms.errors[3:].size
    assert (terms.errors[3:] > 0).all()
    pairs = terms.pairs
    errors = np.sqrt(pairs.covariance.diagonal())
    # One report is undone with a standard deviation of 0.87, a pair of them with 0.75 if their shares are even.
    assert (errors > pairs.sizes).all()
    assert pairs.gaps[1:].std(axis=0) == pytest.approx(errors, rel=0.2)

    model, rows, y = _alike(0.5, 14, 0, dn.ReconstructionNaiveBayes)
    told = MarginsOfModel(model, codes, Worlds(np.eye(2)[y], 300, np.random.default_rng(0)), latent, [0])._told(1)
    assert told.means[1:].std(axis=0) == pytest.approx(told.errors, rel=0.2)
    assert told.stretch[1:].std(axis=0) == pytest.approx(told.stretch_errors, rel=0.2)
    assert told.errors[0] > 0.1


def test_worlds_of_few_people_stretch_margins_no_more_on_average():
    """Student's law makes means of 7 people vary twice as much as resampled rows do, and squares of means grow by as much."""
    model, rows, y = _alike(0.5, 7, 0, dn.ReconstructionNaiveBayes)
    rows.loc[y == 1] = np.random.default_rng(5).integers(0, 2, (7, 4))
    codes, matrices = rows.to_numpy(), [feature.matrix for feature in model.features_]
    latent = fit_latent_classes(codes, y, matrices, np.eye(2))
    told = MarginsOfModel(model, codes, Worlds(np.eye(2)[y], 20_000, np.random.default_rng(0)), latent, [0])._told(1)
    assert told.stretch[1:].mean(axis=0) == pytest.approx(told.stretch[0], abs=0.15)


def test_of_any_other_classifier_worlds_show_these_errors_too():
    """By single attributes each of 14 people's reports is undone with a standard deviation of 0.87, and patterns are right by them."""
    model, rows, y = _alike(0.5, 14, 0, dn.EmergingPatterns)
    codes, worlds = rows.to_numpy(), Worlds(np.eye(2)[y], 300, np.random.default_rng(0))
    latent = fit_latent_classes(codes, y, [feature.matrix for feature in model.features_], np.eye(2))
    fares = DrawnWorlds(model, codes, worlds, latent)
    fares.noise = np.zeros(len(worlds))
    assert fares.outcomes(1, False).predictions[1:, 1].std() > 0.01


def test_what_a_model_says_of_the_errors_counts_as_ten_people():
    worlds = Worlds(np.ones((30, 1)), 1, np.random.default_rng(0))
    assert worlds.variance(0, np.array([0.0, 0.02, 0.5]), np.array([0.6, 0.6, 0.6])) == pytest.approx([0.005, 0.02, 0.5])
    assert worlds.variance(0, np.array([0.01]), np.array([0.6])) == pytest.approx([(30 * 0.01 + 10 * 0.02) / 40])


def test_many_rows_of_a_hidden_class_tell_how_far_its_mean_varies():
    """A class of 5% that is kept with a chance of .7: the mean is told as badly as by 2 people, its error by hundreds of rows."""
    rng = np.random.default_rng(6)
    reported = np.where(rng.random(1_000) < 0.7, rng.random(1_000) < 0.05, rng.random(1_000) < 0.5).astype(int)
    inverse = np.linalg.inv(0.7 * np.eye(2) + 0.15)
    worlds = Worlds(inverse[reported], 300, rng)
    assert worlds.people(1) < 20
    assert worlds.longer[1:].std(axis=0).max() < 0.08
    assert worlds.longer[1:].mean(axis=0) == pytest.approx(1, abs=0.02)
    assert (worlds.longer[0] == 0).all()


@pytest.mark.parametrize("make", [dn.ReconstructionTree, dn.ReconstructionNaiveBayes, dn.EmergingPatterns])
def test_the_score_does_not_depend_on_how_many_worlds_are_drawn(make):
    model, rows, y = _alike(0.5, 100, 0, make)
    values = [in_worlds(model, rows.to_numpy(), y, "accuracy", None, worlds)[0][0, 0] for worlds in (10, 50)]
    assert values[0] == values[1]


def test_shares_of_few_people_who_were_all_right_are_no_surer_than_direct_answers():
    weights = np.zeros((300, 2, 2))
    weights[:14, 1, 1], weights[14:, 0, 0] = 1, 1
    for metric, people in (("recall", 14), ("precision", 14), ("specificity", 286)):
        found = score(weights, UNBIASED, [0, 1], metric, 1)
        low, high = at_least_direct((np.ones(1), np.ones(1)), np.ones(1), people, 0.95)
        assert [float(end[0]) for end in found.interval()] == pytest.approx([float(low[0]), float(high[0])])
        assert float(low[0]) < 1


@pytest.mark.parametrize(
    ("metric", "positive", "part"),
    [
        ("accuracy", None, 1.0),
        ("recall", 0, 0.5),
        ("sensitivity", 1, 0.5),
        ("specificity", 0, 0.5),
        ("precision", 0, 0.6),
        ("precision", None, None),
        ("f1", 1, None),
        ("balanced_accuracy", None, None),
        ("log_loss", None, None),
    ],
)
def test_a_share_is_one_of_these_people(metric, positive, part):
    assert part_measured(np.array([[0.4, 0.1], [0.2, 0.3]]), metric, positive) == (
        None if part is None else pytest.approx(part)
    )
