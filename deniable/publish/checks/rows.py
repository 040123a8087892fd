"""Checks of what is published beside the answers: the order of the rows, columns that name people, rows that are alone."""

from __future__ import annotations

import numpy as np

from deniable.core.order import MORE, SURPRISE, sorted_by_answers
from deniable.errors import Setting
from deniable.privacy.reporting.words import percent
from deniable.publish.checks.check import Check
from deniable.publish.checks.measured import Measured
from deniable.publish.encoding import IDENTIFIER_ROWS, NAME_ROWS, NAMES
from deniable.publish.remedies import Remedy, change, recode_or_drop

NONE = np.empty(0, np.int64)


def order_of_rows(measured: Measured) -> Check:
    """Whether rows lie in an order that tells the answers, or values that were to be hidden, as in a file that was sorted by them."""
    name = "order of rows"
    if measured.shuffled:
        text = "rows are published in random order"
        return Check(name, True, text, NONE, public=text)
    tested = (
        "people of a group who follow each other in the file have equal answers no more often than by chance, and the file is not sorted "
        "by a column that was left out or made coarser. Rows are in the order of the input: anyone who knows the place of a person there "
        "knows the row"
    )
    more, surprise = sorted_by_answers(measured.groups.place, measured.labels)
    told = []
    if surprise > SURPRISE and more > MORE:
        told.append(
            f"rows that follow each other in a group have equal answers too often ({percent(more)} of the way from chance to sorted): "
            "anyone who knows how the file was ordered can read answers off it"
        )
    if measured.sorted_by:
        told.append(
            f"rows are sorted by {', '.join(measured.sorted_by)}: anyone who knows those values of people finds their rows by their place"
        )
    if not told:
        return Check(name, True, tested, NONE, public=tested)
    everyone = np.arange(1, len(measured.labels) + 1)
    remedy = change("publish the rows in random order", "shuffle", True)
    return Check(name, False, "; ".join([*told, "publish in random order"]), everyone, public=tested, remedy=remedy)


def identifiers(measured: Measured) -> Check:
    """Whether a column has so many different values that they identify people."""
    rows = len(measured.labels)
    named = [attribute.name for attribute in measured.attributes if attribute.identifier]
    numbers = [
        attribute.name for attribute in measured.attributes if attribute.identifier and attribute.measured and attribute.ordered
    ]
    tested = (
        f"no column has a different value in (nearly) every row, or over {NAMES:,} categories with fewer than {NAME_ROWS} rows each on "
        "average"
        if rows >= IDENTIFIER_ROWS
        else f"not tested: in fewer than {IDENTIFIER_ROWS} rows it is no wonder that all values differ"
    )
    if not named:
        return Check("identifiers", True, tested, NONE, public=tested)
    used = {measured.attributes[at].name for at in measured.fitted.tree.flat.feature if at >= 0}
    told = (
        f"so many different values that they identify people: {', '.join(named)}; leave out of what is published"
        + (f", or put the numbers of {', '.join(numbers)} into bands" if numbers else "")
        + ("" if used & set(named) else ". No group was made by them")
    )
    remedy = recode_or_drop(named, measured.naming, measured.recoded)
    return Check("identifiers", False, told, np.arange(1, rows + 1), tuple(named), tested, remedy=remedy)


def singled_out(measured: Measured) -> Check:
    """Whether rows are alone, or nearly, with their values in up to three other columns."""
    alone, shared = measured.uniqueness, measured.limits.shared
    remedy = Remedy(
        (
            "columns whose values you chose yourself are left as they are; give them wider bands, a larger ", Setting("merge_rare"),
            ", or leave them out (", Setting("drop"), "), with ", Setting("min_shared", int(shared)),
        )
    )  # fmt: skip
    return Check(
        "singled out",
        alone.passed,
        alone.found,
        alone.alone + 1,
        public=alone.tested,
        limited=shared > 1,
        remedy=None if alone.passed else remedy,
    )
