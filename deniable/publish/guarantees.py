"""What a published set promises and what it still exposes, group by group; a set that fails a check is not called safe."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from deniable.core.domains.columns import to_arrow
from deniable.core.domains.exact import Ints
from deniable.errors import DataError, ParameterError
from deniable.plurals import counted
from deniable.privacy.measures.deniability import deniability
from deniable.privacy.reporting.words import percent
from deniable.publish.cells import columns_of
from deniable.publish.checks.all_checks import all_checks
from deniable.publish.checks.answers import (
    largest_answer,
    public_minorities,
    ruled_out_of_all_rows,
    smallest_minorities,
)
from deniable.publish.checks.check import Check
from deniable.publish.checks.limits import Limits
from deniable.publish.checks.measured import Measured, measure
from deniable.publish.encoding import Sensitive
from deniable.publish.epsilon import epsilon_in_words, mix_in_words
from deniable.publish.fitted_tree import FittedTree
from deniable.publish.remedies import Write, in_python
from deniable.publish.rules import ruled_out_views
from deniable.publish.singled_out import Uniqueness

if TYPE_CHECKING:
    import pandas as pd

ANSWERS_SHOWN = 6
PUBLIC = ("rows", "minority_share_of_minimum", "minority_share_of_minimum_by_column", "limits")
"""What may be told of all groups beside a published set. Anything found from the true answers may not: anyone who knows all answers but
one could work that one out of how many groups there are, or of how many answers were published unchanged."""
TOGETHER = (
    "What is promised of each column is not promised of several together: where their answers go hand in hand, each tells of the "
    "others."
)


class Guarantees:
    """Promises and exposures of publishing a set of rows through a tree.

    Parameters
    ----------
    tree : the groups, as data.
    checks : what was looked at, and what came of it.
    groups : the measures of every group, by name, one entry per group.
    overall : the measures of all groups together.
    uniqueness : how many rows are alone with their values in other columns.
    declared : the sensitive columns whose possible answers the owner declared, so that their number may be public.

    Examples
    --------
    >>> import deniable as dn, pandas as pd
    >>> people = pd.DataFrame({"town": ["A"] * 50 + ["B"] * 50})
    >>> ill = pd.Series(["yes", "no"] * 50, name="ill")
    >>> guaranteed = dn.DeniabilityTree(0.5).fit(people, ill).guarantees(people, ill)
    >>> guaranteed.passed, guaranteed.worst_posterior
    (True, 0.5)
    """

    def __init__(
        self,
        tree: FittedTree,
        checks: Sequence[Check],
        groups: dict[str, Any],
        overall: dict[str, Any],
        uniqueness: Uniqueness,
        declared: Sequence[str] = (),
    ) -> None:
        self.tree = tree
        self.declared = tuple(declared)
        self.checks = tuple(checks)
        self.groups = groups
        self.overall = overall
        self.uniqueness = uniqueness

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Earlier releases kept the estimator here; whole publications still ask for it. They did not keep what was declared.
        tree, state = state["tree"], {"declared": (), **state}
        self.__dict__.update(state if isinstance(tree, FittedTree) else {**state, "tree": tree.fitted_, "estimator": tree})

    @property
    def settings(self) -> str:
        """What every group was made to meet, in a sentence."""
        rules, depth = self.tree.rules, self.tree.max_depth
        parts = [f"deniability of at least {rules.min_deniability:.4g}", f"at least {counted(rules.min_rows, 'row')}"]
        if rules.max_posterior < 1:
            parts.append(f"no answer in more than {percent(rules.max_posterior)} of it")
        if rules.max_skew < 1:
            parts.append(f"no further than {percent(rules.max_skew)} from all rows")
        if math.isfinite(rules.max_skew_ratio):
            parts.append(f"no answer more than {rules.max_skew_ratio:.4g} times as frequent as among all rows")
        if rules.max_ruled_out < 1 and ruled_out_views(self.tree.sensitive.view_outcomes):
            parts.append(f"no answer in more than {percent(rules.max_ruled_out)} once another is ruled out")
        if depth is not None:
            parts.append("everyone in one group" if depth == 0 else f"at most {depth} questions on a path")
        return f"settings of every group: {', '.join(parts)}"

    @property
    def passed(self) -> bool:
        """Whether no check failed. What was not checked is not promised."""
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that failed, each with what would make it hold (`remedy`)."""
        return tuple(check for check in self.checks if not check.passed)

    def remedies(self, write: Write = in_python) -> dict[str, str]:
        """By the name of each failed check what would make it hold, in words; `write` says how a face writes settings.

        >>> import deniable as dn, pandas as pd
        >>> from deniable.publish.checks.limits import Limits
        >>> people = pd.DataFrame({"town": ["A"] * 50 + ["B"] * 50})
        >>> ill = pd.Series(["yes", "no", "no", "no", "no"] * 10 + ["no", "yes", "yes", "yes", "yes"] * 10, name="ill")
        >>> dn.DeniabilityTree(0.5).fit(people, ill).guarantees(people, ill, Limits(rows=60)).remedies()
        {'small groups': 'let no group be smaller: min_rows=60'}
        """
        return {check.name: check.remedy.worded(write) for check in self.failed if check.remedy is not None}

    @property
    def worst_posterior(self) -> float:
        """The largest chance that an attacker who knows a person's group can give one answer."""
        return float(self.overall["worst_posterior"])

    @property
    def verdict(self) -> str:
        """The result in a sentence or two."""
        return self.verdict_in()

    def verdict_in(self, write: Write = in_python) -> str:
        """The result in a sentence or two, settings written as a face writes them."""
        if self.passed:
            groups = self.overall["groups"]
            meets = "the one group that there is meets" if groups == 1 else f"every one of {groups:,} groups meets"
            return self._if_passed(meets, write)
        rows = np.unique(np.concatenate([check.rows for check in self.failed]))
        are = "is" if len(rows) == 1 else "are"
        return f"{self.public_verdict[:-1]}; {len(rows):,} of {counted(self.overall['rows'], 'row')} {are} exposed."

    @property
    def public_verdict(self) -> str:
        """The same without what was measured on the true answers, be it only how many groups they make."""
        if self.passed:
            return self._if_passed("every group meets", in_python)
        names = ", ".join(check.name for check in self.failed)
        return f"NOT SAFE to publish as it is: {len(self.failed)} of {len(self.checks)} checks failed ({names})."

    def _if_passed(self, meets: str, write: Write) -> str:
        warning = self.uniqueness.warning
        return (
            f"No check failed: {meets} the minimum, and nothing that was looked at is exposed beyond its limit. That is no proof "
            "against what an attacker knows from elsewhere."
            f"{f' {warning} {self.uniqueness.remedy.worded(write)}' if warning else ''}"
        )

    def epsilon_in(self, write: Write = in_python) -> str:
        """What epsilon promises, and for the owner which mix would give a useful one."""
        return f"{epsilon_in_words(self.overall['epsilon'], write)} {self.overall['mix_in_words']}".strip()

    def to_frame(self) -> pd.DataFrame:
        """One row per group: its rows, deniability, minority, worst posterior, skew, and the questions that lead to it."""
        import pandas as pd

        return pd.DataFrame(self.groups)

    def to_dict(self, rows: bool = True) -> dict[str, Any]:
        """For JSON. Without `rows` it may go with the published set: it says what was tested and promised, and neither points at rows
        nor tells anything that was measured on the true answers but whether each check passed."""
        shares = public_minorities(self.tree, self.declared)
        public = {"minority_share_of_minimum": min(shares.values()), "minority_share_of_minimum_by_column": shares}
        told = self.overall if rows else {key: {**self.overall, **public}[key] for key in PUBLIC}
        return {
            "passed": self.passed,
            "verdict": self.verdict if rows else self.public_verdict,
            "overall": {key: _plain(value) for key, value in told.items()},
            # Anyone who has the published file can count these: they are of the other columns, as published.
            "uniqueness": self.uniqueness.to_dict(),
            "checks": [
                {
                    "name": check.name,
                    "passed": check.passed,
                    "found": check.found,
                    "rows_exposed": len(check.rows),
                    "rows": check.rows.tolist(),
                }
                if rows
                else {"name": check.name, "passed": check.passed, "tested": check.public}
                for check in self.checks
            ],
        }

    def __repr__(self) -> str:
        lines = [self.verdict]
        lines += [f"  {c.state:<7}{c.name}: {c.found}" + (f" ({c.named})" if c.named else "") for c in self.checks]
        return "\n".join(lines)


def _plain(value: Any) -> Any:
    if isinstance(value, float) and math.isinf(value):
        return None
    return value.item() if isinstance(value, np.generic) else value


def verdict_of_all(guaranteed: Sequence[Guarantees], verdicts: Sequence[str]) -> str:
    """The verdicts of several sensitive columns, each with its name, and what they do not say; that of one as it is."""
    return " ".join(verdicts_of_all(guaranteed, verdicts))


def verdicts_of_all(guaranteed: Sequence[Guarantees], verdicts: Sequence[str]) -> list[str]:
    """The same as paragraphs, one per column."""
    if len(verdicts) == 1:
        return list(verdicts)
    return [*(f"{each.tree.names}: {verdict}" for each, verdict in zip(guaranteed, verdicts, strict=True)), TOGETHER]


def remedies_of_all(guaranteed: Sequence[Guarantees], write: Write = in_python) -> list[str]:
    """What would make the failed checks of all sensitive columns hold, one line per check."""
    several = len(guaranteed) > 1
    return [
        (f"{each.tree.names}, " if several else "") + f"{name}: {text}"
        for each in guaranteed
        for name, text in each.remedies(write).items()
    ]


def guarantees(
    fitted: FittedTree, X: Any, y: Any, limits: Limits | None = None, published: Any = None, **known: Any
) -> Guarantees:
    """Measure these rows, which are to be published through this tree.

    Parameters
    ----------
    fitted : the groups.
    X : the other columns, as they are published.
    y : the true answers.
    limits : from where on something counts as exposed; None: the usual limits.
    published : the same rows in the same order with drawn answers, to count how many kept theirs.
    known : what else is known of the rows, as fields of `Measured`: `shuffled`, `others`, `sorted_by`, `recoded`, `declared`.

    Returns
    -------
    Guarantees
        Every check, and the measures of each group and of all together.

    Examples
    --------
    >>> import deniable as dn, pandas as pd
    >>> people, ill = pd.DataFrame({"town": ["A", "B"] * 50}), pd.Series(["yes"] * 50 + ["no"] * 50, name="ill")
    >>> tree = dn.DeniabilityTree(0.5).fit(people, ill)
    >>> [check.name for check in guarantees(tree.fitted_, people, ill, shuffled=True).failed]
    []
    """
    limits = limits or Limits()
    if not isinstance(limits, Limits):
        raise ParameterError("limits", "limits must be a Limits, got {got}.", got=type(limits).__name__)
    measured = measure(fitted, X, y, limits, **known)
    weights, groups = fitted.weights(measured.groups.nodes), measured.groups
    unchanged = (weights * groups.counts).sum(axis=1) / weights.sum(axis=1) / groups.sizes
    overall = {
        **_overall(measured),
        "expected_unchanged": float((unchanged * groups.sizes).sum() / len(measured.labels)),
        "published_unchanged": _published_unchanged(measured, published),
        "epsilon": fitted.epsilon,
        "epsilon_in_words": epsilon_in_words(fitted.epsilon),
        "mix_in_words": mix_in_words(fitted.epsilon, fitted.sizes, fitted.counts),
        "limits": asdict(limits),
    }
    by_group = _by_group(measured, unchanged)
    return Guarantees(fitted, all_checks(measured), by_group, overall, measured.uniqueness, measured.declared)


def _overall(measured: Measured) -> dict[str, Any]:
    """The measures of all groups together, by name."""
    fitted, groups = measured.fitted, measured.groups
    ruled_out = groups.ruled_out
    return {
        "rows": len(measured.labels),
        "groups": len(groups.nodes),
        "deniability": float(groups.deniability.min()),
        "deniability_of_all_rows": float(min(deniability(table.sum(axis=0)) for table in groups.views)),
        "minority_share_of_minimum": fitted.minority_share,
        "minority_share_of_minimum_by_column": fitted.minority_shares,
        "smallest_minority": float(1 - groups.posterior.max()),
        "smallest_minority_by_column": smallest_minorities(measured),
        "largest_answer": largest_answer(measured),
        "worst_posterior": float(groups.posterior.max()),
        "worst_posterior_if_one_answer_is_ruled_out": None if ruled_out is None else float(ruled_out.max()),
        "smallest_group": int(groups.sizes.min()),
        "largest_skew": float(groups.skew.max()),
        "largest_skew_ratio": float(groups.skew_ratio.max()),
        "ruled_out_of_all_rows": None if ruled_out is None else ruled_out_of_all_rows(measured),
    }


def _by_group(measured: Measured, unchanged: Any) -> dict[str, Any]:
    """The measures of every group, by name."""
    groups, paths = measured.groups, measured.fitted.tree.paths()
    return {
        "rows": groups.sizes,
        "deniability": groups.deniability,
        "minority": 1 - groups.posterior,
        "worst_posterior": groups.posterior,
        "skew": groups.skew,
        "skew_ratio": groups.skew_ratio,
        "ruled_out": np.full(len(groups.nodes), np.nan) if groups.ruled_out is None else groups.ruled_out,
        "unchanged": unchanged,
        "answers": [_answers(measured.fitted.sensitive, counts) for counts in groups.counts],
        "group": [" and ".join(paths.get(int(node), [])) or "everyone" for node in groups.nodes],
    }


def _answers(sensitive: Sensitive, counts: Ints) -> str:
    order = np.argsort(-counts, kind="stable")
    return ", ".join(f"{sensitive.shown(code)} {counts[code]:,}" for code in order[:ANSWERS_SHOWN] if counts[code])


def _published_unchanged(measured: Measured, published: Any) -> float | None:
    """The share of rows whose published answer is the true one; None if nothing was published yet."""
    if published is None:
        return None
    names = measured.fitted.sensitive.names
    columns = columns_of(published)
    kept = [attribute for attribute in measured.attributes if attribute.name in columns and attribute.name not in names]
    for attribute in kept:
        if not np.array_equal(attribute.codes(columns[attribute.name]), attribute.codes(measured.columns[attribute.name])):
            raise DataError(
                "rows_differ",
                "The published rows are not those of X in their order. Measure them as publish(X, shuffle=False) gives them.",
            )
    drawn = measured.fitted.sensitive.codes(pa.table({name: to_arrow(columns[name], name) for name in names}))
    return float((drawn == measured.labels).mean())


__all__ = ["PUBLIC", "Check", "Guarantees", "Limits", "guarantees", "remedies_of_all", "verdict_of_all", "verdicts_of_all"]
