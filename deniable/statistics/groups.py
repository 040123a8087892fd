"""Groups of people of whom there is a share or a mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from deniable.statistics.conditions import Condition
from deniable.statistics.functions import Function


class Group(NamedTuple):
    """What stands before its labels (nothing, or its own label), who is in it, the words for that, and the condition that they meet."""

    prefix: tuple[Any, ...]
    members: Function
    words: Any
    condition: Condition | None = None


def parted(members: Sequence[Function], groups: Sequence[Group]) -> list[Function]:
    """For each group the members of each label in it, and then the group."""
    return [function for group in groups for function in (*(group.members * member for member in members), group.members)]
