"""What a served survey does to answers, judged by the rules of the respondent's page (docs/page-rules.md) and told in words."""

from __future__ import annotations

import math
from typing import Any

from deniable.privacy.reporting.words import odds as in_words
from deniable.survey.page_rules import PageRuleError, check_page
from deniable.survey.recipe_rows import UnreadableRecipeError, odds, odds_if_asked, rows


def judged(told: Any) -> list[tuple[str, bool, str]]:
    """(what, good, found): whether the respondent's page asks by what it is told, and if so how each column is mixed.

    >>> judged({"pages": []})
    [('', False, 'pages refuse this survey: languages is a list of different codes such as en.')]
    """
    try:
        check_page(told)
    except PageRuleError as error:
        return [(error.about, False, ("NOT MIXED: " if error.code in ("odds", "recipe") else "") + str(error))]
    blocks = {block["attributes"][0]: block for block in told["recipe"]["blocks"]}
    elements = [element for page in told["pages"] for element in page["elements"]]
    return [(name, True, _said(element, blocks[name])) for element in elements for name in element["attributes"]]


def _said(element: dict[str, Any], block: dict[str, Any]) -> str:
    if not element["private"]:
        return "asked openly: the answer is sent as it is, and the page says so"
    return describe_mixing(element, block, labels_of(element))


def describe_mixing(element: dict[str, Any], block: dict[str, Any], labels: int) -> str:
    """How one private column is mixed, in words.

    >>> smokes = {"law": "mixture", "denominator": 5, "diagonal": 2, "replacement": [1, 1, 1]}
    >>> describe_mixing({"choices": [{"value": "no"}, {"value": "yes"}]}, smokes, 3)
    "a report changes anyone's odds by a factor of at most 3.0; of 100 people whose answer is 'no', 40 send another"
    """
    try:
        grid = bool(element.get("grid"))
        changed = odds_if_asked(block, labels) if element.get("asked") else odds(block, labels, grid)
        weights = rows(block, labels, grid)
        another = 100 * (1 - int(weights[0, 0]) / block["denominator"])
    except UnreadableRecipeError as error:
        return f"the recipe cannot be followed: {error}"
    if math.isinf(changed):
        return "some report proves an answer"
    known = ", also for an organiser who knows the second answer" if element.get("asked") else ""
    if weights.shape[1] != labels:
        numbers = weights.shape[1] - 1
        return (
            f"a report changes anyone's odds {in_words(math.log(changed))}; one of {numbers} values is sent, not the number; of 100 people "
            f"with the smallest number, {another:.0f} send another value than the lowest"
        )
    first = "whose answer is 'no'" if element.get("type") == "checkbox" else _first(element)
    return f"a report changes anyone's odds {in_words(math.log(changed))}{known}; of 100 people {first}, {another:.0f} send another"


def labels_of(element: dict[str, Any]) -> int:
    """How many labels a column of a question has, "no answer" among them.

    >>> labels_of({"type": "number", "grid": {"min": 0, "max": 6, "step": 2}, "choices": []})
    5
    """
    if element["type"] == "checkbox":
        return 3
    grid = element.get("grid")
    return int((grid["max"] - grid["min"]) // grid["step"]) + 2 if grid else len(element["choices"]) + 1


def _first(element: dict[str, Any]) -> str:
    choices = element.get("choices")
    return f"whose answer is {choices[0]['value']!r}" if choices else "with the first answer"
