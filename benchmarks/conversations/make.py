"""Conversations of known topics: passages of real texts and written ones, said by several people.

| kind | what tells where a topic ends |
|---|---|
| meeting | words, and in seven of ten changes a pause of 4 to 15 s; one message in twelve comes after 2 to 4 s |
| interview | words alone; pauses are all alike |
| chat | words, and in seven of ten changes a gap of 10 minutes to 5 hours; messages of a topic are 10 to 90 s apart |
| plain | words alone: `Name: text` without times |

Speakers change at random, also where topics do not. Whole sources belong to one half, as in `benchmarks.segmentation`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from html import escape
from pathlib import Path
from typing import NamedTuple

import seamline
from benchmarks.conversations.written import WRITTEN
from benchmarks.segmentation.data import mixed
from seamline.types import Document

KINDS = ("meeting", "interview", "chat", "plain")
SEED = 20261118
NAMES = ("Anna", "Bo", "Chris", "Dana", "Emil")
DEV = ("standup", "family")
"""Written ones that were looked at while the rules were chosen."""


class Message(NamedTuple):
    speaker: str
    text: str
    starts: bool
    """Whether a topic starts with it."""


class Conversation(NamedTuple):
    name: str
    kind: str
    document: Document
    source: bytes
    gold: frozenset[int]
    """The messages that start a topic, the first one excluded, by their number."""
    starts: tuple[int, ...]
    """Where each message starts in the text of the document."""


def conversations(data: Path, half: str, each: int) -> list[Conversation]:
    """`each` of every kind made of passages, and the written ones of the half as meetings and as plain text."""
    out = []
    for kind in KINDS:
        for number, one in enumerate(mixed(data, "articles", half, each)):
            chance = random.Random(f"{SEED} {kind} {half} {number}")
            out.append(
                _conversation(f"{kind}-{number}", kind, _messages(one.text, one.sentences, one.gold, chance), chance)
            )
    for name, text in WRITTEN.items():
        if (name in DEV) == (half == "dev"):
            for kind in KINDS:
                chance = random.Random(f"{SEED} {kind} {name}")
                out.append(_conversation(f"{name}-{kind}", kind, _written(text), chance))
    return out


def _written(text: str) -> list[Message]:
    out: list[Message] = []
    starts = False
    for line in text.strip().splitlines():
        if line == "=":
            starts = True
            continue
        speaker, _, said = line.partition(": ")
        out.append(Message(speaker, said, starts))
        starts = False
    return out


def _messages(text: str, sentences: Sequence[int], gold: frozenset[int], chance: random.Random) -> list[Message]:
    """One to three sentences each; none goes on over a change of topic."""
    out: list[Message] = []
    speakers = chance.sample(NAMES, chance.randrange(2, 5))
    speaker = speakers[0]
    at = 0
    while at < len(sentences):
        until = at + 1
        while until < min(at + chance.randrange(1, 4), len(sentences)) and until not in gold:
            until += 1
        end = sentences[until] if until < len(sentences) else len(text)
        out.append(Message(speaker, " ".join(text[sentences[at] : end].split()), at in gold))
        speaker = chance.choice([name for name in speakers if name != speaker]) if chance.random() < 0.8 else speaker
        at = until
    return out


def _conversation(name: str, kind: str, messages: Sequence[Message], chance: random.Random) -> Conversation:
    source, suffix = _WRITERS[kind](messages, chance)
    file = seamline.read(source.encode(), id=f"{name}.{'txt' if suffix == 'chat' else suffix}", media_type=suffix)
    starts = _starts(file, messages)
    gold = frozenset(number for number, message in enumerate(messages) if message.starts)
    return Conversation(name, kind, file, source.encode(), gold, starts)


def _starts(document: Document, messages: Sequence[Message]) -> tuple[int, ...]:
    """Where each message stands, found by its words: this shares nothing with the parsers."""
    out: list[int] = []
    at = 0
    for message in messages:
        at = document.text.index(message.text, at)
        line = max(document.text.rfind("\n", 0, at) + 1, 0)
        own = document.text.rfind(message.speaker + ":", line, at)
        out.append(line if own >= 0 else at)
        at += len(message.text)
    return tuple(out)


def _speech(messages: Sequence[Message], chance: random.Random, *, tells: bool) -> tuple[str, str]:
    lines = ["WEBVTT", ""]
    now = 0.0
    for message in messages:
        pause = chance.uniform(0.1, 0.8)
        if tells and message.starts and chance.random() < 0.7:
            pause = chance.uniform(4, 15)
        elif tells and chance.random() < 1 / 12:
            pause = chance.uniform(2, 4)
        begin = now + pause
        now = begin + len(message.text) / 15
        lines += [f"{_clock(begin)} --> {_clock(now)}", f"<v {message.speaker}>{escape(message.text, quote=False)}", ""]
    return "\n".join(lines), "vtt"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 3600:02}:{int(seconds) // 60 % 60:02}:{seconds % 60:06.3f}"


def _chat(messages: Sequence[Message], chance: random.Random) -> tuple[str, str]:
    now = datetime(2026, 3, 2, 9, 0)
    lines = []
    for message in messages:
        far = message.starts and chance.random() < 0.7
        now += timedelta(seconds=chance.uniform(600, 18_000) if far else chance.uniform(10, 90))
        lines.append(f"[{now:%Y-%m-%d %H:%M:%S}] {message.speaker}: {message.text}")
    return "\n".join(lines), "chat"


def _plain(messages: Sequence[Message], chance: random.Random) -> tuple[str, str]:
    return "\n".join(f"{message.speaker}: {message.text}" for message in messages), "chat"


_WRITERS = {
    "meeting": lambda messages, chance: _speech(messages, chance, tells=True),
    "interview": lambda messages, chance: _speech(messages, chance, tells=False),
    "chat": _chat,
    "plain": _plain,
}
