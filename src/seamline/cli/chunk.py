"""`seamline chunk`: files, folders or standard input -> chunks, for people or as JSON lines."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from seamline.api.sources import (
    STDIN,
    STDIN_NAME,
    File,
    Inputs,
    expand,
    leave_out_parts,
    out_of_memory,
    parse_bytes,
    parse_file,
    shorten,
)
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
from seamline.cli.output import DONE, FAILED, Interrupted
from seamline.cli.terminal import TerminalStyle, plural, say, style_for
from seamline.errors import ConfigError, ParseError, SeamlineError

if TYPE_CHECKING:
    from seamline.api.batch import DocumentChunks, Runtime, Usage
    from seamline.api.recipes import Recipe
    from seamline.api.trust import Access
    from seamline.cli.output import Output
    from seamline.cli.view import ChunkView
    from seamline.types import Document

_EPILOG = """\
examples:
  seamline chunk README.md                          read the chunks of one file
  seamline chunk docs/ --explain                    ... of a folder, and why each cut was made
  seamline chunk docs/ --json > chunks.jsonl        one JSON object per chunk and line
  seamline chunk docs/ --jobs 4 --output out.jsonl  the same into a file, with four processes
  seamline chunk docs/ --output chunks.parquet      a table: .parquet, .arrow or .csv
  cat page.md | seamline chunk - --target 480 --limit 512 --tokenizer o200k_base
  seamline chunk notes.txt --overlap sentences:40   repeat up to 40 tokens of whole sentences
  seamline chunk docs/ --preset knowledge-base      a named recipe

Folders are searched for documents (.md .mdx .txt .html .tex .rst .adoc .org .pdf .docx .odt .rtf .pptx .xlsx .epub
.nxml .dbk .ipynb .eml .msg), tables (.csv .tsv .parquet), subtitles (.vtt .srt) and source code; hidden folders and
node_modules are left out. Pictures, recordings, databases and JSON are read where they are named.

In the view for people, │ marks the chunk's own text, ┆ what it borrows (headings, table header, opening fence, overlap)
and + what is added (a closing fence).

Options that are not given come from the nearest seamline.toml, from here upward.
exit codes: 0 done, 1 some inputs failed (the rest is done, the failures are listed), 2 usage or configuration"""


class Job(NamedTuple):
    """One input and all that is needed to turn it into text."""

    file: File | None
    data: bytes
    """What standard input held, where that is the input."""
    problem: str
    """Why standard input could not be read."""
    recipe: Recipe
    access: Access
    media_type: str | None
    encoding: str | None
    max_bytes: int | None
    look: ChunkView | None
    """For people; JSON lines where there is none."""

    @property
    def name(self) -> str:
        return STDIN_NAME if self.file is None else self.file.path.as_posix()


class Outcome(NamedTuple):
    """What became of an input: finished text, or why there is none."""

    text: str = ""
    chunks: int = 0
    notices: tuple[str, ...] = ()
    failure: str = ""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "chunk",
        help="cut documents into chunks",
        usage="seamline chunk [options] PATH [PATH ...]",
        description="Cut documents of any format into chunks along headings, blocks and sentences.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files, folders, or - for standard input")
    show = parser.add_argument_group("output")
    show.add_argument("--json", action="store_true", help="one JSON object per chunk and line")
    show.add_argument(
        "--output", metavar="FILE", help="write there, all or nothing: .jsonl, .parquet, .arrow, .csv or text (.txt)"
    )
    show.add_argument("--explain", action="store_true", help="say why each cut was made and what was borrowed")
    show.add_argument("--full", action="store_true", help="show all lines of every chunk")
    show.add_argument("-q", "--quiet", action="store_true", help="no notices, only errors")
    show.add_argument("--jobs", type=int, default=1, metavar="N", help="processes to use; 0 is one per processor (1)")
    add_file_options(parser)
    add_recipe_options(parser)
    parser.hints = {"-k": "expected --limit N for the size of chunks; -k is for `seamline search`"}  # type: ignore[attr-defined]
    return parser


def execute(args: argparse.Namespace) -> int:
    from seamline.cli.output import is_json_output, open_output

    path = Path(args.output) if args.output is not None else None
    settled = settle(args)
    most = max_bytes(args)
    workers = _workers(args.jobs)
    as_json = is_json_output(path, asked=args.json)
    choices = [choice_of(args)]
    if args.list:
        return list_files([WantedPath(path, choices, args.follow_links) for path in args.paths])
    inputs = expand(args.paths, output=path, follow_links=args.follow_links, choices=choices)
    inputs = leave_out_parts(inputs, encoding=args.encoding, max_bytes=most)
    output = open_output(path, encoding="utf-8" if as_json or path else sys.stdout.encoding or "utf-8")
    if settled.config and not as_json and not args.quiet:
        say(f"using {settled.config}")
    if not args.quiet:
        for notice in shorten(inputs.skipped):
            say(f"notice: {notice}")
    work = ChunkBatch(inputs, output, workers, quiet=args.quiet)
    try:
        return work.run(_jobs(args, inputs, settled, most, None if as_json else _look(args, path)))
    finally:
        output.abandon()


class ChunkBatch:
    """One batch: its inputs in order, its output, and what failed."""

    def __init__(self, inputs: Inputs, output: Output, workers: int, *, quiet: bool) -> None:
        from seamline.cli.terminal import Progress

        self.total = inputs.total
        self.failures = list(inputs.failures)
        self.done = self.chunks = 0
        self.output = output
        self.workers = workers
        self.quiet = quiet
        # Where chunks scroll by on the same terminal, they are the progress.
        apart = output.path is not None or not sys.stdout.isatty()
        self.progress = Progress(self.total, wanted=apart and not quiet)

    def run(self, jobs: Iterator[Job]) -> int:
        try:
            self._all(list(jobs))
        except KeyboardInterrupt as cause:
            raise Interrupted(f"interrupted: {self.done} of {self.total} inputs done", cause) from None
        finally:
            self.progress.clear()
        self.output.close(keep=self.done > 0)
        return self._conclude()

    def _all(self, jobs: Sequence[Job]) -> None:
        for job, outcome in self._outcomes(jobs):
            if outcome.failure:
                self.failures.append(outcome.failure)
                continue
            self.progress.clear()
            if not self.quiet:
                for notice in outcome.notices:
                    say(notice)
            self.output.write(outcome.text)
            self.done += 1
            self.chunks += outcome.chunks
            self.progress.step(self.done, job.name)

    def _outcomes(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Outcome]]:
        if self.workers > 1:
            from seamline.cli.batch import results

            return zip(jobs, results(outcome_of, jobs, self.workers), strict=True)
        return ((job, outcome_of(job)) for job in jobs)

    def _conclude(self) -> int:
        for failure in self.failures:
            say(f"error: {failure}")
        if self.failures and self.total > 1:
            say(f"{len(self.failures)} of {plural(self.total, 'input')} failed")
        if self.output.path and self.done and not self.quiet:
            say(f"wrote {plural(self.chunks, 'chunk')} of {plural(self.done, 'document')} to {self.output.path}")
        return FAILED if self.failures else DONE


def outcome_of(job: Job) -> Outcome:
    """One input, start to end; also what a worker process runs."""
    from seamline.cli.main import attempt

    return attempt(_outcome, job, lambda job, problem: Outcome(failure=f"{job.name}: {problem}"))


def _outcome(job: Job) -> Outcome:
    try:
        return _chunk(job)
    except MemoryError:
        return Outcome(failure=str(out_of_memory(job.name)))
    except SeamlineError as error:
        message = str(error)
        return Outcome(failure=message if job.name in message else f"{job.name}: {message}")


_runtimes: dict[tuple[Recipe, Access], Runtime] = {}
"""The live objects of this process by recipe, kept for the jobs to come: a worker process gets them one by one."""


def _runtime_of(job: Job) -> Runtime:
    from seamline.api.batch import make_runtime
    from seamline.cli.place import answers_file

    key = job.recipe, job.access
    if key not in _runtimes:
        answers = answers_file() if job.recipe.llm else None
        _runtimes[key] = make_runtime(job.recipe, answers=answers, access=job.access)
    return _runtimes[key]


def _chunk(job: Job) -> Outcome:
    from seamline.api.batch import chunk_fully

    document = read(job)
    made = chunk_fully(document, job.recipe, _runtime_of(job))
    told = (*document.notices, *made.notices)
    notices = [f"notice: {job.name}{', ' * bool(n.where)}{n.where}: {n.message}" for n in told]
    if not made.chunks:
        notices.append(f"notice: {job.name}: {'no text' if document.text else 'empty'}, no chunks")
    if made.usage is not None:
        notices.append(f"{job.name}: {usage_text(made.usage, job.recipe.llm)}")
    return Outcome(_text(job, document, made), len(made.chunks), tuple(notices))


def usage_text(usage: Usage, model: str) -> str:
    """What a language model was asked, in one line."""
    known = f", {usage.cached:,} known" if usage.cached else ""
    again = f", {usage.retries:,} again" if usage.retries else ""
    return (
        f"{model} was asked {plural(usage.calls, 'question')}{known}{again}: "
        f"{usage.prompt_tokens:,} tokens in, {usage.completion_tokens:,} out"
    )


def read(job: Job) -> Document:
    """The document of an input."""
    if job.file is None:
        if job.problem:
            raise ParseError(job.problem)
        return parse_bytes(job.data, job.recipe, media_type=job.media_type, encoding=job.encoding)
    return parse_file(job.file, job.recipe, media_type=job.media_type, encoding=job.encoding, max_bytes=job.max_bytes)


def _text(job: Job, document: Document, made: DocumentChunks) -> str:
    if job.look is not None:
        from seamline.cli.view import render

        return render(job.name, document, made, job.look)
    from seamline.cli.output import json_line

    records = [*[chunk.to_dict() for chunk in made.chunks], *[one.to_dict() for one in made.about]]
    return "".join([json_line(record) for record in records])


def _jobs(
    args: argparse.Namespace, inputs: Inputs, settled: Settled, most: int | None, look: ChunkView | None
) -> Iterator[Job]:
    media_type = media_type_of(args)
    for file in inputs.files:
        data, problem = _stdin(most) if file is STDIN else (b"", "")
        yield Job(
            file,
            data,
            problem,
            recipe=settled.recipe,
            access=settled.access,
            media_type=media_type,
            encoding=args.encoding,
            max_bytes=most,
            look=look,
        )


def _stdin(most: int | None) -> tuple[bytes, str]:
    """What standard input holds, or why that is not known. It is read before workers start: theirs is another one."""
    try:
        return read_stdin(most), ""
    except ParseError as error:
        return b"", str(error)


def _look(args: argparse.Namespace, path: Path | None) -> ChunkView:
    from seamline.cli.view import ChunkView

    return ChunkView(style_for(sys.stdout) if path is None else TerminalStyle(), args.full, args.explain)


def _workers(jobs: int) -> int:
    if jobs < 0:
        raise ConfigError(f"--jobs: expected a number >= 0, got {jobs}")
    return jobs or os.cpu_count() or 1
