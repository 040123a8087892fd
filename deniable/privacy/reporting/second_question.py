"""What an unrelated question that people answer themselves gives away to those who know its answer."""

from __future__ import annotations

import math

from deniable.core.channels.base import Channel
from deniable.core.channels.designs import UnrelatedQuestion
from deniable.core.channels.laws import Mixture
from deniable.privacy.reporting.words import odds


def known_second_answer(channel: Channel) -> list[str]:
    """A sentence where a second question is put to people, else none.

    >>> import deniable as dn
    >>> debt = dn.UnrelatedQuestion(dn.Nominal(["no", "yes"]), 0.5, 0.5, asked=True)
    >>> "the odds of the first answer by a factor of at most 5.0" in known_second_answer(debt)[0]
    True
    """
    if not isinstance(channel, UnrelatedQuestion) or not channel.asked or not isinstance(channel.law, Mixture):
        return []
    rarest = int(channel.law.replacement.min())
    # Where a page does not report the first answer, it sends the second half of the time, else a drawn one (docs/recipes.md).
    known = odds(math.log(2 * channel.law.diagonal / rarest + 1)) if rarest else "without limit"
    return [
        f"anyone who knows someone's answer to the second question learns more: a report then changes the odds of the first answer {known} "
        "if the respondent's page makes the draw; if the second answer itself is sent whenever the first is not, a report can "
        "prove the first."
    ]
