"""What the library says about its parameters, said about the options of a command: typing a command takes no Python."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from deniable.cli.publish_words import as_option
from deniable.errors import DeniableError, Setting

SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "columns_not_named": "{where}: the schema says nothing about {extra}, which would be passed on undistorted. Leave columns out with "
        "--drop NAME, or pass them on as they are with --keep NAME. Columns found: {found}.",
        "drop_unknown": "{where}: --drop names {got!r}, but the columns are {found}.",
        "drop_hidden": "--drop names {got!r}, which the schema randomises. Leave it out of the schema too.",
        "limit": "--limit-{option} must be {allowed}, got {got!r}.{hint}",
        "needs_bins": "{name} has {size} values: give bins for it, such as --bins {name}=5, or their edges.",
        "bins_without_schema": "--bins needs a schema that says what the numbers may be: give it with --schema.",
        "most_without_schema": "--most needs a schema that says what the numbers may be: give it with --schema.",
        "taxonomy_method": "A taxonomy needs --method unbiased, got {got!r}.",
        "method_needs_flips": "Method {method!r} knows only items that are each kept with p and q on their own; these share a draw or have "
        "channels with more values. Use --method unbiased.",
        "mask_too_long": "Method 'mask' solves 2^n equations: itemsets of {length} items are too long for it. Use --method unbiased, which "
        "gives the same supports, or --max-len {most}.",
        "not_in_schema": "The schema says nothing about {got}. Declare what is not hidden as Identity in the schema, or leave these "
        "columns out of the data.",
        "not_yes_no": "A transaction has an item or not, so {name} must hide yes or no, such as a Flip of Binary; the schema has another "
        "channel.",
        "own_labels": "Items are reported or not, but {name} reports {labels}: give a CSV or Parquet file of such columns, with its "
        "schema.",
        "rows_elsewhere": "These transactions are not in memory: --method shrunk and unbiased count them where they are, all other methods "
        "need them here. Write them to a smaller file, or take a sample.",
        "schemas_differ": "{path} was randomised under another schema (fingerprint {own}...) than {other}. Leave out the wrong "
        "schema, and use files of different schemas one at a time.",
        "taxonomy": 'A taxonomy maps items to what they are, such as {{"milk": "drink"}}; got {got}.',
        "taxonomy_nested": "A taxonomy maps each item to a name or a list of names; {child!r} has {got!r}. Write each step separately, "
        'such as {{"milk": "drink", "drink": "grocery"}}.',
    }
)
# Parameters whose options have the same names.
_PARAMETERS = re.compile(
    r"\b(min_support|max_len|max_candidates|min_probability|false_discovery_rate|min_confidence|min_threshold)\b(=(?=[\w.]))?"
)
_DECLARED = re.compile(r"declare the attribute with missing=(['\"])(.*)\1(?=\.$)", re.MULTILINE)
_NAMES: Mapping[str, str] = MappingProxyType({"min_threshold": "min_confidence"})


def in_options(error: DeniableError) -> str:
    """The sentence of an error with options for parameters, and lists as people write them.

    >>> from deniable.errors import ParameterError
    >>> in_options(ParameterError("m", "min_support must be one of {allowed}, or set max_len=3.", allowed=["a", "b"]))
    '--min-support must be one of a, b, or set --max-len 3.'
    """
    sentence = SENTENCES.get(error.code, error.sentence)
    try:
        worded = sentence.format(**{name: _listed(value) for name, value in error.parameters.items()})
    except (KeyError, ValueError, IndexError, AttributeError):
        # Another error of the same code, with other parameters.
        worded = str(error)
    if error.code == "bad_cells":
        worded = _DECLARED.sub(r'write "missing": "\2" for it in the schema file', worded)
    return _PARAMETERS.sub(lambda found: _option(found[1]) + (" " if found[2] else ""), worded)


def _option(parameter: str) -> str:
    return "--" + _NAMES.get(parameter, parameter).replace("_", "-")


class _Words(str):
    """A list in words, which is not quoted where a sentence asks for the representation of what was given."""

    def __repr__(self) -> str:
        return str(self)


def _listed(value: Any) -> Any:
    if isinstance(value, Setting):
        return _Words(as_option(value))
    plain = isinstance(value, (list, tuple)) and all(isinstance(part, (str, int, float)) for part in value)
    return _Words(", ".join(map(str, value))) if plain and value else value
