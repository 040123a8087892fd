"""Cells of open answers: labels put together until at least so many people share them, so that no smaller group can be asked about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.core.channels.designs import Identity
from deniable.core.domains.domain import Domain
from deniable.core.domains.exact import Ints
from deniable.core.domains.labels import Binary, Nominal
from deniable.core.question_texts import Question, one_line

FEWEST = 50
"""Nothing is shown of fewer people to those who may not export."""
BANDS = 5
"""Numbers, and lists of more answers than this that are in an order, are put into so many bands."""
_LONGEST = 200


@dataclass(frozen=True)
class Cells:
    """An open attribute's answers put together: `of_code` says to which cell each belongs; each cell has the codes of its answers."""

    name: str
    of_code: tuple[int, ...]
    codes: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.codes)

    def labels(self, domain: Domain, question: Question | None = None) -> list[str]:
        """What cells are called: an answer by itself, the first and the last of a band, or all of them; in a survey's texts, if given."""

        def text(code: int) -> str:
            label = domain.labels[code]
            return one_line(str(label if question is None else question.label(label)))

        found = []
        for codes in self.codes:
            rising = len(codes) > 2 and list(codes) == list(range(codes[0], codes[-1] + 1)) and not is_nominal(domain)
            named = f"{text(codes[0])} – {text(codes[-1])}" if rising else ", ".join(map(text, codes))
            found.append(named if len(named) <= _LONGEST else f"{named[: _LONGEST - 1]}…")
        return found

    def channel(self, domain: Domain) -> Identity:
        """The cells as an attribute that is not hidden."""
        return Identity(Nominal(_different(self.labels(domain))))


def is_nominal(domain: Domain) -> bool:
    """Whether answers have no order."""
    return type(domain.answered) is Nominal or isinstance(domain.answered, Binary)


def merged(name: str, domain: Domain, counts: Ints, fewest: int = FEWEST, bands: int | None = None) -> Cells | None:
    """The cells of an attribute whose answers occur so often: as fine as `fewest` allows, numbers in bands. None where there would be one
    cell only. Answers that nobody gave stay by themselves among few names, and go with their neighbours in an order.

    >>> import deniable as dn
    >>> merged("town", dn.Nominal(["a", "b", "c", "d"]), np.array([80, 20, 200, 90])).codes
    ((0, 1), (2,), (3,))
    >>> merged("age", dn.Integer(1, 6), np.array([30, 30, 45, 0, 60, 40]), bands=2).codes
    ((0, 1, 2), (3, 4, 5))
    """
    codes = _of_names(counts, fewest) if is_nominal(domain) and bands is None else _of_order(domain, counts, fewest, bands)
    filled = [group for group in codes if counts[list(group)].sum()]
    if len(filled) < 2:
        return None
    of_code = np.zeros(len(counts), dtype=np.int64)
    for cell, group in enumerate(codes):
        of_code[list(group)] = cell
    return Cells(name, tuple(of_code.tolist()), tuple(codes))


def _of_names(counts: Ints, fewest: int) -> list[tuple[int, ...]]:
    """Rare labels go together, with the next rarest until they are enough."""
    few = [code for code in range(len(counts)) if 0 < counts[code] < fewest]
    others = sorted((code for code in range(len(counts)) if counts[code] >= fewest), key=lambda code: counts[code])
    while few and counts[few].sum() < fewest and others:
        few.append(others.pop(0))
    together = [tuple(sorted(few))] if few else []
    alone = [(code,) for code in range(len(counts)) if code not in few]
    return sorted([*together, *alone])


def _of_order(domain: Domain, counts: Ints, fewest: int, bands: int | None) -> list[tuple[int, ...]]:
    """Neighbours go together until they are enough; silence, if it is rare, goes with the last of them."""
    answered = len(counts) - (domain.missing is not None)
    wanted = bands or (BANDS if answered > BANDS + 1 else None)
    least = fewest if wanted is None else max(fewest, int(counts[:answered].sum() / wanted))
    groups: list[list[int]] = [[]]
    for code in range(answered):
        if groups[-1] and counts[groups[-1]].sum() >= least:
            groups.append([])
        groups[-1].append(code)
    if len(groups) > 1 and counts[groups[-1]].sum() < fewest:
        last = groups.pop()
        groups[-1] += last
    if answered < len(counts):
        rare = 0 < counts[answered] < fewest
        groups = [*groups[:-1], [*groups[-1], answered]] if rare else [*groups, [answered]]
    return [tuple(group) for group in groups]


def _different(labels: list[str]) -> list[str]:
    """Labels of which no two are alike: bands of long texts may be."""
    found: list[str] = []
    for label in labels:
        while label in found:
            label += "'"
        found.append(label)
    return found


def coarse_codes(cells: Cells, codes: Any) -> Any:
    """Codes of answers as codes of cells."""
    return np.array(cells.of_code)[codes]
