"""Chat logs as text: every message is a turn, with its speaker and, where the log has them, its time.

`[2024-01-05 10:32] Anna: text`, `10:32 <anna> text`, WhatsApp's `31.12.23, 21:45 - Anna: text`, Zoom's
`10:32:05 From Anna to Everyone: text`, and `Anna: text` where names come again. The text is the source; a line that
starts no message belongs to the one before it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from seamline.anchors import Anchor, Anchors
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.text.lines import trimmed
from seamline.types import Block, Detail, Enclosure, Notice

_DATE = r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,6})?(?:Z|[+-]\d{2}:?\d{2})?(?:[ \u00a0\u202f]?[AaPp]\.?[Mm]\.?)?"
_NAME = r"(?:[^\W\d_]|@)[\w.'’&@#-]*+(?: [\w.'’&@#()|-]++){0,4}"
_SENDER = (
    rf"(?:From (?P<zoom>{_NAME}) to {_NAME}(?: ?\(\w++(?: \w++){{0,2}}\))? ?:"
    rf"|<(?P<nick>[^<>\s]{{1,40}})>|(?P<name>~?{_NAME}):)"
)


def _stamp(date: str, clock: str) -> str:
    """The pattern of a time under the names of its two groups."""
    return rf"(?:(?P<{date}>{_DATE})(?:,? |T))?(?P<{clock}>{_CLOCK})"


_STAMPED = re.compile(
    rf"[\u200e\u200f]?(?:\[{_stamp('date', 'clock')}\] ?|{_stamp('day', 'hour')}(?: [-–] | ))"
    rf"(?:{_SENDER}(?: |\t|(?=$))|(?P<system>(?=\S)))"
)
"""A line that starts with a time, in brackets or before a dash or a space."""
_NAMED = re.compile(rf"(?P<name>{_NAME}) ?:[ \t]+(?=\S)")
_LINE = re.compile(r"[^\r\n]++")
_NOBODY = (
    "info warn warning error debug trace fatal critical notice severe verbose"  # in the logs of programs
    " q a question answer frage antwort note example name date time title author subject from to cc tags summary"
    " description version status type http https address email phone tip important caution todo"
)
_LABELS = frozenset(_NOBODY.split())
"""What stands before a colon and is nobody."""
_ALIKE = 0.6
"""Share of lines with a time that start messages of people, and of lines with a name where there are no times."""
_FEW = 3
"""Messages that make a chat where they have times."""
_NAMED_LEAST = 4
"""Messages that make one where they have not."""
_SHARE = 0.3
"""Share of all lines that start a message: others go on with one."""
_WORDS = 3
"""Words of a message in the mean, at the least: fewer are the values of a form."""
_LONGEST_NAME = 40


class ChatMessage(NamedTuple):
    """One message of a log."""

    start: int
    said: int
    """Where what was said starts."""
    speaker: str
    """Empty for a line that the program wrote, such as `Anna left`."""
    date: str = ""
    clock: str = ""


def parse(raw: ParseInput) -> ParseResult:
    """A chat log."""
    text = raw.text
    messages = read_messages(text)
    if not messages:
        from seamline.parse.plain import plain_blocks

        notice = Notice("chat-none", "no messages of a chat were found: read as plain text")
        return ParseResult(text, plain_blocks(text), notices=(notice,))
    moments = _moments(messages)
    ends = [*(one.start for one in messages[1:]), len(text)]
    blocks: list[Block] = []
    anchors: list[Anchor] = []
    lead = _start(text)
    if lead < messages[0].start:
        blocks.append(Block("paragraph", lead, trimmed(text, lead, messages[0].start)))
    last: datetime | None = None
    for message, end, moment in zip(messages, ends, moments, strict=True):
        end = trimmed(text, message.start, end)
        pause = (moment - last).total_seconds() if moment and last else None
        known = Detail(
            enclosure=Enclosure(message.start, trimmed(text, message.start, message.said)) if message.speaker else None,
            speaker=message.speaker,
            pause=pause if pause else None,
        )
        blocks.append(Block("turn", message.start, end, detail=known))
        anchors.append(Anchor(message.start, end, message_place(message.speaker, moment, dated=bool(message.date))))
        last = moment or last
    return ParseResult(text, blocks, anchors=Anchors(anchors))


def message_place(speaker: str, moment: datetime | None, *, dated: bool = True) -> dict[str, object]:
    """Where a message stands: who sent it, and when."""
    place: dict[str, object] = {"speaker": speaker} if speaker else {}
    if moment is not None:
        sent = moment.isoformat(timespec="seconds") if dated else moment.time().isoformat(timespec="seconds")
        place["sent"] = [sent, sent]
    return place


def looks_like_chat(text: str, *, stamped: bool = False) -> bool:
    """Whether the start of a text is a chat log; with `stamped`, only one whose messages have times."""
    lines = [found[0] for found in _LINE.finditer(text) if found[0].strip()]
    timed = [found for line in lines if (found := _STAMPED.match(line))]
    people = [name for found in timed if (name := _speaker(found)) and _is_person(name)]
    if len(people) >= _FEW and len(people) >= max(_SHARE * len(lines), _ALIKE * len(timed)):
        return len({*people}) > 1 or any(found["nick"] or found["zoom"] for found in timed)
    return not stamped and _is_dialogue(lines)


def _is_dialogue(lines: Sequence[str]) -> bool:
    """Whether most lines start with a name, and names come again."""
    found = [one for line in lines if (one := _NAMED.match(line)) and _is_name(one["name"])]
    names = [one["name"] for one in found]
    if len(names) < max(_NAMED_LEAST, _ALIKE * len(lines)):
        return False
    if sum(len(one.string[one.end() :].split()) for one in found) < _WORDS * len(found):
        return False
    often = [name for name, times in Counter(names).items() if times > 1]
    return len(often) > 1 and sum(name in often for name in names) >= _ALIKE * len(names)


def _speaker(found: re.Match[str]) -> str:
    return (found["zoom"] or found["nick"] or found["name"] or "").lstrip("~").strip()


def _is_person(name: str) -> bool:
    plain = name.lower().strip("*_ ")
    capital = name[:1].isupper() or not name[:1].isascii() or name[:1] in "@*"
    return len(name) <= _LONGEST_NAME and plain not in _LABELS and (capital or "." not in name)


def _is_name(name: str) -> bool:
    """Whether nothing but a name is likely to start a line so."""
    return _is_person(name) and (name[:1].isupper() or not name[:1].isascii())


def read_messages(text: str) -> list[ChatMessage]:
    """The messages of a log, in order: by their times where lines have some, else by names."""
    found = list(_stamped(text))
    return found if len(found) >= _FEW else list(_named(text))


def _stamped(text: str) -> Iterator[ChatMessage]:
    for line in _LINE.finditer(text):
        found = _STAMPED.match(text, line.start(), line.end())
        if found is None:
            continue
        date, clock = found["date"] or found["day"] or "", found["clock"] or found["hour"]
        speaker = _speaker(found)
        if speaker and not _is_person(speaker):
            yield ChatMessage(line.start(), found.start("name"), "", date, clock)
        else:
            yield ChatMessage(line.start(), found.end(), speaker, date, clock)


def _named(text: str) -> Iterator[ChatMessage]:
    """Lines that start with a name: one that comes again, where any does."""
    lines = [found for line in _LINE.finditer(text) if (found := _NAMED.match(text, line.start(), line.end()))]
    often = Counter(found["name"] for found in lines)
    several = any(times > 1 for times in often.values())
    for found in lines:
        if _is_person(found["name"]) and (often[found["name"]] > 1 or not several):
            yield ChatMessage(found.start(), found.end(), found["name"])


def _start(text: str) -> int:
    """Where the first word of a text starts its line."""
    at = next((n for n, letter in enumerate(text) if not letter.isspace() and letter != "\ufeff"), len(text))
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1 or (1 if text.startswith("\ufeff") else 0)


# --- times ------------------------------------------------------------------------------------------------------------

_DAY = timedelta(days=1)
_EPOCH = datetime(2000, 1, 1)
_PARTS = re.compile(r"\d+")


def _moments(messages: Sequence[ChatMessage]) -> list[datetime | None]:
    """When each message was sent. Of logs with times of day alone, a time that goes back is on the next day."""
    order = _date_order([one.date for one in messages if one.date])
    american = any(one.clock[-1:] in "Mm." for one in messages if one.clock)
    order = order or ("mdy" if american else "dmy")
    out: list[datetime | None] = []
    day = _EPOCH
    last: datetime | None = None
    for one in messages:
        moment = _moment(one, order, day)
        if moment and not one.date and last and moment < last - _DAY / 2:
            day += _DAY
            moment += _DAY
        out.append(moment)
        last = moment or last
    return out


def _date_order(dates: Sequence[str]) -> str:
    """Which of the numbers of dates is the year, the month and the day; empty where they do not say."""
    numbers = [[int(part) for part in _PARTS.findall(date)] for date in dates]
    if any(len(part) == 4 for date in dates[:1] for part in _PARTS.findall(date)[:1]):
        return "ymd"
    if any("." in date for date in dates) or any(one[0] > 12 for one in numbers):
        return "dmy"
    return "mdy" if any(one[1] > 12 for one in numbers) else ""


def _moment(one: ChatMessage, order: str, day: datetime) -> datetime | None:
    """None where the numbers are no time."""
    if not one.clock:
        return None
    hour, minute, *rest = [int(part) for part in _PARTS.findall(re.split(r"[Z+.,]|-", one.clock)[0])]
    half = one.clock.lower().replace(".", "").strip()
    if half.endswith("m"):
        hour = hour % 12 + 12 * half.endswith("pm")
    try:
        if one.date:
            found = dict(zip(order, [int(part) for part in _PARTS.findall(one.date)], strict=True))
            year = found["y"] + 2000 if found["y"] < 100 else found["y"]
            day = datetime(year, found["m"], found["d"])
        return day.replace(hour=hour, minute=minute, second=rest[0] if rest else 0)
    except ValueError:
        return None
