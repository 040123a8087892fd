"""Two groups: what was reported beside differences, how many direct answers they are worth, and how many more would tell."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.results.asking import ask
from deniable.results.questions import Comparison, OneQuestion
from deniable.results.verdicts import more_answers

WOMEN, MEN = "sex == 'F'", "sex == 'M'"


def reports(schema, n=4_000, seed=3):
    rng = np.random.default_rng(seed)
    sex = rng.choice(["F", "M"], n, p=[0.4, 0.6])
    truth = pd.DataFrame(
        {
            "sex": sex,
            "smokes": np.where(rng.random(n) < np.where(sex == "F", 0.25, 0.4), "yes", "no"),
            "mood": rng.integers(1, 6, n),
        }
    )
    return schema.randomise(truth, rng)


def a_schema(sex, p):
    return dn.Schema(
        {
            "sex": sex,
            "smokes": dn.KRR(dn.Nominal(["no", "yes"]), p),
            "mood": dn.KRR(dn.Ordinal([1, 2, 3, 4, 5]), 0.6),
        }
    )


OPEN, HIDDEN = dn.Identity(dn.Nominal(["F", "M"])), dn.KRR(dn.Nominal(["F", "M"]), 0.8)


@pytest.mark.parametrize("sex", [OPEN, HIDDEN], ids=["open", "hidden"])
def test_what_was_reported_is_the_difference_of_reported_shares(sex):
    schema = a_schema(sex, 0.75)
    frame = reports(schema)
    sides, differences = ask(dn.Sample(frame, schema), Comparison("smokes", WOMEN, MEN, "yes")).blocks
    shares = [(frame["smokes"][frame["sex"] == one] == "yes").mean() for one in ("F", "M")]
    assert [figure.reported for figure in sides.figures] == pytest.approx(shares)
    assert differences.figures[0].reported == pytest.approx(shares[0] - shares[1])


def test_what_was_reported_of_means_and_of_every_answer():
    schema = a_schema(OPEN, 0.75)
    frame = reports(schema)
    sides, differences = ask(dn.Sample(frame, schema), Comparison("mood", WOMEN, MEN, mean=True)).blocks
    means = [frame["mood"][frame["sex"] == one].mean() for one in ("F", "M")]
    assert [figure.reported for figure in sides.figures] == pytest.approx(means)
    assert differences.figures[0].reported == pytest.approx(means[0] - means[1])
    _, differences = ask(dn.Sample(frame, schema), Comparison("mood", WOMEN, MEN)).blocks
    for figure, mood in zip(differences.figures, range(1, 6), strict=True):
        shares = [(frame["mood"][frame["sex"] == one] == mood).mean() for one in ("F", "M")]
        assert figure.reported == pytest.approx(shares[0] - shares[1])


def test_reports_that_are_no_answers_are_not_marked():
    schema = dn.Schema({"sex": OPEN, "pay": dn.OneBit(dn.Integer(0, 9), 5)})
    rng = np.random.default_rng(1)
    frame = schema.randomise(pd.DataFrame({"sex": rng.choice(["F", "M"], 2_000), "pay": rng.integers(0, 10, 2_000)}), rng)
    sides, differences = ask(dn.Sample(frame, schema), Comparison("pay", WOMEN, MEN, mean=True)).blocks
    assert [figure.reported for figure in (*sides.figures, *differences.figures)] == [None] * 3
    assert [figure.worth for figure in (*sides.figures, *differences.figures)] == [
        None
    ] * 3  # how direct answers vary is not told


@pytest.mark.parametrize("p", [0.65, 0.75, 0.9])
def test_what_a_difference_of_shares_is_worth(p):
    """By hand: so many direct answers, of both groups as they are, have the variance that these reports have."""
    schema = a_schema(OPEN, p)
    frame = reports(schema, 40_000)
    sides, differences = ask(dn.Sample(frame, schema), Comparison("smokes", WOMEN, MEN, "yes")).blocks
    direct = hidden = 0.0
    for figure, one in zip(sides.figures, ("F", "M"), strict=True):
        said = frame["smokes"][frame["sex"] == one] == "yes"
        true = (said.mean() - (1 - p)) / (2 * p - 1)
        direct += true * (1 - true) / len(said)
        hidden += said.mean() * (1 - said.mean()) / (2 * p - 1) ** 2 / len(said)
        alone = true * (1 - true) / (said.mean() * (1 - said.mean()) / (2 * p - 1) ** 2)
        assert figure.worth == pytest.approx(len(said) * alone, rel=0.01)
    assert differences.figures[0].worth == pytest.approx(40_000 * direct / hidden, rel=0.01)


def test_what_a_difference_of_means_is_worth():
    """By hand, from the table of the design: reports keep an answer with probability 0.6, else any other."""
    schema = a_schema(OPEN, 0.75)
    frame = reports(schema, 40_000)
    _, differences = ask(dn.Sample(frame, schema), Comparison("mood", WOMEN, MEN, mean=True)).blocks
    keep, other = 0.6, 0.1
    direct = hidden = 0.0
    for one in ("F", "M"):
        said = frame["mood"][frame["sex"] == one].to_numpy()
        # The values add up to 15: a report is expected to be (keep - other) t + 15 other if the truth is t.
        weights = (said - 15 * other) / (keep - other)
        shares = (np.array([(said == mood).mean() for mood in range(1, 6)]) - other) / (keep - other)
        moods = np.arange(1, 6)
        direct += (shares @ moods**2 - (shares @ moods) ** 2) / len(said)
        hidden += weights.var() / len(said)
    assert differences.figures[0].worth == pytest.approx(40_000 * direct / hidden, rel=0.02)


def test_in_groups_answers_of_the_group_alone_are_counted():
    """People of three towns: of those of one, of two compared, and of groups that share people, no more answers count than there are."""
    schema = dn.Schema({"town": dn.Identity(dn.Nominal(["A", "B", "C"])), "smokes": dn.Identity(dn.Nominal(["no", "yes"]))})
    towns, smokes = ["A"] * 1_000 + ["B"] * 600 + ["C"] * 2_400, ["yes", "no"] * 2_000
    sample = dn.Sample(pd.DataFrame({"town": towns, "smokes": smokes}), schema)
    (block,) = ask(sample, OneQuestion("smokes", by="town")).blocks
    assert [figure.worth for figure in block.figures] == pytest.approx([1_000] * 2 + [600] * 2 + [2_400] * 2, rel=1e-3)
    for groups, people in (
        (("town == 'A'", "town == 'B'"), 1_600), (("town == 'A'", "town in ('A', 'B')"), 1_600), (("town == 'A'", "town != 'B'"), 3_400),
    ):  # fmt: skip
        sides, differences = ask(sample, Comparison("smokes", *groups, "yes")).blocks
        assert sides.figures[0].worth == pytest.approx(1_000, rel=1e-3)
        assert differences.figures[0].worth == pytest.approx(people, rel=0.01)
    assert not block.hidden


def test_what_the_difference_of_a_group_and_everyone_is_worth():
    """Groups that share people: all direct answers that are open are worth themselves."""
    schema = dn.Schema({"sex": OPEN, "smokes": dn.Identity(dn.Nominal(["no", "yes"]))})
    frame = reports(a_schema(OPEN, 0.75))[["sex", "smokes"]]
    sample = dn.Sample(frame, schema)
    for groups in ((WOMEN, MEN), (WOMEN, "sex == 'F' or sex == 'M'")):
        _, differences = ask(sample, Comparison("smokes", *groups, "yes")).blocks
        assert differences.figures[0].worth == pytest.approx(len(frame), rel=0.01)


def found_with(schema, shares, n, rng):
    """Whether the verdict is that two groups differ whose true shares are these, of n answers."""
    sex = rng.choice(["F", "M"], n)
    smokes = np.where(rng.random(n) < np.where(sex == "F", *shares), "yes", "no")
    frame = schema.randomise(pd.DataFrame({"sex": sex, "smokes": smokes}), rng)
    return bool(ask(dn.Sample(frame, schema), Comparison("smokes", WOMEN, MEN, "yes")).blocks[1].figures[0].told)


def expected_reports(p, shares, n):
    """Reports in exactly the shares that are expected: the estimate is the truth."""
    rows = []
    for one, true in zip(("F", "M"), shares, strict=True):
        yes = round(n / 2 * (true * p + (1 - true) * (1 - p)))
        rows += [(one, "yes")] * yes + [(one, "no")] * (n // 2 - yes)
    return pd.DataFrame(rows, columns=["sex", "smokes"])


def power_with_more(p, surveys, seed):
    """How often the difference is told once as many more answers are there as the page says would show it 8 times out of 10."""
    schema, shares, n = dn.Schema({"sex": OPEN, "smokes": dn.KRR(dn.Nominal(["no", "yes"]), p)}), (0.30, 0.38), 1_000
    frame = expected_reports(p, shares, n)
    estimate = dn.Sample(frame, schema).difference("smokes == 'yes'", between=(WOMEN, MEN))
    more = more_answers(estimate)
    assert more is not None
    rng = np.random.default_rng(seed)
    return more, float(np.mean([found_with(schema, shares, n + more, rng) for _ in range(surveys)]))


@pytest.mark.statistical
@pytest.mark.parametrize("p", [0.75, 0.9])
def test_so_many_more_answers_show_it(p):
    """60 surveys here, 500 with `pytest -m slow` (seed 31)."""
    _, power = power_with_more(p, 60, 31)
    assert 0.64 <= power <= 0.96


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("p", [0.75, 0.9])
def test_so_many_more_answers_show_it_eight_times_out_of_ten(p):
    more, power = power_with_more(p, 500, 31)
    print(f"KRR p={p}: {more:,} more answers, told {power:.1%} of 500 times")
    assert 0.75 <= power <= 0.85
