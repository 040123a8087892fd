"""The respondent's page as one file, which may come from anywhere and needs no verifying over the wire.

The file is made of the released files and of the JSON that it carries, and of nothing else: anyone who has the release makes it again from
that JSON and compares the bytes.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import json
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from deniable import __version__
from deniable.errors import FileError, ParameterError, RefusedError
from deniable.survey.page_rules import PageRuleError, read_json
from deniable.web import recipes
from deniable.web.bundle import bundle
from deniable.web.released import SHELL, released
from deniable.web.verify import Finding

LARGEST = 20_000_000
_CARRIED = re.compile(rb'<script type="application/json" id="carried">([^<]*)</script>')
# A survey's short name. It becomes part of the policy, so that nothing else may stand there.
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?")
_OTHER_WAY = re.compile(r'<a href="\?other-way">[^<]*</a>')


def server_address(given: str) -> str:
    """The address of a server, checked: https://HOST. Plain http only to this machine, for a try.

    >>> server_address("https://Survey.Town.example/")
    'https://survey.town.example'
    """
    wanted = given.rstrip("/").lower()
    try:
        host = urlsplit(wanted).hostname or ""
        fits = _ORIGIN.fullmatch(wanted) is not None and (wanted.startswith("https:") or _this_machine(host))
        fits = fits and urlsplit(wanted).port != 0
    except ValueError:
        fits = False
    if not fits:
        raise ParameterError(
            "bad_server",
            "{got!r} is not an address that a page can send answers to; write https://HOST, without a path. Over plain http "
            "anyone on the way could read them, and browsers would not send them.",
            got=given,
        )
    return wanted


def _this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def single_page(survey: Mapping[str, Any], server: str) -> bytes:
    """The page of a survey (the JSON that its server tells pages) as one file that sends answers to `server`."""
    if survey.get("offline") is not True:
        raise RefusedError(
            "not_offline",
            "{slug} takes no answers from a page as a file. Write offline: true into its questionnaire, and open it again.",
            slug=survey.get("survey"),
        )
    if survey.get("open") is not True:
        raise RefusedError("closed", "{slug} is closed: a page would ask nothing. Open it first.", slug=survey.get("survey"))
    if not isinstance(survey.get("survey"), str) or not _SLUG.fullmatch(survey["survey"]):
        raise RefusedError("unknown_survey", "{slug!r} is not the name of a survey.", slug=survey.get("survey"))
    files = released()
    address = f"{server}/api/offline/{survey['survey']}"
    texts = {name: file.content.decode() for name, file in files.items() if name.endswith(".js")}
    script, style = bundle(texts, "respond.js"), files["respond.css"].content.decode()
    carried = json.dumps({"address": address, "survey": survey}, ensure_ascii=False, separators=(",", ":")).replace(
        "<", "\\u003c"
    )
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        f"connect-src {address} {address}/answers; form-action 'none'; base-uri 'none'"
    )
    icon = base64.b64encode(files["icon.svg"].content).decode()
    page = files[SHELL].content.decode()
    for before, after in (
        (
            '<meta charset="utf-8" />',
            f'<meta charset="utf-8" />\n    <meta http-equiv="Content-Security-Policy" content="{policy}" />\n'
            f'    <meta name="generator" content="deniable {__version__}" />',
        ),
        ('href="/static/icon.svg"', f'href="data:image/svg+xml;base64,{icon}"'),
        ('<link rel="stylesheet" href="/static/respond.css" />', f"<style>{style}</style>"),
        (
            '<script type="module" src="/static/respond.js"></script>',
            f'<script type="application/json" id="carried">{carried}</script>\n    <script type="module">{script}</script>',
        ),
    ):
        assert page.count(before) == 1, before
        page = page.replace(before, after)
    # Without JavaScript there is no server to ask for another way: it stands here.
    return _OTHER_WAY.sub(lambda _: escape(_other_way(survey)), page).encode()


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _other_way(survey: Mapping[str, Any]) -> str:
    return " / ".join(dict.fromkeys(str(survey["otherWay"][language]) for language in survey["languages"]))


def read_page(path: Path) -> bytes:
    """The bytes of a file, or an error that says why there are none."""
    try:
        if path.stat().st_size > LARGEST:
            raise FileError("too_large", "{path} is too large to be the page of a survey.", path=str(path))
        return path.read_bytes()
    except FileNotFoundError:
        raise FileError("no_file", "{path} does not exist.", path=str(path)) from None
    except IsADirectoryError:
        raise FileError("no_file", "{path} is a folder; give the file of a page.", path=str(path)) from None


def check_single_page(content: bytes, name: str, client: dict[str, Any] | None = None) -> list[Finding]:
    """Whether a file is the page that this release makes of the survey it carries, and whether that survey mixes.

    `client`: what the page should be told, from the organiser's questionnaire.
    """
    parts = _CARRIED.findall(content)
    try:
        carried: Any = read_json(parts[0]) if len(parts) == 1 else None
        survey, address = carried["survey"], carried["address"]
        server = server_address(address.removesuffix(f"/api/offline/{survey['survey']}"))
        expected = single_page(survey, server)
    except (PageRuleError, ParameterError, RefusedError, TypeError, KeyError, AttributeError, UnicodeError):
        return [Finding(name, False, "this is not a page that deniable makes of a survey, or it was changed")]
    if expected != content:
        return [Finding(name, False, _difference(content, expected))]
    findings = [
        Finding(name, True, "made of the released files and the survey it carries, and of nothing else, byte for byte"),
        Finding(f"{name} (where answers go)", True, f"{server}, and nowhere else. Is it the one that your letter names?"),
    ]
    findings += [Finding(f"{name} ({what})" if what else name, good, said) for what, good, said in recipes.judged(survey)]
    if client is not None:
        wanted = json.loads(json.dumps(client))
        different = sorted(key for key in wanted if survey.get(key) != wanted[key])
        said = "as in the questionnaire" if not different else f"different: {', '.join(different)}"
        findings.append(Finding(f"{name} (questions)", not different, said))
    return findings


def _difference(content: bytes, expected: bytes) -> str:
    made = re.search(rb'<meta name="generator" content="deniable ([\w.+-]{1,40})" />', content)
    if made is not None and made[1].decode() != __version__:
        return f"it says that deniable {made[1].decode()} made it; this is {__version__}. Verify it with that release"
    place = next(
        (i for i, (a, b) in enumerate(zip(content, expected, strict=False)) if a != b), min(len(content), len(expected))
    )
    return f"it differs from the released page in line {content[:place].count(10) + 1}: {content[place : place + 60]!r}"
