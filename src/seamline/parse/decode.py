"""Bytes to text: by a byte order mark, as UTF-8, or by the encoding that the caller names.

Nothing is replaced (a U+FFFD would be a character the document does not have) and line ends stay as they are, because
every span points into exactly this text. Other bytes are an error of `decode`. `decode_leniently` reads them all the
same, with a notice that says how: first what is clear (wide characters without a mark, a file that breaks off, an
encoding that statistics are sure of), then UTF-8 or ASCII with bytes from an old program in it, as browsers read them.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from seamline.errors import ConfigError, ParseError
from seamline.parse.html.meta import is_text_in
from seamline.parse.sniff import detect_magic
from seamline.text.lines import line_number
from seamline.types import Notice

SAMPLE = 8 * 1024
"""Bytes looked at to tell text from a binary file."""

_LEAST_CONTROLS = 16
"""So many control characters before their share counts: a short text may hold a few stray NULs."""

_MOST_CONTROLS = 0.3
"""Share of control characters above which it is no text; UTF-16 without a mark has about one half."""

_MOST_IN_INVALID = 0.05
"""The same for what is not valid UTF-8 either: random bytes have a tenth, text in an old encoding none."""

# The longer mark first: UTF-32 LE starts with the bytes of UTF-16 LE.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# Tab, line ends, form feed, backspace and escape are at home in text: logs and man pages hold them.
_TEXT_CONTROLS = b"\t\n\v\f\r\b\x1b"
_CONTROLS = bytes(b for b in range(0x20) if b not in _TEXT_CONTROLS) + b"\x7f"

# Codecs for host names and program literals, which no file is written in.
_NOT_FOR_FILES = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape"})


_PIECE = 1 << 20
"""Characters that are encoded at once."""

_WIDE = {"x000": "utf-32-le", "000x": "utf-32-be", "x0x0": "utf-16-le", "0x0x": "utf-16-be"}

_CONVERT = "convert it to UTF-8 or name its encoding with --encoding, e.g. --encoding cp1252"
_RESAVE = "the file is cut off or damaged; save it again, best as UTF-8"


def decode(data: bytes, *, source: str = "", encoding: str | None = None) -> str:
    """The text of `data`: by `encoding` if given, else by its byte order mark, else as UTF-8."""
    if encoding is not None:
        return _decode_named(data, source, encoding)
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return _decode_strictly(data, source, codec, skip=len(mark), remedy=_RESAVE)
    _refuse_magic(data, source)
    _refuse_controls(data[:SAMPLE], source, _MOST_CONTROLS)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse_controls(data[:SAMPLE], source, _MOST_IN_INVALID)
        raise _undecodable_error(error, data, source, remedy=_CONVERT) from None


def encode_pieces(text: str, source: str) -> Iterator[bytes]:
    """The text as UTF-8, piece by piece: a copy of all of a large text costs more than to make it.

    Refuses what no UTF-8 file can hold, before it reaches a parser, tokenizer or store that panics.
    """
    for start in range(0, len(text), _PIECE):
        try:
            piece = text[start : start + _PIECE].encode()
        except UnicodeEncodeError as error:
            raise _half_character_error(text, start + error.start, source) from None
        yield piece


def check_encodable(text: str, source: str) -> None:
    """Refuse text that no UTF-8 file can hold."""
    if not text.isascii():
        for _ in encode_pieces(text, source):
            pass


def _half_character_error(text: str, at: int, source: str) -> ParseError:
    return ParseError(
        f"lone surrogate U+{ord(text[at]):04X} at character {at}: half of a UTF-16 pair is no text; "
        'remove it, e.g. text.encode("utf-8", "ignore").decode()',
        source,
        f"line {line_number(text, at)}",
    )


def _decode_named(data: bytes, source: str, encoding: str) -> str:
    """By the caller's word, so controls do not matter. UTF-7 can hold lone surrogates: hence the check."""
    codec = _codec_name(encoding)
    _refuse_magic(data, source)
    text = _decode_strictly(data, source, codec, remedy=f"it is damaged or not {encoding}; name another encoding")
    check_encodable(text, source)
    return text.removeprefix("\ufeff")


def _codec_name(encoding: str) -> str:
    try:
        codec = codecs.lookup(encoding).name
        bytes(4).decode(codec)  # hex, zlib and their like are codecs, but give no text
    except (LookupError, ValueError):
        codec = ""
    if not codec or codec.replace("-", "_") in _NOT_FOR_FILES:
        raise ConfigError(f"unknown encoding {encoding!r}: use a name such as utf-8, cp1252 or shift_jis", "$.encoding")
    return codec


def _decode_strictly(data: bytes, source: str, codec: str, *, remedy: str, skip: int = 0) -> str:
    """Decode what follows `skip` bytes of mark."""
    try:
        return data[skip:].decode(codec)
    except UnicodeDecodeError as error:
        raise _undecodable_error(error, data, source, remedy=remedy, codec=codec, skip=skip) from None


def _undecodable_error(
    error: UnicodeDecodeError, data: bytes, source: str, *, remedy: str, codec: str = "utf-8", skip: int = 0
) -> ParseError:
    """Names the byte, and its offset from the start of the file, mark included, as a hex editor shows it."""
    at = error.start + skip
    before = data[skip:at].decode(codec, "replace")
    problem = f"byte 0x{data[at]:02X} at offset {at} is not valid {codec.upper()} ({error.reason})"
    return ParseError(f"{problem}: {remedy}", source, f"line {line_number(before, len(before))}")


def _refuse_magic(data: bytes, source: str) -> None:
    if found := detect_magic(data):
        raise ParseError(f"looks like a binary file ({found.name}): extract its text first, or leave it out", source)


def has_few_controls(sample: bytes, most: float = _MOST_IN_INVALID) -> bool:
    """Whether bytes may be text, by how many of them are control characters."""
    controls = _count_controls(sample)
    return controls < _LEAST_CONTROLS or controls <= most * len(sample)


def _count_controls(sample: bytes) -> int:
    return len(sample) - len(sample.translate(None, _CONTROLS))


def _refuse_controls(sample: bytes, source: str, most: float) -> None:
    if not has_few_controls(sample, most):
        share = f"{_count_controls(sample) / len(sample):.0%} of its first bytes are control characters"
        raise ParseError(f"looks like a binary file ({share}): {_control_remedy(sample)}", source)


def _control_remedy(sample: bytes) -> str:
    guess = guess_wide(sample)
    if guess:
        return f"if it is text without a byte order mark, name its encoding with --encoding {guess}"
    return "extract its text first, or leave it out"


def guess_wide(sample: bytes) -> str:
    """UTF-16 and UTF-32 text without a mark shows by where, in every four bytes, its NULs stand."""
    zeros = [sample[i::4].count(0) for i in range(4)]
    pattern = "".join("0" if z > 0.6 * max(zeros) else "x" for z in zeros)
    return _WIDE.get(pattern, "")


_SAMPLE = 200_000
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SURE = 0.35
"""Below this the guess is one among many; 0.38 and up were right for all samples of Chinese, Japanese and Korean."""
_OFTEN_OLD = frozenset(("csv", "tsv", "html", "srt", "vtt"))
"""Formats whose files often come in the encoding of an old program: an unsure guess is better than none."""
_FOREIGN = 0.5
"""Share of stray bytes among letters above which Windows-1252 would make nonsense of an alphabet of its own: Cyrillic
and Greek have nine in ten, French one in ten, and a line of typographic quotes less than half."""
_STRAY = re.compile("[\udc80-\udcff]")
_ASCII_LETTER = re.compile(rb"[A-Za-z]")
_MEANT = {0xDC00 + byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0x100)}
"""What a stray byte is to a browser: Windows-1252, and the control character of its number where that has none."""

LenientText = tuple[str, Notice]
"""A text, and the remark that is due."""


def decode_leniently(data: bytes, format_name: str) -> LenientText | None:
    """The text of bytes that are not UTF-8; None where it is no text, or nobody can tell what its letters are."""
    if data.startswith(_WIDE_MARKS) or detect_magic(data):
        return None
    if data.startswith(codecs.BOM_UTF8):
        return _decode_mixed(data)
    if found := _decode_wide(data):
        return found
    if not has_few_controls(data[:SAMPLE]):
        return None
    for read in (_decode_cut_off, _decode_surrogates, _decode_by_statistics):
        if found := read(data):
            return found
    likely = _decode_likely(data, format_name) if format_name in _OFTEN_OLD else None
    return likely or _decode_mixed(data)


def _decode_as(data: bytes, name: str, doubt: str = "") -> LenientText:
    message = f"is not UTF-8; read as {name}{doubt}: name it with --encoding if that is wrong"
    return data.decode(name), Notice("encoding-guessed", message)


def _decode_wide(data: bytes) -> LenientText | None:
    """UTF-16 or UTF-32 without a byte order mark."""
    name = guess_wide(data[:SAMPLE])
    if not name or not is_text_in(data, name):
        return None
    return _decode_as(data, name) if has_few_controls(data[:SAMPLE].decode(name, "ignore").encode()) else None


def _decode_cut_off(data: bytes) -> LenientText | None:
    """UTF-8 that ends inside a character."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return None
        left = len(data) - error.start
        message = f"ends inside a character: its last {left} bytes are left out; was it saved completely?"
        return data[: error.start].decode(), Notice("encoding-cut-off", message)
    return None


def _decode_surrogates(data: bytes) -> LenientText | None:
    """UTF-8 in which characters beyond the first plane are written as two halves, as some databases do."""
    try:
        text = data.decode("utf-8", "surrogatepass").encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeError:
        return None
    return text, Notice("encoding-guessed", "is not UTF-8; read as CESU-8, which has characters in two halves")


def _decode_by_statistics(data: bytes) -> LenientText | None:
    """By statistics, where they are sure."""
    return next((_decode_as(data, name) for name, sure in _guess_encoding(data, modern=False) if sure >= _SURE), None)


def _decode_likely(data: bytes, format_name: str) -> LenientText | None:
    """The most likely of the encodings that Windows wrote; browsers take cp1252 for a page that says nothing."""
    names = ["cp1252"] if format_name == "html" else [name for name, _ in _guess_encoding(data, modern=True)]
    return next(
        (_decode_as(data, name, ", though others fit as well") for name in names if is_text_in(data, name)), None
    )


def _decode_mixed(data: bytes) -> LenientText | None:
    """UTF-8 with stray bytes, which are taken for Windows-1252; None where most letters would be such bytes."""
    text = data.decode("utf-8-sig", "surrogateescape")
    stray = len(_STRAY.findall(text))
    is_plain = len(text) == len(data)  # no character is written as UTF-8 writes more than one byte
    first = _STRAY.search(text)
    if first is None or (is_plain and stray > _FOREIGN * (stray + len(_ASCII_LETTER.findall(data)))):
        return None
    before = text[: first.start()]
    at = len(before.encode()) + len(data) - len(data.removeprefix(codecs.BOM_UTF8))
    message = (
        f"is not UTF-8 throughout: {stray:,} bytes, the first 0x{data[at]:02X} at offset {at}, were read as "
        "Windows-1252; name its encoding with --encoding if that is wrong"
    )
    return text.translate(_MEANT), Notice("encoding-mixed", message, f"line {line_number(text, first.start())}")


def _guess_encoding(data: bytes, *, modern: bool) -> Iterator[tuple[str, float]]:
    """The encoding that the bytes look like, and how sure that is; nothing where there is no library to ask."""
    try:
        import chardet
    except ModuleNotFoundError:
        return
    era = chardet.EncodingEra.MODERN_WEB if modern else chardet.EncodingEra.ALL
    found = chardet.detect(data[:_SAMPLE], encoding_era=era)
    if found["encoding"] and is_text_in(data, found["encoding"]):
        yield str(found["encoding"]), float(found["confidence"])
