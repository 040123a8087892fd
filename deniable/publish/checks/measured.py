"""The rows that are to be published and the groups they fall into, measured once for all checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats, Ints
from deniable.errors import DataError
from deniable.privacy.measures.deniability import deniability_of_groups
from deniable.publish.cells import columns_of
from deniable.publish.checks.check import Check
from deniable.publish.checks.limits import Limits
from deniable.publish.encoding import Attribute, Codes
from deniable.publish.fitted_tree import FittedTree
from deniable.publish.measures import surest_if_ruled_out, times_as_frequent
from deniable.publish.remedies import Remedy
from deniable.publish.rules import ruled_out_views, single_views
from deniable.publish.singled_out import Uniqueness, uniqueness_of


@dataclass(frozen=True)
class Groups:
    """The groups that rows fall into, and their true answers: one row per group in every table.

    Parameters
    ----------
    nodes : where in the tree each group is.
    place : the group of each row of the data.
    counts : how many gave each answer, or combination of answers.
    views : the same of the combination and of each sensitive column.
    columns : the tables of single columns among them.
    wide : those in which an answer can be ruled out and others are left.

    Examples
    --------
    >>> counts = np.array([[30, 10], [50, 10]])
    >>> groups = Groups(np.array([1, 2]), np.repeat([0, 1], [40, 60]), counts, [counts], [counts], [])
    >>> groups.sizes.tolist(), groups.posterior.round(3).tolist(), groups.ruled_out
    ([40, 60], [0.75, 0.833], None)
    """

    nodes: Ints
    place: Ints
    counts: Ints
    views: list[Ints]
    columns: list[Ints]
    wide: list[Ints]

    @cached_property
    def sizes(self) -> Ints:
        """How many rows each group has."""
        sizes: Ints = self.counts.sum(axis=1)
        return sizes

    @cached_property
    def deniability(self) -> Floats:
        """The smallest deniability of each group, over the views."""
        return np.asarray(np.min([deniability_of_groups(table) for table in self.views], axis=0))

    @cached_property
    def posterior(self) -> Floats:
        """How sure anyone who knows the group can be of an answer: the largest share of one answer in any column."""
        return np.asarray(np.max([table.max(axis=1) / self.sizes for table in self.columns], axis=0))

    @cached_property
    def skew(self) -> Floats:
        """How far (total variation) the answers of each group are from those of all rows."""
        whole = self.counts.sum(axis=0) / self.counts.sum()
        return np.asarray(np.abs(self.counts / self.sizes[:, None] - whole).sum(axis=1) / 2)

    @cached_property
    def skew_ratio(self) -> Floats:
        """How many times as frequent as among all rows the relatively most frequent answer of each group is."""
        return np.asarray(np.max([times_as_frequent(table).max(axis=1) for table in self.columns], axis=0))

    @cached_property
    def ruled_out(self) -> Floats | None:
        """How sure an attacker can be who also rules out one answer; None where no column has three."""
        return np.asarray(np.max([surest_if_ruled_out(table) for table in self.wide], axis=0)) if self.wide else None


@dataclass(frozen=True)
class Measured:
    """What every check reads.

    Parameters
    ----------
    fitted : the tree through which the rows are published.
    columns : the columns that are published as they are (or as they were recoded).
    labels : the true answers, as codes.
    limits : from where on something counts as exposed.
    groups : the groups that the rows fall into.
    shuffled : whether the rows are published in another order than this.
    others : the columns that hold no drawn answers; None: all of them.
    sorted_by : columns that are hidden, or coarser than they were, but that rows in this order are sorted by.
    recoded : whether the usual recoding was done already.
    declared : the sensitive columns whose possible answers the owner declared, so that their number may be public.
    """

    fitted: FittedTree
    columns: dict[str, Any]
    labels: Codes
    limits: Limits
    groups: Groups
    shuffled: bool = False
    others: Sequence[str] | None = None
    sorted_by: Sequence[str] = ()
    recoded: bool = False
    declared: Sequence[str] = ()

    @property
    def attributes(self) -> list[Attribute]:
        """The columns as the tree reads them."""
        return self.fitted.tree.attributes

    @property
    def naming(self) -> list[str]:
        """The columns that only name people: coarser names are no remedy."""
        return [attribute.name for attribute in self.attributes if attribute.identifier and not attribute.measured]

    @cached_property
    def uniqueness(self) -> Uniqueness:
        """How many rows share each combination of values of up to three columns that hold no drawn answers."""
        attributes = [attribute for attribute in self.attributes if self.others is None or attribute.name in self.others]
        # Numbers by themselves, not by the cells they may have been put into to find cuts.
        codes = [
            np.unique(attribute.positions(self.columns[attribute.name]), return_inverse=True)[1].ravel()
            if attribute.ordered
            else attribute.codes(self.columns[attribute.name])
            for attribute in attributes
        ]
        # A category that the tree has never seen is code -1: such rows share it.
        codes = [column - column.min() for column in codes]
        return uniqueness_of(attributes, codes, self.limits.shared, self.recoded)

    def check_groups(self, name: str, exposed: Any, found: str, public: str, remedy: Remedy) -> Check:
        """A check that fails if any group is exposed.

        Parameters
        ----------
        name : what the check is called.
        exposed : whether each group is.
        found : what was found, for the owner.
        public : what was tested, for everyone.
        remedy : what would make it hold.

        Returns
        -------
        Check
            With the rows of all groups that are exposed.
        """
        rows = np.flatnonzero(np.asarray(exposed)[self.groups.place]) + 1
        return Check(name, not len(rows), found, rows, public=public, remedy=remedy if len(rows) else None)


def measure_groups(fitted: FittedTree, X: Any, labels: Codes) -> Groups:
    """The groups that the rows of X with these true answers fall into."""
    sensitive = fitted.sensitive
    nodes, place = np.unique(fitted.apply(X), return_inverse=True)
    if len(place) != len(labels):
        raise DataError("rows_differ", "X has {a:,} rows and y has {b:,}.", a=len(place), b=len(labels))
    counts = np.zeros((len(nodes), sensitive.outcomes), np.int64)
    np.add.at(counts, (place, labels), 1)
    views, outcomes = sensitive.view_counts(counts), sensitive.view_outcomes
    columns = [views[v] for v in single_views(outcomes)]
    return Groups(nodes, place, counts, views, columns, [views[v] for v in ruled_out_views(outcomes)])


def measure(fitted: FittedTree, X: Any, y: Any, limits: Limits, **known: Any) -> Measured:
    """The rows of X with their true answers, as checks read them.

    Parameters
    ----------
    fitted : the tree through which the rows are published.
    X : the other columns.
    y : the true answers.
    limits : from where on something counts as exposed.
    known : further fields of `Measured`.

    Returns
    -------
    Measured
        The rows, and the groups that they fall into.

    Examples
    --------
    >>> import deniable as dn, pandas as pd
    >>> people, ill = pd.DataFrame({"town": ["A", "B"] * 50}), pd.Series(["yes"] * 50 + ["no"] * 50, name="ill")
    >>> measure(dn.DeniabilityTree(0.5).fit(people, ill).fitted_, people, ill, Limits()).groups.sizes.tolist()
    [100]
    """
    labels = fitted.sensitive.codes(y)
    return Measured(fitted, columns_of(X), labels, limits, measure_groups(fitted, X, labels), **known)
