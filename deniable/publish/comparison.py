"""Side by side for an owner: the tree and plain randomised response at the same worst-case posterior. Which keeps more accuracy?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from deniable.core.channels.designs import KRR
from deniable.core.channels.sampling import byte_source
from deniable.core.domains.columns import to_arrow
from deniable.core.domains.exact import Floats, Ints
from deniable.core.domains.labels import Nominal
from deniable.errors import DataError, ParameterError
from deniable.privacy.measures.worst_case import worst_posterior
from deniable.progress import Progress, Silent
from deniable.publish.cells import columns_of
from deniable.publish.deniability_tree import DeniabilityTree
from deniable.publish.encoding import read_sensitive

if TYPE_CHECKING:
    import pandas as pd

LEVELS = (0.05, 0.1, 0.2, 0.3, 0.4)
MISSING = "(missing)"
TREES = 50
FEWEST_ROWS = 30
NEIGHBOURS = 15
"""More than usual: published answers are noisy, and in tables of categories many neighbours are equally near."""


def learners(X: pd.DataFrame, seed: int = 0) -> dict[str, Any]:
    """Three classifiers for a table of mixed columns: an ID3-like tree, a random forest, nearest neighbours.

    >>> import pandas as pd
    >>> list(learners(pd.DataFrame({"a": ["x", "y"]})))
    ['ID3-like tree', 'random forest', 'nearest neighbours']
    """
    numeric = [name for name in X.columns if X[name].dtype.kind in "iuf"]
    words = [name for name in X.columns if name not in numeric]
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    flat = ColumnTransformer([("words", codes, words), ("numbers", "passthrough", numeric)])
    near = ColumnTransformer(
        [("words", OneHotEncoder(handle_unknown="ignore", sparse_output=False), words), ("numbers", StandardScaler(), numeric)]
    )
    return {
        "ID3-like tree": make_pipeline(flat, DecisionTreeClassifier(criterion="entropy", random_state=seed)),
        "random forest": make_pipeline(flat, RandomForestClassifier(TREES, random_state=seed)),
        "nearest neighbours": make_pipeline(near, KNeighborsClassifier(NEIGHBOURS)),
    }


def plain_frame(X: Any) -> pd.DataFrame:
    """Any table as pandas, words as text with missing cells named, so that every learner takes it."""
    import pandas as pd

    out = pd.DataFrame({name: to_arrow(column, name).to_pandas() for name, column in columns_of(X).items()})
    for name in out.columns:
        if out[name].dtype.kind not in "iuf":
            out[name] = out[name].astype(object).where(out[name].notna(), MISSING).astype(str)
        elif out[name].isna().any():
            out[name] = out[name].fillna(out[name].median())
    return out


def krr_at(posterior: float, whole: Floats) -> KRR:
    """The most telling randomised response under which nobody who knows the overall shares is surer of an answer than `posterior`.

    >>> import numpy as np, deniable as dn
    >>> channel = krr_at(0.9, np.array([0.7, 0.3]))
    >>> round(dn.privacy.worst_posterior(channel, [0.7, 0.3]).after, 3)
    0.9
    """
    k, most = len(whole), float(whole.max())
    if posterior >= 1:
        p = Fraction(1)
    else:
        odds = posterior / (1 - posterior) * (1 - most) / most / (k - 1)
        p = max(Fraction(1, k), Fraction(math.floor(odds / (1 + odds) * 10_000), 10_000))
    return KRR(Nominal([str(code) for code in range(k)]), p)


class Comparison:
    """Accuracy of classifiers that learned from what was published, tested on true answers of people who were left out."""

    def __init__(self, rows: list[dict[str, Any]], original: dict[str, float], usual: float, name: str) -> None:
        self.rows = rows
        self.original = original
        """Accuracy of each classifier that learned from the true answers."""
        self.usual = usual
        """Share of the most frequent answer: what can be had without learning anything."""
        self.name = name

    def to_frame(self) -> pd.DataFrame:
        """One row per level and method: worst posterior, share published unchanged, accuracy of each classifier and their mean."""
        import pandas as pd

        return pd.DataFrame(self.rows)

    @property
    def verdict(self) -> str:
        """Who keeps more, in a sentence."""
        wins = {"tree": 0, "KRR": 0}
        for tree, krr in zip(self.rows[::2], self.rows[1::2], strict=True):
            wins["tree" if tree["mean"] > krr["mean"] else "KRR"] += 1
        total = len(self.rows) // 2
        better = max(wins, key=lambda name: wins[name])
        called = "the tree" if better == "tree" else "plain randomised response"
        return (
            f"At the same worst-case posterior {called} keeps more accuracy at {wins[better]} of {total} levels. The tree's attacker is "
            "granted the person's group, the other only the overall shares: the column beside shows what the latter reaches who knows "
            "the groups too. The trees compared here keep the minimum of their level and no other limit, so they are not the one that is "
            f"published.{self._no_better_than_guessing}"
        )

    @property
    def _no_better_than_guessing(self) -> str:
        """Said where whatever is learned is worth less than always guessing the most frequent answer."""
        if max(row["mean"] for row in self.rows) > self.usual:
            return ""
        also = ", and so do those that learned from the true answers" if max(self.original.values()) <= self.usual else ""
        return (
            f" But all of these classifiers do worse than always guessing the most frequent answer ({self.usual:.1%}){also}: the other "
            "columns tell too little of this one for the comparison to say which method keeps more."
        )

    def plot(self) -> Any:
        """Accuracy against the worst-case posterior, for both."""
        from deniable.charts import with_picture
        from deniable.charts.tradeoff import tradeoff_chart

        series = {
            "deniability tree": [
                (row["worst_posterior"], row["mean"], f"{row['min_deniability']:g}") for row in self.rows[::2]
            ],
            "randomised response": [(row["worst_posterior"], row["mean"], "") for row in self.rows[1::2]],
        }
        chart = tradeoff_chart(
            series,
            x="worst-case posterior: how sure an attacker can be",
            y="accuracy of classifiers on true answers",
            lines={
                "learned from true answers": float(np.mean(list(self.original.values()))),
                "most frequent answer": self.usual,
            },
            title=f"What publishing {self.name} costs",
            note="For the owner: it is measured on the true answers. Mean of three classifiers that learned from the published set, tested "
            "on people who were left out. Numbers beside the marks are minimum deniabilities.",
        )
        return with_picture(chart)


def compare_publishing(
    X: Any,
    y: Any,
    levels: Sequence[float] = LEVELS,
    folds: int = 3,
    repeats: int = 1,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> Comparison:
    """The tree and k-ary randomised response of the answers at the same worst-case posterior.

    For every minimum deniability in `levels` and every fold: the tree (with `parameters`) is fitted to the other folds and publishes them;
    its worst posterior, that of an attacker who knows the group, is given to randomised response as the most that an attacker who knows
    the overall shares may reach; classifiers learn from both and are tested on the true answers of the fold.

    Parameters
    ----------
    X : the other columns.
    y : one sensitive column.
    levels : the minimum deniabilities to compare at.
    folds : into how many parts the rows are divided; each is left out once.
    repeats : how many copies are published and learned from at every level.
    rng : randomness for simulations; None: that of the operating system.
    progress : a listener for long work.
    parameters : all else that a `DeniabilityTree` takes.

    Returns
    -------
    Comparison
        Accuracy, worst posterior and the share published unchanged, at every level of both methods.

    Examples
    --------
    >>> import deniable as dn, numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> people = pd.DataFrame({"age": rng.integers(18, 90, 400)})
    >>> smokes = pd.Series(np.where(rng.random(400) < people.age / 120, "yes", "no"), name="smokes")
    >>> comparison = dn.compare_publishing(people, smokes, levels=[0.5], folds=2, rng=rng, min_rows=20)
    >>> comparison.to_frame()["method"].tolist()
    ['tree', 'KRR']
    """
    progress = progress or Silent()
    if folds < 2:
        raise ParameterError("folds", "compare_publishing: folds must be at least 2, got {got!r}.", got=folds)
    sensitive, labels = read_sensitive(y, parameters.get("outcomes"), parameters.get("missing"))
    if len(sensitive.names) > 1:
        raise ParameterError(
            "one_attribute", "compare_publishing compares one sensitive attribute, got {got}.", got=sensitive.names
        )
    frame, name = plain_frame(X), sensitive.names[0]
    folds = min(folds, _rarest_answer(frame, labels, name))
    models = learners(frame)
    seed = None if rng is None else int(rng.integers(2**31))
    split = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(frame, labels))
    measured: dict[tuple[float, str], list[dict[str, float]]] = {}
    original: dict[str, list[float]] = {learner: [] for learner in models}
    progress.start("comparing", folds * (1 + 2 * len(levels) * repeats))
    answers = frame.assign(**{name: [sensitive.labels[0][code] for code in labels]})[name]
    settings = {**parameters, "outcomes": list(sensitive.labels[0]), "missing": None}
    for train, test in split:
        seen, held = frame.iloc[train], frame.iloc[test]
        for learner, model in models.items():
            original[learner].append(_accuracy(model, seen, labels[train], held, labels[test]))
        progress.advance(1)
        whole = np.bincount(labels[train], minlength=sensitive.outcomes) / len(train)
        for level in levels:
            tree = DeniabilityTree(level, **settings).fit(seen, answers.iloc[train])
            both = _Methods(tree, whole)
            for _ in range(repeats):
                for method, published, measures in both.publish(seen, labels[train].astype(np.int64), rng):
                    for learner, model in models.items():
                        measures[learner] = _accuracy(model, seen, published, held, labels[test])
                    measured.setdefault((level, method), []).append(measures)
                    progress.advance(1)
    progress.finish()
    rows = []
    for (level, method), each in measured.items():
        means = {key: float(np.mean([measures[key] for measures in each])) for key in each[0]}
        mean = float(np.mean([means[learner] for learner in models]))
        rows.append({"min_deniability": level, "method": method, **means, "mean": mean})
    usual = float(np.bincount(labels).max() / len(labels))
    return Comparison(rows, {learner: float(np.mean(scores)) for learner, scores in original.items()}, usual, name)


def _rarest_answer(frame: pd.DataFrame, labels: Any, name: str) -> int:
    """How many gave the rarest answer; too few rows are refused."""
    if len(frame) != len(labels):
        raise DataError("rows_differ", "X has {a:,} rows and y has {b:,}.", a=len(frame), b=len(labels))
    rarest = int(min(count for count in np.bincount(labels) if count))
    if rarest < 2 or len(frame) < FEWEST_ROWS:
        raise DataError(
            "too_few_rows",
            "A comparison learns from some rows and is tested on others: it needs {least} rows, got {rows:,}, and every answer of {name!r} "
            "at least twice. Leave the comparison out, or put rare answers together.",
            name=name,
            least=FEWEST_ROWS,
            rows=len(frame),
        )
    return rarest


class _Methods:
    """The tree, and randomised response at its worst-case posterior."""

    def __init__(self, tree: DeniabilityTree, whole: Floats) -> None:
        groups = tree.tree_.flat.counts[tree.leaves_]
        self.tree = tree
        self.worst = float((groups.max(axis=1) / groups.sum(axis=1)).max())
        self.channel = krr_at(self.worst, whole)
        self.reached = worst_posterior(self.channel, whole).after
        self.knowing_groups = max(worst_posterior(self.channel, counts / counts.sum()).after for counts in groups)

    def publish(self, X: Any, labels: Ints, rng: np.random.Generator | None) -> Iterator[tuple[str, Any, dict[str, float]]]:
        """One copy by each method: its name, the answers, and how far an attacker gets."""
        drawn = self.tree.draw(X, rng)
        flipped = self.channel.draw(labels, byte_source(rng))
        for method, published, worst, knowing in (
            ("tree", drawn, self.worst, self.worst),
            ("KRR", flipped, self.reached, self.knowing_groups),
        ):
            unchanged = float((published == labels).mean())
            yield method, published, {"worst_posterior": worst, "posterior_knowing_groups": knowing, "unchanged": unchanged}


def _accuracy(model: Any, seen: Any, published: Any, held: Any, truth: Any) -> float:
    if len(np.unique(published)) == 1:
        return float((truth == published[0]).mean())
    return float(clone(model).fit(seen, published).score(held, truth))
