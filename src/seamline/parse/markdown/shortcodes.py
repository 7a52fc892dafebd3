"""Text between shortcodes and tags of site generators that is no Markdown: `# a comment` in it is no heading.

Known are Hugo's `{{< highlight >}}` and others that hold code, `{{< tab >}}` with a language, and `raw`, `highlight`,
`comment`, `verbatim` and `codeblock` between `{% %}`, as Liquid, Jinja, Nunjucks and Hexo have them.
"""

from __future__ import annotations

import re

from seamline.types import Block

_HUGO = (
    r"\{\{<[ \t]*(?P<close>/[ \t]*)?(?P<hugo>highlight|code|codeblock|command|terminal|shell|console|raw|comment|tab)\b"
    r"(?P<rest>[^<>{}\r\n]{0,300})>\}\}"
)
_LIQUID = r"\{%-?[ \t]*(?P<end>end)?(?P<liquid>raw|highlight|comment|verbatim|codeblock|code)\b[^%{}\r\n]{0,300}%\}"
_TAG = re.compile(f"{_HUGO}|{_LIQUID}")
_LANGUAGE = re.compile(r"\b(?:lang|language|codeLang|syntax)[ \t]*=")


def find_raw_spans(text: str) -> list[tuple[int, int]]:
    """Where text stands between an opening and the close of its name, in order; what is never closed is none."""
    out: list[tuple[int, int]] = []
    name, start = "", 0
    for found in _TAG.finditer(text):
        tag = f"hugo {found['hugo']}" if found["hugo"] else f"liquid {found['liquid']}"
        closes = bool(found["close"] or found["end"])
        if name:
            if closes and tag == name:
                out.append((start, found.start()))
                name = ""
        elif not closes and (found["hugo"] != "tab" or _LANGUAGE.search(found["rest"])):
            name, start = tag, found.end()
    return out


def without_raw_headings(text: str, blocks: list[Block]) -> list[Block]:
    """The blocks of a text, of which headings between such tags are paragraphs."""
    if not ("{{<" in text or "{%" in text) or not (spans := find_raw_spans(text)):
        return blocks
    out, at = [], 0
    for block in blocks:
        while at < len(spans) and spans[at][1] <= block.start:
            at += 1
        inside = at < len(spans) and spans[at][0] <= block.start
        out.append(block._replace(kind="paragraph", level=0) if inside and block.kind == "heading" else block)
    return out
