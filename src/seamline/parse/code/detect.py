"""Which language a source is written in: by its name, by its first line, by what it says."""

from __future__ import annotations

import re
from os.path import splitext

from seamline.formats import CODE_SUFFIXES
from seamline.parse.code.languages import BY_NAME, BY_SUFFIX, Language

_SAMPLE = 16_384
_SHEBANG = re.compile(
    r"\ufeff?#![^\n]*?\b(python|node|deno|bun|ruby|php|bash|dash|ksh|zsh|sh|lua|elixir|julia|scala)\d*\b"
)
_INTERPRETERS = {
    **dict.fromkeys(("node", "deno", "bun"), "javascript"),
    **dict.fromkeys(("dash", "ksh", "zsh", "sh"), "bash"),
}
_CPP = re.compile(
    r"^[ \t]*(?:class[ \t]+\w+|namespace\b|template[ \t]*<|using[ \t]+\w|(?:public|private|protected)[ \t]*:)"
    r"|\w::\w|\b(?:nullptr|constexpr|noexcept|typename|virtual)\b",
    re.MULTILINE,
)
_COMMENT = re.compile(r"//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?")
_MARKUP = re.compile(r"\ufeff?\s*<(?:\?xml|svg)\b")
_SAYS = {
    "python": r"^(?:from [\w.]+ import |import [\w.]+(?: as \w+)?\s*$|(?:async )?def \w+\(.*:\s*$|class \w+.*:\s*$)",
    "javascript": r"^(?:import .* from ['\"]|(?:export )?(?:const|let|var) \w+ ?=|(?:async )?function \w+\(.*\{\s*$)",
    "typescript": r"^(?:export )?(?:interface \w+|type \w+ =|enum \w+|(?:const|let) \w+: \w+|import type )",
    "java": r"^(?:package [\w.]+;|import (?:static )?[\w.*]+;|(?:public|private|protected) [\w<>\[\] ]+[({])",
    "go": r"^(?:package \w+\s*$|import (?:\(|\")|func (?:\([^)]*\) )?\w+\(|type \w+ (?:struct|interface) \{)",
    "rust": r"^(?:use [\w:{}*, ]+;|(?:pub(?:\([^)]*\))? )?(?:fn|struct|enum|mod|trait) \w+|impl\b|#!?\[)",
    "cpp": r"^(?:#include <\w+>\s*$|namespace \w+|template ?<|using namespace |class \w+)|std::",
    "c": r"^(?:#include [<\"][\w/]+\.h[>\"]|#define \w+|(?:static|struct|typedef|int|void) .*[({;]\s*$)",
    "csharp": r"^[ \t]*(?:using [\w.]+;|namespace [\w.]+|(?:public|internal) (?:static |sealed )?(?:class|record))",
    "ruby": r"^(?:require(?:_relative)? ['\"]|module [A-Z]\w*\s*$|class [A-Z]\w*(?: < .*)?\s*$|[ \t]*def \w+|end\s*$)",
    "php": r"^<\?php\b",
    "bash": r"^(?:(?:function )?\w+ ?\(\) ?\{|if \[\[? |fi\s*$|done\s*$|export \w+=)",
    "sql": r"(?i)^(?:create (?:or replace )?(?:table|view|function|index)|insert into|select .* from|alter table)\b",
}
_TELLING = {name: re.compile(pattern, re.MULTILINE) for name, pattern in _SAYS.items()}


def language_of(text: str, uri: str, media_type: str = "") -> Language | None:
    """The language of a source, by its media type where that names one; None where it is none of those known."""
    suffix = CODE_SUFFIXES.get(media_type) or splitext(uri)[1].lower()
    named = BY_SUFFIX.get(suffix)
    if named is not None and named.name == "c" and suffix == ".h":
        return BY_NAME["cpp"] if _CPP.search(_COMMENT.sub("", text[:_SAMPLE])) else named
    if suffix == ".ts" and _MARKUP.match(text):  # translations of Qt are called so too
        return BY_NAME["xml"]
    if named is not None:
        return named
    if first := _SHEBANG.match(text):
        return BY_NAME[_INTERPRETERS.get(first[1], first[1])]
    if suffix:
        return BY_NAME["xml"] if _MARKUP.match(text) else None
    return _by_content(text[:_SAMPLE])


def _by_content(sample: str) -> Language | None:
    """The language of which most lines tell; None where hardly any does."""
    if _MARKUP.match(sample):
        return BY_NAME["xml"]
    told = {name: len(pattern.findall(sample)) for name, pattern in _TELLING.items()}
    best = max(told, key=lambda name: told[name])
    if told[best] < (1 if best == "php" else 2):
        return None
    return BY_NAME["typescript" if best == "javascript" and told["typescript"] else best]
