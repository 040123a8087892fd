"""Channels: P(reported | true). The laws behind them, and the designs that have a name.

The designs are imported here, so that `Channel.from_json` knows every one of them whichever module was asked for first.
"""

from deniable.core.channels import additive, designs, number_designs, optional, table_designs  # noqa: F401
