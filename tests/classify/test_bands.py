"""Bands of scores where many attributes are hidden: what they are made of, and that they hold the truth."""

import itertools
import json
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss, roc_auc_score

import deniable as dn
from benchmarks import scores, scores_rules
from deniable.classify.drawn_worlds import DrawnWorlds
from deniable.classify.latent_classes import LatentClasses, Reports, fit_latent_classes
from deniable.classify.leaf_worlds import LeafWorlds, orders
from deniable.classify.margin_worlds import LEAST_STRETCH, SHAPES, MarginsOfModel, MarginWorlds, Shapes
from deniable.classify.scoring import score_rows
from deniable.classify.world_scores import BandOfWorlds, _measured, estimate_of
from deniable.classify.worlds import Outcomes, Worlds

pytestmark = pytest.mark.statistical

B = dn.Binary()


def _people(n, rng):
    y = rng.integers(0, 2, n)
    kind = rng.random(n) < 0.5
    columns = {f"x{i}": (rng.random(n) < 0.25 + 0.3 * y + 0.2 * kind).astype(int) for i in range(6)}
    return pd.DataFrame(columns), y


def _hidden(keep=0.5):
    return dn.Schema({f"x{i}": dn.Retention(B, keep) for i in range(6)})


def test_likelihoods_of_rows_are_sums_over_kinds_and_truths():
    rng = np.random.default_rng(1)
    matrices = [np.array([[0.8, 0.2], [0.3, 0.7]]), np.array([[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]])]
    parts, cells = np.array([0.3, 0.7]), np.zeros((2, 2, 3))
    cells[:, 0, :2], cells[:, 1] = rng.dirichlet([1, 1], 2), rng.dirichlet([1, 1, 1], 2)
    codes = np.array(list(itertools.product(range(2), range(3))))
    reports = Reports(codes, np.zeros(6, dtype=int), matrices, np.eye(1))
    _, told = reports.fit(LatentClasses(np.zeros(2, dtype=int), parts, cells), 0)
    slow = [
        sum(
            parts[k] * cells[k, 0, a] * cells[k, 1, b] * matrices[0][a, z0] * matrices[1][b, z1]
            for k in range(2)
            for a in range(2)
            for b in range(3)
        )
        for z0, z1 in codes
    ]
    np.testing.assert_allclose(np.exp(told), slow)


def test_expectation_maximisation_never_loses_and_finds_the_shares():
    rng = np.random.default_rng(2)
    truth, y = _people(20_000, rng)
    codes = _hidden().randomise(truth, rng).to_numpy()
    matrices = [dn.Retention(B, 0.5).matrix()] * 6
    found = fit_latent_classes(codes, y, matrices, np.eye(2))
    for label in (0, 1):
        parts, cells = found.of(label)
        np.testing.assert_allclose(np.tensordot(parts, cells, axes=1)[:, 1], truth[y == label].mean(), atol=0.03)
    reports = Reports(codes, y, matrices, np.eye(2))
    reports.base = np.zeros_like(reports.base)  # without added people the likelihood itself rises
    start = LatentClasses(np.array([0, 0, 1, 1]), np.full(4, 0.25), rng.dirichlet([1, 1], (4, 6)))
    sums = [reports.fit(start, steps)[1].sum() for steps in range(0, 12, 3)]
    assert (np.diff(sums) > -1e-6).all()


def test_means_and_variances_of_margins_are_unbiased():
    """Over all reports of a fixed set of true rows, by simulation: 400 distortions of 300 rows."""
    rng = np.random.default_rng(3)
    truth, y = _people(300, rng)
    schema = _hidden()
    model = dn.ReconstructionNaiveBayes(schema).fit(schema.randomise(truth, rng), y)
    codes, found = truth.to_numpy(), []
    latent = fit_latent_classes(codes, y, [np.eye(2)] * 6, np.eye(2))
    for seed in range(400):
        worlds = Worlds(np.eye(2)[y], 0, np.random.default_rng(0))
        codes_seen = schema.randomise(truth, np.random.default_rng(seed)).to_numpy()
        margins = MarginsOfModel(model, codes_seen, worlds, latent, [0])
        told = margins._told(1)
        found.append((told.means[0, 0], told.stretch[0, 0] * told.margins.var()))
    said = sum(part[:, 1] - part[:, 0] for part in (margins.said[j][codes[:, j]] for j in range(6)))
    said = said[y == 1] + margins.log_prior[1] - margins.log_prior[0]
    error = np.std(found, axis=0) / 20
    assert abs(np.mean(found, axis=0) - [said.mean(), said.var()]) == pytest.approx([0, 0], abs=4 * error.max())


def test_a_variance_that_seems_to_be_below_nothing_makes_nobody_sure(monkeypatch):
    """Few reports often tell that margins vary by less than nothing; believed, it would make nearly everyone right."""
    rng = np.random.default_rng(8)
    truth, y = _people(300, rng)
    schema = _hidden(0.3)
    model = dn.ReconstructionNaiveBayes(schema).fit(schema.randomise(truth, rng), y)
    codes, classes = model._reported_rows(schema.randomise(truth, rng), y)
    latent = fit_latent_classes(codes, classes, [feature.matrix for feature in model.features_], np.eye(2))
    margins = MarginsOfModel(model, codes, Worlds(np.eye(2)[classes], 300, rng), latent, range(301))

    def stretches(told):
        margins._told(0).stretch[:] = told
        monkeypatch.setattr(margins, "_common_stretch", lambda: (np.full((301, 1), told), np.array([3.0])))
        return margins._moments(0)[1][:, 0]

    impossible, nothing = stretches(-5.0), stretches(LEAST_STRETCH)
    np.testing.assert_allclose(impossible, nothing)
    assert impossible[0] == pytest.approx(0.91)  # one and a tenth of the gap, as the error is three times as large as the doubt
    # Few reports often put a variance on the wrong side of the model's: just below it, as much is allowed for as just above.
    below, above = (np.quantile(stretches(told), [0.025, 0.975]) for told in (0.999, 1.001))
    assert below[0] <= above[0] + 0.05
    assert below[1] >= above[1] - 0.05


@pytest.mark.parametrize("stretch", [0.1, 0.5, 0.9])
def test_margins_that_vary_less_than_the_model_has_it_keep_their_mean_and_get_that_variance(stretch):
    rng = np.random.default_rng(5)
    margins = 2 + np.stack([rng.standard_normal(2_000), 3 * rng.standard_exponential(2_000)], axis=1)
    shapes = Shapes(margins, [np.zeros((2_000, 1))] * (SHAPES - 1))
    for shape in range(SHAPES):
        found = shapes.apart(np.array([stretch, 1.5]), shape)
        assert found.mean(axis=0) == pytest.approx([0, 0], abs=1e-9)
        assert found[:, 0].var() / margins[:, 0].var() == pytest.approx(stretch, abs=0.01)
    assert np.array_equal(np.sort(shapes.apart(np.ones(2), 1), axis=0), np.sort(shapes.middle, axis=0))


def test_a_rule_leaves_out_whom_the_model_has_on_the_wrong_side():
    """One in five is far on the wrong side in the model, in which attributes are independent; that margins vary as little as they do says
    that hardly anybody is like that. To bring everyone nearer to the middle would leave all of them on the wrong side."""
    rng = np.random.default_rng(6)
    margins = np.where(rng.random(2_000) < 0.2, -5.0, 4.0)[:, None] + 0.5 * rng.standard_normal((2_000, 1))
    shapes = Shapes(margins, [np.zeros((2_000, 1))] * (SHAPES - 1))
    wrong = [((3.5 + shapes.apart(np.array([0.3]), shape)) < 0).mean() for shape in range(SHAPES)]
    # With a part q on the wrong side, 9 away from the others, the variance is 81 q (1 - q) + 0.25.
    left = (1 - np.sqrt(1 - 4 * (0.3 * (81 * 0.16 + 0.25) - 0.25) / 81)) / 2
    assert wrong[0] > 0.15
    assert wrong[1:] == pytest.approx([left] * (SHAPES - 1), abs=0.01)


def test_half_of_the_worlds_do_without_cells_that_may_be_there_by_chance():
    """One attribute alone decides who is in the first class, so no more than one of its cells is there, but behind noise others seem to be.

    In twelve distortions the worlds with them know of fewer people who are told rightly than there are; the others close part of the gap.
    """
    off = []
    for seed in range(12):
        rng = np.random.default_rng([21, seed])
        schema = dn.Schema({name: dn.KRR(of, 0.6) for name, of in scores_rules.domains("one decides").items()})
        (train, y), (test, labels), (fresh, known) = (scores_rules.made("one decides", n, rng) for n in (1_000, 1_000, 20_000))
        model = dn.ReconstructionNaiveBayes(schema).fit(schema.randomise(train, rng), y)
        codes, classes = model._reported_rows(schema.randomise(test, rng), labels)
        worlds = Worlds(np.eye(3)[classes], 160, np.random.default_rng(0))
        latent = fit_latent_classes(codes, classes, [feature.matrix for feature in model.features_], np.eye(3))
        margins = MarginWorlds(model, codes, worlds, latent)
        found, alone = margins.outcomes(0, True), MarginsOfModel(model, codes, worlds, latent, range(161)).outcomes(0, True)
        true = (model.predict(fresh)[known == 0] == 0).mean()
        off.append([found.predictions[half, 0].mean() - true for half in (~margins.second, margins.second)])
        assert found.predictions[0] == pytest.approx(alone.predictions[0])
        assert found.predictions.sum(axis=1) == pytest.approx(np.ones(161))
        assert np.isfinite(found.chances).all()
        assert np.isfinite(found.loss).all()
        assert (np.diff(found.chances[:, :, 0]) >= 0).all()
        assert 70 < margins.second.sum() < 90
    seeming, without = np.mean(off, axis=0)
    assert seeming < -0.04
    assert seeming + 0.02 < without < 0.01


def test_terms_of_a_leaf_add_up_to_the_unbiased_weight():
    rng = np.random.default_rng(4)
    truth, y = _people(3_000, rng)
    schema = _hidden()
    Z = schema.randomise(truth, rng)
    tree = dn.ReconstructionTree(schema, pruning=None, min_samples_leaf=100).fit(Z, y)
    worlds = Worlds(np.eye(2)[y], 0, rng)
    latent = fit_latent_classes(Z.to_numpy(), y, [f.matrix for f in tree.features_], np.eye(2))
    leaves = LeafWorlds(tree, Z.to_numpy(), worlds, latent)
    unbiased = tree._unbiased(Z.to_numpy(), y, "unbiased")
    told = leaves._terms(1).told
    shares = told[0].sum(axis=0) @ (leaves.labels[:, None] == [0, 1])
    # Shares of one attribute are trusted nearly, not wholly.
    np.testing.assert_allclose(shares, unbiased[y == 1, 1].mean(axis=0), atol=0.02)
    assert orders([(0.3, np.array([0.7]), True)] * 3, 1).sum() == pytest.approx(1)


@pytest.mark.parametrize("repeat", [1, 16, 18])
def test_terms_of_many_attributes_cannot_turn_everyone_right_or_wrong(repeat):
    """Deep trees behind retention .3: terms of five to ten attributes are told with errors far above 1, so a few reports decided all."""
    source, rng = scores.made_source(partial(scores.made, "correlated")), np.random.default_rng([503, repeat, 1, 1])
    found = dict(scores.distorted(source, scores.domains("correlated"), "retention .3", rng))["tree"]
    assert abs(found.value - found.truth) < 0.2
    assert found.low <= found.truth <= found.high
    assert found.high - found.low < 0.4


@pytest.mark.parametrize("row", range(4))
def test_one_person_of_a_class_does_not_decide_what_is_believed_of_all(row):
    """The spread of one row is 0, as if it were told without error."""
    rng = np.random.default_rng(5)

    def people(n):
        rows = pd.DataFrame({f"x{i}": rng.integers(0, 2, n) for i in range(5)})
        label = np.where((rows["x0"] == 1) & (rows["x1"] == 1), 2, rows["x2"])
        return rows, np.where(rng.random(n) < 0.15, rng.integers(0, 3, n), label)

    schema = dn.Schema({f"x{i}": dn.Retention(B, 0.3) for i in range(5)})
    train, y = people(20_000)
    tree = dn.ReconstructionTree(schema, pruning=None, max_depth=3).fit(schema.randomise(train, rng), y)
    test, labels = people(1_500)
    Z = schema.randomise(test, rng)
    rows = np.append(np.flatnonzero(labels != 2), np.flatnonzero(labels == 2)[row])
    found, without = (
        tree.score_distorted(Z.iloc[part].reset_index(drop=True), labels[part], method="model") for part in (rows, rows[:-1])
    )
    assert found.value[0] == pytest.approx(without.value[0], abs=0.02)


def test_rules_that_a_tree_has_found_are_believed_where_reports_show_them():
    """Mostly an exclusive or: a model without it has half of the people right, and the reports of 20,000 rows show the rest."""
    rng = np.random.default_rng(11)
    truth = pd.DataFrame({f"x{i}": rng.integers(0, 2, 20_000) for i in range(6)})
    y = np.where(rng.random(len(truth)) < 0.3, truth["x0"], truth["x0"] ^ truth["x1"])
    schema = _hidden(0.6)
    Z = schema.randomise(truth, rng)
    tree = dn.ReconstructionTree(schema, pruning=None, max_depth=2).fit(Z, y)
    codes, reported = tree._reported_rows(Z, y)
    worlds = Worlds(np.eye(2)[reported], 200, np.random.default_rng(0))
    shares = np.array([truth[y == label].mean() for label in (0, 1)])
    independent = LatentClasses(np.array([0, 1]), np.array([0.5, 0.5]), np.stack([1 - shares, shares], axis=2))
    leaves = LeafWorlds(tree, codes, worlds, independent)
    expected = [leaves._terms(label).expected[:, leaves.labels == label].sum() for label in (0, 1)]
    assert np.mean(expected) < 0.6
    right = sum(worlds.prior[:, label] * leaves.outcomes(label, False).predictions[:, label] for label in (0, 1))
    low, high = np.quantile(right, [0.025, 0.975])
    assert low <= tree.score(truth, y) <= high
    assert high - low < 0.1


@pytest.mark.parametrize(("dependent", "least", "most"), [(0.0, 0.7, 1.0), (0.6, 0.0, 0.1)])
def test_a_tree_is_quiet_in_most_worlds_if_and_only_if_the_model_is_right_about_its_pairs(dependent, least, most):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 6_000)
    own = (rng.random((6_000, 6)) < 0.3 + 0.4 * y[:, None]).astype(int)
    truth = pd.DataFrame(np.where(rng.random(own.shape) < dependent, own[:, :1], own), columns=[f"x{i}" for i in range(6)])
    schema = _hidden(0.7)
    Z = schema.randomise(truth, rng)
    tree = dn.ReconstructionTree(schema, pruning=None, max_depth=4).fit(Z, y)
    codes, reported = tree._reported_rows(Z, y)
    shares = np.array([truth[y == label].mean() for label in (0, 1)])
    independent = LatentClasses(np.array([0, 1]), np.array([0.5, 0.5]), np.stack([1 - shares, shares], axis=2))
    leaves = LeafWorlds(tree, codes, Worlds(np.eye(2)[reported], 200, np.random.default_rng(0)), independent)
    for label in (0, 1):
        quiet, loud = leaves._believed(label)
        off, doubt = leaves._of_pairs(label)
        assert least <= np.mean(doubt == quiet.doubt) <= most
        assert min(quiet.off[0], loud.off[0]) <= off[0] <= max(quiet.off[0], loud.off[0])


def test_a_band_leaves_out_as_many_worlds_as_it_promises():
    """The truth is one more world: 20,000 times 39 worlds and a truth of the same kind. Quantiles that leave out more hold it in 93%."""
    rng = np.random.default_rng(12)
    worlds = rng.standard_normal((20_000, 40))
    bands = [BandOfWorlds(0.0, one[None, 1:])(0.95) for one in worlds]
    held = np.mean([low[0] <= one[0] <= high[0] for one, (low, high) in zip(worlds, bands, strict=True)])
    assert held == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / 20_000))


def test_no_class_makes_up_for_another_by_more_than_everyone():
    """A class that is told to be right in 140% and one in 20%: 80% together only if the first makes up for the second."""
    worlds = 101
    noise = np.append(0.0, np.linspace(-0.01, 0.01, worlds - 1))
    shares = [np.column_stack([1.4 + noise, -0.4 - noise]), np.column_stack([0.8 - noise, 0.2 + noise])]
    empty = np.zeros(worlds), np.empty((worlds, 0)), np.empty((1, 0, 0))
    found = {y: Outcomes(own, *empty) for y, own in enumerate(shares)}
    band = estimate_of(_measured(found, np.full((worlds, 2), 0.5), "accuracy", None), "", 100_000, 100_000, "accuracy", None)
    low, high = band.interval()
    assert band.value[0] == pytest.approx(0.8, abs=0.01)
    assert low[0] < 0.61
    assert high[0] == pytest.approx(0.8, abs=0.02)


class _PredictsBy:
    """A classifier whose prediction is one attribute."""

    def __init__(self, model, attribute):
        self.features_, self.attribute = model.features_, attribute

    def _proba(self, codes):
        return np.where(codes[:, [self.attribute]] == np.arange(2), 0.9, 0.1)


def test_what_one_attribute_decides_is_unbiased_however_wrong_the_model_of_the_rows_is():
    rng = np.random.default_rng(4)
    truth, y = _people(3_000, rng)
    schema = _hidden()
    Z = schema.randomise(truth, rng)
    model = dn.ReconstructionNaiveBayes(schema).fit(Z, y)
    codes, reported = model._reported_rows(Z, y)
    wrong = LatentClasses(np.array([0, 1]), np.array([0.5, 0.5]), np.full((2, 6, 2), 0.5))
    worlds = Worlds(np.eye(2)[reported], 0, np.random.default_rng(0))
    inverse = np.linalg.inv(dn.Retention(B, 0.5).matrix())
    for label in (0, 1):
        shares = np.bincount(codes[reported == label, 2], minlength=2) / (reported == label).sum() @ inverse
        found = DrawnWorlds(_PredictsBy(model, 2), codes, worlds, wrong).outcomes(label, False)
        np.testing.assert_allclose(found.predictions[0], shares, atol=0.01)
        assert found.loss[0] == pytest.approx(-shares @ np.log(np.where(np.arange(2) == label, 0.9, 0.1)), abs=0.02)


def test_patterns_have_a_band_and_no_auc():
    rng = np.random.default_rng(8)
    schema = _hidden()
    held = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        (train, y), (test, labels), (fresh, known) = (_people(n, rng) for n in (1_500, 1_500, 10_000))
        model = dn.EmergingPatterns(schema).fit(schema.randomise(train, rng), y)
        Z = schema.randomise(test, rng)
        low, high = model.score_distorted(Z, labels, method="model").interval()
        held += low[0] <= model.score(fresh, known) <= high[0]
        assert high[0] - low[0] < 0.4
        with pytest.raises(dn.errors.ParameterError, match="auc"):
            model.score_distorted(Z, labels, metric="auc", method="model")
    assert held == 4


@pytest.mark.parametrize("make", [dn.ReconstructionNaiveBayes, dn.ReconstructionTree])
def test_auc_and_log_loss_of_open_rows_are_those_of_scikit_learn(make):
    rng = np.random.default_rng(5)
    rows, y = _people(600, rng)
    model = make().fit(rows, y)
    chances = model.predict_proba(rows)
    assert model.score_distorted(rows, y, "auc").value[0] == pytest.approx(roc_auc_score(y, chances[:, 1]))
    found = model.score_distorted(rows, y, "log_loss")
    assert found.value[0] == pytest.approx(log_loss(y, chances))
    low, high = found.interval()
    assert low[0] < found.value[0] < high[0]
    kinds = y + rng.integers(0, 2, 600)
    three = make().fit(rows, kinds)
    expected = roc_auc_score(kinds, three.predict_proba(rows), multi_class="ovr", average="macro")
    assert three.score_distorted(rows, kinds, "auc").value[0] == pytest.approx(expected)


@pytest.mark.parametrize("make", [dn.ReconstructionNaiveBayes, dn.ReconstructionTree])
@pytest.mark.parametrize("metric", ["auc", "log_loss", "balanced_accuracy", "precision", "f1"])
def test_other_measures_have_bands_that_hold_them(make, metric):
    rng = np.random.default_rng(6)
    truth, y = _people(4_000, rng)
    schema = _hidden()
    Z = schema.randomise(truth, rng)
    model = make(schema).fit(Z[:2_000], y[:2_000])
    test, labels = truth[2_000:].reset_index(drop=True), y[2_000:]
    found = model.score_distorted(Z[2_000:].reset_index(drop=True), labels, metric, method="model")
    open_ = score_rows_of_truth(model, test, labels, metric)
    low, high = found.interval()
    assert low[0] <= open_ <= high[0]
    assert found.method == "latent class model"


def score_rows_of_truth(model, truth, labels, metric):
    from deniable.classify.scoring import score_true_rows

    return score_true_rows(model, truth.to_numpy(), labels, metric).value[0]


def test_a_hidden_class_has_a_band_too():
    rng = np.random.default_rng(7)
    truth, y = _people(6_000, rng)
    schema = dn.Schema({**dict(_hidden(0.6)), "c": dn.KRR(B, 0.8)}, target="c")
    Z = schema.randomise(truth.assign(c=y), rng)
    model = dn.ReconstructionNaiveBayes(schema).fit(Z[:3_000])
    found = model.score_distorted(Z[3_000:].reset_index(drop=True))
    low, high = found.interval()
    assert found.method == "latent class model"
    assert low[0] <= model.score(truth[3_000:], y[3_000:]) <= high[0]


def test_a_band_is_no_narrower_than_that_of_open_rows_and_says_how_many_rows_it_takes():
    rng = np.random.default_rng(8)
    truth, y = _people(600, rng)
    model = dn.ReconstructionNaiveBayes(_hidden(0.15)).fit(_hidden(0.15).randomise(truth, rng), y)
    wide = model.score_distorted(_hidden(0.15).randomise(truth, rng), y)
    assert any("rows" in note for note in wide.notes)
    # Hardly hidden, by many attributes.
    open_ = dn.Schema({f"x{i}": dn.Retention(B, 0.97) for i in range(6)})
    model = dn.ReconstructionNaiveBayes(open_).fit(open_.randomise(truth, rng), y)
    low, high = model.score_distorted(open_.randomise(truth, rng), y, method="model").interval()
    share = model.score(truth, y)
    assert high[0] - low[0] > 2 * 1.9 * np.sqrt(share * (1 - share) / 600)


def test_a_search_makes_no_bands():
    rng = np.random.default_rng(9)
    truth, y = _people(500, rng)
    schema = _hidden()
    Z = schema.randomise(truth, rng)
    model = dn.ReconstructionNaiveBayes(schema).fit(Z, y)
    one = score_rows(model, *model._reported_rows(Z, y), "accuracy", worlds=0)
    assert one.value[0] == dn.distorted_scorer()(model, Z, y)
    assert one.value[0] == pytest.approx(model.score_distorted(Z, y).value[0], abs=0.02)
    assert dn.distorted_scorer("log_loss")(model, Z, y) < 0


def test_bands_hold_the_truth_in_a_few_distortions(capsys):
    """Two sets, four ways of hiding, two classifiers, 3 distortions each: 95% of 48 on average, 40 at the least."""
    held = {}
    for name in ("independent", "correlated"):
        for way in scores.WAYS:
            for repeat in range(3):
                source, rng = scores.made_source(partial(scores.made, name)), np.random.default_rng([repeat, 7])
                found = scores.distorted(source, scores.domains(name), way, rng)
                for classifier, one in found:
                    held.setdefault(f"{name}|{way}|{classifier}", []).append(one)
    scores.report(held)
    assert "median half-width" in capsys.readouterr().out
    assert sum(one.low <= one.truth <= one.high for many in held.values() for one in many) >= 40


def test_the_benchmark_knows_populations_made_by_rules(capsys):
    boards, won, _ = scores_rules.endgames()
    assert (len(boards), won.sum()) == (958, 626)
    bits = np.array(list(itertools.product(range(2), repeat=6)))
    assert all(line[2 + 2 * line[0] + line[1]] == y for line, y in zip(bits, scores_rules.multiplexer(*bits.T), strict=True))
    scores.main(["--rules", "--only", "multiplexer", "--distortions", "1", "--classifier", "naive Bayes"])
    assert "multiplexer" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stopped:
        scores.main(["--rules", "--only", "vote"])
    assert stopped.value.code == 2
    assert "there is no set 'vote'. There are balance, car," in capsys.readouterr().err


def test_the_benchmark_scores_one_classifier_on_the_same_draws(tmp_path, capsys):
    """One first, then both with the same file, is the same as both at once."""
    both, parts = tmp_path / "both.json", tmp_path / "parts.json"
    asked = ["--quick", "--only", "independent", "--distortions", "1", "--resume"]
    scores.main([*asked, str(parts), "--classifier", "tree"])
    assert "at most" not in capsys.readouterr().out
    scores.main([*asked, str(parts)])
    scores.main([*asked, str(both)])
    assert json.loads(parts.read_text()) == json.loads(both.read_text())


def test_the_benchmark_hides_the_class_too(capsys):
    source, attributes = scores.made_source(partial(scores.made, "independent")), scores.domains("independent")
    found = scores.distorted(source, attributes, "retention .5", np.random.default_rng(7), hide_class=0.8)
    held = {f"independent|retention .5|{classifier}": [one] for classifier, one in found}
    open_ = scores.distorted(source, attributes, "retention .5", np.random.default_rng(7))
    assert all(
        hidden[0].high - hidden[0].low > one.high - one.low for (_, one), hidden in zip(open_, held.values(), strict=True)
    )
    assert scores.report(held, {})
    assert "at most" not in capsys.readouterr().out
    with pytest.raises(SystemExit) as stopped:
        scores.main(["--hide-class", "1.5"])
    assert stopped.value.code == 2
    assert "--hide-class: 1.5 is no chance" in capsys.readouterr().err


@pytest.mark.slow
def test_bands_hold_the_truth_of_all_made_populations():
    """`python -m benchmarks.scores --distortions 40`: about 90 minutes."""
    assert scores.main(["--distortions", "40", "--minutes", "120"])
