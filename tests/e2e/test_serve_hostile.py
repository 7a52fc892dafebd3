"""Hostile requests: none gets in, none is a fault of the server, and the index is whole afterwards."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import seamline
from harness.server import RunningServer, bearer, running, tokens
from seamline.server.guard import GuardRules
from seamline.server.limits import ServerLimits

REFUSED = (400, 404, 409, 413, 415, 422)
JSON = {"Content-Type": "application/json"}

NAMES = (
    *("../../../../tmp/evil.md", "..\\..\\evil.md", "/etc/cron.d/evil", "C:\\Windows\\evil.md", "....//....//evil.md"),
    *("..%2f..%2fevil.md", "%252e%252e%252fevil.md", "a\0.md", "evil.md\0.pdf", "\u202efdp.exe", "CON", "a" * 5000),
    *(
        "",
        ".",
        " ",
        "..",
        "~/x.md",
        "file:///etc/passwd",
        "//host/share/x",
        "a/b/c.md",
        "-rf.md",
        "$(id).md",
        "`id`.md",
    ),
    *("|id", "<img src=x onerror=alert(1)>.md", "x.md\r\nSet-Cookie: a=b", "．．／evil.md", "é.md", "index.pkl"),
    *("config.yaml", ".env", "chunks.db"),
)
HOSTS = (
    *(
        "127.0.0.1:8000/",
        "localhost/",
        "0.0.0.0/",
        "0/",
        "127.1/",
        "2130706433/",
        "0x7f000001/",
        "0177.0.0.1/",
        "[::1]/",
    ),
    *("[::ffff:7f00:1]/", "169.254.169.254/latest/meta-data/", "[fd00:ec2::254]/", "metadata.google.internal/"),
    *(
        "10.0.0.1/",
        "127-0-0-1.sslip.io/",
        "user:pw@127.0.0.1/",
        "evil.example#@127.0.0.1/",
        "①②⑦.⓪.⓪.①/",
        "localhost./",
    ),
    *("127.0.0.1%2f.example.com/", "example.com/redirect-to-127.0.0.1", "127.0.0.1:6379/", "[::]/"),
)
ADDRESSES = (
    *(f"http://{host}" for host in HOSTS),
    *("file://localhost/etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1:6379/_x", "jar:http://x!/"),
    *("data:text/html,<script>alert(1)</script>", "https://example.com:22/", "//127.0.0.1/", "HTTP://LOCALHOST"),
    "unix:/var/run/docker.sock",
)
FILTERS: tuple[tuple[str, str, Any], ...] = (
    ("author' = 'alice' OR '1'='1' --", "==", "zzz"),
    ("a'; DROP TABLE chunks; --", "==", "x"),
    ('a"b', "==", "x"),
    ("$.a[*] ? (@ == 1)", "==", "x"),
    ("a.b.c", "==", "x"),
    ("", "==", "x"),
    ("x" * 100_000, "==", "x"),
    ("a", "==", "x' OR 1=1 --"),
    ("a", "LIKE", "%" * 10_000),
    ("a", "in", ["x') OR 1=1 --"] * 3),
    ("a", "in", list(range(100_000))),
    ("a", "; DROP", "x"),
    ("__class__", "==", "x"),
    ("a", "regex", "(a+)+$"),
    ("a", "==", None),
    ("a", "==", {"$ne": None}),
    ("a", ">", "NaN"),
    ("a\0", "==", "\0"),
)
QUERIES = (
    *("", "   ", "a" * 100_000, "\0", "' OR 1=1 --", '"unbalanced', "NEAR(", "AND OR NOT", "*", "col:term", "-", "'"),
    *("a NEAR/999999999 b", "(" * 10, "term^", "NOT x", "<script>", "<|endoftext|>", "%00", "{{7*7}}", "a:b:c"),
)
SIZES: tuple[dict[str, Any], ...] = (
    *({"limit": one} for one in (0, -5, "100", 1.5, True)),
    *({"limit": 100, "overlap": one} for one in (100, 200, -1)),
    {"limit": 100, "floor": 500},
    {"separators": [""]},
    *({"tokenizer": one} for one in ("../../etc/passwd", "http://evil/x.json")),
    {"embedding_model": "evil/repo"},
    {"trust_remote_code": True},
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[RunningServer]:
    index = seamline.open_index(folder / "kb", config=seamline.IndexConfig(embedder="hash"))
    index.add_many(
        [("red.md", "The pump is red.", {"team": "red"}), ("blue.md", "The pump is blue.", {"team": "blue"})]
    )
    limits = ServerLimits(rate=0, body=8 << 20)
    with running({"kb": index}, GuardRules(tokens(), limits=limits)) as server:
        yield server


@pytest.fixture(autouse=True)
def still_whole(server: RunningServer) -> Iterator[None]:
    """After every test: it answers, nothing failed inside, and the documents are as they were."""
    yield
    index = server.app.state.indexes["kb"].index
    assert server.client.get("/healthz").status_code == 200
    assert not [line for line in server.log.lines if line["event"] == "failure"]
    assert server.client.get("/documents/red.md", headers=bearer("write")).json()["text"] == "The pump is red."
    assert not list(index.verify())


def post(server: RunningServer, path: str, body: object, caller: str = "write") -> httpx.Response:
    return server.client.post(path, content=json.dumps(body), headers={**JSON, **bearer(caller)})


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_names_of_documents_stay_names(server: RunningServer, folder: Path, name: str) -> None:
    before = {path for path in folder.parent.rglob("*") if "evil" in path.name}
    for answer in (
        post(server, "/documents", {"documents": [{"id": name, "text": "x"}]}),
        server.client.post("/documents", files=[("file", (name, b"x"))], headers=bearer("write")),
    ):
        assert answer.status_code in (200, 400, 422), answer.text
        assert "set-cookie" not in answer.headers
        if answer.status_code == 200:
            assert ".." not in name.split("/")
            assert not name.startswith(("/", "~"))
    assert {path for path in folder.parent.rglob("*") if "evil" in path.name} == before
    assert not Path("/tmp/evil.md").exists()


@pytest.mark.parametrize("address", ADDRESSES, ids=range(len(ADDRESSES)))
def test_addresses_are_never_asked(server: RunningServer, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    client = httpx.Client(base_url=server.url, timeout=30)
    client.get("/healthz")  # its connection is open before connections are watched
    monkeypatch.setattr(socket.socket, "connect", lambda self, place: asked.append(place))
    named = {"documents": [{"id": address, "text": "x"}]}
    assert client.post("/documents", json=named, headers=bearer("write")).status_code == 422
    cut = client.post("/chunk", json={"text": address}, headers=bearer("write"))
    assert cut.json()["chunks"][0]["text"] == address
    put = client.post("/documents", json={"documents": [{"id": "a.md", "text": address}]}, headers=bearer("write"))
    assert put.json()["failures"] == []
    assert not asked
    client.close()


@pytest.mark.parametrize(("key", "operator", "value"), FILTERS, ids=range(len(FILTERS)))
def test_filters_let_nothing_through(server: RunningServer, key: str, operator: str, value: Any) -> None:
    shapes = (
        {"key": key, "op": operator, "value": value},
        {key: value},
        {"meta": {key: value}},
        {"meta": {key: {operator: value}}},
        f'meta."{key}" {operator} "{value}"',
        f'meta.team = "red" or meta.a {operator} {value!r}',
    )
    for where in shapes:
        answer = post(server, "/search", {"query": "pump", "min_score": 0, "where": where}, "tenant")
        assert answer.status_code in (200, *REFUSED), answer.text
        if answer.status_code == 200:
            assert {hit["doc"] for hit in answer.json()["hits"]} <= {"red.md"}


def test_filters_that_are_no_filters(server: RunningServer) -> None:
    deep: Any = {"doc": "a"}
    for _ in range(60):
        deep = {"not": deep}
    for where in (
        {"and": [{"or": []}]},
        "not a dict",
        deep,
        {"doc": {"$ne": [[[]]]}},
        "(" * 9000,
        "not " * 2000,
        3,
        [],
    ):
        assert post(server, "/search", {"query": "pump", "where": where}).status_code in (200, 422)
    deeper = b'{"query": "a", "where": ' + b'{"and": [' * 10_000 + b"]}" * 10_000 + b"}"
    assert server.client.post("/search", content=deeper, headers={**JSON, **bearer("read")}).status_code == 400


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_questions_are_text(server: RunningServer, query: str) -> None:
    for path in ("/search", "/context"):
        answer = post(server, path, {"query": query}, "tenant")
        assert answer.status_code in (200, 422), answer.text
        assert "blue" not in answer.text


@pytest.mark.parametrize("k", [-1, 0, 10**9, 2**63, "10; DROP", "NaN", 1.5, True, [], "1e9"])
def test_numbers_of_hits(server: RunningServer, k: object) -> None:
    assert post(server, "/search", {"query": "pump", "k": k}).status_code == 422


@pytest.mark.parametrize("given", SIZES, ids=str)
def test_settings_of_cutting(server: RunningServer, given: dict[str, Any]) -> None:
    answer = post(server, "/chunk", {"text": "One. Two. Three.", **given})
    assert answer.status_code == 422, answer.text


@pytest.mark.parametrize(
    "id", ["' OR 1=1 --", '"', "../../x", "a%00b", "%2e%2e%2f", "a" * 5000, "{id}", "a@b@c", "\u202e"]
)
def test_ids_that_are_none(server: RunningServer, id: str) -> None:
    for path in ("chunks", "documents", "outline"):
        assert server.client.get(f"/{path}/{id}", headers=bearer("write")).status_code in REFUSED
    assert server.client.delete(f"/documents/{id}", headers=bearer("write")).status_code in REFUSED
    assert post(server, "/cite", {"keys": [id]}).status_code in (200, 422)


def raw(server: RunningServer, head: str, body: bytes = b"") -> bytes:
    """What is answered to bytes on a connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(head.replace("\n", "\r\n").encode("latin-1") + b"\r\n\r\n" + body)
        return connection.recv(65536)


def test_requests_that_say_their_length_twice(server: RunningServer) -> None:
    token = bearer("write")["Authorization"]
    head = f"POST /search HTTP/1.1\nHost: localhost\nAuthorization: {token}\nContent-Type: application/json\n"
    smuggled = b"0\r\n\r\nDELETE /documents/red.md HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + token.encode()
    for both in ("Content-Length: 6\nTransfer-Encoding: chunked", "Content-Length: 6\nContent-Length: 7"):
        answer = raw(server, head + both, smuggled + b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 4")
        assert b"removed" not in answer
    assert raw(server, "GET /healthz HTTP/1.1\nHost: localhost\nHost: evil").startswith(
        (b"HTTP/1.1 400", b"HTTP/1.1 421")
    )
    assert raw(server, "GET http://evil/ HTTP/1.1\nHost: evil").startswith(b"HTTP/1.1 421")
    assert raw(server, "GET /../../etc/passwd HTTP/1.1\nHost: localhost").startswith(b"HTTP/1.1 401")
    injected = raw(server, "GET /healthz HTTP/1.1\nHost: localhost\nX-Request-Id: a\nInjected: 1")
    assert b"njected" not in injected


def test_headers_without_end(server: RunningServer) -> None:
    for name in ("Authorization: Bearer ", "Content-Type: multipart/form-data; boundary=", "X-Long: "):
        answer = raw(server, f"GET /documents HTTP/1.1\nHost: localhost\n{name}{'a' * 100_000}")
        assert not answer or answer.startswith(b"HTTP/1.1 4")


def test_bodies_of_many_parts(server: RunningServer) -> None:
    kind = {"Content-Type": "multipart/form-data; boundary=x", **bearer("write")}
    field = b'--x\r\nContent-Disposition: form-data; name="f"\r\n\r\n\r\n'
    file = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n\r\n'
    for body in (field * 100_000 + b"--x--", file * 10_000 + b"--x--", b"--x\r\nA: " + b"a" * 1_000_000, file + b"--"):
        answer = server.client.post("/documents", content=body, headers=kind)
        assert answer.status_code in (400, 413, 422), answer.text
    many = b"{" + b",".join(b'"k%d":1' % n for n in range(500_000)) + b"}"
    assert server.client.post("/search", content=many, headers={**JSON, **bearer("read")}).status_code == 422
    assert post(server, "/cite", {"keys": ["a"] * 1_000_000}).status_code == 422


def test_one_document_by_ten_clients_at_once(server: RunningServer) -> None:
    statuses: list[int] = []

    def put(n: int) -> None:
        given = {"documents": [{"id": "same.md", "text": f"Text {n}."}]}
        statuses.append(
            httpx.post(f"{server.url}/documents", json=given, headers=bearer("write"), timeout=60).status_code
        )
        deleted = httpx.delete(f"{server.url}/documents/same.md", headers=bearer("write"), timeout=60)
        statuses.append(200 if deleted.status_code == 404 else deleted.status_code)

    threads = [threading.Thread(target=put, args=(n,)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(statuses) == {200}
    put(11)
    assert server.client.get("/documents/same.md", headers=bearer("write")).status_code == 404


def test_a_client_that_goes_away_in_the_middle(server: RunningServer) -> None:
    text = json.dumps({"documents": [{"id": "gone.md", "text": "Never whole."}]}).encode()
    head = f"POST /documents HTTP/1.1\r\nHost: localhost\r\nAuthorization: {bearer('write')['Authorization']}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(head.encode() + text[:-10])
    assert server.client.get("/documents/gone.md", headers=bearer("write")).status_code == 404
