"""What would make a failed check hold, as data: settings of `publish_frame`, and words between which each face writes them its own way.

In Python a setting is written `min_rows=5`, on the command line it is an option. Nothing here knows about options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deniable.errors import Setting

Write = Callable[[Setting], str]
"""How a face writes a setting."""


def in_python(setting: Setting) -> str:
    """A setting as an argument.

    >>> in_python(Setting("min_rows", 5)), in_python(Setting("drop", ["id"])), in_python(Setting("mix"))
    ('min_rows=5', "drop=['id']", 'mix')
    """
    return str(setting)


@dataclass(frozen=True)
class Remedy:
    """What an owner can do about a failed check: what to say, and the settings to try (none, where no setting helps)."""

    words: tuple[str | Setting, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def worded(self, write: Write = in_python) -> str:
        """The remedy in a clause, settings written as a face writes them.

        >>> change("let no group be smaller", "min_rows", 5).worded()
        'let no group be smaller: min_rows=5'
        """
        return "".join(word if isinstance(word, str) else write(word) for word in self.words)


def change(what: str, name: str, value: Any) -> Remedy:
    """One setting, and what it is good for.

    >>> change("let no group be smaller", "min_rows", 5).settings
    {'min_rows': 5}
    """
    return Remedy((f"{what}: ", Setting(name, value)), {name: value})


def helpless(why: str) -> Remedy:
    """Nothing that can be set helps.

    >>> helpless("there is only 1 row; nothing but more people helps").settings
    {}
    """
    return Remedy((why,))


MIXED: tuple[str | Setting, ...] = (
    "make larger, more mixed groups (a higher ", Setting("min_deniability"), " or ", Setting("min_rows"), ", a smaller ",
    Setting("max_depth"), ")",
)  # fmt: skip
"""For groups whose answers are too much alike: which values would do is the owner's choice."""


def recode_or_drop(columns: Sequence[str], naming: Sequence[str], recoded: bool) -> Remedy:
    """For columns that tell too much: those that only name people must go, others can be made coarser, and go if they are already.

    >>> remedy = recode_or_drop(["id", "salary"], naming=["id"], recoded=False)
    >>> remedy.settings
    {'recode': True, 'drop': ['id']}
    >>> remedy.worded()[:78]
    "leave the column out: drop=['id']; put rare or telling values together (number"
    """
    names = [name for name in columns if name in naming]
    telling = [name for name in columns if name not in naming]
    words: list[str | Setting] = []
    if names:
        words += [*_left_out(names)]
    if telling:
        words += ["; "] if names else []
        words += ["put rare or telling values together (numbers into bands): "]
        words += ["wider ", Setting("bands"), " or a larger ", Setting("merge_rare")] if recoded else [Setting("recode", True)]
        words += [", or ", *_left_out(telling)]
    if telling and not recoded:
        return Remedy(tuple(words), {"recode": True, "drop": names})
    return Remedy(tuple(words), {"drop": [*columns]})


def _left_out(columns: Sequence[str]) -> tuple[str | Setting, ...]:
    return f"leave the {'column' if len(columns) == 1 else 'columns'} out: ", Setting("drop", list(columns))
