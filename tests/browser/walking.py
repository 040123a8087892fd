"""A walk through a browser: by the keyboard alone, and with a careful look at each page."""

from __future__ import annotations

import os
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

PICTURES = os.environ.get("DENIABLE_PICTURES")
"""A folder for pictures of every page, for those who want to look at them."""
RULES = "{runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}"
# Words that stand out of their box, or are cut off by it; what may be scrolled is meant to be larger than it shows.
CUT = """() => [...document.querySelectorAll("main *")].filter(one => {
  const box = one.getBoundingClientRect(), apart = one.closest("svg, .scroll, .unseen, option, select, thead");
  if (!one.innerText || !box.width || apart || getComputedStyle(one).display === "inline") return false;
  return box.right > document.documentElement.clientWidth + 1 || box.left < -1
    || (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "visible");
}).map(one => one.outerHTML.slice(0, 120))"""


def opened(page: Any, cookie: str | None, **settings: Any) -> Any:
    """A page of a browser of its own, in which somebody is logged in."""
    context = page.context.browser.new_context(**settings)
    if cookie:
        given = {"name": "deniable_organiser", "value": cookie, "domain": "127.0.0.1", "path": "/organiser"}
        context.add_cookies([given])
    made = context.new_page()
    made.set_default_timeout(120_000)
    return made


def wrong_with(page: Any) -> list[Any]:
    """What axe finds on a page, and whether it is wider than the screen."""
    page.wait_for_selector("h1")  # the respondent's page is built by its script, a moment after its banner is seen
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text())
    found = page.evaluate(f"axe.run(document, {RULES})")["violations"]
    wide = page.evaluate("document.documentElement.scrollWidth") > page.viewport_size["width"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found] + (["sideways"] if wide else [])


class Watch:
    """What is wrong with the pages that were looked at, what a policy refused or failed, and what was sent."""

    def __init__(self, page: Any, name: str) -> None:
        self.page, self.name, self.wrong, self.count, self.posted = page, name, [], 0, []
        page.on("console", lambda said: self.wrong.append(said.text) if "Content Security" in said.text else None)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("request", lambda request: self.posted.append(request) if request.method != "GET" else None)

    def look(self, what: str) -> None:
        """At the page as it is now; a picture of it is kept where somebody wants them."""
        self.wrong += [(what, fault) for fault in wrong_with(self.page)]
        self.count += 1
        if PICTURES:
            Path(PICTURES).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=f"{PICTURES}/{self.name}-{self.count:02}-{what}.png", full_page=True)


class Reader:
    """A browser that remembers what it asked for and what a policy refused."""

    def __init__(self, page: Any, cookie: str | None = None, **settings: Any) -> None:
        self.page, self.asked, self.refused = opened(page, cookie, **settings), set(), []
        self.context = self.page.context
        self.page.on("request", lambda request: self.asked.add(request.url.split("/")[2]))
        self.page.on("console", lambda said: self.refused.append(said.text) if "Content Security" in said.text else None)

    def wrong(self) -> list[Any]:
        """What axe finds, whether the page is wider than the screen, and what is cut off."""
        return [*wrong_with(self.page), *self.page.evaluate(CUT)]


def press(page: Any, name: str) -> None:
    """A button by the keyboard."""
    page.get_by_role("button", name=name, exact=True).first.focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")


def follow(page: Any, name: str | re.Pattern[str]) -> None:
    """A link by the keyboard."""
    page.get_by_role("link", name=name, exact=isinstance(name, str)).first.focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")


def choose(page: Any, field: str, text: str) -> None:
    """A line of a list by the keyboard: its first letters are typed."""
    page.locator(f"#{field}").focus()
    page.keyboard.type(text)


def fill(page: Any, field: str, text: str) -> None:
    """A text into a field, in place of what is there."""
    page.locator(f"#{field}").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type(text)


def tick(page: Any, name: str) -> None:
    """A box by the keyboard."""
    page.get_by_role("checkbox", name=name, exact=True).focus()
    page.keyboard.press("Space")


def kept_in(folder: Path) -> Path:
    """Where pictures go that are always taken: to that of all pictures, else to a passing one."""
    chosen = Path(PICTURES) if PICTURES else folder
    chosen.mkdir(parents=True, exist_ok=True)
    return chosen


def pages_of(pdf: Path) -> list[float]:
    """How full each page of a PDF is: the place of the last line above the page's number, from 0 (top) to 1."""
    import pypdfium2

    document = pypdfium2.PdfDocument(pdf)
    try:
        return [_filled(page.render(scale=0.7, grayscale=True).to_numpy()) for page in document]
    finally:
        document.close()


def _filled(picture: Any) -> float:
    rows = picture.reshape(*picture.shape[:2])[: int(0.93 * len(picture))]
    inked = np.flatnonzero(rows.min(axis=1) < 200)
    return float(inked[-1] / len(rows)) if inked.size else 0.0
