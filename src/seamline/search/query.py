"""What a query asks for beyond its words: `"quoted phrases"` that a passage must hold, `-words` it must not, and its
wording. BM25 counts words wherever they stand, so the passage that says `exit code 137` loses to one that says exit and
code often. A text that is asked for word for word should come first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from seamline.text.stemming import ENGLISH
from seamline.text.words import COMMON, located, query_words, splits_word, typed_words, whole_words, words
from seamline.types import collapse

Phrase = tuple[frozenset[str], ...]
"""Words in order; each as the words that count for it, as `words` gives them."""

_PART = re.compile(r'(?<!\S)(?P<no>-)?(?:"(?P<quoted>[^"\n]*)"|(?P<word>(?<=-)[^\s"-][^\s"]*))')
"""A quoted part, or a word after a lone hyphen; both may only follow white space, so that `re-run` is one word."""
_OPTION = re.compile(r"[A-Za-z]\W*|[^=]+=.*")
"""What after a hyphen is an option that is asked for, and not a word that is excluded: `-o`, `-o=yaml`."""


class Query(NamedTuple):
    """A query, read."""

    text: str
    """What is searched for: all of it but what is excluded and the quotes."""
    required: tuple[Phrase, ...] = ()
    excluded: tuple[Phrase, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether every passage may answer it."""
        return not (self.required or self.excluded)

    def admits(self, text: str) -> bool:
        """Whether a passage holds all that is required and nothing that is excluded."""
        if self.is_plain:
            return True
        held = frozenset(words(text))
        return all(_holds(text, held, phrase) for phrase in self.required) and not any(
            _holds(text, held, phrase) for phrase in self.excluded
        )


def parse_query(text: str) -> Query:
    """The parts of a query. Quotes that are not closed are characters like others, and so are the hyphens of options:
    `--option`, `-o`, `-o=yaml`."""
    required: list[Phrase] = []
    excluded: list[Phrase] = []

    def read(part: re.Match[str]) -> str:
        asked = part["quoted"] if part["quoted"] is not None else part["word"]
        phrase = _phrase(asked)
        if not phrase or (part["word"] and _OPTION.fullmatch(part["word"])):
            return part[0]
        (excluded if part["no"] else required).append(phrase)
        return " " if part["no"] else asked

    plain = collapse(_PART.sub(read, text))
    if not plain:  # only exclusions: there is nothing to look for but the words themselves
        return Query(text)
    return Query(plain, tuple(required), tuple(excluded))


def _phrase(text: str) -> Phrase:
    """A name counts whole, and of a script without spaces every pair of characters."""
    runs = [(text[start:end].isascii(), terms) for start, end, terms in located(text) if terms]
    return tuple(frozenset(terms[:1] if is_ascii else terms) for is_ascii, terms in runs)


def _holds(text: str, held: frozenset[str], phrase: Phrase) -> bool:
    """Whether the words of a phrase stand one after the other in a text that holds these words. A name also counts by
    its parts, where it is alone."""
    wanted = frozenset().union(*phrase)
    if not wanted <= held or (len(wanted) == len(phrase) == 1):  # most texts are told by their words
        return wanted <= held
    runs = [frozenset(terms) for _, _, terms in located(text)]
    size = len(phrase)
    return any(all(want <= runs[at + n] for n, want in enumerate(phrase)) for at in range(len(runs) - size + 1))


def coverage(query: str, texts: Iterable[str], stemming: str = ENGLISH) -> float:
    """The largest share of a query's words that one of some texts holds, by the stems of the index."""
    asked = frozenset(query_words(query, stemming))
    most = 0
    for text in texts:
        most = max(most, len(asked.intersection(words(text, stemming))))
        if most == len(asked):
            break
    return most / max(1, len(asked))


def misspelt(query: str, texts: Iterable[str]) -> dict[str, str]:
    """The words of a query that no text holds but for a slip, with the word that is meant: one letter left out, added,
    wrong or in its neighbour's place, two in a long word. Numbers and short words are what they are, and so is all of a
    long query."""
    typed = typed_words(query)
    if len(typed) > SHORT:
        return {}  # every word is compared with all words of the texts
    asked = [word for word in typed if _SPELT <= len(word) <= _LONGEST and word.isalpha() and word not in COMMON]
    held = Counter(word for text in texts for word in typed_words(text))
    out: dict[str, str] = {}
    for word in asked:
        most = 1 if len(word) <= _LONG else 2
        like = [(_slips(word, one), -held[one], one) for one in held if abs(len(one) - len(word)) <= most]
        if like and (best := min(like))[0] <= most:
            out[word] = best[2]
    return out


_SPELT = 5
"""Letters from which on a word may be misspelt; in shorter ones a letter makes another word: an eighth of all runs of
four letters is a slip from one of the words of ten passages."""
_LONG = 8
"""Letters of a word up to which there may be one slip."""
_LONGEST = 40
"""Letters up to which: to compare two words takes the product of theirs."""


def _slips(one: str, other: str) -> int:
    """Letters left out, added, wrong, or in their neighbour's place, that part two words."""
    before: list[int] = []
    row: list[int] = [*range(len(other) + 1)]
    for n, letter in enumerate(one):
        following = [n + 1]
        for m, another in enumerate(other):
            least = min(row[m + 1] + 1, following[m] + 1, row[m] + (letter != another))
            if n and m and letter == other[m - 1] and another == one[n - 1]:
                least = min(least, before[m - 1] + 1)
            following.append(least)
        before, row = row, following
    return row[-1]


NAMED = 0.4
"""What a passage gains whose title and headings a long query holds, all of them, beside 1 for the best of the legs."""


class Naming:
    """A query that may name what it is about: one of more than `SHORT` words, also without function words and with the
    parts of names. A shorter one has a word of a heading by chance, and its own words are looked for in a row
    (`Wording`)."""

    def __init__(self, query: str, stemming: str = ENGLISH) -> None:
        self._asked = frozenset(query_words(query, stemming))
        self._written = len(whole_words(query))
        self._stemming = stemming

    @property
    def is_long(self) -> bool:
        return min(self._written, len(self._asked)) > SHORT

    def bonus(self, line: str) -> float:
        """What a passage gains by the line of its title and headings: by the square of the share of its words that the
        query holds, as half a name is less than half as likely to be meant."""
        named = frozenset(words(line, self._stemming)) - COMMON
        return NAMED * (len(named & self._asked) / len(named)) ** 2 if named else 0.0


_STATISTIC = re.compile(
    r"\b(?:on average|average|mean|median|minimum|maximum|min|max|highest|lowest|largest|smallest|range|"
    r"how many|number of|count of|distinct|unique|most (?:common|frequent|often)|distribution)\b",
    re.IGNORECASE,
)


def statistic_words(query: str) -> frozenset[str]:
    """The words of a question about a whole column, such as `average revenue`, without those of the statistic; none
    where it asks for nothing that the summary of a table may say."""
    if not _STATISTIC.search(query):
        return frozenset()
    return frozenset(words(_STATISTIC.sub(" ", query))) - COMMON


LITERAL = 0.5
"""What a passage gains that holds the query as it was typed, beside 1 for the best of the legs, where that is a single
plain word: another form of it is nearly as good."""
EXACT = 1.0
"""The same of several words, a name or a code: more than any passage has that does not hold it."""
RUN = 0.3
"""What it gains that holds all its words in order; a part of them, that part."""
SHORT = 8
"""Words of a query that may be asked for word for word; longer ones are questions."""


class Wording:
    """A query as it is worded."""

    def __init__(self, query: str) -> None:
        typed = collapse(query)
        self._typed = typed.lower()
        self._words = whole_words(query)
        is_plain = typed.isalpha() and typed[1:] == typed[1:].lower()
        self.literal = LITERAL if is_plain else EXACT
        """What a passage gains that holds the query as it was typed."""

    @property
    def is_short(self) -> bool:
        return 0 < len(self._words) <= SHORT

    def bonus(self, text: str, *, is_far: bool = False) -> float:
        """What a passage gains for its wording, where the query is short. One far down gains only by all of it: to look
        for parts in every text would take longer than the rest of a search."""
        if not self.is_short:
            return 0.0
        is_literal = self.is_in(text)
        if is_far and not is_literal:
            return 0.0
        return self.literal * is_literal + RUN * self.run(text)

    def is_in(self, text: str) -> bool:
        """Whether a text holds the query as it was typed, but for case and white space, and not inside of a word."""
        lower, typed = text.lower(), self._typed
        if not all(part in lower for part in typed.split()):  # most texts are told by this
            return False
        within = collapse(lower)
        at = within.find(typed) if typed else -1
        while at >= 0:
            if not (splits_word(within, at) or splits_word(within, at + len(typed))):
                return True
            at = within.find(typed, at + 1)
        return False

    def run(self, text: str) -> float:
        """The share of the query's words that stand in a row in a text; one word of several is no row."""
        found, places = whole_words(text), self._places
        if len(self._words) == 1:
            return float(self._words[0] in found)
        held = [at for at, word in enumerate(found) if word in places]
        rows = (self._row(found, at) for at, following in pairwise(held) if following == at + 1)
        longest = max(rows, default=0)
        return longest / len(self._words) if longest > 1 else 0.0

    @cached_property
    def _places(self) -> Mapping[str, Sequence[int]]:
        places: dict[str, list[int]] = {}
        for at, word in enumerate(self._words):
            places.setdefault(word, []).append(at)
        return places

    def _row(self, found: Sequence[str], start: int) -> int:
        """How many words go on as in the query, from one of its words on."""
        return max(
            _common(self._words[at:], found[start : start + len(self._words)]) for at in self._places[found[start]]
        )


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Words that two rows have in common at their start."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
