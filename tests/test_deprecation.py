"""Old names work, warn once per place of use, and point at the line of the caller."""

import inspect
import warnings
from pathlib import Path

import pytest

from deniable.deprecation import renamed, renamed_parameter
from deniable.errors import ParameterError

old_sum = renamed("old_sum", lambda a, b=0: a + b, "new_sum", "0.9.0")


@renamed_parameter("apart", "n_unordered", "0.9.0")
def fitted(counts, n_unordered=0):
    return counts, n_unordered


@pytest.fixture
def said():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def test_a_place_is_told_once_and_every_other_place_again(said):
    lines = set()
    for _ in range(3):
        lines.add(inspect.currentframe().f_lineno + 1)
        assert old_sum(1, b=2) == 3
    assert len(said) == 1
    lines.add(inspect.currentframe().f_lineno + 1)
    assert old_sum(2) == 2
    assert {warning.lineno for warning in said} == lines
    assert {Path(warning.filename) for warning in said} == {Path(__file__)}
    assert {str(warning.message) for warning in said} == {"old_sum is now called new_sum; the old name goes in version 0.9.0."}


def test_everyone_sees_it_without_asking(said):
    warnings.resetwarnings()
    warnings.simplefilter("ignore", DeprecationWarning)
    old_sum(4)
    assert [warning.category for warning in said] == [FutureWarning]


def test_two_names_on_one_line_are_both_told(said):
    other = renamed("older_sum", lambda a: a, "new_sum", "0.9.0")
    assert (old_sum(1), other(1)) == (1, 1)
    assert sorted(str(warning.message).split()[0] for warning in said) == ["old_sum", "older_sum"]


def test_a_parameter_is_taken_by_either_name_and_not_by_both(said):
    assert fitted([1], apart=2) == ([1], 2)
    assert [warning.lineno for warning in said] == [inspect.currentframe().f_lineno - 1]
    assert fitted([1], n_unordered=2) == fitted([1], 2) == ([1], 2)
    assert len(said) == 1
    with pytest.raises(ParameterError, match="apart is the old name of n_unordered; give only n_unordered"):
        fitted([1], apart=2, n_unordered=2)


def test_the_wrapped_keep_their_names_and_documentation():
    assert fitted.__name__ == "fitted"
    assert list(inspect.signature(fitted).parameters) == ["counts", "n_unordered"]
