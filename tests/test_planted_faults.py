"""The script that plants faults: it finds texts wherever they are, refuses those without one place, and knows what was caught."""

import textwrap

import pytest

from benchmarks import planted_faults as planted

HALF = planted.Fault("half", "return a / 2", "return a / 3", "halves", ("test_half.py",))


@pytest.fixture
def tree(tmp_path):
    """A package of one function, with a test that looks at it and one that does not."""
    for name, text in {
        "deniable/__init__.py": "",
        "deniable/somewhere/__init__.py": "",
        "deniable/somewhere/new.py": "def half(a):\n    return a / 2\n",
        "tests/test_half.py": "from deniable.somewhere.new import half\n\ndef test_half():\n    assert half(4) == 2\n",
        "tests/test_blind.py": "from deniable.somewhere.new import half\n\ndef test_blind():\n    assert half(0) == 0\n",
        "tests/test_broken.py": "def test_broken():\n    assert False\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    return tmp_path


def changed(**other):
    return planted.Fault(**{**vars(HALF), **other})


def test_a_text_is_found_wherever_it_has_moved_to(tree):
    assert planted.place_of(HALF, tree) == tree / "deniable" / "somewhere" / "new.py"


@pytest.mark.parametrize("text", ["def half(a):\n    return a\n", "x = 'return a / 2'\ny = 'return a / 2'\n"])
def test_a_text_without_one_place_is_named_loudly(tree, text):
    (tree / "deniable" / "somewhere" / "new.py").write_text(text)
    with pytest.raises(SystemExit, match=r"half: its text must stand .* exactly once"):
        planted.check([HALF], tree)


def test_tests_that_are_not_there_and_changes_that_change_nothing_are_named_too(tree):
    with pytest.raises(SystemExit, match=r"there is no tests/test_gone\.py") as refused:
        planted.check([changed(tests=("test_gone.py -k x",)), changed(new=HALF.old)], tree)
    assert "nothing is changed" in str(refused.value)


@pytest.mark.servers
def test_caught_missed_and_what_fails_anyway_are_told_apart_and_the_copy_is_as_before(tree, tmp_path):
    before = {path: path.read_bytes() for path in tree.rglob("*.py")}
    chosen = [
        HALF,
        changed(name="unseen", tests=("test_blind.py",)),
        changed(name="seen later", tests=("test_blind.py", "test_half.py")),
        changed(name="broken", tests=("test_broken.py",)),
        changed(name="not fair", new="return a /", tests=("test_half.py",)),
    ]
    results = tmp_path / "results.json"
    found = planted.run(chosen, tree, results, jobs=2, minutes=2, again=False)
    assert {name: outcome for name, (outcome, _) in found.items()} == {
        "half": planted.CAUGHT,
        "unseen": planted.MISSED,
        "seen later": planted.CAUGHT,
        "broken": planted.ANYWAY,
        "not fair": planted.UNFAIR,
    }
    assert found["half"][1] == "tests/test_half.py::test_half"
    assert {path: path.read_bytes() for path in before} == before
    # Nothing is run again on the same code, and nothing can be in no time on other code.
    assert planted.run(chosen, tree, results, jobs=2, minutes=0, again=False) == found
    (tree / "tests" / "test_blind.py").write_text("")
    assert planted.run(chosen, tree, results, jobs=2, minutes=0, again=False) == {}
