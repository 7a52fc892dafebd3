"""One POST to a service that may be busy: repeated on a fixed schedule, given up with a reason."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from typing import NamedTuple
from urllib.parse import SplitResult

from seamline.errors import ConfigError, ProviderError

BUSY = {408, 409, 425, 429, 500, 502, 503, 504, 529}
"""Answers after which the same request may succeed."""

_BLOCK = 1 << 16


class Answer(NamedTuple):
    """What a server said."""

    status: int
    headers: Mapping[str, str]
    """By name in lower case."""
    body: bytes
    tried: int = 1
    """How often it was asked for."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a service, and how often to ask again."""

    timeout: float = 60.0
    """Seconds for one whole answer."""
    retries: int = 4
    """How often a request is repeated after the first try; the waits are 0.5, 1, 2, 4 ... seconds."""
    longest: float = 60.0
    """The longest wait that a server may ask for; above that, its answer is an error."""
    most_bytes: int = 1 << 28
    """Of an answer."""
    sleep: Callable[[float], None] = time.sleep
    place: str = "$.embedder"
    """What of a recipe it belongs to, for messages."""

    def __post_init__(self) -> None:
        if not (self.timeout > 0 and self.retries >= 0 and self.longest >= 0):
            raise ConfigError(
                f"expected timeout > 0 and retries >= 0, got timeout={self.timeout} retries={self.retries}",
                self.place,
            )

    def wait(self, tried: int) -> float:
        """Seconds after that many tries. No jitter: the same failures take the same time in every run."""
        return min(0.5 * 2.0 ** (tried - 1), self.longest)


def post(url: SplitResult, body: bytes, headers: Mapping[str, str], patience: Patience) -> Answer:
    """The answer to a POST, which is not a busy server's. Redirects are answers: nothing is sent elsewhere."""
    shown = url.geturl()
    for tried in range(1, patience.retries + 2):
        last = tried > patience.retries
        wait = patience.wait(tried)
        try:
            answer = _once(url, body, headers, patience)
        except (OSError, HTTPException) as error:
            if last or _is_final(error):
                raise _unreachable(shown, tried, error) from error
        else:
            if answer.status not in BUSY or last:
                return answer._replace(tried=tried)
            wait = max(wait, _asked_wait(answer))
            if wait > patience.longest:
                raise ProviderError(
                    f"{shown} is busy (HTTP {answer.status}) and asks to wait {wait:.0f} s: try again then",
                    retryable=True,
                )
        patience.sleep(wait)
    raise AssertionError("the last try returns or raises")


def _once(url: SplitResult, body: bytes, headers: Mapping[str, str], patience: Patience) -> Answer:
    connection = _connection(url, patience.timeout)
    deadline = time.monotonic() + patience.timeout
    try:
        connection.request("POST", url.path, body, {"Connection": "close", **headers})
        response = connection.getresponse()
        fields = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, fields, _body(response, deadline, patience))
    finally:
        connection.close()


def _connection(url: SplitResult, timeout: float) -> HTTPConnection:
    host = url.hostname or ""
    if url.scheme == "https":
        return HTTPSConnection(host, url.port, timeout=timeout, context=ssl.create_default_context())
    return HTTPConnection(host, url.port, timeout=timeout)


def _body(response: HTTPResponse, deadline: float, patience: Patience) -> bytes:
    """The whole body. A server that sends a byte now and then does not hold us for ever."""
    blocks = []
    size = 0
    while block := response.read1(_BLOCK):
        blocks.append(block)
        size += len(block)
        if size > patience.most_bytes:
            raise ProviderError(f"the answer is larger than {patience.most_bytes} bytes: ask for less at once")
        if time.monotonic() > deadline:
            raise TimeoutError("timed out")
    if response.length:
        raise IncompleteRead(b"", response.length)
    return b"".join(blocks)


def _asked_wait(answer: Answer) -> float:
    """Seconds of a Retry-After header, which may be a date: counted from the server's own."""
    asked = answer.headers.get("retry-after", "").strip()
    if asked.isascii() and asked.isdigit():
        return float(asked[:9])
    try:
        until = parsedate_to_datetime(asked)
        return max(0.0, (until - parsedate_to_datetime(answer.headers.get("date", ""))).total_seconds())
    except (ValueError, TypeError):
        return 0.0


def _unreachable(shown: str, tried: int, error: OSError | HTTPException) -> ProviderError:
    times = "once" if tried == 1 else f"{tried} times"
    if _is_final(error):
        return ProviderError(
            f"no safe connection to {shown}: {_reason(error)}. Does the server speak https, and does this machine "
            "trust who signed its certificate?"
        )
    return ProviderError(
        f"{shown} did not answer, asked {times}: {_reason(error)}. Is the server running, and the address right?",
        retryable=True,
    )


def _is_final(error: OSError | HTTPException) -> bool:
    """A server that has no right certificate, or does not speak https, has none in a second either."""
    return isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError)


def _reason(error: OSError | HTTPException) -> str:
    if isinstance(error, TimeoutError):
        return "timed out"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"certificate not accepted, {error.verify_message}"
    said = (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__
    return said[:1].lower() + said[1:]
