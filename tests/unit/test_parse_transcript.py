"""Transcripts as JSON, and how turns are made of what is said."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamline.parse import parse_text
from seamline.parse.media import transcript
from seamline.parse.media.turns import TurnMarks, Utterance, write_turns
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.testing.parsers import check_document
from seamline.types import NO_DETAIL, Detail, Document, Source

WHISPER = {
    "text": " Hello there. How are you? Fine.",
    "language": "en",
    "segments": [
        {"id": 0, "start": 0.0, "end": 2.0, "text": " Hello there.", "avg_logprob": -0.1, "speaker": "SPEAKER_00"},
        {"id": 1, "start": 2.0, "end": 3.5, "text": " How are you?", "avg_logprob": -0.3, "speaker": "SPEAKER_00"},
        {"id": 2, "start": 6.0, "end": 7.0, "text": " Fine.", "avg_logprob": -0.2, "speaker": "SPEAKER_01"},
    ],
}


def read(value: Any) -> Document:
    return checked(transcript.parse(ParseInput(b"", json.dumps(value), "talk.json")))


def checked(parsed: ParseResult) -> Document:
    document = Document(
        "x",
        Source("x"),
        parsed.text,
        parsed.blocks,
        notices=parsed.notices,
        anchors=parsed.anchors,
        confidence=parsed.confidence,
    )
    check_document(document)
    return document


def test_segments_become_turns_with_speaker_time_and_confidence() -> None:
    document = read(WHISPER)
    assert document.text == "SPEAKER_00: Hello there. How are you?\n\nSPEAKER_01: Fine."
    assert document.place_of(document.blocks[0].span) == {
        "lines": [1, 1],
        "time": [0.0, 3.5],
        "speaker": "SPEAKER_00",
    }
    assert (document.blocks[1].detail or NO_DETAIL).pause == 2.5
    assert 0.7 < document.confidence < 0.95


def test_a_json_file_with_segments_is_read_as_a_transcript() -> None:
    document = parse_text(json.dumps(WHISPER), media_type="transcript", uri="talk.json")
    check_document(document)
    assert document.front_matter == {"language": "en"}


@pytest.mark.parametrize(
    ("value", "text", "time"),
    [
        ([{"timestamp": [0, 1.5], "text": "a b"}], "a b", [0.0, 1.5]),
        ({"chunks": [{"timestamp": [2, None], "text": "a"}]}, "a", [2.0, 2.0]),
        (
            {"results": {"utterances": [{"start": 1, "end": 2, "transcript": "hi", "speaker": 0}]}},
            "Speaker 0: hi",
            [1, 2],
        ),
        ({"results": {"audio_segments": [{"start_time": "1.5", "end_time": "2", "transcript": "hi"}]}}, "hi", [1.5, 2]),
    ],
)
def test_other_services(value: Any, text: str, time: list[float]) -> None:
    document = read(value)
    assert document.text == text
    assert document.place_of(document.blocks[0].span)["time"] == time


@pytest.mark.parametrize("value", [{"segments": [{"text": "a"}, {"start": 1}, 7, {"text": "  "}]}])
def test_segments_without_text_are_counted(value: Any) -> None:
    document = read(value)
    assert document.text == "a"
    assert [notice.code for notice in document.notices] == ["transcript-empty-segments"]


@pytest.mark.parametrize("text", ['{"segments": [1], "text": "x"}', '{"segments": [', "[" * 5000, ""])
def test_what_is_no_transcript_is_read_as_json_with_a_notice(text: str) -> None:
    document = checked(transcript.parse(ParseInput(b"", text, "x.json")))
    assert document.text == text
    assert document.notices[0].code == "transcript-none"


ODD = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.just([1, 2])
SEGMENT = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("text", "start", "end", "speaker", "confidence", "avg_logprob", "timestamp"), ODD)
)


@given(st.lists(SEGMENT, max_size=6))
def test_any_segments_are_a_document(segments: list[dict[str, Any]]) -> None:
    read({"segments": segments})


def test_silences_and_scenes_part_turns() -> None:
    said = [
        Utterance("One.", (0.0, 4.0)),
        Utterance("Two.", (4.0, 8.0)),
        Utterance("Three.", (8.0, 9.0)),
        Utterance("Four.", (9.0, 12.0)),
    ]
    text, blocks, _ = write_turns(said, TurnMarks(silences=((3.9, 4.1), (9.2, 10.4)), scenes=(9.2,)))
    assert [text[block.start : block.end] for block in blocks] == ["One. Two. Three.", "Four."]
    assert blocks[1].detail == Detail(pause=1.2, scene=True)


def test_a_silence_where_the_times_leave_no_gap_is_heard_all_the_same() -> None:
    said = [Utterance("One.", (0.0, 10.0)), Utterance("Two.", (10.0, 12.0))]
    _, blocks, _ = write_turns(said, TurnMarks(silences=((7.0, 9.8),)))
    assert [block.detail for block in blocks] == [None, Detail(pause=2.8)]
