"""Copies by plain loops. Where numba copies into a slice it also compiles the sentence of an error, which takes 3 to 4 seconds."""

from __future__ import annotations

from typing import Any

from deniable.kernels.compiling import compiled


@compiled()
def put(values: Any, into: Any) -> None:
    """Copy a row to the beginning of another."""
    for i in range(values.shape[0]):
        into[i] = values[i]


@compiled()
def put_rows(values: Any, into: Any) -> None:
    """Copy a table to the upper left of another."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            into[i, j] = values[i, j]
