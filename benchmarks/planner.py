"""Do plans come true? Random questionnaires are planned, 2,000 surveys of each are simulated, and what their intervals are is compared.

    python -m benchmarks.planner [--seed 20261117] [--questionnaires 20] [--surveys 2000] [--quick]

Margins: the mean half-length of the interval that `dn.Sample` gives (by the functions that it calls, on simulated counts of reports)
against the plan's, relative to it. Powers: how often the interval of the smallest difference that is to be found 8 times out of 10 excludes
0. Only what is worth 30 direct answers is promised; the rest must be called too few. Exit code 1 if a margin is off by more than 5%, a
power by more than 6 points, or more than 1% of the powers by over 3 points. Meant to take at most 40 minutes on one core; `--quick` under
a minute.

Behind noise the weights of simulated surveys are those for the expected reports; with --retuned N so many surveys are also estimated with
weights of their own, as `dn.Sample` does, and the two are printed side by side.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import deniable as dn
from deniable.core.intervals import at_least_direct
from deniable.planning.expected import ExpectedParts
from deniable.planning.outcomes import Outcome
from deniable.planning.precision import FEWEST, Wanted, smallest_difference
from deniable.planning.questions import Divided, has_mean, of_difference, of_everyone, of_group
from deniable.statistics.ratios import Squares, ratio
from deniable.statistics.weighted import Weighted
from deniable.survey.levels import channel_for

SEED = 20_261_117
SHARES = (0.02, 0.1, 0.2, 0.5)
MARGIN_OFF, POWER_OFF, POWER_SELDOM_OFF, SELDOM = 0.05, 0.06, 0.03, 0.01
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
    members: bool
    """Whether it is a share in a group or of everyone, whose interval is also quickly had from counts."""


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
    """A question of one kind, hidden as questionnaires may hide it, weakly or strongly."""
    level = str(rng.choice(["strong", "standard", "light"]))
    silent = {"missing": "no answer"} if rng.random() < 0.7 else {}
    if kind == "boolean":
        return channel_for(dn.Nominal(["no", "yes"], **silent), level)
    if kind == "choice":
        labels = [f"choice {i}" for i in range(int(rng.integers(3, 13)))]
        return channel_for(dn.Nominal(labels, **silent), level)
    if kind == "rating":
        domain = dn.Ordinal([str(i) for i in range(1, int(rng.choice([5, 7, 10])) + 1)], missing="no answer")
        privacy: Any = level if rng.random() < 0.5 else {"design": "neighbours", "level": level}
        return channel_for(domain, privacy, ordered=True)
    if kind == "number":
        top = int(rng.choice([20, 60, 100]))
        noise = (
            dn.Laplace(round(top * float(rng.uniform(0.05, 0.4)), 1))
            if rng.random() < 0.5
            else dn.Normal(round(top * float(rng.uniform(0.05, 0.25)), 1))
        )
        return dn.Optional(dn.Additive(dn.Integer(0, top), noise, edges="clamp"), round(float(rng.uniform(0.6, 0.9)), 2))
    if kind == "crosswise":
        return dn.Crosswise(round(float(rng.uniform(0.1, 0.35)), 2))
    if kind == "unrelated":
        yes = round(float(rng.uniform(0.2, 0.6)), 2)
        return dn.UnrelatedQuestion(
            dn.Nominal(["no", "yes"]), round(float(rng.uniform(0.4, 0.8)), 2), {"no": 1 - yes, "yes": yes}
        )
    if kind == "bands":
        return dn.Retention(dn.Ordinal(["low", "middle", "high", "highest"], **silent), round(float(rng.uniform(0.3, 0.7)), 2))
    return dn.Identity(dn.Nominal(["no", "yes"], **silent))


KINDS = ("boolean", "choice", "rating", "number", "crosswise", "unrelated", "bands", "open")


def statements_of(rng: np.random.Generator, place: int) -> Iterator[Statement | str]:
    """The statements about one random questionnaire; of what is too little, its name."""
    answers = round(float(np.exp(rng.uniform(np.log(400), np.log(20_000)))))
    by = random_channel(rng, str(rng.choice(["boolean", "choice", "crosswise", "unrelated"]))) if rng.random() < 0.5 else None
    divided = Divided(round(float(rng.uniform(0.2, 0.6)), 2), by)
    for kind in [*rng.choice(KINDS, 3, replace=False), "boolean"]:
        channel = random_channel(rng, str(kind))
        name = f"{kind} ({type(channel).__name__}, odds {np.exp(min(channel.epsilon, 20)):.3g}), {answers} answers"
        where = f"a {'hidden' if by is not None else 'known'} group of {divided.share:.0%}"
        outcomes: list[tuple[str, str, Outcome]] = [
            ("margin", f"share of {share:.0%}", of_everyone(Wanted(share=share).of(channel), answers)) for share in SHARES
        ]
        share = float(rng.choice([0.1, 0.2, 0.5]))
        outcomes.append(
            ("margin", f"share of {share:.0%} in {where}", of_group(Wanted(share=share).of(channel), divided, answers))
        )
        wanted = Wanted(share=float(rng.choice([0.1, 0.2, 0.5])))
        if has_mean(channel.domain):
            outcomes.append(("margin", "mean", of_everyone(Wanted("mean").of(channel), answers)))
            outcomes.append(("margin", f"mean in {where}", of_group(Wanted("mean").of(channel), divided, answers)))
            wanted = Wanted("mean") if rng.random() < 0.5 else wanted
        apart = smallest_difference(channel, wanted, divided, answers)
        if apart is None:
            yield f"{name}: difference"
        else:
            what = f"difference of {wanted.what} {wanted.share:.0%} with {where}"
            outcomes.append(("power", what, of_difference(wanted.of(channel), divided, answers, apart)))
        for kind_of, what, outcome in outcomes:
            # What is worth too little for a difference was called so when it was looked for, as if there were none.
            if kind_of == "margin" and outcome.worth < FEWEST:
                yield f"{name}: {what}"
                continue
            says = outcome.power if kind_of == "power" else outcome.margin
            yield Statement(place, f"{name}: {what}", kind_of, outcome, says, what.startswith("share"))


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


def judged(statement: Statement, rng: np.random.Generator, surveys: int) -> Verdict:
    """A statement beside what the intervals of simulated surveys are."""
    outcome = statement.outcome
    assert outcome._sums is not None
    expected = outcome._sums.n
    drawn = rng.multinomial(round(expected.sum()), expected / expected.sum(), size=surveys).astype(np.float64)
    found = np.empty(surveys)
    for i, counts in enumerate(drawn):
        ends = None if statement.kind == "power" else quick_interval(outcome, counts)
        if ends is None or i < SAME:
            real = outcome._interval(counts)
            assert ends is None or np.allclose(ends, real, atol=1e-9), (statement.question, ends, real)
            ends = real
        low, high = ends
        found[i] = (low > 0 or high < 0) if statement.kind == "power" else (high - low) / 2
    return Verdict(statement, float(found.mean()), float(found.std() / surveys**0.5))


def retuned(statement: Statement, rng: np.random.Generator, surveys: int) -> tuple[float, float]:
    """Mean half-lengths of the same surveys with weights for what is expected, and with weights of their own."""
    outcome = statement.outcome
    assert outcome._sums is not None
    expected, shape = outcome._sums.n, outcome._parts._expected.shape
    halves = []
    for counts in rng.multinomial(round(expected.sum()), expected / expected.sum(), size=surveys).astype(np.float64):
        low, high = outcome._interval(counts)
        own = Outcome.__new__(Outcome)
        own._question, own._answers = outcome._question, outcome._answers
        own._parts = ExpectedParts(outcome._parts.all[0][1], counts.reshape(shape) / counts.sum(), counts.sum())
        (own_low,), (own_high,) = own._question.estimate(own._given_expected).interval(0.95)
        halves.append(((high - low) / 2, (own_high - own_low) / 2))
    fixed, own_weights = np.mean(halves, axis=0)
    return float(fixed), float(own_weights)


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
        for verdict in sorted(of_kind, key=lambda each: -abs(each.off))[:6]:
            s = verdict.statement
            print(f"    {100 * verdict.off:+6.2f} {unit}  plan {s.says:.4f}, found {verdict.found:.4f} ± {verdict.noise:.4f}, worth "
                  f"{s.outcome.worth:.0f}  [{s.questionnaire}] {s.question}")  # fmt: skip
        if kind == "margin":
            # What chance does to few surveys is no fault of the plan: three standard errors more than 2,000 surveys have.
            spare = np.array([3 * each.noise / each.found * max(0.0, 1 - (surveys / 2_000) ** 0.5) for each in of_kind])
            fine &= bool((np.abs(off) <= MARGIN_OFF + spare).all())
        else:
            few = 3 * max(0.0, (0.16 / surveys) ** 0.5 - (0.16 / 2_000) ** 0.5)
            fine &= bool((np.abs(off) <= POWER_OFF + few).all() and (np.abs(off) > POWER_SELDOM_OFF + few).mean() <= SELDOM)
    return fine


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--questionnaires", type=int, default=20)
    parser.add_argument("--surveys", type=int, default=2_000)
    parser.add_argument("--retuned", type=int, default=0)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    questionnaires, surveys = (2, 400) if given.quick else (given.questionnaires, given.surveys)
    began, verdicts, too_few = time.time(), [], list[str]()
    for place in range(questionnaires):
        # What is asked must not depend on how many surveys are simulated.
        asking, rng = (np.random.default_rng([given.seed, place, stream]) for stream in (0, 1))
        for statement in statements_of(asking, place):
            if isinstance(statement, str):
                too_few.append(statement)
                continue
            verdicts.append(judged(statement, rng, surveys))
            biased = statement.outcome.expected.bias is not None and statement.kind == "margin"
            if biased and given.retuned:
                fixed, own = retuned(statement, rng, given.retuned)
                print(
                    f"  own weights: {own:.4f}, weights for what is expected: {fixed:.4f}, plan {statement.says:.4f}  {statement.question}"
                )
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
