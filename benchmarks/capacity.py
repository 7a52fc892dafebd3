"""What a million chunks cost before they are stored: cutting, embedding by each local model, bytes for a service.

    python -m benchmarks.capacity --chunks 400

Real Markdown of the benchmark data, cut by the default recipe (480 of at most 512 tokens); every figure is measured on
some hundreds of chunks on one core and counted up to a million. What the store costs is in `benchmarks.store.run`.
"""

from __future__ import annotations

import json
import random
import sys
import time
from typing import Any

import seamline
from benchmarks.common import markdown, options, save, table
from seamline.embed import load

EMBEDDERS = ("hash", "static", "seam", "minilm")
MILLION = 1_000_000


def measure_cutting(texts: list[str]) -> tuple[list[str], dict[str, float]]:
    """All chunks of these texts, and what they cost."""
    start = time.process_time()
    chunks = [chunk for text in texts for chunk in seamline.chunk(text)]
    cpu = time.process_time() - start
    source = sum(len(text.encode()) for text in texts)
    shown = sum(len(chunk.text.encode()) for chunk in chunks)
    tokens = sum(chunk.tokens for chunk in chunks)
    each = MILLION / len(chunks)
    figures = {"chunks": len(chunks), "cpu_s": cpu * each, "source_gb": source * each / 1e9}
    return [chunk.text for chunk in chunks], {
        **figures, "text_gb": shown * each / 1e9, "tokens_per_chunk": tokens / len(chunks)
    }  # fmt: skip


def measure_embedding(name: str, texts: list[str]) -> dict[str, Any]:
    """CPU of one local model over these texts, and the bytes that its vectors take."""
    embedder = load(name, threads=1)
    embedder.embed(texts[:2])
    start = time.process_time()
    embedder.embed(texts)
    cpu = time.process_time() - start
    return {"dimensions": embedder.dimensions, "cpu_h": cpu * MILLION / len(texts) / 3600}


def measure_service(texts: list[str], dimensions: int = 1536) -> dict[str, float]:
    """Bytes that a service of the OpenAI protocol is sent and sends: texts as JSON, vectors as decimal numbers."""
    sent = sum(len(json.dumps(text).encode()) + 2 for text in texts) / len(texts)
    chance = random.Random(1)
    vector = [chance.gauss(0, 1) / dimensions**0.5 for _ in range(dimensions)]
    received = len(json.dumps({"object": "embedding", "index": 1000, "embedding": vector}).encode())
    return {"up_gb": sent * MILLION / 1e9, "down_gb": received * MILLION / 1e9, "dimensions": dimensions}


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--chunks", type=int, default=400, help="how many are embedded by each model")
    parser.add_argument("--documents", type=int, default=400, help="how many are cut")
    given = parser.parse_args()
    samples = [sample.text for sample in markdown(given.data)]
    chance = random.Random(7)
    texts, cutting = measure_cutting(chance.sample(samples, min(given.documents, len(samples))))
    chosen = chance.sample(texts, min(given.chunks, len(texts)))
    models = {name: measure_embedding(name, chosen) for name in EMBEDDERS}
    service = measure_service(chosen)
    print("per million chunks:", {name: round(value, 2) for name, value in cutting.items()})
    rows = [(name, one["dimensions"], round(one["cpu_h"], 2)) for name, one in models.items()]
    print(table(("embedder", "dimensions", "CPU hours"), rows))
    print("a service:", {name: round(value, 2) for name, value in service.items()})
    save(given.json, "capacity", {"cutting": cutting, "models": models, "service": service})
    return 0


if __name__ == "__main__":
    sys.exit(main())
