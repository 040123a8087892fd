"""`deniable verify --browser` in a real Chromium, and whether the requests that `verify` writes are those of a real one."""

from __future__ import annotations

import importlib.util
import re
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from deniable.web.browsers import DATA, ICON, IMPORT, PAGE, SCRIPT, STYLE, Asking, brands, chrome_headers
from deniable.web.bundle import importers
from deniable.web.driven import NAMES
from deniable.web.headers import SECURITY
from deniable.web.released import FOR_ORGANISERS, SHELL, released

# One server and one browser for all of them.
pytestmark = pytest.mark.xdist_group("browser")
KINDS = {"respond.css": STYLE, "respond.js": SCRIPT, "icon.svg": ICON}


def _beside(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parents[1] / "attacks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


hostile = _beside("hostile_servers")
HOSTILE = _beside("hostile_kinds").HOSTILE


class Recorder:
    """A server that keeps every request as it came."""

    def __init__(self):
        self.seen = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connected, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connected,), daemon=True).start()

    def _serve(self, connected):
        files = released()
        with connected, connected.makefile("rb") as stream:
            while line := stream.readline().decode():
                headers = []
                while (one := stream.readline().decode().rstrip()) != "":
                    headers.append(tuple(one.split(": ", 1)))
                path = line.split()[1]
                self.seen.append((path, headers))
                file = files.get(path.removeprefix("/static/")) or (files[SHELL] if path.startswith("/s/") else None)
                body, kind = (file.content, file.media_type) if file else (b"{}", "application/json")
                sent = {
                    "Content-Type": kind,
                    "Content-Length": str(len(body)),
                    "Cache-Control": "no-cache" if file else "no-store",
                }
                sent |= ({"ETag": f'"{file.sha256}"'} if file else {}) | SECURITY
                head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
                connected.sendall(f"HTTP/1.1 200 OK\r\n{head}\r\n".encode() + body)

    def stop(self):
        self._socket.close()


@pytest.mark.parametrize("secure", [True, False], ids=["this machine", "another, without HTTPS"])
def test_requests_as_chrome_are_those_of_a_real_chromium(chromium, secure):
    recorder = Recorder()
    # Browsers tell servers that others may listen to less. The name of such a one leads here.
    host = recorder.host if secure else recorder.host.replace("127.0.0.1", "town.test")
    found = next(place for name in NAMES if (place := shutil.which(name)))
    args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--host-resolver-rules=MAP town.test 127.0.0.1"]
    started = chromium.browser_type.launch(executable_path=found, args=args)
    try:
        page = started.new_page()
        agent, version = page.evaluate("navigator.userAgent"), int(started.version.partition(".")[0])
        page.goto(f"http://{host}/s/town")
        page.wait_for_timeout(500)
        page.reload()
        page.wait_for_timeout(500)
    finally:
        started.close()
        recorder.stop()
    imported = importers({name: file.content.decode() for name, file in released().items() if name.endswith(".js")})
    origin, again, compared = f"http://{host}", set(), 0
    for path, headers in recorder.seen:
        name = path.removeprefix("/static/")
        kind = PAGE if path.startswith("/s/") else DATA if path.startswith("/api/") else KINDS.get(name, IMPORT)
        given = dict(headers)
        assert given.get("Referer") in ([f"{origin}/static/{one}" for one in imported[name]] if kind == IMPORT else [None])
        asking = Asking(
            kind, origin, secure, "en-US",
            referer=given.get("Referer"),
            again=path in again and kind == PAGE,
            tag=given.get("If-None-Match"),
        )  # fmt: skip
        expected = chrome_headers(asking, agent, brands(version, None), "Linux")
        assert headers == [(one, given.get(one, "-") if one == "Accept-Language" else value) for one, value in expected], path
        assert re.fullmatch(r"[a-z]{2}(-[A-Z]{2})?(,[a-zA-Z-]+(;q=0\.\d)?)*", given["Accept-Language"])
        again.add(path)
        compared += 1
    assert compared >= 18


def verified(url):
    command = [sys.executable, "-m", "deniable", "verify", url, "--browser"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    found = {}
    for line, after in zip(done.stdout.splitlines(), done.stdout.splitlines()[1:], strict=False):
        if (match := re.match(r"(\w+) +(Chromium .*)", line)) is not None:
            found[match[2]] = (match[1], after.strip())
    return done, found


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    with hostile.honest_service(tmp_path_factory.mktemp("honest")) as place:
        yield place


def test_an_honest_server_is_good_in_a_real_browser_and_its_token_is_not_shown(honest):
    done, found = verified(f"http://{honest[0]}:{honest[1]}/s/town?lang=pl#secret-token")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "secret-token" not in done.stdout + done.stderr
    assert len(found) == 4
    scripts = sum(name.endswith(".js") for name in released().keys() - FOR_ORGANISERS)
    assert all(word == "good" and f"ran {scripts} scripts as released" in said for word, said in found.values())


SEEN_IN_BROWSER = {
    "a cookie set by the front page, other bytes with it": "the cookie who",
    "a service worker started by the front page": "the service worker",
}


@pytest.mark.parametrize("name", SEEN_IN_BROWSER)
def test_a_hostile_server_is_caught_in_a_real_browser(honest, name):
    kind = HOSTILE[name]
    with hostile.running(honest, kind.hook) as url:
        done, found = verified(url + kind.address)
    assert done.returncode == 1
    said = "; ".join(said for word, said in found.values() if word == "DIFFERENT")
    assert SEEN_IN_BROWSER[name] in said


def test_what_only_a_browser_asks_for_is_found(honest):
    """A picture of another site in the page: the policy forbids it here, but a page without one would load it."""

    def hook(request, reply, fetch):
        if request.path == "/s/town" and reply.status == 200:
            picture = b'<img src="http://127.0.0.1:9/seen.png">'
            return hostile.replace(reply, body=reply.body.replace(b"<main", picture + b"<main")).without(
                "Content-Security-Policy"
            )
        return reply

    with hostile.running(honest, hook) as url:
        done, found = verified(f"{url}/s/town")
    assert done.returncode == 1
    assert any("it asked for http://127.0.0.1:9/seen.png" in said for _, said in found.values())
