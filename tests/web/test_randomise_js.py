"""The browser's sampler: the same labels from the same bytes as Python, the promised epsilon, and no second-best randomness."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import deniable as dn
from deniable.errors import SchemaError

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SCRIPT = ROOT / "deniable" / "web" / "static" / "randomise.js"
VECTORS = ROOT / "vectors" / "draws.json"


@pytest.fixture(scope="module")
def node(node_program):
    """Run Node."""

    def run(*arguments, check=True):
        done = subprocess.run(
            [node_program, "--no-warnings", *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
        )
        assert not check or done.returncode == 0, done.stderr
        return done

    return run


def module_copy(folder, change=None):
    """The script under a name that node takes for a module, with a planted fault if one is wanted."""
    text = SCRIPT.read_text()
    if change is not None:
        assert change[0] in text
        text = text.replace(*change)
    copy = folder / "randomise.mjs"
    copy.write_text(text)
    return copy


def wrong_draws(node, script):
    return json.loads(node(HERE / "check_vectors.mjs", script, VECTORS).stdout)


def test_ten_thousand_byte_streams_give_the_same_labels(node, tmp_path):
    found = wrong_draws(node, module_copy(tmp_path))
    assert found["draws"] == 12_000
    assert found["wrong"] == []


@pytest.mark.parametrize(
    "fault",
    [
        ("candidate < limit", "true"),
        ("(b[6] & 31)", "(b[6] & 15)"),
        ("draw < own", "draw <= own"),
        ("recipe.outputs - 1", "recipe.outputs"),
        ("z === code ? 0 : weight", "weight"),
        ("told ? codes.slice() : instead.slice()", "told ? instead.slice() : codes.slice()"),
    ],
)
def test_a_planted_fault_is_caught_by_the_vectors(node, tmp_path, fault):
    assert wrong_draws(node, module_copy(tmp_path, fault))["wrong"]


def test_python_repeats_its_own_vectors():
    content = json.loads(VECTORS.read_text())
    namespace: dict = {"__name__": "vectors", "__file__": str(VECTORS)}
    exec((ROOT / "vectors" / "make.py").read_text(), namespace)
    schemas = [dn.Schema.from_json(schema) for schema in content["schemas"]]
    assert [schema.recipe()["blocks"][0] for schema in schemas] == content["recipes"]
    for at, codes, streams, expected in content["draws"]:
        assert namespace["report"](schemas[at], codes, streams) == expected


@pytest.mark.parametrize(
    "schema",
    [
        dn.Schema({"x": dn.KRR.from_epsilon(dn.Nominal(list("abcde")), 1.5)}),
        dn.Schema({"x": dn.Flip(0.4, 0.96)}),
        dn.Schema({"x": dn.UnrelatedQuestion(dn.Binary(), 0.6, 0.3)}),
        dn.Schema(
            {n: dn.UnrelatedQuestion(dn.Binary(), 0.5, 0.5) for n in "xy"},
            groups={"g": ["x", "y"]},
        ),
    ],
    ids=["krr", "flip", "unrelated", "group"],
)
def test_a_million_draws_stay_within_the_promised_epsilon(node, tmp_path, schema):
    [block], recipe = schema.blocks, schema.recipe()["blocks"][0]
    labels = [len(schema[name].inputs) for name in block.attributes]
    truths = [list(map(int, np.unravel_index(i, labels))) for i in range(math.prod(labels))]
    times = 1_000_000 // len(truths)
    script = module_copy(tmp_path)
    shown = json.loads(node(HERE / "count_reports.mjs", script, json.dumps({**recipe, "truths": truths}), times).stdout)
    counts = np.array([[found.get(",".join(map(str, z)), 0) for z in truths] for found in shown])
    assert (counts.sum(axis=1) == times).all()
    # The draws have no seed and 34 pairs have just the promised odds: at 1e-6 an exact sampler is called one too many in 20 million runs.
    low = stats.beta.ppf(1e-6, counts, times - counts + 1)
    high = stats.beta.ppf(1 - 1e-6, counts + 1, times - counts)
    audited = max(
        math.log(low[x, z] / high[y, z]) for z in range(len(truths)) for x in range(len(truths)) for y in range(len(truths))
    )
    assert 0.93 * schema.epsilon <= audited <= schema.epsilon
    matrix = block.channel.matrix()
    expected = matrix * times
    assert (np.abs(counts - expected) < 6.5 * np.sqrt(expected * (1 - matrix)) + 1).all()


@pytest.mark.parametrize(
    "script",
    [
        "Object.defineProperty(globalThis, 'crypto', {value: undefined}); m.integerBelow(10)",
        "Object.defineProperty(globalThis, 'crypto', {value: {}}); m.integerBelow(10)",
        "m.integerBelow(2 ** 53)",
        "m.integerBelow(0)",
        "m.randomiseBlock({law: 'mixture', denominator: 4, diagonal: 2, replacement: [1, 1]}, [2])",
        "m.randomiseBlock({law: 'mixture', denominator: 4, diagonal: 2, replacement: [1, 1]}, [undefined])",
        "m.randomiseBlock({law: 'mixture', denominator: 4, diagonal: 2, replacement: [1, 1]}, [0, 1])",
        "m.randomiseBlock({law: 'magic', denominator: 4}, [0])",
        # Candidates that are thrown away again and again: they were, without end.
        "m.integerBelow(5, (n) => new Uint8Array(n).fill(255))",
        "m.checkRandomness((n) => new Uint8Array(n))",
        "m.checkRandomness((n) => new Uint8Array(n).fill(255))",
        "m.checkRandomness((n) => new Uint8Array(n).map((_, i) => 31 * i))",
        "let i = 0; m.checkRandomness((n) => new Uint8Array(n).fill(i++))",
        "m.checkRandomness(() => [])",
    ],
)
def test_it_refuses_rather_than_draw_badly(node, tmp_path, script):
    module_copy(tmp_path)
    call = tmp_path / "call.mjs"
    call.write_text(f"import * as m from './randomise.mjs';\n{script};\n")
    done = node(call, check=False)
    assert done.returncode != 0
    assert "Error" in done.stderr


def test_random_numbers_that_vary_are_never_refused(node, tmp_path):
    module_copy(tmp_path)
    call = tmp_path / "call.mjs"
    call.write_text("import * as m from './randomise.mjs';\nfor (let i = 0; i < 20000; i++) m.checkRandomness();\n")
    node(call)


def test_the_whole_report_has_every_question_and_no_other(node, tmp_path):
    schema = dn.Schema({"x": dn.KRR(dn.Binary(), 0.75), "y": dn.Identity(dn.Nominal(["a", "b"]))})
    module_copy(tmp_path)
    call = tmp_path / "call.mjs"
    call.write_text(
        "import * as m from './randomise.mjs';\n"
        f"console.log(JSON.stringify(m.randomise({json.dumps(schema.recipe())}, {{x: 1, y: 1, secret: 7}})));\n"
    )
    report = json.loads(node(call).stdout)
    assert set(report) == {"x", "y"}
    assert report["y"] == 1


def test_floating_point_channels_have_no_recipe():
    schema = dn.Schema({"x": dn.Additive(dn.Continuous(0, 1), dn.Uniform(0.5))})
    with pytest.raises(SchemaError, match="protects nobody"):
        schema.recipe()


def test_the_script_depends_on_nothing_and_draws_from_nothing_else():
    text = SCRIPT.read_text()
    assert "import" not in text.replace("important", "")
    assert "Math.random" not in text
    assert "Date" not in text
    assert len(text.encode()) < 8_000
