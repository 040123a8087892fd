"""Coarser columns: what was asked for, the usual, and until enough rows share every combination; the answers play no part in it."""

import itertools
import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import deniable as dn
from deniable.errors import DataError, ParameterError
from deniable.publish.recoding import round_edges, width_edges


def people(rows=1500, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, rows),
            "job": rng.choice([f"job {i}" for i in range(8)], rows, p=[0.3, 0.25, 0.2, 0.15, 0.06, 0.02, 0.015, 0.005]),
            "salary": rng.lognormal(10.3, 0.5, rows).round(2),
            "sex": rng.choice(["f", "m"], rows),
        }
    )
    frame["ill"] = rng.choice(["no", "yes"], rows, p=[0.6, 0.4])
    return frame


def smallest_groups(frame):
    return [
        min(frame.groupby(list(names)).size().min() for names in itertools.combinations(frame.columns, size))
        for size in (1, 2, 3)
    ]


@pytest.mark.statistical
@pytest.mark.parametrize("shared", [2, 5, 25])
def test_at_least_so_many_rows_share_every_combination(shared):
    frame = people()
    found = dn.publish_frame(frame, "ill", min_shared=shared)
    assert found.passed
    assert min(smallest_groups(found.data.drop(columns="ill"))) >= shared
    assert found.guarantees[0].overall["limits"]["shared"] == shared
    assert found.guarantees[0].uniqueness.each[2].smallest >= shared
    assert "Recoded: salary" in repr(found)
    assert '<th scope="row" role="rowheader">salary</th><td role="cell">numbers in' in found.to_html()
    # Something is left of every column.
    assert found.data.nunique().min() >= 2


@pytest.mark.statistical
def test_the_usual_recoding_fixes_a_salary_to_the_cent_and_joins_rare_jobs():
    frame = people()
    plain = dn.publish_frame(frame, "ill")
    assert [own.name for own in plain.guarantees[0].failed] == ["identifiers"]
    found = dn.publish_frame(frame, "ill", recode=True, shuffle=False)
    assert found.passed
    assert set(found.data["job"]) == {f"job {i}" for i in range(5)} | {"other"}
    assert (found.data.loc[frame["job"].isin(["job 5", "job 6", "job 7"]), "job"] == "other").all()
    assert found.data["salary"].nunique() == 7
    assert found.data["sex"].equals(frame["sex"])
    # Each row is in the band of its own number, and the ends are open: nobody's largest salary is told.
    top = found.data["salary"].str.endswith(" or more")
    assert frame.loc[top, "salary"].min() >= float(found.data.loc[top, "salary"].iloc[0].split()[0])
    assert str(frame["salary"].max()) not in json.dumps(found.to_dict(rows=True))


@pytest.mark.statistical
def test_recoding_of_other_columns_does_not_depend_on_the_answers():
    frame = people(400)
    other = frame.assign(ill=np.where(np.arange(400) % 3, "yes", "no"))
    for asked in ({"recode": True}, {"min_shared": 5}):
        one, two = (dn.publish_frame(own, "ill", **asked) for own in (frame, other))
        assert [own.to_dict(True) for own in one.recodings] == [own.to_dict(True) for own in two.recodings]


def test_the_public_is_not_told_which_categories_are_hidden():
    found = dn.publish_frame(people(), "ill", recode=True)
    public, owner = json.dumps(found.to_dict()["recoded"]), json.dumps(found.to_dict(rows=True)["recoded"])
    assert "3 of 8 categories put together" in public
    assert "job 7" not in public
    assert "job 7" in owner


def test_missing_cells_stay_apart_from_rare_categories_and_from_bands():
    frame = people()
    gaps = frame.assign(job=frame["job"].where(frame.index % 150 != 0), age=frame["age"].where(frame.index % 150 != 1))
    found = dn.publish_frame(gaps, "ill", recode=True, missing="unknown", shuffle=False)
    assert (found.data["job"] == "unknown").tolist() == gaps["job"].isna().tolist()
    assert "other" in set(found.data["job"])
    said = {own.name: own.owner for own in found.recodings}
    assert "unknown" not in said["job"]
    assert re.search(r"numbers in 7 bands \(.*\), and 'unknown', chosen", said["age"])


def test_a_column_that_would_hold_one_value_is_left_out_and_said():
    frame = people().assign(sex="F")
    frame.loc[:2, "sex"] = "M"
    found = dn.publish_frame(frame, "ill", merge_rare={"sex": 1400})
    assert "sex" not in found.data
    assert "sex" not in found.as_they_are
    for told in (repr(found), json.dumps(found.to_dict())):
        assert "one value for all rows (other), so the column is left out" in " ".join(told.split())


@pytest.mark.statistical
def test_bands_and_rare_categories_can_be_chosen():
    frame = people()
    found = dn.publish_frame(
        pl.from_pandas(frame), "ill", bands={"age": 10, "salary": [20_000, 40_000]}, merge_rare={"job": 50}, shuffle=False
    )
    assert isinstance(found.data, pl.DataFrame)
    data = found.data.to_pandas()
    assert set(data["salary"]) == {"under 20000", "20000 to under 40000", "40000 or more"}
    expected = pd.cut(
        frame["salary"],
        [0, 20_000, 40_000, np.inf],
        right=False,
        labels=["under 20000", "20000 to under 40000", "40000 or more"],
    )
    assert data["salary"].tolist() == expected.astype(str).tolist()
    assert data["age"][frame["age"].between(30, 39)].unique().tolist() == ["30 to 39"]
    assert data["job"].value_counts().min() >= 50
    assert [own.name for own in found.recodings] == ["age", "job", "salary"]
    # What the owner chose is not changed by what the tool chooses.
    both = dn.publish_frame(frame, "ill", bands={"age": [50]}, min_shared=5)
    assert set(both.data["age"]) == {"under 50", "50 or more"}


def test_one_rare_category_alone_does_not_become_a_rare_other():
    frame = people(500).assign(job=["a"] * 300 + ["b"] * 197 + ["c"] * 3)
    found = dn.publish_frame(frame, "ill", merge_rare={"job": 20}, drop=["salary"], shuffle=False)
    assert found.data["job"].value_counts().to_dict() == {"a": 300, "other": 200}


@pytest.mark.parametrize(
    ("asked", "error", "text"),
    [
        ({"bands": {"job": 10}}, DataError, "holds no numbers"),
        ({"bands": {"height": 10}}, DataError, "'height'"),
        ({"bands": {"age": [30, 20]}}, ParameterError, "ascending"),
        ({"bands": {"age": -1}}, ParameterError, "width above 0"),
        ({"merge_rare": {"job": 1}}, ParameterError, "at least 2"),
        ({"merge_rare": {"boss": 5}}, DataError, "'boss'"),
        ({"min_shared": 1}, ParameterError, "at least 2"),
        ({"min_shared": 5000}, ParameterError, "only 1,500 rows"),
    ],
)
def test_recodings_that_cannot_be_are_refused(asked, error, text):
    with pytest.raises(error, match=text):
        dn.publish_frame(people(), "ill", **asked)


def test_edges_are_round_and_bands_hold_about_as_many():
    rng = np.random.default_rng(5)
    for numbers in (rng.lognormal(10, 1, 3000), rng.normal(0, 0.01, 3000), rng.integers(0, 100, 3000).astype(float)):
        for bands in (2, 5, 8):
            edges = round_edges(numbers, bands, False)
            counts = np.histogram(numbers, [-np.inf, *edges, np.inf])[0]
            assert len(edges) == bands - 1
            assert counts.min() >= 3000 / bands / 2
            assert all(len(f"{edge:.12g}".strip("-0.").replace(".", "")) <= 3 for edge in edges)
    # Where most have one number there are fewer bands, none of them empty.
    edges = round_edges(np.append(np.zeros(900), np.arange(1, 101)), 5, True)
    assert np.histogram(np.append(np.zeros(900), np.arange(1, 101)), [-np.inf, *edges, np.inf])[0].min() > 0
    assert round_edges(np.full(10, 3.0), 5, True) == []


def test_bands_of_a_width_are_open_where_few_are_left():
    ages = np.repeat([3, 25, 35, 45, 88, 101], [2, 30, 30, 30, 4, 1]).astype(float)
    assert width_edges(ages, 10, 5) == [30, 40, 50]


def test_a_sensitive_column_of_numbers_is_published_in_bands():
    frame = people()
    found = dn.publish_frame(frame, "salary", recode=True)
    assert found.passed
    assert len(found.trees[0].classes_) == 5
    assert set(found.data["salary"]) == set(found.trees[0].classes_)
    text = next(own.owner for own in found.recodings if own.name == "salary")
    assert "looking at the answers" in text
    # What is kept of it tells nobody's own band.
    assert all(not len(own.codes) for own in found.recodings)
    own = dn.publish_frame(frame, "salary", bands={"salary": [30_000]}, drop=["age"])
    assert own.trees[0].classes_ == ["under 30000", "30000 or more"]


@pytest.mark.statistical
def test_few_numbers_and_codes_stay_the_answers_they_are():
    frame = people().assign(
        marks=np.random.default_rng(2).integers(1, 7, 1500), code=np.random.default_rng(3).integers(100, 130, 1500)
    )
    assert dn.publish_frame(frame, "marks", drop=["salary"]).trees[0].classes_ == [1, 2, 3, 4, 5, 6]
    found = dn.publish_frame(frame, "code", drop=["salary"], categorical=["code"])
    assert found.trees[0].classes_ == list(range(100, 130))


def test_missing_numbers_are_a_band_of_their_own():
    frame = people().assign(age=lambda own: own["age"].where(own["age"] > 25).astype("Int64"))
    found = dn.publish_frame(frame, "ill", bands={"age": [40, 60]}, missing="unknown", drop=["salary"], shuffle=False)
    assert set(found.data["age"]) == {"under 40", "40 to 59", "60 or more", "unknown"}
    assert (found.data["age"] == "unknown").tolist() == frame["age"].isna().tolist()
