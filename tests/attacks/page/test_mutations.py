"""An honest survey, changed at random 2,000 times: page, `verify` and server agree on each, and what is accepted is mixed as shown."""

from __future__ import annotations

import importlib.util
import json
import random
import re
import subprocess
from pathlib import Path

import pytest
from scipy.stats import chisquare, kstest

from deniable.survey.page_rules import PageRuleError, check_page, read_json
from deniable.survey.questionnaire import Questionnaire
from deniable.web.recipes import judged
from deniable.web.released import STATIC

HERE = Path(__file__).parent
PAGES = json.loads((HERE.parents[2] / "vectors" / "pages.json").read_text())
SURVEY = PAGES["survey"]
COARSE = {
    vector["why"]: SURVEY.replace(vector["old"], vector["new"], 1)
    for vector in PAGES["vectors"]
    if vector["why"] in ("a number of which one bit is sent", "a number that is sent more finely")
}
RANDOM = random.Random(20_261_116)
DRAWS = 400


def _load(name):
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MUTATIONS = _load("mutations")


def refused(text):
    """The rule by which the server refuses a survey; `verify` must, too."""
    try:
        told = read_json(text.encode(errors="surrogatepass"))
    except PageRuleError as error:
        return error.code
    by_verify = [good for _, good, _ in judged(told)]
    try:
        check_page(told)
    except PageRuleError as error:
        assert by_verify == [False]
        return error.code
    assert all(by_verify)
    return None


def texts(count, seed, honest=SURVEY):
    rng = random.Random(seed)
    survey = json.loads(honest)
    return [MUTATIONS.mutated(rng, survey) for _ in range(count)]


@pytest.mark.parametrize(
    ("count", "honest"), [(2_000, SURVEY), *((1_000, text) for text in COARSE.values())], ids=["as it is", *COARSE]
)
def test_page_verify_and_server_agree_on_2_000_surveys_and_mix_as_shown(node_program, tmp_path, count, honest):
    # A new seed each time; it is said, so that a failure can be looked at again.
    seed = RANDOM.randrange(10**9)
    given = texts(count, seed, honest)
    (tmp_path / "surveys").write_text("\n".join(json.dumps(text) for text in given))
    command = [node_program, str(HERE / "judge.mjs"), STATIC.as_uri(), str(tmp_path / "surveys"), str(DRAWS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    by_python = [refused(text) for text in given]
    differ = [
        pair for pair in zip([one["refused"] for one in found], by_python, given, strict=True) if bool(pair[0]) != bool(pair[1])
    ]
    assert differ == [], f"seed {seed}"
    accepted = [one for one in found if one["refused"] is None]
    assert 0.2 < len(accepted) / count < 0.8
    assert len({one["refused"] for one in found}) > 15
    assert max(one.get("odds", 1) for one in accepted) <= 20
    # Among honest samplers p-values are even: the smallest of about 700 may be 1e-3, not 1e-7; nor do they crowd anywhere.
    values = [p_value(one) for one in accepted if "counts" in one]
    assert min(values) > 1e-8, f"seed {seed}"
    assert kstest(values, "uniform").pvalue > 1e-7, f"seed {seed}"


def p_value(one):
    expected = [DRAWS * share for share in one["shown"]]
    assert all(count == 0 for count, share in zip(one["counts"], one["shown"], strict=True) if share == 0)
    pairs = [(count, share) for count, share in zip(one["counts"], expected, strict=True) if share > 0]
    # Labels that are rarely sent are counted together, as a chi-square test wants.
    rare = [pair for pair in pairs if pair[1] < 5]
    pairs = [pair for pair in pairs if pair[1] >= 5] + ([tuple(map(sum, zip(*rare, strict=True)))] if rare else [])
    return chisquare(*zip(*pairs, strict=True)).pvalue if len(pairs) > 1 else 0.5


class Told:
    """A questionnaire that says to pages what it is given."""

    linkage, invited, closes, budget, epsilon = "none", False, None, None, 1.0

    def __init__(self, slug, told, schema):
        self.slug, self.told, self.schema = slug, told, schema

    def client(self):
        return self.told

    def to_json(self):
        return {"survey": self.slug}


SMALL = """{survey: small, title: S, organiser: O, contact: C, other_way: W, pages: [{elements: [
  {type: boolean, name: smokes, title: 'Do you smoke?', privacy: strong}]}]}"""


@pytest.mark.xdist_group("browser")
def test_a_real_browser_asks_by_20_of_them_exactly_where_the_server_opens_them(served, victim):
    """Those that are no JSON, or hold numbers that Python does not write, are left out: the server writes its own."""
    given = [
        text
        for text in texts(120, RANDOM.randrange(10**9))
        if refused(text) != "json" and not re.search(r"\d{400}|1e999", text)
    ]
    # The victim looks for English buttons.
    given = [text for text in given if refused(text) or "en" in json.loads(text)["languages"]]
    wanted = [text for text in given if refused(text)][:12] + [text for text in given if not refused(text)][:8]
    served("mutated")
    schema = Questionnaire.parse(SMALL).schema
    person = victim()
    faults = []
    person.page.on("pageerror", lambda error: faults.append(str(error)))
    for i, text in enumerate(wanted):
        person.page.unroute_all()
        told = json.loads(text)
        # The server sets these two itself.
        told.update(version=1, open=True)
        person.told("mutated", lambda _, told=told: json.dumps(told))
        try:
            served.store.open_survey(Told(f"mutated-{i}", told, schema))
            opened = True
        except PageRuleError:
            opened = False
        assert person.opens(f"{served.url}/s/mutated") == opened, text
        assert opened == (refused(json.dumps(told)) is None)
        if opened:
            mixes_as_it_says(person.page, told)
    assert faults == []


# In the page itself, by the files it runs: how often someone who does not smoke is reported as a smoker.
DRAW = """async (told) => {
  const { accepted } = await import("/static/rules.js");
  const { recipeOf } = await import("/static/mixing.js");
  const { randomise } = await import("/static/randomise.js");
  const only = { blocks: [recipeOf(accepted(told), "smokes")] };
  let yes = 0;
  for (let i = 0; i < 4000; i++) yes += randomise(only, { smokes: 0 }).smokes === 1;
  return yes;
}"""


def mixes_as_it_says(page, told):
    """What the page tells the person is what it does: "Of 10 people whose answer is No, about 2 send Yes"."""
    said = re.search(r"Of ([\d,]+) people whose answer is “No”, about ([\d,]+) send “Yes”", page.locator(".panel").inner_text())
    if said is None:
        return  # another question serves as the example, or the words for yes and no were changed
    of, n = (int(part.replace(",", "")) for part in said.groups())
    sent = page.evaluate(DRAW, told)
    # The page rounds to as few people as are within 9%.
    least, most = 4000 * n / of / 1.1, 4000 * n / of / 0.9
    assert least - 6 * least**0.5 - 6 <= sent <= most + 6 * most**0.5 + 6, (said[0], sent)
