"""Rows of a list of answers in a form: moved, removed and added by buttons that send the form."""

from __future__ import annotations

import re
from collections.abc import Mapping

from deniable.survey.page_rules import MOST_CHOICES


def rearranged(given: Mapping[str, str]) -> dict[str, str]:
    """The form with a row one place earlier or gone, if that is what its button asks for.

    >>> rearranged({"do": "up choices 1", "choices.0.en": "a", "choices.1.en": "b"})
    {'do': 'up choices 1', 'choices.1.en': 'a', 'choices.0.en': 'b'}
    >>> rearranged({"do": "drop choices 0", "choices.0.en": "a", "choices.1.en": "b"})
    {'do': 'drop choices 0', 'choices.1.en': 'b'}
    """
    match = re.fullmatch(r"(up|drop) (\w{1,40}) (\d{1,4})", given.get("do", ""))
    if match is None or (match[1] == "up" and int(match[3]) == 0):
        return dict(given)
    here, before = f"{match[2]}.{match[3]}.", f"{match[2]}.{int(match[3]) - 1}."
    if match[1] == "drop":
        return {name: text for name, text in given.items() if not name.startswith(here)}
    turned = {}
    for name, text in given.items():
        swapped = [(here, before), (before, here)]
        turned[next((other + name[len(one) :] for one, other in swapped if name.startswith(one)), name)] = text
    return turned


def wanted_rows(given: Mapping[str, str]) -> dict[str, int]:
    """How many rows a list is to show, if its button asks for one more.

    >>> wanted_rows({"do": "more choices", "choices.0.en": "a", "choices.1.en": ""}), wanted_rows({"do": "stay"})
    ({'choices': 3}, {})
    """
    match = re.fullmatch(r"more (\w{1,40})", given.get("do", ""))
    if match is None:
        return {}
    numbers = [found[1] for name in given if (found := re.match(rf"{match[1]}\.(\d{{1,4}})\.", name))]
    return {match[1]: min(len(set(numbers)) + 1, MOST_CHOICES)}
