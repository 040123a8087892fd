"""The values that are shown: no more follows the reports than chance warrants, and nothing less."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.statistics.questions import means as mean_questions

pytestmark = pytest.mark.statistical

NOISE = dn.Additive(dn.Integer(0, 100), dn.Normal(10))


def joined(rng, n, in_group):
    """People at two places; who is in the group depends on the place."""
    x = np.clip(np.round(np.where(rng.random(n) < 0.5, rng.normal(30, 8, n), rng.normal(70, 8, n))), 0, 100).astype(int)
    g = (rng.random(n) < in_group(x)).astype(int)
    schema = dn.Schema({"x": NOISE, "g": dn.KRR(dn.Binary(), 0.85)})
    return x, g, dn.Sample(schema.randomise(pd.DataFrame({"x": x, "g": g}), rng), schema)


def test_a_cross_table_behind_noise_has_the_distribution_at_its_margin():
    _, _, sample = joined(np.random.default_rng(3), 2_000, lambda x: 0.3 + 0.004 * x)
    table = sample.crosstab("g", "x", bins={"x": 4}).value.reshape(2, 4)
    assert table.sum(axis=0) == pytest.approx(sample.distribution("x", bins=4).value, abs=1e-9)


def test_a_strong_dependence_is_followed_to_its_end():
    """A fixed small number of steps of EM stays close to independence however many answers there are."""
    x, g, sample = joined(np.random.default_rng(4), 20_000, lambda x: np.where(x > 50, 0.95, 0.05))
    found = sample.distribution("x", where="g == 1", bins=[0, 50, 100]).value
    assert found[0] == pytest.approx((x[g == 1] < 50).mean(), abs=0.04)


def test_few_answers_are_not_overfitted():
    """At n = 200, beside the likeliest table, which follows chance: 0.031 and 0.058 when this was written."""
    rng = np.random.default_rng(5)
    own, likeliest = [], []
    for _ in range(12):
        _, _, sample = joined(rng, 200, lambda x: 0.3 + 0.004 * x)
        truth = np.array([0.5 * (1 - 0.42), 0.5 * (1 - 0.58), 0.5 * 0.42, 0.5 * 0.58])
        own.append(sample.crosstab("g", "x", bins={"x": [0, 50, 100]}).value - truth)
        likeliest.append(sample.crosstab("g", "x", bins={"x": [0, 50, 100]}, method="em").value - truth)
    assert np.square(own).mean() < np.square(likeliest).mean()


def small(rng, n=200):
    """Everybody at 3 or 4 of 1 to 5: unbiased means may lie anywhere."""
    x, g = rng.integers(3, 5, n), rng.integers(0, 2, n)
    schema = dn.Schema({"x": dn.KRR(dn.Integer(1, 5), 0.6), "g": dn.KRR(dn.Binary(), 0.85)})
    data = schema.randomise(pd.DataFrame({"x": x, "g": g}), rng)
    return dn.Sample(data, schema)


def by_weights(sample, monkeypatch):
    """The mean in the group, without a look at the likeliest one."""
    with monkeypatch.context() as alone:
        alone.setattr(mean_questions, "_likeliest", lambda *_: None)
        return sample.mean("x", where="g == 1")


def test_means_in_groups_move_toward_the_likeliest_by_a_standard_error_at_most(monkeypatch):
    rng = np.random.default_rng(6)
    plain, own = [], []
    for _ in range(60):
        sample = small(rng)
        found, before = sample.mean("x", where="g == 1"), by_weights(sample, monkeypatch)
        likeliest = sample.mean("x", where="g == 1", method="em").value[0]
        moved = found.value[0] - before.value[0]
        assert 0 <= moved / (likeliest - before.value[0]) <= 1
        assert abs(moved) <= 1.001 * found.se[0]
        plain.append(before.value[0] - 3.5)
        own.append(found.value[0] - 3.5)
    assert np.square(own).mean() < 0.9 * np.square(plain).mean()


def test_a_difference_is_that_of_the_two_means_and_the_same_for_both_targets():
    sample = small(np.random.default_rng(7))
    for target in ("population", "respondents"):
        one, two = (sample.mean("x", where=f"g == {g}", target=target).value[0] for g in (1, 0))
        assert sample.difference("g == 1", "g == 0", of="x", target=target).value[0] == pytest.approx(one - two)
    both = [sample.mean("x", where="g == 1", target=target).value[0] for target in ("population", "respondents")]
    assert both[0] == pytest.approx(both[1])


def test_intervals_do_not_move_with_the_point(monkeypatch):
    sample = small(np.random.default_rng(8))
    found, before = sample.mean("x", where="g == 1"), by_weights(sample, monkeypatch)
    assert found.value[0] != before.value[0]
    assert np.array(found.interval()) == pytest.approx(np.array(before.interval()))


def test_where_nothing_is_hidden_points_are_those_of_the_data():
    """A careful slope was 0.755 here, of 30 people who hide nothing; least squares gives 0.706."""
    rng = np.random.default_rng(1)
    x, g = rng.integers(0, 10, 30), rng.integers(0, 2, 30)
    y = np.clip(x + rng.integers(-3, 4, 30), 0, 9)
    schema = dn.Schema({"x": dn.Identity(dn.Integer(0, 9)), "y": dn.Identity(dn.Integer(0, 9)), "g": dn.Identity(dn.Binary())})
    sample = dn.Sample(pd.DataFrame({"x": x, "y": y, "g": g}), schema)
    assert sample.regression("y", ["x"]).value == pytest.approx(np.polyfit(x, y, 1)[::-1])
    assert sample.correlation("x", "y").value[0] == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert sample.mean("x", where="g == 1").value[0] == pytest.approx(x[g == 1].mean())
    assert sample.distribution("g", where="x < 2").value[1] == pytest.approx(g[x < 2].mean())


def test_a_mean_that_was_moved_says_so_and_what_it_was():
    """Within a group the value is moved toward the likeliest one; anyone who reads it must be able to see that, and to undo it."""
    rng = np.random.default_rng(3)
    schema = dn.Schema({"x": dn.Retention(dn.Integer(0, 80), 0.5), "g": dn.Identity(dn.Nominal(["a", "b"]))})
    people = pd.DataFrame({"x": np.minimum(rng.exponential(16, 3_000).astype(int), 80), "g": rng.choice(["a", "b"], 3_000)})
    reported = schema.randomise(people, rng)
    found = dn.Sample(reported, schema).mean("x", where="g == 'a'")
    # The group is open, so the unbiased mean is that of the reports, without what replacement adds (half of an even draw from 0 to 80).
    unbiased = 2 * reported.loc[reported.g == "a", "x"].mean() - 40
    assert abs(found.value[0] - unbiased) > 0.1 * found.se[0]
    [note] = [note for note in found.notes if note.startswith("moved toward the likeliest value")]
    assert f"without that it is {unbiased:.5g}," in note
    assert not [note for note in dn.Sample(reported, schema).mean("x").notes if "moved" in note]
