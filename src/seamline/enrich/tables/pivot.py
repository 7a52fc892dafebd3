"""All rows of a key together, wherever in the table they stand."""

from __future__ import annotations

from collections.abc import Sequence

from seamline.derived import Derived, Holders
from seamline.enrich.tables.rows import Rewriter
from seamline.enrich.tables.sentences import check_template
from seamline.errors import ConfigError
from seamline.protocols import Tokenizer
from seamline.recipe import Recipe
from seamline.tables.read import Row, keyed, tables
from seamline.types import Chunk, Document


def pivot(document: Document, chunks: Sequence[Chunk], recipe: Recipe, tokenizer: Tokenizer) -> list[Derived]:
    """Per value of the column `tabular.key`, one text with its rows, or several where they are too long for one. Rows
    without a key are in none."""
    found = tables(document)
    chunks = [chunk for chunk in chunks if chunk.level == 0]
    if not found or not chunks:
        return []
    if not recipe.tabular.key:
        names = ", ".join(dict.fromkeys(column.name for table in found for column in table.columns))
        raise ConfigError(f"a pivot needs a key: set it to one of {names[:400]}", "$.tabular.key")
    check_template(found, recipe.tabular.template if recipe.tabular.rows == "sentence" else "")
    holders = Holders(chunks)
    out: list[Derived] = []
    for table, number in keyed(found, recipe.tabular.key, "$.tabular.key"):
        again = Rewriter(table, "pivot", holders, recipe, tokenizer)
        groups: dict[str, list[Row]] = {}
        for row in table.rows():
            if key := " ".join(row.cells[number].split()):
                groups.setdefault(key, []).append(row)
        for key, rows in groups.items():
            count = "1 row" if len(rows) == 1 else f"{len(rows)} rows"
            title = f"{table.columns[number].name}: {key} ({count})"
            out += again.texts(rows, title)
    return out
