"""Deniable: ask sensitive questions without ever learning anyone's answer.

Every name below is loaded on first use, so that `import deniable` is quick and pulls in nothing that is not needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "Binary": "core.domains.domain",
    "Nominal": "core.domains.domain",
    "Ordinal": "core.domains.domain",
    "Integer": "core.domains.domain",
    "Continuous": "core.domains.domain",
    "Identity": "core.channels.designs",
    "KRR": "core.channels.designs",
    "Flip": "core.channels.designs",
    "Matrix": "core.channels.designs",
    "Neighbours": "core.channels.designs",
    "Retention": "core.channels.designs",
    "UnrelatedQuestion": "core.channels.designs",
    "ForcedResponse": "core.channels.designs",
    "Crosswise": "core.channels.designs",
    "Additive": "core.channels.additive",
    "Multiplicative": "core.channels.additive",
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
