"""An analyst who may not export, or anyone who sees the results, with nothing but the address bar: conditions, complements, combinations of
filters, and looking before and after answers come out.

The figures are inverted: a share behind k-ary randomised response tells exactly how many reported each answer. Without the protection each
attack finds one person's report, or the size of a small group. With it nothing that can be added or subtracted is about fewer than 50.
"""

import itertools
import re

import numpy as np
import pytest

from deniable.errors import ParameterError, RefusedError
from deniable.results.address import address, from_address
from deniable.results.cells import FEWEST
from deniable.results.conditions import chosen
from deniable.results.questions import CrossTable, OneQuestion, Overview, Prediction, Together
from deniable.results.report.contents import Chosen, Contents, asked_for, compared, crossed, going_together
from deniable.results.report.making import report_of_survey
from deniable.results.viewable import Viewable, coarse_table, open_names
from deniable.results.workbench import Workbench
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store, bulk, releases
from deniable.survey.store.engine import writing

YAML = """
{survey: town, title: Town, organiser: Town hall, contact: a@b.example, other_way: Call us., languages: [en], pages: [{elements: [
 {type: radiogroup, name: sex, title: Sex, privacy: none, choices: [F, M]},
 {type: radiogroup, name: district, title: District, privacy: none, choices: [north, south, east, west, hamlet]},
 {type: number, name: age, title: Age, min: 18, max: 89, grid: true, privacy: none},
 {type: boolean, name: owes, title: Debts, privacy: {design: krr, p: 0.8}},
 {type: boolean, name: ill, title: Ill, privacy: {design: krr, p: 0.8}},
 {type: boolean, name: drinks, title: Drinks, privacy: {design: krr, p: 0.8}},
 {type: boolean, name: cheats, title: Cheats, privacy: {design: krr, p: 0.8}}]}]}
"""
NAMES = ["sex", "district", "age", "owes", "ill", "drinks", "cheats"]
N = 3_000


def people(n, rng):
    """Codes of reports; only twelve people live in the hamlet, and one of them is 89: the victim, who reported debts."""
    reports = [rng.choice(3, n, p=[0.45, 0.4, 0.15]) for _ in range(4)]
    codes = np.column_stack([rng.integers(0, 2, n), rng.integers(0, 4, n), rng.integers(0, 60, n), *reports])
    codes[:12, 1] = 4
    codes[0, :4] = [0, 4, 71, 1]
    return codes


def let_out(store, codes):
    read = store.version("town")
    before = store.count_released(read)
    with writing(store.engine) as connection:
        bulk.insert(connection, read.table, [f"c{i}" for i in range(codes.shape[1])], codes.tolist())
    releases.tell(store.engine, read.id, before, codes)


@pytest.fixture
def town(tmp_path):
    with Store(str(tmp_path / "town.db")) as store:
        store.open_survey(Questionnaire.parse(YAML))
        codes = people(N, np.random.default_rng(5))
        let_out(store, codes)
        store.close_survey("town")
        yield Town(store, codes)


class Town:
    """The survey, what is stored, and somebody who types addresses."""

    def __init__(self, store, codes):
        self.store, self.codes = store, codes
        self.bench = Workbench(store)

    def asks(self, question, exporting):
        """The figures of a view, by the address alone; None where nothing is shown."""
        try:
            answer = self.bench.ask("town", from_address(address(question)), exporting=exporting)
        except (ParameterError, RefusedError):
            return None
        figures = [figure for block in answer.blocks for figure in block.figures]
        return figures if figures and all(figure.value is not None for figure in figures) else None

    def people_in(self, where):
        """How many meet an open condition, and how many of them reported debts: the view of somebody who may export, inverted."""
        answer = self.bench.ask("town", from_address(address(OneQuestion("owes", where=where))), exporting=True)
        sizes = answer.estimates[0].group_sizes
        size = float(answer.estimates[0].n if sizes is None else sizes[0])
        return np.array([size, round(answer.blocks[0].figures[1].reported * size)])


def test_a_condition_that_few_people_meet(town):
    """Attack 1: what is known about the victim, as a condition; and the same without the victim."""
    hamlet, others = town.people_in("district == 'hamlet'"), town.people_in("district == 'hamlet' and age != 89")
    assert (hamlet - others).tolist() == [1.0, 1]  # without the protection: the victim's report
    tried = (
        "district == 'hamlet'",
        "district == 'hamlet' and age != 89",
        "age == 89",
        "not district != 'hamlet'",
        "age >= 78 or age < 20",
    )
    for where in tried:
        assert town.asks(OneQuestion("owes", where=where), exporting=False) is None


def test_complements(town):
    """Attack 2: everyone, less everyone but the hamlet."""
    everyone, others = town.people_in("sex in ('F', 'M')"), town.people_in("district != 'hamlet'")
    assert (everyone - others)[0] == 12.0
    for where in (
        "district != 'hamlet'",
        "not (district == 'hamlet')",
        "district in ('north', 'south', 'east', 'west')",
        "age < 78",
    ):
        assert town.asks(OneQuestion("owes", where=where), exporting=False) is None


def test_every_combination_of_filters_is_made_of_whole_classes(town):
    """Attack 3: all conditions that clicks can build, of up to three open questions, and whatever can be added or subtracted of them.

    Each group that is shown is a vector of ones and noughts over the people. The smallest group that any of them can be combined to is at
    least as large as the smallest set of people that no shown group tells apart, and all of these have 50."""
    menu = {choice.name: choice for choice in town.bench.menu("town")}
    assert menu["sex"].groups
    shown = []
    opened = [name for name in ("sex", "district", "age") if name in menu]
    options = {name: [chosen(name, label) for label, _ in menu[name].labels[:3]] for name in opened}
    raw = {"sex": ["sex == 'F'"], "district": ["district == 'hamlet'"], "age": ["age < 30", "age == 30"]}
    tried = 0
    for count in (1, 2, 3):
        for names in itertools.combinations(opened, count):
            for parts in itertools.product(*(options[name] + raw[name] for name in names)):
                where = " and ".join(parts)
                for negated in (where, f"not ({where})") if count < 3 else (where,):
                    tried += 1
                    if town.asks(OneQuestion("owes", where=negated), exporting=False) is not None:
                        shown.append(members(town, negated, menu))
    assert tried > 80
    assert len(shown) > 10
    patterns = np.unique(np.array(shown).T, axis=0, return_counts=True)[1]
    assert patterns.min() >= FEWEST


def members(town, where, menu):
    """Which people a shown condition is about, with cells named as menus name them."""
    from deniable.results.conditions import met, read_condition

    read = town.store.version("town")
    viewable = town.bench.ready("town").viewable
    condition = viewable.rewritten(read_condition(where))
    _, coarse = viewable.coarse()
    rows = np.array([list(row) for piece in town.store.mixed_rows(read) for row in piece])
    codes = {name: rows[:, i] for i, name in enumerate(NAMES)}
    codes |= {name: np.array(cells.of_code)[codes[name]] for name, cells in viewable.cells.items()}
    return met(condition, coarse, codes, len(rows))


def test_differences_of_tables_of_hidden_questions(town):
    """Attack 4: tables of several hidden questions, by group and of everyone, add up to those of small groups unless these are refused."""
    ready = Viewable.of(
        town.bench._one(town.store.version("town"), N, True, False).whole.data, town.store.version("town").schema
    )
    hidden = [name for name in NAMES if name not in open_names(ready.schema)]
    allowed = 0
    for count in (2, 3, 4):
        for names in itertools.combinations(hidden, count):
            for depth in range(len(ready.chain) + 1):
                if ready.allows([*names, *ready.chain[:depth]]):
                    allowed += 1
                    table = coarse_table(ready.data, ready.schema, ready.cells, [*ready.chain[:depth], *names])
                    for one in names:  # what the last is told of
                        others = table.marginal(*ready.chain[:depth], *(name for name in names if name != one))
                        assert others.n.min() >= FEWEST
            if count == 4:  # a row is four reports
                assert not ready.allows(names)
    assert allowed > 5


def test_whole_rows_are_not_learned_from(town):
    """Attack 5: classifiers, and conditions on all other questions, whose figures depend on whole rows."""
    with pytest.raises(RefusedError):
        town.bench.ask("town", Prediction("owes", ("ill", "drinks", "cheats")))
    where = "ill == 'yes' and drinks == 'yes' and cheats == 'yes'"
    assert town.asks(OneQuestion("owes", where=where), exporting=True) is not None
    assert town.asks(OneQuestion("owes", where=where), exporting=False) is None


def test_before_and_after_a_batch(town):
    """Attack 6: look, let somebody known answer, look again. Without the protection the difference is their row, question by question."""
    read = town.store.version("town")
    before = {name: town.asks(OneQuestion(name, where="sex == 'F' and age >= 70"), exporting=True) for name in ("owes", "ill")}
    town.store.reopen_survey("town")
    batch = people(60, np.random.default_rng(8))
    batch[:, 2], batch[:, 0] = 5, 1
    batch[7, :] = [0, 0, 65, 1, 0, 1, 0]  # the only old woman of the batch
    let_out(town.store, batch)
    after = {name: town.asks(OneQuestion(name, where="sex == 'F' and age >= 70"), exporting=True) for name in ("owes", "ill")}
    assert before != after  # as somebody who may export sees, and those who may not would
    for where in ("sex == 'F'", "age >= 60", "sex == 'F' and age >= 70"):
        assert town.asks(OneQuestion("owes", where=where), exporting=False) is None
    assert town.asks(OneQuestion("sex"), exporting=False) is None
    assert town.asks(CrossTable("owes", "ill"), exporting=False) is None
    assert town.asks(OneQuestion("owes"), exporting=False) is not None  # everyone, and 60 more than before
    town.store.close_survey("town")
    assert town.asks(OneQuestion("owes", where="sex == 'F'"), exporting=False) is None
    assert town.store.count_released(read) == N + 60


def test_a_survey_that_was_never_closed_shows_nothing(tmp_path):
    """Attack 7: look while the first answers come."""
    with Store(str(tmp_path / "town.db")) as store:
        store.open_survey(Questionnaire.parse(YAML))
        let_out(store, people(200, np.random.default_rng(5)))
        for question in (Overview(), OneQuestion("owes"), CrossTable("owes", "ill")):
            with pytest.raises(RefusedError, match="closed"):
                Workbench(store).ask("town", question)


def test_nothing_says_how_few_they_are(town):
    """Attack 8: the sizes of groups that are not shown, in any twin."""
    answer = town.bench.ask("town", OneQuestion("owes", by="age", where="drinks == 'yes' and ill == 'yes' and cheats == 'yes'"))
    for text in (answer.json(), answer.csv(), answer.svg()):
        assert not any(f"({few})" in text or f" {few} " in text for few in range(1, FEWEST))
    with pytest.raises(RefusedError):
        answer.py()


def test_a_councillor_with_the_report(town):
    """Attack 9: whoever writes the report lists debts by district, or compares the hamlet; whoever reads it knows who lives there."""
    listed = Contents((asked_for("owes by district"), asked_for("district")))
    compared_with = Contents((), (compared("owes: district == 'hamlet' | district == 'north'"),))

    def lines(everything):
        page = report_of_survey(town.store, "town", listed, "en", everything=everything)
        return {" ".join(cell.split()) for cell in re.findall(r">([^<>]*hamlet[^<>]*)<", page)}

    assert "hamlet" in lines(everything=True)  # without the protection: a line of twelve people
    assert report_of_survey(town.store, "town", compared_with, "en", everything=True)
    assert lines(everything=False)
    assert all("east or hamlet*" in line for line in lines(everything=False))
    with pytest.raises(ParameterError, match="more finely than may be shown"):
        report_of_survey(town.store, "town", compared_with, "en")


def test_a_councillor_with_a_printed_cross_table(town):
    """Attack 10: the report crosses debts with the district, which would be the twelve of the hamlet by what they reported."""
    crossed_with = Contents(
        (asked_for("sex"),), cross=(crossed("owes by district"),), together=(going_together("owes, district"),)
    )

    def rows(everything):
        page = report_of_survey(town.store, "town", crossed_with, "en", everything=everything)
        assert "<h2>Two questions at once</h2>" in page
        return re.findall(r'<th scope="row" role="rowheader">([^<]*)</th><td role="cell" data-label', page)

    assert "hamlet" in rows(everything=True)  # without the protection: a row of twelve people
    assert [row for row in rows(everything=False) if "hamlet" in row] == ["east or hamlet*"]


MILL = """
{survey: town, title: Town, organiser: Town hall, contact: a@b.example, other_way: Call us., languages: [en], pages: [{elements: [
 {type: radiogroup, name: district, title: District, privacy: none, choices: [centre, hamlet]},
 {type: radiogroup, name: job, title: Job, privacy: none, choices: [other, mill]},
 {type: boolean, name: owes, title: Debts, privacy: {design: krr, p: 0.8}}]}]}
"""


@pytest.mark.parametrize("longest", [2, 3])
def test_rules_of_fewer_questions_than_their_longest(tmp_path, longest):
    """Attack 11: rules of up to three answers about two questions. Of 60 people in the hamlet 45 work in the mill, and 15 do not."""
    codes = np.zeros((1_000, 3), dtype=int)
    codes[:60, 0] = codes[:45, 1] = codes[60:75, 1] = codes[::3, 2] = 1
    rules = Together(("district", "job"), support=0.01, confidence=0.0, longest=longest)
    with Store(str(tmp_path / "mill.db")) as store:
        store.open_survey(Questionnaire.parse(MILL))
        let_out(store, codes)
        store.close_survey("town")
        town = Town(store, codes)

        def printed(everything):
            contents = Contents((asked_for("district"),), together=(Chosen(rules),))
            return "75.0%" in report_of_survey(store, "town", contents, "en", everything=everything)

        # Without the protection: of those in the hamlet exactly three quarters work in the mill.
        assert 0.75 in [figure.value for figure in town.asks(rules, exporting=True)]
        assert printed(everything=True)
        assert town.asks(CrossTable("job", by="district"), exporting=False) is None
        assert town.asks(rules, exporting=False) is None
        assert not printed(everything=False)
        assert [block.n for block in town.bench.ask("town", rules).blocks] == [None]
