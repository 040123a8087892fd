"""Support error, identity errors and f measure against the definitions, written out, and against the thesis' own tables."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from deniable.errors import DataError
from deniable.mining import quality


def frame(**supports):
    return pd.DataFrame({"support": list(supports.values()), "itemsets": [frozenset(name) for name in supports]})


def test_a_perfect_answer_has_no_errors():
    true = frame(a=0.5, b=0.4, ab=0.3)
    told = quality(true, true)
    assert told["support_error"].tolist() == [0, 0]
    assert told["false_negatives"].tolist() == told["false_positives"].tolist() == [0, 0]
    assert told["f"].tolist() == told["n_true"].tolist() == [2, 1]


def test_errors_are_relative_to_the_true_support_and_in_percent():
    told = quality(frame(a=0.6, b=0.1), frame(a=0.5, b=0.4))
    assert told.loc[1, "support_error"] == pytest.approx(100 * (0.1 / 0.5 + 0.3 / 0.4) / 2)


def test_support_error_is_over_itemsets_in_both_sets_only():
    told = quality(frame(a=0.6, c=0.9), frame(a=0.5, b=0.4))
    assert told.loc[1, "support_error"] == pytest.approx(20)


@pytest.mark.parametrize(
    ("n_true", "n_found", "both", "missed", "made_up"),
    [
        # Table 4.2 of the thesis, levels 4 to 6: |Fo|, |Fr|, f, and the two identity errors as printed.
        (10185, 22411, 6098, 40.1, 160.2),
        (2021, 5810, 851, 57.9, 245.4),
        (24, 200, 5, 79.2, 812.5),
    ],
)
def test_identity_errors_are_those_of_the_published_counts(n_true, n_found, both, missed, made_up):
    def of(first, last):
        return pd.DataFrame({"support": 0.1, "itemsets": [frozenset([k]) for k in range(first, last)]})

    told = quality(of(n_true - both, n_true - both + n_found), of(0, n_true)).loc[1]
    assert (told["n_true"], told["n_found"], told["f"]) == (n_true, n_found, both)
    assert round(told["false_negatives"], 1) == missed
    assert round(told["false_positives"], 1) == made_up
    # f is what is left of the true ones after the false negatives.
    assert told["f"] == pytest.approx(n_true - told["false_negatives"] * n_true / 100)


def test_nothing_in_common_is_no_support_error_and_nothing_true_no_identity_error():
    told = quality(frame(b=0.5, ab=0.2), frame(a=0.5))
    assert math.isnan(told.loc[1, "support_error"])
    assert told.loc[1, "false_negatives"] == told.loc[1, "false_positives"] == 100
    assert math.isnan(told.loc[2, "false_negatives"])
    assert math.isnan(told.loc[2, "false_positives"])
    assert told.loc[2, ["n_true", "n_found", "f"]].tolist() == [0, 1, 0]


def test_a_level_between_is_a_row_even_if_it_is_empty():
    assert quality(frame(abc=0.2), frame(a=0.5)).index.tolist() == [1, 2, 3]
    empty = frame()
    assert quality(empty, empty).empty
    assert quality(empty, frame(a=0.5)).loc[1, "false_negatives"] == 100


def test_errors_agree_with_a_slow_count_on_random_itemsets():
    rng = np.random.default_rng(1)
    names = [frozenset(rng.choice(8, rng.integers(1, 4), replace=False).tolist()) for _ in range(80)]
    names = list(dict.fromkeys(names))

    def part():
        return pd.DataFrame([(s, rng.uniform(0.1, 1)) for s in names if rng.random() < 0.6], columns=["itemsets", "support"])

    found, true = part(), part()
    told = quality(found, true)
    for length in (1, 2, 3):
        F = {s: x for s, x in zip(true["itemsets"], true["support"], strict=True) if len(s) == length}
        R = {s: x for s, x in zip(found["itemsets"], found["support"], strict=True) if len(s) == length}
        common = F.keys() & R.keys()
        assert told.loc[length, "f"] == len(common)
        assert told.loc[length, "false_positives"] == pytest.approx(100 * len(R.keys() - F.keys()) / len(F))
        assert told.loc[length, "false_negatives"] == pytest.approx(100 * len(F.keys() - R.keys()) / len(F))
        assert told.loc[length, "support_error"] == pytest.approx(100 * np.mean([abs(R[s] - F[s]) / F[s] for s in common]))


@pytest.mark.parametrize(
    ("found", "true", "says"),
    [
        (pd.DataFrame({"support": [0.1]}), frame(a=0.5), "found itemsets must be a frame"),
        (frame(a=0.5), [0.5], "true itemsets must be a frame"),
        (pd.concat([frame(a=0.5)] * 2), frame(a=0.5), "1 more than once"),
        (frame(a=0.5), frame(a=-0.1), "above 0"),
        (frame(a=0.5), frame(a=float("nan")), "above 0"),
    ],
)
def test_frames_that_are_no_itemsets_are_refused(found, true, says):
    with pytest.raises(DataError, match=says):
        quality(found, true)
