"""The Python twin of a random view runs on an export and gives the same numbers; hostile texts do nothing in any twin."""

import csv
import io
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import deniable as dn
from deniable.errors import FileError
from deniable.results.address import address, from_address
from deniable.results.asking import ask
from deniable.results.calls import call
from deniable.results.questions import Comparison, CrossTable, MeanOf, OneQuestion, Overview, Together
from deniable.results.twins import as_python, export_in
from deniable.results.workbench import Workbench
from deniable.survey.export import export

CONDITIONS = [
    None,
    None,
    "sex == 'F'",
    "age < 40",
    "smokes == 'yes'",
    "not (owes == 'yes')",
    "mood >= 3 and sex == 'M'",
    "age >= 30 or mood == 1",
]
NAMES = ["sex", "age", "smokes", "owes", "mood"]


def random_question(rng):
    """A view that the survey of these tests can answer."""
    of, by = map(str, rng.choice(NAMES, 2, replace=False))
    where = CONDITIONS[rng.integers(len(CONDITIONS))]
    number = str(rng.choice(["age", "mood"]))
    group = None if rng.random() < 0.4 else by
    kinds = [
        Overview(where=where),
        OneQuestion(of, group, where),
        OneQuestion("age", bins=int(rng.integers(2, 12)), where=where),
        MeanOf(number, None if group == number else group, where),
        CrossTable(of, by),
        Comparison(of if of != "age" else "smokes", "sex == 'F'", "sex == 'M'"),
        Comparison("mood", "smokes == 'yes'", "smokes == 'no'", mean=True),
    ]
    return kinds[rng.integers(len(kinds))]


def numbers_in(answer):
    """The figures behind its estimates: of a comparison those of the differences."""
    blocks = answer.blocks[-1:] if isinstance(answer.question, Comparison) else answer.blocks
    return [[(figure.value, figure.low, figure.high) for figure in block.figures] for block in blocks if block.figures]


def check(answer, printed):
    """That printed numbers are those of an answer."""
    given = [list(zip(*(one[key] for key in ("value", "low", "high")), strict=True)) for one in printed if one is not None]
    if isinstance(answer.question, Comparison):
        given = [[one[0] for one in given]]
    shown = numbers_in(answer)
    assert len(given) == len(shown)
    for here, there in zip(shown, given, strict=True):
        assert len(here) == len(there)
        for figure, numbers in zip(here, there, strict=True):
            if figure[0] is None:
                assert not np.isfinite(numbers).all()
            else:
                np.testing.assert_allclose(figure, numbers, rtol=1e-12, atol=1e-12)


def run(code, place):
    """What a script prints, in a process of its own."""
    root = str(Path(dn.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code, str(place)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def exported(new_store, tmp_path):
    store = new_store(2_500)
    (tmp_path / "exports").mkdir()
    export(store, "council", tmp_path / "exports" / "council-v1.csv")
    return Workbench(store), tmp_path / "exports"


def in_this_process(code, place, capsys):
    """The same without a new process, which takes longer to start than most views to compute."""
    before, sys.argv = sys.argv, ["twin", str(place)]
    try:
        exec(compile(code, "twin", "exec"), {"__name__": "__main__"})
    finally:
        sys.argv = before
    return json.loads(capsys.readouterr().out)


def check_views(bench, folder, rng, count, language, capsys):
    """The address alone gives the view; its numbers are those of `dn.Sample` on the export, and of its Python twin."""
    sample = dn.read(folder / "council-v1.csv")
    for _ in range(count):
        question = random_question(rng)
        assert from_address(address(question)) == question
        answer = bench.ask("council", from_address(address(question)), language, exporting=True)
        assert from_address(answer.address) == question
        check(answer, [_numbers(estimate) for estimate in of_sample(sample, question)])
        check(answer, in_this_process(answer.py(), folder, capsys))


def of_sample(sample, question):
    """What a question means, said once more: the estimates that a sample gives."""
    in_ten, in_four = ({"age": count}.get for count in (10, 4))
    if isinstance(question, Overview):
        return [sample.distribution(name, where=question.where, bins=in_ten(name)) for name in NAMES]
    if isinstance(question, OneQuestion):
        given = {"where": question.where, "by": question.by, "by_bins": in_four(question.by)}
        return [sample.distribution(question.of, bins=question.bins or in_ten(question.of), **given)]
    if isinstance(question, MeanOf):
        return [sample.mean(question.of, where=question.where, by=question.by, by_bins=in_four(question.by))]
    if isinstance(question, CrossTable):
        bins = {"age": 4} if "age" in (question.of, question.by) else None
        return [sample.crosstab(question.by, question.of, bins=bins)]
    between = (question.first, question.second)
    if question.mean:
        return [sample.difference(of=question.of, between=between)]
    labels = {"sex": ["M"], "mood": [1, 2, 3, 4, 5]}.get(question.of, ["yes"])
    return [sample.difference(f"{question.of} == {label!r}", between=between) for label in labels]


def _numbers(estimate):
    low, high = estimate.interval()
    return {"value": estimate.shown.tolist(), "low": low.tolist(), "high": high.tolist()}


def test_random_views_and_their_twins(exported, capsys):
    """20 views here; 200 with `pytest -m slow` (seed 12)."""
    check_views(*exported, np.random.default_rng(11), 20, "en", capsys)


@pytest.mark.slow
def test_two_hundred_random_views_and_their_twins(exported, capsys):
    check_views(*exported, np.random.default_rng(12), 200, "pl", capsys)


def test_a_twin_is_a_script(exported):
    bench, folder = exported
    answer = bench.ask("council", OneQuestion("smokes", "sex"), "en", exporting=True)
    check(answer, run(answer.py(), folder / "council-v1.csv"))


def test_rules_and_their_twin(exported, capsys):
    bench, folder = exported
    answer = bench.ask("council", Together(("smokes", "owes", "sex"), support=0.05), "en", exporting=True)
    assert answer.blocks[0].figures
    check(answer, in_this_process(answer.py(), folder, capsys))


def test_only_what_surely_goes_together_is_shown(new_store):
    """Smoking goes with sex and with debts; how life is goes with nothing, and what most people answer with everything."""
    answer = Workbench(new_store(8_000)).ask("council", Together(("smokes", "owes", "sex", "mood"), confidence=0.3), "en", True)
    rules = {figure.codes for figure in answer.blocks[0].figures}
    assert ("owes=yes", "smokes=yes") in rules
    assert ("sex=M", "smokes=yes") in rules
    assert not any("mood" in side for rule in rules for side in rule)
    assert ("sex=M", "smokes=no") not in rules  # three in five men do not smoke, but more women do not
    # Three in ten smoke: 20% of the women and 40% of the men.
    assert "also have “Do you smoke? Yes”; of everyone between 28 and 33 in 100." in " ".join(answer.blocks[0].sentences)


HOSTILE = [
    "=cmd|' /C calc'!A0", "'); import os; os._exit(3) #", "\"\"\"\nraise SystemExit(3)\n\"\"\"", "</title><script>alert(1)</script>",
    "@SUM(1)", "]]><svg onload=alert(1)>", "&lt;&amp;", "{0.__class__}", "\\N{BULLET}\\x00", "a\u202eb", "-1+1;=2",
    "x' or 1 == 1 or 'x' == 'x",
]  # fmt: skip


def test_hostile_names_and_labels_do_nothing(capsys, tmp_path):
    names = [f"{text}{i}" for i, text in enumerate(HOSTILE)]
    schema = dn.Schema({name: dn.KRR(dn.Nominal([*HOSTILE[:4], "plain"]), 0.8) for name in names[:3]})
    rng = np.random.default_rng(3)
    rows = {name: rng.choice([*HOSTILE[:4], "plain"], 600) for name in names[:3]}
    import pandas as pd

    sample = dn.Sample(pd.DataFrame(rows), schema)
    for question in (Overview(), OneQuestion(names[0], names[1]), CrossTable(names[1], names[2])):
        answer = ask(sample, from_address(address(question)))
        tree = ET.fromstring(answer.svg())
        kinds = {element.tag.rpartition("}")[2] for element in tree.iter()}
        assert kinds <= {"svg", "title", "text", "line", "g", "circle", "polygon", "rect"}
        assert not any(key.startswith("on") or "href" in key for element in tree.iter() for key in element.attrib)
        for row in csv.reader(io.StringIO(answer.csv().removeprefix("\ufeff"))):
            assert not any(cell.lstrip('" ').startswith(("=", "@", "+", "\t")) for cell in row)
        json.loads(answer.json())
        compile(answer.py(), "twin", "exec")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_in_code_are_texts(text):
    import ast

    tree = ast.parse(as_python([call("share", text, among=text), call("mean", text)], [1, 1]))
    calls = {node.func.attr for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
    assert calls == {"interval", "tolist", "dumps", "read", "share", "mean"}
    assert "#" not in as_python([call("mean", "age")], [1])


def test_no_code_has_texts_of_the_survey(exported):
    bench, _ = exported
    code = bench.ask("council", Overview(), "pl", exporting=True).py()
    assert code.isascii()
    assert "Czy" not in code


def test_exports_are_found_in_a_folder(tmp_path):
    for name in ("a-v1.csv", "a-v2.parquet"):
        (tmp_path / name).touch()
    assert export_in(tmp_path, 2).name == "a-v2.parquet"
    with pytest.raises(FileError):
        export_in(tmp_path, 3)
