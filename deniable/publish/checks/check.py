"""One thing that was looked at, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from deniable.core.domains.exact import Ints
from deniable.publish.remedies import Remedy

ROWS_SHOWN = 20


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: whether it holds, what was found, and the rows (counted from 1) that are exposed.

    Parameters
    ----------
    name : what the check is called.
    passed : whether it holds.
    found : what was found, in words for the owner.
    rows : the rows that are exposed.
    columns : the columns that expose them, where it is not the groups that do.
    public : what the public may read of it: what was tested, never what was measured, nor values that point at people.
    limited : whether there is a limit; without one it is only counted, and cannot fail.
    remedy : what would make it hold, if it failed.
    of : how many rows there are, so that "all rows" can be said.

    Examples
    --------
    >>> import numpy as np
    >>> check = Check("small groups", False, "smallest group 3 rows; limit 5", np.array([1, 2, 3]))
    >>> check.state, check.named
    ('FAILED', 'rows 1, 2, 3')
    """

    name: str
    passed: bool
    found: str
    rows: Ints = field(repr=False)
    columns: tuple[str, ...] = ()
    public: str = ""
    limited: bool = True
    remedy: Remedy | None = None
    of: int = 0

    @property
    def state(self) -> str:
        """Whether it holds, in a word."""
        return "FAILED" if not self.passed else "ok" if self.limited or not len(self.rows) else "note"

    @property
    def named(self) -> str:
        """The rows, as far as a sentence can hold them."""
        if not len(self.rows):
            return ""
        if len(self.rows) == self.of:
            return "all rows"
        shown = ", ".join(f"{row:,}" for row in self.rows[:ROWS_SHOWN])
        more = f" and {len(self.rows) - ROWS_SHOWN:,} more" if len(self.rows) > ROWS_SHOWN else ""
        return f"{'row' if len(self.rows) == 1 else 'rows'} {shown}{more}"
