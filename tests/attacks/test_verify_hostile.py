"""`deniable verify` against servers that lie to some, and against honest ones, also behind proxies."""

from __future__ import annotations

import datetime
import http.client
import importlib.util
import ipaddress
import itertools
import ssl
import sys
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from deniable.errors import StoreError
from deniable.web.released import released
from deniable.web.verify import verify

ROOT = Path(__file__).parents[2]


def _beside(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


hostile = _beside("hostile_servers")
HOSTILE = _beside("hostile_kinds").HOSTILE


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    with hostile.honest_service(tmp_path_factory.mktemp("honest")) as place:
        yield place


def test_there_are_forty_and_more_kinds_of_hostile_servers():
    assert sum(kind.caught for kind in HOSTILE.values()) >= 40
    assert sum(kind.passed_before for kind in HOSTILE.values() if kind.caught) >= 35


@pytest.mark.parametrize("name", [name for name, kind in HOSTILE.items() if kind.caught])
def test_a_hostile_server_is_caught(honest, name):
    kind = HOSTILE[name]
    with hostile.running(honest, kind.hook) as url:
        found = verify(url + kind.address)
    assert [one for one in found if not one.good]


@pytest.mark.parametrize("name", [name for name, kind in HOSTILE.items() if not kind.caught])
def test_what_cannot_be_caught_is_known_and_written_down(honest, name):
    """These win: the page of the security promises says so, and this test would notice if they no longer did."""
    kind = HOSTILE[name]
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
    for name, kind in HOSTILE.items():
        assert rows.get(name, "not there") == ("caught" if kind.caught else "not catchable"), name


def accused(honest, proxy, query=""):
    with hostile.running(honest, hostile.proxied(proxy)) as url:
        return [one for one in verify(f"{url}/s/town{query}") if not one.good]


@pytest.mark.parametrize("proxy", hostile.PROXIES)
def test_an_honest_server_is_not_accused_also_behind_a_proxy(honest, proxy):
    for query in ("", "?lang=pl", "?from=letter&x=1"):
        assert accused(honest, proxy, query) == []


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    """A certificate for this machine: the server's side of it, and a side that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "town.example")])
    today = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
        .not_valid_before(today - datetime.timedelta(days=1)).not_valid_after(today + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    plain = serialization.NoEncryption()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + pem)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(path)
    trusting = ssl.create_default_context(cafile=str(path))
    return server, trusting


def test_over_https_and_led_there_from_http_an_honest_server_is_good_and_a_hostile_one_is_not(honest, tls):
    server, trusting = tls
    for proxy, good in (("nginx", True), ("hostile", False)):
        hook = HOSTILE["other bytes for Chrome"].hook if proxy == "hostile" else hostile.proxied(proxy)
        with hostile.running(honest, hook, server) as secure:

            def to_https(request, reply, fetch, secure=secure):
                return hostile.Reply(301, (("Location", secure + request.target),), b"")

            assert all(one.good for one in verify(f"{secure}/s/town", context=trusting)) == good
            with hostile.running(honest, to_https) as plain:
                found = verify(f"{plain}/s/town?lang=pl", context=trusting)
            assert found[0].good
            assert (
                f"leads to the same address with https, and what is there was looked at ({secure}/s/town?lang=pl)"
                in found[0].found
            )
            assert all(one.good for one in found) == good
            # A certificate that nobody vouches for is no answer, and no accusation.
            with pytest.raises(StoreError, match="certificate"):
                verify(f"{secure}/s/town")


def test_a_server_cannot_write_over_what_is_said_of_it(honest, run):
    def hook(request, reply, fetch):
        return hostile.replace(reply, head=b"X: \x1b[2K\x1b[1Agood  all of it\r\n") if request.path == "/s/town" else reply

    with hostile.running(honest, hook) as url:
        code, out, err = run("verify", f"{url}/s/town")
    assert code == 1
    assert "good  all of it" in out
    assert "\x1b" not in out + err


def test_an_address_that_ends_with_a_slash_is_sent_back(honest):
    with pytest.raises(StoreError, match=r"/s/town, where the page is. Nothing was verified"):
        verify(f"http://{honest[0]}:{honest[1]}/s/town/")


@pytest.mark.slow
def test_an_honest_server_is_accused_in_none_of_200_runs(honest):
    runs = list(itertools.islice(itertools.product(range(40), hostile.PROXIES), 200))
    assert [(number, proxy, found) for number, proxy in runs if (found := accused(honest, proxy))] == []
