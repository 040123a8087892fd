"""Plans come true: a small version of `python -m benchmarks.planner` (20 questionnaires, 2,000 surveys each), and `dn.Sample` itself."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from benchmarks import planner

SEED = 7


def test_plans_of_a_random_questionnaire_come_true():
    """One questionnaire, 250 surveys: a margin may be off by 5%, a power by 6 points and by what chance does to so few surveys."""
    rng = np.random.default_rng([SEED, 0])
    statements = [one for one in planner.statements_of(rng, 0) if not isinstance(one, str)]
    assert {one.kind for one in statements} == {"margin", "power"}
    verdicts = [planner.verdict_of(one, rng, 250) for one in statements]
    assert planner.passes(verdicts, 250)


def test_a_plan_that_is_off_is_found_out():
    rng = np.random.default_rng([SEED, 0])
    first = next(one for one in planner.statements_of(rng, 0) if not isinstance(one, str))
    wrong = planner.Statement(0, "", first.kind, first.outcome, 1.08 * first.says)
    assert not planner.passes([planner.judged(wrong, rng, 250)], 250)


def test_a_power_that_is_off_is_found_once_more_on_other_surveys(monkeypatch, capsys):
    """Of a right power that chance put far off the second finding decides; a wrong one stays wrong."""
    rng = np.random.default_rng([SEED, 0])
    power = next(one for one in planner.statements_of(rng, 0) if not isinstance(one, str) and one.kind == "power")
    wrong = planner.Statement(0, power.question, "power", power.outcome, power.says - 0.15)
    assert not planner.passes([planner.verdict_of(wrong, rng, 250)], 250)
    assert "1000 others" in capsys.readouterr().out
    judged, surveys_asked = planner.judged, []

    def unlucky(statement, rng, surveys, retuned):
        surveys_asked.append(surveys)
        verdict = judged(statement, rng, surveys, retuned)
        return verdict if surveys > 250 else planner.Verdict(statement, verdict.found - 0.15, verdict.noise)

    monkeypatch.setattr(planner, "judged", unlucky)
    assert planner.passes([planner.verdict_of(power, rng, 250)], 250)
    assert surveys_asked == [250, 1_000]


@pytest.mark.slow
def test_plans_of_many_random_questionnaires_come_true():
    verdicts = []
    for place in range(20):
        asking, rng = (np.random.default_rng([planner.SEED, place, stream]) for stream in (0, 1))
        statements = [one for one in planner.statements_of(asking, place) if not isinstance(one, str)]
        verdicts += [planner.verdict_of(one, rng, 2_000) for one in statements]
    assert planner.passes(verdicts, 2_000)


def test_margins_and_powers_are_those_of_samples_of_simulated_people():
    """Rows drawn one by one and given to `dn.Sample`: 80 surveys of 1,500 people. Margins within 3%, power within 4 standard errors."""
    rng, n, surveys = np.random.default_rng(3), 1_500, 80
    yes_no = dn.Nominal(["no", "yes"])
    schema = dn.Schema(
        {"smokes": dn.KRR(yes_no, 0.8), "sex": dn.KRR(yes_no, 0.9), "buses": dn.KRR(dn.Ordinal(["1", "2", "3"]), 0.7)}
    )
    plan = dn.plan(schema, n, group=0.4, by="sex")
    apart = plan.difference("smokes")
    halves, found = [], []
    for _ in range(surveys):
        sex = rng.random(n) < 0.4
        people = pd.DataFrame({"sex": np.where(sex, "yes", "no"), "buses": rng.choice(["1", "2", "3"], n)})
        people["smokes"] = np.where(rng.random(n) < 0.2, "yes", "no")
        sample = dn.Sample(schema.randomise(people, rng), schema)
        asked = [sample.share("smokes == 'yes'"), sample.share("smokes == 'yes'", among="sex == 'yes'"), sample.mean("buses")]
        halves.append([float(np.ptp(one.interval())) / 2 for one in asked])
        people["smokes"] = np.where(rng.random(n) < np.where(sex, 0.2 + apart, 0.2), "yes", "no")
        sample = dn.Sample(schema.randomise(people, rng), schema)
        (low,), (high,) = sample.difference("smokes == 'yes'", between=("sex == 'yes'", "sex == 'no'")).interval()
        found.append(low > 0 or high < 0)
    planned = [plan.margin("smokes"), plan.margin("smokes", in_group=True), plan.margin("buses", what="mean")]
    assert np.mean(halves, axis=0) == pytest.approx(planned, rel=0.03)
    assert np.mean(found) == pytest.approx(0.8, abs=4 * (0.16 / surveys) ** 0.5)
