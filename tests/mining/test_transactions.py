"""Transactions of every kind become the same packed columns; what does not fit is refused."""

import gzip
import io
import itertools
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deniable as dn
from deniable.errors import DataError, FileError, NotInvertibleError, ParameterError
from deniable.kernels.bits import pack
from deniable.mining import baskets as baskets_module
from deniable.mining import transactions
from deniable.mining.baskets import _small_numbers, read_fimi

BASKETS = [["bread", "milk"], ["milk"], [], ["eggs", "milk", "bread"], ["milk", "milk"]]
TABLE = pd.DataFrame(
    {
        "bread": [True, False, False, True, False],
        "eggs": [False, False, False, True, False],
        "milk": [True, True, False, True, True],
    }
)


def frames():
    return {
        "pandas": TABLE,
        "pandas 0/1": TABLE.astype(int),
        "pandas sparse": TABLE.astype(pd.SparseDtype(bool, False)),
        "polars": pl.from_pandas(TABLE),
        "arrow": pa.table({name: pa.array(TABLE[name]) for name in TABLE}),
        "sliced arrow": pa.table({name: pa.array([True, *TABLE[name]]) for name in TABLE}).slice(1),
        "list": BASKETS,
        "sets": [set(basket) for basket in BASKETS],
    }


@pytest.mark.parametrize("kind", frames())
def test_every_kind_of_data_gives_the_same_columns(kind):
    found = dn.Transactions(frames()[kind])
    assert found.items.names == ["bread", "eggs", "milk"]
    assert found.packed.tolist() == pack(TABLE.to_numpy()).tolist()
    assert found.item_counts().tolist() == [2, 1, 4]


@pytest.mark.parametrize("name", ["baskets.dat", "baskets.dat.gz"])
def test_fimi_files_of_numbers_and_of_words(tmp_path, name):
    path = tmp_path / name
    write = (lambda text: path.write_bytes(gzip.compress(text.encode()))) if name.endswith("gz") else path.write_text
    write("10 3\n3\n\n7 3 10\n3 3\n")
    found = dn.Transactions(path)
    assert found.items.names == [3, 7, 10]
    assert found.item_counts().tolist() == [4, 1, 2]
    write("bread milk\nmilk\n\neggs milk bread\nmilk\n")
    assert dn.Transactions(str(path)).item_counts().tolist() == [2, 1, 4]


def test_rows_behind_the_last_are_not_counted():
    for rows in (1, 63, 64, 65, 127, 128, 129):
        assert dn.Transactions(pd.DataFrame({"a": [True] * rows})).item_counts().tolist() == [rows]


def test_selected_columns_are_those_of_all():
    found = dn.Transactions(BASKETS)
    assert found.select([2, 0]).tolist() == dn.Transactions(TABLE).packed[[2, 0]].tolist()


def test_values_of_attributes_are_items():
    schema = dn.Schema(
        {
            "smokes": dn.Flip(0.9, 0.8),
            "colour": dn.KRR(dn.Nominal(["red", "green", "blue"]), 0.7),
            "age": dn.Retention(dn.Integer(0, 99), 0.5),
        }
    )
    data = pd.DataFrame({"smokes": [0, 1], "colour": ["blue", "red"], "age": [10, 99]})
    found = dn.Transactions(data, schema, bins={"age": [0, 20, 99]})
    assert found.items.names == ["smokes", "colour=red", "colour=green", "colour=blue", "age=[0, 20)", "age=[20, 99]"]
    assert found.item_counts().tolist() == [1, 1, 0, 1, 1, 1]
    # Errata 1 and 2: q' = (k - 2 + p) / (k - 1) for a value of k, and a bin is replaced into by its own length.
    p = (1 - found.items.absent) / found.items.slope
    q = 1 + found.items.absent / found.items.slope
    np.testing.assert_allclose(p, [0.9, 0.7, 0.7, 0.7, 0.5 + 0.5 * 0.2, 0.5 + 0.5 * 0.8])
    np.testing.assert_allclose(q, [0.8, 0.85, 0.85, 0.85, 1 - 0.5 * 0.2, 1 - 0.5 * 0.8])


def test_items_nobody_reports_are_items_of_the_schema_all_the_same():
    schema = dn.Schema({"a": dn.Flip(0.9, 0.9), "b": dn.Flip(0.8, 0.9)})
    assert dn.Transactions([["a"], []], schema).items.names == ["a", "b"]


@pytest.mark.parametrize(
    ("data", "schema", "error", "words"),
    [
        (pd.DataFrame({"a": [0, 2]}), None, DataError, "row 2: 2"),
        (pd.DataFrame({"a": [0.5, 1], "b": [0, 1]}), None, DataError, "'a'"),
        (pd.DataFrame({"a": [True, None]}), None, DataError, "missing"),
        (pd.DataFrame([[True, False]], columns=["a", "a"]), None, DataError, "more than once"),
        (pd.DataFrame({"a": []}), None, DataError, "no rows"),
        ([], None, DataError, "no items"),
        ([[], []], None, DataError, "no items"),
        (["bread"], None, DataError, "Transaction 1"),
        ([["a", ["b"]]], None, DataError, "hashable"),
        ([{"a": 1, "b": 0}], None, DataError, "Transaction 1 is a mapping.*DataFrame"),
        ([["a"], ["b", float("nan")]], None, DataError, r"Transaction 2 holds a missing item \(nan\)"),
        ([[], ["b"], [None]], None, DataError, r"Transaction 3 holds a missing item \(None\)"),
        ([[pd.NA]], None, DataError, "Transaction 1 holds a missing item"),
        (3, None, DataError, "got int"),
        ([["a"]], "schema", ParameterError, "got str"),
        ([["a"]], dn.Flip(0.6, 0.4), NotInvertibleError, r"p \+ q = 1"),
        ([["a"]], dn.Schema({"a": dn.Flip(0.6, 0.4)}), NotInvertibleError, r"'a'.*p \+ q = 1"),
        ([["a"]], dn.Schema({"b": dn.Flip(0.6, 0.7)}), DataError, r"nothing of \['a'\]"),
        ([["a"]], dn.KRR(dn.Nominal(["x", "y", "z"]), 0.5), ParameterError, "Binary"),
        (pd.DataFrame({"x": [1]}), dn.Schema({"x": dn.Retention(dn.Integer(0, 500), 0.5)}), ParameterError, "bins"),
        ("no such file.dat", None, FileError, "does not exist"),
        ([range(65_537)], None, DataError, "65,537 items"),
    ],
)
def test_bad_data_is_refused_with_the_reason(data, schema, error, words):
    with pytest.raises(error, match=words):
        dn.Transactions(data, schema)


def test_a_broken_gzip_file_is_named(tmp_path):
    path = tmp_path / "x.dat.gz"
    path.write_bytes(b"no gzip")
    with pytest.raises(FileError, match="cannot be read"):
        dn.Transactions(path)


def sharing(rng, rows=600):
    """Yes/no answers of which two share a draw, as a frame, as baskets and with their schema."""
    yes_no = dn.UnrelatedQuestion(dn.Binary(), theta=0.7, innocuous=0.3)
    schema = dn.Schema({"a": yes_no, "b": yes_no, "c": dn.Flip(0.9, 0.8)}, groups={"g": ["a", "b"]})
    a = rng.integers(0, 2, rows)
    frame = schema.randomise(pd.DataFrame({"a": a, "b": a, "c": rng.integers(0, 2, rows)}), rng)
    return frame, [[name for name in "abc" if row[name]] for row in frame.to_dict("records")], schema


def test_baskets_and_fimi_files_of_items_that_share_a_draw_are_mined_as_the_frame_is(tmp_path):
    frame, baskets, schema = sharing(np.random.default_rng(51))
    path = tmp_path / "baskets.dat"
    path.write_text("".join(" ".join(basket) + "\n" for basket in baskets))
    expected = dn.frequent_itemsets(frame, schema, 0.05)
    assert frozenset("abc") in set(expected["itemsets"])
    for data in (baskets, path):
        pd.testing.assert_frame_equal(dn.frequent_itemsets(data, schema, 0.05), expected)
        one, other = (dn.itemset_support(source, schema, ["a", "b"]) for source in (data, frame))
        assert (one.value[0], one.se[0]) == (other.value[0], other.se[0])


def test_one_support_can_be_asked_of_data_that_is_read_in_pieces(tmp_path, monkeypatch):
    frame, _, schema = sharing(np.random.default_rng(52))
    path = tmp_path / "reports.csv"
    frame.to_csv(path, index=False)
    monkeypatch.setattr(transactions, "IN_MEMORY", 100)
    streamed = dn.Transactions(path, schema)
    assert streamed.remote is not None
    assert dn.itemset_support(streamed, items=["a", "b", "c"]).value[0] == pytest.approx(
        dn.itemset_support(frame, schema, ["a", "b", "c"]).value[0]
    )


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("outputs", "rows", "yes"),
    [
        (["yes", "no"], [[0.2, 0.8], [0.9, 0.1]], "yes"),
        (["no", "yes"], [[0.8, 0.2], [0.1, 0.9]], "yes"),
        ([1, 0], [[0.2, 0.8], [0.9, 0.1]], 1),
        (["yes", "unsure", "no"], [[0.1, 0.2, 0.7], [0.7, 0.2, 0.1]], "yes"),
    ],
)
def test_yes_no_attributes_may_be_reported_in_labels_of_their_own(outputs, rows, yes):
    rng = np.random.default_rng(53)
    schema = dn.Schema({"a": dn.Matrix(dn.Binary(), rows, outputs=outputs), "b": dn.Flip(0.9, 0.8)})
    truth = pd.DataFrame({"a": rng.random(5_000) < 0.3, "b": rng.random(5_000) < 0.6}).astype(int)
    reports = schema.randomise(truth, rng)
    found = dn.frequent_itemsets(reports, schema, 0.05, method="unbiased", target="respondents").set_index("itemsets")
    alone, pair = (found.loc[[frozenset(items)]].iloc[0] for items in ("a", "ab"))
    assert alone["reported_support"] == pytest.approx((reports["a"] == yes).mean())
    assert pair["reported_support"] == pytest.approx(((reports["a"] == yes) & (reports["b"] == 1)).mean())
    expected = dn.Sample(reports, schema).count("a == 1 and b == 1")
    assert pair["support"] == pytest.approx(float(expected.value[0]) / 5_000)
    assert pair["support_se"] == pytest.approx(float(expected.se[0]) / 5_000)


def test_booleans_are_read_by_the_labels_of_the_channel_or_refused():
    data = pd.DataFrame({"a": [True, True, False]})
    turned = dn.Schema({"a": dn.Matrix(dn.Binary(), [[0.2, 0.8], [0.9, 0.1]], outputs=[1, 0])})
    assert dn.Transactions(data, turned).item_counts().tolist() == [2]
    asked = dn.Matrix(dn.Binary(), [[0.2, 0.8], [0.9, 0.1]], outputs=["yes", "no"])
    as_words = dn.Transactions(pd.DataFrame({"a": ["yes", "yes", "no"]}), dn.Schema({"a": asked}))
    assert dn.Transactions(data, dn.Schema({"a": asked})).item_counts().tolist() == as_words.item_counts().tolist()
    words = dn.Matrix(dn.Binary(), [[0.2, 0.8], [0.9, 0.1]], outputs=["often", "never"])
    with pytest.raises(DataError, match="'often', 'never'"):
        dn.Transactions(data, dn.Schema({"a": words}))
    for schema in (words, dn.Schema({"a": words})):
        with pytest.raises(ParameterError, match=r"reports \['often', 'never'\]"):
            dn.Transactions([["a"], []], schema)


@pytest.mark.parametrize("words", [("1", "2", "3"), ("bread", "milk", "eggs")])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_fimi_files_of_every_system_are_the_same(tmp_path, words, end, mark):
    path = tmp_path / "x.dat"
    a, b, c = words
    path.write_bytes(mark + end.join([f"{a} {b}", "", f"{b} {c}", ""]).encode())
    found = dn.Transactions(path)
    assert (found.rows, sorted(map(str, found.items.names))) == (3, sorted(words))
    assert dict(zip(map(str, found.items.names), found.item_counts().tolist(), strict=True)) == {a: 1, b: 2, c: 1}


def test_randomised_rows_without_their_schema_are_not_counted_in_silence():
    schema = dn.Schema({name: dn.Flip(0.8, 0.8) for name in "ab"})
    reported = schema.randomise(pd.DataFrame({"a": [1, 0] * 50, "b": [0, 1] * 50}))
    with pytest.warns(dn.errors.RandomisedRowsWarning, match="Give its schema"):
        dn.frequent_itemsets(reported, min_support=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dn.frequent_itemsets(reported, min_support=0.1, schema=schema)
        dn.frequent_itemsets(pd.DataFrame({"a": [1, 0] * 50}), min_support=0.1)


def slow_lines(content):
    """The numbers of every line, by Python alone; None where a word is no number."""
    lines = content.decode().replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    try:
        return [[int(word) for word in line.split()] for line in lines]
    except ValueError:
        return None


def fimi_texts():
    """Files of numbers as they are met, and their last bytes, which are read otherwise, in all lengths."""
    rng = np.random.default_rng(31)
    for _ in range(150):
        most = int(10 ** rng.uniform(0.5, rng.choice([3, 5, 6, 9])))
        blanks, end = rng.choice([" ", "  ", "\t", " \t "]), rng.choice(["\n", "\r\n", " \n", "\r"], p=[0.7, 0.15, 0.1, 0.05])
        rows = [rng.integers(0, most, rng.integers(0, 12)).tolist() for _ in range(rng.integers(1, 30))]
        text = end.join(blanks.join(map(str, row)) for row in rows)
        yield (text + end * int(rng.integers(0, 2))).encode()
    yield from (
        b"1",
        b"0 07\n",
        b"12345678 1\n",
        b"1234567 65536\n",
        b"65535\n",
        b"1 1 2\n2 2\n",
        b"\n\n3\n",
        b" 1\n",
        b"1\n\n",
    )


@pytest.mark.parametrize(("packed", "piece"), [(False, 100), (True, 1 << 18)])
def test_fimi_files_are_read_as_python_would(tmp_path, monkeypatch, packed, piece):
    monkeypatch.setattr(baskets_module, "PIECE", piece)
    path = tmp_path / ("numbers.dat.gz" if packed else "numbers.dat")
    for content in fimi_texts():
        expected = slow_lines(content)
        if not any(expected):
            continue
        path.write_bytes(gzip.compress(content) if packed else content)
        baskets = read_fimi(path)
        names = sorted({item for row in expected for item in row})
        assert baskets.names == names
        read = [[names[code] for code in baskets.codes[a:b]] for a, b in itertools.pairwise(baskets.starts)]
        assert read == expected, content
        held = [sum(name in row for row in expected) for name in names]
        assert dn.Transactions(path).item_counts().tolist() == held
    assert sum(_small_numbers(io.BytesIO(content), len(content)) is not None for content in fimi_texts()) > 80


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="no names for open files")
def test_a_file_whose_size_nobody_knows_beforehand_is_read_whole():
    reader, writer = os.pipe()
    with os.fdopen(writer, "wb") as file:
        file.write(b"1 2\n2\n")
    try:
        baskets = read_fimi(Path(f"/dev/fd/{reader}"))
    finally:
        os.close(reader)
    assert (baskets.names, baskets.starts.tolist(), baskets.codes.tolist()) == ([1, 2], [0, 2, 3], [0, 1, 1])
