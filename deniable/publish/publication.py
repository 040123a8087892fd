"""A table as it is published: one sensitive column or several, with what is promised and what is still exposed."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from deniable import __version__
from deniable.core.forgotten_order import rows_in_order
from deniable.core.shuffling import random_order
from deniable.errors import DataError, ParameterError
from deniable.plurals import counted
from deniable.privacy.words import percent
from deniable.progress import Progress
from deniable.publish.deniability_tree import DeniabilityTree
from deniable.publish.encoding import columns_of
from deniable.publish.guarantees import Guarantees, Limits, guarantees

NOTICE = (
    "Answers in the sensitive columns were drawn from the answers of groups of people and may be false for any of them. Publish one copy "
    "only: copies drawn anew average out."
)
TOGETHER = (
    "What is promised of each column is not promised of several together: where their answers go hand in hand, each tells of the "
    "others."
)


class Publication:
    """A published table (`data`), its trees, and the guarantees of each; as text, JSON or web page.

    >>> import deniable as dn, pandas as pd
    >>> people = pd.DataFrame({"town": ["A"] * 50 + ["B"] * 50, "ill": ["yes", "no"] * 50})
    >>> found = dn.publish_frame(people, "ill", min_deniability=0.5)
    >>> found.passed, list(found.data.columns), found.data["town"].equals(people["town"])
    (True, ['town', 'ill'], True)
    """

    def __init__(self, data: Any, found: Sequence[Guarantees], joint: bool, comparison: Any = None) -> None:
        self.data = data
        self.guarantees = tuple(found)
        self.joint = joint
        self.comparison = comparison

    @property
    def trees(self) -> tuple[DeniabilityTree, ...]:
        """The trees, in the order in which columns were hidden."""
        return tuple(own.tree for own in self.guarantees)

    @property
    def passed(self) -> bool:
        """Whether no check of any sensitive column failed."""
        return all(own.passed for own in self.guarantees)

    @property
    def epsilon(self) -> float:
        """Over all columns; infinite without `mix`. The trees are not covered."""
        return sum(own.tree.epsilon_ for own in self.guarantees)

    @property
    def verdict(self) -> str:
        """The result in a few sentences."""
        return self._verdict([own.verdict for own in self.guarantees])

    def _verdict(self, each: Sequence[str]) -> str:
        if len(each) == 1:
            return each[0]
        named = [
            f"{' and '.join(own.tree.sensitive_.names)}: {verdict}" for own, verdict in zip(self.guarantees, each, strict=True)
        ]
        return " ".join([*named, TOGETHER])

    def to_dict(self, rows: bool = False) -> dict[str, Any]:
        """Method, parameters, guarantees and version, for JSON. By default nothing that was measured on the true answers is in it, so that
        it may go with the published table; with `rows` it is for the owner. There is no seed: draws come from the operating system."""
        return {
            "kind": "deniable.publication",
            "version": __version__,
            "method": "deniability tree (answers drawn from the answers of groups)",
            "joint": self.joint,
            "passed": self.passed,
            "verdict": self.verdict if rows else self._verdict([own.public_verdict for own in self.guarantees]),
            "epsilon": None if math.isinf(self.epsilon) else self.epsilon,
            "columns": [
                {
                    "sensitive": list(own.tree.sensitive_.names),
                    "answers": [_plain(labels) for labels in own.tree.sensitive_.labels],
                    "parameters": {key: _plain(value) for key, value in own.tree.get_params().items()},
                    "search_finished": own.tree.search_finished_,
                    "guarantees": own.to_dict(rows),
                }
                for own in self.guarantees
            ],
            "notice": NOTICE,
        }

    def to_html(self) -> str:
        """A page for the owner: it names rows and shows true counts, so it is not for publication."""
        from deniable.publish.html import page

        return page(self)

    def __repr__(self) -> str:
        lines = []
        for own in self.guarantees:
            o = own.overall
            lines += [
                f"Published: {' and '.join(own.tree.sensitive_.names)}, {counted(o['rows'], 'row')} in {counted(o['groups'], 'group')}"
            ]
            lines += textwrap.wrap(str(own.verdict), 110, initial_indent="  ", subsequent_indent="  ")
            for check in own.checks:
                named = f" ({check.named})" if check.named else ""
                text = f"{'ok      ' if check.passed else 'FAILED  '}{check.name}: {check.found}{named}"
                lines += textwrap.wrap(text, 110, initial_indent="  ", subsequent_indent="          ")
            lines.append(f"  unchanged: {percent(o['expected_unchanged'])} of the answers on average")
            lines += textwrap.wrap(f"epsilon: {o['epsilon_in_words']}", 110, initial_indent="  ", subsequent_indent="    ")
        if len(self.guarantees) > 1:
            total = "" if math.isinf(self.epsilon) else f" Their epsilons add up to {self.epsilon:.3g}."
            lines += textwrap.wrap(TOGETHER + total, 110)
        return "\n".join(lines)


def _plain(value: Any) -> Any:
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(own) for key, own in value.items()}
    if isinstance(value, Iterable):
        return [_plain(own) for own in value]
    # Dates and decimals have no form of their own in JSON.
    return value.item() if isinstance(value, np.generic) else str(value)


def publish_frame(
    data: Any,
    sensitive: str | Sequence[str],
    min_deniability: float = 0.1,
    *,
    joint: bool = False,
    drop: Sequence[str] = (),
    shuffle: bool = False,
    limits: Limits | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> Publication:
    """Publish a frame with its sensitive column, or columns, replaced by answers drawn inside deniable groups.

    Several columns are hidden one after the other (each tree may ask for the columns already published, never for true answers that are
    hidden), or, with `joint`, as combinations: then every combination and every column keeps the minimum. `drop` names columns to leave
    out. All else (see `DeniabilityTree`) is handed to the trees.

    >>> import deniable as dn, pandas as pd
    >>> people = pd.DataFrame({"town": list("AABB") * 50, "ill": ["yes", "no"] * 100, "poor": ["yes", "yes", "no"] * 66 + ["no", "no"]})
    >>> dn.publish_frame(people, ["ill", "poor"], min_deniability=0.4).passed
    True
    """
    names = [sensitive] if isinstance(sensitive, str) else list(sensitive)
    columns = columns_of(data)
    unknown = [name for name in [*names, *drop] if name not in columns]
    if unknown:
        raise DataError("no_column", "There is no column {got!r}; there are {allowed}.", got=unknown[0], allowed=list(columns))
    if not names or len(set(names)) < len(names):
        raise ParameterError(
            "sensitive", "sensitive must name one column or several different ones, got {got!r}.", got=sensitive
        )
    if set(names) & set(drop):
        raise ParameterError("drop", "drop names the sensitive column {got!r}.", got=sorted(set(names) & set(drop))[0])
    _refuse_index(data)
    frame = nw.from_native(data, eager_only=True).drop(list(drop))
    kept = [name for name in frame.columns if name not in names]
    if not kept:
        raise DataError("no_columns", "There is no other column than the sensitive: nothing to part people by.")
    if len(frame) == 0:
        raise DataError("no_rows", "The data has no rows.")
    known = frame.select(kept)
    found: list[Guarantees] = []
    for group in [names] if joint else [[name] for name in names]:
        truth = frame.select(group).to_native()
        tree = DeniabilityTree(min_deniability, **_own(parameters, group)).fit(known.to_native(), truth, progress=progress)
        published = tree.publish(known.to_native(), rng)
        found.append(guarantees(tree, known.to_native(), truth, limits, published, shuffle))
        known = nw.from_native(published, eager_only=True)
    out = known.select(frame.columns)
    if shuffle:
        native = rows_in_order(out.to_native(), random_order(len(out), rng))
        return Publication(native.reset_index(drop=True) if hasattr(native, "reset_index") else native, found, joint)
    return Publication(out.to_native(), found, joint)


def _own(parameters: dict[str, Any], group: Sequence[str]) -> dict[str, Any]:
    """The parameters of one tree: outcomes given by column are picked."""
    outcomes = parameters.get("outcomes")
    if not isinstance(outcomes, dict):
        return parameters
    return {**parameters, "outcomes": {name: outcomes[name] for name in group if name in outcomes} or None}


def _refuse_index(data: Any) -> None:
    index = getattr(data, "index", None)
    if index is not None and hasattr(index, "names") and (any(index.names) or index.dtype.kind not in "iu"):
        raise DataError(
            "index_kept",
            "The frame's index ({got}) would be published as it is and may identify people. Drop it: reset_index(drop=True).",
            got=", ".join(str(name) for name in index.names if name) or "unnamed, not whole numbers",
        )
