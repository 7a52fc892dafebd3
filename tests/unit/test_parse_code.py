"""Source code: what becomes a scope, what is kept together, and what happens where no grammar helps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seamline
from seamline.code_outline import CodeOutline
from seamline.errors import SeamlineError
from seamline.parse import parse_bytes
from seamline.parse.code import document as code
from seamline.parse.code.detect import language_of
from seamline.parse.code.languages import LANGUAGES
from seamline.parse.parser_types import ParseInput
from seamline.testing.parsers import check_blocks, check_document
from seamline.tokens import load
from seamline.types import NO_DETAIL, Block, Detail, Document, Source

pytest.importorskip("tree_sitter")
SAMPLES = sorted((Path(__file__).parents[1] / "fixtures" / "code").iterdir())
COUNT = load("o200k_base").count


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")


def read(source: str, name: str) -> Document:
    document = parse_bytes(source.encode(), uri=name)
    check_document(document)
    return document


def sample(name: str) -> Document:
    return read(next(path for path in SAMPLES if path.name == name).read_text(), name)


def scopes(document: Document) -> list[str]:
    """`type name` of all declarations, those inside others with theirs before."""
    names: dict[int, str] = {-1: ""}
    out = []
    for index, block in enumerate(document.blocks):
        detail = block.detail or NO_DETAIL
        own = "" if detail.name is None else f"{detail.type} {detail.name}"
        names[index] = " > ".join(part for part in (names[block.parent], own) if part)
        if own:
            out.append(names[index])
    return out


def scope(document: Document, name: str) -> Block:
    return next(block for block in document.blocks if (block.detail or NO_DETAIL).name == name)


def text(document: Document, block: Block) -> str:
    return document.text[block.start : block.end]


def signature(document: Document, name: str) -> str:
    start, end, close = (scope(document, name).detail or NO_DETAIL).enclosure or (0, 0, "")
    assert close.strip() in ("", "end")
    return document.text[start:end]


# --- every language --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_language_is_read_by_its_grammar_and_keeps_the_contract(path: Path) -> None:
    document = sample(path.name)
    assert document.text == path.read_text()
    assert document == sample(path.name)
    assert [notice.code for notice in document.notices] == (["syntax"] if path.name == "list.h" else [])
    check_document(document, limits=(16, 32, 256))


def test_there_is_a_sample_of_every_language() -> None:
    assert {language_of(path.read_text(), path.name) for path in SAMPLES} == set(LANGUAGES)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_line_ends_of_windows_change_nothing_but_themselves(path: Path) -> None:
    plain, windows = sample(path.name), read(path.read_text().replace("\n", "\r\n"), path.name)
    assert [(b.kind, b.parent, text(plain, b)) for b in plain.blocks] == [
        (b.kind, b.parent, text(windows, b).replace("\r\n", "\n")) for b in windows.blocks
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "parser.py",
            [
                "class Number",
                "class Parser",
                "class Parser > method __init__",
                "class Parser > method size",
                "class Parser > method parse",
                "function main",
            ],
        ),
        (
            "widget.jsx",
            [
                "function Counter",
                "function double",
                "class Store",
                "class Store > method add",
                "class Store > method handle",
                "function module.exports.load",
            ],
        ),
        (
            "shapes.ts",
            [
                "interface Shape",
                "type Pair",
                "enum Colour",
                "module Geometry",
                "module Geometry > function distance",
                "class Circle",
                "class Circle > method constructor",
                "class Circle > method area",
                'module "shapes"',
            ],
        ),
        ("view.tsx", ["type Props", "function List"]),
        (
            "Account.java",
            [
                "class Account",
                "class Account > method Account",
                "class Account > method deposit",
                "class Account > interface Listener",
                "class Account > enum Kind",
                "class Account > enum Kind > method isOpen",
                "record Rate",
                "record Rate > method Rate",
            ],
        ),
        ("server.go", ["struct Server", "method Server.Name", "function New"]),
        (
            "stack.rs",
            [
                "struct Stack",
                "impl Stack<T>",
                "impl Stack<T> > method new",
                "impl Stack<T> > method push",
                "impl fmt::Display for Stack<T>",
                "impl fmt::Display for Stack<T> > method fmt",
                "macro stack",
                "module inner",
                "module inner > function works",
            ],
        ),
        ("list.c", ["struct list", "type pair_t", "enum colour", "function list_add", "function main"]),
        (
            "queue.hpp",
            [
                "module store",
                "module store > class Queue",
                "module store > class Queue > method push",
                "module store > function largest",
                "module store > function Counter::next",
            ],
        ),
        (
            "Shop.cs",
            [
                "module Market",
                "module Market > class Shop",
                "module Market > class Shop > property Count",
                "module Market > class Shop > method Add",
                "module Market > interface IPriced",
                "module Market > interface IPriced > property Price",
            ],
        ),
        (
            "cart.rb",
            [
                "module Shop",
                "module Shop > class Cart",
                "module Shop > class Cart > method initialize",
                "module Shop > class Cart > method empty",
                "module Shop > class Cart > method add",
            ],
        ),
        ("user.php", ["interface HasName", "class User", "class User > method name", "function helper"]),
        (
            "clock.kt",
            [
                "class Clock",
                "class Clock > method elapsed",
                "class Clock > object companion object",
                "class Clock > object companion object > method now",
                "object Registry",
                "function main",
            ],
        ),
        (
            "shape.swift",
            [
                "protocol Shape",
                "struct Circle",
                "struct Circle > method area",
                "extension Circle",
                "extension Circle > method init",
                "function largest",
            ],
        ),
        (
            "tree.scala",
            ["trait Tree", "class Node", "class Node > method size", "object Tree", "object Tree > method leaf"],
        ),
        ("deploy.sh", ["function copy", "function restart"]),
        ("schema.sql", ["table users", "view names"]),
        ("game.lua", ["function move", "function Player.new"]),
        ("page.css", ["rule body", "rule @media (max-width: 600px)"]),
        ("build.toml", ["table owner", "table servers"]),
        ("compose.yaml", ["key services", "key volumes"]),
        ("Queue.hs", ["type Queue", "function push"]),
        ("account.ex", ["module Bank.Account", "module Bank.Account > function deposit"]),
        ("points.jl", ["module Points", "module Points > struct Point", "module Points > function distance"]),
        ("pom.xml", ["element project"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_declarations_are_scopes(name: str, expected: list[str]) -> None:
    assert scopes(sample(name)) == expected


# --- what belongs together -------------------------------------------------------------------------------------------


def test_the_header_the_imports_and_the_statements_of_a_file_are_told_apart() -> None:
    document = sample("parser.py")
    tops = [(b.kind, b.detail, text(document, b)) for b in document.blocks if b.parent < 0]
    assert tops[0][:2] == ("code", Detail(header=True))
    assert tops[0][2].startswith("#!/usr/bin")
    assert tops[0][2].endswith('"""')
    assert tops[1][:2] == ("code", Detail(imports=True))
    assert tops[1][2].startswith("from __future__")
    assert tops[1][2].endswith("NamedTuple")
    assert tops[2] == ("code", None, 'LONGEST = 20\nPATTERN = re.compile(r"\\d+")')


def test_a_licence_above_the_imports_is_a_block_of_its_own() -> None:
    blocks = sample("Account.java").blocks
    assert [block.detail for block in blocks[:2]] == [Detail(header=True), Detail(imports=True)]


@pytest.mark.parametrize(
    ("name", "declared", "start"),
    [
        ("parser.py", "Parser", "# What reads numbers."),
        ("parser.py", "size", "    @property"),
        ("Account.java", "deposit", "    /** Adds money. */"),
        ("stack.rs", "Stack", "/// Holds values.\n#[derive(Debug)]"),
        ("stack.rs", "new", "    /// An empty one.\n    #[must_use]"),
        ("shapes.ts", "area", "  @memo()"),
        ("Queue.hs", "push", "-- | Adds one.\npush ::"),
        ("account.ex", "deposit", '  @doc "Adds money."'),
        ("cart.rb", "Cart", "  # Holds items."),
    ],
)
def test_comments_and_decorators_belong_to_what_they_stand_above(name: str, declared: str, start: str) -> None:
    document = sample(name)
    assert text(document, scope(document, declared)).startswith(start)


def test_a_comment_above_a_blank_line_belongs_to_nothing() -> None:
    document = read("x = 1\n\n# Helpers.\n\ndef f():\n    pass\n", "a.py")
    assert text(document, scope(document, "f")) == "def f():\n    pass"


@pytest.mark.parametrize(
    ("name", "declared", "expected"),
    [
        ("parser.py", "parse", "    def parse(self, longest: int = LONGEST) -> list[Number]:"),
        ("parser.py", "size", "    def size(self) -> int:"),
        ("Account.java", "deposit", "    public void deposit(long amount) {"),
        ("Shop.cs", "Add", "        public void Add(string item)\n        {"),
        ("widget.jsx", "double", "export const double = (value) => {"),
        ("queue.hpp", "Queue", "template <typename T>\nclass Queue {"),
        ("cart.rb", "Shop", "module Shop"),
        ("account.ex", "deposit", "  def deposit(account, amount) do"),
        ("build.toml", "servers", "[[servers]]"),
        ("compose.yaml", "services", "services:"),
    ],
)
def test_a_signature_goes_as_far_as_the_body(name: str, declared: str, expected: str) -> None:
    assert signature(sample(name), declared) == expected


def test_a_docstring_stays_with_its_signature() -> None:
    document = sample("parser.py")
    parse = document.blocks.index(scope(document, "parse"))
    first = next(block for block in document.blocks if block.parent == parse)
    assert text(document, first).endswith('in the order in which they stand in the text."""')


# --- how it is cut ---------------------------------------------------------------------------------------------------


def long_class() -> str:
    lines = "\n".join(f"        step_{n} = prepare(step_{n - 1}, {n})" for n in range(1, 40))
    small = "\n\n".join(f"    def small_{n}(self):\n        return self.table[{n}]" for n in range(30))
    return f'class Machine(Base):\n    """Runs."""\n\n    def run(self, step_0):\n{lines}\n\n{small}\n'


def test_parts_of_a_class_borrow_its_signature_and_name_it_in_their_path() -> None:
    chunks = seamline.chunk(read(long_class(), "m.py"), limit=128)
    assert len(chunks) > 8
    inside = [chunk for chunk in chunks if "run" in chunk.path]
    assert {chunk.path for chunk in inside} == {("Machine", "run")}
    assert all(chunk.text.startswith("class Machine(Base):\n") for chunk in chunks)
    assert all("    def run(self, step_0):\n" in chunk.text for chunk in inside)
    assert {chunk.path for chunk in chunks} == {("Machine",), ("Machine", "run")}


@pytest.mark.parametrize("limit", [48, 64, 128])
def test_a_function_that_fits_is_never_cut(limit: int) -> None:
    document = read(long_class(), "m.py")
    starts = [chunk.start for chunk in seamline.chunk(document, limit=limit)]
    for block in document.blocks:
        if (block.detail or NO_DETAIL).type == "method" and COUNT(text(document, block)) <= limit:
            assert not [start for start in starts if block.start < start < block.end], text(document, block)


def test_a_function_as_large_as_the_limit_is_one_chunk() -> None:
    document = read(long_class(), "m.py")
    run = scope(document, "run")
    limit = COUNT(text(document, run))
    assert [chunk.span for chunk in map(_body, seamline.chunk(document, limit=limit))].count(run.span) == 1


def _body(chunk: seamline.Chunk) -> Block:
    return Block("chunk", *chunk.body)


def test_statements_of_a_function_too_large_stay_whole() -> None:
    calls = "".join(f"    call_{n}(\n        first={n},\n        second={n},\n    )\n" for n in range(60))
    document = read(f"def main():\n{calls}", "m.py")
    for chunk in seamline.chunk(document, limit=128):
        assert document.text[chunk.start : chunk.end].count("call_") == document.text[chunk.start : chunk.end].count(
            "    )"
        )


def test_minified_code_is_cut_between_its_statements() -> None:
    source = "".join(f"function f{n}(a){{return a+{n}}}" for n in range(400))
    chunks = seamline.chunk(read(source, "m.js"), limit=256)
    assert len(chunks) > 10
    assert all(chunk.render("body").startswith("function f") for chunk in chunks)


def test_documents_without_code_have_the_paths_they_had() -> None:
    chunks = seamline.chunk("# A\n\ntext\n\n## B\n\n```python\ndef f(): pass\n```\n")
    assert [chunk.path for chunk in chunks] == [("A",), ("A", "B")]


# --- which language --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "name", "expected"),
    [
        ("struct A;", "a.h", "c"),
        ("class A {\npublic:\n};", "a.h", "cpp"),
        ("// class A is not here\nint f(void);", "a.h", "c"),
        ("#!/usr/bin/env python3\nx", "run", "python"),
        ("#!/usr/bin/env node\nx", "run", "javascript"),
        ("#!/bin/sh\nx", "run", "bash"),
        ("#!/usr/bin/perl\nx", "run", None),
        ('<?xml version="1.0"?>\n<TS/>', "app.ts", "xml"),
        ("x", "a.zig", None),
        ("import os\nimport re\n", "", "python"),
        ("package main\n\nfunc main() {\n}\n", "", "go"),
        ("<?php\necho 1;", "", "php"),
        ("import { a } from 'b';\ninterface X {\n}\nconst y = 1;\n", "", "typescript"),
        ("nothing that tells", "", None),
    ],
)
def test_the_language_is_found_by_name_first_line_or_content(source: str, name: str, expected: str | None) -> None:
    found = language_of(source, name)
    assert (found.name if found else None) == expected


def test_a_file_without_a_grammar_is_read_by_blank_lines_and_says_so() -> None:
    document = read("fn a() {\n  one\n\n  two\n}\n\n\nfn b() {\n}\n", "a.zig")
    assert [text(document, block) for block in document.blocks] == ["fn a() {\n  one\n\n  two\n}", "fn b() {\n}"]
    assert [notice.code for notice in document.notices] == ["no-grammar"]


def test_a_grammar_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code, "_parser", lambda language: None)
    document = read("def f():\n    pass\n", "a.py")
    assert "pip install 'seamline[code]'" in document.notices[0].message
    assert document.front_matter == {"programming_language": "python"}
    assert document.code == CodeOutline("python")


# --- what is broken --------------------------------------------------------------------------------------------------


def test_good_parts_of_a_broken_file_are_scopes_all_the_same() -> None:
    document = read(
        "def good():\n    return 1\n\ndef (((\n\nclass Fine:\n    def method(self):\n        pass\n", "a.py"
    )
    assert "function good" in scopes(document)
    assert document.notices[0].code == "syntax"
    assert document.notices[0].where == "line 4"


@pytest.mark.parametrize(
    ("source", "name", "notice"),
    [
        ("a = " + "(" * 20_000 + ")" * 20_000, "a.py", "deep"),
        ("int main() {" + "{" * 20_000 + "}" * 20_000 + "}", "a.c", "deep"),
        ("".join("  " * n + f"k{n}:\n" for n in range(700)), "a.yaml", "no-grammar"),
        ("- " * 10_000, "a.yaml", "no-grammar"),
        ("<a>" * 20_000, "a.xml", "no-grammar"),
        ("a = " + "[" * 10_000 + "]" * 10_000, "a.toml", "deep"),
        ("x = '''" + "never closed\n" * 500, "a.py", "syntax"),
        ("/* never closed\n" + "int x;\n" * 500, "a.c", "syntax"),
        ("x = \0 1\n", "a.py", "syntax"),
        ("# -*- coding: nonsense -*-\nx = 1\n", "a.py", "encoding"),
        ("# -*- coding: rot13 -*-\nk = 1\n", "a.py", "encoding"),
        ("# -*- coding: base64 -*-\nk = 1\n", "a.py", "encoding"),
        ("".join(" " * n + "if x:\n" for n in range(120)) + " " * 120 + "pass", "a.py", "deep"),
        ("x = 1\n" * 1_100_000, "a.py", "no-grammar"),
    ],
    ids=lambda value: value[:12] if isinstance(value, str) else "",
)
def test_hostile_sources_lose_nothing_and_carry_a_notice(source: str, name: str, notice: str) -> None:
    document = parse_bytes(source.encode(), uri=name)
    check_blocks(document)
    assert notice in [one.code for one in document.notices]


@pytest.mark.parametrize("cookie", ["utf-8", "latin-1", "ascii"])
def test_an_encoding_that_reads_alike_is_no_remark(cookie: str) -> None:
    assert read(f"# -*- coding: {cookie} -*-\nx = 1\n", "a.py").notices == ()


def test_characters_of_every_width_keep_their_places() -> None:
    document = read('"""é 漢字 😀"""\nimport os\n\nname = "漢字😀é"\n\n\ndef naïve(ß):  # 😀\n    return "é"\n', "a.py")
    assert text(document, scope(document, "naïve")) == 'def naïve(ß):  # 😀\n    return "é"'
    assert signature(document, "naïve") == "def naïve(ß):  # 😀"


def test_an_empty_file_has_no_blocks() -> None:
    assert list(code.parse(ParseInput(b"", " \n\n", "a.py")).blocks) == []


_MARKS = st.text(st.sampled_from("(){}[]<>\"'`\\\n\t\r :;#/*-=$@%|&\0é漢😀\u3000\u2028abc"), max_size=40)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SAMPLES), st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 60), _MARKS), max_size=6))
def test_no_damage_makes_a_source_unreadable(path: Path, edits: list[tuple[int, int, str]]) -> None:
    source = path.read_text()
    for at, length, added in edits:
        at = min(at, len(source))
        source = source[:at] + added + source[at + length :]
    try:
        parsed = code.parse(ParseInput(b"", source, path.name))
    except SeamlineError:
        return
    check_blocks(Document(path.name, Source(path.name), source, parsed.blocks))


# --- scopes, imports and ends -----------------------------------------------------------------------------------------


def read_source(name: str, text: str) -> Document:
    return parse_bytes(text.encode(), uri=name)


def scopes_of(document: Document) -> list[tuple[str, str | None]]:
    return [(one.detail.type, one.detail.name) for one in document.blocks if one.kind == "scope" and one.detail]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.rs", "type Pair = (\n    i32,\n    i32,\n);\n", ("type", "Pair")),
        ("a.kt", "interface Named {\n  fun name(): String\n}\n", ("interface", "Named")),
        ("a.kt", "enum class Side {\n  LEFT,\n  RIGHT\n}\n", ("enum", "Side")),
        ("a.kt", "typealias Rows = Map<String,\n  Int>\n", ("type", "Rows")),
        ("a.cpp", "using Rows = std::map<int,\n    int>;\n", ("type", "Rows")),
        ("a.go", "package a\n\ntype ID = map[string]struct {\n\tX int\n}\n", ("type", "ID")),
        ("a.hs", "module A where\ntype Rows =\n  [Int]\n", ("type", "Rows")),
        ("a.jl", "function go(x)\n  x\nend\n", ("function", "go")),
        ("a.jl", "function go(x)::Int\n  x\nend\n", ("function", "go")),
    ],
)
def test_types_and_aliases_are_scopes(name: str, text: str, expected: tuple[str, str]) -> None:
    assert expected in scopes_of(read_source(name, text))


def test_a_method_of_go_is_named_after_its_receiver() -> None:
    text = "package a\n\nfunc (p *Point[T]) Move(x int) {\n\tp.X += x\n}\n"
    assert ("method", "Point.Move") in scopes_of(read_source("a.go", text))


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.js", "const fs = require('fs');"),
        ("a.js", "require('./polyfill');"),
        ("a.ts", "const { a } = require('./x');"),
        ("a.lua", "local x = require('x')"),
        ("a.lua", 'local y = require "y"'),
        ("a.sh", "source ./lib.sh"),
        ("a.sh", ". lib.sh"),
        ("a.jl", 'include("lib.jl")'),
        ("a.cpp", "import std;"),
        ("a.cpp", '#include "a.h"'),
        ("a.c", "#include <stdio.h>"),
        ("a.rb", "require_relative 'x'"),
        ("a.ex", "alias Shop.Cart"),
        ("a.hs", "import Data.List"),
        ("a.rs", "extern crate serde;"),
    ],
)
def test_what_reads_another_file_is_an_import(name: str, line: str) -> None:
    document = read_source(name, f"{line}\n")
    assert [block.detail.imports for block in document.blocks if block.detail] == [True]


def test_a_file_of_php_that_is_required_is_an_import() -> None:
    document = read_source(
        "a.php", "<?php\nrequire_once 'a.php';\ninclude 'b.php';\n\nfunction f() {\n  return 1;\n}\n"
    )
    block = next(one for one in document.blocks if one.detail and one.detail.imports)
    assert document.text[block.start : block.end].endswith("include 'b.php';")


def test_variables_that_hold_required_files_are_imported_names() -> None:
    text = "const fs = require('fs');\nconst {a, b: c} = require('./x');\nconst d = require('y').d;\nconst e = 1;\n"
    document = read_source("a.js", text)
    assert document.code is not None
    assert [one.names for one in document.code.imports] == [("fs",), ("a", "c"), ("d",)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.rb", "module A\n  module B\n    class C\n{methods}    end\n  end\nend\n"),
        ("a.jl", "module A\n{methods}end\n"),
        ("a.ex", "defmodule A do\n{methods}end\n"),
    ],
)
@pytest.mark.parametrize("strategy", ["structural", "code"])
def test_chunks_close_the_modules_they_open(name: str, text: str, strategy: str) -> None:
    opener, word = {"a.rb": ("def", ""), "a.jl": ("function", ""), "a.ex": ("def", " do")}[name]
    line = '      print("a line that is long enough to count for some tokens")\n'
    methods = "".join(f"      {opener} m{number}(x){word}\n{line * 3}      end\n" for number in range(6))
    source = text.format(methods=methods)
    chunks = seamline.chunk(source, filename=name, strategy=strategy, limit=96)
    assert len(chunks) > 3
    for chunk in chunks:
        opened = len(re.findall(r"(?m)^\s*(?:module|class|defmodule|def|function)\b", chunk.text))
        assert opened == len(re.findall(r"(?m)^\s*end\b", chunk.text)), chunk.text
