"""The package as a whole: every name documented, with an example, and listed in the reference."""

import subprocess
import sys
from pathlib import Path

import pytest

import deniable as dn

REFERENCE = (Path(__file__).parents[2] / "docs" / "reference.md").read_text()


@pytest.mark.parametrize("name", dn.privacy.__all__)
def test_every_public_name_is_listed_in_the_reference(name):
    assert f"`dn.privacy.{name}" in REFERENCE


@pytest.mark.parametrize("name", [name for name in dn.privacy.__all__ if name.islower()])
def test_every_function_has_a_formula_or_meaning_and_a_runnable_example(name):
    assert ">>>" in getattr(dn.privacy, name).__doc__


@pytest.mark.servers
def test_importing_the_package_needs_neither_pandas_nor_scipy():
    code = (
        "import sys, deniable.privacy; "
        "heavy = [m for m in ('numba', 'scipy', 'altair', 'pandas') if m in sys.modules]; assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
