"""What a published set promises and what it still exposes, group by group; a set that fails a check is not called safe."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from deniable.core.domains.exact import Floats, Ints
from deniable.core.order import MORE, SURPRISE, sorted_by_answers
from deniable.errors import DataError, ParameterError
from deniable.plurals import counted
from deniable.privacy.deniability import deniability
from deniable.privacy.warnings import WEAK
from deniable.privacy.words import odds, percent
from deniable.publish.encoding import IDENTIFIER_ROWS, MOST_CATEGORIES, columns_of
from deniable.publish.other_columns import other_columns
from deniable.publish.search import ruled_out_views, single_views
from deniable.publish.singled_out import Uniqueness, uniqueness_of

if TYPE_CHECKING:
    import pandas as pd

    from deniable.publish.deniability_tree import DeniabilityTree

ROWS_SHOWN = 20
ORDER = "order of rows"
PUBLIC = (
    "rows", "groups", "minority_share_of_minimum", "minority_share_of_minimum_by_column", "epsilon", "epsilon_in_words", "limits",
)  # fmt: skip
"""What may be told of all groups beside a published set. Anything measured on the true answers may not: whoever knows all answers but
one could work that one out of how many were published unchanged."""
TREE_NOT_COVERED = (
    "given the tree (its questions and the sizes of its groups) and the overall shares of the answers as public; the tree itself, which "
    "was found by looking at the answers, is not covered"
)


@dataclass(frozen=True)
class Limits:
    """From where on something counts as exposed.

    `posterior` is the largest chance an attacker may give an answer who knows the group; `rows` the fewest people in a group; `skew` the
    largest distance (total variation) between the answers of a group and of all; `skew_ratio` how many times as frequent an answer may be
    in a group as among all rows; `ruled_out` the largest chance once one other answer is ruled out (asked where there are three answers
    or more); `shared` how many rows must share every combination of values of up to three other columns (1: it is only counted).

    >>> Limits().rows
    5
    """

    posterior: float = 0.95
    rows: int = 5
    skew: float = 0.4
    ruled_out: float = 0.99
    skew_ratio: float = 3.0
    shared: int = 1

    def __post_init__(self) -> None:
        for name in ("posterior", "skew", "ruled_out"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
                raise ParameterError("limit", "Limits: {name} must lie in [0, 1], got {got!r}.", name=name, got=value)
        ratio = self.skew_ratio
        if isinstance(ratio, bool) or not isinstance(ratio, (int, float)) or not ratio >= 1:
            raise ParameterError("limit", "Limits: skew_ratio must be a number of at least 1, got {got!r}.", got=ratio)
        for name in ("rows", "shared"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
                raise ParameterError(
                    "limit", "Limits: {name} must be a whole number of at least 1, got {got!r}.", name=name, got=value
                )


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: whether it holds, what was found, and the rows (counted from 1) that are exposed."""

    name: str
    passed: bool
    found: str
    rows: Ints = field(repr=False)
    columns: tuple[str, ...] = ()
    """The columns that expose them, where it is not the groups that do."""
    public: str = ""
    """What the public may read of it: what was tested, never what was measured, nor values that point at people."""
    limited: bool = True
    """Whether there is a limit; without one it is only counted, and cannot fail."""

    @property
    def state(self) -> str:
        """Whether it holds, in a word."""
        return "FAILED" if not self.passed else "ok" if self.limited or not len(self.rows) else "note"

    @property
    def named(self) -> str:
        """The rows, as far as a sentence can hold them."""
        if not len(self.rows):
            return ""
        shown = ", ".join(f"{row:,}" for row in self.rows[:ROWS_SHOWN])
        more = f" and {len(self.rows) - ROWS_SHOWN:,} more" if len(self.rows) > ROWS_SHOWN else ""
        return f"{'row' if len(self.rows) == 1 else 'rows'} {shown}{more}"


class Guarantees:
    """Promises and exposures of publishing a set of rows through a tree.

    >>> import deniable as dn, pandas as pd
    >>> people = pd.DataFrame({"town": ["A"] * 50 + ["B"] * 50})
    >>> ill = pd.Series(["yes", "no"] * 50, name="ill")
    >>> found = dn.DeniabilityTree(0.5).fit(people, ill).guarantees(people, ill)
    >>> found.passed, found.worst_posterior
    (True, 0.5)
    """

    def __init__(
        self,
        tree: DeniabilityTree,
        checks: Sequence[Check],
        groups: dict[str, Any],
        overall: dict[str, Any],
        uniqueness: Uniqueness,
    ) -> None:
        self.tree = tree
        self.checks = tuple(checks)
        self.groups = groups
        self.overall = overall
        self.uniqueness = uniqueness
        """How many rows are alone with their values in other columns."""

    @property
    def settings(self) -> str:
        """What every group was made to meet, in a sentence."""
        tree = self.tree
        parts = [
            f"deniability of at least {float(tree.min_deniability):.4g}",
            f"at least {tree.min_rows:,} {_rows(tree.min_rows)}",
        ]
        if tree.max_posterior < 1:
            parts.append(f"no answer in more than {percent(float(tree.max_posterior))} of it")
        if tree.max_skew < 1:
            parts.append(f"no further than {percent(float(tree.max_skew))} from all rows")
        if tree.max_skew_ratio is not None:
            parts.append(f"no answer more than {float(tree.max_skew_ratio):.4g} times as frequent as among all rows")
        if tree.max_ruled_out < 1:
            parts.append(f"no answer in more than {percent(float(tree.max_ruled_out))} once another is ruled out")
        if tree.max_depth is not None:
            one = "everyone in one group" if tree.max_depth == 0 else f"at most {tree.max_depth} questions on a path"
            parts.append(one)
        return f"settings of every group: {', '.join(parts)}"

    @property
    def passed(self) -> bool:
        """Whether no check failed. What was not checked is not promised."""
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if not check.passed)

    @property
    def worst_posterior(self) -> float:
        """The largest chance that an attacker who knows a person's group can give one answer."""
        return float(self.overall["worst_posterior"])

    @property
    def verdict(self) -> str:
        """The result in a sentence or two."""
        if self.passed:
            return (
                f"No check failed: {_all_groups(self.overall['groups'])} the minimum, and nothing that was looked at is "
                "exposed beyond its limit. That is no proof against what an attacker knows from elsewhere."
                f"{self._alone}"
            )
        rows = np.unique(np.concatenate([check.rows for check in self.failed]))
        are = "is" if len(rows) == 1 else "are"
        return f"{self.public_verdict[:-1]}; {len(rows):,} of {counted(self.overall['rows'], 'row')} {are} exposed."

    @property
    def _alone(self) -> str:
        warning = self.uniqueness.warning
        return f" {warning}" if warning else ""

    @property
    def public_verdict(self) -> str:
        """The same without what was measured on the true answers."""
        if self.passed:
            return self.verdict
        names = ", ".join(check.name for check in self.failed)
        return f"NOT SAFE to publish as it is: {len(self.failed)} of {len(self.checks)} checks failed ({names})."

    def to_frame(self) -> pd.DataFrame:
        """A row a group: its rows, deniability, minority, worst posterior, skew, and the questions that lead to it."""
        import pandas as pd

        return pd.DataFrame(self.groups)

    def to_dict(self, rows: bool = True) -> dict[str, Any]:
        """For JSON. Without `rows` it may go with the published set: it says what was tested and promised, and neither points at rows
        nor tells anything that was measured on the true answers but whether each check passed."""
        return {
            "passed": self.passed,
            "verdict": self.verdict if rows else self.public_verdict,
            "overall": {key: _plain(value) for key, value in self.overall.items() if rows or key in PUBLIC},
            # Whoever has the published file can count these: they are of the other columns, as published.
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


def guarantees(
    tree: DeniabilityTree,
    X: Any,
    y: Any,
    limits: Limits | None = None,
    published: Any = None,
    shuffled: bool = False,
    others: Sequence[str] | None = None,
    told: Sequence[str] = (),
) -> Guarantees:
    """Measure these rows, which are to be published through this tree; `shuffled` if not in this order. `others` are the columns of X that
    hold no drawn answers (None: all of them): only by those can anyone be found. `told` names columns that are hidden or coarser, but that
    rows in this order are sorted by."""
    # Imported here: that module measures its trees by this one.
    from deniable.publish.deniability_tree import surest_if_ruled_out

    limits = limits or Limits()
    if not isinstance(limits, Limits):
        raise ParameterError("limits", "limits must be a Limits, got {got}.", got=type(limits).__name__)
    sensitive = tree.sensitive_
    labels = sensitive.codes(y)
    nodes, place = np.unique(tree.apply(X), return_inverse=True)
    if len(place) != len(labels):
        raise DataError("rows_differ", "X has {a:,} rows and y has {b:,}.", a=len(place), b=len(labels))
    counts = np.zeros((len(nodes), sensitive.outcomes), np.int64)
    np.add.at(counts, (place, labels), 1)
    sizes = counts.sum(axis=1)
    whole = np.bincount(labels, minlength=sensitive.outcomes) / len(labels)

    outcomes = sensitive.view_outcomes
    views = [_view(counts, own, answers) for own, answers in zip(sensitive.views, outcomes, strict=True)]
    levels = np.min([_levels(own) for own in views], axis=0)
    each = [views[v] for v in single_views(outcomes)]
    posterior = np.max([own.max(axis=1) / sizes for own in each], axis=0)
    wide = [views[v] for v in ruled_out_views(outcomes)]
    skew = np.abs(counts / sizes[:, None] - whole).sum(axis=1) / 2
    ratio = np.max([_ratios(own) for own in each], axis=0)
    weights = tree._weights(nodes)
    kept = (weights * counts).sum(axis=1) / weights.sum(axis=1) / sizes

    def check(name: str, bad: Any, found: str, public: str) -> Check:
        rows = np.flatnonzero(np.asarray(bad)[place]) + 1
        return Check(name, not len(rows), found, rows, public=public)

    minimum = float(tree.min_deniability)
    means = "means" if levels.min() >= minimum - 1e-9 else "would mean"
    # By column: the most certain answer of a group may be one of any of them.
    minorities = {name: float(1 - (own.max(axis=1) / sizes).max()) for name, own in zip(sensitive.names, each, strict=True)}
    checks = [
        check(
            "deniability",
            levels < minimum - 1e-9,
            f"smallest {levels.min():.4f}, asked for {minimum:.4g}, which {means} a minority of at least "
            f"{_of_columns(tree.minority_shares_)} in every group; the smallest that a group has is {_of_columns(minorities)}",
            f"every group has a deniability of at least {minimum:.4g}: a minority of at least {_of_columns(tree.minority_shares_)}",
        ),
        check(
            "worst posterior",
            posterior > limits.posterior + 1e-12,
            f"whoever knows a person's group is at most {percent(float(posterior.max()), up=True)} sure of an answer; "
            f"limit {percent(limits.posterior)}",
            f"whoever knows a person's group is at most {percent(limits.posterior)} sure of an answer",
        ),
        check(
            "small groups",
            sizes < limits.rows,
            f"smallest group {sizes.min():,} {_rows(sizes.min())}; limit {limits.rows:,}",
            f"every group has at least {limits.rows:,} {_rows(limits.rows)}",
        ),
        check(
            "skew",
            skew > limits.skew + 1e-12,
            f"answers of a group differ from those of all by at most {percent(float(skew.max()), up=True)} (total variation); "
            f"limit {percent(limits.skew)}",
            f"answers of a group differ from those of all by at most {percent(limits.skew)} (total variation)",
        ),
        check(
            "relative skew",
            ratio > limits.skew_ratio * (1 + 1e-9),
            f"{_most_relative(sensitive.names, sensitive.labels, each, sizes, limits.skew_ratio)}; limit {limits.skew_ratio:.4g} times",
            f"no answer is more than {limits.skew_ratio:.4g} times as frequent in a group as among all rows",
        ),
    ]
    ruled_out = np.zeros(len(nodes))
    if wide:
        ruled_out = np.max([surest_if_ruled_out(own) for own in wide], axis=0)
        checks.append(
            check(
                "background knowledge",
                ruled_out > limits.ruled_out + 1e-12,
                f"whoever also rules out one answer is at most {percent(float(ruled_out.max()), up=True)} sure; "
                f"limit {percent(limits.ruled_out)}",
                f"whoever also rules out one answer is at most {percent(limits.ruled_out)} sure",
            )
        )
    checks.append(_proxies(tree, X, labels, limits))
    checks.append(_order(place, labels, shuffled, told))
    checks += _identifiers(tree, X, len(labels))
    alone = _uniqueness(tree, X, limits.shared, others)
    limited = limits.shared > 1
    checks.append(Check("singled out", alone.passed, alone.found, alone.alone + 1, public=alone.tested, limited=limited))

    overall = {
        "rows": len(labels),
        "groups": len(nodes),
        "deniability": float(levels.min()),
        "deniability_of_all_rows": float(
            min(deniability(own.sum(axis=0), k) for own, k in zip(views, sensitive.view_outcomes, strict=True))
        ),
        "minority_share_of_minimum": tree.minority_share_,
        "minority_share_of_minimum_by_column": tree.minority_shares_,
        "smallest_minority": float(1 - posterior.max()),
        "smallest_minority_by_column": minorities,
        "largest_answer": float(max(own.sum(axis=0).max() for own in each) / len(labels)),
        "worst_posterior": float(posterior.max()),
        "worst_posterior_if_one_answer_is_ruled_out": float(ruled_out.max()) if wide else None,
        "smallest_group": int(sizes.min()),
        "largest_skew": float(skew.max()),
        "largest_skew_ratio": float(ratio.max()),
        "ruled_out_of_all_rows": float(max(surest_if_ruled_out(own.sum(axis=0)[None])[0] for own in wide)) if wide else None,
        "expected_unchanged": float((kept * sizes).sum() / len(labels)),
        "published_unchanged": _unchanged(tree, X, published, labels),
        "epsilon": tree.epsilon_,
        "epsilon_in_words": _epsilon_words(tree.epsilon_),
        "mix_in_words": _mix_words(tree),
        "limits": asdict(limits),
    }
    paths = tree.tree_.paths()
    groups = {
        "rows": sizes,
        "deniability": levels,
        "minority": 1 - posterior,
        "worst_posterior": posterior,
        "skew": skew,
        "skew_ratio": ratio,
        "ruled_out": ruled_out if wide else np.full(len(nodes), np.nan),
        "unchanged": kept,
        "answers": [_answers(tree, own) for own in counts],
        "group": [" and ".join(paths.get(int(node), [])) or "everyone" for node in nodes],
    }
    return Guarantees(tree, checks, groups, overall, alone)


def _rows(count: int) -> str:
    return "row" if count == 1 else "rows"


def _all_groups(count: int) -> str:
    return "the one group that there is meets" if count == 1 else f"every one of {count:,} groups meets"


def _of_columns(shares: dict[str, float]) -> str:
    """Minorities, rounded down; of several columns each with its name."""
    if len(shares) == 1:
        return percent(next(iter(shares.values())), down=True)
    return " and ".join(f"{percent(share, down=True)} ({name})" for name, share in shares.items())


def _epsilon_words(epsilon: float) -> str:
    if math.isinf(epsilon):
        return (
            "no epsilon: one person's answer can decide whether an answer can be drawn in a group at all. Only mixing the groups with the "
            "whole (mix; on the command line --mix) gives one."
        )
    weak = "" if epsilon < WEAK else " That is weak." if epsilon < 2 * WEAK else " That is as good as no epsilon."
    return f"one person's answer changes the chance of any published table {odds(epsilon)}, {TREE_NOT_COVERED}.{weak}"


def _mix_words(tree: DeniabilityTree) -> str:
    """Which mix would give an epsilon that is worth something; for the owner, since it is found from the true answers."""
    from deniable.publish.deniability_tree import mix_for

    if tree.epsilon_ < WEAK:
        return ""
    # About 1 / (1 + epsilon times the share of the rarest answer), whatever the groups: one answer can change every draw of its group.
    needed = mix_for(WEAK, tree.tree_.flat.counts[tree.leaves_].sum(axis=1), tree.counts_)
    rest = percent(1 - float(needed))
    if needed == 1:
        return (
            "No mix below 1 gives a useful epsilon here: an answer is too rare. Put rare answers together, or, if you need an epsilon, "
            "randomise each answer by itself instead (deniable randomise)."
        )
    return (
        f"An epsilon of {WEAK:g}, hardly useful yet, takes a mix of {float(needed):g}, which leaves {rest} of each draw to the group. "
        "If you need an epsilon, randomise each answer by itself instead (deniable randomise)."
    )


def _view(counts: Ints, own: Any, answers: int) -> Ints:
    out = np.zeros((len(counts), answers), np.int64)
    for code, answer in enumerate(own):
        out[:, answer] += counts[:, code]
    return out


def _levels(counts: Ints) -> Floats:
    shares = counts / counts.sum(axis=1, keepdims=True)
    bits = -(shares * np.log2(shares, where=shares > 0, out=np.zeros_like(shares))).sum(axis=1)
    levels: Floats = np.maximum(bits, 0.0) / math.log2(counts.shape[1])
    return levels


def _ratios(counts: Ints) -> Floats:
    """For every group how many times as frequent as among all rows its relatively most frequent answer is."""
    whole = counts.sum(axis=0) / counts.sum()
    shares = counts / counts.sum(axis=1, keepdims=True)
    found: Floats = np.divide(shares, whole, where=whole > 0, out=np.zeros_like(shares)).max(axis=1)
    return found


def _most_relative(names: Sequence[str], labels: Sequence[Any], each: Sequence[Ints], sizes: Ints, limit: float) -> str:
    """The answer that is relatively most frequent in a group, with its shares there and among all rows."""
    at = int(np.argmax([_ratios(own).max() for own in each]))
    counts = each[at]
    group = int(np.argmax(_ratios(counts)))
    whole = counts.sum(axis=0) / counts.sum()
    shares = counts[group] / sizes[group]
    answer = int(np.argmax(np.divide(shares, whole, where=whole > 0, out=np.zeros_like(shares))))
    of = f" ({names[at]})" if len(names) > 1 else ""
    times = _told_apart(float(shares[answer] / whole[answer]), limit)
    return (
        f"{labels[at][answer]!s}{of} is {times} times as frequent in a group ({percent(shares[answer])}) as among all rows "
        f"({percent(whole[answer])})"
    )


def _told_apart(value: float, limit: float) -> str:
    """A number with two digits, or as many as it takes to see on which side of the limit it lies.

    >>> _told_apart(2.987, 3), _told_apart(1.234, 3), _told_apart(3.0004, 3), _told_apart(3, 3)
    ('2.99', '1.2', '3.0004', '3')
    """
    texts = (f"{value:.{digits}g}" for digits in range(2, 12))
    return next((text for text in texts if np.sign(float(text) - limit) == np.sign(value - limit)), f"{value:.2g}")


def _uniqueness(tree: DeniabilityTree, X: Any, shared: int, others: Sequence[str] | None) -> Uniqueness:
    columns = columns_of(X)
    attributes = [own for own in tree.tree_.attributes if others is None or own.name in others]
    # Numbers by themselves, not by the cells they may have been put into to find cuts.
    codes = [
        np.unique(own.positions(columns[own.name]), return_inverse=True)[1].ravel()
        if own.ordered
        else own.codes(columns[own.name])
        for own in attributes
    ]
    # A category that the tree has never seen is code -1: such rows share it.
    return uniqueness_of(attributes, [own - own.min() for own in codes], shared)


def _answers(tree: DeniabilityTree, counts: Ints) -> str:
    order = np.argsort(-counts, kind="stable")
    return ", ".join(f"{tree.sensitive_.shown(code)} {counts[code]:,}" for code in order[:6] if counts[code])


def _proxies(tree: DeniabilityTree, X: Any, labels: Any, limits: Limits) -> Check:
    """Whether other columns by themselves tell an answer of any sensitive column."""
    sensitive = tree.sensitive_
    each = slice(None) if len(sensitive.names) == 1 else slice(1, None)
    answers = [own[labels] for own in sensitive.views[each]]
    telling = other_columns(tree.tree_.attributes, columns_of(X), answers, sensitive.view_outcomes[each], limits.posterior)
    return Check("other columns", not telling.columns, telling.found, telling.rows + 1, telling.columns, telling.public)


def _order(groups: Any, labels: Any, shuffled: bool, told: Sequence[str]) -> Check:
    """Whether rows lie in an order that tells the answers, or values that were to be hidden, as in a file that was sorted by them."""
    if shuffled:
        text = "rows are published in random order"
        return Check(ORDER, True, text, np.empty(0, np.int64), public=text)
    tested = (
        "people of a group who follow each other in the file have equal answers no more often than by chance, and the file is not sorted "
        "by a column that was left out or made coarser. Rows are in the order of the input: whoever knows the place of a person there "
        "knows the row"
    )
    more, surprise = sorted_by_answers(groups, labels)
    found = []
    if surprise > SURPRISE and more > MORE:
        found.append(
            f"rows that follow each other in a group have equal answers too often ({percent(more)} of the way from chance to sorted): "
            "whoever knows how the file was ordered can read answers off it"
        )
    if told:
        found.append(
            f"rows are sorted by {', '.join(told)}: whoever knows those values of people finds their rows by their place"
        )
    if not found:
        return Check(ORDER, True, tested, np.empty(0, np.int64), public=tested)
    return Check(ORDER, False, "; ".join([*found, "publish in random order"]), np.arange(1, len(labels) + 1), public=tested)


def _identifiers(tree: DeniabilityTree, X: Any, rows: int) -> list[Check]:
    named = [a.name for a in tree.tree_.attributes if a.identifier]
    measured = [a.name for a in tree.tree_.attributes if a.identifier and a.measured]
    tested = (
        f"no column has a different value in (nearly) every row, or over {MOST_CATEGORIES:,} categories for at most twice as many rows"
        if rows >= IDENTIFIER_ROWS
        else f"not tested: in fewer than {IDENTIFIER_ROWS} rows it is no wonder that all values differ"
    )
    found = f"{', '.join(named)}: so many different values that they identify people; leave out of what is published" + (
        f", or put the numbers of {', '.join(measured)} into bands" if measured else ""
    )
    exposed = np.arange(1, rows + 1) if named else np.empty(0, np.int64)
    return [Check("identifiers", not named, found if named else tested, exposed, tuple(named), tested)]


def _unchanged(tree: DeniabilityTree, X: Any, published: Any, labels: Any) -> float | None:
    if published is None:
        return None
    names = tree.sensitive_.names
    columns, true = columns_of(published), columns_of(X)
    kept = [own for own in tree.tree_.attributes if own.name in columns and own.name not in names]
    if any(not np.array_equal(own.codes(columns[own.name]), own.codes(true[own.name])) for own in kept):
        raise DataError(
            "rows_differ",
            "The published rows are not those of X in their order. Measure them as publish(X, shuffle=False) gives them.",
        )
    drawn = tree.sensitive_.codes(_frame({name: columns[name] for name in names}))
    return float((drawn == labels).mean())


def _frame(columns: dict[str, Any]) -> Any:
    import pyarrow as pa

    from deniable.core.domains.columns import to_arrow

    return pa.table({name: to_arrow(column, name) for name, column in columns.items()})
