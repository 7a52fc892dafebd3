"""An object store on this machine for tests: moto's, with conditional writes or with the headers for them ignored."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

BUCKET = "seamline-tests"
_CONDITIONS = ("HTTP_IF_NONE_MATCH", "HTTP_IF_MATCH")


def serve(*, conditional: bool = True) -> None:
    """Run a store until the process ends; its port is the first line of the output."""
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    app: Callable[..., Any] = DomainDispatcherApplication(create_backend_app)

    def deaf(environ: dict[str, Any], start: Any) -> Any:
        return app({name: value for name, value in environ.items() if name not in _CONDITIONS}, start)

    server = make_server("127.0.0.1", 0, app if conditional else deaf, threaded=True)
    print(server.server_port, flush=True)
    server.serve_forever()


@contextmanager
def object_store(*, conditional: bool = True) -> Iterator[dict[str, str]]:
    """A store in a process of its own, with an empty bucket; the environment that leads to it."""
    code = f"from harness.object_store import serve; serve(conditional={conditional})"
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": here},
    )
    try:
        assert process.stdout is not None
        endpoint = f"http://127.0.0.1:{int(process.stdout.readline())}"
        urllib.request.urlopen(urllib.request.Request(f"{endpoint}/{BUCKET}", method="PUT"), timeout=20).close()
        yield environment(endpoint)
    finally:
        process.kill()
        process.wait()


def environment(endpoint: str) -> dict[str, str]:
    """What a user sets for a store at an address."""
    return {
        "AWS_ACCESS_KEY_ID": "tests",
        "AWS_SECRET_ACCESS_KEY": "tests",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ALLOW_HTTP": "true",
        "NO_PROXY": "127.0.0.1",
    }


@contextmanager
def set_environment(values: Mapping[str, str]) -> Iterator[None]:
    """These variables in this process, and what was there before afterwards."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)


def fresh_place() -> str:
    """A prefix that nobody has used."""
    return f"s3://{BUCKET}/{time.time_ns()}-{uuid.uuid4().hex[:8]}"
