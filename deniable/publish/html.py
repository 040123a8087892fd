"""The owner's report as a web page that stands on its own: no scripts, nothing fetched, light and dark."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from deniable.pages import drawing, render
from deniable.plurals import counted
from deniable.privacy.reporting.words import percent
from deniable.publish.checks.answers import shares_by_column
from deniable.publish.guarantees import Guarantees, verdicts_of_all
from deniable.publish.recoding import Recoding
from deniable.publish.remedies import Write, in_python
from deniable.publish.text import export_text

STATES = {"ok": "holds", "note": "counted only"}
GROUPS_SHOWN = 100
LINES_SHOWN = 5_000
HOW_TO_READ = (
    "People are divided into groups. Everyone's published answer is drawn from the answers of their group, whatever their own was: "
    "it may be false for anyone. **Deniability** is how mixed the answers of a group are, 1 at most, 0 where all gave "
    "the same. It sounds larger than it is, so the **minority** beside it says how many in the group did not give the "
    "most frequent answer (of several columns hidden together: in the one where they are fewest). "
    "Anyone who knows a person's group believes the most frequent answer of that group: this is the **worst "
    "posterior**. Deniability promises nothing about small groups, skewed groups, or what is known from elsewhere; those are "
    "checked beside it. Anyone who also knows the answers of others in a small group is surer still: of five people, four of whom are "
    "known, the published answers tell a lot about the fifth."
)
HOW_RECODED = (
    "The published file holds these coarser values, and all measures are taken on them. Recodings that "
    "the tool chose were chosen by looking at the column itself: of other columns never at the sensitive answers, of a sensitive "
    "column at the answers, which is why its edges are rounded."
)
HOW_FOUND = (
    "Other columns are published as they are (or as they were recoded). Anyone who "
    "knows some of them of a person, and finds one row only that fits, has found the person's row and reads its other cells. The "
    "sensitive answer in it may still be false. Anyone who has the published file can count this."
)


def page(
    guaranteed: Sequence[Guarantees],
    recodings: Sequence[Recoding] = (),
    comparison: Any = None,
    write: Write = in_python,
    as_they_are: str = "",
    made: Sequence[tuple[str, str]] = (),
) -> str:
    """A complete page.

    Parameters
    ----------
    guaranteed : what is promised of each sensitive column, and what is exposed.
    recodings : what became of columns whose values were made coarser.
    comparison : the tree beside plain randomised response; None: nothing was compared.
    write : how settings are written.
    as_they_are : which columns are published true, in a sentence.
    made : of what, when and how the page was made.

    Returns
    -------
    str
        HTML, for the owner only.

    Examples
    --------
    >>> import deniable as dn, pandas as pd
    >>> people = pd.DataFrame({"town": ["A"] * 50 + ["B"] * 50, "ill": ["yes", "no"] * 50})
    >>> page(dn.publish_frame(people, "ill", 0.5).guarantees).splitlines()[6]
    '<title>Publication report: ill</title>'
    """
    alone = guaranteed[0].uniqueness
    return render(
        "publication_report.html",
        spoken="en",
        names=" and ".join(each.tree.names for each in guaranteed),
        passed=all(each.passed for each in guaranteed),
        verdicts=verdicts_of_all(guaranteed, [each.verdict_in(write) for each in guaranteed]),
        as_they_are=as_they_are,
        how_to_read=HOW_TO_READ,
        how_recoded=HOW_RECODED,
        how_found=HOW_FOUND,
        recoded=[(recoding.name, recoding.owner.removeprefix(f"{recoding.name}: ")) for recoding in recodings],
        columns=[_column(each, write) for each in guaranteed],
        states=STATES,
        alone=alone,
        few="Alone with their values" if alone.shared <= 1 else f"Fewer than {alone.shared:,} rows share them",
        comparison=None if comparison is None else _compared(comparison),
        made=made,
        counted=counted,
        percent=percent,
    )


def _column(guaranteed: Guarantees, write: Write) -> dict[str, Any]:
    """One sensitive column, or several hidden together."""
    lines = export_text(guaranteed.tree).splitlines()
    more = f"\n... and {len(lines) - LINES_SHOWN:,} more lines" if len(lines) > LINES_SHOWN else ""
    groups = guaranteed.groups
    order = np.lexsort([groups["rows"], -groups["worst_posterior"]])[:GROUPS_SHOWN]
    total = len(groups["rows"])
    return {
        "names": guaranteed.tree.names,
        "figures": _figures(guaranteed, write),
        "checks": guaranteed.checks,
        "remedies": guaranteed.remedies(write),
        "scope": f"The {len(order):,} most exposed of {total:,} groups." if total > len(order) else "The most exposed first.",
        "groups": [_group(groups, g) for g in order],
        "tree": "\n".join(lines[:LINES_SHOWN]) + more,
    }


def _figures(guaranteed: Guarantees, write: Write) -> list[tuple[str, str]]:
    """What holds of all groups together."""
    o, tree = guaranteed.overall, guaranteed.tree
    changed = "" if o["published_unchanged"] is None else f"; in this copy {percent(o['published_unchanged'])}"
    posterior = percent(o["worst_posterior"], up=True)
    return [
        (
            "Rows, groups",
            f"{counted(o['rows'], 'row')} in {counted(o['groups'], 'group')}; the smallest has {o['smallest_group']:,}",
        ),
        (
            "Deniability",
            f"at least {o['deniability']:.4f} in every group; asked for {tree.rules.min_deniability:.4g}, for a minority of "
            f"at least {shares_by_column(o['minority_share_of_minimum_by_column'])}. "
            f"All rows together have {o['deniability_of_all_rows']:.4f}.",
        ),
        (
            "Worst posterior",
            f"{posterior} for anyone who knows a person's group (smallest minority {shares_by_column(o['smallest_minority_by_column'])})",
        ),
        ("Published unchanged", f"{percent(o['expected_unchanged'])} of the answers on average{changed}"),
        ("Settings", guaranteed.settings.partition(": ")[2]),
        ("Epsilon", guaranteed.epsilon_in(write)),
    ]


def _group(groups: dict[str, Any], g: int) -> dict[str, Any]:
    return {
        "name": groups["group"][g],
        "measures": [
            ("Rows", f"{groups['rows'][g]:,}"),
            ("Deniability", f"{groups['deniability'][g]:.3f}"),
            ("Minority", percent(groups["minority"][g], down=True)),
            ("Worst posterior", percent(groups["worst_posterior"][g], up=True)),
            ("Skew", percent(groups["skew"][g], up=True)),
            ("Relative skew", f"{groups['skew_ratio'][g]:.1f}×"),
            ("Unchanged", percent(groups["unchanged"][g])),
        ],
        "answers": groups["answers"][g],
    }


def _compared(comparison: Any) -> dict[str, Any]:
    """The tree beside plain randomised response, as a table and a picture."""
    learners = list(comparison.original)
    keys = ("worst_posterior", "posterior_knowing_groups", "unchanged", *learners, "mean")
    headings = ("Worst posterior", "Knowing the groups", "Unchanged", *learners, "Mean")
    truth = [*comparison.original.values(), np.mean(list(comparison.original.values()))]
    svg = io.StringIO()
    chart = comparison.plot()
    chart.background = "white"
    chart.save(svg, format="svg")
    return {
        "verdict": comparison.verdict,
        "measures": [(heading, "number") for heading in headings],
        "methods": [
            {
                "name": f"{row['min_deniability']:g}, {'tree' if row['method'] == 'tree' else 'randomised response'}",
                "cells": [(key, f"{row[key]:.1%}") for key in keys],
            }
            for row in comparison.rows
        ],
        "beside": [
            ("true answers", [f"{value:.1%}" for value in truth]),
            ("always the most frequent answer", [f"{comparison.usual:.1%}"] * len(truth)),
        ],
        "picture": drawing(svg.getvalue(), chart.description),
    }
