"""Mine training pairs from documentation: links, question headings, tables, code with its introduction, identifiers.

    python train/pairs.py DOCS.jsonl.gz QUESTIONS.jsonl.gz OUT_FOLDER [--code FOLDER ...] [--wiki DUMP.bz2] [--every N]

Writes passages.jsonl.gz ({page, repo, source, path, body}) and queries.jsonl.gz ({kind, text, passage, cut, origin}).
`cut` is the part of the passage's body that the model must not see because it gives the answer away: the sentence that
is the query, or the docstring. Pairs "heading path -> body" and "first sentence -> rest" need no rows: the trainer
makes them from the passages.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import code_pairs
import markup
import prose_pairs
import table_pairs
from pages import Page, Piece, Resolver, load

GENERIC = re.compile(
    r"^(?:here|this|this (?:page|section|guide|document|article|link)|link|see|docs?|documentation|above|below|more"
    r"|read more|learn more|details?)$",
    re.I,
)
POINTER = re.compile(
    r"^(?:for (?:more|further|additional|full|a |an |details|information|example)|see\b|refer to|please (?:see|refer)"
    r"|to learn|learn more|read (?:more|the)|check out|more (?:information|details)|details)",
    re.I,
)
QUESTION = re.compile(r"^(?:what|how|why|when|which|where|who|can|does|do|is|are|should|will|could)\b", re.I)
IDENTIFIER = re.compile(
    r"^(?:--?[a-z][\w-]{3,}|[A-Za-z_$][\w$]*(?:[.:]{1,2}[A-Za-z_$][\w$]*)+(?:\(\))?|[a-z]+[A-Z]\w+(?:\(\))?|[A-Z][a-z]+[A-Z]\w+(?:\(\))?|[A-Z][A-Z0-9]*_[A-Z0-9_]+|[a-z0-9]+(?:[_-][a-z0-9]+)+(?:\(\))?)$"
)
ASKS = (
    "what does {} do",
    "how do I use {}",
    "{}",
    "{}",
    "what is {}",
    "{} example",
    "set {}",
    "meaning of {}",
    "{} usage",
    "where is {} documented",
)


@dataclass
class Query:
    kind: str
    text: str
    passage: int
    cut: tuple[int, int] = (0, 0)
    origin: int = -1
    """The passage that holds the query's own words, which is no wrong answer."""


class Mined:
    """Passages by number, and queries for them."""

    def __init__(self) -> None:
        self.passages: list[dict[str, str]] = []
        self.queries: list[Query] = []

    def add(self, page: str, repo: str, source: str, piece: Piece) -> int:
        self.passages.append({"page": page, "repo": repo, "source": source, "path": piece.path, "body": piece.body})
        return len(self.passages) - 1

    def ask(self, kind: str, text: str, passage: int, cut: tuple[int, int] = (0, 0), origin: int = -1) -> None:
        self.queries.append(Query(kind, " ".join(text.split()), passage, cut, origin))


def words(text: str) -> set[str]:
    return {
        word
        for word in re.findall(r"[a-z0-9]{3,}", text.lower())
        if word not in ("the", "and", "for", "you", "with", "this", "that", "see", "can")
    }


def mine_pages(mined: Mined, pages: list[Page], rng: random.Random) -> None:
    first: dict[str, int] = {}
    for page in pages:
        first[page.name] = len(mined.passages)
        for piece in page.pieces:
            mined.add(page.name, page.repo, "docs", piece)
    titles = Counter(h.title.lower() for page in pages for h in page.headings)
    resolver = Resolver(pages)
    per_target: Counter[int] = Counter()
    seen: set[tuple[str, int]] = set()
    for page in pages:
        base = first[page.name]
        for sentence, target, at, here in link_pairs(page, resolver):
            passage = first[target.name] + at
            if per_target[passage] < 12 and (sentence, passage) not in seen:
                per_target[passage] += 1
                seen.add((sentence, passage))
                mined.ask("link", sentence, passage, origin=base + here if here >= 0 else -1)
        for question, at in question_headings(page, titles):
            mined.ask("question-heading", question, base + at)
        for at, piece in enumerate(page.pieces):
            for question in table_pairs.questions(piece.body, piece.path, rng):
                mined.ask("table", question, base + at)
            for sentence, cut in code_introductions(piece.body):
                mined.ask("code-intro", sentence, base + at, cut)
    mine_identifiers(mined, rng)


def link_pairs(page: Page, resolver: Resolver) -> Iterator[tuple[str, Page, int, int]]:
    """Sentences that point to a place of another page (or far away in this one), with that place and their own."""
    taken: Counter[tuple[str, int]] = Counter()
    for link in markup.links(page.text, page.kind):
        if GENERIC.match(link.anchor):
            continue
        found = resolver.resolve(page, link.target, link.role)
        if found is None:
            continue
        target, offset = found
        at = target.opening(offset)
        here = page.piece_at(link.offset)
        if at < 0 or (target is page and abs(here - at) < 2):
            continue
        sentence = link.sentence
        if POINTER.match(sentence) and len(link.before.split()) >= 6:
            sentence = link.before
        body = target.pieces[at].body
        if len(sentence.split()) < 6 or len(sentence.split()) - len(link.anchor.split()) < 4 or len(sentence) > 400:
            continue
        if link_share(body) > 0.6 or not words(sentence) & words(target.pieces[at].path + " " + body):
            continue
        taken[target.name, at] += 1
        if taken[target.name, at] <= 2:
            yield sentence, target, at, here


def link_share(body: str) -> float:
    linked = sum(len(found) for found in re.findall(r"\[[^\]]+\]\([^)]*\)|\[[^\]]+\]\[[^\]]*\]|:\w+:`[^`]+`", body))
    return linked / max(1, len(body))


def question_headings(page: Page, titles: Counter[str]) -> Iterator[tuple[str, int]]:
    for heading in page.headings:
        title = markup.plain(heading.title)
        asks = title.endswith("?") or (
            QUESTION.match(title) and len(title.split()) >= 4 and not title.lower().startswith("how to:")
        )
        if asks and len(title.split()) >= 3 and titles[heading.title.lower()] <= 2:
            at = page.opening(heading.offset)
            if at >= 0 and markup.slug(heading.title)[:30] in markup.slug(page.pieces[at].path):
                yield title, at


def code_introductions(body: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """The sentence before a fence, for the chunk without that sentence."""
    for fence in re.finditer(r"^[ \t]*```[^\n]*\n.{60,}?\n[ \t]*```", body, re.S | re.M):
        before = body[: fence.start()].rstrip()
        start = before.rfind("\n\n") + 1
        block = before[start:]
        spans = markup.sentences(block)
        a, b = spans[-1]
        text = markup.plain(block[a:b])
        if 6 <= len(text.split()) <= 45 and not re.match(r"\s*[|#<`]", block[a:b]):
            yield text.rstrip(":"), (start + a, start + b)
            return


def mine_identifiers(mined: Mined, rng: random.Random) -> None:
    """Identifiers that stand in one to three passages of a repository, each asked for in a few words."""
    where: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, passage in enumerate(mined.passages):
        spans = {span.strip() for span in re.findall(r"(?<!`)`([^`\n]{4,48})`(?!`)", passage["body"])}
        for span in spans:
            if IDENTIFIER.match(span):
                where[passage["repo"], span].append(number)
    singles = [(span, places) for (_, span), places in where.items() if len(places) <= 2]
    rng.shuffle(singles)
    per_passage: Counter[int] = Counter()
    for span, places in singles:
        passage = rng.choice(places)
        per_passage[passage] += 1
        if per_passage[passage] > 1:
            continue
        path = mined.passages[passage]["path"]
        ask = rng.choice(ASKS).format(span)
        if rng.random() < 0.3 and path:
            ask = f"{span} {path.split(' > ')[-1]}"
        mined.ask("identifier", ask, passage)


def write(mined: Mined, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / "passages.jsonl.gz", "wt", encoding="utf-8", compresslevel=4) as file:
        for passage in mined.passages:
            file.write(json.dumps(passage, ensure_ascii=False) + "\n")
    with gzip.open(folder / "queries.jsonl.gz", "wt", encoding="utf-8", compresslevel=4) as file:
        for query in mined.queries:
            file.write(json.dumps(asdict(query), ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--code", type=Path, action="append", default=[], help="folder of one unpacked source package")
    parser.add_argument("--wiki", type=Path, action="append", default=[], help="part of a Wikipedia dump, .xml.bz2")
    parser.add_argument("--every", type=int, default=0, help="take each Nth document only")
    args = parser.parse_args()
    rng = random.Random(13)
    mined = Mined()
    pages = list(load(args.docs, most=args.every))
    pages += [page for file in args.wiki for page in prose_pairs.wiki_pages(file)]
    print(f"{len(pages)} pages, {sum(len(page.pieces) for page in pages)} chunks", flush=True)
    mine_pages(mined, pages, rng)
    prose_pairs.mine(mined, args.questions, rng)
    prose_pairs.mine_sentences(mined, rng)
    for folder in args.code:
        before = len(mined.passages)
        terms = code_pairs.licence(folder)
        code_pairs.mine(mined, folder, rng)
        print(f"code {folder.name}: {len(mined.passages) - before} chunks, {terms}", flush=True)
    write(mined, args.out)
    for kind, count in Counter(query.kind for query in mined.queries).most_common():
        print(f"{kind:18} {count}")
    print("passages", Counter(passage["source"] for passage in mined.passages))


if __name__ == "__main__":
    main()
