"""Questionnaires without mistakes, made at random over all kinds of questions and all keys of the format."""

from __future__ import annotations

import random
from typing import Any

WORDS = ["Traffic", "Życie w mieście", "how: often?", "yes", "no", "null", "12", "1.5", "#1", "- a", "a, b", "{x}", "'q'", 'say "hi"',
         "two\nlines", "tab\there", "ünï ✓ 🙂", "~", "true", "0x1F", "2027-03-31", "a: b", "trailing.", "%s", "&amp;", "<b>"]  # fmt: skip


class Maker:
    """Draws questionnaires; the same seed gives the same ones."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.languages = self.draw.choice([["en"], ["pl"], ["en", "pl"], ["pl", "en", "de"]])
        self.open: list[tuple[str, list[str]]] = []
        self.count = 0

    def words(self) -> str:
        return " ".join(self.draw.choice(WORDS) for _ in range(self.draw.randint(1, 3))).strip()

    def text(self) -> Any:
        if self.draw.random() < 0.3:
            return self.words()
        return {language: self.words() for language in self.languages}

    def maybe(self, key: str, value: Any, chance: float = 0.4) -> dict[str, Any]:
        return {key: value} if self.draw.random() < chance else {}

    def choices(self, least: int = 2, values: list[str] | None = None) -> list[Any]:
        count = self.draw.randint(least, 6)
        known = values or self.draw.sample(["north", "south", "a b", "x:y", "7", "Ó", "much, too", "yes", "no", "other"], count)
        listed: list[Any] = []
        for value in known:
            plain: Any = int(value) if value.isdigit() and self.draw.random() < 0.5 else value
            listed.append(plain if self.draw.random() < 0.4 else {"value": plain, **self.maybe("text", self.text(), 0.9)})
        return self._told_apart(listed)

    @staticmethod
    def _told_apart(listed: list[Any]) -> list[Any]:
        """No two answers with the same text: nobody could tell them apart."""
        for number, one in enumerate(listed):
            if isinstance(one, dict) and "text" in one:
                text = one["text"]
                numbered = (
                    {key: f"{words} {number}" for key, words in text.items()} if isinstance(text, dict) else f"{text} {number}"
                )
                listed[number] = {**one, "text": numbered}
        return listed

    def privacy(self, ordered: bool) -> dict[str, Any]:
        designs: list[Any] = [{"design": "krr", "p": 0.5}, {"design": "retention", "p": 0.4}, {"design": "krr", "p": "2/5"},
                              {"design": "krr", "odds": 2.7}, {"design": "krr", "odds": "7/2"}]  # fmt: skip
        designs += [{"design": "neighbours", "level": "light"}] if ordered else []
        return self.maybe("privacy", self.draw.choice(["strong", "standard", "light", "none", *designs]), 0.7)

    def question(self) -> dict[str, Any]:
        self.count += 1
        kind = self.draw.choice(
            ["boolean", "radiogroup", "dropdown", "rating", "number", "age", "checkbox", "matrix", "information", "consent"]
        )
        name = f"q{self.count}"
        common = {"type": kind, "name": name, "title": self.text(), **self.maybe("description", self.text(), 0.3)}
        rule = {}
        if self.open and kind != "consent" and self.draw.random() < 0.3:
            asked, known = self.draw.choice(self.open)
            rule = {"visibleIf": f"{{{asked}}} {self.draw.choice(['=', '<>'])} '{self.draw.choice(known)}'"}
        made = {**common, **getattr(self, f"_{kind}")(), **rule}
        items = list(made.items())
        self.draw.shuffle(items)
        return dict(items)

    def _boolean(self) -> dict[str, Any]:
        privacy = self.privacy(ordered=False)
        if privacy.get("privacy") == "none":
            self.open.append((f"q{self.count}", ["yes", "no"]))
        return {**self.maybe("labelTrue", self.text()), **self.maybe("labelFalse", self.text()), **privacy}

    def _radiogroup(self) -> dict[str, Any]:
        ordered = self.draw.random() < 0.4
        said = {"ordered": self.draw.choice([True, "yes"])} if ordered else self.maybe("ordered", False, 0.2)
        privacy = self.privacy(ordered)
        choices = self.choices()
        if privacy.get("privacy") == "none":
            values = [str(one["value"] if isinstance(one, dict) else one) for one in choices]
            self.open.append((f"q{self.count}", values))
        use = self.maybe("for", "quantile", 0.3) if ordered and not isinstance(privacy.get("privacy"), dict) else {}
        return {"choices": choices, **said, **privacy, **use}

    _dropdown = _radiogroup

    def _rating(self) -> dict[str, Any]:
        privacy = self.privacy(ordered=True)
        use = {} if isinstance(privacy.get("privacy"), dict) else self.maybe("for", self.draw.choice(["mean", "share"]), 0.3)
        ends = {**self.maybe("minRateDescription", self.text()), **self.maybe("maxRateDescription", self.text())}
        scale = {**self.maybe("rateMin", self.draw.choice([0, 1])), **self.maybe("rateMax", self.draw.choice([4, 5, 7]))}
        return {**scale, **ends, **privacy, **use}

    def _number(self) -> dict[str, Any]:
        unit = self.maybe("unit", self.text())
        if self.draw.random() < 0.5:
            return {
                "bands": sorted(self.draw.sample(range(1, 90), self.draw.randint(2, 5))),
                **unit,
                **self.privacy(ordered=True),
            }
        level = self.maybe("privacy", self.draw.choice(["strong", "standard", "light", "none"]))
        return {"grid": True, "min": 0, "max": 20, **self.maybe("step", self.draw.choice([1, 2, 5])), **unit, **level}

    def _age(self) -> dict[str, Any]:
        return {**self.maybe("bands", [18, 30, 60]), **self.privacy(ordered=True)}

    def _checkbox(self) -> dict[str, Any]:
        values = self.draw.sample(["one", "two", "three", "four"], self.draw.randint(1, 4))
        return {"choices": self.choices(1, values), **self.privacy(ordered=False)}

    def _matrix(self) -> dict[str, Any]:
        rows = self.draw.sample(["bus", "tram", "bike"], self.draw.randint(1, 3))
        return {
            "rows": self.choices(1, rows),
            "columns": self.choices(2, ["bad", "fair", "good"]),
            **self.privacy(ordered=True),
        }

    def _information(self) -> dict[str, Any]:
        return {}

    _consent = _information

    def questions(self) -> list[dict[str, Any]]:
        return [self.question() for _ in range(self.draw.randint(1, 4))]

    def questionnaire(self) -> dict[str, Any]:
        pages = [
            {**self.maybe("title", self.text()), **self.maybe("name", "page", 0.2), "elements": self.questions()}
            for _ in range(self.draw.randint(1, 3))
        ]
        self.count += 1
        asked = {"type": "boolean", "name": f"q{self.count}", "title": self.text(), "privacy": "strong"}
        pages[-1]["elements"].append(asked)
        settings = {
            "survey": f"town-{self.draw.randint(1, 99)}", "title": self.text(), "organiser": self.text(), "contact": self.text(),
            "other_way": self.text(), **({} if self.languages == ["en"] and self.draw.random() < 0.5 else {"languages": self.languages}),
            **self.maybe("description", self.text()), **self.maybe("closes", "2099-12-31"), **self.maybe("invited", True),
            **self.maybe("linkage", self.draw.choice(["none", "code", "register"])), **self.maybe("show_sent", "never"),
            **self.maybe("practice", self.draw.choice([True, False, "no"])), **self.maybe("offline", True), **self.maybe("budget", 1000.5),
            **self.maybe("privacy", self.draw.choice(["strong", "standard", "light"])),
        }  # fmt: skip
        return {**settings, "pages": pages}
