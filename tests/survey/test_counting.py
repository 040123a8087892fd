"""Tables of counts by one look at the rows, in both databases."""

import numpy as np

import deniable as dn
from deniable.survey.store import bulk
from deniable.survey.store.engine import writing

SCHEMA = dn.Schema(
    {
        "smokes": dn.KRR(dn.Nominal(["no", "yes"], missing="no answer"), 0.75),
        **{f"q{i}": dn.KRR(dn.Nominal(list("abcdefgh")), 0.75) for i in range(20)},
        "salary": dn.Retention(dn.Integer(0, 99_999), 0.5),
    }
)


def test_counts_are_those_of_the_rows(open_store, standin, monkeypatch):
    from deniable.survey.store import counting

    monkeypatch.setattr(counting, "ROWS", 300)  # several pieces
    store = open_store()
    store.open_survey(standin.Standin(schema=SCHEMA))
    read = store.version("town")
    rng = np.random.default_rng(1)
    codes = np.column_stack([rng.integers(0, len(channel.outputs), 1_000) for channel in SCHEMA.values()])
    with writing(store.engine) as connection:
        bulk.insert(connection, read.table, [f"c{i}" for i in range(22)], codes.tolist())
    wanted = [(0,), (0, 3), (21,), (0, 21, 20), tuple(range(12))]
    total, tables = store.count_reports(read, wanted)
    assert total == store.count_released(read) == 1_000
    for columns, (places, n) in zip(wanted, tables, strict=True):
        sizes = [len(list(SCHEMA.values())[column].outputs) for column in columns]
        flat, expected = np.unique(np.ravel_multi_index(tuple(codes[:, list(columns)].T), sizes), return_counts=True)
        assert places.tolist() == flat.tolist()
        assert n.tolist() == expected.tolist()


def test_of_an_empty_survey(open_store, standin):
    store = open_store()
    store.open_survey(standin.Standin(schema=SCHEMA))
    total, (table,) = store.count_reports(store.version("town"), [(0,)])
    assert (total, table[0].tolist()) == (0, [])
    assert store.closings_of("town") == ("open", 0)
