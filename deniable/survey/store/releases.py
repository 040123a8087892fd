"""Who wants to know of answers that have just come out: those in this process who keep cumulative tables of them.

What is told are the reports of the whole batch, to be added to such tables and forgotten; nothing of it is written anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary, WeakMethod

import numpy as np
import sqlalchemy as sa

from deniable.core.domains.exact import Ints

Listener = Callable[[int, int, Ints], None]
"""Is told the version, how many answers of it were out before, and the codes of the new ones: one row each, one column per attribute."""

_listeners: WeakKeyDictionary[sa.Engine, list[WeakMethod[Listener]]] = WeakKeyDictionary()


def listen(engine: sa.Engine, listener: Listener) -> None:
    """Tell a method of every release through this engine, as long as its object lives."""
    _listeners.setdefault(engine, []).append(WeakMethod(listener))


def listened(engine: sa.Engine) -> bool:
    """Whether anyone wants to know."""
    return any(one() is not None for one in _listeners.get(engine, ()))


def tell_of_erasing(engine: sa.Engine, version_id: int) -> None:
    """Tell everyone who listens that answers were erased: nothing that was counted before holds any more."""
    tell(engine, version_id, -1, np.zeros((0, 0), dtype=np.int64))


def tell(engine: sa.Engine, version_id: int, before: int, codes: Ints) -> None:
    """Tell everyone who listens."""
    for one in list(_listeners.get(engine, ())):
        listener = one()
        if listener is not None:
            listener(version_id, before, codes)
