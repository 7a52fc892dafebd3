"""What the server answers: the same as the Python API, as records that have schemas."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import seamline
from harness.json_schema import objections
from harness.server import RunningServer, bearer, running, tokens
from seamline.api.stats import THRESHOLDS, find_alerts
from seamline.schema.json_schema import json_schema
from seamline.server.guard import GuardRules
from seamline.server.json_body import encode_json
from seamline.server.limits import ServerLimits
from seamline.server.openapi import OPERATIONS

CONFIG = seamline.IndexConfig(embedder="hash")
GUIDE = "# Pumps\n\nThe pump needs part 7.\n\n## Seals\n\nThe seal of the pump is red.\n"


def make_index(folder: Path) -> seamline.Index:
    index = seamline.open_index(folder, config=CONFIG)
    index.add_many(
        [
            ("guides/pumps.md", GUIDE, {"team": "red"}),
            ("guides/fans.md", "# Fans\n\nThe fan of the pump turns.\n", {"team": "blue"}),
        ]
    )
    return index


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("served")
    indexes = {"kb": make_index(folder / "kb"), "wiki": seamline.open_index(folder / "wiki", config=CONFIG)}
    with running(indexes, GuardRules(write=True)) as server:
        yield server


def ask(server: RunningServer, path: str, **body: Any) -> Any:
    answer = server.client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_search_is_that_of_the_index(server: RunningServer) -> None:
    found = ask(server, "/search", query="red seal", k=3, where={"doc": "guides/pumps.md"})
    index = server.app.state.indexes["kb"].index
    expected = index.search("red seal", k=3, where={"doc": "guides/pumps.md"}).to_dict()
    assert found == json.loads(json.dumps(expected))
    assert not list(objections(json_schema("results"), found))


def test_a_context_is_that_of_the_index(server: RunningServer) -> None:
    found = ask(server, "/context", query="red seal", budget=200)
    index = server.app.state.indexes["kb"].index
    assert found["text"] == index.context("red seal", budget=200).text
    assert not list(objections(json_schema("context"), found))


def test_citations_in_a_batch(server: RunningServer) -> None:
    key = ask(server, "/search", query="red seal")["hits"][0]["id"]
    found = ask(server, "/cite", keys=[key, "0" * 24])["citations"]
    assert [one["status"] for one in found] == ["current", "unknown"]
    for one in found:
        assert not list(objections(json_schema("resolved"), one))
    assert server.client.get(f"/chunks/{key}").json()["citation"] == found[0]["cited"]
    assert server.client.get("/chunks/" + "0" * 24).status_code == 404


def test_a_text_is_cut(server: RunningServer) -> None:
    found = ask(server, "/chunk", text=GUIDE, limit=64)
    expected = [one.text for one in seamline.chunk(GUIDE, limit=64)]
    assert [one["text"] for one in found["chunks"]] == expected
    for one in found["chunks"]:
        assert not list(objections(json_schema("chunk"), one))


def test_a_text_that_names_a_file_is_a_text(server: RunningServer, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("the secret of the machine")
    found = ask(server, "/chunk", text=str(secret))
    assert found["chunks"][0]["text"] == str(secret)
    found = ask(server, "/chunk", text="plain", filename="secret.md")
    assert found["chunks"][0]["text"] == "plain"


def test_documents_are_put_read_listed_and_removed(server: RunningServer) -> None:
    done = ask(server, "/indexes/wiki/documents", documents=[{"id": "a b/ü.md", "text": GUIDE, "meta": {"n": 3}}])
    assert (done["added"], done["failures"]) == (1, [])
    client = server.client
    again = ask(server, "/indexes/wiki/documents", documents=[{"id": "a b/ü.md", "text": GUIDE + "\nMore.\n"}])
    assert again["changed"] == 1
    page = client.get("/indexes/wiki/documents", params={"prefix": "a"}).json()
    assert [(one["doc"], one["version"]) for one in page["documents"]] == [("a b/ü.md", 2)]
    now, before = (client.get("/indexes/wiki/documents/a b/ü.md", params=p).json() for p in ({}, {"version": 1}))
    assert (now["text"], before["text"]) == (GUIDE + "\nMore.\n", GUIDE)
    assert not list(objections(json_schema("document"), now))
    outline = client.get("/indexes/wiki/outline/a b/ü.md").json()
    assert [(one["title"], one["line"]) for one in outline["headings"]] == [("Pumps", 1), ("Seals", 5)]
    assert client.get("/indexes/wiki/documents/a b/ü.md", params={"version": 9}).status_code == 404
    assert client.delete("/indexes/wiki/documents/a b/ü.md").json()["removed"] == 1
    assert client.get("/indexes/wiki/documents/a b/ü.md").status_code == 404
    assert client.delete("/indexes/wiki/documents/a b/ü.md").status_code == 404
    assert client.get("/documents/guides/pumps.md").status_code == 200  # the other index has its own


def test_pages_of_documents(server: RunningServer) -> None:
    first = server.client.get("/documents", params={"limit": 1}).json()
    second = server.client.get("/documents", params={"limit": 1, "after": first["next"]}).json()
    assert [one["doc"] for page in (first, second) for one in page["documents"]] == [
        "guides/fans.md",
        "guides/pumps.md",
    ]
    assert second["next"] is None


@pytest.mark.parametrize("limit", ["0", "1001", "-1", "1e3", "9" * 20, "١"])
def test_a_page_has_so_many_documents_at_most(server: RunningServer, limit: str) -> None:
    answer = server.client.get("/documents", params={"limit": limit})
    assert (answer.status_code, "from 1 to 1000" in answer.json()["detail"]) == (422, True)


def test_files_are_uploaded(server: RunningServer) -> None:
    page = b"<html><title>Fan</title><body><h1>Fan</h1><p>The fan is loud.</p></body></html>"
    files = [("file", ("fan.html", page)), ("file", ("notes.md", b"# Notes\n\nThe valve leaks."))]
    done = server.client.post("/indexes/wiki/documents", files=files, data={"meta": '{"team": "green"}'}).json()
    assert (done["added"], done["failures"]) == (2, [])
    found = ask(server, "/indexes/wiki/search", query="valve leaks", where={"meta": {"team": "green"}})
    assert found["hits"][0]["doc"] == "notes.md"
    assert "<p>" not in server.client.get("/indexes/wiki/documents/fan.html").json()["text"]


def test_a_document_that_cannot_be_read_is_a_failure_beside_the_others(server: RunningServer) -> None:
    files = [("file", ("broken.pdf", b"%PDF-1.7 and nothing else")), ("file", ("fine.md", b"Fine."))]
    done = server.client.post("/indexes/wiki/documents", files=files).json()
    assert [one["doc"] for one in done["failures"]] == ["broken.pdf"]
    assert server.client.get("/indexes/wiki/documents/fine.md").status_code == 200


def test_an_etag_is_the_state_of_the_index(server: RunningServer) -> None:
    client = server.client
    first = client.get("/indexes/wiki/stats")
    same = client.get("/indexes/wiki/stats", headers={"If-None-Match": f"W/{first.headers['etag']}"})
    assert (same.status_code, same.content) == (304, b"")
    ask(server, "/indexes/wiki/documents", documents=[{"id": "etag.md", "text": "Another state."}])
    other = client.get("/indexes/wiki/stats", headers={"If-None-Match": first.headers["etag"]})
    assert other.status_code == 200
    assert other.headers["etag"] != first.headers["etag"]
    for answer in (first, same, other):  # no cache on the way gives one caller what another was answered
        assert (answer.headers["cache-control"], answer.headers["vary"]) == ("private, no-cache", "Authorization")
        assert re.fullmatch(r'"[0-9a-f]{16}"', answer.headers["etag"])  # which tells nothing of how much was written


def test_writes_are_told_as_events(server: RunningServer) -> None:
    told: list[str] = []
    with httpx.stream("GET", f"{server.url}/indexes/wiki/events", timeout=20) as stream:
        lines = stream.iter_lines()
        assert next(lines) == ": listening"
        put = {"documents": [{"id": f"event-{n}.md", "text": f"Event {n}."} for n in range(3)]}
        thread = threading.Thread(target=server.client.post, args=("/indexes/wiki/documents",), kwargs={"json": put})
        thread.start()
        for line in lines:
            told += [line] if line else []
            if line.startswith("data:") and told[-2] == "event: changed":
                break
        thread.join()
    assert "event: progress" in told
    assert json.loads(told[told.index("event: progress") + 1].removeprefix("data:"))["total"] == 3


def test_measures_and_alerts_have_the_same_names(server: RunningServer) -> None:
    import yaml

    from seamline.server import app

    ask(server, "/search", query="anything")
    text = server.client.get("/metrics").text
    names = {
        *("retrieval_latency", "index_size_chunks", "embedding_throughput", "cache_hit_rate"),
        *("index_freshness_lag", "duplicate_chunk_rate", "metadata_completeness"),
    }
    assert not [name for name in names if f"\n# TYPE {name} " not in "\n" + text]
    assert 'index_size_chunks{index="kb"} 3.0' in text
    rules = yaml.safe_load(Path(app.__file__).with_name("alerts.yml").read_text())["groups"][0]["rules"]
    assert len(rules) == 6
    assert {one.measure for one in THRESHOLDS} == names - {"index_size_chunks"}
    for rule, one in zip(rules, THRESHOLDS, strict=True):  # both say the same
        assert one.measure in rule["expr"]
        assert f" {'>' if one.is_most else '<'} {one.limit}" in rule["expr"], rule


def test_what_is_beyond_its_threshold_is_told(server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = next(one for one in THRESHOLDS if one.measure == "retrieval_latency")
    monkeypatch.setattr("seamline.api.stats.THRESHOLDS", (slow._replace(limit=3600.0),))
    ask(server, "/search", query="something")
    before = server.client.get("/stats")
    assert before.json()["alerts"] == []
    monkeypatch.setattr("seamline.api.stats.THRESHOLDS", (slow._replace(limit=0.0),))
    after = server.client.get("/stats", headers={"If-None-Match": before.headers["etag"]})
    assert after.status_code == 200  # the index is the same, but its alerts are not
    assert after.json()["alerts"] == [slow.message]


def test_a_cache_has_time_to_fill(monkeypatch: pytest.MonkeyPatch) -> None:
    missed = next(one for one in THRESHOLDS if one.measure == "cache_hit_rate")
    monkeypatch.setattr("seamline.api.stats.THRESHOLDS", (missed._replace(limit=1.1),))
    index = seamline.open_index("memory:", config=seamline.IndexConfig(embedder="hash"))
    index.add("a.md", "The pump is red.")
    with running({"kb": index}, GuardRules(limits=ServerLimits(rate=0))) as server:
        ask(server, "/search", query="pump")
        assert server.client.get("/stats").json()["alerts"] == []
        for n in range(100):
            ask(server, "/search", query=f"pump {n}")
        assert server.client.get("/stats").json()["alerts"] == [missed.message]


def test_thresholds() -> None:
    fine = {one.measure: one.limit for one in THRESHOLDS}
    assert not find_alerts(fine)
    worse = {one.measure: one.limit * (1.1 if one.is_most else 0.9) for one in THRESHOLDS}
    assert find_alerts(worse) == [one.message for one in THRESHOLDS]
    assert not find_alerts({})


def test_every_operation_is_described(server: RunningServer) -> None:
    document = server.client.get("/openapi.json").json()
    for operation in OPERATIONS:
        assert operation.method.lower() in document["paths"][operation.path]
    results = {k: v for k, v in json_schema("results").items() if k in ("type", "properties", "required")}
    described = document["components"]["schemas"]["ResultsRecord"]
    assert json.dumps(described["properties"]).replace("#/components/schemas/", "#/$defs/") == json.dumps(
        results["properties"]
    )


def test_ready_when_models_are_loaded(server: RunningServer) -> None:
    end = time.monotonic() + 20
    while server.client.get("/readyz").status_code != 200 and time.monotonic() < end:
        time.sleep(0.05)
    assert server.client.get("/readyz").json() == {"status": "ok"}
    assert server.client.get("/healthz").json() == {"status": "ok"}


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/search", {"query": "a", "k": 0}, 422, "whole number from 1 to 1000"),
        ("/search", {"query": "a", "k": "10"}, 422, "expected an integer"),
        ("/search", {"query": "a", "querry": "b"}, 422, "unknown key 'querry'"),
        ("/search", {"k": 3}, 422, "expected the key 'query'"),
        ("/search", {"query": "a" * 10_001}, 422, "10,000 characters"),
        ("/search", {"query": "a", "where": "colour = 3"}, 422, "colour"),
        ("/search", {"query": "a", "where": {"doc": [["a"]]}}, 422, ""),
        ("/search", {"query": "a", "where": {"doc": {"$ne": 1}}}, 422, "unknown operator"),
        ("/search", {"query": "a", "reranker": "../model.onnx"}, 422, "'seam'"),
        ("/chunk", {"text": "a", "tokenizer": "../../etc/passwd"}, 422, "o200k_base"),
        ("/chunk", {"text": "a", "limit": -5}, 422, ""),
        ("/chunk", {"text": "a", "limit": 100, "overlap": 200}, 422, ""),
        ("/chunk", {"text": "a", "preset": "nothing"}, 422, ""),
        ("/context", {"query": "a" * 10_001}, 422, "10,000 characters"),
        ("/context", {"query": "a", "budget": 0}, 422, "1 to 1000000"),
        ("/context", {"query": "a", "budget": 1_000_001}, 422, "1 to 1000000"),
        ("/search", {"query": "a", "k": 1001}, 422, "whole number from 1 to 1000"),
        ("/chunk", {"text": "a", "filename": "../a.md"}, 422, "no path from the root or upward"),
        ("/chunk", {"text": "a", "strategy": "os:system"}, 422, "strategy"),
        ("/cite", {"keys": ["a" * 201]}, 422, "at most 200 characters"),
        ("/cite", {"keys": []}, 422, "1 to 1,000"),
        ("/cite", {"keys": ["a"] * 1001}, 422, "1 to 1,000"),
        ("/documents", {"documents": []}, 422, "1 to 1,000"),
        ("/indexes/nothing/search", {"query": "a"}, 404, "GET /indexes"),
    ],
)
def test_what_cannot_work_is_told(server: RunningServer, path: str, body: Any, status: int, said: str) -> None:
    answer = server.client.post(path, json=body)
    problem = answer.json()
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), answer.text
    assert said in problem["detail"]
    assert problem["status"] == status
    assert problem["id"]


@pytest.mark.parametrize(
    "name",
    [
        *("../../evil.md", "..\\evil.md", "/etc/cron.d/evil", "C:\\x.md", "a/../b.md", "a\0.md", "", " ", ".", ".."),
        *(
            "~/x.md",
            "file:///etc/passwd",
            "//host/share",
            "x.md\r\nSet-Cookie: a=b",
            "\u202efdp.exe",
            "a" * 600,
            "a//b",
        ),
    ],
)
def test_names_that_something_could_take_for_a_place(server: RunningServer, name: str) -> None:
    answer = server.client.post("/indexes/wiki/documents", json={"documents": [{"id": name, "text": "x"}]})
    assert answer.status_code == 422, answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[" * 100_000 + b"]" * 100_000,
        b'{"query": "a", "query": "b"}',
        b'{"query": "\\ud800"}',
        b'{"query": "a", "alpha": NaN}',
        b'{"query": "a", "alpha": 1e999}',
        b'{"query": "a", "k": ' + b"9" * 5000 + b"}",
        b"\xff\xfe",
        b'{"query": "a", "where": {"doc": ' + b'{"a":' * 70 + b"1" + b"}" * 72,
    ],
)
def test_what_is_no_json(server: RunningServer, body: bytes) -> None:
    answer = server.client.post("/search", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400, answer.text
    assert answer.json()["type"].endswith(":not-json")


def test_half_a_surrogate_pair_is_escaped() -> None:
    """As UTF-8 it would be no text for whoever reads the answer; bytes in UTF-8 are all that goes out."""
    for value in ("\ud800", "é\udfff", {"\ud800": ["👩"]}):
        sent = encode_json(value)
        assert json.loads(sent.decode("utf-8")) == value
    assert encode_json("é👩") == '"é👩"'.encode()


def test_other_types_than_json_are_refused(server: RunningServer) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        answer = server.client.post("/search", content=b'{"query": "a"}', headers={"Content-Type": kind})
        assert answer.status_code == 415
    packed = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    assert server.client.post("/search", content=b"\x1f\x8b", headers=packed).status_code == 415


def test_unknown_paths_and_methods(server: RunningServer) -> None:
    assert server.client.get("/../../etc/passwd").status_code == 404
    assert server.client.get("/static/..%2f..%2fetc/passwd").status_code == 404
    wrong = server.client.put("/documents")
    assert (wrong.status_code, set(wrong.headers["allow"].split(", "))) == (405, {"GET", "HEAD", "POST"})
    assert server.client.head("/documents").status_code == 200


def test_hostile_forms(server: RunningServer) -> None:
    many = [("file", (f"f{n}.md", b"")) for n in range(1001)]
    assert server.client.post("/documents", files=many).status_code == 400
    fields = {f"f{n}": "x" for n in range(20)}
    assert server.client.post("/documents", files=[("file", ("a.md", b"a"))], data=fields).status_code == 400
    long_field = {"meta": json.dumps({"a": "x" * (1 << 20)})}
    assert server.client.post("/documents", files=[("file", ("a.md", b"a"))], data=long_field).status_code == 400
    cut = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\nno end'
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    assert server.client.post("/documents", content=cut, headers=kind).status_code in (400, 422)
    assert (
        server.client.post("/documents", content=cut, headers={"Content-Type": "multipart/form-data"}).status_code
        == 400
    )
    long = b"--x\r\nContent-Disposition: form-data; name=" + b"a" * 1_000_000
    assert server.client.post("/documents", content=long, headers=kind).status_code in (400, 422)


# --- who may do what -------------------------------------------------------------------------------------------------

BODIES: dict[str, Any] = {
    "/search": {"query": "pump"},
    "/context": {"query": "pump"},
    "/cite": {"keys": ["0" * 24]},
    "/chunk": {"text": "a"},
    "/documents": {"documents": [{"id": "matrix.md", "text": "Matrix."}]},
}
OPEN = {"/healthz", "/readyz", "/openapi.json"}
WRITES = {("POST", "/documents"), ("DELETE", "/documents/{id}")}
WHOLE = {"/stats", "/events", "/metrics"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("guarded")
    with running({"kb": make_index(folder / "kb")}, GuardRules(tokens())) as server:
        yield server


@pytest.mark.parametrize("caller", ["", "wrong-token-0123456789", "read", "write", "tenant"])
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: f"{one.method} {one.path}")
def test_who_may_do_what(guarded: RunningServer, operation: Any, caller: str) -> None:
    path = operation.path.replace("{id}", "nothing")
    for prefix in ("", "/indexes/kb") if operation.of_index else ("",):
        request = guarded.client.build_request(
            operation.method,
            prefix + path,
            json=BODIES.get(operation.path) if operation.method == "POST" else None,
            headers=bearer(caller) if caller else {},
        )
        answer = guarded.client.send(request, stream=True)
        answer.close()
        allowed = caller in ("write", "tenant") or (operation.method, operation.path) not in WRITES
        if operation.path in OPEN:
            expected = {200, 503} if operation.path == "/readyz" else {200}
        elif caller not in ("read", "write", "tenant"):
            expected = {401}
        elif not allowed or (caller == "tenant" and operation.path in WHOLE):
            expected = {403}
        else:
            expected = {404} if "{id}" in operation.path else {200}
            if caller == "tenant" and (operation.method, operation.path) == ("POST", "/documents"):
                expected = {409}  # the name is that of a document of somebody else
        assert answer.status_code in expected


def test_a_tenant_sees_its_own_and_nothing_else(guarded: RunningServer) -> None:
    client, red, blue = guarded.client, bearer("tenant"), bearer("other")

    def docs(where: Any, headers: dict[str, str]) -> set[str]:
        answer = client.post("/search", json={"query": "pump", "min_score": 0, "where": where}, headers=headers)
        return {hit["doc"] for hit in answer.json()["hits"]}

    assert docs("", red) == {"guides/pumps.md"}
    assert docs("", blue) == {"guides/fans.md"}
    for where in ('meta.team = "red" or meta.team = "blue"', 'not meta.team = "x"', 'doc = "guides/fans.md"'):
        assert docs(where, red) <= {"guides/pumps.md"}
    text = client.post("/context", json={"query": "fan", "weak": 0, "min_score": 0}, headers=red).json()["text"]
    assert "fan of the pump" not in text
    assert [one["doc"] for one in client.get("/documents", headers=red).json()["documents"]] == ["guides/pumps.md"]
    for path in ("/documents/guides/fans.md", "/documents/guides/fans.md?version=1", "/outline/guides/fans.md"):
        assert client.get(path, headers=red).status_code == 404
        assert client.get(path, headers=blue).status_code == 200
    fans = client.post("/search", json={"query": "fan turns"}, headers=blue).json()["hits"][0]["id"]
    for key in (fans, f"{fans}@1", f"{fans}@9"):
        hidden = client.post("/cite", json={"keys": [key]}, headers=red).json()["citations"][0]
        assert (hidden["status"], hidden["cited"]) == ("unknown", None)
        assert "fans" not in json.dumps(hidden)
    assert client.get(f"/chunks/{fans}", headers=red).status_code == 404
    assert client.get(f"/chunks/{fans}", headers=blue).status_code == 200


def test_a_tenant_follows_no_links(guarded: RunningServer) -> None:
    for path in ("/search", "/context"):
        asked = guarded.client.post(path, json={"query": "lorry", "links": 1}, headers=bearer("tenant"))
        assert asked.status_code == 422
        assert "links may lead beyond it" in asked.json()["detail"]


def test_a_tenant_writes_its_own_and_nothing_else(guarded: RunningServer) -> None:
    client, red, blue = guarded.client, bearer("tenant"), bearer("other")

    def put(doc: str, headers: dict[str, str], text: str = "Own words.") -> int:
        given = {"id": doc, "text": text, "meta": {"team": "blue"}}
        return client.post("/documents", json={"documents": [given]}, headers=headers).status_code

    claimed = "---\nteam: blue\n---\n\nOwn words.\n"
    assert put("red/own.md", red, claimed) == 200  # whatever it says, it is red's
    assert client.get("/documents/red/own.md", headers=red).status_code == 200
    assert client.get("/documents/red/own.md", headers=blue).status_code == 404
    assert put("guides/fans.md", red) == 409
    assert client.delete("/documents/guides/fans.md", headers=red).status_code == 404
    assert client.delete("/documents/red/own.md", headers=red).status_code == 200
    assert put("red/own.md", blue) == 409  # its old versions are not blue's
