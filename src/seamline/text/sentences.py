"""Where sentences start. Gaps are found by their marks; `sentencex` decides where the marks leave doubt.

Left alone, `sentencex` is quadratic in unspaced text, keeps whole quotations in one sentence and splits after
`Eq.`; so it sees short windows around the doubtful gaps, and the plain cases are decided here. Where a sentence may
start, and what is to be asked about it, is found by the kernel `sentence_gaps` or by `possible_starts`, its reference;
the answers are given here for both.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from seamline.errors import report_panics
from seamline.native import KERNELS
from seamline.text.graphemes import is_boundary

_WINDOW = 2000
"""Code points `sentencex` sees after a doubtful gap; its cost is quadratic in this where no spaces are."""
_REACH = 300
"""Code points it sees before the gap: enough for the word and the quotation the gap stands in."""
_TAIL = 4000
"""How far back `last_sentence` looks."""

_STRONG = "。！？｡．؟۔।॥။።։។"
"""Marks that end a sentence whatever follows, white space or not."""
_MARKS = rf"[.!?…{_STRONG}]"
_CLOSERS = r"\"'”’»›)\]}」』）】〕〉》"
_LATE = "“«*_~`"
"""These close only where white space follows soon; in unspaced text they open what comes next."""
_OPENERS = "\"'“‘„«»‹([{「『（【〔〈《*_~`¿¡"
_GOES_ON = ",;:.!?)]}、，；：）」』" + _STRONG
"""What never starts a sentence."""

_GAP = re.compile(
    rf"(?<!{_MARKS})(?P<mark>{_MARKS}++)"
    rf"(?P<close>(?:[{_CLOSERS}]|[ \u00a0\u202f][»›](?=\s)|\[\^?\w{{1,8}}\]"
    rf"|[{_LATE}](?=[{_CLOSERS}{_LATE}]{{0,4}}+\s))*+)"
    r"(?P<space>\s*+)"
    r"|(?P<blank>(?:\r\n?+|\n)[ \t]*+(?:\r\n?+|\n)\s*+)"
    r"|(?<=[\u0e01-\u0e45\u0e47-\u0e4e])(?P<thai>[ \t\u00a0]++)(?=[\u0e01-\u0e2e\u0e40-\u0e44])"
)
"""Every place a sentence may end. All repeats are possessive and start at the first of a run: linear time."""
_GAP_START = re.compile(rf"[.!?…{_STRONG}\r\n]")
_THAI = re.compile(r"[\u0e01-\u0e4e]")
_BLANK_LINE = re.compile(r"(?:\r\n?+|\n)[ \t]*+(?:\r\n?+|\n)")
_CODE = re.compile(r"(?<!`)(?P<ticks>`{1,2}+)(?:[^`'\n]|'(?!')){1,200}+(?P=ticks)(?!`)")
"""Code spans of one line; two ticks may also be a quotation mark of TeX, which '' closes."""
_NUMBER = re.compile(r"[\d(\[]|[A-Z][\d.,:;)]")
_DOTTED = re.compile(r"(?:[^\W\d]{1,2}\.)+[^\W\d]{1,2}")
_ORDINAL = re.compile(r"\d{1,3}(?:\.\d{1,3})*")
_VISIBLE = re.compile(r"\S")
_WIDE_SPACE = re.compile(r"[^\S\x00-\x7f](?=[^\S\n\r]*+\.)")
"""White space beyond ASCII before a point. `sentencex` panics where an initial stands before it: `J\u00a0. Smith`."""


TITLES = frozenset(
    """dr mr mrs ms mx prof st rev gen hon capt lt sgt fr messrs mme mlle ing dipl hr sra dra
    e.g i.e cf vs viz resp z.b d.h u.a bzw vgl sog""".split()  # noqa: SIM905 - a list of quoted words says no more
)
"""Abbreviations that never end a sentence: what they shorten always goes on."""
SHORT = frozenset(
    """no nos nr fig figs eq eqs sec secs ch chap vol vols p pp art app ref refs tab ver v bd ex thm
    lem def ca approx c est al op abs tel jan feb mar apr jun jul aug sep sept oct nov dec min max std str etc
    incl excl inc ltd co corp dept""".split()  # noqa: SIM905 - a list of quoted words says no more
)
"""Abbreviations that go on where a number, a bracket or a small letter follows."""
_BEFORE_ORDINAL = frozenset("der die das dem den des im vom zum zur beim".split())  # noqa: SIM905
_AFTER_ORDINAL = frozenset(
    """Januar Jänner Februar März April Mai Juni Juli August September Oktober November
    Dezember Jahrhundert Jahrhunderts Jh""".split()  # noqa: SIM905 - a list of quoted words says no more
)
"""Words around a German ordinal, whose point ends nothing: `im 6. Stock`, `am 31. Mai`."""


DOUBTFUL, NUMBERED, JOINED = 1, 2, 4
"""What is to be asked about a possible start: does `sentencex` agree, does the number before it count, does a cluster
of code points end there. A code is a sum of these; a start without a code is one."""

Candidates = tuple[list[int], list[tuple[int, int]]]
"""Possible starts, and the places in that list which something is to be asked about, each with its code."""


def sentence_starts(text: str, start: int = 0, end: int | None = None) -> list[int]:
    """Ascending offsets at which the sentences of `text[start:end]` start; together they tile that range.

    White space after a sentence belongs to it, so every start but the first is a visible code point.
    """
    return sentence_starts_of(text, ((start, len(text) if end is None else end),))[0]


def sentence_starts_of(text: str, ranges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The same of many ranges of one text."""
    candidates: Iterable[Candidates]
    if KERNELS is None:
        candidates = (possible_starts(text, start, end) for start, end in ranges)
    else:
        candidates = KERNELS.sentence_gaps(text, ranges, TITLES, SHORT)
    return [_settle(text, start, end, *found) for (start, end), found in zip(ranges, candidates, strict=True)]


def last_sentence(text: str, start: int, end: int) -> int:
    """Where the last sentence of the range starts; `start` if that lies further back than a bounded look."""
    tail = max(start, end - _TAIL)
    starts = sentence_starts(text, tail, end)
    return starts[-1] if len(starts) > 1 else start


def _settle(text: str, start: int, end: int, starts: list[int], asked: Sequence[tuple[int, int]]) -> list[int]:
    """The starts that are some, the first of the range included."""
    if start >= end:
        return []
    wrong: set[int] = set()
    doubtful: list[int] = []
    for place, code in asked:
        at = starts[place]
        if (code & JOINED and not is_boundary(text, at)) or (code & NUMBERED and _is_numbered(text, start, at)):
            wrong.add(at)
        elif code & DOUBTFUL:
            doubtful.append(at)
    if doubtful:
        wrong.update(set(doubtful) - agreed(text, doubtful, start, end))
    return [start, *(at for at in starts if at not in wrong)] if wrong else [start, *starts]


def possible_starts(text: str, start: int, end: int) -> Candidates:
    """Every possible start after the first."""
    starts: list[int] = []
    asked: list[tuple[int, int]] = []
    code = [m.span() for m in _CODE.finditer(text, start, end)] if text.find("`", start, end) >= 0 else []
    visible = next((m.start() for m in _VISIBLE.finditer(text, start, end)), end)
    for gap in _gaps(text, start, end):
        at = gap.end()
        if not visible < at < end or _within(code, at):
            continue
        verdict = 0 if gap["mark"] is None else _verdict(text, gap, start)
        if verdict is None:
            continue
        if not text[at - 1 : at + 1].isascii():
            verdict |= JOINED
        if verdict:
            asked.append((len(starts), verdict))
        starts.append(at)
    return starts, asked


def _gaps(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Every place a sentence may end. But for Thai they are looked for by their first characters, which is faster than
    by the whole pattern."""
    if not text.isascii() and _THAI.search(text, start, end):
        yield from _GAP.finditer(text, start, end)
        return
    done = start
    for found in _GAP_START.finditer(text, start, end):
        at = found.start()
        if at >= done and (gap := _GAP.match(text, at, end)):
            done = gap.end()
            yield gap


def _within(spans: Sequence[tuple[int, int]], at: int) -> bool:
    i = bisect_right(spans, (at,)) - 1
    return i >= 0 and spans[i][0] < at < spans[i][1]


def _verdict(text: str, gap: re.Match[str], start: int) -> int | None:
    """What is to be asked about a marked gap; None where no sentence ends there."""
    mark, close, space, at = gap["mark"], gap["close"], gap["space"], gap.end()
    if _BLANK_LINE.search(space):
        return 0
    if text[at] in _GOES_ON:
        return None
    if mark[-1] in _STRONG or not space:
        return 0 if _ends_unspaced(text, gap) else None
    lead = text[at : at + 6].lstrip(_OPENERS)[:1]
    if mark == "." and not close:
        return _after_point(text, gap, start, lead)
    if lead.islower():
        return None if close or mark[-1] in ".…" else DOUBTFUL
    return 0 if lead.isalpha() else DOUBTFUL


def _ends_unspaced(text: str, gap: re.Match[str]) -> bool:
    """Marks that need no space after them: those of scripts without spaces, and `?` or `!` within such."""
    follow, before = text[gap.end()], text[gap.start() - 1 : gap.start()]
    if gap["close"] and follow in "とっのが":  # 「…。」と言った: the quotation is part of its sentence
        return False
    if gap["mark"][-1] in _STRONG:
        return not (gap["mark"] == "．" and follow.isdigit())
    return gap["mark"][-1] in "!?" and before >= "\u3040" and follow >= "\u3040"


def _after_point(text: str, gap: re.Match[str], start: int, lead: str) -> int | None:
    """Whether a single point ends a sentence, and not just an abbreviation, an initial or a number."""
    _, word = _word_before(text, start, gap.start("mark"))
    if word.lower() in TITLES or (len(word) == 1 and word.isalpha()):
        return None
    if word.lower() in SHORT and (lead.islower() or _NUMBER.match(text, gap.end())):
        return None
    if _DOTTED.fullmatch(word):
        return None if lead.islower() else DOUBTFUL
    numbered = NUMBERED if _ORDINAL.fullmatch(word) else 0
    return numbered if lead.isalpha() and not lead.islower() else numbered | DOUBTFUL


def _word_before(text: str, start: int, stop: int) -> tuple[str, str]:
    """A little of the text before a point, and its last word."""
    near = text[max(start, stop - 40) : stop]
    return near, (near.split() or [""])[-1].lstrip(_OPENERS)


def _is_numbered(text: str, start: int, at: int) -> bool:
    """Whether the number whose point stands before a possible start is that of a list item or an ordinal."""
    near, word = _word_before(text, start, text.rindex(".", start, at))
    return counts(near.removesuffix(word), text[at : at + 16])


def counts(before: str, after: str) -> bool:
    """Whether the number between is that of a list item or an ordinal."""
    if not before.strip() or before.rstrip(" \t")[-1] in "\r\n.!?:#>":
        return True
    follow = re.match(r"\w*", after)
    ordinal = follow is not None and follow[0] in _AFTER_ORDINAL
    return ordinal or before.split()[-1].lower() in _BEFORE_ORDINAL


def agreed(text: str, asked: Sequence[int], start: int, end: int) -> set[int]:
    """Those of the doubtful offsets (and others) at which `sentencex` starts a sentence."""
    if not asked:
        return set()
    from sentencex import get_sentence_boundaries  # here, so that importing this module stays cheap

    out: set[int] = set()
    done = start
    for at in asked:
        if at < done:
            continue
        low, high = max(start, at - _REACH), min(end, at + _WINDOW)
        window = text[low:high]
        if not window.isascii():
            window = _WIDE_SPACE.sub(" ", window)
        with report_panics("sentencex"):
            sentences = get_sentence_boundaries("en", window)
        for sentence in sentences:
            piece = window[sentence["start_index"] :]
            out.add(high - len(piece.lstrip()))
        done = high if high == end else high - _REACH
    return out
