"""Publishing a frame: columns are recoded, a tree is found, answers are drawn from its groups, and all of it is checked."""

from __future__ import annotations

import difflib
import inspect
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from deniable.core.allowed import whole_from
from deniable.core.domains.columns import to_arrow
from deniable.core.forgotten_order import rows_in_order
from deniable.core.shuffling import random_order
from deniable.errors import DataError, ParameterError, Setting
from deniable.progress import Progress
from deniable.publish.cells import columns_of, refuse_missing
from deniable.publish.checks.limits import Limits
from deniable.publish.default_settings import chosen_settings
from deniable.publish.deniability_tree import DeniabilityTree
from deniable.publish.encoding import MOST_CATEGORIES, read_attribute
from deniable.publish.guarantees import Guarantees, guarantees
from deniable.publish.kept_order import sorted_by
from deniable.publish.publication import Publication
from deniable.publish.recoding import Recoding, as_asked, sensitive_bands, usual
from deniable.publish.until_shared import until_shared


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

    Parameters
    ----------
    data : an eager frame (pandas, Polars, PyArrow) with the true answers.
    sensitive : the column to hide, or several: one after the other (each tree may ask for the columns already published, never for true
        answers that are hidden).
    min_deniability : least deniability of every group, see `DeniabilityTree`.
    joint : hide several columns as combinations; then every combination and every column keeps the minimum.
    drop : columns to leave out.
    shuffle : publish the rows in random order. A file that was sorted by a dropped name would still name everyone by their place.
    recode : put the numbers of other columns into bands, and their rare categories together as "other".
    min_shared : make other columns coarser until at least so many rows share every combination of up to three of them.
    bands : bands of your own, by width or by where they begin: `{"age": 10, "salary": [20_000, 50_000]}`. A sensitive column of many
        different numbers is always put into bands, unless `categorical` names it.
    merge_rare : fewest rows of a category; rarer ones become "other": `{"job": 20}`.
    limits : from where on something counts as exposed.
    rng : randomness for simulations; None: that of the operating system.
    progress : a listener for long work.
    parameters : all else that a `DeniabilityTree` takes. What is not given is chosen so that every group meets the `limits`.

    Returns
    -------
    Publication
        The published table, its trees, what is promised and what is exposed.

    Examples
    --------
    >>> import deniable as dn, pandas as pd
    >>> people = pd.DataFrame({"town": list("AABB") * 50, "ill": ["yes", "no"] * 100, "poor": ["yes", "yes", "no"] * 66 + ["no", "no"]})
    >>> dn.publish_frame(people, ["ill", "poor"], min_deniability=0.4).passed
    True
    >>> people["pay"] = range(1000, 3000, 10)
    >>> dn.publish_frame(people, "pay", drop=["poor"]).trees[0].classes_
    ['under 1400', '1400 to 1799', '1800 to 2199', '2200 to 2599', '2600 or more']
    """
    publication = publish_in_order(
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
    publication.recodings = tuple(recoding.without_rows() for recoding in publication.recodings)
    if publication.shuffled:
        native = rows_in_order(publication.data, random_order(len(publication.data), rng))
        publication.data = native.reset_index(drop=True) if hasattr(native, "reset_index") else native
    return publication


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
    """As `publish_frame`, but the rows are still in their order; `shuffled` says that they must not stay in it.

    Parameters
    ----------
    data, sensitive, min_deniability, joint, drop, shuffle, recode, min_shared, bands, merge_rare, limits, rng, progress, parameters :
        as in `publish_frame`.

    Returns
    -------
    Publication
        Its recodings still know the true answers of each row.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"town": list("AABB") * 50, "ill": ["yes", "no"] * 100})
    >>> publish_in_order(people, "ill", 0.4).data["town"].tolist() == people["town"].tolist()
    True
    """
    _refuse_file(data)
    _refuse_unknown(parameters)
    names = [sensitive] if isinstance(sensitive, str) else list(sensitive)
    drop = [drop] if isinstance(drop, str) else list(dict.fromkeys(drop))
    columns = columns_of(data)
    _refuse_names(names, drop, columns)
    _refuse_index(data)
    frame = nw.from_native(data, eager_only=True).drop(list(drop))
    _refuse_empty(frame, names)
    if parameters.get("missing") is None:
        refuse_missing({name: column for name, column in columns.items() if name not in drop})
    limits = _with_shared(limits if limits is not None else Limits(), min_shared)
    parameters = {key: value for key, value in parameters.items() if value is not None}
    recodings = recoded_columns(frame, names, recode, min_shared, bands, merge_rare, parameters)
    frame, recodings = _recoded(frame, data, names, recodings)
    others = [name for name in frame.columns if name not in names]
    hidden = {name: columns[name] for name in columns if name in drop or (name in recodings and name not in names)}
    facts = {"shuffled": shuffle, "others": others, "sorted_by": () if shuffle else sorted_by(hidden), "recoded": recode}
    facts["declared"] = declared = _declared(parameters.get("outcomes"), names, recodings)
    parameters = _for_trees(parameters, names, recodings)
    known = frame.select(others)
    trees: list[DeniabilityTree] = []
    guaranteed: list[Guarantees] = []
    for group in [names] if joint else [[name] for name in names]:
        truth = frame.select(group).to_native()
        settings = chosen_settings(_of_columns(parameters, group), truth, limits)
        tree = DeniabilityTree(min_deniability, **settings).fit(
            known.to_native(), truth, progress=progress, by_identifiers=False
        )
        published = tree.publish(known.to_native(), rng, shuffle=False)
        trees.append(tree)
        guaranteed.append(guarantees(tree.fitted_, known.to_native(), truth, limits, published, **facts))
        known = nw.from_native(published, eager_only=True)
    out = known.select(frame.columns).to_native()
    recoded = list(recodings.values())
    return Publication(out, trees, guaranteed, joint, recodings=recoded, shuffled=shuffle, declared=declared)


def _declared(outcomes: Any, sensitive: Sequence[str], recodings: Mapping[str, Recoding]) -> tuple[str, ...]:
    """The sensitive columns whose possible answers the owner listed."""
    listed = outcomes if isinstance(outcomes, dict) else sensitive if outcomes is not None else ()
    return tuple(name for name in sensitive if name in listed and name not in recodings)


def _recoded(
    frame: Any, data: Any, sensitive: Sequence[str], recodings: dict[str, Recoding]
) -> tuple[Any, dict[str, Recoding]]:
    """The table with coarser values; columns that have one value only by then are left out, unless all others have."""
    others = [name for name in frame.columns if name not in sensitive]
    constant = [name for name in others if name in recodings and recodings[name].constant]
    if len(constant) < len(others):
        frame = frame.drop(constant)
        recodings = recodings | {name: recodings[name].left_out() for name in constant}
    kept = {name: recoding for name, recoding in recodings.items() if name in frame.columns}
    return _with_columns(frame, data, kept), recodings


def _refuse_empty(frame: Any, sensitive: Sequence[str]) -> None:
    if all(name in sensitive for name in frame.columns):
        raise DataError("no_columns", "There is no column besides the sensitive one: nothing to divide people by.")
    if len(frame) == 0:
        raise DataError("no_rows", "The data has no rows.")


def _refuse_file(data: Any) -> None:
    if isinstance(data, (str, os.PathLike)):
        raise DataError(
            "not_a_frame",
            "publish_frame takes a frame (pandas, Polars, PyArrow), got the name of a file: {got!r}. Read it first (pandas.read_csv), or "
            "publish the file from a shell (deniable publish).",
            got=str(data),
        )


def _refuse_unknown(parameters: Mapping[str, Any]) -> None:
    """A parameter that nothing takes: most often one that is spelt otherwise."""
    of_frames = inspect.signature(publish_frame).parameters
    allowed = [name for name in (*of_frames, *DeniabilityTree().get_params()) if name not in ("data", "parameters")]
    for name in parameters:
        if name not in allowed:
            near = difflib.get_close_matches(name, allowed, 1, 0.5)
            raise ParameterError(
                "no_parameter",
                "publish_frame has no parameter {got!r}." + (" Is {near} meant?" if near else ""),
                got=name,
                near=near[0] if near else "",
            )


def _refuse_names(sensitive: Sequence[str], drop: Sequence[str], columns: Mapping[str, Any]) -> None:
    for parameter, given in (("sensitive", sensitive), ("drop", drop)):
        _refuse_list_in_one(parameter, given, columns)
    unknown = [name for name in [*sensitive, *drop] if name not in columns]
    if unknown:
        raise DataError("no_column", "There is no column {got!r}; there are {allowed}.", got=unknown[0], allowed=list(columns))
    if not sensitive or len(set(sensitive)) < len(sensitive):
        raise ParameterError(
            "sensitive", "sensitive must name one column or several different ones, got {got!r}.", got=sensitive
        )
    if set(sensitive) & set(drop):
        raise ParameterError("drop", "drop names the sensitive column {got!r}.", got=sorted(set(sensitive) & set(drop))[0])


def _with_shared(limits: Limits, min_shared: int | None) -> Limits:
    """The limits, with how many rows must share their values."""
    if min_shared is None:
        return limits
    if not whole_from(2).fits(min_shared):
        raise ParameterError("min_shared", "min_shared must be a whole number of at least 2, got {got!r}.", got=min_shared)
    return replace(limits, shared=int(min_shared))


def recoded_columns(
    frame: Any,
    sensitive: Sequence[str],
    recode: bool,
    min_shared: int | None,
    bands: Mapping[str, Any] | None,
    merge_rare: Mapping[str, int] | None,
    parameters: Mapping[str, Any],
) -> dict[str, Recoding]:
    """What becomes of which column, by name: what the owner asked for, then the usual, then as far as `min_shared` needs it.

    Parameters
    ----------
    frame : the table (narwhals), without dropped columns.
    sensitive : the columns that are hidden: many different numbers among them are put into bands.
    recode, min_shared, bands, merge_rare : as in `publish_frame`.
    parameters : those of the tree; `missing`, `outcomes`, `categorical` and `max_categories` say how columns are read.

    Returns
    -------
    dict
        One `Recoding` per column that becomes coarser.

    Examples
    --------
    >>> import pandas as pd
    >>> people = nw.from_native(pd.DataFrame({"age": list(range(20, 60)) * 2, "ill": ["yes", "no"] * 40}))
    >>> list(recoded_columns(people, ["ill"], True, None, None, None, {})["age"].labels)
    ['under 50', '50 or more']
    """
    missing, outcomes = parameters.get("missing"), parameters.get("outcomes")
    listed = parameters.get("categorical") or ()
    categorical = {listed} if isinstance(listed, str) else set(listed)
    columns = {
        name: _as_text(column, name) if name in categorical else column
        for name, column in columns_of(frame.to_native()).items()
    }
    chosen = as_asked(columns, bands or {}, merge_rare or {}, missing)
    asked = list(chosen)
    for name in sensitive:
        given = outcomes.get(name) if isinstance(outcomes, dict) else outcomes
        if name not in chosen and given is None and (banded := sensitive_bands(columns[name], name, missing)) is not None:
            chosen[name] = banded
    most = parameters.get("max_categories", MOST_CATEGORIES)
    others = {
        name: column
        for name, column in columns.items()
        if name not in sensitive and not _names_people(column, name, missing, most)
    }
    if recode:
        chosen |= usual({name: column for name, column in others.items() if name not in chosen}, missing)
    if min_shared is not None and others:
        chosen |= until_shared(others, chosen, asked, missing, int(min_shared))
    return {name: chosen[name] for name in columns if name in chosen}


def _as_text(column: Any, name: str) -> pa.Array:
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
                "There is no column {got!r}. Name the columns one by one: {remedy}.",
                got=name,
                remedy=Setting(parameter, parts),
            )


def _with_columns(frame: Any, data: Any, recodings: Mapping[str, Recoding]) -> Any:
    if not recodings:
        return frame
    new = nw.from_arrow(
        pa.table({name: recoding.column() for name, recoding in recodings.items()}), backend=frame.implementation
    )
    if hasattr(data, "index") and hasattr(data, "iloc"):
        new = nw.from_native(new.to_native().set_axis(data.index, axis=0), eager_only=True)
    return frame.with_columns(new[name] for name in recodings)


def _for_trees(parameters: dict[str, Any], sensitive: Sequence[str], recodings: Mapping[str, Recoding]) -> dict[str, Any]:
    """Parameters for recoded columns: bands of answers are the possible answers, and numbers that are words now are categories anyway."""
    out = {"group": True, **parameters}
    if (listed := out.get("categorical")) is not None:
        categorical = [listed] if isinstance(listed, str) else list(listed)
        out["categorical"] = [name for name in categorical if name not in sensitive]
    banded = {name: list(recodings[name].labels) for name in sensitive if name in recodings}
    if banded:
        given = out.get("outcomes")
        rest = given if isinstance(given, dict) else {} if given is None else dict.fromkeys(sensitive, given)
        out["outcomes"] = {**rest, **banded}
    return out


def _of_columns(parameters: dict[str, Any], group: Sequence[str]) -> dict[str, Any]:
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
