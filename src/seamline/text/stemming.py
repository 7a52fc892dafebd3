"""Stemmers of languages other than English: those of Snowball, from the package `snowballstemmer`.

English words are stemmed by rules of our own (`seamline.text.words.stem`), which need no package and run in a kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from threading import Lock

from seamline.errors import ConfigError, needed

ENGLISH = "english"
"""The language whose endings are taken off by default."""
LANGUAGES = (
    "arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "english", "esperanto", "estonian",
    "finnish", "french", "german", "greek", "hindi", "hungarian", "indonesian", "irish", "italian",
    "lithuanian", "nepali", "norwegian", "persian", "polish", "portuguese", "romanian", "russian", "serbian",
    "sesotho", "spanish", "swedish", "tamil", "turkish", "yiddish",
)  # fmt: skip
"""Every language that an index may be stemmed by."""


def check_language(language: str, place: str = "$.stemming") -> str:
    """The language, where it has a stemmer."""
    if language not in LANGUAGES:
        raise ConfigError(f"expected one of {', '.join(LANGUAGES)}, got {language!r}", place)
    return language


@lru_cache(len(LANGUAGES))
def load_stemmer(language: str) -> Callable[[str], str]:
    """What takes the endings off a word in lower case. Threads may share it."""
    with needed(f"snowballstemmer, which stems words of {language},", "stemming"):
        import snowballstemmer
    stemmer = snowballstemmer.stemmer(check_language(language))
    lock = Lock()  # a stemmer holds the word that it works on

    def stem(word: str) -> str:
        with lock:
            return str(stemmer.stemWord(word))

    return stem


def stemmer_version(language: str) -> str:
    """The release of the rules, without its last number: stems of two releases may differ."""
    from importlib.metadata import version

    load_stemmer(language)
    return ".".join(version("snowballstemmer").split(".")[:2])
