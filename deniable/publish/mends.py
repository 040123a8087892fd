"""What an owner can change when a check fails, in the words of the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from deniable.plurals import counted
from deniable.privacy.reporting.words import percent

if TYPE_CHECKING:
    from deniable.publish.guarantees import Check, Guarantees
    from deniable.publish.publication import Publication

MIXED = "make larger, more mixed groups (a higher --min-deniability or --min-rows, a smaller --max-depth)"


def mends(found: Guarantees) -> dict[str, str]:
    """By the name of each failed check: which options would mend it, or that none can.

    Every option is an argument of the same name in Python: `--min-rows 5` is `min_rows=5`.

    >>> import deniable as dn, pandas as pd
    >>> from deniable.publish.guarantees import Limits
    >>> people = pd.DataFrame({"town": ["A"] * 50 + ["B"] * 50})
    >>> ill = pd.Series(["yes", "no", "no", "no", "no"] * 10 + ["no", "yes", "yes", "yes", "yes"] * 10, name="ill")
    >>> mends(dn.DeniabilityTree(0.5).fit(people, ill).guarantees(people, ill, Limits(rows=60)))
    {'small groups': 'let no group be smaller: --min-rows 60'}
    """
    return {check.name: _mend(check, found) for check in found.failed}


def mending(found: Publication) -> list[str]:
    """The same of a whole publication, a line each."""
    several = len(found.guarantees) > 1
    return [
        (f"{' and '.join(own.tree.sensitive_.names)}, " if several else "") + f"{name}: {text}"
        for own in found.guarantees
        for name, text in mends(own).items()
    ]


def _mend(check: Check, found: Guarantees) -> str:
    overall, limits = found.overall, found.overall["limits"]
    if check.columns:
        # Coarser names are no remedy.
        names = {own.name for own in found.tree.tree_.attributes if own.identifier and not own.measured}
        naming = [name for name in check.columns if name in names]
        telling = [name for name in check.columns if name not in names]
        parts = [_left_out(naming)] if naming else []
        if telling:
            wider = "wider --bands or a larger --merge-rare" if found.uniqueness.recoded else "--recode"
            parts.append(f"put rare or telling values together (numbers into bands): {wider}, or {_left_out(telling)}")
        return "; ".join(parts)
    if check.name == "order of rows":
        return "publish the rows in random order: --shuffle"
    if check.name == "small groups":
        if overall["rows"] < limits["rows"]:
            return f"there {'is' if overall['rows'] == 1 else 'are'} only {counted(overall['rows'], 'row')}; nothing but more people helps"
        return f"let no group be smaller: --min-rows {limits['rows']}"
    if check.name == "skew":
        return f"let no group differ more: --max-skew {limits['skew']:g}"
    if check.name == "relative skew":
        return f"let no answer be more frequent: --max-skew-ratio {limits['skew_ratio']:g}"
    if check.name == "singled out":
        return (
            "columns whose values you chose yourself are left as they are; give them wider bands, a larger --merge-rare, or leave them "
            f"out (--drop), with --min-shared {limits['shared']}"
        )
    if check.name == "worst posterior":
        if overall["largest_answer"] > limits["posterior"]:
            return (
                f"no grouping can: {percent(overall['largest_answer'])} of all rows have the same answer. Put rare answers "
                "together, leave the column out, or randomise each answer by itself instead (deniable randomise)"
            )
        return f"let no group be surer: --max-posterior {limits['posterior']:g}"
    if check.name == "background knowledge":
        if overall["ruled_out_of_all_rows"] > limits["ruled_out"]:
            return (
                f"no grouping can: of all rows that did not give the second answer {percent(overall['ruled_out_of_all_rows'])} gave the "
                "first. Put rare answers together, leave the column out, or randomise each answer by itself instead (deniable randomise)"
            )
        if found.tree.max_ruled_out > limits["ruled_out"]:
            return f"let no group be surer: --max-ruled-out {limits['ruled_out']:g}"
        return f"{MIXED}, or put rare answers together before publishing"
    return MIXED


def _left_out(columns: Sequence[str]) -> str:
    which = "column" if len(columns) == 1 else "columns"
    return f"leave the {which} out: " + " ".join(f"--drop {_quoted(name)}" for name in columns)


def _quoted(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() else f"'{name}'"
