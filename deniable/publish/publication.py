"""A table as it is published: one sensitive column or several, with what is promised and what is still exposed."""

from __future__ import annotations

import math
import textwrap
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from deniable import __version__
from deniable.core.forgotten_order import rows_in_order
from deniable.core.shuffling import random_order
from deniable.errors import DataError, ParameterError
from deniable.plurals import counted
from deniable.privacy.words import percent
from deniable.progress import Progress
from deniable.publish.deniability_tree import DeniabilityTree
from deniable.publish.encoding import MOST_CATEGORIES, columns_of, read_attribute, refuse_missing
from deniable.publish.guarantees import Guarantees, Limits, guarantees
from deniable.publish.kept_order import sorted_by
from deniable.publish.recoding import Recoding, as_asked, sensitive_bands, until_shared, usual
from deniable.publish.settings import chosen_settings

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
    >>> found.passed, list(found.data.columns), sorted(found.data["town"]) == sorted(people["town"])
    (True, ['town', 'ill'], True)
    """

    def __init__(
        self,
        data: Any,
        found: Sequence[Guarantees],
        joint: bool,
        comparison: Any = None,
        recodings: Sequence[Recoding] = (),
        shuffled: bool = True,
    ) -> None:
        self.data = data
        self.guarantees = tuple(found)
        self.joint = joint
        self.comparison = comparison
        self.recodings = tuple(recodings)
        """What became of columns whose values were made coarser; the published table holds the coarser ones."""
        self.shuffled = shuffled
        """Whether the rows are in random order."""
        self.remedy: tuple[str, ...] = ()
        """Options of the command line with which a file that failed a check was seen to pass them all."""

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
            "shuffled": self.shuffled,
            "recoded": [own.to_dict(rows) for own in self.recodings],
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
                text = f"{check.state:<8}{check.name}: {check.found}{named}"
                lines += textwrap.wrap(text, 110, initial_indent="  ", subsequent_indent="          ")
            lines += textwrap.wrap(own.settings, 110, initial_indent="  ", subsequent_indent="    ")
            lines.append(f"  unchanged: {percent(o['expected_unchanged'])} of the answers on average")
            epsilon = f"epsilon: {o['epsilon_in_words']} {o['mix_in_words']}"
            lines += textwrap.wrap(epsilon, 110, initial_indent="  ", subsequent_indent="    ")
        if self.shuffled:
            lines.append("Rows are published in random order; row numbers above are those of the data that was read.")
        for recoding in self.recodings:
            lines += textwrap.wrap(f"Recoded: {recoding.owner}", 110, subsequent_indent="    ")
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
    drop: str | Sequence[str] = (),
    shuffle: bool = True,
    recode: bool = False,
    min_shared: int | None = None,
    bands: Mapping[str, Any] | None = None,
    merge_rare: Mapping[str, int] | None = None,
    limits: Limits | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> Publication:
    """Publish a frame with its sensitive column, or columns, replaced by answers drawn inside deniable groups.

    Several columns are hidden one after the other (each tree may ask for the columns already published, never for true answers that are
    hidden), or, with `joint`, as combinations: then every combination and every column keeps the minimum. `drop` names columns to leave
    out. Rows are published in random order: a file that was sorted by a dropped name would still name everyone by their place;
    `shuffle=False` keeps the order.

    `recode` puts the numbers of other columns into bands and their rare categories together as "other"; `min_shared` goes on until at
    least so many rows share every combination of up to three of them. `bands` gives bands of your own, by width or by where they begin
    (`{"age": 10, "salary": [20_000, 50_000]}`), and `merge_rare` the fewest rows of a category (`{"job": 20}`). A sensitive column of
    many different numbers is always put into bands, unless `categorical` names it.

    All else (see `DeniabilityTree`) is handed to the trees. What is not given is chosen so that every group meets the `limits`.

    >>> import deniable as dn, pandas as pd
    >>> people = pd.DataFrame({"town": list("AABB") * 50, "ill": ["yes", "no"] * 100, "poor": ["yes", "yes", "no"] * 66 + ["no", "no"]})
    >>> dn.publish_frame(people, ["ill", "poor"], min_deniability=0.4).passed
    True
    >>> people["pay"] = range(1000, 3000, 10)
    >>> dn.publish_frame(people, "pay", drop=["poor"]).trees[0].classes_
    ['under 1400', '1400 to 1799', '1800 to 2199', '2200 to 2599', '2600 or more']
    """
    found = publish_in_order(
        data,
        sensitive,
        min_deniability,
        joint=joint,
        drop=drop,
        shuffle=shuffle,
        recode=recode,
        min_shared=min_shared,
        bands=bands,
        merge_rare=merge_rare,
        limits=limits,
        rng=rng,
        progress=progress,
        **parameters,
    )
    found.recodings = tuple(own.without_rows() for own in found.recodings)
    if found.shuffled:
        native = rows_in_order(found.data, random_order(len(found.data), rng))
        found.data = native.reset_index(drop=True) if hasattr(native, "reset_index") else native
    return found


def publish_in_order(
    data: Any,
    sensitive: str | Sequence[str],
    min_deniability: float,
    *,
    joint: bool = False,
    drop: str | Sequence[str] = (),
    shuffle: bool = True,
    recode: bool = False,
    min_shared: int | None = None,
    bands: Mapping[str, Any] | None = None,
    merge_rare: Mapping[str, int] | None = None,
    limits: Limits | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> Publication:
    """As `publish_frame`, but the rows are still in their order; `shuffled` says that they must not stay in it."""
    names = [sensitive] if isinstance(sensitive, str) else list(sensitive)
    drop = [drop] if isinstance(drop, str) else list(dict.fromkeys(drop))
    columns = columns_of(data)
    for parameter, given in (("sensitive", names), ("drop", drop)):
        _refuse_list_in_one(parameter, given, columns)
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
        raise DataError("no_columns", "There is no column besides the sensitive one: nothing to divide people by.")
    if len(frame) == 0:
        raise DataError("no_rows", "The data has no rows.")
    if parameters.get("missing") is None:
        refuse_missing({name: column for name, column in columns.items() if name not in drop})
    limits = limits if limits is not None else Limits()
    if min_shared is not None:
        if isinstance(min_shared, bool) or not isinstance(min_shared, (int, np.integer)) or min_shared < 2:
            raise ParameterError("min_shared", "min_shared must be a whole number of at least 2, got {got!r}.", got=min_shared)
        limits = replace(limits, shared=int(min_shared))
    parameters = {key: value for key, value in parameters.items() if value is not None}
    recodings = recoded_columns(frame, names, recode, min_shared, bands, merge_rare, parameters)
    frame = _with_columns(frame, data, recodings)
    parameters = _for_trees(parameters, names, recodings)
    known = frame.select(kept)
    hidden = {name: columns[name] for name in columns if name in drop or (name in recodings and name not in names)}
    told = () if shuffle else sorted_by(hidden)
    found: list[Guarantees] = []
    for group in [names] if joint else [[name] for name in names]:
        truth = frame.select(group).to_native()
        own = chosen_settings(_own(parameters, group), truth, limits)
        tree = DeniabilityTree(min_deniability, **own).fit(known.to_native(), truth, progress=progress)
        published = tree.publish(known.to_native(), rng, shuffle=False)
        measured = guarantees(tree, known.to_native(), truth, limits, published, shuffle, kept, told)
        measured.uniqueness = replace(measured.uniqueness, recoded=recode)
        found.append(measured)
        known = nw.from_native(published, eager_only=True)
    out = known.select(frame.columns)
    return Publication(out.to_native(), found, joint, recodings=list(recodings.values()), shuffled=shuffle)


def recoded_columns(
    frame: Any,
    sensitive: Sequence[str],
    recode: bool,
    min_shared: int | None,
    bands: Mapping[str, Any] | None,
    merge_rare: Mapping[str, int] | None,
    parameters: Mapping[str, Any],
) -> dict[str, Recoding]:
    """What becomes of which column, by name: what the owner asked for, then the usual, then as far as `min_shared` needs it."""
    missing, outcomes = parameters.get("missing"), parameters.get("outcomes")
    listed = parameters.get("categorical") or ()
    categorical = {listed} if isinstance(listed, str) else set(listed)
    columns = {
        name: _as_text(column, name) if name in categorical else column
        for name, column in columns_of(frame.to_native()).items()
    }
    found = as_asked(columns, bands or {}, merge_rare or {}, missing)
    asked = list(found)
    for name in sensitive:
        given = outcomes.get(name) if isinstance(outcomes, dict) else outcomes
        if name not in found and given is None and (own := sensitive_bands(columns[name], name, missing)) is not None:
            found[name] = own
    most = parameters.get("max_categories", MOST_CATEGORIES)
    others = {
        name: column
        for name, column in columns.items()
        if name not in sensitive and not _names_people(column, name, missing, most)
    }
    if recode:
        found |= usual({name: column for name, column in others.items() if name not in found}, missing)
    if min_shared is not None and others:
        found |= until_shared(others, found, asked, missing, int(min_shared))
    return {name: found[name].saying_if_constant() for name in columns if name in found}


def _as_text(column: Any, name: str) -> pa.Array:
    from deniable.core.domains.columns import to_arrow

    array = to_arrow(column, name)
    return (array.dictionary_decode() if pa.types.is_dictionary(array.type) else array).cast(pa.large_string())


def _names_people(column: Any, name: str, missing: str | None, most: int) -> bool:
    """Whether a column only names people: coarser names are no remedy, it must be left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            attribute, _ = read_attribute(column, name, None, missing, most)
        except DataError as error:
            if error.code != "too_many_categories":
                raise
            return False  # recoding can make them few enough
    return attribute.identifier and not attribute.measured


def _refuse_list_in_one(parameter: str, given: Sequence[str], columns: Mapping[str, Any]) -> None:
    """`id,name` is one name; that several columns are meant is plain where each of them is there."""
    for name in given:
        parts = [part.strip() for part in str(name).split(",")]
        if name not in columns and len(parts) > 1 and all(part in columns for part in parts):
            raise DataError(
                "list_in_one",
                "There is no column {got!r}. Name the columns one by one: {parameter}={parts}.",
                got=name,
                parameter=parameter,
                parts=parts,
                first=parts[0],
                second=parts[1],
            )


def _with_columns(frame: Any, data: Any, recodings: Mapping[str, Recoding]) -> Any:
    if not recodings:
        return frame
    new = nw.from_arrow(pa.table({name: own.column() for name, own in recodings.items()}), backend=frame.implementation)
    if hasattr(data, "index") and hasattr(data, "iloc"):
        new = nw.from_native(new.to_native().set_axis(data.index, axis=0), eager_only=True)
    return frame.with_columns(new[name] for name in recodings)


def _for_trees(parameters: dict[str, Any], sensitive: Sequence[str], recodings: Mapping[str, Recoding]) -> dict[str, Any]:
    """Parameters for recoded columns: bands of answers are the possible answers, and whoever is words now is categories anyway."""
    out = {"group": True, **parameters}
    if (listed := out.get("categorical")) is not None:
        own = [listed] if isinstance(listed, str) else list(listed)
        out["categorical"] = [name for name in own if name not in sensitive]
    banded = {name: list(recodings[name].labels) for name in sensitive if name in recodings}
    if banded:
        given = out.get("outcomes")
        rest = given if isinstance(given, dict) else {} if given is None else dict.fromkeys(sensitive, given)
        out["outcomes"] = {**rest, **banded}
    return out


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
