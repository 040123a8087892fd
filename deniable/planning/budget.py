"""A total budget shared over questions, so that none is known much worse than another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from deniable.core.channels.base import Channel, rounded_up
from deniable.core.html_table import html_table, paragraphs
from deniable.core.schema import Schema
from deniable.errors import NotInvertibleError, ParameterError
from deniable.planning.known_to import known_for, known_to
from deniable.planning.precision import Wanted, margin
from deniable.planning.protection import Design
from deniable.planning.words import ENGLISH, Words

if TYPE_CHECKING:
    import pandas as pd

LEAST = Fraction(11, 10)
"""The smallest odds that are proposed."""
STEP = Fraction(1, 10)
MOST_ODDS = 100
"""No question is given larger odds, whatever is left over."""


@dataclass(frozen=True)
class Given:
    """What one question is given: its odds, the channel that has them, and the margin that is expected (None if too few)."""

    name: str
    odds: float
    channel: Channel
    margin: float | None
    use: str = "share"
    """What it is judged by: a share, a mean or a quantile."""

    @property
    def epsilon(self) -> float:
        """The logarithm of its odds."""
        return math.log(self.odds)


class Proposal:
    """A budget shared over questions: what each is given (`rows`), and all of it as a schema."""

    def __init__(self, rows: list[Given], total_epsilon: float, share: float) -> None:
        self.rows = rows
        self.total_epsilon = total_epsilon
        self.share = share

    @property
    def epsilon(self) -> float:
        """What the questions have together; no more than the budget."""
        return math.fsum(row.epsilon for row in self.rows)

    @property
    def schema(self) -> Schema:
        """The questions, hidden as proposed."""
        return Schema({row.name: row.channel for row in self.rows})

    def to_frame(self) -> pd.DataFrame:
        """One row per question: odds, epsilon, margin."""
        import pandas as pd

        return pd.DataFrame(
            {
                "attribute": [row.name for row in self.rows],
                "odds": [row.odds for row in self.rows],
                "epsilon": [row.epsilon for row in self.rows],
                "margin": [math.nan if row.margin is None else row.margin for row in self.rows],
            }
        )

    def cells(self, words: Words = ENGLISH) -> tuple[list[str], list[list[str]]]:
        """The head of the table that people see, and its rows."""
        share = words.numbers.number(100 * self.share, ".3g") + "%"
        head = [words.budget_column, words.proposed_odds, words.proposed_design, words.proposed_margin.format(share=share)]
        return head, [
            [
                # Rounded up, as all odds are: those of a question that stays as it is need not be tenths.
                row.name, words.numbers.number(math.ceil(10 * row.odds - 1e-6) / 10, ",.1f"), type(row.channel).__name__,
                _margin_in_words(row, words),
            ]
            for row in self.rows
        ]  # fmt: skip

    def sentence(self, words: Words = ENGLISH) -> str:
        """What is shared."""
        number, most = words.numbers.number, math.exp(min(self.total_epsilon, 700))
        # Nobody means a budget of 16 digits; its epsilon says as much.
        odds = number(most, ",.0f" if most >= 1_000 else ".4g") if most < 1e15 else f"e^{number(self.total_epsilon, '.4g')}"
        return words.budget.format(odds=odds, epsilon=words.numbers.number(float(rounded_up(self.total_epsilon)), ".3f"))

    def notes(self, words: Words = ENGLISH) -> list[str]:
        """What else there is to say of it."""
        return [] if all(row.use == "share" for row in self.rows) else [words.budget_mixed]

    def __repr__(self) -> str:
        head, rows = self.cells()
        widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in [head, *rows]
        ]
        return "\n".join([self.sentence(), *(f"  {line}" for line in lines), *self.notes()])

    def _repr_html_(self) -> str:
        return paragraphs([self.sentence()]) + html_table(*self.cells()) + paragraphs(self.notes())


def _margin_in_words(row: Given, words: Words) -> str:
    number = words.numbers.number
    if row.margin is None or math.isinf(row.margin):
        known = words.too_few if row.margin is None else words.never
    elif row.use == "mean":
        known = words.margin.format(margin=number(float(f"{row.margin:.2g}"), ",g"))
    else:
        known = words.margin.format(margin=words.points.format(number=number(100 * row.margin, ".1f")))
    said = {"mean": words.proposed_mean, "quantile": words.proposed_quantile}.get(row.use, "{margin}")
    return said.format(margin=known)


def total(total_odds: Any, total_epsilon: Any) -> float:
    """The budget as an epsilon, given as one of the two."""
    if (total_odds is None) == (total_epsilon is None):
        raise ParameterError(
            "budget_given", "Give the budget as one of two: total_odds (such as 27) or total_epsilon (such as 3.3)."
        )
    given, least, what = (total_odds, 1, "total_odds") if total_epsilon is None else (total_epsilon, 0, "total_epsilon")
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not least < given < math.inf:
        raise ParameterError(
            "budget_number", "{what} must be a number above {least}, got {got!r}.", what=what, least=least, got=given
        )
    return float(given) if total_odds is None else math.log(given)


def share_out(
    channels: Mapping[str, Channel],
    uses: Mapping[str, str],
    answers: float,
    epsilon: float,
    share: float,
    importance: Mapping[str, float],
    design: Design,
    most: int = MOST_ODDS,
) -> Proposal:
    """The proposal: the question that is known least, times its importance, is given the next tenth of odds, until the budget ends.

    Parameters
    ----------
    channels
        The hidden questions, each with a draw of its own.
    uses
        By name what each is judged by: a share, a mean or a quantile.
    answers
        How many are expected.
    epsilon
        The budget.
    share
        The share that is to be known.
    importance
        By name: twice as important is to be known twice as well. 1 unless it is said.
    design
        From a channel and odds to the channel that has them.
    most
        No question is given larger odds.

    Returns
    -------
    Proposal

    Examples
    --------
    >>> import deniable as dn
    >>> from deniable.planning.protection import protected_at
    >>> questions = {"smokes": dn.KRR(dn.Binary(), 0.75), "party": dn.KRR(dn.Nominal([*"abcdef"]), 0.5)}
    >>> proposal = share_out(questions, dict.fromkeys(questions, "share"), 2_000, math.log(20), 0.2, {}, protected_at)
    >>> [row.odds for row in proposal.rows], proposal.epsilon <= math.log(20)
    ([3.4, 5.8], True)
    """
    odds = dict.fromkeys(channels, LEAST)
    if len(channels) * math.log(LEAST) > epsilon:
        raise ParameterError(
            "budget_too_small",
            "A budget of odds {odds:,.2f} (epsilon {epsilon:.2f}) is too small for {k} questions: each needs odds of {least} at least.",
            odds=math.exp(epsilon), epsilon=epsilon, k=len(channels), least=float(LEAST),
        )  # fmt: skip

    for name, channel in channels.items():
        try:
            # What its design cannot have with the whole budget it cannot have with a part of it.
            design(channel, Fraction(math.floor(10 * min(math.exp(min(epsilon, 700)), most)), 10))
        except ParameterError as error:
            raise ParameterError("budget_design", "{name!r}: {problem}", name=name, problem=str(error)) from None

    def doubt(name: str) -> float:
        try:
            hidden = design(channels[name], odds[name])
            known = (
                known_to(hidden, round(answers), share)
                if uses[name] == "share"
                else known_for(hidden, round(answers), uses[name])
            )
            # Of means and shares alike: how many direct answers would tell as much.
            return known.margin / math.sqrt(known.direct) * importance.get(name, 1.0)
        except (NotInvertibleError, ParameterError):
            return math.inf

    doubts = {name: doubt(name) for name in channels}
    while doubts:
        name = max(doubts, key=lambda each: doubts[each])
        more = {**odds, name: odds[name] + STEP}
        if math.fsum(math.log(each) for each in more.values()) > epsilon or more[name] > most:
            break
        odds = more
        doubts[name] = doubt(name)
    rows = []
    for name, channel in channels.items():
        hidden = design(channel, odds[name])
        wanted = Wanted(uses[name], 0.5 if uses[name] == "quantile" else share)
        rows.append(Given(name, float(odds[name]), hidden, margin(hidden, wanted, answers), uses[name]))
    return Proposal(rows, epsilon, share)
