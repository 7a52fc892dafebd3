"""Parsers that do what parsers must not, to see that the process around them holds."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
import time

from seamline.errors import MissingExtra, ParseError
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.types import Block


def echo(raw: ParseInput) -> ParseResult:
    """One paragraph: the text."""
    return ParseResult(raw.text, [Block("paragraph", 0, len(raw.text))] if raw.text else [])


def shout(raw: ParseInput) -> ParseResult:
    """Prints where answers are expected."""
    print("a library that speaks out of turn", flush=True)
    os.write(1, b"and one that does so by itself")
    return echo(raw)


def spin(raw: ParseInput) -> ParseResult:
    """Never ends."""
    while True:
        pass


def sleep(raw: ParseInput) -> ParseResult:
    """Never ends, and takes no CPU time."""
    while True:
        time.sleep(60)


def hoard(raw: ParseInput) -> ParseResult:
    """Takes all memory there is."""
    held = []
    while True:
        held.append(bytearray(os.urandom(1 << 20) * 16))


def crash(raw: ParseInput) -> ParseResult:
    """Dies as a library in C does."""
    ctypes.string_at(0)
    return echo(raw)


def leave(raw: ParseInput) -> ParseResult:
    sys.exit(3)


def fail(raw: ParseInput) -> ParseResult:
    raise ZeroDivisionError("by zero")


def panic(raw: ParseInput) -> ParseResult:
    """Calls a library written in Rust that panics on this text, which is no `Exception`."""
    from sentencex import get_sentence_boundaries

    get_sentence_boundaries("en", "J\u00a0. Smith")
    return echo(raw)


def recurse(raw: ParseInput) -> ParseResult:
    return recurse(raw)


def phone(raw: ParseInput) -> ParseResult:
    """Asks the network."""
    socket.create_connection(("127.0.0.1", 9), timeout=1)
    return echo(raw)


def start(raw: ParseInput) -> ParseResult:
    """Starts a program."""
    subprocess.run(["true"], check=True)
    return echo(raw)


def slow(raw: ParseInput) -> ParseResult:
    """Takes longer than it was given, but says so."""
    for _ in range(3):
        raw.ask_time(2)
        begin = time.process_time()
        while time.process_time() - begin < 1.2:
            pass
    return echo(raw)


def surrogate(raw: ParseInput) -> ParseResult:
    """Gives text that cannot be written down."""
    return ParseResult("\ud800", [Block("paragraph", 0, 1)])


def refuse(raw: ParseInput) -> ParseResult:
    raise ParseError("broken: mend it", raw.uri, "line 3")


def lack(raw: ParseInput) -> ParseResult:
    raise MissingExtra("a library", "pip install 'seamline[odd]'")
