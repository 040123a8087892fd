"""What is drawn together: the attributes of a schema one by one, or in groups that share a draw."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from deniable.core.channels.base import Channel
from deniable.core.channels.designs import Identity
from deniable.core.channels.groups import Group, JointChannel
from deniable.errors import SchemaError


@dataclass(frozen=True)
class Block:
    """What is drawn together: one attribute, or a group of attributes that share a draw."""

    name: str
    attributes: tuple[str, ...]
    channel: Channel | JointChannel

    @property
    def epsilon(self) -> float:
        """The epsilon of one draw of this block."""
        return self.channel.epsilon

    @property
    def open(self) -> bool:
        """Whether its answer is reported as it is. (A column with one value tells nothing, and is not.)"""
        return isinstance(self.channel, Identity) and math.isinf(self.epsilon)


def blocks_of(channels: Mapping[str, Channel], groups: Mapping[str, Group]) -> tuple[Block, ...]:
    """The attributes as they are drawn: one by one, or in their group, which stands where its first attribute does."""
    home: dict[str, str] = {}
    for name, group in groups.items():
        for attribute in group.attributes:
            if attribute not in channels:
                raise SchemaError(
                    "group_unknown",
                    "Group {name!r} names {got!r}, which is not among the attributes {allowed}.",
                    name=name,
                    got=attribute,
                    allowed=list(channels),
                )
            if attribute in home:
                raise SchemaError(
                    "group_twice",
                    "Attribute {got!r} is in the groups {first!r} and {second!r}; an attribute shares at most one draw.",
                    got=attribute,
                    first=home[attribute],
                    second=name,
                )
            home[attribute] = name
    blocks: dict[str, Block] = {}
    for attribute, channel in channels.items():
        if attribute not in home:
            blocks["attribute " + attribute] = Block(attribute, (attribute,), channel)
            continue
        name = home[attribute]
        group = groups[name]
        if "group " + name not in blocks:
            joint = JointChannel(name, group, [channels[member] for member in group.attributes])
            blocks["group " + name] = Block(name, group.attributes, joint)
    return tuple(blocks.values())
