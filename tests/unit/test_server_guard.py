"""The guard: where a request comes from, who asks, how much and how long. Each test fails without its rule."""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import socket
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

import seamline
from harness.server import SECRETS, RunningServer, bearer, running, tokens
from seamline.errors import ConfigError, TrustError
from seamline.index.update import Failure, UpdateReport
from seamline.server import tokens as tokens_module
from seamline.server.connections import QuietConnections
from seamline.server.events import BEHIND, EventStream
from seamline.server.guard import GuardRules
from seamline.server.limits import RateLimit, ServerLimits
from seamline.server.log import LogHandler, ServerLog, clean
from seamline.server.parts import ServerPart
from seamline.server.run import allowed_hosts
from seamline.server.tokens import Tokens, load_tokens

CONFIG = seamline.IndexConfig(embedder="hash")


def serve(rules: GuardRules | None = None, text: str = "The pump is red.") -> AbstractContextManager[RunningServer]:
    index = seamline.open_index("memory:", config=CONFIG)
    index.add("a.md", text)
    return running({"kb": index}, rules)


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with serve() as server:
        yield server


# --- where from


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("localhost:1", 200),
        ("[::1]:80", 200),
        ("LOCALHOST", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost:1@evil", 421),
        ("localhost evil", 421),
        ("", 421),
    ],
)
def test_only_names_of_this_server(server: RunningServer, host: str, status: int) -> None:
    assert server.client.get("/healthz", headers={"Host": host}).status_code == status


def test_forwarded_names_are_not_believed(server: RunningServer) -> None:
    answer = server.client.get("/healthz", headers={"Host": "evil.example", "X-Forwarded-Host": "localhost"})
    assert answer.status_code == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1:1", "file://"]
)
def test_web_pages_of_others_may_not_call(server: RunningServer, origin: str) -> None:
    for path in ("/healthz", "/events"):
        answer = server.client.get(path, headers={"Origin": origin})
        assert (answer.status_code, answer.json()["type"]) == (403, "urn:seamline:problem:origin")
        assert "access-control-allow-origin" not in answer.headers


def test_headers_that_come_twice_are_not_chosen_from(server: RunningServer) -> None:
    """The guard itself: some HTTP servers in front of it let both through."""

    def ask(*headers: tuple[bytes, bytes]) -> int:
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": "/healthz", "query_string": b"", "headers": headers}
        asyncio.run(server.app(scope, receive, send))
        return int(sent[0]["status"])

    ours, theirs = (b"host", b"localhost"), (b"host", b"evil.example")
    assert [ask(ours), ask(), ask(ours, theirs), ask(theirs, ours), ask(ours, ours)] == [200, 421, 421, 421, 421]
    own, foreign = (b"origin", b"http://localhost"), (b"origin", b"http://evil.example")
    assert [ask(ours, own), ask(ours, own, foreign), ask(ours, foreign, own)] == [200, 403, 403]


def test_there_are_no_web_sockets() -> None:
    """Also where a part has one: the guard answers before it, as what it checks is about requests."""

    async def chat(socket: WebSocket) -> None:
        await socket.accept()

    index = seamline.open_index("memory:", config=CONFIG)
    with running({"kb": index}, parts=[ServerPart([WebSocketRoute("/chat", chat)])]) as server:
        key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
        head = f"GET /chat HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n{key}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as caller:
            caller.sendall(head.encode())
            assert caller.recv(100).startswith(b"HTTP/1.1 4")


def test_own_pages_and_allowed_ones_may() -> None:
    with serve(GuardRules(origins=("https://kb.example.org",))) as server:
        for origin in (server.url, "https://kb.example.org"):
            assert server.client.get("/healthz", headers={"Origin": origin}).status_code == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "example.org", ""])
def test_another_address_needs_tokens(host: str) -> None:
    with pytest.raises(ConfigError, match="--token-file"):
        allowed_hosts(host, Tokens(()), ["kb.example.org"])
    assert "kb.example.org" in allowed_hosts(host, tokens(), ["kb.example.org"])


def test_all_addresses_need_a_name() -> None:
    with pytest.raises(ConfigError, match="--allow-host"):
        allowed_hosts("0.0.0.0", tokens(), [])
    assert "0.0.0.0" not in allowed_hosts("0.0.0.0", tokens(), ["a"])
    assert set(allowed_hosts("127.0.0.1", Tokens(()), [])) >= {"127.0.0.1", "localhost"}


# --- who


def test_reading_is_the_default_and_writing_is_not(server: RunningServer) -> None:
    answer = server.client.post("/documents", json={"documents": [{"id": "b.md", "text": "b"}]})
    assert (answer.status_code, "--write" in answer.json()["detail"]) == (403, True)
    assert server.client.delete("/documents/a.md").status_code == 403
    assert server.client.get("/documents/a.md").status_code == 200


@pytest.mark.parametrize(
    "header",
    [
        *("", "Bearer", "Basic cmVhZDpyZWFk", f"Bearer {SECRETS['read']}x", SECRETS["read"]),
        *(f"Basic {SECRETS['read']}", f"Token {SECRETS['read']}"),
        *(f"Bearer {SECRETS['read'][:-1]}", "Bearer " + "a" * 8000, f"Bearer {SECRETS['read']}, x"),
    ],
)
def test_what_is_no_token(header: str) -> None:
    with serve(GuardRules(tokens())) as server:
        answer = server.client.get("/stats", headers={"Authorization": header})
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert "read-token" not in answer.text


def test_nobody_writes_where_nobody_may() -> None:
    """Whatever the token says, and with the reason that the server was given."""
    with serve(GuardRules(tokens(), read_only="write elsewhere")) as server:
        given = {"documents": [{"id": "a.md", "text": "A"}]}
        for name in ("write", "tenant", "read"):
            answer = server.client.post("/documents", json=given, headers=bearer(name))
            assert (answer.status_code, answer.json()["detail"]) == (403, "write elsewhere")
        assert server.client.get("/documents", headers=bearer("read")).status_code == 200


def test_every_token_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(left: bytes, right: bytes) -> bool:
        compared.append((left, right))
        return left == right

    monkeypatch.setattr(tokens_module, "compare_digest", compare)
    for secret in (SECRETS["read"], SECRETS["other"], "wrong"):
        compared.clear()
        tokens().find(secret)
        assert len(compared) == len(SECRETS)  # no early end, and hashes of one length
        assert {len(one) for pair in compared for one in pair} == {32}


GOOD = '[[token]]\nname = "ops"\ntoken = "0123456789abcdef"\nrights = ["read", "write"]\n'


READS = GOOD.replace('["read", "write"]', '["read"]')


def token_file(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "tokens.toml"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_tokens_of_a_file(tmp_path: Path) -> None:
    more = '[[token]]\nname = "red"\nsha256 = "' + "ab" * 32 + '"\ntenant = { team = "red" }\n'
    found = load_tokens(token_file(tmp_path, GOOD + more))
    ops = found.find("0123456789abcdef")
    assert ops is not None
    assert (ops.name, ops.rights, ops.is_limited, len(found)) == ("ops", {"read", "write"}, False, 2)
    assert found.find("0123456789abcdeg") is None
    said = repr(found._tokens)
    assert "0123456789abcdef" not in said
    assert repr(sha256(b"0123456789abcdef").digest()) not in said  # a hash lets guesses be tried


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"\[\[token\]\]"),
        ("x = 1\n" + GOOD, "nothing else"),
        (GOOD + GOOD, "twice"),
        (GOOD.replace("0123456789abcdef", "short"), "at least 16"),
        (GOOD.replace("write", "admin"), "rights"),
        (GOOD.replace('name = "ops"\n', ""), "name"),
        (GOOD + "where = 'meta.team = \"red\"'\n", "tenant"),
        (READS + "where = 'colour = 3'\n", "colour"),
        (GOOD + "where = ''\n", "where"),
        (
            READS + "where = 'not (doc = \"a\" and page = 3)'\n",
            "`page` differs",
        ),
        ('token = ["a"]', "expected a table"),
        (GOOD + "tenant = {}\n", "tenant"),
        (GOOD + 'extra = "x"\n', "extra"),
        (GOOD + 'sha256 = "ab"\n', "sha256"),
        ("[[token", "not TOML"),
    ],
)
def test_files_of_tokens_that_cannot_work(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load_tokens(token_file(tmp_path, text))


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620, 0o602])
def test_tokens_that_others_can_read_or_change(tmp_path: Path, mode: int) -> None:
    path = token_file(tmp_path, GOOD, mode)
    with pytest.raises(ConfigError, match="chmod 600"):
        load_tokens(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


# --- how much


def test_a_body_that_says_that_it_is_too_large() -> None:
    with serve(GuardRules(limits=ServerLimits(body=1000))) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        connection.putrequest("POST", "/search")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", "999999999999")
        connection.endheaders()
        answer = connection.getresponse()  # before a byte of it was sent
        assert (answer.status, json.loads(answer.read())["type"]) == (413, "urn:seamline:problem:too-large")
        connection.close()


def test_a_body_that_does_not_is_counted_while_it_comes() -> None:
    sent = 0

    def pieces() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(10_000):
            sent += 1000
            yield b" " * 1000

    with serve(GuardRules(write=True, limits=ServerLimits(body=50_000))) as server:
        kind = {"Content-Type": "application/json"}
        try:
            answer = server.client.post("/search", content=pieces(), headers=kind)
            assert answer.status_code == 413
        except httpx.WriteError:  # the connection was closed while we sent
            pass
        assert sent < 10_000_000
        _until(lambda: server.log.lines)
        assert server.log.lines[-1]["status"] == 413
        files = [("file", ("a.md", b"a" * 60_000))]
        assert server.client.post("/documents", files=files).status_code == 413
        assert server.client.post("/search", json={"query": "pump"}).status_code == 200


def test_more_than_a_rate() -> None:
    with serve(GuardRules(tokens(), limits=ServerLimits(rate=2))) as server:
        answers = [server.client.get("/documents", headers=bearer("read")) for _ in range(8)]
        assert {one.status_code for one in answers} == {200, 429}
        refused = answers[-1]
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
        assert server.client.get("/documents", headers=bearer("write")).status_code == 200  # each has its own
        guesses = {server.client.get("/documents", headers=bearer("x" * 20)).status_code for _ in range(8)}
        assert guesses == {401, 429}  # those who guess are slowed down too


def test_a_rate_refills() -> None:
    now = 0.0
    rate = RateLimit(10, lambda: now)
    assert [rate.wait("a") for _ in range(20)] == [0.0] * 20
    assert rate.wait("a") == pytest.approx(0.1)
    now = 0.1
    assert rate.wait("a") == 0.0
    assert rate.wait("a") > 0
    assert RateLimit(0).wait("a") == 0.0


def test_the_callers_that_are_remembered_are_limited() -> None:
    rate = RateLimit(1, lambda: 0.0)
    for n in range(25_000):
        rate.wait(f"address {n}")
    assert len(rate._buckets) == 10_000


def test_limits_that_nobody_set() -> None:
    """The ones of `seamline serve`; the page about it names them."""
    assert ServerLimits() == ServerLimits(
        body=32 << 20, seconds=30, threads=4, waiting=64, writes=16, requests=512, rate=100, batch=1000, query=10_000,
        streams=32,
    )  # fmt: skip


class SlowSearch:
    """Makes searches of a server wait until they are let go."""

    def __init__(self, server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
        index = server.app.state.indexes["kb"].index
        self.go = threading.Event()
        self.queries: list[str] = []
        real = index.search

        def search(query: str, **options: object) -> object:
            self.queries.append(query)
            if query == "slow":
                self.go.wait(20)
            return real(query, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(index, "search", search)


class FakeTransport:
    """Of a connection that is only looked at."""

    aborted = False

    def is_closing(self) -> bool:
        return False

    def abort(self) -> None:
        self.aborted = True


@dataclass
class FakeCycle:
    response_complete: bool


@dataclass(eq=False)
class FakeConnection:
    cycle: FakeCycle | None = None
    transport: FakeTransport = field(default_factory=FakeTransport)


def test_more_at_once_than_there_are_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(GuardRules(limits=ServerLimits(threads=1, waiting=1))) as server:
        slow = SlowSearch(server, monkeypatch)
        waiting = [threading.Thread(target=_ask, args=(server, "slow")) for _ in range(2)]
        for thread in waiting:
            thread.start()
        _until(lambda: server.app.state.pool.taken == 2)
        begun = time.monotonic()
        answer = _ask(server, "pump")
        took = time.monotonic() - begun
        assert (answer.status_code, answer.headers["retry-after"], took < 2) == (503, "1", True)
        assert server.client.get("/healthz").status_code == 200
        slow.go.set()
        for thread in waiting:
            thread.join()
        _until(lambda: server.app.state.pool.taken == 0)
        assert _ask(server, "pump").status_code == 200


def test_more_writes_than_may_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(GuardRules(write=True, limits=ServerLimits(writes=1))) as server:
        served = server.app.state.indexes["kb"]
        real, go = served.index.add_many, threading.Event()

        def add_many(items: object, **options: object) -> object:
            go.wait(20)
            return real(items, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(served.index, "add_many", add_many)

        def put(n: int) -> httpx.Response:
            given = {"documents": [{"id": f"{n}.md", "text": "Text."}]}
            return httpx.post(f"{server.url}/documents", json=given, timeout=30)

        waiting = [threading.Thread(target=put, args=(n,)) for n in range(2)]
        for thread in waiting:
            thread.start()
        _until(lambda: served._writes.taken == 2)
        refused = put(2)
        go.set()
        for thread in waiting:
            thread.join()
        assert (refused.status_code, refused.json()["type"]) == (503, "urn:seamline:problem:busy")
        assert put(2).json()["added"] == 1


def test_a_listener_who_falls_behind_holds_no_more_than_some_events() -> None:
    async def listen() -> list[str]:
        events = EventStream(1)
        heard = events.listen()
        assert await anext(heard) == ": listening\n\n"
        for n in range(1000):
            events.publish("progress", {"done": n})
        waiting = [await anext(heard) for _ in range(BEHIND)]
        events.close()
        assert [one async for one in heard] == []
        return waiting

    waiting = asyncio.run(listen())
    assert json.loads(waiting[0].rpartition("data: ")[2])["done"] == 1000 - BEHIND  # the oldest are gone
    assert BEHIND == 256


def test_more_requests_open_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(GuardRules(limits=ServerLimits(requests=1))) as server:
        slow = SlowSearch(server, monkeypatch)
        thread = threading.Thread(target=_ask, args=(server, "slow"))
        thread.start()
        _until(lambda: server.app.state.pool.taken == 1)
        assert server.client.get("/healthz").status_code == 503
        slow.go.set()
        thread.join()
        assert server.client.get("/healthz").status_code == 200


def test_an_answer_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(GuardRules(limits=ServerLimits(seconds=0.5, threads=1, waiting=0))) as server:
        slow = SlowSearch(server, monkeypatch)
        answer = _ask(server, "slow")
        assert (answer.status_code, answer.json()["type"]) == (503, "urn:seamline:problem:too-slow")
        assert _ask(server, "pump").json()["type"] == "urn:seamline:problem:busy"  # its thread is still at it
        slow.go.set()
        _until(lambda: server.app.state.pool.taken == 0)
        assert _ask(server, "pump").status_code == 200


def test_a_body_that_comes_too_slowly() -> None:
    with serve(GuardRules(limits=ServerLimits(seconds=0.5))) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as slow:
            head = b"POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            slow.sendall(head + b"Content-Length: 100\r\n\r\n{")
            assert slow.recv(1000).startswith(b"HTTP/1.1 503 ")
        assert server.client.get("/healthz").status_code == 200


def test_a_search_for_a_caller_who_went_away_does_not_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(GuardRules(limits=ServerLimits(threads=1, waiting=5))) as server:
        slow = SlowSearch(server, monkeypatch)
        thread = threading.Thread(target=_ask, args=(server, "slow"))
        thread.start()
        _until(lambda: server.app.state.pool.taken == 1)
        body = b'{"query": "gone"}'
        head = f"POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n".encode()
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", server.port), timeout=10) as caller:
                caller.sendall(head + b"Content-Type: application/json\r\n\r\n" + body)
                _until(lambda: server.app.state.pool.taken == 2)
            _until(lambda: server.app.state.pool.taken == 1)  # while the only thread is busy
        slow.go.set()
        thread.join()
        assert slow.queries == ["slow"]
        assert _ask(server, "pump").status_code == 200


def test_an_answer_that_nobody_reads_is_given_up() -> None:
    body = bytes(range(256)) * (1 << 16)

    async def send_much(request: Request) -> Response:
        return Response(body)

    index = seamline.open_index("memory:", config=CONFIG)
    rules = GuardRules(limits=ServerLimits(seconds=1.0))
    with running({"kb": index}, rules, [ServerPart([Route("/much", send_much)])]) as server:
        with socket.socket() as stuck:
            stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            stuck.settimeout(20)
            stuck.connect(("127.0.0.1", server.port))
            stuck.sendall(b"GET /much HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _until(lambda: server.log.lines)  # the request is over, though it was not read
        answer = server.client.get("/much")
        assert (answer.status_code, answer.content == body) == (200, True)  # in many pieces


def test_quiet_connections_end() -> None:
    quiet = QuietConnections(10)
    _silent, answering, busy, answered = connections = [FakeConnection() for _ in range(4)]
    answering.cycle = FakeCycle(response_complete=False)
    answered.cycle = FakeCycle(response_complete=True)
    for now in range(11):
        busy.cycle = FakeCycle(response_complete=True)  # another request each time
        quiet.drop(connections, float(now))
    assert [one.transport.aborted for one in connections] == [True, False, False, True]


def test_a_write_that_has_begun_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(GuardRules(write=True, limits=ServerLimits(seconds=0.5))) as server:
        index = server.app.state.indexes["kb"].index
        real = index.add_many

        def add_many(items: object, **options: object) -> object:
            time.sleep(1.2)
            return real(items, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(index, "add_many", add_many)
        answer = server.client.post("/documents", json={"documents": [{"id": "b.md", "text": "b"}]})
        assert (answer.status_code, answer.json()["added"]) == (200, 1)


def test_events_go_on_longer_than_an_answer_may_take() -> None:
    with (
        serve(GuardRules(write=True, limits=ServerLimits(seconds=0.3, streams=1))) as server,
        httpx.stream("GET", f"{server.url}/events", timeout=20) as stream,
    ):
        lines = stream.iter_lines()
        next(lines)
        with httpx.stream("GET", f"{server.url}/events", timeout=20) as other:
            assert other.status_code == 503  # as many as may listen
        time.sleep(0.8)
        server.client.post("/documents", json={"documents": [{"id": "b.md", "text": "b"}]})
        assert any(line == "event: changed" for line in lines)


def test_listeners_that_went_away_are_forgotten() -> None:
    with serve(GuardRules(write=True)) as server:
        events = server.app.state.indexes["kb"].events
        with httpx.stream("GET", f"{server.url}/events", timeout=20) as stream:
            lines = stream.iter_lines()
            next(lines)
            assert events.listeners == 1
        for n in range(20):
            server.client.post("/documents", json={"documents": [{"id": "b.md", "text": f"b {n}"}]})
            if not events.listeners:
                break
            time.sleep(0.05)
        assert events.listeners == 0


# --- what is said


PROTECTION = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}
"""Headers of every answer, word for word."""


def test_headers_of_every_answer(server: RunningServer) -> None:
    for answer, status in (
        (server.client.get("/healthz"), 200),
        (server.client.get("/nothing"), 404),
        (server.client.get("/", headers={"Host": "x"}), 421),
        (server.client.get("/", headers={"Origin": "http://x"}), 403),
        (server.client.post("/search", content=b"{"), 415),
        (server.client.put("/documents"), 405),
    ):
        assert answer.status_code == status
        assert {name: answer.headers.get(name) for name in PROTECTION} == PROTECTION
        assert "set-cookie" not in answer.headers


def test_the_log_has_no_text_and_no_secrets() -> None:
    with serve(GuardRules(tokens()), text="The word xylophone is secret.") as server:
        secret = bearer("write")
        server.client.post("/search", json={"query": "xylophone"}, headers=secret)
        server.client.get("/documents", params={"prefix": "xylophone"}, headers=secret)
        server.client.post("/documents", json={"documents": [{"id": "x", "text": "xylophone"}]}, headers=secret)
        server.client.get("/nothing%0d%0aevil%1b[31m", headers=secret)
        _until(lambda: len(server.log.lines) == 4)  # the last is written after its answer
        logged = json.dumps(server.log.lines)
        assert "xylophone" not in logged
        assert SECRETS["write"] not in logged
        assert server.log.lines[0]["caller"] == "write"
        assert server.log.lines[-1]["path"] == "/nothing??evil?[31m"


def test_names_are_cleaned() -> None:
    assert clean("a\r\nb\x1b[31m\u202ec") == "a??b?[31m?c"
    assert len(clean("a" * 1000)) == 300


def test_what_the_http_server_logs_is_cleaned(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("\u202e" + "a" * 1000,)
    record = logging.LogRecord("uvicorn", logging.WARNING, "", 0, "bad \r\n\x1b[31mrequest %s", given, None)
    LogHandler(ServerLog()).emit(record)
    line = json.loads(capsys.readouterr().err)
    assert line["message"] == "bad ???[31mrequest ?" + "a" * 280


def test_a_service_that_is_not_trusted_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve() as server:
        index = server.app.state.indexes["kb"].index

        def search(*given: object, **options: object) -> object:
            raise TrustError("http://models.example is not trusted: run seamline trust /srv/somebody")

        monkeypatch.setattr(index, "search", search)
        answer = _ask(server, "pump")
        assert (answer.status_code, answer.json()["type"]) == (503, "urn:seamline:problem:not-trusted")
        assert "example" not in answer.text
        assert "somebody" not in answer.text


def test_a_fault_of_ours_tells_no_details(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve() as server:
        index = server.app.state.indexes["kb"].index
        monkeypatch.setattr(index, "search", lambda *a, **k: {}["the text of a document"])
        answer = _ask(server, "pump")
        assert (answer.status_code, answer.headers["content-type"]) == (500, "application/problem+json")
        assert "the text" not in answer.text
        _until(lambda: len(server.log.lines) == 2)
        failure = next(line for line in server.log.lines if line["event"] == "failure")
        assert (failure["error"], failure["id"]) == ("KeyError", answer.json()["id"])
        assert "the text" not in json.dumps(server.log.lines)


def test_messages_name_no_places_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = seamline.open_index(tmp_path / "kb", config=CONFIG)
    with running({"kb": index}) as server:

        def search(*given: object, **options: object) -> object:
            raise seamline.StoreError(f"{tmp_path / 'kb'}: damaged")

        monkeypatch.setattr(index, "search", search)
        answer = _ask(server, "pump")
        assert (answer.status_code, answer.json()["detail"]) == (503, "kb: damaged")


def test_reports_of_writes_name_no_places_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "kb"
    index = seamline.open_index(place, config=CONFIG)
    with running({"kb": index}, GuardRules(write=True)) as server:
        failed = UpdateReport(failures=[Failure("a.md", f"{place}/x: broken")], notices=[f"{place} was repaired"])
        monkeypatch.setattr(index, "add_many", lambda items, **options: failed)
        done = server.client.post("/documents", json={"documents": [{"id": "a.md", "text": "A"}]}).json()
        assert done["failures"] == [{"doc": "a.md", "message": "kb/x: broken"}]
        assert done["notices"] == ["kb was repaired"]


def _ask(server: RunningServer, query: str) -> httpx.Response:
    return httpx.post(f"{server.url}/search", json={"query": query}, timeout=30)


def _until(condition: object) -> None:
    end = time.monotonic() + 10
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.01)
