"""Values become codes and come back; what does not fit is named, all of it together."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deniable as dn
from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.core.domains.domain import Domain
from deniable.core.domains.missing import WithMissing
from deniable.errors import DataError, ParameterError, SchemaError

DOMAINS = {
    "Binary": [dn.Binary()],
    "Nominal": [
        dn.Nominal(["red", "green", "blue"]),
        dn.Nominal(["red", "no answer", "green"], missing="no answer"),
        dn.Nominal([3, 1, 2]),
        dn.Nominal([0.5, 1.5]),
        dn.Nominal([True, False]),
        dn.Nominal([1, 2], missing=-9),
        dn.Nominal(["ja"], missing="?"),
    ],
    "Ordinal": [dn.Ordinal(["low", "high"]), dn.Ordinal([1, 2, 5])],
    "Integer": [dn.Integer(18, 90), dn.Integer(-10, 10, step=5), dn.Integer(0, 100_000)],
    "Continuous": [dn.Continuous(0, 1, step=0.1), dn.Continuous(-2.5, 1000, step="0.25"), dn.Continuous(0, 1, step="1/3")],
    "WithMissing": [WithMissing(dn.Integer(0, 5)), WithMissing(dn.Nominal(["a", "b"]), "silent")],
}
EACH = [pytest.param(domain, id=f"{kind}-{i}") for kind, found in DOMAINS.items() for i, domain in enumerate(found)]


def test_every_kind_of_domain_is_tested_here():
    assert set(DOMAINS) == set(Domain.kinds)


@pytest.mark.parametrize("domain", EACH)
def test_codes_and_labels_go_back_and_forth(domain):
    assert len(domain.labels) == domain.size
    some = np.unique(np.linspace(0, domain.size - 1, 50).astype(int))
    assert domain.encode(domain.column(some)).tolist() == some.tolist()
    assert [domain.code_of(domain.labels[code]) for code in some] == some.tolist()
    if domain.missing is None:
        assert domain.decode(some).tolist() == [domain.labels[code] for code in some]


@pytest.mark.parametrize("domain", [*EACH, pytest.param(dn.Continuous(0, 2.5), id="no-step")])
def test_json_and_pickle_give_back_an_equal_domain(domain):
    for back in (Domain.from_json(json.loads(json.dumps(domain.to_json()))), pickle.loads(pickle.dumps(domain))):
        assert back == domain
        assert hash(back) == hash(domain)
        assert type(back) is type(domain)
        if domain.has_grid:
            assert back.labels == domain.labels
    assert domain != dn.Integer(0, 7)


def test_labels_of_another_type_make_another_domain():
    whole, decimal, logical = dn.Nominal([1, 0]), dn.Nominal([1.0, 0.0]), dn.Nominal([True, False])
    assert len({whole, decimal, logical, dn.Nominal([1, 0])}) == 3
    assert whole != decimal != logical != whole


def test_the_missing_label_has_the_last_code_wherever_it_was_listed():
    domain = dn.Nominal(["red", "no answer", "green"], missing="no answer")
    assert domain.labels == ("red", "green", "no answer")
    assert domain.encode(["green", None, "no answer", math.nan]).tolist() == [1, 2, 2, 2]
    assert domain.decode([2]).tolist() == ["no answer"]


def test_a_missing_label_without_a_place_in_the_type_is_a_null():
    assert dn.Nominal([1, 2], missing="no answer").column(np.array([0, 2])).to_pylist() == [1, None]
    assert WithMissing(dn.Integer(0, 5)).column(np.array([6, 5])).to_pylist() == [None, 5]


COLUMNS = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "objects": lambda values: np.array(values, dtype=object),
    "pandas": pd.Series,
    "categorical": lambda values: pd.Series(values, dtype="category"),
    "polars": pl.Series,
    "polars-categorical": lambda values: pl.Series(values, dtype=pl.Categorical if isinstance(values[0], str) else None),
    "arrow": pa.array,
    "chunks": lambda values: pa.chunked_array([values[:1], values[1:]], pa.array(values).type),
    "dictionary": lambda values: pa.array(values).dictionary_encode(),
    "string-view": lambda values: pa.array(values, pa.string_view() if isinstance(values[0], str) else None),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_kind_of_column_is_read_alike(kind):
    column = COLUMNS[kind]
    assert dn.Nominal(["a", "b"]).encode(column(["b", "a", "b"])).tolist() == [1, 0, 1]
    assert dn.Integer(1, 3).encode(column([3, 1, 2])).tolist() == [2, 0, 1]
    assert dn.Continuous(0, 1, step=0.5).encode(column([0.5, 1.0])).tolist() == [1, 2]
    assert WithMissing(dn.Nominal(["a", "b"])).encode(column(["b", "no answer"])).tolist() == [1, 2]


@pytest.mark.parametrize("kind", ["list", "objects", "pandas", "polars", "arrow", "chunks", "dictionary"])
def test_missing_cells_of_every_kind_of_column_are_found(kind):
    column = COLUMNS[kind]
    assert dn.Nominal(["a", "b"], missing="?").encode(column(["b", None])).tolist() == [1, 2]
    assert WithMissing(dn.Integer(1, 3)).encode(column([3, None])).tolist() == [2, 3]
    assert WithMissing(dn.Integer(1, 3)).encode(column([3.0, math.nan])).tolist() == [2, 3]
    for domain in (dn.Nominal(["a", "b"]), dn.Ordinal(["a", "b"])):
        with pytest.raises(DataError, match=r"1 cell does not fit \(row 2: missing\)"):
            domain.encode(column(["b", None]))
    for domain in (dn.Integer(1, 3), dn.Continuous(1, 3, step=1), dn.Nominal([1, 3])):
        with pytest.raises(DataError, match=r"row 2: missing"):
            domain.encode(column([3.0, math.nan]))


def test_a_column_of_nothing_but_missing_cells_is_read():
    assert dn.Nominal(["a", "b"], missing="?").encode([None, None]).tolist() == [2, 2]
    assert WithMissing(dn.Integer(0, 5)).encode([None]).tolist() == [6]
    with pytest.raises(DataError, match="2 cells do not fit"):
        dn.Integer(0, 5).encode([None, None])


@pytest.mark.parametrize("domain", EACH)
def test_an_empty_column_has_no_codes(domain):
    assert domain.encode([]).tolist() == []
    assert len(domain.column(np.array([], dtype=np.int64))) == 0


def test_true_and_false_are_1_and_0_for_a_binary_domain():
    assert dn.Binary().encode([True, False]).tolist() == [1, 0]
    assert dn.Binary().encode(np.array([1.0, 0.0])).tolist() == [1, 0]


def test_cells_of_a_csv_are_read_from_text():
    def read(domain, cells):
        bad = BadCells("c", domain.allowed)
        codes = domain.codes(pa.array(cells, pa.string()), bad, text=True)
        return codes.tolist(), [row for row, _ in bad.first]

    assert read(dn.Binary(), ["0", "1", "True", "false", "1.0", "2", ""]) == ([0, 1, 1, 0, 1, 0, 0], [6, 7])
    assert read(dn.Nominal([10, 20]), ["20", "10.0", "x"]) == ([1, 0, 0], [3])
    assert read(dn.Nominal(["a", "b"], missing="?"), ["b", "", "?", "c"]) == ([1, 2, 2, 0], [4])
    assert read(dn.Integer(0, 9), [" 7 ", "7.0", "7.5", "seven", "", "12"]) == ([7, 7, 0, 0, 0, 0], [3, 4, 5, 6])
    assert read(dn.Integer(0, 9), ["3", "9"]) == ([3, 9], [])
    assert read(WithMissing(dn.Integer(0, 9)), ["3", "", "no answer", "x"]) == ([3, 10, 10, 0], [4])
    assert read(dn.Continuous(0, 1, step=0.1), ["0.3", "nan", "1e-1"]) == ([3, 0, 1], [2])


@given(st.integers(1, 10**6), st.integers(-(10**6), 10**6), st.integers(1, 200))
def test_grid_labels_are_the_floats_nearest_to_their_decimals(thousandths, low, steps):
    domain = dn.Continuous(f"{low}/1000", f"{low + thousandths * steps}/1000", step=f"{thousandths}/1000")
    assert domain.labels == tuple((low + thousandths * i) / 1000 for i in range(steps + 1))
    assert domain.encode(list(domain.labels)).tolist() == list(range(steps + 1))


def test_values_between_two_steps_go_to_the_nearest_for_continuous_and_are_refused_for_whole_numbers():
    assert dn.Continuous(0, 1, step=0.1).encode([0.26, 0.34, 0.0]).tolist() == [3, 3, 0]
    with pytest.raises(DataError, match=r"row 2: 3\.5\). Allowed: 0 to 10 in steps of 1"):
        dn.Integer(0, 10).encode([3.0, 3.5])
    with pytest.raises(DataError, match=r"row 1: 7\). Allowed: 0 to 100 in steps of 25"):
        dn.Integer(0, 100, step=25).encode([7, 25])


@pytest.mark.parametrize(
    ("domain", "values", "shown"),
    [
        (dn.Nominal(["a", "b"]), ["a", "c"], "row 2: 'c'"),
        (dn.Nominal([1, 2]), ["1", "3"], "row 2: '3'"),
        (dn.Nominal(["1", "2"]), [1, 3], "row 2: 3"),
        (dn.Binary(), [0, 2], "row 2: 2"),
        (dn.Integer(18, 90), [17, 90, 91], "row 1: 17, row 3: 91"),
        (dn.Integer(18, 90), ["20", "x"], "row 1: '20', row 2: 'x'"),
        (dn.Integer(0, 2), [True, False], "row 1: True, row 2: False"),
        (dn.Continuous(0, 1, step=0.1), [1.01, -0.2, math.inf, -math.inf], "row 1: 1.01, row 2: -0.2, row 3: inf, row 4: -inf"),
        (WithMissing(dn.Integer(0, 5)), [None, 3, 9, None, -1], "row 3: 9, row 5: -1"),
        (dn.Integer(0, 5), pd.Series(pd.to_datetime(["2020-01-01"])), "row 1: .*2020"),
    ],
)
def test_cells_that_do_not_fit_are_named_with_row_value_and_what_is_allowed(domain, values, shown):
    with pytest.raises(DataError, match=rf"Column 'age': .*{shown}.*Allowed: ") as caught:
        domain.encode(values, "age")
    assert domain.allowed in str(caught.value)
    assert caught.value.code == "bad_cells"


@pytest.mark.parametrize("domain", [dn.Integer(0, 5), dn.Nominal([0, 5]), WithMissing(dn.Integer(0, 5))])
def test_the_first_twenty_bad_cells_are_shown_and_all_are_counted(domain):
    values = np.where(np.arange(3000) % 2 == 1, 7, 5)
    with pytest.raises(DataError) as caught:
        domain.encode(values, "age")
    found = caught.value.parameters["columns"]["age"]
    assert found["total"] == 1500
    assert found["first"] == [(2 * i, 7) for i in range(1, 21)]
    assert "1,500 cells do not fit (7 in 1,500 cells, first in row 2). Allowed" in str(caught.value)


def test_of_very_many_different_values_the_first_are_shown():
    with pytest.raises(DataError) as caught:
        dn.Integer(0, 5).encode(np.arange(3000) + 10, "age")
    assert "3,000 cells do not fit (row 1: 10, row 2: 11, " in str(caught.value)
    assert "row 20: 29, and 2,980 more)" in str(caught.value)


YES_NO = dn.Nominal(["no", "yes"])


@pytest.mark.parametrize(
    "domain",
    [YES_NO, dn.Nominal(["no", "yes"], missing="no answer"), WithMissing(YES_NO), WithMissing(dn.Integer(0, 5))],
)
def test_a_word_that_may_decline_is_counted_and_the_error_says_how_to_declare_it(domain):
    answers = [str(domain.labels[0])] * 2 + ["prefer not to say"] * 3 + [None, "?"]
    bad = BadCells("smokes", domain.allowed)
    domain.codes(pa.array(answers), bad, text=True)
    told = bad.sentence()
    assert "'prefer not to say' in 3 cells, first in row 3" in told
    assert "row 7: '?'" in told
    assert "declare the attribute with missing='prefer not to say'" in told


def test_numbers_that_may_not_be_left_out_have_no_word_for_silence():
    bad = BadCells("age", "0 to 5")
    dn.Integer(0, 5).codes(pa.array(["x"] * 3), bad, text=True)
    assert "missing=" not in bad.sentence()


def test_silence_is_a_word_among_words_and_empty_among_numbers():
    codes = np.array([0, 2])
    assert WithMissing(dn.Nominal(["no", "yes"])).column(codes).to_pylist() == ["no", "no answer"]
    assert WithMissing(dn.Integer(0, 1)).column(codes).to_pylist() == [0, None]
    # Files that were written with empty cells are still read.
    for cells in (["no", None], ["no", ""], ["no", "no answer"]):
        assert WithMissing(dn.Nominal(["no", "yes"])).encode(cells).tolist() == [0, 2]


@pytest.mark.parametrize("domain", [dn.Integer(0, 5), dn.Nominal([0, 5]), WithMissing(dn.Integer(0, 5))])
def test_rows_are_counted_from_the_start_of_the_file_over_all_its_pieces_and_columns(domain):
    first, second = BadCells("a", "0 to 5"), BadCells("b", "0 to 5")
    for piece in range(3):
        domain.codes(pa.array([5, 9, 5, 8]), first, offset=4 * piece)
        domain.codes(pa.array([5] * 4), second, offset=4 * piece)
    assert first.total == 6
    assert first.first == [(2, 9), (4, 8), (6, 9), (8, 8), (10, 9), (12, 8)]
    with pytest.raises(DataError, match="Column 'a'") as caught:
        raise_bad_cells([first, second])
    assert "Column 'b'" not in str(caught.value)
    raise_bad_cells([second])


@pytest.mark.parametrize(
    "values",
    [
        "yes",
        b"yes",
        1,
        0.5,
        None,
        {0: 1},
        {0, 1},
        np.int64(1),
        [[0, 1], [1, 0]],
        [[0, 1], [0]],
        np.zeros((2, 2)),
        pd.DataFrame({"a": [0, 1]}),
        pl.DataFrame({"a": [0, 1]}),
        pl.LazyFrame({"a": [0, 1]}),
        pd.Index([0, 1]),
        range(2),
    ],
)
def test_what_is_not_one_column_of_values_is_refused(values):
    with pytest.raises(DataError, match="answer must be a column of values"):
        dn.Binary().encode(values, "answer")


def test_a_column_of_lists_is_refused_with_its_name_and_kind():
    with pytest.raises(DataError, match="Column 'answer' holds list<item: int64> cells"):
        dn.Binary().encode(pa.array([[0], [1]]), "answer")


@pytest.mark.parametrize(
    "values", [["a", 1], [True, 2], [1, "a", None], np.array([1, "a"], dtype=object), pd.Series([1, "a"], dtype=object)]
)
def test_a_column_of_mixed_types_is_refused_with_the_types_it_mixes(values):
    with pytest.raises(DataError, match=r"Column answer mixes values of different types: \w+, \w+"):
        dn.Nominal(["a", "b"]).encode(values, "answer")


@pytest.mark.parametrize("values", [[2**70], np.array([1j])])
def test_a_column_that_cannot_be_read_is_refused_with_the_reason(values):
    with pytest.raises(DataError, match="Column answer cannot be read: "):
        dn.Integer(0, 5).encode(values, "answer")


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: dn.Nominal("abc"), "Nominal: values must be a list of labels, got 'abc'"),
        (lambda: dn.Nominal(3), "values must be a list of labels, got 3"),
        (lambda: dn.Nominal([]), r"Nominal needs at least one label, got \[\]"),
        (lambda: dn.Nominal([], missing="a"), "at least one label"),
        (lambda: dn.Nominal(["a"], missing="a"), r"at least one label, got \['a'\]"),
        (lambda: dn.Ordinal(["a", "b", "a"]), "Ordinal: label 'a' is listed twice"),
        (lambda: dn.Nominal(["a", 1]), r"labels must all be text, .*got \['int', 'str'\]"),
        (lambda: dn.Nominal(["a", None]), r"got \['NoneType', 'str'\]"),
        (lambda: dn.Nominal([["a"], ["b"]]), r"got \['list'\]"),
        (lambda: dn.Nominal([1.0, math.nan]), "labels must be finite"),
        (lambda: dn.Nominal([1, 2], missing=True), "missing label must be text or of the same type as the others, got True"),
        (lambda: dn.Nominal(["a", "b"], missing=["c"]), r"missing label must be text .*got \['c'\]"),
        (lambda: dn.Integer(9, 5), "Integer: low must be at most high, got 9 and 5"),
        (lambda: dn.Integer(0, 5, step=0), "step must be positive, got 0"),
        (lambda: dn.Integer(0, 5, step=-1), "step must be positive"),
        (lambda: dn.Integer(0, 10, step=3), "steps of 3 from 0 do not reach 10; the nearest ends are 9 and 12"),
        (lambda: dn.Integer(0.5, 3.5), "Integer: low must be a whole number, got 0.5"),
        (lambda: dn.Integer("a", 5), "Integer: low must be a finite number"),
        (lambda: dn.Integer(0, math.inf), "Integer: high must be a finite number"),
        (lambda: dn.Integer(2**53, 2**53 + 4), "more digits than a number can hold"),
        (lambda: dn.Continuous(10**15, 10**15 + 1, step=1e-5), "more digits than a number can hold"),
        (lambda: dn.Continuous(1, 1), "Continuous: low must be below high"),
        (lambda: dn.Continuous(0, 1, step=math.nan), "Continuous: step must be a finite number"),
        (lambda: dn.Continuous(0, 1).labels, "has no step, so it has no list of labels; give a step"),
        (lambda: WithMissing(dn.Nominal(["a", "b"]), "a"), "must be text and none of the other labels, got 'a'"),
        (lambda: WithMissing(dn.Integer(0, 3), 3), "must be text and none of the other labels, got 3"),
        (lambda: dn.Nominal(["a", "b"]).numbers(), r"Nominal\(values=\['a', 'b'\]\) has no numeric values"),
    ],
)
def test_a_domain_that_cannot_be_is_refused_with_what_is_allowed_and_what_was_given(build, sentence):
    with pytest.raises(ParameterError, match=sentence):
        build()


@pytest.mark.parametrize(
    ("given_json", "sentence"),
    [
        ({"type": "Nothing"}, "a type among .*Binary.*, got"),
        ("Binary", "a type among"),
        (None, "a type among"),
        ({"type": "Integer", "low": 0}, "Integer needs 'high'"),
        ({"type": "Integer", "low": 0, "high": 3, "colour": 1}, "colour"),
        ({"type": "WithMissing", "answered": {"type": "Nothing"}}, "a type among"),
    ],
)
def test_a_file_that_describes_no_domain_is_refused_with_the_reason(given_json, sentence):
    with pytest.raises(SchemaError, match=sentence):
        Domain.from_json(given_json)


def test_an_unknown_label_has_no_code():
    with pytest.raises(DataError, match=r"Column 'label': .*'c'.*Allowed: 'a', 'b'"):
        dn.Nominal(["a", "b"]).code_of("c")
    assert WithMissing(dn.Integer(0, 5)).code_of("no answer") == 6
    assert WithMissing(dn.Integer(0, 5)).code_of(None) == 6


def test_the_missing_label_may_stand_among_the_numbers_of_a_list():
    channel = dn.Optional(dn.KRR(dn.Integer(0, 3), 0.5), 0.75)
    assert channel.domain.encode([0, "no answer", 3, None]).tolist() == [0, 4, 3, 4]
    assert dn.counts([0, "no answer", None], channel).dense().tolist() == [1, 0, 0, 0, 2]
    assert len(channel.randomise([1, 2, "no answer"])) == 3


def test_an_unnamed_series_stays_unnamed():
    import pandas as pd

    given = pd.Series(["a", "b"], index=[5, 7])
    out = dn.KRR(dn.Nominal(["a", "b"]), 0.5).randomise(given)
    assert out.name is None
    assert out.index.tolist() == [5, 7]


@pytest.mark.parametrize(
    ("domain", "is_numeric", "has_grid"),
    [
        (dn.Nominal(["a", "b"], missing="no answer"), False, True),
        (dn.Ordinal([1, 2, 3]), False, True),
        (dn.Integer(0, 9), True, True),
        (dn.Continuous(0, 1, step=0.5), True, True),
        (dn.Continuous(0, 1), True, False),
        (WithMissing(dn.Integer(0, 9)), True, True),
        (WithMissing(dn.Nominal(["a", "b"])), False, True),
    ],
)
def test_a_domain_says_whether_it_is_numbers_and_has_a_grid(domain, is_numeric, has_grid):
    assert (domain.is_numeric, domain.has_grid) == (is_numeric, has_grid)


def test_those_who_answer_have_a_domain_without_the_label_that_was_added():
    ages = dn.Integer(0, 9)
    assert ages.answered is ages
    assert WithMissing(ages).answered is ages
