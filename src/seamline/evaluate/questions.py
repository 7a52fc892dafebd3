"""Questions with answers, as people and data sets write them down: files of JSON lines, SQuAD, BEIR.

An answer is a span of a document, or a text that is looked for there: exactly, then by its words, then by almost the
same words. What is not found is told and left out; nothing is guessed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

from seamline.errors import ConfigError, ParseError
from seamline.evaluate.metrics import AnswerSpan
from seamline.files import read_bytes
from seamline.text.words import located

MOST_BYTES = 200_000_000
"""Of a questions file."""
ALIKE = 0.8
"""The share of words in order that a passage must have in common with an answer to be taken for it."""
_SEEDS = 40
"""Places that are compared with an answer, around its rarest words."""


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question, and the places that answer it."""

    id: str
    text: str
    answers: tuple[AnswerSpan, ...]
    kind: str = ""
    """What it asks about, where that is known: `table`, `definition`, ..."""
    generated: bool = False
    """Whether rules wrote it."""

    def to_dict(self) -> dict[str, Any]:
        """A line of a questions file."""
        answers = [answer._asdict() for answer in self.answers]
        more = {**({"kind": self.kind} if self.kind else {}), **({"generated": True} if self.generated else {})}
        return {"id": self.id, "question": self.text, "answers": answers, **more}


class WrittenAnswer(NamedTuple):
    """An answer as a file has it: a span, or a text to look for; of BEIR, a whole document."""

    doc: str = ""
    start: int | None = None
    end: int | None = None
    text: str = ""


class WrittenQuestion(NamedTuple):
    """A question as a file has it."""

    id: str
    text: str
    answers: tuple[WrittenAnswer, ...]
    kind: str = ""
    generated: bool = False


class QuestionFile(NamedTuple):
    """What a file or folder of questions holds."""

    questions: list[WrittenQuestion]
    documents: dict[str, str]
    """Texts that the file brings along, by name: contexts of SQuAD, the corpus of BEIR."""
    problems: list[str]
    """Lines that are no question, each with its place."""


def read_questions(path: Path) -> QuestionFile:
    """The questions of a file of JSON lines or SQuAD, or of a BEIR folder. A ConfigError where it is none of these."""
    if path.is_dir():
        return _read_beir(path)
    text = _read_text(path)
    if not path.suffix.lower().endswith("l"):  # not .jsonl: the whole file may be one value
        try:
            whole = json.loads(text)
        except (ValueError, RecursionError):
            whole = None
        if isinstance(whole, dict) and isinstance(whole.get("data"), list):
            return _read_squad(whole["data"], path)
        if isinstance(whole, list):
            return _read_records(((f"{path}, item {n}", item) for n, item in enumerate(whole, 1)), path)
    return _read_records(_json_lines(text, path), path)


def _read_text(path: Path) -> str:
    try:
        return read_bytes(path, MOST_BYTES).decode("utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file; expected a file of questions") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: expected UTF-8, got other bytes; save it as UTF-8") from None
    except (OSError, ValueError, ParseError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}); expected a file of questions") from None


def _json_lines(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    """Each line that says something, with its place; one that is no JSON is None."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"{path}, line {number}", json.loads(line)
            except (ValueError, RecursionError):
                yield f"{path}, line {number}", None


def _read_records(items: Iterator[tuple[str, Any]], path: Path) -> QuestionFile:
    out = QuestionFile([], {}, [])
    for place, item in items:
        found = _question(item, f"q{len(out.questions) + 1}")
        if isinstance(found, str):
            out.problems.append(f"{place}: {found}")
        else:
            out.questions.append(found)
    if not out.questions:
        first = f"; {out.problems[0]}" if out.problems else ""
        raise ConfigError(f'{path}: no questions; expected lines such as {{"question": ..., "answers": [...]}}{first}')
    return out


def _question(item: object, default: str) -> WrittenQuestion | str:
    """The question of a record, or what is wrong with it."""
    if not isinstance(item, Mapping):
        return "expected a JSON object"
    text = item.get("question", item.get("query"))
    if not isinstance(text, str) or not text.strip():
        return "expected a text as `question`"
    if not _is_text(text):
        return "the question holds text that UTF-8 cannot hold"
    given = item.get("answers", item.get("refs", item.get("answer", item)))
    answers = []
    for one in given if isinstance(given, list) else [given]:
        answer = _answer(one, item.get("doc"))
        if isinstance(answer, str):
            return answer
        answers.append(answer)
    if not answers:
        return "expected at least one answer"
    kind = item.get("kind", item.get("group", ""))
    name = item.get("id", default)
    generated = item.get("generated") is True
    return WrittenQuestion(str(name), text, tuple(answers), kind if isinstance(kind, str) else "", generated)


def _answer(one: object, doc: object) -> WrittenAnswer | str:
    if isinstance(one, str):
        one = {"text": one}
    if not isinstance(one, Mapping):
        return "expected an answer as a span or a text"
    doc = one.get("doc", doc)
    if doc is not None and not isinstance(doc, str):
        return "expected the name of a document as `doc`"
    start, end, text = one.get("start"), one.get("end"), one.get("text", one.get("answer"))
    if isinstance(start, int) and isinstance(end, int) and not isinstance(start, bool) and not isinstance(end, bool):
        if not 0 <= start < end:
            return f"expected 0 <= start < end, got {start} and {end}"
        quoted = text if isinstance(text, str) and _is_text(text) else ""
        return WrittenAnswer(doc, start, end, quoted) if doc else "an answer with start and end needs a `doc`"
    if isinstance(text, str) and text.strip() and _is_text(text):
        return WrittenAnswer(doc or "", text=text)
    return "expected an answer with `doc`, `start` and `end`, or with a `text`"


def _is_text(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _read_squad(data: Sequence[Any], path: Path) -> QuestionFile:
    """Articles of paragraphs with questions; an article is a document, and the first of several answers counts."""
    out = QuestionFile([], {}, [])
    for number, article in enumerate(data, 1):
        paragraphs = article.get("paragraphs") if isinstance(article, Mapping) else None
        if not isinstance(paragraphs, list):
            out.problems.append(f"{path}, article {number}: expected `paragraphs`")
            continue
        name = f"{article.get('title') or number}.txt"
        text = ""
        for paragraph in paragraphs:
            context = paragraph.get("context") if isinstance(paragraph, Mapping) else None
            if not isinstance(context, str):
                out.problems.append(f"{path}, article {number}: expected a text as `context`")
                continue
            start = len(text)
            text += f"{context}\n\n"
            for asked in paragraph.get("qas", ()):
                found = _squad_question(asked, name, start, len(context), f"q{len(out.questions) + 1}")
                if found is not None:  # SQuAD 2 asks what nothing answers, too
                    out.questions.append(found)
        out.documents[name] = text
    if not out.questions:
        raise ConfigError(f"{path}: a SQuAD file without a question that has an answer")
    return out


def _squad_question(asked: Any, doc: str, offset: int, size: int, default: str) -> WrittenQuestion | None:
    if not isinstance(asked, Mapping) or not isinstance(asked.get("question"), str):
        return None
    for answer in asked.get("answers") or ():
        start, text = answer.get("answer_start"), answer.get("text")
        if isinstance(start, int) and isinstance(text, str) and text and 0 <= start <= size - len(text):
            span = WrittenAnswer(doc, offset + start, offset + start + len(text), text)
            return WrittenQuestion(str(asked.get("id", default)), asked["question"], (span,))
    return None


def _read_beir(folder: Path) -> QuestionFile:
    """queries.jsonl, qrels/*.tsv and corpus.jsonl, where a whole document is the answer."""
    tables = sorted((folder / "qrels").glob("*.tsv"))
    if not (folder / "queries.jsonl").is_file() or not tables:
        raise ConfigError(f"{folder}: expected queries.jsonl and qrels/*.tsv, as BEIR has them, or the name of a file")
    chosen = next((one for one in tables if one.stem == "test"), tables[0])
    wanted: dict[str, list[str]] = {}
    for line in _read_text(chosen).splitlines():
        cells = line.split("\t")
        if len(cells) >= 3 and cells[-1].strip().isdecimal() and int(cells[-1]) > 0:
            wanted.setdefault(cells[0], []).append(cells[-2])
    out = QuestionFile([], {}, [])
    for place, item in _json_lines(_read_text(folder / "queries.jsonl"), folder / "queries.jsonl"):
        if not isinstance(item, Mapping) or not isinstance(item.get("text"), str):
            out.problems.append(f"{place}: expected a JSON object with `_id` and `text`")
        elif docs := wanted.get(str(item.get("_id"))):
            answers = tuple(WrittenAnswer(doc) for doc in docs)
            out.questions.append(WrittenQuestion(str(item["_id"]), item["text"], answers))
    if (folder / "corpus.jsonl").is_file():
        for _, item in _json_lines(_read_text(folder / "corpus.jsonl"), folder / "corpus.jsonl"):
            if isinstance(item, Mapping) and isinstance(item.get("text"), str):
                title = item.get("title")
                out.documents[str(item.get("_id"))] = (f"# {title}\n\n" if title else "") + item["text"]
    if not out.questions:
        raise ConfigError(f"{folder}: no question of queries.jsonl has an answer in {chosen.name}")
    return out


class LocatedQuestions(NamedTuple):
    """Questions whose answers were found, and what was not."""

    questions: list[LabelledQuestion]
    fuzzy: list[str]
    """Answers that were found by almost the same words, each with its place: worth a look."""
    missing: list[str]
    """What was not found, and why."""


def locate_answers(written: Sequence[WrittenQuestion], texts: Mapping[str, str]) -> LocatedQuestions:
    """The questions with answers as spans of documents, given by name. One without any answer is left out."""
    finder = AnswerFinder(texts)
    out = LocatedQuestions([], [], [])
    seen: dict[str, int] = {}
    for one in written:
        spans = []
        for answer in one.answers:
            found = finder.find(answer)
            if isinstance(found, str):
                out.missing.append(f"{one.id}: {found}")
                continue
            spans.append(found.span)
            if found.is_fuzzy:
                out.fuzzy.append(f"{one.id}: {found.span.doc}:{found.span.start}-{found.span.end}")
        if spans:
            seen[one.id] = seen.get(one.id, 0) + 1
            id = one.id if seen[one.id] == 1 else f"{one.id}~{seen[one.id]}"
            out.questions.append(LabelledQuestion(id, one.text, tuple(dict.fromkeys(spans)), one.kind, one.generated))
    return out


class FoundAnswer(NamedTuple):
    """Where an answer stands."""

    span: AnswerSpan
    is_fuzzy: bool = False


class AnswerFinder:
    """Looks answers up in documents. Words of a document are worked out when they are first needed."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._words: dict[str, list[tuple[int, int, str]]] = {}
        self._by_end: dict[str, list[str]] = {}
        for name in texts:
            stem = Path(name).name
            for key in {stem, stem.rpartition(".")[0] or stem}:
                self._by_end.setdefault(key, []).append(name)

    def find(self, answer: WrittenAnswer) -> FoundAnswer | str:
        """Where an answer stands, or why that cannot be told."""
        docs = list(self._texts) if not answer.doc else self._named(answer.doc)
        if not docs:
            return f"{answer.doc}: no such document"
        if len(docs) > 1 and answer.doc:
            return f"{answer.doc}: several documents have this name: {', '.join(docs[:3])}"
        if answer.start is not None and answer.end is not None:
            return self._check_span(answer, docs[0])
        if not answer.text:
            text = self._texts[docs[0]]
            return FoundAnswer(AnswerSpan(docs[0], 0, len(text))) if text.strip() else f"{docs[0]}: has no text"
        return self._find_text(answer.text, docs)

    def _check_span(self, answer: WrittenAnswer, doc: str) -> FoundAnswer | str:
        text, start, end = self._texts[doc], answer.start or 0, answer.end or 0
        if answer.text and text[start:end] != answer.text:  # a span of another edition of the document
            return self._find_text(answer.text, [doc])
        if end > len(text) or not text[start:end].strip():
            return f"{doc}: has {len(text):,} characters, and nothing at {start}-{end}"
        return FoundAnswer(AnswerSpan(doc, start, end))

    def _named(self, doc: str) -> list[str]:
        """Documents by their whole name, by the end of it, or by the name of the file."""
        if doc in self._texts:
            return [doc]
        same = self._by_end.get(Path(doc).name, ())
        ends = [name for name in same if name.endswith(f"/{doc}") or "/" not in doc]
        return ends or [name for name in same if doc.endswith(f"/{name}")]  # asked from inside the folder

    def _find_text(self, text: str, docs: Sequence[str]) -> FoundAnswer | str:
        text = text.strip()
        for doc in docs:
            if (at := self._texts[doc].find(text)) >= 0:
                return FoundAnswer(AnswerSpan(doc, at, at + len(text)))
        asked = [word for _, _, word in _words(text)]
        if not asked:
            return f"{text[:60]!r}: not found"
        best: tuple[float, AnswerSpan] | None = None
        for doc in docs:
            found = self._find_words(asked, doc)
            if found is not None and (best is None or found[0] > best[0]):
                best = found
        if best is None:
            return f"{text[:60]!r}: not found"
        return FoundAnswer(best[1], best[0] < 1)

    def _find_words(self, asked: Sequence[str], doc: str) -> tuple[float, AnswerSpan] | None:
        """The part of a document whose words are most like those asked for, and how much they are."""
        if doc not in self._words:
            self._words[doc] = _words(self._texts[doc])
        there = self._words[doc]
        places: dict[str, list[int]] = {word: [] for word in asked}
        for at, (_, _, word) in enumerate(there):
            if word in places:
                places[word].append(at)
        seeds: dict[int, None] = {}
        for offset, word in sorted(enumerate(asked), key=lambda one: len(places[one[1]])):
            for at in places[word]:
                if len(seeds) < _SEEDS:
                    seeds.setdefault(max(0, at - offset))
        best: tuple[float, AnswerSpan] | None = None
        matcher = SequenceMatcher(autojunk=False)
        matcher.set_seq2(asked)
        for at in seeds:
            window = there[at : at + len(asked)]
            matcher.set_seq1([word for _, _, word in window])
            if matcher.real_quick_ratio() < ALIKE or matcher.quick_ratio() < ALIKE:
                continue
            ratio = matcher.ratio()
            if ratio >= ALIKE and (best is None or ratio > best[0]):
                best = ratio, AnswerSpan(doc, window[0][0], window[-1][1])
        return best


def _words(text: str) -> list[tuple[int, int, str]]:
    """The words of a text with their places."""
    return [(start, end, " ".join(terms)) for start, end, terms in located(text)]
