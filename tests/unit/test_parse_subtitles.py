"""Subtitles: what is said, by whom, when, and where in the file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import seamline
from seamline.parse import parse_text
from seamline.testing.parsers import check_document
from seamline.types import NO_DETAIL, Document

TALK = """WEBVTT - a talk

NOTE
Written by hand.

STYLE
::cue { color: red }

intro
00:01.000 --> 00:03.000 align:start position:0%
<v Ada Byron>Good <i>morning</i>
everybody.</v>

00:03.500 --> 00:05.000
<v Ada Byron>I &amp; my engine<00:04.000> are here.

00:05.200 --> 00:06.000
<v.loud Charles>Hello!

00:10.000 --> 00:11.000
<v.loud Charles>Still here?
"""


def read(text: str, media_type: str = "text/vtt") -> Document:
    document = parse_text(text, media_type=media_type, uri="talk")
    check_document(document)
    return document


def srt(text: str) -> Document:
    return read(text, "application/x-subrip")


def turns(document: Document) -> list[str]:
    assert all(block.kind == "turn" for block in document.blocks)
    return [document.text[block.start : block.end] for block in document.blocks]


def codes(document: Document) -> list[str]:
    return [notice.code for notice in document.notices]


def test_cues_of_one_speaker_are_a_turn_and_a_pause_ends_it() -> None:
    document = read(TALK)
    assert turns(document) == [
        "Ada Byron: Good morning everybody. I & my engine are here.",
        "Charles: Hello!",
        "Charles: Still here?",
    ]
    assert [(block.detail or NO_DETAIL).pause for block in document.blocks] == [None, 0.2, 4.0]
    assert codes(document) == ["subtitles-skipped"]
    assert document.notices[0].message.endswith("1 NOTE, 1 STYLE")


def test_each_cue_knows_its_time_speaker_and_place() -> None:
    document = read(TALK)
    assert document.anchors is not None
    second = document.anchors[1]
    assert document.text[second.start : second.end] == "I & my engine are here."
    assert second.place["time"] == [3.5, 5.0]
    assert second.place["speaker"] == "Ada Byron"
    low, high = second.place["source"]
    assert TALK[low:high] == "<v Ada Byron>I &amp; my engine<00:04.000> are here."
    assert second.place["lines"] == [15, 15]
    place = document.place_of(document.blocks[0].span)
    assert place["time"] == [1.0, 5.0]
    assert place["lines"] == [11, 15]


def test_parts_of_a_long_turn_say_who_speaks() -> None:
    cues = "".join(
        f"00:{i:02}.000 --> 00:{i:02}.900\n<v Ada>Sentence number {i} is about engines.\n\n" for i in range(60)
    )
    chunks = seamline.chunk(read(f"WEBVTT\n\n{cues}"), limit=80)
    assert len(chunks) > 3
    assert all(chunk.text.startswith("Ada:") for chunk in chunks)
    assert chunks[1].place["speaker"] == "Ada"
    assert chunks[1].place["time"][0] > chunks[0].place["time"][0]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_subrip(newline: str) -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\nHello <b>there</b>{\\an8}\n\n2\n01:00:03,500 --> 01:00:04,000\nBye\n"
    document = srt(text.replace("\n", newline))
    assert turns(document) == ["Hello there", "Bye"]
    assert document.place_of(document.blocks[1].span)["time"] == [3603.5, 3604.0]
    assert document.place_of(document.blocks[1].span)["lines"] == [7, 7]


@pytest.mark.parametrize(
    "text",
    [
        "00:00:01,000 --> 00:00:02,000\nHello\n\n00:00:02,000 --> 00:00:03,000\nWorld\n",
        "1\n00:00:01,000 --> 00:00:02,000\nHello\n2\n00:00:02,000 --> 00:00:03,000\nWorld\n",
        "\ufeff1\n00:00:01.000 --> 00:00:02.000\nHello\n\n\n\n2\n00:00:02.000 --> 00:00:03\nWorld",
        "1\n00:00:01,000 --> 00:00:02,000\nHello\n\nWorld\n",
    ],
)
def test_files_that_do_not_keep_to_the_form(text: str) -> None:
    assert turns(srt(text)) == ["Hello World"]


def test_names_before_a_colon_are_speakers_where_they_are_no_accident() -> None:
    cue = "00:00:{0:02},000 --> 00:00:{0:02},900\n{1}\n\n"
    said = [
        "ANNA: Good morning.",
        "Note: this is one.",
        "Ben: Hi.",
        "Ben: How are you?",
        "- ANNA: Fine.",
        "At 10:30 then.",
    ]
    document = srt("".join(cue.format(i, text) for i, text in enumerate(said)))
    assert turns(document) == [
        "ANNA: Good morning.",
        "Note: this is one.",
        "Ben: Hi. How are you?",
        "ANNA: Fine.",
        "At 10:30 then.",
    ]
    assert [(block.detail or NO_DETAIL).speaker for block in document.blocks] == ["ANNA", "", "Ben", "ANNA", ""]


def test_two_voices_in_one_cue_are_two_turns() -> None:
    document = read("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Esme>Hee!</v> <i>laughter</i>\n<v Mary>What?\n")
    assert turns(document) == ["Esme: Hee!", "laughter", "Mary: What?"]


def test_times_that_go_back_are_moved_up_with_a_notice() -> None:
    document = srt("1\n00:00:05,000 --> 00:00:01,000\none\n\n2\n00:00:02,000 --> 00:00:03,000\ntwo\n")
    assert document.place_of(document.blocks[0].span)["time"] == [5.0, 5.0]
    assert codes(document) == ["time-backwards"]


@pytest.mark.parametrize(
    "time", ["999999999999:00:00,000 --> 999999999999:00:01,000", "-00:00:01,000 --> 99:99:99,999"]
)
def test_times_that_cannot_be_are_left_out_with_a_notice(time: str) -> None:
    document = srt(f"1\n{time}\nx\n")
    assert turns(document) == ["x"]
    assert "time" not in document.place_of(document.blocks[0].span)
    assert codes(document) == ["time-impossible"]


def test_an_arrow_in_the_text_is_text_and_a_cue_without_time_is_noted() -> None:
    document = srt("1\n00:00:01,000 --> 00:00:02,000\nA --> B\n\n2\n\n")
    assert turns(document) == ["A --> B"]
    assert codes(document) == ["subtitles-outside"]
    assert document.notices[0].where == "line 5"


def test_rolling_captions_say_each_line_once() -> None:
    cues = "".join(f"00:{i:02}.000 --> 00:{i:02}.900\nline {i}\nline {i + 1}\n\n" for i in range(10))
    document = read(f"WEBVTT\n\n{cues}")
    assert turns(document) == [" ".join(f"line {i}" for i in range(11))]
    assert codes(document) == ["captions-rolling"]


def test_what_is_said_twice_is_kept_twice() -> None:
    document = srt("".join(f"{i}\n00:00:{i:02},000 --> 00:00:{i:02},900\nHello\n\n" for i in range(1, 4)))
    assert turns(document) == ["Hello Hello Hello"]


@pytest.mark.parametrize("text", ["", "WEBVTT\n", "1\n00:00:01,000 --> 00:00:02,000\n\n" * 3])
def test_nothing_is_said_to_be_nothing(text: str) -> None:
    assert "subtitles-empty" in codes(read(text))


@pytest.mark.parametrize("text", ["Words of a song\n\nand more\n", "WEBVTT\n\nwords\n\n00:01.000 --> 00:02.000\n\n"])
def test_a_file_without_cues_that_speak_is_read_as_text(text: str) -> None:
    document = read(text)
    assert document.text == text
    assert codes(document) == ["structure-lost"]


def test_markup_is_taken_off_and_nothing_else() -> None:
    document = srt('1\n00:00:01,000 --> 00:00:02,000\n<font color="red">x</i><script>alert(1)</script> a < b > c\n')
    assert turns(document) == ["xalert(1) a < b > c"]


def test_the_same_twice() -> None:
    assert read(TALK).text == read(TALK).text
    assert read(TALK).anchors == read(TALK).anchors


CUES = st.lists(
    st.sampled_from(
        [
            "WEBVTT",
            "NOTE x",
            "STYLE",
            "1",
            "00:01.000 --> 00:02.000",
            "00:00:09,000 --> 00:00:01,000 a:b",
            "",
            "<v A  B>hi",
            "BOB: yes",
            "x --> y",
            "<c>",
            "&lt;b&gt;",
            "</v>",
            "text",
            "\ufeff",
            "{\\an8}",
            "99:99:99,9 --> 0:0:0",
            "<v >",
        ]
    ),
    max_size=14,
)


@given(CUES, st.sampled_from(["\n", "\r\n", "\r"]))
def test_any_lines_are_a_document(lines: list[str], newline: str) -> None:
    read(newline.join(lines))
