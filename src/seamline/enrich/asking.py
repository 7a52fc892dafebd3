"""Many questions to a language model: one that fails does not stop the rest, a service that is down does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from hashlib import sha256
from threading import Thread
from types import TracebackType
from typing import NamedTuple, TypeVar

from seamline.enrich.passages import Passage
from seamline.errors import ConfigError, ProviderError
from seamline.replies import BadAnswer, Usage

MOST_IN_A_ROW = 3
"""Questions that a service may fail one after another; the rest is not asked then."""

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


class GaveUp(NamedTuple):
    """Why there is no answer to a question."""

    fault: str
    """A `Fault`; `unavailable` where the service failed, `not-asked` where it had failed too often before."""
    message: str
    usage: Usage = Usage()


def framed(passage: Passage, text: str) -> str:
    """Text of a passage and where that stands, between lines that nothing in it can close: their name is a hash of it.
    Nothing of its position is said: a passage that moved is the same question."""
    place = [f"Document: {passage.document.title}"] if passage.document.title else []
    place += [f"Section: {' > '.join(passage.path)}"] if passage.path else []
    inner = "\n".join([*place, text])
    mark = sha256(inner.encode("utf-8", "replace")).hexdigest()[:12]
    return f"<<<{mark}\n{inner}\n{mark}>>>"


def ask_each(ask: Callable[[Asked], Answer], items: Sequence[Asked], workers: int) -> Iterator[Answer | GaveUp]:
    """The answers in the order of the items. A bad answer, or a service that fails for a while, costs one item; what no
    repeat can mend, such as a wrong key, is raised at once."""
    if workers < 1:
        raise ConfigError(f"expected workers of 1 or more, got {workers}", "$.llm.workers")
    failures: list[str] = []
    for future in _futures(ask, items, workers, failures):
        if future is None:
            yield GaveUp("not-asked", f"the service failed {MOST_IN_A_ROW} times in a row, so it was not asked")
            continue
        answer = _answer(future)
        if isinstance(answer, GaveUp) and answer.fault == "unavailable":
            failures.append(answer.message)
        else:
            failures.clear()
        yield answer


def _answer(future: Future[Answer]) -> Answer | GaveUp:
    try:
        return future.result()
    except BadAnswer as error:
        return GaveUp(error.fault, str(error), error.usage)
    except ProviderError as error:
        if not error.retryable:
            raise
        return GaveUp("unavailable", str(error))


def _futures(
    ask: Callable[[Asked], Answer], items: Sequence[Asked], workers: int, failures: list[str]
) -> Iterator[Future[Answer] | None]:
    """Answers to come, in order, never more than `workers` ahead; None for what is not asked any more."""
    waiting: list[Future[Answer]] = []
    at = 0
    while at < len(items) or waiting:
        while at < len(items) and len(waiting) < workers and len(failures) < MOST_IN_A_ROW:
            waiting.append(_started(ask, items[at]))
            at += 1
        if waiting:
            yield waiting.pop(0)
        else:
            at += 1
            yield None


def _started(ask: Callable[[Asked], Answer], item: Asked) -> Future[Answer]:
    """An answer to come, from a thread that does not keep the process alive: after Ctrl-C nobody waits for it."""
    future: Future[Answer] = Future()

    def work() -> None:
        with _Handed(future):
            future.set_result(ask(item))

    Thread(target=work, name="seamline-llm", daemon=True).start()
    return future


class _Handed(AbstractContextManager[None]):
    """Hands whatever a thread raises to whoever waits for its answer; in the thread, Python would only print it."""

    def __init__(self, future: Future[Answer]) -> None:
        self._future = future

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is not None:
            self._future.set_exception(error)
        return True
