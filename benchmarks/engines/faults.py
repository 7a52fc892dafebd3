"""What becomes of an index when its writer is killed, or when bytes of it are flipped?

    python -m benchmarks.engines.faults kills words tantivy CORPUS FOLDER SCRATCH
    python -m benchmarks.engines.faults flips words tantivy CORPUS FOLDER SCRATCH

FOLDER is an index that `run` built; it is copied, never touched. A flip changes one bit of one file; each file is hit
in turn. The process that asks is one of its own, so a crash counts as a crash.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT
from benchmarks.engines import vectors, words
from benchmarks.engines.corpus import PER_DOCUMENT, Corpus

KILLS = 10
FLIPS = 100
ASKED = 20
_PATIENCE = 60


def main(task: str, kind: str, name: str, corpus: str, folder: str, scratch: str) -> None:
    act = {"kills": _kills, "flips": _flips, "edits": _edits, "answer": _answer}[task]
    print(json.dumps(act(kind, name, corpus, Path(folder), Path(scratch))))


def _engine(kind: str, name: str, folder: Path) -> Any:
    return (words.ENGINES if kind == "words" else vectors.ENGINES)[name](folder)


def _edits(kind: str, name: str, corpus_path: str, folder: Path, scratch: Path) -> dict[str, int]:
    """Replace documents for ever, and tell each that is done."""
    corpus = Corpus(Path(corpus_path))
    engine = _engine(kind, name, folder)
    for n in range(10_000):
        document = 2 * n % (corpus.size // PER_DOCUMENT - 1)
        rows = list(range(document * PER_DOCUMENT, (document + 1) * PER_DOCUMENT))
        texts = [f"{text} edited{n}" for text in corpus.texts(rows[0], rows[-1] + 1)]
        if kind == "words":
            engine.edit(rows, corpus.texts(rows[0], rows[-1] + 1), texts)
        else:
            engine.edit(rows, corpus.vectors[rows[0] + PER_DOCUMENT : rows[-1] + 1 + PER_DOCUMENT])
        print(n, flush=True)
    return {"edits": 10_000}


def _kills(kind: str, name: str, corpus: str, folder: Path, scratch: Path) -> dict[str, Any]:
    """Kill the writer at some moment, reopen, ask; then the last edit that was told must be found."""
    seen: Counter[str] = Counter()
    chance = random.Random(1)
    for n in range(KILLS):
        copy = scratch / f"kill-{n}"
        shutil.copytree(folder, copy)
        log = (scratch / "edits.log").open("w+")
        writer = subprocess.Popen(
            _command("edits", kind, name, corpus, copy, str(scratch)), cwd=ROOT, stdout=log, stderr=subprocess.DEVNULL
        )  # fmt: skip
        while not Path(log.name).stat().st_size and writer.poll() is None:
            time.sleep(0.01)
        time.sleep(chance.uniform(0.0, 0.6))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        told = [line for line in Path(log.name).read_text().split("\n")[:-1] if line.isdigit()]
        expected = f"edited{told[-1]}" if kind == "words" and told else ""
        outcome, answer = _asked(kind, name, corpus, copy, scratch, expected)
        if outcome == "answers" and expected:
            outcome = "reopens, last edit found" if answer["extra"] >= PER_DOCUMENT else "reopens, last edit LOST"
        seen[outcome] += 1
        shutil.rmtree(copy)
    return dict(seen)


def _command(task: str, kind: str, name: str, corpus: str, folder: Path, last: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.engines.faults", task, kind, name, corpus, str(folder), last]


def _asked(kind: str, name: str, corpus: str, folder: Path, scratch: Path, extra: str = "") -> tuple[str, Any]:
    """How a process of its own fares that opens an index and asks: an outcome, and what it found."""
    command = _command("answer", kind, name, corpus, folder, extra or ".")
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return "hangs", None
    if done.returncode < 0:
        return f"crash ({signal.Signals(-done.returncode).name})", None
    if done.returncode:
        error = (done.stderr.strip().splitlines() or ["?"])[-1]
        return f"{'panic' if 'panic' in done.stderr.lower() else 'exception'}: {error.split(':')[0][:40]}", None
    return "answers", json.loads(done.stdout.splitlines()[-1])


def _answer(kind: str, name: str, corpus_path: str, folder: Path, extra: Path) -> dict[str, Any]:
    corpus = Corpus(Path(corpus_path))
    engine = _engine(kind, name, folder)
    engine.open()
    questions = corpus.questions(ASKED, seed=7)
    if kind == "words":
        found: Any = [engine.ask(question.words, 10) for question in questions]
        more = len(engine.ask([extra.name], 20)[0]) if extra.name else 0
        return {"found": found, "extra": more}
    return {"found": [engine.ask(question.vector, 10).tolist() for question in questions], "extra": 0}


def _flips(kind: str, name: str, corpus: str, folder: Path, scratch: Path) -> dict[str, Any]:
    """Flip one byte of one file, ask, and put it back."""
    copy = scratch / "flipped"
    shutil.copytree(folder, copy)
    outcome, whole = _asked(kind, name, corpus, copy, scratch)
    files = [path for path in sorted(copy.rglob("*")) if path.is_file() and path.stat().st_size]
    chance = random.Random(1)
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for n in range(FLIPS):
        path = files[n % len(files)]
        at, before = chance.randrange(path.stat().st_size), path.stat()
        _flip(path, at, 1 << chance.randrange(8))
        outcome, answer = _asked(kind, name, corpus, copy, scratch)
        if outcome == "answers":
            outcome = "same" if answer == whole else "SILENTLY DIFFERENT"
        seen[path.suffix or path.name][outcome] += 1
        shutil.rmtree(copy)
        shutil.copytree(folder, copy)
        assert path.stat().st_size == before.st_size
    total = sum(seen.values(), Counter())
    return {"all": dict(total), "files": {name: dict(found) for name, found in seen.items()}}


def _flip(path: Path, at: int, bits: int) -> None:
    os.chmod(path, 0o644)
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ bits]))


if __name__ == "__main__":
    main(*sys.argv[1:])
