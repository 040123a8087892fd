"""What a server installs, and docs/deploy.md: followed from top to bottom by a machine that is a folder.

Real are the wheel, its installation, every command, the service and its files. systemd is played by this file, which runs what the units
say. nginx, PostgreSQL and the making of users are only noted: nginx is run in tests/attacks/test_proxy.py.
"""

import hashlib
import os
import re
import secrets
import shlex
import shutil
import site
import socket
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import httpx
import pytest
import typer

from deniable.cli.main import app
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store

pytestmark = pytest.mark.xdist_group("deploy")
ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
# A file of the page, or commands.
BLOCK = re.compile(r"(?:^<!-- file: (\S+) -->\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = {}
for _path, _, _body in BLOCK.findall(TEXT):
    FILES.setdefault(_path, _body)
PARTS = ("/opt/deniable", "/etc/deniable", "/etc/systemd", "/etc/nginx", "/etc/letsencrypt", "/etc/caddy", "/var/lib/deniable",
         "/var/backups", "/usr/local/bin", "/usr/bin/python3")  # fmt: skip
NOTED = ("apt-get", "useradd", "nginx", "createuser", "createdb", "psql", "openssl")
UNUSABLE = typer.BadParameter.__base__  # what the command line says of a wrong option
KINDS = {".py", ".js", ".css", ".html", ".svg", ".json", ".yaml", ".typed"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, as `make wheel` builds it; without the network, for what builds it is installed already."""
    folder = tmp_path_factory.mktemp("clone") / "dist"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.iterdir()
    return made


def test_the_wheel_has_all_of_the_package_the_licence_and_nothing_else(wheel):
    of_package = {path.relative_to(ROOT).as_posix() for path in (ROOT / "deniable").rglob("*") if path.suffix in KINDS}
    assert {"deniable/py.typed", "deniable/survey/town.yaml", "deniable/web/static/respond.html"} <= of_package
    with zipfile.ZipFile(wheel) as packed:
        names = {name for name in packed.namelist() if not name.endswith("/")}
        about = {name.partition(".dist-info/")[2]: packed.read(name) for name in names if ".dist-info/" in name}
        assert {name for name in names if ".dist-info/" not in name} == of_package
        for name in of_package:
            assert packed.read(name) == (ROOT / name).read_bytes()
    assert set(about) == {"METADATA", "WHEEL", "entry_points.txt", "licenses/LICENSE", "RECORD"}
    assert about["licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    assert b"deniable = deniable.__main__:main" in about["entry_points.txt"]
    assert b"Provides-Extra: serve" in about["METADATA"]


def test_make_wheel_asks_for_the_same_wheel():
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    asked = subprocess.run(["make", "-n", "wheel", "VENV=venv"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert "python3 -m venv venv" in asked
    assert "venv/bin/pip wheel" in asked
    assert "--wheel-dir dist ." in asked


PYTHON = """#!/bin/sh
# /usr/bin/python3 -m venv FOLDER: an empty environment. The package comes from the wheel alone; what it needs is the tests' own,
# for installing that anew would take minutes.
{python} -m venv --without-pip "$3"
echo {needed} > "$(ls -d "$3"/lib/python*/site-packages)/needed.pth"
cat > "$3/bin/pip" <<END
#!/bin/sh
exec {python} -m pip --python "$3/bin/python" --quiet --disable-pip-version-check "\\$1" --no-deps --no-index --no-compile "\\$2"
END
chmod +x "$3/bin/pip"
"""


class Machine:
    """A server whose root is a folder."""

    def __init__(self, folder, dist):
        self.folder, self.said, self.processes = folder, "", {}
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = one.getsockname()[1]
        self.work = dist.parent
        tools = folder / "tools"
        for name in NOTED:
            self._script(tools / name, f'#!/bin/sh\necho "{name} $*"\n')
        self._script(tools / "runuser", '#!/bin/sh\n[ "$3" = -- ] && shift 3 && exec "$@"\n')
        needed = shlex.quote(site.getsitepackages()[0])
        self._script(folder / "usr/bin/python3", PYTHON.format(python=shlex.quote(sys.executable), needed=needed))
        hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
        self.environment = {name: value for name, value in os.environ.items() if name not in hidden}
        self.environment["PATH"] = f"{tools}{os.pathsep}{folder}/usr/local/bin{os.pathsep}{os.environ['PATH']}"

    def _script(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def here(self, text):
        """What the page says, of this folder: its paths, a free port, the only user there is; no proxy is in between."""
        for part in PARTS:
            text = re.sub(rf"(?<![\w.]){part}\b", f"{self.folder}{part}", text)
        text = text.replace("https://survey.town.example", "http://127.0.0.1:8000").replace(" -o deniable -g deniable", "")
        return re.sub(r"\b8000\b", str(self.port), text)

    def follow(self, heading):
        """Do what a part of the page says; `said` is what its commands printed."""
        part = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)[1]
        self.said = ""
        for path, language, body in BLOCK.findall(part):
            if path:
                place = Path(self.here(path)) if path.startswith(PARTS) else None
                assert place is not None, path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(self.here(body))
            elif language == "sh":
                self.commands(body)

    def commands(self, text):
        for piece in re.split(r"^((?:systemctl|journalctl) .*)\n", text, flags=re.MULTILINE):
            if piece.startswith("systemctl "):
                verb, *names = [word for word in piece.split()[1:] if word != "--now"]
                for name in names:
                    self.unit(verb, name)
            elif piece.startswith("journalctl "):
                self.said += (self.folder / "journal").read_text()
            elif piece.strip():
                self.shell(["sh", "-euc", self.here(piece)], self.environment, self.work)

    def shell(self, command, environment, folder):
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        self.said += done.stdout

    def unit(self, verb, name):
        """What systemd does, of what matters here."""
        kind = name if "." in name else f"{name}.service"
        if name == "nginx":
            return
        text = Path(self.here(f"/etc/systemd/system/{kind}")).read_text()
        said = {key: value for key, value in re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE) if key != "Environment"}
        if kind.endswith(".timer"):
            assert Path(self.here(f"/etc/systemd/system/{kind.replace('.timer', '.service')}")).exists()
        elif verb == "stop":
            process = self.processes.pop(name)
            process.terminate()
            assert process.wait(30) == 0
        else:
            own = re.findall(r"^Environment=(\w+)=(.*)$", text, re.MULTILINE)
            settings = re.findall(r'^(\w+)="(.*)"$', Path(said["EnvironmentFile"]).read_text(), re.MULTILINE)
            environment = {"PATH": os.environ["PATH"], **dict(own), **dict(settings)}
            folder = said.get("WorkingDirectory", "/")
            if said.get("Type") == "oneshot":
                self.shell(shlex.split(said["ExecStart"]), environment, folder)
                return
            with (self.folder / "journal").open("w") as journal:
                self.processes[name] = subprocess.Popen(
                    shlex.split(said["ExecStart"]), env=environment, cwd=folder, stdout=journal, stderr=subprocess.STDOUT
                )
            self.wait_until_it_listens(self.processes[name])

    def wait_until_it_listens(self, process):
        while True:
            assert process.poll() is None, (self.folder / "journal").read_text()
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)

    def answer(self):
        """Somebody answers, as the page does."""
        url = f"http://127.0.0.1:{self.port}/api/surveys/town-health"
        schema = Questionnaire.load(self.state / "town.yaml").schema
        # Any report may come of any answer.
        report = {name: secrets.randbelow(schema[name].reported.size) for name in schema}
        body = {"version": httpx.get(url).json()["version"], "id": secrets.token_urlsafe(16), "report": report}
        return httpx.post(f"{url}/answers", json=body).status_code

    @property
    def state(self):
        return self.folder / "var/lib/deniable"

    def stop(self):
        for process in self.processes.values():
            process.kill()
            process.wait()


@pytest.fixture
def machine(tmp_path, wheel):
    one = Machine(tmp_path, wheel.parent)
    yield one
    one.stop()


def test_the_page_can_be_followed_from_top_to_bottom(machine):
    machine.follow("1. Install")
    where = [machine.folder / "opt/deniable/current/bin/python", "-c", "import deniable; print(deniable.__file__)"]
    found = subprocess.run(where, cwd=machine.folder, env=machine.environment, capture_output=True, text=True, check=True)
    assert found.stdout.startswith(str(machine.folder / "opt/deniable"))

    machine.follow("2. Open a survey and start")
    assert '{"status": "ok"' in machine.said
    assert "/organiser/first/" in machine.said
    assert (machine.answer(), machine.answer()) == (201, 201)
    machine.follow("3. HTTPS")
    assert "nginx -t" in machine.said

    machine.follow("4. Backup")
    # The two wait for their batch, and no number tells of them.
    assert "town-health: version 1, open, 0 answers released" in machine.said
    (kept,), (keys,) = ((machine.folder / "var/backups" / name).iterdir() for name in ("deniable", "deniable-keys"))
    assert keys.name == f"{kept.name}.keys"
    assert not (machine.state / "restored").exists()

    machine.follow("5. Upgrade")
    assert "/s/town-health   open, 0 answers released" in machine.said
    assert (machine.folder / "opt/deniable/current").readlink() == Path("first")
    assert len(list((machine.folder / "var/backups/deniable").iterdir())) == 2
    assert machine.answer() == 201
    machine.unit("stop", "deniable")
    with Store(str(machine.state / "answers.db"), machine.state / "keys") as store:
        assert sum(map(sum, store.waiting().values())) == 3

    machine.follow("PostgreSQL instead of SQLite")
    assert "createdb --owner deniable deniable" in machine.said
    assert "SET log_min_error_statement = 'panic'" in machine.said
    assert 'DENIABLE_DB="postgresql://' in Path(machine.here("/etc/deniable/settings")).read_text()


def spoken():
    """Every command `deniable ...` of the page and of its files, as words."""
    found = re.findall(r"`(?:\S*=\S* )?deniable ([^`\n]*)`", TEXT)
    for _path, language, body in BLOCK.findall(TEXT):
        if language in ("sh", "ini"):
            found += re.findall(r"^(?:ExecStart=)?(?:/opt/deniable/current/bin/)?deniable ([^\n]*)$", body, re.MULTILINE)
    return [shlex.split(one) for one in found if not one.startswith('"$@')]


def parsed(words):
    """Read a command as the command line does, without doing it."""
    command = typer.main.get_command(app)
    while hasattr(command, "list_commands"):
        context = command.make_context(command.name, [], resilient_parsing=True)
        assert words[0] in command.list_commands(context), words
        command, words = command.get_command(context, words[0]), words[1:]
    # A command that is only named ("`deniable backup`") needs no arguments.
    return command.make_context(command.name, list(words), resilient_parsing=not words)


def test_every_command_of_the_page_exists_with_its_options():
    found = spoken()
    assert {words[0] for words in found} == {"survey", "serve", "verify", "backup", "restore"}
    assert len(found) >= 12
    for words in found:
        parsed(words)
    for wrong in (["survey", "opened", "town.yaml"], ["backup", "a.backup", "--to", "b"], ["verify", "--file"]):
        with pytest.raises((AssertionError, UNUSABLE)):
            parsed(wrong)


# Programs that are not everywhere read these: nginx 1.22, Caddy 2.6 and `systemd-analyze verify` 252 did, as they are. Anyone who changes
# one tries it again (`pytest tests/attacks/test_proxy.py` where nginx is installed) and then writes down its new SHA-256.
TRIED = {
    "/etc/nginx/conf.d/deniable.conf": "a34836e6342b13dd28da3898210bcf287545e54f40b0c33ea339197221277d6a",
    "/etc/caddy/Caddyfile": "d68fb7fa5924341cecd0095f25bb4db4e191caa4957b971a07d6ab35c8fcec85",
    "/etc/systemd/system/deniable.service": "bc463a3aa0424f048790fea884c522968836da24805c4a304b177c955117ee58",
    "/etc/systemd/system/deniable-backup.service": "9090216b4559c00d01eaaa5a7c22e78aae525fddecc369db4c387744824ae5dc",
    "/etc/systemd/system/deniable-backup.timer": "d71c199ba5274885c276087f43c4c7c080dd6682784be8d5c50a385bebc88d68",
}


def test_the_files_of_the_page_are_those_that_were_tried():
    assert {path: hashlib.sha256(FILES[path].encode()).hexdigest() for path in TRIED} == TRIED


def test_what_the_page_promises_of_its_files_is_in_them():
    unit, proxy, backup = (
        FILES[path]
        for path in (
            "/etc/systemd/system/deniable.service",
            "/etc/nginx/conf.d/deniable.conf",
            "/usr/local/bin/deniable-backup",
        )
    )
    for line in (
        "ProtectSystem=strict",
        "NoNewPrivileges=yes",
        "LimitCORE=0",
        "StateDirectoryMode=0700",
        "IPAddressAllow=localhost",
    ):
        assert f"\n{line}\n" in unit
    servers = proxy.split("server {")[1:]
    assert len(servers) == 2
    for server in servers:
        assert "access_log off;" in server
        assert "error_log /dev/null emerg;" in server
    assert "tail -n +4" in backup
