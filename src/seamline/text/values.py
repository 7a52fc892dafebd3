"""What number a cell says: signs, brackets, thousands, currencies, percent, K and M. What is in doubt stays text.

`1,234` may be a thousand and more, or one and a bit: only other cells tell. So numbers are read column by column.

What the columns of a table hold: integers, numbers, dates, booleans or text, judged by a sample of their values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from seamline.types import Column

_LONGEST = 40
_CURRENCY = r"US\$|A\$|C\$|HK\$|R\$|[$€£¥₹₩₽₺₴₪฿]|(?:USD|EUR|GBP|JPY|CHF|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL|KRW)\b"
_UNIT = r"%|‰|°[CF]|ms|min|[sh]\b|kg|g\b|km|cm|mm|[kKMGT]B"
_SCALES = {"k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "mn": 1e6, "b": 1e9, "B": 1e9, "bn": 1e9, "T": 1e12, "tn": 1e12}
_WORDS = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_CELL = re.compile(
    rf"(?P<open>\()?(?P<sign>[+\-−–])?\s?(?P<before>{_CURRENCY})?\s?(?P<inner>[+\-−–])?"
    r"(?P<number>\d[\d.,'’ \u00a0\u2009\u202f]*|\.\d+)"
    r"(?P<power>[eE][+-]?\d{1,3})?"
    rf"\s?(?P<scale>(?:[KMBT]|k|mn|bn|tn)(?!\w)|thousand|million|billion|trillion)?\s?(?P<after>{_UNIT}|{_CURRENCY})?(?P<close>\))?"
)
_SPACED = re.compile(r"\d{1,3}(?:['’ \u00a0\u2009\u202f]\d{3})+(?=[.,]\d+\Z|\Z)")
_PLAIN = re.compile(r"\d+|\d*\.\d{1,2}|\d*\.\d{4,}|0?\.\d{3}|\d{4,}\.\d{3}")
_POINT = re.compile(r"\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:,\d{3}){2,}|\d*\.\d{1,2}|\d*\.\d{4,}|0?\.\d{3}|\d{4,}\.\d+")
"""Numbers in which the point can only be a decimal one, or commas only part thousands."""
_COMMA = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}|\d+,\d{1,2}|\d+,\d{4,}|0,\d{3}|\d{4,},\d+")
_GROUPED = {
    ".": re.compile(r"(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d*)?|\.\d+"),
    ",": re.compile(r"(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d*)?"),
}


class Amount(NamedTuple):
    """One number."""

    value: float
    before: str = ""
    """A currency that stands before it."""
    after: str = ""
    """Percent, another unit or a currency that stands after it."""
    scale: str = ""
    """What multiplies it, as written: K, M, bn; already in `value`."""
    places: int = 0
    """Digits after the decimal sign."""


class _Parts(NamedTuple):
    digits: str
    negative: bool
    before: str
    after: str
    scale: str
    power: str


def decimal_sign(cells: Iterable[str]) -> str:
    """The sign before decimals that the numbers among some cells show: `.` or `,`; empty where none shows it, `?` where
    they disagree."""
    found: set[str] = set()
    for cell in cells:
        if (parts := _parts(cell)) is not None:
            if _POINT.fullmatch(parts.digits):
                found.add(".")
            elif _COMMA.fullmatch(parts.digits):
                found.add(",")
    return "" if not found else found.pop() if len(found) == 1 else "?"


def amount(cell: str, sign: str = "") -> Amount | None:
    """The number a cell says, with `sign` before decimals; None where it says none, or none for sure."""
    parts = _parts(cell)
    if parts is None or sign == "?":
        return None
    digits = parts.digits
    if not sign:
        if not _PLAIN.fullmatch(digits) and not _POINT.fullmatch(digits):
            return None
        sign = "."
    if not _GROUPED[sign].fullmatch(digits):
        return None
    plain = digits.replace("," if sign == "." else ".", "").replace(",", ".")
    try:
        value = float(plain + parts.power)
    except ValueError:
        return None
    value *= _SCALES.get(parts.scale) or _WORDS.get(parts.scale) or 1
    places = len(plain.partition(".")[2])
    return Amount(-value if parts.negative else value, parts.before, parts.after, parts.scale, places)


def _parts(cell: str) -> _Parts | None:
    cell = cell.strip()
    if not cell or len(cell) > _LONGEST or not (found := _CELL.fullmatch(cell)):
        return None
    if bool(found["open"]) != bool(found["close"]) or (found["before"] and found["after"]):
        return None
    digits = found["number"].strip()
    if _SPACED.match(digits):
        digits = re.sub(r"['’\s]", "", digits)
    if re.search(r"['’\s]", digits) or re.fullmatch(r"0\d+", digits):
        return None  # 01234 is a code
    signs = [found[name] for name in ("sign", "inner") if found[name]]
    if len(signs) > 1 or (signs and found["open"]):
        return None
    negative = bool(found["open"]) or (bool(signs) and signs[0] != "+")
    scale, power = found["scale"] or "", found["power"] or ""
    return _Parts(digits, negative, found["before"] or "", found["after"] or "", scale, power)


def written(value: float, like: Amount, places: int) -> str:
    """A number as a column writes its own: with its currency, percent and scale."""
    size = value / (_SCALES.get(like.scale) or _WORDS.get(like.scale) or 1)
    text = f"{abs(size):,.{places}f}" if abs(size) < 1e15 else f"{abs(size):.6g}"
    if "." in text and "e" not in text:
        text = text.rstrip("0").rstrip(".")
    gap = " " if like.before.isalpha() else ""
    scale = f" {like.scale}" if like.scale in _WORDS else like.scale
    after = f" {like.after}" if like.after.isalpha() else like.after
    return ("-" if size < 0 and text.strip("0.") else "") + like.before + gap + text + scale + after


SAMPLE = 1000
"""Rows that are looked at to tell the types of columns."""
MOST = 1000
"""Columns that are described; a table may have fifty thousand."""

_LONGEST_VALUE = 40
"""No number or date is longer; what is needs no look."""
_NOTHING = frozenset(("", "-", "na", "n/a", "nan", "nil", "none", "null", "#n/a", "?"))
_BOOLEAN = frozenset(("true", "false", "yes", "no"))
_INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d*)")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)? ?%?|[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_COMMA_NUMBER = re.compile(r"[+-]?(?:\d+,\d+|\d{1,3}(?:\.\d{3})+(?:,\d+)?) ?%?")
_DATE = re.compile(
    r"\d{4}-\d\d?-\d\d?(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?Z| ?[+-]\d\d:?\d\d)?)?"
    r"|\d{4}/\d\d?/\d\d?|\d\d?([./])\d\d?\1\d{4}|\d\d?/\d\d?/\d\d"
)
_ZEROED = re.compile(r"[+-]?0\d+")


def type_of(value: str) -> str:
    """The type of one value; empty where it says nothing."""
    value = value.strip()
    if len(value) > _LONGEST_VALUE:
        return "text"
    lower = value.lower()
    if lower in _NOTHING:
        return ""
    if _INTEGER.fullmatch(value):
        return "integer"
    if _ZEROED.fullmatch(value):
        return "text"  # 01234 is a code, and would lose its zero as a number
    if _NUMBER.fullmatch(value) or _COMMA_NUMBER.fullmatch(value):
        return "number"
    if _DATE.fullmatch(value):
        return "date"
    return "boolean" if lower in _BOOLEAN else "text"


def common(types: Iterable[str]) -> str:
    """The one type that holds all values of a column; text where there is no other."""
    found = set(types) - {"", "null"}
    if found == {"integer", "number"}:
        return "number"
    return found.pop() if len(found) == 1 else "text"


def name_columns(names: Sequence[str], types: Sequence[str]) -> tuple[Column, ...]:
    """The columns of a table; one without a name goes by its number."""
    named = enumerate(zip(names, types, strict=True), 1)
    return tuple([Column(name or f"column {number}", kind) for number, (name, kind) in named])


_Row = TypeVar("_Row")


def sample(rows: Sequence[_Row], most: int = SAMPLE) -> list[_Row]:
    """Rows from all over a table, at even distances, so that its end has a say too."""
    step = max(1, -(-len(rows) // most))
    return list(rows[::step])
