"""The privacy report as a web page that stands on its own: no scripts, nothing fetched, light and dark."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from deniable.core.channels.base import rounded_up
from deniable.privacy.polish import capital, number, sayer
from deniable.privacy.warnings import ALL_TOGETHER
from deniable.privacy.words import FOR_SCALE, ONE_LIE, ONE_REPORT, factor, odds

if TYPE_CHECKING:
    from deniable.privacy.report import PrivacyReport
    from deniable.privacy.rows import Row

_STYLE = """
.deniable-report { --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --panel: #f3f5f7; --line: #d0d7de; --mark: #0a5fb4;
  --alarm: #8a3b00; --alarm-paper: #fff4e8; color: var(--ink); background: var(--paper); color-scheme: light dark;
  font: 1rem/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
@media (prefers-color-scheme: dark) {
  .deniable-report { --ink: #e6e9ec; --soft: #a3adb8; --paper: #14171a; --panel: #1f2429; --line: #3a4149; --mark: #7cb8f5;
    --alarm: #ffb37a; --alarm-paper: #2e2118; } }
.deniable-report main { max-width: 68rem; margin: 0 auto; padding: 2rem 1.25rem 3rem; }
.deniable-report h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .75rem; }
.deniable-report h2 { font-size: 1.25rem; margin: 2.25rem 0 .5rem; }
.deniable-report p, .deniable-report li { max-width: 46rem; }
.deniable-report .lead { font-size: 1.15rem; border-left: .3rem solid var(--mark); padding-left: 1rem; }
.deniable-report .soft, .deniable-report caption, .deniable-report footer { color: var(--soft); }
.deniable-report .scroll { overflow-x: auto; }
.deniable-report table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
.deniable-report caption { text-align: left; padding-bottom: .5rem; }
.deniable-report th, .deniable-report td { text-align: left; vertical-align: top; padding: .6rem .75rem;
  border-bottom: 1px solid var(--line); }
.deniable-report thead th { background: var(--panel); font-weight: 600; white-space: nowrap; }
.deniable-report .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.deniable-report tfoot th { white-space: nowrap; }
.deniable-report tfoot th, .deniable-report tfoot td { background: var(--panel); font-weight: 600; }
.deniable-report small { display: block; color: var(--soft); font-size: .875rem; }
.deniable-report .warnings { max-width: 48rem; background: var(--alarm-paper); border-left: .3rem solid var(--alarm); padding: .75rem 1rem;
  margin: .5rem 0; list-style: none; }
.deniable-report .warnings li + li { margin-top: .6rem; }
.deniable-report .warnings strong { color: var(--alarm); }
.deniable-report code { overflow-wrap: anywhere; font-size: .875rem; }
.deniable-report footer { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: .75rem; font-size: .875rem; }
@media (max-width: 44rem) {
  .deniable-report thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .deniable-report table, .deniable-report tbody, .deniable-report tfoot, .deniable-report tr, .deniable-report th,
  .deniable-report td, .deniable-report caption { display: block; }
  .deniable-report tr { border-bottom: 1px solid var(--line); padding: .6rem 0; }
  .deniable-report th, .deniable-report td { border: 0; padding: .15rem .25rem; }
  .deniable-report tbody th { font-size: 1.1rem; }
  .deniable-report td.number { text-align: left; }
  .deniable-report td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); }
  .deniable-report td:empty { display: none; } }
@media print { .deniable-report { --paper: #fff; --ink: #000; } }
"""
_CHANGES = "A report changes<br>anyone&#x27;s odds<br>by a factor of"


def page(report: PrivacyReport) -> str:
    """A complete page."""
    say = sayer(report.language)
    return (
        f'<!doctype html>\n<html lang="{_spoken(report)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{say('Privacy report: what these questions give away')}</title>\n"
        f"<style>body {{ margin: 0; }}{_STYLE}</style>\n</head>\n"
        f'<body class="deniable-report">\n<main>\n{_content(report)}\n</main>\n</body>\n</html>\n'
    )


def fragment(report: PrivacyReport) -> str:
    """The same inside another page, such as a notebook."""
    return f'<style>{_STYLE}</style>\n<section class="deniable-report" lang="{_spoken(report)}">{_content(report)}</section>'


def _spoken(report: PrivacyReport) -> str:
    """The language of the page itself; questions may be shown in others."""
    return "pl" if report.language == "pl" else "en"


def _content(report: PrivacyReport) -> str:
    say = sayer(report.language)
    read = (
        "A hidden answer is randomised before it is sent, so nobody can take what is reported at face value. What a report can still "
        "say about the person behind it is measured by what it does to the <strong>odds</strong>: if an answer was thought 10% "
        "likely (odds of 1 to 9) and a report changes the odds by a factor of 4, the answer is then 31% likely (odds of 4 to 9). "
        "<strong>Epsilon</strong> is the logarithm of that factor: 0 means that a report says nothing, each further 0.7 doubles the "
        "factor, and the epsilons of several questions add up. All figures are those of the most revealing report; no other report "
        "says more."
    )
    code = f"<code>{escape(report.schema.fingerprint)}</code>"
    parts = [
        f"<h1>{say('What these questions give away')}</h1>",
        f'<p class="lead">{escape(say(report.summary))}</p>',
        f"<h2>{say('How to read this')}</h2>",
        f"<p>{say(read)}</p>",
        f"<p>{escape(say(ONE_REPORT))}</p>",
        f"<h2>{say('Question by question')}</h2>",
        _questions(report),
        f"<h2>{say('Warnings')}</h2>",
        _warnings(report),
        _notes(report),
        _attacks(report),
        f"<h2>{say(FOR_SCALE)}</h2>",
        _deployments(report),
        f"<footer><p>{say(f'Schema fingerprint {code}. Epsilons and odds are rounded up.')}</p></footer>",
    ]
    return "\n".join(part for part in parts if part)


def _questions(report: PrivacyReport) -> str:
    say = sayer(report.language)
    body = "\n".join(_question(row, report.language) for row in report.rows)
    together = ""
    if len(report.rows) > 1:
        what = "Private questions" if report.asked_openly else "All together"
        hidden = (
            number(rounded_up(report.epsilon), report.language),
            say(factor(odds(report.epsilon))),
            escape(say(report.at_worst)),
        )
        whole = _row(say, say(what), "", *(hidden if report.private else ("", "", escape(say(report.together)))))
        together = f'<tfoot role="rowgroup">\n{whole}\n</tfoot>\n'
    return (
        f"{_open(say('Question by question'))}"
        f"<caption>{say('What one report to each question can say about the person who sent it')}</caption>\n"
        f"{_head('Question', 'Hidden by', '#Epsilon', _CHANGES, 'In the worst case', say=say)}"
        f'<tbody role="rowgroup">\n{body}\n</tbody>\n{together}</table>\n</div>'
    )


def _question(row: Row, language: str) -> str:
    say = sayer(language)
    lang = "" if language == "en" else f' lang="{escape(language)}"'
    asked = f"<span{lang}>{escape(row.text)}</span><small>{escape(row.name)}</small>" if row.text else escape(row.name)
    members = f"<small>{escape(', '.join(row.questions))}</small>" if row.questions != (row.name,) else ""
    supposing = f"<small>{escape(capital(say(row.supposing)))}.</small>" if row.supposing else ""
    said = capital(say(row.says)) + "."
    hidden = f"{escape(capital(say(row.hidden_by)))}<small>{say('Answers')}: {escape(say(row.answers))}</small>"
    lie = f"<small>{escape(say(f'{ONE_LIE} {row.counts_as}.'))}</small>" if row.counts_as else ""
    epsilon, change = number(row.shown_epsilon, language), say(factor(row.odds))
    return _row(say, asked + members, hidden, epsilon, change, escape(said) + supposing + lie)


def _row(say: Callable[[str], str], name: str, hidden: str, epsilon: str, change: str, worst: str) -> str:
    return (
        f'<tr role="row"><th scope="row" role="rowheader">{name}</th><td role="cell">{hidden}</td>'
        f'<td role="cell" class="number" data-label="{say("Epsilon")}">{epsilon}</td>'
        f'<td role="cell" data-label="{say("Odds change by a factor of")}">{escape(change)}</td><td role="cell">{worst}</td></tr>'
    )


def _open(label: str) -> str:
    # On a narrow screen rows are shown as blocks; the roles keep the table a table for a screen reader.
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">\n<table role="table">\n'


def _head(*headings: str, say: Callable[[str], str] = str) -> str:
    """Column headings; a leading # marks a column of numbers."""
    cells = "".join(
        f'<th scope="col" role="columnheader" class="{"number" if heading.startswith("#") else "words"}">{say(heading.lstrip("#"))}</th>'
        for heading in headings
    )
    return f'<thead role="rowgroup"><tr role="row">{cells}</tr></thead>\n'


def _warnings(report: PrivacyReport) -> str:
    say = sayer(report.language)
    if not report.warnings:
        return f"<p>{say('None.')}</p>"
    items = "\n".join(
        f"<li><strong>{say('Warning')}, {escape(say(name) if name == ALL_TOGETHER else name)}:</strong> {escape(say(warning))}</li>"
        for name, warning in report.warnings
    )
    return f'<ul class="warnings">\n{items}\n</ul>'


def _notes(report: PrivacyReport) -> str:
    if not report.notes:
        return ""
    say = sayer(report.language)
    items = "\n".join(f"<li><strong>{escape(name)}:</strong> {escape(say(note))}</li>" for name, note in report.notes)
    return f"<h2>{say('Notes')}</h2>\n<ul>\n{items}\n</ul>"


def _attacks(report: PrivacyReport) -> str:
    if not report.attacks:
        return ""
    items = "\n".join(f"<li>{escape(text)}</li>" for text in report.attacks)
    return f"<h2>If an attacker knows the population</h2>\n<ul>\n{items}\n</ul>"


def _deployments(report: PrivacyReport) -> str:
    say = sayer(report.language)
    differs = (
        "Figures published by the organisations themselves. What they count differs (one report, a day, a whole census), so they are a "
        "scale, not a ranking."
    )
    rows = "\n".join(
        f'<tr role="row"><th scope="row" role="rowheader">{escape(d.who)}</th>'
        f'<td role="cell" class="number" data-label="{say("Year")}">{d.year}</td>'
        f'<td role="cell" class="number" data-label="{say("Epsilon")}">{escape(number(d.epsilon, report.language))}</td>'
        f'<td role="cell">{escape(say(d.of_what))}</td></tr>'
        for d in report.deployments
    )
    return (
        f"{_open(say('Published deployments'))}<caption>{say(differs)}</caption>\n"
        f"{_head('Who', '#Year', '#Epsilon', 'Of what', say=say)}"
        f'<tbody role="rowgroup">\n{rows}\n</tbody>\n</table>\n</div>'
    )
