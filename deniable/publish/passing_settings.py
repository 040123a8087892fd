"""With which settings a table that failed its checks passes them: found by trying, so that an owner need not."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from deniable.errors import DeniableError
from deniable.plurals import counted
from deniable.progress import Progress
from deniable.publish.frames import publish_in_order
from deniable.publish.publication import Publication

TRIES = 4
"""Coarser values first, then fewer columns; what does not help by then needs the owner's own judgement."""
LONGEST = 60.0
"""Seconds that a publication may have taken for others to be tried."""


class Passing(NamedTuple):
    """Settings that pass all checks, and what they cost; or none, and why."""

    settings: dict[str, Any]
    notes: tuple[str, ...] = ()


def passing_settings(
    data: Any,
    sensitive: Sequence[str],
    failed: Publication,
    parameters: Mapping[str, Any],
    shuffle: bool = True,
    progress: Progress | None = None,
    seconds: float = 0.0,
) -> Passing:
    """Settings that, beside those given, make every check pass; none where none were found.

    Names and the like are left out. Other telling columns are made coarser, and left out only if that does not help.

    Parameters
    ----------
    data : the true table.
    sensitive : the columns that are hidden.
    failed : the publication of it that failed a check.
    parameters : the arguments of `publish_frame` that it was made with.
    shuffle : whether it was published in random order.
    progress : a listener for long work.
    seconds : how long that publication took; where it was long, nothing is tried.

    Returns
    -------
    Passing
        Arguments of `publish_frame` that are new or changed (of `drop` only the columns that were not left out already), and what they
        cost.

    Examples
    --------
    >>> import deniable as dn, pandas as pd
    >>> people = pd.DataFrame({"pills": ["many", "few"] * 100, "town": ["A"] * 100 + ["B"] * 100, "ill": ["yes", "no"] * 100})
    >>> passing_settings(people, ["ill"], dn.publish_frame(people, "ill", 0.1), {"min_deniability": 0.1}).settings
    {'drop': ['pills']}
    """
    if seconds > LONGEST:
        return Passing({}, (f"No other settings were tried: publishing this table took more than {LONGEST:.0f} seconds.",))
    latest, changed = failed, dict[str, Any]()
    for _ in range(TRIES):
        wanted = _changes(latest, changed.get("drop") or parameters.get("drop") or ())
        if not wanted:
            return Passing({})
        changed |= wanted
        again = _published(data, sensitive, shuffle, {**parameters, **changed}, progress)
        if again is None:
            return Passing(
                {}, ("No settings were found that pass: what would fix the checks one by one cannot be set together.",)
            )
        latest = again
        if latest.passed:
            break
    else:
        return Passing({}, (f"No settings were found that pass; the search was stopped after {counted(TRIES, 'attempt')}.",))
    if changed.get("recode") and changed["drop"]:
        # Where the telling columns had to go in the end, the others may stay as fine as they were.
        finer = {key: value for key, value in changed.items() if key != "recode"}
        again = _published(data, sensitive, shuffle, {**parameters, **finer}, progress)
        if again is not None and again.passed:
            changed, latest = finer, again
    changed["drop"] = [name for name in changed["drop"] if name not in (parameters.get("drop") or ())]
    return Passing({key: value for key, value in changed.items() if value != []}, _costs(latest, failed, changed["drop"]))


def _costs(passing: Publication, failed: Publication, dropped: Sequence[str]) -> tuple[str, ...]:
    """What is lost beside what was lost already."""
    before = {recoding.owner for recoding in failed.recodings}
    recoded = [recoding.owner for recoding in passing.recodings if recoding.owner not in before]
    return (*([f"Columns that are left out then: {', '.join(dropped)}."] if dropped else []), *(f"{text}." for text in recoded))


def _published(
    data: Any, sensitive: Sequence[str], shuffle: bool, parameters: dict[str, Any], progress: Progress | None
) -> Publication | None:
    """The publication with these parameters; None where they contradict each other."""
    given = {"shuffle": shuffle, **parameters}
    listed = given.get("categorical") or ()
    given["categorical"] = [name for name in ([listed] if isinstance(listed, str) else listed) if name not in given["drop"]]
    try:
        with warnings.catch_warnings():
            # They were said of the first attempt, or will be said when the owner makes the next.
            warnings.simplefilter("ignore")
            return publish_in_order(data, sensitive, progress=progress, **given)
    except DeniableError:
        return None


def _changes(failed: Publication, dropped: Sequence[str]) -> dict[str, Any]:
    """What to try next: the remedies of all failed checks; nothing where one of them has none."""
    drop = list(dropped)
    wanted: dict[str, Any] = {}
    for guaranteed in failed.guarantees:
        for check in guaranteed.failed:
            settings = check.remedy.settings if check.remedy is not None else {}
            if not settings:
                return {}
            wanted |= settings
            drop += [name for name in settings.get("drop", ()) if name not in drop]
    wanted.pop("drop", None)
    return wanted | {"drop": drop}
