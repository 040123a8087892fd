"""Every design in words, with the probabilities that its own integers have."""

import re

import pytest

import deniable as dn
from deniable.core.channels.base import Channel
from deniable.privacy.reporting.describe_designs import describe_design, describe_designs

YES_NO = dn.Nominal(["no", "yes"])
ORDERED = dn.Ordinal(["low", "middle", "high"])
AGE = dn.Integer(18, 90)

EXAMPLES = {
    "Identity": (dn.Identity(YES_NO), "nothing is hidden"),
    "KRR": (dn.KRR(ORDERED, 0.7), "kept with probability 0.7, else one of the others"),
    "Flip": (dn.Flip(0.8, 0.6, YES_NO), "'yes' is kept with probability 0.8 and 'no' with 0.6"),
    "ForcedResponse": (dn.ForcedResponse(0.2, 0.1, YES_NO), "'yes' is reported with probability 0.2 and 'no' with 0.1"),
    "Crosswise": (dn.Crosswise(0.25, YES_NO), "innocuous question, which is 'yes' with probability 0.25"),
    "Retention": (dn.Retention(AGE, 0.5), "kept with probability 0.5, else any answer is drawn, all equally likely"),
    "UnrelatedQuestion": (dn.UnrelatedQuestion(YES_NO, 0.6, 0.5), "is answered with probability 0.6, else an innocuous one"),
    "Matrix": (dn.Matrix(YES_NO, [[0.8, 0.2], [0.3, 0.7]]), "kept with probability 0.7 to 0.8"),
    "Neighbours": (dn.Neighbours(ORDERED, [0.6, 0.2], wrap=True), "kept with probability 0.6, else the next one"),
    "Additive": (dn.Additive(AGE, dn.Uniform(5)), "random noise is added, uniform, up to 5 either way"),
    "OneBit": (dn.OneBit(AGE, 4), "'high' with probability 0.2 if the number is 18, rising evenly to 0.8 if it is 90"),
    "Piecewise": (dn.Piecewise(AGE, 5, reports=3, width=1), "rounded at random to one of 3 from 18 to 90"),
    "Multiplicative": (dn.Multiplicative(dn.Continuous(1, 9), dn.Normal(0.1)), "normal with a standard deviation of 0.1"),
    "Optional": (dn.Optional(dn.Retention(AGE, 0.5), 0.8), "kept with probability 0.8, else an answer becomes 'no answer'"),
}


def test_every_design_has_an_example():
    assert set(EXAMPLES) == set(Channel.designs)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_design_is_said_in_words(name):
    channel, says = EXAMPLES[name]
    assert says in describe_design(channel)


@pytest.mark.parametrize("name", ["KRR", "Neighbours"])
def test_the_probability_said_is_that_of_the_table(name):
    channel, _ = EXAMPLES[name]
    said = float(re.search(r"probability ([\d.]+)", describe_design(channel)).group(1))
    assert channel.matrix().diagonal() == pytest.approx(said)


def test_a_given_replacement_is_not_called_even():
    assert "with probabilities that are known" in describe_design(dn.Retention(YES_NO, 0.5, [0.1, 0.9]))


def test_an_innocuous_question_that_is_asked_is_not_said_to_be_drawn():
    assert "whose answer is drawn" in describe_design(dn.UnrelatedQuestion(YES_NO, 0.6, 0.5))
    assert "which the person is asked too" in describe_design(dn.UnrelatedQuestion(YES_NO, 0.6, 0.5, asked=True))


def test_groups_are_named():
    yes_no = dn.UnrelatedQuestion(YES_NO, 0.6, 0.5)
    lines = describe_designs(dn.Schema({"a": yes_no, "b": yes_no}, groups={"both": ["a", "b"]}))
    assert lines[-1] == "both (a, b): one draw decides for all of them together"


def test_a_window_is_as_wide_as_is_said_and_as_likely():
    channel = dn.Piecewise(dn.Integer(0, 99), 5)
    reach, near = (
        float(number)
        for number in re.search(r"at most ([\d.]+) away .* probability ([\d.]+)", describe_design(channel)).groups()
    )
    rows = channel.matrix()
    labels = channel.reported.numbers()
    for truth in (0, 50, 99):
        inside = abs(labels - truth) <= reach
        # All reports are as likely as those outside; what is beyond that is the window's.
        assert (rows[truth] - rows[truth].min()).sum() == pytest.approx(near, abs=1e-4)
        assert rows[truth][inside].min() > 4 * rows[truth][~inside].max()
