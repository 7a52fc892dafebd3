"""A row as a sentence: `Acme's revenue in Q2 2024 was $4.2M, with a margin of 31%.`

Every cell that says something is in it, as it is written in the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from seamline.enrich.tables.roles import Roles, roles, spoken
from seamline.errors import ConfigError
from seamline.tables.read import Row, Table

Write = Callable[[Row], str]

_PLACE = re.compile(r"\{([^{}]+)\}")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*")
_PLURAL = re.compile(r"\w\w+(?<![sui])s")
_PARTICIPLE = re.compile(r"sold|sent|made|\w+ed")
_SPACES = re.compile(r"\s+")


def sentences(table: Table) -> Write:
    """What writes rows of a table as sentences made from its columns; empty for an empty row."""
    found = roles(table)
    names = [_noun(spoken(column.name)) for column in table.columns]
    return lambda row: _sentence([_SPACES.sub(" ", cell) for cell in row.cells], row.more, names, found)


def _noun(name: str) -> str:
    """A name that can be spoken of: that of a column called `2026` is `value for 2026`."""
    return name if any(map(str.isalpha, name)) else f"value for {name}"


def _sentence(cells: Sequence[str], more: Sequence[tuple[str, str]], names: Sequence[str], found: Roles) -> str:
    measures = [i for i in found.measures if cells[i]]
    others = [(names[i], cells[i]) for i in found.others if cells[i]]
    others += [(spoken(name), _SPACES.sub(" ", text)) for name, text in more]
    subject, when = _subject(cells, names, found), _when(cells, names, found)
    listed = "; ".join(f"{name}: {cell}" for name, cell in others)
    if not measures:
        head = f"{subject} {when}".strip() if subject else _capital(when)
        return _ended(f"{head} – {listed}" if head and listed else head or _capital(listed))
    said = _ended(_measured(subject, when, [(names[i], cells[i]) for i in measures]))
    return f"{said} {_ended(_capital(listed))}" if listed else said


def _measured(subject: str, when: str, measures: Sequence[tuple[str, str]]) -> str:
    """How much of the first measure, with how much of the others."""
    (name, value), *rest = measures
    verb = "were" if _is_plural(name) else "was"
    if subject:
        said = " ".join(part for part in (_possessive(subject), name, when, verb, value) if part)
    else:
        said = f"{_capital(when)}, the {name} {verb} {value}" if when else f"The {name} {verb} {value}"
    return f"{said}, with {_listed([f'{_article(one)}{one} of {cell}' for one, cell in rest])}" if rest else said


def _subject(cells: Sequence[str], names: Sequence[str], found: Roles) -> str:
    if found.subject is None or not cells[found.subject]:
        return ""
    cell, name = cells[found.subject], names[found.subject]
    return cell if found.named or name.startswith("column ") else f"{_capital(name)} {cell}"


def _when(cells: Sequence[str], names: Sequence[str], found: Roles) -> str:
    """`in Q2 2024`, `on 2024-03-01`; a bare number says what it counts: `in week 12`."""
    said: list[str] = []
    for i in found.periods:
        if cells[i] and not any(cells[i] in one.split() for one in said):
            is_bare = cells[i].isdigit() and len(cells[i]) != 4
            said.append(f"{names[i]} {cells[i]}" if is_bare else cells[i])
    if not said:
        return ""
    return ("on " if _DATE.fullmatch(said[0]) else "in ") + " ".join(said)


def _possessive(subject: str) -> str:
    return f"{subject}'" if subject[-1] in "sS" else f"{subject}'s"


def _is_plural(name: str) -> bool:
    """Whether a name is of many: `sales`, `units sold`; not `status`, `gross`."""
    words = re.findall(r"[a-z]+", name.lower())
    if len(words) > 1 and _PARTICIPLE.fullmatch(words[-1]):
        words.pop()
    return bool(words) and _PLURAL.fullmatch(words[-1]) is not None


def _article(name: str) -> str:
    return "" if _is_plural(name) or not name[:1].isalpha() else "an " if name[0].lower() in "aeio" else "a "


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _ended(text: str) -> str:
    return text if not text or text[-1] in ".!?" else f"{text}."


def templated(table: Table, template: str) -> Write | None:
    """What writes rows by a sentence of the user's, with `{column}` for cells; None where a column is not there."""
    numbers = {name: table.column(name) for name in _PLACE.findall(template)}
    if any(number is None for number in numbers.values()):
        return None

    def write(row: Row) -> str:
        return _PLACE.sub(lambda found: _SPACES.sub(" ", row.cells[numbers[found[1]] or 0]), template).strip()

    return write


def check_template(found: Sequence[Table], template: str) -> None:
    """A template that names a column which no table has is a mistake."""
    if template and found and not any(templated(table, template) for table in found):
        names = list(dict.fromkeys(column.name for table in found for column in table.columns))
        listed = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
        asked = ", ".join(f"{{{name}}}" for name in _PLACE.findall(template))
        raise ConfigError(
            f"no table has all columns of the template ({asked}): there are {listed}", "$.tabular.template"
        )
