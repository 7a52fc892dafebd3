"""Many questions to a language model: one that fails does not stop the rest, a service that is down does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, TypeVar

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
    """Answers to come, in order, never more than `workers` ahead; None for what is not asked any more. Whatever ends
    this early, Ctrl-C among it, drops the questions that wait and keeps those that are under way."""
    pool = ThreadPoolExecutor(workers, thread_name_prefix="seamline-llm")
    waiting: list[Future[Answer]] = []
    try:
        at = 0
        while at < len(items) or waiting:
            while at < len(items) and len(waiting) < workers and len(failures) < MOST_IN_A_ROW:
                waiting.append(pool.submit(ask, items[at]))
                at += 1
            if waiting:
                yield waiting.pop(0)
            else:
                at += 1
                yield None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
