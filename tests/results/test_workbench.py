"""What the workbench shows are the numbers of `dn.Sample`, in the survey's own words."""

import json
import re
import threading
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import deniable as dn
from deniable.errors import ParameterError, RefusedError
from deniable.picture_words import answer_to
from deniable.results import asking
from deniable.results.address import from_address
from deniable.results.estimating import not_shown
from deniable.results.kept import Kept
from deniable.results.pictures import exactly, written
from deniable.results.questions import Overview, Prediction, Together
from deniable.results.rounding import supported
from deniable.results.tallies import MovedError
from deniable.results.words import for_programs, said_in
from deniable.results.workbench import Workbench
from deniable.survey.export import export
from tests.results.council import insert, reports_of

VIEWS = [
    "view=overview",
    "view=overview&where=sex+==+'F'",
    "view=question&of=smokes",
    "view=question&of=smokes&by=sex&where=age+>=+30",
    "view=question&of=mood&by=age",
    "view=question&of=age",
    "view=mean&of=mood&by=sex",
    "view=mean&of=age&where=smokes+==+'yes'",
    "view=cross&of=owes&by=smokes",
    "view=compare&of=smokes&first=sex+==+'F'&second=sex+==+'M'",
    "view=compare&of=mood&first=smokes+==+'yes'&second=smokes+==+'no'",
    "view=compare&of=mood&mean=yes&first=sex+==+'F'&second=sex+==+'M'",
    "view=versions&of=owes",
]

CUTTING = ("view=question&of=smokes&by=sex&where=age+>=+30", "view=mean&of=age&where=smokes+==+'yes'")
"""Conditions that cut through the cells of those who may not export, and means of numbers that they see in cells."""


def question(text):
    from urllib.parse import quote

    return from_address(
        "&".join(f"{part.partition('=')[0]}={quote(part.partition('=')[2], safe='+')}" for part in text.split("&"))
    )


@pytest.fixture
def bench(new_store):
    return Workbench(new_store())


@pytest.mark.parametrize("text", VIEWS)
@pytest.mark.parametrize("exporting", [True, False])
def test_every_point_has_an_interval_and_texts_not_codes(bench, text, exporting):
    if not exporting and text in CUTTING:
        with pytest.raises(ParameterError):
            bench.ask("council", question(text), "pl", exporting)
        return
    answer = bench.ask("council", question(text), "pl", exporting)
    assert answer.blocks
    for block in answer.blocks:
        assert block.figures or block.sentences
        for figure in block.figures:
            assert (figure.value is None) == (figure.low is None) == (figure.high is None)
            if figure.value is not None:
                assert figure.low <= figure.value <= figure.high
                if block.kind == "share":
                    assert 0 <= figure.low <= figure.high <= 1
            assert figure.sentence
            assert figure.label not in ("yes", "no", "F", "M", "smokes", "owes", "no answer")
            assert figure.group not in ("yes", "no", "F", "M", "no answer")
    said = " ".join([answer.title, *answer.sentences, *(s for block in answer.blocks for s in (block.title, *block.sentences))])
    assert not any(code in said for code in ("smokes", "owes", "sex", "mood", "'F'", "'yes'"))
    json.loads(answer.json())
    ET.fromstring(answer.svg())
    assert answer.csv().startswith("\ufeffquestion")


def test_numbers_are_those_of_a_sample(bench, tmp_path):
    export(bench.store, "council", tmp_path / "answers.csv")
    sample = dn.read(tmp_path / "answers.csv")
    answer = bench.ask("council", question("view=question&of=smokes&by=sex&where=age+>=+30"), exporting=True)
    estimate = sample.distribution("smokes", by="sex", where="age >= 30")
    low, high = estimate.interval()
    figures = answer.blocks[0].figures
    np.testing.assert_array_equal([figure.value for figure in figures], estimate.shown)
    np.testing.assert_array_equal([figure.low for figure in figures], low)
    np.testing.assert_array_equal([figure.high for figure in figures], high)
    assert {figure.group for figure in figures} == {"Kobieta", "Mężczyzna"}


def test_what_was_reported_is_counted(bench):
    rows = np.array([list(row) for piece in bench.store.mixed_rows(bench.store.version("council")) for row in piece])
    answer = bench.ask("council", question("view=question&of=smokes&where=sex+==+'F'"), exporting=True)
    women = rows[rows[:, 0] == 0]
    expected = [(women[:, 2] == code).mean() for code in range(3)]
    np.testing.assert_allclose([figure.reported for figure in answer.blocks[0].figures], expected)


def test_a_large_difference_is_told_and_a_small_one_is_not(bench):
    told = bench.ask("council", question("view=compare&of=smokes&label=yes&first=sex+==+'F'&second=sex+==+'M'"), "en", True)
    assert told.blocks[1].figures[0].told
    assert "larger than chance explains" in told.blocks[1].sentences[0]
    assert "Your sex: Female" in told.blocks[1].sentences[0]
    not_told = bench.ask("council", question("view=compare&of=mood&mean=yes&first=sex+==+'F'&second=sex+==+'M'"), "en", True)
    assert not not_told.blocks[1].figures[0].told
    assert "cannot be told with these answers" in not_told.blocks[1].sentences[0]


def test_several_verdicts_are_adjusted_and_it_is_said(bench):
    answer = bench.ask("council", question("view=compare&of=mood&first=sex+==+'F'&second=sex+==+'M'"), "en", True)
    assert answer.blocks[1].extra["verdicts"] == len(answer.blocks[1].figures) > 1
    assert "adjusted for their number" in answer.blocks[1].sentences[-1]


def test_an_open_survey_shows_nothing_to_those_who_may_not_export(new_store):
    bench = Workbench(new_store(closed=False))
    assert bench.ask("council", Overview(), exporting=True).blocks
    with pytest.raises(RefusedError, match="when it is closed"):
        bench.ask("council", Overview())


def test_an_empty_survey_says_so(new_store):
    with pytest.raises(RefusedError, match="No answers"):
        Workbench(new_store(0, closed=False)).ask("council", Overview(), exporting=True)


def test_answers_that_come_out_are_in_the_next_answer(new_store):
    store = new_store(500, closed=False)
    bench = Workbench(store)
    assert bench.ask("council", Overview(), exporting=True).blocks[0].n == 500
    insert(store, "council", reports_of(store.version("council").schema, 60, np.random.default_rng(2)))
    assert bench.ask("council", Overview(), exporting=True).blocks[0].n == 560
    assert bench.tallies.looks == 1


def test_menus_have_texts(bench):
    menu = {choice.name: choice for choice in bench.menu("council", "en", exporting=True)}
    assert menu["sex"].labels[0] == ("F", "Female")
    assert menu["sex"].open
    assert not menu["smokes"].open
    assert menu["mood"].has_mean
    seen = {choice.name: choice for choice in bench.menu("council", "en")}
    assert seen["sex"].groups
    assert len(seen["age"].labels) > 1


@pytest.mark.parametrize("asked", [Together(("smokes", "owes")), Prediction("smokes", ("owes", "sex"))])
def test_nobody_waits_for_what_takes_long(bench, monkeypatch, asked):
    began, go_on = threading.Event(), threading.Event()

    def takes_long(material, question, spoken):
        began.set()
        assert go_on.wait(30)
        return not_shown("smokes", spoken.title("smokes"), spoken)

    monkeypatch.setitem(asking._VIEWS, type(asked), takes_long)
    assert bench.kept("council", asked, "en", True) is None
    with ThreadPoolExecutor(2) as threads:
        long = threads.submit(bench.ask, "council", asked, "en", True)
        try:
            assert began.wait(20)
            assert threads.submit(bench.ask, "council", Overview(), "en", True).result(20).blocks
            assert threads.submit(bench.menu, "council", "en", True).result(20)
            assert threads.submit(bench.kept, "council", asked, "en", True).result(20) is None
        finally:
            go_on.set()
        answer = long.result(20)
    assert bench.kept("council", asked, "en", True) is answer


def test_answers_that_come_out_all_the_time_are_no_fault_of_the_server(bench, monkeypatch):
    def moved(*_):
        raise MovedError

    monkeypatch.setattr(bench, "_one", moved)
    for ask in (lambda: bench.ask("council", Overview(), "en", True), lambda: bench.menu("council", "en")):
        with pytest.raises(RefusedError) as refused:
            ask()
        assert refused.value.code == "busy"


BINNED = [
    "view=question&of=age",
    "view=question&of=mood&by=age",
    "view=question&of=age&by=sex",
    "view=cross&of=age&by=smokes",
    "view=together&of=age,sex&support=0.01&confidence=0",
]


@pytest.mark.parametrize("text", BINNED)
def test_bins_are_read_by_people_and_matched_by_machines(bench, text):
    asked = question(text)
    spoken = {language: bench.ask("council", asked, language, exporting=True) for language in ("en", "pl")}
    for language, answer in spoken.items():
        pieces = [answer.title, *answer.sentences, answer.csv(), answer.svg()]
        pieces += [one for block in answer.blocks for one in (block.title, *block.sentences, *block.notes)]
        assert not any(re.search(r"\[\d+, \d+[)\]]", piece) for piece in pieces)
        told = json.loads(answer.json())
        figures = [figure for block in told["blocks"] for figure in block["figures"]]
        if isinstance(asked, Together) and not figures:
            continue
        words = "to under" if language == "en" else "do mniej niż"
        assert any(words in f"{figure['label']} {figure['group']}" for figure in figures)
        assert any(re.search(r"\[\d+, \d+[)\]]", str(code)) for figure in figures for code in figure["codes"])
    assert [block.to_json()["figures"][0]["codes"] for block in spoken["en"].blocks if block.figures] == [
        block.to_json()["figures"][0]["codes"] for block in spoken["pl"].blocks if block.figures
    ]


MEANS = [
    "view=mean&of=age",
    "view=mean&of=mood&by=sex",
    "view=mean&of=age&by=smokes",
    "view=compare&of=age&mean=yes&first=sex+==+'F'&second=sex+==+'M'",
    "view=compare&of=mood&mean=yes&first=smokes+==+'yes'&second=smokes+==+'no'",
]


@pytest.mark.parametrize("text", MEANS)
@pytest.mark.parametrize("n", [200, 3_000])
def test_means_are_as_exact_as_their_intervals(new_store, text, n):
    """Half the interval has two figures left; the ends are rounded outward; JSON has all figures."""
    answer = Workbench(new_store(n)).ask("council", question(text), "en", exporting=True)
    drawn = ET.fromstring(answer.svg())
    titles = [element.text for element in drawn.iter() if element.tag.endswith("title")]
    checked = 0
    for block in answer.blocks:
        for figure in block.figures:
            if figure.value is None:
                continue
            checked += 1
            low, high = (float(number) for number in re.findall(r"[-+]?[\d.]+", for_programs(figure.sentence)))
            half = f"{(figure.high - figure.low) / 2:.1e}"  # two figures
            unit = 10 ** (int(half.partition("e")[2]) - 1)
            assert figure.low - unit <= low <= figure.low + 1e-9
            assert figure.high - 1e-9 <= high <= figure.high + unit
            written = exactly(figure, figure.value, block.kind, said_in("en"))
            assert abs(float(for_programs(written)) - figure.value) <= unit / 2 + 1e-12
            assert len(written.partition(".")[2]) == len(figure.sentence.rpartition(".")[2]) if unit < 1 else "." not in written
            assert answer_to(figure.label, f"{written}, {figure.sentence}") in titles
    assert checked
    said = [float(number) for sentence in answer.blocks[-1].sentences for number in re.findall(r": (\d[\d.]*)[;:]", sentence)]
    for number in said:  # the means of both groups, in the verdict
        sides = [figure for figure in answer.blocks[0].figures if figure.value is not None]
        assert any(float(for_programs(exactly(side, side.value, "mean", said_in("en")))) == number for side in sides)
    values = [figure["value"] for block in json.loads(answer.json())["blocks"] for figure in block["figures"]]
    assert values == [figure.value for block in answer.blocks for figure in block.figures]


def test_large_means_are_not_written_with_powers():
    said = said_in("en")
    assert supported(123_456.7, 100_000, 150_000, said) == "123,000"
    assert supported(1_234_567.0, 1_234_567.0, 1_234_567.0, said) == "1,234,567"
    assert supported(-0.0004, -0.05, 0.05, said, signed=True) == "+0.000"
    assert written(123_450.0, "mean", said) == "123,450"


def test_threads_that_ask_one_sample_get_their_own_answers(bench):
    """Many tables and fits are asked for at once, more than a sample keeps: nobody gets another's."""
    views = [question(text) for text in VIEWS if "age+>=" not in text]
    fresh = {view: bench.ask("council", view, "en", True).json() for view in views}
    for _ in range(3):
        bench._answers = Kept(1)  # so that everything is computed anew, of the same sample
        with ThreadPoolExecutor(4) as threads:
            told = list(threads.map(lambda view: (view, bench.ask("council", view, "en", True).json()), views * 2))
        assert [view for view, text in told if text != fresh[view]] == []


def test_under_a_condition_it_is_said_how_many_are_meant(bench):
    rows = np.array([list(row) for piece in bench.store.mixed_rows(bench.store.version("council")) for row in piece])
    women = f"{(rows[:, 0] == 0).sum():,}"
    said = bench.ask("council", question("view=question&of=smokes&where=sex+==+'F'"), "en", True).blocks[0].sentences
    assert said == (f"3,000 answers, {women} of them in the group.",)
    hidden = bench.ask("council", question("view=question&of=owes&where=smokes+==+'yes'"), "pl", True).blocks[0].sentences
    assert "w tym w grupie szacunkowo" in hidden[0]
    assert bench.ask("council", question("view=question&of=smokes"), "en", True).blocks[0].sentences == ("3,000 answers.",)
