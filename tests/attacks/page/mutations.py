"""Random changes of an honest survey's JSON: some do no harm, some lie, some confuse types."""

from __future__ import annotations

import copy
import json

NASTY = [
    None, True, False, 0, -0.0, 1, -1, 2.0, 0.5, 2**53, 2**53 + 1, 1e300, "", "0", "true", "null", "no", "yes", "smokes", "district",
    "__proto__", "constructor", "x\"],[name=\"q-smokes", " ", "\u200b", "\u202e", "sm\u043ekes", [], {}, [[]],
    [1], ["smokes"], {"en": "T"}, {"__proto__": 1},
]  # fmt: skip
HARMLESS = ["Another text", "ąęść", "Do you smoke? ", "<b>x</b>", "\u05e2\u05d9\u05e8", "a\nb"]


def places(value, path=()):
    """Every place of a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield from places(part, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def _set(rng, survey):
    path = rng.choice([path for path in places(survey) if path])
    at(survey, path[:-1])[path[-1]] = copy.deepcopy(rng.choice(NASTY))


def _drop(rng, survey):
    path = rng.choice([path for path in places(survey) if path])
    parent = at(survey, path[:-1])
    parent.pop(path[-1])


def _double(rng, survey):
    path = rng.choice([path for path in places(survey) if path and isinstance(path[-1], int)])
    parent = at(survey, path[:-1])
    parent.insert(path[-1], copy.deepcopy(parent[path[-1]]))


def _shuffle(rng, survey):
    path = rng.choice([path for path in places(survey) if isinstance(at(survey, path), list)])
    rng.shuffle(at(survey, path))


def _text(rng, survey):
    path = rng.choice([path for path in places(survey) if path and path[-1] == "en"])
    at(survey, path[:-1])["en"] = rng.choice(HARMLESS)


def _extra(rng, survey):
    path = rng.choice([path for path in places(survey) if isinstance(at(survey, path), dict)])
    at(survey, path)["unknown"] = copy.deepcopy(rng.choice(NASTY))


def _mix(rng, survey):
    """Another mixture of a column of three labels, from strong to none at all."""
    block = rng.choice([block for block in survey["recipe"]["blocks"] if len(block.get("replacement", ())) == 3])
    replacement = [rng.choice([1, 1, 2, 3, 50, -0.0]) for _ in range(3)]
    diagonal = rng.choice([0, 1, 5, 15, 19, 20, 60, 10**6, -1])
    block.update(diagonal=diagonal, replacement=replacement, denominator=diagonal + sum(replacement))


def _rename(rng, survey):
    """One column under another name, in the question, the recipe or both."""
    elements = [element for page in survey["pages"] for element in page["elements"] if element["attributes"]]
    element = rng.choice(elements)
    old, new = (
        element["attributes"][0],
        rng.choice(["other", "district", "a b", "Smokes", "toString", element["attributes"][0] + "_"]),
    )
    if rng.random() < 0.7:
        element["attributes"][0] = new
        if element["name"] == old:
            element["name"] = new
    if rng.random() < 0.7:
        for block in survey["recipe"]["blocks"]:
            block["attributes"] = [new if name == old else name for name in block["attributes"]]


def _condition(rng, survey):
    elements = [element for page in survey["pages"] for element in page["elements"]]
    asked = rng.choice(elements)
    values = [choice["value"] for choice in asked["choices"]] or ["x"]
    rng.choice(elements)["visibleIf"] = {"name": asked["name"], "equal": rng.random() < 0.5, "value": rng.choice(values)}


def _private(rng, survey):
    rng.choice([element for page in survey["pages"] for element in page["elements"]])["private"] = rng.random() < 0.5


def _twice(rng, text):
    """A key twice, or a number as JavaScript alone or Python alone reads it."""
    return text.replace(
        *rng.choice(
            [
                ('"private": true', '"private": false, "private": true'),
                ('"open": true', '"open": true, "\\u006fpen": true'),
                ('"version": 1', '"version": 1.0'),
                ('"version": 1', '"version": 1e0'),
                ('"version": 1', '"version": NaN'),
                ('"version": 1', '"version": ' + "1" * 5_000),
                ('"version": 1', '"nothing": ' + "9" * 5_000 + ', "version": 1'),
                ('"version": 1', '"nothing": 1e999, "version": 1'),
                ('"version": 1', '"nothing": ' + "[" * 60 + "]" * 60 + ', "version": 1'),
                ('"version": 1', '"nothing": Infinity, "version": 1'),
            ]
        ),
        1,
    )


CHANGES = [_set, _set, _drop, _double, _shuffle, _text, _text, _extra, _extra, _mix, _mix, _mix, _rename, _condition, _private]


def mutated(rng, survey):
    """The text of a survey that was changed once or twice."""
    changed = copy.deepcopy(survey)
    for _ in range(rng.choice([1, 1, 2])):
        try:
            rng.choice(CHANGES)(rng, changed)
        except (KeyError, IndexError, TypeError, AttributeError):
            continue  # the first change took away what the second was about
    text = json.dumps(changed, ensure_ascii=rng.random() < 0.5)
    return _twice(rng, text) if rng.random() < 0.05 else text
