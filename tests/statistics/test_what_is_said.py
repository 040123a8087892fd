"""What is said beside numbers: counted or estimated, both sides of a difference, digits, and remarks that spare a question."""

import re

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.core.estimate import Estimate
from deniable.core.polish import Polish
from deniable.statistics.remarks import TWO_METHODS, only_labels, with_remarks
from deniable.statistics.smoothed import SMOOTHED

SILENT = "no answer"
SCHEMA = dn.Schema(
    {
        "rating": dn.KRR(dn.Ordinal(["1", "2", "3", "4", "5"], missing=SILENT), 0.7),
        "district": dn.Identity(dn.Nominal(["N", "S", "E", "W"], missing=SILENT)),
        "sex": dn.KRR(dn.Nominal(["F", "M"], missing=SILENT), 0.9),
        "x": dn.KRR(dn.Nominal(["no", "yes"], missing=SILENT), 0.85),
        "age": dn.Identity(dn.Integer(18, 90)),
    }
)


@pytest.fixture(scope="module")
def people():
    """604 people, most of whom answer; women say yes less often."""
    rng = np.random.default_rng(5)
    sex = rng.choice(["F", "M"], 604)
    return pd.DataFrame(
        {
            "rating": rng.choice(["1", "2", "3", "4", "5"], 604, p=[0.1, 0.1, 0.1, 0.1, 0.6]),
            "district": rng.choice(list("NSEW"), 604, p=[0.4, 0.3, 0.2, 0.1]),
            "sex": sex,
            "x": np.where(rng.random(604) < np.where(sex == "F", 0.2, 0.7), "yes", "no"),
            "age": rng.integers(18, 91, 604),
        }
    )


@pytest.fixture(scope="module")
def sample(people):
    return dn.Sample(SCHEMA.randomise(people, np.random.default_rng(6)), SCHEMA)


@pytest.mark.statistical
def test_no_more_people_answer_than_live_in_an_open_district(people):
    """Everybody answers; by chance more of a district are estimated to have answered than live there."""
    lives = people["district"].value_counts()
    beyond = 0
    for seed in range(8):
        found = dn.Sample(SCHEMA.randomise(people, np.random.default_rng(seed)), SCHEMA).mean("rating", by="district")
        sizes = dict(zip(found.labels, found.group_sizes, strict=True))
        assert all(sizes[name] <= lives[name] for name in "NSEW")
        beyond += sum(sizes[name] == lives[name] for name in "NSEW")
        assert not found.sizes_known
    assert beyond, "the cap was never needed"
    assert "an estimated" in repr(found)


@pytest.mark.statistical
def test_open_groups_have_known_sizes(sample, people):
    known = sample.share("x == 'yes'", among="district == 'N'")
    assert known.sizes_known
    assert f", {(people['district'] == 'N').sum()} of them in the group" in known.caption
    assert "estimated" not in known.caption
    assert not sample.share("x == 'yes'", among="sex == 'F'").sizes_known
    assert sample.mean("age", by="district").sizes_known
    assert sample.distribution("x", by="district").sizes_known


def test_what_is_not_hidden_is_counted(sample, people):
    number = int((people["district"] == "N").sum())
    found = sample.count("district == 'N'")
    assert found.exact
    assert re.search(rf"count +{number}   exact\n?$", repr(found))
    assert "direct answer" not in found.caption
    assert "error bars" not in found.caption
    assert ">exact</td>" in found._repr_html_()
    for other in (sample.count("sex == 'F'"), sample.count("district == 'N'", target="population"), sample.mean("age")):
        assert not other.exact
        assert "exact" not in repr(other)


def test_both_sides_of_a_difference_are_shown(sample):
    found = sample.difference("x == 'yes'", between=("sex == 'F'", "sex == 'M'"))
    (first, women), (second, men) = found.sides
    assert (first, second) == ("sex == 'F'", "sex == 'M'")
    assert women.value[0] - men.value[0] == pytest.approx(found.value[0])
    for group, side in found.sides:
        alone = sample.share("x == 'yes'", among=group)
        assert side.value[0] == pytest.approx(alone.value[0])
        assert np.ravel(side.interval()) == pytest.approx(np.ravel(alone.interval()), abs=1e-6)
        assert f"{group}  {side.value[0]:8.4f}" in repr(found)
    assert found.comparison == "It is less frequent where sex == 'F' than where sex == 'M'."
    assert found._repr_html_().count("<tr>") == 4
    swapped = sample.difference("x == 'yes'", between=("sex == 'M'", "sex == 'F'"))
    assert swapped.comparison == "It is more frequent where sex == 'M' than where sex == 'F'."
    means = sample.difference("sex == 'F'", "sex == 'M'", of="rating")
    assert means.sides[0][1].value[0] - means.sides[1][1].value[0] == pytest.approx(means.value[0])
    assert means.comparison == ""


def test_only_what_is_compared_counts_silence(sample):
    said = f"{SILENT!r} to 'x' counts as any other answer"
    assert sample.difference("x == 'yes'", between=("sex == 'F'", "sex == 'M'")).notes == (said,)
    assert sample.share("x == 'yes'", among="sex == 'F'").notes == (said,)
    assert not sample.share("x == 'yes'", among=f"sex == 'F' and x != '{SILENT}'").notes


@pytest.mark.statistical
def test_nobody_need_be_silent(sample):
    assert not sample.mean("age", by="district").notes
    empty = dn.Schema({**SCHEMA, "district": dn.Identity(dn.Nominal(["N", "S", "E", "W", "Moon"]))})
    data, _ = sample.parts[0]
    assert dn.Sample(data, empty).mean("age", by="district").notes == ("nobody is in the group (district == 'Moon')",)
    said = Polish({}).sentence("nobody is in the group (district == 'Moon')")
    assert said == "nie ma osób, dla których district == 'Moon'"


def test_a_share_of_everyone_is_called_so_and_has_no_group(sample):
    found = sample.share("x == 'yes'")
    assert found.name == "share of everyone for whom (x == 'yes')"
    assert found.group_sizes is None
    assert Polish({}).name(found.name) == "udział osób, dla których x == 'yes', wśród wszystkich"
    weighted = sample.parts[0][0].assign(w=1.5)
    assert dn.Sample(weighted, SCHEMA, weights="w").share("x == 'yes'").group_sizes is None


def test_shares_within_groups_have_a_column_for_each_attribute(sample):
    frame = sample.distribution("x", by="district").to_frame()
    assert frame.columns.tolist()[:3] == ["district", "x", "value"]
    assert frame.loc[0, ["district", "x"]].tolist() == ["N", "no"]
    assert "label" in sample.distribution("x").to_frame()


@pytest.mark.parametrize(("text", "meant"), [("x == yes", "x == 'yes'"), ('x == "yes"', "x == 'yes'")])
def test_a_word_without_quotes_is_understood(sample, text, meant):
    with pytest.raises(dn.DeniableError, match=re.escape(f"Did you mean {meant}?")):
        sample.count(text)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("age < 300", "every possible value of 'age' is below 300 (18 to 90)"),
        ("age >= 16", "every possible value of 'age' is at least 16 (18 to 90)"),
        ("sex == 'F' and rating <= 6", "every possible value of 'rating' is at most 6 (1 to 5)"),
        ("18 <= age < 30", None),
        ("age > 18", None),
    ],
)
def test_a_condition_that_everybody_meets_is_remarked(sample, condition, said):
    notes = sample.count(condition).notes
    assert notes == (() if said is None else (said,))
    assert all("every" not in Polish({}).sentence(note) for note in notes)


def test_a_quantile_that_is_a_single_label_says_why(sample):
    found = sample.quantile("rating", 0.9)
    assert found.interval()[0] == found.interval()[1]
    [note] = found.notes
    assert note == "only 1, 2, 3, 4, 5 are possible values of 'rating', so that the interval may be a single one"
    assert "possible" not in Polish({}).sentence(note)
    assert only_labels(found, "age", SCHEMA["age"].domain) == []


@pytest.mark.parametrize(("value", "odd"), [(0.21, True), (0.3, False), (0.39, True)])
def test_a_smoothed_point_near_an_end_is_remarked(value, odd):
    ends = (np.array([0.2]), np.array([0.4]))
    found = Estimate([value], ["share"], n=100, method=SMOOTHED, covariance=[[0.01]], ends=lambda level: ends)
    assert with_remarks(["said before"], found, {}, [], None) == (("said before", TWO_METHODS) if odd else ("said before",))
    other = Estimate([value], ["share"], n=100, method="joint", covariance=[[0.01]], ends=lambda level: ends)
    assert with_remarks([], other, {}, [], None) == ()


def test_numbers_have_the_digits_that_mean_something():
    slopes = Estimate(
        [2_000.5, -0.00005], ["intercept", "income"], n=9, method="joint", covariance=np.eye(2) * 1e-12, limits=None
    )
    assert "-0.00005" in repr(slopes)
    means = Estimate([3.5, 3.72], ["a", "b"], n=9, method="joint", covariance=np.eye(2) * 0.09, limits=None)
    numbers = re.findall(r"\d+\.(\d+)", repr(means))
    assert {len(digits) for digits in numbers} == {3}
    assert {len(digits) for digits in re.findall(r">\d+\.(\d+)", means._repr_html_())} == {3}


def test_columns_that_are_missing_are_named(sample, run, tmp_path):
    data = sample.parts[0][0].drop(columns=["sex", "age"])
    said = "The schema also has 'sex', 'age', which the data has no column for: is it the schema of this data?"
    assert said in repr(dn.Sample(data, SCHEMA))
    assert "no column for" not in repr(sample)
    data.to_csv(tmp_path / "r.csv", index=False)
    SCHEMA.save(tmp_path / "r.schema.json")
    assert said in repr(dn.read(tmp_path / "r.csv"))
    code, _, err = run("count", "r.csv", "x == 'yes'")
    assert (code, err.strip()) == (0, said)
