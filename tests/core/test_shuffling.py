import resource
import stat

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import chi2

import deniable as dn
from deniable.core import shuffling
from deniable.core.shuffling import RowShuffler, random_order
from deniable.errors import DataError, FileError
from deniable.files import tables


@pytest.fixture
def tiny_buckets(monkeypatch):
    """Buckets of next to nothing, so that every file needs many and splits them again."""
    monkeypatch.setattr(shuffling, "BUCKET_BYTES", 2048)
    monkeypatch.setattr(shuffling, "MOST_BUCKETS", 4)


def shuffled(folder, values, pieces=3, rng=None):
    with RowShuffler(folder / "out.csv", rng) as rows:
        for i, part in enumerate(np.array_split(np.asarray(values), pieces)):
            rows.add(pa.RecordBatch.from_arrays([pa.array(part)], names=["a"]), (i + 1) / pieces)
        return [value for piece in rows.pieces() for value in piece.column("a").to_pylist()]


def unlikely(table):
    """Whether counts that should be equal differ as they would by chance once in a hundred million times."""
    expected = table.sum() / table.size
    return ((table - expected) ** 2 / expected).sum() > chi2.ppf(1 - 1e-8, table.size - 1)


@pytest.mark.statistical
def test_every_order_is_equally_likely_in_memory_and_over_buckets(tmp_path, monkeypatch):
    # Three rows have 6 orders; with buckets of one byte each row ends in a bucket of its own.
    for size in (1 << 23, 1):
        monkeypatch.setattr(shuffling, "BUCKET_BYTES", size)
        monkeypatch.setattr(shuffling, "MOST_BUCKETS", 2)
        found: dict = {}
        for _ in range(120):
            order = tuple(shuffled(tmp_path, range(3), pieces=2))
            found[order] = found.get(order, 0) + 1
        assert len(found) == 6
        assert not unlikely(np.array(list(found.values())))


@pytest.mark.statistical
def test_every_row_is_equally_likely_at_every_place_of_a_file_of_several_buckets(tmp_path, monkeypatch):
    monkeypatch.setattr(shuffling, "BUCKET_BYTES", 256)
    monkeypatch.setattr(shuffling, "MOST_BUCKETS", 4)
    table = np.zeros((5, 5))
    for _ in range(60):
        order = np.array(shuffled(tmp_path, range(40), pieces=5))
        np.add.at(table, (order // 8, np.arange(40) // 8), 1)
    assert not unlikely(table)
    assert not list(tmp_path.iterdir())


def test_the_check_of_evenness_finds_a_shuffle_that_keeps_pieces_in_order(tmp_path):
    table = np.zeros((5, 5))
    for _ in range(60):
        order = np.concatenate([8 * piece + random_order(8) for piece in range(5)])
        np.add.at(table, (order // 8, np.arange(40) // 8), 1)
    assert unlikely(table)


@pytest.mark.statistical
def test_a_generator_repeats_an_order_and_the_operating_system_does_not(tmp_path, monkeypatch):
    monkeypatch.setattr(shuffling, "BUCKET_BYTES", 128)
    assert shuffled(tmp_path, range(50), rng=np.random.default_rng(3)) == shuffled(
        tmp_path, range(50), rng=np.random.default_rng(3)
    )
    assert shuffled(tmp_path, range(50)) != shuffled(tmp_path, range(50))


def test_columns_of_every_kind_survive_the_buckets(tmp_path, tiny_buckets):
    pieces = [
        pa.RecordBatch.from_pydict(
            {
                "id": list(range(begin, begin + 30)),
                "text": [None if i % 7 == 0 else "ü" * (i % 5) for i in range(begin, begin + 30)],
                "list": [[i] * (i % 3) for i in range(begin, begin + 30)],
                # Every piece has a dictionary of its own, as Parquet gives it.
                "word": pa.array([f"{begin}-{i % 4}" for i in range(30)]).dictionary_encode(),
            }
        )
        for begin in range(0, 300, 30)
    ]
    with RowShuffler(tmp_path / "out.parquet") as rows:
        for i, piece in enumerate(pieces):
            rows.add(piece, (i + 1) / 10)
        assert len(list(next(tmp_path.glob(".*.part")).iterdir())) == 4
        back = pa.Table.from_batches(list(rows.pieces()))
    expected = pa.Table.from_batches(pieces)
    assert back["id"].to_pylist() != expected["id"].to_pylist()
    assert back.sort_by("id").to_pylist() == expected.to_pylist()
    assert not list(tmp_path.iterdir())


@pytest.mark.statistical
def test_a_large_dictionary_is_not_written_into_every_bucket(tmp_path, tiny_buckets):
    words = pa.array([f"{i:060}" for i in range(2_000)])
    most = 0
    with RowShuffler(tmp_path / "out.parquet") as rows:
        for begin in range(0, 2_000, 200):
            column = pa.DictionaryArray.from_arrays(pa.array(range(begin, begin + 200), pa.int32()), words)
            rows.add(pa.RecordBatch.from_arrays([column], names=["id"]), (begin + 200) / 2_000)
        back = []
        for piece in rows.pieces():
            back += piece.column("id").to_pylist()
            most = max(most, sum(path.stat().st_size for path in tmp_path.glob(".*.part/*")))
    assert sorted(back) == words.to_pylist()
    assert most < 4 * words.nbytes


def test_what_no_split_makes_smaller_is_not_split_for_ever(tmp_path, tiny_buckets, monkeypatch):
    # Every key is the same: all rows go to one bucket, again and again.
    monkeypatch.setattr(shuffling, "_keys", lambda rows, rng: np.zeros(rows, dtype="<u8"))
    assert sorted(shuffled(tmp_path, range(3_000))) == list(range(3_000))


HIDING = dn.Schema({"secret": dn.KRR(dn.Nominal(["the truth", "a lie"]), 0)})  # p = 0: the other answer, always


def true_file(folder, rows=3000, extra=""):
    (folder / "true.csv").write_text("secret,id\n" + "".join(f"the truth,{i * 7919 % rows}\n" for i in range(rows)) + extra)
    return folder / "true.csv"


@pytest.fixture
def small_pieces(monkeypatch, tiny_buckets):
    monkeypatch.setattr(tables, "CSV_BLOCK", 4096)


@pytest.mark.statistical
@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet"])
def test_what_lies_on_the_disk_meanwhile_is_private_and_randomised(tmp_path, small_pieces, monkeypatch, name):
    seen = []
    pieces = RowShuffler.pieces

    def looking(self):
        for found in pieces(self):
            folder = next(tmp_path.glob(".*.part*"), None)
            folders = [path for path in tmp_path.iterdir() if path.is_dir()]
            seen.extend(path.read_bytes() for folder in folders for path in folder.iterdir())
            assert folder is not None
            assert [stat.S_IMODE(path.stat().st_mode) for path in folders] == [0o700]
            assert {stat.S_IMODE(path.stat().st_mode) for path in folders[0].iterdir()} <= {0o600}
            yield found

    monkeypatch.setattr(RowShuffler, "pieces", looking)
    assert HIDING.randomise(true_file(tmp_path), keep=["id"], output=tmp_path / name) == 3000
    assert any(b"a lie" in text for text in seen)
    assert not any(b"the truth" in text for text in seen)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["true.csv", name, "out.schema.json"])
    read = pd.read_parquet if name.endswith("parquet") else pd.read_csv
    assert sorted(read(tmp_path / name)["id"].astype(int)) == list(range(3000))


def test_nothing_is_left_after_a_bad_cell_at_the_end(tmp_path, small_pieces):
    with pytest.raises(DataError, match="row 3001"):
        HIDING.randomise(true_file(tmp_path, extra="neither,1\n"), keep=["id"], output=tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["true.csv"]


@pytest.mark.statistical
@pytest.mark.parametrize("place", ["add", "pieces"])
def test_nothing_is_left_after_ctrl_c(run, tmp_path, small_pieces, monkeypatch, place):
    original = getattr(RowShuffler, place)
    calls = []

    def interrupted(self, *arguments):
        calls.append(len(list(tmp_path.glob(".*.part/*"))))
        if place == "pieces":
            following = original(self)
            next(following)
            raise KeyboardInterrupt
        if len(calls) == 5:
            raise KeyboardInterrupt
        return original(self, *arguments)

    monkeypatch.setattr(RowShuffler, place, interrupted)
    true_file(tmp_path)
    HIDING.save(tmp_path / "s.json")
    assert run("randomise", "true.csv", "-s", "s.json", "-k", "id", "-o", "out.csv") == (
        130, "", "Interrupted; nothing was written.\n",
    )  # fmt: skip
    assert calls[-1] > 0, "there were buckets to remove"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.json", "true.csv"]


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path, tiny_buckets):
    with RowShuffler(tmp_path / "no" / "out.csv") as rows, pytest.raises(OSError, match=r"out\.csv cannot be written"):
        rows.add(pa.RecordBatch.from_pydict({"a": list(range(1000))}))


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet"])
@pytest.mark.parametrize("most", [600, 6_000])
def test_a_full_disk_is_named_and_nothing_is_left(tmp_path, small_pieces, name, most):
    # A limit of the size of files is met as a full disk is: by the buckets, or by the output.
    source = true_file(tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        with pytest.raises(FileError, match=rf"{name} cannot be written: File too large"):
            HIDING.randomise(source, keep=["id"], output=tmp_path / name)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [path.name for path in tmp_path.iterdir()] == ["true.csv"]


def test_progress_is_told_of_both_parts(tmp_path, small_pieces):
    told = []

    class Listener:
        def start(self, what, total):
            told.append([what, total, 0])

        def advance(self, units):
            told[-1][2] += units

        def finish(self):
            told[-1].append("finished")

    source = true_file(tmp_path)
    HIDING.randomise(source, keep=["id"], output=tmp_path / "out.csv", progress=Listener())
    size = source.stat().st_size
    assert told == [["randomising (bytes)", size, size, "finished"], ["shuffling (rows)", 3000, 3000, "finished"]]


def test_a_simulated_file_is_shuffled_if_asked(tmp_path):
    source = true_file(tmp_path)
    one, two = (
        HIDING.randomise(source, np.random.default_rng(1), ["id"], order="shuffled", output=tmp_path / name)
        for name in ("1.csv", "2.csv")
    )
    assert one == two == 3000
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()
    assert pd.read_csv(tmp_path / "1.csv")["id"].tolist() != pd.read_csv(source)["id"].tolist()
