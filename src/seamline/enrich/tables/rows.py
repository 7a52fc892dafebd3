"""The rows of tables in other words, so that a question in words finds them: as sentences, a Markdown table, JSON, or
keys and values; as many rows in each text as its limit of tokens holds.

A sentence is `Acme's revenue in Q2 2024 was $4.2M, with a margin of 31%.`: whom a row is about, when, and how much is
told by the columns. Every cell that says something is in it, as it is written in the table.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from seamline.errors import ConfigError
from seamline.facts import Derived, Holders
from seamline.protocols import Tokenizer
from seamline.recipe.recipe import Recipe
from seamline.text.tables import Row, Table, tables
from seamline.text.values import amount, decimal_sign, sample
from seamline.types import Chunk, Column, Document, Span

_STEP = 64
"""Characters that a part is first tried with."""
Count = Callable[[str], int]


def texts(head: str, lines: Sequence[str], limit: int, count: Count) -> Iterator[tuple[str, range]]:
    """Texts of the lines, each under `head`, and which lines each holds. A head that takes half of a text is left
    out. Nothing is lost: a line that fits no text alone is given in parts."""
    head = head if head and count(head + "\n") <= limit // 2 else ""
    room = limit - (count(head + "\n") if head else 0)
    sizes = [count(line + "\n") for line in lines]
    first = 0
    while first < len(lines):
        last, size = first + 1, sizes[first]
        while last < len(lines) and size + sizes[last] <= room:
            size += sizes[last]
            last += 1
        yield from _within(head, lines, range(first, last), limit, count)
        first = last


def _within(head: str, lines: Sequence[str], held: range, limit: int, count: Count) -> Iterator[tuple[str, range]]:
    """Lines as one text, or in halves where counts of lines did not add up to that of their text."""
    waiting = [held]
    while waiting:
        some = waiting.pop()
        text = _under(head, "\n".join(lines[some.start : some.stop]))
        if count(text) <= limit:
            yield text, some
        elif len(some) > 1:
            middle = some.start + len(some) // 2
            waiting += [range(middle, some.stop), range(some.start, middle)]
        else:
            parts = _parts(lines[some.start], lambda part: count(_under(head, part)) <= limit)
            yield from ((_under(head, part), some) for part in parts)


def _under(head: str, text: str) -> str:
    return f"{head}\n{text}" if head else text


def _parts(line: str, fits: Callable[[str], bool]) -> Iterator[str]:
    """A line in the longest parts that fit, between words where there are any."""
    start = 0
    while start < len(line):
        end = _longest(line, start, fits)
        space = line.rfind(" ", start + 1, end + 1) if end < len(line) else -1
        if space > start and fits(line[start:space]):
            end = space
        yield line[start:end]
        start = end
        while start < len(line) and line[start] == " ":
            start += 1


def _longest(line: str, start: int, fits: Callable[[str], bool]) -> int:
    """Where the longest part ends that starts at a place and fits, one character at least. Steps double until one is
    too far: a look at all that is left, for every part, would cost the square of the line."""
    low, step = start + 1, _STEP
    while low < len(line) and fits(line[start : min(len(line), low + step)]):
        low = min(len(line), low + step)
        step *= 2
    high = min(len(line), low + step)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(line[start:middle]) else (low, middle - 1)
    return low


def rows_text(document: Document, chunks: Sequence[Chunk], recipe: Recipe, tokenizer: Tokenizer) -> list[Derived]:
    """Per chunk and table, the rows that start in it, written as `tabular.rows` says; several texts where they are too
    long for one. A table that stands so in the document already is not written again."""
    found = tables(document)
    if recipe.tabular.rows == "sentence":
        check_template(found, recipe.tabular.template)
    chunks = [chunk for chunk in chunks if chunk.level == 0]
    starts = [chunk.start for chunk in chunks]
    out: list[Derived] = []
    for table in found if chunks else ():
        if {"markdown": table.is_markdown, "json": table.is_json}.get(recipe.tabular.rows):
            continue
        again = Rewriter(table, "rows", Holders(chunks), recipe, tokenizer)
        for _, group in groupby(table.rows(), key=lambda row: bisect_right(starts, row.span.start)):
            out += again.texts(list(group))
    return out


class Rewriter:
    """Writes rows of one table in other words."""

    def __init__(self, table: Table, kind: str, holders: Holders, recipe: Recipe, tokenizer: Tokenizer) -> None:
        self._table = table
        self._kind = kind
        self._holders = holders
        self._head, self._write = writer(table, recipe)
        self._limit = recipe.budget.limit
        self._count = tokenizer.count

    def texts(self, rows: Sequence[Row], title: str = "") -> Iterator[Derived]:
        """Texts of some rows, under a title, within the limit; empty rows are left out."""
        lines, kept = [], []
        for row in rows:
            if line := self._write(row):
                lines.append(line)
                kept.append(row)
        head = "\n".join(part for part in (title, self._head) if part)
        document = self._table.document
        for text, held in texts(head, lines, self._limit, self._count):
            spans = joined(document.text, [row.span for row in kept[held.start : held.stop]])
            if of := self._holders.of(spans):
                yield Derived(document, self._kind, text, spans, of, tokens=self._count(text))


def joined(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Spans of rows in order, those of neighbours as one."""
    out: list[Span] = []
    for span in spans:
        between = text[out[-1].end : span.start] if out and span.start - out[-1].end < 8 else "x"
        if out and not between.strip(" \t\r\n,>|"):
            out[-1] = Span(out[-1].start, span.end)
        else:
            out.append(span)
    return tuple(out)


Write = Callable[[Row], str]

_PLACE = re.compile(r"\{([^{}]+)\}")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*")
_PLURAL = re.compile(r"\w\w+(?<![sui])s")
_PARTICIPLE = re.compile(r"sold|sent|made|\w+ed")
_SPACES = re.compile(r"\s+")


def sentences(table: Table) -> Write:
    """What writes rows of a table as sentences made from its columns; empty for an empty row."""
    found = roles(table)
    names = [_noun(spoken(column.name)) for column in table.columns]
    return lambda row: _sentence([_SPACES.sub(" ", cell) for cell in row.cells], row.more, names, found)


def _noun(name: str) -> str:
    """A name that can be spoken of: that of a column called `2026` is `value for 2026`."""
    return name if any(map(str.isalpha, name)) else f"value for {name}"


def _sentence(cells: Sequence[str], more: Sequence[tuple[str, str]], names: Sequence[str], found: Roles) -> str:
    measures = [i for i in found.measures if cells[i]]
    others = [(names[i], cells[i]) for i in found.others if cells[i]]
    others += [(spoken(name), _SPACES.sub(" ", text)) for name, text in more]
    subject, when = _subject(cells, names, found), _when(cells, names, found)
    listed = "; ".join(f"{name}: {cell}" for name, cell in others)
    if not measures:
        head = f"{subject} {when}".strip() if subject else _capital(when)
        return _ended(f"{head} – {listed}" if head and listed else head or _capital(listed))
    said = _ended(_measured(subject, when, [(names[i], cells[i]) for i in measures]))
    return f"{said} {_ended(_capital(listed))}" if listed else said


def _measured(subject: str, when: str, measures: Sequence[tuple[str, str]]) -> str:
    """How much of the first measure, with how much of the others."""
    (name, value), *rest = measures
    verb = "were" if _is_plural(name) else "was"
    if subject:
        said = " ".join(part for part in (_possessive(subject), name, when, verb, value) if part)
    else:
        said = f"{_capital(when)}, the {name} {verb} {value}" if when else f"The {name} {verb} {value}"
    return f"{said}, with {_listed([f'{_article(one)}{one} of {cell}' for one, cell in rest])}" if rest else said


def _subject(cells: Sequence[str], names: Sequence[str], found: Roles) -> str:
    if found.subject is None or not cells[found.subject]:
        return ""
    cell, name = cells[found.subject], names[found.subject]
    return cell if found.named or name.startswith("column ") else f"{_capital(name)} {cell}"


def _when(cells: Sequence[str], names: Sequence[str], found: Roles) -> str:
    """`in Q2 2024`, `on 2024-03-01`; a bare number says what it counts: `in week 12`."""
    said: list[str] = []
    for i in found.periods:
        if cells[i] and not any(cells[i] in one.split() for one in said):
            is_bare = cells[i].isdigit() and len(cells[i]) != 4
            said.append(f"{names[i]} {cells[i]}" if is_bare else cells[i])
    if not said:
        return ""
    return ("on " if _DATE.fullmatch(said[0]) else "in ") + " ".join(said)


def _possessive(subject: str) -> str:
    return f"{subject}'" if subject[-1] in "sS" else f"{subject}'s"


def _is_plural(name: str) -> bool:
    """Whether a name is of many: `sales`, `units sold`; not `status`, `gross`."""
    words = re.findall(r"[a-z]+", name.lower())
    if len(words) > 1 and _PARTICIPLE.fullmatch(words[-1]):
        words.pop()
    return bool(words) and _PLURAL.fullmatch(words[-1]) is not None


def _article(name: str) -> str:
    return "" if _is_plural(name) or not name[:1].isalpha() else "an " if name[0].lower() in "aeio" else "a "


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _ended(text: str) -> str:
    return text if not text or text[-1] in ".!?" else f"{text}."


def templated(table: Table, template: str) -> Write | None:
    """What writes rows by a sentence of the user's, with `{column}` for cells; None where a column is not there."""
    numbers = {name: table.column(name) for name in _PLACE.findall(template)}
    if any(number is None for number in numbers.values()):
        return None

    def write(row: Row) -> str:
        return _PLACE.sub(lambda found: _SPACES.sub(" ", row.cells[numbers[found[1]] or 0]), template).strip()

    return write


def check_template(found: Sequence[Table], template: str) -> None:
    """A template that names a column which no table has is a mistake."""
    if template and found and not any(templated(table, template) for table in found):
        names = list(dict.fromkeys(column.name for table in found for column in table.columns))
        listed = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
        asked = ", ".join(f"{{{name}}}" for name in _PLACE.findall(template))
        raise ConfigError(
            f"no table has all columns of the template ({asked}): there are {listed}", "$.tabular.template"
        )


_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})\.\d{1,15}")


class RowWriter(NamedTuple):
    """Writes rows of one table."""

    head: str
    """What stands above rows; empty for none."""
    write: Write


def writer(table: Table, recipe: Recipe) -> RowWriter:
    """What writes the rows of a table the way the recipe says."""
    settings = recipe.tabular
    if settings.rows == "sentence":
        own = templated(table, settings.template) if settings.template else None
        return RowWriter("", own or sentences(table))
    names = [column.name for column in table.columns]
    if settings.rows == "json":
        types = {column.name: column.type for column in table.columns}
        return RowWriter("", lambda row: _record(row, names, types) if _has(row) else "")
    if settings.rows == "key-value":
        return RowWriter("", lambda row: "; ".join(f"{name}: {_line(cell)}" for name, cell in _said(row, names)))
    head = f"{_barred(names)}\n|{' --- |' * len(names)}"
    return RowWriter(head, lambda row: _barred([*row.cells, *(cell for _, cell in row.more)]) if _has(row) else "")


def _record(row: Row, names: list[str], types: Mapping[str, str]) -> str:
    """A row as JSON; plain numbers and truth values of a column of such are written as those."""
    return json.dumps({name: _value(cell, types.get(name, "")) for name, cell in _said(row, names)}, ensure_ascii=False)


def _value(cell: str, kind: str) -> str | int | float | bool:
    if kind == "integer" and _INTEGER.fullmatch(cell):
        return int(cell)
    if kind in ("integer", "number") and _NUMBER.fullmatch(cell):
        return float(cell)
    return cell.lower() == "true" if kind == "boolean" and cell.lower() in ("true", "false") else cell


def _has(row: Row) -> bool:
    return any(row.cells) or bool(row.more)


def _said(row: Row, names: list[str]) -> Iterator[tuple[str, str]]:
    """Names and cells of what a row says."""
    yield from ((name, cell) for name, cell in zip(names, row.cells, strict=True) if cell)
    yield from row.more


def _barred(cells: list[str]) -> str:
    return "| " + " | ".join(_line(cell).replace("|", "\\|") for cell in cells) + " |"


def _line(cell: str) -> str:
    return " ".join(cell.split())


_SUBJECTS = re.compile(
    r"(?:company|customer|client|product|item|name|title|country|city|state|employee|person|team|brand|model|vendor|"
    r"supplier|entity|organi[sz]ation|account|service|endpoint|setting|option|parameter|field|event|method|metric)"
    r"(?:[ _]name)?",
    re.IGNORECASE,
)
_PERIODS = {"day": 0, "date": 0, "week": 1, "month": 2, "quarter": 3, "half": 3, "season": 3, "period": 4, "year": 5}
_PERIOD = re.compile(rf"(?:fiscal|financial|calendar|reporting)?[ _]?({'|'.join(_PERIODS)})", re.IGNORECASE)
_QUARTER = re.compile(r"(?:Q[1-4]|H[12])(?:[ /'-]?\d{2,4})?|\d{4}[ -]?(?:Q[1-4]|H[12])")
_KEY = re.compile(r"(?:.*[ _])?(?:id|no|nr|number|code|key|index|sku|zip|phone)\.?", re.IGNORECASE)
_SHORT = 60
"""Characters of a name; longer cells are descriptions."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class Roles:
    """Numbers of columns, from 0."""

    subject: int | None
    """Whom or what a row is about."""
    named: bool
    """Whether the subject's cells are names; else they are keys, said as `attempt 3`."""
    periods: tuple[int, ...]
    """When: finest first, so that the quarter stands before the year."""
    measures: tuple[int, ...]
    """How much."""
    others: tuple[int, ...]


def roles(table: Table) -> Roles:
    """The roles of the columns, by their names, their types and a sample of their cells."""
    seen = [table.cells(row) for row in sample(table.body, 200)]
    cells = [[row[i] for row in seen if row[i]] for i in range(len(table.columns))]
    periods = _periods(table.columns, cells)
    numbers = {i for i, values in enumerate(cells) if i not in periods and _is_measure(table, i, values)}
    subject, named = _subject_column(table.columns, cells, {*periods}, numbers), True
    if subject is None and len(table.columns) > 1 and 0 not in periods and _is_key(cells[0], len(seen)):
        subject, named = 0, False
    measures = tuple(i for i in sorted(numbers) if i != subject and not _KEY.fullmatch(table.columns[i].name))
    rest = (i for i in range(len(cells)) if i != subject and i not in periods and i not in measures)
    return Roles(subject, named, periods, measures, tuple(rest))


def _periods(columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Columns of a calendar, at most one of each length."""
    found: dict[int, int] = {}
    for number, column in enumerate(columns):
        match = _PERIOD.fullmatch(spoken(column.name))
        length = _PERIODS[match[1].lower()] if match else None
        if length is None and cells[number] and all(_QUARTER.fullmatch(value) for value in cells[number]):
            length = 3
        if length is not None and all(len(value) <= 20 for value in cells[number]):
            found.setdefault(length, number)
    return tuple(found[length] for length in sorted(found))


def _is_measure(table: Table, number: int, values: Sequence[str]) -> bool:
    sign = decimal_sign(values) or table.decimal_sign
    return bool(values) and all(amount(value, sign) is not None for value in values)


def _subject_column(
    columns: Sequence[Column], cells: Sequence[Sequence[str]], periods: set[int], numbers: set[int]
) -> int | None:
    """The column of names: one that is called so, else the first, but for periods before it."""
    free = [i for i in range(len(columns)) if i not in periods and i not in numbers and columns[i].type == "text"]
    short = [i for i in free if cells[i] and max(map(len, cells[i])) <= _SHORT]
    called = [i for i in short if _SUBJECTS.fullmatch(spoken(columns[i].name))]
    first = next((i for i in range(len(columns)) if i not in periods), None)
    return called[0] if called else first if first in short else None


def _is_key(values: Sequence[str], rows: int) -> bool:
    """Whether every row has a number of its own, as attempts and versions do."""
    return len(set(values)) == len(values) == rows and all(re.fullmatch(r"\d{1,9}", value) for value in values)


def is_scale(name: str) -> bool:
    """Whether the numbers of a column called so can be averaged: not years, not keys."""
    return not _PERIOD.fullmatch(spoken(name)) and not _KEY.fullmatch(name)


def spoken(name: str) -> str:
    """The name of a column as it stands in a sentence: `unit_price` and `UnitPrice` are `unit price`."""
    words = _CAMEL.sub(" ", name.replace("_", " ").strip()).split()
    return " ".join(word.lower() if word.istitle() else word for word in words)
