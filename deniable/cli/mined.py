"""Itemsets and rules as people see them: a table or JSON on the terminal, a file, a picture."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from deniable.cli.show import console
from deniable.plurals import counted

if TYPE_CHECKING:
    import pandas as pd

IN_PICTURE = 30
ROUNDING = 1e-6
"""The ends of an interval that is a single point meet up to this."""
SETS = ("itemsets", "antecedents", "consequents")
"""Columns that hold sets of items."""


def _words(items: Any) -> str:
    return ", ".join(map(str, _in_order(items)))


def _rule(antecedents: Any, consequents: Any) -> str:
    return f"{_words(antecedents)} => {_words(consequents)}"


def _in_order(items: Any) -> list[Any]:
    numbers = all(isinstance(item, int) for item in items)
    return sorted(items, key=None if numbers else str)


def plain(shown: pd.DataFrame) -> pd.DataFrame:
    """The frame with sets written out: items in order, separated by commas."""
    return shown.assign(**{name: shown[name].map(_words) for name in SETS if name in shown})


def present(shown: pd.DataFrame, about: dict[str, Any], rules: bool, top: int, level: float, as_json: bool) -> None:
    """Print itemsets or rules.

    Parameters
    ----------
    shown
        The frame of itemsets, or that of rules where `rules` is true.
    about
        What the search says of itself, and the rules of themselves.
    rules
        Whether these are rules.
    top
        How many are printed.
    level
        That of the intervals.
    as_json
        Whether all are printed as JSON instead.
    """
    if as_json:
        _print_json(shown, about, rules, level)
        return
    from deniable.mining.after_searching import AFTER_SEARCHING

    measure = "confidence" if rules else "support"
    ends = [measure, f"{measure}_low", f"{measure}_high"]
    shown = shown.assign(**dict(zip(ends, _held(*(shown[name] for name in ends)), strict=True)))
    listed = shown if rules else _best(shown)
    what = "rule" if rules else "itemset"
    table = Table(title=f"{counted(len(shown), what)} ({about['method']}, {counted(about['rows'], 'transaction')})")
    fill = _fill_with_rules if rules else _fill_with_itemsets
    fill(table, listed.head(top).to_dict("records"), f"{100 * level:g}% interval")
    console().print(table)
    if len(shown) and "no_interval" not in about:
        searched = about["interval"] == AFTER_SEARCHING
        print(_searched(len(shown), candidates(about) or 0, what, level) if searched else _named(what, level))
    if len(listed) < len(shown):
        print(f"{counted(len(shown) - len(listed), 'single item is', 'single items are')} not listed; --output writes all.")
    if len(listed) > top:
        print(f"The best {top:,} of {len(listed):,}; --top shows more, --output writes all.")


def _print_json(shown: pd.DataFrame, about: dict[str, Any], rules: bool, level: float) -> None:
    listed = shown.assign(**{name: shown[name].map(_in_order) for name in SETS if name in shown})
    told = {key: about.get(key) for key in ("method", "target", "rows", "min_support", "interrupted")}
    told |= {
        "level": level,
        "interval": about["interval"],
        "level_of_each": about["level_of_each"],
        "candidates": candidates(about),
    }
    content = {**told, "rules" if rules else "itemsets": json.loads(listed.to_json(orient="records"))}
    print(json.dumps(content, indent=2, ensure_ascii=False))


def candidates(about: dict[str, Any]) -> int | None:
    """How many itemsets, or rules, were looked at."""
    number = about["candidates"]
    return sum(number) if isinstance(number, list) else number


def _searched(found: int, looked_at: int, what: str, level: float) -> str:
    """What intervals promise of all that was found."""
    return (
        f"Intervals are for what a search has found: of those of all {counted(found, what)} at most {100 * (1 - level):g}% miss on "
        f"average, although they were chosen among {counted(looked_at, 'candidate')}."
    )


def _named(what: str, level: float) -> str:
    """What intervals promise of what somebody had in mind."""
    return (
        f"Each interval is for {'a rule' if what == 'rule' else 'an itemset'} named before the search: of all that are found more than "
        f"{100 * (1 - level):g}% miss."
    )


def _fill_with_rules(table: Table, rows: list[dict[Any, Any]], interval: str) -> None:
    _add_columns(table, "rule", ("support", "confidence", interval, "lift"))
    for row in rows:
        table.add_row(
            _rule(row["antecedents"], row["consequents"]),
            f"{row['support']:.2%}",
            f"{row['confidence']:.1%}",
            _interval(row["confidence_low"], row["confidence_high"], 1),
            f"{row['lift']:.2f}",
        )


def _fill_with_itemsets(table: Table, rows: list[dict[Any, Any]], interval: str) -> None:
    _add_columns(table, "itemset", ("support", interval, "reported", "P(frequent)"))
    for row in rows:
        table.add_row(
            _words(row["itemsets"]),
            f"{row['support']:.2%}",
            _interval(row["support_low"], row["support_high"], 2),
            f"{row['reported_support']:.2%}",
            "" if math.isnan(row["probability_frequent"]) else f"{row['probability_frequent']:.2f}",
        )


def _add_columns(table: Table, first: str, numbers: Sequence[str]) -> None:
    table.add_column(first, overflow="fold")
    for name in numbers:
        table.add_column(name, justify="right")


def _interval(low: float, high: float, digits: int) -> str:
    """An interval of shares; biased methods have none."""
    if math.isnan(low):
        return "none"
    return f"{low:.{digits}%} to {high:.{digits}%}"


def _held(value: pd.Series, low: pd.Series, high: pd.Series) -> tuple[pd.Series, pd.Series, pd.Series]:
    """Shares as people are shown them: between 0 and 1, and inside their own intervals. Shrunk points may leave those of unbiased ones."""
    point = value.clip(0, 1)
    return (
        point,
        low.clip(0, 1).where(lambda end: ~(end > point), point),
        high.clip(0, 1).where(lambda end: ~(end < point), point),
    )


def surest_first(rules: pd.DataFrame) -> pd.DataFrame:
    """Rules by what their confidence is at least: 100% of three people is no news. Where nothing is in doubt, by the confidence."""
    doubtful = (rules["confidence"] - rules["confidence_low"]) > ROUNDING
    by = ["confidence_low", "support"] if doubtful.any() else ["confidence"]
    # Equal ones stay as mlxtend lists them.
    return rules.sort_values(by, ascending=False, kind="stable", ignore_index=True)


def _best(itemsets: pd.DataFrame) -> pd.DataFrame:
    """Longer itemsets alone where there are any: single items are no news."""
    several = itemsets[itemsets["itemsets"].map(len) > 1]
    chosen = several if len(several) else itemsets
    return chosen.sort_values("support", ascending=False, kind="stable")


def save_picture(shown: pd.DataFrame, rules: bool, level: float, path: Path) -> None:
    """Draw the first itemsets, or rules, with their intervals."""
    from deniable import charts

    measure, rows = ("confidence", shown) if rules else ("support", _best(shown))
    rows = rows.head(IN_PICTURE)
    if rules:
        labels = list(map(_rule, rows["antecedents"], rows["consequents"]))
        compare, title = None, "Rules: confidence"
    else:
        labels = list(map(_words, rows["itemsets"]))
        compare, title = {"reported": rows["reported_support"].to_numpy()}, "Itemsets: support"
    held = _held(rows[measure], rows[f"{measure}_low"], rows[f"{measure}_high"])
    point, low, high = (column.to_numpy() for column in held)
    whiskers = f"{100 * level:g}% interval, {shown.attrs['interval']}"
    charts.save(charts.distribution_chart(labels, point, low, high, title=title, compare=compare, whiskers=whiskers), path)
