"""The views of the inspector, and its routes."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from importlib.resources import files
from pathlib import Path

import pytest
from pdf_maker import PageMaker, pdf

from harness.library import Library
from seamline import read
from seamline.api.index import Index
from seamline.api.pictures import page_picture
from seamline.errors import ConfigError, ParseError, StoreError
from seamline.inspector.search import history_view, search_view, why_not
from seamline.inspector.settings import recipe_of
from seamline.inspector.sources import MOST_DROPPED, MOST_DROPPED_BYTES, OpenedSource, OpenedSources
from seamline.inspector.view import inspect_document

pytest.importorskip("starlette", reason="the extra `serve` is not installed")

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.testclient import TestClient

from seamline.inspector.web import MOST_JSON, OPEN_PATHS, STATIC, IndexAccess, inspector_app, routes, serve_page

PAGE = "# Guide \U0001f4e6\n\nParcels are sent by lorry.\n\n## Retries\n\n" + "\n\n".join(
    f"Attempt {n} waits longer than the one before it, and the last one gives up for good." for n in range(12)
)
XSS = "# <script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n"


PROTECTION = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of the page, its files and its data, word for word."""


def client(*sources: OpenedSource, library: Library | None = None) -> TestClient:
    app = inspector_app(sources, library.index() if library else None, 80)
    return TestClient(app, base_url="http://127.0.0.1:80", headers={"host": "127.0.0.1:80"})


def test_offsets_are_those_of_a_browser() -> None:
    view = inspect_document(read(PAGE, id="a.md"), recipe_of({"limit": 64}))
    units = view["text"].encode("utf-16-le")
    bodies = [units[2 * one["start"] : 2 * one["end"]].decode("utf-16-le") for one in view["chunks"]]
    assert bodies[0].startswith("# Guide \U0001f4e6")
    assert bodies[1].startswith("## Retries")
    assert "".join("".join(bodies).split()) == "".join(PAGE.split())


def test_every_chunk_starts_at_a_gap_and_every_gap_says_why() -> None:
    view = inspect_document(read(PAGE, id="a.md"), recipe_of({"limit": 64}))
    gaps = {gap["at"]: gap for gap in view["gaps"]}
    assert all(gaps[one["start"]]["state"] in ("cut", "forced") for one in view["chunks"])
    assert {gap["state"] for gap in view["gaps"]} == {"cut", "forced", "forbidden", "open"}
    assert all(gap["why"] for gap in view["gaps"])


def test_duplicates_and_chunks_without_content() -> None:
    view = inspect_document(read("# A\n\nSame.\n\n# B\n\n***\n\n# C\n\nOther.\n"), recipe_of({}))
    assert [one["content"] for one in view["chunks"]] == [True, False, True]
    twice = inspect_document(read("# A\n\nSame.\n\n# A\n\nSame.\n"), recipe_of({}))
    assert twice["duplicates"] == [[0, 1]]


@pytest.mark.parametrize(
    "given", [{"tokenizer": "x.json"}, {"llm": "m"}, {"limit": -1}, {"limit": True}, {"strategy": "os:system"}]
)
def test_a_request_names_no_file_and_no_model(given: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        recipe_of(given)


def test_dropped_files_are_bounded_and_have_keys_of_their_own() -> None:
    sources = OpenedSources()
    keys = [sources.add("a.md", b"# A") for _ in range(MOST_DROPPED + 1)]
    assert len(set(keys)) == len(keys)
    with pytest.raises(StoreError, match="not open any more"):
        sources.get(keys[0])
    assert sources.get(keys[-1]).data == b"# A"


def test_dropped_files_are_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seamline.inspector.sources.MOST_DROPPED_BYTES", 25)
    sources = OpenedSources()
    first, second, third = (sources.add("a.md", b"a" * 10) for _ in range(3))
    with pytest.raises(StoreError, match="not open any more"):
        sources.get(first)
    assert len(sources.get(second).data) == len(sources.get(third).data) == 10
    assert MOST_DROPPED_BYTES == 200_000_000
    assert min(len(key) for key in (first, second, third)) == len("drop-") + 16  # 12 bytes that nobody guesses


def test_a_page_of_a_pdf_as_a_picture() -> None:
    drawn = page_picture(pdf(PageMaker().text(72, 100, "Hello")), 1)
    assert drawn.png.startswith(b"\x89PNG")
    assert drawn[1:] == (612, 792, 1)
    with pytest.raises(ParseError, match="no page 2"):
        page_picture(pdf(PageMaker().text(72, 100, "Hello")), 2)


def test_search_and_why_not() -> None:
    index = Library({"a.md": PAGE, "b.md": "# Lorries\n\nA lorry is red.\n"}).index()
    found = search_view(index, "lorry red", 1)
    assert found["hits"][0]["doc"] == "b.md"
    other = next(one for one in index.chunks("a.md") if "Parcels" in one.text)
    why = why_not(index, "lorry red", other.id, 1)
    assert why["rank"] > 1
    assert why["lacks"] == ["red"]
    with pytest.raises(StoreError, match="no chunk"):
        why_not(index, "lorry", "0" * 24, 1)


def test_a_hit_is_shown_where_it_meets_the_question() -> None:
    index = Library({"b.md": "# Lorries\n\nA lorry is red, and red it stays.\n"}).index()
    found = search_view(index, "red lorry", 1)["hits"][0]["excerpt"]
    assert "".join(text for _, text in found) == "A lorry is red, and red it stays."
    assert [text for kind, text in found if kind == "mark"] == ["lorry", "red", "red"]


def test_pages_are_drawn_only_of_a_file_that_has_the_indexed_text(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(PageMaker().text(72, 100, "Hello")))
    secret = tmp_path / "secret.pdf"
    secret.write_bytes(pdf(PageMaker().text(72, 100, "Secret")))
    text = read((tmp_path / "a.pdf").read_bytes(), filename="a.pdf").text
    library = Library()
    index = Index(library.store, library.embedder, tmp_path / "docs")
    # Names that only a stranger's index has.
    index.add_many([("../a.pdf", text), ("../secret.pdf", "A guess.\n")], media_type="text/plain")
    sources = OpenedSources()
    assert sources.indexed_pdf(index, "../a.pdf").startswith(b"%PDF")
    assert sources.indexed_document(index, "../a.pdf", index.recipe).source.media_type == "application/pdf"
    assert sources.indexed_document(index, "../secret.pdf", index.recipe).text == "A guess.\n"
    for doc in ("../secret.pdf", "../nothing.pdf", "/etc/passwd"):
        with pytest.raises(StoreError, match="gone or has changed"):
            sources.indexed_pdf(index, doc)


def test_the_history_of_a_citation() -> None:
    library = Library({"a.md": "# A\n\nThe lorry that brings the parcels is red and old.\n"})
    key = next(library.index().chunks("a.md")).citation.key
    library.hold({"a.md": "# A\n\nThe lorry that brings the parcels is blue and old.\n"})
    history = history_view(library.index(), key)
    assert history["status"] == "edited"
    assert ["gone", "red"] in history["diff"]
    assert ["new", "blue"] in history["diff"]
    assert [one["version"] for one in history["versions"]] == [1, 2]


def test_every_file_of_the_page_is_served_under_the_policy() -> None:
    browser = client()
    there = {path.name for path in files("seamline.inspector").joinpath("static").iterdir()}
    assert there == {"index.html", *STATIC}
    for path in OPEN_PATHS:
        answer = browser.get(path)
        assert answer.status_code == 200
        assert {name: answer.headers.get(name) for name in PROTECTION} == PROTECTION
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "http://", "https://"):
            assert word not in answer.text, path


def test_a_dropped_document_is_cut_and_stays_text() -> None:
    browser = client()
    kept = browser.post(
        "/inspector/drop",
        content=XSS.encode(),
        headers={"content-type": "application/octet-stream", "x-file-name": "..%2F..%2Fx.md"},
    ).json()
    assert kept["name"] == "x.md"
    answer = browser.post("/inspector/view", json={"key": kept["key"], "recipe": {}})
    assert answer.headers["content-type"] == "application/json"
    assert {name: answer.headers.get(name) for name in PROTECTION} == PROTECTION
    assert answer.json()["text"] == XSS


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data; boundary=x", ""])
def test_a_file_is_dropped_as_bytes_alone(kind: str) -> None:
    """A page of another site could send a form or a text without asking first."""
    dropped = client().post("/inspector/drop", content=b"# A", headers={"content-type": kind})
    assert dropped.status_code == 415


def test_a_file_that_is_too_large_is_not_kept() -> None:
    app = Starlette(routes=routes(max_bytes=1000))
    kind = {"content-type": "application/octet-stream"}
    statuses = [
        TestClient(app).post("/inspector/drop", content=b"a" * n, headers=kind).status_code for n in (1000, 1001)
    ]
    assert statuses == [200, 413]


def test_few_are_worked_at_together() -> None:
    running, most = 0, 0
    lock = threading.Lock()

    def slowly(request: Request) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.05)
        with lock:
            running -= 1

    async def ask() -> list[int]:
        app = httpx.ASGITransport(Starlette(routes=routes(index_of=slowly)))
        async with httpx.AsyncClient(transport=app, base_url="http://127.0.0.1") as browser:
            answers = await asyncio.gather(*(browser.post("/inspector/start", json={}) for _ in range(8)))
            return [answer.status_code for answer in answers]

    assert asyncio.run(ask()) == [200] * 8
    assert most == 2


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:80"}, 200),
        ({"content-type": "text/plain"}, 415),
    ],
)
def test_other_sites_are_refused(headers: dict[str, str], status: int) -> None:
    sent = {"content-type": "application/json", **headers}
    assert client().post("/inspector/start", content=b"{}", headers=sent).status_code == status


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("view", b'{"key": "file-9"}', 422),
        ("view", b"[]", 400),
        ("view", b"{", 400),
        ("view", b'{"key": "file-0", "recipe": {"tokenizer": "x"}}', 400),
        ("search", b'{"query": "a"}', 404),
        ("start", b" " * (MOST_JSON + 1), 413),
    ],
)
def test_bad_requests_are_problems(path: str, body: bytes, status: int) -> None:
    browser = client(OpenedSource("a.md", b"# A"))
    answer = browser.post(f"/inspector/{path}", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["detail"]


def test_a_port_that_is_taken_is_an_error_of_usage() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(ConfigError, match="cannot be used"):
        serve_page([], None, str, taken.getsockname()[1])


def test_behind_a_filter_there_is_only_search() -> None:
    index = Library({"a.md": "# A\n\nA lorry.\n"}).index()
    browser = TestClient(Starlette(routes=routes(index_of=lambda request: IndexAccess(index, 'doc = "b.md"'))))
    assert browser.post("/inspector/start", json={}).json()["index"]["documents"] == []
    assert browser.post("/inspector/search", json={"query": "lorry"}).json()["hits"] == []
    for path, body in (("view", {"doc": "a.md"}), ("cite", {"key": "0"}), ("chunks", {"doc": "a.md"})):
        assert browser.post(f"/inspector/{path}", json=body).status_code == 403
    assert browser.post("/inspector/why", json={"query": "a", "id": "0"}).status_code == 403
