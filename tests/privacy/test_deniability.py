import math

import pytest

import deniable as dn
from deniable.errors import ParameterError


def test_even_answers_have_full_deniability_and_equal_ones_none():
    assert dn.privacy.deniability([0.5, 0.5]) == 1
    assert dn.privacy.deniability({"yes": 10, "no": 10, "maybe": 10}) == pytest.approx(1)
    assert dn.privacy.deniability([1, 0]) == 0


def test_it_is_entropy_over_the_most_there_can_be():
    shares = [0.7, 0.2, 0.1]
    slow = -sum(p * math.log(p) for p in shares) / math.log(3)
    assert dn.privacy.deniability(shares) == pytest.approx(slow)


def test_answers_that_nobody_gave_count_as_possible():
    assert dn.privacy.deniability([5, 5], answers=4) == pytest.approx(0.5)
    assert dn.privacy.deniability([5, 5, 0, 0]) == pytest.approx(0.5)


def test_a_jury_of_twelve_means_a_minority_of_one_percent_not_of_eight():
    share = dn.privacy.minority_share(1 / 12)
    assert share == pytest.approx(0.0104, abs=0.0001)
    # The other way round: one dissenter among twelve is far more deniable.
    assert dn.privacy.deniability([11, 1]) == pytest.approx(0.4138, abs=0.0001)


@pytest.mark.parametrize("answers", [2, 3, 10])
@pytest.mark.parametrize("level", [0, 0.05, 0.5, 0.9, 1])
def test_a_minority_of_that_share_has_that_deniability(level, answers):
    share = dn.privacy.minority_share(level, answers)
    rare = [share / (answers - 1)] * (answers - 1)
    assert dn.privacy.deniability([1 - share, *rare]) == pytest.approx(level, abs=1e-9)


def test_bad_input_is_refused():
    for bad in (1.2, -0.1, "half"):
        with pytest.raises(ParameterError, match="level"):
            dn.privacy.minority_share(bad)
    with pytest.raises(ParameterError, match="at least 2"):
        dn.privacy.minority_share(0.5, answers=1)
    with pytest.raises(ParameterError, match="at least 3"):
        dn.privacy.deniability([1, 2, 3], answers=2)
    with pytest.raises(ParameterError, match="shares"):
        dn.privacy.deniability(0.5)
    with pytest.raises(ParameterError, match="non-negative"):
        dn.privacy.deniability([-1, 2])
