"""Train all models within a budget of wall time and leave their weights in a folder.

    python train/run.py DATA_FOLDER OUT_FOLDER --budget-minutes 22

DATA_FOLDER holds pairs.xz and start.npz (see arrays.py). Needs torch and numpy; bf16 where there is a GPU. Weights are
written at each better validation, so that a run that is stopped leaves usable ones: quality.*.npz (six layers, the
word embeddings are those of the start), student.*.npz (smaller, and faster), cross.*.npz (the word embeddings are the
student's), and train.log. Without the stage `quality`, the six layers are those of quality.*.npz in OUT_FOLDER or of
teacher.npz in DATA_FOLDER (see weights.py). The stage `further` goes on from student.npz in DATA_FOLDER, a shipped
student, with more prose and with MiniLM as one more teacher of it.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")  # read when torch is imported

import bert
import embedder
import numpy as np
import reranker
import torch
from data import MIX_OF_PROSE, Pairs
from embedder import Plan, Teachers
from narrow import Shape, narrow
from validate import Validation

SHARES = {"quality": 0.30, "shapes": 0.06, "student": 0.70, "further": 0.70, "cross": 0.22}
"""Of the budget (`shapes`: each of them), beside each other; they are scaled so that the stages that run use it all."""
SHAPES = (
    Shape((0, 2, 5), 12, 1280),
    Shape((0, 2, 4, 5), 8, 1088),
    Shape((0, 1, 2, 4, 5), 6, 896),
    Shape((0, 1, 2, 3, 4, 5), 6, 512),
)
"""What a student may be: all embed twice as many chunks per CPU second as MiniLM."""
STAGES = "quality,shapes,student,cross"
KEPT = 0.8
"""The six-layer model is this far from where it started: training for documentation forgets some of the rest."""
HALF = 0.5
"""The teacher of prose and questions is this far from MiniLM to the six-layer model."""
PROSE_SHARE = 0.4
"""What prose counts in the validation of `further`."""
LOST = 0.9
"""Share of the budget for training; the rest is for loading, mining and validation."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--budget-minutes", type=float, default=22.0)
    parser.add_argument("--stages", default=STAGES)
    parser.add_argument("--shape", help="the shape of the student, as in 4x8x1088, where none is tried out")
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--quality-rate", type=float, default=1.5e-4)
    parser.add_argument("--student-rate", type=float, default=5e-4)
    parser.add_argument("--further-rate", type=float, default=2e-4)
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
    origin = bert.build(start, device, dropout=0.0)
    log(f"start  nDCG@10 {check.report(check.scores(origin))[1]}")
    log(f"BM25   nDCG@10 {check.report(check.words())[1]}")
    pairs.mine_by_words()
    log("negatives by words are mined")
    stages = args.stages.split(",")
    planned = SHARES | {"shapes": SHARES["shapes"] * len(SHAPES)}
    whole = LOST * args.budget_minutes * 60 / sum(planned[name] for name in stages)
    seconds = {name: share * whole for name, share in SHARES.items()}

    teacher_weights = start
    if "quality" in stages:
        plan = Plan("quality", seconds["quality"], args.batch, args.quality_rate, words=False, pull=(1.0, 4.0))
        trained = embedder.train(plan, bert.build(start, device), Teachers(origin), pairs, check, args.out, log)
        for share in (0.5, KEPT, 1.0):
            model = bert.build(embedder.blend(start, trained, share), device, dropout=0.0)
            log(f"quality, {share} of the way: nDCG@10 {check.report(check.scores(model))[1]}")
        teacher_weights = embedder.blend(start, trained, KEPT)
    elif list(args.out.glob("quality.*.npz")):
        teacher_weights = embedder.blend(start, start | bert.load_parts(args.out, "quality"), KEPT)
    elif (args.data / "teacher.npz").exists():
        with np.load(args.data / "teacher.npz") as arrays:
            teacher_weights = start | bert.unpack({name: arrays[name] for name in arrays.files})
    teacher = bert.build(teacher_weights, device, dropout=0.0)
    log(f"teacher nDCG@10 {check.report(check.scores(teacher))[1]}")
    general = bert.build(embedder.blend(start, teacher_weights, HALF), device, dropout=0.0)
    log(f"general nDCG@10 {check.report(check.scores(general))[1]}")
    teachers = Teachers(teacher, general)

    def plan_of(name: str, seconds: float, **given: object) -> Plan:
        weights = {"pull": (4.0, 12.0), "likeness": 1.0, "pieces": 2.0}
        return Plan(name, seconds, args.batch, args.student_rate, words=True, **weights, **given)

    def cut_out(shape: Shape) -> dict[str, np.ndarray]:
        sample = torch.nonzero(~pairs.p_valid).flatten()
        return narrow(teacher, pairs.passages(sample[:: max(1, len(sample) // 512)][:512], 256), shape)

    student_weights = {}
    if "shapes" in stages:
        pairs.mine(teacher)
        log("negatives by meaning are mined")
        best = -1.0
        for shape in SHAPES:
            torch.manual_seed(args.seed)
            plan = plan_of(f"try-{shape}", seconds["shapes"], flat=True, refresh=1e9, every=1e9, decay=0.98)
            model = bert.build(cut_out(shape), device, dropout=0.0)
            tried = embedder.train(plan, model, teachers, pairs, check, args.out, log)
            for file in args.out.glob(f"{plan.name}.*.npz"):
                file.unlink()
            model = bert.build(tried, device, dropout=0.0)
            mean, far = check.report(check.scores(model))[0], check.fidelity(model, general)
            log(f"shape {shape}: nDCG@10 {mean:.2f}, cosine to the general teacher {far:.4f}")
            if mean + 100 * far > best:
                best, student_weights = mean + 100 * far, tried
                log(f"shape {shape} is the best so far")
    if "student" in stages:
        if not student_weights:
            sizes = args.shape or str(SHAPES[0])
            student_weights = cut_out(next(shape for shape in SHAPES if str(shape) == sizes))
        plan = plan_of("student", seconds["student"], refresh=seconds["student"] / 3)
        model = bert.build(student_weights, device, dropout=0.0)
        student_weights = embedder.train(plan, model, teachers, pairs, check, args.out, log)
        model = bert.build(student_weights, device, dropout=0.0)
        far = check.fidelity(model, general)
        log(f"student {bert.sizes_of(student_weights)}: cosine to the general teacher {far:.4f}")
    elif "further" in stages:
        with np.load(args.data / "student.npz") as arrays:
            model = bert.build(bert.unpack({name: arrays[name] for name in arrays.files}), device, dropout=0.0)
        pairs.mix, check.prose_share = MIX_OF_PROSE, PROSE_SHARE
        log(f"before: nDCG@10 {check.report(check.scores(model))[1]}")
        log(f"before: cosine to the general teacher {check.fidelity(model, general):.4f}")
        plan = plan_of("student", seconds["further"], refresh=seconds["further"] / 2)
        plan = replace(plan, rate=args.further_rate, every=20.0)
        student_weights = embedder.train(plan, model, replace(teachers, further=origin), pairs, check, args.out, log)
        far = check.fidelity(bert.build(student_weights, device, dropout=0.0), general)
        log(f"after: cosine to the general teacher {far:.4f}")
    elif list(args.out.glob("student.*.npz")):
        student_weights = bert.load_parts(args.out, "student")
    if "cross" in stages:
        plan = Plan("cross", seconds["cross"], max(16, args.batch // 8), args.cross_rate, words=False)
        student = bert.build(student_weights, device, dropout=0.0)
        reranker.train(plan, bert.build(student_weights, device, head=True), student, pairs, check, args.out, log)
    log("done")


if __name__ == "__main__":
    main()
