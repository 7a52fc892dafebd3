"""Compound files and messages of Outlook, made for tests."""

from __future__ import annotations

import struct
from collections.abc import Mapping

SECTOR, MINI, CUTOFF, NONE, END, FAT = 512, 64, 4096, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
Tree = Mapping[str, "bytes | Tree"]


def compound_file(tree: Tree) -> bytes:
    """A file with these streams and folders."""
    entries: list[list[object]] = [["Root Entry", 5, NONE, END, 0]]
    siblings: dict[int, int] = {}
    sectors: list[bytes] = []
    fat: list[int] = []
    mini = bytearray()
    mini_fat: list[int] = []

    def store(data: bytes) -> int:
        first = len(sectors)
        for at in range(0, len(data), SECTOR):
            sectors.append(data[at : at + SECTOR].ljust(SECTOR, b"\0"))
            fat.append(len(sectors))
        if len(sectors) > first:
            fat[-1] = END
        return first if data else END

    def add(inside: Tree, parent: int) -> None:
        before = -1
        for name, content in inside.items():
            number = len(entries)
            if isinstance(content, bytes) and len(content) >= CUTOFF:
                entries.append([name, 2, NONE, store(content), len(content)])
            elif isinstance(content, bytes):
                first = len(mini) // MINI
                mini.extend(content.ljust(-(-len(content) // MINI) * MINI, b"\0"))
                count = len(mini) // MINI - first
                mini_fat.extend([*range(first + 1, first + count), END] if count else [])
                entries.append([name, 2, NONE, first if count else END, len(content)])
            else:
                entries.append([name, 1, NONE, 0, 0])
            if before < 0:
                entries[parent][2] = number
            else:
                siblings[before] = number
            before = number
            if not isinstance(content, bytes):
                add(content, number)

    add(tree, 0)
    entries[0][3], entries[0][4] = store(bytes(mini)), len(mini)
    first_mini = store(b"".join(struct.pack("<I", one) for one in mini_fat))
    directory = b"".join(_entry(siblings.get(number, NONE), *entry) for number, entry in enumerate(entries))
    first_directory = store(directory)
    count = 1
    while (len(fat) + count) * 4 > count * SECTOR:
        count += 1
    first_fat = len(sectors)
    fat += [FAT] * count
    table = b"".join(struct.pack("<I", one) for one in fat).ljust(count * SECTOR, b"\xff")
    header = bytearray(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(SECTOR, b"\0"))
    struct.pack_into("<HHHHH", header, 24, 0x3E, 3, 0xFFFE, 9, 6)
    struct.pack_into("<IIIIIIIII", header, 40, 0, count, first_directory, 0, CUTOFF, first_mini, 1, END, 0)
    struct.pack_into("<109I", header, 76, *(first_fat + n if n < count else NONE for n in range(109)))
    return bytes(header) + b"".join(sectors) + table


def _entry(right: int, name: str, kind: int, child: int, start: int, size: int) -> bytes:
    encoded = (name + "\0").encode("utf-16-le")
    head = encoded.ljust(64, b"\0") + struct.pack("<HBBIII", len(encoded), kind, 1, NONE, right, child)
    return head.ljust(116, b"\0") + struct.pack("<IQ", start, size)


def outlook_message(
    texts: Mapping[str, str], *, binaries: Mapping[str, bytes] = {}, sent: int = 0, **folders: Tree
) -> bytes:
    """A message; texts and binary properties by their tags, folders as `attach_0` and the like."""
    properties = bytes(32) + struct.pack("<IIQ", 0x00390040, 6, sent)
    tree: dict[str, bytes | Tree] = {"__properties_version1.0": properties}
    tree |= {f"__substg1.0_{tag}001F": text.encode("utf-16-le") for tag, text in texts.items()}
    tree |= {f"__substg1.0_{tag}0102": data for tag, data in binaries.items()}
    tree |= {f"__{name.partition('_')[0]}_version1.0_#0000000{name[-1]}": inside for name, inside in folders.items()}
    return compound_file(tree)
