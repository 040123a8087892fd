"""Deniable: ask sensitive questions without ever learning anyone's answer.

Every name below is loaded on first use, so that `import deniable` is quick and pulls in nothing that is not needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Type checkers and editors see the real types here; nothing of this runs. The same names as below (tests/test_types.py).
if TYPE_CHECKING:
    from deniable import datasets as datasets
    from deniable import mining as mining
    from deniable import privacy as privacy
    from deniable import reconstruction as reconstruction
    from deniable.classify.as_reported import AsReported as AsReported
    from deniable.classify.ensembles.auto import AutoClassifier as AutoClassifier
    from deniable.classify.ensembles.ensemble import ReconstructionEnsemble as ReconstructionEnsemble
    from deniable.classify.forest.unbiased import UnbiasedForest as UnbiasedForest
    from deniable.classify.naive_bayes import ReconstructionNaiveBayes as ReconstructionNaiveBayes
    from deniable.classify.patterns.emerging import EmergingPatterns as EmergingPatterns
    from deniable.classify.patterns.lazy import LazyPatterns as LazyPatterns
    from deniable.classify.scoring import distorted_scorer as distorted_scorer
    from deniable.classify.store import load_model as load_model
    from deniable.classify.tree import ReconstructionTree as ReconstructionTree
    from deniable.classify.validation import distort_and_cross_validate as distort_and_cross_validate
    from deniable.core.channels.additive import Additive as Additive
    from deniable.core.channels.additive import Multiplicative as Multiplicative
    from deniable.core.channels.base import Channel as Channel
    from deniable.core.channels.designs import KRR as KRR
    from deniable.core.channels.designs import Crosswise as Crosswise
    from deniable.core.channels.designs import Flip as Flip
    from deniable.core.channels.designs import ForcedResponse as ForcedResponse
    from deniable.core.channels.designs import Identity as Identity
    from deniable.core.channels.designs import Retention as Retention
    from deniable.core.channels.designs import UnrelatedQuestion as UnrelatedQuestion
    from deniable.core.channels.groups import Group as Group
    from deniable.core.channels.noise import Laplace as Laplace
    from deniable.core.channels.noise import Normal as Normal
    from deniable.core.channels.noise import Staircase as Staircase
    from deniable.core.channels.noise import Uniform as Uniform
    from deniable.core.channels.number_designs import OneBit as OneBit
    from deniable.core.channels.number_designs import Piecewise as Piecewise
    from deniable.core.channels.optional import Optional as Optional
    from deniable.core.channels.table_designs import Matrix as Matrix
    from deniable.core.channels.table_designs import Neighbours as Neighbours
    from deniable.core.domains.grids import Continuous as Continuous
    from deniable.core.domains.grids import Integer as Integer
    from deniable.core.domains.labels import Binary as Binary
    from deniable.core.domains.labels import Nominal as Nominal
    from deniable.core.domains.labels import Ordinal as Ordinal
    from deniable.core.estimate import Estimate as Estimate
    from deniable.core.schema import Schema as Schema
    from deniable.core.tables import CellTable as CellTable
    from deniable.core.tables import counts as counts
    from deniable.errors import DeniableError as DeniableError
    from deniable.files.csv_format import reading_csv as reading_csv
    from deniable.mining.itemsets import frequent_itemsets as frequent_itemsets
    from deniable.mining.rules import association_rules as association_rules
    from deniable.mining.supports import itemset_support as itemset_support
    from deniable.mining.transactions import Transactions as Transactions
    from deniable.planning.plan import plan as plan
    from deniable.planning.planned import Plan as Plan
    from deniable.publish.comparison import compare_publishing as compare_publishing
    from deniable.publish.deniability_tree import DeniabilityTree as DeniabilityTree
    from deniable.publish.frames import publish_frame as publish_frame
    from deniable.publish.publication import Publication as Publication
    from deniable.reconstruction.reconstruct import reconstruct as reconstruct
    from deniable.statistics.conditions import where as where
    from deniable.statistics.reading import read as read
    from deniable.statistics.sample import Sample as Sample

__version__ = "0.1.0"

_HOME = {
    "Binary": "core.domains.labels",
    "Nominal": "core.domains.labels",
    "Ordinal": "core.domains.labels",
    "Integer": "core.domains.grids",
    "Continuous": "core.domains.grids",
    "Identity": "core.channels.designs",
    "KRR": "core.channels.designs",
    "Flip": "core.channels.designs",
    "Matrix": "core.channels.table_designs",
    "Neighbours": "core.channels.table_designs",
    "Retention": "core.channels.designs",
    "UnrelatedQuestion": "core.channels.designs",
    "ForcedResponse": "core.channels.designs",
    "Crosswise": "core.channels.designs",
    "Additive": "core.channels.additive",
    "Multiplicative": "core.channels.additive",
    "OneBit": "core.channels.number_designs",
    "Piecewise": "core.channels.number_designs",
    "Optional": "core.channels.optional",
    "Uniform": "core.channels.noise",
    "Normal": "core.channels.noise",
    "Laplace": "core.channels.noise",
    "Staircase": "core.channels.noise",
    "Channel": "core.channels.base",
    "Group": "core.channels.groups",
    "Schema": "core.schema",
    "reading_csv": "files.csv_format",
    "CellTable": "core.tables",
    "counts": "core.tables",
    "Estimate": "core.estimate",
    "reconstruct": "reconstruction.reconstruct",
    "Sample": "statistics.sample",
    "where": "statistics.conditions",
    "read": "statistics.reading",
    "plan": "planning.plan",
    "Plan": "planning.planned",
    "Transactions": "mining.transactions",
    "frequent_itemsets": "mining.itemsets",
    "itemset_support": "mining.supports",
    "association_rules": "mining.rules",
    "DeniabilityTree": "publish.deniability_tree",
    "Publication": "publish.publication",
    "publish_frame": "publish.frames",
    "compare_publishing": "publish.comparison",
    "AutoClassifier": "classify.ensembles.auto",
    "ReconstructionEnsemble": "classify.ensembles.ensemble",
    "ReconstructionNaiveBayes": "classify.naive_bayes",
    "ReconstructionTree": "classify.tree",
    "UnbiasedForest": "classify.forest.unbiased",
    "AsReported": "classify.as_reported",
    "EmergingPatterns": "classify.patterns.emerging",
    "LazyPatterns": "classify.patterns.lazy",
    "load_model": "classify.store",
    "distorted_scorer": "classify.scoring",
    "distort_and_cross_validate": "classify.validation",
    "DeniableError": "errors",
}
_ROOMS = ("datasets", "mining", "privacy", "reconstruction")

__all__ = [*_HOME, *_ROOMS, "__version__"]


if not TYPE_CHECKING:  # to a type checker it would say that every name exists

    def __getattr__(name: str) -> Any:
        if name in _HOME:
            value = getattr(import_module(f"deniable.{_HOME[name]}"), name)
        elif name in _ROOMS:
            value = import_module(f"deniable.{name}")
        else:
            raise AttributeError(f"module 'deniable' has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
