"""`report_of_survey` and `report_of_export`: the report as one HTML file that runs nothing, loads nothing and can be printed."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from deniable.charts.dots import clean
from deniable.core.channels.designs import KRR
from deniable.core.schema import Schema
from deniable.dates import day
from deniable.engines.count import as_countable
from deniable.errors import ParameterError
from deniable.pages import render
from deniable.privacy.reporting.polish import NAMED_DESIGN, sayer
from deniable.privacy.reporting.rows import Row
from deniable.results.cells import FEWEST
from deniable.results.material import Spoken
from deniable.results.questions import OneQuestion
from deniable.results.report.about import About, about_export, about_survey
from deniable.results.report.contents import Chosen, Contents
from deniable.results.report.joint import cross_section, together_section
from deniable.results.report.sections import Section, comparison_sections, question_section, quoted
from deniable.results.report.words import words_in
from deniable.results.showing import Ready, ready
from deniable.results.tallies import MovedError
from deniable.results.workbench import ATTEMPTS, Workbench
from deniable.statistics.reading import read
from deniable.survey.store import Store

LANGUAGES = ("en", "pl")
STYLESHEET = "/organiser/report.css"
"""Where the server has the style: its pages have none inside."""
T = TypeVar("T")


def report_of_survey(
    store: Store, slug: str, contents: Contents | None = None, language: str | None = None, version: int | None = None,
    everything: bool = False,
) -> str:  # fmt: skip
    """The report of a survey in a store, as HTML.

    Parameters
    ----------
    store, slug
        Where the survey is, and its short name.
    contents
        What the organiser chose; all questions unless given.
    language
        "en" or "pl"; the first of the survey's that is one of these unless given.
    version
        The number of an earlier version; the newest with answers unless given.
    everything
        Whether groups of fewer than 50 are shown, and answers of a survey that was never closed: for those who may export.

    Returns
    -------
    str
    """
    bench = Workbench(store)
    spoken = _language(language, bench.languages(slug))

    def made() -> str:
        asked = bench.ready(slug, everything, version)
        about = about_survey(store, slug, asked.whole.number, spoken)
        return council_report(asked, about, contents or Contents(), spoken, everything)

    return unmoved(made)


def report_on_page(bench: Workbench, slug: str, contents: Contents, language: str, stylesheet: str = STYLESHEET) -> str:
    """The same report for the server, by the rule for those who may not export.

    Parameters
    ----------
    bench, slug
        Who answers, and the short name of the survey.
    contents
        What the organiser chose.
    language
        "en" or "pl".
    stylesheet
        The address of the report's style; empty for a file that has it inside.

    Returns
    -------
    str
    """

    def made() -> str:
        asked = bench.ready(slug)
        about = about_survey(bench.store, slug, asked.whole.number, language)
        back = f"/organiser/surveys/{slug}/report" if stylesheet else ""
        return council_report(asked, about, contents, language, stylesheet=stylesheet, back=back)

    return unmoved(made)


def unmoved(work: Callable[[], T]) -> T:
    """What is made of answers, anew if others came out meanwhile."""
    for _ in range(ATTEMPTS - 1):
        try:
            return work()
        except MovedError:
            continue
    return work()


def style() -> str:
    """The style of a report, as a page of the server loads it."""
    return render("council_report_style.css")


def report_of_export(
    path: str | Path, contents: Contents | None = None, language: str | None = None, everything: bool = False
) -> str:
    """The report of exported answers, as HTML; the schema lies beside them, or in them."""
    sample = read(path)
    data, schema = sample.parts[0]
    spoken = _language(language, ["en"] if schema.texts is None else schema.texts.languages)
    asked = ready(1, as_countable(data), schema, everything)
    return council_report(asked, about_export(Path(path).name, schema, spoken), contents or Contents(), spoken, everything)


def _language(given: str | None, languages: Sequence[str]) -> str:
    if given is not None and given not in LANGUAGES:
        raise ParameterError("language", "This is said in en (English) or pl (Polish), got {got!r}.", got=given)
    return given or next((one for one in languages if one in LANGUAGES), "en")


def council_report(
    asked: Ready,
    about: About,
    contents: Contents,
    language: str,
    everything: bool = False,
    stylesheet: str = "",
    back: str = "",
) -> str:
    """The report of answers that are ready to be shown.

    Parameters
    ----------
    asked
        The answers, for those who may export or for everyone else.
    about
        What is known of the survey.
    contents
        What the organiser chose.
    language
        "en" or "pl".
    everything
        Whether the page says that it is for those who may export.
    stylesheet
        The address of the report's style; in the page itself unless given.
    back
        The address of the page that leads to it, if one does.

    Returns
    -------
    str
    """
    words = words_in(language)
    everyone = tuple(Chosen(OneQuestion(name)) for name in asked.whole.schema) if contents.complete else ()
    chosen = contents.questions or everyone
    questions = [question_section(asked, one, language) for one in chosen]
    comparisons = comparison_sections(asked, contents.compare, language)
    crossed = [cross_section(asked, one, language) for one in contents.cross]
    together = [together_section(asked, one, language) for one in contents.together]
    sections = [*questions, *comparisons, *crossed, *together]
    total = asked.whole.table([next(iter(asked.whole.schema))]).total
    spoken = asked.material.spoken(language)
    title = contents.title.paragraphs(language)
    return render(
        "council_report.html",
        spoken=language,
        words=words,
        day=day(datetime.date.today().isoformat(), language),
        title=title[0] if title else clean(about.title),
        organiser=clean(about.organiser),
        own=contents.words.paragraphs(language),
        asked=who_answered(about, contents, total, everything, spoken, words),
        questions=questions,
        comparisons=comparisons,
        adjusted=_adjusted(sum(one.verdicts for one in comparisons), words),
        needed=any(one.needs_more for one in comparisons),
        crossed=crossed,
        together=together,
        cannot=[one for section in sections for one in section.cannot],
        marked=any(section.marked for section in sections),
        forged=_forged(sections, about, total, spoken, words),
        closing=contents.closing.paragraphs(language),
        everything=everything,
        merged=asked.viewable is not None and asked.viewable.is_marked,
        apart=words[about.kind] if about.kind else "",
        stylesheet=stylesheet,
        back=back,
        # Where columns are seen first is where they are explained.
        explained=next((place for place, section in enumerate(sections, start=1) if section.lines), 0),
        fingerprint=words["footer"].format(fingerprint=asked.whole.schema.fingerprint),
        **how_hidden(about, words),
    )


def who_answered(
    about: About, contents: Contents, total: int, everything: bool, spoken: Spoken, words: Mapping[str, str]
) -> list[str]:
    """Who was asked and how many answered; fewer than 50 are not counted before those who may not export.

    Parameters
    ----------
    about, contents
        What is known of the survey, and what the organiser says of it.
    total
        How many answered.
    everything
        Whether those who read it may export.
    spoken, words
        The language, and the sentences that are said in it.

    Returns
    -------
    list of str
    """

    def counted(number: int) -> str:
        return spoken.said.words.number(number, ",")

    said = contents.asked.paragraphs(spoken.said.words.language)
    if about.invited is None:
        said += [] if said else [words["asked_unknown"]]
    elif about.invited:
        said.append(words["invited"].format(invitations=counted(about.invitations)))
    else:
        said.append(words["anyone"])
    if about.description:
        said.append(words["introduced"].format(text=clean(about.description)))
    enough = everything or total >= FEWEST
    count = words["answered"].format(n=counted(total)) if enough else words["few"]
    if about.invited and about.versions == 1 and (everything or about.used >= FEWEST):
        count += " " + words["used"].format(used=counted(about.used))
    said.append(count + (f" {words[about.state]}" if about.state in ("open", "closed") else ""))
    if about.versions > 1:
        said.append(words["version"].format(number=about.number))
    return said


def _adjusted(verdicts: int, words: dict[str, str]) -> str:
    if verdicts < 2:
        return words["one_verdict"] if verdicts else ""
    return words["adjusted"].format(count=verdicts)


def how_hidden(about: About, words: Mapping[str, str]) -> dict[str, Any]:
    """How every question was hidden, in the words of the privacy report."""
    privacy = about.privacy
    say = sayer(privacy.language, privacy.titles)

    def capital(text: str) -> str:
        return text[:1].upper() + text[1:]

    rows = [
        (
            row.text or row.name,
            capital(_how(row, privacy.schema, say, words)),
            words["asked_openly"] if row.open else say(row.odds),
        )
        for row in privacy.rows
    ]
    how = words["hidden_what"] if privacy.private else words["all_open"]
    return {"summary": say(privacy.summary), "hidden_how": how, "hidden": rows}


def _how(row: Row, schema: Schema, say: Callable[[str], str], words: Mapping[str, str]) -> str:
    """How a question was hidden, in words alone: readers of a report do not know designs by their names."""
    if row.open:
        return words["not_hidden"]
    named = NAMED_DESIGN.fullmatch(row.hidden_by)
    if named is None:
        return say(row.hidden_by)
    how, channel = say(named["how"]), schema.get(row.name)
    if not named["how"].startswith("the true answer is reported"):
        return how
    if not isinstance(channel, KRR):
        return words["else_another"].format(how=how)
    return words["else_other" if channel.domain.size == 2 else "else_others"].format(how=how)


def _forged(sections: list[Section], about: About, total: int, spoken: Spoken, words: dict[str, str]) -> list[str]:
    """What forged answers could do, and the share that they could move most."""
    if not any(line.largest for section in sections for line in section.lines):
        return []
    said = [words["forged_what"].format(n=spoken.said.words.number(total, ","))]
    everyone = [section for section in sections if section.of_everyone]
    shares = [(section, line) for section in everyone for line in section.lines if line.kind == "share" and not line.group]
    if shares:
        section, line = max(shares, key=lambda pair: pair[1].largest)
        one, five = (shift.removeprefix("± ") for shift in line.shifts)
        said.append(words["forged_worst"].format(title=quoted(section.title, words), what=line.label, one=one, five=five))
    said.append(words["forged_lies"])
    if about.invited is not None:
        said.append(words["forged_invited" if about.invited else "forged_anyone"])
    return said
