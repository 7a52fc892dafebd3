"""`seamline index`: documents into an index, and the index kept up to date; how far a run is, and what it did."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from seamline.api.sources import holds_objects, is_bucket, shorten
from seamline.cli.asking import in_own_words
from seamline.cli.options import (
    HelpFormatter,
    Settled,
    WantedPath,
    add_file_options,
    add_recipe_options,
    choice_of,
    expand_all,
    list_files,
    max_bytes,
    media_type_of,
    settle,
    summarize_left_out,
)
from seamline.cli.output import DONE, FAILED, Interrupted, Output, json_line, print_text
from seamline.cli.place import add_place_options, existing, open_place, place_for, root_for
from seamline.cli.terminal import MANY, Progress, TerminalStyle, plural, say, shows_glyphs, style_for, visible
from seamline.errors import ConfigError, IndexMissing, SeamlineError

if TYPE_CHECKING:
    from seamline.api.index import Index, IndexConfig, UpdateReport
    from seamline.api.sources import FileChoice
    from seamline.api.trust import Trust


_EPILOG = """\
examples:
  seamline index docs/                              make an index, or bring it up to date
  seamline index                                    bring all that was indexed before up to date
  seamline index docs/ --exclude drafts/ --list     which files are taken, which are not, and why
  seamline index docs/ --watch                      ... and keep it so until Ctrl-C
  seamline index docs/ notes.md --index build/docs  ... in a folder of your choice
  seamline index docs/ --index postgresql://ada@db.example.org/search?schema=docs
  seamline index s3://bucket/docs --index s3://bucket/index --on ray
  seamline index docs/ --limit 256 --tokenizer cl100k_base

Without --index it is the nearest .seamline, from here upward; where there is none, a new one in this folder if
that holds the documents, else beside the first path. What changed since the last run is cut and embedded anew, the
rest is left as it is. Documents that are gone from a folder are removed; what was cited of them stays known. A source
that is gone as a whole keeps its documents until --prune, or `seamline sources move`.

Of folders, hidden files, vendored folders (node_modules, vendor, ...) and what .gitignore and .seamlineignore name are
left out. A file that is named itself is always taken. The index remembers the paths and --include, --exclude,
--no-ignore, --encoding and --media-type of each.

An index keeps the recipe and the embedder it was made with: leave the options out from the second run on. A new one
takes its recipe from the options, else from the nearest seamline.toml. A database gets its password from PGPASSWORD,
an object store its keys from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; addresses of objects are not remembered.
exit codes: 0 done, 1 some documents failed (the rest is done) or the index refused, 2 usage or configuration"""

_RECIPE = (
    "target", "limit", "floor", "tokenizer", "bias", "packer", "sections", "depth", "overlap", "breadcrumb",
    "preset", "config", "front_matter", "boilerplate", "comments", "ocr",
)  # fmt: skip
"""Options that ask for a recipe."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "index",
        help="make documents searchable, and keep them so",
        usage="seamline index [options] [PATH ...]",
        description="Bring an index up to date with files and folders. It works offline, with nothing to start.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files, folders, s3://BUCKET/PREFIX (all that was indexed before)"
    )
    parser.add_argument("--watch", action="store_true", help="then look for changes every second, until Ctrl-C")
    parser.add_argument("--json", action="store_true", help="the report as one JSON object; with --watch, one per run")
    parser.add_argument("-q", "--quiet", action="store_true", help="no report and no notices, only errors")
    parser.add_argument("-v", "--verbose", action="store_true", help="name every document that is written")
    parser.add_argument("--on", metavar="ENGINE", help="ray or ray://HOST:PORT: parse, cut and embed on its workers")
    parser.add_argument("--workers", type=int, metavar="N", help="with --on: how many (one for each core)")
    parser.add_argument("--prune", action="store_true", help="without PATH: remove documents of sources that are gone")
    add_place_options(parser)
    add_file_options(parser)
    made = parser.add_argument_group("what a new index is made with")
    forms = "seam (default), quality, minilm, MODEL.onnx, openai:MODEL@URL, static, hash"
    made.add_argument("--embedder", metavar="NAME", help=forms)
    made.add_argument("--no-hierarchy", action="store_true", help="do not search sections by their summaries")
    made.add_argument("--dual", action="store_true", help="embed summaries too: finds more, takes twice the room")
    made.add_argument("--late", action="store_true", help="embed chunks with what stands around them: for long windows")
    made.add_argument("--stemming", metavar="LANGUAGE", help="take the endings of this language off words (english)")
    add_recipe_options(parser)
    parser.hints = {"-k": "how many passages are found is up to `seamline search`; --limit is the size of chunks"}  # type: ignore[attr-defined]
    return parser


def execute(args: argparse.Namespace) -> int:
    _check_usage(args)
    settled = settle(args)
    max_bytes(args)  # a mistake is told before an index is made
    job = IndexJob(args, [choice_of(args)], _configured(settled))
    if args.list and args.paths:
        return list_files(job.wanted(args.paths))
    place = place_for(args.index, args.paths) if args.paths else existing(args.index)
    with in_own_words():
        index = _open_or_make(job, settled, place)
    if index is None:
        return FAILED
    with index:
        wanted = job.wanted(args.paths) if args.paths else job.remembered(index)
        if args.list:
            return list_files(wanted)
        if args.watch:
            from seamline.cli.watch import watch

            return watch(wanted, lambda paths, changed: _run(index, paths, job, changed), quiet=args.quiet)
        with _workers(index, args):
            ran = _run(index, args.paths, job)
    return FAILED if ran.report.failures else DONE


def _workers(index: Index, args: argparse.Namespace) -> AbstractContextManager[None]:
    """Where documents are worked out: here, or by workers elsewhere."""
    if args.on is None:
        return nullcontext()
    from seamline.scale.ray_engine import RayOptions, on_ray

    return on_ray(index, RayOptions(args.on, args.workers, max_bytes(args)))


def _check_usage(args: argparse.Namespace) -> None:
    if args.workers is not None and args.on is None:
        raise ConfigError("--workers: expected --on ray beside it, as it counts the workers there")
    if args.watch and (args.on or any(map(is_bucket, args.paths))):
        raise ConfigError("--watch: expected files and folders, and no --on: run `seamline index` again instead")
    if args.list and any(map(is_bucket, args.paths)):
        raise ConfigError("--list: expected files and folders, got the address of objects; the report counts those")
    if args.prune and args.paths:
        raise ConfigError("--prune: expected no PATH beside it, as it is about all sources of the index")
    given = [name for name in ("include", "exclude", "no_ignore", "encoding", "media_type") if getattr(args, name)]
    if given and not args.paths:
        option = f"--{given[0].replace('_', '-')}"
        raise ConfigError(f"{option}: expected a PATH that it is for; without one, each source keeps its own options")


def _configured(settled: Settled) -> list[FileChoice]:
    """Which files the seamline.toml asks for."""
    if settled.config is None:
        return []
    from seamline.api.recipes import load_choice

    return [load_choice(settled.config)]


class IndexJob(NamedTuple):
    """What a command line asks to be indexed."""

    args: argparse.Namespace
    given: Sequence[FileChoice]
    """By options."""
    configured: Sequence[FileChoice]
    """By the seamline.toml."""

    def wanted(self, paths: Sequence[str]) -> list[WantedPath]:
        """Paths of the command line."""
        choices = [*self.configured, *self.given]
        return [WantedPath(path, choices, self.args.follow_links) for path in paths if path != "-"]

    def remembered(self, index: Index) -> list[WantedPath]:
        """The sources of an index."""
        from seamline.api.index import display_path

        return [
            WantedPath(
                display_path(index.root / one.path), [*self.configured, one.choice(index.root)], one.follow_links
            )
            for one in index.sources()
        ]


def _open_or_make(job: IndexJob, settled: Settled, place: str) -> Index | None:
    """The index, made where there is none; None where there is nothing to put into a new one."""
    args = job.args
    trust = _trust(args, settled)
    try:
        index = open_place(args, place, trust=trust)
    except IndexMissing:
        if not args.paths:
            raise
        if not _any_to_read(job):
            return None
        if settled.config and not args.json and not args.quiet:
            say(f"using {settled.config}")
        index = open_place(args, place, _index_config(args, settled), root_for(args.index, args.paths), trust)
        _remember(index, trust, made=True)
        return index
    if _asks_for_config(args):
        with ExitStack() as undo:
            undo.callback(index.close)
            index.check_config(_index_config(args, settled, index))
            undo.pop_all()
    elif not args.quiet:
        _remark_on_config(settled, index)
    _remember(index, trust)
    return index


def _trust(args: argparse.Namespace, settled: Settled) -> Trust:
    """What the command line names itself."""
    from seamline.api.trust import trust_in

    with_key = settled.trust
    embeds = trust_in([args.embedder] if args.embedder else [])
    return replace(with_key, services=with_key.services + embeds.services, files=with_key.files + embeds.files)


def _remember(index: Index, trust: Trust, *, made: bool = False) -> None:
    """Trust what the user named for this index from now on: who has just named it is not asked again."""
    from seamline.api.trust import models_of, remember

    try:
        remember(index.url, models_of(index.recipe, index.settings.embedder), trust, all_of_them=made)
    except ConfigError as error:
        say(f"notice: what this index may use cannot be recorded, so `seamline search` will refuse it: {error}")


def _any_to_read(job: IndexJob) -> bool:
    """Whether a new index would hold anything. A folder that was misspelled must not leave one behind."""
    buckets = [path for path in job.args.paths if is_bucket(path)]
    if any(map(holds_objects, buckets)):
        return True
    inputs = expand_all([one for one in job.wanted(job.args.paths) if one.path not in buckets])
    files = [file.path for file in inputs.files if file is not None]
    if any(map(os.path.lexists, files)):
        return True
    if not job.args.quiet:
        for notice in shorten(inputs.skipped):
            say(f"notice: {notice}")
    missing = [f"{file}: no such file: check the name and the folder it is named from" for file in files]
    nothing = [f"{place}: no objects there: check the address" for place in buckets]
    for failure in [*inputs.failures, *missing, *nothing]:
        say(f"error: {failure}")
    return False


def _asks_for_config(args: argparse.Namespace) -> bool:
    named = args.embedder is not None or args.stemming is not None
    return _asks_for_recipe(args) or named or args.no_hierarchy or args.dual or args.late


def _asks_for_recipe(args: argparse.Namespace) -> bool:
    return any(getattr(args, name) is not None for name in _RECIPE)


def _index_config(args: argparse.Namespace, settled: Settled, index: Index | None = None) -> IndexConfig:
    """What the options ask for; where they are silent, what the index is."""
    from seamline.api.index import IndexConfig, is_late

    if index is None:
        return IndexConfig(
            settled.recipe,
            args.embedder or IndexConfig().embedder,
            hierarchy=not args.no_hierarchy,
            dual=args.dual,
            late=args.late,
            stemming=args.stemming or IndexConfig().stemming,
        )
    return IndexConfig(
        settled.recipe if _asks_for_recipe(args) else index.recipe,
        args.embedder or index.settings.embedder,
        hierarchy=not args.no_hierarchy and index.settings.options.get("hierarchy") == "yes",
        dual=args.dual or index.settings.dual,
        late=args.late or is_late(index.settings),
        stemming=args.stemming or index.settings.stemming,
    )


def _remark_on_config(settled: Settled, index: Index) -> None:
    """Say so where a seamline.toml was changed after the index was made: it is not followed."""
    from seamline.api.index import add_shadows

    if settled.config and add_shadows(settled.recipe).fingerprint != index.recipe.fingerprint:
        say(
            f"notice: {settled.config} has another recipe than this index, which keeps its own; "
            "name another place with --index to use the new one"
        )


def _run(index: Index, paths: Sequence[str], job: IndexJob, changed: Sequence[str] = ()) -> Ran:
    """One update, and its report; `changed` are the files it was made for, where those are known."""
    begun = time.monotonic()
    report = _update(index, paths, job, changed)
    ran = Ran(index, report, time.monotonic() - begun)
    show(ran, as_json=job.args.json, quiet=job.args.quiet, changed=changed)
    return ran


def _update(index: Index, paths: Sequence[str], job: IndexJob, changed: Sequence[str]) -> UpdateReport:
    """The index brought up to date; where that is broken off, what is safe is said first."""
    args = job.args
    progress = IndexProgress(wanted=not args.quiet, verbose=args.verbose)
    media_type = media_type_of(args)
    try:
        all_paths = args.paths or [one.path for one in job.remembered(index)]
        if not args.paths and (not changed or list(paths) == all_paths):
            return index.refresh(prune=args.prune, watcher=progress, max_bytes=max_bytes(args), also=job.configured)
        return index.update(
            paths,
            watcher=progress,
            encoding=args.encoding,
            media_type=media_type,
            max_bytes=max_bytes(args),
            follow_links=args.follow_links,
            roots=all_paths if changed else (),  # where only some of their files are looked at, since those changed
            include=args.include,
            exclude=args.exclude,
            ignore=not args.no_ignore,
            base=os.getcwd(),
            also=job.configured,
        )
    except KeyboardInterrupt as cause:
        heads, missing = index.documents(), index.missing_vectors()
        said = [progress.so_far({head.doc for head in heads})]
        if missing:
            said.append(f"{missing:,} of {plural(sum(head.chunks for head in heads), 'chunk')} without a vector yet")
        raise Interrupted(f"interrupted: {', '.join(said)}; {_GO_ON}", cause) from None
    except SeamlineError:
        if progress.wrote:
            say(f"{plural(progress.wrote, 'document')} written before what follows; {_GO_ON}")
        raise
    finally:
        progress.clear()


_GO_ON = "run the same command again to go on"


_BAR = 10
_ENOUGH_SECONDS = 3.0
_ENOUGH_SHARE = 0.01
"""When and where a guess of the time that is left is worth showing."""


class IndexProgress:
    """Watches a run; draws one line where stderr is a terminal, and knows what is safe when it is broken off."""

    def __init__(self, *, wanted: bool, verbose: bool = False) -> None:
        self._verbose = verbose
        self._line = Progress(0, wanted=wanted)
        self._style = TerminalStyle(glyphs=shows_glyphs(sys.stderr))
        self._begun = time.monotonic()
        self._total = 0
        self._seen: list[str] = []
        self._vectors = (0, 0)
        """Entries that got their vectors, and how many lacked them; in a late index, of the present group."""
        self._embedding_begun = 0.0
        self.wrote = 0
        """Documents written."""

    def document(self, done: int, total: int, doc: str) -> None:
        """A source was looked at."""
        self._total = total
        self._seen.append(doc)
        self._show("reading", len(self._seen), total, time.monotonic() - self._begun, visible(doc))

    def written(self, docs: Sequence[str]) -> None:
        """These documents are in the index for good, and found by words."""
        self.wrote += len(docs)
        if self._verbose:
            self.clear()
            for doc in docs:
                say(f"wrote {doc}")

    def embedding(self, done: int, total: int) -> None:
        """So many of all entries that lacked a vector have one; in a late index, of the texts of the present group."""
        if done <= self._vectors[0]:
            self._embedding_begun = 0.0  # another group
        now = time.monotonic()
        self._embedding_begun = self._embedding_begun or now
        self._vectors = (done, total)
        self._show("vectors", done, total, now - self._embedding_begun)

    def so_far(self, held: Collection[str]) -> str:
        """What a broken-off run leaves: how many of its documents an index with these documents has."""
        if not self._total:
            return "no document was looked at yet"
        safe = sum(doc in held for doc in self._seen)
        return f"{safe:,} of {plural(self._total, 'document')} {'is' if self._total == 1 else 'are'} in the index"

    def clear(self) -> None:
        """Take the line away, as before anything else is printed."""
        self._line.clear()

    def _show(self, what: str, done: int, total: int, seconds: float, doc: str = "") -> None:
        """`reading 40 of 647 documents`, `vectors 1,200 of 9,593`."""
        share = done / total if total else 0.0
        unit = "" if what == "vectors" else " document" if total == 1 else " documents"
        parts = [f"{what} {done:,} of {total:,}{unit}"]
        if share > _ENOUGH_SHARE and seconds > _ENOUGH_SECONDS:
            parts.append(f"{format_duration(seconds / share - seconds)} left")
        filled = round(_BAR * share)
        bar = self._style.mark("█", "#") * filled + self._style.mark("░", ".") * (_BAR - filled)
        self._line.show(f"{bar} {', '.join([*parts, doc] if doc else parts)}", long=total > MANY)


def format_duration(seconds: float) -> str:
    """A time that is left, as coarse as the guess is."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


_NAMED = 3
"""Changed files that are named."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that came to its end."""

    index: Index
    report: UpdateReport
    seconds: float


def show(ran: Ran, *, as_json: bool, quiet: bool, changed: Sequence[str] = ()) -> None:
    """The report on standard output, in one line where only some files were looked at; remarks and failures on
    standard error."""
    if not quiet:
        for notice in ran.report.notices:
            say(f"notice: {notice}")
    if as_json:
        Output(None).write(json_report(ran))
    elif not quiet:
        print_text(_line(ran, changed) if changed else _lines(ran))
    for failure in ran.report.failures:
        say(f"error: {failure.doc}: {failure.message}" if failure.doc else f"error: {failure.message}")


def headline(report: UpdateReport) -> str:
    """`3 of 1,204 documents changed, 11 chunks embedded`; a part that is 0 is left out."""
    moved = report.moved
    counts = {
        "changed": report.changed,
        "added": max(0, report.added - moved),
        "moved": moved,
        "removed": report.removed - moved,
        "failed": len(report.failures),
    }
    total = plural(report.documents, "document")
    told = [f"{count:,} {word}" for word, count in counts.items() if count]
    if not told:
        return f"nothing changed: 0 of {total}, {_work(report)}"
    count, word = told[0].split()
    if word == "removed":  # what is gone is none of the documents that were looked at
        told = [f"{plural(counts[word], 'document')} removed", *told[1:], f"{report.unchanged:,} unchanged"]
    else:
        told[0] = f"{count} of {total} {word}"
    return ", ".join([*told, _work(report)])


def _work(report: UpdateReport) -> str:
    """What was new, and how much of it the model had to read."""
    if not report.cached:
        return f"{plural(report.chunks, 'chunk')} embedded"
    return f"{plural(report.chunks, 'chunk')} new, {plural(report.embedded, 'text')} embedded, {report.cached:,} known"


def _lines(ran: Ran) -> str:
    style = style_for(sys.stdout)
    heads = ran.index.documents()
    held = f"{plural(len(heads), 'document')}, {plural(sum(head.chunks for head in heads), 'chunk')}"
    place = f"{visible(ran.index.url)}: {held}, in {ran.seconds:.1f} s"
    left = summarize_left_out(ran.report.left_out)
    more = style.paint(f"{left}; --list names them", "dim") + "\n" if left else ""
    return f"{style.paint(headline(ran.report), 'bold')}\n{style.paint(place, 'dim')}\n{more}"


def _line(ran: Ran, changed: Sequence[str]) -> str:
    """What changed and what came of it; nothing where a file was saved as it was."""
    if not ran.report.touched and not ran.report.failures:
        return ""
    more = f" and {len(changed) - _NAMED} more" if len(changed) > _NAMED else ""
    return f"{', '.join(map(visible, changed[:_NAMED]))}{more}: {headline(ran.report)}\n"


def json_report(ran: Ran) -> str:
    """All numbers of a run as one line."""
    heads = ran.index.documents()
    return json_line(
        {
            "index": ran.index.url,
            "root": str(ran.index.root),
            **asdict(ran.report),
            "failures": [failure._asdict() for failure in ran.report.failures],
            "holds": {"documents": len(heads), "chunks": sum(head.chunks for head in heads)},
            "seconds": round(ran.seconds, 3),
        }
    )
