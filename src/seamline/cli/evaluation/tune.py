"""`seamline tune`: the recipe that suits a folder of documents, chosen by some questions and judged by others."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from seamline.cli.evaluation.eval import add_evaluation_options, prepare, write_file
from seamline.cli.options import (
    HelpFormatter,
    WantedPath,
    add_file_options,
    add_recipe_options,
    choice_of,
    list_files,
    settle,
)
from seamline.cli.output import DONE, INTERRUPTED, Output, json_line, print_text
from seamline.cli.terminal import TerminalStyle, say, style_for, visible
from seamline.errors import ConfigError, index_imports

if TYPE_CHECKING:
    from seamline.api.tune import TuneResult

# As seamline.api.tune has them; importing them would make every command start later.
CANDIDATES = 27
METRIC = "budget_recall"

_EPILOG = """\
examples:
  seamline tune docs/ --questions q.jsonl                 ten minutes, then seamline.toml
  seamline tune docs/ --budget 30min                      Ctrl-C keeps the best so far; the same command goes on
  seamline tune docs/ --legs bm25 --budget 2min           words only, which needs no model
  seamline tune docs/ --metric recall@5 -o tuned.toml     another figure to choose by, another file

One half of the questions chooses, the other half judges. Where the winner is not better by more than chance,
the recipe stays as it is, and the file says so.
exit codes: 0 done, 2 usage or configuration, 130 interrupted (the best so far is written)"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "tune",
        help="choose strategy and sizes from evidence",
        usage="seamline tune [options] PATH [PATH ...]",
        description="Try recipes on documents, keep what finds answers best, and write it as seamline.toml.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    add_evaluation_options(parser)
    how = parser.add_argument_group("tuning")
    how.add_argument(
        "--budget", default="10min", metavar="TIME", help="when no new trial begins: 90s, 10min, 1h (10min)"
    )
    how.add_argument("--candidates", type=int, default=CANDIDATES, metavar="N", help=f"recipes to try ({CANDIDATES})")
    how.add_argument("--metric", default=METRIC, metavar="NAME", help=f"what is chosen by ({METRIC})")
    how.add_argument("--seed", type=int, default=0, metavar="N", help="another draw of candidates (0)")
    how.add_argument(
        "--state",
        metavar="FILE",
        help="keep finished trials here, and go on from there (OUTPUT.trials.json until done)",
    )
    show = parser.add_argument_group("output")
    show.add_argument("-o", "--output", default="seamline.toml", metavar="FILE", help="where to write (seamline.toml)")
    show.add_argument("--force", action="store_true", help="replace the file if it exists")
    show.add_argument("--json", action="store_true", help="one JSON object with all figures")
    show.add_argument("-q", "--quiet", action="store_true", help="no progress and no notices, only errors")
    add_file_options(parser)
    add_recipe_options(parser)
    return parser


def execute(args: argparse.Namespace) -> int:
    from seamline.api.recipes import load_choice, load_weights
    from seamline.api.trust import models_of

    with index_imports():
        import numpy  # noqa: F401 - what every search needs, before documents are read

        from seamline.api.tune import candidates, interrupted_base, tune, tuned_toml

    if args.list:
        return list_files([WantedPath(path, [choice_of(args)], args.follow_links) for path in args.paths])
    seconds = parse_time(args.budget)
    target = Path(args.output)
    state = Path(args.state or f"{args.output}.trials.json")
    before = interrupted_base(state, target)
    if target.exists() and not args.force and before is None:
        raise ConfigError(f"--output: {target} exists; name another file, or replace it with --force")
    if args.candidates < 2:
        raise ConfigError(f"--candidates: expected 2 or more, got {args.candidates}")
    settled = settle(args)
    if before is not None and models_of(before) == models_of(settled.recipe):
        # The file is what the run that is continued wrote: candidates start from what was there before.
        settled = settled._replace(recipe=before)
    args.no_facts = True  # facts do not choose
    prepared = prepare(args, settled)
    plans = candidates(settled.recipe, alphas=args.legs == "hybrid", most=args.candidates, seed=args.seed)
    result = tune(
        prepared.runner,
        plans,
        prepared.questions,
        seconds=seconds,
        metric=args.metric,
        state=state,
        budget=args.budget_tokens,
    )
    prepared.progress.clear()
    text = tuned_toml(
        result,
        documents=len(prepared.corpus.documents(settled.recipe)),
        questions=len(prepared.questions),
        generated=all(question.generated for question in prepared.questions),
        legs=args.legs,
        files=load_choice(target) if target.exists() else None,
        weights=load_weights(target) if target.exists() else None,
    )
    write_file(str(target), text)
    result.finish(text, keep=args.state is not None)
    memory = _peak_memory()
    if args.json:
        Output(None).write(json_line({**result.to_dict(), "output": str(target), "peak_bytes": memory}))
    else:
        print_text(render(result, str(target), memory, style_for(sys.stdout)))
    if not args.quiet:
        for note in prepared.notes[:5]:
            say(f"notice: {note}")
    return INTERRUPTED if result.stopped == "interrupted" else DONE


def parse_time(text: str) -> float:
    """Seconds of a time such as 90s, 10min or 1h."""
    found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,3})?)\s*(s|sec|m|min|h)?", text.strip().lower())
    if found is None or float(found[1]) <= 0:
        raise ConfigError(f"--budget: expected a time such as 90s, 10min or 1h, got {text!r}")
    return float(found[1]) * {"s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, None: 1}[found[2]]


def render(result: TuneResult, output: str, memory: int, style: TerminalStyle) -> str:
    """What was tried and what was chosen."""
    lines = []
    for number, one in enumerate(result.rounds, 1):
        lines.append(style.paint(f"round {number}: {one.questions} questions, {result.metric}", "bold"))
        lines += [f"  {mean:.3f}  {visible(name)}" for name, mean in one.ranking[:5]]
        if len(one.ranking) > 5:
            lines.append(f"  … {len(one.ranking) - 5} more")
    lines.append("")
    lines.append(style.paint(visible(result.verdict()), "yellow" if result.keeps_base else "green"))
    if result.stopped:
        lines.append(f"ended early: {result.stopped}; the same command goes on from here")
    if result.chosen.alpha is not None:
        lines.append(f"search with alpha = {result.chosen.alpha}, which {visible(output)} does not hold")
    resumed = f", {result.resumed} known from before" if result.resumed else ""
    size = f", {memory / 1e6:.0f} MB of memory at most" if memory else ""
    lines.append(f"{result.trials} trials{resumed}, {result.seconds:.1f} s{size}; written to {visible(output)}")
    return "".join(f"{line}\n" for line in lines)


def _peak_memory() -> int:
    """Bytes that this process had at most; 0 where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
