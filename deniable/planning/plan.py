"""`dn.plan`: what a schema or questionnaire will be able to tell, before anyone is asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deniable.core.channels.base import Channel
from deniable.core.domains.labels import Ordinal
from deniable.core.schema import Schema
from deniable.errors import ParameterError
from deniable.planning.planned import ONLY, PURPOSES, Plan, plannable
from deniable.planning.questions import has_mean
from deniable.statistics.numeric_attributes import check_known


def plan(
    what: Any, answers: int = 1_000, group: float = 0.5, by: str | None = None, asked_for: str | Mapping[str, str] | None = None,
    truth: Mapping[str, Any] | None = None,
) -> Plan:  # fmt: skip
    """What a schema, a channel or a questionnaire will be able to tell with so many answers.

    Parameters
    ----------
    what
        A schema or the path of its file, a channel, or a questionnaire.
    answers
        How many are expected.
    group
        The share of the people who are in a group that is looked at by itself, and compared with everyone else.
    by
        The attribute by whose answer people are in that group; without one they say so openly.
    asked_for
        What attributes are asked for, by name or for all: "share", "mean" or "quantile". Without it what the questionnaire says, if it
        has an `asked_for`; else shares, and the mean of numbers.
    truth
        By name how frequent the answers are, for means: shares in the order of the answers or a mapping. Without it all are alike.

    Returns
    -------
    Plan
        Margins, differences that would be found, how many answers or how much protection they take.

    Examples
    --------
    >>> import deniable as dn
    >>> plan = dn.plan(dn.KRR(dn.Nominal(["no", "yes"]), 0.75), answers=1_000)
    >>> [round(100 * plan.margin(share=share), 1) for share in (0.1, 0.5)]
    [5.6, 6.2]
    """
    schema = _schema(what)
    said = getattr(what, "asked_for", None)
    # A questionnaire that asks for shares means those of the lowest values, by which its design was chosen.
    lowest = [name for name, use in (said or {}).items() if use == "share" and asked_for is None]
    asked_for = said if asked_for is None else asked_for
    if isinstance(answers, bool) or not isinstance(answers, int) or answers < 1:
        raise ParameterError("answers", "The number of answers must be a whole number above 0, got {got!r}.", got=answers)
    if isinstance(group, bool) or not isinstance(group, (int, float)) or not 0 < group < 1:
        raise ParameterError("group", "group is the share of the people in it, between 0 and 1, got {got!r}.", got=group)
    planned = plannable(schema)
    if not planned:
        raise ParameterError(
            "nothing_to_plan",
            "Nothing can be planned: {names} have numbers without a step, or a single answer.",
            names=list(schema),
        )
    for name in [*([] if by is None else [by]), *(truth or {}), *(asked_for if isinstance(asked_for, Mapping) else ())]:
        check_known(planned, name)
    # A questionnaire knows of second questions that people answer themselves, which give away more.
    epsilons = {name: epsilon for element in getattr(what, "elements", ()) for name, epsilon in element.epsilons.items()}
    return Plan(schema, answers, float(group), by, _purposes(asked_for, planned), truth or {}, epsilons, lowest)


def _purposes(asked_for: str | Mapping[str, str] | None, planned: Mapping[str, Channel]) -> dict[str, str]:
    """What each attribute is asked for, where it was said."""
    purposes = dict.fromkeys(planned, asked_for) if isinstance(asked_for, str) else dict(asked_for or {})
    for name, purpose in purposes.items():
        domain = planned[name].domain
        ordered = has_mean(domain) or isinstance(domain.answered, Ordinal)
        if purpose not in PURPOSES or (purpose == "mean" and not has_mean(domain)) or (purpose == "quantile" and not ordered):
            raise ParameterError(
                "asked_for", "{name!r} cannot be asked for {got!r}: that is one of {allowed}; only numbers have means, and only what is in "
                "an order has quantiles.",
                name=name, got=purpose, allowed=list(PURPOSES),
            )  # fmt: skip
    return purposes


def _schema(given: Any) -> Schema:
    """The schema of what is to be planned."""
    if isinstance(given, Channel):
        return Schema({ONLY: given})
    if isinstance(given, (str, Path)):
        return Schema.load(given)
    schema = getattr(given, "schema", given)
    if not isinstance(schema, Schema):
        raise ParameterError(
            "not_plannable",
            "A plan is for a schema, a channel such as dn.KRR(...) or a questionnaire, got {got}.",
            got=type(given).__name__,
        )
    return schema
