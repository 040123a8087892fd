"""Words that explain a number: slopes of labels against a reference, hidden or not."""

import re

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.errors import DeniableError

TOWNS = ["north", "south", "west"]


def people(n, seed):
    rng = np.random.default_rng(seed)
    town, x = rng.choice(3, n, p=[0.5, 0.3, 0.2]), rng.integers(0, 11, n)
    y = np.clip(np.rint(3 + 0.4 * x + np.array([0.0, 2.0, -1.0])[town] + rng.normal(0, 1, n)), 0, 15).astype(int)
    frame = pd.DataFrame({"town": np.array(TOWNS)[town], "x": x, "y": y})
    return frame, rng


def least_squares(frame, reference):
    columns = [np.ones(len(frame)), frame["x"], *(frame["town"] == town for town in TOWNS if town != reference)]
    return np.linalg.lstsq(np.column_stack(columns).astype(float), frame["y"], rcond=None)[0]


@pytest.mark.parametrize("reference", [None, "south"])
def test_slopes_of_open_words_are_those_of_any_package(reference):
    frame, _ = people(500, 1)
    schema = dn.Schema({"town": dn.Identity(dn.Nominal(TOWNS))} | {name: dn.Identity(dn.Integer(0, 15)) for name in "xy"})
    given = None if reference is None else {"town": reference}
    found = dn.Sample(frame, schema).regression("y", ["x", "town"], reference=given)
    first = reference or "north"
    assert found.labels == ("intercept", "x", *(f"town: {town} (against {first})" for town in TOWNS if town != first))
    np.testing.assert_allclose(found.value, least_squares(frame, first), rtol=1e-9)


@pytest.mark.statistical
def test_slopes_of_hidden_words_are_right_on_average_and_their_intervals_hold_them():
    frame, rng = people(20_000, 2)
    schema = dn.Schema(
        {
            "town": dn.KRR(dn.Nominal(TOWNS), 0.7),
            "x": dn.Retention(dn.Integer(0, 10), 0.7),
            "y": dn.Retention(dn.Integer(0, 15), 0.7),
        }
    )
    direct = least_squares(frame, "north")
    found = [dn.Sample(schema.randomise(frame, rng), schema).regression("y", ["x", "town"]) for _ in range(40)]
    values = np.array([one.value for one in found])
    assert (np.abs(values.mean(axis=0) - direct) < 4 * values.std(axis=0) / np.sqrt(40)).all()
    held = np.mean([(one.interval()[0] <= direct) & (direct <= one.interval()[1]) for one in found])
    assert held > 0.88
    # Reports taken for truths would say half of what is true.
    taken = least_squares(schema.randomise(frame, rng), "north")
    assert abs(taken[2]) < 0.6 * abs(direct[2])


def test_labels_that_nobody_may_have_get_no_slope():
    frame, _ = people(300, 3)
    town = dn.Identity(dn.Nominal(TOWNS, missing="no answer"))
    schema = dn.Schema({"town": town} | {name: dn.Identity(dn.Integer(0, 15)) for name in "xy"})
    sample = dn.Sample(frame, schema)
    assert sample.regression("y", "town").labels[1:] == ("town: south (against north)", "town: west (against north)")
    some = sample.regression("y", ["town", "x"], "town != 'north'")
    assert some.labels == ("intercept", "town: west (against south)", "x")
    for on, where, reference, says in (
        ("town", "town == 'north'", {}, "everyone who is asked about has the same answer, 'north'"),
        ("town", None, {"town": "east"}, "must be one of ['north', 'south', 'west'], got 'east'"),
        ("town", "town != 'north'", {"town": "north"}, "must be one of ['south', 'west']"),
        (
            ["town", "x"],
            None,
            {"x": 3},
            "reference was given for 'x'; attributes of words that explain something here: ['town']",
        ),
        ("x", None, {"town": "north"}, "reference was given for 'town'; attributes of words that explain something here: none"),
        ("nope", None, {}, "no attribute 'nope'"),
    ):
        with pytest.raises(DeniableError, match=re.escape(says)):
            sample.regression("y", on, where, reference)


def test_a_label_that_nobody_has_and_too_many_labels_are_named():
    schema = dn.Schema({"town": dn.Identity(dn.Nominal(TOWNS)), "y": dn.Identity(dn.Integer(0, 9))})
    sample = dn.Sample(pd.DataFrame({"town": ["north", "south"] * 20, "y": [*range(10)] * 4}), schema)
    with pytest.raises(DeniableError, match=r"spread of .*'town: west \(against north\)'.* cannot be told from 0"):
        sample.regression("y", "town")
    many = dn.Schema({"code": dn.Identity(dn.Nominal([f"c{i}" for i in range(40)])), "y": dn.Identity(dn.Integer(0, 9))})
    with pytest.raises(DeniableError, match="40 labels"):
        dn.Sample(pd.DataFrame({"code": ["c1"], "y": [1]}), many).regression("y", "code")
