"""Every store gives the same integers: those of a loop over the rows."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import deniable as dn
from deniable.engines.count import cell_table
from deniable.errors import DataError, ParameterError

CHANNELS = [
    lambda: dn.KRR(dn.Binary(), 0.75),
    lambda: dn.KRR(dn.Nominal(["a", "A", "ä", "it's", 'say "so"', "x,y"]), 0.6),
    lambda: dn.KRR(dn.Nominal(["red", "green"], missing="no answer"), 0.6),
    lambda: dn.KRR(dn.Ordinal([1, 2, 3], missing="no answer"), 0.6),
    lambda: dn.KRR(dn.Nominal([True, False]), 0.6),
    lambda: dn.KRR(dn.Nominal([True, False], missing="no answer"), 0.6),
    lambda: dn.KRR(dn.Nominal([0.1, 0.2, 0.7]), 0.6),
    lambda: dn.Retention(dn.Integer(-4, 10, step=2), 0.5),
    lambda: dn.Retention(dn.Continuous(0, 1, step=0.1), 0.5),
    lambda: dn.Additive(dn.Continuous(0, 1, step=0.1), dn.Uniform(0.3)),
    lambda: dn.Optional(dn.KRR(dn.Integer(18, 30), 0.5), 0.8),
    lambda: dn.Optional(dn.KRR(dn.Continuous(0, 1, step=0.1), 0.5), 0.8),
]
NAMES = ["age", "a.b", "SELECT", 'the "odd" 100%', "it's `so`", "Größe", "with space", "n", "k0", "c1", "ünder_score:x", "A"]


def reports(seed, rows=300):
    """A random schema and a table of what could be reported under it."""
    rng = np.random.default_rng(seed)
    channels = [CHANNELS[i]() for i in rng.permutation(len(CHANNELS))]
    schema = dn.Schema(dict(zip(NAMES, channels, strict=True)))
    columns = {}
    for name, channel in schema.items():
        domain = channel.reported
        column = domain.column(rng.integers(0, domain.size, rows))
        if pa.types.is_floating(column.type) and not isinstance(domain, dn.Nominal):
            column = nudged(column, rng)
        columns[name] = column
    return schema, pa.table(columns)


def nudged(column, rng):
    """Some numbers moved by the last bit toward 0.5, as sums of tenths are."""
    return pa.array(
        [x if x is None or rng.random() < 0.5 else float(np.nextafter(x, 0.5)) for x in column.to_pylist()], pa.float64()
    )


def code(value, domain):
    """The code of a label, by looking at all labels."""
    if value is None:
        return list(domain.labels).index(domain.missing)
    if isinstance(value, float):
        return min(range(domain.size), key=lambda c: abs(domain.labels[c] - value) if domain.labels[c] != domain.missing else 9)
    return list(domain.labels).index(value)


def by_hand(table, schema, names):
    found = Counter(tuple(code(row[name], schema[name].reported) for name in names) for row in table.to_pylist())
    return [list(cell) for cell in sorted(found)], [found[cell] for cell in sorted(found)]


@pytest.mark.parametrize("seed", range(3))
def test_every_store_gives_the_table_of_a_loop_over_the_rows(store, seed):
    schema, table = reports(seed)
    data = store(table)
    rng = np.random.default_rng(seed)
    for names in ([], NAMES, *(rng.permutation(NAMES)[:size].tolist() for size in (1, 2, 3))):
        counted = cell_table(data, schema, names)
        assert (counted.cells.tolist(), counted.n.tolist()) == by_hand(table, schema, names)
        assert counted.n.dtype == counted.cells.dtype == np.int64
        assert [axis.labels for axis in counted.axes] == [schema[name].outputs for name in names]


def people(rows=2_000):
    schema = dn.Schema(
        {
            "sex": dn.KRR(dn.Nominal(["F", "M"]), 0.75),
            "age": dn.Retention(dn.Integer(18, 40), 0.5),
            "weight": dn.Retention(dn.Continuous(0, 1, step=0.1), 0.5),
            "grade": dn.KRR(dn.Nominal([1, 2, 3], missing="no answer"), 0.6),
        }
    )
    rng = np.random.default_rng(5)
    return schema, pa.table({name: c.reported.column(rng.integers(0, c.reported.size, rows)) for name, c in schema.items()})


def test_every_store_gives_the_same_estimates(store):
    schema, table = people()
    here, there = dn.Sample(table, schema), dn.Sample(store(table), schema)
    for ask in (
        lambda sample: sample.count("sex == 'F' and age < 30 and grade in (1, 'no answer')"),
        lambda sample: sample.mean("weight", where="sex == 'F'"),
    ):
        a, b = ask(here), ask(there)
        assert a.value.tolist() == b.value.tolist()
        assert np.asarray(a.covariance).tolist() == np.asarray(b.covariance).tolist()


def test_every_store_has_weights_in_a_column_that_the_schema_does_not_know(store):
    schema, table = people(300)
    table = table.append_column("stands.for", pa.array(np.round(np.random.default_rng(6).uniform(0.5, 3, 300), 2)))
    data = store(table)
    here, there = (dn.Sample(held, schema, weights="stands.for").mean("age", "sex == 'F'") for held in (table, data))
    np.testing.assert_allclose([*there.value, *there.se], [*here.value, *here.se], rtol=1e-9)
    with pytest.raises(DataError, match="no column 'nope' to take weights from"):
        dn.Sample(data, schema, weights="nope")


def test_data_without_rows_is_an_error_of_the_question(store):
    schema, table = people()
    data = store(table[:0])
    assert cell_table(data, schema, ["sex", "age"]).total == 0
    assert cell_table(data, schema, []).total == 0
    with pytest.raises(ParameterError, match="no rows"):
        dn.Sample(data, schema).count("sex == 'F'")


def test_labels_that_the_schema_does_not_know_are_named_with_their_column(store):
    schema, _ = people()
    data = store(pa.table({"sex": ["F", "M", "f", None], "age": [18, 19, 300, 20], "grade": [1, 2, 3, None]}))
    assert cell_table(data, schema, ["grade"]).n.tolist() == [1, 1, 1, 1]
    with pytest.raises(DataError) as caught:
        cell_table(data, schema, ["sex", "age", "grade"])
    assert caught.value.code == "labels_do_not_match"
    assert set(caught.value.parameters["columns"]["sex"]) == {"f", None}
    assert list(map(int, caught.value.parameters["columns"]["age"])) == [300]
    assert "grade" not in caught.value.parameters["columns"]
    for words in ("'sex' holds", "'f'", "missing cells", "allowed: 'F', 'M'", "18 to 40"):
        assert words in str(caught.value)


def test_columns_and_attributes_that_are_not_there_are_named(store):
    schema, table = people(20)
    data = store(table.drop_columns(["age"]))
    with pytest.raises(DataError, match=r"no columns \['age'\]"):
        cell_table(data, schema, ["sex", "age"])
    with pytest.raises(DataError, match=r"no attributes \['income'\]"):
        cell_table(data, schema, ["income"])
