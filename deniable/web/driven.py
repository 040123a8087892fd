"""`verify --browser`: a real Chromium opens the page, and what it ran, received and asked for is compared with the release.

Requests that a program writes can be told from a browser's by how the connection is made; these are a browser's.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from deniable.engines.extras import optional
from deniable.errors import DeniableError, StoreError
from deniable.web.browsers import brands
from deniable.web.fetching import Answer
from deniable.web.judging import SURVEY, Expected, faults
from deniable.web.released import SHELL, released
from deniable.web.verify import Finding, to_https
from deniable.web.visits import Address

SETTLED = 1_000
"""Milliseconds after the page has loaded in which it may still ask for something."""
LONGEST = 30_000
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
FLAGS = (
    "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage", "--disable-component-update", "--no-first-run",
    "--disable-blink-features=AutomationControlled",
)  # fmt: skip
# Of the browser's own making, never sent.
LOCAL = ("data:", "blob:", "about:", "chrome:", "chrome-extension:", "devtools:")
_LEFT_BEHIND = """async () => ({
  workers: navigator.serviceWorker ? (await navigator.serviceWorker.getRegistrations()).map((one) => one.scope) : [],
  stored: [...Object.keys(localStorage), ...Object.keys(sessionStorage)],
  bases: indexedDB.databases ? (await indexedDB.databases()).map((one) => one.name) : [],
  caches: globalThis.caches ? await caches.keys() : [],
})"""


@dataclass
class Seen:
    """What a browser did on one visit."""

    name: str
    answers: list[Answer] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    ran: list[tuple[str, str | None]] = field(default_factory=list)  # the address and the text of every script
    left: list[str] = field(default_factory=list)  # cookies, workers and whatever else stays
    trouble: str | None = None


def drive(url: str, executable: str | None = None) -> list[Finding]:
    """Visit a survey in a real Chromium: straight, after the site's front page, and once more with what it kept."""
    address = Address.of(url)
    if address.slug is None:
        raise StoreError(
            "bad_address", "{url} is not the address of a survey; a browser opens one: https://HOST/s/SURVEY.", url=address.url
        )
    optional("playwright", "browser")
    playwright = optional("playwright.sync_api", "browser")
    browser_path = executable or next((place for name in NAMES if (place := shutil.which(name))), None)
    if browser_path is None:
        raise DeniableError(
            "no_browser",
            "A look with a real browser needs Chromium or Chrome, and none is installed here. Install your system's package, for example: "
            "sudo apt-get install chromium",
        )
    visits: list[Seen] = []
    with _browser(playwright, browser_path) as browser:
        for before, language in (((), "en-GB"), (("/", "/organiser"), "pl-PL")):
            context = browser.new_context(locale=language, service_workers="allow")
            try:
                for path in before:
                    with contextlib.suppress(playwright.Error), contextlib.closing(context.new_page()) as page:
                        page.goto(address.origin + path, timeout=LONGEST)
                        page.wait_for_timeout(SETTLED)
                kind = "after the front page" if before else "straight"
                visits.append(_visit(context, playwright, address, f"Chromium ({language}), {kind}"))
                if (led := _led_there(address, visits[0])) is not None:
                    break
                visits.append(_visit(context, playwright, address, f"Chromium ({language}), {kind}, once more"))
            finally:
                context.close()
    # Where http leads to https, said and judged by the visits without a browser, that is what is looked at here too.
    return _findings(address, visits) if led is None else drive(led.url, browser_path)


def _led_there(address: Address, seen: Seen) -> Address | None:
    first = next((answer for answer in seen.answers if answer.url == address.url), None)
    return None if first is None else to_https(address, first)


@contextlib.contextmanager
def _browser(playwright: Any, executable: str) -> Iterator[Any]:
    # Anyone who serves hostile code meets the browser's own walls; only root has to do without them.
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with playwright.sync_playwright() as started:
        try:
            browser = started.chromium.launch(executable_path=executable, args=list(FLAGS), chromium_sandbox=not root)
        except playwright.Error as error:
            raise DeniableError(
                "no_browser",
                "{path} could not be started: {reason}",
                path=executable,
                reason=str(error).strip().splitlines()[0],
            ) from None
        try:
            yield browser
        finally:
            browser.close()


def _visit(context: Any, playwright: Any, address: Address, name: str) -> Seen:
    seen = Seen(name)
    page = context.new_page()
    tools = context.new_cdp_session(page)
    received: list[Any] = []
    _look_like_people(tools, page)
    main: set[int] = set()
    tools.on("Runtime.executionContextCreated", lambda event: _note_world(event["context"], main))
    scripts: list[dict[str, Any]] = []
    tools.on("Debugger.scriptParsed", lambda event: scripts.append(event))
    tools.send("Runtime.enable")
    tools.send("Debugger.enable")
    # Of the whole context: also what workers and other windows ask for.
    listeners = {
        "request": lambda request: seen.asked.append(request.url),
        "response": lambda response: received.append(response),
        "page": lambda other: seen.asked.append(f"another window: {other.url}"),
    }
    for event, listener in listeners.items():
        context.on(event, listener)
    page.on("websocket", lambda socket: seen.asked.append(socket.url))
    try:
        page.goto(address.url, timeout=LONGEST, wait_until="load")
        page.wait_for_timeout(SETTLED)
        for script in scripts:
            # The worlds of the program that drives the browser are not the page's.
            if script["executionContextId"] in main and not script["url"].startswith("debugger"):
                seen.ran.append((script["url"], _source(tools, playwright, script["scriptId"])))
        seen.answers = [answer for response in received for answer in _answers(response, name)]
        seen.left = _left(context, page)
    except playwright.Error as error:
        seen.trouble = str(error).strip().splitlines()[0]
    finally:
        for event, listener in listeners.items():
            context.remove_listener(event, listener)
        page.close()
    return seen


def _note_world(context: dict[str, Any], main: set[int]) -> None:
    if context.get("auxData", {}).get("isDefault"):
        main.add(context["id"])


def _look_like_people(tools: Any, page: Any) -> None:
    """A browser without a window says so in every request, unless told not to."""
    agent = page.evaluate("navigator.userAgent").replace("Headless", "")
    version = int(agent.partition("Chrome/")[2].partition(".")[0])
    pairs = [part.rpartition(";v=") for part in brands(version).split(", ")]
    tools.send(
        "Network.setUserAgentOverride",
        {
            "userAgent": agent,
            "userAgentMetadata": {
                "brands": [{"brand": name.strip('"'), "version": value.strip('"')} for name, _, value in pairs],
                "platform": "Linux", "platformVersion": "", "architecture": "x86", "model": "", "mobile": False,
            },
        },
    )  # fmt: skip


def _source(tools: Any, playwright: Any, script: str) -> str | None:
    try:
        return str(tools.send("Debugger.getScriptSource", {"scriptId": script})["scriptSource"])
    except playwright.Error:
        return None  # of a page that is gone


def _answers(response: Any, name: str) -> list[Answer]:
    """What came, and where the browser had kept it and asked whether it has changed: that answer, and what it put together of both."""
    headers = tuple((one["name"], one["value"]) for one in response.headers_array())
    try:
        # Decoded by the browser itself: how it was compressed is no longer seen.
        body = b"" if 300 <= response.status < 400 else response.body()
    except Exception as error:
        return [Answer(response.url, name, response.status, headers, trouble=f"the browser kept no bytes of it: {error}"[:200])]
    kept = "if-none-match" in response.request.all_headers() and not any(one.lower() == "content-type" for one, _ in headers)
    if not kept:
        return [Answer(response.url, name, response.status, headers, body)]
    return [
        Answer(response.url, name, 304, headers, conditional=True),
        Answer(response.url, name, response.status, tuple(response.headers.items()), body),
    ]


def _left(context: Any, page: Any) -> list[str]:
    left = [f"the cookie {cookie['name']}" for cookie in context.cookies()]
    left += [f"the service worker {worker.url}" for worker in context.service_workers]
    kept = page.evaluate(_LEFT_BEHIND)
    left += [f"a service worker for {scope}" for scope in kept["workers"]]
    return left + [f"kept data: {name}" for name in [*kept["stored"], *kept["bases"], *kept["caches"]]]


def _findings(address: Address, visits: Sequence[Seen]) -> list[Finding]:
    expected = {f"{address.origin}/static/{name}": Expected.of(file) for name, file in released().items()}
    expected |= {address.url: Expected.of(released()[SHELL]), address.api: SURVEY}
    needed = {address.url, address.api, f"{address.origin}/static/respond.js"}
    findings = []
    for seen in visits:
        if seen.trouble is not None:
            findings.append(Finding(seen.name, False, f"the page could not be opened: {seen.trouble}", checked=False))
            continue
        wrong = [
            f"it asked for {url}" for url in dict.fromkeys(seen.asked) if url not in expected and not url.startswith(LOCAL)
        ]
        wrong += _wrong_scripts(expected, seen.ran)
        wrong += seen.left
        missed = [f"it did not load {url}" for url in sorted(needed - {answer.url for answer in seen.answers})]
        for answer in seen.answers:
            if answer.url in expected:
                wrong += [f"{answer.url}: {fault}" for fault in faults(answer, expected[answer.url])]
                missed += [f"{answer.url}: {answer.trouble}"] if answer.trouble else []
        if wrong or missed:
            findings.append(Finding(seen.name, False, "; ".join([*wrong, *missed][:8])[:1500], checked=bool(wrong)))
        else:
            ran = len({url for url, _ in seen.ran if url})
            done = f"ran {ran} scripts as released, asked for {len(set(seen.asked))} addresses, nothing stayed behind"
            findings.append(Finding(seen.name, True, done))
    return findings


def _wrong_scripts(expected: dict[str, Expected], ran: Sequence[tuple[str, str | None]]) -> list[str]:
    """Every script that the browser ran, as it ran it, must be a released one. Chromium names some modules by their text alone,
    and drops texts it no longer needs: those came with answers, which are compared too, under a policy that lets no other run."""
    known = {of.sha256 for of in expected.values()}
    wrong = []
    for url, source in ran:
        if source is None and url and url not in expected:
            wrong.append(f"it ran a script whose text it did not keep: {url}")
        elif source:
            hashed = hashlib.sha256(source.encode()).hexdigest()
            if url in expected and hashed != expected[url].sha256:
                wrong.append(f"it ran another {url} (SHA-256 {hashed})")
            elif hashed not in known:
                wrong.append(f"it ran a script that is not of the release: {url or source[:60]!r}")
    return wrong if ran else ["it ran no script at all"]
