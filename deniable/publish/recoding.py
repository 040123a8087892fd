"""Coarser values for columns: numbers in bands (open at both ends, which hides the largest and the smallest), rare categories as "other".

What is chosen here is chosen by looking at the column itself, never at another one: for columns that are handed on the sensitive answers
play no part. The edges of bands are rounded, so that they tell hardly more of single people than that there are many on either side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.core.domains.columns import to_arrow
from deniable.core.domains.exact import Ints
from deniable.errors import DataError, ParameterError, Setting
from deniable.publish.cells import as_numbers, as_text, cells, number

OTHER = "other"
ANY = "any"
MOST_NUMBERS = 12
"""A sensitive column with more different numbers than this is put into bands; fewer are answers, like marks or yes and no as 1 and 0."""
SENSITIVE_BANDS = 5
MOST_BANDS = 8
BAND_ROWS = 200
"""A band of the usual recoding holds about so many rows at least, so that its answers are mixed."""
RARE_ROWS, RARE_SHARE = 20, 0.02
"""The usual recoding puts categories together that fewer rows, or a smaller share of them, have."""
END_ROWS = 5
"""Bands of a given width are left open at the ends, so that each end holds so many rows at least."""
NAMES_SHOWN = 10


@dataclass(frozen=True)
class Recoding:
    """What became of one column.

    Parameters
    ----------
    name : what it is called.
    labels : the values that are published, in their order.
    public : what was done, as far as the public may know.
    owner : the same with what only the owner should read: the values that are hidden now.
    codes : which label each row has.
    edges : where bands begin, but for the first.
    rule : what was done in words that were not found from the cells: all that the public may read where the column is a sensitive one.

    Examples
    --------
    >>> Recoding("job", ("cook", "other"), "merged", "merged (pilot)", np.array([0, 0, 1])).column().to_pylist()
    ['cook', 'cook', 'other']
    """

    name: str
    labels: tuple[str, ...]
    public: str
    owner: str
    codes: Ints
    edges: tuple[float, ...] = ()
    rule: str = ""

    def column(self) -> pa.Array:
        """The column as it is published."""
        return pa.array(list(self.labels), pa.large_string()).take(pa.array(self.codes))

    def without_rows(self) -> Recoding:
        """The same without what single rows have, for keeping: of a sensitive column those are the true answers."""
        return replace(self, codes=np.empty(0, np.int64))

    @property
    def constant(self) -> bool:
        """Whether one value is left for all rows."""
        return len(self.labels) == 1

    def left_out(self) -> Recoding:
        """The same of a column that is left out, because one value for all rows tells nothing."""
        left = f". That would leave one value for all rows ({self.labels[0]}), so the column is left out"
        return replace(self, public=self.public + left, owner=self.owner + left)

    def to_dict(self, rows: bool, sensitive: bool = False) -> dict[str, Any]:
        """For JSON; `rows`: for the owner. What became of a `sensitive` column was found from the answers: the public reads the rule."""
        if sensitive and not rows:
            return {"column": self.name, "what": f"{self.name}: {self.rule}"}
        return {
            "column": self.name,
            "values": list(self.labels),
            "edges": list(self.edges),
            "what": self.owner if rows else self.public,
        }


def is_numeric(column: Any, name: str) -> bool:
    """Whether a column holds numbers."""
    kind = (column if isinstance(column, (pa.Array, pa.ChunkedArray)) else to_arrow(column, name)).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def is_whole(column: Any, name: str) -> bool:
    """Whether a column holds whole numbers."""
    return bool(pa.types.is_integer(to_arrow(column, name).type))


def into_bands(column: Any, name: str, edges: Sequence[float], missing: str | None, chosen: str) -> Recoding:
    """Numbers in bands that begin at the edges; what is below the first and from the last on are bands too.

    Parameters
    ----------
    column : the numbers.
    name : what the column is called.
    edges : where bands begin, ascending.
    missing : the label of missing cells.
    chosen : how the bands were chosen, in words.

    Returns
    -------
    Recoding
        The bands that occur, and which each row is in.

    Examples
    --------
    >>> into_bands(pa.array([18, 25, 70]), "age", [20, 65], None, "chosen by the owner").labels
    ('under 20', '20 to 64', '65 or more')
    """
    numbers = as_numbers(cells(column, name, missing, True))
    codes = np.searchsorted(np.asarray(edges, dtype=np.float64), numbers, side="right").astype(np.int64)
    labels = band_labels(edges, is_whole(column, name))
    silent = bool(np.isinf(numbers).any())
    if silent:
        codes[np.isinf(numbers)] = len(labels)
        labels.append(str(missing))
    used, codes = np.unique(codes, return_inverse=True)
    labels = [labels[at] for at in used]
    bands = labels[:-1] if silent else labels
    what = (
        f"{name}: numbers in {len(bands)} bands ({', '.join(bands)}){f', and {missing!r}' if silent else ''}, {chosen}"
        if edges
        else f"{name}: all numbers put together"
    )
    rule = f"numbers in bands, {chosen}"
    return Recoding(name, tuple(labels), what, what, codes.ravel().astype(np.int64), tuple(map(float, edges)), rule)


def band_labels(edges: Sequence[float], whole: bool) -> list[str]:
    """What bands are called.

    >>> band_labels([20, 30], whole=True), band_labels([0.5], whole=False)
    (['under 20', '20 to 29', '30 or more'], ['under 0.5', '0.5 or more'])
    """
    if not len(edges):
        return [ANY]
    whole = whole and all(float(edge).is_integer() for edge in edges)
    inner = []
    for low, high in pairwise(edges):
        if whole and high - low == 1:
            inner.append(number(low))
        else:
            inner.append(f"{number(low)} to {number(high - 1) if whole else f'under {number(high)}'}")
    return [f"under {number(edges[0])}", *inner, f"{number(edges[-1])} or more"]


def round_edges(numbers: Any, bands: int, whole: bool) -> list[float]:
    """Edges of so many bands of about equally many rows, as round as they can be: 1, 2 or 5 times a power of ten apart.

    The coarsest rounding is taken that leaves every band at least half of its rows; where many rows have the same number there are fewer
    bands.

    >>> import numpy as np
    >>> round_edges(np.arange(18, 90), 4, whole=True)
    [40.0, 60.0, 80.0]
    """
    finite = np.sort(numbers[np.isfinite(numbers)])
    if bands < 2 or not len(finite) or finite[0] == finite[-1]:
        return []
    marks = np.quantile(finite, np.arange(1, bands) / bands)
    spread = float(finite[-1] - finite[0])
    top = math.floor(math.log10(spread))
    best: list[float] = []
    for power in range(top, top - 6, -1):
        for digit in (5, 2, 1):
            if whole and power < 0:
                break
            # Divided by a power of ten where that is the exact number, so that 0.3 is 0.3.
            steps = marks / (digit * 10.0**power)
            rounded = np.unique(np.round(steps)) * digit
            edges = np.round(rounded * 10.0**power, max(0, -power))
            edges = edges[(edges > finite[0]) & (edges <= finite[-1])]
            sizes = np.diff(np.concatenate([[0], np.searchsorted(finite, edges), [len(finite)]]))
            edges = edges[sizes[:-1] > 0]
            if len(edges) == bands - 1 and sizes.min() >= len(finite) / bands / 2:
                return [float(edge) for edge in edges]
            if len(edges) > len(best):
                best = [float(edge) for edge in edges]
    return best


def width_edges(numbers: Any, width: float, least: int) -> list[float]:
    """Edges every `width`, but for the ends, which are left open from where fewer than `least` rows would lie beyond.

    >>> import numpy as np
    >>> width_edges(np.array([18] * 9 + [25] * 9 + [37] * 9 + [93]), 10, 5)
    [20.0, 30.0]
    """
    finite = np.sort(numbers[np.isfinite(numbers)])
    if not len(finite):
        return []
    if (finite[-1] - finite[0]) / width > 10_000:
        raise ParameterError(
            "bands", "bands of {width:g} are too narrow: there would be more than 10,000 of them.", width=width
        )
    first, last = math.floor(finite[0] / width), math.floor(finite[-1] / width)
    edges = np.round(np.arange(first + 1, last + 1) * width, 12)
    below = np.searchsorted(finite, edges)
    kept = edges[(below >= least) & (len(finite) - below >= least)]
    # An edge between two empty stretches would be the name of a band that nobody is in.
    inside = np.searchsorted(finite, kept)
    return [float(edge) for at, edge in enumerate(kept) if at == 0 or inside[at] > inside[at - 1]]


def with_rare_merged(
    column: Any, name: str, keep: Callable[[Ints], Any], missing: str | None, chosen: str, apart: bool = True
) -> Recoding:
    """Categories, the rare ones put together as "other".

    Parameters
    ----------
    column : the categories.
    name : what the column is called.
    keep : which categories stay: from their counts, the largest first, to booleans.
    missing : the label of missing cells.
    chosen : how it was chosen, in words.
    apart : whether missing cells stay apart, however few they are.

    Returns
    -------
    Recoding
        The categories that stay, and "other"; the public description does not name those that are hidden.

    Examples
    --------
    >>> with_rare_merged(pa.array(["cook"] * 9 + ["pilot", "poet"]), "job", at_least(2), None, "chosen by the owner").owner
    "job: 2 of 3 categories put together as 'other' (pilot, poet), chosen by the owner"
    """
    encoded = as_text(cells(column, name, missing, False)).dictionary_encode()
    labels, codes = encoded.dictionary.to_pylist(), encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    counts = np.bincount(codes, minlength=len(labels))
    # By count, then by name, so that the order of the rows does not matter.
    order = sorted(range(len(labels)), key=lambda at: (-counts[at], labels[at]))
    # That a cell is missing is no category among others.
    silent = [missing] if apart and missing in labels else []
    order = [at for at in order if labels[at] not in silent]
    kept = np.asarray(keep(counts[order]), dtype=bool)
    staying = [labels[at] for at, stays in zip(order, kept, strict=True) if stays and labels[at] != OTHER]
    hidden = [labels[at] for at, stays in zip(order, kept, strict=True) if not stays or labels[at] == OTHER]
    names = (*sorted(staying), *([OTHER] if hidden else []), *silent)
    place = {label: at for at, label in enumerate(names)}
    moved = np.asarray([place[OTHER] if label in hidden else place[label] for label in labels])
    shown = ", ".join(hidden[:NAMES_SHOWN]) + (f" and {len(hidden) - NAMES_SHOWN:,} more" if len(hidden) > NAMES_SHOWN else "")
    many = f"{len(hidden):,} of {len(order):,} categories" if staying else f"all {len(order):,} categories"
    what = f"{name}: {many} put together as {OTHER!r}"
    rule = f"rare categories put together as {OTHER!r}, {chosen}"
    return Recoding(name, names, f"{what}, {chosen}", f"{what} ({shown}), {chosen}", moved[codes], rule=rule)


def at_least(rows: int) -> Callable[[Ints], Any]:
    """Keeps categories of so many rows; and of those the rarest go too, as long as "other" has fewer.

    >>> import numpy as np
    >>> at_least(5)(np.array([30, 9, 6, 2])).tolist()
    [True, True, False, False]
    """

    def keep(counts: Ints) -> Any:
        kept = counts >= rows
        while kept.any() and not kept.all() and counts[~kept].sum() < rows:
            kept[np.flatnonzero(kept)[-1]] = False
        return kept

    return keep


def the_largest(values: int, rows: int) -> Callable[[Ints], Any]:
    """Keeps so many values, "other" counted, of at least so many rows each."""

    def keep(counts: Ints) -> Any:
        few = np.arange(len(counts)) < (values - 1 if len(counts) > values else len(counts))
        return at_least(rows)(np.where(few, counts, 0)) & few if few.any() else few

    return keep


def as_asked(
    columns: Mapping[str, Any], bands: Mapping[str, Any], merge_rare: Mapping[str, int], missing: str | None
) -> dict[str, Recoding]:
    """The recodings that the owner chose: bands by their width or their edges, and how many rows a category must have."""
    recodings: dict[str, Recoding] = {}
    for name, given in bands.items():
        if name not in columns:
            raise DataError(
                "no_column", "bands names {got!r}; there are the columns {allowed}.", got=name, allowed=list(columns)
            )
        if not is_numeric(columns[name], name):
            raise DataError("not_numbers", "bands: column {column!r} holds no numbers.", column=name)
        edges = _edges(columns[name], name, given, missing)
        recoding = into_bands(columns[name], name, edges, missing, "chosen by the owner")
        by_width = isinstance(given, (int, float))
        begin = f"{number(given)} wide, open at the ends" if by_width else f"which begin at {', '.join(map(number, edges))}"
        recodings[name] = replace(recoding, rule=f"numbers in bands {begin}, chosen by the owner")
    for name, rows in merge_rare.items():
        if name not in columns:
            raise DataError(
                "no_column", "merge_rare names {got!r}; there are the columns {allowed}.", got=name, allowed=list(columns)
            )
        if name in bands:
            raise ParameterError("merge_rare", "Column {got!r} is put into bands already.", got=name)
        if isinstance(rows, bool) or not isinstance(rows, (int, np.integer)) or rows < 2:
            raise ParameterError(
                "merge_rare", "merge_rare of {name!r} must be a whole number of at least 2, got {got!r}.", name=name, got=rows
            )
        if is_numeric(columns[name], name):
            raise DataError(
                "merge_numbers",
                "{setting}: column {column!r} holds numbers. Put them into bands: {remedy}; or, if they are names of categories, say so: "
                "{categorical}.",
                setting=Setting("merge_rare"),
                column=name,
                remedy=Setting("bands", {name: 10}),
                categorical=Setting("categorical", [name]),
            )
        if rows > (there := len(columns[name])):
            raise ParameterError(
                "merge_rare_rows",
                "{setting}: there are only {rows:,} rows, so no category can have so many.",
                setting=Setting("merge_rare", {name: int(rows)}),
                rows=there,
            )
        recodings[name] = with_rare_merged(
            columns[name], name, at_least(int(rows)), missing, f"so that each has at least {rows:,} rows"
        )
    return recodings


def _edges(column: Any, name: str, given: Any, missing: str | None) -> list[float]:
    if isinstance(given, (int, float)) and not isinstance(given, bool) and 0 < given < math.inf:
        return width_edges(as_numbers(cells(column, name, missing, True)), float(given), END_ROWS)
    try:
        edges = [float(edge) for edge in given]
    except (TypeError, ValueError):
        edges = []
    if not edges or sorted(set(edges)) != edges or not all(map(math.isfinite, edges)):
        raise ParameterError(
            "bands",
            "bands of {name!r} must be a width above 0, or where bands begin, in ascending order, got {got!r}.",
            name=name,
            got=given,
        )
    return edges


def sensitive_bands(column: Any, name: str, missing: str | None) -> Recoding | None:
    """Bands for a sensitive column of many different numbers; None if its numbers can be answers by themselves."""
    if not is_numeric(column, name):
        return None
    numbers = as_numbers(cells(column, name, missing, True))
    if len(np.unique(numbers)) <= MOST_NUMBERS:
        return None
    edges = round_edges(numbers, SENSITIVE_BANDS, is_whole(column, name))
    return into_bands(column, name, edges, missing, "chosen by looking at the answers and rounded")


def usual(columns: Mapping[str, Any], missing: str | None) -> dict[str, Recoding]:
    """The usual recoding of columns that are handed on: numbers in up to 8 bands, categories that few rows have as "other"."""
    recodings = {}
    for name, column in columns.items():
        if is_numeric(column, name):
            numbers = as_numbers(cells(column, name, missing, True))
            bands = min(MOST_BANDS, max(2, len(numbers) // BAND_ROWS))
            if len(np.unique(numbers)) > bands:
                edges = round_edges(numbers, bands, is_whole(column, name))
                recodings[name] = into_bands(column, name, edges, missing, "chosen by looking at the column and rounded")
        else:
            rows = len(as_text(cells(column, name, missing, False)))
            least = max(RARE_ROWS, math.ceil(RARE_SHARE * rows))
            merged = with_rare_merged(column, name, at_least(least), missing, f"so that each has at least {least:,} rows")
            if OTHER in merged.labels:
                recodings[name] = merged
    return recodings
