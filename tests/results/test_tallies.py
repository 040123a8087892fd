"""Cumulative tables are those that counting anew gives, whatever was released in between."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from deniable.results.tallies import MovedError, Tallies
from tests.results.council import insert, reports_of

NAMES = [
    ["sex"],
    ["age"],
    ["smokes", "owes"],
    ["owes", "smokes"],
    ["sex", "age", "mood"],
    ["sex", "age", "smokes", "owes", "mood"],
]


def counted(codes, schema, names):
    places = [list(schema).index(name) for name in names]
    cells, n = np.unique(codes[:, places], axis=0, return_counts=True)
    return cells.tolist(), n.tolist()


def found(table):
    return table.cells.tolist(), table.n.tolist()


def test_tables_are_those_of_the_rows_in_one_look(new_store):
    store = new_store(2_345)
    read = store.version("council")
    rows = np.array([list(row) for piece in store.mixed_rows(read) for row in piece])
    tallies = Tallies(store)
    tables = tallies.of(read, 2_345, NAMES)
    assert [found(table) for table in tables] == [counted(rows, read.schema, names) for names in NAMES]
    tallies.of(read, 2_345, NAMES)
    assert tallies.looks == 1


def test_a_release_is_added_without_another_look(new_store):
    store = new_store(1_000)
    read, tallies = store.version("council"), Tallies(store)
    tallies.of(read, 1_000, NAMES)
    insert(store, "council", reports_of(read.schema, 77, np.random.default_rng(9)))
    tables = tallies.of(read, 1_077, NAMES)
    fresh = Tallies(store).of(read, 1_077, NAMES)
    assert tallies.looks == 1
    assert [found(table) for table in tables] == [found(table) for table in fresh]


def test_a_real_mixing_tells_what_it_released(new_store):
    store = new_store(300, closed=False)
    read, tallies = store.version("council"), Tallies(store)
    tallies.of(read, 300, NAMES)
    codes = reports_of(read.schema, 60, np.random.default_rng(3))
    submit(store, codes)
    assert store.mix(read.id) == 60
    tables = tallies.of(read, 360, NAMES)
    assert tallies.looks == 1
    assert [found(table) for table in tables] == [found(table) for table in Tallies(store).of(read, 360, NAMES)]


def submit(store, codes):
    import secrets

    from deniable.survey.submission import read_submission

    asked, _ = store.current("council")
    names = list(asked.sizes)
    bodies = [
        {"id": secrets.token_urlsafe(24), "version": 1, "report": dict(zip(names, map(int, row), strict=True))} for row in codes
    ]
    store.submit([read_submission(asked, body) for body in bodies])


def test_a_release_by_another_process_is_noticed(new_store):
    store = new_store(200)
    read, tallies = store.version("council"), Tallies(store)
    tallies.of(read, 200, [["sex"]])
    other = reports_of(read.schema, 50, np.random.default_rng(4))
    from deniable.survey.store import bulk
    from deniable.survey.store.engine import writing

    with writing(store.engine) as connection:  # nobody here is told
        bulk.insert(connection, read.table, [f"c{i}" for i in range(5)], other.tolist())
    with pytest.raises(MovedError):
        tallies.of(read, 200, [["age"]])
    assert tallies.of(read, tallies.released(read), [["sex"]])[0].total == 250


def test_what_is_kept_has_a_limit(new_store, monkeypatch):
    from deniable.results import tallies as module

    monkeypatch.setattr(module, "MOST_CELLS", 300)
    store = new_store(500)
    read, tallies = store.version("council"), Tallies(store)
    for names in [*NAMES, *NAMES]:
        assert tallies.of(read, 500, [names])[0].total == 500
    kept = sum(len(counts[0]) for _, counts in tallies._kept.values())
    assert kept == tallies._cells
    assert len(tallies._kept) < len(NAMES)


def test_erasing_forgets_what_was_counted(new_store):
    from deniable.survey.store import releases

    store = new_store(300)
    read, tallies = store.version("council"), Tallies(store)
    tallies.of(read, 300, [["sex"]])
    releases.tell_of_erasing(store.engine, read.id)
    tallies.of(read, 300, [["sex"]])
    assert (tallies.looks, tallies.changes) == (2, 1)


def test_one_question_may_need_more_tables_than_are_kept(new_store, monkeypatch):
    from deniable.results import tallies as module

    monkeypatch.setattr(module, "MOST_CELLS", 3)
    store = new_store(500)
    read = store.version("council")
    tables = Tallies(store).of(read, 500, NAMES)
    assert [table.total for table in tables] == [500] * len(NAMES)
    prepared = Tallies(store)
    prepared.prepare(read, 500, NAMES)
    assert sum(len(counts[0]) for _, counts in prepared._kept.values()) <= 3


class Slow:
    """A store whose rows are looked at when it is told to."""

    def __init__(self, store):
        self._store = store
        self.began, self.go_on = threading.Event(), threading.Event()

    def __getattr__(self, name):
        return getattr(self._store, name)

    def count_reports(self, *asked):
        found = self._store.count_reports(*asked)
        self.began.set()
        assert self.go_on.wait(30)
        return found


def test_neither_mixings_nor_other_views_wait_for_a_look_at_the_rows(new_store):
    store = new_store(300)
    slow, read = Slow(store), store.version("council")
    tallies = Tallies(slow)
    with ThreadPoolExecutor(2) as threads:
        slow.go_on.set()
        tallies.of(read, 300, [["sex"]])
        slow.began.clear()
        slow.go_on.clear()
        looking = threads.submit(tallies.of, read, 300, [["age", "mood"]])
        assert slow.began.wait(30)
        assert threads.submit(tallies.of, read, 300, [["sex"]]).result(20)[0].total == 300
        codes = reports_of(read.schema, 60, np.random.default_rng(5))
        threads.submit(insert, store, "council", codes).result(20)
        assert threads.submit(tallies.of, read, 360, [["sex"]]).result(20)[0].total == 360
        slow.go_on.set()
        # What was counted before the mixing is of no use after it.
        with pytest.raises(MovedError):
            looking.result(20)
    assert tallies.of(read, 360, [["age", "mood"]])[0].total == 360
