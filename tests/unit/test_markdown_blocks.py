"""What `parse_blocks` finds: kinds, exact spans and parents, for everything Markdown is written with."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from seamline.parse.markdown.blocks import parse_blocks
from seamline.types import NO_DETAIL, Block, Detail, Document, Source


def outline(text: str) -> list[tuple[str, str]]:
    """Kind, indented by depth, and exact text of every block."""
    depths: list[int] = []
    out = []
    for block in parse_blocks(text):
        depths.append(depths[block.parent] + 1 if block.parent >= 0 else 0)
        out.append((". " * depths[-1] + block.kind, text[block.start : block.end]))
    return out


def tops(text: str) -> list[tuple[str, str]]:
    return [(b.kind, text[b.start : b.end]) for b in parse_blocks(text) if b.parent < 0]


def kinds(text: str) -> list[str]:
    return [kind for kind, _ in outline(text)]


def only(text: str, kind: str) -> Block:
    (block,) = (b for b in parse_blocks(text) if b.kind == kind)
    return block


def detail(block: Block) -> Detail:
    return block.detail or NO_DETAIL


# --- spans -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lead", ["🎉👨‍👩‍👧 party", "漢字と仮名", "e\u0301te\u0301", "mixed é 🎉 漢", "plain"])
def test_offsets_count_code_points_not_bytes(lead: str) -> None:
    text = f"{lead}\n\n# {lead}\n\n- {lead}\n  - {lead}\n\n```\n{lead}\n```\n"
    assert outline(text) == [
        ("paragraph", lead),
        ("heading", f"# {lead}"),
        ("list", f"- {lead}\n  - {lead}"),
        (". item", f"- {lead}\n  - {lead}"),
        (". . list", f"- {lead}"),
        (". . . item", f"- {lead}"),
        ("code", f"```\n{lead}\n```"),
    ]


def test_top_level_blocks_start_with_their_indentation_and_end_with_their_text() -> None:
    text = "   # One  \n\n  two  \n  lines\t\n\n\n    code  \n\n   - a  \n\n"
    assert tops(text) == [
        ("heading", "   # One"),
        ("paragraph", "  two  \n  lines"),
        ("code", "    code"),
        ("list", "   - a"),
    ]


def test_a_byte_order_mark_belongs_to_the_first_block_and_indents_nothing() -> None:
    assert tops("\ufeff# One\n\ntwo\n") == [("heading", "\ufeff# One"), ("paragraph", "two")]
    assert tops("\ufeff   # One\n") == [("heading", "\ufeff   # One")]
    assert tops("\ufeff    code\n") == [("code", "\ufeff    code")]
    assert tops("\ufeff![a](b)\n") == [("figure", "\ufeff![a](b)")]


def test_a_byte_order_mark_alone_is_no_block() -> None:
    assert parse_blocks("\ufeff") == parse_blocks("\ufeff\n\n") == []


@pytest.mark.parametrize("text", ["", "\n", " \t\n\r\n\n"])
def test_nothing_but_white_space_has_no_blocks(text: str) -> None:
    assert parse_blocks(text) == []


@pytest.mark.parametrize("odd", ["\x00", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\u00a0"])
def test_only_cr_and_lf_end_a_line(odd: str) -> None:
    assert outline(f"# a{odd}b\n\nc{odd}# d\ne\n\n- f{odd}- g\n") == [
        ("heading", f"# a{odd}b"),
        ("paragraph", f"c{odd}# d\ne"),
        ("list", f"- f{odd}- g"),
        (". item", f"- f{odd}- g"),
    ]


@pytest.mark.parametrize("line_end", ["\r", "\r\n"])
def test_other_line_ends_give_the_same_blocks_on_the_same_lines(line_end: str) -> None:
    text = (
        "---\n\nTitle\n===\n\ntext\nmore\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- a\n\t- b\n\n  ```py\n  x\n  ```\n"
        "- ```\n  y\n\n"
        "> q\nlazy\n\n[^1]: note\n\n[ref]: /url\n\n:::tip\n\n$$\nx\n$$\n\n:::\n\n!!! note\n    a\n\n    b\n\n"
        "<div>\nx\n</div>\n"
    )
    assert _lines(text.replace("\n", line_end)) == _lines(text)


def _lines(text: str) -> list[tuple[str, int, int, tuple[int, int], object]]:
    document = Document("d", Source(), text, parse_blocks(text))
    return [(b.kind, b.level, b.parent, document.lines_of(b.span), b.detail) for b in document.blocks]


# --- CommonMark's kinds ----------------------------------------------------------------------------------------


def test_headings_of_both_forms_and_all_levels() -> None:
    atx = [(b.kind, b.level) for b in parse_blocks("".join(f"{'#' * n} h\n" for n in range(1, 8)))]
    assert atx == [*(("heading", n) for n in range(1, 7)), ("paragraph", 0)]
    setext = parse_blocks("One\n===\n\nTwo\nlines\n---\n")
    assert [(b.kind, b.level, b.start, b.end) for b in setext] == [("heading", 1, 0, 7), ("heading", 2, 9, 22)]


@pytest.mark.parametrize("mark", ["```", "~~~", "````", "~~~~~~~", "`" * 50])
def test_fences_of_both_kinds_and_any_length(mark: str) -> None:
    inner = "~~~" if mark[0] == "`" else "```"
    text = f"before\n\n{mark}py title\n# no heading\n\n{inner}\n{mark[:-1]}\n- no list\n{mark}\n\nafter\n"
    assert kinds(text) == ["paragraph", "code", "paragraph"]
    block = only(text, "code")
    assert text[block.start : block.end].startswith(f"{mark}py")
    assert text[block.start : block.end].endswith(f"- no list\n{mark}")
    assert detail(block).fenced
    assert not detail(block).unclosed


def test_indented_code_is_not_fenced() -> None:
    block = only("text\n\n    a\n\n    b\n", "code")
    assert not block.detail


@pytest.mark.parametrize(
    ("text", "close"),
    [
        ("```py\nx", "```"),
        ("```py\nx\n\n\n", "```"),
        ("~~~~\nx\n~~~\n", "~~~~"),
        ("```", "```"),
        ("  ```\n  x\n", "  ```"),
        ("# h\n\n`````\n````\n", "`````"),
        ("> ```\n> x\n", "> ```"),
        ("> ```\n> x\n\nafter\n", "> ```"),
        ("> > ~~~\n> > x\n> y\n", "> > ~~~"),
        ("- ```\n  x\n- next\n", "  ```"),
        ("10. a\n    ```\n    x\n\nafter\n", "    ```"),
        ("> - ```\n>   x\n>\n> after\n", ">   ```"),
        ("- > ```\n  > x\n\nafter\n", "  > ```"),
        ("[^1]: a\n\n    ```\n    x\n\nafter\n", "    ```"),
    ],
)
def test_an_unclosed_fence_says_which_line_closes_it(text: str, close: str) -> None:
    for end in ("\n", "\r\n", "\r"):
        block = only(text.replace("\n", end), "code")
        assert detail(block).unclosed == close


@pytest.mark.parametrize(
    "text",
    [
        "```\nx\n```",
        "```\nx\n   `````  \n",
        "```\n```",
        "> ```\n> x\n> ```\n",
        "- ```\n  x\n  ```\n- next\n",
        "> - ~~~\n>   x\n>   ~~~\n",
        "    indented",
        "- a\n\n      indented\n",
    ],
)
def test_a_closed_fence_or_indented_code_does_not(text: str) -> None:
    assert not detail(only(text, "code")).unclosed


def test_nested_lists_count_their_level_and_first_number() -> None:
    blocks = parse_blocks("3. a\n   - b\n     * c\n4. d\n")
    assert [(b.kind, b.level, b.parent) for b in blocks] == [
        ("list", 0, -1),
        ("item", 0, 0),
        ("list", 1, 1),
        ("item", 1, 2),
        ("list", 2, 3),
        ("item", 2, 4),
        ("item", 0, 0),
    ]
    assert detail(blocks[0]).first == 3
    assert detail(blocks[2]).first is None


def test_tab_indented_items_start_at_their_marker() -> None:
    assert outline("* a\n\t* b\n\t\t* c\n\n* d\n") == [
        ("list", "* a\n\t* b\n\t\t* c\n\n* d"),
        (". item", "* a\n\t* b\n\t\t* c"),
        (". . paragraph", "a"),
        (". . list", "* b\n\t\t* c"),
        (". . . item", "* b\n\t\t* c"),
        (". . . . list", "* c"),
        (". . . . . item", "* c"),
        (". item", "* d"),
        (". . paragraph", "d"),
    ]


def test_only_loose_items_hold_paragraphs() -> None:
    assert kinds("- a\n- b\n") == ["list", ". item", ". item"]
    assert kinds("- a\n\n- b\n") == ["list", ". item", ". . paragraph", ". item", ". . paragraph"]


def test_a_list_in_a_quote_ends_before_the_next_line() -> None:
    assert outline("> - a\n> - b\n>\n> after\n") == [
        ("quote", "> - a\n> - b\n>\n> after"),
        (". list", "- a\n> - b\n>"),
        (". . item", "- a"),
        (". . item", "- b\n>"),
        (". paragraph", "after"),
    ]


def test_a_list_that_ends_in_html_keeps_it() -> None:
    assert outline("- 1) a\n\n     <b>\n\n  - b\n")[2] == (". . list", "1) a\n\n     <b>")


def test_quotes_and_github_alerts() -> None:
    assert outline("> [!NOTE]\n> Mind\n> the gap.\nlazy\n\n> other\n") == [
        ("quote", "> [!NOTE]\n> Mind\n> the gap.\nlazy"),
        (". paragraph", "[!NOTE]\n> Mind\n> the gap.\nlazy"),
        ("quote", "> other"),
        (". paragraph", "other"),
    ]


@pytest.mark.parametrize(
    ("html", "after_blank_line"),
    [
        ("<script>\nlet a\n\nlet b\n</script>", True),
        ("<pre>\na\n\nb\n</pre>", True),
        ("<style>\na\n\nb</style>", True),
        ("<!-- a\n\nb -->", True),
        ("<?php a\n\nb ?>", True),
        ("<!DOCTYPE\n\nhtml>", True),
        ("<![CDATA[\na\n\nb\n]]>", True),
        ("<div>\n*a*\n</div>", False),
        ("<custom-tag a='1'>\n*a*\n</custom-tag>", False),
    ],
)
def test_html_blocks_of_all_seven_conditions(html: str, after_blank_line: bool) -> None:
    assert ("\n\n" in html) == after_blank_line
    assert tops(f"{html}\n\ntext\n") == [("html", html), ("paragraph", "text")]


def test_a_comment_between_paragraphs() -> None:
    assert tops("a\n<!-- note\n\n# no heading -->\nb\n") == [
        ("paragraph", "a"),
        ("html", "<!-- note\n\n# no heading -->"),
        ("paragraph", "b"),
    ]


def test_thematic_breaks() -> None:
    assert tops("a\n\n---\n* * *\n ___\n") == [("paragraph", "a"), ("rule", "---"), ("rule", "* * *"), ("rule", " ___")]


def test_footnotes() -> None:
    text = "See[^one] and[^zwölf].\n\n[^one]: First.\n\n    - more\n\n[^zwölf]: Twelfth\ngoes on.\n\nText.\n"
    assert outline(text) == [
        ("paragraph", "See[^one] and[^zwölf]."),
        ("footnote", "[^one]: First.\n\n    - more"),
        (". paragraph", "First."),
        (". list", "- more"),
        (". . item", "- more"),
        ("footnote", "[^zwölf]: Twelfth\ngoes on."),
        (". paragraph", "Twelfth\ngoes on."),
        ("paragraph", "Text."),
    ]


# --- link definitions ------------------------------------------------------------------------------------------


def test_link_definitions_are_reference_blocks_wherever_they_stand() -> None:
    text = "[a]: /a\n\nOne [a].\n\n  [b]: /b\n  [c]: <c>\n  'title'\n\n# Two\n[d]: /d\ntext\n\n- item\n\n[e]: /e\n"
    assert tops(text) == [
        ("reference", "[a]: /a"),
        ("paragraph", "One [a]."),
        ("reference", "  [b]: /b\n  [c]: <c>\n  'title'"),
        ("heading", "# Two"),
        ("reference", "[d]: /d"),
        ("paragraph", "text"),
        ("list", "- item"),
        ("reference", "[e]: /e"),
    ]


def test_a_definition_cannot_interrupt_a_paragraph() -> None:
    assert tops("text\n\n[a]:\ufeff") == [("paragraph", "text"), ("reference", "[a]:\ufeff")]
    assert tops("text\n[a]: /a\n\n[b]: /b") == [("paragraph", "text\n[a]: /a"), ("reference", "[b]: /b")]


def test_definitions_inside_a_container_stay_part_of_it() -> None:
    assert tops("> [a]: /a\n\n- [b]: /b\n") == [("quote", "> [a]: /a"), ("list", "- [b]: /b")]


# --- tables ----------------------------------------------------------------------------------------------------


def test_a_table_has_its_header_row_and_rows() -> None:
    assert outline("| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 |\n") == [
        ("table", "| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 |"),
        (". row", "| a | b |"),
        (". row", "| 1 | 2 |"),
        (". row", "| 3 |"),
    ]


@pytest.mark.parametrize(
    "table", ["| a | b |\n|---|---|\n| 1 | 2 |", "a | b\n--|--\n1 | 2", "a | b\n:-- | --:\n1 | 2", "| a\n|:-:\n| 1"]
)
@pytest.mark.parametrize("lead", ["Intro:", "Two\nlines", "  Indented", "One | pipe", "🎉 漢字", "One\n    deep"])
def test_a_table_may_follow_a_line_of_text(table: str, lead: str) -> None:
    header, _, row = table.split("\n")
    assert outline(f"# h\n\n{lead}\n{table}\n\nafter\n") == [
        ("heading", "# h"),
        ("paragraph", lead),
        ("table", table),
        (". row", header),
        (". row", row),
        ("paragraph", "after"),
    ]


def test_a_table_after_text_ends_where_other_tables_end() -> None:
    assert tops("Intro\na | b\n--|--\n1 | 2\n---\n2. x\n") == [
        ("paragraph", "Intro"),
        ("table", "a | b\n--|--\n1 | 2"),
        ("rule", "---"),
        ("list", "2. x"),
    ]


def test_several_tables_after_text() -> None:
    part = "Intro\n| a |\n|---|\n| 1 |\n\n"
    assert tops(part * 3) == [("paragraph", "Intro"), ("table", "| a |\n|---|\n| 1 |")] * 3


def test_a_second_delimiter_row_is_a_row() -> None:
    assert kinds("Intro\na|b\n-|-\nc|d\n-|-\ne|f\n") == ["paragraph", "table", *[". row"] * 4]
    assert kinds("a|b\n|\t-\t|-\nc|d\n-|-\n") == ["table", *[". row"] * 3]


def test_tables_after_text_in_lists() -> None:
    table = "| a | b |\n  |---|---|\n  | 1 | 2 |"
    assert outline(f"- tight\n  {table}\n- next\n")[:3] == [
        ("list", f"- tight\n  {table}\n- next"),
        (". item", f"- tight\n  {table}"),
        (". . table", table),
    ]
    assert outline(f"- loose\n  more\n  {table}\n\n- next\n")[1:4] == [
        (". item", f"- loose\n  more\n  {table}"),
        (". . paragraph", "loose\n  more"),
        (". . table", table),
    ]


def test_tables_after_text_in_an_item_after_other_blocks() -> None:
    text = "- a\n  x|y\n  -|-\n  # h\n  b\n  x|y\n  -|-\n"
    assert kinds(text) == ["list", ". item", ". . table", ". . . row", ". . heading", ". . table", ". . . row"]


def test_tables_after_text_in_quotes() -> None:
    assert outline("> Intro\n> a | b\n> --|--\n> 1 | 2\nlazy\n") == [
        ("quote", "> Intro\n> a | b\n> --|--\n> 1 | 2"),
        (". paragraph", "Intro"),
        (". table", "a | b\n> --|--\n> 1 | 2"),
        (". . row", "a | b"),
        (". . row", "1 | 2"),
        ("paragraph", "lazy"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Intro\na | b\n---\n",  # a setext heading
        "Intro\na | b\n---|---|---\n1 | 2\n",
        "Intro\na \\| b\n---|---\n",
        "> text\na|b\n-|-\n",  # lazy lines
        "- text\na|b\n-|-\n",
        "```\nIntro\na|b\n-|-\n```\n",
        "<div>\nIntro\na|b\n-|-\n</div>\n",
        "foo|foo\n---|-::-\n",
        "a | b\n- | -\n",  # a list
        "a | b\n    --|--\n",
        "text | more\nno delimiter | row\n",
    ],
)
def test_what_only_looks_like_a_table(text: str) -> None:
    assert "table" not in "".join(kinds(text))


# --- our own kinds ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "![alt](u.png)",
        "  ![alt](u.png)",
        "![](u_(1).png 'title (2)')",
        "![alt][ref]",
        "![alt](u){width=50%}",
        "![a](u) ![b](v)\n![c](w)",
        "[![alt](u)](link)",
        "[![alt][img]][link]",
    ],
)
def test_a_paragraph_of_images_is_a_figure(text: str) -> None:
    assert tops(f"before\n\n{text}\n\nafter") == [("paragraph", "before"), ("figure", text), ("paragraph", "after")]


@pytest.mark.parametrize("text", ["![alt](u) text", "text ![alt](u)", "![alt]", "[link](u)", "![a](u", "!! [a](b)"])
def test_a_paragraph_with_text_is_not(text: str) -> None:
    assert kinds(text) == ["paragraph"]


@pytest.mark.parametrize("text", ["$$x$$", "$$\nx = 1\n$$", "$$ a\n\\\\ b_1 * c_2 * d\n$$", "$$\n\\frac{1}{2} | y\n$$"])
def test_a_formula_is_a_math_block(text: str) -> None:
    assert tops(f"before\n\n{text}\n\nafter") == [("paragraph", "before"), ("math", text), ("paragraph", "after")]


@pytest.mark.parametrize("text", ["$$x$$ and text", "$$a$$ and $$b$$", "$$", "$$$", "$x$", "costs $$ and $$"])
def test_text_with_dollars_is_not(text: str) -> None:
    assert kinds(text) == ["paragraph"]


def test_a_directive_holds_the_blocks_between_its_fences() -> None:
    assert outline("before\n\n:::note[Title]\n\nOne\n\n- two\n\n:::\n\nafter\n") == [
        ("paragraph", "before"),
        ("directive", ":::note[Title]\n\nOne\n\n- two\n\n:::"),
        (". paragraph", ":::note[Title]"),
        (". paragraph", "One"),
        (". list", "- two"),
        (". . item", "- two"),
        (". paragraph", ":::"),
        ("paragraph", "after"),
    ]


@pytest.mark.parametrize(
    ("fence", "name"),
    [(":::note", "note"), ("::: tip Title", "tip"), (":::{warning} x", "warning"), (":::::a-b", "a-b")],
)
def test_a_directive_knows_its_name(fence: str, name: str) -> None:
    text = f"{fence}\n\nx\n\n:::::\n"
    assert detail(only(text, "directive")).name == name


def test_fence_lines_in_a_paragraph_make_all_of_it_part_of_the_directive() -> None:
    assert outline(":::note\ntext\n:::\n") == [
        ("directive", ":::note\ntext\n:::"),
        (". paragraph", ":::note\ntext\n:::"),
    ]
    assert tops("lead\n:::note\ntext\n\nmore\n:::\ntail\n\nafter") == [
        ("directive", "lead\n:::note\ntext\n\nmore\n:::\ntail"),
        ("paragraph", "after"),
    ]


@pytest.mark.parametrize("last", ["- a\n- b", "| a |\n|---|\n| 1 |", "> a"])
def test_a_fence_right_below_another_block_closes(last: str) -> None:
    text = f":::note\n\n{last}\n:::"
    assert tops(f"{text}\n\nafter") == [("directive", text), ("paragraph", "after")]


def names(text: str) -> list[tuple[str, str]]:
    """Names of the directives with those of the ones around them, and their text without white space."""
    blocks = parse_blocks(text)
    out = []
    for block in blocks:
        if block.kind == "directive":
            path, above = str(detail(block).name), block.parent
            while above >= 0:
                path, above = f"{detail(blocks[above]).name}/{path}", blocks[above].parent
            out.append((path, "".join(text[block.start : block.end].split())))
    return out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (":::a / 1 / :::b / 2 / ::: / 3 / :::", [("a", ":::a1:::b2:::3:::"), ("a/b", ":::b2:::")]),
        ("::::a / :::b / 1 / ::: / ::::", [("a", "::::a:::b1:::::::"), ("a/b", ":::b1:::")]),
        ("::::a / :::b / 1 / :::: / 2", [("a", "::::a:::b1::::")]),  # b is never closed
        (":::a / ::::b / 1 / :::: / :::", [("a", ":::a::::b1:::::::"), ("a/b", "::::b1::::")]),
        (":::a / ::::b / 1 / ::: / 2", [("a", ":::a::::b1:::")]),
        (":::a / 1 / :::::", [("a", ":::a1:::::")]),  # a longer fence closes the nearest shorter one
        ("::::a / 1 / ::: / 2", []),  # a shorter one closes nothing
        (":::a / 1 / ::: / :::b / 2 / :::", [("a", ":::a1:::"), ("b", ":::b2:::")]),
        (":::a / 1", []),
        ("::: / 1 / :::", []),
        (":::a / 1 / ::: / ::: / 2", [("a", ":::a1:::")]),
    ],
)
def test_which_fence_closes_which_directive(text: str, expected: list[tuple[str, str]]) -> None:
    assert names(text.replace(" / ", "\n\n")) == expected


def test_a_paragraph_belongs_to_the_first_directive_that_has_it() -> None:
    assert names(":::a\n1\n:::\n:::b\n2\n:::\n") == [("a", ":::a1::::::b2:::")]
    assert tops(":::a\n\n1\n:::\n:::b\n\n2\n\n:::") == [
        ("directive", ":::a\n\n1\n:::\n:::b"),
        ("directive", "2\n\n:::"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```\n:::note\n```\n\ntext\n\n```\n:::\n```\n",
        "- ```\n  :::note\n  ```\n\ntext\n\n:::\n",
        "- a\n  :::note\n  b\n  :::\n",
        "> :::note\n> text\n> :::\n",
        "    :::note\n\ntext\n\n    :::\n",
        "<div>\n:::note\n</div>\n\ntext\n\n:::\n",
        "text :::note\n\ntext\n\ntext :::\n",
        "::note\n\ntext\n\n::\n",
        "a\u2028:::note\n\nb\n\n:::\n",
    ],
)
def test_what_is_no_directive(text: str) -> None:
    assert "directive" not in kinds(text)


def test_admonitions_take_the_indented_text_below() -> None:
    text = '!!! note "Title"\n    One\n\n    Two\n\n    Three\n\nafter\n\n??? tip\n\n    x\n\n???+ info\n'
    assert [(kind, body.split()[-1]) for kind, body in tops(text)] == [
        ("directive", "Three"),
        ("paragraph", "after"),
        ("directive", "x"),
        ("directive", "info"),
    ]
    assert [detail(b).name for b in parse_blocks(text) if b.kind == "directive"] == ["note", "tip", "info"]


def test_an_admonition_inside_a_directive() -> None:
    assert kinds(":::a\n\n!!! note\n\n    x\n\n:::\n") == [
        *("directive", ". paragraph", ". directive", ". . paragraph", ". . code", ". paragraph"),
    ]


@pytest.mark.parametrize("text", ["!!!", "!!! \n\n    x", "!!! wow, great", "?? note", "???"])
def test_exclamations_are_mostly_text(text: str) -> None:
    expected = ["directive", ". paragraph"] if text.startswith("!!! w") else ["paragraph"]
    assert kinds(text)[: len(expected)] == expected


# --- laws ------------------------------------------------------------------------------------------------------

PIECES = [
    *(
        "# h",
        "#",
        "text",
        "漢字🎉",
        "===",
        "---",
        "```",
        "~~~~",
        "```py",
        "> ",
        ">",
        "- ",
        "* ",
        "1. ",
        "12) ",
        "    ",
        "\t",
    ),
    *(
        "  ",
        "| a | b |",
        "|---|---|",
        "a|b",
        "-|-",
        ":-:",
        "<div>",
        "</div>",
        "<!--",
        "-->",
        "<b>",
        "<?x",
        "[a]: /u",
        "'t'",
    ),
    *("[^1]: n", "![i](u)", "[![i](u)](v)", "$$", ":::note", ":::", "::::tip", "::::", "!!! note", "\\", "`", "\ufeff"),
    *("\x00", "\u2028", "\x85", "\x0b", "\x0c", "\x1c", "\u00a0", "\n", "\n", "\n", "\n\n", "\n\n", "\r", "\r\n"),
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=60).map("".join),
    st.text(st.sampled_from("ab#>-*+1.)`~|:<>!?$[]()^&\\= \t\r\n\u2028\ufeff漢🎉\x00"), max_size=80),
    st.text(max_size=60),
)


@settings(max_examples=500, deadline=None)
@given(TEXTS)
@example("* a\n\t* b\n\n* c")
@example("[a]: /u\n\ufeff")
@example("![i](u)\n\n\ufeff")
@example("+   * a\n\n      >")
def test_blocks_hold_all_text_once_and_in_order(text: str) -> None:
    blocks = parse_blocks(text)
    covered = 0
    for index, block in enumerate(blocks):
        assert 0 <= block.start < block.end <= len(text)
        assert block.parent < index
        if block.parent >= 0:
            parent = blocks[block.parent]
            assert parent.start <= block.start
            assert block.end <= parent.end
        else:
            assert not text[covered : block.start].replace("\ufeff", "").strip()
            assert block.start == 0 or text[block.start - 1] in "\r\n"
            assert text[block.end - 1] not in " \t\r\n"
            covered = block.end
    assert not text[covered:].replace("\ufeff", "").strip()


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_siblings_do_not_overlap(text: str) -> None:
    blocks = parse_blocks(text)
    ends: dict[int, int] = {}
    for block in blocks:
        assert block.start >= ends.get(block.parent, 0)
        ends[block.parent] = block.end


@settings(max_examples=200, deadline=None)
@given(TEXTS.filter(lambda text: "\r" not in text))
def test_line_ends_do_not_matter(text: str) -> None:
    expected = [(b.kind, b.parent) for b in parse_blocks(text)]
    for line_end in ("\r\n", "\r"):
        assert [(b.kind, b.parent) for b in parse_blocks(text.replace("\n", line_end))] == expected


# --- cost ------------------------------------------------------------------------------------------------------


def test_deep_nesting_is_no_recursion() -> None:
    blocks = parse_blocks(">" * 10_000 + " deep\n")
    assert len(blocks) == 10_001
    assert blocks[-1] == Block("paragraph", 10_001, 10_005, 0, 9_999)
    nested = "".join(" " * 2 * n + "- a\n" for n in range(1_000))
    blocks = parse_blocks(nested)
    assert [b.kind for b in blocks] == ["list", "item"] * 1_000
    assert max(b.level for b in blocks) == 999


HOSTILE = {
    "quotes": lambda n: ">" * n + " a|b\n",
    "directives left open": lambda n: "::::a\n\n" * n + ":::\n\n" * n,
    "directives inside each other": lambda n: ":::a\n\n" * n + ":::\n\n" * n,
    "directives closed by longer fences": lambda n: ":::a\n\n" * n + "::::\n\n" * n,
    "tables after text": lambda n: "x\na|b\n-|-\n\n" * n,
    "delimiter rows": lambda n: "a|b\n" + "-|-\n" * n,
    "delimiter rows of a wrong width": lambda n: "x\na|b|c\n-|-\n" * n,
    "a wide delimiter row": lambda n: "x\n" + "a|" * n + "\n" + "-|" * n + "\n",
    "unclosed fences in items": lambda n: "- ```\n" * n,
    "unclosed fences in items, CR": lambda n: "- ```\r" * n,
    "lists in quotes": lambda n: "> - a\n>\n> b\n" * n,
    "lists in quotes, CR": lambda n: "> - a\r>\r> b\r" * n,
    "brackets": lambda n: "![" * n,
    "images": lambda n: "![a](b)" * n + "x",
    "colons": lambda n: ":" * n + "\n" + ": :::" * n,
    "formulas": lambda n: "$$x" * n,
    "admonitions": lambda n: "!!! a\n\n    b\n\n" * n,
    "definitions": lambda n: "[a]: b\n\nx\n\n" * n,
    "one line": lambda n: "| a - b : " * n,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_parsed_whole(name: str) -> None:
    """Sizes at which quadratic work would take minutes; growth itself is measured in benchmarks/speed/growth.py."""
    text = HOSTILE[name](20_000)
    covered = sum(len("".join(text[b.start : b.end].split())) for b in parse_blocks(text) if b.parent < 0)
    assert covered == len("".join(text.split()))


def test_a_document_with_everything_keeps_its_shape() -> None:
    text = (
        "# T\n\nintro\na|b\n-|-\n1|2\n\n:::tip\n\n> [!NOTE]\n> x\n\n:::\n\n[r]: /u\n\n![f](u)\n\n$$\ny\n$$\n\n```\nopen"
    )
    assert [kind for kind, _ in tops(text)] == [
        *("heading", "paragraph", "table", "directive", "reference", "figure", "math", "code"),
    ]
