import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deniable as dn
from deniable.core.tables import Axis, CellTable
from deniable.errors import DataError, ParameterError

AXES = [Axis("a", ("x", "y", "z")), Axis("b", (0, 1))]
rows = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(-1000, 1000)), max_size=60)


def table_of(listed):
    cells = [row[:2] for row in listed]
    return CellTable(
        AXES, np.array(cells, dtype=np.int64).reshape(-1, 2), np.ones(len(listed)), {"v": [row[2] for row in listed]}
    )


@pytest.mark.statistical
@settings(max_examples=50, deadline=None)
@given(rows, rows)
def test_tables_of_two_batches_add_up_to_the_table_of_both(first, second):
    assert table_of(first) + table_of(second) == table_of(first + second)


@pytest.mark.statistical
@settings(max_examples=50, deadline=None)
@given(rows)
def test_json_and_arrow_round_trips_are_identities(listed):
    table = table_of(listed)
    assert CellTable.from_json(table.to_json()) == table
    assert CellTable.from_arrow(table.to_arrow()) == table


@pytest.mark.statistical
@settings(max_examples=50, deadline=None)
@given(rows)
def test_marginals_and_sums_equal_a_plain_loop(listed):
    marginal = table_of(listed).marginal("a")
    assert marginal.dense().tolist() == [sum(1 for row in listed if row[0] == a) for a in range(3)]
    for cell, total in zip(marginal.cells[:, 0], marginal.sums["v"], strict=True):
        assert total == sum(row[2] for row in listed if row[0] == cell)


def test_tables_that_differ_do_not_add_up():
    with pytest.raises(ParameterError, match="equal axes"):
        table_of([(0, 0, 1)]) + CellTable(AXES[:1], [[0]], [1])


def test_a_sum_that_leaves_64_bits_is_refused():
    with pytest.raises(ParameterError, match="64 bits"):
        CellTable(AXES[:1], [[0], [0]], [1, 1], {"v": [2**62, 2**62]})


def test_codes_and_counts_outside_are_refused():
    with pytest.raises(ParameterError, match=r"codes 0\.\.2, got 3"):
        CellTable(AXES[:1], [[3]], [1])
    with pytest.raises(ParameterError, match="negative"):
        CellTable(AXES[:1], [[0]], [-1])
    with pytest.raises(ParameterError, match="no axis 'q'"):
        table_of([(0, 0, 1)]).marginal("q")


def test_counts_follow_the_outputs_and_the_bins():
    channel = dn.Additive(dn.Integer(0, 9), dn.Uniform(2))
    reports = [-2, 0, 4, 5, 9, 11]
    assert dn.counts(reports, channel).dense().tolist() == [1, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 1]
    table = dn.counts(reports, channel, bins=[0, 5, 9])
    assert dict(zip(table.axes[0].labels, table.dense().tolist(), strict=True)) == {
        "[-2, 0)": 1,
        "[0, 5)": 2,
        "[5, 9)": 1,
        "[9, 11]": 2,
    }
    assert np.asarray(table).sum() == table.sum() == table.total == 6


def test_a_report_that_the_channel_cannot_produce_is_refused():
    with pytest.raises(DataError, match="row 2: 12"):
        dn.counts([3, 12], dn.Additive(dn.Integer(0, 9), dn.Uniform(2)))
    with pytest.raises(DataError, match=r"row 2: 13.0"):
        dn.counts([3.5, 13.0], dn.Additive(dn.Continuous(0, 10), dn.Uniform(2)), bins=5)
