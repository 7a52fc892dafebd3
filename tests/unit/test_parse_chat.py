"""Chat logs: told by their content, read as messages with speaker and time."""

from __future__ import annotations

import json
from typing import Any

import pytest

import seamline
from seamline.parse.sniff import sniff
from seamline.search.hits import place_text
from seamline.testing.parsers import check_document
from seamline.types import Document

BRACKETS = """\
[2024-01-05 10:32] Anna: hello there
[2024-01-05 10:33] Bo Miller: hi
a second line

and a third
[2024-01-05 12:50] Anna: about the pump
"""
WHATSAPP = """\
12/31/23, 9:45 PM - Messages and calls are end-to-end encrypted.
12/31/23, 9:45 PM - Anna: happy new year
12/31/23, 11:59 PM - Bo Miller: thanks
1/1/24, 12:01 AM - Anna: <Media omitted>
1/1/24, 12:05 AM - Bo Miller left
"""
IPHONE = "[31.12.23, 21:45:10] Anna: one\n\u200e[31.12.23, 21:45:12] Bo: \u200etwo\n[31.12.23, 23:45:10] Anna: three\n"
IRC = "23:58 <anna> hi\n23:59 <bo> hello\n00:05 <anna> a new day\n"
ZOOM = (
    "10:32:05 From Anna to Everyone: hi\n10:32:07 From Bo Miller to Everyone : yes\n"
    "10:33:07 From Anna to Bo (Direct Message): no\n"
)
NAMED = """\
Anna: Have you seen the report about the pump?
Bo: Not yet, is it in the folder?
Anna: Yes, since this morning.
Bo: Then I read it on the train,
if there is a seat.
"""
LOGS = "[2024-01-05 10:32:01] INFO: started well\n[2024-01-05 10:32:02] ERROR: it failed\n" * 3
LOGGERS = "2024-01-05 10:32:01 com.foo.Bar: started\n2024-01-05 10:32:02 com.foo.Baz: failed\n" * 3
FAQ = "Q: What is this?\nA: A pump of the old kind.\nQ: Why does it hum?\nA: Its valve is worn out.\n"
FORM = "Name: Ann\nColour: red\nSize: 3\nName: Bo\nColour: blue\nSize: 4\n"
PROSE = "He said: come in.\n\nThen nothing happened for a long while, and the lamp went out.\n"


@pytest.mark.parametrize("text", [BRACKETS, WHATSAPP, IPHONE, IRC, ZOOM, NAMED])
def test_chats_are_told_by_their_content(text: str) -> None:
    assert sniff(text.encode(), "log.txt") == "text/x-chat"
    assert sniff(text.encode(), "") == "text/x-chat"
    document = seamline.read(text.encode(), id="log.txt")
    check_document(document)
    assert document.text == text
    assert {block.kind for block in document.blocks} == {"turn"}
    assert seamline.read(text, media_type="chat").blocks == document.blocks


@pytest.mark.parametrize("text", [LOGS, LOGGERS, FAQ, FORM, PROSE, "", "Anna: hi\n"])
def test_other_texts_are_none(text: str) -> None:
    assert sniff(text.encode(), "log.txt") == "text/plain"


def test_markdown_is_a_chat_only_with_times() -> None:
    assert sniff(BRACKETS.encode(), "chat.md") == "text/x-chat"
    assert sniff(NAMED.encode(), "chat.md") == "text/markdown"


def said(document: Document) -> list[tuple[str, Any]]:
    places = [document.place_of(block.span) for block in document.blocks]
    return [(place.get("speaker", ""), place.get("sent", [""])[0]) for place in places]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            BRACKETS,
            [
                ("Anna", "2024-01-05T10:32:00"),
                ("Bo Miller", "2024-01-05T10:33:00"),
                ("Anna", "2024-01-05T12:50:00"),
            ],
        ),
        (
            WHATSAPP,
            [
                ("", "2023-12-31T21:45:00"),
                ("Anna", "2023-12-31T21:45:00"),
                ("Bo Miller", "2023-12-31T23:59:00"),
                ("Anna", "2024-01-01T00:01:00"),
                ("", "2024-01-01T00:05:00"),
            ],
        ),
        (IPHONE, [("Anna", "2023-12-31T21:45:10"), ("Bo", "2023-12-31T21:45:12"), ("Anna", "2023-12-31T23:45:10")]),
        (IRC, [("anna", "23:58:00"), ("bo", "23:59:00"), ("anna", "00:05:00")]),
        (ZOOM, [("Anna", "10:32:05"), ("Bo Miller", "10:32:07"), ("Anna", "10:33:07")]),
        (NAMED, [("Anna", ""), ("Bo", ""), ("Anna", ""), ("Bo", "")]),
    ],
)
def test_speakers_and_times(text: str, expected: list[tuple[str, str]]) -> None:
    assert said(seamline.read(text, media_type="chat")) == expected


def test_pauses_are_counted_over_midnight() -> None:
    blocks = seamline.read(IRC, media_type="chat").blocks
    assert [block.detail.pause for block in blocks if block.detail] == [None, 60.0, 360.0]


def test_a_chat_that_is_none_is_plain_text_and_says_so() -> None:
    document = seamline.read("Nothing of that kind.\n", media_type="chat")
    assert [notice.code for notice in document.notices] == ["chat-none"]
    assert [block.kind for block in document.blocks] == ["paragraph"]


def test_words_before_the_first_message_stay() -> None:
    document = seamline.read(f"Export of our chat\n\n{BRACKETS}", media_type="chat")
    check_document(document)
    assert [block.kind for block in document.blocks] == ["paragraph", "turn", "turn", "turn"]


@pytest.mark.parametrize(
    ("sent", "label"),
    [
        (["2024-01-05T10:32:00", "2024-01-05T10:50:10"], " 2024-01-05 10:32 to 10:50"),
        (["2024-01-05T10:32:00+00:00", "2024-01-06T10:50:10+00:00"], " 2024-01-05 10:32 to 2024-01-06 10:50"),
        (["10:32:00", "10:50:00"], " 10:32 to 10:50"),
        (["10:32:00", "10:32:40"], " 10:32"),
    ],
)
def test_a_citation_names_the_time(sent: list[str], label: str) -> None:
    assert place_text({"sent": sent, "lines": [1, 2]}) == label


# --- exports ----------------------------------------------------------------------------------------------------------

SLACK = [
    {
        "type": "message",
        "user": "U1",
        "user_profile": {"real_name": "Anna Ek"},
        "text": "see <https://x.y|the page> &amp; ask <@U2>",
        "ts": "1700000000.000100",
    },
    {"type": "message", "user": "U2", "user_profile": {"real_name": "Bo"}, "text": "lunch?", "ts": "1700000100.000100"},
    {"type": "message", "user": "U2", "text": "read it", "ts": "1700000200.000100", "thread_ts": "1700000000.000100"},
    {"type": "message", "subtype": "channel_join", "user": "U3", "text": "<@U3> joined", "ts": "1700000300.000100"},
]
DISCORD = {
    "guild": {"name": "g"},
    "messages": [
        {
            "id": "1",
            "type": "Default",
            "timestamp": "2023-11-14T22:13:20.000+00:00",
            "content": "hi\n\nthere",
            "author": {"name": "anna", "nickname": "Anna"},
        },
        {"id": "2", "timestamp": "2023-11-14T22:14:20+00:00", "content": "yes", "author": {"name": "bo"}},
    ],
}
TEAMS = {
    "value": [
        {
            "id": "1",
            "messageType": "message",
            "createdDateTime": "2023-11-14T22:13:20Z",
            "from": {"user": {"displayName": "Anna"}},
            "body": {"contentType": "html", "content": "<p>Hello <b>all</b></p><p>x &amp; y</p>"},
        }
    ]
}
PERSONAL = {
    "conversations": [
        {
            "MessageList": [
                {
                    "displayName": "Anna",
                    "originalarrivaltime": "2023-11-14T22:13:20.1Z",
                    "messagetype": "RichText",
                    "content": "Hi",
                    "from": "8:anna",
                }
            ]
        }
    ]
}
TELEGRAM = {
    "name": "Garden",
    "messages": [
        {"id": 1, "type": "service", "date": "2023-11-14T22:13:20", "actor": "A", "text": ""},
        {"id": 2, "date": "2023-11-14T22:13:20", "from": "Anna", "text": ["see ", {"type": "link", "text": "x.y"}]},
    ],
}
ROLES = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"text": "Hello"}]}]}


@pytest.mark.parametrize(
    ("export", "text"),
    [
        (SLACK, "Anna Ek: see the page (https://x.y) & ask @Bo\n\nBo: read it\n\nBo: lunch?"),
        (DISCORD, "Anna: hi\nthere\n\nbo: yes"),
        (TEAMS, "Anna: Hello all\nx & y"),
        (PERSONAL, "Anna: Hi"),
        (TELEGRAM, "Anna: see x.y"),
        (ROLES, "user: Hi\n\nassistant: Hello"),
    ],
)
def test_exports_are_told_and_read(export: Any, text: str) -> None:
    data = json.dumps(export, indent=1).encode()
    assert sniff(data, "export.json") == "application/x-chat+json"
    document = seamline.read(data, id="export", media_type="chatexport")
    check_document(document)
    assert document.text == text
    assert all(block.kind == "turn" for block in document.blocks)


def test_messages_have_their_number_speaker_and_time() -> None:
    document = seamline.read(json.dumps(SLACK), media_type="chatexport")
    places = [document.place_of(block.span) for block in document.blocks]
    assert [place["element"][:13] for place in places] == ["1700000000.00", "1700000200.00", "1700000100.00"]
    assert [place["speaker"] for place in places] == ["Anna Ek", "Bo", "Bo"]
    assert places[1]["sent"] == ["2023-11-14T22:16:40+00:00"] * 2
    assert [notice.code for notice in document.notices] == ["chat-empty-messages"]


@pytest.mark.parametrize(
    "text",
    [
        '[{"id": 1, "name": "a"}]',
        '{"messages": {"greeting": "hi"}}',
        '[{"text": "no time and nobody"}]',
        '{"role": 3, "content": null}',
        "[" * 400,
        '{"messages": [{"author": {"name": ["x"]}, "content": {"content": 3}, "timestamp": "1e999", "ts": 1e30}]}',
    ],
)
def test_json_that_is_no_chat_is_json(text: str) -> None:
    document = seamline.read(text, media_type="chatexport")
    check_document(document)
    assert "chat-none" in [notice.code for notice in document.notices]
    assert document.text == text
