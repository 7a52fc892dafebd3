"""The entry point: arguments in, exit code out. The only place that catches what nobody expected."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:  # imported where they are used, so that Ctrl-C during start-up is caught as well
    from argparse import ArgumentParser

Input = TypeVar("Input")
Result = TypeVar("Result")

COMMANDS = (
    *("index", "search", "context", "cite", "ls", "get", "remove", "forget", "sources", "stats"),
    *("export", "import"),
    *("chunk", "inspect", "audit", "eval", "tune", "serve", "mcp", "schema", "trust", "doctor", "completion"),
)
"""Each is a module beside this one with `add_parser` and `execute`, or shares one with others that are read together:
then these are `add_NAME_parser` and `execute_NAME`."""
_MODULES = dict.fromkeys(("ls", "get", "remove", "forget"), "documents") | dict.fromkeys(
    ("export", "import"), "tables.transfer"
)
_FOLDERS = {"eval": "evaluation.eval", "tune": "evaluation.tune", "serve": "serving.serve", "mcp": "serving.mcp"}
"""Commands in a folder below."""
_BRIEF = ("search", "context", "cite", "stats", "ls", "get")
"""Commands that end before their garbage matters: collecting it would take a fifth of their CPU time."""


def run() -> None:
    """What the `seamline` script calls."""
    from seamline.trust.search_path import leave_out_current_folder

    leave_out_current_folder()  # which an empty entry of PYTHONPATH stands for
    _take_stderr()
    if sys.argv[1:] and sys.argv[1] in _BRIEF:
        import gc

        gc.disable()
    sys.exit(main())


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; the exit code."""
    _open_closed_streams()
    try:
        code = _dispatch(sys.argv[1:] if argv is None else argv)
        _flush()
    except BaseException as error:  # noqa: BLE001 - the last place to turn a failure into a message
        code = _exit_code(error)
    return code


def attempt(work: Callable[[Input], Result], item: Input, failed: Callable[[Input, str], Result]) -> Result:
    """The result of one input of a batch; one that hits a fault of ours must not take the others with it."""
    try:
        return work(item)
    except BaseException as error:  # not Exception: parsers written in Rust panic with a BaseException
        if isinstance(error, KeyboardInterrupt | SystemExit | BrokenPipeError):
            raise
        return failed(item, _internal(error))


def build_parser(names: Sequence[str] = COMMANDS) -> ArgumentParser:
    """The command line with the commands of these names; by default all of them."""
    from importlib import import_module

    from seamline import __version__
    from seamline.cli.options import HelpFormatter, Parser

    parser = Parser(
        prog="seamline",
        description="Cut documents along their seams, index them, search them, and cite what was found, exactly.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"seamline {__version__}")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, title="commands", parser_class=Parser
    )
    for name in names:
        module = import_module(f"seamline.cli.{_MODULES.get(name) or _FOLDERS.get(name, name)}")
        command = getattr(module, f"add_{name}_parser" if name in _MODULES else "add_parser")(commands)
        execute = getattr(module, f"execute_{name}" if name in _MODULES else "execute")
        command.set_defaults(execute=execute, parser=command)
    return parser


_EPILOG = """\
examples:
  seamline index docs/                      make the documents of a folder searchable, or bring the index up to date
  seamline search "why did the retry fail"  the best passages, with citations
  seamline context "why did it" > prompt    the same as a text for a prompt, within a token budget
  seamline cite ID@VERSION                  what a citation said, and what became of it
  seamline index                            bring all that was indexed here up to date
  seamline chunk docs/                      look at the chunks of every document in a folder
  seamline search --help                    all options of a command, with more examples

exit codes: 0 done, 1 some inputs failed (the rest is done), 2 usage or configuration"""


def _dispatch(argv: Sequence[str]) -> int:
    import signal

    from seamline.cli.output import Terminated

    def terminate(number: int, frame: object) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, terminate) if _in_main_thread() else None
    try:
        if not argv:
            build_parser().print_help()
            return 0
        if not argv[0].startswith("-") and argv[0] not in COMMANDS:
            return _refuse_command(argv[0])
        named = argv[:1] if argv[0] in COMMANDS else COMMANDS  # one command need not load the others
        args, unknown = build_parser(named).parse_known_args(argv)
        if unknown:
            args.parser.refuse(unknown)
        execute: Callable[[Any], int] = args.execute
        return execute(args)
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)


def _refuse_command(name: str) -> int:
    """A command that there is not; a likely misspelling is named."""
    from difflib import get_close_matches

    from seamline.cli.output import USAGE

    near = get_close_matches(name.lower()[:64], COMMANDS, 1, 0.5)
    hint = f"did you mean `seamline {near[0]}`?" if near else f"there are {', '.join(COMMANDS)}"
    _say(f"error: {name}: no such command; {hint}")
    return USAGE


def _in_main_thread() -> bool:
    import threading

    return threading.current_thread() is threading.main_thread()


def _exit_code(error: BaseException) -> int:
    """The exit code of a command that raised, after its one line on stderr."""
    from seamline.cli import output as exits
    from seamline.errors import ConfigError, MissingExtra, SeamlineError

    if isinstance(error, SystemExit):  # argparse: --help, --version, usage
        return _flush_with(error.code if isinstance(error.code, int) else exits.FAILED)
    if isinstance(error, BrokenPipeError):  # the reader has seen enough: `seamline chunk docs | head`
        _drop_stdout()
        return exits.DONE
    if isinstance(error, KeyboardInterrupt):
        _drop_stdout()
        _say(str(error) or "interrupted")
        return error.code if isinstance(error, exits.Interrupted) else exits.code_of(error)
    if isinstance(error, SeamlineError):
        if isinstance(error, exits.WriteError):
            _drop_stdout()
        _say(f"error: {error}")
        return exits.USAGE if isinstance(error, ConfigError | MissingExtra) else exits.FAILED
    _say(_internal(error))
    return exits.INTERNAL


def _internal(error: BaseException) -> str:
    if os.environ.get("SEAMLINE_DEBUG"):
        import traceback

        from seamline.cli.terminal import visible_lines

        print(visible_lines("".join(traceback.format_exception(error))), end="", file=sys.stderr)
    return f"internal error: {type(error).__name__}: {error}; please report it (SEAMLINE_DEBUG=1 shows where)"


def _take_stderr() -> None:
    """Keep standard error for what we say: libraries written in Rust or C write past Python, and a panic writes a
    backtrace. SEAMLINE_DEBUG lets them speak."""
    if sys.stderr is None or os.environ.get("SEAMLINE_DEBUG"):
        return
    try:
        ours = os.dup(2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
    except OSError:  # it is closed
        return
    sys.stderr = open(ours, "w", 1, encoding=sys.stderr.encoding, errors="backslashreplace")  # noqa: SIM115


def _open_closed_streams() -> None:
    """A stream that the caller closed (`>&-`) is None in Python; nowhere is easier to write to."""
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - open to the end
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _flush() -> None:
    """Write out what is buffered, while a failure can still become a message."""
    from seamline.cli.output import WriteError

    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise WriteError(f"standard output: cannot be written: {error.strerror}") from None


def _flush_with(code: int) -> int:
    from seamline.cli.output import WriteError

    try:
        _flush()
    except (BrokenPipeError, WriteError) as error:
        return _exit_code(error)
    return code


def _drop_stdout() -> None:
    """Send what is still buffered nowhere, so that the interpreter does not try, and complain, at exit."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):  # no real file behind stdout, as under a test
        pass


def _say(message: str) -> None:
    from seamline.cli.terminal import say

    say(message)
