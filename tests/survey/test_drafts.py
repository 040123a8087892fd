"""Drafts: through the fields of forms and back, through YAML and back, mistakes at their fields, and two people at once."""

import importlib.util
import json
from pathlib import Path

import pytest

from deniable.errors import RefusedError
from deniable.survey.drafts import beginning, parts
from deniable.survey.drafts.checked import check
from deniable.survey.drafts.fields import PAGE, QUESTION, SETTINGS, applied, fields_of, shown
from deniable.survey.lines import Document
from deniable.survey.questionnaire import KEYS as SURVEY_KEYS
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.questions.kinds import KEYS
from deniable.survey.store import drafts as store_drafts
from deniable.survey.store.audit import Actor
from deniable.survey.yaml_text import yaml_text

pytestmark = pytest.mark.servers  # databases and plans: not for every day

_SPEC = importlib.util.spec_from_file_location("questionnaires", Path(__file__).with_name("questionnaires.py"))
questionnaires = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(questionnaires)

ANNA, JAN = Actor("account", "Anna", "a"), Actor("account", "Jan", "b")


def browsers(held):
    """What a browser sends of a form: line ends of its own, and boxes that are ticked or not."""
    return {name: text.replace("\n", "\r\n") for name, text in held.items()}


def through_forms(content, blank):
    """Every part of a questionnaire as its form shows it, sent back; `blank`: into a draft that has nothing of it yet."""
    languages = parts.languages_of(content)
    made = parts.settings_of(content)
    base = {} if blank else made
    written = applied(SETTINGS, base, browsers(shown(SETTINGS, made, languages)), languages)
    pages = []
    for page in content["pages"]:
        words = parts.words_of(page)
        fresh = applied(PAGE, {} if blank else words, browsers(shown(PAGE, words, languages)), languages)
        elements = []
        for question in page["elements"]:
            fields = fields_of(question)
            base = {"type": question["type"]} if blank else question
            elements.append(applied(fields, base, browsers(shown(fields, question, languages)), languages))
        pages.append({**fresh, "elements": elements})
    return {**written, "pages": pages}


def asked(content):
    """All that a questionnaire means: what the page is told, and how answers are hidden."""
    read = Questionnaire.from_json(content)
    return read.client(), read.schema.to_json(), read.budget, read.closes


SEEDS = range(200)


@pytest.mark.parametrize("part", range(4))
def test_200_questionnaires_through_the_forms_and_back_are_the_same(part):
    kinds = set()
    for seed in SEEDS[part::4]:
        content = questionnaires.Maker(seed).questionnaire()
        kinds |= {one.given["type"] for one in parts.questions_of(content)}
        meant = asked(content)
        # Sent back as it was shown: not a letter changes.
        assert through_forms(content, blank=False) == content
        # Typed anew, field by field: the same questionnaire.
        assert asked(through_forms(content, blank=True)) == meant
    assert kinds == set(KEYS)


@pytest.mark.parametrize("part", range(4))
def test_questionnaires_as_yaml_are_read_back_letter_by_letter_and_line_by_line(part):
    for seed in range(500 + 10 * part, 510 + 10 * part):
        content = questionnaires.Maker(seed).questionnaire()
        text, lines = yaml_text(content)
        document = Document(text, "draft.yaml")
        assert document.value == content
        assert {path: document.line(path) for path in lines} == lines
    assert beginning.from_text(text) == content
    assert beginning.from_text(json.dumps(content)) == content


def test_every_key_of_the_format_has_a_field():
    assert {field.key for field in SETTINGS} == SURVEY_KEYS - {"pages"}
    for kind, keys in KEYS.items():
        assert {field.key for field in fields_of({"type": kind})} == keys
    assert {field.key for field in QUESTION} == set().union(*KEYS.values())


def test_what_no_field_shows_is_never_lost():
    strange = {
        "type": "radiogroup", "name": "x", "title": {"en": "A", "fr": "B"}, "colour": {"deep": [1, None]}, "ordered": "perhaps",
        "choices": ["a", {"value": 2, "text": "b", "icon": "i"}, {"north": "south"}, None], "privacy": ["odd"], "for": 7,
        "visibleIf": {"a": 1},
    }  # fmt: skip
    fields, languages = fields_of(strange), ["en"]
    held = shown(fields, strange, languages)
    assert applied(fields, strange, browsers(held), languages) == strange
    # One field is changed, one row added: all the rest stays.
    given = browsers({**held, "title.en": "C", "choices.4.en": "New"})
    changed = applied(fields, strange, given, languages)
    assert changed == {**strange, "title": {"en": "C", "fr": "B"}, "choices": [*strange["choices"], "New"]}


def test_rows_can_be_moved_renamed_and_emptied():
    question = {"type": "radiogroup", "name": "x", "choices": [1, {"value": "b", "text": {"en": "B", "pl": "Be"}}, "c"]}
    fields, languages = fields_of(question), ["en", "pl"]
    held = shown(fields, question, languages)
    emptied = {**held, "choices.0.value": ""}
    assert applied(fields, question, emptied, languages)["choices"] == question["choices"][1:]
    renamed = {**held, "choices.1.value": "d"}
    assert applied(fields, question, renamed, languages)["choices"][1] == {"value": "d", "text": {"en": "B", "pl": "Be"}}
    swapped = {"choices.0.value": "b", "choices.0.en": "B", "choices.0.pl": "Be", "choices.1.value": "1"}
    turned = {**held, **swapped, "choices.1.en": "", "choices.1.pl": ""}
    assert applied(fields, question, turned, languages)["choices"] == [question["choices"][1], 1, "c"]


@pytest.mark.parametrize("template", beginning.TEMPLATES)
@pytest.mark.parametrize("languages", [["en"], ["pl"], ["en", "pl"]])
def test_templates_lack_only_what_the_organiser_knows(template, languages):
    content = beginning.from_template(template, "Nasza ankieta", languages, {"nasza-ankieta"})
    assert content["survey"] == "nasza-ankieta-2"
    _, mistakes = check(content)
    missing = {one.field for one in mistakes if one.error.code == "keys_missing"}
    assert missing == {("organiser",), ("contact",), ("other_way",)}
    # A title that was typed in one language is still to be written in the other.
    untranslated = {one.field for one in mistakes if one.error.code == "languages_differ"}
    assert untranslated == ({("title",)} if len(languages) == 2 else set())
    rest = {one.error.code for one in mistakes} - {"keys_missing", "languages_differ"}
    assert rest == ({"page"} if template == "blank" else set())
    if template != "blank":
        whole = {
            **content,
            "title": "Nasza ankieta",
            "organiser": "Town hall",
            "contact": "t@town.example",
            "other_way": "Call us.",
        }
        assert check(whole)[1] == []


def test_every_mistake_is_told_at_its_field():
    content = {
        "survey": "Town Hall", "title": "Town", "organiser": "x", "contact": "y", "other_way": "z", "closes": "soon",
        "languages": ["en", "pl"], "pages": [{"title": {"en": "You"}, "elements": [
            {"type": "boolean", "name": "a", "title": "A?"},
            {"type": "radiogroup", "name": "b", "title": "B?", "choices": ["x", "x"]},
            {"type": "rating", "name": "a", "title": "", "privacy": "iron"},
        ]}, {"elements": [{"type": "rating", "name": "d", "title": "D?", "rateMax": 90}, {"type": "boolean", "name": "e"}]}],
    }  # fmt: skip
    found = {(one.page, one.question, one.field[:1]) for one in check(content)[1]}
    assert found == {
        (None, None, ("survey",)), (None, None, ("closes",)), (0, None, ("title",)), (0, 1, ("choices",)), (0, 2, ("title",)),
        (0, 2, ("privacy",)), (0, 2, ("name",)), (1, 0, ("rateMax",)), (1, 1, ("title",)),
    }  # fmt: skip
    # The lines are those of the draft as YAML.
    text = yaml_text(content)[0].split("\n")
    assert {text[one.line - 1].split(":")[0].strip(" -") for one in check(content)[1] if one.field} >= {
        "survey",
        "closes",
        "rateMax",
    }
    polish = [one.sentence("pl") for one in check(content)[1]]
    assert all(one != other.sentence("en") for one, other in zip(polish, check(content)[1], strict=True))


def test_two_people_lose_nothing(store):
    begun = {"survey": "town", "pages": [{"elements": [{"type": "boolean", "name": "a"}, {"type": "boolean", "name": "b"}]}]}
    key = store.add_draft(begun, ANNA).key
    seen = [one.mark for one in parts.questions_of(begun)]

    def saves(who, place, mark, title, called=None):
        def change(content):
            one = parts.found(content, place, mark, called or begun["pages"][0]["elements"][place[1]]["name"])
            return parts.with_question(content, one, {**one.given, "title": title})

        return store.change_draft(key, change, who)

    # Different questions: both are kept.
    saves(ANNA, (0, 0), seen[0], "Anna's")
    after = saves(JAN, (0, 1), seen[1], "Jan's")
    assert [one.given["title"] for one in parts.questions_of(after.content)] == ["Anna's", "Jan's"]
    assert (after.revision, after.changed_by) == (3, "Jan")
    # The same question: the second is told, and nothing is overwritten.
    with pytest.raises(parts.ChangedMeanwhileError) as told:
        saves(JAN, (0, 0), seen[0], "Jan's, too")
    assert told.value.now["title"] == "Anna's"
    assert store.draft(key) == after
    # A question that was moved is found; one that was removed is not taken for the one that stands there now.
    store.change_draft(
        key, lambda content: parts.moved(content, (0, 1), parts.mark_of(after.content["pages"][0]["elements"][1]), -1), ANNA
    )
    moved = saves(JAN, (0, 1), parts.mark_of({"type": "boolean", "name": "b", "title": "Jan's"}), "Jan again")
    assert [one.given["title"] for one in parts.questions_of(moved.content)] == ["Jan again", "Anna's"]
    first = parts.question_at(moved.content, (0, 0))
    store.change_draft(key, lambda content: parts.removed(content, (0, 0), first.mark), ANNA)
    with pytest.raises(parts.ChangedMeanwhileError) as told:
        saves(JAN, (0, 0), first.mark, "Jan, late", "b")
    assert told.value.now is None


def test_drafts_are_kept_over_a_restart_and_in_backups(open_store, tmp_path):
    content = {"survey": "town", "title": "Żółw \ud800 🙂", "pages": "nonsense"}
    first = open_store()
    key = first.add_draft(content, ANNA).key
    first.close()
    assert open_store().draft(key).content == content
    with pytest.raises(RefusedError, match="no such draft"):
        open_store().draft("../../etc")
    with (tmp_path / "lines").open("w") as lines:
        open_store().dump(lines)
    from deniable.survey.store import Store

    with (tmp_path / "lines").open() as lines, Store(str(tmp_path / "other.db")) as other:
        other.load(lines, {})
        assert other.draft(key).content == content
        other.remove_draft(key)
        assert other.drafts() == []


def test_drafts_have_a_limit_in_number_and_size(store, monkeypatch):
    monkeypatch.setattr(store_drafts, "MOST_DRAFTS", 2)
    [store.add_draft({}, ANNA) for _ in range(2)]
    with pytest.raises(RefusedError, match="2 drafts already"):
        store.add_draft({}, ANNA)
    with pytest.raises(RefusedError, match="at most"):
        store.change_draft(store.drafts()[0].key, lambda _: {"title": "x" * 2_000_000}, ANNA)


def test_a_draft_longer_than_anyone_would_fill_in_is_refused():
    pages = [{"elements": []}] * 200
    assert len(beginning.from_text(json.dumps({"survey": "a", "pages": pages}))["pages"]) == 200
    for longer in ([*pages, {}], [{"elements": [{"type": "boolean"}] * 501}]):
        with pytest.raises(RefusedError, match="200 pages and 500 questions at most"):
            beginning.from_text(json.dumps({"survey": "a", "pages": longer}))


def test_a_type_that_is_no_text_is_a_mistake_like_others():
    content = {"survey": "a", "title": "t", "pages": [{"elements": [{"type": ["x"], "name": "q"}]}]}
    assert "unknown_type" in [one.error.code for one in check(content)[1]]


def test_pages_and_questions_are_arranged():
    content = {"pages": [{"title": "One", "elements": [{"name": "a", "type": "boolean"}, {"name": "b", "type": "boolean"}]}]}

    def names(given):
        return [[one["name"] for one in page["elements"]] for page in given["pages"]]

    def mark(given, place):
        return parts.question_at(given, place).mark

    two = parts.split(content, (0, 1), mark(content, (0, 1)))
    assert names(two) == [["a"], ["b"]]
    assert names(parts.joined(two, 1, parts.mark_of({}))) == [["a", "b"]]
    twice = parts.copied(two, (1, 0), mark(two, (1, 0)))
    assert names(twice) == [["a"], ["b", "b2"]]
    assert names(parts.moved(twice, (1, 0), mark(twice, (1, 0)), -1)) == [["a", "b"], ["b2"]]
    assert names(parts.moved(two, (0, 0), mark(two, (0, 0)), 1)) == [["a", "b"]]
    assert names(parts.removed(two, (0, 0), mark(two, (0, 0)))) == [["b"]]
    assert names(parts.added(two, "matrix")[0]) == [["a"], ["b", "q3"]]
    assert json.loads(json.dumps(content)) == content
    with pytest.raises(parts.ChangedMeanwhileError):
        parts.joined(two, 1, "another mark")
