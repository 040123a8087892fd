"""With which options a table that failed its checks passes them: found by trying, so that an owner need not."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from deniable.errors import DeniableError
from deniable.progress import Progress
from deniable.publish.guarantees import Check, Guarantees
from deniable.publish.publication import Publication, publish_in_order

TRIES = 4
"""Coarser values first, then fewer columns; what does not help by then needs the owner's own judgement."""
LONGEST = 60.0
"""Seconds that a publication may have taken for others to be tried."""


def remedy(
    data: Any,
    sensitive: Sequence[str],
    found: Publication,
    parameters: Mapping[str, Any],
    shuffle: bool = True,
    progress: Progress | None = None,
) -> tuple[str, ...]:
    """Options of the command line that, added to those given, make every check pass; none where none were found.

    Names and the like are left out. Other telling columns are made coarser, and left out only if that does not help.

    >>> import deniable as dn, pandas as pd
    >>> people = pd.DataFrame({"pills": ["many", "few"] * 100, "town": ["A"] * 100 + ["B"] * 100, "ill": ["yes", "no"] * 100})
    >>> remedy(people, ["ill"], dn.publish_frame(people, "ill", 0.1), {"min_deniability": 0.1})
    ('--drop', 'pills')
    """
    tried, changed = dict(parameters), dict[str, Any]()
    for _ in range(TRIES):
        wanted = _changes(found, tried)
        if not wanted:
            return ()
        changed |= wanted
        again = _publication(data, sensitive, shuffle, {**parameters, **changed}, progress)
        if again is None:
            return ()
        found, tried = again, {**parameters, **changed}
        if found.passed:
            break
    else:
        return ()
    if changed.get("recode") and changed["drop"]:
        # Where the telling columns had to go in the end, the others may stay as fine as they were.
        finer = {key: value for key, value in changed.items() if key != "recode"}
        again = _publication(data, sensitive, shuffle, {**parameters, **finer}, progress)
        changed = finer if again is not None and again.passed else changed
    return _options(changed, parameters)


def _publication(
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


def in_shell(options: Sequence[str]) -> str:
    """Options as they are typed.

    >>> in_shell(("--drop", "insurance fee"))
    "--drop 'insurance fee'"
    """
    return shlex.join(options)


def _changes(found: Publication, tried: Mapping[str, Any]) -> dict[str, Any]:
    """What to try next; nothing where a check fails that no option mends."""
    drop = list(tried.get("drop") or ())
    wanted: dict[str, Any] = {}
    for own in found.guarantees:
        for check in own.failed:
            if check.columns:
                naming = {of.name for of in own.tree.tree_.attributes if of.identifier and not of.measured}
                coarser = not tried.get("recode")
                wanted |= {"recode": True} if coarser and set(check.columns) - naming else {}
                drop += [name for name in check.columns if name not in drop and (name in naming or not coarser)]
                continue
            setting = _setting(check, own)
            if setting is None:
                return {}
            wanted |= setting
    return wanted | {"drop": drop}


def _setting(check: Check, found: Guarantees) -> dict[str, Any] | None:
    overall, limits = found.overall, found.overall["limits"]
    if check.name == "order of rows":
        return {"shuffle": True}
    if check.name == "small groups" and overall["rows"] >= limits["rows"]:
        return {"min_rows": limits["rows"]}
    if check.name == "skew":
        return {"max_skew": limits["skew"]}
    if check.name == "relative skew":
        return {"max_skew_ratio": limits["skew_ratio"]}
    if check.name == "worst posterior" and overall["largest_answer"] <= limits["posterior"]:
        return {"max_posterior": limits["posterior"]}
    if check.name == "background knowledge" and overall["ruled_out_of_all_rows"] <= limits["ruled_out"]:
        return {"max_ruled_out": limits["ruled_out"]}
    return None


def _options(changed: Mapping[str, Any], before: Mapping[str, Any]) -> tuple[str, ...]:
    options: list[str] = []
    for key, value in changed.items():
        name = "--" + key.replace("_", "-")
        if key == "drop":
            options += [part for column in value if column not in (before.get("drop") or ()) for part in (name, column)]
        elif value is True:
            options.append(name)
        else:
            options += [name, f"{value:g}"]
    return tuple(options)
