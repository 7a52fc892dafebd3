"""Parsers that do what parsers must not, to see that the process around them holds."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
import time

from seamline.errors import MissingExtra, ParseError
from seamline.parse.isolate import time_budget
from seamline.parse.parser_types import Parsed, Raw
from seamline.types import Block


def echo(raw: Raw) -> Parsed:
    """One paragraph: the text."""
    return Parsed(raw.text, [Block("paragraph", 0, len(raw.text))] if raw.text else [])


def shout(raw: Raw) -> Parsed:
    """Prints where answers are expected."""
    print("a library that speaks out of turn", flush=True)
    os.write(1, b"and one that does so by itself")
    return echo(raw)


def spin(raw: Raw) -> Parsed:
    """Never ends."""
    while True:
        pass


def sleep(raw: Raw) -> Parsed:
    """Never ends, and takes no CPU time."""
    while True:
        time.sleep(60)


def hoard(raw: Raw) -> Parsed:
    """Takes all memory there is."""
    held = []
    while True:
        held.append(bytearray(os.urandom(1 << 20) * 16))


def crash(raw: Raw) -> Parsed:
    """Dies as a library in C does."""
    ctypes.string_at(0)
    return echo(raw)


def leave(raw: Raw) -> Parsed:
    sys.exit(3)


def fail(raw: Raw) -> Parsed:
    raise ZeroDivisionError("by zero")


def panic(raw: Raw) -> Parsed:
    """Calls a library written in Rust that panics on this text, which is no `Exception`."""
    from sentencex import get_sentence_boundaries

    get_sentence_boundaries("en", "J\u00a0. Smith")
    return echo(raw)


def recurse(raw: Raw) -> Parsed:
    return recurse(raw)


def phone(raw: Raw) -> Parsed:
    """Asks the network."""
    socket.create_connection(("127.0.0.1", 9), timeout=1)
    return echo(raw)


def start(raw: Raw) -> Parsed:
    """Starts a program."""
    subprocess.run(["true"], check=True)
    return echo(raw)


def slow(raw: Raw) -> Parsed:
    """Takes longer than it was given, but says so."""
    for _ in range(3):
        time_budget.ask(2)
        begin = time.process_time()
        while time.process_time() - begin < 1.2:
            pass
    return echo(raw)


def surrogate(raw: Raw) -> Parsed:
    """Gives text that cannot be written down."""
    return Parsed("\ud800", [Block("paragraph", 0, 1)])


def refuse(raw: Raw) -> Parsed:
    raise ParseError("broken: mend it", raw.uri, "line 3")


def lack(raw: Raw) -> Parsed:
    raise MissingExtra("a library", "pip install 'seamline[odd]'")
