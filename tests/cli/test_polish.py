"""Under --language pl commands speak Polish: no word of the English templates is left, and numbers have decimal commas."""

import json
import re
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.core import polish
from deniable.core.caps import Cap
from deniable.core.polish import Polish
from deniable.core.question_texts import QuestionTexts
from deniable.picture_words import ENGLISH, POLISH, Words
from deniable.privacy import report
from deniable.privacy.reporting import polish as report_in_polish
from deniable.privacy.reporting.describe_designs import describe_design
from deniable.reconstruction.reconstruct import EARLY, SMOOTHED, UNIFORM_INSIDE
from deniable.statistics import iterative, likeliest_joint, precision
from tests.core.examples import SMALL

WOMEN, MEN, YES = "plec == 'K'", "plec == 'M'", "dzieci == 'tak'"
COMMANDS = [
    ("distribution", "dochod"),
    ("distribution", "dzieci", "--by", "plec"),
    ("distribution", "dzieci", "--method", "iterative"),
    ("distribution", "dzieci", "--method", "em", "-w", WOMEN),
    ("crosstab", "plec", "dzieci"),
    ("reconstruct", "dzieci"),
    ("reconstruct", "szum", "--method", "eq"),
    ("count", YES),
    ("count", WOMEN),
    ("count", "dochod < 99000"),
    ("count", f"{YES} and {WOMEN}", "--method", "iterative"),
    ("mean", "dochod", "-w", WOMEN),
    ("mean", "dochod", "-w", "plec == 'nikt'"),
    ("mean", "dzieci"),
    ("share", YES),
    ("share", YES, "--among", WOMEN),
    ("share", "szum < 4"),
    ("difference", YES, "--between", WOMEN, MEN),
    ("difference", f"{YES} and {WOMEN}", f"{YES} and {MEN}"),
    ("difference", "--of", "dochod", "--between", WOMEN, MEN),
    ("quantile", "dochod"),
    ("quantile", "dochod", "-q", "0.9", "-w", WOMEN),
    ("quantile", "dochod", "-q", "0.25", "-q", "0.5"),
    ("mean", "dochod", "--by", "plec"),
    ("crosstab", "plec", "dzieci", "--list"),
    ("correlation", "dochod", "dzieci"),
    ("regression", "dochod", "dzieci"),
]


def words_in(text):
    return set(re.findall(r"[^\W\d_]{2,}", re.sub(r"\{\w*\}", " ", text).casefold()))


def texts_of(words: Words):
    for field in fields(words):
        found = getattr(words, field.name)
        yield from found.values() if hasattr(found, "values") else [found]


def english_words():
    """The words of all English templates that no Polish one has; "a", "i" and what is typed on the command line are no help."""
    tables = (polish._NAMES, polish._SENTENCES, polish._LABELS, report_in_polish._POLISH)
    english = [*texts_of(ENGLISH), *(key for table in tables for key in table)]
    said = [*texts_of(POLISH), *(value for table in tables for value in table.values())]
    # Conditions are written with and; a picture's or a table's own words never are.
    return (
        set().union(*map(words_in, english))
        - set().union(*map(words_in, said))
        - {"and", "joint", "picture", "none", "privacy"}
    )


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ankieta")
    said = {"plec": "Twoja płeć", "dzieci": "Czy masz dzieci?", "dochod": "Ile zarabiasz?", "szum": "Ile godzin śpisz?"}
    labels = {"dzieci": {"nie": "Nie", "tak": "Tak"}, "plec": {"K": "Kobieta", "M": "Mężczyzna", "nikt": "Nikt"}}
    texts = QuestionTexts(
        ["pl", "en"],
        {
            name: {
                "title": {"pl": title, "en": name},
                "labels": {key: {"pl": text, "en": key} for key, text in labels.get(name, {}).items()},
            }
            for name, title in said.items()
        },
    )
    schema = dn.Schema(
        {
            "plec": dn.Identity(dn.Nominal(["K", "M", "nikt"])),
            "dzieci": dn.KRR(dn.Nominal(["nie", "tak"]), 0.8),
            "dochod": dn.Retention(dn.Integer(0, 9_000, 100), 0.9),
            "szum": dn.Additive(dn.Integer(0, 12), dn.Normal(3)),
        },
        texts=texts,
    )
    rng = np.random.default_rng(3)
    people = pd.DataFrame(
        {
            "plec": ["K", "M"] * 400 + ["nikt"],
            "dzieci": rng.choice(["nie", "tak"], 801),
            "dochod": np.where(rng.random(801) < 0.5, 2_000, 5_000),
            "szum": rng.integers(5, 10, 801),
        }
    )
    schema.randomise(people, rng=rng).to_csv(folder / "r.csv", index=False)
    schema.save(folder / "r.schema.json")
    return folder


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_english_word_is_left(run, survey, command):
    code, out, err = run(command[0], survey / "r.csv", *command[1:], "--language", "pl")
    assert (code, err) == (0, "")
    # Names of files and of methods, and what is typed, stay as they are.
    said = re.sub(r"deniable difference .*|--[\w-]+( all)?|em/as", "", out)
    left = words_in(said) & english_words()
    assert not left, f"{left} in {said}"
    assert not re.search(r"\d\.\d", said), said


def test_english_stays_english(run, survey):
    """The list of words must be able to find something."""
    _, out, _ = run("share", survey / "r.csv", YES, "--among", WOMEN, "--language", "en")
    assert {"estimated", "share", "among", "reports"} <= words_in(out) & english_words()


def test_a_difference_is_judged_in_polish(run, survey):
    _, out, _ = run("difference", survey / "r.csv", YES, "--between", WOMEN, MEN, "--language", "pl")
    assert re.search(
        r"Różnica między tymi grupami jest nie do odróżnienia od 0: -?\d+,\d pkt proc\. \(przedział ufności 95%: od -\d", out
    )


def test_json_stays_as_it_is(run, survey):
    plain = run("share", survey / "r.csv", YES, "--json")[1]
    assert run("share", survey / "r.csv", YES, "--json", "--language", "pl")[1] == plain


def test_pictures_of_differences_are_in_points_like_their_tables(run, survey):
    run("difference", survey / "r.csv", YES, "--between", WOMEN, MEN, "--plot", survey / "d.json")
    picture = json.dumps(json.loads((survey / "d.json").read_text()), ensure_ascii=False)
    assert "punkty procentowe" in picture
    assert "udział osób, dla których" in picture
    assert "share of" not in picture


DESIGNS = [
    *(channel for channels in SMALL.values() for channel in channels),
    dn.UnrelatedQuestion(dn.Binary(), theta=0.5, innocuous=0.25, asked=True),
    dn.UnrelatedQuestion(dn.Integer(0, 9), theta=0.5, asked=True),
]
REASONS = [
    *(UNIFORM_INSIDE, EARLY, SMOOTHED),
    *(likeliest_joint.BEHIND_NOISE, likeliest_joint.AT_THE_BORDER, iterative.CHOSEN_ROWS),
]
ASSUMED = [
    *(Cap(np.arange(4), most).words("szum") for most in (0.5, 1.0)),
    *(str(design.assumption) for design in DESIGNS if design.assumption is not None),
    *(precision.said_of_parts(np.array([0.4, 0.6]), probability) for probability in (0.5, 0.0001)),
]


@pytest.mark.parametrize("sentence", list(dict.fromkeys([*map(describe_design, DESIGNS), *REASONS, *ASSUMED])))
def test_every_sentence_has_its_polish_one(sentence):
    said = Polish({}).sentence(sentence)
    assert not words_in(said) & english_words(), said


QUESTIONS = """
survey: miasto
title: {pl: Miasto, en: Town}
organiser: {pl: Ratusz, en: Town hall}
contact: ratusz@miasto.example
other_way: {pl: Na papierze., en: Paper.}
languages: [en, pl]
privacy: light
pages:
- elements:
  - {type: boolean, name: pali, title: {pl: Czy palisz?, en: Smoke?}}
  - {type: rating, name: park, title: {pl: Jak park?, en: Park?}, rateMax: 5, privacy: {design: krr, p: 0.7}}
  - {type: number, name: wiek, title: {pl: Ile lat?, en: Age?}, grid: true, min: 0, max: 100, step: 5}
  - {type: number, name: godziny, title: {pl: Ile godzin?, en: Hours?}, grid: true, min: 0, max: 30, step: 5,
     privacy: {design: laplace, scale: 25, answered: 0.55}}
  - {type: boolean, name: dlugi, title: {pl: Masz długi?, en: Debts?},
     privacy: {design: unrelated, theta: 0.4, innocuous: {no: 0.4, yes: 0.4, no answer: 0.2}, asked: true,
               question: {pl: Lubisz herbatę?, en: Tea?}}}
  - {type: boolean, name: auto, title: {pl: Masz auto?, en: Car?}, privacy: none}
"""


@pytest.mark.parametrize("answers", ["1", "50", "5000"])
def test_checking_a_questionnaire_is_polish(run, tmp_path, answers):
    (tmp_path / "q.yaml").write_text(QUESTIONS, encoding="utf-8")
    code, out, err = run("survey", "check", "q.yaml", "--language", "pl", "--answers", answers)
    assert (code, err) == (0, "")
    left = words_in(re.sub(r"answered|scale|auto|privacy: none|(no|yes|no answer): \d+%", "", out)) & english_words()
    assert not left, f"{left} in {out}"
    assert "odpowiedzi w liczbie" not in out
    code, _, err = run("survey", "check", "q.yaml", "--language", "de")
    assert (code, "en (English) or pl (Polish), got 'de'" in err) == (2, True)


@pytest.mark.parametrize("answers", ["1", "50", "5000"])
def test_the_privacy_report_of_a_questionnaire_is_polish(run, tmp_path, answers):
    (tmp_path / "q.yaml").write_text(QUESTIONS, encoding="utf-8")
    code, out, err = run("privacy", "q.yaml", "--language", "pl", "--html", "p.html", "--answers", answers)
    assert (code, err) == (0, "")
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert '<html lang="pl">' in page
    shown = re.sub(r"<[^>]*>", " ", page[page.index("<main>") :])
    labels = " ".join(re.findall(r'(?:aria|data)-label="([^"]*)"', page))
    for said in (out, shown, labels):
        plain = re.sub(
            r"Google Chrome|Apple, iOS|Microsoft|RAPPOR|[0-9a-f]{64}|answered|scale|auto|(no|yes|no answer): \d+%",
            "",
            said,
        )
        left = words_in(plain) & english_words()
        assert not left, f"{left} in {plain}"
    # Questions by their words, in the summary and in front of notes; no sentence with two colons.
    assert "Jawne, bez ochrony przez losowanie: „Masz auto?”." in out
    assert "uwaga: „Masz auto?” (auto): " in out
    assert "Dla porównania, co podali inni:" in out
    assert "randomisation (“Car?”)" in run("privacy", "q.yaml", "--language", "en")[1]
    assert "If someone reports" in run("privacy", "q.yaml")[1]
    assert '"by a factor of at most 9.0"' in run("privacy", "q.yaml", "--language", "pl", "--json")[1]


@pytest.mark.parametrize("channel", DESIGNS, ids=repr)
def test_every_row_and_warning_of_a_report_has_its_polish_one(channel):
    say = report_in_polish.sayer("pl")
    found = report(dn.Schema({"x": channel, "y": dn.KRR(dn.Binary(), 0.9)}))
    row = found.rows[0]
    texts = [row.hidden_by, row.says, row.supposing, row.odds, row.shown_epsilon, *row.warnings, found.together, found.summary]
    for text in [*texts, *(note for _, note in found.notes), *(warning for _, warning in found.warnings)]:
        # Labels stay as they are, and so do the names of designs and noises.
        plain = re.sub(r"„[^”]*”|\([\w, ]+\)|\w+\(.*?\)|\w+: \d+", "", say(text))
        assert not words_in(plain) & english_words(), say(text)
