"""Train all models within a budget of wall time and leave their weights in a folder.

    python train/run.py DATA_FOLDER OUT_FOLDER --budget-minutes 22

DATA_FOLDER holds pairs.xz and start.npz (see arrays.py). Needs torch and numpy; bf16 where there is a GPU. Weights are
written at each better validation, so that a run that is stopped leaves usable ones: quality.*.npz (six layers, the
word embeddings are those of the start), student.*.npz (three layers), cross.*.npz (the word embeddings are the
student's), and train.log.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")  # read when torch is imported

import bert
import embedder
import numpy as np
import reranker
import torch
from data import Pairs
from embedder import Plan
from validate import Validation

SHARES = {"quality": 0.30, "student": 0.42, "cross": 0.22}
"""Of the budget; the rest is for loading, mining and validation."""
STUDENT = (0, 2, 5)
KEPT = 0.8
"""The six-layer model is this far from where it started: training for documentation forgets some of the rest."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--budget-minutes", type=float, default=22.0)
    parser.add_argument("--stages", default="quality,student,cross")
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--quality-rate", type=float, default=1.5e-4)
    parser.add_argument("--student-rate", type=float, default=5e-4)
    parser.add_argument("--cross-rate", type=float, default=2e-4)
    parser.add_argument(
        "--longest", type=int, default=320, help="cut all texts at so many pieces (to try the script out)"
    )
    parser.add_argument("--seed", type=int, default=13)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()

    def log(text: str) -> None:
        line = f"{time.monotonic() - began:7.1f}  {text}"
        print(line, flush=True)
        with (args.out / "train.log").open("a") as file:
            file.write(line + "\n")

    torch.manual_seed(args.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    pairs = Pairs(args.data / "pairs.xz", device, args.seed, args.longest)
    with np.load(args.data / "start.npz") as arrays:
        start = bert.unpack({name: arrays[name] for name in arrays.files})
    check = Validation(pairs)
    log(
        f"{device}, torch {torch.__version__}: {len(pairs.p_start)} passages, pairs {pairs.counts()}; "
        f"validation {len(check.passages)} passages, {len(check.queries)} questions"
    )
    origin = bert.build(start, 6, device, dropout=0.0)
    log(f"start  nDCG@10 {check.report(check.scores(origin))[1]}")
    log(f"BM25   nDCG@10 {check.report(check.words())[1]}")
    pairs.mine_by_words()
    log("negatives by words are mined")
    stages = args.stages.split(",")
    seconds = {name: share * args.budget_minutes * 60 for name, share in SHARES.items()}

    teacher_weights = start
    if "quality" in stages:
        plan = Plan("quality", seconds["quality"], args.batch, args.quality_rate, words=False, pull=(1.0, 4.0))
        trained = embedder.train(plan, bert.build(start, 6, device), origin, pairs, check, args.out, log)
        for share in (0.5, KEPT, 1.0):
            model = bert.build(embedder.blend(start, trained, share), 6, device, dropout=0.0)
            log(f"quality, {share} of the way: nDCG@10 {check.report(check.scores(model))[1]}")
        teacher_weights = embedder.blend(start, trained, KEPT)
    elif list(args.out.glob("quality.*.npz")):
        teacher_weights = embedder.blend(start, start | bert.load_parts(args.out, "quality"), KEPT)
    teacher = bert.build(teacher_weights, 6, device, dropout=0.0)
    student_weights = bert.pick_layers(teacher_weights, STUDENT)
    if "student" in stages:
        plan = Plan(
            "student", seconds["student"], args.batch, args.student_rate, words=True, pull=(4.0, 10.0), likeness=1.0
        )
        student_weights = embedder.train(
            plan, bert.build(student_weights, 3, device, dropout=0.05), teacher, pairs, check, args.out, log
        )
    elif list(args.out.glob("student.*.npz")):
        student_weights = bert.load_parts(args.out, "student")
    if "cross" in stages:
        plan = Plan("cross", seconds["cross"], max(16, args.batch // 8), args.cross_rate, words=False)
        student = bert.build(student_weights, 3, device, dropout=0.0)
        reranker.train(plan, bert.build(student_weights, 3, device, head=True), student, pairs, check, args.out, log)
    log("done")


if __name__ == "__main__":
    main()
