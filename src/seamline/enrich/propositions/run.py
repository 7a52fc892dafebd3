"""Claims of many passages: by a language model where there is one, by rules where there is none or it fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat

from seamline.enrich.asking import GaveUp, ask_each
from seamline.enrich.passages import Passage
from seamline.enrich.propositions.asked import Asked, ask_passage
from seamline.enrich.propositions.claims import Extraction, Report, Rules, Sieve
from seamline.enrich.propositions.rules import read_passage
from seamline.protocols import LanguageModel
from seamline.replies import Usage
from seamline.types import Notice

Progress = Callable[[int, int], None]
"""Told how many passages are done, and of how many."""


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
    run = _Run(Sieve(rules or Rules(), count), language)
    answers: Iterator[Asked | GaveUp | None] = repeat(None)
    if model is not None:
        answers = ask_each(lambda passage: ask_passage(passage, model), passages, workers)
    for done, (passage, answer) in enumerate(zip(passages, answers, strict=False), 1):
        run.add(passage, answer)
        if progress:
            progress(done, len(passages))
    return run.result(passages)


class _Run:
    """What was found so far."""

    def __init__(self, sieve: Sieve, language: str) -> None:
        self._sieve = sieve
        self._language = language
        self._notices: list[Notice] = []
        self._skipped: Counter[str] = Counter()
        self._usage = Usage()
        self._failed = 0
        self._by_rules = 0

    def add(self, passage: Passage, answer: Asked | GaveUp | None) -> None:
        """The claims of one passage: the model's, and where it has none of use, those of the rules."""
        if answer is not None:
            self._usage += answer.usage
            if isinstance(answer, Asked):
                kept = [self._sieve.put(passage, claim) for claim in answer.claims]
                if any(kept) or not kept:
                    return
                answer = GaveUp("unsupported", "no claim of its answer is what the passage says")
            self._failed += 1
            self._notices.append(_instead(passage, answer))
        found = read_passage(passage, self._language)
        self._by_rules += 1
        self._skipped += found.skipped
        for claim in found.claims:
            self._sieve.put(passage, claim)

    def result(self, passages: Sequence[Passage]) -> Extraction:
        """All of it."""
        notices = [*self._notices]
        if self._by_rules and self._language != "en":
            notices.append(_whole_sentences(self._language))
        kept = self._sieve.kept
        report = Report(
            passages=len(passages),
            sentences=sum(len(passage.sentences) for passage in passages),
            claims=len(kept),
            rejected=dict(self._sieve.rejected),
            skipped=dict(self._skipped),
            failed=self._failed,
            usage=self._usage,
        )
        return Extraction(kept, notices, report)


def _instead(passage: Passage, gave_up: GaveUp) -> Notice:
    return Notice(
        f"llm-{gave_up.fault}",
        f"claims were taken by rules instead: {gave_up.message}",
        passage.where,
    )


def _whole_sentences(language: str) -> Notice:
    return Notice(
        "propositions-by-sentence",
        f"the rules take only English apart: each sentence of language {language or 'unknown'!r} is one claim",
    )
