"""Weights as an ONNX graph, quantized to 8 bits.

    python train/export.py TRAINED_FOLDER START.npz OUT_FOLDER [--share 0.8]
    python train/export.py seam.int8.onnx START.npz OUT_FOLDER  # the weights of a shipped embedder, in today's graph

Makes student.int8.onnx, quality.int8.onnx and cross.int8.onnx of the weights that are there, and prints how far the
quantized models are from the float ones. Inputs are those of BERT; the output is a vector for each token (`hidden`),
or, of the cross-encoder, one score for each text (`score`), whose logistic is a probability.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import weights
from bert import HEAD, WIDTH, load_parts, pack, sizes_of, unpack
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic


class Graph:
    """Nodes and constants in the order they are added."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def add(self, kind: str, *inputs: str, outputs: int = 1, **attributes: object) -> Any:
        """The name of the node's output, or of each of them."""
        name = f"{kind.lower()}_{len(self.nodes)}"
        names = [name] if outputs == 1 else [f"{name}.{n}" for n in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=name, **attributes))
        return name if outputs == 1 else names

    def constant(self, name: str, value: np.ndarray) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name


def build(w: dict[str, np.ndarray], *, head: bool, by_row: bool = False) -> onnx.ModelProto:
    """The graph of an embedder, or with `head` of a cross-encoder. With `by_row`, word embeddings are 8-bit numbers
    with a scale for each row; the runtime's quantizer would give all of them one.

    An embedder reads one text at once, so it has no mask and one segment, whose vector is part of the places. Its
    attention is the runtime's fused operator. Residual sums are `Sum`, which the runtime leaves alone: what it makes of
    `Add` and a normalization takes ten times as long as the two (onnxruntime 1.31, 1.0 ms for 280 pieces).
    """
    graph = Graph()

    def linear(x: str, name: str, *parts: str) -> str:
        """One matrix product, of all parts of a name side by side."""
        names = [f"{name}.{part}" for part in parts] or [name]
        matrix, bias = (np.concatenate([w[f"{one}.{kind}"] for one in names]) for kind in ("weight", "bias"))
        product = graph.add("MatMul", x, graph.constant(f"{name}.weight", matrix.T))
        return graph.add("Add", product, graph.constant(f"{name}.bias", bias))

    def normalize(x: str, name: str) -> str:
        scale, bias = (graph.constant(f"{name}.{part}", w[f"{name}.{part}"]) for part in ("weight", "bias"))
        return graph.add("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-12)

    def numbers(name: str, *values: int) -> str:
        return graph.constant(name, np.array(values, np.int64))

    zero, one, two = numbers("zero", 0), numbers("one", 1), numbers("two", 2)
    length = graph.add("Slice", graph.add("Shape", "input_ids"), one, two)
    rows = w["places.weight"] if head else w["places.weight"] + w["types.weight"][:1]
    places = graph.add("Slice", graph.constant("places.weight", rows), zero, length, zero)
    if by_row:
        packed = pack({"words.weight": w["words.weight"]})
        steps = graph.add("Gather", graph.constant("words.int8", packed["words.int8"]), "input_ids", axis=0)
        scale = graph.add("Gather", graph.constant("words.scale", packed["words.scale"][:, None]), "input_ids", axis=0)
        x = graph.add("Mul", graph.add("Cast", steps, to=TensorProto.FLOAT), scale)
    else:
        x = graph.add("Gather", graph.constant("words.weight", w["words.weight"]), "input_ids", axis=0)
    if head:
        types = graph.add("Gather", graph.constant("types.weight", w["types.weight"]), "token_type_ids", axis=0)
        x = graph.add("Add", x, types)
        mask = graph.add("Cast", "attention_mask", to=TensorProto.FLOAT)
        mask = graph.add("Unsqueeze", mask, numbers("mask.axes", 1, 2))
        mask = graph.add("Sub", mask, graph.constant("full", np.array(1, np.float32)))
        mask = graph.add("Mul", mask, graph.constant("far", np.array(1e4, np.float32)))
        small = graph.constant("small", np.array(HEAD**-0.5, np.float32))
    x = normalize(graph.add("Sum", x, places), "norm")
    half, whole = graph.constant("half", np.array(0.5, np.float32)), graph.constant("whole", np.array(1, np.float32))
    root = graph.constant("root", np.array(2**0.5, np.float32))

    def gelu(x: str) -> str:
        return graph.add(
            "Mul", graph.add("Mul", x, graph.add("Add", graph.add("Erf", graph.add("Div", x, root)), whole)), half
        )

    def attention(x: str, name: str, heads: int) -> str:
        size = heads * HEAD
        three = graph.add(
            "Split", linear(x, name, "query", "key", "value"), numbers(f"{name}.sizes", *[size] * 3), axis=-1, outputs=3
        )
        if not head:
            return graph.add("MultiHeadAttention", *three, domain="com.microsoft", num_heads=heads)
        split, merge = numbers(f"{name}.split", 0, 0, heads, HEAD), numbers(f"{name}.merge", 0, 0, size)
        q, k, v = (graph.add("Reshape", part, split) for part in three)
        q, v = (graph.add("Transpose", part, perm=[0, 2, 1, 3]) for part in (q, v))
        k = graph.add("Transpose", k, perm=[0, 2, 3, 1])
        near = graph.add("Add", graph.add("Mul", graph.add("MatMul", q, k), small), mask)
        seen = graph.add("MatMul", graph.add("Softmax", near, axis=-1), v)
        return graph.add("Reshape", graph.add("Transpose", seen, perm=[0, 2, 1, 3]), merge)

    for layer, (heads, _) in enumerate(sizes_of(w)):
        name = f"layers.{layer}"
        x = normalize(graph.add("Sum", x, linear(attention(x, name, heads), f"{name}.out")), f"{name}.norm1")
        x = normalize(graph.add("Sum", x, linear(gelu(linear(x, f"{name}.up")), f"{name}.down")), f"{name}.norm2")
    name, shape = "hidden", ["texts", "tokens", WIDTH]
    if head:
        first = graph.add("Gather", x, graph.constant("first", np.array(0, np.int64)), axis=1)
        x = graph.add("Reshape", linear(gelu(linear(first, "head.0")), "head.2"), numbers("flat", -1))
        name, shape = "score", ["texts"]
    graph.nodes.append(helper.make_node("Identity", [x], [name]))
    inputs = [
        helper.make_tensor_value_info(n, TensorProto.INT64, ["texts", "tokens"])
        for n in (("input_ids", "attention_mask", "token_type_ids") if head else ("input_ids",))
    ]
    made = helper.make_graph(
        graph.nodes, "bert", inputs, [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)], graph.constants
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(made, opset_imports=opsets, ir_version=8)
    onnx.checker.check_model(model)
    return model


def run(file: Path, texts: list[list[int]]) -> list[np.ndarray]:
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    out = []
    for ids in texts:
        feed = {"input_ids": [ids], "attention_mask": [[1] * len(ids)], "token_type_ids": [[0] * len(ids)]}
        wanted = [given.name for given in session.get_inputs()]
        value = session.run(None, {name: np.array(feed[name], np.int64) for name in wanted})[0][0]
        if value.ndim == 2:
            value = value.mean(0) / np.linalg.norm(value.mean(0))
        out.append(value)
    return out


def export(name: str, values: dict[str, np.ndarray], out: Path) -> None:
    rng = np.random.default_rng(13)
    texts = [[101, *rng.integers(1000, 29000, size).tolist(), 102] for size in (4, 9, 30, 90, 250, 500)]
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "float.onnx"
        made = Path(folder) / "rows.onnx"
        onnx.save(build(values, head=name == "cross"), plain)
        onnx.save(build(values, head=name == "cross", by_row=True), made)
        file = out / f"{name}.int8.onnx"
        quantize_dynamic(
            made,
            file,
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            weight_type=QuantType.QInt8,
            extra_options={"MatMulConstBOnly": True, "DefaultTensorType": TensorProto.FLOAT},
        )
        exact, small = run(plain, texts), run(file, texts)
    if name == "cross":
        far = max(float(np.abs(a - b).max()) for a, b in zip(exact, small, strict=True))
        print(f"{file.name}: {file.stat().st_size:,} bytes, largest difference of a score {far:.3f}")
    else:
        near = [float(a @ b) for a, b in zip(exact, small, strict=True)]
        print(
            f"{file.name}: {file.stat().st_size:,} bytes, "
            f"cosine to the float model at least {min(near):.4f}, mean {np.mean(near):.4f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trained", type=Path)
    parser.add_argument("start", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--share", type=float, default=0.8, help="how far the six-layer model is moved from the start")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    with np.load(args.start) as arrays:
        start = unpack({name: arrays[name] for name in arrays.files})
    if args.trained.is_file():
        export(args.trained.name.partition(".")[0], weights.read(args.trained), args.out)
        return
    student = load_parts(args.trained, "student")
    if student:
        export("student", student, args.out)
    if quality := load_parts(args.trained, "quality"):
        full = start | quality
        export("quality", {name: (1 - args.share) * start[name] + args.share * full[name] for name in start}, args.out)
    if cross := load_parts(args.trained, "cross"):
        export("cross", {"words.weight": student["words.weight"]} | cross, args.out)


if __name__ == "__main__":
    main()
