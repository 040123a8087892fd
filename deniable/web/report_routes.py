"""The pages of a report: what is in it, in which order, with which words; and the report itself. permissions.py says who may use which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from deniable.errors import DeniableError, ParameterError, RefusedError
from deniable.survey.store.accounts import Account
from deniable.web.forms import form
from deniable.web.login import NO_STORE, PATH, speech_of
from deniable.web.pages import Speech
from deniable.web.permissions import account_of
from deniable.web.results import Results, page_or_problem
from deniable.web.results_words import said_of

if TYPE_CHECKING:
    from deniable.results.draft import Draft
    from deniable.results.questions import Question
    from deniable.web.report_pages import Desk

MOST_FIELDS = 400
ATTEMPTS = 3
Fields = Mapping[str, Sequence[str]]


def router(results: Results) -> APIRouter:
    """The routes under /organiser/surveys/{slug}/report."""
    routes = APIRouter(prefix=PATH, include_in_schema=False)

    @routes.get("/report.css")
    async def style() -> Response:
        from deniable.results.report.making import style

        return Response(await results.run(style), headers=NO_STORE, media_type="text/css")

    @routes.get("/surveys/{slug}/report")
    async def draft(slug: str, request: Request) -> Response:
        me, speech = account_of(request), speech_of(request)
        return await page_or_problem(results, results.run(lambda: _draft(results, slug, me, speech)), slug, me, speech, "")

    @routes.post("/surveys/{slug}/report")
    async def keep(slug: str, request: Request) -> Response:
        me, speech, fields = account_of(request), speech_of(request), await form(request, MOST_FIELDS)
        return await page_or_problem(
            results, results.run(lambda: _kept(results, slug, fields, me, speech)), slug, me, speech, ""
        )

    @routes.get("/surveys/{slug}/report/add")
    async def choose(slug: str, request: Request) -> Response:
        me, speech, view = account_of(request), speech_of(request), request.query_params.get("view", "question")
        return await page_or_problem(
            results, results.run(lambda: _adding(results, slug, view, me, speech)), slug, me, speech, ""
        )

    @routes.post("/surveys/{slug}/report/add")
    async def add(slug: str, request: Request) -> Response:
        me, speech, fields = account_of(request), speech_of(request), await form(request, MOST_FIELDS)
        added = results.run(lambda: _added(results, slug, fields, me, speech), await run_in_threadpool(_takes_long, fields))
        return await page_or_problem(results, added, slug, me, speech, "")

    @routes.get("/surveys/{slug}/report/words/{place}")
    async def words(slug: str, place: str, request: Request) -> Response:
        me, speech = account_of(request), speech_of(request)
        return await page_or_problem(
            results, results.run(lambda: _words(results, slug, place, None, me, speech)), slug, me, speech, ""
        )

    @routes.post("/surveys/{slug}/report/words/{place}")
    async def keep_words(slug: str, place: str, request: Request) -> Response:
        me, speech, fields = account_of(request), speech_of(request), await form(request)
        return await page_or_problem(
            results, results.run(lambda: _words(results, slug, place, fields, me, speech)), slug, me, speech, ""
        )

    @routes.get("/surveys/{slug}/report/{language}")
    async def printed(slug: str, language: str, request: Request) -> Response:
        me, speech = account_of(request), speech_of(request)
        made = results.run(lambda: _printed(results, slug, language, me, speech), long=True)
        return await page_or_problem(results, made, slug, me, speech, "")

    @routes.get("/surveys/{slug}/report/{language}/file")
    async def file(slug: str, language: str, request: Request) -> Response:
        me, speech = account_of(request), speech_of(request)
        work = lambda: _printed(results, slug, language, me, speech, file=True)  # noqa: E731
        return await page_or_problem(results, results.run(work, long=True), slug, me, speech, "")

    return routes


def _takes_long(fields: Fields) -> bool:
    """Whether a form adds what takes long, for example what goes together: where a machine looks for it for the first time, a minute."""
    try:
        return _question(_filled(fields)).takes_long
    except DeniableError:
        return False  # what is wrong is said when its turn has come


def _filled(fields: Fields) -> dict[str, list[str]]:
    return {name: [one for one in values if one] for name, values in fields.items() if any(values)}


def _question(filled: Fields) -> Question:
    """What is asked for by a form, or by an address in it."""
    from deniable.results.address import from_address
    from deniable.web.results_forms import question_of

    return from_address(filled["address"][0]) if "address" in filled else question_of(filled)


def desk_of(results: Results, slug: str, me: Account, speech: Speech) -> Desk:
    """The draft of a survey that was closed; every question unless something was chosen."""
    from deniable.results.draft import Draft, languages_of
    from deniable.results.report.making import unmoved
    from deniable.web.report_pages import Desk

    def made() -> Desk:
        menu = results.bench.menu(slug, speech.language, exporting=False)
        kept, ready = results.store.report_draft(slug), results.bench.ready(slug)
        draft = Draft.of_all([choice.name for choice in menu]) if kept is None else Draft.from_json(kept)
        reader, languages = results.reading(slug, me, speech, menu), languages_of(results.bench.languages(slug))
        why_not = [ready.why_not(view.question) for view in draft.views]
        return Desk(reader, draft, languages, kept, ready.spoken(speech.language), why_not)

    return unmoved(made)


def _draft(results: Results, slug: str, me: Account, speech: Speech) -> Response:
    from deniable.web.report_pages import report_page

    return HTMLResponse(report_page(desk_of(results, slug, me, speech)), headers=NO_STORE)


def _kept(results: Results, slug: str, fields: Fields, me: Account, speech: Speech) -> Response:
    """Keep what was typed, do what the button says, and lead on; where something is wrong, show all of it again."""
    from deniable.web.report_pages import read_draft, report_page

    desk = desk_of(results, slug, me, speech)
    draft, typed = read_draft(desk, fields)
    if fields.get("mark", [""])[0] != desk.mark:
        return _changed(desk, typed)
    if typed.wrong:
        return HTMLResponse(report_page(desk, speech["something_wrong"], typed), 422, NO_STORE)
    do, _, of = fields.get("do", ["save"])[0].partition(":")
    draft, place = _ordered(draft, [int(text) for text in typed.places.values()], do, of)
    try:
        results.store.keep_report_draft(slug, draft.to_json(), desk.mark)
    except RefusedError as error:
        if error.code != "draft_changed":
            raise
        return _changed(desk_of(results, slug, me, speech), typed)
    return RedirectResponse(_next(desk, do, of, place), 303, NO_STORE)


def _changed(desk: Desk, typed: Any) -> Response:
    from deniable.web.report_pages import report_page

    typed.places, typed.wrong = {}, {}
    return HTMLResponse(report_page(desk, desk.reader.speech["draft_changed"], typed), 409, NO_STORE)


def _ordered(draft: Draft, places: list[int], do: str, of: str) -> tuple[Draft, int | None]:
    """The draft after a button was pressed, and where the view is now that it was pressed at."""
    wanted: list[float] = list(places)
    at = int(of) if do in ("up", "down", "remove", "words") and of.isascii() and of.isdigit() and len(of) < 4 else None
    if at is None or at >= len(draft.views):
        return draft.in_order(wanted), None
    if do in ("up", "down"):
        # Past its neighbour, and short of the one behind that.
        wanted[at] = at + 1 + (1.5 if do == "down" else -1.5)
    moved = draft.in_order(wanted)
    place = next(i for i, view in enumerate(moved.views) if view is draft.views[at])
    return (moved.without(place), None) if do == "remove" else (moved, place)


def _next(desk: Desk, do: str, of: str, place: int | None) -> str:
    """Where a button leads. Only to pages of this survey."""
    from deniable.results.questions import KINDS

    speech, report = desk.reader.speech, desk.reader.report
    if do == "words" and place is not None:
        return speech.to(f"{report}/words/{place + 1}")
    if do == "add" and of in KINDS:
        return speech.to(f"{report}/add?view={of}")
    if do == "open" and of in desk.languages:
        return f"{report}/{of}"
    if do == "publish":
        return speech.to(desk.reader.publish)
    return speech.to(report) + ("" if place is None else f"#view-{place + 1}")


def _adding(results: Results, slug: str, view: str, me: Account, speech: Speech) -> Response:
    from deniable.results.draft import KINDS
    from deniable.web.report_pages import adding_page

    if view not in [kind.view for kind in KINDS]:
        raise ParameterError("not_chosen", "A view {view!r} cannot be chosen.", view=view[:100])
    return HTMLResponse(adding_page(desk_of(results, slug, me, speech), view, {}), headers=NO_STORE)


def _added(results: Results, slug: str, fields: Fields, me: Account, speech: Speech) -> Response:
    """A view from its form, or from the page on which it is shown: looked at once, by the rule for those who may not export."""
    from deniable.results.draft import View
    from deniable.web.report_pages import MOST_ON_VIEW, Typed, adding_page, read_words
    from deniable.web.results_forms import LISTS, view_of

    desk, typed = desk_of(results, slug, me, speech), Typed()
    filled = _filled(fields)
    words = read_words(desk, fields, "words", MOST_ON_VIEW, typed)
    asked: Any = None
    try:
        asked = _question(filled)
        results.bench.ask(slug, asked, speech.language, False)
        chosen = desk.draft.with_view(View(asked, words))
        if not typed.wrong:
            _keep_more(results, slug, me, speech, View(asked, words))
            return RedirectResponse(f"{speech.to(desk.reader.report)}#view-{len(chosen.views)}", 303, NO_STORE)
        wrong = None
    except DeniableError as error:
        wrong = error
    if asked is not None and "address" in filled:
        view, given = asked.view, asked.to_json()
    else:
        view = view_of(filled)
        given = {name: values if name in LISTS.get(view, ()) else values[0] for name, values in filled.items()}
    if view not in ("question", "mean", "cross", "compare", "together"):
        assert wrong is not None
        raise wrong
    return HTMLResponse(adding_page(desk, view, given, wrong, typed), 422, NO_STORE)


def _keep_more(results: Results, slug: str, me: Account, speech: Speech, view: Any) -> None:
    """Add a view to the draft as it is by now."""
    for attempt in range(ATTEMPTS):
        desk = desk_of(results, slug, me, speech)
        try:
            return results.store.keep_report_draft(slug, desk.draft.with_view(view).to_json(), desk.mark)
        except RefusedError as error:
            if error.code != "draft_changed" or attempt == ATTEMPTS - 1:
                raise
    return None


def _words(results: Results, slug: str, place: str, fields: Fields | None, me: Account, speech: Speech) -> Response:
    """The words about one view: the form, or what it sent."""
    from deniable.web.report_pages import MOST_ON_VIEW, Typed, read_words, words_page

    desk, typed = desk_of(results, slug, me, speech), Typed()
    at = int(place) - 1 if place.isascii() and place.isdigit() and len(place) < 4 else -1
    if not 0 <= at < len(desk.draft.views):
        raise RefusedError("no_place", "This view is no longer there.")
    if fields is None:
        return HTMLResponse(words_page(desk, at), headers=NO_STORE)
    words = read_words(desk, fields, "words", MOST_ON_VIEW, typed)
    if typed.wrong:
        return HTMLResponse(words_page(desk, at, speech["something_wrong"], typed), 422, NO_STORE)
    try:
        results.store.keep_report_draft(slug, desk.draft.with_words(at, words).to_json(), fields.get("mark", [""])[0])
    except RefusedError as error:
        if error.code != "draft_changed":
            raise
        return HTMLResponse(
            words_page(desk_of(results, slug, me, speech), at, said_of(error, speech.language), typed), 409, NO_STORE
        )
    return RedirectResponse(f"{speech.to(desk.reader.report)}#view-{at + 1}", 303, NO_STORE)


def _printed(results: Results, slug: str, language: str, me: Account, speech: Speech, file: bool = False) -> Response:
    """The report: on a page, or as the file that `deniable survey report` writes."""
    from deniable.results.report.making import STYLESHEET, report_on_page

    desk = desk_of(results, slug, me, speech)
    if language not in desk.languages:
        raise RefusedError("not_found", "The report is there in {allowed}.", allowed=", ".join(desk.languages))
    try:
        page = report_on_page(results.bench, slug, desk.draft.contents(), language, "" if file else STYLESHEET)
    except DeniableError as error:
        return marked(results, desk, error)
    name = {"Content-Disposition": f'attachment; filename="{slug}-report-{language}.html"'} if file else {}
    return HTMLResponse(page, headers={**NO_STORE, **name})


def marked(results: Results, desk: Desk, error: DeniableError) -> Response:
    """The draft, with a mark at each view that cannot be shown; where none is to blame, the error goes on."""
    from deniable.results.draft import troubles
    from deniable.web.report_pages import report_page

    language = desk.reader.speech.language
    found = troubles(results.bench.ready(desk.reader.slug), desk.draft, language, desk.reader.wrong)
    if not found:
        raise error
    return HTMLResponse(report_page(desk, desk.reader.speech["view_cannot"], None, found), 409, NO_STORE)
