"""What a score means: the probability that a passage answers the query.

Hits are ordered by a score beside the best of their own result, which says nothing about that best: for a query that
nothing answers it is as high as for any other. So two things are looked at that mean the same in every index: how near
the best passage is by meaning, and how many of the query's words one passage holds. The weights were fitted to
questions with known answers and to questions about something else: `benchmarks/quality/calibration.py` prints them, and
how well they hold on questions of other kinds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from seamline.protocols import Embedder, Reranker, TokenCounter
from seamline.search.candidates import Candidate
from seamline.search.hits import Evidence, Hit
from seamline.search.options import LegChoice
from seamline.search.query import LITERAL, coverage, misspelt
from seamline.search.rerank import weight_of
from seamline.text.stemming import ENGLISH
from seamline.text.words import query_words, whole_words
from seamline.types import Notice

RELEVANT = 0.2
"""Where the best passage is less likely than this to answer the query, nothing relevant was found."""
_FIRST = 10
"""The passages among which the best is looked for."""
WORDS = 0.3
"""What all the query's words in one passage count, beside a cosine similarity of 1."""
UNSAID = 0.1
"""What evidence loses where none of several words of a query stands in any of the best passages, not even misspelt.
Words without meaning have cosines of up to .5; of 1,638 questions with a known answer, paraphrases among them, none was
so."""
_READ = 2.5
"""Letters that a model reads at once, in the mean, of a single word that means something to it: `throttling` has 3.3
and finds what is said of rate limits. Of 64 words without a meaning 62 have fewer, `zzxqy` 1."""


class Calibration(NamedTuple):
    """How log-odds follow from a share and the evidence: the weights of a logistic regression."""

    base: float
    share: float
    missing: float
    """For each 1 that evidence of the topic falls short of `enough`."""
    enough: float
    """Evidence above this does not make an answer more likely: most passages about the topic do not answer."""

    def probability(self, share: float, evidence: Evidence) -> float:
        """Of a passage with this score beside the best."""
        topic = (evidence.similarity or 0.0) + WORDS * evidence.coverage - evidence.unsaid
        odds = self.base + self.share * share - self.missing * max(0.0, self.enough - topic)
        return 1 / (1 + math.exp(-odds))


BY_MEANING: Mapping[str, Calibration] = {
    "seam": Calibration(base=-10.1, share=10.6, missing=18.6, enough=0.5),
    "quality": Calibration(base=-12.9, share=13.7, missing=18.4, enough=0.5),
    "minilm": Calibration(base=-12.7, share=13.6, missing=15.2, enough=0.55),
}
"""By embedder, as cosine similarities of one model are not those of another."""
BY_WORDS = Calibration(base=-8.8, share=8.5, missing=30.1, enough=0.15)
"""For BM25 alone."""


def calibration_of(legs: LegChoice, embedder: str, reranker: Reranker | None) -> Calibration | None:
    """How scores follow from evidence; None where nobody has measured it: with another embedder, or with a reranker
    that orders alone."""
    if reranker is not None and weight_of(reranker) == 1:
        return None
    return BY_WORDS if legs == "bm25" else BY_MEANING.get(embedder)


def gather(
    query: str, best: Sequence[Candidate], embedder: Embedder, stemming: str = ENGLISH
) -> tuple[Evidence, tuple[Notice, ...]]:
    """The evidence that these candidates, best first, answer a query, and how it was read. Where none of its words is
    in any of them, those that are there but for a slip count."""
    near = max((one.why.dense.score for one in best[:_FIRST] if one.why.dense is not None), default=None)
    texts = [f"{one.entry.searched}\n{one.why.about}" for one in best[:_FIRST]]
    if covered := coverage(query, texts, stemming):
        return Evidence(near, covered), ()
    asked = frozenset(query_words(query, stemming))
    if meant := misspelt(query, texts):
        pairs = ", ".join(f"`{other}`, not `{word}`" for word, other in meant.items())
        notice = Notice("misspelt", f"the best passages say {pairs}")
        return Evidence(near, min(1.0, len(meant) / len(asked))), (notice,)
    several = min(len(whole_words(query)), len(asked)) > 1
    return Evidence(near, 0.0, UNSAID if several or (near and not is_read(query, embedder)) else 0.0), ()


def is_read(word: str, embedder: Embedder) -> bool:
    """Whether a model reads a word in pieces that may mean something: of what it does not know it reads single letters.
    One that does not tell reads all."""
    pieces = embedder.count_tokens(word) if isinstance(embedder, TokenCounter) else 0
    return pieces == 0 or len(word) >= _READ * pieces


def calibrate(hits: Sequence[Hit], evidence: Evidence, by: Calibration) -> list[Hit]:
    """The hits with the probability that each answers the query as its score. Their order stays. What is old, or little
    trusted, answers as well as before: weights beside relevance change the order alone."""
    return [replace(hit, score=by.probability(_relevance(hit), evidence)) for hit in hits]


def _relevance(hit: Hit) -> float:
    return hit.relative if hit.why.relevance is None else hit.why.relevance


def admit(hits: Sequence[Hit], least: float | None) -> tuple[tuple[Hit, ...], tuple[Notice, ...]]:
    """The hits that are likely enough, and what is worth knowing about the others. Where no least probability is given,
    all stay if the best is relevant, and otherwise those that hold the query as it was typed: `ERR_137` is what was
    asked for, however little it means to a model."""
    best = max((hit.score for hit in hits), default=0.0)
    wanted = (RELEVANT if best < RELEVANT else 0.0) if least is None else least
    literal = LITERAL if least is None else math.inf
    kept = tuple(hit for hit in hits if hit.score >= wanted or (hit.why.wording or 0.0) >= literal)
    if kept or not hits:
        return kept, ()
    text = f"nothing relevant found: the best passage has a score of {best:.2f}; a least score of 0 shows it anyway"
    return (), (Notice("nothing-relevant", text),)
