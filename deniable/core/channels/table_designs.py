"""Designs whose law is a table: any matrix of probabilities, and moves to neighbours in an order."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from deniable.core.channels.base import Channel
from deniable.core.channels.laws import Table
from deniable.core.channels.solving import DENSE_LIMIT
from deniable.core.domains import exact
from deniable.core.domains.checks import check_domain
from deniable.core.domains.domain import Domain
from deniable.core.domains.exact import Number, probability, written
from deniable.core.domains.labels import Nominal
from deniable.errors import ParameterError
from deniable.plurals import counted


def _rows_of(P: Any) -> Sequence[Any]:
    table = P.to_numpy() if hasattr(P, "to_numpy") else P
    if isinstance(table, (str, bytes)) or not getattr(table, "ndim", 1) or not hasattr(table, "__len__"):
        raise ParameterError("not_a_matrix", "Matrix: P must be a list of rows or a frame, got {got!r}.", got=P)
    rows: Sequence[Any] = table
    return rows


class Matrix(Channel):
    """Any matrix of retaining and changing: `P[true][reported]`, rows sum to 1 (the papers print the transpose).

    >>> import deniable as dn
    >>> dn.Matrix(dn.Nominal(["a", "b"]), [[0.9, 0.1], [0.3, 0.7]]).integer_rows().tolist()
    [[9, 1], [3, 7]]
    """

    def __init__(self, domain: Domain, P: Any, outputs: Sequence[Any] | Domain | None = None) -> None:
        self.domain = check_domain(domain, "Matrix")
        self.reported = domain if outputs is None else outputs if isinstance(outputs, Domain) else Nominal(outputs)
        rows = [list(row) if hasattr(row, "__len__") else [row] for row in _rows_of(P)]
        if len(rows) != domain.size or any(len(row) != self.reported.size for row in rows):
            raise ParameterError(
                "matrix_shape",
                "Matrix: P must have {rows} rows (true labels) of {columns} probabilities (reported labels), got {got}.",
                rows=domain.size,
                columns=self.reported.size,
                got=f"{counted(len(rows), 'row')} of {sorted({len(row) for row in rows})}",
            )
        read = []
        for label, row in zip(domain.labels, rows, strict=True):
            name = f"row {label!r}"
            read.append(exact.normalised([probability(value, "Matrix", name) for value in row], "Matrix", name))
        self._rows = read
        self.law = Table(*exact.integer_rows(read))

    @classmethod
    def from_pram(cls, matrix: Any, labels: Sequence[Any] | None = None) -> Matrix:
        """From a transition matrix of sdcMicro's `pram`: a frame whose rows and columns carry the labels, or `labels=`.

        >>> import deniable as dn, pandas as pd
        >>> frame = pd.DataFrame([[0.8, 0.2], [0.1, 0.9]], index=["m", "f"], columns=["m", "f"])
        >>> dn.Matrix.from_pram(frame).inputs
        ('m', 'f')
        """
        if labels is None:
            if not hasattr(matrix, "columns"):
                raise ParameterError("pram_labels", "Matrix.from_pram needs a frame with labels, or labels=.")
            labels = list(matrix.index)
            if set(labels) != set(matrix.columns):
                raise ParameterError(
                    "pram_labels_differ",
                    "Matrix.from_pram: rows and columns must carry the same labels, got {rows} and {columns}.",
                    rows=labels,
                    columns=list(matrix.columns),
                )
            matrix = matrix[labels]
        return cls(Nominal(list(labels)), matrix)

    def parameters(self) -> dict[str, Any]:
        same = self.reported == self.domain
        return {
            "domain": self.domain.to_json(),
            "P": [[written(value) for value in row] for row in self._rows],
            "outputs": None if same else self.reported.to_json(),
        }

    @classmethod
    def arguments(cls, given: dict[str, Any]) -> dict[str, Any]:
        outputs = given.get("outputs")
        read = super().arguments({key: value for key, value in given.items() if key != "outputs"})
        return {**read, "outputs": Domain.from_json(outputs) if isinstance(outputs, dict) else outputs}


class Neighbours(Channel):
    """Ordered labels move to neighbours: the truth with weight p, each label s steps away with weight r_s.

    Without wrap (PAOELE, thesis Algorithm 15) rows are renormalised at the ends; with `wrap=True` (PAO, Algorithm 14) the
    order is a circle. p + 2 (r_1 + r_2 + ...) must be 1 wherever a label has all its neighbours.

    >>> import deniable as dn
    >>> salary = dn.Ordinal(["low", "med-low", "medium", "med-high", "high"])
    >>> dn.Neighbours(salary, [0.7, 0.15]).matrix()[0].round(3).tolist()         # matrix 5.4
    [0.824, 0.176, 0.0, 0.0, 0.0]
    """

    def __init__(self, domain: Domain, probabilities: Sequence[Number], wrap: bool = False) -> None:
        self.domain = self.reported = check_domain(domain, "Neighbours")
        self.wrap = bool(wrap)
        if isinstance(probabilities, (str, bytes)) or not hasattr(probabilities, "__len__"):
            raise ParameterError(
                "neighbours_list",
                "Neighbours: probabilities must be a list [p, r1, ...], got {got!r}.",
                got=probabilities,
            )
        k, steps = (
            domain.size,
            [probability(value, "Neighbours", f"probabilities[{s}]") for s, value in enumerate(probabilities)],
        )
        self.probabilities = steps
        reach = len(steps) - 1
        if domain.missing is not None:
            raise ParameterError(
                "missing_has_no_neighbour",
                "Neighbours: the label {label!r} stands outside the order and would be reported as it is; "
                "leave it out of the domain and wrap the channel in dn.Optional(channel, p).",
                label=domain.missing,
            )
        if type(domain) is Nominal:
            raise ParameterError("no_order", "Neighbours needs labels in an order: use dn.Ordinal, not dn.Nominal.")
        if k > DENSE_LIMIT:
            raise ParameterError(
                "neighbours_wide",
                "Neighbours is for at most {limit} labels, got {got}; use dn.Additive with dn.Staircase.",
                limit=DENSE_LIMIT,
                got=k,
            )
        if not steps or (2 * reach >= k if wrap else reach >= k):
            raise ParameterError(
                "neighbours_reach",
                "Neighbours: {got} probabilities reach too far for {k} labels; at most {most} are allowed{wrapped}.",
                got=len(steps),
                k=k,
                most=(k - 1) // 2 + 1 if wrap else k,
                wrapped=" when the order wraps" if wrap else "",
            )
        if 2 * reach < k:
            exact.normalised([steps[0], *steps[1:], *steps[1:]], "Neighbours", "p + 2 (r_1 + r_2 + ...)")
        rows = [self._row(i, k) for i in range(k)]
        self.law = Table(*exact.integer_rows(rows))

    def _row(self, i: int, k: int) -> list[Fraction]:
        row = [Fraction(0)] * k
        for s, share in enumerate(self.probabilities):
            for j in {i - s, i + s}:
                if self.wrap:
                    row[j % k] += share
                elif 0 <= j < k:
                    row[j] += share
        total = sum(row, Fraction(0))
        if total == 0:
            raise ParameterError("neighbours_zero", "Neighbours: the probabilities are all 0.")
        return [value / total for value in row]

    def parameters(self) -> dict[str, Any]:
        return {
            "domain": self.domain.to_json(),
            "probabilities": [written(value) for value in self.probabilities],
            "wrap": self.wrap,
        }
