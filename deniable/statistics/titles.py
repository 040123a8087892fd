"""What estimates are called."""

from __future__ import annotations

from deniable.statistics.conditions import Condition, bare


def where_words(condition: Condition | None) -> str:
    """Words for a condition at the end of a title.

    >>> from deniable.statistics.condition_parser import parse
    >>> "mean of age" + where_words(parse("sex == 'F'")), where_words(None)
    ("mean of age where sex == 'F'", '')
    """
    return "" if condition is None else f" where {condition}"


def share_title(asked: Condition, group: Condition | None) -> str:
    """What a share is called.

    >>> from deniable.statistics.condition_parser import parse
    >>> share_title(parse("a == 1"), None), share_title(parse("a == 1"), parse("b == 2"))
    ('share of everyone for whom (a == 1)', 'share of (a == 1) among (b == 2)')
    """
    return f"share of everyone for whom ({bare(asked)})" if group is None else f"share of ({bare(asked)}) among ({bare(group)})"


def difference_title(first: Condition | None, second: Condition | None) -> str:
    """What the difference of two shares of everyone is called."""
    return f"share of everyone for whom ({bare(first)}) minus share of everyone for whom ({bare(second)})"
