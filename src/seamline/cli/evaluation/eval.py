"""`seamline eval`: which strategy and size finds the answers, on the user's own documents."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from seamline.cli.chunk import usage_text
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
from seamline.cli.output import DONE, FAILED, INTERRUPTED, Output, json_line, print_text
from seamline.cli.terminal import Progress, TerminalStyle, columns, plural, say, style_for, visible
from seamline.errors import ConfigError, index_imports

if TYPE_CHECKING:
    from collections.abc import Mapping

    from seamline.api.evaluate import (
        Evaluation,
        LabelledQuestion,
        LanguageModel,
        Trial,
        TrialCorpus,
        TrialRunner,
        Usage,
    )
    from seamline.api.trust import Access
    from seamline.types import Document

T = TypeVar("T")

LEGS = ("hybrid", "dense", "bm25")
_MOST_NOTES = 5

_EPILOG = """\
examples:
  seamline eval docs/ --questions q.jsonl                        the recipe as it is
  seamline eval docs/ --questions q.jsonl --strategies structural,semantic --sizes 200,400,800
  seamline eval docs/ --sizes 256,512 --report report.html       questions that rules write from the documents
  seamline eval docs/ --questions q.jsonl --peers all            beside other chunkers that are installed
  seamline eval docs/ --questions q.jsonl --gate 'recall@5>=0.8' for CI: exit code 1 where it falls short
  seamline eval docs/ --llm openai:MODEL --judge 30              a model writes questions and judges answers
  seamline eval --questions squad.json                           documents that come with their questions
  seamline search "how often is it retried" --json | seamline eval --record q.jsonl --hits 1,3

A line of a questions file: {"question": "...", "doc": "guide.md", "start": 120, "end": 180}, or with
"answers": [{"doc": ..., "text": "..."}]. SQuAD files and BEIR folders are read as they are.
Metrics, and what a difference means: docs/howto/evaluate.md.
exit codes: 0 done, 1 a gate fell short or documents could not be read, 2 usage or configuration"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "eval",
        help="measure how well chunks answer questions",
        usage="seamline eval [options] PATH [PATH ...]",
        description="Cut documents in several ways, ask the same questions of each, and compare what is found.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    add_evaluation_options(parser)
    what = parser.add_argument_group("what is compared; the first is the baseline")
    what.add_argument("--strategies", metavar="A,B", help="strategies (that of the recipe)")
    what.add_argument("--sizes", metavar="N,N", help="limits of chunks, in tokens (that of the recipe)")
    what.add_argument("--peers", metavar="A,B", help="other chunkers beside ours, or `all` that are installed")
    show = parser.add_argument_group("output")
    show.add_argument("--json", action="store_true", help="one JSON object with all figures")
    show.add_argument("--report", metavar="FILE", help="also write a page with plots and every question")
    show.add_argument(
        "--gate",
        action="append",
        default=[],
        metavar="COND",
        help="fail where it does not hold: 'recall@5>=0.8', or `targets` for what good chunks reach",
    )
    show.add_argument("--save-questions", metavar="FILE", help="write the questions with their spans to a file")
    show.add_argument(
        "--judge", type=int, default=0, metavar="N", help="let the model of --llm answer N questions, and judge them"
    )
    show.add_argument("-q", "--quiet", action="store_true", help="no progress and no notices, only errors")
    record = parser.add_argument_group("instead of an evaluation: questions from searches")
    record.add_argument(
        "--record", metavar="FILE", help="add searches with marked hits to a questions file; PATH is their JSON, or -"
    )
    record.add_argument("--hits", metavar="N,N", help='ranks that answer, where hits have no "relevant": true')
    add_file_options(parser)
    add_recipe_options(parser)
    return parser


def add_evaluation_options(parser: argparse.ArgumentParser) -> None:
    """What `eval` and `tune` have in common."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="documents, or folders of them")
    ask = parser.add_argument_group("questions and search")
    ask.add_argument("--questions", metavar="FILE", help="JSON lines, SQuAD, or a BEIR folder; generated if none")
    ask.add_argument(
        "--generate", choices=("rules", "llm"), help="who writes questions if there are none (llm where --llm is set)"
    )
    ask.add_argument("--most", type=int, metavar="N", help="questions at most (all; 200 by rules, 50 by a model)")
    ask.add_argument("--legs", choices=LEGS, default="hybrid", help="how to search (hybrid); bm25 needs no model")
    ask.add_argument("--embedder", metavar="NAME", default="seam", help="the model of the dense leg (seam)")
    ask.add_argument("--budget-tokens", type=int, default=1000, metavar="N", help="prompt of budget_recall (1000)")
    ask.add_argument("--no-facts", action="store_true", help="skip coherence, density and others: faster")


def execute(args: argparse.Namespace) -> int:
    if args.record:
        return _record(args)
    with index_imports():
        import numpy  # noqa: F401 - what every search needs, before documents are read

        from seamline.api.evaluate import check_gates, evaluate, parse_gates, plan_trials, render_report

    if args.list:
        return list_files([WantedPath(path, [choice_of(args)], args.follow_links) for path in args.paths])
    gates = parse_gates(args.gate)
    settled = settle(args)
    strategies, sizes = names_of(args.strategies), [_size(one) for one in names_of(args.sizes)]
    plans = plan_trials(settled.recipe, strategies, sizes, _peers(args.peers))
    prepared = prepare(args, settled)
    if args.save_questions:
        lines = "".join(json_line(question.to_dict()) for question in prepared.questions)
        write_file(args.save_questions, lines)
    done = evaluate(prepared.runner, plans, prepared.questions, prepared.notes)
    prepared.progress.clear()
    usage = prepared.usage + prepared.runner.usage
    if usage.calls + usage.cached and not args.quiet:
        say(usage_text(usage, settled.recipe.llm))
    if args.report:
        write_file(args.report, render_report(done, prepared.corpus.texts(settled.recipe)))
    if args.json:
        Output(None).write(json_line(done.to_dict()))
    else:
        print_text("".join(f"{line}\n" for line in table_lines(done, style_for(sys.stdout))))
    if not args.quiet:
        for note in _first(done.notes):
            say(f"notice: {note}")
    short = check_gates(gates, {trial.name: trial.means for trial in done.trials if not trial.is_peer})
    for line in short:
        say(f"gate: {line}")
    if len(done.trials) < len(plans):
        return INTERRUPTED
    return FAILED if short or prepared.corpus.problems(settled.recipe) else DONE


class Prepared(NamedTuple):
    """All that trials need."""

    corpus: TrialCorpus
    questions: list[LabelledQuestion]
    runner: TrialRunner
    progress: Progress
    notes: list[str]
    usage: Usage
    """What a language model was asked for questions."""


def prepare(args: argparse.Namespace, settled: Settled) -> Prepared:
    """Read the documents and the questions of a command line."""
    from seamline.api.evaluate import TrialRunner, Usage, load_corpus, locate_answers, read_questions
    from seamline.api.recipes import load_choice
    from seamline.api.sources import expand

    judged = getattr(args, "judge", 0)
    if judged < 0:
        raise ConfigError(f"--judge: expected 0 or more, got {judged}")
    if args.most is not None and args.most < 1:
        raise ConfigError(f"--most: expected 1 or more, got {args.most}")
    if args.budget_tokens < 1:
        raise ConfigError(f"--budget-tokens: expected 1 or more, got {args.budget_tokens}")
    asked = read_questions(Path(args.questions)) if args.questions else None
    if not args.paths and (asked is None or not asked.documents):
        raise ConfigError("expected documents: name files or folders, or a SQuAD file or BEIR folder as --questions")
    model = _language_model(args, settled, judged)
    choices = [choice_of(args), *([load_choice(settled.config)] if settled.config else [])]
    inputs = expand(args.paths, follow_links=args.follow_links, choices=choices)
    corpus = load_corpus(
        [file for file in inputs.files if file is not None],
        texts=asked.documents if asked and not args.paths else None,
        max_bytes=max_bytes(args),
        media_type=media_type_of(args),
        encoding=args.encoding,
    )
    progress = Progress(0, wanted=not args.quiet)
    documents = corpus.documents(settled.recipe)
    if not documents:
        reasons = [*inputs.failures, *corpus.problems(settled.recipe)]
        raise ConfigError(f"no document can be read{f': {reasons[0]}' if reasons else ''}")
    notes = [*inputs.failures, *inputs.skipped, *corpus.problems(settled.recipe)]
    usage = Usage()
    if asked is None:
        questions, usage = _generated(args, documents, model, progress, notes)
    else:
        found = locate_answers(asked.questions, corpus.texts(settled.recipe))
        questions = _sample(found.questions, args.most)
        notes += [*asked.problems, *(f"answer not found: {one}" for one in found.missing)]
        notes += [f"answer found by similar words: {one}" for one in found.fuzzy]
        if not questions:
            raise ConfigError(f"{args.questions}: no answer was found in the documents; first: {notes[-1]}")
    runner = TrialRunner(
        corpus,
        embedder=args.embedder,
        legs=args.legs,
        access=_access(settled, args.embedder),
        facts=not args.no_facts,
        budget=args.budget_tokens,
        judge=model if judged else None,
        judged=min(judged, len(questions)),
        progress=progress.show,
    )
    return Prepared(corpus, questions, runner, progress, notes, usage)


def _language_model(args: argparse.Namespace, settled: Settled, judged: int) -> LanguageModel | None:
    """The model that writes questions or judges answers, where one is wanted. Its answers are kept between runs."""
    if not settled.recipe.llm:
        wanted = "--judge" if judged else "--generate" if args.generate == "llm" else ""
        if wanted:
            raise ConfigError(f"{wanted}: expected a model, as in --llm openai:MODEL@URL")
        return None
    from seamline.api.batch import make_runtime
    from seamline.cli.place import answers_file

    return make_runtime(settled.recipe, answers=answers_file(), access=settled.access).llm


def _generated(
    args: argparse.Namespace,
    documents: Mapping[str, Document],
    model: LanguageModel | None,
    progress: Progress,
    notes: list[str],
) -> tuple[list[LabelledQuestion], Usage]:
    """Questions that a model or rules write, which is told."""
    from seamline.api.evaluate import WRITTEN, Usage, generate_questions, write_questions

    if model is not None and args.generate != "rules":
        written = write_questions(documents, model, args.most or WRITTEN, progress.show)
        if not written.questions:
            raise ConfigError(f"the model wrote no question of use; first: {(*written.problems, 'no passage')[0]}")
        notes.append(f"{plural(len(written.questions), 'question')} generated from the documents by a language model")
        notes += written.problems
        return written.questions, written.usage
    questions = generate_questions(documents, args.most or 200)
    notes.append(
        f"{plural(len(questions), 'question')} generated from the documents by rules: they compare ways to cut, and"
        " are easier than what people ask"
    )
    return questions, Usage()


def _record(args: argparse.Namespace) -> int:
    """Add searches with marked hits to a questions file."""
    from seamline.api.evaluate import record_searches

    ranks = [int(one) if one.isdecimal() and int(one) else 0 for one in names_of(args.hits)]
    if 0 in ranks:
        raise ConfigError(f"--hits: expected ranks such as 1,3, got {args.hits!r}")
    texts = [_search_text(path, max_bytes(args)) for path in args.paths or ["-"]]
    text, added = record_searches(Path(args.record), "\n".join(texts) if len(texts) > 1 else texts[0], ranks)
    write_file(args.record, text)
    if not args.quiet:
        say(f"{plural(added, 'question')} recorded in {visible(args.record)}")
    return DONE


def _search_text(path: str, most: int | None) -> str:
    from seamline.api.sources import read_file

    data = read_stdin(most) if path == "-" else read_file(Path(path), max_bytes=most).data
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: expected UTF-8, as `seamline search --json` prints") from None


def _access(settled: Settled, embedder: str) -> Access:
    """What the recipe may load, and the embedder that the command line names."""
    from seamline.api.trust import Access, FoundModels, admit, trust_folder, trust_in
    from seamline.cli.place import keys_of

    found = FoundModels(trust_folder(Path.cwd()), "the command line", (embedder,))
    own = admit(found, trust_in([embedder]), keys_of(), [embedder])
    return Access({**own.keys, **settled.access.keys}, settled.access.refused)


def _sample(questions: list[T], most: int | None) -> list[T]:
    """So many, spread evenly over the file."""
    if most is None or len(questions) <= most:
        return questions
    return [questions[at * len(questions) // most] for at in range(most)]


def names_of(given: str | None) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in (given or "").split(",") if name.strip()))


def _size(text: str) -> int:
    if not text.isdecimal() or not text.isascii() or len(text) > 6:
        raise ConfigError(f"--sizes: expected whole numbers such as 200,400,800, got {text!r}")
    return int(text)


def _peers(given: str | None) -> list[str]:
    from seamline.api.evaluate import PEERS, installed_peers

    names = names_of(given)
    if names == ["all"]:
        return installed_peers()
    if strange := [name for name in names if name not in PEERS]:
        raise ConfigError(f"--peers: expected all, or some of {', '.join(PEERS)}, got {strange[0]!r}")
    return names


def write_file(path: str, text: str) -> None:
    """All of a file, or the file that was there before."""
    output = Output(Path(path))
    try:
        output.write(text)
        output.close(keep=True)
    finally:
        output.abandon()


def _first(notes: Sequence[str]) -> Iterator[str]:
    yield from notes[:_MOST_NOTES]
    if len(notes) > _MOST_NOTES:
        yield f"{len(notes) - _MOST_NOTES} more; --json lists all"


_SHOWN: dict[str, Callable[[Trial, dict[str, float]], str]] = {
    "chunks": lambda trial, means: f"{trial.chunks:,}",
    "tokens": lambda trial, means: f"{means['tokens']:.0f}",
    "composite": lambda trial, means: f"{means['composite']:.3f}",
    "budget_recall": lambda trial, means: f"{means['budget_recall']:.3f}",
    "recall@5": lambda trial, means: f"{means['recall@5']:.3f}",
    "mrr": lambda trial, means: f"{means['mrr']:.3f}",
    "ndcg@5": lambda trial, means: f"{means['ndcg@5']:.3f}",
    "full@5": lambda trial, means: f"{means['full@5']:.3f}",
    "iou@5": lambda trial, means: f"{means['iou@5']:.3f}",
    "violations": lambda trial, means: f"{means['violations']:.0f}",
    "stored": lambda trial, means: f"{means['expansion']:.2f}x",
    "seconds": lambda trial, means: f"{_seconds(trial):.1f}",
}


def _cell(name: str) -> Callable[[Trial, dict[str, float]], str]:
    return lambda trial, means: f"{means[name]:.3f}" if name in means else ""


def _seconds(trial: Trial) -> float:
    return trial.cost.cut_seconds + trial.cost.embed_seconds + trial.cost.search_seconds


def table_lines(done: Evaluation, style: TerminalStyle) -> Iterator[str]:
    """The figures of every trial, marked where they differ from the first by more than chance."""
    from seamline.api.evaluate import JUDGED

    asked = plural(len(done.questions), "generated question" if done.generated else "question")
    head = f"{asked} on {plural(done.documents, 'document')}"
    yield style.paint(head, "bold")
    yield ""
    judged = {name: _cell(name) for name in JUDGED if any(trial.judged for trial in done.trials)}
    shown = (
        {**_SHOWN, **judged}
        if done.questions
        else {name: _SHOWN[name] for name in ("chunks", "tokens", "violations", "stored")}
    )
    rows = [["", *shown]]
    for trial in done.trials:
        means = trial.means
        rows.append(
            [visible(trial.name), *(cell(trial, means) + _mark(done, trial, name) for name, cell in shown.items())]
        )
    widths = [max(columns(row[at]) for row in rows) for at in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = [row[0] + " " * (widths[0] - columns(row[0]))]
        cells += [" " * (width - columns(cell)) + cell for cell, width in zip(row[1:], widths[1:], strict=True)]
        line = "  ".join(cells).rstrip()
        yield style.paint(line, "dim") if not number else line
    if len(done.trials) > 1 and done.questions:
        yield ""
        yield f"+ better, - worse than {visible(done.trials[0].name)} by more than chance (paired bootstrap, p < 0.05)"


def _mark(done: Evaluation, trial: Trial, metric: str) -> str:
    """A sign behind a figure that differs from the first by more than chance."""
    if trial is done.trials[0] or metric not in (found := done.differences[trial.name]):
        return " "
    better = found[metric].mean > 0 if metric != "violations" else found[metric].mean < 0
    return ("+" if better else "-") if found[metric].is_significant else " "
