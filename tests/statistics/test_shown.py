"""What people are shown is possible: no number leaves its range, no dot its line, and shares add up."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.core.estimate import FEWEST
from deniable.statistics.questions import means as mean_questions

pytestmark = pytest.mark.statistical

QUICK, ALL = 150, 2_000


def random_sample(rng):
    """A few people, some of them alone in their group, hidden in ways that leave estimates far outside."""
    designs = [
        lambda domain: dn.KRR(domain, float(rng.uniform(0.15, 0.95))),
        lambda domain: dn.Retention(domain, float(rng.uniform(0.05, 0.95))),
        lambda domain: dn.Identity(domain),
    ]
    labels = dn.Nominal([f"label {i}" for i in range(int(rng.integers(2, 6)))])
    numbers = dn.Integer(0, int(rng.integers(3, 12)))
    hidden = designs[rng.integers(3)](numbers)
    if rng.random() < 0.1:
        hidden = dn.Additive(numbers, dn.Uniform(int(rng.integers(1, 4))), str(rng.choice(["clamp", "extend"])))
    schema = dn.Schema(
        {
            "place": designs[rng.integers(3)](labels),
            "size": hidden,
            "group": designs[rng.integers(3)](dn.Nominal(["a", "b", "c"])),
        }
    )
    n = int(rng.integers(1, 80))
    people = pd.DataFrame(
        {
            "place": rng.choice(labels.labels, n, p=rng.dirichlet(np.full(labels.size, 0.5))),
            "size": rng.binomial(numbers.size - 1, rng.random(), n),
            "group": rng.choice(["a", "b", "c"], n, p=[0.9, 0.08, 0.02]),
        }
    )
    return dn.Sample(schema.randomise(people, rng), schema), people


QUESTIONS = {
    "distribution": lambda s: s.distribution("place"),
    "by": lambda s: s.distribution("place", by="group"),
    "where": lambda s: s.distribution("place", where="size <= 1"),
    "crosstab": lambda s: s.crosstab("place", "group"),
    "count": lambda s: s.count("group == 'a' and size > 1"),
    "mean": lambda s: s.mean("size"),
    "mean where": lambda s: s.mean("size", where="group == 'b'"),
    "difference": lambda s: s.difference("group == 'a'", "size > 1"),
    "difference of means": lambda s: s.difference("group == 'a'", "group == 'b'", of="size"),
    "quantile": lambda s: s.quantile("size"),
    "correlation": lambda s: s.correlation("size", "size"),
}


def check(estimate, level):
    shown = estimate.shown
    few = np.isnan(shown)
    assert [instead is not None for instead in estimate.said_instead] == few.tolist()
    assert estimate.group_sizes is not None or not few.any(), "of everyone something is always said"
    low, high = estimate.limits
    assert ((shown[~few] >= low - 1e-12) & (shown[~few] <= high + 1e-12)).all()
    if estimate.whole > 1:
        sums = shown.reshape(-1, estimate.whole).sum(axis=1)
        assert sums[np.isfinite(sums)] == pytest.approx(1.0)
    if estimate.has_interval:
        first, last = estimate.interval(level)
        assert ((first >= low - 1e-12) & (last <= high + 1e-12)).all()
        assert ((first[~few] <= shown[~few] + 1e-12) & (shown[~few] <= last[~few] + 1e-12)).all()
    said = repr(estimate)
    for line in said.splitlines()[1 : 1 + len(estimate.labels)]:
        numbers = re.findall(r"(?<!\S)-?\d+\.\d{4}(?!\S)", line)
        assert all(low - 1e-4 <= float(number) <= high + 1e-4 for number in numbers), line
    assert "informative as 0 direct" not in said


@pytest.mark.parametrize("runs", [QUICK, pytest.param(ALL, marks=pytest.mark.slow)])
def test_nothing_impossible_is_shown(runs):
    """Random schemas, people and levels; the seed of each is its number."""
    answered = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(runs):
            rng = np.random.default_rng([20261116, seed])
            sample, _ = random_sample(rng)
            for name, ask in QUESTIONS.items():
                try:
                    estimate = ask(sample)
                except dn.DeniableError:
                    continue
                answered += 1
                try:
                    check(estimate, float(rng.uniform(0.5, 0.99)))
                except AssertionError as error:
                    raise AssertionError(f"seed {seed}, {name}: {error}\n{estimate!r}") from error
    assert answered > 7 * runs


def test_the_value_is_what_it_was_and_the_point_shown_is_the_nearest_possible():
    schema = dn.Schema({"a": dn.KRR(dn.Nominal(["x", "y", "z"]), 0.6)})
    estimate = dn.Sample(pd.DataFrame({"a": ["x"] * 16 + ["y"] * 4}), schema).distribution("a")
    assert estimate.value.round(6).tolist() == [1.5, 0.0, -0.5]
    # On a fine grid of the simplex no point is nearer.
    steps = np.arange(0, 1.0001, 0.01)
    grid = np.array([[a, b, 1 - a - b] for a in steps for b in steps if a + b <= 1])
    nearest = grid[((grid - estimate.value) ** 2).sum(axis=1).argmin()]
    assert estimate.shown == pytest.approx(nearest, abs=0.011)
    assert estimate.to_frame()["value"].tolist() == estimate.value.tolist()


def test_a_group_of_too_few_says_so_instead_of_numbers():
    schema = dn.Schema({"a": dn.KRR(dn.Nominal(["x", "y"]), 0.75), "b": dn.Identity(dn.Nominal(["many", "one"]))})
    data = pd.DataFrame({"a": ["x", "y", "x"] * 20 + ["x"], "b": ["many"] * 60 + ["one"]})
    estimate = dn.Sample(data, schema).distribution("a", by="b")
    assert estimate.said_instead == [None, None, "too few answers (1)", "too few answers (1)"]
    assert "one, x   too few answers (1)" in repr(estimate)
    assert "too few answers (1)" in estimate._repr_html_()
    assert estimate.group_sizes.tolist() == [60, 60, 1, 1]
    assert FEWEST > 1
    words = re.sub(r"['\", ]+", " ", str(estimate.plot().to_dict()))
    assert "Not drawn – one: too few answers (1)." in words


def test_a_group_of_which_everything_is_possible_says_so_instead_of_numbers():
    rng = np.random.default_rng(1)
    schema = dn.Schema(
        {"a": dn.KRR(dn.Nominal(["x", "y"]), 0.75), "size": dn.Additive(dn.Integer(0, 100), dn.Uniform(25), edges="extend")}
    )
    people = pd.DataFrame({"a": np.repeat(["x", "y"], 1_000), "size": rng.integers(45, 56, 2_000)})
    sample = dn.Sample(schema.randomise(people, rng), schema)
    assert (sample.count("size <= 25").interval()[0] == 0).all(), "nobody may be there"
    estimate = sample.distribution("a", where="size <= 25")
    low, high = estimate.interval()
    assert (low.tolist(), high.tolist()) == ([0, 0], [1, 1])
    assert np.isnan(estimate.shown).all()
    assert np.isfinite(estimate.value).all()
    estimate.group_sizes = np.full(2, 50.0)  # whatever is estimated of the size
    assert estimate.said_instead == ["cannot be told"] * 2
    assert re.search(r"x +cannot be told", repr(estimate))


@pytest.mark.parametrize("seed", range(4))
def test_a_group_behind_noise_of_which_nothing_can_be_told_is_taken_to_be_like_those_who_report_to_be_in_it(seed):
    rng = np.random.default_rng(seed)
    schema = dn.Schema(
        {"a": dn.KRR(dn.Nominal(["x", "y"]), 0.75), "size": dn.Additive(dn.Integer(0, 100), dn.Uniform(25), edges="extend")}
    )
    size = rng.integers(45, 56, 20_000)
    people = pd.DataFrame({"a": np.where(rng.random(20_000) < np.where(size <= 50, 0.7, 0.2), "x", "y"), "size": size})
    reports = schema.randomise(people, rng)
    estimate = dn.Sample(reports, schema).distribution("a", where="size <= 25")
    assert estimate.left_open.all()
    share = ((reports.loc[reports["size"] <= 25, "a"] == "x").mean() - 0.25) / 0.5
    assert estimate.value == pytest.approx([share, 1 - share], abs=0.005)


def test_the_verdict_on_an_impossible_difference_names_a_possible_one():
    schema = dn.Schema({"a": dn.KRR(dn.Nominal(["x", "y"]), 0.6)})
    found = dn.Sample(pd.DataFrame({"a": ["x"] * 40}), schema).difference("a == 'x'", "a == 'y'")
    assert found.value[0] > 1
    assert ": 100.0 points (95% interval" in found.verdict


def test_under_a_condition_the_size_of_the_group_is_given():
    schema = dn.Schema({"a": dn.KRR(dn.Integer(0, 1), 0.75), "b": dn.Identity(dn.Nominal(["m", "f"]))})
    sample = dn.Sample(pd.DataFrame({"a": [0, 1] * 50, "b": ["m"] * 30 + ["f"] * 70}), schema)
    for estimate in (sample.distribution("a", where="b == 'f'"), sample.mean("a", where="b == 'f'")):
        assert "100 reports" in estimate.caption
        assert ", 70 of them in the group" in estimate.caption
    assert "group" not in sample.distribution("a").caption


def test_what_a_condition_leaves_possible_bounds_means_and_quantiles(monkeypatch):
    rng = np.random.default_rng(3)
    schema = dn.Schema({"mood": dn.Neighbours(dn.Integer(1, 5), [0.6, 0.2]), "sick": dn.KRR(dn.Nominal(["no", "yes"]), 0.8)})
    people = pd.DataFrame({"mood": rng.integers(1, 6, 600), "sick": rng.choice(["no", "yes"], 600)})
    samples = [dn.Sample(schema.randomise(people, rng), schema) for _ in range(20)]
    for sample in samples:
        for where in (
            "mood >= 4 and sick == 'yes'",
            "not (mood < 4) and sick == 'yes'",
            "(mood == 4 or mood == 5) and sick == 'no'",
        ):
            for estimate in (sample.mean("mood", where), sample.quantile("mood", 0.5, where)):
                low, high = estimate.interval()
                assert 4 <= low[0] <= high[0] <= 5
                assert np.isnan(estimate.shown[0]) or 4 <= estimate.shown[0] <= 5
        apart = sample.difference("mood >= 4", "mood <= 2", of="mood")
        assert 2 <= apart.interval()[0][0] <= apart.interval()[1][0] <= 4
        # What other attributes may make true bounds nothing.
        assert sample.mean("mood", "mood >= 4 or sick == 'yes'").limits == (1, 5)
        assert sample.mean("mood", "not (mood >= 4 and sick == 'yes')").limits == (1, 5)
    monkeypatch.setattr(mean_questions, "possible_range", lambda channels, name, condition: (1.0, 5.0))
    lows = [sample.mean("mood", "mood >= 4 and sick == 'yes'").interval()[0][0] for sample in samples]
    assert min(lows) < 4, "without the bounds"


def test_of_fewer_than_five_people_no_quantile_and_no_difference_is_shown():
    schema = dn.Schema(
        {
            "pay": dn.Identity(dn.Integer(0, 100)),
            "town": dn.Identity(dn.Nominal(["one", "many"])),
            "w": dn.Identity(dn.Integer(1, 99)),
        }
    )
    data = pd.DataFrame({"pay": [13] + [40, 60] * 20, "town": ["one"] + ["many"] * 40, "w": [90] + [1] * 40})
    for weights in (None, "w"):
        sample = dn.Sample(data, schema, weights=weights)
        assert sample.quantile("pay", 0.5, "town == 'one'").said_instead == ["too few answers (1)"]
        assert sample.mean("pay", "town == 'one'").said_instead == ["too few answers (1)"]
        assert sample.difference("town == 'one'", "town == 'many'", of="pay").said_instead == ["too few answers (1)"]
        assert sample.mean("pay", "town == 'many'").group_sizes.tolist() == [40]
