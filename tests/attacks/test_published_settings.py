"""Anyone who knows all answers but one reads the description that goes with a published table, and tries both answers of that one.

Settings that meet the limits are chosen by looking at the answers: a setting that is a measured share would tell the answer for sure.
"""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.publish import frames

ROWS = 2000
VICTIM = 7


def world(answer, rare):
    """The table if the one unknown person gave this answer; everything else the attacker knows."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {"age": rng.integers(18, 90, ROWS), "job": rng.choice(list("abcdef"), ROWS, p=[0.4, 0.3, 0.2, 0.08, 0.01, 0.01])}
    )
    ill = np.where(rng.random(ROWS) < rare, "yes", "no")
    ill[VICTIM] = answer
    return frame.assign(ill=ill)


def told_apart(rare, **asked):
    """Whether the description of the true world fits one of the two only."""
    true, other = (dn.publish_frame(world(answer, rare), "ill", **asked).to_dict() for answer in ("yes", "no"))
    return true != other


@pytest.mark.parametrize("asked", [{}, {"recode": True}, {"min_shared": 5}])
@pytest.mark.parametrize("rare", [0.03, 0.3])
def test_the_description_fits_both_answers_of_the_one_unknown(rare, asked):
    assert not told_apart(rare, **asked)


def test_a_measured_share_as_a_setting_would_have_told(monkeypatch):
    real = frames.chosen_settings

    def measured(given, truth, limits):
        found = real(given, truth, limits)
        found.pop("max_depth", None)
        share = float(truth["ill"].value_counts(normalize=True).max())
        return {**found, "max_posterior": share + 1e-9}

    monkeypatch.setattr(frames, "chosen_settings", measured)
    assert told_apart(0.03)
