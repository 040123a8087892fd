"""The attack on the order of a published file: it was sorted by a name that is left out, so row i is still the i-th name.

The attacker has the list of names, as a register or a phone book has it, and takes the row at the same place for the person's.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import deniable as dn

ROWS = 2_000


def register():
    """People sorted by name, as lists of people are, with a salary that is made coarser."""
    rng = np.random.default_rng(8)
    names = sorted(f"{a}{b}{n:04}" for a, b, n in zip(*rng.integers(10, 99, (2, ROWS)), rng.permutation(ROWS), strict=True))
    age, town = rng.integers(18, 90, ROWS), rng.choice(list("ABCDEFGH"), ROWS)
    return pd.DataFrame({"name": names, "age": age, "town": town, "ill": rng.choice(["no", "yes"], ROWS, p=[0.6, 0.4])})


def found_by_place(published):
    """For how many people the row at their place has their own cells."""
    truth = register()
    got = published if isinstance(published, pd.DataFrame) else published.to_pandas()
    return float(((got["age"].to_numpy() == truth["age"]) & (got["town"].to_numpy() == truth["town"])).mean())


def by_chance():
    """How often two people picked at random share their cells, and eight standard errors of it: of the four or five people whom chance
    finds, and nothing is seeded, there are so many more once in four hundred million times, and five errors more once in fifty thousand."""
    share = float((register().groupby(["age", "town"]).size() ** 2).sum() / ROWS**2)
    return share + 8 * np.sqrt(share / ROWS)


def in_frame(make):
    def publish(order, folder, run):
        return dn.publish_frame(make(register()), "ill", drop=["name"], **({} if order is None else {"shuffle": order})).data

    return publish


def by_a_tree(order, folder, run):
    frame = register().drop(columns="name")
    tree = dn.DeniabilityTree(0.3, min_rows=50).fit(frame.drop(columns="ill"), frame["ill"])
    return tree.publish(frame, **({} if order is None else {"shuffle": order}))


def by_command(suffix):
    def publish(order, folder, run):
        write, read = (pd.DataFrame.to_csv, pd.read_csv) if suffix == "csv" else (pd.DataFrame.to_parquet, pd.read_parquet)
        write(register(), folder / f"true.{suffix}", index=False)
        kept = [] if order is None else ["--keep-order"]
        code, out, err = run("publish", f"true.{suffix}", "-s", "ill", "--drop", "name", "-o", f"out.{suffix}", "-f", *kept)
        assert code == 0, err
        assert ("rows are sorted by name" in out) == bool(kept), "the owner is told what the order tells"
        assert ("Rows are published in random order" in out) == (not kept)
        return read(folder / f"out.{suffix}")

    return publish


WAYS = {
    "pandas": in_frame(pd.DataFrame.copy),
    "polars": in_frame(pl.from_pandas),
    "tree": by_a_tree,
    "csv": by_command("csv"),
    "parquet": by_command("parquet"),
}


@pytest.mark.parametrize("way", WAYS)
def test_people_are_found_by_their_place_where_the_order_is_kept_and_only_there(way, tmp_path, run):
    assert found_by_place(WAYS[way](False, tmp_path, run)) == 1
    assert found_by_place(WAYS[way](None, tmp_path, run)) <= by_chance()
