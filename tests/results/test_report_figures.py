"""Figures in sentences: of whom they speak, rounded to the side that is safe, and the same as by a slow computation."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.core.simplex import project
from deniable.engines.count import as_countable
from deniable.errors import ParameterError
from deniable.picture_words import direct_answers
from deniable.results.figures import POINTS, sentence
from deniable.results.questions import CrossTable, MeanOf, OneQuestion, from_json
from deniable.results.report.about import about_export
from deniable.results.report.contents import Chosen, Contents
from deniable.results.report.joint import cross_section
from deniable.results.report.making import council_report
from deniable.results.report.sections import question_section
from deniable.results.rounding import at_most
from deniable.results.showing import ready
from deniable.results.words import said_in

YES_NO = dn.Nominal(["no", "yes"])
TOWNS = dn.Schema({"town": dn.Identity(dn.Nominal(["A", "B"])), "car": dn.Identity(YES_NO), "smokes": dn.KRR(YES_NO, 0.75)})


def townspeople(in_a, n=2_000):
    """So many of a town, and the others, each answer drawn by its channel."""
    rng = np.random.default_rng(1)
    truth = pd.DataFrame(
        {
            "town": ["A"] * in_a + ["B"] * (n - in_a),
            "car": rng.choice(["no", "yes"], n, p=[0.4, 0.6]),
            "smokes": rng.choice(["no", "yes"], n, p=[0.7, 0.3]),
        }
    )
    return TOWNS.randomise(truth, rng)


def asked_of(frame, exporting=True, schema=TOWNS):
    return ready(1, as_countable(frame), schema, exporting)


def price(asked, question, language="en"):
    """The sentence about hiding in the section of a question."""
    said = question_section(asked, Chosen(question), language).sentences
    return [one for one in said if re.search("price|openly|cenę|jawnie", one)]


@pytest.mark.parametrize("exporting", [True, False])
def test_what_hiding_costs_a_group_is_said_of_its_own_answers(exporting):
    """200 of 2,000 live in A: what their answers tell is compared with 200, not with 2,000, and open answers cost nothing."""
    asked = asked_of(townspeople(200), exporting)
    assert price(asked, OneQuestion("car", where="town == 'A'")) == ["This question was asked openly."]
    assert price(asked, OneQuestion("car")) == ["This question was asked openly."]
    (said,) = price(asked, OneQuestion("smokes", where="town == 'A'"))
    of, worth = map(int, re.search(r"this group \(about (\d+)\) are about as informative as (\d+) direct", said).groups())
    assert of == 200
    # (2p - 1)^2 p(1 - p) / l(1 - l) of an answer, with p = 0.75, is about a fifth; l is the share that is reported.
    assert 30 <= worth <= 55
    (polish,) = price(asked, OneQuestion("smokes", where="town == 'A'"), "pl")
    assert "odpowiedzi tej grupy (około 200) mówią mniej więcej tyle" in polish
    assert polish.endswith(f"co {direct_answers(worth, 'pl')}.")
    (everyone,) = price(asked, OneQuestion("smokes"))
    assert "these 2,000 answers are about as informative" in everyone


def test_the_size_of_a_group_of_few_is_not_said_to_those_who_may_not_export():
    """Those who smoke are few, and by estimate fewer than 50: the sentence says the size to those who may export alone."""
    rng = np.random.default_rng(3)
    schema = dn.Schema({"smokes": dn.KRR(YES_NO, 0.95), "drinks": dn.KRR(YES_NO, 0.9)})
    truth = pd.DataFrame({"smokes": ["yes"] * 40 + ["no"] * 1_960, "drinks": rng.choice(["no", "yes"], 2_000, p=[0.5, 0.5])})
    frame = schema.randomise(truth, rng)
    question = OneQuestion("drinks", where="smokes == 'yes'")
    sizes = dn.Sample(frame, schema).distribution(question.of, where=question.where).group_sizes
    assert 5 < sizes[0] < 50
    assert "about" in price(asked_of(frame, True, schema), question)[0]
    assert price(asked_of(frame, False, schema), question) == []


def test_the_share_of_everyone_that_moves_most_is_one_of_everyone():
    """Shares in a group of few move further; the sentence about everyone never names one, and is left out if there is no other."""
    asked = asked_of(townspeople(200))
    group, everyone = Chosen(OneQuestion("car", where="town == 'A'")), Chosen(OneQuestion("smokes"))

    def page(*chosen):
        about = about_export("answers.csv", TOWNS, "en")
        return council_report(asked, about, Contents(tuple(chosen)), "en")

    assert max(line.largest for line in question_section(asked, group, "en").lines) > 0.1
    assert re.search(
        r"moved most is “smokes”, “(no|yes)”: by up to 1\.\d points with 1% and up to [67]\.\d points", page(group, everyone)
    )
    assert "could be moved most" not in page(group)


def test_what_moves_at_most_is_rounded_up():
    english, polish = said_in("en"), said_in("pl")
    rng = np.random.default_rng(4)
    for number in [*rng.random(200), 1e-9, 0.05, 0.3, 1.0]:
        said = float(english.points_at_most(number))
        assert 100 * number - 1e-6 <= said < 100 * number + 0.1 + 1e-9
    assert (english.points_at_most(0.3), polish.points_at_most(0.0301), english.points_at_most(0.0)) == ("30.0", "3,1", "0.0")
    for number in 10.0 ** rng.uniform(-4, 7, 500):
        said = at_most(number, english)
        assert "e" not in said
        assert number - 1e-6 * number <= float(said.replace(",", "")) <= 1.1 * number
    assert (at_most(154.0, english), at_most(154.0, polish), at_most(0.0154, polish)) == ("160", "160", "0,016")
    assert at_most(15_400.0, polish).replace("\u202f", " ").replace("\xa0", " ") == "16 000"


def test_intervals_of_differences_are_rounded_outward():
    english, polish = said_in("en"), said_in("pl")
    assert sentence(POINTS, 0.0004, 0.0512, english) == "between +0.0 and +5.2 points"
    assert sentence(POINTS, -0.0512, -0.0004, polish) == "od \u22125,2 do +0,0 pkt proc."
    assert sentence(POINTS, -0.3, 0.3, english) == "between \u221230.0 and +30.0 points"
    rng = np.random.default_rng(5)
    for low, high in np.sort(rng.uniform(-0.2, 0.2, (200, 2)), axis=1):
        said = sentence(POINTS, low, high, english).replace("\u2212", "-")
        ends = [float(one) for one in re.findall(r"[+-][\d.]+", said)]
        assert ends[0] <= 100 * low < ends[0] + 0.1
        assert ends[1] - 0.1 < 100 * high <= ends[1]
        assert not re.search(r"-0\.0(?!\d)", said)


@pytest.mark.parametrize("language", ["en", "pl"])
def test_shifts_of_large_means_have_no_powers(language):
    """The mean of numbers up to 5,000 moves by hundreds: no figure of the section is written with an exponent."""
    rng = np.random.default_rng(6)
    schema = dn.Schema({"rent": dn.Identity(dn.Integer(0, 5_000, 100))})
    frame = pd.DataFrame({"rent": rng.integers(0, 20, 2_000) * 100})
    (line,) = question_section(asked_of(frame, True, schema), Chosen(MeanOf("rent")), language).lines
    five = float(line.shifts[1].removeprefix("± ").replace("\xa0", "").replace("\u202f", ""))
    assert not re.search(r"\de[+-]?\d", " ".join(line.shifts))
    assert line.largest <= five <= 1.1 * line.largest
    assert five > 150


@pytest.mark.parametrize("version", [1, 1_000_001, 2_000_001])
def test_versions_of_trials_can_be_asked_about(version):
    assert from_json({"view": "overview", "version": version}).version == version


@pytest.mark.parametrize("version", [0, 2**31])
def test_other_versions_are_refused_in_plain_numbers(version):
    with pytest.raises(ParameterError, match=r"'version' must lie between 1 and 2147483647, got"):
        from_json({"view": "overview", "version": version})


def slow_table(frame, schema, row, column):
    """Shares of a cross table by the inverse of its channels written out, nearest possible: rows of `row` by columns of `column`."""
    counts = pd.crosstab(frame[row], frame[column]).reindex(
        index=schema[row].outputs, columns=schema[column].outputs, fill_value=0
    )
    return slow_shares(counts.to_numpy() / len(frame), schema, row, column)


def slow_shares(reported, schema, row, column):
    inverse = [
        np.linalg.inv(schema[name].law.dense() / schema[name].law.dense().sum(axis=1, keepdims=True)) for name in (row, column)
    ]
    return project((inverse[0].T @ reported @ inverse[1]).reshape(-1)).reshape(reported.shape)


def slow_shift(frame, schema, row, column, share):
    """The most that any cell moves if so many answers are replaced by copies of any one."""
    counts = pd.crosstab(frame[row], frame[column]).reindex(
        index=schema[row].outputs, columns=schema[column].outputs, fill_value=0
    )
    reported = counts.to_numpy() / len(frame)
    before, most = slow_shares(reported, schema, row, column), 0.0
    for place in itertools.product(*map(range, reported.shape)):
        forged = (1 - share) * reported
        forged[place] += share
        most = max(most, float(np.abs(slow_shares(forged, schema, row, column) - before).max()))
    return most


def crossed(shares, n=20_000, seed=7):
    """Reports of two questions whose joint shares are these, and their schema."""
    rows, columns = [f"r{i}" for i in range(shares.shape[0])], [f"c{i}" for i in range(shares.shape[1])]
    schema = dn.Schema({"row": dn.KRR(dn.Nominal(rows), 0.7), "column": dn.KRR(dn.Nominal(columns), 0.6)})
    rng = np.random.default_rng(seed)
    drawn = rng.choice(shares.size, n, p=shares.reshape(-1))
    truth = pd.DataFrame({"row": np.array(rows)[drawn // len(columns)], "column": np.array(columns)[drawn % len(columns)]})
    return schema.randomise(truth, rng), schema


@pytest.mark.parametrize("size", [(3, 4), (9, 6)])
def test_the_sentences_of_a_cross_table_are_those_of_a_slow_computation(size):
    """Seed 7: the most frequent combination, its share, and how far forged answers move a cell, by matrices written out; 54 combinations
    are more than are tried one by one."""
    shares = np.full(size, 0.6 / (np.prod(size) - 1))
    shares[1, 2] = 0.4
    frame, schema = crossed(shares)
    section = cross_section(asked_of(frame, True, schema), Chosen(CrossTable("column", "row")), "en")
    told = r"The most frequent combination is “(.+)” with “(.+)”: ([\d.]+)%, between (\d+) and (\d+) in 100\."
    most = re.fullmatch(told, section.sentences[1])
    assert most is not None
    found = slow_table(frame, schema, "row", "column")
    assert most.groups()[:2] == ("r1", "c2")
    assert float(most[3]) == pytest.approx(100 * found[1, 2], abs=0.0501)
    assert float(most[4]) <= 100 * found[1, 2] <= float(most[5])
    said = re.search(r"move by at most ([\d.]+) points; with 5%, by at most ([\d.]+) points", section.sentences[2])
    for share, points in zip((0.01, 0.05), map(float, said.groups()), strict=True):
        # Rounded up to a tenth, and answers are replaced in whole numbers.
        assert -0.01 <= points - 100 * slow_shift(frame, schema, "row", "column", share) <= 0.11


def test_where_two_combinations_are_alike_none_is_the_most_frequent():
    shares = np.full((3, 3), 0.2 / 7)
    shares[0, 0] = shares[2, 1] = 0.4
    frame, schema = crossed(shares)
    section = cross_section(asked_of(frame, True, schema), Chosen(CrossTable("column", "row")), "en")
    found = slow_table(frame, schema, "row", "column")
    first, second = np.sort(found.reshape(-1))[::-1][:2]
    assert first - second < 0.02  # well inside the intervals, which are some points long
    assert section.sentences[1] == "Which combination is the most frequent cannot be told: the intervals overlap."
    assert section.cannot == ["“column” by “row”: which combination is the most frequent."]
    turned = cross_section(asked_of(frame, True, schema), Chosen(CrossTable("column", "row")), "pl")
    assert turned.sentences[1].startswith("Nie można stwierdzić, które połączenie jest najczęstsze")
