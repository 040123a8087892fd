"""Packages that are not installed with Deniable itself, and what to install where one is missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from deniable.errors import DeniableError


def not_installed(package: str, extra: str) -> DeniableError:
    """The error to raise where an optional package is not installed.

    >>> print(not_installed("duckdb", "duckdb"))
    This needs the package duckdb, which is not installed: pip install "deniable[duckdb]".
    """
    return DeniableError(
        "no_package",
        'This needs the package {package}, which is not installed: pip install "deniable[{extra}]".',
        package=package,
        extra=extra,
    )


def optional(package: str, extra: str) -> Any:
    """Import a package of one of the extras.

    >>> optional("json", "none").dumps([1])
    '[1]'
    """
    try:
        return import_module(package)
    except ImportError:
        raise not_installed(package, extra) from None
