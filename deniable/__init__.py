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
    from deniable.classify.naive_bayes import ReconstructionNaiveBayes as ReconstructionNaiveBayes
    from deniable.classify.scoring import distorted_scorer as distorted_scorer
    from deniable.classify.store import load_model as load_model
    from deniable.classify.tree import ReconstructionTree as ReconstructionTree
    from deniable.classify.validation import distort_and_cross_validate as distort_and_cross_validate
    from deniable.core.additive import Additive as Additive
    from deniable.core.additive import Multiplicative as Multiplicative
    from deniable.core.channel import Channel as Channel
    from deniable.core.csv_format import reading_csv as reading_csv
    from deniable.core.designs import KRR as KRR
    from deniable.core.designs import Crosswise as Crosswise
    from deniable.core.designs import Flip as Flip
    from deniable.core.designs import ForcedResponse as ForcedResponse
    from deniable.core.designs import Identity as Identity
    from deniable.core.designs import Matrix as Matrix
    from deniable.core.designs import Neighbours as Neighbours
    from deniable.core.designs import Retention as Retention
    from deniable.core.designs import UnrelatedQuestion as UnrelatedQuestion
    from deniable.core.domain import Binary as Binary
    from deniable.core.domain import Continuous as Continuous
    from deniable.core.domain import Integer as Integer
    from deniable.core.domain import Nominal as Nominal
    from deniable.core.domain import Ordinal as Ordinal
    from deniable.core.estimate import Estimate as Estimate
    from deniable.core.groups import Group as Group
    from deniable.core.noise import Laplace as Laplace
    from deniable.core.noise import Normal as Normal
    from deniable.core.noise import Staircase as Staircase
    from deniable.core.noise import Uniform as Uniform
    from deniable.core.optional import Optional as Optional
    from deniable.core.schema import Schema as Schema
    from deniable.core.tables import CellTable as CellTable
    from deniable.core.tables import counts as counts
    from deniable.errors import DeniableError as DeniableError
    from deniable.mining.itemsets import frequent_itemsets as frequent_itemsets
    from deniable.mining.rules import association_rules as association_rules
    from deniable.mining.supports import itemset_support as itemset_support
    from deniable.mining.transactions import Transactions as Transactions
    from deniable.publish.comparison import compare_publishing as compare_publishing
    from deniable.publish.deniability_tree import DeniabilityTree as DeniabilityTree
    from deniable.publish.publication import Publication as Publication
    from deniable.publish.publication import publish_frame as publish_frame
    from deniable.reconstruction.reconstruct import reconstruct as reconstruct
    from deniable.statistics.conditions import where as where
    from deniable.statistics.reading import read as read
    from deniable.statistics.sample import Sample as Sample

__version__ = "0.1.0"

_HOME = {
    "Binary": "core.domain",
    "Nominal": "core.domain",
    "Ordinal": "core.domain",
    "Integer": "core.domain",
    "Continuous": "core.domain",
    "Identity": "core.designs",
    "KRR": "core.designs",
    "Flip": "core.designs",
    "Matrix": "core.designs",
    "Neighbours": "core.designs",
    "Retention": "core.designs",
    "UnrelatedQuestion": "core.designs",
    "ForcedResponse": "core.designs",
    "Crosswise": "core.designs",
    "Additive": "core.additive",
    "Multiplicative": "core.additive",
    "Optional": "core.optional",
    "Uniform": "core.noise",
    "Normal": "core.noise",
    "Laplace": "core.noise",
    "Staircase": "core.noise",
    "Channel": "core.channel",
    "Group": "core.groups",
    "Schema": "core.schema",
    "reading_csv": "core.csv_format",
    "CellTable": "core.tables",
    "counts": "core.tables",
    "Estimate": "core.estimate",
    "reconstruct": "reconstruction.reconstruct",
    "Sample": "statistics.sample",
    "where": "statistics.conditions",
    "read": "statistics.reading",
    "Transactions": "mining.transactions",
    "frequent_itemsets": "mining.itemsets",
    "itemset_support": "mining.supports",
    "association_rules": "mining.rules",
    "DeniabilityTree": "publish.deniability_tree",
    "Publication": "publish.publication",
    "publish_frame": "publish.frames",
    "compare_publishing": "publish.comparison",
    "ReconstructionNaiveBayes": "classify.naive_bayes",
    "ReconstructionTree": "classify.tree",
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
