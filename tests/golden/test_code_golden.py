"""Source code cut by its scopes, kept as a file that people read. SEAMLINE_UPDATE_GOLDEN=1 writes it anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import seamline
from seamline.parse import parse_text
from seamline.recipe.recipe import Recipe
from seamline.types import Budget

pytest.importorskip("tree_sitter")
HERE = Path(__file__).parent / "code"


def test_imports_a_class_and_a_method_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")
    document = parse_text((HERE / "store.py.txt").read_text(), uri="store.py", media_type="code")
    chunks = seamline.chunk(document, recipe=Recipe(strategy="code", budget=Budget(90, 110)))
    shown = []
    for chunk in chunks:
        first, last = chunk.lines
        roles = ", ".join(context.role for context in chunk.context) or "nothing"
        shown.append(f"=== lines {first}-{last}, {chunk.tokens} tokens, {chunk.breadcrumb or 'top'}, borrows {roles}")
        shown.append(chunk.text)
    text = "\n".join(shown) + "\n"
    golden = HERE / "store.golden.txt"
    if os.environ.get("SEAMLINE_UPDATE_GOLDEN"):
        golden.write_text(text)
    assert text == golden.read_text()
