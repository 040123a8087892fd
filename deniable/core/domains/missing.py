"""Answers that may be withheld: a domain of answers and one more label for nonresponse."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deniable.core.domains.bad_cells import BAD_ROWS_SHOWN, BadCells
from deniable.core.domains.domain import NO_ANSWER, Domain
from deniable.core.domains.exact import Ints
from deniable.errors import ParameterError


class WithMissing(Domain):
    """A domain and one more label for "no answer", which has the last code: a word among words, and null in a column of anything else."""

    def __init__(self, answered: Domain | dict[str, Any], missing: str = NO_ANSWER) -> None:
        self._answered = answered if isinstance(answered, Domain) else Domain.from_json(answered)
        self.missing = missing
        self.is_numeric, self.has_grid = self.answered.is_numeric, self.answered.has_grid
        if not isinstance(missing, str) or (not self.is_numeric and missing in self.answered.labels):
            raise ParameterError(
                "missing_label",
                "The label for a missing answer must be text and none of the other labels, got {got!r}.",
                got=missing,
            )

    @property
    def answered(self) -> Domain:
        return self._answered

    @property
    def size(self) -> int:
        return self.answered.size + 1

    @cached_property
    def labels(self) -> tuple[Any, ...]:
        return (*self.answered.labels, self.missing)

    @property
    def allowed(self) -> str:
        return f"{self.answered.allowed}, or {self.missing!r} (a missing cell is read as that)"

    def codes(self, column: pa.Array, bad: BadCells, offset: int = 0, text: bool = False) -> Ints:
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        nonresponse = column.is_null().to_numpy(zero_copy_only=False)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            said = pc.fill_null(pc.is_in(column, value_set=pa.array([self.missing, ""], column.type)), False)
            nonresponse = nonresponse | said.to_numpy(zero_copy_only=False)
        codes = np.full(len(column), self.size - 1, dtype=np.int64)
        answered = np.flatnonzero(~nonresponse)
        bad_answers = BadCells(bad.column, bad.allowed)
        codes[answered] = self.answered.codes(column.take(pa.array(answered)), bad_answers, 0, text)
        if bad_answers.total:
            bad.total += bad_answers.total
            room = BAD_ROWS_SHOWN - len(bad.first)
            bad.first += [(offset + int(answered[row - 1]) + 1, value) for row, value in bad_answers.first[:room]]
            bad.may_decline = True
            for kind in bad_answers.kinds.values():
                bad.add_kind(kind._replace(row=offset + int(answered[kind.row - 1]) + 1))
        return codes

    def column(self, codes: Ints) -> pa.Array:
        nonresponse = codes == self.size - 1
        answered = self.answered.column(np.where(nonresponse, 0, codes))
        silence = self.missing if pa.types.is_string(answered.type) or pa.types.is_large_string(answered.type) else None
        return pc.if_else(pa.array(nonresponse), pa.scalar(silence, answered.type), answered)

    def parameters(self) -> dict[str, Any]:
        return {"answered": self.answered.to_json(), "missing": self.missing}
