"""All items of a data set: their names, the attribute each belongs to, and their weights where these are plain (`attributes.py`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.channels.groups import JointChannel
from deniable.core.domains.exact import Floats, Ints
from deniable.core.domains.labels import Binary
from deniable.core.schema import Schema
from deniable.errors import DataError, ParameterError
from deniable.mining.attributes import MinedAttribute
from deniable.mining.biases import Bias

MOST_ITEMS = 65_536


@dataclass(frozen=True)
class Items:
    """All items of a data set: names, the attribute each belongs to, and the weights of the plain ones."""

    names: list[Any]
    attribute: Ints
    absent: Floats
    present: Floats
    attributes: Sequence[MinedAttribute] = ()
    block: Ints | None = None
    blocks: Sequence[Any] = ()
    untold: Any = None  # items whose bias is not known, if any

    @cached_property
    def plain(self) -> bool:
        """Whether every item is plain and no two share a draw: then packed bits are all that is needed."""
        return not np.isnan(self.absent).any() and self.block is None

    @property
    def noisy(self) -> list[int]:
        """The attributes whose weights depend on how often each of their cells was reported."""
        return [] if self.plain else [home for home, attribute in enumerate(self.attributes) if attribute.noisy]

    def learn(self, counts: Sequence[Any]) -> None:
        """Note how often each cell of the noisy attributes was reported."""
        for home, cell_counts in zip(self.noisy, counts, strict=True):
            self.attributes[home].learn(cell_counts)
        self.__dict__.pop("biases", None)

    @cached_property
    def biases(self) -> list[Bias | None]:
        """How far the weights of each item may be off on average."""
        if not self.noisy:
            return [None] * len(self)
        return [bias for attribute in self.attributes for bias in attribute.biases]

    @property
    def biased(self) -> Any:
        """Which items have weights that are not unbiased."""
        return np.array([bias is not None for bias in self.biases])

    def assumes(self, numbers: Any) -> list[str]:
        """The classes of truths, in words, that intervals of these items are meant for."""
        homes = sorted({int(self.attribute[i]) for i in np.unique(numbers) if self.biases[i] is not None})
        return [self.attributes[home].cap.words(self.attributes[home].name) for home in homes]

    def __len__(self) -> int:
        return len(self.names)

    @property
    def slope(self) -> Floats:
        """present - absent: 1 / (p + q - 1)."""
        return self.present - self.absent

    @property
    def second_otherwise(self) -> Floats:
        """E[w^2 | the item is not true] = -present * absent."""
        return -self.present * self.absent

    @property
    def second_given(self) -> Floats:
        """E[w^2 | the item is true]; with E[w | true] = 1 and w one of two values this is present + absent - present * absent."""
        return self.present + self.absent - self.present * self.absent


def check_names(names: Sequence[Any]) -> None:
    """Refuse items of one name, no items and more of them than are allowed."""
    if not len(names):
        raise DataError("no_items", "The data has no items.")
    if len(names) > MOST_ITEMS:
        raise DataError(
            "too_many_items",
            "There are {got:,} items, more than {most:,}. Merge rare ones, or leave them out.",
            got=len(names),
            most=MOST_ITEMS,
        )
    if len(set(names)) < len(names):
        twice = [name for name, times in Counter(names).items() if times > 1]
        raise DataError("name_twice", "Items need different names; {got} occur more than once.", got=twice[:20])


def yes_no_items(names: Sequence[Any], schema: Schema | Channel | None) -> Items:
    """Items that are yes/no by themselves, each hidden by its channel in the schema, by one channel for all, or not at all.

    >>> import deniable as dn
    >>> items = yes_no_items(["bread", "milk"], dn.Flip(p=0.5, q=0.87))
    >>> items.absent.round(4).tolist(), items.present.round(4).tolist()
    ([-0.3514, -0.3514], [2.3514, 2.3514])
    """
    check_names(names)
    if schema is None:
        absent, present = np.zeros(len(names)), np.ones(len(names))
    elif isinstance(schema, Channel):
        _must_be_yes_no("the channel", schema)
        both = MinedAttribute("every item", schema).plain
        assert both is not None
        absent, present = np.repeat(both[0], len(names)), np.repeat(both[1], len(names))
    else:
        return schema_items(schema, {}, [str(name) for name in names], names)
    return Items(list(names), np.arange(len(names)), absent, present)


def _must_be_yes_no(name: str, channel: Channel) -> None:
    if channel.domain.size != 2 or not isinstance(channel.domain, Binary):
        raise ParameterError(
            "not_yes_no",
            "Transactions hold items or not, so {name} must hide dn.Binary(), such as dn.Flip(p, q); got {got!r}.",
            name=name,
            got=channel,
        )
    if not isinstance(channel.reported, Binary):
        raise ParameterError(
            "own_labels",
            "Items are reported or not, but {name} reports {labels}: give a frame of such columns, with a dn.Schema.",
            name=name,
            labels=list(channel.outputs),
        )


def columns_of(items: Iterable[Any], columns: Sequence[str]) -> list[str]:
    """Those of the columns that these items are of: an item is a column of yes and no by its name, or COLUMN=VALUE.

    >>> columns_of(["smokes", "age=[18, 30)"], ["smokes", "drinks", "age"])
    ['smokes', 'age']
    """
    said = [str(item) for item in items]
    return [name for name in columns if any(item == name or item.startswith(f"{name}=") for item in said)]


def schema_items(
    schema: Schema,
    bins: Mapping[str, Any],
    columns: Sequence[str],
    names: Sequence[Any] | None = None,
    most: Mapping[str, float] | float | None = None,
) -> Items:
    """The items of these columns under a schema.

    Parameters
    ----------
    schema
        What the columns hold and how it was hidden.
    bins
        Bins of numbers, by attribute.
    columns
        The attributes whose values are items.
    names
        Names of the items: every column must then be yes/no.
    most
        How crowded a single value may be (`core.caps`).

    Examples
    --------
    >>> import deniable as dn
    >>> schema = dn.Schema({"a": dn.Flip(0.9, 0.8), "colour": dn.KRR(dn.Nominal(["red", "green", "blue"]), 0.8)})
    >>> schema_items(schema, {}, ["a", "colour"]).names
    ['a', 'colour=red', 'colour=green', 'colour=blue']
    """
    missing = [name for name in columns if name not in schema]
    if missing:
        raise DataError(
            "not_in_schema",
            "The schema says nothing of {got}; declare what is not hidden with dn.Identity(dn.Binary()).",
            got=missing[:20],
        )
    most = {} if most is None else most if isinstance(most, Mapping) else dict.fromkeys(columns, most)
    for option, given in (("bins", bins), ("most", most)):
        wrong = [name for name in given if name not in schema]
        if wrong:
            raise ParameterError(
                f"{option}_unknown", "{option} names {got}, which the schema does not have.", option=option, got=wrong
            )
    if names is not None:
        for column in columns:
            _must_be_yes_no(repr(column), schema[column])
    attributes = [MinedAttribute(name, schema[name], bins.get(name), most.get(name)) for name in columns]
    names = [item for attribute in attributes for item in attribute.items] if names is None else list(names)
    check_names(names)
    home = np.repeat(np.arange(len(attributes)), [len(attribute.items) for attribute in attributes])
    both = [attribute.plain or (np.full(len(attribute.items), np.nan),) * 2 for attribute in attributes]
    block = _shared(schema, columns, home)
    return Items(
        list(names),
        home,
        np.concatenate([pair[0] for pair in both]),
        np.concatenate([pair[1] for pair in both]),
        attributes,
        block,
        schema.blocks,
    )


def _shared(schema: Schema, columns: Sequence[str], home: Ints) -> Ints | None:
    """The block of every item where some of these columns share a draw, else None."""
    block_of = {name: i for i, block in enumerate(schema.blocks) for name in block.attributes}
    used = [block_of[name] for name in columns]
    grouped = any(isinstance(schema.blocks[i].channel, JointChannel) for i in used)
    return np.array(used)[home] if grouped and len(set(used)) < len(used) else None
