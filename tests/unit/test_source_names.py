"""Which names Python code takes from outside: what is shadowed is not, what only looks like a name neither."""

from __future__ import annotations

import pytest

from seamline.source.python_lines import PythonLines
from seamline.source.python_names import PythonNames


def used(source: str) -> list[str]:
    return [name for _, name in PythonNames(source, PythonLines(source)).used()]


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


def test_only_wanted_names_are_looked_at() -> None:
    source = "import a, b\ndef f(b):\n    return a, b, c\n"
    assert PythonNames(source, PythonLines(source), frozenset(("a", "b"))).used() == [(source.index("a, b, c"), "a")]


@pytest.mark.parametrize(
    "source", ["(" * 5000, "lambda:" * 3000, "x = [" + "[" * 2000 + "]" * 2000, "f'" + "{" * 999, "'''"]
)
def test_hostile_nesting_is_no_trouble(source: str) -> None:
    assert isinstance(used(source), list)
