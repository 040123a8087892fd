"""Anyone who gets hold of the proxy's machine, and anyone who wants to get around it: nginx as docs/deploy.md sets it up, on loopback.

Runs where nginx is installed. With logs as they are usually, everybody's address is in them, beside the time and what was asked for.
"""

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from deniable.web.verify import verify

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin")
PAGE = (Path(__file__).parents[2] / "docs" / "deploy.md").read_text(encoding="utf-8")
BLOCK = re.search(r"^```nginx\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]
LOGS = re.compile(r"^ *(access_log|error_log) .*\n", re.MULTILINE)
SOMEBODY = "127.0.0.77"
WHOLE = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/log/error.log warn; {user}
events {{ worker_connections 256; }}
http {{
    access_log {folder}/log/access.log;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    {block}
}}
"""

pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Proxy:
    """nginx before a service, with the page's configuration, or a changed one."""

    def __init__(self, folder, town, block):
        plain, self.port = free_port(), free_port()
        self.folder, self.url = folder, f"https://127.0.0.1:{self.port}"
        (folder / "log").mkdir(parents=True)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=town",
             "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
            check=True, capture_output=True,
        )  # fmt: skip
        live = "/etc/letsencrypt/live/survey.town.example"
        for old, new in (
            (f"{live}/fullchain.pem", str(folder / "cert.pem")),
            (f"{live}/privkey.pem", str(folder / "key.pem")),
            ("listen 80;", f"listen 127.0.0.1:{plain};"),
            ("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl"),
            ("http://127.0.0.1:8000", town.url),
        ):
            assert old in block
            block = block.replace(old, new)
        block = re.sub(r"^ *listen \[::\].*\n", "", block, flags=re.MULTILINE)
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(WHOLE.format(folder=folder, block=block, user=user))
        self.context = ssl.create_default_context(cafile=str(folder / "cert.pem"))
        self.process = subprocess.Popen([NGINX, "-c", folder / "nginx.conf", "-e", folder / "log" / "start.log"])
        while not self._listens():
            assert self.process.poll() is None, (folder / "log" / "start.log").read_text()
            time.sleep(0.02)
        transport = httpx.HTTPTransport(verify=self.context, local_address=SOMEBODY)
        self.client = httpx.Client(base_url=self.url, transport=transport, timeout=30)

    def _listens(self):
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", self.port)) == 0

    def written(self):
        return "".join(path.read_text() for path in (self.folder / "log").iterdir())

    def stop(self):
        self.client.close()
        self.process.terminate()
        self.process.wait(10)


@pytest.fixture
def proxied(serve, standin, tmp_path):
    """A service behind nginx with the page's block, changed by `change`."""
    running = []

    def start(change=lambda block: block, **settings):
        town = serve(standin.Standin(), db=f"{len(running)}.db", **settings)
        running.append(Proxy(tmp_path / f"nginx{len(running)}", town, change(BLOCK)))
        return town, running[-1]

    yield start
    for one in running:
        one.stop()


def come_and_go(town, proxy, standin):
    """A visit, an answer, requests that fail in several ways, and one while the service is down."""
    assert proxy.client.get("/s/town").status_code == 200
    assert proxy.client.post("/api/surveys/town/answers", json=standin.body()).status_code == 201
    assert proxy.client.get("/s/nowhere").status_code == 404
    assert proxy.client.post("/api/surveys/town/answers", content=b"x" * 70_000).status_code == 413
    town.stop()
    assert proxy.client.get("/s/town").status_code == 502


def test_no_log_of_the_proxy_knows_who_came(proxied, standin):
    town, proxy = proxied()
    come_and_go(town, proxy, standin)
    assert SOMEBODY not in proxy.written()
    assert "/s/town" not in proxy.written()


@pytest.mark.parametrize("log", ["access_log", "error_log"])
def test_with_either_log_as_usual_they_know(proxied, standin, log):
    """The attack is real."""
    town, proxy = proxied(lambda block: re.sub(rf"^ *{log} .*\n", "", block, flags=re.MULTILINE))
    come_and_go(town, proxy, standin)
    assert SOMEBODY in proxy.written()


@pytest.mark.parametrize("kept", [True, False])
def test_what_is_sent_is_written_to_no_file_of_the_proxy_unless_its_room_in_memory_is_taken_away(proxied, kept):
    """nginx warns in its log whenever it writes a body to a file."""
    room = re.compile(r"^ *client_body_buffer_size .*\n", re.MULTILINE)
    _, proxy = proxied(lambda block: LOGS.sub("", block if kept else room.sub("", block)))
    content = json.dumps({"padding": "x" * 60_000})
    proxy.client.post("/api/surveys/town/answers", content=content, headers={"Content-Type": "application/json"})
    assert ("buffered to a temporary file" in proxy.written()) == (not kept)


@pytest.mark.parametrize("kept", [True, False])
def test_nobody_gets_around_the_limits_by_naming_other_addresses(proxied, standin, kept):
    line = re.compile(r"^ *proxy_set_header X-Forwarded-For .*\n", re.MULTILINE)
    _, proxy = proxied(lambda block: block if kept else line.sub("", block), burst=3, per_second=0.01)
    codes = [
        proxy.client.post(
            "/api/surveys/town/answers", json=standin.body(), headers={"X-Forwarded-For": f"198.51.100.{number}"}
        ).status_code
        for number in range(6)
    ]
    assert codes == ([201] * 3 + [429] * 3 if kept else [201] * 6)


def test_verifying_through_it_finds_the_release(proxied):
    _, proxy = proxied()
    found = verify(f"{proxy.url}/s/town", context=proxy.context)
    assert [one for one in found if not one.good] == []
