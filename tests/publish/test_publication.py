"""Whole tables: several sensitive columns, reports, and the comparison with randomised response."""

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import deniable as dn
from deniable.charts import save
from deniable.errors import DataError, ParameterError
from deniable.publish.comparison import Comparison, krr_at
from deniable.publish.encoding import PublishingWarning


def patients(rows=600, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(20, 80, rows), "ill": "no", "town": rng.choice(list("ABC"), rows), "poor": "no"})
    frame["ill"] = np.where(rng.random(rows) < frame.age / 100, "yes", "no")
    frame["poor"] = np.where(rng.random(rows) < np.where(frame.ill == "yes", 0.7, 0.2), "yes", "no")
    return frame


@pytest.mark.statistical
def test_columns_hidden_one_after_the_other_never_use_hidden_true_answers():
    frame = patients()
    found = dn.publish_frame(frame, ["ill", "poor"], 0.3, min_rows=20, shuffle=False)
    first, second = found.trees
    assert first.feature_names_in_.tolist() == ["age", "town"]
    assert second.feature_names_in_.tolist() == ["age", "town", "ill"]
    # What the second tree was fitted to is the published column, not the true one.
    known = found.data[["age", "town", "ill"]]
    assert (second.apply(known) == second.apply(known.assign(ill=found.data["ill"]))).all()
    counts = np.bincount(second.apply(known), minlength=second.tree_.nodes)
    assert (counts[second.leaves_] == second.tree_.flat.counts[second.leaves_].sum(axis=1)).all()
    assert list(found.data.columns) == list(frame.columns)
    pd.testing.assert_frame_equal(found.data[["age", "town"]], frame[["age", "town"]])
    for name in ("ill", "poor"):
        assert (found.data[name] != frame[name]).any()


def test_columns_hidden_jointly_are_one_tree_in_which_each_keeps_the_minimum():
    frame = patients(1000, 1)
    found = dn.publish_frame(frame, ["ill", "poor"], 0.3, joint=True, min_rows=20)
    (tree,) = found.trees
    assert tree.leaf_deniability().shape[1] == 3
    assert tree.leaf_deniability().min() >= 0.3 - 1e-9
    # Jointly drawn answers keep how the two are related.
    together = pd.crosstab(found.data.ill, found.data.poor, normalize="index")
    assert together.loc["yes", "yes"] > together.loc["no", "yes"] + 0.2


def test_dropped_columns_are_gone_and_shuffled_rows_stay_whole():
    frame = patients()
    found = dn.publish_frame(pl.from_pandas(frame), "ill", 0.3, drop=["poor"])
    assert isinstance(found.data, pl.DataFrame)
    assert found.data.columns == ["age", "ill", "town"]
    assert sorted(found.data.select("age", "town").rows()) == sorted(map(tuple, frame[["age", "town"]].to_numpy().tolist()))
    assert found.data["age"].to_list() != frame["age"].tolist()


def test_an_index_that_may_identify_people_is_refused():
    with pytest.raises(DataError, match="index"):
        dn.publish_frame(patients().rename_axis("patient"), "ill", 0.3)
    with pytest.raises(DataError, match="index"):
        dn.publish_frame(patients().set_axis([f"p{i}" for i in range(600)]), "ill", 0.3)


def test_wrong_names_are_refused():
    frame = patients()
    with pytest.raises(DataError, match="no column 'sick'"):
        dn.publish_frame(frame, "sick")
    with pytest.raises(ParameterError, match="drop names"):
        dn.publish_frame(frame, "ill", drop=["ill"])
    with pytest.raises(ParameterError, match="different"):
        dn.publish_frame(frame, ["ill", "ill"])
    with pytest.raises(DataError, match="nothing to divide people by"):
        dn.publish_frame(frame[["ill"]], "ill")


def test_the_description_has_method_parameters_guarantees_version_and_no_seed():
    found = dn.publish_frame(patients(), "ill", 0.3, rng=np.random.default_rng(12345))
    text = json.dumps(found.to_dict())
    content = json.loads(text)
    assert content["version"] == dn.__version__
    assert content["columns"][0]["parameters"]["min_deniability"] == 0.3
    own = content["columns"][0]["guarantees"]
    assert own["checks"][0] == {"name": "deniability", "passed": True, "tested": own["checks"][0]["tested"]}
    assert own["checks"][0]["tested"] == "every group has a deniability of at least 0.3: a minority of at least 5.3%"
    assert "12345" not in text
    assert "seed" not in text
    assert '"rows":' not in json.dumps(content["columns"][0]["guarantees"]["checks"])


def test_the_page_stands_alone_escapes_labels_and_says_unsafe_in_words():
    frame = patients().replace({"town": {"A": "<script>alert(1)</script>"}})
    found = dn.publish_frame(frame, "ill", 0.05)
    page = found.to_html()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")
    assert "prefers-color-scheme: dark" in page
    assert ("NOT SAFE" in page) == (not found.passed)
    assert not found.passed
    assert "rows " in page
    assert repr(found).startswith("Published: ill")


def test_randomised_response_is_given_the_same_worst_posterior():
    for posterior in (0.75, 0.9, 0.99):
        for whole in (np.array([0.7, 0.3]), np.array([0.2, 0.5, 0.3])):
            channel = krr_at(posterior, whole)
            reached = dn.privacy.worst_posterior(channel, whole).after
            assert reached <= posterior + 1e-12
            assert reached == pytest.approx(posterior, abs=2e-3)
    assert krr_at(1.0, np.array([0.5, 0.5])).epsilon == np.inf


@pytest.mark.statistical
def test_the_comparison_measures_both_at_the_same_posterior_and_draws_them(tmp_path):
    frame = patients(400, 2)
    found = dn.compare_publishing(
        frame[["age", "town"]], frame["ill"], levels=[0.3], folds=2, rng=np.random.default_rng(0), min_rows=20
    )
    table = found.to_frame()
    assert table["method"].tolist() == ["tree", "KRR"]
    tree, krr = table[table.method == "tree"], table[table.method == "KRR"]
    assert krr["worst_posterior"].to_numpy() == pytest.approx(tree["worst_posterior"].to_numpy(), abs=2e-3)
    # Anyone who knows the groups learns more from randomised response than from the tree's draws.
    assert (krr["posterior_knowing_groups"].to_numpy() > tree["worst_posterior"].to_numpy()).all()
    assert ((table["mean"] > 0.3) & (table["mean"] <= 1)).all()
    assert "worst-case posterior" in found.verdict
    assert save(found.plot(), tmp_path / "both.svg").read_text().count("randomised response") >= 1


def test_one_column_to_drop_may_be_a_word_and_a_list_in_one_word_is_explained():
    assert list(dn.publish_frame(patients(), "ill", drop="poor").data.columns) == ["age", "ill", "town"]
    with pytest.raises(DataError, match=r"one by one: drop=\['town', 'poor'\]"):
        dn.publish_frame(patients(), "ill", drop="town, poor")


@pytest.mark.statistical
def test_the_owner_alone_is_told_which_mix_an_epsilon_takes():
    frame = patients()
    found = dn.publish_frame(frame, "ill", 0.3, mix=0.2)
    assert found.epsilon > 6
    words = found.guarantees[0].overall["mix_in_words"]
    needed = float(re.search(r"would have to be ([0-9.]+):", words)[1])
    assert dn.publish_frame(frame, "ill", 0.3, mix=needed).guarantees[0].overall["mix_in_words"] == ""
    assert dn.publish_frame(frame, "ill", 0.3, mix=needed).epsilon <= 6
    assert words in " ".join(repr(found).split())
    assert "would have to be" not in str(found.to_dict())
    assert found.to_dict()["epsilon"] is None
    assert str(found.epsilon) not in str(found.to_dict())


def test_columns_that_are_published_true_are_named_to_everyone():
    found = dn.publish_frame(patients(), "ill", recode=True, drop="town")
    assert found.as_they_are == found.to_dict()["published_as_they_are"] == ["poor"]
    said = (
        "Published as they are: poor. Published true, only coarser: age. "
        "If one of them is sensitive too, hide it as well, or leave it out."
    )
    assert said in " ".join(repr(found).split())
    assert said in found.to_html()


@pytest.mark.statistical
def test_people_are_not_divided_by_a_column_that_identifies_them():
    rng = np.random.default_rng(3)
    frame = patients().assign(pay=rng.lognormal(8, 0.5, 600).round(2))
    frame["ill"] = np.where(rng.random(600) < np.where(frame["pay"] > 3000, 0.7, 0.3), "yes", "no")
    found = dn.publish_frame(frame, "ill")
    assert "pay" not in found.trees[0].export_text()
    check = next(own for own in found.guarantees[0].checks if own.name == "identifiers")
    assert check.found.endswith("No group was made by them")
    assert check.named == "all rows"
    # The tree of the paper may; and made coarser it divides people here too.
    alone = dn.DeniabilityTree(0.1, min_rows=20).fit(frame[["pay"]], frame["ill"])
    assert "pay" in alone.export_text()
    assert "pay" in dn.publish_frame(frame, "ill", recode=True).trees[0].export_text()


def test_a_wrong_parameter_and_the_name_of_a_file_are_explained():
    with pytest.raises(ParameterError, match=r"no parameter 'min_denial'\. Is min_deniability meant\?"):
        dn.publish_frame(patients(), "ill", min_denial=0.3)
    with pytest.raises(DataError, match=r"got the name of a file: 'patients\.csv'\. Read it first"):
        dn.publish_frame("patients.csv", "ill")


@pytest.mark.statistical
def test_a_minimum_beyond_the_whole_names_one_that_is_possible_and_how_many_rows_to_merge():
    frame = patients(1000).assign(ill=["flu"] * 500 + ["cold"] * 300 + ["gout"] * 150 + ["rabies"] * 30 + ["plague"] * 20)
    with pytest.raises(ParameterError) as caught:
        dn.publish_frame(frame, "ill", 0.9)
    less, merge = caught.value.parameters["less"], caught.value.parameters["merge"]
    assert f"Ask for {less} or less, or put rare answers together ({merge})" in str(caught.value)
    assert dn.publish_frame(frame, "ill", less.value).trees[0].min_deniability == less.value
    assert dn.publish_frame(frame, "ill", 0.9, merge_rare=merge.value).trees[0].min_deniability == 0.9
    with pytest.raises(ParameterError) as caught:
        dn.publish_frame(patients().assign(ill=["no"] * 560 + ["yes"] * 40), "ill", 0.9)
    assert "rare answers" not in str(caught.value)


def test_a_comparison_says_what_guessing_would_reach():
    rows = [{"min_deniability": 0.1, "method": method, "mean": 0.5} for method in ("tree", "KRR")]
    below = Comparison(rows, {"tree": 0.55}, 0.6, "ill").verdict
    assert "do worse than always guessing the most frequent answer (60.0%), and so do" in below
    assert "guessing" not in Comparison(rows, {"tree": 0.55}, 0.4, "ill").verdict


def test_true_columns_that_are_only_coarser_are_named_beside_those_that_are_not():
    """A forgotten sensitive column goes out true also in bands."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["F", "M"], 600),
            "illness": rng.choice(["none", "asthma", "diabetes"], 600, p=[0.6, 0.2, 0.2]),
            "pay": rng.normal(5_000, 900, 600).round(2),
            "debt": rng.choice(["no", "yes"], 600, p=[0.8, 0.2]),
        }
    )
    found = dn.publish_frame(frame, "debt", recode=True, merge_rare={"illness": 200})
    assert found.as_they_are == ["sex"]
    assert found.coarser == found.to_dict()["published_coarser"] == ["illness", "pay"]
    said = " ".join(found.to_text().split())
    assert "Published as they are: sex. Published true, only coarser: illness, pay. If one of them is sensitive too" in said
    assert "Published true, only coarser: illness, pay." in found.to_html()


def test_names_of_people_and_their_numbers_identify_though_some_recur():
    rng = np.random.default_rng(5)
    rows = 1_000
    numbers = rng.integers(40_000_000_000, 99_999_999_999, rows)
    numbers[:3] = numbers[3:6]  # three people stand twice
    frame = pd.DataFrame(
        {
            "name": [f"name {k}" for k in rng.integers(0, 300, rows)],
            "number": numbers,
            "town": rng.choice(["A", "B"], rows),
            "debt": rng.choice(["no", "yes"], rows),
        }
    )
    with pytest.warns(PublishingWarning, match="'number' has a different value in"):
        found = dn.publish_frame(frame, "debt")
    check = next(check for check in found.guarantees[0].checks if check.name == "identifiers")
    assert not check.passed
    assert set(check.columns) == {"name", "number"}
    with pytest.warns(PublishingWarning, match="'number'"):
        recoded = dn.publish_frame(frame, "debt", recode=True)
    assert "number" in recoded.as_they_are  # bands of such numbers would be birth years: it has to go
    assert "name" not in recoded.data  # every name is rare
