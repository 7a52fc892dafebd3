"""Chats as programs export them in JSON: Slack, Discord, Teams, Telegram, and messages with roles.

Each message is a turn. Replies of a thread follow the message that began it. What only says who came and went is left
out.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from seamline.anchors import Anchor, Anchors
from seamline.parse.media.chat import message_place
from seamline.parse.media.transcript import read_value
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.types import Block, Detail, Enclosure, Notice, collapse

_LISTS = ("messages", "value", "MessageList", "conversations", "chats", "channels")
"""Names under which exports keep messages, or what holds them."""
_DEEPEST = 4
_TIMES = ("ts", "timestamp", "createdDateTime", "originalarrivaltime", "date", "created_at", "time")
_TEXTS = ("text", "content", "message", "body")
_SENDERS = ("user_profile", "author", "displayName", "from", "username", "user", "sender", "role", "name")
_NAMES = ("displayName", "real_name", "nickname", "global_name", "display_name", "name", "username", "user")
_NOT_WRITTEN = (
    "channel_join channel_leave channel_topic channel_purpose channel_name channel_archive group_join group_leave"
    " service systemEventMessage ThreadActivity/AddMember ThreadActivity/TopicUpdate Event/Call"
    " GuildMemberJoin ChannelPinnedMessage"
)
_EVENTS = frozenset(_NOT_WRITTEN.split())
"""Types of messages that nobody wrote."""
_BREAK = re.compile(r"<(?:br|/p|/div|/li)\b[^<>]*+>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*+>")
_SLACK_LINK = re.compile(r"<([a-z]++:[^<>|\s]++)(?:\|([^<>]++))?>")
_SLACK_NAME = re.compile(r"<[@#]([A-Z0-9]++)(?:\|([^<>]*+))?>")
_NUMBER = re.compile(r"\d{9,13}(?:\.\d+)?\Z")


class ExportedMessage(NamedTuple):
    """One message of an export."""

    speaker: str
    text: str
    sent: datetime | None
    key: str = ""
    """What the export and replies name it by."""
    thread: str = ""
    """The key of the message that began its thread."""


def parse(raw: ParseInput) -> ParseResult:
    """A chat; JSON that is none after all is read as what it is."""
    records = list(_records(read_value(raw)))
    messages = _by_thread([one for record in records if (one := _message(record))])
    if not messages:
        from seamline.parse.tables import json as json_table

        notice = Notice("chat-none", "no messages of a chat were found: read as JSON")
        parsed = json_table.parse(raw)
        return replace(parsed, notices=(notice, *parsed.notices))
    notices: tuple[Notice, ...] = ()
    if len(messages) < len(records):
        left = len(records) - len(messages)
        notices = (Notice("chat-empty-messages", f"{left} of {len(records)} messages hold no text of a person"),)
    return _write(_with_names(messages, records), notices)


def _write(messages: Sequence[ExportedMessage], notices: tuple[Notice, ...]) -> ParseResult:
    parts: list[str] = []
    blocks: list[Block] = []
    anchors: list[Anchor] = []
    at = 0
    last: datetime | None = None
    for one in messages:
        name = f"{one.speaker}: " if one.speaker else ""
        text = f"{name}{one.text}"
        pause = abs((one.sent - last).total_seconds()) if one.sent and last else None
        label = Enclosure(at, at + len(one.speaker) + 1) if one.speaker else None
        blocks.append(Block("turn", at, at + len(text), detail=Detail(label, speaker=one.speaker, pause=pause or None)))
        place = {**message_place(one.speaker, one.sent), **({"element": one.key} if one.key else {})}
        anchors.append(Anchor(at, at + len(text), place))
        parts.append(text)
        at += len(text) + 2
        last = one.sent or last
    return ParseResult("\n\n".join(parts), blocks, anchors=Anchors(anchors), notices=notices)


def _records(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """All messages of an export: those of a list, or of lists under names that are known."""
    if isinstance(value, list):
        for one in value:
            if isinstance(one, Mapping) and _is_message(one):
                yield one
            elif depth < _DEEPEST:
                yield from _records(one, depth + 1)
    elif isinstance(value, Mapping) and depth < _DEEPEST:
        for name in _LISTS:
            if isinstance(value.get(name), list | dict):
                yield from _records(value[name], depth + 1)
        if isinstance(value.get("list"), list):  # of Telegram's chats
            yield from _records(value["list"], depth + 1)


def _is_message(record: Mapping[str, Any]) -> bool:
    """Whether a record has a text, and who wrote it or when."""
    return any(name in record for name in _TEXTS) and any(name in record for name in (*_SENDERS, *_TIMES))


def _message(record: Mapping[str, Any]) -> ExportedMessage | None:
    kinds = {str(record.get(name)) for name in ("type", "subtype", "messageType", "messagetype")}
    text = _text(record)
    if not text or kinds & _EVENTS:
        return None
    key, thread = _key(record.get("ts") or record.get("id")), ""
    reference = record.get("reference")
    for parent in (record.get("thread_ts"), record.get("replyToId"), record.get("reply_to_message_id")):
        thread = thread or _key(parent)
    if isinstance(reference, Mapping):
        thread = thread or _key(reference.get("messageId"))
    return ExportedMessage(_speaker(record), text, _sent(record), key, "" if thread == key else thread)


def _key(value: Any) -> str:
    """An id as text; a number without its fraction, as all numbers are read as fractions."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).encode("utf-8", "replace").decode() if isinstance(value, str | int | float) and value else ""


def _by_thread(messages: Sequence[ExportedMessage]) -> list[ExportedMessage]:
    """Messages in their order, replies after what they reply to."""
    places = {one.key: place for place, one in enumerate(messages) if one.key}
    roots: list[int] = []
    for place, one in enumerate(messages):
        above = places.get(one.thread, place) if one.thread else place
        roots.append(roots[above] if above < place else place)
    return [one for _, _, one in sorted(zip(roots, range(len(messages)), messages, strict=True), key=lambda of: of[:2])]


def _text(record: Mapping[str, Any]) -> str:
    value = next((record[name] for name in _TEXTS if record.get(name)), "")
    if isinstance(value, Mapping):  # Teams: {"contentType": "html", "content": "..."}
        value = value.get("content") or ""
    if isinstance(value, list):  # Telegram, and messages with roles: parts, some of them with a type
        value = "".join(part if isinstance(part, str) else _part(part) for part in value)
    return _plain(value) if isinstance(value, str) else ""


def _part(part: Any) -> str:
    found = part.get("text") if isinstance(part, Mapping) else None
    return found if isinstance(found, str) else ""


def _plain(text: str) -> str:
    """Without tags and marks of links, with characters for entities; lines stay, blank ones do not."""
    text = _SLACK_LINK.sub(lambda link: f"{link[2]} ({link[1]})" if link[2] else link[1], text)
    text = _TAG.sub("", _BREAK.sub("\n", text)) if "<" in text else text
    text = html.unescape(text).encode("utf-8", "replace").decode()
    return "\n".join(line for line in (line.rstrip() for line in text.replace("\r", "\n").split("\n")) if line)


def _speaker(record: Mapping[str, Any]) -> str:
    for name in _SENDERS:
        value = record.get(name)
        while isinstance(value, Mapping):  # {"user": {"displayName": ...}} of Teams
            value = next((value[key] for key in _NAMES if value.get(key)), None)
        if isinstance(value, str) and value.strip():
            return collapse(value).encode("utf-8", "replace").decode()
    return ""


def _with_names(messages: Sequence[ExportedMessage], records: Sequence[Mapping[str, Any]]) -> list[ExportedMessage]:
    """Names for the ids of people, in messages of Slack, as far as the export says them."""
    names = {
        str(record["user"]): _speaker(record)
        for record in records
        if isinstance(record.get("user"), str) and isinstance(record.get("user_profile"), Mapping)
    }

    def name(found: re.Match[str]) -> str:
        return f"@{found[2] or names.get(found[1], found[1])}"

    return [
        one._replace(speaker=names.get(one.speaker, one.speaker), text=_SLACK_NAME.sub(name, one.text))
        for one in messages
    ]


def _sent(record: Mapping[str, Any]) -> datetime | None:
    """None where a message has no time, or nothing that can be one."""
    for name in _TIMES:
        value = record.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = f"{value:.6f}"
        if not isinstance(value, str):
            continue
        try:
            if _NUMBER.match(value):
                seconds = float(value)
                return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC)
            found = datetime.fromisoformat(value)
        except (ValueError, OverflowError, OSError):
            continue
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    return None
