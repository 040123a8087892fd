"""Names that changed: the old one works until the version that is named, and says once per place of use which one to use instead.

The warning is a FutureWarning, which Python shows to everyone; a DeprecationWarning would only reach those who ask for it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from deniable.errors import ParameterError

P = ParamSpec("P")
R = TypeVar("R")

_told: set[tuple[str, int, str]] = set()
# Python's own memory of what was warned of is lost whenever any library changes a filter: a loop would be warned again and again.


def warn_renamed(old: str, new: str, version: str, depth: int = 1) -> None:
    """Say that `old` is now `new` and goes in `version`, once per line that uses it: the caller of the function that calls this one.

    >>> import warnings
    >>> def proportion(values):
    ...     warn_renamed("proportion", "share", "0.3.0")
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     for _ in range(3):
    ...         proportion([1, 0])
    >>> [str(warning.message) for warning in said]
    ['proportion is now called share; the old name goes in version 0.3.0.']
    """
    frame = sys._getframe(depth + 1)
    place = (frame.f_code.co_filename, frame.f_lineno, old)
    if place not in _told:
        _told.add(place)
        warnings.warn(
            f"{old} is now called {new}; the old name goes in version {version}.", FutureWarning, stacklevel=depth + 2
        )


def renamed(old: str, function: Callable[P, R], new: str, version: str) -> Callable[P, R]:
    """The function under its old name.

    >>> import deniable as dn
    >>> loss = renamed("dn.loss", dn.reconstruction.information_loss, "dn.reconstruction.information_loss", "0.3.0")
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     loss([0.5, 0.5], [0.75, 0.25])
    0.25
    >>> len(said)
    1
    """

    @wraps(function)
    def under_its_old_name(*args: P.args, **kwargs: P.kwargs) -> R:
        warn_renamed(old, new, version)
        return function(*args, **kwargs)

    return under_its_old_name


def renamed_parameter(old: str, new: str, version: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """The function still takes a parameter by its old name too; not by both.

    >>> @renamed_parameter("apart", "n_unordered", "0.3.0")
    ... def smoothed(counts, n_unordered=0):
    ...     return n_unordered
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     smoothed([1, 2], apart=1)
    1
    >>> str(said[0].message)
    'smoothed(apart=) is now called smoothed(n_unordered=); the old name goes in version 0.3.0.'
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def with_either_name(*args: P.args, **kwargs: P.kwargs) -> R:
            if old in kwargs:
                name = function.__name__
                if new in kwargs:
                    raise ParameterError(
                        "both_names",
                        "{owner}: {old} is the old name of {new}; give only {new}.",
                        owner=name,
                        old=old,
                        new=new,
                    )
                warn_renamed(f"{name}({old}=)", f"{name}({new}=)", version)
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return with_either_name

    return decorate
