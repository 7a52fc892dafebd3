"""Lists and adjuncts of one clause, one by one: `a hammer, a saw`, `in 2005 for $1 billion`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from seamline.enrich.propositions import lexicon as lex
from seamline.enrich.propositions.tagged import Word, forms
from seamline.enrich.propositions.verbs import Verb

_TOGETHER = frozenset(
    [
        "combine",
        "compare",
        "connect",
        "mix",
        "merge",
        "join",
        "link",
        "separate",
        "divide",
        "total",
        "balance",
        "exchange",
        "switch",
        "distinguish",
        "differ",
        "choose",
        "share",
        "sum",
        "add",
        "become",
    ]
)
"""Verbs whose objects belong together."""
_SPREAD = frozenset(["in", "at", "on", "during", "since", "across", "throughout"])
"""Prepositions of a time or place that holds for all of a list."""
_YEAR = re.compile(r"1\d{3}|20\d\d")
_LONGEST = 7
"""Words of one item of a list."""


def apart(verb: Sequence[Word], rest: list[Word], group: Verb) -> list[list[Word]]:
    """What follows the verb, once for every claim that it makes."""
    if group.is_negated or any(word.low in lex.NEGATIONS for word in verb):
        return [rest]
    return _listed(verb, rest, group) or _adjuncts(rest, group) or [rest]


def _listed(verb: Sequence[Word], rest: list[Word], group: Verb) -> list[list[Word]] | None:
    if group.is_passive or not any(word.low == "and" for word in rest) or _is_together(verb[-1].low):
        return None
    body, tail = _body(rest)
    items = list(_items(body))
    if len(items) < 2 or any(not item or len(item) > _LONGEST for item in items):
        return None
    is_be = verb[-1].low in lex.BE
    if _are_phrases(items) or (is_be and _are_adjectives(items)):
        return [[*item, *tail] for item in items]
    return None


def _is_together(low: str) -> bool:
    return (
        lex.THIRDS.get(low, low) in _TOGETHER
        or low.removesuffix("d") in _TOGETHER
        or low.removesuffix("ed") in _TOGETHER
    )


def _body(rest: list[Word]) -> tuple[list[Word], list[Word]]:
    """A list, and the time or place after it."""
    last = max(at for at, word in enumerate(rest) if word.low == "and")
    at = next((at for at in range(last, len(rest)) if rest[at].low in _SPREAD), len(rest))
    return rest[:at], rest[at:]


def _items(body: Sequence[Word]) -> Iterator[list[Word]]:
    item: list[Word] = []
    for word in body:
        if word.text == "," or word.low == "and":
            if item:
                yield item
            item = []
        else:
            item.append(word)
    yield item


def _are_phrases(items: Sequence[Sequence[Word]]) -> bool:
    """Whether all items are things of one kind: each with its article or number, or each a name or a plural."""
    if any(word.tag in ("cc", "aux", "modal", "rel", "pron", "punct") for item in items for word in item):
        return False
    if any(word.tag == "prep" and word.low != "of" for item in items[:-1] for word in item):
        return False
    if all(item[0].tag in ("det", "poss", "num") and len(item) > 1 for item in items):
        return items[0][0].low not in ("both", "all", "most") and not any(item[-1].tag == "num" for item in items)
    return all(len(item) == 1 and _is_thing(item[0]) for item in items)


def _is_thing(word: Word) -> bool:
    return word.tag == "name" or (
        word.tag == "n" and word.low.endswith("s") and not word.low.endswith(("ss", "us", "is"))
    )


def _are_adjectives(items: Sequence[Sequence[Word]]) -> bool:
    """`small, fast and easy to extend`: single words, of which the last may go on."""
    heads = [item[0] for item in items]
    if any(head.tag != "n" or "ing" in forms(head.low) for head in heads):
        return False
    return all(len(item) == 1 for item in items[:-1]) and (len(items[-1]) == 1 or items[-1][1].tag == "prep")


def _adjuncts(rest: list[Word], group: Verb) -> list[list[Word]] | None:
    """When, by whom and for how much, where two or more of them close a clause."""
    parts, head = _closing(rest, group)
    if len(parts) < 2:
        return None
    kinds = [kind for kind, _ in parts]
    if len(set(kinds)) < len(kinds):
        return None
    if kinds[0] == "agent":
        if len(parts) < 3:
            return None
        head, parts = [*head, *parts[0][1]], parts[1:]
    return [[*head, *part] for _, part in parts]


def _closing(rest: list[Word], group: Verb) -> tuple[list[tuple[str, list[Word]]], list[Word]]:
    """The phrases of known kind that a clause ends with, and what stands before them."""
    starts = [at for at, word in enumerate(rest) if word.tag == "prep"]
    parts: list[tuple[str, list[Word]]] = []
    end = len(rest)
    for start in reversed(starts):
        phrase = rest[start:end]
        kind = _kind(phrase, group)
        if not kind:
            break
        parts.insert(0, (kind, phrase))
        end = start
    return parts, rest[:end]


def _kind(phrase: Sequence[Word], group: Verb) -> str:
    first, second = phrase[0].low, phrase[1] if len(phrase) > 1 else None
    if second is None or any(word.text == "," for word in phrase):
        return ""
    if first == "by" and group.is_passive and second.tag in ("name", "det", "num", "n"):
        return "agent"
    if (
        first in ("in", "on", "since")
        and any(_YEAR.fullmatch(w.text) or w.low in lex.MONTHS for w in phrase)
        and len(phrase) <= 4
    ):
        return "time"
    return "price" if first == "for" and second.text[0] in "$€£" and len(phrase) <= 4 else ""
