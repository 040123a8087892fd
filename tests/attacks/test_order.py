"""The attack on the order of rows: anyone who knows that the people were sorted learns the answers of a whole stretch from many reports.

Epsilon is not broken by it: it bounds what one report says about one person, and here rows tell about one another. The attack wins where
the order is kept, which shows that it is a good one, and gets no more than guessing where rows are shuffled.
"""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deniable as dn
from deniable.errors import OrderWarning

ROWS = 20_000
IDS = np.random.default_rng(5).permutation(ROWS)  # in no order, so that the truth of a row is known to the test alone
SMOKES = dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.6)})
AGES = dn.Schema({"age": dn.Retention(dn.Integer(18, 90), 0.5)})
SMOKERS = pd.DataFrame({"smokes": ["no"] * 16_000 + ["yes"] * 4_000, "id": IDS})
AGED = pd.DataFrame({"age": np.sort(np.random.default_rng(6).integers(18, 91, ROWS)), "id": IDS})


def change_point(reports):
    """The likeliest place where sorted answers turn from no to yes, and the answers that follow from it."""
    gain = np.where(np.asarray(reports) == "no", np.log(0.6 / 0.4), np.log(0.4 / 0.6))
    at = np.concatenate([[0.0], np.cumsum(gain)]).argmax()
    return np.repeat(["no", "yes"], [at, len(reports) - at])


def rising(reports):
    """The likeliest rising sequence of ages, by dynamic programming over the age of each row."""
    ages = 90 - 18 + 1
    told = np.log(0.5 + 0.5 / ages) - np.log(0.5 / ages)
    best, came = np.zeros(ages), np.empty((len(reports), ages), dtype=np.int64)
    codes = np.asarray(reports, dtype=np.int64) - 18
    places = np.arange(ages)
    for row, code in enumerate(codes):
        top = np.maximum.accumulate(best)
        came[row] = np.maximum.accumulate(np.where(best == top, places, 0))
        best = top
        best[code] += told
    path, state = np.empty(len(codes), dtype=np.int64), int(best.argmax())
    for row in range(len(codes) - 1, -1, -1):
        path[row] = state
        state = int(came[row, state])
    return path + 18


def right(schema, truth, reported, attack):
    """Which share of the rows the attacker names; the rows' ids, which the attacker is not given, tell who they are."""
    (name,) = schema
    frame = reported if isinstance(reported, pd.DataFrame) else reported.to_pandas()
    true = truth.set_index("id")[name].loc[frame["id"].to_numpy()].to_numpy()
    return float((attack(frame[name].to_numpy()) == true).mean())


def in_frame(kind):
    def randomise(schema, truth, order, folder):
        return schema.randomise(kind(truth), keep=["id"], order=order)

    return randomise


def in_file(name):
    def randomise(schema, truth, order, folder):
        write, read = (pd.DataFrame.to_csv, pd.read_csv) if name == "csv" else (pd.DataFrame.to_parquet, pd.read_parquet)
        write(truth, folder / f"true.{name}", index=False)
        schema.randomise(folder / f"true.{name}", keep=["id"], order=order, output=folder / f"out.{name}")
        return read(folder / f"out.{name}")

    return randomise


WAYS = {
    "pandas": in_frame(pd.DataFrame.copy),
    "polars": in_frame(pl.from_pandas),
    "pyarrow": in_frame(lambda frame: pa.Table.from_pandas(frame, preserve_index=False)),
    "csv": in_file("csv"),
    "parquet": in_file("parquet"),
}
ATTACKS = {
    # The always likeliest guess for a row alone: "no" for everyone (4 of 5 are right), and the reported age. Then what the attacker has
    # at least where the order is kept: the likeliest turn is 1% of all rows off once in nine hundred times, 4% once in a billion.
    "smokes": (SMOKES, SMOKERS, change_point, 0.8, 0.96),
    "age": (AGES, AGED, rising, 0.5 + 0.5 / 73, 0.97),
}


def at_most(guess):
    return guess + 2 * np.sqrt(guess * (1 - guess) / ROWS)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("asked", ATTACKS)
def test_sorted_answers_are_read_off_the_order_where_it_is_kept_and_only_there(way, asked, tmp_path):
    schema, truth, attack, guess, won = ATTACKS[asked]
    with pytest.warns(OrderWarning, match=f"it tells answers: {asked}"):
        kept = WAYS[way](schema, truth, "kept", tmp_path)
    assert right(schema, truth, kept, attack) > won
    folder = tmp_path / "shuffled"
    folder.mkdir()
    shuffled = WAYS[way](schema, truth, "shuffled" if way == "polars" else None, folder)
    assert right(schema, truth, shuffled, attack) <= at_most(guess)
    assert sorted(shuffled["id"].to_numpy()) == sorted(IDS), "no row is lost or doubled"


@pytest.mark.parametrize("asked", ATTACKS)
def test_the_command_line_shuffles_too_and_says_what_a_kept_order_tells(run, asked, tmp_path):
    schema, truth, attack, guess, won = ATTACKS[asked]
    truth.to_csv(tmp_path / "true.csv", index=False)
    schema.save(tmp_path / "s.json")
    code, out, _ = run("randomise", "true.csv", "-s", "s.json", "-k", "id", "-o", "kept.csv", "--keep-order")
    assert (code, "warning: Rows are in the order of the input" in out, f"it tells answers: {asked} (" in out) == (
        0,
        True,
        True,
    )
    assert right(schema, truth, pd.read_csv(tmp_path / "kept.csv"), attack) > won
    code, out, _ = run("randomise", "true.csv", "-s", "s.json", "-k", "id", "-o", "out.csv")
    assert (code, "Rows are in random order." in out, "answers" in out.split("Randomised answers")[0]) == (0, True, False)
    assert right(schema, truth, pd.read_csv(tmp_path / "out.csv"), attack) <= at_most(guess)


def test_a_simulation_keeps_the_order_and_says_nothing():
    simulated = SMOKES.randomise(SMOKERS, np.random.default_rng(1), keep=["id"])
    assert (simulated["id"] == SMOKERS["id"]).all()
    assert right(SMOKES, SMOKERS, simulated, change_point) > 0.99
