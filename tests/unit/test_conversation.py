"""Where conversations are cut: pauses, scenes, speakers, words; and where they are not."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import seamline
from seamline.cut.scores.conversation import conversation
from seamline.parse.media.turns import TurnMarks, Utterance, write_turns
from seamline.pipeline import make_runtime
from seamline.recipe.recipe import Recipe
from seamline.recipe.strategies import Multimodal
from seamline.types import Budget, Chunk, Document, Source

PARTS = make_runtime(Recipe())


def speech(said: list[Utterance], marks: TurnMarks | None = None) -> Document:
    text, blocks, anchors = write_turns(said, marks)
    return Document("talk", Source(), text, blocks, anchors=anchors)


def scores(document: Document, **settings: Any) -> list[float]:
    recipe = Recipe(multimodal=Multimodal(**settings))
    return [score for _, score in sorted(conversation(document, recipe, PARTS).score.items())]


PUMP = (
    ("Ann", "The pump in the cellar hums at night, and nobody in the house can sleep."),
    ("Bo", "A pump that hums has a worn bearing, or the valve behind it is half closed."),
    ("Cy", "I opened the valve yesterday, so I think it is the bearing of the pump."),
)
MONEY = (
    ("Bo", "Then the budget: we have four thousand left, and the roof is not paid yet."),
    ("Ann", "The roof costs three thousand, if the bill is right. I asked the bank to wait."),
    ("Cy", "If the bank waits until June, the rent of the hall covers the bill."),
)
PARTY = (
    ("Ann", "Who brings the music for the party on Saturday? My speakers are broken."),
    ("Cy", "My cousin plays the accordion. She comes to every party that has dancing."),
    ("Bo", "I bring chairs and lamps, and the children make the cake."),
)


def talk(*topics: tuple[tuple[str, str], ...], pause: float) -> list[Utterance]:
    """What is said about each topic, with a pause before every topic but the first."""
    out: list[Utterance] = []
    now = 0.0
    for number, topic in enumerate(topics):
        now += pause if number else 0.0
        for speaker, text in topic:
            out.append(Utterance(text, (now, now + 4.0), speaker))
            now += 4.2
    return out


def first_speakers(chunks: list[Chunk]) -> list[str]:
    return [chunk.text.split(":")[0] for chunk in chunks]


@pytest.mark.parametrize("strategy", ["structural", "multimodal", "auto"])
def test_three_topics_with_pauses_are_three_chunks(strategy: Any) -> None:
    chunks = seamline.chunk(speech(talk(PUMP, MONEY, PARTY, pause=15)), recipe=Recipe(strategy=strategy))
    assert first_speakers(chunks) == ["Ann", "Bo", "Ann"]
    assert [chunk.place["time"][0] for chunk in chunks] == [0.0, 27.6, 55.2]
    assert all(chunk.place["speakers"] for chunk in chunks)


def test_words_tell_topics_apart_where_nobody_pauses() -> None:
    longer = [(*topic, *((name, text.upper()) for name, text in topic)) for topic in (PUMP, MONEY, PARTY)]
    chunks = seamline.chunk(speech(talk(*longer, pause=0.2)))
    assert first_speakers(chunks) == ["Ann", "Bo", "Ann"]
    whole = seamline.chunk(speech(talk(*longer, pause=0.2)), recipe=Recipe(multimodal=Multimodal(topics=False)))
    assert len(whole) == 1


def test_turns_are_no_confetti() -> None:
    said = [Utterance("Yes.", (20.0 * n, 20.0 * n + 1), "Ann" if n % 2 else "Bo") for n in range(12)]
    assert len(seamline.chunk(speech(said))) == 1  # every pause is as long: none says anything


def test_longer_pauses_scenes_and_other_speakers_speak_for_a_cut() -> None:
    said = [Utterance(f"Something {n} of that kind.", (5.0 * n, 5.0 * n + 4.9), "Ann") for n in range(9)]

    def before_the_fifth(**changes: Any) -> float:
        moved = [one if n < 5 else _later(one, changes.get("pause", 0)) for n, one in enumerate(said)]
        if "speaker" in changes:
            moved[5:] = [Utterance(one.text, one.time, "Bo") for one in moved[5:]]
        marks = TurnMarks(scenes=(25.0,)) if "scene" in changes else None
        document = speech(moved, marks)
        found = conversation(document, Recipe(), PARTS).score
        at = document.text.index("Something 5")
        return max((score for start, score in found.items() if at - 5 <= start <= at), default=0.0)

    plain = before_the_fifth()
    assert plain < before_the_fifth(pause=5) < before_the_fifth(pause=30)
    assert plain < before_the_fifth(speaker=True)
    assert plain < before_the_fifth(scene=True)


def _later(one: Utterance, seconds: float) -> Utterance:
    assert one.time is not None
    return Utterance(one.text, (one.time[0] + seconds, one.time[1] + seconds), one.speaker)


def test_the_start_of_a_scene_is_its_keyframe() -> None:
    document = speech(talk(PUMP, pause=0), TurnMarks(scenes=(4.1, 8.3)))
    (chunk,) = seamline.chunk(document, recipe=Recipe(multimodal=Multimodal(topics=False), budget=Budget(480, 512)))
    assert chunk.place["keyframes"] == [0.0, 4.1, 8.3]


def test_minutes_between_messages_are_no_pause_where_all_take_minutes() -> None:
    slow = "\n".join(
        f"[2026-01-05 10:{3 * n:02}] {name}: {text}" for n, (name, text) in enumerate((*PUMP, *PUMP, *PUMP))
    )
    assert len(seamline.chunk(slow, media_type="chat")) == 1
    broken = slow.replace("10:09", "14:09").replace("10:1", "14:1").replace("10:2", "14:2")
    assert len(seamline.chunk(broken, media_type="chat")) == 2


MESSAGES = st.lists(
    st.tuples(st.sampled_from(["Ann", "Bo"]), st.integers(1, 60), st.floats(0, 60)), min_size=1, max_size=30
)


@given(MESSAGES, st.sampled_from(["structural", "multimodal"]), st.sampled_from([64, 128, 512]))
def test_no_message_is_cut_that_fits(messages: list[tuple[str, int, float]], strategy: Any, limit: int) -> None:
    lines = [
        f"{name}: " + " ".join(f"w{n}x{word}" for word in range(size)) for n, (name, size, _) in enumerate(messages)
    ]
    document = seamline.read("\n".join(lines), media_type="chat", id="x")
    chunks = seamline.chunk(document, recipe=Recipe(strategy=strategy, budget=Budget(limit * 3 // 4, limit)))
    starts = [block.start for block in document.blocks]
    for first, last in pairwise([*starts, len(document.text)]):
        if PARTS.tokenizer.count(document.text[first:last]) <= limit // 2:
            assert not any(first < chunk.start < last for chunk in chunks)


def test_parts_of_a_message_that_is_too_long_say_who_sent_it() -> None:
    text = "[10:31] Bo: Well?\n[10:32] Ann: " + "This goes on and on. " * 60 + "\n[10:33] Bo: I see.\n"
    chunks = seamline.chunk(text, media_type="chat", recipe=Recipe(budget=Budget(100, 128)))
    parts = [chunk for chunk in chunks if "This goes on" in chunk.text]
    assert len(parts) > 2
    assert all("[10:32] Ann:" in chunk.text for chunk in parts)
