"""A line or two that place a chunk in its document, by rules: title, headings, and what its section says first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from seamline.enrich.prose import Passage
from seamline.enrich.summary import read_sentence, summarize
from seamline.facts import Derived
from seamline.types import Span, collapse


def plain_prefix(passage: Passage, most_tokens: int, count: Callable[[str], int]) -> str:
    """`From "Handbook", section Rate limits > Retries: ...`, with a sentence of the passage where it fits; less where
    not even that does, down to nothing."""
    place = _place(passage)
    said = summarize([read_sentence(sentence.text) for sentence in passage.sentences], most_tokens, count, wanted=1)
    forms = [f"{place}: {said}" if place and said else "", f"{place}." if place else "", said]
    return next((form for form in forms if form and count(form) <= most_tokens), "")


def plain_prefixes(passages: Sequence[Passage], count: Callable[[str], int], most_tokens: int = 60) -> list[Derived]:
    """The prefix of each passage that has one."""
    found = ((passage, plain_prefix(passage, most_tokens, count)) for passage in passages)
    return [
        Derived(passage.document, "prefix", text, _spans(passage), passage.ids, tokens=count(text))
        for passage, text in found
        if text
    ]


def _spans(passage: Passage) -> tuple[Span, ...]:
    return tuple(sentence.span for sentence in passage.sentences)


def _place(passage: Passage) -> str:
    title = collapse(passage.document.title)
    path = [collapse(part) for part in passage.path if collapse(part) != title]
    named = [f'From "{title}"'] if title else []
    named += [f"{'section' if title else 'Section'} {' > '.join(path)}"] if path else []
    return ", ".join(named)
