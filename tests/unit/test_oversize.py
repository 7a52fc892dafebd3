"""Blocks that are too large: the rule of each kind, and what happens when it is switched off."""

from __future__ import annotations

import re

import pytest

import seamline
from seamline.recipe.recipe import Recipe
from seamline.tokens import load
from seamline.types import Budget, Chunk

count = load("o200k_base").count
LIMIT = 64
SENTENCE = "One sentence about the bridge stands here. "
LINES = [f"value_{i} = call({i})" for i in range(30)]


def cut(text: str, limit: int = LIMIT, target: int = 0, audited: bool = True, **changes: object) -> list[Chunk]:
    recipe = Recipe(budget=Budget(target or limit, limit), **changes)  # type: ignore[arg-type]
    chunks = seamline.chunk(seamline.read(text, id="bridge", recipe=recipe), recipe=recipe)
    assert "".join("".join(chunk.render("body").split()) for chunk in chunks) == "".join(text.split())
    assert max(chunk.tokens for chunk in chunks) <= limit
    assert all(chunk.tokens == count(chunk.text) for chunk in chunks)
    if audited:
        assert not seamline.audit(chunks, limit=limit)
    return chunks


def roles(chunk: Chunk) -> list[str]:
    return [context.role for context in chunk.context]


def nested(prefix: str, rest: str, lines: list[str]) -> str:
    return "\n".join([prefix + lines[0], *(rest + line for line in lines[1:])]) + "\n"


# --- code ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "mark", "info", "indent"),
    [
        ("", "```", "python", ""),
        ("", "~~~", "js title=x", ""),
        ("", "`````", "md", ""),
        ("", "```", "", ""),
        ("", "```", "sh", "  "),
        ("1. first\n\n", "```", "python", "   "),
        ("- first\n  - second\n\n", "~~~", "c", "    "),
        ("> words\n>\n", "```", "js", "> "),
        ("> - words\n>\n", "```", "js", ">   "),
    ],
)
def test_code_is_split_by_lines_under_its_fence(before: str, mark: str, info: str, indent: str) -> None:
    fence = [f"{mark}{info}", *LINES, mark]
    chunks = cut(before + "".join(f"{indent}{line}\n" for line in fence))
    assert len(chunks) > 2
    opening, close = re.escape(f"{indent}{mark}{info}"), re.escape(f"{indent}{mark}")
    for chunk in chunks:
        assert len(re.findall(rf"^{opening}$", chunk.text, re.MULTILINE)) == (1 if info else 2)
        assert re.search(rf"^{close}$", chunk.text, re.MULTILINE)
        assert all(line.strip("> ") in fence for line in chunk.render("body").splitlines() if "value" in line)
    assert all(chunk.closing == f"\n{indent}{mark}" for chunk in chunks[:-1])
    assert not chunks[-1].closing


@pytest.mark.parametrize(("prefix", "rest"), [("- ", "  "), ("10. ", "    "), ("> ", "> "), ("> 1. ", ">    ")])
def test_a_fence_on_the_line_of_its_marker_is_reopened_there(prefix: str, rest: str) -> None:
    chunks = cut(nested(prefix, rest, ["```sh", *LINES, "```"]))
    for chunk in chunks[1:]:
        assert chunk.text.startswith(f"{prefix}```sh\n{rest}value_")
    for chunk in chunks[:-1]:
        assert chunk.text.endswith(f"\n{rest}```")


def test_blank_lines_and_scopes_are_the_first_seams_of_code() -> None:
    function = "def step_{0}(x):\n    y = x + {0}\n\n    return y\n"
    text = "```python\n" + "\n\n".join(function.format(i) for i in range(9)) + "```\n"
    chunks = cut(text, packer="optimal")
    assert len(chunks) > 2
    assert {chunk.seam for chunk in chunks[1:]} == {"scope"}
    assert all(chunk.render("body").startswith("def step") for chunk in chunks[1:])


def test_scopes_come_first_for_greedy_packing_too() -> None:
    lines = "".join(f"    part_{i} = measure(x, {i})\n" for i in range(5))
    functions = "\n\n".join(f"def step_{i}(x):\n{lines}" for i in range(6))
    chunks = cut(f"```python\n{functions}```\n", limit=100, target=90, packer="fill")
    assert {chunk.seam for chunk in chunks[1:]} == {"scope"}


def test_a_code_line_above_the_limit_is_cut_between_words_in_its_fence() -> None:
    chunks = cut("```sh\n" + "run --fast it " * 60 + "\n```\n")
    assert len(chunks) > 3
    for chunk in chunks:
        assert chunk.text.startswith("```sh\n")
        assert chunk.text.endswith("\n```")


def test_a_fence_that_is_never_closed_is_closed_in_every_chunk() -> None:
    for chunk in cut("```py\n" + "\n".join(LINES)):
        assert chunk.text.startswith("```py\n")
        assert chunk.text.endswith("\n```")


def test_indented_code_keeps_its_indentation() -> None:
    for chunk in cut("Words:\n\n" + "".join(f"    {line}\n" for line in LINES))[1:]:
        assert chunk.text.startswith("    value_")
        assert chunk.kind == "code"


def test_code_within_the_limit_is_never_cut() -> None:
    code = "```py\n" + "\n".join(LINES[:7]) + "\n```"
    text = "\n\n".join([SENTENCE * 3, code] * 4)
    for packer in ("fill", "decay", "optimal"):
        assert all(not chunk.closing for chunk in cut(text, packer=packer))


# --- prose -----------------------------------------------------------------------------------------------------------


def test_prose_is_split_by_sentences_and_joined_up_to_the_limit() -> None:
    chunks = cut("# B\n\n" + SENTENCE * 40)
    assert {chunk.seam for chunk in chunks[1:]} == {"sentence"}
    assert all(chunk.render("body").startswith(("# B", "One sentence")) for chunk in chunks)
    assert sum(chunk.tokens for chunk in chunks[:-1]) > 0.8 * LIMIT * (len(chunks) - 1)


def test_a_sentence_above_the_limit_is_cut_between_words() -> None:
    words = [f"w{i}" for i in range(150)]
    chunks = cut(" ".join(words) + ".\n")
    assert {chunk.seam for chunk in chunks[1:]} == {"word"}
    assert " ".join(chunk.render("body") for chunk in chunks).split() == [*words[:-1], "w149."]


@pytest.mark.parametrize("word", ["x1y2z3" * 100, "a" * 3000, "👩‍👩‍👧‍👦" * 40, "e\u0301\u0302" * 200, "🇩🇪🇫🇷" * 60])
def test_a_giant_word_is_cut_between_graphemes(word: str) -> None:
    chunks = cut(f"# B\n\nBefore. {word} after.\n")
    assert len(chunks) > 2


def test_a_script_without_spaces_is_cut_at_its_sentences_first() -> None:
    sentence = "渔船清晨六点出海九点返回。"
    chunks = cut("# 港\n\n" + sentence * 30)
    assert {chunk.seam for chunk in chunks[1:]} == {"sentence"}
    assert all(chunk.render("body").endswith("。") for chunk in chunks)
    assert {chunk.seam for chunk in cut("# 港\n\n" + "渔船清晨六点出海九点返回" * 30)[1:]} == {"word"}


# --- lists and quotes ------------------------------------------------------------------------------------------------


def test_lists_are_split_between_top_level_items_and_keep_their_numbers() -> None:
    items = [f"{i}. item number {i} has words to say\n    - and a sub-item\n" for i in range(7, 30)]
    chunks = cut("# L\n\n" + "".join(items))
    assert {chunk.seam for chunk in chunks[1:]} == {"item"}
    for chunk in chunks[1:]:
        number = int(chunk.render("body").partition(".")[0])
        assert f"{number}. item number {number} has" in chunk.text
        assert roles(chunk) == ["heading"]


def test_an_item_above_the_limit_repeats_its_marker() -> None:
    chunks = cut(f"1. one\n2. two\n3. {SENTENCE * 20}\n4. four\n")
    inside = [chunk for chunk in chunks if roles(chunk) == ["marker"]]
    assert len(inside) >= 2
    assert all(chunk.text.startswith("3. One sentence") for chunk in inside)


def test_the_paragraphs_of_an_item_stay_under_its_marker() -> None:
    item = "\n\n".join(f"   {SENTENCE * 4}" for _ in range(5))
    chunks = cut(f"5. five\n\n{item}\n\n6. six\n")
    for chunk in chunks:
        assert chunk.text.startswith("5.")
        inner = [block for block in seamline.read(chunk.text, id="x").blocks if block.parent < 0]
        assert inner[0].kind == "list"


def test_quotes_are_split_by_paragraph_and_keep_their_marker() -> None:
    quote = "\n>\n".join(f"> {SENTENCE * 3}" for _ in range(6))
    chunks = cut(quote)
    assert len(chunks) > 2
    for chunk in chunks:
        assert all(line.startswith(">") for line in chunk.text.splitlines())
        assert chunk.kind == "quote"


def test_a_quoted_paragraph_above_the_limit_keeps_its_marker_too() -> None:
    for chunk in cut(f"> {SENTENCE * 20}\n"):
        assert chunk.text.startswith("> One sentence")


def test_quoted_lists_are_split_between_items() -> None:
    for chunk in cut("".join(f"> {i}. item number {i} has some words to say\n" for i in range(1, 30)))[1:]:
        assert re.match(r"> \d+\. item", chunk.text)


# --- tables ----------------------------------------------------------------------------------------------------------

ROWS = [f"| row {i} | {i} metres | made of wood |" for i in range(40)]
HEAD = ["| part | length | material |", "|:-----|-------:|----------|"]


@pytest.mark.parametrize(("prefix", "rest"), [("", ""), ("- ", "  "), ("> ", "> "), ("1. ", "   ")])
def test_tables_are_split_by_rows_under_their_header(prefix: str, rest: str) -> None:
    chunks = cut("# T\n\n" + nested(prefix, rest, [*HEAD, *ROWS]))
    assert len(chunks) > 5
    for chunk in chunks[1:]:
        assert roles(chunk)[-1] == "header"
        lines = chunk.text.splitlines()
        at = next(i for i, line in enumerate(lines) if line.endswith(HEAD[0]))
        assert lines[at + 1].endswith(HEAD[1])
        assert all(line.strip("> ") in ROWS for line in lines[at + 2 :])


def wide(columns: int, rows: int, name: str = "col") -> str:
    head = "| key | " + " | ".join(f"{name} {c}" for c in range(columns)) + " |"
    body = [f"| row {r} | " + " | ".join(f"value {r} of {c}" for c in range(columns)) + " |" for r in range(rows)]
    return "\n".join([head, "|" + "---|" * (columns + 1), *body]) + "\n"


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("| ").split("|")]


def assert_columns_fit(chunks: list[Chunk], name: str = "col") -> None:
    """Every chunk with data is a table of its own: names, rule, rows, each value under the name of its column."""
    for chunk in chunks:
        if " of " not in chunk.render("body"):
            continue  # the header alone
        header, rule, *rows = chunk.text.splitlines()
        names = cells(header)
        assert names[0] == "key"
        assert rule.count("---") == len(names)
        for row in rows:
            assert re.fullmatch(r"row \d", cells(row)[0])
            assert [f"{name} {cell.split()[-1]}" for cell in cells(row)[1:]] == names[1:]


def test_rows_that_are_too_wide_are_split_by_columns_beside_their_key() -> None:
    chunks = cut(wide(14, 3))
    assert sum("key" in roles(chunk) for chunk in chunks) > 6
    assert_columns_fit(chunks)


@pytest.mark.parametrize(("columns", "name", "limit"), [(12, "column", 80), (30, "column", 96), (6, "column name", 64)])
def test_the_key_and_the_names_of_columns_are_never_dropped(columns: int, name: str, limit: int) -> None:
    assert_columns_fit(cut(wide(columns, 2, name), limit=limit), name)


def test_merging_small_chunks_never_mixes_columns() -> None:
    recipe = Recipe(budget=Budget(64, 64, 48))
    chunks = seamline.chunk(wide(14, 2), recipe=recipe)
    assert_columns_fit([chunk for chunk in chunks if chunk.context])


def test_merging_small_chunks_never_cuts_a_header_from_its_rows() -> None:
    recipe = Recipe(budget=Budget(64, 64, 32))
    assert not seamline.audit(seamline.chunk(wide(10, 3), recipe=recipe), limit=64)


def test_a_cell_above_the_limit_is_cut_between_words() -> None:
    text = "\n".join([*HEAD[:2], f"| row 1 | {'long words ' * 80}| wood |", ROWS[2]]) + "\n"
    chunks = cut(text)
    assert len(chunks) > 3


# --- comments, formulas, directives, front matter --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opening", "closing", "role"),
    [
        ("<!--", "-->", "comment"),
        ("$$", "$$", "math"),
        (":::note", ":::", "directive"),
        ("::::tip", "::::", "directive"),
    ],
)
def test_what_is_open_is_closed_and_opened_again(opening: str, closing: str, role: str) -> None:
    lines = "\n\n".join(f"note number {i} about this" for i in range(30)) if role == "directive" else "\n".join(LINES)
    gap = "\n\n" if role == "directive" else "\n"
    chunks = cut(f"{opening}{gap}{lines}{gap}{closing}\n")
    assert len(chunks) > 2
    for chunk in chunks:
        assert chunk.text.startswith(f"{opening}{gap}")
        assert chunk.text.endswith(f"{gap}{closing}")
    assert all(roles(chunk) == [role] for chunk in chunks[1:])


def test_front_matter_above_the_limit_is_split_by_lines() -> None:
    front = "---\n" + "".join(f"key_{i}: value number {i}\n" for i in range(40)) + "---\n\n"
    chunks = cut(f"{front}# A\n\nWords.\n", front_matter="include")
    inside = [chunk for chunk in chunks if chunk.kind == "front_matter"]
    assert len(inside) > 2
    assert all(re.match(r"---|key_\d+: value", chunk.text) for chunk in inside)


# --- rules switched off ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "text", "role"),
    [
        ("code", "```py\n" + "\n".join(LINES) + "\n```\n", "fence"),
        ("table", "\n".join([*HEAD, *ROWS]) + "\n", "header"),
        ("html", "<!--\n" + "\n".join(LINES) + "\n-->\n", "comment"),
        ("math", "$$\n" + "\n".join(LINES) + "\n$$\n", "math"),
        ("directive", ":::note\n\n" + "\n\n".join(LINES) + "\n\n:::\n", "directive"),
        ("item", f"- {SENTENCE * 20}\n", "marker"),
    ],
)
def test_a_rule_that_is_off_leaves_plain_lines(kind: str, text: str, role: str) -> None:
    assert any(role in roles(chunk) for chunk in cut(text))
    chunks = cut(text, split={kind: False}, audited=False)
    assert len(chunks) > 2
    assert not any(chunk.context or chunk.closing for chunk in chunks)


def test_a_rule_is_off_for_its_own_kind_only() -> None:
    text = "```py\n" + "\n".join(LINES) + "\n```\n"
    assert [chunk.text for chunk in cut(text, split={"table": False})] == [chunk.text for chunk in cut(text)]


def test_a_paragraph_without_its_rule_is_cut_by_lines() -> None:
    text = "\n".join([SENTENCE.strip() + " Then more"] * 20) + ".\n"
    assert {chunk.seam for chunk in cut(text)[1:]} == {"sentence"}
    assert {chunk.seam for chunk in cut(text, split={"paragraph": False}, audited=False)[1:]} == {"line"}


def test_a_list_without_its_rule_is_cut_by_lines() -> None:
    text = "".join(f"- item {i}\n  goes on here with more words\n" for i in range(30))
    assert {chunk.seam for chunk in cut(text)[1:]} == {"item"}
    assert {chunk.seam for chunk in cut(text, split={"list": False}, audited=False)[1:]} == {"line"}


# --- thresholds ------------------------------------------------------------------------------------------------------

BULLETS = "".join(f"- bullet number {i} of the long list\n" for i in range(24))


def test_a_list_is_opened_above_its_threshold_though_it_would_fit() -> None:
    text = f"{SENTENCE * 20}\n\n{BULLETS}"
    assert 200 < count(BULLETS) < 300
    whole = cut(text, limit=300, target=220)
    assert BULLETS.strip() in [chunk.text for chunk in whole]
    opened = cut(text, limit=300, target=220, whole={"list": 200}, packer="fill")
    assert "item" in [chunk.seam for chunk in opened]


def test_a_table_is_whole_up_to_its_threshold_and_split_above() -> None:
    table = "\n".join([*HEAD, *ROWS[:20]]) + "\n"
    text = f"{SENTENCE * 15}\n\n{table}\n{SENTENCE * 15}\n"
    size = count(table)
    for packer in ("fill", "optimal"):
        kept = cut(text, limit=400, target=200, whole={"table": size}, packer=packer)
        assert any(table.strip() in chunk.text for chunk in kept)
    opened = cut(text, limit=400, target=200, whole={"table": size - 1}, packer="fill")
    assert "row" in [chunk.seam for chunk in opened]


def test_a_threshold_of_zero_makes_every_item_a_gap() -> None:
    chunks = cut(f"{SENTENCE}\n\n{BULLETS}", limit=300, target=100, whole={"list": 0}, packer="fill")
    assert "item" in [chunk.seam for chunk in chunks]
