"""The options that make a recipe, shared by the commands that cut."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, get_args

from seamline.errors import ConfigError, ParseError

if TYPE_CHECKING:
    from seamline.api.recipes import Overlap, Recipe
    from seamline.api.sources import FileChoice, Inputs
    from seamline.api.trust import Access, Trust

_PLAIN = (
    *("strategy", "llm", "bias", "packer", "sections", "depth", "breadcrumb"),
    *("front_matter", "boilerplate", "comments", "ocr"),
)
"""Options that are fields of the recipe as they are."""

_IMAGE = "image"
"""A format of many media types: files of it are told by their content alone."""
_OPTIONS: Mapping[str, str] = {
    "$.budget.target": "--target",
    "$.budget.limit": "--limit",
    "$.budget.floor": "--floor",
    "$.tokenizer": "--tokenizer",
    "$.cut.depth": "--depth",
    "$.enrich.facts": "--enrich",
    "$.derive.kinds": "--derive",
    "$.overlap.kind": "--overlap",
    "$.overlap.tokens": "--overlap",
    "$.encoding": "--encoding",
}
"""Where an error of the recipe points, as the command line calls it."""


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Examples stay as they are written; options get room for their names."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30)
        self._action_max_length = 14  # argparse forgets the indent of the commands it lists


class PluginChoices:
    """The values of an option that plugins add to. They are looked for when a value is not one of ours, and when all
    are listed."""

    def __init__(self, is_known: Callable[[str], bool], names: Callable[[], Sequence[str]]) -> None:
        self._is_known = is_known
        self._names = names

    def __contains__(self, name: str) -> bool:
        return self._is_known(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())


class StoreOnce(argparse.Action):
    """An option that may be given once: of two values, one would be lost without a word."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        if getattr(namespace, self.dest) is not None:
            parser.error(f"{option}: given twice, as {getattr(namespace, self.dest)!r} and {values!r}; choose one")
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """Arguments may be file names, and those may hold control characters."""

    hints: Mapping[str, str] = {}
    """What to say where an option of another command is given, by its name."""

    def error(self, message: str) -> NoReturn:
        from seamline.cli.terminal import visible

        if message.endswith(("required: QUERY", "required: QUESTION")):
            message += f" (one that starts with a hyphen comes after --: `{self.prog} -- --force`)"
        super().error(f"{visible(message)}; `{self.prog} --help` shows the options")

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """Arguments that no option takes; a likely misspelling is named."""
        from difflib import get_close_matches

        for word in unknown:
            if (name := word.partition("=")[0]) in self.hints:
                self.error(f"{name}: {self.hints[name]}")
        known = [name for action in self._actions for name in action.option_strings]
        near = [match for word in unknown[:1] for match in get_close_matches(word[:64], known, 1)]
        hint = f" (did you mean {near[0]}?)" if near else ""
        self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Help on a full disk fails like everything else; argparse would say nothing."""
        if file is not sys.stdout:
            super()._print_message(message, file)
            return
        from seamline.cli.output import print_text

        print_text(message)


class Settled(NamedTuple):
    """The recipe of a command line, and what it may load."""

    recipe: Recipe
    config: Path | None
    """The file it started from."""
    access: Access
    trust: Trust
    """What the command line names itself, and services that SEAMLINE_API_KEY goes to."""


def add_recipe_options(parser: argparse.ArgumentParser) -> None:
    """Everything that decides where chunks are cut."""
    from seamline.api.recipes import (
        DERIVED,
        FACTS,
        OUR_STRATEGIES,
        PRESETS,
        Bias,
        FrontMatter,
        OverlapKind,
        Packer,
        Sections,
        is_strategy,
        strategies,
    )

    size = parser.add_argument_group("size of chunks, in tokens")
    size.add_argument("--target", type=int, metavar="N", help="come as close to this as the seams allow (480)")
    size.add_argument("--limit", type=int, metavar="N", help="never exceed this, context included (512)")
    size.add_argument("--floor", type=int, metavar="N", help="merge chunks smaller than this where it fits (0)")
    size.add_argument(
        "--tokenizer",
        metavar="NAME",
        help="o200k_base (default), cl100k_base, estimate, or the path of a tokenizer.json",
    )
    size.add_argument("--bias", choices=get_args(Bias), help="what the estimate is careful with (balanced)")
    cut = parser.add_argument_group("where to cut")
    cut.add_argument(
        "--strategy",
        choices=PluginChoices(is_strategy, strategies),
        metavar="NAME",
        help=f"{', '.join(OUR_STRATEGIES)} (structural), or that of a plugin; see `seamline doctor`",
    )
    cut.add_argument(
        "--packer",
        choices=get_args(Packer),
        help="optimal: best cuts overall (default); fill: up to the target; decay: best cut near the target",
    )
    cut.add_argument(
        "--sections",
        choices=get_args(Sections),
        help="heading: no chunk crosses a section (default); paragraph: it may; hybrid: small ones merge",
    )
    cut.add_argument("--depth", type=int, metavar="0-6", help="cut at headings of this level first; 0 is every level")
    cut.add_argument(
        "--overlap",
        metavar="KIND[:TOKENS]",
        help=f"what a chunk repeats of the one before: {', '.join(get_args(OverlapKind))}",
    )
    cut.add_argument(
        "--breadcrumb",
        action=argparse.BooleanOptionalAction,
        help="whether a chunk's text repeats the headings above it (it does)",
    )
    more = parser.add_argument_group("what is found out and written about chunks")
    more.add_argument("--enrich", metavar="A,B", help=f"typed facts of every chunk: {', '.join(FACTS)}, or all")
    more.add_argument("--derive", metavar="A,B", help=f"texts about chunks: {', '.join(DERIVED)}")
    more.add_argument(
        "--llm", metavar="NAME", help="the model that writes them, such as openai:MODEL@URL; rules if none"
    )
    base = parser.add_argument_group("where the recipe starts")
    base.add_argument("--preset", metavar="NAME", help=f"a named recipe: {', '.join(PRESETS)}")
    base.add_argument("--config", metavar="FILE", help="this file instead of the nearest seamline.toml")
    base.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="any setting of the file, such as semantic.alpha=1.5",
    )
    base.add_argument("--no-config", action="store_true", help="do not look for a seamline.toml")
    read = parser.add_argument_group("how inputs are read")
    read.add_argument(
        "--front-matter",
        choices=get_args(FrontMatter),
        help="metadata: parsed, not in chunks (default); include: in the first chunk; strip: dropped",
    )
    read.add_argument(
        "--boilerplate",
        choices=("remove", "keep"),
        help="menus, banners and footers of web pages that say what their content is (remove)",
    )
    read.add_argument("--comments", choices=("remove", "keep"), help="comments in LaTeX (remove)")
    read.add_argument(
        "--ocr",
        choices=("auto", "on", "off"),
        help="read pages and images without text by sight: where an engine is installed (auto), always, never",
    )
    read.add_argument("--encoding", metavar="NAME", help="of inputs that are not UTF-8, such as cp1252")
    add_media_type(read, "read all inputs as this, whatever they look like")
    add_size_limit(read)
    read.add_argument(
        "--follow-links", action="store_true", help="also links in folders that lead out of the paths that were given"
    )


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """Which files of folders are taken."""
    which = parser.add_argument_group("which files of folders")
    which.add_argument(
        "--include", action="append", metavar="GLOB", help="only files that match, such as '*.md' or 'guides/**'"
    )
    which.add_argument(
        "--exclude", action="append", metavar="GLOB", help="leave these out, such as 'drafts/' or '*.test.md'"
    )
    which.add_argument(
        "--no-ignore", action="store_true", help="also what .gitignore, .seamlineignore and vendored folders hold"
    )
    which.add_argument("--list", action="store_true", help="list what is taken and what is left out, and why; then end")


def choice_of(args: argparse.Namespace) -> FileChoice:
    """Which files the command line asks for; globs start from the current folder."""
    from seamline.api.sources import FileChoice

    try:
        return FileChoice(tuple(args.include or ()), tuple(args.exclude or ()), os.getcwd(), not args.no_ignore)
    except ConfigError as error:
        raise ConfigError(str(error).replace(f" - at `{error.path}`", "")) from None


class WantedPath(NamedTuple):
    """A path of the command line or of an index, and which files it stands for."""

    path: str
    choices: Sequence[FileChoice] = ()
    follow_links: bool = False


def expand_all(wanted: Sequence[WantedPath]) -> Inputs:
    """The files that paths mean, each by its own choices."""
    from seamline.api.sources import Inputs, expand, fence_around

    fence = fence_around(one.path for one in wanted)
    each = [expand([one.path], choices=one.choices, fence=fence, follow_links=one.follow_links) for one in wanted]
    files = {str(file.path) if file else "-": file for inputs in each for file in inputs.files}
    left_out = {one.path: one for inputs in each for one in inputs.left_out if one.path not in files}
    return Inputs(
        list(files.values()),
        [message for inputs in each for message in inputs.failures],
        [message for inputs in each for message in inputs.skipped],
        list(left_out.values()),
    )


def list_files(wanted: Sequence[WantedPath]) -> int:
    """Print what of the paths is taken and what is left out; the exit code."""
    from seamline.api.sources import STDIN_NAME
    from seamline.cli.output import DONE, FAILED, print_text
    from seamline.cli.terminal import say, visible

    inputs = expand_all(wanted)
    rows = [(str(file.path) if file else STDIN_NAME, "taken", "") for file in inputs.files]
    rows += [(one.path + "/" * one.is_folder, one.reason, _near(one.rule)) for one in inputs.left_out]
    lines = (
        f"{what:<9} {visible(path)}{f'  ({visible(rule)})' if rule else ''}\n" for path, what, rule in sorted(rows)
    )
    print_text("".join(lines))
    told = summarize_left_out(Counter(one.reason for one in inputs.left_out))
    say(f"{len(inputs.files):,} taken" + (f"; {told}" if told else ""))
    for message in (*inputs.skipped, *inputs.failures):
        say(f"notice: {message}")
    return FAILED if inputs.failures else DONE


def _near(rule: str) -> str:
    """The place of a rule as one would type it in the current folder."""
    return os.path.relpath(rule) if os.path.isabs(rule) else rule


def summarize_left_out(counts: Mapping[str, int]) -> str:
    """`left out: 12 by ignore files, 3 hidden`; nothing where nothing was."""
    from seamline.api.sources import REASONS

    told = [f"{counts[reason]:,} {words}" for reason, words in REASONS.items() if counts.get(reason)]
    return f"left out: {', '.join(told)}" if told else ""


def add_media_type(group: argparse._ActionsContainer, help: str) -> None:
    group.add_argument("--media-type", choices=PluginChoices(_is_format, _formats), metavar="FORMAT", help=help)


def media_type_of(args: argparse.Namespace) -> str | None:
    """The media type of the format that a command line names; None where it names none."""
    from seamline.api.sources import format_named

    one = None if args.media_type is None else format_named(args.media_type)
    return one.media_type if one else None


def _is_format(name: str) -> bool:
    from seamline.api.sources import format_named

    found = format_named(name)
    return found is not None and found.name == name != _IMAGE


def _formats() -> list[str]:
    from seamline.api.sources import format_names

    return [name for name in format_names() if name != _IMAGE]


def add_size_limit(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--max-bytes", metavar="SIZE", help="refuse larger inputs: 200MB, 1GiB, bytes, or none for no limit (100MB)"
    )


def max_bytes(args: argparse.Namespace) -> int | None:
    """The size limit of a command line; None where there is none."""
    from seamline.api.sources import MAX_BYTES

    given: str | None = args.max_bytes
    if given is None:
        return MAX_BYTES
    if given.strip().lower() == "none":
        return None
    found = re.fullmatch(r"(\d{1,15}(?:\.\d{1,9})?) ?([kmgt]?)(i?)b?", given.strip().lower())
    if found is None or (found[3] and not found[2]):
        raise ConfigError(f"--max-bytes: expected a size such as 200MB, 1GiB or 5000, or none, got {given!r}")
    step = 1024 if found[3] else 1000
    return int(float(found[1]) * step ** " kmgt".index(found[2] or " ")) or None


def read_stdin(most: int | None) -> bytes:
    """What standard input holds; a ParseError where that cannot be had, or is too much."""
    from seamline.api.sources import STDIN_NAME, read_stream

    try:
        return read_stream(sys.stdin.buffer, max_bytes=most)
    except (OSError, AttributeError):  # a folder; closed, and so None
        raise ParseError("cannot be read: it is closed or a folder", STDIN_NAME) from None


def _names(given: str, known: Sequence[str]) -> tuple[str, ...]:
    """Names with commas between them; `all` is every one."""
    names = tuple(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))
    return tuple(known) if names == ("all",) else names


def settle(args: argparse.Namespace) -> Settled:
    """The recipe that a command line asks for, and proof that its tokenizer and encoding can be had."""
    from seamline.api import settle as api_settle
    from seamline.api.batch import make_runtime
    from seamline.api.recipes import DERIVED, FACTS, adjust
    from seamline.api.sources import check_encoding

    base, config = _base(args)
    fields: dict[str, Any] = {name: value for name in _PLAIN if (value := getattr(args, name)) is not None}
    for name, known in (("enrich", FACTS), ("derive", DERIVED)):
        if (given := getattr(args, name)) is not None:
            fields[name] = _names(given, known)
    try:
        sized = api_settle(
            adjust(api_settle(base), args.set) if args.set else base,
            tokenizer=args.tokenizer,
            target=args.target,
            limit=args.limit,
            floor=args.floor,
            overlap=_overlap(args.overlap),
        )
        recipe = replace(sized, **fields)
        access, trust = _admit_models(args, recipe, config)
        make_runtime(recipe, access=access)
        check_encoding(args.encoding)
    except ConfigError as error:
        raise _in_words_of_the_command_line(error, args) from None
    return Settled(recipe, config, access, trust)


def _admit_models(args: argparse.Namespace, recipe: Recipe, config: Path | None) -> tuple[Access, Trust]:
    """What the recipe may load, and what of it the user named; raises where a file that was found names more."""
    from seamline.api.trust import FoundModels, admit, models_of, services_with_key, trust_folder, trust_in
    from seamline.cli.place import keys_of

    found = config is not None and args.config is None
    names = models_of(recipe)
    own = [getattr(recipe, name) for name in ("llm", "signal", "tokenizer") if not found or _gives(args, name)]
    folder = trust_folder(config.parent if config is not None else Path.cwd())
    trust = trust_in(own, services_with_key(names, folder) if found else ())
    access = admit(FoundModels(folder, str(config), names), trust, keys_of(), own)
    access.require(*names)
    return access, trust


def _gives(args: argparse.Namespace, name: str) -> bool:
    """Whether options give a field of the recipe."""
    from seamline.api.recipes import PLACES

    set_itself = (setting.partition("=")[0].strip() == PLACES[name] for setting in args.set)
    return getattr(args, name, None) is not None or any(set_itself)


def _base(args: argparse.Namespace) -> tuple[Recipe | str | None, Path | None]:
    """A preset, a file that is named or found, or nothing."""
    from seamline.api.recipes import find, load_recipe
    from seamline.api.trust import check_owner

    chosen = [name for name in ("--preset", "--config") if getattr(args, name[2:]) is not None]
    if args.no_config and args.config is not None:
        raise ConfigError("--config and --no-config: choose one")
    if len(chosen) > 1:
        raise ConfigError('--preset and --config: choose one, or put `preset = "..."` into the file')
    if args.preset is not None:
        return args.preset, None
    path = Path(args.config) if args.config is not None else None if args.no_config else find(Path.cwd())
    if path is None:
        return None, None
    if args.config is None:
        check_owner(path)
    shown = path if args.config else Path(os.path.relpath(path))
    return load_recipe(shown), shown


def _overlap(given: str | None) -> int | Overlap | None:
    if given is None or given.isdecimal():
        return None if given is None else int(given)
    from seamline.api.recipes import Overlap

    kind, colon, tokens = given.partition(":")
    if colon and not tokens.isdecimal():
        raise ConfigError(f"--overlap: expected KIND:TOKENS such as blocks:40, got {given!r}")
    return Overlap(kind, int(tokens) if colon else 0)  # type: ignore[arg-type]  # Overlap refuses what is none


def _in_words_of_the_command_line(error: ConfigError, args: argparse.Namespace) -> ConfigError:
    """The same error, naming the option instead of the place in a file, where the option was given."""
    if error.path == "$.preset":
        option, given = "--preset", args.preset
    else:
        option = _OPTIONS.get(error.path, "")
        given = getattr(args, option[2:].replace("-", "_"), None) if option else None
    if given is None:
        return error
    message = str(error).removesuffix(f" - at `{error.path}`")
    return ConfigError(message if message.startswith(option) else f"{option}: {message}")
