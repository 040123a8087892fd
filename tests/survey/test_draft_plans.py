"""The plan beside the editor says what `dn.plan` says, and what people read is what their page tells them."""

import importlib.util
import json
import math
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

import deniable as dn
from deniable.planning.precision import Wanted, margin
from deniable.survey.drafts.checked import check
from deniable.survey.drafts.planned import DraftPlan, Wishes, privacy_at, with_odds
from deniable.survey.levels import channel_for
from deniable.survey.lines import Document
from deniable.survey.page_sentences import told
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.yaml_text import yaml_text

pytestmark = pytest.mark.servers  # databases and plans: not for every day

_SPEC = importlib.util.spec_from_file_location("questionnaires", Path(__file__).with_name("questionnaires.py"))
questionnaires = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(questionnaires)
STATIC = Path(__file__).parents[2] / "deniable" / "web" / "static"
ASKED = {
    "survey": "habits", "title": "Habits", "organiser": "Town hall", "contact": "t@town.example", "other_way": "Call us.",
    "pages": [
        {"elements": [
            {"type": "age", "name": "age", "title": "Age?", "privacy": "none"},
            {"type": "dropdown", "name": "street", "title": "Street?", "choices": [f"s{i}" for i in range(40)], "privacy": "none"},
        ]},
        {"elements": [
            {"type": "boolean", "name": "smokes", "title": "Do you smoke?", "privacy": "strong"},
            {"type": "rating", "name": "buses", "title": "The buses?", "for": "mean"},
            {"type": "checkbox", "name": "goes", "title": "Where do you go?", "choices": ["park", "pool"]},
        ]},
    ],
}  # fmt: skip


def test_the_figures_are_those_of_plans():
    asked = Questionnaire.from_json(ASKED)
    wishes = Wishes(answers=3_000, margin=0.05, group=0.3, budget=60.0)
    planned, plan = DraftPlan(asked, wishes), dn.plan(asked, answers=3_000, group=0.3)
    rows = {row.name: row for row in plan.rows}
    assert [one.row.name for one in planned.questions] == ["smokes", "buses", "goes_park"]
    for one in planned.questions:
        assert one.row == rows[one.row.name]
    strongest = plan.strongest(0.05)
    smokes, buses, goes = planned.questions
    assert [(one.strongest.odds, one.needed) for one in (smokes, goes)] == [
        (strongest[name].odds, plan.answers_for(0.05, name)) for name in ("smokes", "goes_park")
    ]
    assert (buses.strongest, buses.needed) == (None, None)
    # The buses keep their odds of 5, since they are asked for their mean; the rest is shared as a plan without them shares it.
    others = Questionnaire.from_json({**ASKED, "pages": [{"elements": [ASKED["pages"][1]["elements"][i] for i in (0, 2)]}]})
    proposed = {row.name: row.odds for row in dn.plan(others, answers=3_000).share_budget(total_odds=60 / 5).rows}
    # Both columns of where people go are hidden alike, by the smaller odds of the two.
    goes = min(proposed["goes_park"], proposed["goes_pool"])
    assert {row.name: row.odds for row in planned.proposal.rows} == {
        "smokes": proposed["smokes"], "buses": pytest.approx(5), "goes_park": goes, "goes_pool": goes,
    }  # fmt: skip
    assert [row.name for row in planned.proposal.rows] == ["smokes", "buses", "goes_park", "goes_pool"]


@pytest.mark.parametrize(("name", "at"), [("smokes", (1, 0)), ("goes_park", (1, 2))])
def test_as_strong_as_possible_reaches_five_points_and_a_tenth_stronger_does_not(name, at):
    planned = DraftPlan(Questionnaire.from_json(ASKED), Wishes(answers=1_500, margin=0.05))
    (one,) = [each for each in planned.questions if each.row.name == name]
    changed = with_odds(ASKED, planned.asked, {name: one.strongest.odds})
    element = changed["pages"][at[0]]["elements"][at[1]]
    asked, mistakes = check(changed)
    assert mistakes == []
    after = dn.plan(asked, answers=1_500)
    assert after.margin(name) <= 0.05
    assert math.exp(asked.schema[name].epsilon) == pytest.approx(one.strongest.odds, abs=1e-9)
    element["privacy"] = privacy_at(one.strongest.odds - 0.1)
    assert dn.plan(check(changed)[0], answers=1_500).margin(name) > 0.05


def test_odds_are_written_exactly():
    for tenths in range(11, 200):
        said = privacy_at(tenths / 10)
        if isinstance(said, str):
            assert {"strong": 30, "standard": 50, "light": 90}[said] == tenths
        for labels in (2, 3, 6, 11):
            # As YAML says it, and as it is read back.
            read = Document(yaml_text({"privacy": said})[0], "draft").value["privacy"]
            p = channel_for(dn.Nominal([str(i) for i in range(labels)]), read).p
            assert p / ((1 - p) / (labels - 1)) == Fraction(tenths, 10)


def test_open_questions_that_single_people_out_are_told_of():
    asked = Questionnaire.from_json(ASKED)
    # Eight ranges of age and forty streets.
    assert DraftPlan(asked, Wishes(people=10_000)).alone() == (320, 31.25)
    assert DraftPlan(asked, Wishes(people=20_000)).alone() is None
    assert DraftPlan(asked, Wishes()).alone() is None


def test_people_are_told_what_their_page_tells_them(tmp_path, node_program):
    """Against the page's own code, for questionnaires of every kind; the page makes one example, of the first that is mixed."""
    (tmp_path / "package.json").write_text('{"type": "module"}')
    for path in STATIC.glob("*.js"):
        (tmp_path / path.name).write_text(path.read_text())
    surveys, ours = [], []
    for seed in range(60):
        asked = Questionnaire.from_json(questionnaires.Maker(seed).questionnaire())
        for element in asked.elements:
            if element.private:
                odds = math.exp(max(element.epsilons.values()))
                for language in ("en", "pl"):
                    texts = language if language in asked.languages else asked.languages[0]
                    surveys.append(
                        {"client": asked.client(), "name": element.name, "language": language, "texts": texts, "odds": odds}
                    )
                    ours.append(told(element, odds, asked.languages, language))
    (tmp_path / "given.json").write_text(json.dumps(surveys))
    (tmp_path / "run.js").write_text(
        """
import { readFileSync } from "node:fs";
class Made { constructor() { this.text = ""; } append(...parts) { this.text += parts.filter((part) => part != null).map(String).join(""); }
  setAttribute() {} addEventListener() {} toString() { return this.text; } }
globalThis.document = { createElement: () => new Made(), createTextNode: (text) => text };
const { example } = await import("./explain.js");
const { wordsOf } = await import("./words.js");
const { sentNumbers, recipeOf } = await import("./mixing.js");
const said = JSON.parse(readFileSync("given.json", "utf8")).map(({ client, name, language, texts, odds }) => {
  const element = client.pages.flatMap((page) => page.elements).find((one) => one.name === name);
  element.odds = odds;
  const recipe = recipeOf(client, element.attributes[0]);
  if (element.grid) {
    element.labels = (element.grid.max - element.grid.min) / element.grid.step + 2;
    element.sent = sentNumbers(recipe, element.grid);
  }
  // The texts of the survey in its language, the words of the page in the reader's.
  for (const one of [element, ...element.choices, ...element.rows])
    for (const key of ["title", "text"]) if (one[key]) one[key] = { [language]: one[key][texts] };
  const shown = example(client, [element], language, wordsOf(language));
  return shown ? String(shown) : null;
});
console.log(JSON.stringify(said));
"""
    )
    run = subprocess.run([node_program, "run.js"], cwd=tmp_path, capture_output=True, text=True, check=True)
    theirs = json.loads(run.stdout)
    assert len(theirs) > 200
    for page, mine in zip(theirs, ours, strict=True):
        if page is None:
            assert mine == [] or "example" not in mine
        else:
            assert page.endswith(mine[-1]), (page, mine)


@pytest.mark.parametrize("against", ["answers", "odds"])
def test_curves_of_what_is_asked_for_shares_pass_through_its_margin(against):
    """A rating that is asked for shares is planned by the share of its lowest values, and so is its curve."""
    rating = {"type": "rating", "name": "buses", "title": "The buses?", "rateMax": 10, "for": "share"}
    plan = dn.plan(Questionnaire.from_json({**ASKED, "pages": [{"elements": [rating]}]}), answers=5_000)
    drawn = [row for values in plan.plot(against).to_dict()["datasets"].values() for row in values if "y" in row]
    assert drawn[-1]["y"] == pytest.approx(100 * plan.margin("buses"))
    # The answer that is hardest to tell is another question, with another margin.
    assert abs(plan.margin("buses") - margin(plan.channels["buses"], Wanted(), 5_000)) > 1e-4
