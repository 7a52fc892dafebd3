"""The weights of a shipped embedder, back from 8 bits, as a file that `run.py` reads as a teacher.

    python train/weights.py quality.int8.onnx DATA/teacher.npz

Without its word embeddings: those of `quality` are MiniLM's, and `start.npz` has them.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np
import onnx
from bert import WIDTH, unpack
from onnx import numpy_helper

_KEPT = re.compile(r"(?:layers\.\d+\.\w+|norm)\.(?:bias|weight)|places\.weight")


def packed(file: Path) -> dict[str, np.ndarray]:
    """Matrices as 8-bit numbers and a scale per row, all else as it is, without word embeddings."""
    known = {one.name: numpy_helper.to_array(one) for one in onnx.load(str(file)).graph.initializer}
    out: dict[str, np.ndarray] = {}
    for name, value in known.items():
        if found := re.fullmatch(r"(layers\.\d+\.\w+)\.weight_quantized", name):
            out |= {f"{found[1]}.int8": value.T.copy(), f"{found[1]}.scale": known[f"{found[1]}.weight_scale"]}
        elif _KEPT.fullmatch(name):
            out[name] = value
        elif found := re.fullmatch(r"(layers\.\d+)\.(weight_quantized|weight_scale|bias)", name):
            end = {"weight_quantized": "int8", "weight_scale": "scale", "bias": "bias"}[found[2]]
            thirds = np.split(value, 3, axis=-1)  # side by side in the graph
            for part, third in zip(("query", "key", "value"), thirds, strict=True):
                out[f"{found[1]}.{part}.{end}"] = third.T.copy()
    return out | {"types.weight": _table(known, "types.weight")}


def read(file: Path) -> dict[str, np.ndarray]:
    """All of them as floats."""
    known = {one.name: numpy_helper.to_array(one) for one in onnx.load(str(file)).graph.initializer}
    return unpack(packed(file)) | {"words.weight": _table(known, "words.weight")}


def _table(known: dict[str, np.ndarray], name: str) -> np.ndarray:
    """Rows to be looked up, which have one scale."""
    if name not in known and f"{name}_quantized" not in known:
        return np.zeros((2, WIDTH), np.float32)  # it is part of the places
    whole = known[f"{name}_quantized"].astype(np.float32) - known[f"{name}_zero_point"]
    return (whole * known[f"{name}_scale"]).astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    np.savez_compressed(args.out, **packed(args.model))
    print(f"{args.out}: {args.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
