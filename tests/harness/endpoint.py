"""A real HTTP server on this machine that speaks /v1/embeddings or /v1/chat/completions, and fails as told."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext
from typing import Any, NamedTuple

from seamline.protocols import Embedder


class ReceivedRequest(NamedTuple):
    """A request that came in."""

    path: str
    headers: Mapping[str, str]
    """By name in lower case."""
    body: Mapping[str, Any]


class Reply(NamedTuple):
    """What to answer instead of what is right."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = {}
    hold: threading.Event | None = None
    """Where set: nothing is answered before it is."""


Right = Callable[[Mapping[str, Any]], dict[str, Any]]
"""The right answer to the body of a request."""
Script = Reply | Callable[[dict[str, Any]], dict[str, Any]]
"""A reply, or a change to the right answer, such as one that swaps two vectors."""


class Endpoint:
    """What a server was asked, and what it answers next."""

    def __init__(self, url: str, right: Right, script: Sequence[Script]) -> None:
        self.url = url
        """Of the service, ending in /v1."""
        self.asked: list[ReceivedRequest] = []
        self._right = right
        self._script = list(script)

    def reply(self, asked: ReceivedRequest) -> Reply:
        """The next of the script; when that is over, what is right."""
        self.asked.append(asked)
        step = self._script.pop(0) if self._script else None
        if isinstance(step, Reply):
            return step
        answer = self._right(asked.body)
        return Reply(body=json.dumps(step(answer) if step else answer).encode())


def serving(
    embedder: Embedder, script: Sequence[Script] = (), tls: SSLContext | None = None
) -> AbstractContextManager[Endpoint]:
    """A server of embeddings on the loopback address while the block runs; `script` says what its first answers are."""

    def vectors(body: Mapping[str, Any]) -> dict[str, Any]:
        rows = embedder.embed(body["input"])
        data = [{"object": "embedding", "index": at, "embedding": row.tolist()} for at, row in enumerate(rows)]
        return {"object": "list", "model": body["model"], "data": data}

    return _serving(vectors, script, tls)


def talking(answer: Callable[[str], Any], script: Sequence[Script] = ()) -> AbstractContextManager[Endpoint]:
    """A server of completions: `answer` gets the last message and gives what is sent back as JSON, or a string that
    is sent as it is. A token is a word."""

    def completion(body: Mapping[str, Any]) -> dict[str, Any]:
        asked = body["messages"][-1]["content"]
        found = answer(asked)
        text = found if isinstance(found, str) else json.dumps(found)
        usage = {"prompt_tokens": len(asked.split()), "completion_tokens": len(text.split())}
        return said(text, usage=usage)

    return _serving(completion, script, None)


def completing(right: Right) -> AbstractContextManager[Endpoint]:
    """A server of completions whose answers follow from the whole request: messages, tools and all."""
    return _serving(right, (), None)


def said(text: str | None, finish: str = "stop", refusal: str | None = None, usage: Any = None) -> dict[str, Any]:
    """A completion as services word it."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": finish}]} | (
        {} if usage is None else {"usage": usage}
    )


@contextmanager
def _serving(right: Right, script: Sequence[Script], tls: SSLContext | None) -> Iterator[Endpoint]:

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            body = json.loads(self.rfile.read(length))
            asked = ReceivedRequest(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            self.answer(endpoint.reply(asked))

        def answer(self, reply: Reply) -> None:
            if reply.hold:
                reply.hold.wait(30)
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing on the screen of a test."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            """A client that went away is what some tests are about; anything else is a fault of the test."""
            error = sys.exc_info()[1]
            if not isinstance(error, OSError):
                faults.append(repr(error))

    faults: list[str] = []
    server = Server(("127.0.0.1", 0), Handler)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    scheme = "https" if tls else "http"
    endpoint = Endpoint(f"{scheme}://127.0.0.1:{server.server_address[1]}/v1", right, script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        assert not faults, f"the server failed: {faults}"
