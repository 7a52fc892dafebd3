"""Words that lean on what stands before them: pronouns and connectives of English, German, French and Spanish."""

from __future__ import annotations

import re


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

_FIRST = re.compile(r"[^\W\d_]+")


def points_back(text: str) -> bool:
    """Whether a text starts with a pronoun or a connective, so that it cannot be read without what stands before."""
    first = _FIRST.search(text[:200])
    return first is not None and first[0].lower() in POINTING
