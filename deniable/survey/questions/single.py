"""Questions with one answer out of a list: yes or no, radio buttons, dropdowns, ratings."""

from __future__ import annotations

from typing import Any

from deniable.core.domains.domain import Domain
from deniable.planning.questions import has_mean
from deniable.survey.questions.choices import AnswerForm, Choice, domain_of, read_choices
from deniable.survey.questions.reading import Reading, channel_of, privacy_of, use_of, yes_no
from deniable.survey.texts import joined, text


def single_choice(reading: Reading, given: dict[str, Any], choices: list[Choice], ordered: bool, **extra: Any) -> AnswerForm:
    """One answer out of a list, with a second question beside it where the design puts one to people."""
    domain = domain_of(choices, ordered)
    # Of yes and no nothing is chosen, and that it has no `for` is said already.
    use = None if given["type"] == "boolean" else use_of(reading, given)
    _check_use(reading, domain, ordered, use)
    channel = channel_of(reading, given, domain, ordered, use)
    privacy = privacy_of(reading, given)
    if isinstance(privacy, dict) and yes_no(reading, ("privacy", "asked"), privacy.get("asked", False)):
        if given["type"] == "dropdown":
            raise reading.error(
                ("privacy", "asked"), "asked_where", "a second question is asked beside radio buttons, not in a dropdown."
            )
        extra["asked"] = text(reading.document, reading.at("privacy", "question"), privacy.get("question"), reading.languages)
    return AnswerForm({str(given.get("name")): channel}, choices, extra=extra, use=use)


def _check_use(reading: Reading, domain: Domain, ordered: bool, use: str | None) -> None:
    """Of answers in an order quantiles are known; of numbers means, too."""
    if use is not None and not ordered:
        raise reading.error(
            ("for",), "use_of_order",
            "for: {use} is said of answers in an order: a rating, ordered: true, or a number. Without an order every answer's share is "
            "known equally well, so take `for` away.",
            use=use,
        )  # fmt: skip
    if use == "mean" and not has_mean(domain):
        raise reading.error(
            ("for",), "use_of_numbers",
            "for: mean is said of numbers: a number on a grid (grid: true with min, max and step), or a rating of more than two answers "
            "that are all numbers. Of ranges and words only shares and quantiles are known.",
        )  # fmt: skip


def read_boolean(reading: Reading, given: dict[str, Any], kind: str, name: str) -> AnswerForm:
    """Yes or no."""
    words = {
        "labelFalse": joined(reading.languages, en="No", pl="Nie"),
        "labelTrue": joined(reading.languages, en="Yes", pl="Tak"),
    }
    shown = {key: reading.text(given, key) if key in given else word for key, word in words.items()}
    return single_choice(reading, given, [Choice("no", shown["labelFalse"]), Choice("yes", shown["labelTrue"])], ordered=False)


def read_picked(reading: Reading, given: dict[str, Any], kind: str, name: str) -> AnswerForm:
    """Radio buttons or a dropdown."""
    return single_choice(
        reading,
        given,
        read_choices(reading, given, "choices"),
        ordered=yes_no(reading, ("ordered",), given.get("ordered", False)),
    )


def read_rating(reading: Reading, given: dict[str, Any], kind: str, name: str) -> AnswerForm:
    """A scale, of its own words or of numbers."""
    if "choices" in given:
        choices = read_choices(reading, given, "choices")
    else:
        low, high = given.get("rateMin", 1), given.get("rateMax", 5)
        if not isinstance(low, int) or not isinstance(high, int) or not 1 <= high - low <= 20:
            raise reading.error(
                ("rateMax",), "rating_ends", "rateMin and rateMax are whole numbers 1 to 20 apart, got {low!r} and {high!r}.",
                low=low, high=high,
            )  # fmt: skip
        choices = [Choice(str(i), joined(reading.languages, en=str(i))) for i in range(low, high + 1)]
    ends = {key: reading.text(given, key) for key in ("minRateDescription", "maxRateDescription") if key in given}
    return single_choice(reading, given, choices, ordered=True, **ends)
