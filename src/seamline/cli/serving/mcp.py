"""`seamline mcp`: an index as tools for agents, by the Model Context Protocol."""

from __future__ import annotations

import argparse
import os

from seamline.cli.options import HelpFormatter
from seamline.cli.output import DONE, Output
from seamline.cli.place import add_place_options, existing, open_place
from seamline.cli.terminal import say
from seamline.errors import ConfigError, rename

CLIENTS = ("claude", "cursor", "vscode")
CAP = 8000
# As seamline.agents has them. Repeated here, since importing them would make every command start later.

_EPILOG = """\
examples:
  seamline mcp                               what a client starts: it asks on stdin and is answered on stdout
  seamline mcp --index docs/.seamline        of a named index
  seamline mcp --write                       agents may add and remove documents, too
  seamline mcp --config claude               print what makes a client start it; nothing is served
  seamline mcp --config cursor --index kb > .cursor/mcp.json

Tools: search, context, get, cite, outline, list, status; with --write also add and remove. Documents are resources.
exit codes: 0 the client closed the connection, 1 the index cannot be used, 2 usage"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "mcp",
        help="answer agents, by the Model Context Protocol",
        usage="seamline mcp [options]",
        description="Let agents search, read and cite an index: a server of the Model Context Protocol (MCP) on"
        " standard input and output.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--write", action="store_true", help="let agents add and remove documents; else they only read")
    parser.add_argument(
        "--cap", type=int, metavar="TOKENS", default=CAP, help=f"the most tokens of an answer ({CAP}; at least 500)"
    )
    parser.add_argument("--config", choices=CLIENTS, help="print the configuration of a client, and end")
    parser.add_argument("-v", "--verbose", action="store_true", help="log every call to stderr: its tool and its time")
    add_place_options(parser)
    return parser


def execute(args: argparse.Namespace) -> int:
    place = existing(args.index)
    if args.config is not None:
        return _print_configuration(args, place)
    from seamline.agents.server import AgentOptions, serve_stdio

    if args.verbose:
        _log_calls()
    with open_place(args, place) as index:
        try:
            serve_stdio(index, AgentOptions(args.write, args.cap))
        except ConfigError as error:
            raise rename(error, {"$.agents.cap": "--cap"}, "--where") from None
    return DONE


def _print_configuration(args: argparse.Namespace, place: str) -> int:
    from seamline.agents.clients import PLACES, configuration
    from seamline.api import is_address

    named = place if is_address(place) else os.path.abspath(place)
    arguments = ["mcp", "--index", named, *(["--write"] if args.write else [])]
    arguments += ["--cap", str(args.cap)] if args.cap != CAP else []
    arguments += ["--api-key-env", args.api_key_env] if args.api_key_env else []
    Output(None).write(configuration(args.config, arguments) + "\n")
    say(f"put this into {PLACES[args.config]}")
    return DONE


def _log_calls() -> None:
    import logging
    import sys

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    log = logging.getLogger("seamline.agents")
    log.addHandler(handler)
    log.setLevel(logging.INFO)
