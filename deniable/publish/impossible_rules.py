"""Rules that no tree can meet are refused before one is looked for.

All rows together are the most deniable group there is: what they do not meet, no part of them is promised.
"""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Decimal

import numpy as np

from deniable.core.domains.exact import Ints
from deniable.errors import ParameterError, Setting
from deniable.privacy.measures.deniability import deniability
from deniable.publish.encoding import Sensitive
from deniable.publish.measures import surest_if_ruled_out
from deniable.publish.recoding import at_least
from deniable.publish.rules import Rules, ruled_out_views


def refuse_impossible(rules: Rules, sensitive: Sensitive, counts: Ints) -> None:
    """Refuse rules that all rows, so many of which gave each answer, do not meet."""
    asked = ruled_out_views(sensitive.view_outcomes)
    tables = sensitive.view_counts(counts[None])
    for v, (name, table) in enumerate(zip(sensitive.view_names, tables, strict=True)):
        _refuse_deniability(rules, name, table[0], name in sensitive.names)
        if table.max() > (rules.max_posterior + 1e-10) * table.sum():
            raise ParameterError(
                "max_posterior_below",
                "{setting} cannot be: {most:.1%} of all rows have the same answer to {name!r}, and no grouping lowers that.",
                setting=Setting("max_posterior", rules.max_posterior),
                most=table.max() / table.sum(),
                name=name,
            )
        if v in asked and surest_if_ruled_out(table)[0] > rules.max_ruled_out + 1e-10:
            raise ParameterError(
                "max_ruled_out_below",
                "{setting} cannot be: of all rows that did not give the second answer to {name!r} {most:.1%} gave the first, and no "
                "grouping lowers that.",
                setting=Setting("max_ruled_out", rules.max_ruled_out),
                most=surest_if_ruled_out(table)[0],
                name=name,
            )
    if counts.sum() < rules.min_rows:
        raise ParameterError(
            "min_rows_above",
            "{setting} cannot be: there are only {rows:,} rows.",
            setting=Setting("min_rows", int(rules.min_rows)),
            rows=int(counts.sum()),
        )


def _refuse_deniability(rules: Rules, name: str, counts: Ints, is_column: bool) -> None:
    """Refuse a minimum above what the answers of all rows to one question, or combination of questions, have."""
    most = deniability(counts)
    if most >= rules.min_deniability - 1e-10:
        return
    merging = _merging(rules.min_deniability, counts) if is_column else 0
    raise ParameterError(
        "min_deniability_above",
        "{setting} is more than the answers to {name!r} allow: no group can be promised more than all rows together have. The "
        "maximum possible is {floor:.4f} (a minority of {share:.1%}). Ask for {less} or less, or "
        + ("put rare answers together ({merge}), or " if merging else "")
        + "randomise each answer by itself instead (deniable randomise).",
        setting=Setting("min_deniability", rules.min_deniability),
        name=name,
        share=1 - counts.max() / counts.sum(),
        floor=math.floor(most * 1e4) / 1e4,
        less=Setting("min_deniability", _rounded_down(most)),
        merge=Setting("merge_rare", {name: merging}),
    )


def _merging(minimum: float, counts: Ints) -> int:
    """How many rows an answer needs for the minimum to be met once rarer ones are put together; 0 where that does not help."""
    falling = np.sort(counts[counts > 0])[::-1]
    for rows in sorted({int(count) + 1 for count in falling[1:]}):
        kept = at_least(rows)(falling)
        merged = [*falling[kept], *([falling[~kept].sum()] if not kept.all() else [])]
        if len(merged) > 1 and deniability(merged) >= minimum:
            return rows
    return 0


def _rounded_down(level: float) -> float:
    """A level that people can type, and that is possible: two decimals, more where it is small.

    >>> _rounded_down(0.4567), _rounded_down(0.0012), _rounded_down(0.0)
    (0.45, 0.0012, 0.0)
    """
    written = Decimal(repr(float(level)))  # 0.0012 is 12 ten-thousandths, and not just below
    steps = (written.quantize(Decimal(1).scaleb(-digits), ROUND_FLOOR) for digits in (2, 4, 8))
    return next((float(short) for short in steps if short > 0), 0.0)
