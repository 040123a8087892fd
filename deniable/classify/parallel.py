"""Pieces of work at once, through joblib: in other processes, or on other machines where its backend says so."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

from joblib import Parallel


def finished(work: Iterable[Any], n_jobs: int | None, threads: bool = False) -> Iterator[Any]:
    """The results of joblib's delayed calls, in their order, each as soon as it and those before it are there.

    `threads`: compiled code does nearly all, so that threads of this process are enough; unless a backend was chosen around the call.

    >>> from joblib import delayed
    >>> list(finished([delayed(abs)(-1), delayed(abs)(2)], n_jobs=1))
    [1, 2]
    """
    results = Parallel(n_jobs=n_jobs, prefer="threads" if threads else None, return_as="generator")(work)
    try:
        yield from results
    except BaseException:
        with warnings.catch_warnings():
            # Tasks that are no longer wanted are given up, which joblib would have us think about.
            warnings.simplefilter("ignore")
            results.close()
        raise
