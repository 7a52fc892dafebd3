"""The outline of source code: which names come from outside, what is imported, called and branches."""

from __future__ import annotations

from dataclasses import replace

import pytest

import seamline
from seamline.code_outline import CodeOutline
from seamline.errors import ConfigError
from seamline.parse import parse_text
from seamline.parse.code import document as code_document
from seamline.parse.code import names
from seamline.parse.code.languages import BY_NAME
from seamline.parse.isolate import wire
from seamline.parse.parser_types import ParseResult
from seamline.recipe.recipe import Recipe
from seamline.types import Document

pytest.importorskip("tree_sitter")


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")


def outline(source: str, name: str = "a.py") -> CodeOutline:
    code = parse_text(source, uri=name, media_type="code").code
    assert code is not None
    return code


def used(source: str) -> list[str]:
    return [name for _, name in outline(source).uses]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a.b(c=d)", "a d"),
        ("def f(a, b=c): return a + b + d", "c d"),
        ("def f(a: T, *args: U, **kw: V) -> R: pass", "T U V R"),
        ("def f():\n    a = 1\n    return a, b", "b"),
        ("def f():\n    return a\n    a = 1", ""),
        ("def f():\n    global a\n    a = 1\n    return a", "a"),
        ("def f():\n    a = 1\n    def g():\n        nonlocal a\n        return a\n    return g", ""),
        ("class C(B, metaclass=M):\n    a = b\n    c = a\n    def m(self): return a", "B M b a"),
        ("[a for a in b if a > c]", "b c"),
        ("[x for a in b for x in a]", "b"),
        ("{k: v for k, v in d.items() if (n := len(k))}", "d len"),
        ("def f(): return [y := 1, x := y, x, z]", "z"),
        ("g = lambda a, b=c: a + b + d", "c d"),
        ("for i, (j, *k) in e: print(i)", "e print i"),
        ("def f():\n    for i in e: pass\n    return i", "e"),
        ("def f():\n    with a as b, c(d) as e.f: return b", "a c d e"),
        ("def f():\n    with (a as b, c as d): return b, d", "a c"),
        ("def f():\n    try: a()\n    except E as e: return e", "a E"),
        ("def f():\n    import a.b, c as d\n    from e import (g, h as i,)\n    return a, c, d, g, h, i", "c h"),
        ("def f():\n    x: T = a\n    x[i] += b\n    del x, y.z", "T a i b y"),
        ("@d(a)\ndef f(): pass", "d a"),
        (
            "def f(s):\n    match s:\n        case P(x=a, y=[b, *c]) if g: return a, b\n        case Q.R | None: pass",
            "P g Q",
        ),
        ("match = case = 1\nmatch(case)", "match case"),
        ("def f(a): return f'{a} {b!r:>{w}} {{c}} {d[\"e\"]:%H}'", "b w d"),
        ("'a' \"b\" '''c''' # d\nrb'e'", ""),
        ("async def f():\n    async with a as b:\n        async for c in d: await e(b, c)", "a d e"),
        ("x = (\n    a,  # b\n    'c'\n)", "a"),
        ("a if b else c; d = 0xE+e", "a b c e"),
        ("def f():\n    a[b], (c.d), e = g", "a b c g"),
    ],
)
def test_names_are_what_the_language_says(source: str, expected: str) -> None:
    assert used(source) == expected.split()


def test_names_stand_at_their_places_in_the_text() -> None:
    source = "import a, b\nd = 'äöü😀', a\ndef f(b):\n    return a, b, c\n"
    code = outline(source)
    assert [source[at : at + len(name)] == name for at, name in code.uses] == [True] * 3
    assert code.imported_names(source.index("def"), len(source)) == ("a",)
    assert [(one.names, source[one.start : one.end]) for one in code.imports] == [(("a", "b"), "import a, b")]
    assert [name for _, name in code.stores] == ["d", "f"]


@pytest.mark.parametrize(
    ("name", "source", "bound", "uses"),
    [
        ("a.ts", "import D, {a as b, type C} from 'x';\nthis.g(D, `${b}`, {C, b: 1}, x.D);", "D b C", "D b C"),
        ("a.ts", "import * as ns from 'y';\nf(...ns, 'ns'); // ns", "ns", "ns"),
        ("a.ts", "import z = require('z');\nimport 'q';\nz();", "z", "z"),
        (
            "a.rs",
            "use a::{b, c as d, e::{self, F}};\nuse g::*;\nfn f() { b::c(); e::x(F { d: 1 }) }",
            "b d e F",
            "b e F",
        ),
        ("a.rs", "use a::{b, c, d::*};\nextern crate h as i;\nfn f() { x!(b, i, c) }", "b c i", "b i c"),
        ("A.java", "import static a.b.C;\nimport a.*;\nclass X { B y = new C(B.C, x.C); }", "C", "C"),
        ("a.kt", "import a.b.C as D\nimport a.b.*\nfun f() { D() }", "D", "D"),
        ("a.scala", "import a.b.{C, D => E}\nimport a.b._\nimport a.F\nval x = C(E, F, D)", "C E F", "C E F"),
        ("a.php", "<?php\nuse A\\B as C;\nuse A\\{D, E as F};\nnew C(F::x, D);", "C D F", "C F D"),
        ("a.swift", "import Foo.Bar\nlet x = Bar()", "Bar", "Bar"),
        ("a.go", 'package a\nimport n "net"\nimport "gopkg.in/yaml.v3"\nvar x = n.Y(yaml.Z)', "n yaml", "n yaml"),
    ],
)
def test_what_is_imported_is_used_where_it_is_no_member_and_no_word(
    name: str, source: str, bound: str, uses: str
) -> None:
    code = outline(source, name)
    assert [one for each in code.imports for one in each.names] == bound.split()
    assert [text for _, text in code.uses] == uses.split()


@pytest.mark.parametrize(
    ("name", "source", "calls", "own"),
    [
        ("a.py", "class A:\n    def f(self): return g(self.h(), x.y())", "g", "h"),
        ("a.ts", "class A { f() { return g(this.h(), new I(), x.y()); } }", "g I", "h"),
        ("A.java", "class A { int f() { return g(this.h(), new I(), x.y()); } }", "g I", "h"),
        ("a.rs", "impl A { fn f(&self) { g(self.h(), I::j(), x.y()) } }", "g j", "h"),
        ("a.kt", "class A { fun f() = g(this.h(), x.y()) }", "g", "h"),
        ("a.php", "<?php g(new I(), $x->y());", "g I", ""),
        ("a.rb", "def f\n  g(1)\n  self.h(2)\nend", "g", "h"),
    ],
)
def test_what_is_called(name: str, source: str, calls: str, own: str) -> None:
    code = outline(source, name)
    assert [text for _, text in code.calls] == calls.split()
    assert [text for _, text in code.own] == own.split()


@pytest.mark.parametrize(
    ("name", "source", "count"),
    [
        ("a.ts", "if (a && b || c) {} for (;;) {} const d = (e?: F) => (g ? 'if' : 2); // while", 5),
        ("a.rs", "fn f() { match a { B => 1, C => 2 }; while x {} }", 3),
        ("A.java", "class A { void f() { try { } catch (E e) { } switch (a) { case 1: case 2: } } }", 3),
    ],
)
def test_where_control_branches(name: str, source: str, count: int) -> None:
    assert len(outline(source, name).branches) == count


@pytest.mark.parametrize(
    "source", ["(" * 5000, "lambda:" * 3000, "x = [" + "[" * 2000 + "]" * 2000, "f'" + "{" * 999, "'''"]
)
def test_hostile_nesting_is_no_trouble(source: str) -> None:
    assert isinstance(used(source), list)
    assert isinstance(outline(source.replace("[", "[\n").replace("(", "(\n"), "a.ts").statements, list)


# --- how an outline comes along ---------------------------------------------------------------------------------------


def test_an_outline_comes_over_the_pipe_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "import os\nclass Ä:\n    x = os.sep\n    def f(self):\n        return [\n            self.x,\n        ]\n"
    here = outline(source)
    monkeypatch.delenv("SEAMLINE_ISOLATE")
    assert outline(source) == here
    assert len(here.groups) == 3


def test_an_outline_that_leads_out_of_the_text_or_in_circles_is_refused() -> None:
    code = outline("class A {\n  f() {\n    g();\n  }\n}\n", "a.ts")
    (first, *statements), (group, *groups) = code.statements, code.groups
    circle = replace(code, groups=[group._replace(statements=0), *groups])
    beyond = replace(code, statements=[first._replace(end=999), *statements])
    backwards = replace(code, statements=[first._replace(groups=9), *statements])
    for bad in (circle, beyond, backwards):
        frame = wire.write_answer(ParseResult("class A {}" * 5, [], code=bad))
        size = wire.HEADER.size
        head, _ = wire.HEADER.unpack(frame[:size])
        with pytest.raises(ValueError, match=r"outline|itself"):
            wire.read_answer(wire.load_answer(frame[size : size + head], 1 << 30), frame[size + head :])


def test_source_code_is_read_as_far_as_a_recipe_needs() -> None:
    def reads(recipe: Recipe) -> Document:
        return parse_text("import os\nos.sep\n", uri="a.py", media_type="code", reading=recipe.reading)

    plain, cut = reads(Recipe()), reads(Recipe(strategy="code"))
    assert plain.code == CodeOutline("python", extent="none")
    assert seamline.chunk(plain)
    with pytest.raises(ConfigError, match="expected a document read with `statements`"):
        seamline.chunk(plain, strategy="code")
    assert seamline.chunk(cut, strategy="code")
    with pytest.raises(ConfigError, match="expected a document read with `all`"):
        seamline.chunk(cut, recipe=Recipe(strategy="code", enrich=("code",)))
    for recipe in (Recipe(strategy="auto"), Recipe(enrich=("code",)), Recipe(derive=("scope",))):
        assert recipe.reading.outline == "all"
    assert Recipe(derive=("file-summary",)).reading.outline == "statements"
    assert Recipe(strategies={"*.py": "code"}).reading.outline == "statements"


def test_every_language_has_queries_that_its_grammar_knows() -> None:
    for name in names._QUERIES:
        assert names._query(name, code_document._parser(BY_NAME[name]).language) is not None


def test_chains_of_any_length_are_told_apart() -> None:
    """Each link is a node inside the next: what looks from the root, or back at siblings, takes minutes for these."""
    size = 20_000
    code = outline("import {b} from 'x';\nx = a" + "\n  .c(b)" * size + ";\n", "a.ts")
    assert len(code.statements) == size + 2
    assert len(code.uses) == size
