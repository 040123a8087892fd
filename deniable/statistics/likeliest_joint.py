"""Maximum likelihood on the joint table of reports: any statistic of the fitted distribution, with a variability band.

Used where unbiased weights vary too much (conditions on noise) and where it is asked for. Parts of a sample that were hidden by
different versions of a schema are fitted together: their log-likelihoods add up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from deniable.core.channels.operators import Operator
from deniable.core.domains.exact import Floats
from deniable.core.estimate import Estimate
from deniable.core.schema import Schema
from deniable.engines.count import cell_table
from deniable.errors import ParameterError
from deniable.reconstruction.assign import target_counts
from deniable.reconstruction.em import em
from deniable.statistics.conditions import Condition
from deniable.statistics.joint import NOTHING, JointTruth

BEHIND_NOISE = "truths are taken as uniform inside bins, which biases it; its variability band says how much it varies."
AT_THE_BORDER = "maximum likelihood is biased where shares are near 0; its variability band says how much it varies."


MOST_AGAIN = 300
"""Behind noise the last digits of a fit take thousands of steps; for how much fits vary these are enough."""


class Stacked(Operator):
    """Reports of several versions side by side: version i is used by a known share of the people."""

    def __init__(self, laws: Sequence[Operator], shares: Sequence[float]) -> None:
        self.laws = laws
        self.shares = shares
        self.inputs = laws[0].inputs
        self.outputs = sum(law.outputs for law in laws)

    def dense(self) -> Floats:
        return np.hstack([share * law.dense() for law, share in zip(self.laws, self.shares, strict=True)])

    def push(self, p: Floats) -> Floats:
        return np.concatenate([share * law.push(p) for law, share in zip(self.laws, self.shares, strict=True)])

    def pull(self, v: Floats) -> Floats:
        total = np.zeros(self.inputs)
        start = 0
        for law, share in zip(self.laws, self.shares, strict=True):
            total += share * law.pull(v[start : start + law.outputs])
            start += law.outputs
        return total


class LikeliestJoint:
    """The joint distribution of truths, merged to what the conditions tell apart, that makes the reports most likely.

    `fine` names attributes whose values matter beyond the conditions, and in how many bins they are kept apart. `weights` names the
    attribute that says how many people a respondent stands for: the likelihood is then weighted, and the band is that of as many equally
    weighted answers as these are worth (Kish).
    """

    def __init__(
        self,
        parts: Sequence[tuple[Any, Schema]],
        conditions: Sequence[Condition],
        fine: Mapping[str, int] = NOTHING,
        weights: str | None = None,
    ) -> None:
        self.truths = truths = [JointTruth(schema, conditions, fine) for _, schema in parts]
        self.truth = truths[0]
        if any(not truth.same_atoms(self.truth) for truth in truths[1:]):
            raise ParameterError(
                "versions_not_joined",
                "Versions that hide {names} by designs of different kinds cannot be fitted together; ask each part alone.",
                names=self.truth.names,
            )
        people, squared, observed, sizes = 0.0, 0.0, [], []
        for (data, schema), truth in zip(parts, truths, strict=True):
            names = list(dict.fromkeys([*truth.names, *([weights] if weights else [])]))
            table = cell_table(data, schema, names)
            codes = {name: table.cells[:, d] for d, name in enumerate(names)}
            each = np.ones(len(table.n)) if weights is None else schema[weights].domain.numbers()[codes[weights]]
            observed.append(np.bincount(truth.codes(codes), weights=table.n * each, minlength=truth.law.outputs))
            sizes.append(int(table.n.sum()))
            people += float(table.n @ each)
            squared += float(table.n @ each**2)
        self.people = people
        self.rows = sum(sizes)
        if not people:
            raise ParameterError("no_rows", "The data has no rows.")
        self._alike = round(people**2 / squared)
        self._sizes = [counts.sum() / people for counts in observed]
        self._rows = sizes
        self.counts = observed
        self._laws = [truth.law for truth in truths]
        self.law: Operator = self.truth.law if len(parts) == 1 else Stacked(self._laws, self._sizes)
        self.shares = self._fit(np.concatenate(observed).astype(np.float64))

    def fit(self, counts: Floats, start: Floats) -> Floats:
        """The shares that make other counts of joint reports most likely."""
        return self._fit(counts, 1e-6, start)

    def _fit(self, counts: Floats, tolerance: float = 1e-7, start: Floats | None = None, most: int = 20_000) -> Floats:
        return em(self.law, counts, tolerance, max_evaluations=most, start=start).shares

    def estimate(
        self,
        statistic: Callable[[Floats], Any],
        labels: Sequence[Any],
        title: str,
        target: str,
        limits: tuple[float, float] | None,
        of: str | None = None,
    ) -> Estimate:
        """A statistic of the shares of the joint atoms; its band comes from reports simulated under the fit. `of` names the
        attribute whose values it is about, if it is."""
        exact = self.truth.exact and (of is None or self.truth.apart(of))
        expected = self.law.push(self.shares)
        people = [target_counts(self.shares, size) for size in self._rows]
        # Simulated reports differ little from the real ones: their fit starts near. A tenth of a unit of the log-likelihood is well
        # inside what the population cannot be told apart by; of the respondents more may be known, up to everything.
        near = 0.9 * self.shares + 0.1 / self.law.inputs
        enough = 0.1 / self._alike if target == "population" else 1e-7

        def once_more(rng: np.random.Generator) -> Floats:
            if target == "respondents":
                # The people are fixed and only the randomisation is drawn anew.
                drawn = [law.draw(of_part, rng) for law, of_part in zip(self._laws, people, strict=True)]
                simulated = np.concatenate(drawn).astype(np.float64)
            else:
                simulated = rng.multinomial(self._alike, expected / expected.sum()).astype(np.float64)
            return np.asarray(statistic(self._fit(simulated, enough, near, MOST_AGAIN)), dtype=np.float64)

        def again(rng: np.random.Generator, draws: int) -> Floats:
            return np.array([once_more(rng) for _ in range(draws)])

        return Estimate(
            statistic(self.shares), labels, n=self.rows, method="em", target=target, name=title, limits=limits,
            no_interval=AT_THE_BORDER if exact else BEHIND_NOISE, resample=again,
        )  # fmt: skip
