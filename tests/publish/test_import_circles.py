"""The package has no import circle: not at the top of modules, not inside functions, not for type checkers only."""

import ast
import graphlib
from pathlib import Path

import pytest

import deniable.publish

ROOT = Path(deniable.publish.__file__).parents[2]


def imports(sources):
    """By module the modules among `sources` (text by name) that it imports, wherever in it that is written."""
    graph = {}
    for module, text in sources.items():
        named = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                named |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        graph[module] = named & set(sources) - {module}
    return graph


def refuse_circles(sources):
    list(graphlib.TopologicalSorter(imports(sources)).static_order())


@pytest.mark.statistical
def test_no_circle():
    files = sorted((ROOT / "deniable" / "publish").rglob("*.py"))
    names = [".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for file in files]
    sources = {name: file.read_text(encoding="utf-8") for name, file in zip(names, files, strict=True)}
    assert sum(map(len, imports(sources).values())) > 50
    refuse_circles(sources)


@pytest.mark.parametrize(
    "hidden", ["def f():\n    from p import a\n", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import p.a\n"]
)
def test_a_hidden_circle_is_found(hidden):
    with pytest.raises(graphlib.CycleError):
        refuse_circles({"p.a": "from p.b import thing\n", "p.b": hidden})
