"""The report of a survey: what it says, that forged answers do what it prints, and that hostile texts do nothing."""

import html
import json
import re
from html.parser import HTMLParser
from string import Formatter

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.engines.count import as_countable
from deniable.errors import DeniableError, RefusedError
from deniable.privacy.measures.influence import influence
from deniable.results.asking import ask
from deniable.results.questions import Comparison, CrossTable, OneQuestion, Together
from deniable.results.report.contents import Chosen, Contents, asked_for, compared, parse_contents
from deniable.results.report.forged import could_be_sent
from deniable.results.report.joint import cross_section
from deniable.results.report.making import report_of_export, report_of_survey
from deniable.results.report.sections import comparison_sections, question_section
from deniable.results.report.words import ENGLISH, POLISH
from deniable.results.showing import ready
from deniable.results.words import said_in
from deniable.results.workbench import Workbench
from deniable.survey.export import export
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store
from tests.results.council import insert

CONTENTS = """
title: {en: Results, pl: Wyniki}
words: {en: "Dear council,\\n\\nsee below.", pl: "Szanowna Rado,\\n\\nzobacz poniżej."}
questions: [smokes, {of: mood, mean: true}, {of: mood, by: sex, mean: true}, {of: owes, by: sex, words: Asked by a committee.}]
compare:
- {of: smokes, first: "sex == 'F'", second: "sex == 'M'"}
- {of: owes, first: "sex == 'F'", second: "sex == 'M'"}
"""
HOSTILE = "<script>alert(1)</script>\"><img src=x onerror=alert(2)></style></title>{{7*7}}{% raw %}'`&amp;"


def text_of(page):
    body = re.sub(r"<(style|title)>.*?</\1>|<svg.*?</svg>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body).replace("&#39;", "'"))


@pytest.mark.statistical
def test_forged_answers_shift_estimates_as_printed():
    """Seed 5, 200,000 answers: rows are really replaced, every answer that could be sent is tried, and the largest shift that happens is
    within 10% of the printed one, for a share, a scale of five and a difference of groups, with 1% and 5% forged."""
    rng = np.random.default_rng(5)
    n = 200_000
    sex = rng.integers(0, 2, n)
    truth = pd.DataFrame(
        {
            "sex": np.array(["F", "M"])[sex],
            "smokes": np.where(rng.random(n) < 0.2 + 0.2 * sex, "yes", "no"),
            "mood": rng.integers(1, 6, n),
        }
    )
    schema = dn.Schema(
        {
            "sex": dn.KRR(dn.Nominal(["F", "M"]), 0.8),
            "smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75),
            "mood": dn.KRR(dn.Nominal([1, 2, 3, 4, 5]), 0.6),
        }
    )
    reports = schema.randomise(truth, rng)
    asked = ready(1, as_countable(reports), schema, True)
    views = [
        (question_section(asked, Chosen(OneQuestion("smokes")), "en"), lambda s: s.distribution("smokes"), ["smokes"]),
        (question_section(asked, Chosen(OneQuestion("mood")), "en"), lambda s: s.distribution("mood"), ["mood"]),
        (
            comparison_sections(asked, [Chosen(Comparison("smokes", "sex == 'F'", "sex == 'M'"))], "en")[0],
            lambda s: s.difference("smokes == 'yes'", between=("sex == 'F'", "sex == 'M'")),
            ["smokes", "sex"],
        ),
    ]
    chosen = rng.permutation(n)
    for section, estimate, names in views:
        before = estimate(dn.Sample(reports, schema)).shown
        for place, share in enumerate((0.01, 0.05)):
            moved = np.zeros(len(before))
            for sent in could_be_sent(schema, names):
                forged = reports.copy()
                for name, code in sent.items():
                    column = forged[name].to_numpy(copy=True)
                    column[chosen[: round(share * n)]] = schema[name].outputs[code]
                    forged[name] = column
                moved = np.fmax(moved, np.abs(estimate(dn.Sample(forged, schema)).shown - before))
            printed = [float(line.shifts[place].removeprefix("± ")) / 100 for line in section.lines]
            np.testing.assert_allclose(printed, moved, rtol=0.1)
    # The formula: a forged report moves a count by its weight less what the person would have added.
    (line,) = [line for line in views[0][0].lines if line.label == "yes"]
    yes = float(line.estimate.rstrip("%")) / 100
    assert line.largest == pytest.approx(0.05 * (influence(schema["smokes"]) - yes), rel=0.01)


def test_key_sentences_in_both_languages(new_store):
    store = new_store()
    english = text_of(report_of_survey(store, "council", parse_contents(CONTENTS), "en"))
    polish = text_of(report_of_survey(store, "council", parse_contents(CONTENTS)))
    for sentence in (
        "3,000 answers are in this report. The survey is closed.",
        "This report describes those who answered.",
        "randomising does not correct them",
        "The most frequent answer is “No”:",
        "The mean is ",
        "This report holds 2 verdicts of this kind. They are adjusted for their number",
        "is larger than chance explains.",
        "if 1% or 5% of the 3,000 answers had been replaced",
        "Asked by a committee.",
        "by a factor of at most",
        "Dear council,",
    ):
        assert sentence in english, sentence
    for sentence in (
        "Liczba odpowiedzi w tym raporcie: 3\xa0000. Ankieta jest zamknięta.".replace("\xa0", " "),
        "Raport opisuje osoby, które odpowiedziały.",
        "losowanie ich nie poprawia",
        "Najczęstsza odpowiedź to „Nie”:",
        "„Kobieta”: średnia wynosi ",
        "Takich wniosków jest w raporcie 2.",
        "jest większa, niż można wyjaśnić przypadkiem.",
        "Czego nie można powiedzieć",
        "1% fałszywych (pkt proc.)",
        "Szanowna Rado,",
    ):
        assert sentence in polish, sentence
    assert " were " not in polish
    assert "no answer" not in polish
    assert "sex ==" not in polish + english
    assert "pkt proc" not in english


def test_every_estimate_has_an_interval_and_no_share_leaves_its_range(new_store):
    store = new_store()
    page = report_of_survey(store, "council", None, "en")
    rows = re.findall(r"<tr role=\"row\"><th[^>]*>(.*?)</th><td[^>]*>(.*?)</td><td[^>]*>(.*?)</td><td", page)
    assert len(rows) > 10
    for label, estimate, between in rows:
        assert label
        assert re.fullmatch(r"(between \d+ and \d+|\d+) in 100", between), between
        assert 0 <= float(estimate.rstrip("%")) <= 100
    for drawn in re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL):
        assert drawn.count("<circle") == drawn.count('stroke-width="3"') > 0
        assert "<title>" in drawn


class Seen(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes = set(), set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {(name, value) for name, value in attrs}


def test_hostile_texts_do_nothing(tmp_path):
    asked = {
        "survey": "evil", "title": HOSTILE, "description": HOSTILE, "organiser": HOSTILE, "contact": "a@b.example", "other_way": HOSTILE,
        "languages": ["en"],
        "pages": [{"elements": [
            {"type": "radiogroup", "name": "sex", "title": HOSTILE, "privacy": "none",
             "choices": [{"value": "F", "text": HOSTILE}, {"value": "M", "text": HOSTILE + "2"}]},
            {"type": "boolean", "name": "owes", "title": HOSTILE + "?", "privacy": "strong"},
        ]}],
    }  # fmt: skip
    schema = Questionnaire.from_json(asked).schema
    with Store(str(tmp_path / "evil.db")) as store:
        store.open_survey(Questionnaire.from_json(asked))
        rng = np.random.default_rng(1)
        insert(store, "evil", np.column_stack([rng.integers(0, 2, 600) for _ in schema]))
        store.close_survey("evil")
        words = {"words": HOSTILE}
        groups = {"first": "sex == 'F'", "second": "sex == 'M'"}
        own = dict.fromkeys(("title", "words", "asked", "closing"), HOSTILE)
        own |= {"questions": [{"of": "owes", "by": "sex"} | words], "compare": [{"of": "owes"} | groups | words]}
        page = report_of_survey(store, "evil", parse_contents(json.dumps(own)))
    seen = Seen()
    seen.feed(page)
    assert not seen.tags & {"script", "img", "iframe", "object", "link", "a", "form", "base", "foreignobject"}
    assert not [name for name, _ in seen.attributes if name.startswith("on") or name in ("src", "href", "style")]
    assert page.count("<style>") == page.count("</style>") == 1
    assert "{{7*7}}" in page
    assert "url(" not in page
    assert "@import" not in page


def test_the_export_gives_the_same_figures(new_store, tmp_path):
    store = new_store()
    export(store, "council", tmp_path / "answers.csv")
    contents = Contents((asked_for("smokes"), asked_for("mean mood")), (compared("owes: sex == 'F' | sex == 'M'"),))
    pages = [report_of_survey(store, "council", contents, "pl"), report_of_export(tmp_path / "answers.csv", contents, "pl")]
    rows = [re.findall(r"<tr.*?</tr>", page, flags=re.DOTALL) for page in pages]
    assert rows[0] == rows[1]
    assert len(rows[0]) > 5


def test_small_groups_and_open_surveys_are_not_shown(new_store):
    few = text_of(report_of_survey(new_store(n=49), "council", None, "en"))
    assert "Fewer than 50 answers are in this report" in few
    assert "49" not in few
    assert "Too few answers." in few
    open_ = new_store(n=300, closed=False)
    with pytest.raises(RefusedError, match="closed"):
        report_of_survey(open_, "council")
    everything = text_of(report_of_survey(open_, "council", Contents((asked_for("owes"),)), "en", everything=True))
    assert "Do not publish it." in everything
    assert "The survey is still open" in everything


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title: A\nquestion: [a]", "line 2: a report has no 'question'"),
        ("questions: smokes", "is a list"),
        ("questions:\n- smokes\n- {off: mood}", "line 3: .*has no 'off'"),
        ("compare:\n- smokes", "keys of, first and second"),
        ("compare:\n- {of: smokes, first: \"sex == 'F'\"}", "needs 'second'"),
        ("cross:\n- smokes", "keys of and by"),
        ("cross:\n- {of: smokes, by: sex, mean: true}", "has no 'mean'"),
        ("together:\n- {of: [smokes]}", "2 to"),
        ("together:\n- {of: smokes}", "names"),
        ("words: [1]", "own words are a text"),
        ('words: "a\\u202Eb"', "cannot be printed"),
        ("- smokes", "keys such as"),
        ("questions: [", "line 1"),
    ],
)
def test_contents_that_cannot_be_read_are_refused_with_their_line(text, message):
    with pytest.raises(DeniableError, match=message):
        parse_contents(text)


def test_words_of_another_language_are_missed(new_store):
    with pytest.raises(DeniableError, match="write them in pl too"):
        report_of_survey(new_store(n=200), "council", parse_contents("words: {en: Hello}\nquestions: [owes]"), "pl")


def test_both_languages_say_the_same_things():
    assert sorted(ENGLISH) == sorted(POLISH)
    for key, text in ENGLISH.items():
        places = [{name for _, name, _, _ in Formatter().parse(one) if name} for one in (text, POLISH[key])]
        assert places[0] == places[1], key


JOINT = """
questions: [owes]
cross: [{of: smokes, by: sex, words: Asked by a committee.}, {of: mood, by: owes}]
together: [{of: [smokes, owes, sex], support: 0.05, confidence: 0.3}]
"""


@pytest.mark.parametrize("language", ["en", "pl"])
def test_cross_tables_and_rules_are_printed_with_their_intervals(new_store, language):
    """The figures are those of the views themselves, each with its interval; rules have a sentence each."""
    store = new_store()
    page = report_of_survey(store, "council", parse_contents(JOINT), language)
    bench, said = Workbench(store), html.unescape(text_of(page))
    cells = re.findall(r'<strong>(.*?)</strong> <span class="between">(.*?)<', page)
    expected = []
    for of, by in (("smokes", "sex"), ("mood", "owes")):
        (block,) = bench.ask("council", CrossTable(of, by), language, exporting=False).blocks
        expected += [
            (said_in(language).words.percent(figure.value), figure.sentence)
            for figure in block.figures
            if figure.value is not None
        ]
    assert cells == expected
    assert len(cells) >= 4
    rules = bench.ask("council", Together(("smokes", "owes", "sex"), 0.05, 0.3), language, exporting=False).blocks[0]
    assert rules.figures
    for sentence in rules.sentences[: len(rules.figures)]:
        assert sentence in said
        assert len(re.findall(r"between \d+ and \d+ in 100|od \d+ do \d+ na 100", sentence)) == 2  # of those, and of everyone
    words = POLISH if language == "pl" else ENGLISH
    for key in ("cross_how", "rules_how", "rules_cause"):
        assert words[key] in said
    assert "Asked by a committee." in said
    assert "?:" not in said
    assert not re.search(r"\(KRR\)|\d{4}-\d\d-\d\d", said)


def test_cross_tables_of_too_few_people_are_not_printed(new_store):
    """Of 90 people some combination of reports has fewer than 50: neither table nor rules are shown, and nothing says how few."""
    page = text_of(report_of_survey(new_store(n=90), "council", parse_contents(JOINT), "en"))
    assert page.count("Too few answers.") >= 3
    assert "also have" not in page
    assert 'class="between"' not in page


def test_a_wide_cross_table_is_printed_as_a_list():
    labels = [f"answer {i}" for i in range(8)]
    schema = dn.Schema({"sex": dn.Identity(dn.Nominal(["F", "M"])), "many": dn.Identity(dn.Nominal(labels))})
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"sex": rng.choice(["F", "M"], 2_000), "many": rng.choice(labels, 2_000)})
    section = cross_section(ready(1, as_countable(frame), schema, True), Chosen(CrossTable("many", "sex")), "en")
    assert (len(section.lines), section.cells) == (16, [])
    turned = cross_section(ready(1, as_countable(frame), schema, True), Chosen(CrossTable("sex", "many")), "en")
    assert (turned.lines, len(turned.cells), turned.columns) == ([], 8, ["F", "M"])


def test_numbers_below_0_have_a_minus_that_files_for_programs_do_not_have():
    schema = dn.Schema({"sex": dn.Identity(dn.Nominal(["F", "M"])), "mood": dn.Identity(dn.Integer(-3, 3))})
    frame = pd.DataFrame({"sex": ["F", "M"] * 500, "mood": [-2, 1] * 250 + [-1, 2] * 250})
    asked = Comparison("mood", "sex == 'F'", "sex == 'M'", mean=True)
    (section,) = comparison_sections(ready(1, as_countable(frame), schema, True), [Chosen(asked)], "en")
    assert section.lines[0].estimate.startswith("\u2212")
    assert "\u2212" in section.lines[0].between
    answer = ask(dn.Sample(frame, schema), asked)
    assert "\u2212" in answer.blocks[1].figures[0].sentence
    for file in (answer.csv(), answer.json()):
        assert "\u2212" not in file
        assert "between -" in file
