"""Tables of every format are read the same way."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import seamline
from seamline.errors import ConfigError
from seamline.text.tables import Table, tables, tables_with_column
from seamline.text.values import Amount, amount, decimal_sign, written


def table(text: str, media_type: str) -> Table:
    (found,) = tables(seamline.read(text, id="doc", media_type=media_type))
    return found


def shown(one: Table) -> tuple[list[str], list[list[str]]]:
    """Names of the columns, and the cells of the rows."""
    return [column.name for column in one.columns], [row.cells for row in one.rows()]


RULE = "+------+-------+\n"
GRID = f"{RULE}| pump | litre |\n+======+=======+\n| A    | 12    |\n{RULE}| B    | 7     |\n{RULE}"
TEX = r"\begin{tabular}{lr} \hline pump & litre \\ \hline \textbf{A} & 12 \\ B & 7 \\ \end{tabular}"


LISTED = """\
.. list-table::
   :header-rows: 1

   * - pump
     - litre
   * - A
     - 12
   * - B
     - 7
"""


@pytest.mark.parametrize(
    ("text", "media_type"),
    [
        ("pump,litre\nA,12\nB,7\n", "csv"),
        ("pump\tlitre\nA\t12\nB\t7\n", "tsv"),
        ('[{"pump": "A", "litre": 12}, {"pump": "B", "litre": 7}]', "json"),
        ('{"pump": "A", "litre": 12}\n{"pump": "B", "litre": 7}\n', "jsonl"),
        ("| pump | litre |\n|---|---|\n| A | 12 |\n| B | 7 |\n", "markdown"),
        ("> | pump | litre |\n> |---|---|\n> | A | 12 |\n> | B | 7 |\n", "markdown"),
        ("<table><tr><th>pump<th>litre<tr><td>A<td>12<tr><td>B<td>7</table>", "html"),
        ("====  =====\npump  litre\n====  =====\nA     12\nB     7\n====  =====\n", "rst"),
        (GRID, "rst"),
        ('.. csv-table:: Pumps\n   :header: "pump", "litre"\n\n   A, 12\n   B, 7\n', "rst"),
        (LISTED, "rst"),
        (TEX, "latex"),
    ],
)
def test_a_table_says_the_same_in_every_format(text: str, media_type: str) -> None:
    found = table(text, media_type)
    assert shown(found) == (["pump", "litre"], [["A", "12"], ["B", "7"]])
    assert [column.type for column in found.columns] == ["text", "integer"]
    for row, name in zip(found.rows(), "AB", strict=True):
        assert name in found.document.text[row.span.start : row.span.end]


def test_a_table_of_a_database(tmp_path: Path) -> None:
    path = tmp_path / "pumps.db"
    with sqlite3.connect(path) as database:
        database.execute("create table pumps (pump text, litre integer)")
        database.executemany("insert into pumps values (?, ?)", [("A", 12), ("B", 7)])
    database.close()
    (found,) = tables(seamline.read(path))
    assert shown(found) == (["pump", "litre"], [["A", "12"], ["B", "7"]])


def test_cells_hold_delimiters_quotes_bars_and_line_ends() -> None:
    found = table('name,note\n"Pump, large","says ""hum""\nand stops"\n', "csv")
    assert shown(found)[1] == [["Pump, large", 'says "hum"\nand stops']]
    assert shown(table("| a | b |\n|---|---|\n| x \\| y | `z` |\n", "markdown"))[1] == [["x | y", "`z`"]]


def test_rows_longer_than_the_header_keep_what_they_say() -> None:
    *_, last = table("a,b\n1,2\n3,4\n5,6,7\n", "csv").rows()
    assert (last.cells, last.more) == (["5", "6"], [("column 3", "7")])


def test_columns_have_names_that_differ() -> None:
    assert shown(table("| total | total |  |\n|---|---|---|\n| 1 | 2 | 3 |\n", "markdown"))[0] == [
        "total",
        "total (2)",
        "column 3",
    ]


def test_broken_lines_of_json_are_text() -> None:
    rows = list(table('{"a": 1}\n{"a": \n{"a": 3}\n', "jsonl").rows())
    assert [row.cells for row in rows] == [["1"], [""], ["3"]]
    assert rows[1].more == [("value", '{"a":')]


def test_a_column_is_meant_by_name_in_any_case_or_by_number() -> None:
    found = table("Company,Sales\nAcme,5\n", "csv")
    assert [found.column(name) for name in ("Company", "company", "2", "3", "x")] == [0, 0, 1, None, None]
    with pytest.raises(ConfigError, match=r"no table has a column 'x'.*Company, Sales.*tabular\.key"):
        tables_with_column([found], "x", "$.tabular.key")


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("42", 42),
        ("-3.5", -3.5),
        ("1,234.50", 1234.5),
        ("1,234,567", 1234567),
        ("$4.2M", 4_200_000),
        ("(1,200.00)", -1200),
        ("31%", 31),
        ("-$5", -5),
        ("€12.30", 12.3),
        ("5 EUR", 5),
        ("1 234 567", 1234567),
        ("2.5 million", 2_500_000),
        ("20 ms", 20),
        ("1e-3", 0.001),
    ],
)
def test_a_cell_that_says_a_number(cell: str, value: float) -> None:
    found = amount(cell)
    assert found is not None
    assert found.value == pytest.approx(value)


@pytest.mark.parametrize(
    "cell", ["1,234", "1.234", "1.234,50", "01234", "3,4,5", "v1.2", "2024-01-02", "$5 %", "(5", "5-7", ""]
)
def test_a_cell_in_doubt_is_text(cell: str) -> None:
    assert amount(cell) is None


def test_other_cells_settle_what_a_comma_means() -> None:
    assert decimal_sign(["1,234", "5.5"]) == "."
    assert decimal_sign(["1.234", "5,5"]) == ","
    assert decimal_sign(["1,5", "1.5"]) == "?"
    assert decimal_sign(["1,234", "17"]) == ""
    assert amount("1,234", ".") == Amount(1234)
    assert amount("1.234", ",") == Amount(1234)


def test_numbers_are_written_as_their_column_writes_them() -> None:
    like = amount("$4.2M")
    assert like is not None
    assert written(2_266_666.7, like, 2) == "$2.27M"
    assert written(-1234.5, Amount(0, after="%"), 1) == "-1,234.5%"
    assert written(-0.0001, Amount(0), 1) == "0"
