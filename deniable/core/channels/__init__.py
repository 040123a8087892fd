"""Channels: P(reported | true). The laws behind them, and the designs that have a name."""
