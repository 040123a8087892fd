"""`dn.Sample`: questions to data in which every single answer may be false."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from deniable.core.estimate import Estimate
from deniable.core.schema import Schema
from deniable.statistics import sample_text
from deniable.statistics.candidates import Candidates
from deniable.statistics.given_parts import Part, given_parts
from deniable.statistics.parts import Most
from deniable.statistics.questions import counts, differences, means, moments, quantiles, ranking, shares, tables
from deniable.statistics.reports import Reports
from deniable.statistics.survey_weights import declared


class Sample:
    """Randomised data and the schema it was randomised under; several (data, schema) parts are taken together.

    Parts may hide the same answers differently. What is said of the respondents adds the parts up. What is said of the population takes
    the parts for samples of the same people and weighs them by precision, so that a part that says little does no harm; the estimate says
    so, with a test (`estimate.assumes`). A question that only some parts ask is answered from those.

    Behind noise some truths look alike, and no weights tell them apart. Answers then have a largest bias (`estimate.bias`), which their
    intervals count. It is that over the truths in which no single value holds more than a share `most` of the people.

    Parameters
    ----------
    data
        A frame, the name of a file or database (`dn.read`), or a list of them or of (data, schema) pairs.
    schema
        What the data was randomised under, or the path of its file.
    weights
        How many people of the population each respondent stands for: real numbers in a column of the data (its name, also of files and
        databases), a series or array in the order of the rows, or an attribute that is declared `Identity`.
    alike
        False adds parts up for the population too, instead of taking them for samples of the same people.
    most
        The largest share of the people that any single value holds, for all attributes (0.06) or by name ({"age": 0.06}): five times an
        even share unless you say otherwise; 1 assumes nothing, and intervals are wide.

    Examples
    --------
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
        self.parts: list[Part] = given_parts(data, schema)
        self.schema = self.parts[0][1]
        self._given_weights = weights
        parts, weights = declared(self.parts, weights)
        self.weights: str | None = weights
        self.alike = alike
        self.most = most
        self._reports = Reports(parts, weights, alike, most)

    def update(self, data: Any, schema: Schema | None = None) -> Sample:
        """A sample with more answers, under the same or another version of the schema; earlier ones are not touched."""
        more = [*self.parts, (data, schema or self.schema)]
        return Sample(more, weights=self._given_weights, alike=self.alike, most=self.most)

    def __repr__(self) -> str:
        return sample_text.text(self.parts, self.weights, self._questions())

    def _repr_html_(self) -> str:
        return sample_text.page(self.parts, self.weights, self._questions())

    @classmethod
    def _questions(cls) -> list[str]:
        """The names of what a sample can be asked."""
        return [name for name, value in vars(cls).items() if callable(value) and name[0] != "_" and name != "update"]

    def count(self, where: Any = None, target: str | None = None, method: str = "joint") -> Estimate:
        """How many meet a condition. By default of these respondents; target="population" for the sampling error too.

        method="joint" is unbiased: products of block weights; behind noise the interval counts how far weights may be off, and the point
        is smoothed (docs/noise.md). "em" is maximum likelihood on the joint table over bins; "iterative" is Figure 3 of paper 000, biased.

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)})
        >>> dn.Sample(pd.DataFrame({"a": [1] * 40 + [0] * 60}), schema).count("a == 1").value.round(6).tolist()
        [30.0]
        """
        return counts.count(self._reports, where, target, method)

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

        The probability is Bayes' with the joint distribution estimated from all reports. Rows are those of the reports, which are shuffled:
        only a column that was kept tells whose they are.

        Parameters
        ----------
        where
            The condition.
        size
            How many rows to list; without it all.
        method
            "iterative" gives the list of paper 000 instead: the rows it assigns, in order.
        rng
            Draws the order of equal rows in simulations, instead of the operating system.
        draw
            The text that equal rows are drawn by: that of an earlier list gives the same list again.
        keep
            Columns of the data that are shown beside the rows, such as receipt codes.

        Returns
        -------
        Candidates
            The rows. Of a sample of several parts `parts` says which part each row is of; `draw` records what equal rows were drawn by.

        Examples
        --------
        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.8)})
        >>> people = pd.DataFrame({"a": [1] * 30 + [0] * 70, "code": [f"C{i}" for i in range(100)]})
        >>> listed = dn.Sample(people, schema).candidates("a == 1", size=10, keep=["code"])
        >>> len(listed), listed.cut, list(listed.to_frame())
        (10, '10 of 30 rows with the same probability are listed, as drawn', ['row', 'code', 'probability'])
        """
        return ranking.candidates(self._reports, where, size, method, rng, draw, keep)

    def mean(
        self, name: str, where: Any = None, target: str = "population", method: str = "joint", by: str | None = None,
        by_bins: Any = None,
    ) -> Estimate:  # fmt: skip
        """The mean of a numeric attribute, of all or of those who meet a condition: a ratio of two sums of weights. Labels in an order that
        are all numbers, as of a rating, have one too; of yes and no it is the share of yes.

        The weights are unbiased, or of a bounded bias that the interval counts; within a group the value shown may be moved by up to one
        standard error toward the likeliest (docs/noise.md).

        Parameters
        ----------
        name
            The attribute.
        where
            The condition that people meet; without it everyone.
        target
            What error bars are about: "population" or "respondents".
        method
            "em" is maximum likelihood on the joint table over bins, which varies less and is biased; "iterative" is the mean of the
            reports of the rows that Figure 3 of paper 000 chooses, biased too.
        by
            Another attribute: one mean for each of its labels, with the estimated sizes of these groups.
        by_bins
            Bins of that attribute instead of its values.

        Returns
        -------
        Estimate
            Labelled by the attribute, or by the labels of `by`.

        Examples
        --------
        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"age": dn.Additive(dn.Integer(20, 30), dn.Uniform(5))})
        >>> dn.Sample(pd.DataFrame({"age": [18, 24, 33]}), schema).mean("age").value.round(6).tolist()
        [25.0]
        >>> schema = dn.Schema({**schema, "town": dn.Identity(dn.Nominal(["north", "south"]))})
        >>> reports = pd.DataFrame({"age": [18, 24, 27, 33] * 5, "town": ["north", "north", "south", "south"] * 5})
        >>> estimate = dn.Sample(reports, schema).mean("age", by="town")
        >>> estimate.labels, estimate.value.round(6).tolist(), estimate.group_sizes.tolist()
        (('north', 'south'), [21.0, 30.0], [10.0, 10.0])
        """
        return means.mean(self._reports, name, where, target, method, by, by_bins)

    def distribution(
        self, name: str, where: Any = None, by: str | None = None, bins: Any = None, target: str = "population",
        method: str = "joint", by_bins: Any = None,
    ) -> Estimate:  # fmt: skip
        """Shares of the labels (or bins) of an attribute, among all or among those who meet a condition.

        Behind noise the point is that of a smoothed distribution, and the interval counts how far weights may be off (docs/noise.md).

        Parameters
        ----------
        name
            The attribute.
        where
            The condition that people meet; without it everyone.
        by
            Another attribute: one distribution for each of its labels.
        bins
            Bins of the attribute, if it is a number: how many, or their edges.
        target
            What error bars are about: "population" or "respondents".
        method
            "em" is maximum likelihood on the joint table; "iterative" reconstructs from the reports of the rows that Figure 3 of paper
            000 chooses, biased.
        by_bins
            Bins of the attribute `by` instead of its values.

        Returns
        -------
        Estimate
            Labelled by the labels or bins, or by (label of by, label).

        Examples
        --------
        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75), "b": dn.Identity(dn.Nominal(["m", "f"]))})
        >>> sample = dn.Sample(pd.DataFrame({"a": [1, 1, 0, 0], "b": ["m", "m", "m", "f"]}), schema)
        >>> sample.distribution("b", "a == 1").value.round(3).tolist()
        [0.897, 0.103]
        """
        return shares.distribution(self._reports, name, where, by, bins, target, method, by_bins)

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
        return shares.share(self._reports, condition, among, target, method)

    def crosstab(
        self, a: str, b: str, target: str = "population", bins: dict[str, Any] | None = None, method: str = "joint",
        most_cells: int | None = 2_500,
    ) -> Estimate:  # fmt: skip
        """The joint shares of two attributes.

        Parameters
        ----------
        a, b
            The attributes.
        target
            What error bars are about: "population" or "respondents".
        bins
            Bins of attributes that are numbers, by name, such as {"age": 10}.
        method
            "em" is maximum likelihood on the joint table.
        most_cells
            Every two cells have a covariance, so a table of more cells is refused: give bins, or raise it (None for no limit).

        Returns
        -------
        Estimate
            Labelled (label of a, label of b); `to_frame()` has a in rows and b in columns.

        Examples
        --------
        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75), "b": dn.Identity(dn.Nominal(["m", "f"]))})
        >>> dn.Sample(pd.DataFrame({"a": [1, 1, 0, 0], "b": ["m", "m", "m", "f"]}), schema).crosstab("a", "b").value.tolist()
        [0.125, 0.375, 0.625, -0.125]
        """
        return tables.crosstab(self._reports, a, b, target, bins, method, most_cells)

    def difference(
        self, first: Any = None, second: Any = None, of: str | None = None, target: str = "population", method: str = "joint",
        between: tuple[Any, Any] | None = None,
    ) -> Estimate:  # fmt: skip
        """How much two shares differ, or the means of two groups.

        `difference(condition, between=(a, b))` is the share of those who meet the condition among the group a, minus that among b.
        `difference(a, b, of="salary")` is the mean in the group a minus that in b. `difference(a, b)` is the share of *everyone* who
        meets a, minus the share of everyone who meets b: it says which of the two are more people, and nothing of what is more frequent
        among them.

        The two are estimated from the same reports, and their covariance is taken into account.

        Parameters
        ----------
        first, second
            Conditions: two that are compared, or one that is compared between groups.
        of
            The attribute whose means in the two groups are compared.
        target
            What error bars are about: "population" or "respondents".
        method
            "em" is maximum likelihood on the joint table: a band and no verdict.
        between
            Two groups, each a condition.

        Returns
        -------
        Estimate
            `.verdict` says whether the difference can be told from 0.

        Examples
        --------
        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75), "b": dn.Identity(dn.Nominal(["m", "f"]))})
        >>> sample = dn.Sample(pd.DataFrame({"a": [1] * 60 + [0] * 40, "b": ["m", "f"] * 50}), schema)
        >>> sample.difference("a == 1", between=("b == 'm'", "b == 'f'")).verdict
        'cannot be told from 0: 0.0 points (95% interval -39.2 to 39.2)'
        >>> sample.difference("a == 1", "a == 0").verdict
        'above 0: 40.0 points (95% interval 1.6 to 78.4)'
        """
        return differences.difference(self._reports, first, second, of, target, method, between)

    def covariance(self, a: str, b: str, target: str = "population", where: Any = None) -> Estimate:
        """The covariance of two numeric attributes, from debiased moments, among those who answered both, of all or of those who meet a
        condition."""
        return moments.covariance(self._reports, a, b, target, where)

    def correlation(self, a: str, b: str, where: Any = None) -> Estimate:
        """The correlation of two numeric attributes, from debiased moments, among those who answered both, of all or of those who meet a
        condition; error bars are for the population.

        The interval holds every correlation that the moments do not contradict. Where too few answers stand behind too much noise for
        the spread of one of the attributes to be told from 0, there is no correlation to speak of, and it is refused.

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({name: dn.Retention(dn.Integer(0, 9), 0.8) for name in "ab"})
        >>> reports = pd.DataFrame({"a": [*range(10)] * 100, "b": [*range(10)] * 100})
        >>> estimate = dn.Sample(reports, schema).correlation("a", "b")
        >>> float(estimate.value[0]), bool(estimate.interval()[0][0] > 0.9)
        (1.0, True)
        """
        return moments.correlation(self._reports, a, b, where)

    def regression(self, y: str, on: Sequence[str], where: Any = None, reference: Mapping[str, Any] | None = None) -> Estimate:
        """Least squares of one numeric attribute on others, from debiased moments, among those who answered all of them: labels are
        "intercept" and the attributes. Of yes and no, yes is 1, on either side. An attribute of words gets a slope for each label but one,
        the reference that it is compared with: its first label, or that of `reference`, such as {"town": "south"}.

        Error bars are for the population (the moments' own randomness included: a sandwich of debiased sums).

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"mood": dn.KRR(dn.Ordinal(["1", "2", "3"]), 0.8), "ill": dn.Identity(dn.Nominal(["no", "yes"]))})
        >>> reports = pd.DataFrame({"mood": ["3"] * 60 + ["2"] * 60 + ["1"] * 80, "ill": ["no", "yes", "yes", "no"] * 50})
        >>> estimate = dn.Sample(reports, schema).regression("mood", "ill")
        >>> estimate.labels, estimate.notes
        (('intercept', 'ill'), ("of 'ill', 'yes' counts as 1 and 'no' as 0",))
        >>> schema = dn.Schema({**schema, "town": dn.Identity(dn.Nominal(["north", "south", "west"]))})
        >>> reports["town"] = ["north", "south", "south", "west"] * 50
        >>> dn.Sample(reports, schema).regression("mood", "town", reference={"town": "south"}).labels
        ('intercept', 'town: north (against south)', 'town: west (against south)')
        """
        return moments.regression(self._reports, y, on, where, reference)

    def quantile(
        self, name: str, q: float | Sequence[float] = 0.5, where: Any = None, target: str = "population", method: str = "joint"
    ) -> Estimate:
        """The value that a share q of the people (all, or those who meet a condition) does not exceed.

        It is one of the attribute's values: where the estimated distribution function, made rising, reaches q. The interval holds all
        values that no test refutes; its half width at 68% is the standard error. Behind noise the point is read off a smoothed
        distribution.

        Parameters
        ----------
        name
            The attribute.
        q
            The share, or several: 0.5 is the median.
        where
            The condition that people meet; without it everyone.
        target
            What error bars are about: "population" or "respondents".
        method
            "em" reads the value off the likeliest distribution instead.

        Returns
        -------
        Estimate
            One value for each share; several are labelled by them.

        Examples
        --------
        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"age": dn.Retention(dn.Integer(20, 24), 0.9)})
        >>> sample = dn.Sample(pd.DataFrame({"age": [20, 21, 21, 22, 24] * 20}), schema)
        >>> sample.quantile("age").value.tolist(), sample.quantile("age", [0.25, 0.75]).value.tolist()
        ([21.0], [21.0, 22.0])
        """
        return quantiles.quantile(self._reports, name, q, where, target, method)
