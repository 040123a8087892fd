"""Every test is of one kind, so that `make quick` knows which to leave out."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

CONFTEST = Path(__file__).with_name("conftest.py")


@pytest.fixture
def kinds(request):
    """What conftest.py says of kinds."""
    return request.config.pluginmanager.get_plugin(str(CONFTEST))


def test_every_test_is_of_exactly_one_kind(request, kinds):
    found = {item.nodeid: [kind for kind in kinds.KINDS if item.get_closest_marker(kind)] for item in request.session.items}
    assert {name: own for name, own in found.items() if len(own) != 1} == {}


def test_kinds_are_explained_in_the_list_of_markers(request, kinds):
    explained = [line.split(":")[0] for line in request.config.getini("markers")]
    assert set(kinds.KINDS) <= set(explained)


def test_folders_that_the_quick_run_does_not_look_into_have_no_unit_tests(kinds):
    makefile = (CONFTEST.parents[1] / "Makefile").read_text()
    assert set(re.search(r"^NOT_QUICK = (.*)$", makefile, re.MULTILINE)[1].split()) == set(kinds.FOLDERS)
    for folder in kinds.FOLDERS:
        marked = [path for path in (CONFTEST.parent / folder).rglob("*.py") if "pytest.mark.unit" in path.read_text()]
        assert marked == [], "make quick would not run them"


def made_up(path, fixtures=(), group=None, marked=()):
    marks = {name: SimpleNamespace(name=name, args=()) for name in marked}
    if group:
        marks["xdist_group"] = SimpleNamespace(name="xdist_group", args=(group,))
    added = []
    return SimpleNamespace(
        path=CONFTEST.parents[1] / path,
        config=SimpleNamespace(rootpath=CONFTEST.parents[1]),
        fixturenames=[*fixtures],
        get_closest_marker=marks.get,
        add_marker=added.append,
        added=added,
    )


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (made_up("tests/core/test_laws.py"), "unit"),
        (made_up("deniable/web/limits.py"), "servers"),
        (made_up("deniable/core/schema.py"), "unit"),
        (made_up("tests/test_docs.py"), "unit"),
        (made_up("tests/statistical/test_sampler.py"), "statistical"),
        (made_up("tests/web/test_collecting.py", ["serve", "tmp_path"]), "servers"),
        (made_up("tests/cli/test_survey.py", ["serve"]), "servers"),
        (made_up("tests/survey/test_store.py", ["database"], group="servers"), "servers"),
        (made_up("tests/survey/test_store.py", ["database"]), "unit"),
        (made_up("tests/attacks/page/test_drawing.py", ["served", "victim", "chromium"]), "browser"),
        (made_up("tests/attacks/page/test_mutations.py", group="browser"), "browser"),
        (made_up("tests/attacks/test_floods.py", group="floods"), "servers"),
    ],
)
def test_what_a_test_starts_or_where_it_is_says_its_kind(kinds, given, kind):
    kinds.pytest_collection_modifyitems([given])
    assert given.added == [kind]


def test_a_kind_that_a_test_names_itself_is_kept(kinds):
    given = made_up("tests/statistical/test_sampler.py", marked=["unit"])
    kinds.pytest_collection_modifyitems([given])
    assert given.added == []
