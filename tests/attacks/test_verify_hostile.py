"""`deniable verify` against servers that lie to some, and against honest ones, also behind proxies."""

from __future__ import annotations

import http.client
import importlib.util
import itertools
import sys
from pathlib import Path

import pytest

from deniable.web.released import released
from deniable.web.verify import verify

ROOT = Path(__file__).parents[2]


def _hostile():
    spec = importlib.util.spec_from_file_location("hostile_servers", Path(__file__).parent / "hostile_servers.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["hostile_servers"] = module
    spec.loader.exec_module(module)
    return module


hostile = _hostile()


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    with hostile.honest_service(tmp_path_factory.mktemp("honest")) as place:
        yield place


def test_there_are_forty_and_more_kinds_of_hostile_servers():
    assert sum(kind.caught for kind in hostile.HOSTILE.values()) >= 40
    assert sum(kind.passed_before for kind in hostile.HOSTILE.values() if kind.caught) >= 35


@pytest.mark.parametrize("name", [name for name, kind in hostile.HOSTILE.items() if kind.caught])
def test_a_hostile_server_is_caught(honest, name):
    kind = hostile.HOSTILE[name]
    with hostile.running(honest, kind.hook) as url:
        found = verify(url + kind.address)
    assert [one for one in found if not one.good]


@pytest.mark.parametrize("name", [name for name, kind in hostile.HOSTILE.items() if not kind.caught])
def test_what_cannot_be_caught_is_known_and_written_down(honest, name):
    """These win: the page of the security promises says so, and this test would notice if they no longer did."""
    kind = hostile.HOSTILE[name]
    with hostile.running(honest, kind.hook) as url:
        assert all(one.good for one in verify(url + kind.address))
        if kind.victim is not None:
            target, headers, own = kind.victim
            connection = http.client.HTTPConnection(*url.removeprefix("http://").split(":"), source_address=(own, 0))
            connection.request("GET", target, headers=headers)
            body = connection.getresponse().read()
            connection.close()
            assert body not in [file.content for file in released().values()]


def test_every_kind_stands_in_the_security_page_with_its_verdict():
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    rows = {
        cells[0]: cells[1] for line in text.splitlines() if len(cells := [cell.strip() for cell in line.split("|")[1:-1]]) == 3
    }
    for name, kind in hostile.HOSTILE.items():
        assert rows.get(name, "not there") == ("caught" if kind.caught else "not catchable"), name


def accused(honest, proxy, query=""):
    with hostile.running(honest, hostile.proxied(proxy)) as url:
        return [one for one in verify(f"{url}/s/town{query}") if not one.good]


@pytest.mark.parametrize("proxy", hostile.PROXIES)
def test_an_honest_server_is_not_accused_also_behind_a_proxy(honest, proxy):
    for query in ("", "?lang=pl", "?from=letter&x=1"):
        assert accused(honest, proxy, query) == []


@pytest.mark.slow
def test_an_honest_server_is_accused_in_none_of_200_runs(honest):
    runs = list(itertools.islice(itertools.product(range(40), hostile.PROXIES), 200))
    assert [(number, proxy, found) for number, proxy in runs if (found := accused(honest, proxy))] == []
