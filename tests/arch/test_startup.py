"""What an import costs, measured in interpreters of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"
MOST_MODULES = 150
HEAVY = ["numpy", "pyarrow", "onnxruntime", "tokenizers", "splintr", "sentencex", "pyromark", "yaml"]
MODULES = sorted(
    ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")
    for path in (SRC / "seamline").rglob("*.py")
)


def python(code: str) -> str:
    """What a fresh interpreter prints when it runs the code."""
    env = {**os.environ, "PYTHONPATH": str(SRC)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded_by(module: str) -> list[str]:
    return python(f"import sys, {module}; print(*sys.modules)").split()


def test_import_loads_few_modules() -> None:
    assert len(loaded_by("seamline")) <= MOST_MODULES


def test_import_loads_nothing_heavy() -> None:
    assert not set(loaded_by("seamline")) & set(HEAVY)


def test_a_search_loads_nothing_that_it_does_not_need() -> None:
    loaded = loaded_by("seamline.cli.search, seamline.cli.hits, seamline.api.index")
    assert not {"asyncio", "numpy.ma", "seamline.parse", "seamline.search.prompt.context"} & {*loaded}


@pytest.mark.parametrize("module", MODULES)
def test_every_module_imports_alone(module: str) -> None:
    assert module in loaded_by(module)
