import math

import numpy as np
import pytest

from deniable.privacy.measures.worst_case import Rise
from deniable.privacy.reporting.words import odds, percent, quoted, sentence


def test_odds_are_never_rounded_down():
    rng = np.random.default_rng(1)
    for epsilon in rng.uniform(0, 30, 500):
        text = odds(epsilon).removeprefix("by a factor of at most ").replace(",", "")
        number = float(text.replace(" x 10^", "e"))
        assert number >= math.exp(epsilon) * (1 - 1e-9)
        assert number <= math.exp(epsilon) * 1.1 + 0.1


def test_odds_in_words():
    assert odds(0) == "by a factor of at most 1.0"
    assert odds(math.log(122)) == "by a factor of at most 122"
    assert odds(math.inf) == "without limit"
    assert odds(1000) == "by a factor of at most e^1,000"


def test_chances_after_a_report_are_never_rounded_down_and_only_certainty_is_100_percent():
    rng = np.random.default_rng(2)
    for chance in [*rng.random(500), *10.0 ** -rng.uniform(0, 8, 200), *(1 - 10.0 ** -rng.uniform(0, 8, 200))]:
        text = percent(chance, up=True)
        shown = float(text.removesuffix("%")) / 100
        assert shown >= chance - 1e-12
        assert shown < 1
        assert abs(float(percent(chance).removesuffix("%")) / 100 - chance) <= 0.06 * min(chance, 1 - chance) + 1e-12


@pytest.mark.parametrize(("chance", "text"), [(0, "0%"), (1, "100%"), (0.1, "10%"), (0.5, "50%"), (0.014, "1.4%")])
def test_plain_chances_are_written_plainly(chance, text):
    assert percent(chance) == text


def test_words_are_quoted_and_numbers_are_not():
    assert quoted("yes") == "'yes'"
    assert quoted(18) == "18"


def test_a_certain_answer_is_called_certain():
    assert "is certainly 18; before, its chance was 2.1%" in sentence(Rise(0, 18, 1 / 48, 1.0))
