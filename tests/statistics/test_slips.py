"""Slips of the keyboard in Python: each gets a sentence that says what was expected."""

import pandas as pd
import pytest

import deniable as dn

SCHEMA = dn.Schema({"a": dn.KRR(dn.Nominal(["x", "y"]), 0.75), "n": dn.Identity(dn.Integer(0, 3))})
REPORTS = pd.DataFrame({"a": ["x", "y"] * 20, "n": [0, 1, 2, 3] * 10})
SAMPLE = dn.Sample(REPORTS, SCHEMA)


@pytest.mark.parametrize(
    ("slip", "says"),
    [
        (lambda: dn.reconstruct(REPORTS["a"], SCHEMA["a"]), "count them first"),
        (lambda: dn.reconstruct(REPORTS["n"], SCHEMA["n"]), "count them first"),
        (lambda: dn.counts(SCHEMA["a"], REPORTS["a"]), "a column and then its channel"),
        (lambda: SAMPLE.mean("n", by=["a"]), "by is the name of one attribute"),
        (lambda: SAMPLE.distribution("n", by=["a"]), "by is the name of one attribute"),
        (lambda: SAMPLE.regression(["n"], "a"), "y is the name of one attribute"),
        (lambda: SCHEMA["b"], "There is no attribute 'b'; there are 'a', 'n'"),
        (lambda: float(SAMPLE.distribution("a")), r"has 2 values: take one by its label, estimate\['x'\]"),
        (lambda: SAMPLE.distribution("a")["z"], "There is no 'z'; there are 'x', 'y'"),
        (lambda: list(SAMPLE.distribution("a")), "not iterable"),
    ],
)
def test_a_slip_is_told_what_was_expected(slip, says):
    with pytest.raises((dn.errors.DeniableError, KeyError, TypeError), match=says):
        slip()


def test_one_value_is_a_number_and_several_have_labels():
    assert float(SAMPLE.mean("n")) == SAMPLE.mean("n").value[0]
    shares = SAMPLE.distribution("a")
    assert (shares["x"], shares["y"]) == tuple(shares.value)
    assert SCHEMA.get("b") is None
    assert dn.reconstruct(REPORTS["a"].value_counts(), SCHEMA["a"])["x"] == pytest.approx(0.5)


def test_rules_may_be_chosen_by_their_unbiased_confidence():
    schema = dn.Schema({name: dn.Flip(0.9, 0.9) for name in "ab"})
    found = dn.frequent_itemsets(pd.DataFrame({"a": [1, 1, 0, 1] * 50, "b": [1, 1, 0, 0] * 50}), min_support=0.1, schema=schema)
    chosen = dn.association_rules(found, metric="unbiased_confidence", min_threshold=0.6)
    assert len(chosen)
    assert (chosen["unbiased_confidence"] >= 0.6).all()
