"""Frequent itemsets and association rules from distorted transactions, with error bars.

>>> import deniable as dn
>>> dn.mining.quality.__name__
'quality'
"""

from deniable.mining.quality import quality

__all__ = ["quality"]
