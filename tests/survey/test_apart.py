"""The names and numbers by which trials are kept apart from real surveys."""

import hashlib
import re

import pytest

from deniable.errors import QuestionnaireError, RefusedError
from deniable.survey import apart
from deniable.survey.drafts.beginning import free_slug
from deniable.survey.drafts.checked import check
from deniable.survey.json_schema import json_schema
from deniable.survey.questionnaire import SLUG, Questionnaire
from deniable.survey.store.labels import view_name

YAML = """
survey: {slug}
title: Habits
organiser: Town hall
contact: t@town.example
other_way: Call us.
pages: [{{elements: [{{type: boolean, name: smokes, title: Do you smoke?}}]}}]
"""
NAMES = ["trial--town", "made-up--town", "trial--", "made-up--", "trial---x"]


@pytest.mark.parametrize("slug", NAMES)
def test_a_questionnaire_may_not_take_such_a_name(slug):
    with pytest.raises(QuestionnaireError) as refused:
        Questionnaire.parse(YAML.format(slug=slug))
    assert (refused.value.code, refused.value.parameters["line"]) == ("reserved_slug", 2)
    assert "kept for trials" in str(refused.value)
    # What is written instead can be used.
    Questionnaire.parse(YAML.format(slug=refused.value.parameters["better"]))
    schema = json_schema()["properties"]["survey"]
    assert re.search(schema["not"]["pattern"], slug)


@pytest.mark.parametrize("slug", ["trial", "trial-lane", "trials--a", "made-up", "a-trial--b", "made-up-stories"])
def test_other_names_stay_what_they_were(slug):
    assert Questionnaire.parse(YAML.format(slug=slug)).slug == slug
    assert (apart.reserved_for(slug), apart.first_number(slug)) == (None, 1)
    assert not re.search(json_schema()["properties"]["survey"]["not"]["pattern"], slug)


def test_a_draft_is_told_so_at_its_field_in_both_languages():
    content = Questionnaire.parse(YAML.format(slug="habits")).to_json()
    _, [mistake] = check({**content, "survey": "trial--habits"})
    assert (mistake.error.code, mistake.field) == ("reserved_slug", ("survey",))
    assert "habits" in mistake.sentence("en")
    assert "są dla prób" in mistake.sentence("pl")


def test_what_a_store_gives_back_is_read_whatever_its_name():
    content = Questionnaire.parse(YAML.format(slug="habits")).to_json()
    assert Questionnaire.from_json({**content, "survey": "trial--habits"}).slug == "trial--habits"


@pytest.mark.parametrize("kind", apart.PREFIXES)
@pytest.mark.parametrize("slug", ["a", "-", "b" * 32, "b" * 33, "b" * 44, "b" * 45, "b" * 46, "b" * 63, "b" * 62 + "c"])
def test_names_of_trials_are_names_and_fit_the_names_of_views(kind, slug):
    made = apart.new_slug(kind, slug)
    assert SLUG.fullmatch(made)
    assert apart.reserved_for(made) == kind
    assert [one for one in apart.PREFIXES if apart.is_tried_as(made, one, slug)] == [kind]
    assert len(view_name(made, 10 * apart.NUMBERS[kind] - 1)) <= 63 or len(made) <= 54
    assert len(view_name(made, apart.first_number(made))) <= 63


@pytest.mark.parametrize("kind", apart.PREFIXES)
def test_long_names_that_begin_alike_have_trials_of_their_own(kind):
    one, other = "b" * 62 + "c", "b" * 63
    assert apart.is_tried_as(apart.new_slug(kind, one), kind, one)
    assert not apart.is_tried_as(apart.new_slug(kind, one), kind, other)


@pytest.mark.parametrize(("kind", "longest"), [("trial", 33), ("made-up", 45)])
def test_no_survey_is_called_what_a_long_name_is_cut_to(kind, longest):
    """Its trial would be the trial of both."""
    long = "b" * 60
    cut = apart.new_slug(kind, long).removeprefix(apart.PREFIXES[kind])[:longest]
    assert cut == f"{long[: longest - 9]}-{hashlib.sha256(long.encode()).hexdigest()[:8]}"
    for one, other in ((long, cut), (cut, long)):
        assert not apart.is_tried_as(apart.new_slug(kind, one), kind, other)


def test_names_of_trials_are_drawn_anew_each_time():
    assert len({apart.new_slug("trial", "town") for _ in range(1_000)}) == 1_000


def test_numbers_of_the_three_kinds_do_not_meet():
    kinds = [apart.kind_of(slug, apart.first_number(slug)) for slug in ("town", "trial--town", "made-up--town")]
    assert kinds == [None, "trial", "made-up"]
    for slug in ("town", "trial--town", "made-up--town"):
        for other in ("town", "trial--town", "made-up--town"):
            number = apart.first_number(other)
            if other in (slug, "town"):
                apart.check_kept_apart(
                    slug, number
                )  # an ordinary number under such a name: from before the names were reserved
            else:
                with pytest.raises(RefusedError, match="a trial's"):
                    apart.check_kept_apart(slug, number)


@pytest.mark.parametrize("title", ["Trial -- of the buses", "trial--buses", "MADE-UP--x", "Made up: x"])
def test_no_title_leads_to_such_a_name(title):
    assert apart.reserved_for(free_slug(title, ())) is None


def test_the_page_knows_the_same_prefixes():
    from deniable.web.released import STATIC

    script = (STATIC / "kind.js").read_text()
    assert re.findall(r'\["([^"]+--)",', script) == list(apart.PREFIXES.values())
