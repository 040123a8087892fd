import pytest

import deniable as dn
from deniable.errors import ParameterError

YES_NO = dn.Nominal(["no", "yes"])
FAIR = dn.UnrelatedQuestion(dn.Binary(), theta=0.5, innocuous=0.5)


def said(channel):
    (block,) = dn.Schema({"q": channel}).blocks
    return " ".join(dn.privacy.warnings_of(block))


def test_a_channel_with_a_finite_epsilon_and_a_good_inverse_needs_no_warning():
    assert said(dn.KRR(YES_NO, 0.75)) == ""
    assert said(dn.Retention(dn.Integer(18, 90), 0.5)) == ""


def test_an_infinite_epsilon_is_named_with_the_pair_of_answers_and_a_way_out():
    text = said(dn.Flip(1, 0.5, YES_NO))
    assert "epsilon is infinite" in text
    assert "a report of 'no' can come from 'no', but proves that the true answer is not 'yes'" in text
    assert "The nearest design with a finite epsilon (3.0)" in text  # ln(0.5 / 0.025) = 2.9957


def test_bounded_noise_is_named_with_the_leak_and_the_noise_to_take():
    text = said(dn.Additive(dn.Integer(18, 65), dn.Uniform(18)))
    assert "21.4% of the reports" in text
    assert "Laplace(7.55)" in text


@pytest.mark.parametrize(
    ("channel", "words"),
    [
        (dn.Identity(YES_NO), "is reported as it is"),
        (dn.Additive(dn.Continuous(0, 9), dn.Normal(3)), "protects nobody"),
        (dn.KRR(dn.Nominal(list("abc")), "1/3"), "cannot be undone"),
        (dn.KRR(YES_NO, "0.5000001"), "can hardly be estimated"),
        (dn.Neighbours(dn.Ordinal(list("abcd")), [0.5, 0.25], wrap=True), "cannot be undone"),
    ],
)
def test_other_faults_are_named(channel, words):
    assert words in said(channel)


def test_a_group_that_rules_out_combinations_is_named_and_another_is_not():
    flips = dn.Schema({"a": dn.KRR(YES_NO, 0.75), "b": dn.KRR(YES_NO, 0.75)}, groups={"g": ["a", "b"]})
    assert "all combinations of answers but two" in dn.privacy.warnings_of(flips.blocks[0])[0]
    table = dn.Group(["a", "b"], innocuous={(0, 0): 0.5, (1, 1): 0.5})
    holes = dn.Schema({"a": FAIR, "b": FAIR}, groups={"g": table})
    assert "rules out some combinations" in dn.privacy.warnings_of(holes.blocks[0])[0]
    good = dn.Schema({"a": FAIR, "b": FAIR}, groups={"g": ["a", "b"]})
    assert dn.privacy.warnings_of(good.blocks[0]) == []


def test_every_design_can_be_asked(small_channel):
    assert isinstance(said(small_channel), str)


def test_a_channel_a_block_and_a_schema_are_warned_of_alike():
    channel = dn.Additive(dn.Integer(0, 20), dn.Uniform(2))
    schema = dn.Schema({"x": channel, "open": dn.Identity(dn.Binary()), "fine": dn.KRR(dn.Binary(), 0.7)})
    of_channel = dn.privacy.warnings_of(channel)
    assert of_channel
    assert of_channel == dn.privacy.warnings_of(schema.blocks[0])
    assert dn.privacy.warnings_of(dn.KRR(dn.Binary(), 0.7)) == []
    expected = [f"x: {warning}" for warning in of_channel]
    expected += [f"open: {warning}" for warning in dn.privacy.warnings_of(dn.Identity(dn.Binary()))]
    assert dn.privacy.warnings_of(schema) == expected


def test_the_warning_of_a_group_names_it():
    schema = dn.Schema({"a": dn.KRR(YES_NO, 0.7), "b": dn.KRR(YES_NO, 0.7)}, groups={"pair": ["a", "b"]})
    (warning,) = dn.privacy.warnings_of(schema)
    assert warning.startswith("pair: the joint report of this group rules out")


def test_what_is_no_channel_is_told_what_is_taken():
    with pytest.raises(ParameterError, match=r"takes a channel, a schema or one of schema\.blocks .*, got str"):
        dn.privacy.warnings_of("smokes")
