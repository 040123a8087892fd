"""`dn.Sample`: questions to data in which every single answer may be false."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deniable.core import bins as binning
from deniable.core.additive import Additive
from deniable.core.designs import Identity
from deniable.core.estimate import Estimate
from deniable.core.exact import Floats
from deniable.core.schema import Schema
from deniable.core.tables import CellTable, binned_axis
from deniable.engines.count import cell_table
from deniable.errors import NoIntervalError, ParameterError, SchemaError
from deniable.reconstruction.reconstruct import reconstruct
from deniable.statistics.candidates import Candidates, column_values
from deniable.statistics.conditions import All, AnyOf, Compare, Condition, as_condition
from deniable.statistics.functions import ONE, Function, factor, indicator
from deniable.statistics.iterative import choose_iteratively
from deniable.statistics.joint import JointTruth
from deniable.statistics.weighted import Weighted, check_group, estimate_of

METHODS = ("joint", "em", "iterative")
BEHIND_NOISE = (
    "under noise truths are taken as uniform inside bins, which biases it; its variability band says how much it varies."
)
FEW_VALUES = 60
"""Up to so many values noise is undone exactly; beyond, unbiased weights vary so much that bins are better."""


class Sample:
    """Randomised data and the schema it was randomised under; several (data, schema) parts are taken together. `weights` names an
    attribute, declared `Identity`, that says how many people of the population each respondent stands for.

    >>> import deniable as dn, numpy as np
    >>> schema = dn.datasets.town_schema()
    >>> rng = np.random.default_rng(4)
    >>> sample = dn.Sample(schema.randomise(dn.datasets.town(20_000, rng), rng), schema)
    >>> women_under_30 = sample.count("sex == 'F' and age < 30")
    >>> 1_000 < float(women_under_30.value[0]) < 2_500
    True
    """

    def __init__(self, data: Any, schema: Schema | None = None, weights: str | None = None) -> None:
        several = schema is None and isinstance(data, Sequence) and not isinstance(data, str)
        parts: list[Any] = list(data) if several else [(data, schema)]
        for part in parts:
            if not isinstance(part, tuple) or len(part) != 2 or not isinstance(part[1], Schema):
                raise ParameterError(
                    "sample_parts", "Sample takes (data, schema) or a list of such pairs, got {got!r}.", got=type(part).__name__
                )
        if not parts:
            raise ParameterError("sample_parts", "Sample needs at least one (data, schema) pair.")
        self.parts: list[tuple[Any, Schema]] = parts
        self.schema = self.parts[0][1]
        self.weights = weights
        self._check_versions()
        self._check_weights()

    def _check_weights(self) -> None:
        for _, schema in self.parts:
            if self.weights is not None and not (
                self.weights in schema and isinstance(schema[self.weights], Identity) and schema[self.weights].exact
            ):
                raise SchemaError(
                    "survey_weights",
                    "Survey weights must be an attribute {name!r} of the schema that is not hidden: "
                    "dn.Identity(dn.Continuous(low, high, step)).",
                    name=self.weights,
                )

    def _check_versions(self) -> None:
        for _, other in self.parts[1:]:
            shared = [name for name in self.schema if name in other]
            different = [name for name in shared if self.schema[name].inputs != other[name].inputs]
            if different or not shared:
                raise SchemaError(
                    "versions_differ",
                    "Versions of a survey may hide answers differently, but the answers must be the same; {got} differ.",
                    got=different or "all attributes",
                )

    def update(self, data: Any, schema: Schema | None = None) -> Sample:
        """A sample with more answers, under the same or another version of the schema; earlier ones are not touched."""
        return Sample([*self.parts, (data, schema or self.schema)], weights=self.weights)

    def _weighted(self, functions: Sequence[Function]) -> Weighted:
        names = list(dict.fromkeys(name for function in functions for name in function.attributes))
        if self.weights is not None:
            names = list(dict.fromkeys([*names, self.weights]))
        values, counts, stands_for = [], [], []
        for data, schema in self.parts:
            table = cell_table(data, schema, names)
            codes = {name: table.cells[:, d] for d, name in enumerate(names)}
            values.append([np.broadcast_to(function.weights(schema, codes), len(table.n)) for function in functions])
            counts.append(table.n.astype(np.float64))
            own = np.ones(len(table.n)) if self.weights is None else schema[self.weights].domain.numbers()[codes[self.weights]]
            stands_for.append(own)
        weighted = Weighted(
            np.concatenate([np.array(part) for part in values], axis=1), np.concatenate(counts), np.concatenate(stands_for)
        )
        if weighted.rows == 0:
            raise ParameterError("no_rows", "The data has no rows.")
        return weighted

    def _target(self, given: str | None, default: str) -> str:
        if self.weights is None:
            return given or default
        if given == "respondents":
            raise ParameterError(
                "weighted_target", "Survey weights speak of the population; target='respondents' makes no sense with them."
            )
        return "population"

    def _condition(self, given: Any) -> Condition | None:
        condition = as_condition(given)
        if condition is not None:
            condition.check(self.schema)
            if not indicator(condition, self.schema).terms:
                raise ParameterError(
                    "empty_condition", "Nobody can meet the condition {got}: no value does.", got=str(condition)
                )
        return condition

    def count(self, where: Any = None, target: str | None = None, method: str = "joint") -> Estimate:
        """How many meet a condition. By default of these respondents; target="population" for the sampling error too.

        method="joint" is unbiased: products of block weights. A condition on an attribute hidden by noise on many values uses
        "em" instead, maximum likelihood on the joint table over bins, and says so. "iterative" is Figure 3 of paper 000, biased.

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)})
        >>> dn.Sample(pd.DataFrame({"a": [1] * 40 + [0] * 60}), schema).count("a == 1").value.round(6).tolist()
        [30.0]
        """
        if method not in METHODS:
            raise ParameterError("method", "method must be one of {allowed}, got {got!r}.", allowed=list(METHODS), got=method)
        target = self._target(target, "respondents")
        condition = self._condition(where)
        if method == "iterative" and condition is not None:
            return self._iterative_count(condition, target)
        if condition is not None and (method == "em" or self._hidden_by_noise(condition)):
            return self._likelihood_count(condition, target)
        weighted = self._weighted([indicator(condition, self.schema)])
        total = weighted.totals()
        errors = weighted.errors(weighted.values, np.diag(total), target)
        return estimate_of(total, errors, ["count"], weighted, target, str(condition or "everyone"), (0.0, weighted.people))

    def _hidden_by_noise(self, condition: Condition) -> bool:
        return self._noisy(condition.attributes())

    def _noisy(self, names: Sequence[str]) -> bool:
        return any(
            isinstance(schema[name], Additive) and not schema[name].lumpable and schema[name].domain.size > FEW_VALUES
            for _, schema in self.parts
            for name in names
            if name in schema
        )

    def _likelihood_distribution(self, name: str, condition: Condition | None, bins: Any, target: str) -> Estimate:
        """Where noise hides the attribute or the condition: reconstruction, or maximum likelihood on the joint table over bins."""
        data, schema = self._only_part("a distribution behind noise")
        if condition is None:
            table = cell_table(data, schema, [name])
            if bins is not None:
                binned = schema[name].binned(bins)
                table = CellTable([binned_axis(name, binned)], binned.reported_codes(table.cells[:, 0]), table.n)
            return reconstruct(table, schema[name], target=target)
        labels, masks = self._cells(name, bins)
        domain = schema[name].domain
        parts = [Compare(name, "in", tuple(domain.labels[i] for i in np.flatnonzero(mask))) for mask in masks]
        truth = JointTruth(All((condition, AnyOf(tuple(parts)))), schema)
        table = cell_table(data, schema, truth.names)
        codes = truth.codes({attribute: table.cells[:, d] for d, attribute in enumerate(truth.names)})
        observed = np.bincount(codes, weights=table.n, minlength=truth.law.outputs).astype(np.float64)
        inside = np.array([truth.cells_that_meet(All((condition, part))) for part in parts], dtype=np.float64)
        n = round(float(observed.sum()))

        def fit(counts: Floats) -> Floats:
            members: Floats = inside @ truth.fit(counts)
            members /= members.sum()
            return members

        shares = truth.fit(observed)

        def again(rng: np.random.Generator) -> Floats:
            expected = truth.law.push(shares)
            simulated: Floats = rng.multinomial(n, expected / expected.sum()).astype(np.float64)
            return fit(simulated)

        return Estimate(
            fit(observed), labels, n=n, method="em", target="population", name=f"{name} where {condition}",
            no_interval=BEHIND_NOISE, resample=again,
        )  # fmt: skip

    def _only_part(self, what: str) -> tuple[Any, Schema]:
        if len(self.parts) > 1:
            raise ParameterError(
                "several_parts", "{what} is for one part at a time; this sample has {got}.", what=what, got=len(self.parts)
            )
        return self.parts[0]

    def _likelihood_count(self, condition: Condition, target: str) -> Estimate:
        data, schema = self._only_part("method='em'")
        truth = JointTruth(condition, schema)
        table = cell_table(data, schema, truth.names)
        codes = truth.codes({name: table.cells[:, d] for d, name in enumerate(truth.names)})
        observed = np.bincount(codes, weights=table.n, minlength=truth.law.outputs).astype(np.float64)
        n = float(observed.sum())
        shares = truth.fit(observed)

        def again(rng: np.random.Generator) -> Floats:
            expected = truth.law.push(shares)
            simulated: Floats = rng.multinomial(round(n), expected / expected.sum()).astype(np.float64)
            return np.array([n * truth.fit(simulated) @ truth.meets])

        reason = "maximum likelihood is biased where shares are near 0; its variability band says how much it varies."
        if not truth.exact:
            reason = BEHIND_NOISE
        return Estimate(
            [n * shares @ truth.meets], ["count"], n=round(n), method="em", target=target, name=str(condition),
            limits=(0.0, n), no_interval=reason, resample=again,
        )  # fmt: skip

    def _iterative_count(self, condition: Condition, target: str) -> Estimate:
        data, schema = self._only_part("method='iterative'")
        columns = {name: column_values(data, name) for name in condition.attributes()}
        number, _ = choose_iteratively(columns, schema, condition)
        reason = "the iterative method chooses rows by their reports, and chosen rows are not the true members: it is biased."
        n = len(next(iter(columns.values())))
        return Estimate([number], ["count"], n=n, method="iterative", target=target, name=str(condition), no_interval=reason)

    def candidates(
        self, where: Any, size: int | None = None, method: str = "joint", rng: np.random.Generator | None = None
    ) -> Candidates:
        """Rows that probably meet a condition, best first, with their probabilities and how many are expected to.

        The probability is Bayes' with the joint distribution estimated from all reports. method="iterative" gives the list of
        paper 000 instead: the rows it assigns, in order.
        """
        data, schema = self._only_part("candidates")
        condition = self._condition(where)
        if condition is None:
            raise ParameterError("no_condition", "candidates needs a condition.")
        names = condition.attributes()
        columns = {name: column_values(data, name) for name in names}
        n = len(columns[names[0]])
        truth = JointTruth(condition, schema, fine=True)
        codes = truth.codes({name: schema[name].reported.encode(columns[name], name) for name in truth.names})
        observed = np.bincount(codes, minlength=truth.law.outputs).astype(np.float64)
        probability = truth.posterior(truth.fit(observed))[codes]
        if method == "iterative":
            chosen = np.zeros(n)
            chosen[choose_iteratively(columns, schema, condition)[1]] = 1.0
            return Candidates(probability, size, rng, first=chosen)
        if method != "joint":
            raise ParameterError("method", "candidates: method must be 'joint' or 'iterative', got {got!r}.", got=method)
        return Candidates(probability, size, rng)

    def mean(self, name: str, where: Any = None, target: str = "population") -> Estimate:
        """The mean of a numeric attribute, of all or of those who meet a condition: a ratio of two unbiased sums."""
        target = self._target(target, "population")
        numbers = self._numbers(name)
        group = indicator(self._condition(where), self.schema)
        value = factor(name, numbers)
        weighted = self._weighted([value * group, group, value * value * group])
        above, below, squared = weighted.totals()
        check_group(below, weighted.people, f"mean of {name}", where)
        mean = above / below
        residual = (weighted.values[0] - mean * weighted.values[1])[None, :] / below
        known = np.array([[squared - 2 * mean * above + mean**2 * below]]) / below**2
        errors = weighted.errors(residual, known, target)
        title = f"mean of {name}" + (f" where {as_condition(where)}" if where is not None else "")
        return estimate_of([mean], errors, [name], weighted, target, title, (float(numbers.min()), float(numbers.max())))

    def distribution(
        self, name: str, where: Any = None, by: str | None = None, bins: Any = None, target: str = "population"
    ) -> Estimate:
        """Shares of the labels (or bins) of an attribute, among all or among those who meet a condition; `by` gives one
        distribution for each label of another attribute, labelled (label of by, label)."""
        target = self._target(target, "population")
        condition = self._condition(where)
        if by is None and (self._noisy([name]) or (condition is not None and self._hidden_by_noise(condition))):
            return self._likelihood_distribution(name, condition, bins, target)
        base = indicator(condition, self.schema)
        labels, masks = self._cells(name, bins)
        groups: list[tuple[Any, Function]] = [((), base)]
        if by is not None:
            by_labels, by_masks = self._cells(by, None)
            groups = [((label,), base * factor(by, mask)) for label, mask in zip(by_labels, by_masks, strict=True)]
        functions = [function for _, group in groups for function in (*(group * factor(name, mask) for mask in masks), group)]
        weighted = self._weighted(functions)
        totals = weighted.totals()
        values, residuals, names = [], [], []
        known = np.zeros((len(groups) * len(masks),) * 2)
        for g, (prefix, _) in enumerate(groups):
            first = g * (len(masks) + 1)
            inside, whole = slice(first, first + len(masks)), first + len(masks)
            check_group(
                totals[whole], weighted.people, f"distribution of {name}", where if by is None else f"{by} == {prefix[0]!r}"
            )
            shares = totals[inside] / totals[whole]
            values.append(shares)
            residuals.append((weighted.values[inside] - shares[:, None] * weighted.values[whole]) / totals[whole])
            rows = slice(g * len(masks), (g + 1) * len(masks))
            known[rows, rows] = (np.diag(shares) - np.outer(shares, shares)) / totals[whole]
            names += [(*prefix, label) if prefix else label for label in labels]
        errors = weighted.errors(np.vstack(residuals), known, target)
        title = f"{name}" + (f" where {condition}" if condition is not None else "")
        return estimate_of(np.concatenate(values), errors, names, weighted, target, title, (0.0, 1.0))

    def crosstab(self, a: str, b: str, target: str = "population", bins: dict[str, Any] | None = None) -> Estimate:
        """The joint shares of two attributes, labelled (label of a, label of b)."""
        target = self._target(target, "population")
        first, first_masks = self._cells(a, (bins or {}).get(a))
        second, second_masks = self._cells(b, (bins or {}).get(b))
        functions = [factor(a, p) * factor(b, q) for p in first_masks for q in second_masks]
        weighted = self._weighted(functions)
        shares = weighted.totals() / weighted.people
        errors = weighted.errors(weighted.per_person(weighted.values), np.diag(shares) / weighted.people, target)
        labels = [(x, y) for x in first for y in second]
        return estimate_of(shares, errors, labels, weighted, target, f"{a} by {b}", (0.0, 1.0))

    def difference(self, first: Any, second: Any, of: str | None = None, target: str = "population") -> Estimate:
        """How much the share of those who meet `first` exceeds that of `second`; with `of`, how much their means of it differ.

        The two are estimated from the same reports, and their covariance is taken into account. `.verdict` says whether the
        difference can be told from 0.
        """
        target = self._target(target, "population")
        groups = [indicator(self._condition(given), self.schema) for given in (first, second)]
        if of is None:
            both = groups[0] * groups[1]
            weighted = self._weighted([*groups, both])
            a, b, shared = weighted.totals()
            residual = weighted.per_person((weighted.values[0] - weighted.values[1])[None, :])
            known = np.array([[a + b - 2 * shared]]) / weighted.people**2
            value, title = (
                (a - b) / weighted.people,
                f"share of ({as_condition(first)}) minus share of ({as_condition(second)})",
            )
        else:
            numbers = factor(of, self._numbers(of))
            x, y = groups
            functions = [numbers * x, x, numbers * y, y, numbers * numbers * x, numbers * numbers * y]
            functions += [numbers * numbers * x * y, numbers * x * y, x * y]
            weighted = self._weighted(functions)
            sx, nx, sy, ny, qx, qy, qxy, sxy, nxy = weighted.totals()
            check_group(nx, weighted.people, f"mean of {of}", first)
            check_group(ny, weighted.people, f"mean of {of}", second)
            mx, my = sx / nx, sy / ny
            w = weighted.values
            residual = ((w[0] - mx * w[1]) / nx - (w[2] - my * w[3]) / ny)[None, :]
            cross = qxy - (mx + my) * sxy + mx * my * nxy
            known = np.array(
                [[(qx - 2 * mx * sx + mx**2 * nx) / nx**2 + (qy - 2 * my * sy + my**2 * ny) / ny**2 - 2 * cross / (nx * ny)]]
            )
            value, title = mx - my, f"mean of {of}: ({as_condition(first)}) minus ({as_condition(second)})"
        errors = weighted.errors(residual, known, target)
        return estimate_of([value], errors, ["difference"], weighted, target, title, None)

    def covariance(self, a: str, b: str, target: str = "population") -> Estimate:
        """The covariance of two numeric attributes, from debiased moments."""
        target = self._target(target, "population")
        x, y = factor(a, self._numbers(a)), factor(b, self._numbers(b))
        moments = [x * y, x, y, x * x, y * y, x * x * y, x * y * y, x * x * y * y]
        weighted = self._weighted(moments)
        n = weighted.people
        xy, mx, my, xx, yy, xxy, xyy, xxyy = weighted.totals() / n
        w = weighted.values
        residual = weighted.per_person((w[0] - my * w[1] - mx * w[2])[None, :])
        square = xxyy + my**2 * xx + mx**2 * yy - 2 * my * xxy - 2 * mx * xyy + 2 * mx * my * xy
        errors = weighted.errors(residual, np.array([[square]]) / n, target)
        return estimate_of([xy - mx * my], errors, ["covariance"], weighted, target, f"covariance of {a} and {b}", None)

    def correlation(self, a: str, b: str) -> Estimate:
        """The correlation of two numeric attributes, from debiased moments; error bars are for the population.

        The ratio cov / sqrt(var var) is linearised at the estimate: each report counts with its influence on it.
        """
        x, y = factor(a, self._numbers(a)), factor(b, self._numbers(b))
        weighted = self._weighted([x, y, x * x, y * y, x * y])
        n, w = weighted.people, weighted.values
        mx, my, xx, yy, xy = weighted.totals() / n
        vx, vy, c = xx - mx**2, yy - my**2, xy - mx * my
        if vx <= 0 or vy <= 0:
            raise NoIntervalError(
                "no_variance", "The variance of {name!r} is estimated at {got:.3g}: too few answers for so much noise.",
                name=a if vx <= 0 else b, got=min(vx, vy),
            )  # fmt: skip
        value = c / np.sqrt(vx * vy)
        both = w[4] - my * w[0] - mx * w[1] + mx * my - c
        spread_x, spread_y = w[2] - 2 * mx * w[0] + mx**2 - vx, w[3] - 2 * my * w[1] + my**2 - vy
        influence = both / np.sqrt(vx * vy) - value / 2 * (spread_x / vx + spread_y / vy)
        variance = ((influence * weighted.stands_for) ** 2) @ weighted.n / n**2
        return Estimate(
            [value], ["correlation"], n=round(weighted.rows), method="joint", target="population", covariance=[[variance]],
            name=f"correlation of {a} and {b}", limits=(-1.0, 1.0),
        )  # fmt: skip

    def regression(self, y: str, on: Sequence[str], where: Any = None) -> Estimate:
        """Least squares of one numeric attribute on others, from debiased moments: labels are "intercept" and the attributes.

        Error bars are for the population (the moments' own randomness included: a sandwich of debiased sums).
        """
        if not on or y in on:
            raise ParameterError(
                "regression_on", "regression needs other attributes to regress {y!r} on, got {got}.", y=y, got=list(on)
            )
        group = indicator(self._condition(where), self.schema)
        inputs = [group, *(factor(name, self._numbers(name)) * group for name in on)]
        columns = [ONE, *(factor(name, self._numbers(name)) for name in on)]
        outcome = factor(y, self._numbers(y))
        k = len(columns)
        pairs = [(i, j) for i in range(k) for j in range(i, k)]
        weighted = self._weighted([*(inputs[i] * columns[j] for i, j in pairs), *(row * outcome for row in inputs)])
        w, totals = weighted.values, weighted.totals()
        check_group(totals[0], weighted.people, "regression", where)
        left = np.zeros((k, k, w.shape[1]))
        for place, (i, j) in enumerate(pairs):
            left[i, j] = left[j, i] = w[place]
        right = w[len(pairs) :]
        matrix = left @ (weighted.n * weighted.stands_for)
        if np.linalg.eigvalsh(matrix).min() <= 0:
            raise NoIntervalError(
                "regression_singular",
                "The estimated moments of {on} are no longer those of any data: too few answers for so much noise. Use fewer attributes.",
                on=list(on),
            )
        inverse = np.linalg.inv(matrix)
        slopes = inverse @ totals[len(pairs) :]
        residuals = inverse @ (right - np.einsum("ijm,j->im", left, slopes))
        each = residuals * weighted.stands_for
        second = (each * weighted.n) @ each.T
        title = f"{y} on {', '.join(on)}" + (f" where {as_condition(where)}" if where is not None else "")
        return Estimate(
            slopes, ["intercept", *on], n=round(weighted.rows), method="joint", target="population", covariance=second,
            name=title, limits=None,
        )  # fmt: skip

    def quantile(self, name: str, q: float = 0.5, where: Any = None, target: str = "population") -> Estimate:
        """The value that a share q of the people (all, or those who meet a condition) does not exceed.

        The estimated distribution function is made rising; its error at the quantile, read off along the values (Woodruff), is the
        standard error.
        """
        target = self._target(target, "population")
        if not 0 < q < 1:
            raise ParameterError("quantile_q", "q must lie between 0 and 1, got {got}.", got=q)
        numbers = self._numbers(name)
        step = max(1, len(numbers) // 200)
        ends = np.arange(step - 1, len(numbers) - 1, step)
        group = indicator(self._condition(where), self.schema)
        below = [factor(name, (np.arange(len(numbers)) <= end).astype(np.float64)) * group for end in ends]
        weighted = self._weighted([*below, group])
        totals = weighted.totals()
        check_group(totals[-1], weighted.people, f"quantile of {name}", where)
        shares = totals[:-1] / totals[-1]
        residuals = (weighted.values[:-1] - shares[:, None] * weighted.values[-1]) / totals[-1]
        known = np.diag(np.clip(shares * (1 - shares), 0, None) / totals[-1])
        spread = np.sqrt(np.maximum(np.diag(weighted.errors(residuals, known, target)[0]), 0.0))
        rising = np.maximum.accumulate(np.clip(np.append(shares, 1.0), 0.0, 1.0))
        values = numbers[np.append(ends, len(numbers) - 1)]

        def at(share: float) -> float:
            return float(values[np.searchsorted(rising, share)]) if share < 1 else float(values[-1])

        here = min(int(np.searchsorted(rising, q)), len(spread) - 1)
        se = (at(min(q + spread[here], 1.0)) - at(max(q - spread[here], 0.0))) / 2
        title = f"quantile {q:g} of {name}" + (f" where {as_condition(where)}" if where is not None else "")
        limits = (float(numbers[0]), float(numbers[-1]))
        return Estimate(
            [at(q)],
            [name],
            n=round(weighted.rows),
            method="joint",
            target=target,
            covariance=[[se**2]],
            name=title,
            limits=limits,
        )

    def _numbers(self, name: str) -> Floats:
        if name not in self.schema:
            raise ParameterError(
                "unknown_attribute", "There is no attribute {got!r}; there are {allowed}.", got=name, allowed=list(self.schema)
            )
        return self.schema[name].domain.numbers()

    def _cells(self, name: str, bins: Any) -> tuple[list[Any], list[Floats]]:
        if name not in self.schema:
            raise ParameterError(
                "unknown_attribute", "There is no attribute {got!r}; there are {allowed}.", got=name, allowed=list(self.schema)
            )
        domain = self.schema[name].domain
        if bins is None:
            if domain.size > 200:
                raise ParameterError("too_many_labels", "{name!r} has {k:,} values; give bins.", name=name, k=domain.size)
            return list(domain.labels), list(np.eye(domain.size))
        cells = binning.true_bins(domain, bins)
        index = cells.index(domain.numbers())
        return list(cells.labels), [(index == i).astype(np.float64) for i in range(len(cells))]
