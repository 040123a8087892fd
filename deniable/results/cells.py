"""Cells of open answers: labels put together until at least so many people share them, so that no smaller group can be asked about."""

from __future__ import annotations

from collections.abc import Sequence
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
MARK = "*"
"""Stands behind what is several answers put together, for readers to look up why."""
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

    def labels(self, domain: Domain) -> list[str]:
        """What cells are called where programs name them: an answer by itself, the first and the last of a band, or all of them."""

        def text(code: int) -> str:
            return one_line(str(domain.labels[code]))

        found = []
        for codes in self.codes:
            # Kept addresses name cells so: this never changes.
            rising = len(codes) > 2 and list(codes) == list(range(codes[0], codes[-1] + 1)) and not is_nominal(domain)
            found.append(_shortened(f"{text(codes[0])} – {text(codes[-1])}" if rising else ", ".join(map(text, codes))))
        return found

    def in_words(self, domain: Domain, question: Question, either: str) -> list[str]:
        """The same for readers: rare answers stand with `either` ("or") between them, for "men, no answer 44%" reads as if 44% were men,
        and have a mark behind them. Bands of numbers need neither.

        >>> import deniable as dn
        >>> cells = Cells("sex", (0, 1, 1), ((0,), (1, 2)))
        >>> texts = Question("Sex", {"F": "Women", "M": "Men", "no answer": "No answer"})
        >>> cells.in_words(dn.Nominal(["F", "M"], missing="no answer"), texts, "or")
        ['Women', 'Men or No answer*']
        """
        found = []
        for codes in self.codes:
            texts = [one_line(str(question.label(domain.labels[code]))) for code in codes]
            answered = _answered(codes, domain)
            if _is_band(answered, domain):
                texts[: len(answered)] = [f"{texts[0]} – {texts[len(answered) - 1]}"]
            found.append(_shortened(f" {either} ".join(texts)) + (MARK if _is_marked(codes, domain) else ""))
        return found

    def is_marked(self, domain: Domain) -> bool:
        """Whether some answers are put together so that readers must be told."""
        return any(_is_marked(codes, domain) for codes in self.codes)

    def channel(self, domain: Domain) -> Identity:
        """The cells as an attribute that is not hidden."""
        return Identity(Nominal(_different(self.labels(domain))))


def _is_band(codes: Sequence[int], domain: Domain) -> bool:
    """Whether cells are called by the first and the last of their answers."""
    least = 2 if domain.is_numeric else 3
    return len(codes) >= least and list(codes) == list(range(codes[0], codes[-1] + 1)) and not is_nominal(domain)


def _answered(codes: Sequence[int], domain: Domain) -> Sequence[int]:
    """The codes without that of silence, which is the last."""
    return codes[:-1] if domain.missing is not None and codes[-1] == domain.size - 1 else codes


def _is_marked(codes: Sequence[int], domain: Domain) -> bool:
    return len(codes) > 1 and not (domain.is_numeric and _is_band(codes, domain) and _answered(codes, domain) == codes)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


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
