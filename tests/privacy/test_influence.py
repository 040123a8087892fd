"""How many people one dishonest answer counts as, against estimates with and without one."""

from __future__ import annotations

import numpy as np
import pytest

import deniable as dn
from deniable.core.domains.missing import WithMissing
from deniable.errors import ParameterError, WideDomainError
from deniable.survey.levels import channel_for

YES_NO = dn.Nominal(["no", "yes"], missing="no answer")


@pytest.mark.parametrize(
    ("domain", "level", "expected"),
    [
        # (a + k - 2) / (a - 1), by hand: 3 labels at odds 3; 122 labels (0 to 120, and silence) at odds 9; 6 labels at odds 5.
        (YES_NO, "strong", 4 / 2),
        (WithMissing(dn.Integer(0, 120), "no answer"), "light", 129 / 8),
        (dn.Ordinal(list("12345"), missing="no answer"), "standard", 9 / 4),
    ],
)
def test_the_influence_of_levels_is_that_of_the_formula(domain, level, expected):
    assert dn.privacy.influence(channel_for(domain, level)) == pytest.approx(expected)


@pytest.mark.parametrize(
    "channel",
    [
        channel_for(YES_NO, "strong"),
        channel_for(YES_NO, {"design": "matrix", "P": [[0.7, 0.2, 0.1], [0.2, 0.7, 0.1], [0.2, 0.2, 0.6]]}),
        channel_for(
            WithMissing(dn.Integer(0, 6), "no answer"), {"design": "laplace", "scale": 3, "answered": 0.7}, ordered=True
        ),
        # Each answer is mostly taken away by one report, and brought by two: a "no" moves more than a "yes".
        dn.Matrix(dn.Nominal(["a", "b", "c"]), [[0.45, 0.45, 0.1], [0.1, 0.45, 0.45], [0.45, 0.1, 0.45]]),
    ],
    ids=["mixture", "table", "noise", "round"],
)
def test_no_report_moves_an_estimate_further_and_some_report_moves_it_so_far(channel):
    """One row more in the table of reports, in place of what an honest person of either kind adds on average."""
    labels, moved = channel.law.inputs, 0.0
    before = np.full(channel.law.outputs, 50)
    for z in range(channel.law.outputs):
        after = before + (np.arange(channel.law.outputs) == z)
        counts = []
        for n in (before, after):
            reports = [label for label, times in zip(channel.outputs, n, strict=True) for _ in range(times)]
            table = dn.counts(reports, channel)
            counts.append(n.sum() * dn.reconstruct(table, channel, "eq").value)
        for y in range(labels):
            gained = counts[1][y] - counts[0][y]
            moved = max(moved, abs(gained), abs(gained - 1))
    assert moved == pytest.approx(dn.privacy.influence(channel), rel=1e-6)


def test_a_second_question_is_warned_of_with_the_odds_for_those_who_know_its_answer():
    asked = dn.UnrelatedQuestion(YES_NO, 0.6, [0.4, 0.4, 0.2], asked=True)
    [warning] = dn.privacy.warnings_of(dn.Schema({"debt": asked}).blocks[0])
    # By hand: (0.6 + 0.04) / 0.04, for "no answer", of which half of 0.4 * 0.2 is drawn.
    assert "anyone who knows someone's answer to the second question learns more" in warning
    assert "by a factor of at most 16.0" in warning
    assert dn.privacy.warnings_of(dn.Schema({"debt": dn.UnrelatedQuestion(YES_NO, 0.6, [0.4, 0.4, 0.2])}).blocks[0]) == []


def test_it_is_told_in_the_report_and_refused_where_it_cannot_be_known():
    found = dn.privacy.report(dn.Schema({"smokes": channel_for(YES_NO, "strong")}))
    assert "One dishonest answer can shift an estimated count by up to 2.0 people." in repr(found)
    assert "One dishonest answer can shift an estimated count by up to 2.0 people." in found.to_html()
    assert found.to_frame()["counts_as"].tolist() == ["2.0 people"]
    with pytest.raises(WideDomainError, match="1,200 labels"):
        dn.privacy.influence(dn.Additive(dn.Integer(0, 5000), dn.Laplace(100)))
    with pytest.raises(ParameterError, match="finite list"):
        dn.privacy.influence("KRR")
    assert dn.privacy.influence(dn.KRR(YES_NO, "1/3")) == float("inf")
