"""Questions about the rows of Markdown tables, as people and as rules would ask them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import markup

_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_WORDY = re.compile(r"descri|meaning|purpose|notes?|usage|details|comment|explanation|summary|what", re.I)
_TIME = re.compile(r"\b(date|year|since|released?|version|when|term)\b", re.I)
_PERSON = re.compile(r"\b(name|author|winner|player|director|artist|owner|by)\b", re.I)


def cells(line: str) -> list[str]:
    return [markup.plain(cell) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def tables(body: str) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Header and rows of each table of a chunk."""
    lines = body.split("\n")
    for at, line in enumerate(lines[1:], 1):
        if _RULE.match(line) and "|" in lines[at - 1]:
            header = cells(lines[at - 1])
            rows = []
            for below in lines[at + 1 :]:
                if "|" not in below:
                    break
                row = cells(below)
                if len(row) == len(header):
                    rows.append(row)
            if len(header) >= 2 and rows:
                yield header, rows


def questions(body: str, path: str, rng: random.Random, most: int = 3) -> Iterator[str]:
    if "|" not in body:
        return
    for header, rows in tables(body):
        for row in rng.sample(rows, min(most, len(rows))):
            column = rng.randrange(1, len(header))
            name, value, title = row[0], row[column], header[column]
            if not 2 <= len(name) <= 80 or not value or not title or len(name.split()) > 10:
                continue
            yield _ask(name, title, value, header[0], path, rng)


def _ask(name: str, title: str, value: str, first: str, path: str, rng: random.Random) -> str:
    low, topic = title.lower(), path.split(" > ")[-1] if path else ""
    page = path.split(" > ")[0] if path else ""
    short = " ".join(value.split()[:12])
    forms = [
        f"What is the {title} of {name}?",
        f"What is the {title} of {name}?",
        f"what is the {low} for {name}",
        f"{name} {low}",
        f"Which {first.lower() or 'one'} has the {low} {short}?",
        f"What {low} does {name} have?",
        f"In {topic or page}, what is the {low} of {name}?",
        f"What was the {low} of {name} in {page or topic}?",
        f"{name}: {short}",
        f"{page}: {name}",
    ]
    if _WORDY.search(title):
        forms += [f"what does {name} mean", f"What does {name} do?", f"what is {name} used for", short, short]
    if _TIME.search(title):
        forms += [f"When was {name}?", f"since when is {name} available", f"In what year did {name} appear in {topic}?"]
    if _PERSON.search(title):
        forms += [f"Who was the {low} of {name}?", f"Who is {name}'s {low}?"]
    if rng.random() < 0.2:
        return f"{name} has {value.split('.')[0][:80]} as its {low}."
    return rng.choice(forms)
