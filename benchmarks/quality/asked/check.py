"""Whether the asked questions hold what their README says: spans, quotes, paraphrases, kinds and halves.

python -m benchmarks.quality.asked.check --data FOLDER
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypedDict

from benchmarks.common import DATA, need

QUESTIONS = Path(__file__).with_name("questions.jsonl")
KINDS = ("plain", "paraphrase", "keywords", "table", "code")
QUOTE = 60
"""Characters of a passage that are kept in the repository."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W_]+")
_SUFFIX = re.compile(
    r"(?<=...)(?:s|es|ies|ed|ied|ings?|ers?|ors?|ly|ally|al|ments?|tions?|ations?|ition|able|ible|ness|ity|ive|ful|less"
    r"|ize[sd]?|izing)$"
)
_STOP = frozenset(
    re.findall(
        r"\w+",
        """
    a an the this that these those there here it its itself they them their theirs he she his her him i me my mine
    myself we us our ours you your yours one ones and or nor but if then else so than as of at by for from in into on
    onto off out over under up down to with without within about above below after before again against between both
    during through once until till while because since though although however whether is am are was were be been being
    do does did done doing have has had having can could will would shall should may might must not no none nothing
    never don doesn didn isn aren wasn weren hasn haven hadn won wouldn shouldn couldn cannot t s re ve ll d m what
    which who whom whose when where why how any some all each every few more most less least other others another such
    only own same too very just also already yet still even ever instead rather per via etc eg e g get gets got getting
    go goes going went gone let lets make makes made making use uses used using want wants need needs needed like way
    ways thing things something anything everything someone anyone everyone much many well now please know say says
    said tell happen happens happened seem seems""",
    )
)


class Passage(TypedDict):
    """A span of a document that answers, in code points, and how it begins."""

    doc: str
    start: int
    end: int
    quote: str


class Asked(TypedDict):
    """One line of the question file."""

    id: str
    question: str
    kind: str
    half: str
    passages: list[Passage]


def content_stems(text: str) -> set[str]:
    """The stems of the words that carry meaning; an identifier counts whole and by its parts."""
    words = {word.lower() for found in (_WORD, re.compile(r"[^\W_]+")) for word in found.findall(text)}
    return {stem(word) for word in words if word not in _STOP and (len(word) > 1 or word.isdigit())}


def stem(word: str) -> str:
    """`word` without its suffix; cuts rather too much than too little, so that few shared words are missed."""
    word = _SUFFIX.sub("", word)
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] in "eyi" else word


def heading_path(text: str, start: int) -> str:
    """The title of the page (front matter) and the headings above `start`, one a line."""
    title = re.match(r"---\n(?:.*\n)*?title:(.*)\n(?:.*\n)*?---\n", text)
    path: list[tuple[int, str]] = []
    fenced = False
    for line in text[:start].splitlines():
        if re.match(r"\s*(```|~~~)", line):
            fenced = not fenced
        elif not fenced and (match := re.match(r"(#{1,6})\s+(.*)", line)):
            path = [entry for entry in path if entry[0] < len(match[1])] + [(len(match[1]), match[2])]
    return "\n".join([title[1] if title else "", *(heading for _, heading in path)])


def shared_stems(asked: Asked, docs: dict[str, str]) -> set[str]:
    """What a question shares with its passages or their heading paths."""
    texts = ((docs[passage["doc"]], passage["start"], passage["end"]) for passage in asked["passages"])
    seen = (content_stems(f"{heading_path(text, start)}\n{text[start:end]}") for text, start, end in texts)
    return content_stems(asked["question"]) & set().union(*seen)


def problems(questions: Sequence[Asked], docs: dict[str, str]) -> Iterator[str]:
    """What is wrong with the set, a line each."""
    for field, values in (
        ("id", [asked["id"] for asked in questions]),
        ("question", [" ".join(sorted(content_stems(asked["question"]))) for asked in questions]),
    ):
        yield from (f"{field} twice: {value}" for value, times in Counter(values).items() if times > 1)
    half_of: dict[str, str] = {}
    paraphrases = 0
    for asked in questions:
        name = asked["id"]
        if asked["kind"] not in KINDS or not asked["passages"]:
            yield f"{name}: kind {asked['kind']!r}, {len(asked['passages'])} passages"
        for passage in asked["passages"]:
            text = docs.get(passage["doc"], "")[passage["start"] : passage["end"]]
            if not 40 <= len(text) == passage["end"] - passage["start"] <= 1300 or text != text.strip():
                yield f"{name}: no good span of {passage['doc']}: {passage['start']}-{passage['end']}"
            elif passage["quote"] != text[:QUOTE]:
                yield f"{name}: the passage begins {text[:QUOTE]!r}"
            if half_of.setdefault(passage["doc"], asked["half"]) != asked["half"]:
                yield f"{name}: {passage['doc']} is in both halves"
        if asked["kind"] == "paraphrase":
            paraphrases += 1
            if shared := shared_stems(asked, docs):
                yield f"{name}: a paraphrase that shares {', '.join(sorted(shared))}"
    if 3 * paraphrases < len(questions):
        yield f"only {paraphrases} of {len(questions)} are paraphrases"
    halves = Counter(asked["half"] for asked in questions)
    if set(halves) != {"choose", "judge"} or min(halves.values()) < 0.45 * len(questions):
        yield f"halves: {dict(halves)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder of markdown.jsonl")
    corpus = need(parser.parse_args().data / "markdown.jsonl")
    docs = {row["path"]: row["text"] for row in map(json.loads, corpus.read_text("utf-8").splitlines())}
    questions: list[Asked] = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    found = list(problems(questions, docs))
    for count in (Counter(q["kind"] for q in questions), Counter(q["half"] for q in questions)):
        print(f"{len(questions)} questions:", ", ".join(f"{value} {times}" for value, times in count.most_common()))
    print("\n".join(found) or "nothing wrong")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
