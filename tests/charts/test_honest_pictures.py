"""What pictures say beside their marks: true sizes, assumptions, scales of means, curves of many numbers, titles of one's own."""

from __future__ import annotations

import re
import struct

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.charts import distribution_chart, save
from deniable.core.estimate import Estimate
from deniable.core.question_texts import QuestionTexts
from tests.charts.test_groups import texts_of

RNG = np.random.default_rng(7)
PEOPLE = pd.DataFrame(
    {
        "region": RNG.choice(["north", "south", "rare"], 600, p=[0.6, 0.38, 0.02]),
        "ill": RNG.choice(["no", "yes", "no answer"], 600, p=[0.9, 0.08, 0.02]),
        "rating": RNG.choice(list("12345"), 600),
        "income": RNG.integers(10, 60, 600),
    }
)
SCHEMA = dn.Schema(
    {
        "region": dn.Identity(dn.Nominal(["north", "south", "rare"])),
        "ill": dn.KRR(dn.Nominal(["no", "yes", "no answer"]), 0.5),
        "rating": dn.KRR(dn.Ordinal(list("12345"), missing="no answer"), 0.7),
        "income": dn.Additive(dn.Integer(0, 60), dn.Normal(6)),
    }
)
QUESTIONS = {
    "region": {"title": {"pl": "Gdzie Pan/Pani mieszka?"}, "labels": {}},
    "rating": {"title": {"pl": "Jak ocenia Pan/Pani autobusy?"}, "labels": {}},
    "income": {"title": {"pl": "Ile Pan/Pani zarabia?"}, "labels": {}},
}
POLISH = QuestionTexts(["pl"], QUESTIONS)


@pytest.fixture(scope="module")
def sample() -> dn.Sample:
    return dn.Sample(SCHEMA.randomise(PEOPLE, rng=np.random.default_rng(8)), SCHEMA)


@pytest.mark.parametrize("other", ["ill", "income"])
def test_sizes_of_groups_are_those_of_the_distribution(sample, tmp_path, other):
    shown = texts_of(sample.crosstab("region", other, bins={"income": 3}).plot(), tmp_path)
    by = sample.distribution("ill", by="region").group_sizes[::3]
    for size, people in zip(by, PEOPLE["region"].value_counts()[["north", "south", "rare"]], strict=True):
        assert size == people
        assert f"estimated size: {people} of 600" in shown


def test_people_who_were_not_asked_the_other_question_are_in_no_group(tmp_path):
    half = dn.Schema({"region": SCHEMA["region"]})
    parts = [(SCHEMA.randomise(PEOPLE, rng=np.random.default_rng(8)), SCHEMA), (PEOPLE[["region"]], half)]
    shown = texts_of(dn.Sample(parts).crosstab("region", "ill").plot(), tmp_path)
    assert f"estimated size: {(PEOPLE['region'] == 'north').sum()} of 600" in shown


@pytest.mark.parametrize("ask", ["distribution", "quantile", "mean"])
@pytest.mark.parametrize(
    ("texts", "says"), [(None, "Assumed: no single value of 'income'"), (POLISH, "Założono: żadnej wartości „Ile")]
)
def test_what_is_assumed_stands_under_the_picture(sample, tmp_path, ask, texts, says):
    found = getattr(sample, ask)("income")
    assert found.assumes
    chart = (found if texts is None else found.in_words(texts)).plot()
    assert says in " ".join(texts_of(chart, tmp_path))
    assert says in chart.description


def test_why_there_is_no_interval_stands_under_the_picture(tmp_path):
    band = {"no_interval": "it is biased", "resample": lambda rng, draws: rng.random((draws, 1))}
    shown = " ".join(texts_of(Estimate([0.5], ["a"], n=9, method="em", notes=["a note"], **band).plot(), tmp_path))
    assert "No confidence interval: it is biased" in shown
    assert "Note: a note." in shown


def test_the_title_of_a_mean_does_not_repeat_its_question(sample, tmp_path):
    found = sample.mean("rating", by="region").in_words(POLISH)
    assert found.name.endswith("(spośród osób, które odpowiedziały)")
    title = found.plot().title
    told = " ".join([title.text] if isinstance(title.text, str) else title.text)
    assert told == "średnia: „Jak ocenia Pan/Pani autobusy?” według „Gdzie Pan/Pani mieszka?”"
    assert ", spośród osób, które odpowiedziały" in " ".join(title.subtitle)
    assert "joint" not in " ".join(title.subtitle)
    english = sample.mean("rating", by="region").plot().title
    assert (english.text, "among those who answered rating" in " ".join(english.subtitle)) == ("mean of rating by region", True)


@pytest.mark.parametrize("grouped", [False, True])
def test_a_title_of_ones_own(sample, grouped):
    found = sample.distribution("ill", by="region") if grouped else sample.distribution("ill")
    assert found.plot(title="Chorzy").title.text == "Chorzy"


def axis_of(chart) -> list[float]:
    """The ends of the axis of numbers."""
    found = re.search(r"'scale': \{'domain': \[([-\d., ]+)\], 'nice': False\}", str(chart.to_dict()))
    return [float(end) for end in found[1].split(",")]


def test_means_are_drawn_on_the_scale_of_what_is_possible():
    def mean(value: float, error: float, limits: tuple[float, float]) -> list[float]:
        estimate = Estimate([value], ["all"], n=99, method="joint", covariance=[[error**2]], name="mean of x", limits=limits)
        return axis_of(estimate.plot())

    low, high = mean(3.2, 0.2, (1.0, 5.0))
    assert 0.5 < low < 1 < 5 < high < 5.5
    # A dot on the scale would say nothing.
    low, high = mean(25_000, 100, (0.0, 1_000_000.0))
    assert 24_000 < low < 24_804 < 25_196 < high < 26_000
    # A difference of means is compared with 0.
    found = Estimate(
        [2.0], ["difference"], n=99, method="joint", covariance=[[0.01]], name="mean of x: (a) minus (b)", limits=(-4.0, 4.0)
    )
    assert axis_of(found.plot())[0] == 0


def test_an_axis_that_does_not_begin_at_0_has_no_bars():
    def marks(zero: bool) -> list[str]:
        chart = distribution_chart(["a"], [3.0], [2.5], [3.5], as_percent=False, from_zero=zero)
        return [layer["mark"]["type"] for layer in chart.to_dict()["layer"]]

    assert "bar" in marks(True)
    assert "bar" not in marks(False)


def test_many_numbers_are_a_curve_with_a_band(sample, tmp_path):
    chart = sample.distribution("income").plot()
    width, height = struct.unpack(">II", save(chart, tmp_path / "curve.png").read_bytes()[16:24])
    assert width < 1_300
    assert height < 900
    assert "'type': 'area'" in str(chart.to_dict())
    assert "One step for each of 61 values" in " ".join(texts_of(chart, tmp_path))
    assert "'type': 'area'" not in str(sample.distribution("income", bins=10).plot().to_dict())


@pytest.mark.parametrize("grouped", [False, True])
def test_silence_beside_many_numbers_is_told_in_words(tmp_path, grouped):
    labels = [*range(40), "no answer"]
    shares = np.full(41, 1 / 41)
    both = {"n": 900, "method": "joint", "name": "x", "whole": 41}
    alone = Estimate(shares, labels, covariance=np.eye(41) / 1e6, **both)
    groups = Estimate(
        np.tile(shares, 2),
        [(group, label) for group in "ab" for label in labels],
        covariance=np.eye(82) / 1e6,
        group_sizes=[450.0] * 82,
        **both,
    )
    shown = " ".join(texts_of((groups if grouped else alone).plot(), tmp_path))
    # Lines of one text are joined without a space.
    assert re.search(r"(; ?|(?<!, ))no answer: ?2\.4% ?\(2\.\d% ?to ?2\.\d%\)", shown)


def test_a_picture_says_like_a_table_why_a_group_is_not_drawn(tmp_path):
    wide = {"ends": lambda level: (np.array([0.0, 0.0, 0.4, 0.4]), np.array([1.0, 1.0, 0.6, 0.6]))}
    labels = [(group, label) for group in ("no answer", "north") for label in ("no", "yes")]
    found = Estimate(
        [0.5] * 4,
        labels,
        n=100,
        method="joint",
        covariance=np.eye(4) / 100,
        whole=2,
        group_sizes=[8.0, 8.0, 92.0, 92.0],
        **wide,
    )
    assert found.said_instead[:2] == ["cannot be told"] * 2
    assert "Not drawn – no answer: cannot be told." in texts_of(found.plot(), tmp_path)
