"""Ensembles: drawing, boosting by hand and against scikit-learn, votes, hidden classes, interruptions, files."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

import deniable as dn
from deniable.classify import store
from deniable.classify.coded_rows import CodedRows
from deniable.classify.ensembles.training import drawn, mistakes, true_classes
from deniable.classify.ensembles.votes import group_weights, summed
from deniable.classify.saving import to_json
from deniable.errors import DataError, ParameterError

pytestmark = pytest.mark.statistical

COLOURS = ["blue", "green", "red"]
NAMES = ["colour", "age", "salary"]


def people(rows, rng):
    y = rng.integers(0, 2, rows)
    colour = np.where(rng.random(rows) < 0.6, 2 * y, rng.integers(0, 3, rows))
    age = np.clip(rng.normal(40 + 15 * y, 12, rows), 18, 90).round()
    salary = np.clip(rng.normal(40 + 20 * (y ^ (colour == 1)), 15, rows), 0, 100).round()
    return pd.DataFrame({"colour": np.array(COLOURS)[colour], "age": age, "salary": salary, "ill": y})


def schema_of(of_class=None):
    return dn.Schema(
        {
            "colour": dn.KRR(dn.Nominal(COLOURS), 0.7),
            "age": dn.Retention(dn.Integer(18, 90), 0.6),
            "salary": dn.Additive(dn.Integer(0, 100), dn.Uniform(30)),
            "ill": of_class or dn.Identity(dn.Binary()),
        },
        target="ill",
    )


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    truth = people(500, rng)
    return truth, schema_of().randomise(truth, rng)


def small(schema=None, **parameters):
    given = {
        "members": dn.ReconstructionEnsemble.grid(continuous=["as"], nominal=["eq"], max_depth=3),
        "bagging": 2,
        "boosting": 2,
    }
    return dn.ReconstructionEnsemble(schema, **(given | parameters))


@pytest.mark.parametrize(
    "member",
    [dn.ReconstructionTree(reconstruction="by_class"), dn.ReconstructionNaiveBayes(), dn.EmergingPatterns(max_len=2)],
    ids=lambda member: type(member).__name__,
)
def test_one_member_that_has_all_rows_decides_as_it_does_alone(member, rows):
    truth, reported = rows
    alone = clone(member).set_params(schema=schema_of()).fit(reported)
    for given in ({"bagging": 1, "boosting": 0, "bootstrap": False}, {"bagging": 0, "boosting": 0}):
        model = dn.ReconstructionEnsemble(schema_of(), [member], vote="soft", **given).fit(reported)
        np.testing.assert_allclose(model.predict_proba(truth[NAMES]), alone.predict_proba(truth[NAMES]), atol=1e-9)
        distorted = alone.predict_proba_distorted(reported[NAMES])
        np.testing.assert_allclose(model.predict_proba_distorted(reported[NAMES]), distorted, atol=1e-9)


def test_boosting_by_hand():
    """Eight rows, one yes/no attribute that is right for six: error 1/4, vote log(3)/2, wrong rows then weigh half of all. The same stump
    then is no better than guessing, which ends it."""
    X = np.array([[0], [0], [0], [1], [1], [1], [0], [1]], dtype=float)
    y = np.array([0, 0, 0, 1, 1, 1, 1, 0])
    tree = dn.ReconstructionTree(pruning=None, max_depth=1)
    model = dn.ReconstructionEnsemble(None, [tree], bagging=0, boosting=3, boost_by="weights").fit(X, y)
    np.testing.assert_allclose(model.estimator_weights_, [0.5 * np.log(3)])
    both = dn.ReconstructionEnsemble(None, [tree], bagging=2, boosting=3, boost_by="weights", bootstrap=False).fit(X, y)
    np.testing.assert_allclose(both.estimator_weights_, [1, 1, 0.5 * np.log(3)])


@pytest.mark.parametrize("classes", [2, 3])
def test_boosting_is_samme_on_the_same_stumps(classes):
    """Votes are half of SAMME's (the thesis' alpha), and weighed stumps predict as scikit-learn's."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (400, 6)).astype(float)
    y = (
        (X[:, :3] @ [1, 1, 1] + (rng.random(400) < 0.2)).astype(int) % classes
        if classes == 3
        else (X[:, :3].sum(axis=1) > 1).astype(int)
    )
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=4, random_state=0).fit(X, y)
    tree = dn.ReconstructionTree(pruning=None, max_depth=1)
    ours = dn.ReconstructionEnsemble(None, [tree], bagging=0, boosting=4, boost_by="weights").fit(X, y)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_ / 2, rtol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_distorted_training_rows_are_classified_through_the_channels(rows):
    """By what their reports say, and by the leaves where their truths probably end; both better than as if they were true."""
    truth, reported = rows
    model = small(schema_of()).fit(reported)
    right = {}
    for by in ("posterior", "leaves"):
        again = small(schema_of(), reports_by=by).fit(reported)
        right[by] = (again.predict(truth[NAMES]) == truth["ill"]).mean()
        assert right[by] > 0.75
    copy, labels = model.estimators_[0], reported["ill"].to_numpy()
    coded = CodedRows([], copy.target_, [c.reported(reported[c.name], []) for c in model.attributes_], labels)
    chances = np.full(len(reported), 1 / len(reported))
    for by_leaves in (False, True):
        wrong, error = mistakes(copy, coded, chances, true_classes(coded, chances), by_leaves)
        assert set(np.unique(wrong)) <= {0, 1}
        assert error == pytest.approx(wrong.mean())
        as_if_true = (copy.predict(reported[NAMES].assign(salary=reported["salary"].clip(0, 100))) != labels).mean()
        assert error <= as_if_true


def test_votes_are_weighted_simple_or_soft(rows):
    truth, reported = rows
    models = {vote: small(schema_of(), vote=vote).fit(reported) for vote in ("weighted", "simple", "soft")}
    X = truth[NAMES]
    model = models["weighted"]
    votes = np.stack([copy.predict_proba(X) for copy in _apart(model, X)])
    hard = (votes.argmax(axis=2)[..., None] == np.arange(2)).astype(float)
    for name, said, weights in (
        ("weighted", hard, model.estimator_weights_),
        ("simple", hard, np.ones(len(hard))),
        ("soft", votes, model.estimator_weights_),
    ):
        expected = np.tensordot(weights / weights.sum(), said, axes=1)
        np.testing.assert_allclose(models[name].predict_proba(X), expected, atol=1e-9)


def _apart(model, X):
    """Copies that read frames themselves, with the cells of the ensemble."""

    class Apart:
        def __init__(self, place):
            self.place = place

        def predict_proba(self, X):
            return model._answers(model._codes(X, reported=False), False)[self.place]

    return [Apart(i) for i in range(len(model.estimators_))]


def test_groups_decide_first_in_a_hierarchy(rows):
    truth, reported = rows
    model = small(schema_of(), combination="hierarchical", bagging=3, boosting=0).fit(reported)
    assert model.group_of_copies_[0] == [(0, "bagging"), (1, "bagging")]
    votes = np.stack([copy.predict_proba(truth[NAMES]).argmax(axis=1) for copy in _apart(model, truth)])
    decided = np.stack([votes[:3].mean(axis=0) > 0.5, votes[3:].mean(axis=0) > 0.5])
    np.testing.assert_allclose(model.predict_proba(truth[NAMES])[:, 1], decided.mean(axis=0), atol=1e-9)


def test_an_ensemble_may_be_a_member(rows):
    truth, reported = rows
    inner = [dn.ReconstructionEnsemble(members=[dn.ReconstructionTree(bins=bins)], bagging=2, boosting=0) for bins in (5, 10)]
    model = dn.ReconstructionEnsemble(schema_of(), [*inner, dn.ReconstructionNaiveBayes()], bagging=0, boosting=0).fit(reported)
    assert (model.predict(truth[NAMES]) == truth["ill"]).mean() > 0.75
    again = store.from_json(to_json(model))
    np.testing.assert_array_equal(again.predict_proba(truth[NAMES]), model.predict_proba(truth[NAMES]))


@pytest.mark.parametrize("bins", [(4, 6, 10), (5, 10, 10), (7, 9, 11)])
def test_members_with_other_bins_see_what_they_would_see_alone(bins, rows):
    truth, reported = rows
    members = [
        dn.ReconstructionTree(bins=bins[0]),
        dn.ReconstructionNaiveBayes(bins=bins[1]),
        dn.ReconstructionTree(bins=bins[2]),
    ]
    model = dn.ReconstructionEnsemble(schema_of(), members, bagging=0, boosting=0, vote="soft").fit(reported)
    alone = [clone(member).set_params(schema=schema_of()).fit(reported) for member in members]
    expected = np.mean([each.predict_proba(truth[NAMES]) for each in alone], axis=0)
    np.testing.assert_allclose(model.predict_proba(truth[NAMES]), expected, atol=1e-9)
    plain = [clone(member).fit(truth[NAMES], truth["ill"]).predict_proba(truth[NAMES]) for member in members]
    undistorted = dn.ReconstructionEnsemble(None, members, bagging=0, boosting=0, vote="soft").fit(truth[NAMES], truth["ill"])
    np.testing.assert_allclose(undistorted.predict_proba(truth[NAMES]), np.mean(plain, axis=0), atol=1e-9)


def test_stacking_weighs_what_held_out_reports_confirm(rows):
    """A member that knows one weak attribute counts little beside one that knows all."""
    truth, reported = rows
    members = [dn.ReconstructionNaiveBayes(), dn.ReconstructionTree(max_depth=1, reconstruction=None)]
    model = dn.ReconstructionEnsemble(schema_of(), members, bagging=1, boosting=0, combination="stacked", stack_folds=3).fit(
        reported
    )
    assert model.group_weights_[0] > 0.7
    assert model.group_weights_.sum() == pytest.approx(1)
    assert (model.predict(truth[NAMES]) == truth["ill"]).mean() > 0.78


def test_weights_of_groups_are_those_of_a_slow_search():
    rng = np.random.default_rng(2)
    chances = rng.dirichlet([2, 2], (2, 300))
    true = (rng.random(300) < 0.6 * chances[0, :, 1] + 0.4 * chances[1, :, 1]).astype(int)
    belongs = (true[:, None] == np.arange(2)).astype(float)
    grid = np.linspace(0.001, 0.999, 999)
    likely = [
        np.log(np.einsum("rc,rc->r", w * chances[0] + (1 - w) * chances[1], belongs)).sum() + np.log(w * (1 - w)) for w in grid
    ]
    assert group_weights(chances, belongs)[0] == pytest.approx(grid[np.argmax(likely)], abs=0.01)


def test_where_no_vote_counts_all_count_the_same():
    answers = [np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])]
    assert summed(answers, np.zeros(2)).tolist() == [[0.5, 0.5]]


def test_one_and_two_jobs_learn_the_same_and_a_seed_is_kept(rows):
    _, reported = rows
    one, two = (to_json(small(schema_of(), n_jobs=jobs).fit(reported)) for jobs in (1, 2))
    assert one == two
    assert to_json(small(schema_of(), random_state=1).fit(reported)) != one
    assert to_json(small(schema_of(), random_state=1).fit(reported)) == to_json(
        small(schema_of(), random_state=1).fit(reported)
    )


def test_the_same_reports_in_another_order_give_the_same_bytes(rows):
    _, reported = rows
    for seed in range(3):  # of one order sums may come out the same by chance
        shuffled = reported.sample(frac=1, random_state=seed).reset_index(drop=True)
        assert to_json(small(schema_of()).fit(shuffled)) == to_json(small(schema_of()).fit(reported))


def test_a_forest_of_drawn_rows_has_the_cells_that_all_rows_chose(rows):
    """What it believes of single attributes is about its own cells, not those that the drawn rows would have chosen."""
    _, reported = rows
    forest = dn.UnbiasedForest(n_estimators=2, max_depth=2)
    model = dn.ReconstructionEnsemble(schema_of(), [forest], bagging=4, boosting=0, max_samples=0.3).fit(reported)
    for copy in model._copies:
        seen = zip(copy.model.features_, copy.model._one_by_one().bayes.features_, strict=True)
        assert all(own is single for own, single in seen if own.hidden)
    assert model.predict_distorted(reported).shape == (len(reported),)


def test_files_hold_no_rows_and_come_back(rows, tmp_path):
    truth, reported = rows
    model = small(schema_of(), combination="stacked", stack_folds=2).fit(reported)
    model.save(tmp_path / "m.json")
    again = dn.load_model(tmp_path / "m.json")
    np.testing.assert_array_equal(again.predict_proba(truth[NAMES]), model.predict_proba(truth[NAMES]))
    np.testing.assert_array_equal(again.predict_proba_distorted(reported), model.predict_proba_distorted(reported))
    assert to_json(again) == to_json(model)
    assert to_json(clone(again).set_params(schema=schema_of()).fit(reported)) == to_json(model)
    content = json.loads((tmp_path / "m.json").read_text())
    assert set(content["copies"][0]) == {"member", "how", "weight", "kind", "parameters", "tree"}
    assert not _arrays_of(content, len(reported))


def _arrays_of(content, length):
    if isinstance(content, list):
        return len(content) == length or any(_arrays_of(part, length) for part in content)
    return isinstance(content, dict) and any(_arrays_of(part, length) for part in content.values())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda c: c["copies"].clear(), "needs copies"),
        (lambda c: c["copies"][0].update(weight=-1), "weights of at least 0"),
        (lambda c: c["copies"][0].update(kind="nothing"), "'nothing' is missing"),
        (lambda c: c.update(group_weights=[1.0]), "group_weights"),
        (lambda c: c["copies"][0]["tree"]["left"].clear(), "left of its tree"),
    ],
)
def test_damaged_files_are_refused(change, told, rows):
    content = json.loads(to_json(small(schema_of()).fit(rows[1])))
    change(content)
    with pytest.raises(DataError, match=told):
        store.from_json(json.dumps(content))


def test_a_hidden_class_is_undone():
    """Seed 8, 3,000 rows, one class report in four is false: the ensemble is as good as with the open class, within four points."""
    rng = np.random.default_rng(8)
    truth = people(3_000, rng)
    found = {}
    for name, of_class in (("open", None), ("hidden", dn.KRR(dn.Binary(), 0.75))):
        schema = schema_of(of_class)
        model = small(schema, bagging=3, boosting=3).fit(schema.randomise(truth, np.random.default_rng(9)))
        found[name] = (model.predict(truth[NAMES]) == truth["ill"]).mean()
    assert found["hidden"] > found["open"] - 0.04
    assert found["hidden"] > 0.78


def test_groups_with_one_draw_are_learned_and_scored():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 3_000)
    truth = pd.DataFrame(
        {"a": np.where(rng.random(3_000) < 0.85, y, 1 - y), "b": np.where(rng.random(3_000) < 0.7, y, 1 - y), "y": y}
    )
    schema = dn.Schema(
        {"a": dn.Retention(dn.Binary(), 0.6), "b": dn.Retention(dn.Binary(), 0.6), "y": dn.Identity(dn.Binary())},
        target="y",
        groups={"both": ["a", "b"]},
    )
    reported = schema.randomise(truth, rng)
    members = [dn.ReconstructionTree(), dn.ReconstructionNaiveBayes()]
    model = dn.ReconstructionEnsemble(schema, members, bagging=2, boosting=1).fit(reported)
    right = (model.predict(truth[["a", "b"]]) == y).mean()
    assert right > 0.8
    low, high = model.score_distorted(reported).interval()
    assert low[0] < right < high[0]


def test_rows_are_drawn_by_their_weights():
    rows = CodedRows([], None, [np.arange(4)], np.array([0, 1, 0, 1]))
    often = np.bincount(drawn(rows, np.array([0.0, 1.0, 2.0, 1.0]) * 5_000, 1.0, np.random.default_rng(1)), minlength=4)
    assert often[0] == 0
    np.testing.assert_allclose(often / often.sum(), [0, 0.25, 0.5, 0.25], atol=0.02)


def test_progress_is_told_and_an_interruption_leaves_the_ensemble_as_it_was(rows):
    truth, reported = rows
    model = small(schema_of()).fit(reported)
    before = model.predict_proba(truth[NAMES])

    class Listener:
        done, total, ended = 0, None, False

        def start(self, what, total):
            self.total = total

        def advance(self, units):
            self.done += units
            if self.total != 8:
                raise KeyboardInterrupt

        def finish(self):
            self.ended = True

    listener = Listener()
    small(schema_of()).fit(reported, progress=listener)
    assert (listener.done, listener.ended) == (8, True)
    stopped = Listener()
    with pytest.raises(KeyboardInterrupt):
        model.set_params(boosting=3).fit(reported[:300], progress=stopped)
    assert stopped.ended
    model.set_params(boosting=2)
    np.testing.assert_array_equal(model.predict_proba(truth[NAMES]), before)
    new = small(schema_of(), boosting=3)
    with pytest.raises(KeyboardInterrupt):
        new.fit(reported, progress=Listener())
    assert not hasattr(new, "classes_")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"members": []}, "a list of classifiers"),
        ({"members": [DecisionTreeClassifier()]}, "a list of classifiers"),
        ({"vote": "loud"}, "vote must be one of"),
        ({"max_samples": 0}, "above 0"),
        ({"boosting": -1}, "at least 0"),
        ({"combination": "deep"}, "combination must be one of"),
    ],
)
def test_what_cannot_be_is_refused(given, told, rows):
    with pytest.raises(ParameterError, match=told):
        small(schema_of(), **given).fit(rows[1])


@pytest.mark.parametrize(
    "member",
    [dn.UnbiasedForest(n_estimators=5), dn.AsReported(DecisionTreeClassifier(max_depth=3))],
    ids=["forest", "as reported"],
)
def test_forests_and_learners_of_others_are_members_like_any(member, rows):
    truth, reported = rows
    model = dn.ReconstructionEnsemble(schema_of(), [member, dn.ReconstructionNaiveBayes()], bagging=1, boosting=1).fit(reported)
    assert (model.predict(truth[NAMES]) == truth["ill"]).mean() > 0.7
    again = store.from_json(to_json(model))
    np.testing.assert_array_equal(again.predict_proba(truth[NAMES]), model.predict_proba(truth[NAMES]))
    assert to_json(again) == to_json(model)


def test_members_without_weights_say_so(rows):
    model = dn.ReconstructionEnsemble(schema_of(), [dn.EmergingPatterns(max_len=2)], bagging=0, boosting=1, boost_by="weights")
    with pytest.raises(ParameterError, match="EmergingPatterns takes no sample weights"):
        model.fit(rows[1])


def test_whole_weights_are_repeated_rows(rows):
    truth, reported = rows
    weights = np.arange(len(reported)) % 3
    weighed = small(schema_of()).fit(reported, sample_weight=weights)
    repeated = small(schema_of()).fit(reported.loc[np.repeat(reported.index, weights)])
    np.testing.assert_allclose(weighed.predict_proba(truth[NAMES]), repeated.predict_proba(truth[NAMES]))
