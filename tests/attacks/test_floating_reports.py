"""Numbers without a step: kept salaries have cents, drawn ones have fifteen digits. Anyone who looks at the digits knows which are true."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.errors import SchemaError


def with_cents(reports):
    return np.isclose(reports * 100, np.round(reports * 100), rtol=0, atol=1e-6)


def test_digits_tell_which_reports_are_true_so_nobody_is_protected_that_way():
    rng = np.random.default_rng(8)
    people = pd.DataFrame({"salary": np.round(rng.uniform(1_000, 7_000, 2_000), 2)})
    loose = dn.Schema({"salary": dn.Retention(dn.Continuous(0, 8_000), p=0.5)})
    # The attacker wins in a simulation ...
    reports = loose.randomise(people, rng)["salary"].to_numpy()
    named = with_cents(reports)
    assert named.mean() > 0.45
    assert (reports[named] == people["salary"].to_numpy()[named]).all()
    # ... and people are never hidden so.
    with pytest.raises(SchemaError, match="protects nobody"):
        loose.randomise(people)
    gridded = dn.Schema({"salary": dn.Retention(dn.Continuous(0, 8_000, step=0.01), p=0.5)})
    assert with_cents(gridded.randomise(people)["salary"].to_numpy()).all()


def test_files_are_refused_too_and_open_numbers_are_not(tmp_path):
    people = pd.DataFrame({"salary": [1.5, 2.25], "height": [1.71, 1.82]})
    people.to_csv(tmp_path / "people.csv", index=False)
    loose = dn.Schema({"salary": dn.Additive(dn.Continuous(0, 9), dn.Normal(1)), "height": dn.Identity(dn.Continuous(0, 3))})
    with pytest.raises(SchemaError, match=r"\['salary'\] have no step"):
        loose.randomise(tmp_path / "people.csv", output=tmp_path / "reported.csv")
    assert not (tmp_path / "reported.csv").exists()
    assert len(dn.Schema({"height": loose["height"]}).randomise(people[["height"]])) == 2
