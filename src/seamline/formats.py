"""The formats there are: what each is called, how files of it are named, and which parser reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from seamline.errors import ConfigError
from seamline.registry import Family, Plugin, load_plugin, plugin_named, plugins


class Format(NamedTuple):
    """One format."""

    name: str
    """As people say it on the command line."""
    media_type: str
    suffixes: tuple[str, ...]
    """Endings of file names, the usual one first."""
    parser: str
    """`module:function`."""
    is_text: bool = False
    """Whether the source is text, and decoded before it is parsed."""
    is_proved: bool = False
    """Whether its parser is our own and linear: others run in a process that can be killed."""
    in_folders: bool = True
    """Whether it is looked for in folders: pictures, recordings, databases and bare data are read where named."""


_SOURCE_CODE = (
    ".py .pyi .js .mjs .cjs .jsx .ts .mts .cts .tsx .java .go .rs .c .h .cc .cpp .cxx .hh .hpp .hxx .cs .rb .php .kt"
    " .kts .swift .scala .sc .sh .bash .sql .lua .r .jl .ex .exs .erl .hs .ml .mli .dart .zig .pl .pm .groovy .css"
    " .scss .tf .proto .toml .yaml .yml .ps1 .m .mm .vue .svelte .el .clj .nix .cmake .make .mk .dockerfile .xml"
)

LATEX = (".tex", ".latex", ".ltx")

FORMATS = (
    Format(
        "markdown",
        "text/markdown",
        (".md", ".markdown", ".mdown", ".mkd"),
        "seamline.parse.markdown.document:parse",
        is_text=True,
        is_proved=True,
    ),
    Format("mdx", "text/mdx", (".mdx",), "seamline.parse.markdown.document:parse", is_text=True, is_proved=True),
    Format(
        "text",
        "text/plain",
        (".txt", ".text", ".log"),
        "seamline.parse.markdown.document:parse_plain",
        is_text=True,
        is_proved=True,
    ),
    Format("html", "text/html", (".html", ".htm", ".xhtml"), "seamline.parse.html.page:parse", is_text=True),
    Format(
        "latex",
        "text/x-tex",
        LATEX,
        "seamline.parse.latex.document:parse",
        is_text=True,
        is_proved=True,
    ),
    Format("rst", "text/x-rst", (".rst", ".rest"), "seamline.parse.rst.document:parse", is_text=True, is_proved=True),
    Format(
        "asciidoc",
        "text/asciidoc",
        (".adoc", ".asciidoc"),
        "seamline.parse.asciidoc.document:parse",
        is_text=True,
        is_proved=True,
    ),
    Format("org", "text/org", (".org",), "seamline.parse.org.document:parse", is_text=True, is_proved=True),
    Format("pdf", "application/pdf", (".pdf",), "seamline.parse.pdf:parse"),
    Format(
        "docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        (".docx", ".docm"),
        "seamline.parse.office.docx.document:parse",
    ),
    Format(
        "odt", "application/vnd.oasis.opendocument.text", (".odt", ".fodt"), "seamline.parse.office.odf.document:parse"
    ),
    Format("rtf", "application/rtf", (".rtf",), "seamline.parse.office.rtf:parse"),
    Format(
        "pptx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        (".pptx", ".pptm"),
        "seamline.parse.office.pptx:parse",
    ),
    Format(
        "xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        (".xlsx", ".xlsm", ".xls", ".ods"),
        "seamline.parse.sheets.workbook:parse",
    ),
    Format("epub", "application/epub+zip", (".epub",), "seamline.parse.office.epub:parse"),
    Format("htmlzip", "application/zip+html", (".zip",), "seamline.parse.html.page:parse_zip", in_folders=False),
    Format("jats", "application/jats+xml", (".nxml",), "seamline.parse.articles.document:parse", is_text=True),
    Format(
        "docbook",
        "application/docbook+xml",
        (".dbk", ".docbook"),
        "seamline.parse.articles.document:parse",
        is_text=True,
    ),
    Format("ipynb", "application/x-ipynb+json", (".ipynb",), "seamline.parse.notebook:parse", is_text=True),
    Format("eml", "message/rfc822", (".eml", ".mhtml", ".mht"), "seamline.parse.mail:parse"),
    Format("msg", "application/vnd.ms-outlook", (".msg",), "seamline.parse.outlook:parse"),
    Format("csv", "text/csv", (".csv",), "seamline.parse.tables.csv:parse", is_text=True, is_proved=True),
    Format(
        "tsv",
        "text/tab-separated-values",
        (".tsv", ".tab"),
        "seamline.parse.tables.csv:parse",
        is_text=True,
        is_proved=True,
    ),
    Format(
        "json",
        "application/json",
        (".json",),
        "seamline.parse.tables.json:parse",
        is_text=True,
        is_proved=True,
        in_folders=False,
    ),
    Format(
        "jsonl",
        "application/jsonl",
        (".jsonl", ".ndjson"),
        "seamline.parse.tables.json:parse_lines",
        is_text=True,
        is_proved=True,
        in_folders=False,
    ),
    Format("parquet", "application/vnd.apache.parquet", (".parquet",), "seamline.parse.tables.databases:parse_parquet"),
    Format(
        "sqlite",
        "application/vnd.sqlite3",
        (".sqlite", ".sqlite3", ".db"),
        "seamline.parse.tables.databases:parse_sqlite",
        in_folders=False,
    ),
    Format("vtt", "text/vtt", (".vtt",), "seamline.parse.media.subtitles:parse", is_text=True, is_proved=True),
    Format(
        "srt", "application/x-subrip", (".srt",), "seamline.parse.media.subtitles:parse", is_text=True, is_proved=True
    ),
    Format(
        "transcript",
        "application/x-transcript+json",
        (),
        "seamline.parse.media.transcript:parse",
        is_text=True,
        is_proved=True,
    ),
    Format("chat", "text/x-chat", (), "seamline.parse.media.chat:parse", is_text=True, is_proved=True),
    Format(
        "chatexport",
        "application/x-chat+json",
        (),
        "seamline.parse.media.chat_export:parse",
        is_text=True,
        is_proved=True,
    ),
    Format(
        "image",
        "image/*",
        (".png", ".jpg", ".jpeg", ".gif", ".webp", ".tif", ".tiff", ".bmp"),
        "seamline.parse.media.image:parse",
        in_folders=False,
    ),
    Format(
        "audio",
        "audio/*",
        (".mp3", ".wav", ".m4a", ".flac", ".ogg", ".opus"),
        "seamline.parse.media.audio:parse",
        in_folders=False,
    ),
    Format("video", "video/*", (".mp4", ".mkv", ".webm", ".mov"), "seamline.parse.media.audio:parse", in_folders=False),
    Format("code", "text/x-source", tuple(_SOURCE_CODE.split()), "seamline.parse.code.document:parse", is_text=True),
)
"""All formats."""
BY_NAME = {one.name: one for one in FORMATS}
BY_MEDIA_TYPE = {one.media_type: one for one in FORMATS}
_ALIASES = {
    "markdown": "text/x-markdown application/markdown application/x-markdown",
    "mdx": "text/x-mdx application/mdx",
    "html": "application/xhtml+xml text/xhtml",
    "latex": "application/x-tex application/x-latex text/x-latex text/tex application/tex",
    "rst": "text/rst text/restructuredtext text/x-restructuredtext text/prs.fallenstein.rst",
    "asciidoc": "text/x-asciidoc text/x-adoc",
    "org": "text/x-org application/x-org",
    "pdf": "application/x-pdf",
    "docx": "application/vnd.ms-word.document.macroenabled.12",
    "odt": "application/vnd.oasis.opendocument.text-flat-xml",
    "rtf": "text/rtf application/x-rtf text/richtext",
    "pptx": "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    "xlsx": "application/vnd.ms-excel application/vnd.ms-excel.sheet.macroenabled.12"
    " application/vnd.oasis.opendocument.spreadsheet",
    "ipynb": "application/x-jupyter-notebook",
    "eml": "message/rfc2822",
    "csv": "application/csv text/x-csv text/comma-separated-values",
    "tsv": "text/tsv text/x-tsv",
    "json": "text/json application/x-json",
    "jsonl": "application/x-ndjson application/ndjson application/x-jsonlines application/json-lines text/jsonl",
    "parquet": "application/x-parquet application/parquet",
    "sqlite": "application/x-sqlite3 application/x-sqlite",
    "srt": "application/x-srt text/srt text/x-srt",
    "vtt": "text/webvtt",
}
"""Other media types that programs use for a format."""
_CODE_TYPES = {
    ".py": "text/x-python text/python application/x-python application/x-python-code text/x-script.python",
    ".js": "text/javascript application/javascript application/x-javascript text/x-javascript text/ecmascript",
    ".jsx": "text/jsx text/x-jsx",
    ".ts": "text/typescript application/typescript text/x-typescript application/x-typescript",
    ".tsx": "text/tsx text/x-tsx",
    ".java": "text/x-java text/x-java-source",
    ".go": "text/x-go text/x-gosrc",
    ".rs": "text/x-rust text/rust text/x-rustsrc",
    ".c": "text/x-c text/x-csrc",
    ".h": "text/x-chdr",
    ".cpp": "text/x-c++ text/x-c++src text/x-cpp text/x-c++hdr",
    ".cs": "text/x-csharp",
    ".rb": "text/x-ruby application/x-ruby",
    ".php": "text/x-php application/x-php application/x-httpd-php",
    ".kt": "text/x-kotlin",
    ".swift": "text/x-swift",
    ".scala": "text/x-scala",
    ".sh": "text/x-sh application/x-sh text/x-shellscript application/x-shellscript",
    ".sql": "application/sql text/x-sql application/x-sql",
    ".lua": "text/x-lua",
    ".r": "text/x-r text/x-rsrc",
    ".jl": "text/x-julia",
    ".ex": "text/x-elixir",
    ".erl": "text/x-erlang",
    ".hs": "text/x-haskell",
    ".ml": "text/x-ocaml",
    ".dart": "text/x-dart application/dart",
    ".pl": "text/x-perl application/x-perl",
    ".css": "text/css",
    ".scss": "text/x-scss",
    ".proto": "text/x-protobuf",
    ".toml": "application/toml text/x-toml",
    ".yaml": "application/yaml text/yaml text/x-yaml application/x-yaml",
    ".xml": "application/xml text/xml",
}
CODE_SUFFIXES = {alias: suffix for suffix, aliases in _CODE_TYPES.items() for alias in aliases.split()}
"""Media types of source code -> how files of that language end."""
BY_ALIAS = {alias: BY_NAME[name] for name, aliases in _ALIASES.items() for alias in aliases.split()}
BY_ALIAS |= dict.fromkeys(CODE_SUFFIXES, BY_NAME["code"])
BY_SUFFIX = {suffix: one for one in FORMATS for suffix in one.suffixes}
FAMILY = Family("format", "seamline.formats", {one.name: one.parser for one in FORMATS}, is_function=False)


def format_of_suffix(suffix: str) -> Format | None:
    """The format that files of this ending have, of ours or of a plugin."""
    return BY_SUFFIX.get(suffix) or (_plugin_format(suffix[1:], suffix=suffix) if suffix else None)


def format_named(name: str) -> Format | None:
    """The format of a name or a media type, of ours or of a plugin; image/png and audio/mpeg are of their families.
    Media types may have parameters and capitals."""
    plain = bare_type(name)
    family = plain.split("/")[0] + "/*"
    ours = BY_MEDIA_TYPE.get(plain) or BY_NAME.get(name) or BY_MEDIA_TYPE.get(family)
    return ours or _plugin_format(name, media_type=plain) or BY_ALIAS.get(plain)


def bare_type(media_type: str) -> str:
    """A media type without parameters, in small letters: `Text/HTML; charset=utf-8` is text/html."""
    return media_type.partition(";")[0].strip().lower() if "/" in media_type else media_type


def walked_suffixes() -> tuple[str, ...]:
    """Endings of file names that are looked for in folders."""
    every = (*FORMATS, *(found.format for found in plugin_formats() if found.format))
    return tuple(suffix for one in every if one.in_folders for suffix in one.suffixes)


def format_names() -> tuple[str, ...]:
    """The names of all formats, ours first."""
    return (*BY_NAME, *(found.format.name for found in plugin_formats() if found.format))


# --- formats of plugins ----------------------------------------------------------------------------------------------


class PluginFormat(NamedTuple):
    """A format that a package brings, or why it cannot be used."""

    plugin: Plugin
    format: Format | None
    problem: str = ""


def plugin_formats() -> list[PluginFormat]:
    """All that installed packages bring. One that cannot be used does not keep others from it."""
    return [_checked(plugin) for plugin in plugins(FAMILY)]


def plugin_of(one: Format) -> Plugin | None:
    """The plugin that brings a format; None for those of ours."""
    return None if one.name in BY_NAME else plugin_named(FAMILY, one.name)


def _plugin_format(name: str, *, suffix: str = "", media_type: str = "") -> Format | None:
    """The one that fits. A file that is named after a format which cannot be used is not read as something else."""
    for plugin, one, problem in plugin_formats():
        if one is not None and (name == one.name or suffix in one.suffixes or media_type == one.media_type):
            return one
        if one is None and plugin.name == name:
            raise ConfigError(problem)
    return None


def _checked(plugin: Plugin) -> PluginFormat:
    try:
        found = load_plugin(plugin)
    except ConfigError as error:
        return PluginFormat(plugin, None, str(error))
    if wrong := next(_objections(plugin, found), ""):
        return PluginFormat(plugin, None, f"{plugin} cannot be used, as {wrong}: {plugin.remedy}")
    assert isinstance(found, Format)
    return PluginFormat(plugin, found)


def _objections(plugin: Plugin, found: object) -> Iterator[str]:
    """What is wrong with a format."""
    if not isinstance(found, Format):
        yield f"{plugin.target} is no seamline.plugins.Format"
        return
    if found.name != plugin.name:
        yield f"its entry point calls it {plugin.name} and itself {found.name}"
    if found.parser.count(":") != 1:
        yield f"its parser is {found.parser!r} and not module:function"
    if found.is_proved and not found.is_text:
        yield "it is declared proved, which only a format that is text can be"
    for suffix in found.suffixes:
        if suffix in BY_SUFFIX:
            yield f"files that end in {suffix} are {BY_SUFFIX[suffix].name}, a format of seamline itself"
        elif not suffix.startswith(".") or suffix != suffix.lower():
            yield f"{suffix!r} is no ending in small letters with its dot"
    if found.media_type in BY_MEDIA_TYPE:
        yield f"{found.media_type} is {BY_MEDIA_TYPE[found.media_type].name}, a format of seamline itself"
