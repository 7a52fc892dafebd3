"""Tables and speech: CSV, JSON lines and subtitles beside what others read them with, growth, dialects, a recording.

Judged: every record of the made tables is found where the standard library finds it, cell by cell; doubling a file
doubles the time; the dialect of each sample is the one its name says. Speed is CPU time of one core, best of three.
Peers give no offsets, blocks or types; the column says what each does.
"""

from __future__ import annotations

import csv
import io
import json
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.common import need, options, save, table, verdict
from seamline.errors import MissingExtra
from seamline.parse import parse_file
from seamline.parse.media import subtitles
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.parse.tables import csv as csv_table
from seamline.parse.tables import json as json_table
from seamline.parse.tables.csv import CsvScanner, detect_dialect
from seamline.types import NO_DETAIL

SIZE = 8_000_000
BAR = 1.2
"""Exponent of time over length."""
WORDS = [
    "harbour",
    "ledger",
    "copper",
    "seven",
    "window,",
    "under",
    "the",
    '"old"',
    "bridge;",
    "north",
    "|",
    "south",
    "tariff",
    "quay",
    "crane",
    "invoice",
]
DELIMITERS = {
    "comma": ",",
    "pipe": "|",
    "semicolon": ";",
    "tab": "\t",
    "few": ",",
    "many": ",",
    "header": ",",
    "cell": ",",
}


def made_csv(size: int, *, quoted: bool) -> str:
    """A table of integers, dates, numbers and text; with quotes, delimiters and line ends in cells where asked."""
    draw = random.Random(7)
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", "day", "amount", "note"])
    number = 0
    while out.tell() < size:
        number += 1
        words = draw.choices(WORDS, k=8)
        note = "\n".join(words[:2]) + " " + " ".join(words[2:]) if quoted else " ".join(w.strip('",;|') for w in words)
        writer.writerow([number, f"2024-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}", draw.random() * 1000, note])
    return out.getvalue()


def made_lines(size: int) -> str:
    draw = random.Random(7)
    out: list[str] = []
    length = 0
    while length < size:
        record = {
            "id": len(out),
            "tags": draw.choices(WORDS, k=3),
            "note": " ".join(draw.choices(WORDS, k=12)),
            "ok": True,
        }
        out.append(json.dumps(record))
        length += len(out[-1]) + 1
    return "\n".join(out) + "\n"


def made_cues(size: int, *, vtt: bool) -> str:
    draw = random.Random(7)
    mark = "." if vtt else ","
    out = ["WEBVTT\n"] if vtt else []
    at = 0
    while len(out) * 110 < size:
        at += draw.randint(1, 4)
        times = [f"{t // 3600:02}:{t // 60 % 60:02}:{t % 60:02}{mark}000" for t in (at, at + 1)]
        voice = f"<v {draw.choice(('Ada', 'Ben'))}>" if vtt else ""
        words = " ".join(draw.choices(WORDS, k=9))
        out.append(f"{len(out)}\n{times[0]} --> {times[1]}\n{voice}{words}\nand <i>more</i>.\n")
    return "\n".join(out)


def seconds(call: Callable[[], object], repeats: int = 3) -> float:
    best = math.inf
    for _ in range(repeats):
        begin = time.process_time()
        call()
        best = min(best, time.process_time() - begin)
    return best


def speed_row(name: str, what: str, text: str, records: int, call: Callable[[], object]) -> list[object]:
    spent = seconds(call)
    size = len(text.encode()) / 1e6
    return [name, what, f"{size / spent:.1f}", f"{records / spent / 1000:.0f}"]


def csv_rows(label: str, text: str) -> Iterator[list[object]]:
    data = text.encode()
    records = sum(1 for _ in csv.reader(io.StringIO(text, newline="")))
    yield speed_row(f"{label}: seamline", "blocks, offsets, types", text, records, lambda: csv_table.parse(_raw(text)))
    yield speed_row(
        f"{label}: csv (stdlib)",
        "cells, no offsets",
        text,
        records,
        lambda: list(csv.reader(io.StringIO(text, newline=""))),
    )
    try:
        import polars

        yield speed_row(f"{label}: polars", "columns", text, records, lambda: polars.read_csv(io.BytesIO(data)))
    except ImportError:
        pass
    try:
        from pyarrow import csv as arrow

        newlines = arrow.ParseOptions(newlines_in_values=True)
        yield speed_row(
            f"{label}: pyarrow",
            "columns",
            text,
            records,
            lambda: arrow.read_csv(io.BytesIO(data), parse_options=newlines),
        )
    except ImportError:
        pass


def line_rows(text: str) -> Iterator[list[object]]:
    lines = text.splitlines()
    count = len(lines)
    yield speed_row(
        "JSONL: seamline", "blocks, offsets, types", text, count, lambda: json_table.parse_lines(_raw(text))
    )
    yield speed_row("JSONL: json (stdlib)", "values", text, count, lambda: [json.loads(line) for line in lines])
    try:
        import orjson

        yield speed_row("JSONL: orjson", "values", text, count, lambda: [orjson.loads(line) for line in lines])
    except ImportError:
        pass
    array = f"[{','.join(lines)}]"
    yield speed_row(
        "JSON array: seamline", "blocks, offsets, types", array, count, lambda: json_table.parse(_raw(array))
    )
    yield speed_row("JSON array: json (stdlib)", "values", array, count, lambda: json.loads(array))


def cue_rows() -> Iterator[list[object]]:
    for name, vtt in (("SRT", False), ("VTT", True)):
        text = made_cues(SIZE // 8, vtt=vtt)
        yield speed_row(
            f"{name}: seamline",
            "turns, times, places",
            text,
            text.count("-->"),
            lambda t=text: subtitles.parse(_raw(t)),
        )  # type: ignore[misc]


def _raw(text: str) -> ParseInput:
    return ParseInput(b"", text, "made")


def agreement(text: str) -> tuple[int, int]:
    """Records that hold the same cells as the standard library finds, of how many."""
    scanner = CsvScanner(detect_dialect(text)[0])
    found = [_values(scanner, text, *span) for span in scanner.records(text)]
    given = list(csv.reader(io.StringIO(text, newline="")))
    return sum(a == b for a, b in zip(found, given, strict=False)), max(len(found), len(given))


def _values(scanner: CsvScanner, text: str, start: int, end: int) -> list[str]:
    out = []
    for low, high in scanner.cells(text, start, end):
        value = text[low:high]
        out.append(value[1:-1].replace('""', '"') if value.startswith('"') else value)
    return out


def growth(name: str, parse: Callable[[ParseInput], ParseResult], text: str) -> list[object]:
    """CPU time at n, 2n and 4n, and the exponent of the last doubling."""
    times = [seconds(lambda t=text * n: parse(_raw(t)), 2) for n in (1, 2, 4)]  # type: ignore[misc]
    exponent = math.log2(times[2] / times[1])
    return [name, *(f"{one:.3f}" for one in times), f"{exponent:.2f}", verdict(exponent <= BAR)]


def dialects(folder: Path) -> Iterator[list[object]]:
    for file in sorted(folder.glob("*.csv")):
        document = parse_file(file)
        detail = next(block.detail for block in document.blocks if block.kind == "table") or NO_DETAIL
        assert detail.dialect is not None
        assert detail.columns is not None
        assert detail.header_end is not None
        expected = next((sign for word, sign in DELIMITERS.items() if word in file.stem), ",")
        found = detail.dialect.delimiter
        types = ", ".join(" ".join(column) for column in detail.columns[:4])
        header = "header" if detail.header_end > document.blocks[0].start else "none"
        yield [file.name, repr(found), verdict(found == expected), _clever(document.text), header, types]


def _clever(text: str) -> str:
    """What clevercsv takes for the delimiter."""
    try:
        from clevercsv import Sniffer
        from clevercsv.exceptions import Error
    except ImportError:
        return "-"
    try:
        return repr(Sniffer().sniff(text).delimiter)
    except Error:
        return "none"


def recordings(folder: Path) -> Iterator[Sequence[object]]:
    for file in sorted(folder.iterdir()):
        begin = time.perf_counter()
        try:
            document = parse_file(file)
        except MissingExtra as error:
            yield file.name, "-", "-", "-", str(error)
            continue
        spent = time.perf_counter() - begin
        yield (
            file.name,
            f"{document.front_matter.get('duration', 0):.1f}",
            f"{spent:.1f}",
            document.confidence,
            document.text,
        )


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--no-audio", action="store_true", help="leave the recordings out")
    args = parser.parse_args()
    plain, quoted, lines = made_csv(SIZE, quoted=False), made_csv(SIZE, quoted=True), made_lines(SIZE)
    speed = [*csv_rows("CSV", plain), *csv_rows("CSV, quoted", quoted), *line_rows(lines), *cue_rows()]
    print(table(("format: reader", "gives", "MB/s", "thousand records/s"), speed))
    print("\nrecords with the cells that the standard library finds")
    agreed = [(name, *agreement(text)) for name, text in (("plain", plain), ("quoted", quoted))]
    print(table(("table", "equal", "of", ""), [(*row, verdict(row[1] == row[2])) for row in agreed]))
    print()
    grown = [
        growth("CSV", csv_table.parse, plain[:1_000_000]),
        growth("CSV, quoted", csv_table.parse, quoted[:1_000_000]),
        growth("CSV, quotes never closed", csv_table.parse, '1,"a\n' * 100_000),
        growth("JSONL", json_table.parse_lines, lines[:1_000_000]),
        growth("JSONL, broken lines", json_table.parse_lines, '{"a\n' * 50_000),
        growth("SRT", subtitles.parse, made_cues(500_000, vtt=False)),
    ]
    print(table(("growth, CPU s", "n", "2n", "4n", "exponent", f"<= {BAR}"), grown))
    print()
    named = list(dialects(need(args.data / "documents" / "csv")))
    print(table(("sample", "delimiter", "", "clevercsv", "first row", "types of the first columns"), named))
    heard = [] if args.no_audio else list(recordings(need(args.data / "documents" / "audio")))
    if heard:
        print()
        print(table(("recording", "s", "s to hear", "confidence", "text"), heard))
    save(args.json, "tables", {"speed": speed, "agreement": agreed, "growth": grown, "dialects": named, "heard": heard})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
