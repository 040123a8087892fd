"""Which candidates of a level are frequent: the protocol of all choices, and the plainest of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from deniable.core.domains.exact import Floats
from deniable.mining.counting import Sums
from deniable.mining.levels import Level


class Choice(Protocol):
    """What a search asks which candidates to keep. Most choices look at each candidate by itself and only say `__call__`."""

    looks_at_levels: ClassVar[bool] = False  # whether `fit` is to see candidates of a level before any of them is chosen

    def fit(self, itemsets: Any, parents: Any, sums: Sums) -> None:
        """Look at (an even sample of) the candidates of a level before any is chosen."""
        return

    def __call__(self, itemsets: Any, parents: Any, sums: Sums) -> tuple[Any, Floats, Floats | None]:
        """(which are frequent, the supports of all, the errors of these where they are not those of the unbiased ones).

        Given are candidates, the rows of their subsets in the level below, and their sums.
        """

    def finish(self) -> None:
        """All candidates of the level were seen."""
        return

    def in_one_call(self, level: Level, with_columns: bool) -> tuple[Any, tuple[Any, ...]] | None:
        """The compiled function that makes the level above this one, and what it is given beside what every such function is given
        (`kernels.next_level`); None if there is none. It may be asked for the columns of this level, too.
        """
        return None

    def made(self, told: Any) -> tuple[Floats, Floats] | None:
        """Take over what that function told beside the level; gives supports and errors where they are not those of the unbiased ones."""
        return None

    def columns(self, level: Level) -> Any:
        """Supports of a level, their standard errors, and how probably they are frequent; None if that is left to the caller."""
        return None


@dataclass(frozen=True)
class Reaching(Choice):
    """The choice of all whose unbiased support reaches a limit.

    What the frame tells of them is computed at once, but for intervals, whose level depends on how many are found; `asked` is as in
    `kernels.support_scores.support_columns`.
    """

    limit: float
    asked: tuple[int, float, float, bool]

    def __call__(self, itemsets: Any, parents: Any, sums: Sums) -> tuple[Any, Floats, None]:
        support = sums.total / self.asked[0]
        return support >= self.limit, support, None

    def in_one_call(self, level: Level, with_columns: bool) -> tuple[Any, tuple[Any, ...]]:
        """As in `Choice`."""
        from deniable.kernels.next_level import level_above

        known: Any = level.sums.total, level.sums.second
        sums = known if with_columns else tuple(each[:0] for each in known)
        return level_above, (self.limit, sums, self.asked)

    def columns(self, level: Level) -> Any:
        """As in `Choice`."""
        from deniable.kernels.support_scores import support_columns

        return support_columns((level.sums.total, level.sums.second), self.asked)
