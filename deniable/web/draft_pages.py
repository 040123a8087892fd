"""What the pages of drafts show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deniable.survey.drafts import parts
from deniable.survey.drafts.beginning import TEMPLATES, TEXTS
from deniable.survey.drafts.checked import Mistake, check
from deniable.survey.drafts.translations import left_over
from deniable.survey.questions.kinds import KEYS
from deniable.survey.store.accounts import Account
from deniable.survey.store.drafts import Draft
from deniable.survey.yaml_text import yaml_text
from deniable.web.account_pages import isolated
from deniable.web.draft_views import LONGEST_TITLE, PartForm, example_condition, said
from deniable.web.organiser_words import WORDS
from deniable.web.pages import Speech, spoken

PATH = "/organiser/drafts"
LONGEST_NEW_TITLE = 300
"""Letters of the title that a survey begins with."""


@dataclass(frozen=True)
class Writer:
    """Who writes which draft, in which language the pages speak."""

    draft: Draft
    me: Account
    speech: Speech

    @property
    def path(self) -> str:
        """Where the draft is."""
        return f"{PATH}/{self.draft.key}"

    @property
    def title(self) -> str:
        """What the draft is called."""
        return title_of(self.draft.content, self.speech)

    def page(self, template: str, view: str, title: str, here: str = "", note: str = "", **values: Any) -> str:
        """A page of the draft; `here` is its own path."""
        return spoken(
            template, self.speech, title=title, me=self.me, here=here or self.path, draft=self, view=view, note=note, **values
        )


def text_in(value: Any, speech: Speech) -> str:
    """A text of a draft in the reader's language, else in any; empty if there is none."""
    if isinstance(value, dict):
        value = value.get(speech.language) or next((one for one in value.values() if one), "")
    return str(value)[:1_000] if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""


def title_of(content: Mapping[str, Any], speech: Speech) -> str:
    """What a survey or a draft is called: its title, else its short name."""
    found = text_in(content.get("title"), speech).strip() or text_in(content.get("survey"), speech).strip()
    return found or speech["untitled"]


def new_page(
    me: Account, speech: Speech, given: Mapping[str, str], complaint: str | None = None, wrong: Mapping[str, str] | None = None
) -> str:
    """What a new survey begins with; `wrong` says what is wrong with its title or its languages."""
    # The reader's language, unless they have chosen already.
    ticked = [one for one in TEXTS if f"language.{one}" in given] if "template" in given else [speech.language]
    at_fields = {"title": "", "languages": "", **(wrong or {})}
    return spoken(
        "draft_new.html", speech, title=speech["new_survey"], me=me, here=PATH, templates=TEMPLATES, given=given,
        complaint=complaint, wrong=at_fields, ticked=ticked,
    )  # fmt: skip


def gone_page(me: Account, speech: Speech, complaint: str) -> str:
    """A draft, or a part of one, that is not there."""
    return spoken("draft_gone.html", speech, title=speech["draft_gone"], me=me, here="", complaint=complaint)


def draft_page(writer: Writer, note: str = "", taken: str = "") -> str:
    """All questions of a draft, and what is still to be done; `taken` tells of the survey that has its short name."""
    content, speech = writer.draft.content, writer.speech
    _, mistakes = check(content)
    asked = list(parts.questions_of(content))
    pages = []
    for number, page in enumerate(parts.pages_of(content)):
        here = [one for one in asked if one.place[0] == number]
        rows = [_row(one, asked, mistakes, content, speech) for one in here]
        title = text_in(page.get("title"), speech)
        first = asked.index(here[0]) + 1 if here else 1
        pages.append(
            {"number": number, "title": title, "mark": parts.mark_of(parts.words_of(page)), "questions": rows, "first": first}
        )
    return writer.page(
        "draft.html", "questions", writer.title, note=note, pages=pages, kinds=list(KEYS), wrong=[_todo(one, writer) for one in mistakes],
        unreadable=bool(content.get("pages")) and not pages, left=left_over(content), taken=taken,
    )  # fmt: skip


def _row(
    one: parts.Asked, asked: Sequence[parts.Asked], mistakes: Sequence[Mistake], content: Mapping[str, Any], speech: Speech
) -> Any:
    given = one.given if isinstance(one.given, dict) else {}
    number, kind = asked.index(one) + 1, given.get("type")
    return {
        "at": one.at, "mark": one.mark, "number": number, "last": number == len(asked), "inside": one.place[1] > 0,
        "title": _called(given, number, speech), "kind": WORDS[speech.language].get(f"type_{kind}", str(kind or "?")[:40]),
        "privacy": _privacy(given, content, speech), "wrong": any(mistake.place == one.place for mistake in mistakes),
    }  # fmt: skip


def _called(given: Mapping[str, Any], number: int, speech: Speech) -> str:
    title = text_in(given.get("title"), speech).strip()
    return title[:LONGEST_TITLE] + "…" * (len(title) > LONGEST_TITLE) or f"{speech['field_question']} {number}"


def called_at(content: parts.Content, place: parts.Place, speech: Speech) -> str:
    """What the question in a place is called: its text, else its number."""
    asked = list(parts.questions_of(content))
    number = next((i + 1 for i, one in enumerate(asked) if one.place == place), 0)
    given = next((one.given for one in asked if one.place == place), None)
    return _called(given if isinstance(given, dict) else {}, number, speech)


def _privacy(given: Mapping[str, Any], content: Mapping[str, Any], speech: Speech) -> str:
    if given.get("type") in ("information", "consent", None):
        return ""
    level = given.get("privacy", content.get("privacy", "standard"))
    if level == "none":
        return speech["open_question"]
    word = "level_design" if isinstance(level, dict) else f"level_{level}"
    return speech["private"].format(level=WORDS[speech.language].get(word, str(level)[:40]))


def _todo(mistake: Mistake, writer: Writer) -> dict[str, str]:
    """A mistake with the address of the field that it is about."""
    speech, field = writer.speech, str(mistake.field[0]) if mistake.field else ""
    words = WORDS[speech.language]
    if mistake.place is not None:
        path = f"questions/{mistake.place[0]}-{mistake.place[1]}"
        where = speech["quoted"].format(text=called_at(writer.draft.content, mistake.place, speech))
    elif mistake.page is not None:
        path, where = f"pages/{mistake.page}", speech["in_page"].format(number=mistake.page + 1)
        if mistake.error.code == "page":
            path = ""
            empty = not any(one.place[0] == mistake.page for one in parts.questions_of(writer.draft.content))
            if empty:
                return {"path": speech.to(writer.path) + "#kind", "where": where, "what": speech["todo_nothing_asked"]}
    else:
        path, where = ("", speech["draft_questions"]) if field == "pages" or not field else ("settings", speech["in_settings"])
    label = words.get("field_question" if field == "title" and mistake.place else f"field_{field}", "")
    anchor = f"#f-{field}" if field and path else ""
    return {
        "path": speech.to(f"{writer.path}/{path}".rstrip("/")) + anchor,
        "where": where + (f", {label}" if label else ""),
        "what": said(mistake, speech, writer.draft.content),
    }


def part_page(writer: Writer, form: PartForm, note: str = "") -> str:
    """The form of a part of a draft."""
    return writer.page(
        "draft_part.html", form.view, form.title, form.path, note, path=form.path, mark=form.mark, called=form.called, about=form.about,
        fields=form.fields(), wrong=form.elsewhere(), others=[(key, yaml_text(value)[0].rstrip()) for key, value in form.others.items()],
    )  # fmt: skip


def conflict_page(writer: Writer, now: Any, mine: Any, again: Mapping[str, str], paths: tuple[str, str]) -> str:
    """Both texts of a part that two people changed. `paths`: where mine is sent to, and where what is there can be seen."""
    return writer.page(
        "draft_conflict.html", "", writer.speech["conflict"], now=None if now is None else _shown(now), mine=_shown(mine),
        fields=[(name, text) for name, text in again.items() if name not in ("seen", "do")], mark="" if now is None else parts.mark_of(now),
        path=paths[0], keep=paths[1], who=isolated(writer.draft.changed_by or writer.speech["conflict_unnamed"]),
    )  # fmt: skip


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else yaml_text(value)[0].rstrip()


def yaml_page(writer: Writer, text: str | None = None, complaint: str | None = None, note: str = "") -> str:
    """The draft as YAML, with the lines of what is wrong; `text` is what was typed and could not be read."""
    content = writer.draft.content
    _, mistakes = check(content) if text is None else (None, [])
    # Here people write keys, so mistakes name them; in forms they name fields.
    wrong = [(one.line, one.sentence(writer.speech.language)) for one in mistakes]
    return writer.page(
        "draft_yaml.html", "yaml", writer.speech["draft_yaml"], f"{writer.path}/yaml", note, complaint=complaint, wrong=wrong,
        text=yaml_text(content)[0] if text is None else text, mark=parts.mark_of(content),
        condition=example_condition(content, writer.speech),
    )  # fmt: skip


def sure_page(writer: Writer, verb: str, path: str, fields: Sequence[tuple[str, str]] = (), shown: Any = None) -> str:
    """Whether a question, or the whole draft, is really to go."""
    speech = writer.speech
    title = speech["remove_question" if verb == "remove" else "delete_draft_it"]
    return writer.page(
        "draft_sure.html", "questions", title, path, path=path, posted=verb == "remove", fields=list(fields),
        what=speech["remove_question_note" if verb == "remove" else "delete_draft_note"], shown="" if shown is None else _shown(shown),
        button=speech["do_remove_question" if verb == "remove" else "do_delete"],
    )  # fmt: skip
