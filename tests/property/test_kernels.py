"""All kernels: which of two paths runs, and that no call keeps memory."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import seamline
from seamline.parse.markdown.blocks import FENCED, parse_blocks
from seamline.text.sentences import SHORT, TITLES
from seamline.types import NO_DETAIL, Block, Enclosure

native = pytest.importorskip("seamline._native", reason="the kernels were not built: pip install -e . with a compiler")

PATH_USED = "from seamline import native; print(native.KERNELS is not None)"
PACKAGE = str(Path(seamline.__file__).parents[1])


def run(code: str, wanted: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": PACKAGE, "SEAMLINE_NATIVE": wanted}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(("wanted", "is_native"), [("", "True"), ("1", "True"), ("0", "False")])
def test_one_variable_selects_the_path(wanted: str, is_native: str) -> None:
    assert run(PATH_USED, wanted).stdout.strip() == is_native


def test_kernels_that_were_asked_for_and_not_built_are_an_error() -> None:
    hide = "import sys; sys.modules['seamline._native'] = None; "
    assert "install a C compiler" in run(hide + PATH_USED, "1").stderr
    assert run(hide + PATH_USED, "").stdout.strip() == "False"


TEXT = """# Dr. Ada

- 1. Item é. Mai
  ```py
  x

|a|b|
|-|-|
|c|d|

:::note

maxRetry_count 中文。 `x. Y`

:::
"""


MARKUP = "<div>\n\n- a\n\n<table><tr><th>b</th></tr><tr><td>c</td></tr></table>\n\n</div>\n\n<details><summary>d"


def call_all(analyzer: Any, rows: Any) -> None:
    """Every kernel once, and once with something that it refuses."""
    vectors = np.eye(8, dtype=np.float32)
    load = ([0, 5, 9, 20], [0, 1, 1], [0, 0, 1, 0], [0.5, 0.5, 0.1], {2}, 8, 12, 1.0)
    native.parse_blocks(TEXT, 0, Block, FENCED)
    native.add_elements(MARKUP, parse_blocks(MARKUP), Block, Enclosure, NO_DETAIL, (0, 1, 2))
    native.sentence_gaps(TEXT, ((0, 30), (4, len(TEXT))), TITLES, SHORT)
    native.pack(*load)
    native.segments(vectors, [3] * 8, 9, 0, 4, bytes(8), [0.5] * 8)
    native.spread(vectors)
    native.collapsed(TEXT)
    for method in (analyzer.words, analyzer.spaced):
        method(TEXT)
    rows.write([TEXT, "x"], bytearray(32), {"x": (1, 2)})
    native.Analyzer([(200, 300)])
    native.Rows(np.ones((3, 4), np.int8), 0)
    refused = (
        (native.parse_blocks, (TEXT, 0, int, None)),
        (native.add_elements, (MARKUP, [Block("html", 0, 99_999)], Block, Enclosure, NO_DETAIL, (0, 1, 2))),
        (native.sentence_gaps, (TEXT, ((0, 9), (1,)), TITLES, SHORT)),
        (native.pack, (*load[:3], [0.5, "x", 1], *load[4:])),
        (native.segments, (vectors, [3] * 7, 9, 0, 4, bytes(8), [0.5] * 8)),
        (native.spread, (np.zeros(3),)),
        (native.collapsed, ("\ud800",)),
        (analyzer.words, (b"",)),
        (rows.write, (["other"], bytearray(16), {"other": 5})),
        (rows.write, (["new"], bytearray(16), {"new": (7,)})),
        (native.Analyzer, ([(1, 2), 3],)),
        (native.Rows, (np.ones((3, 4), np.int16), 0)),
        (native.weigh_languages, (b"x", *[b""] * 6)),
    )
    for function, arguments in refused:
        with pytest.raises((TypeError, ValueError, IndexError)):
            function(*arguments)


def test_no_call_keeps_memory() -> None:
    analyzer, rows = native.Analyzer([(200, 300)]), native.Rows(np.ones((3, 4), np.int8), 0)
    tracemalloc.start()
    try:
        held = []
        for rounds in (5, 100):
            for _ in range(rounds):
                call_all(analyzer, rows)
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert held[1] - held[0] < 100 * 16  # one object lost in each round would be more
