"""The page of results that everyone may see: made once, when it is released, without script or forms."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from deniable.charts.dots import clean
from deniable.core.estimate import Estimate
from deniable.dates import day
from deniable.pages import render
from deniable.results.answers import Answer
from deniable.results.comparing import judged
from deniable.results.draft import Draft, languages_of
from deniable.results.questions import Comparison
from deniable.results.releasing import Releasable, releasable
from deniable.results.remarks import remarks
from deniable.results.report.about import about_survey
from deniable.results.report.making import how_hidden, unmoved, who_answered
from deniable.results.report.words import words_in
from deniable.results.showing import Ready, shown
from deniable.results.verdicts import holm, p_value
from deniable.results.workbench import Workbench
from deniable.survey.store.published import FIRST, STYLE
from deniable.web.languages import NAMES
from deniable.web.pages import Speech
from deniable.web.released import STATIC
from deniable.web.results_pages import drawn

STYLES = ("organiser.css", "results.css")


@dataclass(frozen=True)
class Made:
    """Pages that are ready to be released, by their names, and what they are made of."""

    pages: Mapping[str, str]
    of: Releasable


def made_pages(bench: Workbench, slug: str, draft: Draft) -> Made:
    """All pages of a release: one in each language, the first one again under its own name, and the style that they are read with."""

    def make() -> Made:
        of = releasable(bench, slug)
        languages = languages_of(bench.languages(slug))
        pages = {one: public_page(bench, of.ready, slug, draft, one) for one in languages}
        return Made({FIRST: pages[languages[0]], **pages, STYLE: style()}, of)

    return unmoved(make)


def style(folder: Any = STATIC) -> str:
    """The style of the page, which is released with it: a later program may draw otherwise."""
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in STYLES)


def public_page(bench: Workbench, ready: Ready, slug: str, draft: Draft, language: str, preview: bool = False) -> str:
    """The page in one language.

    Parameters
    ----------
    bench
        Where the survey is.
    ready
        Its answers, as they may be released.
    slug
        Its short name.
    draft
        What the organiser chose.
    language
        "en" or "pl".
    preview
        Whether it is shown to the organiser before it is released.

    Returns
    -------
    str
    """
    speech, words = Speech(language), words_in(language)
    about = replace(about_survey(bench.store, slug, ready.whole.number, language), state="")
    own = draft.contents()
    total = ready.whole.table([next(iter(ready.whole.schema))]).total
    said = {**words, "answered": speech["public_answered"], "few": speech["public_few"], "version": speech["public_version"]}
    views, verdicts = _views(ready, draft, speech)
    title = own.title.paragraphs(language)
    languages = languages_of(bench.languages(slug))
    return render(
        "public_results.html",
        language=language,
        languages={one: NAMES[one] for one in languages} if len(languages) > 1 else {},
        speech=speech,
        words=words,
        preview=preview,
        apart=speech[f"banner_{about.kind}"] if about.kind else "",
        path=f"/organiser/surveys/{slug}/publish" if preview else f"/s/{slug}/results",
        styles=[f"/static/{name}" for name in STYLES] if preview else [f"/s/{slug}/results/{STYLE}"],
        title=title[0] if title else clean(about.title),
        organiser=clean(about.organiser),
        day=day(datetime.date.today().isoformat(), language),
        own=own.words.paragraphs(language),
        asked=who_answered(about, own, total, False, ready.material.spoken(language), said),
        views=views,
        marked=_is_marked(views),
        verdicts=verdicts,
        closing=own.closing.paragraphs(language),
        **how_hidden(about, words),
    )


def _is_marked(views: Sequence[Mapping[str, Any]]) -> bool:
    """Whether pictures mark what was reported."""
    return any(
        figure.get("reported") for view in views for block in view["blocks"] for _, row in block["groups"] for figure in row
    )


def _views(ready: Ready, draft: Draft, speech: Speech) -> tuple[list[dict[str, Any]], int]:
    """The chosen views as templates draw them, and how many verdicts they hold together."""
    answers = [shown([ready], view.question, speech.language) for view in draft.views]
    answers, verdicts = _adjusted(ready, answers, speech.language)
    spoken, views = ready.material.spoken(speech.language), []
    titles = {name: spoken.title(name) for name in ready.material.schema}
    for view, answer in zip(draft.views, answers, strict=True):
        views.append({
            "title": answer.title, "words": view.words.paragraphs(speech.language), "sentences": answer.sentences,
            "blocks": [drawn(replace(block, notes=()), speech, answer.question, titles=titles) for block in answer.blocks],
            # As the report says them: in the reader's language, with the survey's texts in place of names.
            "remarks": remarks(answer.estimates, spoken),
        })  # fmt: skip
    return views, verdicts


def _adjusted(ready: Ready, answers: Sequence[Answer], language: str) -> tuple[list[Answer], int]:
    """The same answers, the verdicts of their comparisons adjusted for the number of all of them."""
    estimates: list[list[Estimate]] = [
        [one for one in answer.estimates if one is not None] if isinstance(answer.question, Comparison) else []
        for answer in answers
    ]
    p = [p_value(one) for some in estimates for one in some]
    told = iter(holm(p))
    found = []
    for answer, some in zip(answers, estimates, strict=True):
        if not some:
            found.append(answer)
            continue
        assert isinstance(answer.question, Comparison)
        yes = [next(told) for _ in some]
        blocks = judged(ready.material, answer.question, ready.material.spoken(language), some, yes, len(p))
        found.append(replace(answer, blocks=blocks))
    return found, len(p)
