"""What may be in an itemset, and the unbiased weight of each item given what was reported.

The item of a yes/no attribute is "yes"; an attribute of several values has one item per value (or bin), and two of them never meet in
an itemset. An item is *plain* if its weight depends only on whether the item itself was reported: w = absent or w = present. That
holds for every channel of two values and for those that keep or replace (KRR, retention): with P(item reported | true) = p and
P(item reported | not true) = 1 - q, present = q / (p + q - 1) and absent = -(1 - q) / (p + q - 1). Other items (neighbours, noise)
have weights of the attribute's own, one for each reported value, by the one rule of `core.undoing`: unbiased where that is useful, else
with a bias whose limit is known (`biases.py`). That rule looks at how often each value was reported, so the reports are read first.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.core.caps import STRETCHES, Cap
from deniable.core.channels.base import Channel
from deniable.core.channels.laws import Mixture
from deniable.core.channels.operators import FloatTable
from deniable.core.channels.shift import Shift
from deniable.core.channels.views import View
from deniable.core.channels.windows import only_means
from deniable.core.domains.bad_cells import BadCells
from deniable.core.domains.bins import Bins
from deniable.core.domains.exact import Floats, Ints
from deniable.core.domains.grids import Integer
from deniable.core.domains.labels import Binary
from deniable.core.undoing import ALL_NODES, Undoer
from deniable.errors import NotInvertibleError, ParameterError
from deniable.mining.biases import Bias, shifted

FLOATING_CELLS = 200
"""Numbers without a step are read in about so many cells, truths being taken as uniform inside a cell."""
MOST_NUMBERS = 100
"""A grid of more numbers than this is no list of items: it needs bins."""


class _Cells(FloatTable):
    """A channel between fine cells of numbers without a step."""

    lumpable = False

    @property
    def inner(self) -> _Cells:
        """Everyone answers."""
        return self


class MinedAttribute:
    """One column of the data and the items it holds; `most` is what any single value holds at most (`core.caps`)."""

    def __init__(self, name: str, channel: Channel, bins: Any = None, most: float | None = None) -> None:
        if channel.tells_means_only:
            raise only_means(name)
        self.name, self.channel = name, channel
        self.view = View.values(channel) if bins is None else View.bins(channel, bins)
        domain = channel.domain
        numbers = domain.is_numeric and domain.missing is None
        if bins is None and numbers and (_wide(domain) or not channel.exact):
            raise ParameterError(
                "needs_bins",
                "Attribute {name!r} has {size} values: give bins for it, such as bins={{{name!r}: 5}}.",
                name=name,
                size="too many" if not domain.has_grid else f"{domain.size:,}",
            )
        self.is_yes_no = isinstance(domain, Binary)
        self.values: list[Any] = [1] if self.is_yes_no else list(self.view.inputs)
        self.items: list[str] = [name] if self.is_yes_no else [f"{name}={value}" for value in self.view.inputs]
        self._most = most
        self._counts: Floats | None = None

    @cached_property
    def _read_in(self) -> View:
        """The cells that reports are read in: those of the items where merging is exact, else all values, or fine bins."""
        if self.view.true.bins is None or self.channel.lumpable:
            return self.view
        if self.channel.exact:
            return View.values(self.channel)
        return View.bins(self.channel, _fine_edges(self.channel.domain, self.view.true.bins))

    @property
    def cell_count(self) -> int:
        """How many reported cells there are."""
        return self._read_in.law.outputs

    @property
    def allowed(self) -> str:
        """What may be reported, in words."""
        return self._read_in.allowed

    @cached_property
    def truth(self) -> Floats:
        """One row per item: which codes of the domain (of numbers without a step: which cells) it stands for."""
        if self.is_yes_no:
            return np.array([[0.0, 1.0]])
        inside = self.view.true.of_code if self.channel.exact else self.view.holding(self._read_in)[0]
        members: Floats = (inside == np.arange(len(self.items))[:, None]).astype(np.float64)
        return members

    @cached_property
    def noisy(self) -> bool:
        """Whether weights depend on more than the report of the item itself: how often every cell was reported is then looked at."""
        return not self.channel.lumpable and self.plain is None

    def learn(self, counts: Any) -> None:
        """Note how often each cell was reported: weights that undo noise depend on it."""
        self._counts = counts.astype(np.float64)
        for known in ("_undone", "weights", "biases"):
            self.__dict__.pop(known, None)

    @cached_property
    def cap(self) -> Cap:
        """The class of truths that intervals are meant for where unbiased weights are of no use."""
        domain = self.channel.domain
        if self.channel.exact:
            return Cap.of(domain, self._most)
        cells = self.truth.shape[1]
        stretches = min(cells, STRETCHES)
        wide = f"{float(domain.high - domain.low) / stretches:.4g}"  # type: ignore[attr-defined]
        return Cap(np.arange(cells) * stretches // cells, Cap.of(Integer(1, stretches), self._most).most, wide)

    @cached_property
    def _undone(self) -> list[tuple[Floats, Floats | None]]:
        """Weights and residual of every item, by the one rule."""
        law: Any = self.channel.law if self.channel.exact else _Cells(self._read_in.matrix())
        counts = np.zeros(law.outputs) if self._counts is None else self._counts
        undoer = Undoer(law, self.cap, counts)
        undone: list[tuple[Floats, Floats | None]] = []
        for member in self.truth:
            weights, residual = undoer.of(member, float(counts.sum()))
            undone.append((weights, None) if residual is None else shifted(self.cap, weights, residual))
        return undone

    @cached_property
    def weights(self) -> Floats:
        """One row per item, one column per reported cell: the weight of the item given that report."""
        try:
            if self.noisy:
                return np.stack([weights for weights, _ in self._undone])
            return self._inverse
        except NotInvertibleError as error:
            raise NotInvertibleError(
                "attribute_hidden", "Attribute {name!r}: {reason}", name=self.name, reason=str(error)
            ) from None

    @cached_property
    def _inverse(self) -> Floats:
        """The unbiased weights."""
        of_items = self.truth.T if self._read_in.true.is_fine else np.eye(len(self.items))
        return np.ascontiguousarray(self._read_in.law.weights(of_items).T)

    @cached_property
    def biases(self) -> list[Bias | None]:
        """How far the weights of every item may be off on average; None where they are unbiased."""
        if not self.noisy:
            return [None] * len(self.items)
        return [
            None if residual is None else Bias(self.cap, member, residual)
            for member, (_, residual) in zip(self.truth, self._undone, strict=True)
        ]

    @cached_property
    def shows(self) -> Any:
        """One row per item, one column per reported cell: whether that report is the item itself."""
        if self.is_yes_no:
            return np.arange(self.channel.reported.size)[None, :] == self._yes
        if self.view.true.bins is not None:
            return self._shown_in(self.view.true.bins)
        place = {value: code for code, value in enumerate(self.channel.outputs)}
        shows = np.zeros((len(self.items), len(place)), dtype=bool)
        for item, value in enumerate(self.channel.inputs):
            if value in place:
                shows[item, place[value]] = True
        return shows

    def _shown_in(self, bins: Bins) -> Any:
        """One row per bin, one column per reported cell: whether the cell lies in the bin, or both are nonresponse."""
        reported = self._read_in.reported
        if reported.bins is None:
            places = self.channel.reported.answered.numbers()
            inside = (places >= bins.floats[0]) & (places <= bins.floats[-1])
        else:
            # Bins are known by where they begin: the last true one is closed, the reported one there need not be.
            places = reported.bins.floats[:-1]
            inside = (places >= bins.floats[0]) & (places < bins.floats[-1])
        shown = (bins.index(places) == np.arange(len(bins))[:, None]) & inside
        if self.channel.reported.missing is not None:
            shown = np.pad(shown, [(0, 1), (0, 1)])
            shown[-1, -1] = True
        return shown

    @property
    def _yes(self) -> int:
        """The code of the report that is the item: 1, or, of labels of its own, the one that speaks most for the item."""
        labels = self.channel.outputs
        if 1 in labels:
            return labels.index(1)
        rows = self.channel.integer_rows().astype(np.float64)
        return int(np.argmax(rows[1] / (rows[0] + rows[1]).clip(1e-300)))

    @cached_property
    def plain(self) -> tuple[Floats, Floats] | None:
        """(absent, present) for every item, or None if weights depend on more than whether the item was reported."""
        law = self._read_in.law
        if isinstance(law, Mixture):
            # Wide lists of labels never become a matrix: w = (reported - r) / d.
            if law.diagonal == 0:
                raise _says_nothing(self.name)
            replaced = law.replacement / law.denominator
            keep = law.diagonal / law.denominator
            chosen = replaced[1:] if self.is_yes_no else replaced
            absent, present = -chosen / keep, (1 - chosen) / keep
            # Of labels of their own, the second is not always the one that speaks for the item (Crosswise below one half).
            return (present, absent) if self.is_yes_no and self._yes == 0 else (absent, present)
        if not self._may_be_plain:
            return None
        try:
            weights, shows = self._inverse, self.shows
        except NotInvertibleError:
            if self.channel.lumpable:
                raise
            return None
        if not (shows.sum(axis=1) == 1).all():
            return None
        present = weights[shows]
        if shows.shape[1] == 1:
            # A constant: it is never absent.
            return np.zeros(len(present)), present
        others = np.where(shows, np.nan, weights)
        low, high = np.nanmin(others, axis=1), np.nanmax(others, axis=1)
        if (high - low > 1e-9 * np.abs(weights).max()).any():
            return None
        return (low + high) / 2, present

    @property
    def _may_be_plain(self) -> bool:
        """Noise never is, and of wide tables nobody asks."""
        law = self.channel.law
        return self.channel.lumpable or (self.channel.exact and not isinstance(law.inner, Shift) and law.inputs <= ALL_NODES)

    def cells(self, column: pa.Array, bad: BadCells, offset: int = 0, text: bool = False) -> Ints:
        """The reported cell of every row."""
        return self._read_in.codes(column, bad, offset, text)


def _fine_edges(domain: Any, bins: Bins) -> list[Any]:
    """Edges of about `FLOATING_CELLS` even cells, those of the bins among them."""
    low, high = domain.low, domain.high
    if domain.has_grid:
        parts = min(domain.size - 1, FLOATING_CELLS)
        even = [low + domain.step * (domain.size * i // parts) for i in range(parts)]
    else:
        even = [low + (high - low) * i / FLOATING_CELLS for i in range(FLOATING_CELLS)]
    return sorted({*even, *bins.edges})


def _wide(domain: Any) -> bool:
    return not domain.has_grid or domain.size > MOST_NUMBERS


def _says_nothing(name: str) -> NotInvertibleError:
    return NotInvertibleError(
        "no_information",
        "Item {name!r}: it is reported equally often whether true or not (p + q = 1), so its reports say nothing.",
        name=name,
    )
