"""What people get wrong in their first questionnaire is told with what to do."""

from __future__ import annotations

import pytest

from deniable.errors import FileError, QuestionnaireError
from deniable.survey.questionnaire import Questionnaire

GOOD = """survey: habits
title: Zdrowie łódzkie
organiser: Town hall
contact: survey@town.example
other_way: Call us.
pages:
- elements:
  - {type: boolean, name: smokes, title: Do you smoke?}
"""


def test_a_file_of_windows_is_to_be_saved_as_utf8_and_its_mark_is_no_mistake(tmp_path):
    path = tmp_path / "q.yaml"
    path.write_bytes(GOOD.encode("cp1250"))
    with pytest.raises(FileError, match="Save it again as UTF-8") as error:
        Questionnaire.load(path)
    assert "codec" not in str(error.value)
    path.write_bytes(GOOD.encode("utf-8-sig"))
    assert Questionnaire.load(path).title == {"en": "Zdrowie łódzkie"}


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("  - {type", "\t- {type", "line 8: there is a tab where YAML wants spaces. Use spaces instead."),
        ("title: Zdrowie łódzkie", "title:", "line 2: a text is missing: title."),
        (
            "title: Zdrowie łódzkie",
            "title: {en: Health, de: Gesundheit}",
            "title has the unknown ['de']; the survey's languages are ['en'].",
        ),
        ("title: Zdrowie łódzkie", "title: {}", "title is missing ['en']; the survey's languages are ['en']."),
        ("organiser:", "languages: [en, Polski]\norganiser:", "codes of two or three small letters; Polski is none."),
        ("organiser:", "languages: [en, en]\norganiser:", "languages is a list such as [en, pl], got ['en', 'en']."),
    ],
)
def test_a_mistake_is_named(before, after, says):
    text = GOOD.replace(before, after, 1)
    with pytest.raises(QuestionnaireError) as error:
        Questionnaire.parse(text)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("grid", "noise", "passes"),
    [
        ("min: 0, max: 20", "scale: 10, answered: 0.6", True),  # the examples of docs/questionnaire.md
        ("min: 18, max: 90", "scale: 36, answered: 0.3", True),
        ("min: 18, max: 90", "scale: 1000, answered: 0.7", False),
    ],
)
def test_noise_that_pages_refuse_is_told_of_silence_too(grid, noise, passes):
    number = (
        f"  - {{type: number, name: n, title: How many?, grid: true, {grid}, step: 1, privacy: {{design: laplace, {noise}}}}}\n"
    )
    if passes:
        assert Questionnaire.parse(GOOD + number).title == {"en": "Zdrowie łódzkie"}
        return
    with pytest.raises(QuestionnaireError, match="a smaller p, theta or answered"):
        Questionnaire.parse(GOOD + number)


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("title: Z", "title: Życie: z", 'line 2: a text with a colon in it needs quotes: title: "Życie: zdrowie łódzkie".'),
        ("title: Zdrowie", "title: {en: Zdrowie: nasze}", 'line 2: a text with a colon in it needs quotes: "Zdrowie: nasze".'),
        ("title: Z", "title:Z", "line 2: a space is missing after the colon: title: Zdrowie łódzkie"),
        ("- elements", "-elements", "line 7: a space is missing after the dash: - elements:"),
        ("title: Zdrowie", "title: '", "line 2: the quote ' that opens here is never closed."),
        ("title: Z", 'title: "Z', 'line 2: the quote " that opens here is never closed.'),
        ("Zdrowie łódzkie\norganiser: Town hall", '"Zdrowie\norganiser: "Town hall"', 'line 2: the quote " that opens here is not closed'),
        ("Zdrowie łódzkie", "'It's ours'", 'line 2: a text goes on after its closing quote. If it has quotes inside, put others'),
        ("Zdrowie łódzkie", "'It's ours'", 'around the whole: title: "It\'s ours".'),
        ("organiser", " organiser", "line 3: this line is indented further than the one above"),
        ("  - {type", "    - {type: boolean, name: a, title: A}\n  - {type", "line 9: this line is indented otherwise than those"),
        ("title: Z", "title: @Z", 'line 2: a text that begins with @ needs quotes: title: "@Zdrowie łódzkie".'),
        ("title: Z", "title: %Z", 'line 2: a text that begins with % needs quotes: title: "%Zdrowie łódzkie".'),
        ("title: Z", "title: `Z", 'line 2: a text that begins with ` needs quotes: title: "`Zdrowie łódzkie".'),
        ("title: Z", "title: *Z", 'line 2: a text that begins with * needs quotes: title: "*Zdrowie łódzkie".'),
        ("Do you smoke?}", "Do you smoke?", "line 8: the { that opens here is not closed by }"),
        ("Zdrowie łódzkie", "{en: Well, how are you?}", 'Inside { } a text with a comma needs quotes: "Well, how are you?".'),
        ("name: smokes", "name: płeć", "begins with a letter and is at most 40 long, got 'płeć'; write plec."),
        ("survey: habits", "survey: Życie", "got 'Życie'; write zycie."),
        ("boolean, name: smokes", "number, name: income", "in ranges (bands: [1000, 2000, 4000]), or as a number itself (grid: true with"),
    ],
)  # fmt: skip
def test_what_is_no_yaml_or_no_name_is_told_with_the_words_put_right(before, after, says):
    text = GOOD.replace(before, after, 1)
    with pytest.raises(QuestionnaireError) as error:
        Questionnaire.parse(text)
    assert says in str(error.value)
    assert "mapping values" not in str(error.value)


def test_a_slip_in_a_key_is_one_mistake_with_the_key_that_was_meant():
    text = GOOD.replace("title: Zdrowie", "titel: Zdrowie").replace("title: Do", "titel: Do").replace("boolean", "bolean")
    with pytest.raises(QuestionnaireError) as error:
        Questionnaire.parse(text)
    assert str(error.value).splitlines()[1:] == [
        "  line 2: a questionnaire has no 'titel'; did you mean 'title'?",
        "  line 8: there is no question type 'bolean'; did you mean 'boolean'? Otherwise there are ['boolean', 'radiogroup', 'dropdown', "
        "'rating', 'number', 'age', 'checkbox', 'matrix', 'information', 'consent'].",
    ]
    with pytest.raises(QuestionnaireError) as error:
        Questionnaire.parse(text.replace("bolean", "boolean"))
    assert str(error.value).splitlines()[2] == "  line 8: a boolean has no 'titel'; did you mean 'title'?"
    assert error.value.parameters["count"] == 2


def test_names_and_conditions_are_checked_beside_questions_that_hold_other_mistakes():
    text = (
        GOOD
        + """  - {type: radiogroup, name: district, title: Where?, choices: [north]}
  - {type: boolean, name: smokes, titel: Again?}
  - {type: boolean, name: b, title: B, visibleIf: "{district} = 'north'"}
  - {type: boolean, name: c, title: '', visibleIf: "{nobody} = 'north'"}
"""
    )
    with pytest.raises(QuestionnaireError) as error:
        Questionnaire.parse(text)
    said = str(error.value)
    assert "line 9: choices is a list of 2" in said
    assert "line 10: a boolean has no 'titel'; did you mean 'title'?" in said
    assert "line 10: the name 'smokes' is used twice." in said
    assert "line 11: visibleIf may not depend on 'district', whose answer is private" in said
    assert "line 12: a text is missing: title." in said
    assert "line 12: visibleIf names 'nobody', which is not asked before." in said
    # Where nobody knows whether an answer is private, no condition is blamed for it.
    with pytest.raises(QuestionnaireError) as error:
        Questionnaire.parse(text.replace("choices: [north]", "choices: [north], privacy: none"))
    assert "may not depend" not in str(error.value)
