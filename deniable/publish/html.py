"""The owner's report as a web page that stands on its own: no scripts, nothing fetched, light and dark."""

from __future__ import annotations

import io
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from deniable.plurals import counted
from deniable.privacy.reporting import html as parts
from deniable.privacy.reporting.words import percent
from deniable.publish.checks.answers import shares_by_column
from deniable.publish.guarantees import Guarantees, verdicts_of_all
from deniable.publish.recoding import Recoding
from deniable.publish.remedies import Write, in_python
from deniable.publish.text import export_text

STATES = {"ok": "holds", "note": "counted only"}
GROUPS_SHOWN = 100
LINES_SHOWN = 5_000
_STYLE = """
.deniable-report .bad { color: var(--alarm); font-weight: 600; white-space: nowrap; }
.deniable-report .good { white-space: nowrap; }
.deniable-report .unsafe { border-left-color: var(--alarm); background: var(--alarm-paper); padding: .75rem 1rem; }
.deniable-report pre { overflow: auto; max-height: 48rem; background: var(--panel); padding: 1rem; font-size: .8125rem; line-height: 1.45; }
@media (min-width: 44.01rem) {
  .deniable-report .groups table { font-size: .875rem; }
  .deniable-report .groups th, .deniable-report .groups td { padding: .45rem .4rem; }
  .deniable-report .groups tbody th { min-width: 12rem; }
  .deniable-report .groups td:last-child:not(.number) { min-width: 9rem; }
  .deniable-report .groups thead th { white-space: normal; vertical-align: bottom; } }
.deniable-report figure { margin: 1rem 0; max-width: 44rem; background: #ffffff; padding: .5rem; }
.deniable-report figure svg { width: 100%; height: auto; overflow: visible; }
"""


def page(
    guaranteed: Sequence[Guarantees],
    recodings: Sequence[Recoding] = (),
    comparison: Any = None,
    write: Write = in_python,
    as_they_are: str = "",
    made: Sequence[tuple[str, str]] = (),
) -> str:
    """A complete page: what is promised of each sensitive column and what was recoded; `write` says how settings are written, and
    `as_they_are` which columns are published true, `made` of what, when and how the page was made."""
    names = " and ".join(each.tree.names for each in guaranteed)
    body = "\n".join([_recoded(recodings), *(_column(each, write) for each in guaranteed), _alone(guaranteed[0])])
    safe = "" if all(each.passed for each in guaranteed) else " unsafe"
    verdicts = verdicts_of_all(guaranteed, [each.verdict_in(write) for each in guaranteed])
    lead = "".join(f'<p class="lead{safe}">{escape(verdict)}</p>\n' for verdict in verdicts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>Publication report: {escape(names)}</title>\n"
        f"<style>body {{ margin: 0; }}{parts._STYLE}{_STYLE}</style>\n</head>\n"
        '<body class="deniable-report">\n<main>\n'
        f"<h1>What publishing {escape(names)} promises, and what it exposes</h1>\n"
        f"{lead}"
        f"{f'<p>{escape(as_they_are)}</p>' if as_they_are else ''}\n"
        '<p class="soft">For the owner only: this page names rows and shows true counts. Do not publish it.</p>\n'
        "<h2>How to read this</h2>\n"
        "<p>People are divided into groups. Everyone's published answer is drawn from the answers of their group, whatever their own was: "
        "it may be false for anyone. <strong>Deniability</strong> is how mixed the answers of a group are, 1 at most, 0 where all gave "
        "the same. It sounds larger than it is, so the <strong>minority</strong> beside it says how many in the group did not give the "
        "most frequent answer (of several columns hidden together: in the one where they are fewest). "
        "Anyone who knows a person's group believes the most frequent answer of that group: this is the <strong>worst "
        "posterior</strong>. Deniability promises nothing about small groups, skewed groups, or what is known from elsewhere; those are "
        "checked beside it. Anyone who also knows the answers of others in a small group is surer still: of five people, four of whom are "
        f"known, the published answers tell a lot about the fifth.</p>\n{body}\n{_comparison(comparison)}\n{_footer(made)}"
        "</main>\n</body>\n</html>\n"
    )


def _footer(made: Sequence[tuple[str, str]]) -> str:
    lines = "<br>\n".join(f"{escape(name)}: <code>{escape(text)}</code>" for name, text in made)
    return f"<footer>{lines}</footer>\n" if lines else ""


def _column(guaranteed: Guarantees, write: Write) -> str:
    o, tree = guaranteed.overall, guaranteed.tree
    changed = "" if o["published_unchanged"] is None else f"; in this copy {percent(o['published_unchanged'])}"
    posterior = percent(o["worst_posterior"], up=True)
    figures = [
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
    rows = "\n".join(
        f'<tr role="row"><th scope="row" role="rowheader">{escape(name)}</th><td role="cell">{escape(text)}</td></tr>'
        for name, text in figures
    )
    lines = export_text(tree).splitlines()
    more = f"\n... and {len(lines) - LINES_SHOWN:,} more lines" if len(lines) > LINES_SHOWN else ""
    return (
        f"<h2>{escape(tree.names)}</h2>\n"
        f'{parts._open("Figures")}<tbody role="rowgroup">\n{rows}\n</tbody>\n</table>\n</div>\n'
        f'<h2>Checks</h2>\n{_checks(guaranteed, write)}\n<h2>Groups</h2>\n<div class="groups">{_groups(guaranteed.groups)}</div>\n'
        f"<h2>The tree</h2>\n<pre>{escape(chr(10).join(lines[:LINES_SHOWN]) + more)}</pre>"
    )


def _checks(guaranteed: Guarantees, write: Write) -> str:
    remedies = guaranteed.remedies(write)
    rows = "\n".join(
        f'<tr role="row"><th scope="row" role="rowheader">{escape(check.name)}</th>'
        f'<td role="cell" class="{"good" if check.passed else "bad"}">{STATES.get(check.state, check.state)}</td>'
        f'<td role="cell">{escape(check.found[0].upper() + check.found[1:])}.'
        f"{f'<small>Exposed: {escape(check.named)}</small>' if check.named else ''}"
        f"{f'<small>To fix it, {escape(remedies[check.name])}</small>' if check.name in remedies else ''}</td></tr>"
        for check in guaranteed.checks
    )
    return (
        f"{parts._open('Checks')}<caption>A set that fails a check is not called safe. Rows are counted from 1, as they were "
        "read.</caption>\n"
        f"{parts._head('Check', 'Result', 'What was found')}"
        f'<tbody role="rowgroup">\n{rows}\n</tbody>\n</table>\n</div>'
    )


def _groups(groups: dict[str, Any]) -> str:
    order = np.lexsort([groups["rows"], -groups["worst_posterior"]])[:GROUPS_SHOWN]
    cells = "\n".join(
        f'<tr role="row"><th scope="row" role="rowheader">{escape(groups["group"][g])}</th>'
        + "".join(
            f'<td role="cell" class="number" data-label="{label}">{text}</td>'
            for label, text in (
                ("Rows", f"{groups['rows'][g]:,}"),
                ("Deniability", f"{groups['deniability'][g]:.3f}"),
                ("Minority", percent(groups["minority"][g], down=True)),
                ("Worst posterior", percent(groups["worst_posterior"][g], up=True)),
                ("Skew", percent(groups["skew"][g], up=True)),
                ("Relative skew", f"{groups['skew_ratio'][g]:.1f}×"),
                ("Unchanged", percent(groups["unchanged"][g])),
            )
        )
        + f'<td role="cell">{escape(groups["answers"][g])}</td></tr>'
        for g in order
    )
    total = len(groups["rows"])
    scope = f"The {len(order):,} most exposed of {total:,} groups." if total > len(order) else "The most exposed first."
    measures = ("#Rows", "#Deniability", "#Minority", "#Worst posterior", "#Skew", "#Relative skew", "#Unchanged")
    return (
        f"{parts._open('Groups')}<caption>{scope}</caption>\n"
        f"{parts._head('Group', *measures, 'True answers')}"
        f'<tbody role="rowgroup">\n{cells}\n</tbody>\n</table>\n</div>'
    )


def _recoded(recodings: Sequence[Recoding]) -> str:
    """What became of columns whose values were made coarser."""
    rows = "\n".join(
        f'<tr role="row"><th scope="row" role="rowheader">{escape(recoding.name)}</th>'
        f'<td role="cell">{escape(recoding.owner.removeprefix(f"{recoding.name}: "))}</td></tr>'
        for recoding in recodings
    )
    if not rows:
        return ""
    return (
        "<h2>Recoded columns</h2>\n<p>The published file holds these coarser values, and all measures are taken on them. Recodings that "
        "the tool chose were chosen by looking at the column itself: of other columns never at the sensitive answers, of a sensitive "
        "column at the answers, which is why its edges are rounded.</p>\n"
        f"{parts._open('Recoded columns')}{parts._head('Column', 'What is published')}"
        f'<tbody role="rowgroup">\n{rows}\n</tbody>\n</table>\n</div>'
    )


def _alone(guaranteed: Guarantees) -> str:
    """How many rows other columns single out."""
    alone = guaranteed.uniqueness
    left = f"<p>{escape(alone.not_counted)}.</p>\n" if alone.identifying else ""
    if not alone.each:
        return f"<h2>Who can be found by other columns</h2>\n{left}" if left else ""
    few = "Alone with their values" if alone.shared <= 1 else f"Fewer than {alone.shared:,} rows share them"
    cells = "\n".join(
        f'<tr role="row"><th scope="row" role="rowheader">{singled.columns}</th>'
        f'<td role="cell" class="number" data-label="Smallest group">{singled.smallest:,}</td>'
        f'<td role="cell" class="number" data-label="{few}">{len(singled.rows):,} ({percent(len(singled.rows) / alone.rows)})</td>'
        f'<td role="cell">{escape(", ".join(singled.worst)) or "none"}{_in_brackets(singled.worst_rows) if singled.worst else ""}</td></tr>'
        for singled in alone.each
    )
    return (
        "<h2>Who can be found by other columns</h2>\n<p>Other columns are published as they are (or as they were recoded). Anyone who "
        "knows some of them of a person, and finds one row only that fits, has found the person's row and reads its other cells. The "
        "sensitive answer in it may still be false. Anyone who has the published file can count this.</p>\n"
        f"{left}"
        f"{parts._open('Who can be found by other columns')}<caption>All combinations of one, two and three columns.</caption>\n"
        f"{parts._head('Columns together', '#Smallest group', f'#{few}', 'Most by')}"
        f'<tbody role="rowgroup">\n{cells}\n</tbody>\n</table>\n</div>'
    )


def _in_brackets(rows: int) -> str:
    return f" ({counted(rows, 'row')})"


def _comparison(comparison: Any) -> str:
    if comparison is None:
        return ""
    frame = comparison.to_frame()
    learners = list(comparison.original)
    body = "\n".join(
        f'<tr role="row"><th scope="row" role="rowheader">{row["min_deniability"]:g}, '
        f"{'tree' if row['method'] == 'tree' else 'randomised response'}</th>"
        + "".join(
            f'<td role="cell" class="number" data-label="{escape(name)}">{row[name]:.1%}</td>'
            for name in ("worst_posterior", "posterior_knowing_groups", "unchanged", *learners, "mean")
        )
        + "</tr>"
        for row in frame.to_dict("records")
    )
    body += "".join(
        f'\n<tr role="row"><th scope="row" role="rowheader">{name}</th><td role="cell"></td><td role="cell"></td><td role="cell"></td>'
        + "".join(f'<td role="cell" class="number">{value:.1%}</td>' for value in values)
        + "</tr>"
        for name, values in (
            ("true answers", [*comparison.original.values(), np.mean(list(comparison.original.values()))]),
            ("always the most frequent answer", [comparison.usual] * (len(learners) + 1)),
        )
    )
    picture = io.StringIO()
    chart = comparison.plot()
    chart.background = "white"
    chart.save(picture, format="svg")
    svg = picture.getvalue()
    svg = svg[svg.index("<svg") :].replace("<svg ", f'<svg role="img" aria-label="{escape(chart.description, quote=True)}" ', 1)
    heads = [f"#{escape(name)}" for name in learners]
    return (
        f"<h2>Beside plain randomised response</h2>\n<p>{escape(comparison.verdict)}</p>\n"
        f'<div class="groups">{parts._open("Comparison")}<caption>Accuracy of classifiers on the true answers of people who were left '
        "out.</caption>\n"
        f"{parts._head('Minimum, method', '#Worst posterior', '#Knowing the groups', '#Unchanged', *heads, '#Mean')}"
        f'<tbody role="rowgroup">\n{body}\n</tbody>\n</table>\n</div></div>\n<figure>{svg}</figure>'
    )
