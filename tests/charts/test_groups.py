"""Groups as small multiples, long and Polish words, and what no picture may show: a point off its line, a share beyond 0 and 100%."""

from __future__ import annotations

import contextlib
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deniable as dn
from deniable.charts import Group, grouped_chart, save
from deniable.charts.decision_tree import decision_tree_chart
from deniable.charts.groups import MOST_GROUPS
from deniable.charts.layout import LABEL_LIMIT, text_width, wrap
from deniable.charts.save import _named
from deniable.charts.tradeoff import tradeoff_chart
from deniable.charts.tree import tree_chart
from deniable.core.estimate import Estimate
from deniable.core.question_texts import QuestionTexts
from deniable.errors import NoIntervalError

LONG = [
    "Nie, nigdy w życiu nie paliłem papierosów ani innych wyrobów tytoniowych, także elektronicznych",
    "Tak, codziennie, co najmniej od roku, zwykle więcej niż dziesięć papierosów każdego dnia tygodnia",
    "Zażółć gęślą jaźń",
]


def texts_of(chart, tmp_path) -> list[str]:
    svg = ET.fromstring(save(chart, tmp_path / "picture.svg").read_bytes())
    return ["".join(node.itertext()) for node in svg.iter("{http://www.w3.org/2000/svg}text")]


def rows_of(chart) -> list[dict]:
    return [row for rows in chart.to_dict()["datasets"].values() for row in rows if "value" in row]


def by_district(sizes=(60, 40, 2), labels=("no", "yes"), **options) -> Estimate:
    districts = ["Śródmieście", "Łagów", "Wola"]
    count = len(districts) * len(labels)
    return Estimate(
        np.full(count, 1 / len(labels)), [(district, label) for district in districts for label in labels], n=102, method="joint",
        covariance=np.eye(count) / 400, name="smokes by district", whole=len(labels), group_sizes=np.repeat(sizes, len(labels)), **options,
    )  # fmt: skip


def test_every_group_is_a_panel_with_its_size_and_small_ones_are_named_beneath(tmp_path):
    chart = by_district().plot()
    panels = chart.to_dict()["vconcat"][0]["concat"]
    assert [panel["title"]["text"] for panel in panels] == ["Śródmieście", "Łagów"]
    assert [panel["title"]["subtitle"] for panel in panels] == [["estimated size: 60 of 102"], ["estimated size: 40 of 102"]]
    shown = texts_of(chart, tmp_path)
    assert "Not drawn – Wola: too few answers (2)." in shown
    assert shown.count("estimate with 95% interval") == 1
    assert not any("(" in text and "'" in text for text in shown)
    assert {row["label"] for row in rows_of(chart)} == {"no", "yes"}


def test_panels_have_the_same_axis():
    groups = [Group("a", [0.9, 0.1], [0.8, 0.0], [1.0, 0.2]), Group("b", [0.5, 0.5], [0.4, 0.4], [0.6, 0.6])]
    panels = grouped_chart(["no", "yes"], groups).to_dict()["vconcat"][0]["concat"]
    domains = {tuple(panel["layer"][0]["encoding"]["y"]["scale"]["domain"]) for panel in panels}
    assert len(domains) == 1
    assert domains.pop()[1] >= 1.0


def test_of_very_many_groups_the_largest_are_drawn_and_that_is_said(tmp_path):
    groups = [Group(f"g{i}", [0.5, 0.5], size=i) for i in range(MOST_GROUPS + 6)]
    chart = grouped_chart(["no", "yes"], groups)
    names = [panel["title"]["text"] for panel in chart.to_dict()["vconcat"][0]["concat"]]
    assert names == [f"g{i}" for i in range(6, MOST_GROUPS + 6)]
    assert f"Only the {MOST_GROUPS} largest of {MOST_GROUPS + 6} groups are drawn." in chart.description


def test_a_cross_table_is_panels_of_its_first_attribute(tmp_path):
    schema = dn.Schema({"kids": dn.Identity(dn.Integer(0, 2)), "town": dn.Identity(dn.Nominal(["Łódź", "Gdańsk"]))})
    data = pd.DataFrame({"kids": [0, 0, 1] * 40 + [2], "town": ["Łódź", "Gdańsk", "Łódź"] * 40 + ["Łódź"]})
    shown = texts_of(dn.Sample(data, schema).crosstab("kids", "town").plot(), tmp_path)
    assert {"kids: 0", "kids: 1", "Łódź", "Gdańsk", "estimated size: 80 of 121"} <= set(shown)
    assert "Not drawn – 2: too few answers (1)." in shown


def test_a_group_that_nobody_is_in_does_not_hide_the_others():
    schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75), "town": dn.Identity(dn.Nominal(["x", "y", "z"]))})
    sample = dn.Sample(pd.DataFrame({"a": [0, 1] * 50, "town": ["x", "y"] * 50}), schema)
    for method in ("joint", "em"):
        found = sample.distribution("a", by="town", method=method)
        assert {group for group, _ in found.labels} == {"x", "y"}
        assert any("nobody" in note and "'z'" in note for note in found.notes)


def test_numbers_are_grouped_by_bins():
    schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75), "age": dn.Identity(dn.Integer(0, 99))})
    sample = dn.Sample(pd.DataFrame({"a": [0, 1] * 100, "age": np.arange(200) % 100}), schema)
    found = sample.distribution("a", by="age", by_bins=[0, 50, 99])
    assert [label[0] for label in found.labels[::2]] == ["[0, 50)", "[50, 99]"]
    assert found.value.reshape(2, 2).sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("labels", [LONG, [*LONG[:2], "x" * 200]])
def test_whole_questions_as_labels_are_wrapped_not_cut(labels, tmp_path):
    shown = texts_of(by_district(labels=labels).plot(), tmp_path)
    assert "…" not in "".join(shown)
    for label in labels[:2]:
        assert " ".join(wrap(label, LABEL_LIMIT - 10)) == label
        assert label in shown or "".join(wrap(label, LABEL_LIMIT - 10)) in shown


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=150).filter(str.strip), st.integers(60, 400))
def test_no_line_is_wider_than_asked_and_no_letter_is_lost(text, pixels):
    lines = wrap(text, pixels)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(text_width(line) <= pixels for line in lines)


def test_trees_wrap_long_texts(tmp_path):
    node = {"x": 0.0, "y": 0.0, "text": LONG[0], "class": LONG[1], "rows": 4.0, "share": 1.0, "leaf": True}
    shown = " ".join(texts_of(decision_tree_chart([node], []), tmp_path))
    group = {"node": 0, "parent": None, "depth": 0, "question": LONG[0] * 2, "rows": 9, "deniability": 1.0, "answers": LONG[1] * 2,
             "folded": False}  # fmt: skip
    assert "…" not in shown + " ".join(texts_of(tree_chart([group]), tmp_path))


SHARE = st.floats(-0.5, 1.5)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(SHARE, SHARE), min_size=2, max_size=5),
    st.booleans(),
    st.booleans(),
    st.integers(2, 400),
    st.floats(0.0, 0.3),
)
def test_no_point_is_off_its_line_and_no_share_beyond_0_and_1(values, grouped, whole, people, error):
    flat = [share for pair in values for share in pair] if grouped else [share for share, _ in values]
    labels = [(f"g{i}", name) for i in range(len(values)) for name in ("no", "yes")] if grouped else list(range(len(values)))
    estimate = Estimate(
        flat, labels, n=people, method="joint", covariance=np.eye(len(flat)) * error**2, name="x",
        whole=(2 if grouped else len(flat)) if whole else 1, group_sizes=np.full(len(flat), people) if grouped and people >= 5 else None,
        # Intervals of some methods are not around their points.
        ends=(lambda level: (np.full(len(flat), 0.4), np.full(len(flat), 0.6))) if error > 0.15 else None,
    )  # fmt: skip
    rows: list[dict] = []
    with contextlib.suppress(NoIntervalError):  # all groups may have too few people
        rows = rows_of(estimate.plot())
    for row in rows:
        assert 0.0 <= row["low"] <= row["value"] <= row["high"] <= 1.0


def test_a_band_holds_its_point():
    estimate = Estimate([0.5], ["a"], n=9, method="em", resample=lambda rng, draws: 0.7 + 0.1 * rng.random((draws, 1)))
    [row] = rows_of(estimate.plot())
    assert row["low"] <= 0.5 <= row["high"]


def polish() -> QuestionTexts:
    labels = {"no": {"pl": LONG[0], "en": "No"}, "yes": {"pl": LONG[1], "en": "Yes"}}
    towns = {name: {"pl": f"Dzielnica {name}", "en": f"District {name}"} for name in ("Śródmieście", "Łagów")}
    return QuestionTexts(
        ["pl", "en"],
        {
            "smokes": {"title": {"pl": "Czy pali Pan/Pani?", "en": "Do you smoke?"}, "labels": labels},
            "district": {"title": {"pl": "Gdzie Pan/Pani mieszka?", "en": "Where do you live?"}, "labels": towns},
        },
    )


def test_pictures_speak_in_the_words_of_the_survey(tmp_path):
    estimate = by_district(sizes=(1234, 40, 2))
    estimate.attributes, estimate.n = ("district", "smokes"), 5678
    told = estimate.in_words(polish())
    shown = texts_of(told.plot(0.9), tmp_path)
    assert "„Czy pali Pan/Pani?” według „Gdzie Pan/Pani mieszka?”" in shown
    assert {"Dzielnica Śródmieście", "szacowana liczebność: 1\xa0234 z 5\xa0678", "udział"} <= set(shown)
    assert "oszacowanie i przedział ufności 90%" in shown
    assert "50,0%" in told.plot().description
    assert _named("<html><head>", told.plot()).startswith('<html lang="pl">')
    assert estimate.in_words(polish(), "en").labels[0] == ("District Śródmieście", "No")


def test_axes_have_the_decimal_comma(tmp_path):
    small = Estimate([0.011, 0.012], ["no", "yes"], n=9, method="joint", covariance=np.eye(2) * 1e-8, name="x")
    small.attributes = ("smokes",)
    shown = texts_of(small.in_words(polish()).plot(), tmp_path)
    assert any(text == "0,5%" or text == "0,2%" for text in shown), shown


def test_two_answers_of_the_same_text_stay_apart():
    texts = QuestionTexts(["en"], {"a": {"title": {"en": "A"}, "labels": {"1": {"en": "other"}, "2": {"en": "other"}}}})
    assert [texts.questions()["a"].label(label) for label in ("1", "2")] == ["other (1)", "other (2)"]


def test_labels_of_points_that_lie_on_each_other_are_told_together():
    curve = [(0.95, 0.31, "0.05"), (0.949, 0.311, "0.1"), (0.8, 0.3, "0.4")]
    chart = tradeoff_chart({"tree": curve}, x="posterior", y="accuracy", lines={"true answers": 0.335, "most frequent": 0.33})
    drawn = chart.to_dict()
    told = [row["told"] for rows in drawn["datasets"].values() for row in rows if "told" in row]
    assert set(told) == {"0.05, 0.1", "", "0.4"}
    # Lines that lie near each other are named on different sides.
    named = [
        layer["mark"] for layer in drawn["layer"] if layer["mark"]["type"] == "text" and layer["mark"].get("align") == "left"
    ]
    assert {mark["baseline"] for mark in named} == {"top", "bottom"}
