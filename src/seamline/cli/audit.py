"""`seamline audit`: chunks against the contract, from JSON lines or fresh from documents; what was found as a table for
people or one JSON object."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seamline.api.sources import STDIN, STDIN_NAME, File, Inputs, expand, out_of_memory, parse_file, read_file, shorten
from seamline.cli.options import (
    HelpFormatter,
    Settled,
    WantedPath,
    add_file_options,
    add_recipe_options,
    choice_of,
    list_files,
    max_bytes,
    media_type_of,
    read_stdin,
    settle,
)
from seamline.cli.output import DONE, FAILED, Interrupted, json_line
from seamline.cli.terminal import TerminalStyle, clip, plural, say, style_for, visible
from seamline.errors import ConfigError, SeamlineError

if TYPE_CHECKING:
    from seamline.api.audit import Violation
    from seamline.api.batch import Runtime
    from seamline.api.recipes import Recipe
    from seamline.types import Document

_EPILOG = """\
examples:
  seamline audit chunks.jsonl                     chunks as `seamline chunk --json` printed them
  seamline audit chunks.jsonl --limit 256         ... against another limit
  seamline audit chunks.jsonl --root ../site      ... whose documents lie in another folder
  seamline chunk docs/ --json | seamline audit -  ... from a pipe
  seamline audit docs/ --limit 128                cut the documents first, and audit that

Every document is found again by the `doc` path of its records, parsed again and compared. Where it cannot be
found, the checks that need no source still run. Give the options the chunks were made with: --limit,
--tokenizer and --front-matter matter most.

exit codes: 0 clean, 1 violations or inputs that cannot be read, 2 usage or configuration"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "audit",
        help="prove that chunks keep the contract",
        usage="seamline audit [options] PATH [PATH ...]",
        description="Check chunks: size, coverage, exact spans, whole fences and tables, no stranded headings.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="*.jsonl (or .ndjson, .json, -) for records; else documents to cut"
    )
    parser.add_argument("--root", metavar="DIR", default=".", help="folder that `doc` paths start from (here)")
    parser.add_argument("--json", action="store_true", help="one JSON object with all violations")
    add_file_options(parser)
    add_recipe_options(parser)
    return parser


def execute(args: argparse.Namespace) -> int:
    from seamline.cli.output import Output, print_text

    settled = settle(args)
    args.most = max_bytes(args)
    if not Path(args.root).is_dir():
        raise ConfigError(f"--root: expected a folder, got {args.root}")
    choices = [choice_of(args)]
    if args.list:
        return list_files([WantedPath(path, choices, args.follow_links) for path in args.paths])
    inputs = expand(args.paths, follow_links=args.follow_links, choices=choices)
    for notice in shorten(inputs.skipped):
        say(f"notice: {notice}")
    findings = Findings(failures=list(inputs.failures))
    _audit_all(args, inputs, settled, findings)
    if args.json:
        Output(None).write(json_report(settled.recipe, findings))
    else:
        print_text(report(settled.recipe, findings))
    for failure in findings.failures:
        say(f"error: {failure}")
    return FAILED if findings.violations or findings.failures else DONE


def _audit_all(args: argparse.Namespace, inputs: Inputs, settled: Settled, findings: Findings) -> None:
    from seamline.api.batch import make_runtime
    from seamline.cli.main import attempt

    recipe = settled.recipe
    runtime = make_runtime(recipe, access=settled.access)

    def one(file: File | None) -> None:
        try:
            if file is STDIN or file.path.suffix.lower() in (".jsonl", ".ndjson", ".json"):
                _audit_records(args, file, recipe, runtime, findings)
            else:
                _audit_document(args, file, recipe, runtime, findings)
        except SeamlineError as error:
            findings.failures.append(str(error))
        except MemoryError:
            findings.failures.append(str(out_of_memory(_name(file))))

    def failed(file: File | None, problem: str) -> None:
        findings.failures.append(f"{_name(file)}: {problem}")

    for done, file in enumerate(inputs.files):
        try:
            attempt(one, file, failed)
        except KeyboardInterrupt as cause:
            raise Interrupted(f"interrupted: {done} of {inputs.total} inputs done", cause) from None


def _name(file: File | None) -> str:
    return STDIN_NAME if file is None else str(file.path)


def _audit_document(args: argparse.Namespace, file: File, recipe: Recipe, runtime: Runtime, findings: Findings) -> None:
    """Cut a document and judge the result."""
    from seamline.api.audit import audit, audit_records
    from seamline.api.batch import chunk_fully

    document = _parse(args, file, recipe)
    chunks = chunk_fully(document, replace(recipe, enrich=()), runtime, derives=False).chunks
    limit, tokenizer = recipe.limits, runtime.tokenizer
    findings.documents += 1
    findings.chunks += len(chunks)
    if chunks:
        findings.violations += audit(chunks, limit=limit, tokenizer=tokenizer)
    else:  # all of its text may be missing
        findings.violations += audit_records([], document, limit=limit, tokenizer=tokenizer)


def _audit_records(
    args: argparse.Namespace, file: File | None, recipe: Recipe, runtime: Runtime, findings: Findings
) -> None:
    """Judge the records of one file, document by document."""
    from seamline.api.audit import audit_records

    name = _name(file)
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for record in _records(name, _read(args, file), findings.failures):
        groups.setdefault(record["doc"], []).append(record)
    if not groups and not findings.failures:
        findings.failures.append(f"{name}: no records; expected the lines of `seamline chunk --json`")
    for doc, records in groups.items():
        document = _source(args, doc, recipe, findings)
        findings.documents += 1
        findings.chunks += len(records)
        findings.violations += audit_records(records, document, limit=recipe.limits, tokenizer=runtime.tokenizer)


def _read(args: argparse.Namespace, file: File | None) -> bytes:
    if file is None:
        return read_stdin(args.most)
    return read_file(file.path, max_bytes=args.most, real=file.real).data


def _records(name: str, data: bytes, failures: list[str]) -> Iterator[dict[str, Any]]:
    """The records of a file; lines that are none are named and left out."""
    import json

    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if rb"\ud" in line.lower():  # escaped, a lone surrogate passes for text
                json.dumps(record, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:  # UnicodeError is a ValueError
            failures.append(f"{name}, line {number}: expected a JSON object, got {_problem(error)}")
            continue
        if not isinstance(record, dict) or not isinstance(record.get("doc"), str):
            failures.append(f"{name}, line {number}: expected a chunk with a `doc`, got something else")
            continue
        if "derived" not in record:  # text about chunks is not a piece of the document
            yield record


def _problem(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "too many brackets"
    if isinstance(error, UnicodeError):
        return "text that UTF-8 cannot hold"
    return f"broken JSON: {error}"


def _source(args: argparse.Namespace, doc: str, recipe: Recipe, findings: Findings) -> Document | None:
    """The document that records speak of, where it can be read."""
    path = Path(args.root, doc) if doc and "\0" not in doc else None
    if path is None or not path.is_file():
        findings.without_source.append(f"{doc}: no such file under {args.root}")
        return None
    try:
        return replace(_parse(args, File(path), recipe), id=doc)
    except SeamlineError as error:
        findings.without_source.append(str(error))
        return None


def _parse(args: argparse.Namespace, file: File, recipe: Recipe) -> Document:
    return parse_file(file, recipe, media_type=media_type_of(args), encoding=args.encoding, max_bytes=args.most)


_SHOWN = 10


@dataclass
class Findings:
    """What an audit has seen so far."""

    documents: int = 0
    chunks: int = 0
    violations: list[Violation] = field(default_factory=list)
    without_source: list[str] = field(default_factory=list)
    """Documents that were judged by their records alone, each with the reason."""
    failures: list[str] = field(default_factory=list)


def json_report(recipe: Recipe, findings: Findings) -> str:
    from seamline.api.audit import RULES

    counts = Counter(v.rule for v in findings.violations)
    return json_line(
        {
            "documents": findings.documents,
            "chunks": findings.chunks,
            "limit": recipe.budget.limit,
            "tokenizer": recipe.tokenizer,
            "rules": {rule: counts[rule] for rule in RULES},
            "violations": [v._asdict() for v in findings.violations],
            "without_source": findings.without_source,
            "errors": findings.failures,
        }
    )


def report(recipe: Recipe, findings: Findings) -> str:
    """The rules with their counts, the first violations, and the verdict; nothing where nothing was judged."""
    if not findings.documents:
        return ""
    return "".join(f"{line}\n" for line in _report(recipe, findings, style_for(sys.stdout)))


def _report(recipe: Recipe, findings: Findings, style: TerminalStyle) -> Iterator[str]:
    from seamline.api.audit import RULES

    what = f"{plural(findings.chunks, 'chunk')} of {plural(findings.documents, 'document')}"
    yield f"{style.paint(what, 'bold')}, limit {recipe.budget.limit} ({visible(recipe.tokenizer)})"
    yield ""
    counts = Counter(v.rule for v in findings.violations)
    for rule, meaning in RULES.items():
        number = style.paint(f"{counts[rule]:>7,}", "red" if counts[rule] else "green")
        yield f"  {rule:<18}{number}  {style.paint(meaning, 'dim')}"
    yield ""
    yield from _list_first("first violations:", [_violation(v, style) for v in findings.violations])
    yield from _list_first(
        "judged without the source, by sizes, order, ids and fences alone:",
        [visible(reason) for reason in findings.without_source],
    )
    yield _verdict(findings, style)


def _violation(violation: Violation, style: TerminalStyle) -> str:
    place = f"{visible(violation.doc)} chunk {violation.chunk_index + 1}"
    message = clip(visible(violation.message), 2 * style.width)
    return f"{place}: {style.paint(violation.rule, 'red')}: {message}"


def _list_first(title: str, lines: Sequence[str]) -> Iterator[str]:
    """The first of the lines under a title, and how many more there are."""
    if not lines:
        return
    yield title
    yield from (f"  {line}" for line in lines[:_SHOWN])
    if len(lines) > _SHOWN:
        yield f"  … {len(lines) - _SHOWN} more; --json lists all"
    yield ""


def _verdict(findings: Findings, style: TerminalStyle) -> str:
    if not findings.violations:
        return style.paint("clean", "green")
    return style.paint(plural(len(findings.violations), "violation"), "red")
