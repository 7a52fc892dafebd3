"""Python files of any shape: the contract holds, functions that fit are whole, and every chunk is valid."""

from __future__ import annotations

import ast
import os
import textwrap

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import seamline
from seamline.parse import parse_text
from seamline.recipe.recipe import Recipe
from seamline.recipe.strategies import Code
from seamline.tokens import load
from seamline.types import NO_DETAIL, Budget, Chunk, Document

pytest.importorskip("tree_sitter")
EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "80"))
law = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
COUNT = load("o200k_base").count
NAMES = st.sampled_from(["os", "json", "path", "value", "items", "self", "name"])


@st.composite
def simple(draw: st.DrawFn) -> list[str]:
    a, b = draw(NAMES), draw(NAMES)
    return draw(
        st.sampled_from(
            [
                [f"{a} = {b}.get('key', 1)"],
                [f"return {a}"],
                [f"{a}({b}, name={a})", "# a remark"],
                ["# above", f"{a}.x = [{b} for {b} in {a}]"],
                [f"{a} = (", f"    {b},", f"    'text',  # {a}", ")"],
                [f"{a} = {{", f"    'k': {b},", f"    'l': [{a}],", "}", ""],
                ['"""Words about it."""'],
                [f"import {a}"],
                ["", "pass", ""],
                [f"text = f'{{{a}}} and {{{b}!r}}'"],
            ]
        )
    )


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" if line else "" for line in lines]


def block(body: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    """Compound statements around others."""

    @st.composite
    def made(draw: st.DrawFn) -> list[str]:
        inside = st.lists(body, min_size=1, max_size=6).map(
            lambda parts: indented([line for part in parts for line in part])
        )
        shape = draw(st.sampled_from(["if", "for", "try", "def", "class", "with", "match", "while"]))
        name = draw(NAMES)
        heads = {
            "if": [f"if {name}:", f"elif {name}.x:", "else:"],
            "for": [f"for {name} in items:", "else:"],
            "try": ["try:", "except ValueError:", "else:", "finally:"],
            "def": [f"def {name}(self, value=os):"],
            "class": [f"class {name}(path):"],
            "with": [f"with {name} as value:"],
            "while": [f"while {name}:"],
            "match": [f"match {name}:"],
        }[shape]
        if shape == "match":
            cases = [["case 1:", *draw(inside), "    pass"], ["case _:", *draw(inside), "    pass"]]
            return [heads[0], *indented([line for case in cases for line in case])]
        if shape in ("if", "for"):
            heads = heads[: draw(st.integers(1, len(heads)))]
        if shape == "def" and draw(st.booleans()):
            heads = ["@value", *heads]
        out = []
        for head in heads:
            out.append(head)
            if not head.startswith("@"):
                out += [*draw(inside), "    pass"]
        return out

    return made()


FILES = st.lists(st.recursive(simple(), block, max_leaves=20), min_size=1, max_size=8).map(
    lambda parts: "import os\nfrom a import json, path\n" + "\n".join(line for part in parts for line in part) + "\n"
)
GRANULARITIES = st.sampled_from(["function", "class", "module"])


def cut(document: Document, limit: int, granularity: str) -> list[Chunk]:
    settings = Code(granularity=granularity)  # type: ignore[arg-type]
    recipe = Recipe(strategy="code", budget=Budget(limit * 9 // 10, limit), code=settings)
    return seamline.chunk(document, recipe=recipe)


def read(source: str) -> Document:
    return parse_text(source, uri="a.py", media_type="code")


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")


@law
@given(FILES, st.sampled_from([16, 32, 64, 128, 300]), GRANULARITIES)
def test_the_contract_holds(source: str, limit: int, granularity: str) -> None:
    chunks = cut(read(source), limit, granularity)
    assert not seamline.audit(chunks, limit=limit)
    assert [c.to_dict() for c in chunks] == [c.to_dict() for c in cut(read(source), limit, granularity)]


@law
@given(FILES, st.sampled_from([96, 128, 300]), GRANULARITIES)
def test_every_chunk_is_valid_python(source: str, limit: int, granularity: str) -> None:
    ast.parse(source)
    for chunk in cut(read(source), limit, granularity):
        try:
            ast.parse(chunk.text)
        except SyntaxError:
            assert not any(context.role == "import" for context in chunk.context)
            ast.parse(textwrap.dedent(chunk.text))


@law
@given(FILES, st.sampled_from([64, 128, 300]), GRANULARITIES)
def test_functions_that_fit_are_whole(source: str, limit: int, granularity: str) -> None:
    document = read(source)
    chunks = cut(document, limit, granularity)
    for block in document.blocks:
        if (block.detail or NO_DETAIL).type not in ("function", "method"):
            continue
        if COUNT(document.text[block.start : block.end]) <= limit:
            assert any(chunk.start <= block.start and block.end <= chunk.end for chunk in chunks)


@law
@given(
    st.text("(){}[]\"'`#:/*\\\n\t ;,.=@ifdefclasstry=>0a\r", max_size=400),
    st.sampled_from(["a.py", "a.ts", "A.java", "a.go", "a.rs"]),
)
def test_what_is_no_code_at_all_keeps_the_contract(source: str, name: str) -> None:
    document = parse_text(source, uri=name, media_type="code")
    chunks = cut(document, 32, "function")
    assert not [one for one in seamline.audit(chunks, limit=32) if one.rule != "torn-markup"]
