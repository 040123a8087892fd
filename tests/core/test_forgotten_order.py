"""A shuffled frame or file holds the order it had nowhere: not in dictionaries, levels or buffers."""

import io
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deniable as dn
from deniable.core.forgotten_order import rows_in_order
from deniable.errors import DataError

ROWS = 400
RNG = np.random.default_rng(1)
# Long ids, in an order of no meaning: only the order of the file is to be found.
IDS = [f"person-number-{number:06}" for number in RNG.permutation(900_000)[:ROWS]]
SCHEMA = dn.Schema({"smokes": dn.KRR(dn.Nominal(["never in my whole life", "yes, more than I should"]), 0.75)})
TRUTH = ["never in my whole life"] * 200 + ["yes, more than I should"] * 200


def told(found):
    """How far places in what was found correlate with the places of the input."""
    place = {name: i for i, name in enumerate(IDS)}
    places = [place[name] for name in found if name in place]
    assert len(places) == ROWS
    return abs(np.corrcoef(places, np.arange(ROWS))[0, 1])


def in_bytes(data):
    """The ids in the order in which they lie in some bytes."""
    return sorted(IDS, key=lambda name: data.find(name.encode()))


def ipc(frame):
    sink = io.BytesIO()
    frame.write_ipc(sink, compression="uncompressed")
    return sink.getvalue()


def test_the_measure_finds_an_order():
    assert told(IDS) > 0.99
    assert told(in_bytes(ipc(pl.DataFrame({"id": IDS})))) > 0.99
    assert told(sorted(IDS)) < 0.3


def arrow_dictionary():
    table = pa.table({"smokes": TRUTH, "id": pa.array(IDS).dictionary_encode()})
    return SCHEMA.randomise(table, keep=["id"])["id"].chunk(0).dictionary.to_pylist()


def arrow_dictionaries_of_chunks():
    column = pa.chunked_array([pa.array(IDS[:150]).dictionary_encode(), pa.array(IDS[150:]).dictionary_encode()])
    found = SCHEMA.randomise(pa.table({"smokes": TRUTH, "id": column}), keep=["id"])["id"].combine_chunks()
    return found.dictionary.to_pylist()


def pandas_categories():
    frame = pd.DataFrame({"smokes": TRUTH, "id": pd.Categorical(IDS, IDS)})
    return SCHEMA.randomise(frame, keep=["id"])["id"].cat.categories.tolist()


def pandas_arrow_dictionary():
    column = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array(IDS).dictionary_encode()])))
    found = SCHEMA.randomise(pd.DataFrame({"smokes": TRUTH, "id": column}), keep=["id"])["id"]
    return pa.chunked_array(found.array.__arrow_array__()).combine_chunks().dictionary.to_pylist()


def categorical_index():
    frame = pd.DataFrame({"smokes": TRUTH}, index=pd.CategoricalIndex(IDS, IDS, name="id"))
    return SCHEMA.randomise(frame, keep=["id"]).index.categories.tolist()


def levels_of_an_index():
    levels = [IDS, ["Ulm"]]
    index = pd.MultiIndex(levels, [list(range(ROWS)), [0] * ROWS], names=["id", "town"])
    return SCHEMA.randomise(pd.DataFrame({"smokes": TRUTH}, index=index), keep=["id", "town"]).index.levels[0].tolist()


def polars_codes():
    frame = pl.DataFrame({"smokes": TRUTH, "id": pl.Series(IDS, dtype=pl.Categorical)})
    found = SCHEMA.randomise(frame, keep=["id"], order="shuffled")["id"]
    return [name for _, name in sorted(zip(found.to_physical().to_list(), found.to_list(), strict=True))]


def polars_frame(column):
    return SCHEMA.randomise(pl.DataFrame({"smokes": TRUTH, "id": column}), keep=["id"], order="shuffled")


def published(frame):
    return dn.publish_frame(frame, "smokes", min_deniability=0.1, shuffle=True).data


def published_pandas():
    frame = pd.DataFrame({"smokes": TRUTH, "id": pd.Categorical(IDS, IDS), "town": ["Ulm", "Bonn"] * 200})
    return published(frame)["id"].cat.categories.tolist()


def published_by_a_tree():
    frame = pd.DataFrame({"id": pd.Categorical(IDS, IDS), "town": ["Ulm", "Bonn"] * 200})
    tree = dn.DeniabilityTree(0.1).fit(frame, pd.DataFrame({"smokes": TRUTH}))
    return tree.publish(frame, shuffle=True)["id"].cat.categories.tolist()


def published_polars():
    return in_bytes(ipc(published(pl.DataFrame({"smokes": TRUTH, "id": IDS, "town": ["Ulm", "Bonn"] * 200}))))


def file_of_dictionaries(folder):
    pq.write_table(pa.table({"smokes": TRUTH, "id": pa.array(IDS).dictionary_encode()}), folder / "true.parquet")
    SCHEMA.randomise(folder / "true.parquet", keep=["id"], output=folder / "out.parquet")
    return in_bytes(uncompressed(folder / "out.parquet"))


def published_file(folder):
    table = pa.table({"smokes": TRUTH, "id": pa.array(IDS).dictionary_encode(), "town": ["Ulm", "Bonn"] * 200})
    pq.write_table(table, folder / "true.parquet")
    from deniable.publish.files import publish_file

    publish_file(folder / "true.parquet", folder / "out.parquet", ["smokes"], shuffle=True)
    return in_bytes(uncompressed(folder / "out.parquet"))


def uncompressed(path):
    """What a reader is given: the dictionary as it lies in the file, and the cells."""
    column = pq.read_table(path, read_dictionary=["id"])["id"].combine_chunks()
    return "\n".join(column.dictionary.to_pylist()).encode()


WAYS = [
    arrow_dictionary,
    arrow_dictionaries_of_chunks,
    pandas_categories,
    pandas_arrow_dictionary,
    categorical_index,
    levels_of_an_index,
    polars_codes,
    published_pandas,
    published_by_a_tree,
    published_polars,
]


@pytest.mark.statistical
@pytest.mark.filterwarnings("ignore:Column 'id' has a different value")
@pytest.mark.parametrize("way", WAYS)
def test_no_dictionary_or_level_holds_the_order(way):
    assert told(way()) < 0.3


@pytest.mark.statistical
@pytest.mark.filterwarnings("ignore:Column 'id' has a different value")
@pytest.mark.parametrize("way", [file_of_dictionaries, published_file])
def test_no_file_holds_the_order(way, tmp_path):
    assert told(way(tmp_path)) < 0.3


COLUMNS = {
    "text": pl.Series(IDS),
    "bytes": pl.Series([name.encode() for name in IDS]),
    "lists": pl.Series([[name, None] for name in IDS]),
    "structures": pl.Series([{"name": name, "n": 1} for name in IDS]),
    "categories": pl.Series(IDS, dtype=pl.Categorical),
    "lists of categories": pl.Series([[name] for name in IDS], dtype=pl.List(pl.Categorical)),
}


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("written", [ipc, pickle.dumps])
def test_the_bytes_of_a_polars_frame_do_not_hold_the_order(kind, written):
    assert told(in_bytes(written(polars_frame(COLUMNS[kind])))) < 0.3


def test_reports_of_a_polars_frame_do_not_lie_in_the_order_of_the_input():
    schema = dn.Schema({"id": dn.Identity(dn.Nominal(sorted(IDS)))})
    found = schema.randomise(pl.DataFrame({"id": IDS}), order="shuffled")
    assert told(in_bytes(ipc(found))) < 0.3
    assert told(in_bytes(pickle.dumps(found))) < 0.3


def test_cells_keep_their_values_and_their_kinds():
    order = np.array([2, 0, 3, 1])
    days = pd.date_range("2024-01-01", periods=4, tz="Europe/Berlin")
    frame = pl.DataFrame(
        {
            "text": ["b", None, "a" * 30, "c"],
            "category": pl.Series(["x", "y", None, "x"], dtype=pl.Categorical),
            "enum": pl.Series(["low", "high", None, "low"], dtype=pl.Enum(["low", "high", "never"])),
            "large": pl.Series([1 << 100, 2, None, 4], dtype=pl.Int128),
            "number": pl.Series([1, 2, None, 4], dtype=pl.Int8),
            "time": pl.from_pandas(pd.Series(days)),
            "list": [["a"], [], None, ["b", None]],
            "array": pl.Series([[1, 2]] * 4, dtype=pl.Array(pl.Int64, 2)),
            "object": pl.Series([{1}, {2}, {3}, {4}], dtype=pl.Object),
        }
    )
    found = rows_in_order(frame, order)
    assert found.rows() == [frame.rows()[i] for i in order]
    assert {k: v for k, v in found.schema.items() if k != "category"} == {
        k: v for k, v in frame.schema.items() if k != "category"
    }
    assert found.schema["category"] == pl.Enum(["x", "y"])

    words = pd.Categorical(["mid", "low", None, "high"], ["low", "mid", "high", "top"], ordered=True)
    people = pd.DataFrame({"words": words, "n": pd.Categorical([3, 1, None, 3], [3, 2, 1]), "day": days})
    found = rows_in_order(people, order)
    assert found.equals(people.iloc[order].astype({"n": pd.CategoricalDtype([1, 3])}))
    assert found["words"].dtype == words.dtype


def test_what_cannot_be_decoded_is_refused():
    run = pa.RunEndEncodedArray.from_arrays(pa.array([ROWS], pa.int32()), pa.array(["a"]))
    table = pa.table({"smokes": TRUTH, "inside": pa.StructArray.from_arrays([run], names=["run"])})
    with pytest.raises(DataError, match=r"struct<run: run_end_encoded.*plain values, or leave it out"):
        SCHEMA.randomise(table, keep=["inside"])


def test_views_and_runs_are_kept_as_their_values():
    order = np.arange(ROWS)
    table = pa.table(
        {
            "smokes": TRUTH,
            "id": pa.array(IDS, pa.string_view()),
            "raw": pa.array([name.encode() for name in IDS], pa.binary_view()),
            "run": pa.RunEndEncodedArray.from_arrays(pa.array([100, ROWS], pa.int32()), pa.array(["a", "b"])),
            "inside": pa.array([[name] for name in IDS]).cast(pa.list_(pa.string_view())),
        }
    )
    found = rows_in_order(table, order)
    assert [str(field.type) for field in found.schema][1:] == [
        "large_string",
        "large_binary",
        "string",
        "list<item: large_string>",
    ]
    assert found.to_pylist() == table.to_pylist()
    assert SCHEMA.randomise(table, keep=["id", "raw", "run", "inside"]).num_rows == ROWS
