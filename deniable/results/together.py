"""The view of what goes together: rules between a few questions, with intervals that allow for the search.

What nearly everybody answers goes with everything. So only rules are shown whose lift is surely above 1: the answer is more frequent
among those with the others than among everyone. Rules are chosen by that lower end alone, at the level that so many of them need
(`mining/after_searching.py`): if nothing goes together, even one is shown in at most 5 of 100 surveys. Intervals whose level counted
rules that are left out afterwards would be too short for that."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.errors import ParameterError
from deniable.mining.itemsets import frequent_itemsets
from deniable.mining.rules import association_rules
from deniable.picture_words import answer_to
from deniable.results.bins import label_in_words
from deniable.results.estimating import BINS, Found
from deniable.results.figures import SHARE, Block, Figure
from deniable.results.material import MOST_ATTRIBUTES, Material, Spoken
from deniable.results.questions import MOST_TOGETHER, Together
from deniable.results.remarks import as_sentence
from deniable.results.rows import only, rows_of

ROUNDING = 1e-9
"""0.6 / 0.75 is a little less than 0.8 in floating point, and 0.8 all the same."""
MOST_RULES = 40
"""So many rules are shown, those first that surely have the highest lift."""
MOST_CANDIDATES = 20_000
"""A search that would look at more itemsets of one length is refused."""
MOST_ITEMS = 12
"""Numbers of more values than this are put into bins."""
assert MOST_TOGETHER >= MOST_ATTRIBUTES  # a view of rules looks at few of them at a time


def together(material: Material, asked: Together, spoken: Spoken) -> Found:
    """Rules "of those with these answers, so many have that one, too"."""
    for name in asked.of:
        material.check([name])
    check_own_draws(material, asked.of)
    bins = {name: BINS // 2 for name in asked.of if _is_long(material, name)}
    rules = found_rules(material.data, material.schema, asked, bins)
    figures, sentences = [], []
    for row in rules.to_dict("records"):
        given, then = (_items(row[side], bins, spoken) for side in ("antecedents", "consequents"))
        low, high = float(row["confidence_low"]), float(row["confidence_high"])
        value = float(np.clip(row["confidence"], low, high))
        share = spoken.said.share(low, high)
        codes = (_codes(row["antecedents"]), _codes(row["consequents"]))
        everyone = spoken.said.share(float(row["everyone_low"]), float(row["everyone_high"]))
        beside = spoken.said.of_everyone.format(share=share, everyone=everyone)
        figures.append(Figure(then, given, codes, value, low, high, None, None, beside))
        sentences.append(spoken.said.rule.format(given=given, then=then, share=share, everyone=everyone))
    sentences += [spoken.said.searched] if figures else [spoken.said.no_rules]
    block = Block(
        ",".join(asked.of), spoken.said.rules, SHARE, tuple(figures), rules.attrs["rows"], tuple(sentences), (), (0.0, 1.0)
    )
    titles = spoken.said.looked_through.format(titles="; ".join(map(spoken.title, asked.of)))
    return Found(spoken.said.rules, (block,), (as_sentence(titles),), code=_code(asked, bins))


def check_own_draws(material: Material, names: Any) -> None:
    """Refuse attributes that share a draw with others: rows of some of them cannot be undone by themselves."""
    shared = {name for block in material.schema.blocks if len(block.attributes) > 1 for name in block.attributes}
    if shared & set(names):
        raise ParameterError(
            "shared_draw",
            "{got} share a draw with other questions, which this view cannot undo.",
            got=", ".join(sorted(shared & set(names))),
        )


def found_rules(data: Any, schema: Any, asked: Together, bins: dict[str, int]) -> Any:
    """The rules as a frame: those whose lift is surely highest first; those that may be chance, or have no interval, are left out."""
    names = list(asked.of)
    rows = rows_of(data, schema, names)
    items = frequent_itemsets(
        rows,
        only(schema, names),
        min_support=asked.support,
        max_len=asked.longest,
        bins=bins or None,
        max_candidates=MOST_CANDIDATES,
    )
    # Chosen by the lower ends themselves: intervals are as long as the number of rules that surely have such a lift needs, and no rule
    # counts that is left out for it. What is asked of confidence cuts the list afterwards.
    found = association_rules(items, metric="lift_low", min_threshold=1.0, data=rows, bins=bins or None) if len(items) else None
    rules = None if found is None else found[found["confidence"] >= asked.confidence - ROUNDING].copy()
    if rules is None or not len(rules):
        import pandas as pd

        rules = pd.DataFrame(
            columns=["antecedents", "consequents", "confidence", "confidence_low", "confidence_high", "lift_low"]
        )
    of_everyone = {} if not len(rules) else items.set_index("itemsets")[["support_low", "support_high"]].to_dict("index")
    for end in ("low", "high"):
        rules[f"everyone_{end}"] = [of_everyone[frozenset(then)][f"support_{end}"] for then in rules["consequents"]]
    ends = rules[["confidence_low", "confidence_high", "lift_low", "everyone_low", "everyone_high"]].astype(float)
    known = rules[ends.notna().all(axis=1) & (ends < np.inf).all(axis=1) & (ends["lift_low"] > 1)]
    words = known["antecedents"].map(_codes) + known["consequents"].map(_codes)
    sorted_rules = known.assign(words=words).sort_values(["lift_low", "words"], ascending=[False, True]).head(MOST_RULES)
    sorted_rules.attrs["rows"] = len(rows)
    return sorted_rules


def _is_long(material: Material, name: str) -> bool:
    domain = material.schema[name].domain
    return bool(domain.is_numeric and domain.size > MOST_ITEMS)


def _items(items: Any, bins: dict[str, int], spoken: Spoken) -> str:
    named = sorted(_named(item) for item in items)
    return ", ".join(
        answer_to(spoken.title(name), label_in_words(None if name in bins else spoken.questions.get(name), label, spoken.said))
        for name, label in named
    )


def _named(item: Any) -> tuple[str, str]:
    name, _, label = str(item).partition("=")
    return name, label


def _codes(items: Any) -> str:
    return "; ".join(sorted(map(str, items)))


def _code(asked: Together, bins: dict[str, int]) -> tuple[str, ...]:
    return (
        "from deniable.results.questions import Together",
        "from deniable.results.together import found_rules",
        "data, schema = sample.parts[0]",
        f"rules = found_rules(data, schema, {asked!r}, {bins!r})",
        'numbers = [{"value": rules["confidence"].tolist(), "low": rules["confidence_low"].tolist(), '
        '"high": rules["confidence_high"].tolist()}]',
    )
