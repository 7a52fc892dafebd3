"""Entities that their form gives away: addresses, dates, amounts, versions, identifiers in code marks; and words that
tell what a name is: titles, endings of companies, places everybody knows, common first names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


def _list(words: str) -> tuple[str, ...]:
    """The longest first, so that none hides a longer one in a pattern."""
    return tuple(sorted(words.split(), key=lambda word: (-len(word), word)))


def _set(words: str) -> frozenset[str]:
    return frozenset(word.replace("_", " ") for word in words.split())


MONTHS = _list(
    """
    January February March April May June July August September October November December
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec
    Januar Februar März Mai Juni Juli Oktober Dezember
    janvier février mars avril mai juin juillet août septembre octobre novembre décembre
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    """
)
WEEKDAYS = _list(
    """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday
    Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag
    """
)
UNITS = _list(
    """
    km kilometers? kilometres? m meters? metres? Meter cm mm µm nm miles? feet ft inch inches yards? Kilometer
    kg kilograms? g grams? mg tonnes? tons? lbs? pounds? oz Kilogramm liters? litres? ml l
    bytes? bits? KB MB GB TB PB kB KiB MiB GiB TiB kbps Mbps Gbps
    ns µs ms s sec secs seconds? min mins minutes? h hrs? hours? days? weeks? months? years? decades? centuries
    Sekunden? Minuten? Stunden? Tage? Tagen Wochen? Monate? Jahre? Jahren
    secondes? minutes? heures? jours? semaines? mois ans? années? segundos? minutos? horas? días? semanas? meses años?
    Hz kHz MHz GHz W kW MW GW kWh V mV kV A mA J kJ K °C °F degrees? mph km/h m/s px dpi tokens? cores? people users
    requests rows pages
    """
)

TITLES = _set(
    """
    Mr Mrs Ms Mx Dr Prof Professor Sir Dame Lord Lady Miss President Senator Judge King Queen Prince Princess Pope
    Captain General Colonel Saint Minister Chancellor Secretary Herr Frau Fräulein Monsieur Madame Mme Mlle Señor
    Señora
    Sr Sra Don Doña Dott Signor Signora
    """
)
"""What stands before the name of a person."""

ORG_ENDS = _set(
    """
    Inc Corp Corporation Ltd LLC LLP PLC plc GmbH AG SE KG SA SAS SARL BV NV SpA AB Oy Co Company Group Holdings Bank
    University College Institute School Academy Foundation Association Society Union Committee Commission Council
    Agency
    Ministry Department Office Bureau Authority Organization Organisation Party Press Museum Hospital Church Court
    Senate
    Parliament Congress Army Navy Club Team Labs Laboratory Laboratories Systems Technologies Software Airlines Motors
    Universität Hochschule Institut Ministerium Verein Verband Stiftung Gesellschaft Université Ministère Banque
    Universidad Ministerio Banco Instituto
    """
)
"""What the name of an organisation ends with, or starts with before `of`."""

ORGS = _set(
    """
    NASA NATO ESA EU UN WHO WTO IMF OECD UNESCO UNICEF FBI CIA NSA FDA EPA BBC CNN MIT IBM SAP BMW AMD ARM NVIDIA IEEE
    ISO IETF W3C Google Microsoft Apple Amazon Facebook Meta Intel Oracle Mozilla Netflix Twitter Tesla Toyota Samsung
    Sony Siemens Bosch Airbus Boeing OpenAI GitHub GitLab Wikipedia Reuters
    """
)

PLACE_ENDS = _set(
    """
    City County Street River Lake Mountain Mountains Island Islands Ocean Sea Valley Avenue Road Square Bay Park
    Strait
    Peninsula Desert Forest Canyon Hills Beach Airport Station Bridge Province District Village Republic Kingdom Coast
    """
)
PLACE_STARTS = _set(
    "Lake Mount Mt Cape Port Fort San Santa Saint St Los Las El New North South East West Río Monte Bad Stadt"
)
PLACES = _set(
    """
    Africa America Asia Europe Australia Antarctica Argentina Austria Belgium Brazil Bulgaria Canada Chile China
    Colombia Croatia Cuba Denmark Egypt England Estonia Ethiopia Finland France Germany Ghana Greece Hungary Iceland
    India
    Indonesia Iran Iraq Ireland Israel Italy Japan Jordan Kenya Korea Latvia Lebanon Lithuania Luxembourg Malaysia
    Malta
    Mexico Morocco Nepal Netherlands Nigeria Norway Pakistan Peru Philippines Poland Portugal Romania Russia Scotland
    Serbia Singapore Slovakia Slovenia Spain Sudan Sweden Switzerland Syria Taiwan Thailand Tunisia Turkey Uganda
    Ukraine
    Uruguay Venezuela Vietnam Wales Yemen USA UK US Britain
    Amsterdam Athens Bangkok Barcelona Beijing Berlin Bogotá Boston Brussels Budapest Cairo Chicago Cologne Copenhagen
    Dublin Frankfurt Geneva Hamburg Helsinki Istanbul Jakarta Johannesburg Lagos Lisbon London Lyon Madrid Manchester
    Marseille Melbourne Miami Milan Montreal Moscow Mumbai Munich Nairobi Naples Oslo Oxford Cambridge Paris
    Philadelphia
    Prague Rome Seattle Seoul Shanghai Stockholm Sydney Tokyo Toronto Vancouver Venice Vienna Warsaw Washington Zurich
    California Texas Florida Bavaria Scotland Deutschland Frankreich Spanien Österreich Schweiz Köln München Wien
    Zürich
    España Francia Alemania México Allemagne Espagne Bruxelles Genève New_York New_Zealand South_Africa South_Korea
    North_Korea Los_Angeles San_Francisco Hong_Kong United_States United_Kingdom Saudi_Arabia Sri_Lanka Costa_Rica
    """
)

FIRST_NAMES = _set(
    """
    Ada Adam Alan Albert Alex Alexander Alice Amy Andrea Andrew Angela Ann Anna Anne Anthony Antonio Barbara Benjamin
    Bill Bob Brian Carl Carla Carlos Carol Caroline Charles Charlotte Chris Christine Christopher Claire Clara Claude
    Daniel David Diana Donald Dorothy Edward Elena Elizabeth Emily Emma Eric Eva Francis Frank Fritz George Grace Hans
    Helen Henri Henry Hugo Ian Ines Isaac Isabel Jack James Jan Jane Jean Jennifer Jessica Joan Johann Johannes John
    Jonathan José Joseph Juan Julia Julie Karen Karl Kate Katherine Kevin Klaus Kurt Laura Leo Leonardo Linda Lisa
    Louis
    Lucas Lucy Luis Maria María Marie Mark Martha Martin Mary Matthew Max Michael Michel Miguel Monica Nancy Nicolas
    Nina
    Olivia Oscar Otto Pablo Patricia Patrick Paul Paula Pedro Peter Philip Pierre Rachel Ralph Rebecca Richard Robert
    Rosa
    Roger Ronald Ruth Sam Samuel Sandra Sara Sarah Simon Sofia Sophie Stefan Stephen Steve Steven Susan Thomas Tim Tom
    Victor Vincent Walter William Wolfgang Yuki
    """
)
NOT_NAMES = _set(
    """
    I I'm I've I'll I'd The A An In On At For From To With By Of And Or But If When While As It Its This That These
    Those
    He She They We You My Your Our His Her Their There Here What Who Where Why How Which Not No Yes All Some Many Most
    Each Every Any Both Either One Two Three First Second Third Next Last New Old Then Also However After Before Since
    Because Although Though So Thus Hence Please Note See Use Click Open Let Do Does Did Is Are Was Were Be Been Has
    Have
    Had Can Could Will Would Should May Might Must Figure Table Section Chapter Appendix Example Step Part Page Note
    Warning Tip Important OK Today Yesterday Tomorrow English German French Spanish Der Die Das Ein Eine Im Am Zum Und
    Es
    Sie Er Wir Ich Le La Les Un Une Des Il Elle Nous Vous El Los Las Una En Es Por Para
    """
)
"""Words with a capital that are no names."""


class Mention(NamedTuple):
    """One place where a text speaks of something."""

    start: int
    end: int
    type: str


_MONTH = rf"(?:{'|'.join(MONTHS)})\b\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th|er|\.)?"
_YEAR = r"(?:1[0-9]|20)\d\d"
_NUMBER = r"(?<![\w.,])\d{1,3}(?:[,.'’ ]\d{3}){1,5}(?:[.,]\d{1,6})?|(?<![\w.,])\d{1,15}(?:[.,]\d{1,9})?"
_LARGE = (
    r"(?:\s?(?:thousand|millions?|billion|trillion|Millionen|Milliarden|milliards|millones|Mio\.?|Mrd\.?|bn|[kKmM])\b)?"
)
_COIN = r"(?:USD|EUR|GBP|CHF|JPY|CNY|INR|euros?|Euros?|dollars?|pounds|yen|francs?|pesos?)\b|[€$£¥]"
_PARTS = (
    ("CODE", r"(?<!`)`(?P<code>[^`\s](?:[^`\n]{0,118}[^`\s])?)`(?!`)"),
    (
        "URL",
        r"\b(?:https?|ftp)://[^\s<>\"'`|\\^{}]{1,2000}|\bwww\.[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}(?:/[^\s<>\"'`|]{0,2000})?",
    ),
    ("EMAIL", r"(?<![\w.+-])[\w+-](?:[\w.+-]{0,62}[\w+-])?@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"),
    (
        "DATE",
        rf"\b\d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{{1,6}})?)?(?:Z|[+-]\d\d:?\d\d)?)?\b"
        rf"|(?<![\w.])\d{{1,2}}[./]\d{{1,2}}[./](?:\d{{4}}|\d\d)(?![\w/]|\.\d)"
        rf"|\b{_DAY}(?:\s(?:of|de))?\s{_MONTH}(?:,?\s(?:de\s)?{_YEAR}\b)?"
        rf"|\b{_MONTH}\s{_DAY}(?:,\s?{_YEAR}|\s{_YEAR})?(?![\w:])"
        rf"|\b{_MONTH}\s(?:de\s)?{_YEAR}\b"
        rf"|\bQ[1-4]\s{_YEAR}\b|\b(?:{'|'.join(WEEKDAYS)})\b"
        rf"|\b(?:in|since|until|by|before|after|from|during|of|early|late|seit|Jahr|Jahre|en|depuis|desde|hasta|to|and)\s(?P<year>{_YEAR})\b(?![-.,]\d|%)",
    ),
    (
        "TIME",
        r"(?<![\w:.])\d{1,2}:\d\d(?::\d\d)?(?:\s?(?:[ap]\.m\.|[ap]m\b)|(?![\w:]))(?:\s(?:UTC|GMT|CET|CEST|EST|EDT|PST|PDT|Uhr)\b)?"
        r"|(?<![\w:.])\d{1,2}\s?(?:[ap]\.m\.|[ap]m\b|Uhr\b)|\b(?:noon|midnight)\b",
    ),
    ("MONEY", rf"(?:US)?[€$£¥]\s?\d[\d,.]{{0,20}}(?<=\d){_LARGE}|(?:{_NUMBER}){_LARGE}\s?(?:{_COIN})"),
    ("PERCENT", rf"(?:{_NUMBER})\s?(?:%|percent\b|per\scent\b|Prozent\b|pour\scent\b|por\sciento\b)"),
    (
        "VERSION",
        r"(?<![\w.-])v\d{1,6}(?:\.\d{1,6}){0,3}(?:-?(?:alpha|beta|rc|dev|a|b)\.?\d{0,4})?(?![\w]|\.\d)"
        r"|(?<![\w.-])\d{1,6}\.\d{1,6}\.\d{1,6}(?:-?(?:alpha|beta|rc|dev|post|a|b)\.?\d{0,4})?(?![\w]|\.\d)"
        r"|\b[Vv]ersion\s(?P<version>\d{1,6}(?:\.\d{1,6}){0,3})\b",
    ),
    ("QUANTITY", rf"(?:{_NUMBER})[\s-]?(?:{'|'.join(UNITS)})(?![\w/])"),
)
_ANY = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _PARTS))
"""Leftmost first, then in the order of the list. All repeats are bounded: linear time."""
_INNER = {"CODE": "code", "DATE": "year", "VERSION": "version"}
"""The part of a pattern that is the entity, where words around it only tell what it is."""
_ENDS = ".,;:!?)]*_"


def formed(text: str, start: int, end: int) -> Iterator[Mention]:
    """Mentions in a range of a text, in order, none within another."""
    for match in _ANY.finditer(text, start, end):
        name = str(match.lastgroup if match.lastgroup in dict(_PARTS) else _group(match))
        inner = _INNER.get(name)
        low, high = match.span(inner) if inner and match[inner] is not None else match.span()
        if name == "URL":
            high = low + len(_trimmed(text[low:high]))
        if low < high:
            yield Mention(low, high, name)


def _group(match: re.Match[str]) -> str:
    return next(name for name, _ in _PARTS if match[name] is not None)


def _trimmed(address: str) -> str:
    """An address without the marks of the sentence it stands in; a bracket stays where it was opened inside."""
    while address and address[-1] in _ENDS:
        if address[-1] == ")" and address.count("(") >= address.count(")"):
            break
        address = address[:-1]
    return address
