"""What the requests of Chrome, Firefox and Safari look like, so that a server cannot tell `verify` by its headers.

Chrome's are those that a real Chromium sends, compared header by header in `tests/browser/test_verify_browser.py`. Firefox's and
Safari's are written down from what these browsers are known to send.
"""

from __future__ import annotations

import datetime
import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field

Headers = list[tuple[str, str]]
PAGE, STYLE, SCRIPT, IMPORT, ICON, DATA = "page", "style", "script", "import", "icon", "data"
"""What is asked for. An import is a script that a script asks for."""
LANGUAGES = (
    "en-US", "en-GB", "pl-PL", "de-DE", "fr-FR", "es-ES", "it-IT", "uk-UA", "cs-CZ", "nl-NL", "pt-PT", "sv-SE", "ro-RO", "ru-RU", "tr-TR",
    "ar-EG", "zh-CN", "ja-JP", "vi-VN", "hu-HU", "el-GR", "da-DK", "fi-FI", "sk-SK",
)  # fmt: skip
# Versions go on rising while a release is in use: so many days later there is another one.
_WRITTEN, _DAYS = datetime.date(2026, 11, 15), 28
_CHROME, _FIREFOX, _SAFARI = 156, 158, 27
_DESTINATION = {PAGE: "document", STYLE: "style", SCRIPT: "script", IMPORT: "script", ICON: "image", DATA: "empty"}
_MODE = {PAGE: "navigate", STYLE: "no-cors", SCRIPT: "cors", IMPORT: "cors", ICON: "no-cors", DATA: "cors"}
_STYLE_ACCEPT = "text/css,*/*;q=0.1"


@dataclass(frozen=True)
class Asking:
    """One request: what is asked for, where, and how the person came there."""

    kind: str
    origin: str  # https://HOST
    secure: bool  # HTTPS, or this machine itself
    language: str  # such as pl-PL
    referer: str | None = None
    came_from: str = "none"  # Sec-Fetch-Site of a page: none (typed), cross-site (a link), same-origin
    again: bool = False  # the page is loaded anew
    tag: str | None = None  # of what was kept from the visit before
    cookies: str | None = None

    @property
    def host(self) -> str:
        return self.origin.partition("://")[2]

    @property
    def site(self) -> str:
        return self.came_from if self.kind == PAGE else "same-origin"


@dataclass(frozen=True)
class Browser:
    """A browser of somebody: its name, and the headers of its requests, in order."""

    name: str
    headers: Callable[[Asking], Headers] = field(repr=False)


def browsers(choose: random.Random, today: datetime.date | None = None) -> list[Browser]:
    """Two browsers of each engine, on different systems, with versions of late.

    >>> [browser.name.split()[0] for browser in browsers(random.Random(1))]
    ['Chrome', 'Chrome', 'Firefox', 'Firefox', 'Safari', 'Safari']
    """
    newer = max(0, ((today or datetime.date.today()) - _WRITTEN).days // _DAYS)

    def lately(version: int) -> int:
        return version + newer - choose.randrange(2)

    desktop = choose.choice([("Windows NT 10.0; Win64; x64", "Windows"), ("Macintosh; Intel Mac OS X 10_15_7", "macOS")])
    mac = f"Macintosh; Intel Mac OS X 10.15; rv:{lately(_FIREFOX)}.0"
    windows = f"Windows NT 10.0; Win64; x64; rv:{lately(_FIREFOX)}.0"
    android = f"Android {choose.randrange(13, 17)}; Mobile; rv:{lately(_FIREFOX)}.0"
    safari = f"{_SAFARI + newer // 13}.{choose.randrange(2)}"
    return [
        _chrome(lately(_CHROME), *desktop),
        _chrome(lately(_CHROME), "Linux; Android 10; K", "Android"),
        _firefox(choose.choice([mac, windows])),
        _firefox(android),
        _safari(safari, "Macintosh; Intel Mac OS X 10_15_7", "605.1.15", "Mac"),
        _safari(safari, "iPhone; CPU iPhone OS 18_7 like Mac OS X", "604.1", "iPhone"),
    ]


def brands(version: int, name: str | None = "Google Chrome") -> str:
    """Chrome's `sec-ch-ua`, whose order and nonsense brand change with the version; `name` None is plain Chromium.

    >>> brands(143)
    '"Google Chrome";v="143", "Chromium";v="143", "Not A(Brand";v="24"'
    """
    letters = " (:-./);=?_"
    nonsense = f'"Not{letters[version % 11]}A{letters[(version + 1) % 11]}Brand";v="{("8", "99", "24")[version % 3]}"'
    given = [nonsense, f'"Chromium";v="{version}"']
    if name is not None:
        given.append(f'"{name}";v="{version}"')
    orders = list(itertools.permutations(range(len(given))))
    places = orders[version % len(orders)]
    return ", ".join(one for _, one in sorted(zip(places, given, strict=True)))


def chrome_headers(asking: Asking, agent: str, brand: str, platform: str) -> Headers:
    """The headers of a Chrome of this agent, brand and platform, in their order."""
    page, mobile = asking.kind == PAGE, "?1" if "Mobile" in agent else "?0"
    image = "image/jxl,image/avif,image/webp,image/apng,"
    accept = {
        PAGE: f"text/html,application/xhtml+xml,application/xml;q=0.9,{image}*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
        STYLE: _STYLE_ACCEPT,
        ICON: f"{image}image/svg+xml,image/*,*/*;q=0.8",
    }.get(asking.kind, "*/*")
    hints = (
        [("sec-ch-ua", brand), ("sec-ch-ua-mobile", mobile), ("sec-ch-ua-platform", f'"{platform}"')] if asking.secure else []
    )
    hints = hints if page or not hints else [hints[2], ("User-Agent", agent), hints[0], hints[1]]
    if not hints or page:
        hints += [("Upgrade-Insecure-Requests", "1")] if page else []
        hints.append(("User-Agent", agent))
    origin = [("Origin", asking.origin)] if asking.kind in (SCRIPT, IMPORT) else []
    # A page and its icon are validated by the cache itself, which comes last; scripts and styles by the page.
    early, late = ([], _tag(asking)) if asking.kind in (PAGE, ICON) else (_tag(asking), [])
    return [
        ("Host", asking.host),
        ("Connection", "keep-alive"),
        *([("Cache-Control", "max-age=0")] if asking.again else []),
        *([("Pragma", "no-cache"), ("Cache-Control", "no-cache")] if asking.kind == DATA else []),
        *(origin if asking.secure else []),
        *hints,
        *([] if asking.secure else origin),
        ("Accept", accept),
        *early,
        *_fetched(asking, "Site", "Mode", "User", "Dest"),
        *_referer(asking),
        ("Accept-Encoding", "gzip, deflate, br, zstd" if asking.secure else "gzip, deflate"),
        ("Accept-Language", _weighted(asking.language, 0.9, 0.1)),
        *_cookies(asking),
        *late,
    ]


def _chrome(version: int, system: str, platform: str) -> Browser:
    mobile = " Mobile" if platform == "Android" else ""
    agent = f"Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{version}.0.0.0{mobile} Safari/537.36"
    brand = brands(version)
    return Browser(f"Chrome {version} on {platform}", lambda asking: chrome_headers(asking, agent, brand, platform))


def _firefox(system: str) -> Browser:
    version = system.rpartition("rv:")[2]
    gecko = version if "Android" in system else "20100101"
    agent = f"Mozilla/5.0 ({system}) Gecko/{gecko} Firefox/{version}"
    priority = {PAGE: "u=0, i", STYLE: "u=2", SCRIPT: "u=2", IMPORT: "u=2", ICON: "u=6", DATA: "u=4"}

    def headers(asking: Asking) -> Headers:
        accept = {
            PAGE: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            STYLE: _STYLE_ACCEPT,
            ICON: "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5",
        }.get(asking.kind, "*/*")
        return [
            ("Host", asking.host),
            ("User-Agent", agent),
            ("Accept", accept),
            ("Accept-Language", _weighted(asking.language, 0.9, 0.1)),
            ("Accept-Encoding", "gzip, deflate, br, zstd" if asking.secure else "gzip, deflate"),
            *_referer(asking),
            *([("Origin", asking.origin)] if asking.kind in (SCRIPT, IMPORT) else []),
            ("Connection", "keep-alive"),
            *_cookies(asking),
            *([("Upgrade-Insecure-Requests", "1")] if asking.kind == PAGE else []),
            *_fetched(asking, "Dest", "Mode", "Site", "User"),
            *_tag(asking),
            ("Priority", priority[asking.kind]),
            *([("Pragma", "no-cache"), ("Cache-Control", "no-cache")] if asking.kind == DATA else []),
            *([("Cache-Control", "max-age=0")] if asking.again else []),
        ]

    return Browser(f"Firefox {version} on {system.partition(';')[0].partition(' ')[0]}", headers)


def _safari(version: str, system: str, build: str, device: str) -> Browser:
    mobile = " Mobile/15E148" if device == "iPhone" else ""
    agent = f"Mozilla/5.0 ({system}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/{version}{mobile} Safari/{build}"
    priority = {PAGE: "u=0, i", STYLE: "u=1, i", SCRIPT: "u=3", IMPORT: "u=3", ICON: "u=3, i", DATA: "u=3, i"}

    def headers(asking: Asking) -> Headers:
        accept = {
            PAGE: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            STYLE: _STYLE_ACCEPT,
            ICON: "image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,"
            "image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5",
        }.get(asking.kind, "*/*")
        return [
            ("Host", asking.host),
            *([("Upgrade-Insecure-Requests", "1")] if asking.kind == PAGE else []),
            *([("Origin", asking.origin)] if asking.kind in (SCRIPT, IMPORT) else []),
            *_fetched(asking, "Dest"),
            ("User-Agent", agent),
            ("Accept", accept),
            *_referer(asking),
            *_fetched(asking, "Site", "Mode"),
            ("Accept-Language", _weighted(asking.language, 0.9, 0.1)),
            ("Priority", priority[asking.kind]),
            ("Accept-Encoding", "gzip, deflate, br" if asking.secure else "gzip, deflate"),
            *([("Cache-Control", "no-cache"), ("Pragma", "no-cache")] if asking.kind == DATA else []),
            *([("Cache-Control", "max-age=0")] if asking.again else []),
            *_tag(asking),
            ("Connection", "keep-alive"),
            *_cookies(asking),
        ]

    return Browser(f"Safari {version} on {device}", headers)


def _fetched(asking: Asking, *names: str) -> Headers:
    """Where a request comes from and what it is for; browsers tell only servers that nobody on the way can listen to."""
    said = {"Site": asking.site, "Mode": _MODE[asking.kind], "Dest": _DESTINATION[asking.kind]}
    if asking.kind == PAGE:
        said["User"] = "?1"
    return [(f"Sec-Fetch-{name}", said[name]) for name in names if name in said] if asking.secure else []


def _referer(asking: Asking) -> Headers:
    return [] if asking.referer is None else [("Referer", asking.referer)]


def _tag(asking: Asking) -> Headers:
    return [] if asking.tag is None else [("If-None-Match", asking.tag)]


def _cookies(asking: Asking) -> Headers:
    # The page fetches its survey without credentials.
    return [] if asking.cookies is None or asking.kind == DATA else [("Cookie", asking.cookies)]


def _weighted(language: str, first: float, step: float) -> str:
    """A list of languages as browsers send it: pl-PL,pl;q=0.9,en-US;q=0.8,en;q=0.7."""
    wanted = [language, language.partition("-")[0], *([] if language.startswith("en") else ["en-US", "en"])]
    return ",".join([wanted[0], *(f"{one};q={first - step * i:.1f}" for i, one in enumerate(wanted[1:]))])
