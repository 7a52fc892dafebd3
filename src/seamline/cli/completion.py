"""`seamline completion`: completion scripts, made from the parser so that they never fall behind it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import NamedTuple

from seamline.cli.options import HelpFormatter
from seamline.cli.output import DONE, print_text

_EPILOG = """\
examples:
  seamline completion bash > ~/.local/share/bash-completion/completions/seamline
  seamline completion zsh > ~/.zfunc/_seamline      with ~/.zfunc in $fpath
  seamline completion fish > ~/.config/fish/completions/seamline.fish"""

_FILE_WORDS = ("FILE", "DIR", "FOLDER", "PATH", "PLACE")


class Option(NamedTuple):
    """One option of a command, as a shell needs to know it."""

    names: tuple[str, ...]
    help: str
    takes: str
    """`flag`, `choice`, `file` or `value`."""
    choices: tuple[str, ...] = ()


class Command(NamedTuple):
    name: str
    help: str
    options: list[Option]
    words: tuple[str, ...]
    """What its positional argument may be, where that is a fixed list."""
    files: bool
    """Whether it takes files."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "completion",
        help="print a completion script for a shell",
        description="Print a completion script for bash, zsh or fish.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("shell", choices=tuple(_SCRIPTS), help="the shell to complete in")
    return parser


def execute(args: argparse.Namespace) -> int:
    from seamline.cli.main import build_parser

    print_text(_SCRIPTS[args.shell](commands_of(build_parser())))
    return DONE


def commands_of(parser: argparse.ArgumentParser) -> list[Command]:
    """The commands of a parser, read from its own tables."""
    table = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    helps = {action.dest: action.help or "" for action in table._choices_actions}
    return [
        Command(
            name,
            helps[name],
            [_option(a) for a in sub._actions if a.option_strings],
            words=tuple(str(c) for a in sub._actions if not a.option_strings for c in a.choices or ()),
            files=any(a.metavar in _FILE_WORDS for a in sub._actions if not a.option_strings),
        )
        for name, sub in table.choices.items()
    ]


def _option(action: argparse.Action) -> Option:
    names, text = tuple(action.option_strings), action.help or ""
    if action.nargs == 0:
        return Option(names, text, "flag")
    if action.choices:
        return Option(names, text, "choice", tuple(str(choice) for choice in action.choices))
    return Option(names, text, "file" if action.metavar in _FILE_WORDS else "value")


# --- scripts ---------------------------------------------------------------------------------------------------


def _bash(commands: list[Command]) -> str:
    names = " ".join(c.name for c in commands)
    values = [
        f'    {c.name}:{n}) COMPREPLY=($(compgen -W "{" ".join(o.choices)}" -- "$cur")); return ;;'
        for c in commands
        for o in c.options
        for n in o.names
        if o.takes == "choice"
    ]
    free = "|".join(
        f"{c.name}:{n}" for c in commands for o in c.options for n in o.names if o.takes in ("file", "value")
    )
    options = [
        f'    {c.name}) words="{" ".join(n for o in c.options for n in o.names)}" rest="{" ".join(c.words)}" ;;'
        for c in commands
    ]
    return "\n".join(
        [
            "# bash completion for seamline",
            "_seamline() {",
            '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" command="" word words rest',
            "  COMPREPLY=()",
            '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
            f'    case "$word" in {names.replace(" ", "|")}) command="$word"; break ;; esac',
            "  done",
            '  case "$command:$prev" in',
            *values,
            f"    {free}) return ;;",
            "  esac",
            '  case "$command" in',
            *options,
            f'    *) words="--help --version" rest="{names}" ;;',
            "  esac",
            '  if [[ "$cur" == -* ]]; then rest="$words"; fi',
            '  COMPREPLY=($(compgen -W "$rest" -- "$cur"))',
            "}",
            "complete -o default -F _seamline seamline",
            "",
        ]
    )


def _zsh(commands: list[Command]) -> str:
    lines = ["#compdef seamline", "_seamline() {", "  local -a commands", "  commands=("]
    lines += [f"    {_quote(f'{c.name}:{c.help}')}" for c in commands]
    lines += ["  )", "  if (( CURRENT == 2 )); then", "    _describe command commands", "    return", "  fi"]
    lines += ["  local name=$words[2]", "  shift words", "  (( CURRENT-- ))", "  case $name in"]
    for command in commands:
        rest = f"({' '.join(command.words)})" if command.words else "_files" if command.files else " "
        specs = [_zsh_option(name, o) for o in command.options for name in o.names]
        lines += [f"    {command.name})", "      _arguments \\"]
        lines += [f"        {_quote(spec)} \\" for spec in specs]
        lines += [f"        {_quote(f'*:argument:{rest}')}", "      ;;"]
    lines += ["  esac", "}", 'if [[ "$funcstack[1]" == "_seamline" ]]; then', '  _seamline "$@"', "else"]
    return "\n".join([*lines, "  compdef _seamline seamline", "fi", ""])


def _zsh_option(name: str, option: Option) -> str:
    text = option.help.replace("[", "(").replace("]", ")").replace(":", ";")
    ends = {"flag": "", "value": ":value: ", "file": ":file:_files", "choice": f":value:({' '.join(option.choices)})"}
    return f"{name}[{text}]{ends[option.takes]}"


def _fish(commands: list[Command]) -> str:
    lines = ["# fish completion for seamline"]
    lines += [f"complete -c seamline -n __fish_use_subcommand -f -a {c.name} -d {_quote(c.help)}" for c in commands]
    for command in commands:
        when = f"complete -c seamline -n '__fish_seen_subcommand_from {command.name}'"
        if command.words:
            lines.append(f"{when} -f -a {_quote(' '.join(command.words))}")
        elif not command.files:
            lines.append(f"{when} -f")
        lines += [f"{when} {_fish_option(option)}" for option in command.options]
    return "\n".join([*lines, ""])


def _fish_option(option: Option) -> str:
    names = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.names)
    ends = {"flag": "", "value": " -x", "file": " -r -F", "choice": f" -x -a {_quote(' '.join(option.choices))}"}
    return f"{names}{ends[option.takes]} -d {_quote(option.help)}"


def _quote(text: str) -> str:
    """For all three shells: in single quotes, without any inside."""
    return "'" + text.replace("'", "’") + "'"


_SCRIPTS: Mapping[str, Callable[[list[Command]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
