"""Claims of many passages: by a language model where there is one, by rules where there is none or it fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from seamline.enrich.asking import GaveUp, ask_each
from seamline.enrich.passages import Passage
from seamline.enrich.propositions.asked import Asked, ask_passage
from seamline.enrich.propositions.claims import Claim, Extraction, Report, Rules, Sieve
from seamline.enrich.propositions.rules import read_passage
from seamline.protocols import LanguageModel
from seamline.replies import Usage
from seamline.types import Notice

Progress = Callable[[int, int], None]
"""Told how many passages are done, and of how many."""


class _Found(NamedTuple):
    """What one passage gave."""

    claims: list[Claim]
    skipped: Counter[str]
    usage: Usage
    notice: Notice | None = None
    failed: bool = False


def extract(
    passages: Sequence[Passage],
    count: Callable[[str], int],
    *,
    model: LanguageModel | None = None,
    language: str = "en",
    rules: Rules | None = None,
    workers: int = 4,
    progress: Progress | None = None,
) -> Extraction:
    """The claims of all passages, each checked against its sentences, in order.

    `count`: tokens of a text. `language`: of the passages, as in `en`. `workers`: how many questions are asked at a
    time. With a model that caches its answers, an interrupted run goes on where it was.
    """
    sieve = Sieve(rules or Rules(), count)
    notices: list[Notice] = []
    skipped: Counter[str] = Counter()
    usage, failed = Usage(), 0
    found = _by_rules(passages, language) if model is None else _by_model(passages, model, language, workers)
    for done, (passage, result) in enumerate(zip(passages, found, strict=True), 1):
        for claim in result.claims:
            sieve.put(passage, claim)
        skipped += result.skipped
        usage += result.usage
        failed += result.failed
        notices += [result.notice] if result.notice else []
        if progress:
            progress(done, len(passages))
    if passages and language != "en" and (model is None or failed):
        notices.append(_whole_sentences(language))
    sentences = sum(len(passage.sentences) for passage in passages)
    kept = sieve.kept
    report = Report(len(passages), sentences, len(kept), dict(sieve.rejected), dict(skipped), failed, usage)
    return Extraction(kept, notices, report)


def _by_rules(passages: Sequence[Passage], language: str) -> Iterator[_Found]:
    for passage in passages:
        yield _Found(*read_passage(passage, language), Usage())


def _by_model(passages: Sequence[Passage], model: LanguageModel, language: str, workers: int) -> Iterator[_Found]:
    def ask(passage: Passage) -> Asked:
        return ask_passage(passage, model)

    for passage, answer in zip(passages, ask_each(ask, passages, workers), strict=True):
        if isinstance(answer, Asked):
            yield _Found(answer.claims, Counter(), answer.usage)
        else:
            yield _Found(*read_passage(passage, language), answer.usage, _instead(passage, answer), True)


def _instead(passage: Passage, gave_up: GaveUp) -> Notice:
    return Notice(
        f"llm-{gave_up.fault}",
        f"claims were taken by rules instead: {gave_up.message}",
        f"{passage.document.id}, chunk {passage.chunk.id}",
    )


def _whole_sentences(language: str) -> Notice:
    return Notice(
        "propositions-by-sentence",
        f"the rules take only English apart: each sentence of language {language or 'unknown'!r} is one claim",
    )
