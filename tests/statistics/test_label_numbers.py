"""Ratings and other labels that are numbers, and yes and no, have means, quantiles, correlations and regressions."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.errors import ParameterError
from deniable.survey.levels import neighbours_for

RATING = ["1", "2", "3", "4", "5"]


def answers(n=3_000, seed=3):
    """A mood from 1 to 5, which is lower by 1 among the ill."""
    rng = np.random.default_rng(seed)
    ill = rng.random(n) < 0.4
    return pd.DataFrame({"mood": rng.integers(2, 6, n) - ill, "ill": ill.astype(int)}), rng


def twice(mood, ill):
    """The same reports under a schema of numbers and under one of words."""
    people, rng = answers()
    numbers = dn.Schema({"mood": dn.KRR(dn.Integer(1, 5), 0.7), "ill": dn.KRR(dn.Binary(), 0.8)})
    reports = numbers.randomise(people, rng)
    words = dn.Schema({"mood": dn.KRR(mood, 0.7), "ill": dn.KRR(ill, 0.8)})
    yes = next(label for label in ill.labels if str(label).lower() in ("yes", "true"))
    no = next(label for label in ill.labels if label != yes)
    written = pd.DataFrame({"mood": reports["mood"].astype(str), "ill": np.where(reports["ill"] == 1, yes, no)})
    return dn.Sample(reports, numbers), dn.Sample(written, words)


@pytest.mark.statistical
@pytest.mark.parametrize("ill", [["no", "yes"], ["Yes", "No"], ["true", "false"]])
def test_words_that_are_numbers_are_answered_like_numbers(ill):
    numbers, words = twice(dn.Ordinal(RATING), dn.Nominal(ill))
    yes, no = (f"ill == '{label}'" for label in sorted(ill, key=lambda label: label.lower() in ("no", "false")))
    asked = [
        (lambda s, y, n: s.mean("mood", y), "mood"),
        (lambda s, y, n: s.mean("mood", y, target="respondents"), "mood"),
        (lambda s, y, n: s.mean("mood", y, method="em"), "mood"),
        (lambda s, y, n: s.mean("mood", y, method="iterative"), "mood"),
        (lambda s, y, n: s.mean("ill", method="iterative"), "ill"),
        (lambda s, y, n: s.quantile("mood", 0.3, y), "mood"),
        (lambda s, y, n: s.quantile("mood", method="em"), "mood"),
        (lambda s, y, n: s.difference(y, n, of="mood"), "mood"),
        (lambda s, y, n: s.mean("ill"), "ill"),
        (lambda s, y, n: s.covariance("mood", "ill"), "ill"),
        (lambda s, y, n: s.correlation("mood", "ill"), "ill"),
        (lambda s, y, n: s.regression("mood", "ill"), "ill"),
        (lambda s, y, n: s.regression("ill", ["mood"]), "ill"),
    ]
    for i, (ask, about) in enumerate(asked):
        of_numbers, of_words = ask(numbers, "ill == 1", "ill == 0"), ask(words, yes, no)
        assert of_words.value == pytest.approx(of_numbers.value, abs=1e-6), i
        if of_words.has_interval:
            assert np.allclose(of_words.interval(), of_numbers.interval(), atol=1e-6), i
        said = [note for note in of_words.notes if "counts as 1" in note]
        assert len(said) == (about == "ill"), i
        assert not [note for note in of_numbers.notes if "counts as 1" in note], i


@pytest.mark.statistical
@pytest.mark.parametrize("channel", [dn.KRR, neighbours_for])
def test_a_rating_that_may_be_left_unanswered_is_that_of_those_who_answered(channel):
    people, rng = answers(20_000)
    mood = people["mood"].astype(str).where(rng.random(len(people)) < 0.9, None)
    domain = dn.Ordinal(RATING, missing="no answer")
    schema = dn.Schema({"mood": channel(domain, 0.7 if channel is dn.KRR else 10), "ill": dn.KRR(dn.Binary(), 0.8)})
    sample = dn.Sample(schema.randomise(pd.DataFrame({"mood": mood, "ill": people["ill"]}), rng), schema)
    truth = people["mood"][mood.notna()]
    for found, true in (
        (sample.mean("mood"), truth.mean()),
        (sample.mean("mood", "ill == 1"), truth[people["ill"] == 1].mean()),
        (sample.regression("mood", "ill"), truth[people["ill"] == 0].mean()),
        (sample.correlation("mood", "ill"), np.corrcoef(truth, people["ill"][mood.notna()])[0, 1]),
    ):
        assert "among those who answered mood" in found.name
        # A wrong coding of labels is off by more than 0.3.
        assert found.value[0] == pytest.approx(true, abs=0.1)
    assert sample.quantile("mood").value[0] in (3.0, 4.0)


def test_a_group_may_be_regressed_and_correlated_by_itself():
    people, rng = answers(20_000)
    people["old"] = rng.integers(0, 2, len(people))
    people.loc[people["old"] == 1, "mood"] = 3
    schema = dn.Schema(
        {"mood": dn.KRR(dn.Integer(1, 5), 0.8), "ill": dn.KRR(dn.Binary(), 0.8), "old": dn.KRR(dn.Binary(), 0.9)}
    )
    sample = dn.Sample(schema.randomise(people, rng), schema)
    inside = people[people["old"] == 0]
    for found, true in (
        (sample.correlation("mood", "ill", "old == 0"), np.corrcoef(inside["mood"], inside["ill"])[0, 1]),
        (sample.covariance("mood", "ill", where="old == 0"), np.cov(inside["mood"], inside["ill"], ddof=0)[0, 1]),
    ):
        assert found.value[0] == pytest.approx(true, abs=0.05)
        assert "where old == 0" in found.name
    assert sample.correlation("mood", "ill").value[0] > sample.correlation("mood", "ill", "old == 0").value[0] + 0.05


def test_conditions_on_a_rating_take_numbers_too():
    _, sample = twice(dn.Ordinal(RATING), dn.Nominal(["no", "yes"]))
    for number, text in (
        ("mood >= 4", "mood in ('4', '5')"),
        ("mood == 3", "mood == '3'"),
        ("2 < mood < 4.5", "mood in ('3', '4')"),
    ):
        assert sample.count(number).value == pytest.approx(sample.count(text).value)
    for wrong, says in (("mood == 6", "cannot be 6"), ("ill > 0", "has no order")):
        with pytest.raises(ParameterError, match=says):
            sample.count(wrong)


@pytest.mark.parametrize(
    "domain",
    [
        dn.Nominal(["1", "2", "3"]),
        dn.Ordinal(["1", "2", "many"]),
        dn.Ordinal(["1", "nan"]),
        dn.Ordinal(["1_0", "2"]),
        dn.Nominal(["no", "yes", "perhaps"]),
        dn.Nominal(["F", "M"]),
    ],
)
def test_names_and_words_have_no_mean(domain):
    schema = dn.Schema({"a": dn.KRR(domain, 0.8)})
    sample = dn.Sample(pd.DataFrame({"a": list(domain.labels) * 10}), schema)
    for ask in (sample.mean, sample.quantile):
        with pytest.raises(ParameterError, match="holds words") as refused:
            ask("a")
        assert ("without an order" in str(refused.value)) == (domain.labels == ("1", "2", "3"))


@pytest.mark.statistical
@pytest.mark.parametrize(
    "design", [lambda domain: dn.KRR(domain, 0.7), lambda domain: dn.Neighbours(domain, [0.6, 0.15, 0.05])]
)
def test_a_rating_that_may_be_left_open_is_answered_like_a_number(design):
    """`Optional` adds a label to the ordered ones; the same reports as whole numbers answer all questions alike."""
    people, rng = answers()
    people["mood"] = people["mood"].astype("Int64").mask(rng.random(len(people)) < 0.2)
    numbers = dn.Schema({"mood": dn.Optional(design(dn.Integer(1, 5)), 0.9)})
    reports = numbers.randomise(people[["mood"]], rng)
    words = dn.Schema({"mood": dn.Optional(design(dn.Ordinal(RATING)), 0.9)})
    written = pd.DataFrame({"mood": reports["mood"].astype("string").fillna("no answer")})
    as_numbers, as_words = dn.Sample(reports, numbers), dn.Sample(written, words)
    for ask in (
        lambda s: s.mean("mood"),
        lambda s: s.mean("mood", target="respondents"),
        lambda s: s.quantile("mood", 0.5),
        lambda s: s.count("mood >= 4"),
    ):
        one, other = ask(as_numbers), ask(as_words)
        assert one.value == pytest.approx(other.value)
        assert np.allclose(one.interval(), other.interval())


def test_names_that_may_be_left_open_have_no_order():
    schema = dn.Schema({"party": dn.Optional(dn.KRR(dn.Nominal(["left", "right"]), 0.8), 0.9)})
    sample = dn.Sample(pd.DataFrame({"party": ["left", "right", "no answer"] * 20}), schema)
    with pytest.raises(ParameterError, match="'party' has no order"):
        sample.count("party >= 'right'")
