"""Where sentences start. Gaps are found by their marks; `sentencex` decides where the marks leave doubt.

Left alone, `sentencex` is quadratic in unspaced text, keeps whole quotations in one sentence and splits after
`Eq.`; so it sees short windows around the doubtful gaps, and the plain cases are decided here. native/cuts/sentences.c
mirrors the patterns and verdicts below, and takes `TITLES`, `SHORT`, `counts` and `agreed` from here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from seamline.errors import report_panics
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


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


TITLES = _set("""dr mr mrs ms mx prof st rev gen hon capt lt sgt fr messrs mme mlle ing dipl hr sra dra
    e.g i.e cf vs viz resp z.b d.h u.a bzw vgl sog""")
"""Abbreviations that never end a sentence: what they shorten always goes on."""
SHORT = _set("""no nos nr fig figs eq eqs sec secs ch chap vol vols p pp art app ref refs tab ver v bd ex thm
    lem def ca approx c est al op abs tel jan feb mar apr jun jul aug sep sept oct nov dec min max std str etc
    incl excl inc ltd co corp dept""")
"""Abbreviations that go on where a number, a bracket or a small letter follows."""
_BEFORE_ORDINAL = _set("der die das dem den des im vom zum zur beim")
_AFTER_ORDINAL = _set("""Januar Jänner Februar März April Mai Juni Juli August September Oktober November
    Dezember Jahrhundert Jahrhunderts Jh""")
"""Words around a German ordinal, whose point ends nothing: `im 6. Stock`, `am 31. Mai`."""


def sentence_starts(text: str, start: int = 0, end: int | None = None) -> list[int]:
    """Ascending offsets at which the sentences of `text[start:end]` start; together they tile that range.

    White space after a sentence belongs to it, so every start but the first is a visible code point.
    """
    end = len(text) if end is None else end
    if start >= end:
        return []
    verdicts = list(_verdicts(text, start, end))
    right = agreed(text, [at for at, sure in verdicts if sure is None], start, end)
    return [start, *(at for at, sure in verdicts if sure or (sure is None and at in right))]


def last_sentence(text: str, start: int, end: int) -> int:
    """Where the last sentence of the range starts; `start` if that lies further back than a bounded look."""
    tail = max(start, end - _TAIL)
    starts = sentence_starts(text, tail, end)
    return starts[-1] if len(starts) > 1 else start


def _verdicts(text: str, start: int, end: int) -> Iterator[tuple[int, bool | None]]:
    """Every possible start after the first, with whether it is one; None where the marks leave doubt."""
    gaps = list(_gaps(text, start, end))
    if not gaps:
        return
    code = [m.span() for m in _CODE.finditer(text, start, end)] if text.find("`", start, end) >= 0 else []
    visible = next((m.start() for m in _VISIBLE.finditer(text, start, end)), end)
    for gap in gaps:
        at = gap.end()
        if visible < at < end and is_boundary(text, at) and not _within(code, at):
            yield at, True if gap["mark"] is None else _verdict(text, gap, start)


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


def _verdict(text: str, gap: re.Match[str], start: int) -> bool | None:
    """Whether the marked gap ends a sentence."""
    mark, close, space, at = gap["mark"], gap["close"], gap["space"], gap.end()
    if _BLANK_LINE.search(space):
        return True
    if text[at] in _GOES_ON:
        return False
    if mark[-1] in _STRONG or not space:
        return _unspaced(text, gap)
    lead = text[at : at + 6].lstrip(_OPENERS)[:1]
    if mark == "." and not close:
        return _after_point(text, gap, start, lead)
    if lead.islower():
        return False if close or mark[-1] in ".…" else None
    return True if lead.isalpha() else None


def _unspaced(text: str, gap: re.Match[str]) -> bool:
    """Marks that need no space after them: those of scripts without spaces, and `?` or `!` within such."""
    follow, before = text[gap.end()], text[gap.start() - 1 : gap.start()]
    if gap["close"] and follow in "とっのが":  # 「…。」と言った: the quotation is part of its sentence
        return False
    if gap["mark"][-1] in _STRONG:
        return not (gap["mark"] == "．" and follow.isdigit())
    return gap["mark"][-1] in "!?" and before >= "\u3040" and follow >= "\u3040"


def _after_point(text: str, gap: re.Match[str], start: int, lead: str) -> bool | None:
    """Whether a single point ends a sentence, and not just an abbreviation, an initial or a number."""
    stop, at = gap.start("mark"), gap.end()
    near = text[max(start, stop - 40) : stop]
    word = (near.split() or [""])[-1].lstrip(_OPENERS)
    if word.lower() in TITLES or (len(word) == 1 and word.isalpha()):
        return False
    if word.lower() in SHORT and (lead.islower() or _NUMBER.match(text, at)):
        return False
    if _ORDINAL.fullmatch(word) and counts(near.removesuffix(word), text[at : at + 16]):
        return False
    if _DOTTED.fullmatch(word):
        return False if lead.islower() else None
    return True if lead.isalpha() and not lead.islower() else None


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
        window = _WIDE_SPACE.sub(" ", text[low:high])
        with report_panics("sentencex"):
            sentences = get_sentence_boundaries("en", window)
        for sentence in sentences:
            piece = window[sentence["start_index"] :]
            out.add(high - len(piece.lstrip()))
        done = high if high == end else high - _REACH
    return out
