"""The share of those who meet a condition among a group, and its difference between two groups."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.errors import NoIntervalError, ParameterError

WOMEN, MEN, YES = "sex == 'woman'", "sex == 'man'", "violence == 'yes'"


def world(n=6_000, seed=1, together=0.0, silent=None):
    """People of whom 30% are women; `together` is by how much violence is more frequent among them."""
    rng = np.random.default_rng(seed)
    sex = np.where(rng.random(n) < 0.3, "woman", "man")
    yes = rng.random(n) < 0.2 + together * (sex == "woman")
    people = pd.DataFrame({"violence": np.where(yes, "yes", "no"), "sex": sex, "age": rng.integers(18, 78, n)})
    schema = dn.Schema(
        {
            "violence": dn.KRR(dn.Nominal(["no", "yes"], missing=silent), 0.85),
            "sex": dn.KRR(dn.Nominal(["woman", "man"]), 0.85),
            "age": dn.Additive(dn.Integer(18, 77), dn.Normal(4)),
        }
    )
    return people, dn.Sample(schema.randomise(people, rng), schema)


def test_two_groups_of_different_size_in_which_something_is_as_frequent_cannot_be_told_apart():
    _, sample = world()
    assert sample.difference(YES, between=(WOMEN, MEN)).verdict.startswith("cannot be told from 0")
    # The same people by shares of everyone: there are fewer women.
    assert sample.difference(f"{YES} and {WOMEN}", f"{YES} and {MEN}").verdict.startswith("below 0")


def test_two_groups_in_which_something_is_not_as_frequent_are_told_apart():
    people, sample = world(together=0.3)
    found = sample.difference(YES, between=(WOMEN, MEN))
    rates = people.assign(yes=people.violence == "yes").groupby("sex").yes.mean()
    assert found.verdict.startswith("above 0")
    assert found.interval()[0][0] <= rates["woman"] - rates["man"] <= found.interval()[1][0]
    assert "among (sex == 'woman') minus that among (sex == 'man')" in found.name


@pytest.mark.statistical
@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize("method", ["joint", "em"])
def test_a_share_is_that_of_the_distribution_in_the_group_and_a_difference_that_of_two_shares(target, method):
    _, sample = world(together=0.1)
    ask = {"target": target, "method": method}
    one, two = (sample.share(YES, among=group, **ask) for group in (WOMEN, MEN))
    assert one.value[0] == pytest.approx(sample.distribution("violence", WOMEN, **ask).value[1], abs=1e-4)
    found = sample.difference(YES, between=(WOMEN, MEN), **ask)
    assert found.value[0] == pytest.approx(one.value[0] - two.value[0], abs=1e-4)
    if method == "joint":
        listed = sample.distribution("violence", WOMEN, **ask)
        assert np.allclose(one.interval(), [end[1:2] for end in listed.interval()])
        assert one.se[0] == pytest.approx(listed.se[1])
    else:
        assert not found.has_interval
        low, high = found.band(draws=20, rng=np.random.default_rng(1))
        assert low[0] < high[0]


def test_the_errors_of_two_groups_that_are_hidden_together_are_correlated():
    # Anyone who is not counted as a woman counts as a man: the two errors are opposed, and their difference varies more than their sum.
    _, sample = world()
    one, two = (sample.share(YES, among=group).se[0] for group in (WOMEN, MEN))
    assert sample.difference(YES, between=(WOMEN, MEN)).se[0] > 1.05 * np.hypot(one, two)


def test_where_nothing_is_hidden_it_is_the_difference_of_two_proportions():
    people, _ = world(n=400)
    schema = dn.Schema({name: dn.Identity(dn.Nominal(sorted(set(people[name])))) for name in ("violence", "sex")})
    found = dn.Sample(people[["violence", "sex"]], schema).difference(YES, between=(WOMEN, MEN))
    rates = [people.violence[people.sex == sex].eq("yes") for sex in ("woman", "man")]
    assert found.value[0] == pytest.approx(rates[0].mean() - rates[1].mean())
    assert found.se[0] == pytest.approx(np.sqrt(sum(r.mean() * (1 - r.mean()) / len(r) for r in rates)), rel=1e-6)
    respondents = dn.Sample(people[["violence", "sex"]], schema).difference(YES, between=(WOMEN, MEN), target="respondents")
    assert respondents.interval()[1][0] - respondents.interval()[0][0] == pytest.approx(0, abs=1e-7)


@pytest.mark.statistical
def test_groups_behind_noise_have_a_bias_that_is_said_and_counted():
    _, sample = world()
    found = sample.difference(YES, between=("age < 40", "age >= 60"))
    one, two = (sample.share(YES, among=group) for group in ("age < 40", "age >= 60"))
    assert found.value[0] == pytest.approx(one.value[0] - two.value[0])
    assert found.bias[0] > 0
    assert any("no single value of 'age'" in words for words in found.assumes)
    low, high = (float(end[0]) for end in found.interval())
    assert low < 0 < high


@pytest.mark.statistical
def test_several_parts_and_survey_weights():
    _, sample = world(together=0.3)
    two = sample.update(world(seed=2, together=0.3)[1].parts[0][0])
    alone, both = (s.difference(YES, between=(WOMEN, MEN)) for s in (sample, two))
    assert both.se[0] == pytest.approx(alone.se[0] / np.sqrt(2), rel=0.1)
    people, _ = world(together=0.3)
    schema = dn.Schema({**{name: sample.schema[name] for name in ("violence", "sex")}, "w": dn.Identity(dn.Integer(1, 2))})
    reports = schema.randomise(people[["violence", "sex"]].assign(w=2), np.random.default_rng(5))
    weighted, plain = dn.Sample(reports, schema, weights="w"), dn.Sample(reports, schema)
    for ask in (lambda s: s.difference(YES, between=(WOMEN, MEN)), lambda s: s.share(YES, among=WOMEN)):
        assert ask(weighted).value == pytest.approx(ask(plain).value)
        assert ask(weighted).se == pytest.approx(ask(plain).se, rel=1e-3)
    with pytest.raises(ParameterError, match="population"):
        weighted.difference(YES, between=(WOMEN, MEN), target="respondents")


@pytest.mark.statistical
def test_two_shares_of_everyone_say_so_and_point_to_the_groups_that_seem_to_be_meant():
    _, sample = world(n=500)
    found = sample.difference(f"{YES} and {WOMEN}", f"{MEN} and {YES}")
    assert found.name.count("share of everyone for whom") == 2
    [note] = found.notes
    assert "of everyone" in note
    assert f"difference of ({YES}) between the groups ({WOMEN}) and ({MEN})" in note
    for pair in ((YES, WOMEN), (WOMEN, MEN), (f"{YES} and {WOMEN}", YES), ("18 <= age < 30", "18 <= age < 60")):
        assert not sample.difference(*pair).notes, pair
    written = (dn.where("violence") == "yes") & (dn.where("sex") == "woman")
    assert sample.difference(written, f"{YES} and {MEN}", method="em").notes == found.notes


def test_silence_is_said_to_count_unless_the_question_names_it():
    _, sample = world(n=500, silent="no answer")
    assert sample.share(YES, among=WOMEN).notes == ("'no answer' to 'violence' counts as any other answer",)
    assert not sample.share(YES, among=f"{WOMEN} and violence != 'no answer'").notes


def test_a_group_of_too_few_people_has_no_numbers_to_show():
    people, _ = world(n=200)
    people.loc[:, "sex"] = ["woman"] * 3 + ["man"] * 197
    schema = dn.Schema({name: dn.Identity(dn.Nominal(sorted(set(people[name])))) for name in ("violence", "sex")})
    sample = dn.Sample(people[["violence", "sex"]], schema)
    assert sample.difference(YES, between=(WOMEN, MEN)).said_instead == ["too few answers (3)"]
    assert sample.share(YES, among=WOMEN).said_instead == ["too few answers (3)"]
    empty = dn.Sample(people[["violence", "sex"]].iloc[3:], schema)
    with pytest.raises(NoIntervalError, match="nobody is in the group"):
        empty.difference(YES, between=(WOMEN, MEN))


@pytest.mark.statistical
def test_means_are_compared_between_groups_too():
    _, sample = world(n=500)
    assert sample.difference(of="age", between=(WOMEN, MEN)).value == sample.difference(WOMEN, MEN, of="age").value
    assert "(everyone)" in sample.difference(WOMEN, of="age").name


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda s: s.difference(YES), "needs two conditions"),
        (lambda s: s.difference(between=(WOMEN, MEN)), "needs a condition"),
        (lambda s: s.difference(YES, WOMEN, between=(WOMEN, MEN)), "got a second one"),
        (lambda s: s.difference(YES, of="age", between=(WOMEN, MEN)), "got a condition besides"),
        (lambda s: s.difference(YES, between=WOMEN), "two groups"),
        (lambda s: s.difference(YES, between=(WOMEN,)), "two groups"),
        (lambda s: s.difference(YES, between=(WOMEN, None)), "needs a condition"),
        (lambda s: s.difference(YES, between=(WOMEN, "sex == 'x'")), "cannot be 'x'"),
        (lambda s: s.share(None, among=WOMEN), "needs a condition"),
        (lambda s: s.share(YES, method="iterative"), "method must be one of"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(ask, says):
    _, sample = world(n=50)
    with pytest.raises(ParameterError, match=says):
        ask(sample)
