"""Entities that their form gives away: addresses, dates, amounts, versions, identifiers in code marks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from seamline.enrich.entities.lists import MONTHS, UNITS, WEEKDAYS


class Mention(NamedTuple):
    """One place where a text speaks of something."""

    start: int
    end: int
    type: str


_MONTH = rf"(?:{'|'.join(MONTHS)})\b\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th|er|\.)?"
_YEAR = r"(?:1[0-9]|20)\d\d"
_NUMBER = r"(?<![\w.,])\d{1,3}(?:[,.'’ ]\d{3}){1,5}(?:[.,]\d{1,6})?|(?<![\w.,])\d{1,15}(?:[.,]\d{1,9})?"
_LARGE = (
    r"(?:\s?(?:thousand|millions?|billion|trillion|Millionen|Milliarden|milliards|millones|Mio\.?|Mrd\.?|bn|[kKmM])\b)?"
)
_COIN = r"(?:USD|EUR|GBP|CHF|JPY|CNY|INR|euros?|Euros?|dollars?|pounds|yen|francs?|pesos?)\b|[€$£¥]"
_PARTS = (
    ("CODE", r"(?<!`)`(?P<code>[^`\s](?:[^`\n]{0,118}[^`\s])?)`(?!`)"),
    (
        "URL",
        r"\b(?:https?|ftp)://[^\s<>\"'`|\\^{}]{1,2000}|\bwww\.[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}(?:/[^\s<>\"'`|]{0,2000})?",
    ),
    ("EMAIL", r"(?<![\w.+-])[\w+-](?:[\w.+-]{0,62}[\w+-])?@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"),
    (
        "DATE",
        rf"\b\d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{{1,6}})?)?(?:Z|[+-]\d\d:?\d\d)?)?\b"
        rf"|(?<![\w.])\d{{1,2}}[./]\d{{1,2}}[./](?:\d{{4}}|\d\d)(?![\w/]|\.\d)"
        rf"|\b{_DAY}(?:\s(?:of|de))?\s{_MONTH}(?:,?\s(?:de\s)?{_YEAR}\b)?"
        rf"|\b{_MONTH}\s{_DAY}(?:,\s?{_YEAR}|\s{_YEAR})?(?![\w:])"
        rf"|\b{_MONTH}\s(?:de\s)?{_YEAR}\b"
        rf"|\bQ[1-4]\s{_YEAR}\b|\b(?:{'|'.join(WEEKDAYS)})\b"
        rf"|\b(?:in|since|until|by|before|after|from|during|of|early|late|seit|Jahr|Jahre|en|depuis|desde|hasta|to|and)\s(?P<year>{_YEAR})\b(?![-.,]\d|%)",
    ),
    (
        "TIME",
        r"(?<![\w:.])\d{1,2}:\d\d(?::\d\d)?(?:\s?(?:[ap]\.m\.|[ap]m\b)|(?![\w:]))(?:\s(?:UTC|GMT|CET|CEST|EST|EDT|PST|PDT|Uhr)\b)?"
        r"|(?<![\w:.])\d{1,2}\s?(?:[ap]\.m\.|[ap]m\b|Uhr\b)|\b(?:noon|midnight)\b",
    ),
    ("MONEY", rf"(?:US)?[€$£¥]\s?\d[\d,.]{{0,20}}(?<=\d){_LARGE}|(?:{_NUMBER}){_LARGE}\s?(?:{_COIN})"),
    ("PERCENT", rf"(?:{_NUMBER})\s?(?:%|percent\b|per\scent\b|Prozent\b|pour\scent\b|por\sciento\b)"),
    (
        "VERSION",
        r"(?<![\w.-])v\d{1,6}(?:\.\d{1,6}){0,3}(?:-?(?:alpha|beta|rc|dev|a|b)\.?\d{0,4})?(?![\w]|\.\d)"
        r"|(?<![\w.-])\d{1,6}\.\d{1,6}\.\d{1,6}(?:-?(?:alpha|beta|rc|dev|post|a|b)\.?\d{0,4})?(?![\w]|\.\d)"
        r"|\b[Vv]ersion\s(?P<version>\d{1,6}(?:\.\d{1,6}){0,3})\b",
    ),
    ("QUANTITY", rf"(?:{_NUMBER})[\s-]?(?:{'|'.join(UNITS)})(?![\w/])"),
)
_ANY = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _PARTS))
"""Leftmost first, then in the order of the list. All repeats are bounded: linear time."""
_INNER = {"CODE": "code", "DATE": "year", "VERSION": "version"}
"""The part of a pattern that is the entity, where words around it only tell what it is."""
_ENDS = ".,;:!?)]*_"


def formed(text: str, start: int, end: int) -> Iterator[Mention]:
    """Mentions in a range of a text, in order, none within another."""
    for match in _ANY.finditer(text, start, end):
        name = str(match.lastgroup if match.lastgroup in dict(_PARTS) else _group(match))
        inner = _INNER.get(name)
        low, high = match.span(inner) if inner and match[inner] is not None else match.span()
        if name == "URL":
            high = low + len(_trimmed(text[low:high]))
        if low < high:
            yield Mention(low, high, name)


def _group(match: re.Match[str]) -> str:
    return next(name for name, _ in _PARTS if match[name] is not None)


def _trimmed(address: str) -> str:
    """An address without the marks of the sentence it stands in; a bracket stays where it was opened inside."""
    while address and address[-1] in _ENDS:
        if address[-1] == ")" and address.count("(") >= address.count(")"):
            break
        address = address[:-1]
    return address
