"""Reads a page of results, or a report, as a careful person would, and says what is wrong with it: `test_results_walk.py` reads all."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

NOT_READ = {"script", "style", "code", "title"}
VOID = {"meta", "link", "input", "br", "img"}


class Reading(HTMLParser):
    """The texts of a page, its pictures with all that is drawn in them, and its links."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.values: list[str] = []
        self.pictures: list[dict[str, Any]] = []
        self.links: list[str] = []
        self._open: list[tuple[str, str]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        kind = given.get("class", "")
        if tag == "svg" and kind == "strip":
            self.pictures.append({"dots": [], "intervals": [], "marks": []})
        elif tag == "circle" and kind == "dot":
            self._drawn("dots", given["cx"])
        elif tag == "line" and kind == "interval":
            self._drawn("intervals", given["x1"], given["x2"])
        elif tag == "svg" and "x" in given:
            self._drawn("marks", given["x"])
        if tag == "a":
            self.links.append(given.get("href", ""))
        if tag not in VOID:
            self._open.append((tag, kind if given.get("id") != "where-hint" else "example"))

    def _drawn(self, what: str, *places: str) -> None:
        self.pictures[-1][what].append(tuple(float(place.removesuffix("%")) for place in places))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        text = " ".join(data.split())
        if not text or any(tag in NOT_READ or kind == "example" for tag, kind in self._open):
            return
        self.texts.append(text)
        if self._open[-1][1] == "value":
            self.values.append(text)


def faults(page: str, codes: set[str]) -> list[str]:
    """What is wrong with a page: points without intervals, dots beside their lines, impossible shares, codes instead of texts."""
    read = Reading(page)
    found = []
    for picture in read.pictures:
        if len(picture["dots"]) != 1 or len(picture["intervals"]) != 1:
            found.append(f"a point without its interval: {picture}")
            continue
        ((dot,),), ((low, high),) = picture["dots"], picture["intervals"]
        if not 3 <= low <= dot <= high <= 97:
            found.append(f"a dot beside its line: {low} {dot} {high}")
        found += [f"a mark outside its picture: {mark}" for (mark,) in picture["marks"] if not 3 <= mark <= 97]
    for drawn in re.findall(r"<svg[^>]*aria-label.*?</svg>", page, flags=re.DOTALL):  # those of a report
        if drawn.count("<circle") != drawn.count('stroke-width="3"'):
            found.append(f"a point without its interval: {drawn[:200]}")
    if len(read.values) != len(read.pictures):
        found.append(f"{len(read.values)} estimates with {len(read.pictures)} pictures")
    for text in read.texts:
        shares = [float(share.replace(",", ".")) for share in re.findall(r"(-?[\d.,]*\d)%", text)]
        shares += [float(share) for share in re.findall(r"(-?\d+)(?: and | do )?(?=.{0,12}(?:in|na) 100\b)", text)]
        if any(not 0 <= share <= 100 for share in shares):
            found.append(f"an impossible share: {text}")
        if text in codes or re.search(r"\[-?\d[\d.]*, -?\d[\d.]*[)\]]", text):
            found.append(f"a code: {text}")
        found += [
            f"a code: {text}" for code in codes if code not in SHORT and re.search(rf"(?<!\w){re.escape(code)}(?!\w)", text)
        ]
    return found


SHORT = {"F", "M", "yes", "no", "sex", "age", "mood", "no answer"}
"""Codes that may be words or letters of a text: they are codes where nothing else stands with them."""
