"""The settings of `deniable publish` as people type them: the library names its remedies as data, this face writes options."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from deniable.errors import Setting

NAMES: Mapping[str, str] = MappingProxyType(
    {"outcomes": "answer", "url": "db", "contacts_until": "erase_contacts_on", "number": "version"}
)
"""Parameters whose options are called otherwise."""


def as_option(setting: Setting) -> str:
    """A setting as it is typed.

    >>> as_option(Setting("min_rows", 5)), as_option(Setting("drop", ["id", "insurance fee"])), as_option(Setting("max_depth"))
    ('--min-rows 5', "--drop id --drop 'insurance fee'", '--max-depth')
    """
    return shlex.join(options(setting.name, setting.value))


def options(name: str, value: Any) -> list[str]:
    """The words that set a parameter; without a value its option alone.

    >>> options("recode", True), options("max_skew", 0.4), options("drop", ["a", "b"]), options("bands", {"age": 10})
    (['--recode'], ['--max-skew', '0.4'], ['--drop', 'a', '--drop', 'b'], ['--bands', 'age=10'])
    """
    option = "--" + NAMES.get(name, name).replace("_", "-")
    if value is None or value is True:
        return [option]
    if isinstance(value, Mapping):
        value = [f"{column}={text}" for column, text in value.items()]
    values = value if isinstance(value, (list, tuple)) else [value]
    return [word for each in values for word in (option, f"{each:g}" if isinstance(each, float) else str(each))]


def all_options(settings: Mapping[str, Any]) -> list[str]:
    """The words that set all of these.

    >>> all_options({"recode": True, "drop": ["born"]})
    ['--recode', '--drop', 'born']
    """
    return [word for name, value in settings.items() for word in options(name, value)]
