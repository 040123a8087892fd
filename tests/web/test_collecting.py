"""The interface that respondents' pages use: what is taken, what is refused, and what every answer carries."""

import contextlib
import gc
import hashlib
import json
import secrets
import socket
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from deniable.survey.invitations import new_token
from deniable.survey.submission import token_hash
from deniable.web.headers import LARGEST_BODY


def test_an_answer_is_stored_and_a_retry_has_the_same_reply(serve, standin):
    town = serve(standin.Standin())
    body = standin.body()
    replies = [town.post(body) for _ in range(3)]
    assert [reply.status_code for reply in replies] == [201] * 3
    assert len({reply.content for reply in replies}) == 1
    conflict = town.post({**body, "report": {"smokes": (body["report"]["smokes"] + 1) % 3, "age": 0}})
    assert (conflict.status_code, conflict.json()["code"]) == (409, "id_reused")
    assert standin.acknowledged(town.store) == 1


def test_a_retry_has_the_same_reply_after_the_questionnaire_was_changed(serve, standin):
    import deniable as dn

    town = serve(standin.Standin(), burst=0)
    bodies = [standin.body() for _ in range(50)]
    assert {town.post(body).status_code for body in bodies} == {201}
    other = standin.Standin(schema=dn.Schema({"age": dn.KRR(dn.Binary(), 0.75)}), title="two")
    town.store.open_survey(other)
    town.service.app.state.collector.forget("town")
    assert (town.post(bodies[0]).status_code, town.post(bodies[0]).json()) == (201, {"stored": True})
    changed = {**bodies[0], "report": {**bodies[0]["report"], "smokes": (bodies[0]["report"]["smokes"] + 1) % 3}}
    assert town.post(changed).json()["code"] == "id_reused"
    assert town.post(standin.body()).json()["code"] == "wrong_version"  # never sent before
    assert town.post(standin.body(version=0)).json()["code"] == "wrong_version"
    town.store.close_survey("town")
    assert town.post(bodies[1]).status_code == 201
    assert [standin.acknowledged(town.store, number=number) for number in (1, 2)] == [50, 0]


def test_texts_that_are_no_unicode_and_columns_of_the_register_are_refused(serve, standin):
    import datetime

    town = serve()
    town.store.open_survey(standin.Standin(linkage="register"), datetime.date.today())
    path, headers = "/api/surveys/town/answers", {"Content-Type": "application/json"}

    def post(contact):
        body = standin.body(code=standin.code(), contact="here")
        text = json.dumps(body).encode().replace(b'"here"', contact)
        reply = town.client.post(path, content=text, headers=headers)
        return reply.status_code, reply.json().get("code")

    assert post(b'{"name": "x\\ud800"}') == (422, "bad_text")
    assert post(b'{"x\\udfff": "y"}') == (422, "bad_contact")
    assert post(b'{"name": "x\\u0000"}') == (422, "bad_text")
    assert post(b'{"name": "x\xed\xa0\x80"}') == (400, "not_json")
    assert post(b'{"code": "AAAAA-AAAAA"}') == (422, "bad_contact")
    assert post(b'{" Code": "AAAAA-AAAAA"}') == (422, "bad_contact")
    assert town.store.waiting() == {1: (0, 0)}
    assert post('{"name": "Żaneta 😀"}'.encode())[0] == 201
    town.store.mix(1, least=1)
    assert [row["name"] for row in town.store.contacts("town")] == ["Żaneta 😀"]
    [kept] = town.store.contacts("town")
    taken = town.post(standin.body(code=kept["code"], contact={"name": "Eve"}))
    assert (taken.status_code, taken.json()["code"]) == (409, "code_used")
    assert town.client.get("/api/health").status_code == 200


def test_no_part_of_a_reply_waits_for_an_acknowledgement_of_the_part_before(serve, standin):
    town = serve(standin.Standin())
    assert town.post(standin.body()).status_code == 201  # the client keeps its connection
    (connection,) = town.service.server.server_state.connections
    assert connection.transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_racing_copies_over_http_make_one_row(serve, standin):
    town = serve(standin.Standin(), burst=0)
    body = standin.body()
    with ThreadPoolExecutor(20) as pool:
        codes = list(pool.map(lambda _: town.post(body).status_code, range(200)))
    assert codes == [201] * 200
    assert standin.acknowledged(town.store) == 1


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"report": {"smokes": 3, "age": 0}}, 422, "unknown_label"),
        ({"report": {"smokes": 0}}, 422, "questions_differ"),
        ({"version": 7}, 409, "wrong_version"),
        ({"id": "x"}, 422, "bad_id"),
        ({"truth": 1}, 422, "unknown_field"),
        ({"token": "abc"}, 422, "token_not_wanted"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_code_and_a_sentence(serve, standin, change, status, code):
    town = serve(standin.Standin())
    reply = town.post({**standin.body(), **change})
    assert (reply.status_code, reply.json()["code"]) == (status, code)
    assert reply.json()["message"].endswith(".")
    assert standin.acknowledged(town.store) == 0


def test_other_bodies_are_refused(serve, standin):
    town = serve(standin.Standin())
    path, body = "/api/surveys/town/answers", standin.body()
    json_type = {"Content-Type": "application/json"}

    def post(content, headers=json_type):
        reply = town.client.post(path, content=content, headers=headers)
        return reply.status_code, reply.json()["code"]

    text = json.dumps(body)
    assert post(text, {"Content-Type": "text/plain"}) == (415, "content_type")
    assert post(text, {}) == (415, "content_type")
    assert post("x" * (LARGEST_BODY + 1)) == (413, "too_large")
    assert post(b"x" * 1024 for _ in range(100)) == (413, "too_large")
    for bad in ("", "{", "[" * 50_000, '{"id": NaN}', "1" * 5_000, b"\xff\xfe", text[:-1] + ', "version": 1}'):
        assert post(bad) == (400, "not_json")
    assert post("[]") == (422, "not_an_object")
    assert town.client.post("/api/surveys/nowhere/answers", json=body).json()["code"] == "unknown_survey"
    assert town.client.post("/api/surveys/%00/answers", json=body).status_code == 404
    assert town.client.get(path).status_code == 405
    assert standin.acknowledged(town.store) == 0
    named = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert town.client.post(path, content=text, headers=named).status_code == 201


def test_closed_surveys_and_used_tokens_are_refused(serve, standin):
    town = serve(standin.Standin(invited=True), burst=0)
    token = new_token()
    town.store.add_invitations("town", [(token_hash("town", token), None, None)])
    assert town.post(standin.body()).json()["code"] == "token_missing"
    assert town.post(standin.body(token="x")).status_code == 403
    first = standin.body(token=token)
    with ThreadPoolExecutor(20) as pool:
        bodies = [first, *(standin.body(token=token) for _ in range(99))]
        codes = [reply.status_code for reply in pool.map(town.post, bodies)]
    assert sorted(codes) == [201] + [409] * 99
    town.store.close_survey("town")
    assert town.post(standin.body(token=token)).json()["code"] == "closed"
    assert standin.acknowledged(town.store) == 1


def test_thirty_people_behind_one_address_are_all_taken_and_a_flood_is_not(serve, standin):
    town = serve(standin.Standin())
    assert [town.post(standin.body()).status_code for _ in range(30)] == [201] * 30
    flooded = serve(standin.Standin(), db="other.db", burst=40, per_second=0.01)
    codes = [flooded.post(standin.body()).status_code for _ in range(50)]
    assert codes == [201] * 40 + [429] * 10
    assert flooded.post(standin.body()).headers["retry-after"]
    # The page itself, the survey and other addresses are not hindered.
    assert flooded.client.get("/api/surveys/town").status_code == 200
    other = httpx.HTTPTransport(local_address="127.0.0.9")
    with httpx.Client(base_url=flooded.url, transport=other) as client:
        assert client.post("/api/surveys/town/answers", json=standin.body()).status_code == 201


def test_pages_of_other_sites_cannot_send(serve, standin):
    town = serve(standin.Standin())
    for headers in (
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "null"},
        {"Origin": "http://["},
    ):
        assert town.post(standin.body(), headers=headers).json()["code"] == "cross_site"
    assert standin.acknowledged(town.store) == 0
    assert town.post(standin.body(), headers={"Origin": town.url, "Sec-Fetch-Site": "same-origin"}).status_code == 201
    preflight = town.client.options("/api/surveys/town/answers", headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in preflight.headers


def test_every_answer_has_the_security_headers_and_respondents_get_no_cookie(serve, standin):
    town = serve(standin.Standin())
    replies = [
        town.client.get("/s/town"),
        town.client.get("/s/nowhere"),
        town.client.get("/static/randomise.js"),
        town.client.get("/api/surveys/town"),
        town.client.get("/api/health"),
        town.client.get("/nowhere"),
        town.post(standin.body()),
        town.post({}),
        town.client.post("/api/surveys/town/answers", content=b"x" * 70_000),
    ]
    for reply in replies:
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy, "another site could show it in a frame"
        assert "unsafe" not in policy
        assert "http:" not in policy
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["referrer-policy"] == "same-origin"
        assert "set-cookie" not in reply.headers
        assert "server" not in reply.headers
    assert [reply.status_code for reply in replies] == [200, 404, 200, 200, 200, 404, 201, 422, 413]


def test_the_client_code_is_the_same_bytes_for_everyone(serve, standin, static):
    town = serve(standin.Standin())
    for path in static.iterdir():
        reply = town.client.get(f"/static/{path.name}", headers={"User-Agent": secrets.token_hex(8)})
        assert reply.content == path.read_bytes()
        assert reply.headers["etag"] == f'"{hashlib.sha256(path.read_bytes()).hexdigest()}"'
        again = town.client.get(f"/static/{path.name}", headers={"If-None-Match": reply.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    assert town.client.get("/s/town").content == (static / "respond.html").read_bytes()
    for name in ("../app.py", "..%2fapp.py", "%00", "organiser.css/"):
        assert town.client.get(f"/static/{name}").status_code in (404, 307)


def test_pages_can_be_looked_for_without_being_sent_and_the_server_itself_has_one(serve, standin, static):
    town = serve(standin.Standin())
    for path in ("/", "/s/town", "/static/randomise.js", "/api/health"):
        reply = town.client.head(path)
        assert (reply.status_code, reply.content) == (200, b"")
        assert reply.headers["content-length"] == str(len(town.client.get(path).content))
    assert town.client.head("/s/nowhere").status_code == 404
    assert town.client.get("/").content == (static / "front.html").read_bytes()


def test_the_survey_is_told_with_version_and_state(serve, standin):
    town = serve(standin.Standin())
    told = town.client.get("/api/surveys/town").json()
    assert (told["version"], told["open"]) == (1, True)
    assert told["recipe"] == standin.Standin().client()["recipe"]
    town.store.close_survey("town")
    town.service.app.state.collector.forget("town")
    assert town.client.get("/api/surveys/town").json()["open"] is False


def test_a_store_that_fails_says_so_and_loses_nothing(serve, standin, monkeypatch, caplog):
    town = serve(standin.Standin())
    body = standin.body()
    with monkeypatch.context() as patch:
        patch.setattr(town.store, "submit", lambda group: 1 / 0)
        reply = town.post(body)
        assert (reply.status_code, reply.json()["code"]) == (503, "not_stored")
        assert town.client.get("/api/health").status_code == 503
    assert town.post(body).status_code == 201
    assert town.client.get("/api/health").json()["status"] == "ok"
    assert "cannot be stored" in caplog.text


def test_answers_under_way_are_finished_at_the_end(serve, standin):
    town = serve(standin.Standin(), burst=0)
    acknowledged = []

    def respond(_):
        with contextlib.suppress(httpx.HTTPError):  # the server no longer listens
            acknowledged.append(town.post(standin.body()).status_code)

    with ThreadPoolExecutor(16) as pool:
        futures = [pool.submit(respond, i) for i in range(200)]
        while len(acknowledged) < 40:
            pass
        town.service.server.should_exit = True
        for future in futures:
            future.result()
    assert set(acknowledged) == {201}
    assert standin.acknowledged(town.store) >= len(acknowledged)


def test_no_metadata_is_kept_anywhere(serve, standin, tmp_path, caplog, capfd):
    """A canary address and a canary browser are found in no table, log, write-ahead file, key or backup."""
    import logging

    from deniable.survey.backup import backup

    caplog.set_level(logging.DEBUG)
    town = serve(standin.Standin())
    agent, address, forwarded = "Canary/77.31.9 (X11; unmistakable)", "127.77.31.9", "203.0.113.77"
    headers = {
        "User-Agent": agent,
        "X-Forwarded-For": forwarded,
        "Referer": "https://canary.example/page",
        "Cookie": "canary=1",
    }
    with httpx.Client(base_url=town.url, transport=httpx.HTTPTransport(local_address=address), headers=headers) as client:
        for _ in range(60):
            assert client.post("/api/surveys/town/answers", json=standin.body()).status_code == 201
        client.get("/s/town")
        client.get("/api/surveys/nowhere")
        client.post("/api/surveys/town/answers", content=b"{")
        client.post("/api/surveys/town/answers", json={**standin.body(), "report": {}})
    with socket.create_connection(("127.0.0.1", town.service.port)) as raw:
        raw.sendall(f"NONSENSE {agent} {address}\r\n\r\n".encode())
        raw.recv(1000)
    backup(town.store, tmp_path / "town.backup")
    import gzip

    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "town.db-wal" for path in files)
    kept = b"".join(path.read_bytes() for path in files)
    kept += gzip.decompress((tmp_path / "town.backup").read_bytes().split(b"\n", 1)[1])
    out = capfd.readouterr()
    ours = "\n".join(record.getMessage() for record in caplog.records if not record.name.startswith("http"))
    kept += (out.out + out.err + ours).encode()
    for canary in ("77.31.9", "Canary/", "unmistakable", forwarded, "canary"):
        assert canary.encode() not in kept
    # No time of day either: dates at most.
    import sqlite3

    connection = sqlite3.connect(tmp_path / "town.db")
    columns = " ".join(row[0] for row in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"))
    connection.close()
    for word in ("time", "stamp", "created", "address", "agent"):
        assert word not in columns.lower()


def test_what_a_server_sets_of_the_garbage_collector_is_as_before_when_it_ends(serve, standin):
    before = gc.get_threshold(), gc.get_freeze_count()
    town = serve(standin.Standin())
    assert gc.get_threshold()[0] > before[0][0]
    assert gc.get_freeze_count() > before[1]
    town.stop()
    assert (gc.get_threshold(), gc.get_freeze_count()) == before
