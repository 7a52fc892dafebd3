"""What the documents of `pdf_held_out` are made of, as an author means them."""

from __future__ import annotations

from benchmarks.formats.pdf_words import Author, Part, heading


def report() -> list[Part]:
    author = Author(1)
    return [
        heading(1, "Annual Report of the Lower Valley Waterworks"),
        *author.paragraphs(1),
        heading(2, "1 Overview"), *author.paragraphs(3),
        heading(3, "1.1 Scope of this report"), *author.paragraphs(2), *author.items(),
        heading(3, "1.2 Sources"), *author.paragraphs(2),
        heading(2, "2 Supply"), *author.paragraphs(2),
        Part("caption", "Table 1: Volumes by quarter, in cubic metres"),
        author.table(("Station", "Spring", "Summer", "Autumn"), 6, "grid"),
        *author.paragraphs(2),
        heading(3, "2.1 Losses"), *author.paragraphs(3),
        heading(2, "3 Outlook"), *author.paragraphs(2),
    ]  # fmt: skip


def paper() -> list[Part]:
    author = Author(2)
    return [
        heading(1, "Long-Term Drift of Float Gauges in Shallow Wells"),
        heading(2, "Abstract"), author.paragraph(6),
        heading(2, "I. INTRODUCTION"), *author.paragraphs(3),
        heading(2, "II. RELATED WORK"), *author.paragraphs(3),
        heading(2, "III. METHOD"), *author.paragraphs(1),
        heading(3, "A. Instruments"), *author.paragraphs(2),
        heading(3, "B. Sampling"), *author.paragraphs(2),
        Part("caption", "TABLE I: Drift per year"),
        author.table(("Gauge", "Mean", "Worst"), 5, "lines"),
        *author.paragraphs(1),
        heading(2, "IV. RESULTS"), *author.paragraphs(4),
        heading(2, "V. CONCLUSION"), *author.paragraphs(2),
    ]  # fmt: skip


def manual() -> list[Part]:
    author = Author(3)
    return [
        heading(1, "Operating the Pump Controller"), *author.paragraphs(1),
        heading(2, "Before you start"), *author.paragraphs(2),
        heading(3, "What is in the box"), *author.items(5),
        heading(3, "Tools you need"), *author.paragraphs(1),
        heading(2, "Installation"), *author.paragraphs(2),
        Part("code", "pumpctl init --station north\npumpctl calibrate --runs 3\npumpctl start"),
        *author.paragraphs(1),
        heading(3, "Checking the wiring"), *author.paragraphs(2),
        heading(2, "Troubleshooting"), *author.paragraphs(1), *author.items(3),
    ]  # fmt: skip


MEMO = (
    (1, "SUMMARY"),
    (1, "WHAT HAPPENED IN MARCH"),
    (1, "COSTS AND STAFF"),
    (1, "WHAT WE PROPOSE"),
)
CONTRACT = (
    (1, "Wartungsvertrag über Förderanlagen"),
    (2, "§ 1 Vertragsgegenstand"),
    (2, "§ 2 Leistungen des Auftragnehmers"),
    (2, "§ 3 Vergütung und Zahlungsbedingungen"),
    (2, "§ 4 Gewährleistung"),
    (2, "§ 5 Schlussbestimmungen"),
)
NEWS = (
    (1, "The Valley Gazette"),
    (2, "Bridge opens after two winters"),
    (2, "Council turns down the new weir"),
    (2, "A walk along the old canal"),
    (2, "Letters"),
)
THESIS = (
    (1, "3 Methods"),
    (2, "3.1 Study area"),
    (3, "3.1.1 Climate"),
    (3, "3.1.2 Soils and land use"),
    (2, "3.2 Field work"),
    (2, "3.3 Statistical model"),
    (3, "3.3.1 Priors"),
    (1, "4 Results"),
    (2, "4.1 Water levels"),
    (2, "4.2 Sensitivity"),
)
FAQ = (
    (1, "Questions about your connection"),
    (2, "How do I read my meter?"),
    (2, "What happens when I move?"),
    (2, "Why is my bill higher than last year?"),
    (2, "Can I pay in instalments?"),
    (2, "Who repairs a burst pipe?"),
)
POLICY = (
    (1, "Data Retention Policy"),
    (2, "Purpose"),
    (2, "Scope"),
    (3, "Systems covered"),
    (3, "Systems not covered"),
    (2, "Retention periods"),
    (2, "Responsibilities"),
    (3, "Owners of records"),
)


def with_quote(parts: list[Part]) -> list[Part]:
    """A sentence set large between paragraphs, as magazines do: it is no heading."""
    quote = Part("quote", "We had waited so long for this bridge that nobody believed in it, said the ferryman.")
    return [*parts[:5], quote, *parts[5:]]


_SLIDES = (
    ("Where the water goes", ("Three stations, one river", "Losses of a fifth", "Most of them at night")),
    ("How we measured", ("Float gauges at every outlet", "Readings each quarter of an hour")),
    ("What we found", ("Old joints leak most", "Two valves never close", "Nobody looks at the ledger")),
    ("Next steps", ("Replace the joints in spring", "Train the night shift")),
)
_BILL = (
    ("Item", "Quantity", "Price", "Amount"),
    ("Float gauge, brass", "2", "118.00", "236.00"),
    ("Valve seal, 40 mm", "12", "3.20", "38.40"),
    ("Labour, hours", "6", "54.00", "324.00"),
    ("Travel", "1", "40.00", "40.00"),
)


def slides() -> list[Part]:
    return [part for title, said in _SLIDES for part in (heading(1, title), *(Part("item", one) for one in said))]


def bill() -> list[Part]:
    return [
        heading(1, "Invoice 2026-114"),
        Part("paragraph", "Waterworks of the Lower Valley, Mill Lane 4, 90210 Riverside"),
        Part("table", rows=_BILL),
        Part("paragraph", "Please pay within thirty days to the account named below. We thank you for your order."),
    ]


LAW = (
    (1, "Water Rights Act"),
    (2, "Part I: General"),
    (3, "Article 1. Purpose"),
    (3, "Article 2. Definitions"),
    (2, "Part II: Permits"),
    (3, "Article 3. Who may apply"),
    (3, "Article 4. Duration of a permit"),
)
FRENCH = (
    (1, "Gestion des eaux souterraines"),
    (2, "1. Introduction"),
    (2, "2. Données et méthodes"),
    (3, "2.1. Zone d'étude"),
    (3, "2.2. Échantillonnage à l'été"),
    (2, "3. Résultats"),
    (2, "4. Conclusion"),
)
INTERVIEW = (
    (1, "The ferryman remembers"),
    (2, "When did you first cross the river?"),
    (2, "What was the worst winter?"),
    (2, "Did you ever lose a passenger?"),
)


def letter() -> list[Part]:
    """No heading at all; some words in bold, and a closing line."""
    author = Author(11)
    dear = [Part("paragraph", "Dear Ms Miller,"), *author.paragraphs(2)]
    deadline = Part(
        "paragraph", "<b>The deadline is the third of May.</b> " + author.sentence() + " " + author.sentence()
    )
    return [
        *dear,
        deadline,
        *author.paragraphs(2),
        Part("paragraph", "Yours sincerely,"),
        Part("paragraph", "Anna Berg"),
    ]


def contents() -> list[Part]:
    """A table of contents, whose lines say what headings say and are none, and then the chapters."""
    author = Author(12)
    tree = ((2, "1 Where we stand"), (2, "2 What it costs"), (2, "3 Who decides"))
    listed = [Part("leader", f"{text} {'. ' * 50}{page}") for page, (_, text) in enumerate(tree, 2)]
    chapters = [part for level, text in tree for part in (heading(level, text), *author.paragraphs(4))]
    return [heading(1, "Plan for the Upper Weir"), heading(2, "Contents"), *listed, *chapters]


def sheet() -> list[Part]:
    """More tables than text, one right under the other heading."""
    author = Author(13)
    return [
        heading(1, "Quarterly Figures"), author.paragraph(2),
        heading(2, "Volumes"), author.table(("Station", "Q1", "Q2", "Q3", "Q4"), 9, "grid"),
        heading(2, "Staff"), author.table(("Shift", "People", "Hours"), 5, "lines"),
        heading(2, "Stock"), author.table(("Part", "In store", "On order", "Price"), 7, ""),
        author.paragraph(3),
    ]  # fmt: skip


def leads() -> list[Part]:
    """Paragraphs and items that open with bold words: those are no headings."""
    author = Author(14)
    said = [
        Part("item", f"<b>{lead}.</b> {author.sentence()}") for lead in ("Speed", "Cost of repair", "Noise at night")
    ]
    opened = [
        Part("paragraph", f"<b>{lead}</b> {author.sentence()} {author.sentence()}") for lead in ("Warning:", "Note:")
    ]
    figure = Part("caption", "<b>Figure 1.</b> The pump house from the north, with the old wheel.")
    return [
        heading(1, "Choosing a pump"), *author.paragraphs(2), *said, figure, *opened,
        heading(2, "After the purchase"), *author.paragraphs(2), *said, *author.paragraphs(1),
    ]  # fmt: skip


SPECIFICATION = (
    (1, "1. SCOPE"),
    (1, "2. TERMS"),
    (2, "2.1 Station"),
    (2, "2.2 Outlet"),
    (1, "3. MESSAGES"),
)
MIXED = (
    (1, "Notes on the old canal"),
    (2, "How it was dug"),
    (2, "What it carried"),
    (2, "Why it was given up"),
)
SPANISH = (
    (1, "Informe de seguimiento"),
    (2, "1) Antecedentes"),
    (2, "2) Situación actual"),
    (2, "3) Próximos pasos"),
)
BROCHURE = (
    (1, "Visit the Waterworks"),
    (2, "Getting here"),
    (2, "Opening hours"),
    (2, "For schools"),
    (2, "Prices"),
)


def minutes() -> list[Part]:
    author = Author(17)
    agenda = ("1. Welcome", "2. Minutes of the last meeting", "3. State of the weir", "4. Any other business")
    return [
        heading(1, "Minutes of the Board"),
        author.table(("Present", "Hours"), 5, ""),
        *(part for text in agenda for part in (heading(2, text), *author.paragraphs(1), *author.items(2))),
    ]


def long_table() -> list[Part]:
    """A table over several pages, its header on each; it is one table with the header once."""
    author = Author(18)
    return [
        heading(1, "Readings of the year"), *author.paragraphs(1),
        author.table(("Gauge", "Low", "High", "Mean"), 90, "grid"),
        heading(2, "Remarks"), *author.paragraphs(2),
    ]  # fmt: skip


# --- made last ----------------------------------------------------------------------------------------------------

HANDBOOK = (
    (1, "Handbook for Wardens"),
    (2, "CHAPTER ONE: DUTIES"),
    (3, "Rounds"),
    (3, "The log book"),
    (2, "CHAPTER TWO: EMERGENCIES"),
    (3, "Floods"),
    (3, "Fire"),
)
STANDARD = (
    (1, "1 Scope"),
    (1, "2 Normative references"),
    (1, "3 Requirements"),
    (2, "3.1 General"),
    (2, "3.2 Marking"),
    (3, "3.2.1 Place of the mark"),
    (1, "Annex A: Test report"),
)
ITALIAN = (
    (1, "Relazione sulla rete idrica"),
    (2, "Premessa"),
    (2, "Stato degli impianti"),
    (2, "Interventi previsti"),
    (2, "Conclusioni"),
)


def figures_in_words() -> list[Part]:
    """Short lines that begin with numbers and head nothing, between paragraphs."""
    author = Author(23)
    first = author.paragraph()
    said = ("2.4 million litres were lost", "12 of 30 valves", "3.1 per cent more than in spring")
    lines = [part for text in said for part in (Part("paragraph", f"{text}, says the report."), author.paragraph())]
    return [heading(1, "The year in figures"), first, *lines]


def program() -> list[Part]:
    """A program by itself: it stays code, line by line."""
    lines = [f"def read_{n}(gauge):\n    level = gauge[{n}] / 100\n    return level > {n * 7}" for n in range(1, 12)]
    return [Part("code", "\n".join(lines))]


def accounts() -> list[Part]:
    """Two tables, each on a page of its own, with the same columns and other headings in bold."""
    author = Author(24)
    return [
        heading(1, "Accounts"), author.paragraph(),
        heading(2, "Income"), author.table(("Source", "2025", "2026"), 12, "grid"),
        heading(2, "Expenses"), author.table(("Purpose", "2025", "2026"), 14, ""),
        heading(2, "Balance"), author.table(("Item", "2025", "2026"), 4, "lines"), author.paragraph(),
    ]  # fmt: skip
