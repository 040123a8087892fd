"""`dn.Sample`: questions to data in which every single answer may be false."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.channels.designs import Identity
from deniable.core.domains import bins as binning
from deniable.core.domains.exact import Floats
from deniable.core.domains.missing import WithMissing
from deniable.core.estimate import Estimate
from deniable.core.schema import Schema
from deniable.errors import ParameterError
from deniable.statistics import likely, means, moments, sample_text, shares
from deniable.statistics.assumptions import repeats_assumptions
from deniable.statistics.candidates import Candidates
from deniable.statistics.condition_parser import as_condition
from deniable.statistics.condition_words import written_name, written_value
from deniable.statistics.conditions import All, Compare, Condition, bare, compared_groups
from deniable.statistics.counted import counted_parts
from deniable.statistics.dummies import check_references, dummies
from deniable.statistics.functions import ONE, Function, factor, indicator, open_codes
from deniable.statistics.given_parts import given_parts
from deniable.statistics.iterative import choose_iteratively, iterative_distribution, iterative_mean
from deniable.statistics.joint import FEW_VALUES, NOISE_BINS
from deniable.statistics.label_numbers import answered, counts_as, has_numbers, looks_like_numbers, numbers_of
from deniable.statistics.likelihood import Likelihood
from deniable.statistics.noisy_quantile import noisy_quantile
from deniable.statistics.parts import Most, Parts
from deniable.statistics.quantile import quantile, side_by_side
from deniable.statistics.remarks import only_labels, share_title
from deniable.statistics.rows import columns_of, kept_cells
from deniable.statistics.smoothed import SMOOTHED, Smoothed, SmoothedMeans, adds_noise, borders_of
from deniable.statistics.survey_weights import declared
from deniable.statistics.weighing import Sums, weigh

METHODS = ("joint", "em", "iterative")
MOST_LABELS = 200
"""Of more values than this a question needs bins."""
CHOSEN_ROWS = "the iterative method chooses rows by their reports, and chosen rows are not the true members: it is biased."


class Sample:
    """Randomised data and the schema it was randomised under; several (data, schema) parts are taken together.

    `weights` say how many people of the population each respondent stands for: real numbers in a column of the data (its name, also of
    files and databases), a series or array in the order of the rows, or an attribute that is declared `Identity`.

    Parts may hide the same answers differently. What is said of the respondents adds the parts up. What is said of the population takes
    the parts for samples of the same people and weighs them by precision, so that a part that says little does no harm; the estimate says
    so, with a test (`estimate.assumes`). `alike=False` adds the parts up instead. A question that only some parts ask is answered from
    those.

    Behind noise some truths look alike, and no weights tell them apart. Answers then have a largest bias (`estimate.bias`), which their
    intervals count. It is that over the truths in which no single value holds more than a share `most` of the people: five times an even
    share unless you say otherwise, for all attributes (0.06) or by name ({"age": 0.06}); 1 assumes nothing, and intervals are wide.

    >>> import deniable as dn, numpy as np
    >>> schema = dn.datasets.town_schema()
    >>> rng = np.random.default_rng(4)
    >>> sample = dn.Sample(schema.randomise(dn.datasets.town(20_000, rng), rng), schema)
    >>> women_under_30 = sample.count("sex == 'F' and age < 30")
    >>> 1_000 < float(women_under_30.value[0]) < 2_500
    True
    """

    def __init__(
        self, data: Any, schema: Schema | str | Path | None = None, weights: Any = None, alike: bool = True, most: Most = None
    ) -> None:
        self.parts: list[tuple[Any, Schema]] = given_parts(data, schema)
        self.schema = self.parts[0][1]
        self._given_weights = weights
        parts, weights = declared(self.parts, weights)
        self.weights: str | None = weights
        self.alike = alike
        self.most = most
        self._parts = Parts(parts, weights, alike, most)
        self._channels = self._parts.channels
        self._smooth: dict[tuple[str, tuple[int, ...]], Smoothed] = {}
        # The last fit: what is asked of the respondents is often asked of the population too.
        self._fitted: tuple[Any, Likelihood] | None = None

    def update(self, data: Any, schema: Schema | None = None) -> Sample:
        """A sample with more answers, under the same or another version of the schema; earlier ones are not touched."""
        more = [*self.parts, (data, schema or self.schema)]
        return Sample(more, weights=self._given_weights, alike=self.alike, most=self.most)

    def __repr__(self) -> str:
        return sample_text.text(self)

    def _repr_html_(self) -> str:
        return sample_text.page(self)

    def _sums(self, target: str) -> Sums:
        """How functions are summed over the people: for the population parts count by their precision, for the respondents all alike."""
        return lambda functions, gradient: weigh(self._parts, functions, gradient, target == "population")

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
            condition.check(self._channels)
            if not indicator(condition, self._channels).terms:
                raise ParameterError(
                    "empty_condition", "Nobody can meet the condition {got}: no value does.", got=str(condition)
                )
        return condition

    @repeats_assumptions
    def count(self, where: Any = None, target: str | None = None, method: str = "joint") -> Estimate:
        """How many meet a condition. By default of these respondents; target="population" for the sampling error too.

        method="joint" is unbiased: products of block weights; behind noise the interval counts how far weights may be off, and the point
        is smoothed (docs/noise.md). "em" is maximum likelihood on the joint table over bins; "iterative" is Figure 3 of paper 000, biased.

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)})
        >>> dn.Sample(pd.DataFrame({"a": [1] * 40 + [0] * 60}), schema).count("a == 1").value.round(6).tolist()
        [30.0]
        """
        _check_method(method, METHODS)
        target = self._target(target, "respondents")
        condition = self._condition(where)
        if method == "iterative" and condition is not None:
            return self._iterative_count(condition, target)
        if method == "em" and condition is not None:
            return likely.count(self._likelihood([condition]), condition, target)
        function = indicator(condition, self._channels)
        found = shares.count(self._sums(target), function, "everyone" if condition is None else str(condition), target)
        return self._smoothly(found, [function], lambda means: found.n * means)

    def _smoothly(self, estimate: Estimate, functions: Sequence[Function], of: Callable[[Floats], Any]) -> Estimate:
        """The estimate with what follows from smoothed means of functions as its point, if noise hides one of their attributes."""
        means = self._smoothed_means(functions)
        value = None if means is None else np.asarray(of(means), dtype=np.float64)
        return estimate if value is None or not np.isfinite(value).all() else estimate.with_value(value, SMOOTHED)

    def _smoothed_means(self, functions: Sequence[Function]) -> Floats | None:
        """The smoothed means of functions of an attribute that noise hides, and of at most one other."""
        names = list(dict.fromkeys(name for function in functions for name in function.attributes))
        noisy = [name for name in names if self._hidden_by_noise(name)]
        if not noisy or len(names) > 2:
            return None
        name, others = noisy[0], [each for each in names if each != noisy[0]]
        parts = [factors[name] for function in functions for _, factors in function.terms if name in factors]
        smooth = self._smoothed(name, parts)
        assert smooth is not None
        if len(self._parts.asking(names)) != 1:
            return None
        shares = smooth.with_other(others[0]) if others else smooth.shares
        if shares is None:
            return None
        sizes = [(each, self._channels[each].domain.size) for each in (name, *others)]
        return np.array([float((shares * function.by_code(*sizes)).sum()) for function in functions])

    def _smooth_probabilities(self, condition: Condition, codes: Sequence[dict[str, Any]]) -> Floats | None:
        """How probably rows meet a condition on an attribute behind noise, and at most one other."""
        function = indicator(condition, self._channels)
        names = list(codes[0])
        noisy = [name for name in names if len(codes) == 1 and self._hidden_by_noise(name)]
        if not noisy or len(names) > 2:
            return None
        parts = [factors[noisy[0]] for _, factors in function.terms if noisy[0] in factors]
        smooth, order = self._smoothed(noisy[0], parts), [noisy[0], *(name for name in names if name != noisy[0])]
        assert smooth is not None
        meets = function.by_code(*((name, self._channels[name].domain.size) for name in order))
        return smooth.probabilities(meets, codes[0])

    def _hidden_by_noise(self, name: str) -> bool:
        """Whether noise hides an attribute that is asked in one part, whose people count alike."""
        asking = self._parts.asking([name])
        return len(asking) == 1 and self.weights is None and adds_noise(asking[0][1][name])

    def _smoothed(self, name: str, parts: Sequence[Floats] = ()) -> Smoothed | None:
        """The smoothed distribution of an attribute, if noise hides it: of one part, whose people count alike. `parts` are what is asked of
        its values."""
        if not self._hidden_by_noise(name):
            return None
        [(data, schema)] = self._parts.remembering([name])
        key = (name, borders_of(parts, schema[name]))
        if key not in self._smooth:
            self._smooth[key] = Smoothed(data, schema, *key)
        return self._smooth[key]

    def _likelihood(self, conditions: Sequence[Condition | None], fine: Sequence[str] = ()) -> Likelihood:
        given = [condition for condition in conditions if condition is not None]
        if not given and not fine:
            raise ParameterError("no_condition", "This question needs a condition.")
        key = (tuple(map(repr, given)), tuple(fine))
        if self._fitted is None or self._fitted[0] != key:
            names = [*fine, *(name for condition in given for name in condition.attributes())]
            finely = {name: self._fineness(name) for name in fine}
            self._fitted = (key, Likelihood(self._parts.remembering(names), given, finely, self.weights))
        return self._fitted[1]

    def _likely_means(self, name: str, conditions: Sequence[Condition | None]) -> Floats | None:
        """The likeliest means of an attribute in groups that one other attribute makes; None of everyone, and behind noise, where no
        likelihood is to be trusted."""
        names = list(
            dict.fromkeys(
                [name, *(each for condition in conditions if condition is not None for each in condition.attributes())]
            )
        )
        asking = self._parts.asking(names)
        if self.weights is not None or len(asking) != 1 or len(names) != 2:
            return None
        schema = asking[0][1]
        grouped = any(len(block.attributes) > 1 for block in schema.blocks if set(block.attributes) & set(names))
        if grouped or any(adds_noise(schema[each]) or not _kept_apart(schema[each]) for each in names):
            return None
        among = [self._among_answers(name, condition) for condition in conditions]
        return likely.means_in(self._likelihood(among, [name]), name, among)

    def _fineness(self, name: str) -> int:
        """In how many bins an attribute's values are kept apart: all of them where nothing hides them, few where noise does."""
        channels = [schema[name] for _, schema in self.parts if name in schema]
        if all(isinstance(channel, Identity) for channel in channels):
            return self._channels[name].domain.size
        return FEW_VALUES if all(channel.lumpable for channel in channels) else NOISE_BINS

    def _only_part(self, what: str, names: Sequence[str]) -> tuple[Any, Schema]:
        asking = self._parts.asking(names)
        if len(asking) > 1:
            raise ParameterError(
                "several_parts", "{what} is for one part at a time; {got} parts ask this.", what=what, got=len(asking)
            )
        return asking[0]

    def _columns(self, part: tuple[Any, Schema], names: Sequence[str], what: str) -> dict[str, Any]:
        """Rows one by one, as the published methods take them."""
        if self.weights is not None:
            raise ParameterError("weighted_rows", "{what} knows no survey weights.", what=what)
        return columns_of(*part, list(dict.fromkeys(names)))

    def _rows_of(self, names: Sequence[str]) -> tuple[dict[str, Any], Schema]:
        part = self._only_part("method='iterative'", names)
        return self._columns(part, names, "method='iterative'"), part[1]

    def _iterative_count(self, condition: Condition, target: str) -> Estimate:
        columns, schema = self._rows_of(condition.attributes())
        number, _ = choose_iteratively(columns, schema, condition)
        n = len(next(iter(columns.values())))
        return Estimate(
            [number],
            ["count"],
            n=n,
            method="iterative",
            target=target,
            name=str(condition),
            no_interval=CHOSEN_ROWS,
            limits=(0.0, float(n)),
        )

    def candidates(
        self,
        where: Any,
        size: int | None = None,
        method: str = "joint",
        rng: np.random.Generator | None = None,
        draw: str | None = None,
        keep: Sequence[str] = (),
    ) -> Candidates:
        """Rows that probably meet a condition, best first, with their probabilities and how many are expected to.

        The probability is Bayes' with the joint distribution estimated from all reports. method="iterative" gives the list of
        paper 000 instead: the rows it assigns, in order. Of a sample of several parts `parts` says which part each row is of. Rows are
        those of the reports, which are shuffled: whose they are only a column that was kept tells; `keep` names such columns (receipt
        codes), to be shown beside the rows. Equal rows are in the order of a draw of the operating system, which the result records
        (`draw`); given again, it gives the same list.

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.8)})
        >>> people = pd.DataFrame({"a": [1] * 30 + [0] * 70, "code": [f"C{i}" for i in range(100)]})
        >>> found = dn.Sample(people, schema).candidates("a == 1", size=10, keep=["code"])
        >>> len(found), found.cut, list(found.to_frame())
        (10, '10 of 30 rows with the same probability are listed, as drawn', ['row', 'code', 'probability'])
        """
        condition = self._condition(where)
        if condition is None:
            raise ParameterError("no_condition", "candidates needs a condition.")
        if method not in ("joint", "iterative"):
            raise ParameterError("method", "candidates: method must be 'joint' or 'iterative', got {got!r}.", got=method)
        names = condition.attributes()
        asking = self._parts.asking(names)
        if method == "iterative":
            self._only_part("method='iterative'", names)
        columns = [self._columns((data, schema), names, "candidates") for data, schema in asking]
        codes = [
            {name: schema[name].reported.encode(own[name], name) for name in own}
            for own, (_, schema) in zip(columns, asking, strict=True)
        ]
        smooth = self._smooth_probabilities(condition, codes)
        if smooth is not None:
            found = [smooth]
        else:
            fitted = Likelihood(asking, [condition], dict.fromkeys(names, NOISE_BINS))
            found = [
                truth.posterior(fitted.shares, condition)[truth.codes(own)]
                for own, truth in zip(codes, fitted.truths, strict=True)
            ]
        probability = np.concatenate(found)
        chosen = None
        if method == "iterative":
            chosen = np.zeros(len(probability))
            chosen[choose_iteratively(columns[0], asking[0][1], condition)[1]] = 1.0
        kept = {name: [cell for data, _ in asking for cell in kept_cells(data, name)] for name in keep}
        listed = Candidates(probability, size, rng, first=chosen, sizes=[len(part) for part in found], draw=draw, kept=kept)
        listed.warnings = tuple(self._parts.misfits(names))
        return listed

    @repeats_assumptions
    def mean(
        self, name: str, where: Any = None, target: str = "population", method: str = "joint", by: str | None = None,
        by_bins: Any = None,
    ) -> Estimate:  # fmt: skip
        """The mean of a numeric attribute, of all or of those who meet a condition: a ratio of two sums of weights. Labels in an order that
        are all numbers, as of a rating, have one too; of yes and no it is the share of yes. `by` gives one mean for each label of another
        attribute (or bin of it: `by_bins`), with the estimated sizes of these groups.

        The weights are unbiased, or of a bounded bias that the interval counts; within a group the value shown may be moved by up to one
        standard error toward the likeliest (docs/noise.md). method="em" is maximum likelihood on the
        joint table over bins, which varies less and is biased; "iterative" is the mean of the reports of the rows that Figure 3 of paper
        000 chooses, biased too.

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"age": dn.Additive(dn.Integer(20, 30), dn.Uniform(5))})
        >>> dn.Sample(pd.DataFrame({"age": [18, 24, 33]}), schema).mean("age").value.round(6).tolist()
        [25.0]
        >>> schema = dn.Schema({**schema, "town": dn.Identity(dn.Nominal(["north", "south"]))})
        >>> reports = pd.DataFrame({"age": [18, 24, 27, 33] * 5, "town": ["north", "north", "south", "south"] * 5})
        >>> found = dn.Sample(reports, schema).mean("age", by="town")
        >>> found.labels, found.value.round(6).tolist(), found.group_sizes.tolist()
        (('north', 'south'), [21.0, 30.0], [10.0, 10.0])
        """
        _check_method(method, METHODS if by is None else METHODS[:2])
        _check_one(by, "by")
        target = self._target(target, "population")
        numbers = self._numbers(name)
        condition = self._condition(where)
        groups = [means.Group(name, condition, condition)] if by is None else self._groups(name, by, by_bins, condition)
        title = f"mean of {name}" + (f" by {by}" if by else "")
        title += (f" where {condition}" if condition is not None else "") + self._among([name])
        limits = self._limits(name, numbers, condition)
        if method == "em":
            groups = [group._replace(condition=self._among_answers(name, group.condition)) for group in groups]
            fitted = self._likelihood([group.condition for group in groups], [name])
            found = likely.means(fitted, name, groups, title, target)
            found.by = by
            return self._saying([name], found)
        if method == "iterative":
            columns, schema = self._rows_of([name, *([] if condition is None else condition.attributes())])
            value, rows = iterative_mean(columns, schema, name, condition)
            found = Estimate(
                [value], [name], n=rows, method="iterative", target=target, name=title, no_interval=CHOSEN_ROWS, limits=None
            )
            return self._saying([name], found)
        conditions, has = [group.condition for group in groups], self._answered(name)
        inside = [indicator(group, self._channels) * has for group in conditions]
        # Each by itself: what is said of a group must not depend on which others are asked for.
        likeliest = [self._likely_means(name, [group]) for group in conditions]
        likely_means = (
            None if any(one is None for one in likeliest) else np.concatenate([one for one in likeliest if one is not None])
        )
        of, sums = (name, factor(name, numbers)), self._sums(target)
        wholes = [indicator(group, self._channels) for group in conditions]
        found = means.means(sums, of, groups, inside, title, target, limits, likely_means, wholes)
        found.by = by
        return self._saying([name], found)

    def _groups(self, name: str, by: str, bins: Any, condition: Condition | None) -> list[means.Group]:
        """The groups that the labels or bins of an attribute make of those who meet a condition."""
        if name == by:
            raise ParameterError(
                "same_attribute", "The mean of {name!r} by itself says nothing: name another attribute.", name=name
            )
        return [
            means.Group(label, part if condition is None else All((condition, part)), _is(by, label, bins is not None))
            for label, part in zip(*self._parts_of(by, bins), strict=True)
        ]

    @repeats_assumptions
    def distribution(
        self, name: str, where: Any = None, by: str | None = None, bins: Any = None, target: str = "population",
        method: str = "joint", by_bins: Any = None,
    ) -> Estimate:  # fmt: skip
        """Shares of the labels (or bins) of an attribute, among all or among those who meet a condition; `by` gives one
        distribution for each label of another attribute (or bin of it: `by_bins`), labelled (label of by, label).

        Behind noise the point is that of a smoothed distribution, and the interval counts how far weights may be off (docs/noise.md).
        method="em" is maximum likelihood on the joint table; "iterative" reconstructs from the reports of the rows that Figure 3 of paper
        000 chooses, biased.

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75), "b": dn.Identity(dn.Nominal(["m", "f"]))})
        >>> sample = dn.Sample(pd.DataFrame({"a": [1, 1, 0, 0], "b": ["m", "m", "m", "f"]}), schema)
        >>> sample.distribution("b", "a == 1").value.round(3).tolist()
        [0.897, 0.103]
        """
        _check_method(method, METHODS if by is None else METHODS[:2])
        _check_one(by, "by")
        target = self._target(target, "population")
        condition = self._condition(where)
        self._cells(name, bins)
        if method == "iterative":
            columns, schema = self._rows_of([name, *([] if condition is None else condition.attributes())])
            found = iterative_distribution(columns, schema, name, condition, bins)
            found.name = name + (f" where {condition}" if condition is not None else "")
            return _about(found, name)
        if method == "em":
            labels, parts = self._parts_of(name, bins)
            grouping = None if by is None else (by, *self._parts_of(by, by_bins))
            fitted = self._likelihood([condition, *parts, *(grouping[2] if grouping else [])])
            return _about(likely.distribution(fitted, (name, labels, parts), grouping, condition, target), by, name)
        base = indicator(condition, self._channels)
        labels, masks = self._cells(name, bins)
        groups: list[shares.Group] = [((), base, where)]
        if by is not None:
            groups = [
                ((label,), base * factor(by, mask), _is(by, label, by_bins is not None))
                for label, mask in zip(*self._cells(by, by_bins), strict=True)
            ]
        title = name + (f" by {by}" if by else "") + (f" where {condition}" if condition is not None else "")
        members = [factor(name, mask) for mask in masks]
        of, smoothed = (f"distribution of {name}", labels, members), self._smoothed_within(members, groups)
        return _about(shares.distribution(self._sums(target), of, groups, title, target, smoothed), by, name)

    def _smoothed_within(self, members: Sequence[Function], groups: Sequence[shares.Group]) -> SmoothedMeans | None:
        """What smoothing says of those who part each of some groups, if noise hides one of the attributes."""
        functions = [function for _, group, _ in groups for function in shares.within(members, group)]
        means = self._smoothed_means([*functions, *members])
        if means is None:
            return None
        [part] = counted_parts(self._parts, list(dict.fromkeys(each for f in [*functions, *members] for each in f.attributes)))
        return SmoothedMeans(means[: -len(members)], part.means_at_face_value(functions), means[-len(members) :])

    @repeats_assumptions
    def share(self, condition: Any, among: Any = None, target: str = "population", method: str = "joint") -> Estimate:
        """The share of those who meet a condition, of everyone or among those who meet another: sample.share("smokes == 'yes'",
        among="sex == 'F'").

        Like `distribution` it is a ratio of two sums of weights, and its interval counts that the size of the group is estimated too.
        method="em" is maximum likelihood on the joint table.

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75), "b": dn.Identity(dn.Nominal(["m", "f"]))})
        >>> sample = dn.Sample(pd.DataFrame({"a": [1] * 60 + [0] * 40, "b": ["m", "f"] * 50}), schema)
        >>> sample.share("a == 1", among="b == 'f'").value.round(6).tolist()
        [0.7]
        """
        _check_method(method, METHODS[:2])
        target = self._target(target, "population")
        asked, group = self._needed(condition, "share"), self._condition(among)
        title = share_title(asked, group)
        if method == "em":
            found = likely.share(self._likelihood([asked, group]), asked, group, title, target)
        else:
            members, inside = indicator(asked, self._channels), ((), indicator(group, self._channels), group)
            smoothed = self._smoothed_within([members, ONE - members], [inside])
            found = shares.share(self._sums(target), members, inside, title, target, smoothed)
        if group is None:
            found.group_sizes = None
        found.notes = (*found.notes, *self._silence([asked, group]))
        return found

    def _needed(self, given: Any, what: str) -> Condition:
        condition = self._condition(given)
        if condition is None:
            raise ParameterError("no_condition", "{what} needs a condition.", what=what)
        return condition

    def _silence(self, conditions: Sequence[Condition | None]) -> list[str]:
        """That silence counts, where a question of shares says nothing of it."""
        # Of the first condition, which is asked; the others say who is in a group, where those who are silent simply are not.
        asked, *_ = conditions
        parts = [part for condition in conditions if condition is not None for part in condition.comparisons()]
        missing = {part.name: self._channels[part.name].domain.missing for part in parts}
        mentioned = {
            part.name
            for part in parts
            for value in (part.value if isinstance(part.value, tuple) else (part.value,))
            if value == missing[part.name]
        }
        return [
            f"{label!r} to {name!r} counts as any other answer"
            for name, label in missing.items()
            if label is not None and name not in mentioned and asked is not None and name in asked.attributes()
        ]

    def _parts_of(self, name: str, bins: Any) -> tuple[list[Any], list[Condition]]:
        """The labels or bins of an attribute, and the condition to be of each."""
        labels, masks = self._cells(name, bins)
        own = self._channels[name].domain.labels
        return labels, [Compare(name, "in", tuple(own[i] for i in np.flatnonzero(mask))) for mask in masks]

    @repeats_assumptions
    def crosstab(
        self, a: str, b: str, target: str = "population", bins: dict[str, Any] | None = None, method: str = "joint",
        most_cells: int | None = 2_500,
    ) -> Estimate:  # fmt: skip
        """The joint shares of two attributes, labelled (label of a, label of b); `to_frame()` has a in rows and b in columns. method="em"
        is maximum likelihood on the joint table. Every two cells have a covariance, so a table of more than `most_cells` is
        refused: give bins, such as bins={"age": 10}, or raise it (None for no limit).

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75), "b": dn.Identity(dn.Nominal(["m", "f"]))})
        >>> dn.Sample(pd.DataFrame({"a": [1, 1, 0, 0], "b": ["m", "m", "m", "f"]}), schema).crosstab("a", "b").value.tolist()
        [0.125, 0.375, 0.625, -0.125]
        """
        _check_method(method, METHODS[:2])
        target = self._target(target, "population")
        if a == b:
            raise ParameterError("same_attribute", "crosstab needs two different attributes, got {got!r} twice.", got=a)
        first, first_masks = self._cells(a, (bins or {}).get(a))
        second, second_masks = self._cells(b, (bins or {}).get(b))
        if most_cells is not None and len(first) * len(second) > most_cells:
            raise ParameterError(
                "large_table",
                "{a!r} by {b!r} has {rows:,} x {columns:,} = {cells:,} cells, more than most_cells={most:,}: it takes long, and its "
                "covariances alone {room:.1f} GB. Give bins, such as bins={{{a!r}: 10}}, or most_cells={cells} if you want every cell.",
                a=a, b=b, rows=len(first), columns=len(second), cells=len(first) * len(second), most=most_cells,
                room=8 * (len(first) * len(second)) ** 2 / 1e9,
            )  # fmt: skip
        if method == "em":
            rows, columns = self._parts_of(a, (bins or {}).get(a)), self._parts_of(b, (bins or {}).get(b))
            fitted = self._likelihood([*rows[1], *columns[1]])
            return _about(_as_table(likely.crosstab(fitted, (a, *rows), (b, *columns), target), (a, first), (b, second)), a, b)
        functions = [factor(a, p) * factor(b, q) for p in first_masks for q in second_masks]
        labels = [(x, y) for x in first for y in second]
        found = shares.table(self._sums(target), functions, labels, f"{a} by {b}", target)
        rows_alone = [factor(a, mask) for mask in first_masks]
        found.row_people = lambda: shares.people_in(self._sums(target), rows_alone, functions[0])
        return _about(_as_table(self._smoothly(found, functions, lambda means: means), (a, first), (b, second)), a, b)

    @repeats_assumptions
    def difference(
        self, first: Any = None, second: Any = None, of: str | None = None, target: str = "population", method: str = "joint",
        between: tuple[Any, Any] | None = None,
    ) -> Estimate:  # fmt: skip
        """How much two shares differ, or the means of two groups.

        `difference(condition, between=(a, b))` is the share of those who meet the condition among the group a, minus that among b.
        `difference(a, b, of="salary")` is the mean in the group a minus that in b. `difference(a, b)` is the share of *everyone* who
        meets a, minus the share of everyone who meets b: it says which of the two are more people, and nothing of what is more frequent
        among them.

        The two are estimated from the same reports, and their covariance is taken into account. `.verdict` says whether the
        difference can be told from 0. method="em" is maximum likelihood on the joint table: a band and no verdict.

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75), "b": dn.Identity(dn.Nominal(["m", "f"]))})
        >>> sample = dn.Sample(pd.DataFrame({"a": [1] * 60 + [0] * 40, "b": ["m", "f"] * 50}), schema)
        >>> sample.difference("a == 1", between=("b == 'm'", "b == 'f'")).verdict
        'cannot be told from 0: 0.0 points (95% interval -39.2 to 39.2)'
        >>> sample.difference("a == 1", "a == 0").verdict
        'above 0: 40.0 points (95% interval 1.6 to 78.4)'
        """
        _check_method(method, METHODS[:2])
        target = self._target(target, "population")
        if between is not None:
            groups_given = _two(between)
            if of is None:
                return self._between(self._needed(first, "difference"), second, groups_given, target, method)
            if first is not None or second is not None:
                raise ParameterError(
                    "difference_asked",
                    "The difference of the means of {of!r} is between two groups, got a condition besides.",
                    of=of,
                )
            first, second = groups_given
        conditions = [self._needed(first, "difference"), self._condition(second)]
        if of is None and second is None:
            raise ParameterError(
                "difference_asked",
                "A difference needs two conditions, one condition and two groups between which it is compared, or the attribute whose "
                "means are compared.",
            )
        if method == "em":
            if of is not None:
                self._numbers(of)
                conditions = [self._among_answers(of, condition) for condition in conditions]
            found = likely.difference(self._likelihood(conditions, [of] if of else []), conditions, of, target)
            return self._saying([of], found) if of else _warned(found, conditions)
        groups = [(condition, indicator(condition, self._channels)) for condition in conditions]
        if of is None:
            found = shares.difference(self._sums(target), groups[0], groups[1], target)
            return _warned(self._smoothly(found, [groups[0][1] - groups[1][1]], lambda means: means), conditions)
        numbers, has = self._numbers(of), self._answered(of)
        x, y = ((condition, group * has) for condition, group in groups)
        limits = self._limits(of, numbers, x[0]), self._limits(of, numbers, y[0])
        likely_means = self._likely_means(of, conditions)
        found = means.difference(self._sums(target), factor(of, numbers), x, y, of, target, limits, likely_means)
        return self._saying([of], found)

    def _between(self, asked: Condition, second: Any, given: tuple[Any, Any], target: str, method: str) -> Estimate:
        """How much the share of those who meet a condition differs between two groups."""
        if second is not None:
            raise ParameterError(
                "difference_asked", "Between two groups one condition is compared, got a second one: {got}.", got=str(second)
            )
        a, b = (self._needed(group, "Each of the two groups") for group in given)
        title = f"share of ({bare(asked)}) among ({bare(a)}) minus that among ({bare(b)})"
        if method == "em":
            found = likely.between(self._likelihood([asked, a, b]), asked, (a, b), title, target)
        else:
            members = indicator(asked, self._channels)
            one, two = (((), indicator(group, self._channels), group) for group in (a, b))
            smoothed = self._smoothed_within([members, ONE - members], [one, two])
            found = shares.between(self._sums(target), members, one, two, title, target, smoothed)
        found.notes = (*found.notes, *self._silence([asked, a, b]))
        return found

    @repeats_assumptions
    def covariance(self, a: str, b: str, target: str = "population", where: Any = None) -> Estimate:
        """The covariance of two numeric attributes, from debiased moments, among those who answered both, of all or of those who meet a
        condition."""
        group, among = self._pair(a, b, where)
        x, y = (factor(name, self._centred(name)) for name in (a, b))
        target = self._target(target, "population")
        found = moments.covariance(self._sums(target), x, y, group, f"covariance of {a} and {b}{among}", target)
        return self._saying([a, b], found)

    @repeats_assumptions
    def correlation(self, a: str, b: str, where: Any = None) -> Estimate:
        """The correlation of two numeric attributes, from debiased moments, among those who answered both, of all or of those who meet a
        condition; error bars are for the population.

        The interval holds every correlation that the moments do not contradict. Where too few answers stand behind too much noise for
        the spread of one of the attributes to be told from 0, there is no correlation to speak of, and it is refused.

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({name: dn.Retention(dn.Integer(0, 9), 0.8) for name in "ab"})
        >>> reports = pd.DataFrame({"a": [*range(10)] * 100, "b": [*range(10)] * 100})
        >>> found = dn.Sample(reports, schema).correlation("a", "b")
        >>> float(found.value[0]), bool(found.interval()[0][0] > 0.9)
        (1.0, True)
        """
        group, among = self._pair(a, b, where)
        x, y = (factor(name, self._centred(name, unit=True)) for name in (a, b))
        title, hidden = f"correlation of {a} and {b}{among}", self._hidden(list(dict.fromkeys([a, b, *group.attributes])))
        found = moments.correlation(self._sums("population"), x, y, group, (a, b), title, hidden)
        return self._saying([a, b], found)

    def _hidden(self, names: Sequence[str]) -> bool:
        """Whether any of these attributes is hidden."""
        return any(not isinstance(schema[name], Identity) for _, schema in self._parts.asking(names) for name in names)

    def _pair(self, a: str, b: str, where: Any) -> tuple[Function, str]:
        """Those who meet a condition and answered two numeric attributes, and the words for that."""
        for name in (a, b):
            self._numbers(name)
        condition = self._condition(where)
        group = indicator(condition, self._channels) * self._answered(a) * self._answered(b)
        return group, (f" where {condition}" if condition is not None else "") + self._among([a, b])

    def _saying(self, names: Sequence[str], found: Estimate) -> Estimate:
        """The estimate, and what words among the answers of these attributes count as."""
        said = (counts_as(name, self._channels[name].domain) for name in dict.fromkeys(names))
        found.notes = (*found.notes, *(words for words in said if words is not None))
        return found

    def _centred(self, name: str, unit: bool = False) -> Floats:
        """The values of a numeric attribute less the middle of its range, which changes no covariance and spares rounding; from -1 to 1."""
        numbers = self._numbers(name)
        middle, half = (numbers.max() + numbers.min()) / 2, (numbers.max() - numbers.min()) / 2
        centred: Floats = (numbers - middle) / (half if unit and half else 1.0)
        return centred

    def _among(self, names: Sequence[str]) -> str:
        silent = [name for name in names if self._channels[name].domain.missing is not None]
        return f" (among those who answered {' and '.join(silent)})" if silent else ""

    @repeats_assumptions
    def regression(self, y: str, on: Sequence[str], where: Any = None, reference: Mapping[str, Any] | None = None) -> Estimate:
        """Least squares of one numeric attribute on others, from debiased moments, among those who answered all of them: labels are
        "intercept" and the attributes. Of yes and no, yes is 1, on either side. An attribute of words gets a slope for each label but one,
        the reference that it is compared with: its first label, or that of `reference`, such as {"town": "south"}.

        Error bars are for the population (the moments' own randomness included: a sandwich of debiased sums).

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"mood": dn.KRR(dn.Ordinal(["1", "2", "3"]), 0.8), "ill": dn.Identity(dn.Nominal(["no", "yes"]))})
        >>> reports = pd.DataFrame({"mood": ["3"] * 60 + ["2"] * 60 + ["1"] * 80, "ill": ["no", "yes", "yes", "no"] * 50})
        >>> found = dn.Sample(reports, schema).regression("mood", "ill")
        >>> found.labels, found.notes
        (('intercept', 'ill'), ("of 'ill', 'yes' counts as 1 and 'no' as 0",))
        >>> schema = dn.Schema({**schema, "town": dn.Identity(dn.Nominal(["north", "south", "west"]))})
        >>> reports["town"] = ["north", "south", "south", "west"] * 50
        >>> dn.Sample(reports, schema).regression("mood", "town", reference={"town": "south"}).labels
        ('intercept', 'town: north (against south)', 'town: west (against south)')
        """
        _check_one(y, "y")
        on = [on] if isinstance(on, str) else list(on)
        if not on or y in on:
            raise ParameterError(
                "regression_on", "regression needs other attributes to regress {y!r} on, got {got}.", y=y, got=list(on)
            )
        condition = self._condition(where)
        check_references(reference or {}, on, self._channels)
        inputs: dict[str, Function] = {}
        for name in on:
            if name in self._channels and not has_numbers(self._channels[name].domain):
                inputs |= dummies(name, self._channels, condition, (reference or {}).get(name))
            else:
                inputs[name] = factor(name, self._numbers(name))
        group = indicator(condition, self._channels)
        for name in (y, *on):
            group = group * self._answered(name)
        title = f"{y} on {', '.join(on)}" + (f" where {condition}" if condition is not None else "") + self._among([y, *on])
        sums, outcome = self._sums("population"), factor(y, self._numbers(y))
        found = moments.regression(sums, outcome, inputs, group, title, condition, self._hidden(on))
        return self._saying([y, *on], found)

    @repeats_assumptions
    def quantile(
        self, name: str, q: float | Sequence[float] = 0.5, where: Any = None, target: str = "population", method: str = "joint"
    ) -> Estimate:
        """The value that a share q of the people (all, or those who meet a condition) does not exceed; of several shares one value each,
        labelled by them.

        It is one of the attribute's values: where the estimated distribution function, made rising, reaches q. The interval holds all
        values that no test refutes; its half width at 68% is the standard error. method="em" reads the value off the likeliest
        distribution instead. Behind noise the point is read off a smoothed distribution.

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"age": dn.Retention(dn.Integer(20, 24), 0.9)})
        >>> sample = dn.Sample(pd.DataFrame({"age": [20, 21, 21, 22, 24] * 20}), schema)
        >>> sample.quantile("age").value.tolist(), sample.quantile("age", [0.25, 0.75]).value.tolist()
        ([21.0], [21.0, 22.0])
        """
        _check_method(method, METHODS[:2])
        target = self._target(target, "population")
        qs: list[Any] = list(q) if isinstance(q, (Sequence, np.ndarray)) and not isinstance(q, str) else [q]
        for each in qs or [q]:
            if isinstance(each, bool) or not isinstance(each, (int, float)) or not 0 < each < 1:
                raise ParameterError("quantile_q", "q must be a number between 0 and 1, or several, got {got}.", got=each)
        numbers = self._numbers(name)
        condition = self._condition(where)
        told = f"quantile {float(qs[0]):g}" if len(qs) == 1 else f"quantiles {', '.join(f'{each:g}' for each in qs)}"
        title = f"{told} of {name}" + (f" where {condition}" if condition is not None else "") + self._among([name])
        if method == "em":
            among = self._among_answers(name, condition)
            return self._saying([name], likely.quantiles(self._likelihood([among], [name]), name, qs, among, title, target))
        group = indicator(condition, self._channels) * self._answered(name)
        found = side_by_side([self._quantile((name, numbers), each, (condition, group), title, target) for each in qs], qs)
        found = self._in_group(found, name, numbers, (condition, group))
        found.notes = (*found.notes, *only_labels(found, name, self._channels[name].domain))
        return self._saying([name], found)

    def _quantile(
        self, of: tuple[str, Floats], q: float, among: tuple[Condition | None, Function], title: str, target: str
    ) -> Estimate:
        name = of[0]
        if not any(name in schema and adds_noise(schema[name]) for _, schema in self.parts):
            return quantile(self._parts, of, q, among, title, target)
        smooth = self._smoothed(name) if among[0] is None else None
        return noisy_quantile(self._parts, of, q, among, title, target, None if smooth is None else smooth.shares)

    def _in_group(self, found: Estimate, name: str, numbers: Floats, among: tuple[Condition | None, Function]) -> Estimate:
        """An estimate about a group, which knows how many people are in it and what the condition itself leaves possible."""
        condition, group = among
        if condition is not None:
            found.limits = self._limits(name, numbers, condition)
            weighted = self._sums("respondents")([group], lambda means: np.ones((1, 1)))
            found.group_sizes, found.sizes_known = np.full(len(found.value), weighted.respondents_in(0)), weighted.knows([0])
        return found

    def _limits(self, name: str, numbers: Floats, condition: Condition | None) -> tuple[float, float]:
        """Between which numbers the mean of an attribute, or a quantile, lies among those who meet a condition."""
        left = numbers[open_codes(condition, name, self._channels)]
        return (float(left.min()), float(left.max())) if len(left) else (float(numbers.min()), float(numbers.max()))

    def _numbers(self, name: str) -> Floats:
        """The values of a numeric attribute; of one that may be left unanswered any number stands for silence, which is left out."""
        if name not in self._channels:
            raise ParameterError(
                "unknown_attribute",
                "There is no attribute {got!r}; there are {allowed}.",
                got=name,
                allowed=list(self._channels),
            )
        domain = self._channels[name].domain
        if not has_numbers(domain):
            raise ParameterError(
                "not_numeric",
                "{name!r} holds words ({allowed}), not numbers{order}, and this needs numbers. Ask for its distribution, or count those "
                'with a label: "{example}".',
                name=name,
                allowed=domain.allowed,
                example=f"{written_name(name)} == {written_value(domain.labels[0])}",
                order=" (labels without an order are names, even if they are digits)" if looks_like_numbers(domain) else "",
            )
        return numbers_of(domain)

    def _among_answers(self, name: str, condition: Condition | None) -> Condition | None:
        """The condition, and to have answered a question that may be left unanswered."""
        missing = self._channels[name].domain.missing
        if missing is None:
            return condition
        has = Compare(name, "!=", missing)
        return has if condition is None else All((condition, has))

    def _answered(self, name: str) -> Function:
        """1 for those who answered."""
        domain = self._channels[name].domain
        return ONE if domain.missing is None else factor(name, (np.arange(domain.size) < domain.size - 1).astype(np.float64))

    def _cells(self, name: str, bins: Any) -> tuple[list[Any], list[Floats]]:
        if name not in self._channels:
            raise ParameterError(
                "unknown_attribute",
                "There is no attribute {got!r}; there are {allowed}.",
                got=name,
                allowed=list(self._channels),
            )
        domain = self._channels[name].domain
        if bins is None:
            if domain.size > MOST_LABELS:
                raise ParameterError("too_many_labels", "{name!r} has {k:,} values; give bins.", name=name, k=domain.size)
            return list(domain.labels), list(np.eye(domain.size))
        values = answered(domain)
        cells = binning.true_bins(values, bins)
        index, labels = cells.index(values.numbers()), list(cells.labels)
        if isinstance(domain, WithMissing):
            index, labels = np.append(index, len(cells)), [*labels, domain.missing]
        return labels, [(index == i).astype(np.float64) for i in range(len(labels))]


def _is(name: str, label: Any, binned: bool) -> str:
    """Words for having a label, or for lying in a bin."""
    return f"{name} in {label}" if binned and str(label).startswith("[") else f"{name} == {label!r}"


def _about(found: Estimate, *names: str | None) -> Estimate:
    """The estimate, with what its labels are values of."""
    found.attributes = tuple(name for name in names if name is not None)
    return found


def _as_table(estimate: Estimate, rows: tuple[str, list[Any]], columns: tuple[str, list[Any]]) -> Estimate:
    """The estimate, which knows that it is a cross table."""
    estimate.table = ((rows[0], tuple(rows[1])), (columns[0], tuple(columns[1])))
    return estimate


def _kept_apart(channel: Channel) -> bool:
    """Whether likelihood takes no two values for equally frequent."""
    return channel.lumpable or channel.domain.size <= FEW_VALUES


def _two(given: Any) -> tuple[Any, Any]:
    """The two groups between which something is compared."""
    if isinstance(given, (str, Condition)) or not isinstance(given, Sequence) or len(given) != 2:
        raise ParameterError("two_groups", "between takes two groups, each a condition, got {got!r}.", got=given)
    return given[0], given[1]


def _warned(found: Estimate, conditions: Sequence[Condition | None]) -> Estimate:
    """The difference of two shares of everyone, and a word where two groups seem to be meant."""
    compared = compared_groups(*conditions)
    if compared is not None:
        shared, a, b = map(bare, compared)
        found.notes = (
            *found.notes,
            f"both shares are of everyone, so the larger group has more people for whom {shared}, even where it is no more frequent; ask "
            f"for the difference of ({shared}) between the groups ({a}) and ({b}) to compare how frequent it is in them",
        )
    return found


def _check_one(given: Any, parameter: str) -> None:
    if given is not None and not isinstance(given, str):
        raise ParameterError(
            "one_attribute", "{parameter} is the name of one attribute, got {got!r}.", parameter=parameter, got=given
        )


def _check_method(given: str, allowed: Sequence[str]) -> None:
    if given not in allowed:
        raise ParameterError("method", "method must be one of {allowed}, got {got!r}.", allowed=list(allowed), got=given)
