"""Where surveys are written: new drafts, their questions and settings, and the draft as YAML. All of it is for owners (permissions.py)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, JSONResponse, Response

from deniable.errors import DeniableError, QuestionnaireError, RefusedError
from deniable.survey.drafts import beginning, parts, translations
from deniable.survey.drafts.fields import PAGE, SETTINGS, applied, fields_of
from deniable.survey.drafts.rows import rearranged, wanted_rows
from deniable.survey.store import Store
from deniable.survey.store.accounts import Account
from deniable.survey.yaml_text import yaml_text
from deniable.web import draft_pages
from deniable.web.body_limits import DRAFTS
from deniable.web.done import after
from deniable.web.draft_forms import Fields, sent
from deniable.web.draft_pages import Writer
from deniable.web.draft_taken import taken
from deniable.web.draft_views import PartForm, page_form, question_form, settings_form
from deniable.web.login import NO_STORE, led_to, speech_of
from deniable.web.organiser_words import in_words
from deniable.web.pages import Speech
from deniable.web.permissions import account_of

STATUS = {"unknown_draft": 404, "unknown_question": 404, "unknown_survey": 404, "changed_meanwhile": 409}
PARTS = {"/{draft}/settings": "settings", "/{draft}/pages/{at}": "pages", "/{draft}/questions/{at}": "questions"}
Content = parts.Content
Change = Callable[[Content], Content]


def router(store: Store) -> APIRouter:
    """The routes under /organiser/drafts, without those that open one."""
    routes = APIRouter(prefix=DRAFTS, include_in_schema=False)
    _add_beginning(routes, store)
    _add_structure(routes, store)
    _add_yaml(routes, store)
    for path, part in PARTS.items():
        _add_part(routes, store, path, part)
    return routes


async def answered(request: Request, work: Callable[[Account, Speech], Response]) -> Response:
    """What some work gives, outside the event loop's thread; a page that says so where a draft is not there."""
    me, speech = account_of(request), speech_of(request)
    try:
        return await run_in_threadpool(work, me, speech)
    except RefusedError as error:
        said = in_words(error, speech.language)
        return HTMLResponse(draft_pages.gone_page(me, speech, said), STATUS.get(error.code, 422), NO_STORE)


def page(content: str, status: int = 200) -> Response:
    """A page that nobody keeps."""
    return HTMLResponse(content, status, NO_STORE)


def _add_beginning(routes: APIRouter, store: Store) -> None:
    @routes.get("")
    async def new(request: Request) -> Response:
        return page(draft_pages.new_page(account_of(request), speech_of(request), {}))

    @routes.post("")
    async def begin(request: Request) -> Response:
        given = await sent(request)

        def work(me: Account, speech: Speech) -> Response:
            if wrong := _wrong_beginning(given, speech):
                return page(draft_pages.new_page(me, speech, given, wrong=wrong), 422)
            try:
                made = store.add_draft(_begun(store, given, speech.language), me.actor)
            except QuestionnaireError as error:
                return page(draft_pages.new_page(me, speech, given, _unreadable(error, speech)), 422)
            except RefusedError as error:
                return page(draft_pages.new_page(me, speech, given, in_words(error, speech.language)), 422)
            return led_to(request, f"{DRAFTS}/{made.key}")

        return await answered(request, work)


def _begun(store: Store, given: Fields, language: str) -> Content:
    """What a new draft begins as: a survey's questionnaire, a file, pasted text, or a template, whose title is in the page's language."""
    if "survey" in given:
        return store.version(given["survey"]).questionnaire
    if "template" not in given:
        text = given.get("file", "").strip("\n") or given.get("text", "")
        if not text.strip():
            raise RefusedError("nothing_given", "Choose a file, or paste a text.")
        return beginning.from_text(text)
    languages = _languages(given)
    used = {*store.slugs(), *(str(one.content.get("survey")) for one in store.drafts())}
    return beginning.from_template(given["template"], given.get("title", ""), languages, used, language)


def _languages(given: Fields) -> list[str]:
    return [name.removeprefix("language.") for name in given if name.startswith("language.")]


def _wrong_beginning(given: Fields, speech: Speech) -> dict[str, str]:
    """What keeps a new survey from being begun, by field: nothing is cut or chosen without a word."""
    if "template" not in given:
        return {}
    title, most = given.get("title", "").strip(), draft_pages.LONGEST_NEW_TITLE
    wrong = {}
    if not title:
        wrong["title"] = speech["no_title"]
    elif len(title) > most:
        wrong["title"] = speech["title_too_long"].format(most=most, got=len(title))
    if not set(_languages(given)) & set(beginning.TEXTS):
        wrong["languages"] = speech["no_language"]
    return wrong


def _unreadable(error: QuestionnaireError, speech: Speech) -> str:
    """Why a text is no draft, with its line."""
    from deniable.survey.polish_mistakes import mistake_in_polish

    polish = mistake_in_polish(error) if speech.language == "pl" else None
    line = speech["line"].format(line=error.parameters.get("line", 1))
    plain = str(error).removeprefix(f"{error.parameters.get('where')}, line {error.parameters.get('line')}: ")
    return f"{line}: {polish or plain}"


def _add_structure(routes: APIRouter, store: Store) -> None:
    @routes.get("/{draft}")
    async def overview(draft: str, request: Request) -> Response:
        return await answered(request, lambda me, speech: page(overview_of(store, Writer(store.draft(draft), me, speech))))

    @routes.post("/{draft}")
    async def arrange(draft: str, request: Request) -> Response:
        given = await sent(request)
        return await answered(
            request, lambda me, speech: _arranged(store, draft, given, request, Writer(store.draft(draft), me, speech))
        )

    @routes.get("/{draft}/delete")
    async def sure(draft: str, request: Request) -> Response:
        def work(me: Account, speech: Speech) -> Response:
            writer = Writer(store.draft(draft), me, speech)
            return page(draft_pages.sure_page(writer, "delete", f"{writer.path}/delete"))

        return await answered(request, work)

    @routes.post("/{draft}/delete")
    async def delete(draft: str, request: Request) -> Response:
        given = await sent(request)

        def work(me: Account, speech: Speech) -> Response:
            if given.get("sure") != "yes":
                return led_to(request, f"{DRAFTS}/{draft}/delete")
            store.remove_draft(draft)
            return led_to(request, after("/organiser", "draft_deleted"))

        return await answered(request, work)


def overview_of(store: Store, writer: Writer, note: str = "") -> str:
    """All questions of a draft, and whether opening it replaces those of a survey that is there."""
    there = taken(store, writer.draft.content, writer.speech)
    said = "" if there is None else there.sentence(writer.speech, "taken_draft", "taken_same")
    return draft_pages.draft_page(writer, note, said)


def _arranged(store: Store, draft: str, given: Fields, request: Request, writer: Writer) -> Response:
    """A question that was added, moved, copied or removed, or a page that begins or ends."""
    verb, seen = given.get("do", ""), given.get("seen", "")
    at = parts.place_of(given["at"]) if "at" in given else (0, 0)
    if verb == "remove" and given.get("sure") != "yes":
        one = parts.found(writer.draft.content, at, seen)
        fields = [("do", "remove"), ("at", one.at), ("seen", seen)]
        return page(draft_pages.sure_page(writer, "remove", writer.path, fields, one.given))
    new: list[parts.Asked] = []

    def add(content: Content) -> Content:
        changed, one = parts.added(content, given.get("kind", ""))
        new.append(one)
        return changed

    number = int(given["page"]) if given.get("page", "").isdigit() and len(given["page"]) < 5 else -1
    verbs: dict[str, Change] = {
        "add": add,
        "up": lambda content: parts.moved(content, at, seen, -1),
        "down": lambda content: parts.moved(content, at, seen, 1),
        "copy": lambda content: parts.copied(content, at, seen),
        "remove": lambda content: parts.removed(content, at, seen),
        "split": lambda content: parts.split(content, at, seen),
        "join": lambda content: parts.joined(content, number, seen),
        "forget": lambda content: translations.without(content, given.get("languages", "").split(" ")),
    }
    if verb not in verbs:
        raise RefusedError("unknown_question", "There is nothing else that is done to a question.")
    try:
        store.change_draft(draft, verbs[verb], writer.me.actor)
    except parts.ChangedMeanwhileError:
        # What was to be moved or removed is not what was seen any more: it is shown as it is now, and nothing was done.
        now = Writer(store.draft(draft), writer.me, writer.speech)
        return page(overview_of(store, now, writer.speech["changed_meanwhile"]), 409)
    return led_to(request, f"{writer.path}/questions/{new[0].at}" if new else writer.path)


def _add_part(routes: APIRouter, store: Store, path: str, part: str) -> None:
    @routes.get(path)
    async def form(draft: str, request: Request) -> Response:
        at = request.path_params.get("at", "")
        return await answered(request, lambda me, speech: _form(Writer(store.draft(draft), me, speech), part, at))

    @routes.post(path)
    async def save(draft: str, request: Request) -> Response:
        return await _saved(store, draft, (part, request.path_params.get("at", "")), request)


def _part(writer: Writer, part: str, at: str) -> PartForm:
    """The form of the part that an address names."""
    content, speech = writer.draft.content, writer.speech
    if (part, at) == ("settings", ""):
        return settings_form(content, writer.path, speech)
    if part == "pages" and re.fullmatch(r"\d{1,4}", at):
        return page_form(content, int(at), writer.path, speech)
    if part == "questions" and at:
        return question_form(content, parts.question_at(content, parts.place_of(at)), writer.path, speech)
    raise parts.unknown_question()


def _form(writer: Writer, part: str, at: str) -> Response:
    return page(draft_pages.part_page(writer, _part(writer, part, at)))


async def _saved(store: Store, draft: str, where: tuple[str, str], request: Request) -> Response:
    """Save a part; whoever saves by script is told so in a few words."""
    given, quiet = await sent(request), request.headers.get("accept") == "application/json"

    def work(me: Account, speech: Speech) -> Response:
        ended: list[parts.Place] = []
        try:
            change = partial(_changed, given=given, where=where, ended=ended)
            writer = Writer(store.change_draft(draft, change, me.actor), me, speech)
        except parts.ChangedMeanwhileError as error:
            writer = Writer(store.draft(draft), me, speech)
            return _quiet(speech["changed_meanwhile"]) if quiet else _conflict(writer, where, given, error)
        at = f"{ended[0][0]}-{ended[0][1]}" if ended else where[1]
        form = _part(writer, where[0], at)
        if quiet:
            return JSONResponse(
                {"seen": form.mark, "called": form.called, "said": speech["saved"], "wrong": form.wrong()}, 200, NO_STORE
            )
        if given.get("do") in ("back", "again"):
            return led_to(request, writer.path)
        return page(draft_pages.part_page(writer, replace(form, wanted=wanted_rows(given)), speech["saved"]))

    return await answered(request, work)


def _quiet(said: str) -> Response:
    return JSONResponse({"said": said}, 409, NO_STORE)


def _changed(content: Content, given: Fields, where: tuple[str, str], ended: list[parts.Place]) -> Content:
    """The draft with a part as a form says it is; `ended` tells where a question was found."""
    seen, languages = given.get("seen", ""), parts.languages_of(content)
    given, dropped = rearranged(given), given.get("drop", "").split("\n")
    if where[0] == "settings":
        settings = _without(applied(SETTINGS, parts.settings_of(content), given, languages), dropped)
        return translations.told_apart(content, parts.with_settings(content, seen, settings))
    if where[0] == "pages":
        number = int(where[1]) if re.fullmatch(r"\d{1,4}", where[1]) else -1
        pages = parts.pages_of(content)
        words = parts.words_of(pages[number]) if 0 <= number < len(pages) else {}
        return parts.with_page(content, number, seen, _without(applied(PAGE, words, given, languages), dropped))
    if where[0] != "questions":
        raise parts.unknown_question()
    if given.get("do") == "again":
        # It was removed meanwhile, and is wanted back: a new question, with all that was written.
        content, one = parts.added(content, given.get("type", ""))
    else:
        one = parts.found(content, parts.place_of(where[1]), seen, given.get("called", ""))
    if not isinstance(one.given, dict):
        raise parts.unknown_question()
    ended.append(one.place)
    return parts.with_question(content, one, _without(applied(fields_of(one.given), one.given, given, languages), dropped))


def _without(part: dict[str, Any], dropped: list[str]) -> dict[str, Any]:
    return {key: value for key, value in part.items() if key not in dropped}


def _conflict(writer: Writer, where: tuple[str, str], given: Fields, error: parts.ChangedMeanwhileError) -> Response:
    """Both texts; nothing was changed."""
    languages = parts.languages_of(writer.draft.content)
    base = {"type": given["type"]} if "type" in given else {}
    table = {"settings": SETTINGS, "pages": PAGE}.get(where[0]) or fields_of(base)
    mine = applied(table, base, given, languages)
    at = where[1] if error.place is None else f"{error.place[0]}-{error.place[1]}"
    here = "/".join(filter(None, (writer.path, where[0], at)))
    keep = writer.path if error.now is None else here
    return page(draft_pages.conflict_page(writer, error.now, mine, given, (here, keep)), 409)


def _add_yaml(routes: APIRouter, store: Store) -> None:
    @routes.get("/{draft}/yaml")
    async def text(draft: str, request: Request) -> Response:
        return await answered(request, lambda me, speech: page(draft_pages.yaml_page(Writer(store.draft(draft), me, speech))))

    @routes.get("/{draft}/draft.yaml")
    async def download(draft: str, request: Request) -> Response:
        def work(_: Account, __: Speech) -> Response:
            found = store.draft(draft)
            name = re.sub(r"[^a-z0-9-]", "", str(found.content.get("survey", ""))[:60]) or "draft"
            headers = {**NO_STORE, "Content-Disposition": f'attachment; filename="{name}.yaml"'}
            content = yaml_text(found.content)[0].encode("utf-8", "replace")
            return Response(content, headers=headers, media_type="application/yaml")

        return await answered(request, work)

    @routes.post("/{draft}/yaml")
    async def save_text(draft: str, request: Request) -> Response:
        given = await sent(request)

        def work(me: Account, speech: Speech) -> Response:
            writer, typed = Writer(store.draft(draft), me, speech), given.get("text", "")
            try:
                content = beginning.from_text(typed)

                def change(now: Content) -> Content:
                    if parts.mark_of(now) != given.get("seen"):
                        raise parts.ChangedMeanwhileError(now)
                    return content

                writer = Writer(store.change_draft(draft, change, me.actor), me, speech)
            except parts.ChangedMeanwhileError as error:
                paths = (f"{writer.path}/yaml", f"{writer.path}/yaml")
                return page(draft_pages.conflict_page(writer, error.now, content, {"text": typed}, paths), 409)
            except QuestionnaireError as error:
                return page(draft_pages.yaml_page(writer, typed, _unreadable(error, speech)), 422)
            except DeniableError as error:
                return page(draft_pages.yaml_page(writer, typed, in_words(error, speech.language)), 422)
            return page(draft_pages.yaml_page(writer, note=speech["saved"]))

        return await answered(request, work)
