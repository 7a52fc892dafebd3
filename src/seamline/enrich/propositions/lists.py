"""Lists within a clause: `A and B support C`, `stores X, Y and Z`, `is grown in A, B and C`, each item a claim of its
own, and the adjuncts that close a clause, as in `in 2005 for $1 billion`. What may be true only of all items together
stays whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from seamline.enrich.propositions import lexicon as lex
from seamline.enrich.propositions.verbs import Verb, Word, forms, is_plural

_SPREAD = frozenset(["in", "at", "on", "during", "since", "across", "throughout"])
"""Prepositions of a time or place that holds for all of a list."""
_TIMES = frozenset(["second", "minute", "hour", "day", "week", "month", "year", "decade"])
_YEAR = re.compile(r"1\d{3}|20\d\d")
_LONGEST = 7
"""Words of one item of a list."""
_COLLECTIVE = frozenset(
    ["together", "each", "both", "same", "similar", "different", "equal", "identical", "related", "connected", "linked",
     "compatible", "interchangeable", "twins", "siblings", "partners", "neighbours", "neighbors", "parallel",
     "adjacent", "respectively", "jointly", "their", "themselves", "other", "another", "between", "apart", "alike",
     "opposite", "opposites", "pair", "couple", "team", "two", "three"]
)  # fmt: skip
"""Words that may be true of a group and of none of its members."""
_NOUNS = (
    "tion", "sion", "ment", "ness", "ity", "ance", "ence", "ship", "ism", "age", "ure", "logy", "phy", "ware", "ery",
    "dom", "hood", "ics", "ings", "ing", "ist", "ode", "ord", "ort", "ork", "ata", "ail", "ile", "eer", "oken",
)  # fmt: skip
"""Endings of words that are nouns rather than adjectives."""
_NOT_OVER = frozenset(["between", "among", "of", "than", "from", "by"])
"""Prepositions whose list is one thing."""
_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does", "aren't": "isn't", "weren't": "wasn't",
             "haven't": "hasn't", "don't": "doesn't"}  # fmt: skip
_THIRD_OF = {base: third for third, base in lex.THIRDS.items()}


def split_subjects(subject: list[Word], verb: list[Word], rest: list[Word]) -> list[tuple[list[Word], list[Word]]]:
    """The subjects of a clause one by one, each with the verb in its form; one pair where they belong together."""
    whole = [(subject, verb)]
    lows = {word.low for word in (*verb, *rest)}
    main = next((word for word in reversed(verb) if word.tag != "adv"), None)
    if main is None or not any(word.low == "and" for word in subject) or _is_together(main.low) or lows & _COLLECTIVE:
        return whole
    named = subject[1:] if subject[0].low == "both" else subject
    items = list(_items(named))
    if len(items) < 2 or not _are_subjects(items) or (rest and rest[0].tag == "num"):
        return whole
    singular = _singular(verb)
    if singular is None or (main.low in lex.BE and rest and (rest[0].tag == "det" or is_plural(rest))):
        return whole  # `are friends`, `are a couple`
    return [(item, verb if is_plural(item) else singular) for item in items]


def _are_subjects(items: Sequence[Sequence[Word]]) -> bool:
    """Whether all items are names, or all have an article."""
    if any(not item or len(item) > 4 or len(item[-1].text) == 1 or item[-1].tag == "num" for item in items):
        return False
    if all(word.tag in ("name", "code") or word.text[0].isupper() for item in items for word in item):
        return not any(word.tag == "det" for item in items for word in item)
    if any(word.tag not in ("det", "poss", "n", "name", "code") for item in items for word in item):
        return False
    return all(item[0].tag == "det" and len(item) > 1 for item in items)


def _singular(verb: Sequence[Word]) -> list[Word] | None:
    """A verb of several things as that of one; None where its form does not tell present from past."""
    at = next((at for at, word in enumerate(verb) if word.tag != "adv"), None)
    if at is None:
        return None
    first = verb[at]
    if first.low in _SINGULAR:
        text = _SINGULAR[first.low]
    elif first.tag == "modal" or first.low in lex.PAST or "past" in forms(first.low):
        text = first.text
    elif "base" in forms(first.low):
        if forms(first.low) & {"either", "part"}:
            return None
        text = _THIRD_OF[first.low]
    elif "either" in forms(first.low):
        text = first.text
    else:
        return None
    return [*verb[:at], first._replace(text=text, low=text.lower()), *verb[at + 1 :]]


def split_objects(verb: Sequence[Word], rest: list[Word], group: Verb) -> list[list[Word]]:
    """What follows the verb, once for every claim that it makes."""
    if group.is_negated or any(word.low in lex.NEGATIONS for word in verb):
        return [rest]
    return _listed(verb, rest, group) or _listed_names(verb, rest) or _adjuncts(rest, group) or [rest]


def _listed(verb: Sequence[Word], rest: list[Word], group: Verb) -> list[list[Word]] | None:
    if group.is_passive or not any(word.low == "and" for word in rest) or _is_together(verb[-1].low):
        return None
    body, tail = _body(rest)
    items = list(_items(body))
    if len(items) < 2 or any(not item or len(item) > _LONGEST for item in items):
        return None
    is_be = verb[-1].low in lex.BE
    if _are_phrases(items, is_be) or (is_be and _are_adjectives(items)):
        return [[*item, *tail] for item in items]
    return None


def _listed_names(verb: Sequence[Word], rest: list[Word]) -> list[list[Word]] | None:
    """`is grown in Iran, Spain and Kashmir`: names that close a clause, one by one."""
    last = max((at for at, word in enumerate(rest) if word.low == "and"), default=0)
    start = max((at for at in range(last) if rest[at].tag == "prep"), default=-1)
    if start < 0 or rest[start].low in _NOT_OVER or _is_together(verb[-1].low):
        return None
    items = list(_items(rest[start + 1 :]))
    if len(items) < 2 or any(not item or len(item) > 3 for item in items):
        return None
    if any(word.tag not in ("name", "code") for item in items for word in item):
        return None
    return [[*rest[: start + 1], *item] for item in items]


def _is_together(low: str) -> bool:
    return (
        lex.THIRDS.get(low, low) in lex.TOGETHER
        or low.removesuffix("d") in lex.TOGETHER
        or low.removesuffix("ed") in lex.TOGETHER
    )


def _body(rest: list[Word]) -> tuple[list[Word], list[Word]]:
    """A list, and the time or place after it."""
    last = max(at for at, word in enumerate(rest) if word.low == "and")
    at = next((at for at in range(last, len(rest)) if rest[at].low in _SPREAD or _lasts(rest, at)), len(rest))
    return rest[:at], rest[at:]


def _lasts(rest: Sequence[Word], at: int) -> bool:
    """Whether a phrase says for how long: `for two years`."""
    return rest[at].low == "for" and any(word.low.removesuffix("s") in _TIMES for word in rest[at + 1 : at + 4])


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


def _are_phrases(items: Sequence[Sequence[Word]], is_be: bool) -> bool:
    """Whether all items are things: each with its article, number or an ending of nouns, or each one word."""
    if any(word.tag in ("cc", "aux", "modal", "rel", "pron", "punct") for item in items for word in item):
        return False
    if any(word.tag == "prep" and word.low != "of" for item in items[:-1] for word in item):
        return False
    if items[0][0].low in ("both", "all", "most"):
        return False
    if any(item[-1].tag == "num" for item in items):
        return all(len(item) == 1 and _is_thing(item[0]) for item in items)
    if all(item[0].tag in ("det", "poss", "num") and len(item) > 1 for item in items):
        return True
    if is_be:
        return all(len(item) == 1 and _is_thing(item[0]) for item in items)
    if any(word.tag in ("adv", "prep") for item in items for word in item[:2]) or _is_clipped(items):
        return False
    if all(len(item) == 1 for item in items):
        return True  # what joins single words joins words of one kind
    # Of three or more, only single words may be adjectives of the last: `fast, cheap and reliable service`.
    return all(_is_phrase(item) or (len(items) > 2 and len(item) > 1) for item in items[:-1])


def _is_clipped(items: Sequence[Sequence[Word]]) -> bool:
    """`a status code and time`: the article of the first may hold for the second as well."""
    return items[0][0].tag in ("det", "poss") and items[-1][0].tag not in ("det", "poss") and len(items) == 2


def _is_phrase(item: Sequence[Word]) -> bool:
    """Whether words end in a noun: a name, a plural, a word after its article, or one with an ending of nouns."""
    last = item[-1]
    if last.low in lex.ADJECTIVES or last.tag not in ("n", "name", "code"):
        return False
    if _is_thing(last) or last.tag == "code" or (item[0].tag in ("det", "num") and len(item) > 1):
        return True
    return last.low in lex.NOUNISH or last.low.endswith(_NOUNS)


def _is_thing(word: Word) -> bool:
    return word.tag in ("name", "code") or (
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
        kind = _list_kind(phrase, group)
        if not kind:
            break
        parts.insert(0, (kind, phrase))
        end = start
    return parts, rest[:end]


def _list_kind(phrase: Sequence[Word], group: Verb) -> str:
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
