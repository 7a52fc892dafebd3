"""`seamline trust`: which services and model files the files of a folder may name, and whose files are used."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from seamline.cli.options import HelpFormatter
from seamline.cli.output import DONE, FAILED, print_text
from seamline.cli.terminal import say, visible
from seamline.errors import ConfigError, SeamlineError

if TYPE_CHECKING:
    from seamline.api.trust import Target, TrustRecord

_EPILOG = """\
examples:
  seamline trust                                  all that you trust
  seamline trust .                                what the seamline.toml and the index of this folder name
  seamline trust . https://llm.example.org/v1     let texts of this folder go to that service
  seamline trust . models/bge.onnx                let this folder use that model file
  seamline trust . https://llm.example.org/v1 --with-key    and send SEAMLINE_API_KEY along
  seamline trust /srv/docs --owner                use the files of this folder although another user owns them
  seamline trust . https://llm.example.org/v1 --remove      trust it no longer

A seamline.toml that was found and the settings of an index may come from somebody else. They lead to a service, a model
file or a tokenizer outside of their folder only where you trust it for that folder; what you name on the command line
needs no trust. The key of llm.example.org is taken from SEAMLINE_API_KEY_LLM_EXAMPLE_ORG, or from [keys] in your own
config.toml.
exit codes: 0 done, 1 what is to be removed was not trusted, 2 usage or configuration"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "trust",
        help="say which services a folder may use",
        usage="seamline trust [options] [FOLDER [TARGET ...]]",
        description="Say which services and model files the files of a folder may lead to, or list them.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "folder", nargs="?", metavar="FOLDER", help="a folder, or the address of an index in a database"
    )
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="the URL of a service, or a model file")
    parser.add_argument("--owner", action="store_true", help="use the files of the folder whoever owns them")
    parser.add_argument("--with-key", action="store_true", help="send SEAMLINE_API_KEY to these services as well")
    parser.add_argument("--remove", action="store_true", help="trust the targets no longer; without any, nothing there")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    return parser


def execute(args: argparse.Namespace) -> int:
    from seamline.api.trust import all_records

    if args.folder is None:
        if args.owner or args.with_key or args.remove:
            raise ConfigError("expected a folder beside --owner, --with-key and --remove, got none; name it first")
        _print_records(all_records(), as_json=args.json)
        return DONE
    if args.with_key and (args.remove or not args.targets):
        raise ConfigError("--with-key: expected the URL of a service to trust; name it after the folder")
    folder = _folder(args.folder, gone=args.remove)
    if args.remove:
        return _remove(folder, args)
    if not args.targets and not args.owner:
        _print_targets(_targets_of(folder, args.folder), as_json=args.json)
        return DONE
    return _add(folder, args)


def _folder(given: str, *, gone: bool) -> str:
    """The folder that trust is kept for."""
    from seamline.api.trust import trusted_place

    if "://" not in given and not gone and not os.path.isdir(given):
        raise ConfigError(f"expected a folder, got {given}: check the name, or name the folder around it")
    return trusted_place(given)


def _target(given: str) -> str:
    """A service in the form that is compared, the real path of a file, or a model of a plugin."""
    from seamline.api.trust import is_plugin_model, service_url

    if is_plugin_model(given):
        return given
    return service_url(given) if "://" in given else os.path.realpath(given)


def _add(folder: str, args: argparse.Namespace) -> int:
    from seamline.api.trust import (
        OWNER,
        TrustRecord,
        add_record,
        is_plugin_model,
    )

    targets = [_target(given) for given in args.targets]
    known = [target for target in targets if "://" in target or is_plugin_model(target) or os.path.isfile(target)]
    if missing := [target for target in targets if target not in known]:
        raise ConfigError(f"expected the URL of a service or a file, got {missing[0]}: check the name")
    if args.with_key and not all("://" in target for target in targets):
        raise ConfigError("--with-key: expected the URLs of services, got a file; a file needs no key")
    records = [TrustRecord(folder, target, args.with_key) for target in targets]
    records += [TrustRecord(folder, OWNER)] if args.owner else []
    for record in records:
        add_record(record)
    _print_records(records, as_json=args.json)
    return DONE


def _remove(folder: str, args: argparse.Namespace) -> int:
    from seamline.api.trust import OWNER, records_of, remove_record

    targets = [_target(given) for given in args.targets] + ([OWNER] if args.owner else [])
    known = records_of(folder)
    gone = [record for record in known if not targets or record.target in targets]
    for record in gone:
        remove_record(record)
    unknown = [target for target in targets if target not in [record.target for record in known]]
    for target in unknown or ([] if gone else ["anything"]):
        say(f"error: {target} was not trusted for {folder}; `seamline trust` lists what is")
    return DONE if gone and not unknown else FAILED


def _print_records(records: Sequence[TrustRecord], *, as_json: bool) -> None:
    from dataclasses import asdict

    if as_json:
        _print_json([asdict(record) for record in records])
        return
    print_text("".join(f"{visible(r.folder)}  {visible(r.target)}{_with_key(r.key)}\n" for r in records))
    if not records:
        say("nothing is trusted; `seamline trust FOLDER` shows what a folder names")


def _print_targets(targets: Sequence[Target], *, as_json: bool) -> None:
    if as_json:
        _print_json([target._asdict() for target in targets])
        return
    lines = (f"{'trusted' if t.trusted else 'refused':<9}{visible(t.target)}{_with_key(t.key)}" for t in targets)
    print_text("".join(f"{line}\n" for line in lines))
    for target in targets:
        if target.remedy:
            say(f"to trust it, run `{target.remedy}`")
    if not targets:
        say("the files of this folder name no service and no file that needs trust")


def _print_json(rows: Sequence[dict[str, object]]) -> None:
    from seamline.cli.output import Output, json_line

    Output(None).write("".join(json_line(row) for row in rows))


def _with_key(key: bool) -> str:
    return "  with SEAMLINE_API_KEY" if key else ""


def _targets_of(folder: str, given: str) -> list[Target]:
    """What the files of a folder name, each once. Nothing of it is asked or opened."""
    from seamline.api.trust import named_by_config, named_by_index, targets_of

    names = list(named_by_config(folder))
    try:
        names += named_by_index(folder, given)
    except ConfigError:
        raise
    except SeamlineError as error:
        say(f"notice: the index of this folder cannot be read: {error}")
    return targets_of(folder, dict.fromkeys(names))
