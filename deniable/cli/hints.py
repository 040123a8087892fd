"""Options and arguments that belong to a related command: the error that refuses them says where they belong."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import typer
from typer.core import TyperCommand

_USAGE: type[Exception] = typer.BadParameter.__mro__[1]
"""The class of all usage errors."""
_COMPARE = 'To compare two groups: deniable difference DATA CONDITION --between "GROUP" "GROUP"'
_WHERE = 'This command takes --where "CONDITION" instead.'
_CONDITION = "This command counts those who meet one condition: join them with and."
_BY = "One share for each group: deniable distribution DATA ATTRIBUTE --by GROUPS"
_ONE = "This command takes one attribute at a time: ask again for the next."
_QUOTES = "A condition is one argument: put quotation marks around all of it, such as \"sex == 'F' and age < 30\"."
OPTIONS: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("share", "--between"): _COMPARE,
        ("share", "--where"): 'The group is named with --among "CONDITION".',
        ("share", "--by"): _BY,
        ("count", "--between"): _COMPARE,
        ("count", "--where"): _CONDITION,
        ("count", "--among"): f'{_CONDITION} For a share of a group: deniable share DATA CONDITION --among "GROUP"',
        ("count", "--by"): _BY,
        ("difference", "--among"): 'The two groups are named with --between "GROUP" "GROUP"; the share in one group: deniable share DATA '
        'CONDITION --among "GROUP"',
        ("difference", "--where"): 'Put the condition into both groups: --between "GROUP and CONDITION" "GROUP and CONDITION"',
        ("difference", "--by"): 'Name two groups: --between "GROUP" "GROUP"',
        **{(name, "--among"): _WHERE for name in ("mean", "quantile", "distribution", "correlation", "regression")},
        **{(name, "--between"): _COMPARE for name in ("mean", "distribution")},
        ("mean", "--bins"): "The groups of --by are binned with --by-bins.",
        ("quantile", "--by"): "Ask for one group at a time, with --where; means of all groups: deniable mean DATA ATTRIBUTE --by GROUPS",
        ("crosstab", "--bins"): "The two attributes are binned with --a-bins and --b-bins.",
        ("crosstab", "--by"): "Shares within each group: deniable distribution DATA ATTRIBUTE --by GROUPS",
        ("crosstab", "--where"): "Of those who meet a condition: deniable distribution DATA ATTRIBUTE --by GROUPS --where CONDITION",
        **{
            ("reconstruct", option): f"deniable distribution takes {option}, and gives intervals."
            for option in ("--where", "--by", "--by-bins", "--weights", "--most")
        },
    }
)  # fmt: skip
ARGUMENTS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("mean", "quantile", "distribution", "reconstruct"), _ONE),
        **dict.fromkeys(("count", "share", "candidates", "difference"), _QUOTES),
        **dict.fromkeys(("crosstab", "correlation"), "This command takes two attributes: ask for each pair separately."),
    }
)


class Hinting(TyperCommand):
    """A command that says where an option or an argument that it does not have belongs."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As for any command, but usage errors carry their hint."""
        try:
            return super().parse_args(ctx, args)
        except _USAGE as error:
            known = getattr(error, "option_name", None)
            message = str(getattr(error, "message", ""))
            extra = "unexpected extra argument" in message
            hint = OPTIONS.get((self.name or "", known)) if known else ARGUMENTS.get(self.name or "") if extra else None
            if hint:
                # Suggestions of names that look alike would only mislead.
                vars(error).update(message=f"{message.rstrip('.')}. {hint}", possibilities=None)
            raise
