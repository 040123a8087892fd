"""The package as a whole: light to import, documented, consistent."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from ruamel.yaml import YAML

import deniable as dn

ROOT = Path(__file__).parents[1]


def test_import_pulls_in_nothing_at_all():
    """Counted in modules: seconds depend on the machine."""
    code = (
        "import __future__, importlib, typing, sys; before = set(sys.modules); import deniable; "
        "assert set(sys.modules) - before == {'deniable'}, set(sys.modules) - before"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.servers
def test_building_a_schema_needs_neither_numba_nor_altair_nor_pandas():
    code = (
        "import sys, deniable as dn; dn.Schema({'a': dn.KRR(dn.Binary(), 0.7)}).epsilon; dn.Estimate; dn.reconstruct; "
        "heavy = [m for m in ('numba', 'scipy.stats', 'sklearn', 'altair', 'pandas') if m in sys.modules]; assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", [name for name in dn.__all__ if name != "__version__"])
def test_every_public_name_is_documented_with_an_example_and_listed_in_the_reference(name):
    thing = getattr(dn, name)
    reference = (ROOT / "docs" / "reference.md").read_text()
    assert f"`dn.{name}" in reference, f"docs/reference.md lacks a row for dn.{name}"
    assert thing.__doc__
    if not name.islower() or callable(thing):
        home = __import__(thing.__module__, fromlist=["x"]) if callable(thing) else thing
        assert ">>>" in thing.__doc__ or ">>>" in (home.__doc__ or ""), f"dn.{name} has no runnable example"


def test_reference_names_nothing_that_does_not_exist():
    reference = (ROOT / "docs" / "reference.md").read_text()
    for path in re.findall(r"`dn\.([A-Za-z_.]+)", reference):
        thing = dn
        for part in path.split("."):
            thing = getattr(thing, part)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="nothing_here"):
        _ = dn.nothing_here
    assert "KRR" in dir(dn)


def test_changelog_and_version_agree():
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert newest.group(1) == dn.__version__


def test_who_cites_it_cites_this_version_under_its_license():
    cited = YAML(typ="safe").load((ROOT / "CITATION.cff").read_text())
    assert cited["version"] == dn.__version__
    assert cited["license"] == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["license"]
    assert {"cff-version", "message", "title", "authors"} <= set(cited)


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "SECURITY.md", *sorted(p.name for p in (ROOT / "docs").glob("*.md"))]
)
def test_links_between_pages_lead_somewhere(page):
    path = ROOT / page if (ROOT / page).exists() else ROOT / "docs" / page
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        assert "://" in target or (path.parent / target).exists(), f"{page} links to {target}"
