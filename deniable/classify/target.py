"""The class: its labels, and the channel that hides them, if one does."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets

from deniable.core.channels.base import Channel
from deniable.core.channels.designs import Identity
from deniable.core.channels.windows import only_means
from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.core.domains.columns import to_arrow
from deniable.core.domains.domain import Domain
from deniable.errors import DataError, SchemaError

MOST_CLASSES = 100


class Target:
    """Labels of the class in code order, and P(reported class | class)."""

    def __init__(self, name: str | None, labels: Any, channel: Channel | None = None) -> None:
        self.name = name
        self.labels = labels
        self.channel = channel
        self.matrix = np.eye(len(labels)) if channel is None else channel.matrix()
        self.encoded = False

    @property
    def hidden(self) -> bool:
        """Whether reported classes may be false."""
        return self.channel is not None and not isinstance(self.channel, Identity)

    def reported(self, y: Any) -> Any:
        """Codes of reported classes."""
        return self._codes(y, None if self.channel is None or self.encoded else self.channel.reported)

    def true(self, y: Any) -> Any:
        """Codes of true classes."""
        return self._codes(y, None if self.channel is None or self.encoded else self.channel.domain)

    def _codes(self, y: Any, domain: Domain | None) -> Any:
        name = self.name or "y"
        if domain is not None:
            bad = BadCells(name, domain.allowed)
            codes = domain.codes(to_arrow(_plain(y), name, domain.missing), bad)
            raise_bad_cells([bad])
            return codes
        values = _plain(y)
        codes = (
            np.searchsorted(self.labels, values) if _comparable(values, self.labels) else np.zeros(len(values), dtype=np.int64)
        )
        codes = np.clip(codes, 0, len(self.labels) - 1)
        wrong = np.flatnonzero(self.labels[codes] != values)
        if wrong.size:
            raise DataError(
                "unseen_class",
                "{name} holds classes that were not seen in training: {got}; known are {allowed}.",
                name=name,
                got=list(dict.fromkeys(values[wrong].tolist()))[:10],
                allowed=self.labels[:20].tolist(),
            )
        return codes

    @classmethod
    def seen(cls, y: Any) -> Target:
        """Undistorted classes as the training data has them."""
        values = _plain(y)
        if values.dtype.kind == "f":
            assert_all_finite(values, input_name="y")
        check_classification_targets(values)
        labels = np.unique(values)
        if len(labels) < 2:
            raise DataError(
                "one_class", "The class has one value only ({got!r}): there is nothing to tell apart.",
                got=labels.tolist()[0] if len(labels) else None,
            )  # fmt: skip
        return cls(None, labels)

    @classmethod
    def declared(cls, name: str, channel: Channel) -> Target:
        """The class as the schema describes it."""
        if not channel.exact or channel.law.inputs > MOST_CLASSES or channel.law.inputs < 2:
            raise SchemaError(
                "class_labels", "The class {name!r} needs a domain of 2 to {most:,} labels, got {domain!r}.",
                name=name, most=MOST_CLASSES, domain=channel.domain,
            )  # fmt: skip
        if channel.tells_means_only:
            raise only_means(name)
        return cls(name, np.array(channel.inputs), channel)

    def read_as(self, y: Any) -> Target:
        """The class as `y` writes it: by its labels, or numbered 0, 1, ... in their order, as ensembles of scikit-learn hand classes on.

        >>> import deniable as dn
        >>> Target.declared("c", dn.KRR(dn.Nominal(["no", "yes"]), 0.8)).read_as(np.array([1, 0, 1])).labels.tolist()
        [0, 1]
        """
        values = y if isinstance(y, np.ndarray) else None
        if values is None or values.dtype.kind not in "iu" or self.channel is None or np.isin(values, self.labels).all():
            return self
        numbers = np.arange(len(self.labels))
        if not np.isin(values, numbers).all():
            return self
        if not np.array_equal(np.unique(values), numbers) or not np.array_equal(np.unique(self.labels), self.labels):
            raise DataError(
                "numbered_classes",
                "y numbers the classes {got}, as an ensemble does; that is understood if all labels of {name!r} were reported and "
                "its domain has them in ascending order, but they are {labels}. Declare the class with those labels alone, in that order.",
                got=np.unique(values).tolist()[:20],
                name=self.name,
                labels=self.labels[:20].tolist(),
            )
        numbered = Target(self.name, numbers, self.channel)
        numbered.encoded = True
        return numbered


def _plain(y: Any) -> Any:
    values = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    return values if values.ndim == 1 else values.reshape(-1)


def _comparable(values: Any, labels: Any) -> bool:
    text = [column.dtype.kind in "OUST" for column in (values, labels)]
    return text[0] == text[1]
