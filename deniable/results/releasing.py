"""What may be released to everyone, so that nobody learns of fewer than 50 people by subtracting one release from another.

A released page follows the rule for those who may not export (viewable.py). That rule holds for whatever is asked of the same answers. But
a page stays in the hands of those who copied it, also if it was taken back; so a release is looked at beside all that there ever were:

- The same answers in the same classes: any selection may be released, for the rule holds for all of them together.
- Other answers (a batch came out after the survey was opened again, or somebody's were erased), or other classes (a later program may
  divide people otherwise): groups of both releases could be subtracted from each other. So only single hidden questions of everyone are
  released.
- Fewer answers than at an earlier release, or up to 49 more: somebody's were erased, and nothing new hides what they were. Nothing is
  released. With 50 more, whatever involves the later release involves those 50.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from deniable.errors import RefusedError
from deniable.results.cells import FEWEST
from deniable.results.showing import Ready, ready
from deniable.results.viewable import Viewable
from deniable.results.workbench import Workbench
from deniable.survey.store.published import Moment

EVERYONE = "everyone"
"""The division of a release of single hidden questions of everyone."""


@dataclass(frozen=True)
class Releasable:
    """The answers as they may be released now, what they are, and what was ever released."""

    ready: Ready
    moment: Moment
    known: set[tuple[int, str]]


def division_of(viewable: Viewable) -> str:
    """By what a division into classes is recognised: the cells of every open question, and which of them divide people."""
    if viewable.everyone_only:
        return EVERYONE
    cells = {name: one.codes for name, one in sorted(viewable.cells.items())}
    return hashlib.sha256(json.dumps([cells, viewable.chain]).encode()).hexdigest()[:32]


def releasable(bench: Workbench, slug: str) -> Releasable:
    """The answers to the newest version that has any, as they may be released now; refused where nothing may."""
    state, closings = bench.store.closings_of(slug)
    if state != "closed":
        raise RefusedError("release_after_closing", "Results of {slug} can be released when it is closed.", slug=slug)
    here = bench.ready(slug)
    assert here.viewable is not None
    read = bench.store.version(slug, here.material.number)
    total = here.whole.table([next(iter(here.whole.schema))]).total
    if total < FEWEST:
        raise RefusedError("few_to_release", "Fewer than {fewest} answers: too few to be released.", fewest=FEWEST)
    known = bench.store.once_released(read.id)
    if any(total != before and total - before < FEWEST for before, _ in known):
        raise RefusedError(
            "few_apart", "Answers were erased after results were released. Whoever has both pages could learn what they were. Results can "
            "be released again when there are {fewest} answers more than then.", fewest=FEWEST,
        )  # fmt: skip
    division = division_of(here.viewable)
    if any(before != total or divided not in (division, EVERYONE) for before, divided in known):
        why = "reopened" if closings > 1 else "divided"
        here = ready(here.material.number, here.whole.data, here.whole.schema, exporting=False, grown=why)
        division = EVERYONE
    return Releasable(here, Moment(read.id, closings, total, division), known)
