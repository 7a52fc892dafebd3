"""Pieces of text that mean something to Markdown or to the search for sentences, alone or beside one another."""

from __future__ import annotations

from seamline.testing.strategies import HOSTILE, WORDS

LETTERS = "aB5.!?…。！？؟।\"'“”「」()[]`*,:-\r\n\t \u00a0\u3000\u0301\u200d漢字กข🇩👩🏽"
"""Letters, marks and white space of many scripts; none is more than a code point."""
ODD_LETTERS = "¿¡«»‹›‘„’；：、，）『』【】〔〕〈〉《》{}^_~;²İKßÉéๆとっのが．｡۔॥\x00\x1c\x85\u2028"
SENTENCES = (
    *("Dr. ", "e.g. ", "3.11 ", "\n\n", "\r\n\r\n", ". ", "? ", "The ", "word ", "你好。", "สวัสดี ", "`a. B`"),
    *("``c! D``", "`x''y`", "```", "[^12]", "31. Mai", "im 6. Stock", "12.3. Then ", "z. B. ", "NO. 5"),
    "．5",
)
"""Ends of sentences, and what looks like one."""
TAGS = (
    *(
        "<table>",
        "</table>",
        "<TABLE a='b'>",
        "<thead>",
        "</thead>",
        "<tbody>",
        "<tr>",
        "</tr>",
        "<td>",
        "</td>",
        "<th>",
    ),
    *(
        "</th>",
        "<td colspan=2>",
        "<td title='>'>",
        '<div class="a > b">',
        "</div>",
        "<div",
        "<Div>",
        "</DIV >",
        "<p>",
        "</p>",
    ),
    *(
        "<ul>",
        "<li>",
        "</li>",
        "</ul>",
        "<details>",
        "<summary>",
        "</summary>",
        "</details>",
        "<pre>",
        "</pre>",
        "</PRE>",
    ),
    *(
        "<script>",
        "</script>",
        "<br>",
        "<br/>",
        "<hr>",
        "<img src='x'>",
        "<em>",
        "</em>",
        "<code>",
        "</code>",
        "<!--",
        "-->",
    ),
    *(
        "<Tabs>\n",
        "</Tabs>\n",
        "<x-y z={a}>\n",
        "<Box style={{a: 1}}>\n",
        "<Box a={{b: {c}}}>\n",
        "</Box>\n",
        '<B a={"}>\n',
    ),
    *(
        "<dl>",
        "<dt>",
        "<dd>",
        "</dl>",
        "<col>",
        "</col>",
        "<é>",
        "<dé>",
        "<div\u00e9>",
        "<link>",
        "<lin\u212a>",
        "<",
        ">",
        "/>",
    ),
    *(
        "\n",
        "\n",
        "\n\n",
        "\n\n",
        "\r\n",
        "  ",
        "\t",
        "    ",
        " ",
        "\u3000",
        "\ufeff",
        "# x\n\n",
        "- a\n",
        "```\nx\n```\n\n",
    ),
    *(
        "Name",
        "some words",
        "漢字",
        "é",
        "a long text that is longer than the name of a column may be, by far. ",
        "{",
        "}",
    ),
)
"""Elements of HTML and JSX, whole and torn, and what stands between them."""
HALF_CHARACTER = "\ud800"
"""No document holds one: for kernels alone."""
MARKS = (
    *(". ", "! ", "? ", "… ", "; ", ", ", ": ", " ", "\n", "\r\n", "\r", "\n\n", "\t", "\u00a0", "\u3000"),
    *("\u2028", "\x0b", ".", "?", "。", "！", "؟", "।", '"', "'", "”", "」", ")", "]", "*", "_", "~", "`", "["),
    *("(", "\\", "|", "<", ">", "#", "-"),
)
PROSE = (
    *WORDS,
    *("no.", "สวัสดี", "한국어", "İstanbul", "ﬁnal", "maxRetry_count", "HTTPServer", "os.path", "retry-after"),
    *("URLs", "studies", "running", "z. B.", "31. Mai", "im 6. Stock", "Fig. 3", "J. Smith", "[^12]", "«oui»"),
    *("`a. B`", "``c! D``", "¿Qué?", "！", "。」と", "．5", "x" * 70),
)
"""Words as prose has them: names, numbers, addresses, quotations, languages without spaces."""
MARKDOWN = (
    *("- ", "* ", "+ ", "1. ", "2) ", "0. ", "12345678901. ", "> ", ">>", "- \t", "\t- ", "    ", "\t", " "),
    *("", "#", "###### ", "---", "***", "===", "_ _ _", "```", "~~~", "````", "```py", "``` `", "$$", "$$x$$"),
    *(":::", ":::note", "::::a", ":::: ", "!!! note", "??? tip", "???+ é", "| a | b |", "|---|---|", "|-|"),
    *("a|b", "-|-", ":-:|--", "\\|", "|a", ":-", "| a \\| b |", "<div>", "</div>", "<pre>", "</pre>", "<!--"),
    *("-->", "<?", "?>", "<!X", "<![CDATA[", "]]>", "<b>", "<a b='c'>", "<é", "<x-", "[a]: b", "[a]:"),
    *("[a]: <b> 'c'", "[a]: b 'c", "[a", "]: c", "[^1]: ", "[^x]:", "[^é\u3000]: ", "![a](b)", "[![a](b)](c)"),
    *("![a][b]{c}", "{/* x */}", "import x from 'y'", "<|endoftext|>", "\ufeff", "a\\", "  ", "key: value"),
    *("- [ ] task", "a", "b c", "\n", "\n\n", "\r\n", "\r", "é", "\x00", "\x0b", "漢", "\u3000", "-"),
    *("- a\n\n  b", "> - a", "###### x", "`", "```\nx", "- ```\n  x\n", "> ~~~\n> y\n", "|", "a|b\n-\t|-\n"),
    *("|a\n:-\n", "\n- |-\n", "text\n| a |\n|-|\n| b |\n", "- t\n  a|b\n  -|-\n", "> x\n> a|b\n> -|-\n"),
    *("x\na | b\n:-: | -\n", "a\n:-\n", "[a]: b\n'c'", "[a]: b 'c\nd'", "[a\nb]: c", "[", "]", "(", ")", "'"),
    *('"', "\\", "[^é\u3000]: ```\nq", "$$\nx\n$$", ":::note\n", "\n:::\n", "::::a\n", "\n::::\n"),
    *(":::\u3000x", "!!! note\n    x", "!!! -"),
    *HOSTILE,
)
"""What opens, closes or breaks a block."""
