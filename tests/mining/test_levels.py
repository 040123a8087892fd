"""The search itself: levels that another processor makes are those made here, and nothing is left behind."""

import gc
import itertools
import threading

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.kernels import next_level as kernel
from deniable.mining import ahead
from deniable.mining.ahead import ItemArrays
from deniable.mining.choices import Reaching
from deniable.mining.itemsets import mine
from deniable.mining.mined import Mined
from deniable.mining.search import Search


def dense(rng, rows=700, items=9):
    """Rows whose items are related, so that there are long itemsets, and the channel that distorted them."""
    truth = rng.random((rows, items)) < rng.uniform(0.5, 0.95, items)
    channel = dn.Flip(0.9, 0.85)
    draw = rng.random(truth.shape)
    return pd.DataFrame(np.where(truth, draw < 0.9, draw >= 0.85), columns=[f"i{k}" for k in range(items)]), channel


@pytest.mark.parametrize("options", [{}, {"target": "respondents", "confidence": 0.8}, {"max_len": 3}, {"relax": 0.3}])
@pytest.mark.parametrize("distorted", [True, False])
@pytest.mark.parametrize(("method", "function"), [("unbiased", "level_above"), ("shrunk", "shrunk_level_above")])
def test_levels_made_beside_are_those_made_in_portions(monkeypatch, options, distorted, method, function):
    reports, channel = dense(np.random.default_rng(1))
    ask = (reports, channel if distorted else None, 0.15, method)
    made = []

    def counted(*work):
        made.append(work)
        return kernel_level(*work)

    counted.overloads = True
    kernel_level = getattr(kernel, function)
    monkeypatch.setattr(kernel, function, counted)
    beside = dn.frequent_itemsets(*ask, **options)
    assert made
    longest = options.get("max_len", 6)
    assert beside["itemsets"].map(len).max() >= longest
    made.clear()
    monkeypatch.setattr(ahead, "WORDS_WORTH_A_THREAD", 0)
    here = dn.frequent_itemsets(*ask, **options)
    assert not made
    pd.testing.assert_frame_equal(beside, here, check_exact=True)
    assert beside.attrs == here.attrs


def test_as_many_candidates_are_counted_as_tested_on_both_ways(monkeypatch):
    reports, channel = dense(np.random.default_rng(2))
    tested = []
    for worth in (ahead.WORDS_WORTH_A_THREAD, 0):
        monkeypatch.setattr(ahead, "WORDS_WORTH_A_THREAD", worth)
        mined = Mined(dn.Transactions(reports, channel), [], 0.15, "unbiased")
        found = list(mine(mined))
        tested.append((mined.tally.tested, [level.candidates for level in found], [len(level) for level in found]))
    assert tested[0] == tested[1]
    assert tested[0][0] == sum(tested[0][1])


def test_columns_told_by_the_compiled_function_are_those_of_scipy():
    reports, channel = dense(np.random.default_rng(3))
    for target, method in itertools.product(("population", "respondents"), ("unbiased", "shrunk")):
        mined = Mined(dn.Transactions(reports, channel), [], 0.3, method, target, confidence=0.9)
        for level in mine(mined):
            mined.levels.append(level)
        for level in mined.levels:
            told, level.columns = level.columns, None
            expected = level.support, mined.errors(level), mined.probabilities(level)
            np.testing.assert_allclose(told, expected, rtol=1e-13, atol=1e-15)
        doubts = np.concatenate([mined.probabilities(level) for level in mined.levels])
        assert ((doubts > 0.05) & (doubts < 0.95)).any()


def test_levels_can_be_asked_for_one_by_one_and_tell_their_columns_when_the_next_one_is():
    rows = dn.Transactions(dense(np.random.default_rng(5))[0])
    n, items = rows.rows, rows.items
    asked = n, 0.15, 0.15, False

    def search():
        choice = Reaching(0.15, asked)
        return Search(rows.counter(np.arange(len(items))), n, ItemArrays(items.attribute, items.absent, items.slope), choice)

    together, alone = list(search().levels()), search()
    assert alone.length == 0
    for k, level in enumerate(together, 1):
        made = alone.next_level()
        assert (alone.length, made.columns) == (k, None)
        np.testing.assert_array_equal(made.itemsets, level.itemsets)
        np.testing.assert_array_equal(made.sums.total, level.sums.total)
        following = alone.next_level() if k == len(together) else None
        assert following is None
    assert alone.next_level() is None
    np.testing.assert_allclose(made.columns, together[-1].columns, rtol=1e-13)
    shorter = search()
    assert [shorter.next_level(2).length, shorter.next_level(2).length, shorter.next_level(2)] == [1, 2, None]


def test_a_search_that_is_given_up_or_fails_leaves_no_thread_and_the_collector_as_it_was(monkeypatch):
    reports, channel = dense(np.random.default_rng(4))
    before = threading.active_count()
    search = mine(Mined(dn.Transactions(reports, channel), [], 0.15, "unbiased"))
    next(search), next(search)
    search.close()
    assert threading.active_count() == before

    def no_memory(*work):
        raise MemoryError("none left")

    no_memory.overloads = True
    monkeypatch.setattr(kernel, "level_above", no_memory)
    for on in (True, False):
        (gc.enable if on else gc.disable)()
        try:
            with pytest.raises(MemoryError, match="none left"):
                dn.frequent_itemsets(reports, channel, 0.15, "unbiased")
            assert gc.isenabled() == on
        finally:
            gc.enable()
    assert threading.active_count() == before


def test_small_columns_of_lists_are_packed_once(monkeypatch):
    rows = [[k for k in range(5) if (r + k) % 3] for r in range(400)]
    prepared = dn.Transactions(rows, dn.Flip(0.9, 0.9))
    first = prepared.select([3, 1])
    packed = prepared._rows.bits
    assert packed is not None
    assert first.tolist() == packed[[3, 1]].tolist()
    assert prepared.select([0]) is not packed
    assert prepared._rows.bits is packed
    many = dn.Transactions([[r] for r in range(400)], dn.Flip(0.9, 0.9))
    many.select([3, 1])
    assert many._rows.bits is None  # 400 columns need more room than the 400 numbers


@pytest.mark.parametrize("method", ["unbiased", "shrunk", "mask"])
@pytest.mark.parametrize("options", [{"min_probability": 0.9}, {"false_discovery_rate": 0.1}])
def test_filters_of_nothing_give_an_empty_frame(method, options):
    found = dn.frequent_itemsets([["a"], ["b"], ["c"]], min_support=0.9, method=method, **options)
    assert len(found) == 0
    assert "probability_frequent" in found


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble])
def test_numpys_numbers_are_numbers(kind):
    data = [["a", "b"]] * 3 + [["b"]] * 7
    for method in ("unbiased", "shrunk"):
        expected = dn.frequent_itemsets(data, min_support=0.25, method=method)
        pd.testing.assert_frame_equal(dn.frequent_itemsets(data, min_support=kind(0.25), method=method), expected)
        relaxed = dn.frequent_itemsets(data, min_support=0.25, relax=kind(0.25), method=method)
        pd.testing.assert_frame_equal(relaxed, expected)
