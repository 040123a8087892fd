"""Domains: what may be true, as labels and grids.

Those that have a name are imported here, so that `Domain.from_json` knows every one of them whichever module was asked for first.
"""

from deniable.core.domains import grids, labels, missing  # noqa: F401
