"""`seamline serve`: indexes over HTTP."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from seamline.cli.options import HelpFormatter
from seamline.cli.output import DONE
from seamline.cli.place import existing, open_place
from seamline.cli.terminal import plural, say
from seamline.errors import ConfigError, needed

if TYPE_CHECKING:
    from starlette.requests import Request

    from seamline.agents.server import AgentApp
    from seamline.api.index import Index
    from seamline.server.guard import GuardRules
    from seamline.server.limits import ServerLimits
    from seamline.server.parts import ServerPart

HOST, PORT = "127.0.0.1", 8765
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}", re.IGNORECASE)

_EPILOG = """\
examples:
  seamline serve                                        the nearest index, on 127.0.0.1, for reading
  seamline serve --write                                also take documents
  seamline serve --index docs=kb --index wiki=wiki/.seamline
  seamline serve --host 0.0.0.0 --token-file tokens.toml --allow-host kb.example.org
  seamline serve --on ray --replicas 4 --index s3://bucket/index
  curl -s localhost:8765/search --json '{"query": "why did the retry fail"}'

GET /openapi.json describes all paths. The first index is the one that paths without a name mean; the others are under
/indexes/NAME. A file of tokens holds, for each: [[token]] name = "ops", token = "..." or sha256 = "...",
rights = ["read", "write"], and for a tenant tenant = { team = "docs" }, which is part of each of its queries.
Another address than that of this machine needs tokens. Ctrl-C ends when open requests are answered.
Traces go where OTEL_EXPORTER_OTLP_ENDPOINT says, if it is set.
exit codes: 0 stopped, 1 an index cannot be used, 2 usage or configuration"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "serve",
        help="answer searches over HTTP",
        usage="seamline serve [options]",
        description="Answer searches, contexts and citations of one or more indexes over HTTP.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    where = parser.add_argument_group("which index")
    where.add_argument(
        "--index",
        action="append",
        metavar="[NAME=]PLACE",
        help="a folder, postgresql://..., or lance:FOLDER; several with names (the nearest .seamline upward)",
    )
    where.add_argument(
        "--api-key-env", metavar="NAME", help="environment variable with the key of the service of the indexes"
    )
    who = parser.add_argument_group("who may call")
    who.add_argument("--host", default=HOST, metavar="ADDRESS", help=f"where to listen ({HOST})")
    who.add_argument("--port", type=int, default=PORT, metavar="N", help=f"({PORT}; 0 for a free one)")
    who.add_argument("--token-file", type=Path, metavar="FILE", help="TOML with tokens; only you may read it")
    who.add_argument("--write", action="store_true", help="without tokens: let callers of this machine write too")
    who.add_argument("--allow-host", action="append", default=[], metavar="NAME", help="a name of this server")
    who.add_argument(
        "--allow-origin", action="append", default=[], metavar="URL", help="a web page that may call, scheme://host"
    )
    limits = parser.add_argument_group("limits")
    limits.add_argument("--max-body", type=_size, metavar="BYTES", help="of a request (32MB)")
    limits.add_argument("--timeout", type=float, metavar="SECONDS", help="for an answer (30)")
    limits.add_argument("--threads", type=int, metavar="N", help="searches at once (4)")
    limits.add_argument("--workers", type=int, metavar="N", help="processes that search, for several cores (none)")
    limits.add_argument("--waiting", type=int, metavar="N", help="searches that wait for a thread (64)")
    limits.add_argument("--rate", type=float, metavar="N", help="requests per second of a caller (100; 0 for any)")
    cluster = parser.add_argument_group("many machines")
    cluster.add_argument("--on", metavar="ray[://HOST:PORT]", help="replicas on Ray Serve that only read, over s3://")
    cluster.add_argument("--replicas", type=int, metavar="N", help="with --on: how many, a core each (2)")
    parser.add_argument("-q", "--quiet", action="store_true", help="do not log requests")
    return parser


def execute(args: argparse.Namespace) -> int:
    with needed("Starlette, which a server needs,", "serve"):
        import prometheus_client  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    from seamline.server.app import make_app
    from seamline.server.guard import GuardRules
    from seamline.server.log import ServerLog
    from seamline.server.run import allowed_hosts, bind, serve
    from seamline.server.tokens import Tokens, load_tokens
    from seamline.server.traces import load_provider
    from seamline.server.workers import SearchWorkers

    tokens = load_tokens(args.token_file) if args.token_file else Tokens(())
    if args.write and len(tokens):
        raise ConfigError("--write: expected without --token-file, whose tokens say who may write")
    hosts = allowed_hosts(args.host, tokens, args.allow_host)
    rules = GuardRules(tokens, args.write, hosts, tuple(args.allow_origin), _limits(args))
    if args.on is not None:
        return _execute_on_ray(args, rules)
    if args.replicas is not None:
        raise ConfigError("--replicas: expected with --on ray; --workers are processes of this machine")
    log = ServerLog(quiet=args.quiet)
    traces = load_provider()
    with ExitStack() as undo:
        if traces is not None:
            undo.callback(traces.shutdown)
        indexes: dict[str, Index] = {}
        places = _places(args.index)
        for name, place in places:
            indexes[name] = undo.enter_context(open_place(args, place))
        bound = undo.enter_context(bind(args.host, args.port))
        workers = None
        if args.workers:
            from seamline.cli.batch import safe_path

            undo.enter_context(safe_path("--workers"))
            given = argparse.Namespace(api_key_env=args.api_key_env)
            workers = SearchWorkers({name: partial(open_place, given, place) for name, place in places}, args.workers)
        tracer = traces.get_tracer("seamline") if traces else None
        parts = [_agents(indexes, rules), _inspector(indexes, rules)]
        app = make_app(indexes, rules=rules, parts=parts, log=log, tracer=tracer, workers=workers)
        host, port = bound.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        kind = plural(len(tokens), "token") if len(tokens) else "no tokens; callers may " + _may(args.write)
        with suppress(KeyboardInterrupt):  # raised again by the server when all is done; a Terminated is one too
            serve(app, bound, log, lambda: say(f"serving {', '.join(indexes)} on http://{shown}:{port} ({kind})"))
        say("stopped")
    return DONE


def _execute_on_ray(args: argparse.Namespace, rules: GuardRules) -> int:
    """Replicas, until a signal comes."""
    from seamline.scale.ray_serve import ReplicaOptions, serve_on_ray
    from seamline.scale.replica import READ_ONLY

    for option, reason in (
        ("write", READ_ONLY),
        ("workers", "expected --replicas with --on"),
        ("api_key_env", "keys do not travel: set SEAMLINE_API_KEY on the machines of the cluster"),
    ):
        if getattr(args, option):
            raise ConfigError(f"--{option.replace('_', '-')}: {reason}")
    options = ReplicaOptions(args.on, 2 if args.replicas is None else args.replicas, args.host, args.port)
    with ExitStack() as undo:
        indexes = {name: undo.enter_context(open_place(args, place)) for name, place in _places(args.index)}
        shown = f"http://{f'[{args.host}]' if ':' in args.host else args.host}:{args.port}"
        told = f"serving {', '.join(indexes)} on {shown} ({plural(options.replicas, 'replica')} on Ray, for reading)"
        with suppress(KeyboardInterrupt):
            serve_on_ray(indexes, replace(rules, read_only=READ_ONLY), options, lambda: say(told), quiet=args.quiet)
        say("stopped")
    return DONE


def _agents(indexes: Mapping[str, Index], rules: GuardRules) -> ServerPart:
    """The Model Context Protocol at /mcp. Its package is imported by the first who asks."""
    from seamline.server.parts import sessions_part

    hosts = [f"[{name}]" if ":" in name else name for name in rules.hosts]

    def make(index: Index, write: bool) -> AgentApp:
        from seamline.agents.server import AgentApp, AgentOptions

        options = AgentOptions(write=write)
        return AgentApp(index, options, hosts=[*hosts, *(f"{name}:*" for name in hosts)], origins=[*rules.origins])

    return sessions_part("/mcp", indexes, make)


def _inspector(indexes: Mapping[str, Index], rules: GuardRules) -> ServerPart:
    """The page at /, over the first index. Its files need no token, what it asks for does."""
    from seamline.inspector.web import IndexAccess, routes
    from seamline.server.guard import require
    from seamline.server.parts import ServerPart

    index = next(iter(indexes.values()))

    def find_index(request: Request) -> IndexAccess:
        return IndexAccess(index, require(request.scope, "read").forced or "")

    page = routes(index_of=find_index, max_bytes=rules.limits.body)
    return ServerPart(page, ["/", "/inspector/static/*"])


def _may(write: bool) -> str:
    return "read and write" if write else "read"


def _limits(args: argparse.Namespace) -> ServerLimits:
    """The limits that were given; a ConfigError names one that cannot be."""
    from seamline.server.limits import ServerLimits

    for option, least in (("timeout", 0.1), ("threads", 1), ("workers", 1), ("waiting", 0), ("rate", 0)):
        value = getattr(args, option)
        if value is not None and not value >= least:
            raise ConfigError(f"--{option}: expected {least} or more, got {value}")
    if not 0 <= args.port <= 65535:
        raise ConfigError(f"--port: expected 0 to 65535, got {args.port}")
    given = {
        "body": args.max_body,
        "seconds": args.timeout,
        "threads": max(args.threads or 0, args.workers or 0) or None,
        "waiting": args.waiting,
        "rate": args.rate,
    }
    return replace(ServerLimits(), **{name: value for name, value in given.items() if value is not None})


def _places(given: Sequence[str] | None) -> list[tuple[str, str]]:
    """The indexes by name, in order; one without a name is called `default`."""
    found: dict[str, str] = {}
    for one in given or [""]:
        name, equals, place = one.partition("=")
        if not equals or not _NAME.fullmatch(name):  # an address may hold = as well
            name, place = "default", one
        if name in found:
            raise ConfigError(f"--index: two indexes have the name {name}: give each its own, as in --index docs=kb")
        found[name] = existing(place or None)
    return list(found.items())


_UNITS = {"": 1, "KB": 1000, "MB": 1_000_000, "GB": 1_000_000_000}


def _size(given: str) -> int:
    found = re.fullmatch(r"(\d{1,12})\s*(|KB|MB|GB)", given.strip().upper())
    if not found or not int(found[1]):
        raise argparse.ArgumentTypeError(f"expected a size such as 64MB, got {given!r}")
    return int(found[1]) * _UNITS[found[2]]
