"""`dn.ReconstructionNaiveBayes`: naive Bayes from distorted rows, or from nothing but tables of counts (paper 004)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from deniable.classify.confusion import sampled_confusion
from deniable.classify.densities import densities
from deniable.classify.estimator import ReconstructingClassifier
from deniable.classify.latent_classes import LatentClasses
from deniable.classify.margin_worlds import MarginWorlds, inverses
from deniable.classify.repetition import contrasts, variance, weights
from deniable.classify.shared import SharedDraw, shared_draws
from deniable.classify.worlds import Worlds
from deniable.core.allowed import Allowed, whole_from
from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.core.tables import CellTable
from deniable.engines.opening import open_data
from deniable.errors import DataError, ParameterError, WideDomainError
from deniable.reconstruction.em import em

SMALLEST_SHARE = 1e-12
MOST_JOINT = 2_000
"""Cells of a hidden class and an attribute together that are undone by one dense matrix."""


class ReconstructionNaiveBayes(ReconstructingClassifier):
    """Naive Bayes whose class-conditional distributions are reconstructed from distorted rows.

    P(class | x) is proportional to P(class) times the product over attributes of P(x_i | class) to the power w_i. Each factor is
    estimated through the attribute's channel, together with the class where both share a draw or the class is hidden; how much it
    is smoothed is weighed by the evidence. Numbers are seen through `bins` cells. `schema=None` means that nothing is distorted.

    With `discount_repeats` the weights w_i (`weights_`) are lower for attributes that repeat each other within the classes. `fit`
    sees that in the rows. All else it learns is additive: `partial_fit` adds rows, `fit_tables` takes tables counted anywhere;
    these see one attribute at a time, so there all weights are 1, as they are where the class is hidden or attributes share a draw.

    >>> import deniable as dn, numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> y = rng.integers(0, 2, 4_000)
    >>> truth = pd.DataFrame({"smokes": np.where(rng.random(4_000) < 0.2 + 0.6 * y, "yes", "no"), "ill": y})
    >>> schema = dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.7), "ill": dn.KRR(dn.Binary(), 0.8)}, target="ill")
    >>> model = dn.ReconstructionNaiveBayes(schema).fit(schema.randomise(truth, rng))
    >>> model.predict(pd.DataFrame({"smokes": ["no", "yes"]})).tolist()
    [0, 1]
    """

    _kind = "naive_bayes"
    _allowed: ClassVar[Mapping[str, Allowed]] = {
        "bins": whole_from(2),
        "discount_repeats": Allowed("True or False", lambda value: isinstance(value, (bool, np.bool_))),
    }

    def __init__(self, schema: Any = None, bins: int = 10, discount_repeats: bool = True, random_state: Any = None) -> None:
        self.schema = schema
        self.bins = bins
        self.discount_repeats = discount_repeats
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> ReconstructionNaiveBayes:
        """Learn from distorted rows; `y` are the reported classes (or the schema's target among the columns of X).

        A row with `sample_weight` 2 counts as two rows, so weights say how much is known: those of a survey are best scaled to add up to
        the number of rows.
        """
        self._check_parameters()
        columns, classes, counted = self._read_training(X, y, sample_weight)
        codes = self._reports(columns)
        self._counts = self._count(codes, classes, counted)
        return self._estimate()._weigh(codes, classes, counted)

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> ReconstructionNaiveBayes:
        """Learn from more rows; `classes` lists all classes on the first call if some may be missing from these rows."""
        first = not hasattr(self, "_counts")
        if first:
            self._check_parameters()
        columns, reported_classes, counted = self._read_training(X, y, sample_weight, reset=first, classes=classes)
        more = self._count(self._reports(columns), reported_classes, counted)
        self._counts = more if first else [a + b for a, b in zip(self._counts, more, strict=True)]
        return self._estimate()

    def fit_tables(self, tables: CellTable | Iterable[CellTable]) -> ReconstructionNaiveBayes:
        """Learn from tables of counts alone: for every attribute one with it and the target among its axes (or one of them all).

        They add up, so each part of the data may be counted where it lives; `count_tables` asks any engine for them.

        >>> import deniable as dn, pandas as pd
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.7), "c": dn.Identity(dn.Binary())}, target="c")
        >>> rows = pd.DataFrame({"a": [0, 0, 1, 1, 1, 0], "c": [0, 0, 1, 1, 0, 1]})
        >>> model = dn.ReconstructionNaiveBayes(schema)
        >>> bool((model.fit_tables(model.count_tables(rows)).shares_[0] == model.fit(rows).shares_[0]).all())
        True
        """
        self._check_parameters()
        schema = self._schema()
        if schema is None or schema.target is None:
            raise ParameterError(
                "tables_need_schema",
                "fit_tables needs a schema with a target, dn.Schema(schema, target=...): it says what the counts count.",
            )
        given = [tables] if isinstance(tables, CellTable) else list(tables.values() if isinstance(tables, Mapping) else tables)
        self._declare(schema)
        self._counts = [self._dense(attribute, given, schema.target) for attribute in self.attributes_]
        totals = {int(counts.sum()) for counts in self._counts}
        if len(totals) > 1:
            raise DataError(
                "tables_of_different_rows", "The tables count different numbers of rows: {got}; all must count the same.",
                got=sorted(totals),
            )  # fmt: skip
        return self._estimate()

    def count_tables(self, data: Any) -> list[CellTable]:
        """The tables that `fit_tables` takes, counted where the data lives: a frame, a SqlTable, an opened source."""
        schema = self._schema()
        if schema is None or schema.target is None:
            raise ParameterError(
                "tables_need_schema", "count_tables needs a schema with a target: dn.Schema(schema, target=...)."
            )
        source = open_data(data, schema)
        return [source.cell_table([name, schema.target]) for name in schema if name != schema.target]

    def _dense(self, attribute: Any, tables: Sequence[CellTable], target: str) -> Any:
        for table in tables:
            axes = {axis.name: axis for axis in table.axes}
            if attribute.name in axes and target in axes:
                channel = attribute.channel
                if (
                    attribute.floating
                    or axes[attribute.name].labels != channel.outputs
                    or axes[attribute.name].edges is not None
                ):
                    raise DataError(
                        "table_labels",
                        "The table of {name!r} must be counted over the labels of its channel's reports, not over bins or others.",
                        name=attribute.name,
                    )
                if axes[target].labels != self.target_.channel.outputs:  # type: ignore[union-attr]
                    raise DataError(
                        "table_labels", "The table of {name!r} has other classes than the schema.", name=attribute.name
                    )
                both = table.marginal(target, attribute.name)
                counts = np.zeros((len(self.target_.channel.outputs), attribute.reported_size), dtype=np.int64)  # type: ignore[union-attr]
                counts[both.cells[:, 0], both.cells[:, 1]] = both.n
                return counts
        raise DataError(
            "no_table",
            "No table has both {name!r} and the target {target!r} among its axes.",
            name=attribute.name,
            target=target,
        )

    def _reports(self, columns: dict[str, Any]) -> list[Any]:
        """Fine codes of the reports, one item per attribute."""
        bad: list[BadCells] = []
        codes = [attribute.reported(columns[attribute.name], bad) for attribute in self.attributes_]
        raise_bad_cells(bad)
        return codes

    def _count(self, codes: list[Any], classes: Any, counted: Any = None) -> list[Any]:
        """For each attribute the table [reported class, fine report]; a row counts as `counted` says."""
        reported_classes = self.target_.matrix.shape[1]
        tables = []
        for attribute, reports in zip(self.attributes_, codes, strict=True):
            size = reported_classes * attribute.reported_size
            flat = np.bincount(classes * attribute.reported_size + reports, counted, minlength=size)
            tables.append(flat.reshape(reported_classes, attribute.reported_size))
        return tables

    def _estimate(self) -> ReconstructionNaiveBayes:
        per_class = self._counts[0].sum(axis=1).astype(np.float64)
        if per_class.sum() == 0:
            raise DataError("no_rows", "There are no rows to learn from.")
        if not self.target_.hidden and (per_class > 0).sum() < 2 and self.target_.name is not None:
            raise DataError(
                "one_class", "The class {name!r} has one value only in the data ({got!r}): there is nothing to tell apart.",
                name=self.target_.name, got=self.classes_[per_class.argmax()],
            )  # fmt: skip
        self.features_ = [
            attribute.cells(counts.sum(axis=0), self.bins, self.bins)
            for attribute, counts in zip(self.attributes_, self._counts, strict=True)
        ]
        self.class_prior_ = per_class / per_class.sum()
        if self.target_.hidden:
            self.class_prior_ = em(self.target_.channel.law, per_class).shares  # type: ignore[union-attr]
        self.groups_ = shared_draws(self._schema(), self.features_, self.target_.name)
        self.shares_ = [self._shares(i) for i in range(len(self.features_))]
        self._logs = [np.log(np.maximum(shares, SMALLEST_SHARE)) for shares in self.shares_]
        self._logs_of_reports = [
            np.log(np.maximum(shares @ feature.matrix, 1e-300))
            for shares, feature in zip(self.shares_, self.features_, strict=True)
        ]
        self.weights_ = np.ones(len(self.features_))
        self.report_weights_ = np.ones(len(self.features_))
        return self

    def _weigh(self, codes: list[Any], classes: Any, counted: Any) -> ReconstructionNaiveBayes:
        """How much each attribute counts, for true rows and for reports: channels hide repetition as they hide everything."""
        if not self.discount_repeats or self.target_.hidden or self.groups_:
            return self
        cells = np.column_stack([feature.of_reported[reports] for feature, reports in zip(self.features_, codes, strict=True)])
        said = [contrasts(logs) for logs in self._logs]
        inverses = [feature.inverse() for feature in self.features_]
        undone = [None if inverse is None else inverse @ each for inverse, each in zip(inverses, said, strict=True)]
        prior = self.class_prior_
        spreads = [variance(shares, each, prior) for shares, each in zip(self.shares_, said, strict=True)]
        self.weights_ = weights(undone, spreads, cells, classes, counted)
        said = [contrasts(logs) for logs in self._logs_of_reports]
        spreads = [variance(np.exp(logs), each, prior) for logs, each in zip(self._logs_of_reports, said, strict=True)]
        self.report_weights_ = weights(said, spreads, cells, classes, counted)
        return self

    def _shares(self, place: int) -> Any:
        """P(cell | class) of one attribute."""
        feature = self.features_[place]
        fine = self._counts[place]
        counts = np.zeros((len(fine), feature.matrix.shape[1]))
        np.add.at(counts.T, feature.of_reported, fine.T.astype(np.float64))
        if not self.target_.hidden:
            return densities(feature.matrix, counts, feature.ordered, feature.n_unordered)
        if len(self.classes_) * feature.cells > MOST_JOINT:
            raise WideDomainError(
                "joint_too_large",
                "A hidden class of {classes} labels together with the {cells:,} cells of {name!r} is too large; use fewer bins.",
                classes=len(self.classes_),
                cells=feature.cells,
                name=feature.name,
            )
        joint = np.kron(self.target_.matrix, feature.matrix)
        for group in self.groups_:
            if place in group.members and group.class_name is not None:
                joint = group.with_class(place, self.target_.matrix)
        return densities(feature.matrix, counts, feature.ordered, feature.n_unordered, joint, self.class_prior_)

    def _learned(self) -> dict[str, Any]:
        return {"weights": {"truths": self.weights_.tolist(), "reports": self.report_weights_.tolist()}}

    def _shape_of_counts(self, reports: int) -> tuple[int, ...]:
        return self.target_.matrix.shape[1], reports

    def _restore(self, content: dict[str, Any]) -> None:
        self._estimate()
        if "weights" in content:
            self.weights_, self.report_weights_ = (
                _saved_weights(content["weights"][of], len(self.attributes_)) for of in ("truths", "reports")
            )

    def _log_prior(self) -> Any:
        with np.errstate(divide="ignore"):
            return np.log(self.class_prior_)

    def _log_joint(self, codes: Any) -> Any:
        total = np.tile(self._log_prior(), (len(codes), 1))
        for i, logs in enumerate(self._logs):
            total += self.weights_[i] * logs[:, codes[:, i]].T
        return total

    def _proba(self, codes: Any) -> Any:
        return _normalised(self._log_joint(codes))

    def _proba_distorted(self, codes: Any, reported_class: Any = None) -> Any:
        return _normalised(self._log_reports(codes, reported_class))

    def _log_reports(self, codes: Any, reported_class: Any = None) -> Any:
        """log P(class, reported cells [, reported class]), up to a constant: groups told together, or replaced together."""
        total = np.tile(self._log_prior(), (len(codes), 1))
        grouped = {i for group in self.groups_ for i in group.members}
        for i, logs in enumerate(self._logs_of_reports):
            if i not in grouped:
                total += self.report_weights_[i] * logs[:, codes[:, i]].T
        class_told = False
        for group in self.groups_:
            told, otherwise, with_class = self._group_terms(group, codes, reported_class)
            class_told |= with_class
            total += np.log(np.maximum(told + otherwise, 1e-300))
        if reported_class is not None and not class_told:
            with np.errstate(divide="ignore"):
                total += np.log(self.target_.matrix)[:, reported_class].T
        return total

    def _group_terms(self, group: SharedDraw, codes: Any, reported_class: Any) -> tuple[Any, Any, bool]:
        """P(reports of a group, told | class) and P(reports, not told | class), [row, class]."""
        members = codes[:, group.members]
        with_class = group.class_name is not None and reported_class is not None
        classes = len(self.classes_)
        told = group.theta * np.exp(sum(self._logs[i][:, codes[:, i]] for i in group.members).T)
        if with_class:
            told = told * (np.arange(classes) == reported_class[:, None])
        if group.flips:
            turned = (1 - group.theta) * np.exp(sum(self._logs[i][:, 1 - codes[:, i]] for i in group.members).T)
            return told, turned * (np.arange(classes) == 1 - reported_class[:, None]) if with_class else turned, with_class
        instead = (1 - group.theta) * group.innocuous(members, reported_class if with_class else None)
        return told, np.repeat(instead[:, None], classes, axis=1), with_class

    def _fares(self, codes: Any, worlds: Worlds, latent: LatentClasses) -> MarginWorlds | None:
        return None if inverses(self) is None else MarginWorlds(self, codes, worlds, latent)

    def _guessed(self, codes: Any, reported_class: Any) -> Any:
        return sampled_confusion(self, codes, reported_class)


def _normalised(logs: Any) -> Any:
    logs = logs - logs.max(axis=1, keepdims=True)
    chances = np.exp(logs)
    return chances / chances.sum(axis=1, keepdims=True)


def _saved_weights(given: Any, attributes: int) -> Any:
    saved = np.array(given, dtype=np.float64)
    if saved.shape != (attributes,) or not (np.isfinite(saved) & (saved >= 0)).all():
        raise ValueError(f"weights must be {attributes} numbers of at least 0")
    return saved
