"""A plan: what so many answers to hidden questions will tell, as figures, a table and curves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from deniable.core.channels.base import Channel
from deniable.core.schema import Schema
from deniable.errors import NotInvertibleError, ParameterError
from deniable.planning import plan_text
from deniable.planning.budget import Proposal, share_out, total
from deniable.planning.known_to import SHARE, is_noisy
from deniable.planning.precision import (
    POWER,
    Wanted,
    least_answers,
    margin,
    most_apart,
    power,
    smallest_difference,
    strongest_tenth,
)
from deniable.planning.protection import Design, is_open, protected_at
from deniable.planning.questions import Divided, has_mean, of_everyone, told_best
from deniable.privacy.measures import priors
from deniable.statistics.numeric_attributes import check_known

if TYPE_CHECKING:
    import pandas as pd

SHARES = (0.02, 0.1, SHARE, 0.5)
"""The shares whose margins are shown."""
PURPOSES = ("share", "mean", "quantile")
"""What a question may be asked for."""
ONLY = "answer"
"""The name of the only attribute of a plan for one channel."""


@dataclass(frozen=True)
class Row:
    """What is expected of one attribute: its odds (infinite where nothing limits them), whether it is asked openly, how many direct answers
    the answers are worth (for a share of 20%, or for what it is asked for instead; not a number if nothing can be told), and its figures by
    name: None where too few direct answers' worth is expected, or no difference would be found; infinite where no number of answers tells
    it."""

    name: str
    odds: float
    open: bool
    worth: float
    figures: dict[str, float | None]


@dataclass(frozen=True)
class Strongest:
    """The strongest protection of one question that reaches a margin, in steps of a tenth of the odds; None where none does."""

    name: str
    odds: float | None
    channel: Channel | None
    margin: float | None


class Plan:
    """What so many answers will tell. Made by `dn.plan`.

    Margins are half the length of the 95% interval that `dn.Sample` is expected to give, for the population.

    >>> import deniable as dn
    >>> plan = dn.plan(dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75)}), answers=1_000)
    >>> round(plan.margin("smokes"), 3), plan.answers_for(margin=0.05)
    (0.059, 1400)
    """

    def __init__(
        self, schema: Schema, answers: int, group: float, by: str | None, asked_for: Mapping[str, str], truth: Mapping[str, Any],
        epsilons: Mapping[str, float], lowest: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.schema, self.answers, self.group, self.by = schema, answers, group, by
        self._asked_for, self._epsilons, self._lowest = asked_for, epsilons, frozenset(lowest)
        self.channels = plannable(schema)
        self.left_out = [name for name in schema if name not in self.channels]
        """Attributes whose numbers have no step, or that have only one answer: nothing can be planned for them."""
        self._truth = {
            name: tuple(priors.shares(self.channels[name], given, "truth").tolist()) for name, given in truth.items()
        }
        self._margins: dict[tuple[Channel, Wanted], float | None] = {}
        self._differences: dict[tuple[Channel, Wanted], float | None] = {}

    def margin(
        self, name: str = ONLY, share: float = SHARE, what: str = "share", in_group: bool = False, answers: int | None = None
    ) -> float | None:
        """The margin that is expected; None where too few direct answers' worth is expected, infinite where no number of answers tells it.

        Parameters
        ----------
        name
            The attribute; of a plan for one channel there is only one.
        share
            The share that is to be known.
        what
            "share", "mean" or "quantile" (by the share below the median).
        in_group
            In the group instead of everyone.
        answers
            Another number of answers.

        Returns
        -------
        float or None
            Shares as a part of 1; means in units of the answers.

        Examples
        --------
        >>> import deniable as dn
        >>> plan = dn.plan(dn.KRR(dn.Ordinal(["1", "2", "3"]), 0.6), answers=2_000)
        >>> round(plan.margin(what="mean"), 3), round(plan.margin(share=0.5, in_group=True), 3)
        (0.089, 0.076)
        """
        return margin(self._channel(name), self.wanted(name, what, share, in_group), answers or self.answers)

    def difference(self, name: str = ONLY, share: float = SHARE, what: str = "share", often: float = POWER) -> float | None:
        """The smallest difference between the group and everyone else that would be found so often (its 95% interval excludes 0), where the
        others have this share. None where none would, or too few direct answers' worth is expected; infinite where no number of answers
        tells it.

        >>> import deniable as dn
        >>> round(dn.plan(dn.KRR(dn.Binary(), 0.75), answers=2_000).difference(), 3)
        0.122
        """
        if not 0.05 < often < 1:
            raise ParameterError("often", "often must lie between 0.05 and 1, such as 0.8, got {got!r}.", got=often)
        channel = self._channel(name)
        return smallest_difference(channel, self.wanted(name, what, share, False), self._divided(name), self.answers, often)

    def power(self, difference: float, name: str = ONLY, share: float = SHARE, what: str = "share") -> float | None:
        """How often a difference between the group and everyone else would be found, where the others have this share; None where too few
        direct answers' worth is expected, 0 where no number of answers tells it.

        >>> import deniable as dn
        >>> round(dn.plan(dn.KRR(dn.Binary(), 0.75), answers=2_000).power(0.15), 2)
        0.93
        """
        channel, wanted = self._channel(name), self.wanted(name, what, share, False)
        most = most_apart(channel, wanted)
        if isinstance(difference, bool) or not isinstance(difference, (int, float)) or not 0 <= difference <= most:
            raise ParameterError(
                "difference", "The difference must lie between 0 and {most:.4g}, got {got!r}.", most=most, got=difference
            )
        return power(channel, wanted, self._divided(name), self.answers, difference)

    def answers_for(
        self, margin: float, name: str | None = None, share: float = SHARE, what: str = "share", in_group: bool = False
    ) -> int | None:
        """How many answers it takes to know an attribute, or each of them, to a margin: rounded up to three figures. None where ten million
        are not enough.

        Parameters
        ----------
        margin
            The margin that is wanted.
        name
            The attribute; without one as many answers as the one that needs most.
        share, what, in_group
            What is to be known, as in `margin`.

        Returns
        -------
        int or None

        Examples
        --------
        >>> import deniable as dn
        >>> dn.plan(dn.Identity(dn.Binary()), answers=1_000).answers_for(margin=0.05)
        243
        """
        _check_margin(margin)
        names = [name] if name is not None else self.names(what)
        needed = [least_answers(self._channel(one), self.wanted(one, what, share, in_group), margin) for one in names]
        found = [each for each in needed if each is not None]
        return max(found) if len(found) == len(needed) and found else None

    def strongest(
        self, margin: float, share: float = SHARE, what: str = "share", in_group: bool = False, design: Design = protected_at
    ) -> dict[str, Strongest]:
        """The strongest protection of each hidden question that reaches a margin with these answers, by the odds in steps of 0.1.

        Parameters
        ----------
        margin
            The margin that is wanted.
        share, what, in_group
            What is to be known, as in `margin`.
        design
            From a channel and odds (a fraction) to the channel with these odds; by default the same design.

        Returns
        -------
        dict
            By name: odds, channel and margin, None where no protection reaches it.

        Examples
        --------
        >>> import deniable as dn
        >>> dn.plan(dn.KRR(dn.Binary(), 0.75), answers=2_000).strongest(margin=0.05)["answer"].odds
        2.5
        """
        _check_margin(margin)
        found, alike = {}, dict[tuple[Channel, Wanted], int | None]()
        for name in self.names(what):
            channel, wanted = self.channels[name], self.wanted(name, what, share, in_group)
            if is_open(channel):
                continue
            if (channel, wanted) not in alike:
                alike[channel, wanted] = strongest_tenth(channel, wanted, self.answers, margin, design)
            tenths = alike[channel, wanted]
            hidden = None if tenths is None else design(channel, Fraction(tenths, 10))
            odds, reached = (None, None) if tenths is None or hidden is None else (tenths / 10, self._known(hidden, wanted))
            found[name] = Strongest(name, odds, hidden, reached)
        return found

    def share_budget(
        self, total_odds: float | None = None, total_epsilon: float | None = None, importance: Mapping[str, float] | None = None,
        share: float = SHARE, design: Design = protected_at,
    ) -> Proposal:  # fmt: skip
        """A proposal that shares a budget over the hidden questions, so that all are known about equally well.

        Parameters
        ----------
        total_odds, total_epsilon
            The budget of all questions together, as one of the two.
        importance
            By name: a question that is twice as important is to be known twice as well. 1 unless it is said.
        share
            The share that is to be known.
        design
            As in `strongest`.

        Returns
        -------
        Proposal
            `rows`, `schema`, `to_frame()`.

        Examples
        --------
        >>> import deniable as dn
        >>> schema = dn.Schema({"smokes": dn.KRR(dn.Binary(), 0.75), "party": dn.KRR(dn.Nominal([*"abcdef"]), 0.5)})
        >>> [row.odds for row in dn.plan(schema, answers=2_000).share_budget(total_odds=20).rows]
        [3.4, 5.8]
        """
        epsilon = total(total_odds, total_epsilon)
        hidden = {name: channel for name, channel in self.channels.items() if not is_open(channel)}
        uses = {
            name: self._asked_for[name] if name in self._asked_for else told_best(channel) for name, channel in hidden.items()
        }
        together = [block.name for block in self.schema.blocks if len(block.attributes) > 1]
        if not hidden or together:
            raise ParameterError(
                "budget_questions", "A budget is shared over hidden questions that each have a draw of their own; {why}.",
                why=f"{', '.join(together)} share one" if together else "nothing is hidden here",
            )  # fmt: skip
        weights = dict(importance or {})
        for name, weight in weights.items():
            check_known(hidden, name)
            if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 < weight < math.inf:
                raise ParameterError(
                    "importance", "The importance of {name!r} must be above 0, got {got!r}.", name=name, got=weight
                )
        return share_out(hidden, uses, self.answers, epsilon, share, weights, design)

    def names(self, what: str = "share") -> list[str]:
        """The attributes that are asked for something: a plan without any is refused."""
        if what not in PURPOSES:
            raise ParameterError("what", "what must be one of {allowed}, got {got!r}.", allowed=list(PURPOSES), got=what)
        found = [name for name in self.channels if what in self.purposes(name)]
        if not found:
            raise ParameterError("nothing_asked_for", "No attribute of this plan is asked for a {what}.", what=what)
        return found

    def purposes(self, name: str) -> tuple[str, ...]:
        """What an attribute is asked for: shares, and the mean of numbers, unless it was said."""
        if name in self._asked_for:
            return (self._asked_for[name],)
        return ("share", "mean") if has_mean(self.channels[name].domain) else ("share",)

    @cached_property
    def rows(self) -> list[Row]:
        """What is expected of each attribute."""
        return [self._row(name) for name in self.channels]

    def _row(self, name: str) -> Row:
        channel, figures, purposes = self.channels[name], dict[str, float | None](), self.purposes(name)
        if "share" in purposes:
            figures |= {_key(share): self._known(channel, self.wanted(name, "share", share, False)) for share in SHARES}
        for what in ("quantile", "mean"):
            if what in purposes:
                figures[what] = self._known(channel, self.wanted(name, what, SHARE, False))
        if self._can_divide(name):
            for what in purposes:
                key = _key(SHARE) if what == "share" else what
                figures[f"group_{key}"] = self._known(channel, self.wanted(name, what, SHARE, True))
                figures[f"difference_{key}"] = self._difference(name, self.wanted(name, what, SHARE, False))
        epsilon = self._epsilons.get(name, channel.epsilon)
        return Row(name, math.exp(epsilon) if epsilon < 700 else math.inf, is_open(channel), self._worth(name), figures)

    def _worth(self, name: str) -> float:
        """For a share of 20% where shares are asked for and told, else for the mean or quantile."""
        for what in self.purposes(name):
            try:
                return of_everyone(self.wanted(name, what, SHARE, False).of(self.channels[name]), self.answers).worth
            except NotInvertibleError:
                continue
        return math.nan

    def _known(self, channel: Channel, wanted: Wanted) -> float | None:
        """The margin, worked out once for questions that are hidden alike."""
        if (channel, wanted) not in self._margins:
            self._margins[channel, wanted] = margin(channel, wanted, self.answers)
        return self._margins[channel, wanted]

    def _difference(self, name: str, wanted: Wanted) -> float | None:
        """The smallest difference that would be found, worked out once for questions that are hidden alike."""
        channel = self.channels[name]
        if (channel, wanted) not in self._differences:
            self._differences[channel, wanted] = smallest_difference(channel, wanted, self._divided(name), self.answers)
        return self._differences[channel, wanted]

    def _channel(self, name: str) -> Channel:
        check_known(self.channels, name)
        return self.channels[name]

    def wanted(self, name: str, what: str, share: float, in_group: bool) -> Wanted:
        """What is to be known of an attribute."""
        if what not in PURPOSES:
            raise ParameterError("what", "what must be one of {allowed}, got {got!r}.", allowed=list(PURPOSES), got=what)
        if what == "mean" and not has_mean(self.channels[name].domain):
            raise ParameterError("no_mean", "{name!r} holds no numbers, so it has no mean; ask for a share.", name=name)
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share < 1:
            raise ParameterError("share", "share must be a number between 0 and 1, such as 0.2, got {got!r}.", got=share)
        share = 0.5 if what == "quantile" else SHARE if what == "mean" else share
        divided = self._divided(name) if in_group else None
        truth = self._truth.get(name) if what == "mean" else None
        return Wanted(what, share, divided, truth, lowest=name in self._lowest or is_noisy(self.channels[name]))

    def _can_divide(self, name: str) -> bool:
        """Whether the group is told by another question, with a draw of its own."""
        return name != self.by and not any({name, self.by} <= set(block.attributes) for block in self.schema.blocks)

    def _divided(self, name: str) -> Divided:
        if not self._can_divide(name):
            raise ParameterError(
                "divided_by_itself", "{name!r} cannot be divided by {by!r}: they are the same, or share a draw.", name=name, by=self.by
            )  # fmt: skip
        return Divided(self.group, None if self.by is None else self.channels[self.by])

    def to_frame(self) -> pd.DataFrame:
        """One row per attribute: odds, worth, and its figures; not a number where too few direct answers' worth is expected, or the
        attribute is not asked for it; infinite where no number of answers tells it.

        >>> import deniable as dn
        >>> dn.plan(dn.KRR(dn.Binary(), 0.75), answers=1_000).to_frame().columns.tolist()[:5]
        ['attribute', 'odds', 'worth', 'share_2', 'share_10']
        """
        return plan_text.frame(self)

    def __repr__(self) -> str:
        return plan_text.text(self)

    def _repr_html_(self) -> str:
        return plan_text.page(self)

    def plot(self, against: str = "answers", share: float = SHARE, language: str = "en") -> Any:
        """Margins of a share as curves: against the number of answers, or against the odds that protection allows (`against="odds"`).

        >>> import deniable as dn
        >>> dn.plan(dn.KRR(dn.Binary(), 0.75), answers=1_000).plot().title.text
        'How well a share of 20% will be known'
        """
        from deniable.planning.plan_picture import picture

        return picture(self, against, share, language)


def plannable(schema: Mapping[str, Channel]) -> dict[str, Channel]:
    """The attributes for which something can be planned."""
    return {name: channel for name, channel in schema.items() if channel.exact and channel.domain.size > 1}


def _key(share: float) -> str:
    return f"share_{100 * share:g}"


def _check_margin(given: Any) -> None:
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 < given < math.inf:
        raise ParameterError("margin", "margin must be a number above 0, such as 0.05 for ± 5 points, got {got!r}.", got=given)
