"""docs/page-rules.md: the page's JavaScript, `deniable verify` and the server accept and refuse the same surveys."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from deniable.errors import QuestionnaireError
from deniable.survey.page_rules import PageRuleError, check_page, read_json, suffix
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store
from deniable.web.recipes import judged

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "deniable" / "web" / "static"
CONTENT = json.loads((ROOT / "vectors" / "pages.json").read_text())
VECTORS = CONTENT["vectors"]
IDS = [f"{vector['refused'] or 'accepted'}: {vector['why']}" for vector in VECTORS]


def text_of(vector):
    return CONTENT["survey"].replace(vector["old"], vector["new"], 1)


def refused(body):
    """The rule by which Python refuses the bytes of a survey."""
    try:
        check_page(read_json(body))
    except PageRuleError as error:
        return error.code
    return None


@pytest.fixture(scope="module")
def node(node_program):
    def run(script, given):
        command = [node_program, "--input-type=module", "-e", script]
        done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, timeout=100, check=True)
        return json.loads(done.stdout)

    return run


RULES = f"""
import {{ readFileSync }} from "node:fs";
import {{ accepted, readJson }} from "{STATIC.as_uri()}/rules.js";
const texts = JSON.parse(readFileSync(0));
const refused = (text) => {{
  try {{
    accepted(readJson(new TextEncoder().encode(text)));
    return null;
  }} catch (error) {{
    return error.code ?? String(error);
  }}
}};
console.log(JSON.stringify(texts.map(refused)));
"""


def test_the_page_accepts_and_refuses_the_vectors(node):
    found = node(RULES, [text_of(vector) for vector in VECTORS])
    assert dict(zip(IDS, found, strict=True)) == dict(zip(IDS, [vector["refused"] for vector in VECTORS], strict=True))


@pytest.mark.parametrize("vector", VECTORS, ids=IDS)
def test_python_accepts_and_refuses_the_vectors(vector):
    body = text_of(vector).encode()
    assert refused(body) == vector["refused"]
    if vector["refused"] != "json":
        assert all(good for _, good, _ in judged(read_json(body))) == (vector["refused"] is None)


def test_the_vectors_are_those_that_are_written_down(tmp_path):
    import importlib.util

    spec = importlib.util.spec_from_file_location("make_pages", ROOT / "vectors" / "make_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.__file__ = str(tmp_path / "make_pages.py")
    module.main()
    assert (tmp_path / "pages.json").read_text() == (ROOT / "vectors" / "pages.json").read_text()


def test_the_vectors_break_every_rule():
    from deniable.survey.page_rules import _SAYS

    assert {vector["refused"] for vector in VECTORS} - {None} == set(_SAYS) - {"pages"}


class Told:
    """A questionnaire that says to pages what a vector says."""

    linkage, invited, closes, budget, epsilon = "none", False, None, None, 1.0

    def __init__(self, slug, told, schema):
        self.slug, self.told, self.schema = slug, told, schema

    def client(self):
        return self.told

    def to_json(self):
        return {"survey": self.slug}


def test_the_server_opens_nothing_that_pages_refuse(tmp_path):
    schema = Questionnaire.parse(SMALL).schema
    with Store(str(tmp_path / "town.db")) as store:
        for i, vector in enumerate(VECTORS):
            if vector["refused"] in ("json", "version") or '"open"' in vector["old"]:
                continue  # the server sets version and state itself, and writes JSON
            told = Told(f"town-{i}", read_json(text_of(vector).encode()), schema)
            if vector["refused"] is None:
                assert store.open_survey(told) == 1
            else:
                with pytest.raises(PageRuleError, match="pages refuse this survey"):
                    store.open_survey(told)


SMALL = """
survey: small
title: Small
organiser: Town hall
contact: town@town.example
other_way: Call us.
pages:
- elements:
  - {type: boolean, name: smokes, title: 'Do you smoke?', privacy: strong}
"""


def test_a_survey_from_before_the_rules_is_closed_and_exported_but_not_opened_again(tmp_path, standin):
    import sqlalchemy as sa

    from deniable.survey.export import export
    from deniable.survey.store.tables import version
    from deniable.survey.submission import read_submission

    with Store(str(tmp_path / "town.db")) as store:
        store.open_survey(Questionnaire.parse(SMALL))
        weak = json.dumps({**Questionnaire.parse(SMALL).client(), "version": 1}).replace('"diagonal": 2', '"diagonal": 900')
        with store.engine.begin() as connection:
            connection.execute(sa.update(version).values(client=weak))
        asked, _ = store.current("small")
        assert store.submit([read_submission(asked, standin.body({"smokes": i % 3})) for i in range(60)]) == [None] * 60
        assert store.close_survey("small") == 60
        assert export(store, "small", tmp_path / "small.csv") == 60
        with pytest.raises(PageRuleError, match="pages refuse this survey: 'smokes'"):
            store.reopen_survey("small")
        assert store.overview("small").state == "closed"


@pytest.mark.parametrize(
    ("privacy", "times"),
    [
        ("{design: krr, p: 0.998}", "998"),
        ("{design: unrelated, theta: 0.6, innocuous: [0.45, 0.45, 0.1], asked: true, question: May?}", "31.0"),
    ],
)
def test_a_question_that_is_hidden_too_little_is_refused_with_its_name_its_odds_and_the_fix(privacy, times):
    with pytest.raises(QuestionnaireError) as caught:
        Questionnaire.parse(SMALL.replace("privacy: strong", f"privacy: {privacy}"), "survey.yaml")
    said = str(caught.value)
    assert "survey.yaml, line 9: pages refuse this survey: 'smokes'" in said
    assert f"odds by a factor of at most {times}, and pages refuse more than 20" in said
    assert "privacy: light" in said


def test_names_of_columns_are_derived_alike_from_every_letter(node):
    """All of Unicode, but for letters that one of the two does not know yet."""
    import unicodedata

    letters = [chr(i) for i in range(sys.maxunicode + 1) if unicodedata.category(chr(i)) not in ("Cn", "Cs", "Co")]
    values = [f"a{letter}b" for letter in letters]
    script = f"""
import {{ readFileSync }} from "node:fs";
import {{ suffix }} from "{STATIC.as_uri()}/rules.js";
console.log(JSON.stringify(JSON.parse(readFileSync(0)).map(suffix)));
"""
    found = node(script, values)
    wrong = [
        (letter, theirs, suffix(value))
        for letter, value, theirs in zip(letters, values, found, strict=True)
        if theirs != suffix(value)
    ]
    assert wrong == []
