"""MDX masked: the same length, only Markdown left, nothing lost and nothing raised, in linear time."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamline.parse.markdown.mdx import MdxMask, mask_mdx


def checked(text: str) -> MdxMask:
    """The mask of a text, after the laws every mask keeps."""
    result = mask_mdx(text)
    at, parts = 0, []
    for block in result.blocks:
        assert at <= block.start < block.end <= len(text)
        parts += [text[at : block.start], re.sub(r"[^\r\n]", " ", text[block.start : block.end])]
        at = block.end
    assert result.text == "".join([*parts, text[at:]])
    return result


def blocks(text: str) -> list[tuple[str, str]]:
    return [(b.kind, text[b.start : b.end]) for b in checked(text).blocks]


def masked_lines(text: str) -> list[str]:
    return [line.rstrip() for line in checked(text).text.split("\n")]


@pytest.mark.parametrize(
    "code",
    [
        "import A from 'a'",
        "import 'side-effect'",
        "import {\n  a,\n\n  b,\n} from 'c';",
        "import A, { b } from 'a'\nimport * as c from 'c' // why\n// note\nexport * from 'd'",
        "export const a = 1",
        "export const a =\n  1",
        "export default function X() {\n\n  return <p>Don't {`}` + '}'}</p>\n}",
        "export const meta = {\n  t: `a\n\n# not a heading ${'`'} }`,\n  /* } */\n}",
    ],
)
@pytest.mark.parametrize("lead", ["", "# Title\n\n", "---\nt: x\n---\n"])
def test_esm_is_one_block(code: str, lead: str) -> None:
    assert blocks(f"{lead}{code}\n\nText.\n") == [("esm", code)]


@pytest.mark.parametrize(
    "text",
    [
        "import duties are high\n",
        "export is a word\n",
        "text\nimport a from 'a'\n",
        "- item\n  import a from 'a'\n",
        "export const x = {{{\n\n# Still a doc\n",
        "import {\n" + "never closed\n" * 20,
        "import { a ) from 'b'\n",
    ],
)
def test_what_is_no_esm_or_does_not_close_stays(text: str) -> None:
    assert checked(text).text == text


def test_esm_ends_where_its_brackets_do() -> None:
    assert blocks("import a from 'a'\n# Title\n") == [("esm", "import a from 'a'")]


@pytest.mark.parametrize(
    "jsx",
    [
        "<A />",
        "<A.B c='{' d={{e: '}'}} f={`}${'}'}`} g={/*}*/ 1} />",
        "<A\n  b={() => 1 > 0}\n  {...c}\n/>",
        "<A>text *with* markup</A>",
        "<A>\n- a\n- b\n</A>",
        "<p>two\nlines</p>",
        "<>\n<B/>\n</>",
        "<A><B>x</B></A>",
        "<Code>\n```js\nconst a = '</Code>'\n\nconst b = 1\n```\n</Code>",
        "<A>\n    deep\n\n    text\n</A>",
        "{/* a comment */}",
        "{\n  [1].map(x => (\n\n    <B k={x} />\n  ))\n}",
        "<A>{x}</A> {y} <B/>",
    ],
)
def test_a_component_or_expression_without_markdown_is_one_block(jsx: str) -> None:
    assert blocks(f"Text.\n\n{jsx}\n\nMore.\n") == [("jsx", jsx)]
    assert blocks(jsx) == [("jsx", jsx)]
    crlf = jsx.replace("\n", "\r\n")
    assert blocks(f"Text.\r\n\r\n{crlf}\r\n\r\nMore.\r\n") == [("jsx", crlf)]


def test_tags_around_markdown_are_blanked_alone() -> None:
    text = "<Tabs>\n  <Tab n={1}>\n\n  # One\n\n  </Tab></Tabs>\n"
    assert masked_lines(text) == ["", "", "", "  # One", "", "", ""]
    assert blocks(text) == [("jsx", "<Tabs>"), ("jsx", "  <Tab n={1}>"), ("jsx", "  </Tab></Tabs>")]


def test_a_summary_does_not_hide_the_details() -> None:
    text = "<details><summary>Why</summary>\n\nBecause.\n\n</details>\n"
    assert masked_lines(text) == ["", "", "Because.", "", "", ""]


def test_only_the_deep_child_is_atomic() -> None:
    child = "  <Tab>\n    text\n\n    more\n  </Tab>"
    assert blocks(f"<Tabs>\n{child}\n</Tabs>\n") == [("jsx", "<Tabs>"), ("jsx", child), ("jsx", "</Tabs>")]


def test_content_of_a_list_item_is_not_deep() -> None:
    text = "<Steps>\n1. Do:\n\n    <Aside>\n    one\n\n    two\n    </Aside>\n\n2. Done\n</Steps>\n"
    assert masked_lines(text) == ["", "1. Do:", "", "", "    one", "", "    two", "", "", "2. Done", "", ""]


@pytest.mark.parametrize(
    "text",
    [
        "Text with <B>inline</B> and {value}.\n",
        "<B>bold</B> starts a sentence.\n",
        "{value} starts a sentence.\n",
        "`<A>` and `` {` `` are code.\n",
        "a < b, 1<2, <3, x<y>z, <https://a.b>, <a@b.c>\n",
        "\\<A/>\n\n\\{x}\n",
        "| <A/> | {b} |\n| --- | --- |\n",
        "- <A/>\n",
        "> <A/>\n",
        "## Title <Badge/>\n",
        "<!-- a comment\n\n<A/>\n\n-->\n",
        "<A>\n\ntext\n",
        "</A>\n",
        "<A\n\nb/>\n",
        "<A b={\n\n# Title\n",
        "{ never closed\n\n# Title\n",
        "{ ( }\n",
        "<A>text\n\nmore\n</A>\n",
    ],
)
def test_inline_unclear_or_unclosed_stays(text: str) -> None:
    assert checked(text).text == text


@pytest.mark.parametrize(
    "fence",
    [
        "```mdx\nimport a from 'a'\n\n<A/>\n\n{x}\n```",
        "   ~~~~\n<A/>\n~~~\n<A/>\n   ~~~~",
        "- item\n\n  ```\n  <A/>\n\n  {x}\n  ```",
        "- ```\n  <A/>\n  ```",
        "```\n<A/>\n\n{never closed fence}",
    ],
)
def test_fenced_code_is_never_touched(fence: str) -> None:
    assert blocks(f"<A/>\n\n{fence}") == [("jsx", "<A/>")]


def test_a_fence_ends_with_its_list_item() -> None:
    assert blocks("- ```\n  code\n\n<A/>\n") == [("jsx", "<A/>")]


def test_an_unclosed_tag_does_not_spoil_its_neighbours() -> None:
    assert blocks("<Tabs>\n<Tab>\n\ntext\n\n</Tabs>\n\n<A/>\n") == [
        ("jsx", "<Tabs>"),
        ("jsx", "</Tabs>"),
        ("jsx", "<A/>"),
    ]


def test_a_component_that_is_indented_starts_at_its_line() -> None:
    assert blocks("1. a\n\n   <A/>\n") == [("jsx", "   <A/>")]


PIECES = (
    *("<A>", "</A>", "<B x={1}>", "</B>", "<C/>", "<>", "</>", "{", "}", "{x}", "<a\nb", "<!--", "-->"),
    *("`", "``", "```", "~~~", "\n", "\n", "\n\n", "\r\n", "\r", "    ", "\t", "- ", "1. ", "> ", "# h"),
    *('import a from "a"', "export const x = {", '"', "'", "\\", "/*", "*/", "//", "${", "(", ")"),
    *("text", "é", "😀", "\u2028", "\ufeff", "\x00"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_text_keeps_the_laws(text: str) -> None:
    checked(text)


def repeated(piece: str) -> Callable[[int], str]:
    return lambda n: piece * n


HOSTILE = {
    "braces": repeated("{"),
    "brace lines": repeated("{\n"),
    "tags": repeated("<A>"),
    "tag lines": repeated("<A>\n"),
    "half tags": repeated("<A"),
    "half attributes": repeated("<A b={\n"),
    "escaped quotes": repeated('<A b={"\\"'),
    "comments": repeated("{/*\n"),
    "templates": repeated("{`\n"),
    "imports": repeated("import {\n\n"),
    "nested": lambda n: "<A>\n\n" * n + "x\n\n" + "</A>\n\n" * n,
    "stray": lambda n: "<A>\n" * n + "</B>\n" * n,
    "long import": lambda n: "import {\n" + "x y z\n" * n,
    "backticks": lambda n: " ".join("`" * i for i in range(1, int(n**0.5) * 2)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_keeps_the_laws(name: str) -> None:
    """Sizes at which quadratic work would take minutes."""
    checked(HOSTILE[name](20_000))


def test_a_million_characters_after_an_unclosed_import() -> None:
    checked("import {\n" + "word " * 200_000)
