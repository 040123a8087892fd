"""What the page works out of a recipe: the rows that the sampler draws by, and whether some report would give an answer away."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path

import pytest

from deniable.core.domains.domain import NO_ANSWER
from deniable.core.domains.grids import Integer
from deniable.core.domains.labels import Nominal, Ordinal
from deniable.core.domains.missing import WithMissing
from deniable.survey.levels import channel_for

STATIC = Path(__file__).parent.parent.parent / "deniable" / "web" / "static"
YES_NO = Nominal(["no", "yes"], missing=NO_ANSWER)
SCALE = Ordinal(list("12345"), missing=NO_ANSWER)
NUMBERS = WithMissing(Integer(0, 30, 1), NO_ANSWER)
INNOCUOUS = {"no": 0.4, "yes": 0.4, NO_ANSWER: 0.2}


@pytest.fixture(scope="module")
def node(node_program, tmp_path_factory):
    """Run a script that imports what the page imports."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "package.json").write_text('{"type": "module"}')
    for name in ("mixing.js", "randomise.js"):
        (folder / name).write_text((STATIC / name).read_text())

    def run(expression, given):
        script = folder / "call.js"
        script.write_text(
            'import * as m from "./mixing.js";\nimport { choose } from "./randomise.js";\n'
            f"const given = {json.dumps(given)};\nconsole.log(JSON.stringify({expression}));\n"
        )
        done = subprocess.run([node_program, str(script)], capture_output=True, text=True, timeout=60, check=True)
        return json.loads(done.stdout)

    return run


@pytest.mark.parametrize(
    ("domain", "privacy"),
    [
        (YES_NO, "strong"),
        (YES_NO, {"design": "unrelated", "theta": 0.6, "innocuous": INNOCUOUS}),
        (YES_NO, {"design": "retention", "p": 0.7}),
        (YES_NO, {"design": "matrix", "P": [[0.7, 0.2, 0.1], [0.2, 0.7, 0.1], [0.2, 0.2, 0.6]]}),
        (SCALE, {"design": "neighbours", "level": "standard"}),
        (NUMBERS, "light"),
        (NUMBERS, {"design": "laplace", "scale": 4, "answered": 0.8}),
        (NUMBERS, {"design": "normal", "scale": 6, "answered": 0.75}),
    ],
    ids=["strong", "unrelated", "retention", "matrix", "neighbours", "grid", "laplace", "normal"],
)
def test_rows_and_odds_are_those_of_the_channel(node, domain, privacy):
    channel = channel_for(domain, privacy, ordered=True)
    recipe = channel.law.recipe()
    found = node("[given.codes.map((code) => m.row(given.recipe, code)), m.odds(given.recipe, given.codes.length)]",
                 {"recipe": recipe, "codes": list(range(domain.size))})  # fmt: skip
    assert [[weight / recipe["denominator"] for weight in row] for row in found[0]] == [
        pytest.approx(row) for row in channel.matrix().tolist()
    ]
    assert found[1] == pytest.approx(math.exp(channel.epsilon))


@pytest.mark.parametrize(
    "recipe",
    [
        {"law": "table", "denominator": 6, "weights": [[4, 1, 1], [2, 3, 1], [1, 1, 4]]},
        {"law": "mixture", "denominator": 7, "diagonal": 4, "replacement": [1, 2, 0]},
        {"law": "mixture", "denominator": 5, "diagonal": -1, "replacement": [2, 2, 2]},
        {"law": "shift", "denominator": 6, "inputs": 3, "outputs": 3, "lowest": -2, "kernel": [1, 1, 2, 1, 1]},
        {"law": "silent", "denominator": 20, "even": [2, 1, 1], "inner":
            {"law": "shift", "denominator": 4, "inputs": 3, "outputs": 3, "lowest": -1, "kernel": [1, 2, 1]}},
    ],
    ids=["table", "mixture", "negative", "shift", "silent"],
)  # fmt: skip
def test_rows_count_what_the_sampler_does_with_every_draw(node, recipe):
    labels = 4 if recipe["law"] == "silent" else 3
    counted, rows = node(
        "[given.codes.map((code) => { const found = given.codes.map(() => 0);"
        " for (let draw = 0; draw < given.recipe.denominator; draw++) found[choose(given.recipe, code, draw)]++; return found; }),"
        " given.codes.map((code) => m.row(given.recipe, code))]",
        {"recipe": recipe, "codes": list(range(labels))},
    )
    assert counted == rows


@pytest.mark.parametrize(
    ("weight", "denominator", "expected"),
    [(1, 5, [2, 10]), (1, 7, [14, 100]), (1, 11, [9, 100]), (1, 305, [3, 1000]), (1, 10**6, [1, 10**6]), (0, 5, None)],
)
def test_people_are_counted_so_that_somebody_is_there(node, weight, denominator, expected):
    assert node("m.people(given[0], given[1])", [weight, denominator]) == expected
