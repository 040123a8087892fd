"""Do plans come true? Random questionnaires are planned, 2,000 surveys of each are simulated, and what their intervals are is compared.

    python -m benchmarks.planner [--seed 20261117] [--questionnaires 20] [--surveys 2000] [--only N] [--quick]

Margins: the mean half-length of the interval that `dn.Sample` gives (by the functions that it calls, on simulated counts of reports)
against the plan's, relative to it. Powers: how often the interval of the smallest difference that is to be found 8 times out of 10 excludes
0. Only what is worth 30 direct answers is promised; the rest must be called too few. Exit code 1 if a margin is off by more than 5%, a
power by more than 6 points, or more than 1% of the powers by over 3 points. With 2,000 surveys a power is found with an error of 0.9
points, so among 80 right ones every sixteenth run has one that is off by over 3. Therefore a power that is off by so much is found once
more in four times as many surveys, drawn anew, and these alone decide; both are printed. Meant to take at most 40 minutes on one core;
`--quick` under a minute.

Two of every four questions ask for a number, behind noise (of little or much of its range), by one bit, few reports or a window; some
questions share one draw; half of the groups are told by a hidden answer. Behind noise the weights of simulated surveys are those for the
expected reports; what changes if each survey chooses its own, as `dn.Sample` does, is measured in the first --retuned of them and added.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import deniable as dn
from deniable.core.domains.missing import WithMissing
from deniable.core.intervals import at_least_direct
from deniable.errors import NotInvertibleError
from deniable.planning.expected import ExpectedParts
from deniable.planning.known_to import is_noisy
from deniable.planning.outcomes import Outcome
from deniable.planning.precision import told
from deniable.planning.questions import has_mean, of_difference
from deniable.statistics.ratios import Squares, ratio
from deniable.statistics.weighted import Weighted
from deniable.survey.levels import LEVELS, channel_for

SEED = 20_261_117
SHARES = (0.02, 0.1, 0.2, 0.5)
MARGIN_OFF, POWER_OFF, POWER_SELDOM_OFF, SELDOM = 0.05, 0.06, 0.03, 0.01
RETUNED, RETUNED_POWER = 40, 10
"""Behind noise so many surveys of each statement are also estimated with weights of their own; ten times as many where the question is how
often something is found, since yes and no tell little each (40 surveys: 5 points of error)."""
AGAIN = 4
"""A power that is off by more than `POWER_SELDOM_OFF` is found once more in so many times as many surveys."""
SAME = 10
"""Surveys of each statement whose quick interval is compared with the one that a sample gives."""


@dataclass(frozen=True)
class Statement:
    """What a plan says: of which question, what, and the outcome it is taken from."""

    questionnaire: int
    question: str
    kind: str
    outcome: Outcome
    says: float


@dataclass(frozen=True)
class Verdict:
    """A statement beside what came true."""

    statement: Statement
    found: float
    noise: float
    """Standard error of what was found."""

    @property
    def off(self) -> float:
        """How far off the plan was: relative to a margin, in points of a power."""
        away = self.statement.says - self.found
        return away if self.statement.kind == "power" else away / self.found


def random_channel(rng: np.random.Generator, kind: str) -> dn.Channel:
    """A question of one kind, hidden as questionnaires and schemas may hide it, weakly or strongly."""
    level = str(rng.choice(["strong", "standard", "light"]))
    silent = {"missing": "no answer"} if rng.random() < 0.7 else {}
    if kind in NUMBERS:
        return random_number(rng, kind, LEVELS[level])
    if kind == "boolean":
        return channel_for(dn.Nominal(["no", "yes"], **silent), level)
    if kind == "choice":
        labels = [f"choice {i}" for i in range(int(rng.integers(3, 13)))]
        return channel_for(dn.Nominal(labels, **silent), level)
    if kind == "rating":
        domain = dn.Ordinal([str(i) for i in range(1, int(rng.choice([5, 7, 10])) + 1)], missing="no answer")
        privacy: Any = level if rng.random() < 0.5 else {"design": "neighbours", "level": level}
        return channel_for(domain, privacy, ordered=True)
    if kind == "crosswise":
        return dn.Crosswise(round(float(rng.uniform(0.1, 0.35)), 2))
    if kind in ("unrelated", "one draw"):
        yes = round(float(rng.uniform(0.2, 0.6)), 2)
        return dn.UnrelatedQuestion(
            dn.Nominal(["no", "yes"]), round(float(rng.uniform(0.4, 0.8)), 2), {"no": 1 - yes, "yes": yes}
        )
    if kind == "bands":
        return dn.Retention(dn.Ordinal(["low", "middle", "high", "highest"], **silent), round(float(rng.uniform(0.3, 0.7)), 2))
    return dn.Identity(dn.Nominal(["no", "yes"], **silent))


def random_number(rng: np.random.Generator, kind: str, odds: int) -> dn.Channel:
    """A number behind noise, one bit, few reports or a window; perhaps withheld, at random or by a label of its own."""
    top = int(rng.choice([10, 20, 60, 100]))
    numbers = dn.Integer(0, top) if rng.random() < 0.7 else dn.Continuous(0, top / 2, 0.5)
    answered = round(float(rng.uniform(0.6, 0.9)), 2)
    if kind in ("noise", "withheld noise"):
        # Noise that changes odds little drowns shares; most people who add noise add less of it.
        part = float(np.exp(rng.uniform(np.log(0.02), np.log(0.4))))
        span = float(numbers.high - numbers.low)
        scale = max(round(span * part, 1), 0.1)
        noise = dn.Laplace(scale) if rng.random() < 0.5 else dn.Normal(scale)
        added = dn.Additive(numbers, noise, edges="clamp")
        return added if kind == "noise" else dn.Optional(added, answered)
    domain: Any = WithMissing(numbers, "no answer") if rng.random() < 0.5 else numbers
    if kind == "one bit":
        return dn.OneBit(domain, odds)
    if kind == "few reports":
        return dn.Piecewise(domain, odds, reports=int(rng.integers(3, 6)), width=1)
    if kind == "window":
        return dn.Piecewise(domain, odds)
    return dn.Optional(dn.KRR(numbers, Fraction(odds, odds + numbers.size - 1)), answered)


NUMBERS = ("noise", "withheld noise", "one bit", "few reports", "window", "withheld number")
BLURRED = ("noise", "withheld noise", "window")
LABELS = ("boolean", "choice", "rating", "crosswise", "unrelated", "bands", "open")
DIVIDING = ("boolean", "choice", "crosswise", "unrelated")


def random_schema(rng: np.random.Generator) -> tuple[dn.Schema, str | None]:
    """A questionnaire of two numbers and two questions with labels, or two that share one draw; and perhaps the hidden answer by which
    people are divided."""
    # One of the two may have a bias that is counted; of the rest any.
    first = str(rng.choice(BLURRED))
    kinds = [first, str(rng.choice([kind for kind in NUMBERS if kind != first]))]
    channels = {f"{place} {kind}": random_channel(rng, kind) for place, kind in enumerate(kinds)}
    groups = {}
    if rng.random() < 0.4:
        shared = random_channel(rng, "one draw")
        channels |= {"one draw, first": shared, "one draw, second": shared}
        groups["shared"] = ["one draw, first", "one draw, second"]
    else:
        kinds = [str(kind) for kind in rng.choice(LABELS, 2, replace=False)]
        channels |= {f"{place} {kind}": random_channel(rng, kind) for place, kind in enumerate(kinds, 2)}
    by = None
    if rng.random() < 0.5:
        by = "divides"
        channels[by] = random_channel(rng, str(rng.choice(DIVIDING)))
    return dn.Schema(channels, groups=groups), by


def statements_of(rng: np.random.Generator, place: int) -> Iterator[Statement | str]:
    """The statements about one random questionnaire; of what is too little, or can never be told, its name."""
    answers = round(float(np.exp(rng.uniform(np.log(400), np.log(50_000)))))
    schema, by = random_schema(rng)
    plan = dn.plan(schema, answers, round(float(rng.uniform(0.2, 0.6)), 2), by)
    for name, channel in plan.channels.items():
        if name != by:
            yield from statements_about(rng, place, plan, name, channel)


def statements_about(
    rng: np.random.Generator, place: int, plan: dn.Plan, name: str, channel: dn.Channel
) -> Iterator[Statement | str]:
    """The statements about one question: shares, the mean, both in a group, and differences."""
    titled = f"{name} ({type(channel).__name__}, odds {np.exp(min(channel.epsilon, 20)):.3g}), {plan.answers} answers"
    where = f"a {'hidden' if plan.by is not None else 'known'} group of {plan.group:.0%}"
    noisy = is_noisy(channel)
    of_all = rng.choice(SHARES, 2, replace=False) if noisy else SHARES
    asked = [("share", float(share), False) for share in of_all]
    asked.append(("share", float(rng.choice([0.1, 0.2, 0.5])), True))
    differing = [("share", float(rng.choice([0.1, 0.2, 0.5])))]
    if has_mean(channel.domain):
        asked += [("mean", 0.2, False), ("mean", 0.2, True), ("quantile", 0.5, False)]
        differing.append(("mean", 0.2))
    for what, share, in_group in asked:
        wanted = plan.wanted(name, what, share, in_group)
        try:
            outcome = told(channel, wanted, plan.answers)
        except NotInvertibleError:
            outcome = None
        said = (
            f"{what} of {share:.0%}{f' in {where}' if in_group else ''}"
            if what != "mean"
            else f"mean{f' in {where}' if in_group else ''}"
        )
        yield (
            f"{titled}: {said}" if outcome is None else Statement(place, f"{titled}: {said}", "margin", outcome, outcome.margin)
        )
    for what, share in differing:
        apart, wanted = plan.difference(name, share, what), plan.wanted(name, what, share, False)
        said = f"{titled}: difference of {what} {share:.0%} with {where}"
        if apart is None or np.isinf(apart):
            yield said
            continue
        outcome = of_difference(wanted.of(channel), plan._divided(name), plan.answers, apart)
        yield Statement(place, said, "power", outcome, outcome.power)


def quick_interval(outcome: Outcome, counts: Any) -> tuple[float, float] | None:
    """The interval of a share, or of a mean, from counts, as a sample makes it; None where it is made otherwise."""
    sums = outcome._sums
    assert sums is not None
    if any(sums._off) or len(outcome._question.ratios) > 1:
        return None
    weighted = Weighted(sums.values, counts, np.ones(len(counts)), np.zeros(len(counts), dtype=np.int64))
    [(top, size)], limits = outcome._question.ratios, outcome.expected.limits
    assert limits is not None
    totals, is_share = weighted.square_totals(), limits == (0.0, 1.0) and size == 2
    if is_share and bool((weighted.values[size] == 1).all()):
        plain = Weighted(weighted.values[:1], counts, weighted.stands_for, weighted.part)
        (low,), (high,) = plain.share_ends(0.95)
        value = float(weighted.totals()[top] / weighted.people)
    else:
        if not is_share and len(totals) < 3:
            return None  # reports that tell nothing but means: the spread of the answers is bounded, not estimated
        squares = Squares(totals[top if is_share else size + 1], totals[top], totals[size])
        one = ratio(weighted, (top, size), squares, "population", limits, ("", ""))
        if one.note is not None:
            return None
        (low, high), value = one.ends(0.95), one.value
        if is_share:
            size_of = min(max(float(weighted.totals()[size]), 0.0) / weighted.people, 1.0) * weighted.direct_rows
            (low,), (high,) = at_least_direct((np.array([low]), np.array([high])), np.array([value]), max(size_of, 1e-9), 0.95)
    value = min(max(value, limits[0]), limits[1])
    low, high = (min(max(float(end), limits[0]), limits[1]) for end in (low, high))
    return min(low, value), max(high, value)


def judged(statement: Statement, rng: np.random.Generator, surveys: int, retuned: int = RETUNED) -> Verdict:
    """A statement beside what the intervals of simulated surveys are."""
    outcome = statement.outcome
    found = np.empty(surveys)
    for i, counts in enumerate(drawn_counts(outcome, rng, surveys)):
        ends = None if statement.kind == "power" else quick_interval(outcome, counts)
        if ends is None or i < SAME:
            real = outcome._interval(counts)
            assert ends is None or np.allclose(ends, real, atol=1e-9), (statement.question, ends, real)
            ends = real
        found[i] = _found(statement, *ends)
    mean, noise = float(found.mean()), float(found.std() / surveys**0.5)
    if outcome.expected.bias is not None and retuned:
        many = retuned * (RETUNED_POWER if statement.kind == "power" else 1)
        more, more_noise = gained_by_own_weights(statement, rng, many)
        mean, noise = mean + more, float(np.hypot(noise, more_noise))
    return Verdict(statement, mean, noise)


def power_spare(surveys: int) -> float:
    """How much further off a power may be found because there are few surveys: three standard errors more than 2,000 have."""
    return 3 * max(0.0, (0.16 / surveys) ** 0.5 - (0.16 / 2_000) ** 0.5)


def verdict_of(statement: Statement, rng: np.random.Generator, surveys: int, retuned: int = RETUNED) -> Verdict:
    """The statement judged; a power that is far off is found once more in more surveys, drawn anew, and these decide."""
    verdict = judged(statement, rng, surveys, retuned)
    if statement.kind != "power" or abs(verdict.off) <= POWER_SELDOM_OFF + power_spare(surveys):
        return verdict
    again = judged(statement, rng.spawn(1)[0], AGAIN * surveys, AGAIN * retuned)
    print(f"    A power is off by {100 * verdict.off:+.2f} points in {surveys} surveys, and by {100 * again.off:+.2f} in {AGAIN * surveys} "
          f"others: {statement.question}", flush=True)  # fmt: skip
    return again


def drawn_counts(outcome: Outcome, rng: np.random.Generator, surveys: int) -> Any:
    """How often each combination of reports occurs in simulated surveys."""
    assert outcome._sums is not None
    expected = outcome._sums.n
    return rng.multinomial(round(expected.sum()), expected / expected.sum(), size=surveys).astype(np.float64)


def _found(statement: Statement, low: float, high: float) -> float:
    return float(low > 0 or high < 0) if statement.kind == "power" else (high - low) / 2


def gained_by_own_weights(statement: Statement, rng: np.random.Generator, surveys: int) -> tuple[float, float]:
    """What is found with weights that each survey chooses for its own reports, less what is found in the same surveys with weights for the
    reports that are expected; and its standard error."""
    outcome, more = statement.outcome, []
    assert outcome._sums is not None
    schema, codes = outcome._parts.all[0][1], outcome._sums._counted.codes
    # Cells are counted in the order in which a question names its attributes, which need not be that of the schema.
    places = tuple(codes[name] for name in schema)
    for counts in drawn_counts(outcome, rng, surveys):
        own = Outcome.__new__(Outcome)
        own._question, own._answers = outcome._question, outcome._answers
        reports = np.zeros_like(outcome._parts._expected)
        reports[places] = counts / counts.sum()
        own._parts = ExpectedParts(schema, reports, counts.sum())
        (low,), (high,) = own._question.estimate(own._given_expected).interval(0.95)
        more.append(_found(statement, float(low), float(high)) - _found(statement, *outcome._interval(counts)))
    return float(np.mean(more)), float(np.std(more) / surveys**0.5)


def by_design(verdicts: list[Verdict]) -> dict[str, list[float]]:
    """How far off the plans of each kind of question are, whatever its place."""
    found: dict[str, list[float]] = {}
    for verdict in sorted(verdicts, key=lambda each: each.statement.question.lstrip("0123456789 ")):
        name = verdict.statement.question.lstrip("0123456789 ").split(" (")[0].split(",")[0]
        found.setdefault(name, []).append(abs(verdict.off))
    return found


def passes(verdicts: list[Verdict], surveys: int) -> bool:
    """Print how far off plans were, and say whether that is little enough."""
    fine = True
    for kind in ("margin", "power"):
        of_kind = [verdict for verdict in verdicts if verdict.statement.kind == kind]
        if not of_kind:
            continue
        off = np.array([verdict.off for verdict in of_kind])
        unit = "points" if kind == "power" else "%"
        print(f"{kind}s: {len(of_kind)} statements, {surveys} surveys each; off by {100 * np.abs(off).mean():.2f} {unit} on average, "
              f"{100 * np.quantile(np.abs(off), 0.99):.2f} in 99%, at most {100 * np.abs(off).max():.2f}")  # fmt: skip
        noisy = [abs(verdict.off) for verdict in of_kind if verdict.statement.outcome.expected.bias is not None]
        if noisy:
            print(f"    of them {len(noisy)} behind noise, with a bias that is counted: at most {100 * max(noisy):.2f} {unit}")
        print(
            "    "
            + "; ".join(f"{name}: {len(each)}, at most {100 * max(each):.2f}" for name, each in by_design(of_kind).items())
        )
        for verdict in sorted(of_kind, key=lambda each: -abs(each.off))[:6]:
            s = verdict.statement
            print(f"    {100 * verdict.off:+6.2f} {unit}  plan {s.says:.4f}, found {verdict.found:.4f} ± {verdict.noise:.4f}, worth "
                  f"{s.outcome.worth:.0f}  [{s.questionnaire}] {s.question}")  # fmt: skip
        if kind == "margin":
            # What chance does to few surveys is no fault of the plan: three standard errors more than 2,000 surveys have.
            spare = np.array([3 * each.noise / each.found * max(0.0, 1 - (surveys / 2_000) ** 0.5) for each in of_kind])
            fine &= bool((np.abs(off) <= MARGIN_OFF + spare).all())
        else:
            few = power_spare(surveys)
            fine &= bool((np.abs(off) <= POWER_OFF + few).all() and (np.abs(off) > POWER_SELDOM_OFF + few).mean() <= SELDOM)
    return fine


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--questionnaires", type=int, default=20)
    parser.add_argument("--surveys", type=int, default=2_000)
    parser.add_argument("--retuned", type=int, default=RETUNED)
    parser.add_argument("--only", type=int, metavar="N", help="questionnaire N alone, with more surveys perhaps")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    questionnaires, surveys = (2, 400) if given.quick else (given.questionnaires, given.surveys)
    if given.only is not None and not 1 <= given.only <= questionnaires:
        parser.error(f"--only: there is no questionnaire {given.only}. There are 1 to {questionnaires}.")
    began, verdicts, too_few = time.time(), [], list[str]()
    for place in range(questionnaires) if given.only is None else [given.only - 1]:
        # What is asked must not depend on how many surveys are simulated.
        asking, rng = (np.random.default_rng([given.seed, place, stream]) for stream in (0, 1))
        for statement in statements_of(asking, place):
            if isinstance(statement, str):
                too_few.append(statement)
                continue
            verdicts.append(verdict_of(statement, rng, surveys, given.retuned))
        worst = max((abs(verdict.off) for verdict in verdicts), default=0.0)
        print(
            f"questionnaire {place + 1}: {len(verdicts)} statements so far, worst {100 * worst:.2f}, {time.time() - began:.0f} s",
            flush=True,
        )
    fine = passes(verdicts, surveys)
    print(f"{len(too_few)} statements are called too few (or no difference would be found). {time.time() - began:.0f} s.")
    print("Plans came true." if fine else "Plans did not come true.")
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
