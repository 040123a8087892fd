import itertools
import math

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.errors import ParameterError

ITEMSET = [dn.Flip(0.95, 0.95)] * 3


def test_the_thesis_example_by_bayes_and_as_printed():
    """Thesis 3.5.2: p = q = 0.95, reconstructed support 0.005; printed 0.999875625, by Bayes .972."""
    bayes = 0.005 * 0.95**3 / (0.005 * 0.95**3 + 0.995 * 0.05**3)
    assert 1 - dn.privacy.reinterrogation_privacy(ITEMSET, 0.005) == pytest.approx(bayes, abs=1e-12)
    assert bayes == pytest.approx(0.972, abs=0.0005)
    printed = dn.privacy.reinterrogation_privacy(ITEMSET, 0.005, as_published=True)
    assert printed == pytest.approx(0.000124375, abs=1e-12)


def test_the_supports_of_all_subsets_may_be_given():
    rng = np.random.default_rng(1)
    channels = [dn.Flip(0.8, 0.9), dn.Flip(0.6, 0.7)]
    combinations = list(itertools.product((0, 1), repeat=2))
    support = dict(zip(combinations, rng.dirichlet(np.ones(4)), strict=True))
    joint = {(a, b): share * channels[0].matrix()[a, 1] * channels[1].matrix()[b, 1] for (a, b), share in support.items()}
    slow = joint[0, 0] / sum(joint.values())
    assert dn.privacy.reinterrogation_privacy(channels, support) == pytest.approx(slow, abs=1e-12)


@pytest.mark.parametrize(
    ("channels", "support", "says"),
    [
        ([], 0.1, "channels of items"),
        ([dn.KRR(dn.Nominal(list("abc")), 0.5)], 0.1, "two labels"),
        (ITEMSET, 1.5, "\\[0, 1\\]"),
        (ITEMSET, {(1, 1): 1.0}, "no combination"),
        ([dn.Crosswise(0.25)], 0.1, "under the labels"),
        ([dn.Flip(1, 1)], {(0,): 1.0}, "nobody"),
    ],
)
def test_bad_itemsets_are_refused(channels, support, says):
    with pytest.raises(ParameterError, match=says):
        dn.privacy.reinterrogation_privacy(channels, support)


SCHEMA = dn.Schema(
    {
        "smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75),
        "drinks": dn.Flip(0.9, 0.6),
        "level": dn.KRR(dn.Ordinal(["low", "mid", "high"]), 0.6),
    }
)


def test_the_posterior_given_the_whole_report_equals_brute_force():
    rng = np.random.default_rng(2)
    cells = list(itertools.product(*(channel.inputs for channel in SCHEMA.values())))
    rules = dict(zip(cells, rng.dirichlet(np.ones(len(cells))), strict=True))
    report = {"smokes": "yes", "drinks": 0, "level": "high"}
    joint = {
        cell: share
        * math.prod(
            channel.matrix()[channel.inputs.index(x), channel.outputs.index(report[name])]
            for (name, channel), x in zip(SCHEMA.items(), cell, strict=True)
        )
        for cell, share in rules.items()
    }
    found = dn.privacy.reinterrogation_attack(SCHEMA, rules, report).set_index(["attribute", "answer"])
    total = sum(joint.values())
    for i, (name, channel) in enumerate(SCHEMA.items()):
        for x in channel.inputs:
            before = sum(share for cell, share in rules.items() if cell[i] == x)
            after = sum(value for cell, value in joint.items() if cell[i] == x) / total
            assert found.loc[(name, x), "before"] == pytest.approx(before)
            assert found.loc[(name, x), "after"] == pytest.approx(after)
            assert found.loc[(name, x), "odds"] == pytest.approx(after / (1 - after) * (1 - before) / before)


@pytest.mark.statistical
def test_whatever_rules_were_mined_the_odds_stay_within_e_to_the_epsilon():
    """Check 23: 1,000 random priors, from even to nearly deterministic, and every kind of report."""
    rng = np.random.default_rng(3)
    cells = list(itertools.product(*(channel.inputs for channel in SCHEMA.values())))
    bound, own = math.exp(SCHEMA.epsilon), math.exp(SCHEMA["smokes"].epsilon)
    reports = list(itertools.product(*(channel.outputs for channel in SCHEMA.values())))
    highest, beyond_own = 0.0, 0
    for i in range(1000):
        shares = rng.dirichlet(np.full(len(cells), (1.0, 0.3, 0.05)[i % 3])) + 1e-9
        rules = dict(zip(cells, shares, strict=True))
        report = dict(zip(SCHEMA, reports[rng.integers(len(reports))], strict=True))
        found = dn.privacy.reinterrogation_attack(SCHEMA, rules, report)
        odds = found["odds"].to_numpy()
        assert (odds <= bound * (1 + 1e-9)).all()
        assert (odds >= 1 / bound * (1 - 1e-9)).all()
        highest = max(highest, float(odds.max()))
        beyond_own += int((odds[:2] > own * (1 + 1e-9)).any())
    # The bound is no empty one, and that of a question alone would be too small: rules make other answers speak.
    assert highest > bound / 4
    assert beyond_own > 50


@pytest.mark.statistical
def test_the_epsilon_of_a_group_bounds_what_its_joint_report_says():
    asked = dn.UnrelatedQuestion(dn.Binary(), theta=0.5, innocuous=0.5)
    schema = dn.Schema(dict.fromkeys("abc", asked), groups={"g": list("abc")})
    rng = np.random.default_rng(4)
    cells = list(itertools.product((0, 1), repeat=3))
    highest = 0.0
    for _ in range(200):
        rules = dict(zip(cells, rng.dirichlet(np.full(8, 0.2)) + 1e-9, strict=True))
        found = dn.privacy.reinterrogation_attack(schema, rules, {"a": 1, "b": 1, "c": 0})
        assert (found["odds"] <= 9 * (1 + 1e-9)).all()  # 1 + theta / ((1 - theta) / 8)
        highest = max(highest, float(found["odds"].max()))
    assert highest > 3  # what one question's own report could do at most


def test_a_frame_of_people_is_a_rule_book():
    people = dn.datasets.town(3000, np.random.default_rng(5))
    schema = dn.datasets.town_schema()
    report = {"salary": 5000, "age": 40, "sex": "F", "credit": "present", "children": "yes"}
    found = dn.privacy.reinterrogation_attack(schema, people, report, ["sex", "children", "credit"])
    assert found.groupby("attribute")["after"].sum().to_numpy() == pytest.approx(np.ones(3))
    before = found.set_index(["attribute", "answer"])["before"]
    assert before["sex", "F"] == pytest.approx((people["sex"] == "F").mean())


def test_bad_reports_and_rules_are_refused():
    rules = pd.DataFrame({"smokes": ["no"], "drinks": [0], "level": ["low"]})
    with pytest.raises(ParameterError, match="is missing \\['level'\\]"):
        dn.privacy.reinterrogation_attack(SCHEMA, rules, {"smokes": "no", "drinks": 0})
    with pytest.raises(ParameterError, match="a label for each"):
        dn.privacy.reinterrogation_attack(SCHEMA, {("no", 0): 1.0}, {"smokes": "no", "drinks": 0, "level": "low"})
    certain = dn.Schema({"a": dn.Identity(dn.Binary())})
    with pytest.raises(ParameterError, match="nobody"):
        dn.privacy.reinterrogation_attack(certain, {(0,): 1.0}, {"a": 1})
