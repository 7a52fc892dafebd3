"""The code strategy: functions whole, parts that are valid, the imports that are used, and what is said of it all."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path
from typing import Any

import pytest

import seamline
from seamline.enrich.code import code_facts, file_summary, scopes
from seamline.parse import parse_text
from seamline.parse.code import document as code
from seamline.parse.code.languages import BY_NAME
from seamline.recipe.recipe import Recipe
from seamline.recipe.strategies import Code
from seamline.tokens import load
from seamline.types import Budget, Chunk, Document

pytest.importorskip("tree_sitter")
TOKENIZER = load("o200k_base")
SAMPLES = sorted((Path(__file__).parents[1] / "fixtures" / "code").iterdir())


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")


def read(source: str, name: str = "a.py") -> Document:
    return parse_text(textwrap.dedent(source).lstrip("\n"), uri=name, media_type="code")


def recipe(limit: int = 512, **settings: Any) -> Recipe:
    return Recipe(strategy="code", budget=Budget(limit * 9 // 10, limit), code=Code(**settings))


def cut(document: Document, limit: int = 512, **settings: Any) -> list[Chunk]:
    chunks = seamline.chunk(document, recipe=recipe(limit, **settings))
    assert not seamline.audit(chunks, limit=limit)
    return chunks


def errors(text: str, language: str) -> int:
    root = code._parser(BY_NAME[language]).parse(text.encode()).root_node
    return int(root.has_error)


SHOP = '''
    """A shop."""
    import os
    import json
    from shelf import (
        Shelf,
        Box as Carton,
    )

    SIZE = 3

    class Shop(Shelf):
        name = "shop"

        # What it costs.
        def price(self, json):
            return json[SIZE]

        def pack(self):
            return Carton(os.sep)

    def helper():
        return json.dumps(SIZE)
'''


def test_functions_get_chunks_of_their_own_under_their_class() -> None:
    chunks = cut(read(SHOP))
    assert [chunk.path for chunk in chunks] == [(), ("Shop",), ("Shop", "price"), ("Shop", "pack"), ("helper",)]
    assert (
        chunks[2].text
        == "class Shop(Shelf):\n    # What it costs.\n    def price(self, json):\n        return json[SIZE]"
    )
    assert chunks[0].text.endswith("SIZE = 3")


def test_a_class_or_a_file_is_one_chunk_where_that_is_asked_for() -> None:
    assert [c.path for c in cut(read(SHOP), granularity="class")] == [(), ("Shop",), ("helper",)]
    (chunk,) = cut(read(SHOP), granularity="module")
    assert chunk.text == read(SHOP).text.strip()


def test_exactly_the_imports_that_are_used_come_along() -> None:
    def borrowed(chunk: Chunk) -> str:
        text = chunk.document.text
        return "|".join(text[c.start : c.end] for c in chunk.context if c.role == "import")

    chunks = cut(read(SHOP))
    shelf = "from shelf import (\n    Shelf,\n    Box as Carton,\n)"
    assert [borrowed(chunk) for chunk in chunks] == ["", shelf, "", f"import os|{shelf}", "import json"]
    assert not any(borrowed(chunk) for chunk in cut(read(SHOP), imports=False))


def test_imports_of_a_group_in_go_stay_in_a_group() -> None:
    source = 'package a\n\nimport (\n\t"fmt"\n\tnet "net/http"\n)\n\nfunc A() {\n\tnet.Get("fmt")\n}\n\nfunc B() {}\n'
    chunks = cut(read(source, "a.go"))
    assert chunks[1].text == 'import (\nnet "net/http"\n)\nfunc A() {\n\tnet.Get("fmt")\n}'
    assert chunks[2].text == "func B() {}"


@pytest.mark.parametrize(
    ("name", "statement", "used"),
    [
        ("a.ts", "import D, {a as b, type C} from './x';", ("D", "b", "C")),
        ("a.ts", "import * as ns from 'x';", ("ns",)),
        ("a.rs", "use a::{b, c as d, e::{self, F}};", ("b", "d", "e", "F")),
        ("A.java", "import static a.b.C;", ("C",)),
        ("a.kt", "import a.b.C as D", ("D",)),
    ],
)
def test_the_names_that_imports_bind_are_known_by_language(name: str, statement: str, used: tuple[str, ...]) -> None:
    function = {
        "ts": "function f() {%s}",
        "rs": "fn f() {%s}",
        "java": "class F { void f() {%s} }",
        "kt": "fun f() {%s}",
    }
    for one in used:
        body = "\n" + f"    {one}.call();\n" * 3
        document = read(f"{statement}\n\n{function[name.rpartition('.')[2]] % body}\n", name)
        chunk = cut(document)[-1]
        assert chunk.text.startswith(statement), one
        assert code_facts(chunk).imports == (one,)


def test_a_function_stays_whole_rather_than_get_its_imports() -> None:
    body = "\n".join(f"    value_{n} = os.getenv('NAME_{n}')" for n in range(30))
    document = read(f"import os\n\n\ndef f():\n{body}\n")
    size = TOKENIZER.count(document.text.partition("\n\n\n")[2].rstrip())
    chunk = cut(document, limit=size)[-1]
    assert (chunk.tokens, chunk.context) == (size, ())
    assert code_facts(chunk).imports == ("os",)
    assert cut(document, limit=size + 8)[-1].text.startswith("import os\ndef f():")


LARGE = '''
    def f(a, b):
        """Say what is done.

        And more.
        """
        for x in a:
            if x:
                one(x, "some words to fill the line with tokens", 1)
                two(x, "some words to fill the line with tokens", 2)
            elif b:
                three(x, "some words to fill the line with tokens", 3)
            else:
                four(x, "some words to fill the line with tokens", 4)
                five(x, "some words to fill the line with tokens", 5)
        try:
            six(x, "some words to fill the line with tokens", 6)
            seven(x, "some words to fill the line with tokens", 7)
        except ValueError:
            eight(x, "some words to fill the line with tokens", 8)
            nine(x, "some words to fill the line with tokens", 9)
        else:
            ten(x, "some words to fill the line with tokens", 10)
        finally:
            eleven(x, "some words to fill the line with tokens", 11)
        match a:
            case [x]:
                twelve(x, "some words to fill the line with tokens", 12)
            case _:
                thirteen(x, "some words to fill the line with tokens", 13)
        return {
            "first": "some words to fill the line with tokens",
            "second": ["some words to fill the line with tokens", 1],
            "third": "some words to fill the line with tokens",
            "fourth": "some words to fill the line with tokens",
            "fifth": "some words to fill the line with tokens",
            "sixth": "some words to fill the line with tokens",
        }
'''


@pytest.mark.parametrize("limit", [48, 56, 64, 72, 80, 96, 128, 200])
def test_parts_of_a_function_are_valid_python(limit: int) -> None:
    chunks = cut(read(LARGE), limit=limit)
    assert len(chunks) > 1
    for chunk in chunks:
        ast.parse(chunk.text if chunk.context else textwrap.dedent(chunk.text))


def test_parts_of_a_function_say_what_it_is_for() -> None:
    parts = cut(read(LARGE), limit=160)[1:]
    assert all(part.text.startswith('def f(a, b):\n    """Say what is done."""\n') for part in parts)
    assert all(c.role != "docstring" for part in cut(read(LARGE), limit=160, docstring=False) for c in part.context)


JAVA = """
    package a;

    import java.util.List;

    /** Things. */
    @Deprecated
    public class Things extends Base<List<String>> {
      enum Kind {
        ONE(1),
        TWO(2);

        private final int number;

        Kind(int number) {
          this.number = number;
        }
      }

      int count(List<String> all) {
        int found = 0;
        try {
          for (String one : all) {
            if (one.isEmpty()) {
              System.out.println("nothing to be seen here, go on");
            } else if (one.length() > 1) {
              System.out.println("something to be seen here, look");
            } else {
              System.out.println("one letter to be seen here, well");
            }
          }
        } catch (RuntimeException error) {
          System.out.println("this went wrong in an unexpected way" + error);
          throw new IllegalStateException("this went wrong in an unexpected way", error);
        } finally {
          found += 1;
        }
        switch (found) {
          case 1:
          case 2:
            System.out.println("few things to be seen here, go on");
            break;
          default:
            System.out.println("many things to be seen here, go on");
        }
        return found;
      }
    }
"""


@pytest.mark.parametrize("limit", [64, 80, 96, 128, 256])
def test_parts_of_a_class_in_java_are_closed(limit: int) -> None:
    for chunk in cut(read(JAVA, "Things.java"), limit=limit):
        assert not errors(chunk.text, "java"), chunk.text


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@pytest.mark.parametrize("granularity", ["function", "class", "module"])
def test_every_language_keeps_the_contract(path: Path, granularity: str) -> None:
    document = parse_text(path.read_text(), uri=path.name, media_type="code")
    for limit in (16, 40, 128, 512):
        chunks = seamline.chunk(document, recipe=recipe(limit, granularity=granularity))
        found = [one for one in seamline.audit(chunks, limit=limit) if limit >= 128 or one.rule != "torn-markup"]
        assert not found
        for chunk in chunks:
            assert code_facts(chunk).complexity >= 1


def test_other_documents_are_cut_by_structure() -> None:
    document = seamline.read("# Title\n\nText.\n\n```python\nimport a\na.b()\n```\n", media_type="text/markdown")
    plain = seamline.chunk(document)
    assert [c.text for c in seamline.chunk(document, recipe=recipe())] == [c.text for c in plain]


# --- what is said of it ----------------------------------------------------------------------------------------------


def test_facts_of_chunks() -> None:
    facts = [code_facts(chunk) for chunk in cut(read(SHOP))]
    assert [(one.name, one.enclosing, one.type) for one in facts] == [
        ("", "", "module"),
        ("Shop", "", "class"),
        ("Shop.price", "Shop", "method"),
        ("Shop.pack", "Shop", "method"),
        ("helper", "", "function"),
    ]
    assert [one.symbols for one in facts] == [("SIZE",), ("Shop", "name"), ("Shop.price",), ("Shop.pack",), ("helper",)]
    assert [one.uses for one in facts] == [(), ("Shelf",), ("SIZE",), ("Carton", "os"), ("json", "SIZE")]
    assert [one.imports for one in facts] == [(), ("Shelf",), (), ("Carton", "os"), ("json",)]


def test_complexity_counts_branches_outside_of_strings() -> None:
    source = 'def f(a):\n    # if\n    if a and "or":\n        return [b for b in a if b]\n    while a: pass\n'
    assert code_facts(cut(read(source))[0]).complexity == 6
    go = 'func f(a int) {\n\tif a > 0 && b || c {\n\t\tprint("if")\n\t}\n\tfor {\n\t}\n}\n'
    assert code_facts(cut(read(go, "a.go"))[0]).complexity == 5


def test_a_file_summary_names_what_the_file_declares() -> None:
    document = read(SHOP)
    chunks = cut(document)
    (summary,) = file_summary(document, chunks, TOKENIZER)
    assert summary.text.splitlines() == [
        "a.py: A shop.",
        "imports os, json, Shelf, Carton",
        "class Shop(Shelf)",
        "Shop.price: def price(self, json)",
        "Shop.pack: def pack(self)",
        "def helper()",
    ]
    assert summary.kind == "file-summary"
    assert summary.of == tuple(chunk.id for chunk in chunks)
    assert summary.tokens == TOKENIZER.count(summary.text)


def test_a_long_file_has_several_summaries() -> None:
    document = read(
        "\n\n".join(f"def function_number_{n}(first, second): pass\n" * 1 for n in range(120)).replace(
            ": pass", ":\n    pass"
        )
    )
    found = file_summary(document, cut(document), TOKENIZER)
    assert len(found) > 1
    assert all(one.tokens <= 512 for one in found)
    assert sum(one.text.count("def ") for one in found) == 120


CALLS = """
    def a():
        return b() + unknown()

    def b():
        return c()

    def c():
        return 1

    class D:
        def e(self):
            return self.g()

        def g(self):
            return a()
"""


def test_functions_come_with_what_they_call() -> None:
    document = read(CALLS)
    chunks = cut(document)
    ids = {chunk.path[-1]: chunk.id for chunk in chunks if chunk.path}

    def texts(depth: int, limit: int = 512) -> list[tuple[str, ...]]:
        found = scopes(document, chunks, recipe(limit, depth=depth), TOKENIZER)
        assert all(one.tokens <= limit and one.kind == "scope" for one in found)
        return [one.of for one in found]

    assert texts(0) == []
    assert texts(1) == [(ids["a"], ids["b"]), (ids["b"], ids["c"]), (ids["D"], ids["g"]), (ids["a"], ids["g"])]
    assert texts(2)[0] == (ids["a"], ids["b"], ids["c"])
    assert texts(2)[2] == (ids["a"], ids["D"], ids["g"])
    (first, *_) = scopes(document, chunks, recipe(depth=1), TOKENIZER)
    assert first.text == "def a():\n    return b() + unknown()\n\ndef b():\n    return c()"


def test_brackets_with_nothing_between_them_hold_no_statements(tmp_path: Path) -> None:
    source = tmp_path / "m.cpp"
    source.write_text("class M :\n{\n\tpublic:\n\t\tM()\n\t\t{\n\t\t}\n}\n")
    chunks = seamline.chunk(source, strategy="code", limit=48)
    assert not seamline.audit(chunks, limit=48)
