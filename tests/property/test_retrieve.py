"""Laws of retrieval, for any scores, sizes, texts, queries and edits."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from harness.library import RECIPE, Library
from seamline.api.index import Index
from seamline.enrich.sketch import sketch
from seamline.errors import ConfigError
from seamline.records import Entry, Scored
from seamline.search.candidates import Candidate
from seamline.search.duplicates import collapse
from seamline.search.fuse import leaning, linear, rrf
from seamline.search.highlight import snippet, spans
from seamline.search.hits import Hit, Results
from seamline.search.options import SearchOptions
from seamline.search.prompt.budget import Form, FormChoice, knapsack, pack
from seamline.testing.entries import entry
from seamline.testing.strategies import HOSTILE, WORDS
from seamline.text.words import query_words, words
from seamline.tokens import load
from seamline.types import Budget

# Fusion

IDS = st.sampled_from("abcdefgh")
SCORES = st.floats(-1, 50, allow_nan=False).map(lambda score: round(score, 3))
LEG = st.dictionaries(IDS, SCORES, max_size=8)
Fuse = Callable[[Mapping[str, float], Mapping[str, float]], list[Scored]]


def by_rank(dense: Mapping[str, float], sparse: Mapping[str, float]) -> list[Scored]:
    return rrf([leg(dense), leg(sparse)])


def leg(scores: Mapping[str, float]) -> list[Scored]:
    return [Scored(id, score) for id, score in sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))]


def by(normal: str) -> Fuse:
    return lambda dense, sparse: linear(dense, sparse, alpha=0.5, by=normal)  # type: ignore[arg-type]


def leaned(dense: Mapping[str, float], sparse: Mapping[str, float]) -> list[Scored]:
    return linear(dense, sparse, alpha=leaning(sparse.values(), 0.5, 0.7), by="blend")


FUSIONS: dict[str, Fuse] = {
    "rrf": by_rank,
    "leaning": leaned,
    **{name: by(name) for name in ("blend", "share", "min-max", "z-score")},
}
every_fusion = pytest.mark.parametrize("fuse", FUSIONS.values(), ids=FUSIONS)


@every_fusion
@given(dense=LEG, sparse=LEG, seed=st.integers())
def test_fusion_does_not_depend_on_the_order_of_its_input(
    fuse: Fuse, dense: dict[str, float], sparse: dict[str, float], seed: int
) -> None:
    shuffled = [dict(random.Random(seed).sample(list(one.items()), len(one))) for one in (dense, sparse)]
    assert fuse(*shuffled) == fuse(dense, sparse)


@every_fusion
@given(dense=LEG, sparse=LEG)
def test_fusion_ranks_all_that_was_found_once_within_0_and_1(
    fuse: Fuse, dense: dict[str, float], sparse: dict[str, float]
) -> None:
    fused = fuse(dense, sparse)
    assert sorted(one.id for one in fused) == sorted({*dense, *sparse})
    assert all(0 <= one.score <= 1 + 1e-9 for one in fused)
    assert fused == leg(dict(fused))  # best first, equal scores by id


@every_fusion
@given(dense=LEG, sparse=LEG)
def test_what_is_better_in_both_legs_is_not_ranked_lower(
    fuse: Fuse, dense: dict[str, float], sparse: dict[str, float]
) -> None:
    place = {one.id: n for n, one in enumerate(fuse(dense, sparse))}
    for one, other in product(dense.keys() & sparse.keys(), repeat=2):
        if dense[one] > dense[other] and sparse[one] > sparse[other]:
            assert place[one] < place[other] or fuse(dense, sparse)[place[one]].score == pytest.approx(
                fuse(dense, sparse)[place[other]].score
            )


@pytest.mark.parametrize("fuse", [FUSIONS[name] for name in ("rrf", "blend", "share", "min-max")])
@given(dense=LEG, sparse=LEG, more=st.floats(0, 20), at=st.integers(0, 7))
def test_a_higher_score_in_a_leg_never_lowers_a_rank(
    fuse: Fuse, dense: dict[str, float], sparse: dict[str, float], more: float, at: int
) -> None:
    assume(dense)
    raised = sorted(dense)[at % len(dense)]

    def ahead(of: Mapping[str, float]) -> set[str]:
        scores = dict(fuse(of, sparse))
        return {id for id, score in scores.items() if score > scores[raised] + 1e-9}

    assert ahead({**dense, raised: dense[raised] + more}) <= ahead(dense)


# Budgets

FORMS = st.lists(
    st.lists(st.builds(Form, st.floats(0, 1).map(lambda w: round(w, 3)), st.integers(1, 40)), max_size=3), max_size=7
)


def worth(candidates: Sequence[Sequence[Form]], taken: Sequence[FormChoice]) -> float:
    return sum(candidates[c.candidate][c.form].usefulness for c in taken)


@given(FORMS, st.integers(0, 120))
def test_packing_keeps_the_budget_and_exact_is_never_worth_less(candidates: list[list[Form]], budget: int) -> None:
    greedy, exact = pack(candidates, budget, "greedy"), pack(candidates, budget, "exact")
    for taken in (greedy, exact):
        assert sum(candidates[c.candidate][c.form].tokens for c in taken) <= budget
        assert [c.candidate for c in taken] == sorted({c.candidate for c in taken})
    assert worth(candidates, exact) >= worth(candidates, greedy) - 1e-9


@given(FORMS.filter(lambda forms: len(forms) <= 5), st.integers(0, 120))
def test_exact_is_the_best_of_all_choices(candidates: list[list[Form]], budget: int) -> None:
    every = product(*([None, *forms] for forms in candidates))
    tried = [[form for form in choice if form] for choice in every]
    best = max(sum(f.usefulness for f in choice) for choice in tried if sum(f.tokens for f in choice) <= budget)
    assert worth(candidates, knapsack(candidates, budget)) == pytest.approx(best)


# Near-duplicates


NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", *(f"n{n}" for n in range(8, 16))]


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    bases = draw(st.lists(st.permutations(NUMBERS), min_size=1, max_size=2))
    out = []
    for n in range(draw(st.integers(0, 9))):
        body = list(draw(st.sampled_from(bases)))
        for at in draw(st.lists(st.integers(0, 15), max_size=2)):
            body[at] = draw(st.sampled_from(["other", "zero"]))
        text = " ".join(body)
        kept = replace(entry("doc", text), id=f"id{n}", sketch=sketch(words(text)))
        out.append(Candidate(kept, draw(st.floats(0, 1))))
    return sorted(out, key=lambda one: (-one.score, one.entry.id))


def alike(one: Entry, other: Entry) -> bool:
    left, right = ({tuple(body[n : n + 3]) for n in range(14)} for body in (words(one.body), words(other.body)))
    far = (one.sketch ^ other.sketch) & ((1 << 64) - 1)
    return one.content_hash == other.content_hash or (
        len(left & right) >= 0.78 * len(left | right) and far.bit_count() <= 20
    )


@given(candidates())
def test_collapse_keeps_the_best_and_lists_the_rest_under_one_like_it(given_: list[Candidate]) -> None:
    kept = collapse(given_)
    assert [one.entry.id for one in kept[:1]] == [one.entry.id for one in given_[:1]]
    assert sorted([e.id for one in kept for e in (one.entry, *one.twins)]) == sorted(one.entry.id for one in given_)
    rank = {one.entry.id: n for n, one in enumerate(given_)}
    assert [rank[one.entry.id] for one in kept] == sorted(rank[one.entry.id] for one in kept)
    for one in kept:
        assert all(alike(one.entry, twin) and rank[one.entry.id] < rank[twin.id] for twin in one.twins)
        assert not any(alike(one.entry, other.entry) for other in kept if other is not one)


# Marks

PIECES = st.one_of(st.sampled_from(WORDS), st.sampled_from(HOSTILE), st.text(max_size=12))
TEXTS = st.lists(PIECES, max_size=25).map(" ".join)


@given(TEXTS, st.data())
@example("İstanbul ﷺ ﬁle ½ Ⅳ", None)
def test_marks_lie_in_the_text_ascend_and_hold_words_of_the_query(text: str, data: st.DataObject | None) -> None:
    own = st.lists(st.sampled_from(text.split() or ["x"]), min_size=1, max_size=4).map(" ".join)
    query = data.draw(st.one_of(own, TEXTS)) if data else text
    marked = spans(text, query)
    wanted = set(query_words(query))
    assert all(0 <= span.start < span.end <= len(text) for span in marked)
    assert all(one.end < other.start for one, other in pairwise(marked))
    assert all(wanted.intersection(words(text[start:end])) for start, end in marked)
    assert bool(marked) == bool(wanted.intersection(words(text)))


@given(TEXTS, TEXTS, st.integers(1, 400))
def test_a_snippet_is_a_part_of_the_text_with_its_marks_inside(text: str, query: str, size: int) -> None:
    part = snippet(text, query, size)
    assert 0 <= part.start <= part.end <= len(text)
    longest = max((end - start for start, end in spans(text, query)), default=0)
    assert part.end - part.start <= max(size, longest)
    assert all(part.start <= span.start and span.end <= part.end for span in part.spans)


# Whole searches

TOPICS = ("pump", "valve", "motor", "tank", "well", "pipe", "filter", "meter", "seal", "switch", "cable", "roof")
VERBS = ("lifts", "closes", "drives", "holds", "feeds", "cools", "guards", "counts", "joins", "stops")


def sentence(rng: random.Random) -> str:
    one, two, three = rng.sample(TOPICS, 3)
    return f"The {one} of line {rng.randint(1, 999)} {rng.choice(VERBS)} the {two} beside the {three}."


def page(seed: int) -> str:
    """A page with sections, paragraphs, a list, a table and code."""
    rng = random.Random(seed)
    parts = [f"# Plant {seed}"]
    for n in range(rng.randint(1, 4)):
        parts.append(f"{'#' * rng.randint(2, 3)} The {rng.choice(TOPICS)} of part {n}")
        parts += [" ".join(sentence(rng) for _ in range(rng.randint(1, 4))) for _ in range(rng.randint(1, 3))]
        parts.append("\n".join(f"- {sentence(rng)}" for _ in range(rng.randint(1, 6))))
    rows = "\n".join(f"| {rng.choice(TOPICS)} | {rng.randint(1, 99)} |" for _ in range(rng.randint(2, 12)))
    parts.append(f"| part | count |\n|---|---|\n{rows}")
    parts.append("```python\n" + "\n".join(f"{rng.choice(TOPICS)}_{n} = {n}" for n in range(9)) + "\n```")
    return "\n\n".join(parts) + "\n"


PAGES = {f"plant{n}.md": page(n) for n in range(8)} | {
    "copy.md": page(3),
    "日本.md": "# 日本語\n\n配置錯誤の原因を調べる。\n",
}


@pytest.fixture(scope="module")
def index() -> Index:
    return Library(PAGES).index()


QUESTIONS = st.one_of(
    st.lists(st.sampled_from((*TOPICS, *VERBS, "the", "of")), min_size=1, max_size=6).map(" ".join),
    st.builds("What is the difference between the {} and the {}?".format, *[st.sampled_from(TOPICS)] * 2),
    st.builds("What {} the {} and why does it stop?".format, st.sampled_from(VERBS), st.sampled_from(TOPICS)),
    st.builds("Give me an overview of every {}".format, st.sampled_from(TOPICS)),
    TEXTS,
    st.text(max_size=60),
)
OPTIONS = st.builds(
    SearchOptions,
    k=st.integers(1, 12),
    legs=st.sampled_from(["hybrid", "dense", "bm25"]),
    mode=st.sampled_from(["leaf", "parents", "summary-first", "multi-level"]),
    fusion=st.sampled_from(["blend", "min-max", "z-score", "share", "rrf"]),
    alpha=st.floats(0, 1),
    lean=st.floats(0, 1),
    collapse=st.booleans(),
)
on_one_index = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def asked(index: Index, query: str, options: SearchOptions | None = None, *, adaptive: bool = False) -> Results:
    """The results of a query, which is refused where it says nothing, and only then."""
    if query.strip():
        return index.search(query, options=options, adaptive=adaptive)
    with pytest.raises(ConfigError, match="the query is empty"):
        index.search(query, options=options, adaptive=adaptive)
    return Results()


def quotes_right(hit: Hit) -> bool:
    return all(one.quote == PAGES[one.doc][one.start : one.end] for one in (*hit.citations, *hit.duplicates))


@on_one_index
@given(query=QUESTIONS, options=OPTIONS, adaptive=st.booleans())
def test_hits_are_ordered_distinct_and_cited_to_their_text(
    index: Index, query: str, options: SearchOptions, adaptive: bool
) -> None:
    hits = asked(index, query, options, adaptive=adaptive).hits
    assert len(hits) <= (index.plan(query).k if adaptive else options.k)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(0 <= hit.score <= 1 + 1e-9 and quotes_right(hit) for hit in hits)
    assert all(hit.citation.quote in hit.text or not hit.ids for hit in hits)
    for one, other in pairwise(hits):
        assert not (set(one.ids) & set(other.ids)) or one.why.expanded or other.why.expanded


@on_one_index
@given(
    query=QUESTIONS,
    budget=st.integers(1, 900),
    packing=st.sampled_from(["greedy", "exact"]),
    sources=st.sampled_from(["inline", "list", "none"]),
    options=OPTIONS,
)
def test_a_context_keeps_its_budget_and_stands_in_document_order(
    index: Index, query: str, budget: int, packing: str, sources: str, options: SearchOptions
) -> None:
    assume(query.strip())
    made = index.context(query, budget=budget, packing=packing, sources=sources, options=options)  # type: ignore[arg-type]
    assert made.tokens == load("estimate").count(made.text) <= budget
    assert [passage.number for passage in made.passages] == list(range(1, len(made.passages) + 1))
    for one, other in pairwise(made.passages):
        assert one.citations[0].doc != other.citations[0].doc or one.start <= other.start
    for passage in made.passages:
        assert passage.text in made.text
        for cited in passage.citations:
            resolved = index.cite(cited.key)
            assert resolved.status == "current"
            assert cited.quote in resolved.text
            assert cited.quote == PAGES[cited.doc][cited.start : cited.end]
            assert passage.summary or cited.quote in passage.text
    assert not {one.key for one in made.left_out} & {
        one.key for passage in made.passages if not passage.summary for one in passage.citations
    }


ODD = {
    "100 kB": "why does the pump stop " * 4500,
    "one word of 100 kB": "p" * 100_000,
    "100 kB of emoji": "🙂" * 25_000,
    "stop words": "what is it that they were",
    "punctuation": "?!... --- ;;;",
    "emoji": "👩‍👩‍👧 🙂",
    "Chinese": "为什么重试失败",
    "Japanese that is there": "配置錯誤",
    "Thai": "ภาษาไทย",
    "Arabic": "لماذا",
    "SQL": "'; DROP TABLE entries; -- \" OR 1=1",
    "Lucene": 'pump AND (valve OR "motor" NOT tank) +x -y field:z* ~2 ^4 {a TO b}',
    "a pattern": "(a+)+$ [^x]* \\p{L}",
    "a path": "../../etc/passwd\x00.md",
    "markup": "<script>alert(1)</script> [/1] [1]",
    "a template": "{{7*7}} ${jndi:ldap://x} %s %n {0}",
    "control characters": "\x00\x01\x1b[31m pump \x7f\u202e",
    "a lone surrogate": "pump \ud800",
}


@pytest.mark.parametrize("query", ODD.values(), ids=ODD)
def test_odd_queries_get_answers(index: Index, query: str) -> None:
    for adaptive in (False, True):
        found = asked(index, query, adaptive=adaptive)
        assert found.hits
        assert all(quotes_right(hit) for hit in found.hits)
        assert bool(found.notices) == (len(query) > 20_000)
    assert index.context(query, budget=200).tokens <= 200


def test_words_are_found_inside_an_attack(index: Index) -> None:
    best = index.search("'; DROP TABLE plants; -- 配置錯誤", options=SearchOptions(legs="bm25")).hits[0]
    assert best.citation.doc == "日本.md"


# Citations

LETTERS = "bcdfghklmnprstvz"


def paragraph(rng: random.Random) -> list[str]:
    """Words of no language, so that two paragraphs have none in common."""
    return ["".join(rng.choice(LETTERS) + rng.choice("aeiou") for _ in range(3)) for _ in range(14)]


class Story:
    """A document of paragraphs, edited at random; it knows what became of each."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.opening = " ".join(paragraph(rng))  # never edited, as the heading is a part of its chunk
        self.paragraphs: list[tuple[int, list[str]]] = []
        """What a paragraph descends from, and its words."""
        self.births = 0
        self.edits: Counter[int] = Counter()
        self.name = "story.md"
        for _ in range(5):
            self.insert()

    def insert(self) -> None:
        self.births += 1
        self.paragraphs.insert(self.rng.randint(0, len(self.paragraphs)), (self.births, paragraph(self.rng)))

    def cut(self) -> None:
        if len(self.paragraphs) > 2:
            self.paragraphs.pop(self.rng.randrange(len(self.paragraphs)))

    def edit(self) -> None:
        at = self.rng.randrange(len(self.paragraphs))
        birth, said = self.paragraphs[at]
        self.edits[birth] += 1
        if self.edits[birth] > 3:  # of 15 pairs of words an edit takes two; with less than half, nobody would know it
            return
        said = [*said]
        said[self.rng.randrange(len(said))] = paragraph(self.rng)[0]
        self.paragraphs[at] = (birth, said)

    def move(self) -> None:
        self.paragraphs.append(self.paragraphs.pop(self.rng.randrange(len(self.paragraphs))))

    def rename(self) -> None:
        self.name = f"new-{self.name}"

    @property
    def text(self) -> str:
        said = [" ".join(said) for _, said in self.paragraphs]
        return "\n\n".join(["# Story", self.opening, *said]) + "\n"

    def line(self, text: str) -> int:
        return self.text.split("\n").index(text) + 1


@settings(max_examples=25, deadline=None)
@given(
    st.integers(),
    st.lists(st.sampled_from(["insert", "cut", "edit", "move", "rename"]), min_size=1, max_size=6),
    st.booleans(),
)
def test_citations_tell_what_became_of_a_passage(seed: int, edits: list[str], removed: bool) -> None:
    story = Story(random.Random(seed))
    library = Library({story.name: story.text}, recipe=replace(RECIPE, budget=Budget(target=30, limit=40)))
    cited = _cited(library, story)
    for edit in edits:
        getattr(story, edit)()
        library.hold({story.name: story.text})
    if removed:
        library.hold({})
    index = library.index()
    for key, birth, text, line in cited:
        found = index.cite(key)
        heir = next((" ".join(said) for born, said in story.paragraphs if born == birth), None)
        assert found.text == text
        if removed or heir is None:
            assert (found.status, found.now) == ("deleted", ())
        elif heir == text:
            assert found.status == ("current" if (story.name, story.line(text)) == ("story.md", line) else "moved")
            assert found.now[0].quote == text
            assert found.now[0].anchor["lines"] == [story.line(text)] * 2
        else:
            assert found.status == "edited"
            assert found.now[0].quote == heir


def _cited(library: Library, story: Story) -> list[tuple[str, int, str, int]]:
    """For each paragraph its key, what it descends from, its text and its line."""
    with library.store.reader() as reader:
        bodies: dict[str, Entry] = {entry.body: entry for entry in reader.select() if entry.level == 0}
    out = []
    for birth, said in story.paragraphs:
        text = " ".join(said)
        out.append((f"{bodies[text].id}@1", birth, text, story.line(text)))
    return out
