"""Small words of English, German, French and Spanish that say nothing alone, or point at what was said before."""

from __future__ import annotations

import re

from seamline.text.words import words


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


POINTING = _set(
    """
    this that these those it its they them their theirs he she him his her hers such both either neither latter
    former however therefore moreover furthermore also then thus hence but and or nor so because instead otherwise
    additionally nevertheless nonetheless meanwhile consequently besides likewise similarly afterwards accordingly
    conversely still yet
    dies diese dieser dieses diesen diesem jene jener jenes er sie ihn ihm ihr ihre ihren sein seine seinen deshalb
    daher
    jedoch außerdem dann aber und oder auch darum dabei dadurch danach hierbei dazu deswegen trotzdem dennoch
    allerdings
    il elle ils elles lui leur leurs ce cela ceci cette ces celui celle ceux celles cependant donc ainsi puis mais et
    ou
    aussi toutefois néanmoins ensuite
    él ella ellos ellas esto esta este estos estas eso ese esa aquello aquel pero además también entonces luego así
    asimismo aun sino
    """
)
"""Words that, where a text starts with them, point at or go on from something before it."""

PRONOUNS = _set(
    """
    he she it they him her his its their them this these those such
    er sie es ihn ihm ihr ihre ihren sein seine seinen dies diese dieser dieses
    il elle ils elles lui leur leurs ce cela ceci cette ces celui celle ceux
    él ella ellos ellas esto este esta estos estas eso ese esa su sus
    """
)
"""Words that stand for something that was named before."""

_SMALL = """
der die das den dem des ein eine einen einem einer eines und oder aber nicht ist sind war waren wird werden wurde hat
haben hatte mit von vom zu zum zur im in am an auf aus bei für nach über unter vor wie als auch noch nur so es er sie
wir ich man sich dass wenn kann
le la les un une des du de et ou mais ne pas est sont était été être avoir ont dans par pour sur avec sans plus que qui
dont où il elle ils elles on nous vous se ce cette ces son sa ses leur au aux
el los las una unos unas y o pero no es son era fue ser estar está han ha en por para con sin sobre más que quien cuyo
donde él ella ellos se lo su sus al del como
"""
FUNCTION = frozenset(words(_SMALL))
"""Words of German, French and Spanish that hold a sentence together, as `words` gives them; those of English are its
own `COMMON`."""

_GERMAN = _set("der die das und ist nicht ein eine mit von den zu auf für sich dem im wird auch")
_WORDS = re.compile(r"[^\W\d_]+")
_SAMPLE = 20_000


def capitalises_nouns(text: str) -> bool:
    """Whether a text looks German, where a capital letter says no more than that a word is a noun."""
    found = _WORDS.findall(text[:_SAMPLE])
    return sum(word in _GERMAN for word in found) > 0.12 * len(found)
