"""Likeliest joint distributions of a sample's truths, the last one kept: what is asked of the respondents is often asked of the population
too."""

from __future__ import annotations

from collections.abc import Sequence

from deniable.core.channels.base import Channel
from deniable.core.channels.designs import Identity
from deniable.core.domains.exact import Floats
from deniable.errors import ParameterError
from deniable.statistics import likely
from deniable.statistics.conditions import Condition
from deniable.statistics.joint import FEW_VALUES, NOISE_BINS
from deniable.statistics.likeliest_joint import LikeliestJoint
from deniable.statistics.numeric_attributes import also_answered
from deniable.statistics.parts import Parts
from deniable.statistics.smoothed import adds_noise


class Fits:
    """Fits of a sample, by what they tell apart."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._last: tuple[tuple[tuple[str, ...], tuple[str, ...]], LikeliestJoint] | None = None

    def of(self, conditions: Sequence[Condition | None], fine: Sequence[str] = ()) -> LikeliestJoint:
        """The fit that tells apart who meets conditions, and the values of attributes in `fine`."""
        given = [condition for condition in conditions if condition is not None]
        if not given and not fine:
            raise ParameterError("no_condition", "This question needs a condition.")
        key = (tuple(map(repr, given)), tuple(fine))
        last = self._last
        if last is None or last[0] != key:
            names = [*fine, *(name for condition in given for name in condition.attributes())]
            finely = {name: self._fineness(name) for name in fine}
            last = (key, LikeliestJoint(self._parts.remembering(names), given, finely, self._parts.weights))
            self._last = last  # by the time of the next line another thread may have kept its own
        return last[1]

    def means(self, name: str, conditions: Sequence[Condition | None]) -> Floats | None:
        """The likeliest means of an attribute in groups that one other attribute makes; None of everyone, and behind noise, where no
        likelihood is to be trusted."""
        grouping = (each for condition in conditions if condition is not None for each in condition.attributes())
        names = list(dict.fromkeys([name, *grouping]))
        asking = self._parts.asking(names)
        if self._parts.weights is not None or len(asking) != 1 or len(names) != 2:
            return None
        schema = asking[0][1]
        grouped = any(len(block.attributes) > 1 for block in schema.blocks if set(block.attributes) & set(names))
        if grouped or any(adds_noise(schema[each]) or not _kept_apart(schema[each]) for each in names):
            return None
        among = [also_answered(self._parts.channels, name, condition) for condition in conditions]
        return likely.means_in(self.of(among, [name]), name, among)

    def _fineness(self, name: str) -> int:
        """In how many bins an attribute's values are kept apart: all of them where nothing hides them, few where noise does."""
        channels = [schema[name] for _, schema in self._parts.all if name in schema]
        if all(isinstance(channel, Identity) for channel in channels):
            return self._parts.channels[name].domain.size
        return FEW_VALUES if all(channel.lumpable for channel in channels) else NOISE_BINS


def _kept_apart(channel: Channel) -> bool:
    """Whether likelihood takes no two values for equally frequent."""
    return channel.lumpable or (channel.domain.size <= FEW_VALUES and not channel.tells_means_only)
