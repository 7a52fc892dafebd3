"""The OpenAI-compatible endpoint, against a real HTTP server on loopback that answers by script
(`harness.endpoint`): right answers come from the embedder `hash`, wrong ones from the script."""

from __future__ import annotations

import json
import re
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.endpoint import Reply, Script, serving
from seamline.embed import load
from seamline.embed.hashing import HashEmbedder
from seamline.embed.remote import RemoteEmbedder
from seamline.errors import ConfigError, ProviderError
from seamline.remote.http import Patience
from seamline.remote.openai_api import endpoint

KEY = "sk-very-secret-123"
TEXTS = ["one text", "another text", "a third"]


class Clock:
    """A clock that is told how long was slept, and does not sleep."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def patience(self, retries: int = 4, timeout: float = 20.0) -> Patience:
        return Patience(timeout=timeout, retries=retries, sleep=self.waits.append)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def refused(*script: Script, clock: Clock | None = None, texts: list[str] = TEXTS) -> ProviderError:
    """The error that these answers end in."""
    patience = (clock or Clock()).patience()
    with serving(HashEmbedder(), script) as server, pytest.raises(ProviderError) as caught:
        RemoteEmbedder(server.url, "m", key=KEY, patience=patience).embed(texts)
    assert KEY not in str(caught.value)
    return caught.value


def changed(change: Callable[[list[dict[str, Any]]], Any]) -> Script:
    """The right answer, its `data` changed."""
    return lambda answer: {**answer, "data": change(answer["data"])}


# --- what is asked ---------------------------------------------------------------------------------------------------


def test_vectors_are_those_of_the_service() -> None:
    with serving(HashEmbedder()) as server:
        rows = RemoteEmbedder(server.url, "m").embed(TEXTS)
    assert np.allclose(rows, HashEmbedder().embed(TEXTS), atol=1e-6)


def test_a_request_says_model_texts_form_and_key() -> None:
    with serving(HashEmbedder()) as server:
        RemoteEmbedder(server.url, "some/model", key=KEY).embed(["a", "", "\ud800"])
    (asked,) = server.asked
    assert asked.path == "/v1/embeddings"
    assert asked.body == {"model": "some/model", "input": ["a", " ", "\ufffd"], "encoding_format": "float"}
    assert asked.headers["authorization"] == f"Bearer {KEY}"


def test_without_a_key_none_is_sent() -> None:
    with serving(HashEmbedder()) as server:
        RemoteEmbedder(server.url, "m").embed(["a"])
    assert "authorization" not in server.asked[0].headers


def test_dimensions_are_asked_for_and_checked() -> None:
    with serving(HashEmbedder()) as server:
        embedder = load(f"openai:m@{server.url}?dimensions=256")
        assert embedder.dimensions == 256
        assert not server.asked
        embedder.embed(["a"])
        assert server.asked[0].body["dimensions"] == 256
        with pytest.raises(ProviderError, match="its vectors have 256 dimensions, not 512"):
            load(f"openai:m@{server.url}?dimensions=512").embed(["a"])


def test_dimensions_are_learnt_where_they_are_not_named() -> None:
    with serving(HashEmbedder()) as server:
        embedder = RemoteEmbedder(server.url, "m")
        assert embedder.dimensions == embedder.dimensions == 256
        assert len(server.asked) == 1


def test_requests_are_bounded_by_texts_and_by_characters() -> None:
    texts = ["a"] * 5 + ["b" * 60] * 3 + ["c" * 500] + ["d"]
    with serving(HashEmbedder()) as server:
        rows = RemoteEmbedder(server.url, "m", most_texts=3, most_characters=100).embed(texts)
    sizes = [[len(text) for text in asked.body["input"]] for asked in server.asked]
    assert sizes == [[1, 1, 1], [1, 1, 60], [60], [60], [500], [1]]
    assert np.allclose(rows, HashEmbedder().embed(texts), atol=1e-6)


def test_vectors_are_put_in_the_order_of_their_index() -> None:
    with serving(HashEmbedder(), [changed(lambda data: data[::-1])]) as server:
        rows = RemoteEmbedder(server.url, "m").embed(TEXTS)
    assert np.allclose(rows, HashEmbedder().embed(TEXTS), atol=1e-6)


def test_vectors_are_scaled_to_length_1() -> None:
    def tripled(data: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{**item, "embedding": [3 * number for number in item["embedding"]]} for item in data]

    with serving(HashEmbedder(), [changed(tripled)]) as server:
        rows = RemoteEmbedder(server.url, "m").embed(TEXTS)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


# --- busy and broken services ----------------------------------------------------------------------------------------


def test_a_busy_service_is_asked_again_after_the_time_it_names(clock: Clock) -> None:
    script = [
        Reply(429, headers={"Retry-After": "7"}),
        Reply(503),
        Reply(500),
        Reply(429, headers={"Retry-After": "0"}),
    ]
    with serving(HashEmbedder(), script) as server:
        rows = RemoteEmbedder(server.url, "m", patience=clock.patience()).embed(TEXTS)
    assert len(rows) == 3
    assert clock.waits == [7, 1, 2, 4]


def test_the_time_may_be_a_date(clock: Clock) -> None:
    dates = {"Date": "Wed, 21 Oct 2026 07:28:00 GMT", "Retry-After": "Wed, 21 Oct 2026 07:28:30 GMT"}
    script = [Reply(503, headers=dates), Reply(503, headers={"Retry-After": "soon"})]
    with serving(HashEmbedder(), script) as server:
        RemoteEmbedder(server.url, "m", patience=clock.patience()).embed(TEXTS)
    # The server of the standard library sends a Date of its own first; the later one counts.
    assert clock.waits == [30, 1]


def test_a_wait_that_is_too_long_is_an_error_at_once(clock: Clock) -> None:
    error = refused(Reply(429, headers={"Retry-After": "3600"}), clock=clock)
    assert "asks to wait 3600 s" in str(error)
    assert error.retryable
    assert clock.waits == []


def test_a_service_that_stays_busy_is_given_up(clock: Clock) -> None:
    error = refused(*[Reply(500, b'{"error": {"message": "out of memory"}}')] * 5, clock=clock)
    assert str(error).endswith("answered HTTP 500: out of memory")
    assert error.retryable
    assert clock.waits == [0.5, 1, 2, 4]


def test_a_connection_that_breaks_is_tried_again(clock: Clock) -> None:
    half = Reply(200, b'{"data"', {"Content-Length": "1000"})
    with serving(HashEmbedder(), [half]) as server:
        assert len(RemoteEmbedder(server.url, "m", patience=clock.patience()).embed(TEXTS)) == 3
    assert clock.waits == [0.5]


def test_a_server_that_is_not_there(clock: Clock) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(
            ProviderError, match=r"did not answer, asked 5 times: connection refused. Is the server"
        ) as e:
            RemoteEmbedder(url, "m", key=KEY, patience=clock.patience()).embed(["a"])
    assert e.value.retryable
    assert clock.waits == [0.5, 1, 2, 4]


def test_a_server_that_says_nothing_is_left_after_the_timeout(clock: Clock) -> None:
    end = threading.Event()
    with serving(HashEmbedder(), [Reply(hold=end)] * 2) as server:
        with pytest.raises(ProviderError, match="asked 2 times: timed out") as caught:
            RemoteEmbedder(server.url, "m", patience=clock.patience(1, 0.2)).embed(["a"])
        end.set()
    assert caught.value.retryable


def test_a_server_that_dribbles_is_left_after_the_timeout(clock: Clock) -> None:
    with dribbling() as url, pytest.raises(ProviderError, match="asked once: timed out"):
        RemoteEmbedder(url, "m", patience=clock.patience(0, 0.5)).embed(["a"])


@contextmanager
def dribbling() -> Iterator[str]:
    """A server that sends one byte every twentieth of a second, for ever."""
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                while not done.wait(0.05):
                    try:
                        connection.sendall(b" ")
                    except OSError:
                        return

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        done.set()
        thread.join()


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "said", "message"),
    [
        (401, "bad key", "the key is missing or not accepted: bad key"),
        (403, "", "the key is missing or not accepted"),
        (404, "no model m", r"no such model \(m\) or no such address: no model m"),
        (400, "no such parameter", "HTTP 400: no such parameter"),
    ],
)
def test_a_refusal_is_told_in_the_words_of_the_service(status: int, said: str, message: str, clock: Clock) -> None:
    error = refused(Reply(status, json.dumps({"error": {"message": said}}).encode()), clock=clock)
    assert re.search(message, str(error))
    assert not error.retryable
    assert clock.waits == []


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "This model's maximum context length is 8192 tokens, however you requested 9001"),
        (413, "Input validation error: `inputs` must have less than 512 tokens. Given: 600"),
        (400, "the input length exceeds the context length"),
        (413, ""),
    ],
)
def test_a_text_that_is_too_long_is_told_with_its_size(status: int, said: str) -> None:
    body = json.dumps({"error": {"message": said}}).encode()
    error = refused(Reply(status, body), texts=["short", "x" * 12_345])
    assert "too long" in str(error)
    assert "The longest of 2 texts has 12,345 characters; it is not cut off" in str(error)
    assert not error.retryable


def test_redirects_are_not_followed() -> None:
    with serving(HashEmbedder()) as elsewhere:
        error = refused(Reply(307, headers={"Location": f"{elsewhere.url}/embeddings"}))
        assert not elsewhere.asked
    assert "HTTP 307, a redirect, which is not followed" in str(error)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (Reply(200, b"<html>hello</html>"), "Expecting value"),
        (Reply(200, b""), "Expecting value"),
        (Reply(200, b"\xff\xfe\xff"), "no list of embeddings"),
        (Reply(200, b"[" * 100_000), "no list of embeddings"),
        (Reply(200, b"[]"), "no list `data`"),
        (Reply(200, b'{"data": 3}'), "no list `data`"),
        (Reply(200, b'{"data": [1, 2, 3]}'), "no list `embedding`"),
        (changed(lambda data: data[:-1]), "it holds 2 vectors for 3 texts"),
        (changed(lambda data: [*data, data[0]]), "it holds 4 vectors for 3 texts"),
        (changed(lambda data: [data[0], data[0], data[1]]), "indexes are not those of the texts"),
        (changed(lambda data: [{"embedding": item["embedding"]} for item in data]), "indexes are not those"),
        (changed(lambda data: [{**item, "index": item["index"] + 1} for item in data]), "indexes are not those"),
        (changed(lambda data: [{**item, "embedding": "AAAA"} for item in data]), "no list `embedding`"),
        (changed(lambda data: [{**item, "embedding": []} for item in data]), "not lists of numbers"),
        (changed(lambda data: [{**item, "embedding": ["x"]} for item in data]), "not lists of numbers"),
        (changed(lambda data: [{**item, "embedding": [[1.0]]} for item in data]), "not lists of numbers"),
        (changed(lambda data: [{**data[0], "embedding": [1.0]}, *data[1:]]), "all equally long"),
        (changed(lambda data: [{**item, "embedding": [float("nan"), 1.0]} for item in data]), "NaN or infinity"),
        (changed(lambda data: [{**item, "embedding": [float("inf"), 1.0]} for item in data]), "NaN or infinity"),
        (changed(lambda data: [{**item, "embedding": [0.0, 0.0]} for item in data]), "only zeros"),
    ],
)
def test_an_answer_that_is_no_list_of_vectors_is_refused(script: Script, message: str) -> None:
    error = refused(script)
    assert message in str(error)
    assert not error.retryable


def test_a_service_that_changes_its_dimensions_is_caught() -> None:
    short = changed(lambda data: [{**item, "embedding": [1.0] * 9} for item in data])
    with serving(HashEmbedder(), [short]) as server:
        embedder = RemoteEmbedder(server.url, "m")
        embedder.embed(["a"])
        with pytest.raises(ProviderError, match="its vectors have 256 dimensions, not 9"):
            embedder.embed(["a"])


# --- keys and addresses ----------------------------------------------------------------------------------------------


def test_the_key_is_nowhere_to_be_seen() -> None:
    with serving(HashEmbedder(), [Reply(400, json.dumps({"error": f"key {KEY} is \x1b[31mbad"}).encode())]) as server:
        embedder = load(f"openai:m@{server.url}", key=KEY)
        shown = [repr(embedder), str(embedder), embedder.name, embedder.fingerprint, server.url]
        with pytest.raises(ProviderError) as caught:
            embedder.embed(["a"])
    assert not [text for text in shown if KEY in text]
    assert "HTTP 400: key [key] is  [31mbad" in str(caught.value)
    assert embedder.fingerprint == load(f"openai:m@{server.url}").fingerprint


@pytest.mark.parametrize("key", ["two words", "line\r\nX-Other: 1", "naïve", "\x00"])
def test_a_key_that_cannot_be_one_is_refused_unseen(key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RemoteEmbedder("https://example.org/v1", "m", key=key)
    assert key not in str(caught.value)


def test_a_key_does_not_travel_in_the_clear() -> None:
    with pytest.raises(ConfigError, match=r"readable for all to example\.org: use https"):
        RemoteEmbedder("http://example.org/v1", "m", key=KEY)
    assert RemoteEmbedder("http://localhost:1234/v1", "m", key=KEY)
    assert RemoteEmbedder("http://example.org/v1", "m")


@pytest.mark.parametrize(
    ("url", "whole"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1/embeddings"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1/embeddings"),
        ("https://example.org/v1/embeddings", "https://example.org/v1/embeddings"),
        ("http://localhost:8080", "http://localhost:8080/v1/embeddings"),
        ("http://[::1]:8080/", "http://[::1]:8080/v1/embeddings"),
        ("https://example.org/gateway/openai", "https://example.org/gateway/openai/embeddings"),
    ],
)
def test_requests_go_to_embeddings_under_the_address(url: str, whole: str) -> None:
    assert endpoint(url, "embeddings", "$.embedder").geturl() == whole


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "ftp://example.org",
        "https://",
        "https://example.org:port",
        "https://example.org:99999",
        "https://[::1",
        "https://exam ple.org",
        "https://example.org/\r\nX: 1",
        "https://münchen.example",
        "https://ada:sk-very-secret-123@example.org/v1",
        "https://sk-very-secret-123@example.org",
        "https://example.org/v1?key=sk-very-secret-123",
        "https://example.org/v1#sk-very-secret-123",
    ],
)
def test_other_addresses_are_refused_without_what_may_be_secret(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        endpoint(url, "embeddings", "$.embedder")
    assert KEY not in str(caught.value)


def test_the_fingerprint_is_that_of_address_model_and_dimensions() -> None:
    names = ["openai:a", "openai:b", "openai:a?dimensions=5", "openai:a@http://localhost:1"]
    assert len({load(name).fingerprint for name in names}) == len(names)
    assert load("openai:a").fingerprint == load("openai:a@https://api.openai.com/v1/").fingerprint


@pytest.mark.parametrize("bad", [{"most_texts": 0}, {"most_characters": 0}, {"dimensions": 0}])
def test_settings_that_cannot_work_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        RemoteEmbedder("https://example.org", "m", **bad)
    with pytest.raises(ConfigError):
        Patience(timeout=0)


# --- https -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for this machine that nobody signed, with its key in the same file."""
    openssl = shutil.which("openssl")
    if not openssl:
        pytest.skip("needs the openssl command to make a certificate")
    path = tmp_path / "server.pem"
    key = tmp_path / "key.pem"
    request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    files = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(path)]
    subprocess.run([openssl, *request, *files], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + key.read_bytes())
    return path


def tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def test_a_certificate_that_nobody_vouches_for_is_refused_at_once(certificate: Path, clock: Clock) -> None:
    with serving(HashEmbedder(), tls=tls(certificate)) as server:
        with pytest.raises(ProviderError, match=r"no safe connection to https://.*certificate not accepted") as caught:
            RemoteEmbedder(server.url, "m", key=KEY, patience=clock.patience()).embed(["a"])
        assert not server.asked
    assert not caught.value.retryable
    assert clock.waits == []


def test_a_certificate_that_the_machine_trusts_is_accepted(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with serving(HashEmbedder(), tls=tls(certificate)) as server:
        rows = RemoteEmbedder(server.url, "m", key=KEY).embed(TEXTS)
    assert np.allclose(rows, HashEmbedder().embed(TEXTS), atol=1e-6)


def test_a_server_without_https_is_told_apart_from_one_that_is_down(clock: Clock) -> None:
    with (
        serving(HashEmbedder()) as server,
        pytest.raises(ProviderError, match=r"no safe connection .* Does the server speak https"),
    ):
        RemoteEmbedder(server.url.replace("http:", "https:"), "m", patience=clock.patience()).embed(["a"])
    assert clock.waits == []
