"""The weights of a shipped embedder, back from 8 bits, as a file that `run.py` reads as a teacher or goes on from.

    python train/weights.py quality.int8.onnx DATA/teacher.npz
    python train/weights.py seam.int8.onnx DATA/student.npz --words

Without `--words` its word embeddings are left out: those of `quality` are MiniLM's, and `start.npz` has them.
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


def packed_words(file: Path) -> dict[str, np.ndarray]:
    """Word embeddings in the steps that are shipped; in larger ones where a row has numbers beyond signed 8 bits."""
    known = {one.name: numpy_helper.to_array(one) for one in onnx.load(str(file)).graph.initializer}
    if "words.scale" in known:
        return {"words.int8": known["words.int8"], "words.scale": known["words.scale"][:, 0]}
    steps = known["words.weight_quantized"].astype(np.float32) - known["words.weight_zero_point"]
    wider = np.maximum(1, np.abs(steps).max(1) / 127)
    scale = (wider * known["words.weight_scale"]).astype(np.float32)
    return {"words.int8": np.round(steps / wider[:, None]).astype(np.int8), "words.scale": scale}


def read(file: Path) -> dict[str, np.ndarray]:
    """All of them as floats."""
    return unpack(packed(file) | packed_words(file))


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
    parser.add_argument("--words", action="store_true", help="its word embeddings too")
    args = parser.parse_args()
    np.savez_compressed(args.out, **packed(args.model), **(packed_words(args.model) if args.words else {}))
    print(f"{args.out}: {args.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
