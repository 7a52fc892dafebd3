"""Turn mined pairs into compact arrays of word pieces, and the starting weights into compact weights.

    python train/arrays.py MINED_FOLDER TOKENIZER.json MODEL.safetensors OUT_FOLDER [--tokens MILLIONS] [--small]

Writes pairs.xz (an .npz inside LZMA) and start.npz. Passages that no query asks for are kept as far as `--tokens`
allows; they serve as negatives, for distillation, and for the pairs made of their headings and first sentences.
"""

from __future__ import annotations

import argparse
import io
import lzma
import random
import re
from collections import Counter
from pathlib import Path

import numpy as np
from bert import from_safetensors, pack
from decontaminate import read
from kinds import KINDS
from markup import plain, sentences
from safetensors.numpy import load_file
from tokenizers import Tokenizer

SOURCES = ("docs", "code", "prose")
HELD_OUT = (
    "vuejs/docs",
    "pytest-dev/pytest",
    "helm/helm-www",
    "electron/electron",
    "MicrosoftDocs/WSL",
    "code:maturin-1.16.0",
    "code:fsspec",
)
PASSAGE, QUERY, PATH = 320, 64, 48
PROSE_HELD_OUT = 30
"""One in so many pages of questions and of the encyclopedia is for validation."""


def is_held_out(passage: dict[str, str], page: int) -> bool:
    is_prose = passage["source"] == "prose" or passage["repo"] == "wikipedia"
    return passage["repo"] in HELD_OUT or (is_prose and page % PROSE_HELD_OUT == 0)


def lead_length(encoding: object, body: str) -> int:
    """Pieces of the first sentence of a body, 0 where that is no sentence or nothing follows."""
    first = body.split("\n\n")[0]
    if not first[:1].isalpha() and first[:1] not in "`*_[":
        return 0
    end = sentences(first)[0][1]
    if not 5 <= len(plain(first[:end]).split()) <= 40 or len(body) - end < 160:
        return 0
    return sum(stop <= end for _, stop in encoding.offsets)  # type: ignore[attr-defined]


def collapse_rules(body: str, number: int) -> str:
    """A body without the lengths of its rules: each dash of a table's rule is a piece to the tokenizer. One in five
    keeps them, as they may come so."""
    return body if number % 5 == 0 else re.sub(r"([-=~_*.])\1{3,}", r"\1\1\1", body)


def choose(passages: list[dict[str, str]], asked: Counter[int], room: int, rng: random.Random) -> list[int]:
    """Passages by use: first those with queries, then others, until the room is used."""
    order = list(range(len(passages)))
    rng.shuffle(order)
    order.sort(key=lambda n: (asked[n] == 0, passages[n]["repo"] in ("dotnet/docs", "MicrosoftDocs/PowerShell-Docs")))
    total, out = 0, []
    for number in order:
        size = min(PASSAGE, (len(passages[number]["body"]) + len(passages[number]["path"])) * 10 // 34)
        if asked[number] == 0 and (total + size > room or size < 25):
            continue
        total += size
        out.append(number)
    return sorted(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mined", type=Path)
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tokens", type=float, default=18.0, help="millions of word pieces of passages")
    parser.add_argument(
        "--small", action="store_true", help="all starting weights in 8 bits, where they have to travel"
    )
    args = parser.parse_args()
    rng = random.Random(13)
    args.out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(args.out / "start.npz", **pack(from_safetensors(load_file(args.weights)), small=args.small))
    tokenizer = Tokenizer.from_file(str(args.tokenizer))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    passages, queries = read(args.mined / "passages.clean.jsonl.gz"), read(args.mined / "queries.clean.jsonl.gz")
    asked = Counter(query["passage"] for query in queries)
    chosen = choose(passages, asked, int(args.tokens * 1e6), rng)
    number_of = {old: new for new, old in enumerate(chosen)}

    cuts: dict[int, list[dict]] = {}
    for query in queries:
        if query["cut"][1]:
            cuts.setdefault(query["passage"], []).append(query)
    pages: dict[str, int] = {}
    repos: dict[str, int] = {}
    tokens, columns = [], {name: [] for name in ("length", "path", "lead", "page", "repo", "source", "valid")}
    for first in range(0, len(chosen), 2000):
        part = [passages[n] for n in chosen[first : first + 2000]]
        heads = tokenizer.encode_batch([p["path"] for p in part], add_special_tokens=False)
        texts = [
            p["body"] if n in cuts else collapse_rules(p["body"], n)
            for n, p in zip(chosen[first : first + 2000], part, strict=True)
        ]
        bodies = tokenizer.encode_batch([text[:2600] for text in texts], add_special_tokens=False)
        for old, passage, text, head, body in zip(
            chosen[first : first + 2000], part, texts, heads, bodies, strict=True
        ):
            path = head.ids[-PATH:]
            ids = (path + body.ids)[: PASSAGE - 2]
            page = pages.setdefault(passage["page"], len(pages))
            tokens.append(np.array(ids, np.uint16))
            source = "prose" if passage["repo"] == "wikipedia" else passage["source"]
            row = {
                "length": len(ids), "path": len(path),
                "lead": min(QUERY - 2, lead_length(body, text)) if passage["source"] != "code" else 0,
                "page": page, "repo": repos.setdefault(passage["repo"], len(repos)),
                "source": SOURCES.index(source), "valid": is_held_out(passage, page),
            }  # fmt: skip
            for name, value in row.items():
                columns[name].append(value)
            for query in cuts.get(old, ()):
                a, b = query["cut"]
                inside = [at for at, (start, stop) in enumerate(body.offsets) if start >= a and stop <= b]
                query["pieces"] = (len(path) + inside[0], len(inside)) if inside else (0, 0)
    types = {
        "length": np.uint16,
        "path": np.uint8,
        "lead": np.uint8,
        "page": np.int32,
        "repo": np.uint16,
        "source": np.uint8,
        "valid": np.bool_,
    }
    arrays = {f"p_{name}": np.array(values, types[name]) for name, values in columns.items()}
    arrays["p_tokens"] = np.concatenate(tokens)

    encoded = tokenizer.encode_batch([query["text"] for query in queries], add_special_tokens=False)
    ids = [one.ids[: QUERY - 2] for one in encoded]
    arrays |= {
        "q_tokens": np.array([n for one in ids for n in one], np.uint16),
        "q_length": np.array([len(one) for one in ids], np.uint8),
        "q_kind": np.array([KINDS.index(query["kind"]) for query in queries], np.uint8),
        "q_passage": np.array([number_of[query["passage"]] for query in queries], np.int32),
        "q_origin": np.array([number_of.get(query["origin"], -1) for query in queries], np.int32),
        "q_cut": np.array([query.get("pieces", (0, 0)) for query in queries], np.uint16),
    }
    raw = io.BytesIO()
    np.savez(raw, **arrays)
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 26, "lc": 0, "lp": 1, "pb": 1}]
    (args.out / "pairs.xz").write_bytes(lzma.compress(raw.getvalue(), lzma.FORMAT_XZ, filters=filters))
    print(
        f"{len(chosen):,} passages ({arrays['p_valid'].sum():,} for validation), "
        f"{len(arrays['p_tokens']) / 1e6:.1f} M pieces; "
        f"{len(queries):,} queries, {len(arrays['q_tokens']) / 1e6:.1f} M pieces"
    )
    for file in sorted(args.out.iterdir()):
        print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
