"""Formulas of office files (OMML) -> LaTeX, as far as it goes; symbols stay the characters they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from seamline.parse.office.ooxml import child, name_of, value

_ACCENTS = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "bar", "\u20d7": "vec", "\u0307": "dot"}
_INTEGRAL = "\u222b"


def formula(root: Any) -> str:
    """The formula of an `m:oMath` element on one line; nesting is followed without recursion."""
    stack: list[tuple[Any, Any, list[tuple[str, str]]]] = [(root, iter(root), [])]
    while True:
        element, rest, parts = stack[-1]
        inner = next(rest, None)
        if inner is not None:
            name = name_of(inner)
            if name in ("m:t", "w:t"):
                parts.append(("", inner.text or ""))
            elif name and not name.endswith("Pr") and name not in ("w:del", "w:instrText", "w:delText"):
                stack.append((inner, iter(inner), []))
            continue
        stack.pop()
        written = _to_latex(element, parts)
        if not stack:
            return " ".join(written.split())
        stack[-1][2].append((name_of(element), written))


def _to_latex(element: Any, parts: list[tuple[str, str]]) -> str:
    rule = _RULES.get(name_of(element))
    if rule is None:
        return "".join(text for _, text in parts)
    named: dict[str, str] = {}
    for name, text in parts:
        named[name] = named.get(name, "") + text
    return rule(element, named, [text for name, text in parts if name in ("m:e", "m:mr")])


def _group(text: str) -> str:
    return text if len(text) == 1 else "{" + text + "}"


def _script(named: Mapping[str, str], sub: str = "m:sub", sup: str = "m:sup") -> str:
    out = f"_{_group(named[sub])}" if named.get(sub) else ""
    return out + (f"^{_group(named[sup])}" if named.get(sup) else "")


def _fraction(element: Any, named: Mapping[str, str], cells: list[str]) -> str:
    command = "binom" if value(element, "m:fPr", "m:type") == "noBar" else "frac"
    return f"\\{command}{{{named.get('m:num', '')}}}{{{named.get('m:den', '')}}}"


def _superscript(element: Any, named: Mapping[str, str], cells: list[str]) -> str:
    return named.get("m:e", "") + _script(named)


def _before(element: Any, named: Mapping[str, str], cells: list[str]) -> str:
    return "{}" + _script(named) + named.get("m:e", "")


def _root(element: Any, named: Mapping[str, str], cells: list[str]) -> str:
    degree = f"[{named['m:deg']}]" if named.get("m:deg") else ""
    return f"\\sqrt{degree}{{{named.get('m:e', '')}}}"


def _sum(element: Any, named: Mapping[str, str], cells: list[str]) -> str:
    sign = value(element, "m:naryPr", "m:chr") or _INTEGRAL
    return f"{sign}{_script(named)} {named.get('m:e', '')}"


def _brackets(element: Any, named: Mapping[str, str], cells: list[str]) -> str:
    properties = child(element, "m:dPr")
    begin, between, end = "(", "|", ")"
    if properties is not None:
        begin = begin if child(properties, "m:begChr") is None else value(properties, "m:begChr")
        between = between if child(properties, "m:sepChr") is None else value(properties, "m:sepChr")
        end = end if child(properties, "m:endChr") is None else value(properties, "m:endChr")
    return begin + between.join(cells) + end


def _function(element: Any, named: Mapping[str, str], cells: list[str]) -> str:
    return f" {named.get('m:fName', '')} {named.get('m:e', '')}"


def _limit(element: Any, named: Mapping[str, str], cells: list[str]) -> str:
    sign = "_" if name_of(element) == "m:limLow" else "^"
    return f"{named.get('m:e', '')}{sign}{_group(named.get('m:lim', ''))}"


def _accent(element: Any, named: Mapping[str, str], cells: list[str]) -> str:
    accent = _ACCENTS.get(value(element, "m:accPr", "m:chr"), "hat")
    return f"\\{accent}{{{named.get('m:e', '')}}}"


def _bar(element: Any, named: Mapping[str, str], cells: list[str]) -> str:
    return f"\\overline{{{named.get('m:e', '')}}}"


def _row(element: Any, named: Mapping[str, str], cells: list[str]) -> str:
    return " & ".join(cells)


def _matrix(element: Any, named: Mapping[str, str], cells: list[str]) -> str:
    return "\\begin{matrix} " + " \\\\ ".join(cells) + " \\end{matrix}"


def _lines(element: Any, named: Mapping[str, str], cells: list[str]) -> str:
    return " \\\\ ".join(cells)


_RULES: dict[str, Callable[[Any, Mapping[str, str], list[str]], str]] = {
    "m:f": _fraction,
    "m:sSup": _superscript,
    "m:sSub": _superscript,
    "m:sSubSup": _superscript,
    "m:sPre": _before,
    "m:rad": _root,
    "m:nary": _sum,
    "m:d": _brackets,
    "m:func": _function,
    "m:limLow": _limit,
    "m:limUpp": _limit,
    "m:acc": _accent,
    "m:bar": _bar,
    "m:mr": _row,
    "m:m": _matrix,
    "m:eqArr": _lines,
}
