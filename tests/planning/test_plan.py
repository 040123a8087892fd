"""Plans against independent computations, and what they promise of themselves."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm

import deniable as dn
from deniable.errors import ParameterError
from deniable.planning.known_to import known_to
from deniable.planning.precision import FEWEST, Wanted
from deniable.planning.precision import margin as margin_of
from deniable.planning.protection import protected_at
from deniable.planning.words import ENGLISH, POLISH
from deniable.survey.planning import costs
from deniable.survey.questionnaire import Questionnaire

Z = norm.ppf(0.975)
YES_NO = dn.Nominal(["no", "yes"])
SILENT = dn.Nominal(["no", "yes"], missing="no answer")
RATING = dn.Ordinal(["1", "2", "3", "4", "5"], missing="no answer")


def expected_wilson(share: float, n: int, kept: float) -> float:
    """By hand: Wilson's interval for the share of reports, mapped back, no shorter than that of n direct answers, cut at 0 and 1 and
    stretched to the nearest possible share; averaged over the binomial distribution of reports."""

    def wilson(p, size):
        middle = (p + Z**2 / (2 * size)) / (1 + Z**2 / size)
        reach = Z / (1 + Z**2 / size) * np.sqrt(p * (1 - p) / size + Z**2 / (4 * size**2))
        return middle - reach, middle + reach

    k = np.arange(n + 1)
    other = 1 - kept
    low, high = wilson(k / n, n)
    value = (k / n - other) / (kept - other)
    possible = np.clip(value, 0, 1)
    direct = wilson(possible, n)
    low = np.minimum((low - other) / (kept - other), direct[0])
    high = np.maximum((high - other) / (kept - other), direct[1])
    low, high = np.minimum(np.clip(low, 0, 1), possible), np.maximum(np.clip(high, 0, 1), possible)
    return float(binom.pmf(k, n, kept * share + other * (1 - share)) @ (high - low) / 2)


@pytest.mark.statistical
@pytest.mark.parametrize("share", [0.02, 0.1, 0.2, 0.5])
@pytest.mark.parametrize(("n", "kept"), [(60, 1.0), (1_000, 1.0), (1_500, 0.75), (8_000, 0.7)])
def test_margins_are_expected_lengths_of_wilsons_interval(share, n, kept):
    channel = dn.Identity(YES_NO) if kept == 1 else dn.KRR(YES_NO, kept)
    assert dn.plan(channel, n).margin(share=share) == pytest.approx(expected_wilson(share, n, kept), rel=0.02)


def test_a_mean_that_is_asked_openly_is_known_as_any_textbook_says():
    scale = dn.Ordinal(["1", "2", "3", "4", "5"])
    found = dn.plan(dn.Identity(scale), 800).margin(what="mean")
    assert found == pytest.approx(Z * math.sqrt(2 / 800), rel=0.01)
    skewed = dn.plan(dn.Identity(scale), 800, truth={"answer": [0.7, 0.3, 0, 0, 0]}).margin(what="mean")
    assert skewed == pytest.approx(Z * math.sqrt(0.21 / 800), rel=0.01)


def test_the_difference_found_is_that_of_the_textbook_where_nothing_is_hidden():
    """Two groups of 1,000 and 20% in one: (z_.975 + z_.8) se, solved for the share of the other."""
    found = dn.plan(dn.Identity(YES_NO), 2_000).difference()
    low, high = 0.0, 0.5
    for _ in range(50):
        apart = (low + high) / 2
        se = math.sqrt((0.2 * 0.8 + (0.2 + apart) * (0.8 - apart)) / 1_000)
        low, high = (apart, high) if apart < (Z + norm.ppf(0.8)) * se else (low, apart)
    assert found == pytest.approx(apart, rel=0.03)


@pytest.mark.statistical
def test_a_hidden_group_costs_more_than_one_that_is_told_openly():
    schema = dn.Schema({"smokes": dn.KRR(YES_NO, 0.8), "sex": dn.KRR(YES_NO, 0.8)})
    openly, hidden = (dn.plan(schema, 4_000, group=0.4, by=by) for by in (None, "sex"))
    assert hidden.margin("smokes", in_group=True) > 1.3 * openly.margin("smokes", in_group=True)
    assert hidden.difference("smokes") > 1.3 * openly.difference("smokes")
    assert hidden.margin("smokes") == openly.margin("smokes")


def test_power_rises_from_a_twentieth_and_is_eight_tenths_at_the_difference_promised():
    plan = dn.plan(dn.KRR(YES_NO, 0.75), 2_000)
    assert plan.power(0.0) == pytest.approx(0.05, abs=0.01)
    apart = plan.difference()
    assert plan.power(apart) == pytest.approx(0.8, abs=0.003)
    assert plan.power(apart / 2) < 0.4 < 0.95 < plan.power(1.5 * apart)


@pytest.mark.parametrize("n", [FEWEST - 1, FEWEST])
def test_below_thirty_direct_answers_worth_nothing_is_promised(n):
    plan = dn.plan(dn.Identity(YES_NO), n, group=0.5)
    assert (plan.margin() is None) == (n < FEWEST)
    assert plan.margin(in_group=True) is None
    assert plan.difference() is None
    assert "too few" in repr(plan)


def test_worth_is_counted_by_variance():
    """Of 1,000 answers hidden with p = 3/4: variance of a report's weight against that of a direct answer."""
    [row] = dn.plan(dn.KRR(YES_NO, 0.75), 1_000).rows
    reported = 0.2 * 0.5 + 0.25
    assert row.worth == pytest.approx(1_000 * 0.2 * 0.8 / (reported * (1 - reported) / 0.25), rel=1e-6)


HIDDEN = {
    "yes or no": dn.KRR(YES_NO, 0.7),
    "five answers and silence": dn.KRR(RATING, 0.5),
    "crosswise": dn.Crosswise(0.3),
    "unrelated": dn.UnrelatedQuestion(SILENT, 0.5, {"no": 0.5, "yes": 0.3, "no answer": 0.2}),
    "replaced": dn.Retention(RATING, 0.4),
}


@pytest.mark.statistical
@pytest.mark.parametrize("name", HIDDEN)
def test_the_strongest_protection_reaches_a_margin_and_a_tenth_stronger_does_not(name):
    channel = HIDDEN[name]
    found = dn.plan(channel, 3_000).strongest(margin=0.05)["answer"]
    assert found.margin == margin_of(found.channel, Wanted(), 3_000) <= 0.05
    assert math.exp(found.channel.epsilon) <= found.odds + 1e-9
    stronger = margin_of(protected_at(channel, Fraction(round(10 * found.odds) - 1, 10)), Wanted(), 3_000)
    assert stronger is None or stronger > 0.05


def test_a_margin_that_is_out_of_reach_has_no_protection_and_open_questions_need_none():
    plan = dn.plan(dn.Schema({"a": dn.KRR(YES_NO, 0.7), "b": dn.Identity(YES_NO)}), 500)
    found = plan.strongest(margin=0.01)
    assert list(found) == ["a"]
    assert found["a"].odds is None


@pytest.mark.statistical
@pytest.mark.parametrize(("name", "wanted"), [*zip(HIDDEN, [0.03, 0.04, 0.05, 0.06, 0.08], strict=True)])
def test_as_many_answers_as_are_named_are_enough_and_fewer_are_not(name, wanted):
    plan = dn.plan(HIDDEN[name], 1_000)
    needed = plan.answers_for(margin=wanted)
    step = 10 ** max(0, len(str(needed)) - 3)
    assert needed % step == 0
    assert plan.margin(answers=needed) <= wanted
    fewer = plan.margin(answers=needed - step)
    assert fewer is None or fewer > wanted


@pytest.mark.statistical
def test_answers_for_all_questions_are_those_of_the_hardest_and_may_not_exist():
    plan = dn.plan(dn.Schema({"a": dn.KRR(YES_NO, 0.7), "b": dn.KRR(YES_NO, 0.6)}), 1_000)
    assert plan.answers_for(0.05) == plan.answers_for(0.05, "b") > plan.answers_for(0.05, "a")
    assert plan.answers_for(0.0001) is None


@pytest.mark.statistical
def test_a_budget_is_not_exceeded_and_known_equally_well():
    schema = dn.Schema(
        {"a": dn.KRR(YES_NO, 0.7), "b": dn.KRR(RATING, 0.5), "c": dn.Crosswise(0.3), "open": dn.Identity(YES_NO)}
    )
    plan = dn.plan(schema, 4_000)
    proposal = plan.share_budget(total_odds=60)
    assert [row.name for row in proposal.rows] == ["a", "b", "c"]
    assert proposal.epsilon <= math.log(60)
    assert proposal.schema.epsilon <= math.log(60) + 1e-9
    margins = [row.margin for row in proposal.rows]
    assert max(margins) / min(margins) < 1.1
    # The one that is known least cannot have another tenth.
    worst = max(proposal.rows, key=lambda row: row.margin)
    assert proposal.epsilon + math.log((worst.odds + 0.1) / worst.odds) > math.log(60)
    assert plan.share_budget(total_epsilon=math.log(60)).epsilon == proposal.epsilon
    important = {row.name: row.margin for row in plan.share_budget(total_odds=60, importance={"b": 2}).rows}
    assert important["a"] / important["b"] == pytest.approx(2, rel=0.12)


@pytest.mark.statistical
def test_what_checking_a_survey_shows_is_what_a_plan_shows():
    questionnaire = Questionnaire.parse("""
survey: habits
title: Habits
organiser: Town hall
contact: survey@town.example
other_way: Call us.
pages:
- elements:
  - {type: boolean, name: smokes, title: Do you smoke?, privacy: strong}
  - {type: rating, name: buses, title: How are the buses?, privacy: standard}
  - {type: radiogroup, name: party, title: For whom?, choices: [a, b, c, d, e, f], privacy: light}
""")
    plan = dn.plan(questionnaire, 1_000)
    for cost, row in zip(costs(questionnaire, 1_000), plan.rows, strict=True):
        assert row.name == cost.name
        assert row.figures["share_20"] == pytest.approx(cost.margin, rel=0.02)
        assert row.worth == pytest.approx(cost.worth, rel=1e-6)
    assert [row.name for row in plan.rows if "mean" in row.figures] == ["buses"]


@pytest.mark.statistical
def test_behind_noise_shares_are_those_of_the_lowest_values_and_means_are_known_better():
    age = dn.Additive(dn.Integer(18, 90), dn.Laplace(10), edges="clamp")
    plan = dn.plan(age, 5_000)
    known = known_to(age, 5_000)
    assert plan.margin() == pytest.approx(known.margin, rel=0.1)
    assert known.asked.sum() == 14
    assert plan.margin(what="mean") < 1
    [row] = plan.rows
    assert row.figures["mean"] == plan.margin(what="mean")


@pytest.mark.statistical
def test_what_questions_are_asked_for_decides_what_is_planned():
    schema = dn.Schema({"buses": dn.KRR(RATING, 0.5), "smokes": dn.KRR(YES_NO, 0.7)})
    keys = [set(row.figures) for row in dn.plan(schema, 2_000, asked_for={"buses": "mean"}).rows]
    assert keys[0] == {"mean", "group_mean", "difference_mean"}
    assert "mean" not in keys[1]
    quantile = dn.plan(schema, 2_000, asked_for={"buses": "quantile"}).rows[0]
    assert set(quantile.figures) == {"quantile", "group_quantile", "difference_quantile"}
    with pytest.raises(ParameterError, match="'smokes' cannot be asked for 'mean'"):
        dn.plan(schema, 2_000, asked_for="mean")


@pytest.mark.statistical
def test_two_attributes_that_share_a_draw_are_not_divided_by_each_other():
    yes_no = dn.UnrelatedQuestion(dn.Binary(), theta=0.5, innocuous=0.5)
    schema = dn.Schema({"a": yes_no, "b": yes_no, "c": dn.KRR(YES_NO, 0.7)}, groups={"both": ["a", "b"]})
    plan = dn.plan(schema, 5_000, by="b")
    assert ["group_share_20" in row.figures for row in plan.rows] == [False, False, True]
    with pytest.raises(ParameterError, match="share a draw"):
        plan.difference("a")
    with pytest.raises(ParameterError, match="both share one"):
        plan.share_budget(total_odds=20)


def test_numbers_without_a_step_are_named_and_left_out():
    schema = dn.Schema(
        {"a": dn.KRR(YES_NO, 0.7), "pay": dn.Identity(dn.Continuous(0, 1)), "sure": dn.Identity(dn.Nominal(["yes"]))}
    )
    assert "only one answer: pay, sure." in repr(dn.plan(schema, 1_000))
    with pytest.raises(ParameterError, match="Nothing can be planned"):
        dn.plan(dn.Schema({"pay": dn.Identity(dn.Continuous(0, 1))}))


def test_a_channel_that_tells_nothing_never_tells_it_which_is_no_error():
    plan = dn.plan(dn.KRR(YES_NO, 0.5), 1_000)
    assert plan.margin() == math.inf
    assert plan.answers_for(0.05) is None
    assert plan.difference() == math.inf
    assert plan.power(0.1) == 0
    assert "never" in repr(plan)
    assert "too few" not in repr(plan)


def test_never_is_said_where_no_number_of_answers_helps_and_too_few_where_one_does():
    """One bit tells no shares, ever; of 60 answers the mean is too few, of 3,000 it is known."""
    few, many = (dn.plan(dn.OneBit(dn.Integer(0, 99), 5), answers) for answers in (60, 3_000))
    for plan in (few, many):
        figures = plan.rows[0].figures
        assert {key for key, value in figures.items() if value == math.inf} == {key for key in figures if "share" in key}
        assert "“Never”" in repr(plan)
        assert math.isinf(plan.to_frame()["share_20"][0])
        with pytest.raises(ParameterError, match="tell no shares, however many"):
            plan.plot()
    assert few.rows[0].figures["mean"] is None
    assert "“Too few”" in repr(few)
    assert few.rows[0].worth < 30 < many.rows[0].worth
    assert many.rows[0].figures["mean"] == pytest.approx(1.96 * 74.25 / 3_000**0.5, rel=0.01)
    assert "“Too few”" not in repr(many)


def test_what_is_assumed_is_no_answer():
    """No value holds more than five times its even share. So the lowest of 61 values holds at most 8.2%, and of so wide noise the interval
    is 0 to 8.2%, whatever 2,000 people report: a margin of 4 points, as of 44 direct answers, and nothing that the survey found out."""
    schema, rng = dn.Schema({"hours": dn.Piecewise(dn.Integer(0, 60), 3)}), np.random.default_rng(5)
    plan = dn.plan(schema, 2_000)
    # Of people who all gave one of the lowest 15 values, and of people who all gave one of the highest 15.
    people = [pd.DataFrame({"hours": rng.integers(low, low + 15, 2_000)}) for low in (0, 46)]
    ends = [dn.Sample(schema.randomise(each, rng), schema).share("hours <= 0").interval() for each in people]
    assert np.ptp(ends, axis=0).max() < 1e-3
    assert plan.margin("hours", 0.02) is None
    assert plan.margin("hours", 0.2, answers=20_000) is not None
    # A margin of 4.5 points, within which the assumption is anyway, is not promised before answers are worth something.
    assert plan.answers_for(0.045, "hours", 0.02) > 20_000
    assert plan.strongest(0.045, share=0.02)["hours"].odds > 10


def test_curves_leave_out_what_can_never_be_told_and_say_so():
    schema = dn.Schema({"hours": dn.OneBit(dn.Integer(0, 9), 5), "smokes": dn.KRR(YES_NO, 0.8)})
    for against in ("answers", "odds"):
        drawn = json.dumps(dn.plan(schema, 1_000).plot(against).to_dict())
        assert "Shares can never be told: hours." in drawn


def test_a_budget_keeps_designs_for_means_and_judges_them_by_the_mean():
    schema = dn.Schema({"hours": dn.OneBit(dn.Integer(0, 9), 5), "few": dn.Piecewise(dn.Integer(0, 9), 5, reports=3, width=1)})
    proposal = dn.plan(schema, 5_000).share_budget(total_odds=30)
    assert [(type(row.channel).__name__, row.use) for row in proposal.rows] == [("OneBit", "mean"), ("Piecewise", "mean")]
    assert proposal.epsilon <= math.log(30)
    for row in proposal.rows:
        assert math.exp(row.channel.epsilon) == pytest.approx(row.odds, rel=1e-6)
        assert row.margin == dn.plan(row.channel, 5_000).margin(what="mean")
    assert "mean: ± " in repr(proposal)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: dn.plan({"a": 1}), "A plan is for a schema, a channel such as dn.KRR"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7), answers=0), "whole number above 0, got 0"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7), answers=True), "whole number above 0, got True"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7), group=1.5), "between 0 and 1, got 1.5"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7), by="sex"), "There is no attribute 'sex'"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7), asked_for="median"), "cannot be asked for 'median'"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7)).margin("smokes"), "There is no attribute 'smokes'; there are"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7)).margin(share=20), "between 0 and 1, such as 0.2, got 20"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7)).margin(what="mean"), "holds no numbers"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7)).margin(what="mode"), "one of"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7)).answers_for(margin=-1), "above 0, such as 0.05"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7)).strongest(margin=0), "above 0, such as 0.05"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7)).power(0.9), "between 0 and 0.8, got 0.9"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7)).difference(often=2), "often must lie between"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7)).share_budget(), "one of two"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7)).share_budget(total_odds=20, total_epsilon=3), "one of two"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7)).share_budget(total_odds=0.5), "total_odds must be a number above 1"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7)).share_budget(total_odds=1.05), "too small for 1 question"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7)).share_budget(20, importance={"answer": 0}), "must be above 0"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7)).share_budget(20, importance={"x": 1}), "There is no attribute 'x'"),
        (lambda: dn.plan(dn.Identity(YES_NO)).share_budget(20), "nothing is hidden here"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.7)).plot("time"), "'answers' or 'odds'"),
        (lambda: dn.plan(dn.Identity(YES_NO)).plot("odds"), "Nothing is hidden here"),
        (lambda: dn.plan(dn.KRR(YES_NO, 0.51), 30).plot(), "nothing to draw"),
    ],
)  # fmt: skip
def test_bad_input_is_told_what_is_allowed(call, says):
    with pytest.raises(ParameterError, match=says):
        call()


@pytest.mark.statistical
def test_a_plan_is_a_table_in_shells_notebooks_and_frames():
    plan = dn.plan(dn.Schema({"<b>": dn.KRR(YES_NO, 0.7), "buses": dn.KRR(RATING, 0.5)}), 2_000, group=0.3)
    frame = plan.to_frame()
    assert frame["attribute"].tolist() == ["<b>", "buses"]
    assert frame.loc[0, "share_20"] == plan.margin("<b>")
    assert math.isnan(frame.loc[0, "mean"])
    shown, page = repr(plan), plan._repr_html_()
    assert f"± {100 * plan.margin('<b>'):.1f}" in shown
    assert "The group is 30% of the answers, told openly" in shown
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    proposal = plan.share_budget(total_odds=20)
    assert "hidden by" in repr(proposal)
    assert "&lt;b&gt;" in proposal._repr_html_()
    assert proposal.to_frame()["odds"].tolist() == [row.odds for row in proposal.rows]


@pytest.mark.statistical
@pytest.mark.parametrize("against", ["answers", "odds"])
def test_curves_fall_and_pass_through_what_is_planned(against):
    plan = dn.plan(dn.Schema({"a": dn.KRR(YES_NO, 0.75), "b": dn.KRR(YES_NO, 0.75), "c": dn.KRR(RATING, 0.5)}), 2_000)
    chart = plan.plot(against, language="pl" if against == "odds" else "en")
    rows = [row for values in chart.to_dict()["datasets"].values() for row in values if "y" in row]
    assert {row["series"] for row in rows} == {"a, b", "c"}
    for name, attribute in (("a, b", "a"), ("c", "c")):
        *curve, mark = [row for row in rows if row["series"] == name]
        curve = [row for row in curve if row is not mark]
        assert mark["y"] == pytest.approx(100 * plan.margin(attribute))
        heights = [row["y"] for row in curve]
        assert heights == sorted(heights, reverse=True)
    assert ("udział" in chart.title.text) == (against == "odds")


@pytest.mark.statistical
def test_a_second_question_that_people_answer_is_neither_shown_nor_proposed_with_the_odds_of_a_draw():
    head = "survey: s\ntitle: T\norganiser: O\ncontact: o@o.example\nother_way: Call.\npages:\n- elements:\n"
    second = (
        "{design: unrelated, theta: 0.6, innocuous: {no: 0.4, yes: 0.4, no answer: 0.2}, asked: true, question: Born in May?}"
    )
    questionnaire = Questionnaire.parse(head + f"  - {{type: boolean, name: q, title: Really?, privacy: {second}}}\n")
    plan = dn.plan(questionnaire, 2_000)
    assert plan.rows[0].odds == costs(questionnaire, 2_000)[0].odds
    assert plan.rows[0].odds > math.exp(questionnaire.schema["q"].epsilon)
    assert isinstance(plan.strongest(margin=0.05)["q"].channel, dn.KRR)


@pytest.mark.statistical
def test_odds_without_a_limit_are_not_called_open():
    plan = dn.plan(dn.Additive(dn.Integer(0, 20), dn.Uniform(3)), 3_000)
    assert "without limit" in repr(plan)
    assert "open" in repr(dn.plan(dn.Identity(YES_NO), 3_000))


def test_polish_has_words_of_its_own_for_everything():
    for name, english in vars(ENGLISH).items():
        polish = getattr(POLISH, name)
        assert name == "margin" or polish != english, name
        if isinstance(english, str):
            places = {part.split("}")[0] for part in english.split("{")[1:]}
            assert places == {part.split("}")[0] for part in polish.split("{")[1:]}, name
