"""Deniable: ask sensitive questions without ever learning anyone's answer.

Every name below is loaded on first use, so that `import deniable` is quick and pulls in nothing that is not needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

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
    "reading_csv": "files.csv_format",
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
    "publish_frame": "publish.publication",
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
