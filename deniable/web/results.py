"""The pages of results: views by their addresses, their twins, and forms that lead to them. Who may use which is in permissions.py."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from deniable.errors import DeniableError, RefusedError, StoreError
from deniable.survey.apart import kind_of
from deniable.survey.store import Store
from deniable.survey.store.accounts import OWNER, Account
from deniable.web.lanes import Lane
from deniable.web.login import NO_STORE, PATH, speech_of
from deniable.web.pages import Speech
from deniable.web.permissions import account_of
from deniable.web.problems import problem
from deniable.web.results_words import said_of

MOST_WAITING = 8
"""More who wait for results are asked to come again."""
MOST_WAITING_LONG = 3
"""The same for what takes long: rules and classifiers, whose first use on a machine compiles them for up to a minute."""
AFTER_SECONDS = "30"
MEDIA_TYPES = {
    "json": "application/json", "csv": "text/csv; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
    "py": "text/plain; charset=utf-8",
}  # fmt: skip
SANDBOX = "default-src 'none'; sandbox"
"""Pictures have texts of a survey inside: by themselves they run nothing and belong to no site. The other policy holds as well."""
STATUS = {
    "unknown_survey": 404, "not_found": 404, "unknown_version": 404, "no_version": 404, "unknown_attribute": 404, "unknown_view": 404,
    "needs_export": 403, "no_export": 403, "nothing_released": 409, "results_after_closing": 409, "busy": 503,
    "release_after_closing": 409, "few_to_release": 409, "few_apart": 409, "release_moved": 409, "draft_changed": 409, "no_place": 404,
    "trial_not_released": 409, "not_apart": 409, "trial_no_code": 409,
}  # fmt: skip
"""All other mistakes of an address are 400."""
FIXES = {"needs_export": "fix_owner", "no_export": "fix_owner", "nothing_released": "fix_wait", "results_after_closing": "fix_wait",
         "unknown_survey": "fix_list", "busy": "fix_busy", "release_after_closing": "fix_wait", "few_to_release": "fix_wait",
         "few_apart": "fix_wait", "release_moved": "fix_again", "draft_changed": "fix_again", "no_place": "fix_again"}  # fmt: skip
T = TypeVar("T")


class Results:
    """The workbench of a server: loaded with the first view, never asked by the event loop's thread. One view is computed at a time, and
    one that takes long beside it: nobody waits for rules who wants a share."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._quick, self._long = Lane(MOST_WAITING), Lane(MOST_WAITING_LONG)

    @cached_property
    def bench(self) -> Any:
        """What answers; importing it takes a second, which those who only collect answers need not wait for."""
        from deniable.results.workbench import Workbench

        return Workbench(self.store)

    async def run(self, work: Callable[[], T], long: bool = False) -> T:
        """Do something when it is its turn, among what is quick or what takes long."""
        return await (self._long if long else self._quick).run(work)

    async def answered(self, slug: str, query: str, me: Account, speech: Speech, made: Callable[[Any], Response]) -> Response:
        """What is made of the answer to an address. Which lane it needs is known when it was read; what is kept needs no long one."""

        def work(long: bool) -> Response | None:
            from deniable.results.address import from_address

            question = from_address(query)
            ask = self.bench.kept if question.takes_long and not long else self.bench.ask
            answer = ask(slug, question, speech.language, me.role == OWNER)
            return None if answer is None else made(answer)

        reply = await self.run(lambda: work(long=False))
        if reply is None:
            reply = await self.run(lambda: work(long=True), long=True)
        assert reply is not None  # whatever is asked in the long lane is answered
        return reply

    def reader(self, slug: str, me: Account, speech: Speech, version: int | None = None) -> Any:
        """Who reads, with what can be asked: nothing, where nothing may be seen yet."""
        try:
            menu = self.bench.menu(slug, speech.language, me.role == OWNER, version)
        except DeniableError:
            menu = []
        no_groups = ""
        if menu and me.role != OWNER and not any(choice.groups for choice in menu):
            no_groups = self.bench.instead(slug, False, version)
        return self.reading(slug, me, speech, menu, self.bench.versions(slug), no_groups)

    def reading(
        self, slug: str, me: Account, speech: Speech, menu: Sequence[Any], versions: Sequence[int] = (), no_groups: str = ""
    ) -> Any:
        """Who reads, with these questions to choose from, and why people cannot be divided by them, if that is so."""
        from deniable.web.results_pages import Reader

        read = self.store.version(slug)
        texts = read.questionnaire.get("title", slug)
        title = texts if isinstance(texts, str) else texts.get(speech.language) or next(iter(texts.values()), slug)
        return Reader(slug, title, me, speech, menu, versions, kind_of(slug, read.number), no_groups)


def router(results: Results) -> APIRouter:
    """The routes under /organiser/surveys/{slug}/results."""
    routes = APIRouter(prefix=PATH, include_in_schema=False)

    @routes.get("/surveys/{slug}/results")
    async def view(slug: str, request: Request) -> Response:
        me, speech, query = account_of(request), speech_of(request), _asked(request)
        shown = results.answered(slug, query, me, speech, lambda answer: _viewed(results, slug, answer, me, speech))
        return await page_or_problem(results, shown, slug, me, speech, query)

    @routes.get("/surveys/{slug}/results/choose")
    async def choose(slug: str, request: Request) -> Response:
        me, speech, query = account_of(request), speech_of(request), _asked(request)
        shown = results.run(lambda: _chosen(results, slug, query, me, speech))
        return await page_or_problem(results, shown, slug, me, speech, query)

    @routes.get("/surveys/{slug}/results.{kind}")
    async def twin(slug: str, kind: str, request: Request) -> Response:
        me, speech, query = account_of(request), speech_of(request), _asked(request)
        try:
            if kind not in MEDIA_TYPES:
                raise RefusedError("not_found", "A view is there as {allowed}.", allowed=", ".join(MEDIA_TYPES))
            return await results.answered(
                slug, query, me, speech, lambda answer: _twin(results.store, slug, kind, answer, speech)
            )
        except DeniableError as error:
            return problem(_status(error), error.code, said_of(error, speech.language), _come_again(error))

    return routes


def _asked(request: Request) -> str:
    """The question in an address, without the language of the page."""
    query = request.url.query
    if "lang=" not in query:
        return query
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=1_000)
    except ValueError:
        return query
    return urlencode([(name, value) for name, value in pairs if name != "lang"])


def _status(error: DeniableError) -> int:
    return 503 if isinstance(error, StoreError) else STATUS.get(error.code, 400)


def _come_again(error: DeniableError) -> dict[str, str]:
    return {"Retry-After": AFTER_SECONDS} if error.code == "busy" else {}


async def page_or_problem(
    results: Results, shown: Awaitable[Response], slug: str, me: Account, speech: Speech, query: str
) -> Response:
    """A page, or one that says what was wrong, where, and what helps."""
    try:
        return await shown
    except DeniableError as error:
        mistake = error

    def explained(reader: Any) -> str:
        from deniable.web.results_pages import problem_page

        return problem_page(reader, mistake, query[:500], FIXES.get(mistake.code, "fix_form"))

    def without_menus() -> str:
        from deniable.web.results_pages import Reader

        return explained(Reader("", "", me, speech))

    def with_menus() -> str:
        try:
            return explained(results.reader(slug, me, speech))
        except DeniableError:
            return without_menus()

    try:
        page = await results.run(with_menus)
    except RefusedError:  # too many wait
        page = await run_in_threadpool(without_menus)
    return HTMLResponse(page, _status(mistake), {**NO_STORE, **_come_again(mistake)})


def _viewed(results: Results, slug: str, answer: Any, me: Account, speech: Speech) -> Response:
    from deniable.web.results_pages import results_page

    return HTMLResponse(results_page(answer, results.reader(slug, me, speech, answer.question.version)), headers=NO_STORE)


def _twin(store: Store, slug: str, kind: str, answer: Any, speech: Speech) -> Response:
    headers, tried = dict(NO_STORE), kind_of(slug, store.overview(slug).number)
    if tried is not None:
        answer = answer.marked(tried, speech[f"banner_{tried}"])
    if kind == "svg":
        headers["Content-Security-Policy"] = SANDBOX
    if kind in ("csv", "py"):
        headers["Content-Disposition"] = f'attachment; filename="{slug}-{answer.question.view}.{kind}"'
    return Response(getattr(answer, kind)(), headers=headers, media_type=MEDIA_TYPES[kind])


def _chosen(results: Results, slug: str, query: str, me: Account, speech: Speech) -> Response:
    """The form of a view; once it is filled in, the way to the view."""
    from deniable.web.results_forms import LISTS, fields_of, question_of, view_of
    from deniable.web.results_pages import choosing_page

    fields = fields_of(query)
    view = view_of(fields)
    reader = results.reader(slug, me, speech)
    if "ask" not in fields:
        return HTMLResponse(choosing_page(reader, view, {}), headers=NO_STORE)
    try:
        return RedirectResponse(reader.to(question_of(fields)), 303, NO_STORE)
    except DeniableError as error:
        # What was typed is shown again as it was, what was clicked stays chosen.
        given = {name: values if name in LISTS.get(view, ()) else values[0] for name, values in fields.items()}
        return HTMLResponse(choosing_page(reader, view, given, error), 400, NO_STORE)
