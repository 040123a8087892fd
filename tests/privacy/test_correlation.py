"""Check 21: the privacy shown for noisy numbers never exceeds an attacker's remaining error by more than 5%.

The attackers here are written independently of the library: linear Bayes from known covariances, exact Bayes over a large
population, and intersection of intervals.
"""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.errors import DataError, ParameterError

pytestmark = pytest.mark.statistical

DOMAIN = dn.Integer(-100, 100)
VICTIMS = 1200


def world(rng, attributes, factors, own):
    """A sampler of correlated truths: common factors plus something of one's own."""
    loadings = rng.normal(size=(attributes, factors)) * 10

    def draw(n):
        values = rng.normal(size=(n, factors)) @ loadings.T + rng.normal(size=(n, attributes)) * own
        return np.clip(np.rint(values), -100, 100).astype(int)

    return draw


def oracle(draw, schema, victims, reports, rng):
    """The least error of two attackers who know the world better than the library: 12,000 people of it."""
    names = list(schema)
    known = draw(12_000)
    seen = schema.randomise(pd.DataFrame(known, columns=names), rng).to_numpy(dtype=float)
    m = len(names)
    both = np.cov(known.T, seen.T)
    linear = known.mean(0) + (reports - seen.mean(0)) @ np.linalg.solve(both[m:, m:], both[:m, m:].T)
    matrix, first = schema[names[0]].matrix(), schema[names[0]].reported.numbers()[0]
    with np.errstate(divide="ignore"):
        logs = np.log(matrix)
    bayes = linear.copy()
    for i, report in enumerate(reports):
        total = sum(logs[known[:, j] + 100, int(report[j] - first)] for j in range(m))
        if np.isfinite(total.max()):
            weight = np.exp(total - total.max())
            bayes[i] = weight @ known / weight.sum()
    return np.minimum(*(np.sqrt(((guess - victims) ** 2).mean(0)) for guess in (linear, bayes)))


@pytest.mark.parametrize(
    ("noise", "edges", "attributes", "factors", "own"),
    [
        (dn.Normal(12), "extend", 5, 1, 2.0),
        (dn.Normal(12), "clamp", 4, 2, 5.0),
        (dn.Uniform(20), "extend", 5, 1, 0.0),
        (dn.Uniform(20), "extend", 4, 2, 4.0),
        (dn.Laplace(8), "extend", 4, 1, 1.0),
    ],
)
def test_shown_privacy_is_at_most_5_percent_above_what_the_best_attacker_leaves(noise, edges, attributes, factors, own):
    rng = np.random.default_rng(11)
    draw = world(rng, attributes, factors, own)
    schema = dn.Schema({f"a{j}": dn.Additive(DOMAIN, noise, edges=edges) for j in range(attributes)})
    shown = dn.privacy.remaining_error(schema, pd.DataFrame(draw(8000), columns=list(schema)), people=3000, rng=rng)
    victims = draw(VICTIMS)
    reports = schema.randomise(pd.DataFrame(victims, columns=list(schema)), rng).to_numpy(dtype=float)
    left = oracle(draw, schema, victims, reports, rng)
    assert (shown["shown"].to_numpy() <= 1.05 * left).all()
    # Not by showing next to nothing.
    assert (shown["shown"].to_numpy() >= 0.85 * left).all()
    # The promise of the noise alone would have failed.
    assert (shown["reported"].to_numpy() > 1.05 * left).any()


def test_with_one_truth_behind_all_answers_the_intervals_intersect():
    rng = np.random.default_rng(12)
    noisy = dn.Additive(DOMAIN, dn.Uniform(20))
    schema = dn.Schema({f"a{j}": noisy for j in range(6)})

    def draw(n):
        return np.repeat(rng.integers(-60, 61, n)[:, None], 6, axis=1)

    victims = draw(VICTIMS)
    reports = schema.randomise(pd.DataFrame(victims, columns=list(schema)), rng).to_numpy(dtype=float)
    middle = (np.maximum(reports.max(1) - 20, -60) + np.minimum(reports.min(1) + 20, 60)) / 2
    left = np.sqrt(((middle - victims[:, 0]) ** 2).mean())
    shown = dn.privacy.remaining_error(schema, pd.DataFrame(draw(8000), columns=list(schema)), people=3000, rng=rng)
    assert (shown["shown"] <= 1.05 * left).all()
    assert (shown["population"] < 0.9 * shown["bayes"]).all()  # a linear attacker leaves more than there is


def test_without_a_population_the_covariance_comes_from_the_reports():
    """BE-DR on Gaussian truths: the remaining error is that of the textbook formula."""
    rng = np.random.default_rng(13)
    covariance = 400 * (0.8 * np.ones((3, 3)) + 0.2 * np.eye(3))
    truths = np.clip(np.rint(rng.multivariate_normal(np.zeros(3), covariance, 6000)), -100, 100).astype(int)
    schema = dn.Schema({name: dn.Additive(DOMAIN, dn.Normal(20), edges="extend") for name in "abc"})
    reports = schema.randomise(pd.DataFrame(truths, columns=list("abc")), rng)
    noise = 400 * np.eye(3)
    left = np.sqrt(np.diag(covariance - covariance @ np.linalg.inv(covariance + noise) @ covariance))
    off = {
        method: np.sqrt(((dn.privacy.correlation_attack(schema, reports, method=method) - truths) ** 2).mean())
        for method in ("reported", "pca", "bayes")
    }
    assert off["bayes"].to_numpy() == pytest.approx(left, rel=0.03)
    assert off["reported"].to_numpy() == pytest.approx([20] * 3, rel=0.03)
    # One component taken: a third of the noise and what the component leaves out (by hand: 400/3 + 80 * 2/3).
    assert off["pca"].to_numpy() == pytest.approx([np.sqrt(400 / 3 + 80 * 2 / 3)] * 3, rel=0.03)


def test_channels_in_floating_point_can_be_attacked_too():
    rng = np.random.default_rng(14)
    noisy = dn.Additive(dn.Continuous(0, 100), dn.Normal(20))
    schema = dn.Schema({"a": noisy, "b": noisy})
    values = rng.uniform(0, 100, 4000)
    truths = pd.DataFrame({"a": values, "b": values})
    left = dn.privacy.remaining_error(schema, truths, rng=rng)
    assert left["reported"].to_numpy() == pytest.approx([20, 20], rel=0.06)
    assert (left["shown"] < 20 / np.sqrt(2)).all()


def test_answers_in_words_help_the_attacker_too():
    """A yes/no answer that is hardly hidden gives away an age that it is related to."""
    rng = np.random.default_rng(16)
    retired = rng.integers(0, 2, 4000)
    truths = pd.DataFrame(
        {"age": np.where(retired, rng.integers(65, 85, 4000), rng.integers(20, 40, 4000)), "retired": retired}
    )
    schema = dn.Schema({"age": dn.Additive(dn.Integer(18, 90), dn.Laplace(60)), "retired": dn.KRR(dn.Binary(), 0.97)})
    left = dn.privacy.remaining_error(schema, truths, rng=rng).loc["age"]
    # By hand: guess the middle of the reported half of life, which is wrong in 3% of cases by 45 years.
    simple = np.sqrt(0.97 * (20**2 - 1) / 12 + 0.03 * (45**2 + (20**2 - 1) / 12))
    assert left["shown"] <= 1.05 * simple
    assert left["shown"] < 0.7 * left["population"]  # the noisy attribute alone


def test_an_attribute_alone_is_attacked_by_its_own_posterior():
    """Two possible truths, far apart: noise hides nothing although its standard deviation is 6."""
    rng = np.random.default_rng(15)
    schema = dn.Schema({"a": dn.Additive(DOMAIN, dn.Uniform(10))})
    truths = pd.DataFrame({"a": rng.choice([-50, 50], 2000)})
    left = dn.privacy.remaining_error(schema, truths, rng=rng)
    assert left.loc["a", "reported"] == pytest.approx(6.06, rel=0.05)
    assert left.loc["a", "shown"] == pytest.approx(0, abs=1e-6)


def test_bad_input_is_refused():
    noisy = dn.Schema({"a": dn.Additive(DOMAIN, dn.Uniform(10))})
    frame = pd.DataFrame({"a": [0, 1, 2]})
    with pytest.raises(DataError, match="at least 500 rows, got 3"):
        dn.privacy.remaining_error(noisy, frame)
    with pytest.raises(ParameterError, match="hidden by noise"):
        dn.privacy.remaining_error(dn.Schema({"a": dn.KRR(dn.Binary(), 0.7)}), frame)
    with pytest.raises(ParameterError, match="one of"):
        dn.privacy.correlation_attack(noisy, frame, method="magic")
    with pytest.raises(ParameterError, match="needs a population"):
        dn.privacy.correlation_attack(noisy, frame, method="alone")
