"""Who is alone with the values of their other columns: counted as pandas counts it, and never on the answers."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.publish import singled_out
from deniable.publish.checks.limits import Limits
from deniable.publish.singled_out import shared_by, uniqueness


def people(rows=800, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, rows),
            "town": rng.choice(["north", "south", "east"], rows),
            "job": rng.choice([f"job {i}" for i in range(9)], rows),
            "sex": rng.choice(["f", "m"], rows),
        }
    )
    frame["ill"] = rng.choice(["no", "yes"], rows, p=[0.6, 0.4])
    return frame


def alone_by_pandas(frame, size, fewer_than):
    alone = pd.Series(False, index=frame.index)
    smallest = len(frame)
    for names in itertools.combinations(frame.columns, size):
        count = frame.groupby(list(names))[names[0]].transform("size")
        alone |= count < fewer_than
        smallest = min(smallest, count.min())
    return np.flatnonzero(alone), smallest


@pytest.mark.statistical
@pytest.mark.parametrize("shared", [1, 4])
def test_rows_and_smallest_groups_are_those_of_an_independent_count(shared):
    frame = people()
    found = dn.publish_frame(frame, "ill", limits=Limits(shared=shared)).guarantees[0]
    assert [own.columns for own in found.uniqueness.each] == [1, 2, 3]
    for own in found.uniqueness.each:
        rows, smallest = alone_by_pandas(frame.drop(columns="ill"), own.columns, max(2, shared))
        assert own.rows.tolist() == rows.tolist()
        assert own.smallest == smallest
    assert found.uniqueness.each[2].worst == ("age", "town", "job")


@pytest.mark.statistical
def test_it_is_said_in_the_verdict_the_report_and_the_json_but_fails_only_where_a_limit_was_set():
    frame = people()
    found = dn.publish_frame(frame, "ill")
    check = next(own for own in found.guarantees[0].checks if own.name == "singled out")
    alone = len(alone_by_pandas(frame.drop(columns="ill"), 3, 2)[0])
    assert (found.passed, check.passed, check.state) == (True, True, "note")
    assert f"But {alone} of 800 rows" in found.verdict
    assert f"{alone} rows" in repr(found)
    assert "by three other columns together" in found.to_html()
    for rows in (True, False):
        own = json.loads(json.dumps(found.to_dict(rows)))["columns"][0]["guarantees"]["uniqueness"]["each"][2]
        assert (own["rows_singled_out"], own["most_by"], own["smallest_group"]) == (alone, ["age", "town", "job"], 1)
    failed = dn.publish_frame(frame, "ill", limits=Limits(shared=2))
    assert [own.name for own in failed.guarantees[0].failed] == ["singled out"]
    assert len(failed.guarantees[0].failed[0].rows) == alone


def test_nobody_is_called_alone_where_nobody_is():
    frame = pd.DataFrame({"town": ["A", "B"] * 100, "sex": ["f", "f", "m", "m"] * 50, "ill": (["yes"] * 4 + ["no"] * 4) * 25})
    found = dn.publish_frame(frame, "ill", shuffle=True)
    assert "But" not in found.verdict
    assert next(own for own in found.guarantees[0].checks if own.name == "singled out").state == "ok"


@pytest.mark.statistical
def test_drawn_answers_are_no_column_to_be_found_by():
    frame = people(200).assign(poor=np.random.default_rng(3).choice(["no", "yes"], 200))
    found = dn.publish_frame(frame, ["ill", "poor"])
    for own in found.guarantees:
        assert not {"ill", "poor"} & {name for each in own.uniqueness.each for name in each.worst}
        assert own.uniqueness.each[2].rows.tolist() == alone_by_pandas(frame[["age", "town", "job", "sex"]], 3, 2)[0].tolist()


@pytest.mark.statistical
def test_what_is_counted_does_not_depend_on_the_answers():
    frame = people(300)
    other = frame.assign(ill=frame["ill"].map({"yes": "no", "no": "yes"}))
    public = [dn.publish_frame(own, "ill").to_dict()["columns"][0]["guarantees"]["uniqueness"] for own in (frame, other)]
    assert public[0] == public[1]


def test_where_there_are_too_many_columns_the_rest_is_named(monkeypatch):
    monkeypatch.setattr(singled_out, "MOST_WORK", 300 * 15)
    rng = np.random.default_rng(0)
    codes = [rng.integers(0, 2 + at, 300) for at in range(8)]
    found = uniqueness([f"c{at}" for at in range(8)], codes)
    # 4 columns have 14 combinations; those with the fewest values are left out.
    assert found.left_out == ("c0", "c1", "c2", "c3")
    assert "c0, c1, c2, c3" in found.found


def test_many_columns_of_many_values_do_not_overflow():
    rng = np.random.default_rng(1)
    codes = [np.append(rng.integers(0, 3_000_000, 999), 2_999_999) for _ in range(3)]
    codes = [np.append(own, own[-1]) for own in codes]
    sizes = shared_by(codes)
    assert sizes[:-2].max() == 1
    assert sizes[-2:].tolist() == [2, 2]
