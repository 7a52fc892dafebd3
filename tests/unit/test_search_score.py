"""What a score says: how likely a passage answers, and when nothing does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from seamline.api.index import Index, IndexConfig, open_index
from seamline.embed.bundled import bundled
from seamline.embed.hashing import HashEmbedder
from seamline.errors import ConfigError
from seamline.search.hits import Evidence
from seamline.search.options import SearchOptions
from seamline.search.query import misspelt
from seamline.search.score import BY_MEANING, BY_WORDS, RELEVANT, UNSAID, admit, calibration_of, is_read

PAGES = {
    "retries.md": "# Retries\n\nA webhook that fails is sent again after 30 seconds, then every hour for three days.\n",
    "invoices.md": "# Invoices\n\nInvoices are sent on the first day of each month, as PDF, to the billing address.\n",
    "keys.md": "# Keys\n\nAn API key is rotated in the settings; the old one works for 24 hours more.\n",
    "limits.md": "# Limits\n\nA client may ask 600 times a minute; above that the answer is 429.\n",
}
NONSENSE = ["zzxqy", "flurbel grompt", "qqq wwww eeee", "xkcdvbn plomph zzt"]


def made(embedder: str) -> Index:
    index = open_index("memory:", config=IndexConfig(embedder=embedder))
    for doc, text in PAGES.items():
        index.add(doc, text)
    return index


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    with made("seam") as opened:
        yield opened


@pytest.mark.parametrize("calibration", [BY_WORDS, *BY_MEANING.values()])
def test_a_score_rises_with_the_share_and_with_the_evidence(calibration: object) -> None:
    probability = calibration.probability  # type: ignore[attr-defined]
    near, far, away = (0.7, 0.3, 0.1) if calibration is not BY_WORDS else (None, None, None)
    strong, weak, none = Evidence(near, 1.0), Evidence(far, 0.2), Evidence(away, 0.0)
    assert 0 < probability(0.2, strong) < probability(0.6, strong) < probability(1.0, strong) < 1
    assert probability(1.0, none) < probability(1.0, weak) < probability(1.0, strong)
    assert probability(1.0, none) < RELEVANT < 0.4 < probability(1.0, strong)


@pytest.mark.parametrize("legs", ["hybrid", "bm25"])
@pytest.mark.parametrize("query", NONSENSE)
def test_nonsense_finds_nothing_and_is_told(index: Index, query: str, legs: str) -> None:
    found = index.search(query, options=SearchOptions(legs=legs))  # type: ignore[arg-type]
    assert not found.hits
    if legs == "hybrid":  # BM25 finds none of these words, so there is nothing to judge
        assert [notice.code for notice in found.notices] == ["nothing-relevant"]
        assert "nothing relevant found" in found.notices[0].message
        assert len(index.search(query, options=SearchOptions(min_score=0)).hits) == len(PAGES)


def test_what_holds_the_query_as_typed_is_not_left_out_for_its_score(index: Index) -> None:
    hits = index.search("every hour", options=SearchOptions(min_score=0)).hits
    unlikely = [replace(hit, score=RELEVANT / 4) for hit in hits]
    kept, notices = admit(unlikely, None)
    assert [hit.citation.doc for hit in kept] == ["retries.md"]
    assert not notices
    assert not admit(unlikely, RELEVANT)[0]  # what was asked for holds


def test_a_text_for_a_prompt_stays_empty_where_nothing_is_relevant(index: Index) -> None:
    text = index.context("recipe for sourdough bread", budget=500)
    assert not text.passages
    assert [notice.code for notice in text.notices] == ["nothing-relevant"]


@pytest.mark.parametrize(
    ("query", "doc"),
    [
        ("when is a failed webhook sent again?", "retries.md"),
        ("how do I rotate an API key", "keys.md"),
        ("invoices", "invoices.md"),
        ("how many requests may a client make in a minute", "limits.md"),
    ],
)
def test_real_questions_are_answered(index: Index, query: str, doc: str) -> None:
    found = index.search(query)
    assert found.hits[0].citation.doc == doc
    assert found.hits[0].score > 0.3
    assert found.evidence is not None
    assert found.evidence.similarity == pytest.approx(max(h.why.dense.score for h in found.hits if h.why.dense))
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)  # their order is that of `relative`
    likely = index.search(query, options=SearchOptions(min_score=0.3)).hits
    assert [hit.entry.id for hit in likely] == [hit.entry.id for hit in found.hits if hit.score >= 0.3]


def test_evidence_counts_the_words_of_one_passage(index: Index) -> None:
    evidence = index.search("webhook zzxqy invoices minute", options=SearchOptions(min_score=0)).evidence
    assert evidence is not None
    assert evidence.coverage == pytest.approx(1 / 4)


def test_words_that_are_nowhere_count_against_a_result(index: Index) -> None:
    by = BY_MEANING["seam"]
    assert by.probability(1.0, Evidence(0.45, 0.0, UNSAID)) < RELEVANT < by.probability(1.0, Evidence(0.45, 0.0))

    def loss(query: str) -> float:
        evidence = index.search(query, options=SearchOptions(min_score=0)).evidence
        assert evidence is not None
        return evidence.unsaid

    assert loss("flurbel grompt") == UNSAID
    assert loss("zzxqy") == UNSAID  # read letter by letter
    assert loss("throttling") == 0  # another word for what is said
    assert loss("flurbel webhook") == loss("webhok") == 0


def test_an_embedder_that_tells_no_tokens_reads_every_word() -> None:
    assert is_read("zzxqy", HashEmbedder())
    assert not is_read("zzxqy", bundled("seam"))
    assert is_read("throttling", bundled("seam"))


def test_a_misspelt_word_is_read_as_what_the_best_passages_say(index: Index) -> None:
    found = index.search("webhok")
    assert found.hits
    assert [(notice.code, notice.message) for notice in found.notices] == [
        ("misspelt", "the best passages say `webhook`, not `webhok`")
    ]
    assert index.search("webhook").notices == ()


@pytest.mark.parametrize(
    ("query", "text", "meant"),
    [
        ("conatiner", "one container", {"conatiner": "container"}),  # neighbours
        ("enviroment", "the environment", {"enviroment": "environment"}),  # left out
        ("plugiin", "a plugin", {"plugiin": "plugin"}),  # one too many
        ("authetnicaton", "authentication", {"authetnicaton": "authentication"}),  # two in a long word
        ("segfault", "the default", {}),  # two in a short one
        ("kuberntes deploymnet", "kubernetes", {"kuberntes": "kubernetes"}),
        ("refnd", "refund refunds refund find", {"refnd": "refund"}),
        ("mouse", "house house mouses", {"mouse": "house"}),  # of two that are as near, what is said more often
        ("1374", "1375", {}),
        ("ERR_13", "ERR_12", {}),
        ("bats", "cats", {}),
        ("which", "witch", {}),  # a function word
        ("", "anything", {}),
        ("refnd " * 9, "refund", {}),  # a long query
        ("a" * 41, "a" * 42, {}),
        ("пакте", "один пакет", {"пакте": "пакет"}),
    ],
)
def test_words_that_a_slip_parts(query: str, text: str, meant: dict[str, str]) -> None:
    assert misspelt(query, ["other words", text]) == meant


def test_other_embedders_have_scores_within_a_result_only() -> None:
    with made("hash") as index:
        found = index.search("webhook retries")
    assert found.evidence is None
    assert found.hits
    assert all(hit.score == hit.relative for hit in found.hits)


def test_a_reranker_that_orders_alone_says_how_likely_an_answer_is(index: Index) -> None:
    class Judge:
        name = "judge"

        def score(self, query: str, texts: list[str]) -> list[float]:
            return [0.9 if "invoices" in text.lower() else 0.1 for text in texts]

    found = index.search("webhook", reranker=Judge())  # type: ignore[arg-type]
    assert [hit.score for hit in found.hits] == pytest.approx([0.9, 0.1, 0.1, 0.1])
    assert found.evidence is None
    assert calibration_of("hybrid", "seam", None) is BY_MEANING["seam"]
    assert calibration_of("bm25", "hash", None) is BY_WORDS


@pytest.mark.parametrize("least", [-0.1, 1.5, float("nan")])
def test_a_least_score_is_a_probability(least: float) -> None:
    with pytest.raises(ConfigError, match=r"0 to 1.*min_score"):
        SearchOptions(min_score=least)
