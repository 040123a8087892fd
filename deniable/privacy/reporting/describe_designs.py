"""How an answer is hidden, in a sentence for people who do not know the designs by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from deniable.core.channels.additive import Additive, Multiplicative
from deniable.core.channels.base import Channel
from deniable.core.channels.designs import KRR, Crosswise, Flip, ForcedResponse, Identity, Retention, UnrelatedQuestion
from deniable.core.channels.noise import Laplace, Noise, Normal, Uniform
from deniable.core.channels.number_designs import OneBit, Piecewise
from deniable.core.channels.optional import Optional
from deniable.core.channels.sparse_windows import SparseWindows
from deniable.core.channels.table_designs import Matrix, Neighbours
from deniable.core.channels.windows import Windows
from deniable.core.schema import Schema
from deniable.privacy.reporting.words import quoted


def describe_design(channel: Channel) -> str:
    """What becomes of a true answer.

    >>> import deniable as dn
    >>> describe_design(dn.KRR(dn.Nominal(["no", "yes"]), 0.75))
    'the true answer is kept with probability 0.75, else the other one is reported'
    >>> describe_design(dn.Retention(dn.Integer(18, 90), 0.5))
    'the true answer is kept with probability 0.5, else any answer is drawn, all equally likely'
    """
    if isinstance(channel, Identity):
        return "nothing is hidden, the true answer is reported"
    if isinstance(channel, KRR):
        other = "the other one is reported" if channel.domain.size == 2 else "one of the others is drawn, all equally likely"
        return f"the true answer is kept with probability {_shown(channel.p)}, else {other}"
    if isinstance(channel, Flip):
        no, yes = (quoted(label) for label in channel.inputs)
        return (
            f"{yes} is kept with probability {_shown(channel.p)} and {no} with {_shown(channel.q)}, else the other is reported"
        )
    if isinstance(channel, ForcedResponse):
        no, yes = (quoted(label) for label in channel.inputs)
        return (
            f"{yes} is reported with probability {_shown(channel.p_yes)} and {no} with {_shown(channel.p_no)}, whatever is true, else "
            "the true answer"
        )
    if isinstance(channel, Crosswise):
        return (
            "the report says only whether the true answer is the same as that to an innocuous question, which is "
            f"{quoted(channel.inputs[1])} with probability {_shown(channel.p)}"
        )
    if isinstance(channel, UnrelatedQuestion):
        other = "which the person is asked too" if channel.asked else "whose answer is drawn"
        return f"the question is answered with probability {_shown(channel.theta)}, else an innocuous one, {other}"
    if isinstance(channel, Retention):
        return f"the true answer is kept with probability {_shown(channel.p)}, else {_replaced(channel)}"
    if isinstance(channel, Neighbours):
        far = len(channel.probabilities) - 1
        steps = "the next one" if far == 1 else f"one up to {far} steps away"
        return f"the true answer is kept with probability {_kept(channel)}, else {steps} is reported"
    if isinstance(channel, Matrix):
        if channel.inputs != channel.outputs:
            return "a table gives the probability of each report for each true answer"
        return f"the true answer is kept with probability {_kept(channel)}, else another is drawn from a table of probabilities"
    if isinstance(channel, OneBit):
        return _bit(channel)
    if isinstance(channel, Piecewise):
        return _window(channel)
    if isinstance(channel, Additive):
        stopped = ", cut off at the ends of the range" if channel.edges == "clamp" else ""
        return f"random noise is added, {_noise(channel.noise)}{stopped}"
    if isinstance(channel, Multiplicative):
        return f"the true number is multiplied by 1 plus random noise, {_noise(channel.noise)}"
    if isinstance(channel, Optional):
        missing = quoted(channel.domain.missing)
        return (
            f"whether someone answered is kept with probability {_shown(channel.p)}, else an answer becomes {missing} and "
            f"a missing answer becomes any answer; for answers, {describe_design(channel.channel)}"
        )
    return "it is randomised"


def _bit(channel: OneBit) -> str:
    codes = _reported_codes(channel.law)
    low, high = (quoted(channel.outputs[code]) for code in codes)
    first, last = channel.domain.labels[0], channel.domain.labels[channel.law.values - 1]
    ends = [int(channel.law.column(codes[1])[code]) / channel.denominator for code in (0, channel.law.values - 1)]
    return (
        f"only {low} or {high} is reported; {high} with probability {ends[0]:.4g} if the number is {first}, rising evenly to "
        f"{ends[1]:.4g} if it is {last}"
    )


def _window(channel: Piecewise) -> str:
    law = channel.law
    numbers = [channel.reported.labels[code] for code in _reported_codes(law)]
    first, last = (number if isinstance(number, str) else f"{number:g}" for number in (numbers[0], numbers[-1]))
    near = law.full * law.width / channel.denominator
    if law.width == 1:
        what = f"the number, rounded at random to one of {law.cells} from {first} to {last}, is reported"
    else:
        reach = f"{(float(numbers[1]) - float(numbers[0])) * law.width / 2:g}"
        what = f"a number at most {reach} away from the true one is reported"
    return f"{what} with probability {near:.4g}, else any of {law.cells} numbers from {first} to {last}"


def _reported_codes(law: Windows) -> list[int]:
    """As which codes the cells of a window are reported."""
    return law.places.tolist()[: law.cells] if isinstance(law, SparseWindows) else list(range(law.cells))


def describe_designs(schema: Mapping[str, Channel], names: Iterable[str] | None = None) -> list[str]:
    """One line per design in use: its name, its attributes, and what becomes of a true answer.

    >>> import deniable as dn
    >>> yes_no = dn.KRR(dn.Nominal(["no", "yes"]), 0.75)
    >>> describe_designs(dn.Schema({"smokes": yes_no, "drinks": yes_no}))
    ['KRR (smokes, drinks): the true answer is kept with probability 0.75, else the other one is reported']
    """
    by_design: dict[tuple[str, str], list[str]] = {}
    for name in schema if names is None else names:
        by_design.setdefault((type(schema[name]).__name__, describe_design(schema[name])), []).append(name)
    lines = [f"{kind} ({', '.join(named)}): {words}" for (kind, words), named in by_design.items()]
    for group, members in (schema.groups if isinstance(schema, Schema) else {}).items():
        lines.append(f"{group} ({', '.join(members.attributes)}): one draw decides for all of them together")
    return lines


def _shown(share: Fraction) -> str:
    return f"{float(share):.4g}"


def _noise(noise: Noise) -> str:
    given = noise.parameters()
    if isinstance(noise, Uniform):
        return f"uniform, up to {given['half_width']} either way"
    if isinstance(noise, Normal):
        return f"normal with a standard deviation of {given['sd']}"
    if isinstance(noise, Laplace):
        return f"Laplace with a scale of {given['b']}"
    return f"of {noise!r}"


def _replaced(channel: Retention) -> str:
    if not channel.exact or not channel.parameters().get("replacement"):
        return "any answer is drawn, all equally likely"
    return "an answer is drawn with probabilities that are known"


def _kept(channel: Channel) -> str:
    kept = [int(channel.law.column(z)[z]) / channel.denominator for z in range(channel.law.inputs)]
    low, high = (f"{share:.4g}" for share in (min(kept), max(kept)))
    return low if low == high else f"{low} to {high}"
