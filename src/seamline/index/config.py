"""What an index is made with, and whether it may still be used with what there is now."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace

from seamline.errors import StoreError
from seamline.protocols import Embedder, Store
from seamline.recipe.recipe import Overlap, Recipe
from seamline.recipe.toml import from_mapping, to_toml
from seamline.records import Settings
from seamline.text.stemming import ENGLISH, check_language, stemmer_version
from seamline.text.words import ANALYZER

SHADOW = 60
"""Tokens of each neighbour that an index keeps beside a chunk, where the recipe repeats nothing; half of a limit below
twice this."""
SCHEMA = 2
"""Of what entries mean; the layout of a store has a number of its own."""
LATE = 1
"""Of the rules by which chunks are read together."""


@dataclass(frozen=True, slots=True)
class IndexConfig:
    """What an index is made with. It stays so: an index with another configuration is another index."""

    recipe: Recipe | None = None
    """None: the default recipe; an index that is there already goes on with its own."""
    embedder: str = "seam"
    hierarchy: bool = True
    """Whether sections are searched too, by their summaries."""
    dual: bool = False
    """Whether the summaries of chunks have vectors of their own."""
    late: bool = False
    """Whether chunks are read together with those around them, as many as the embedder reads at once."""
    stemming: str = ENGLISH
    """The language whose endings are taken off words: one of `seamline.text.stemming.LANGUAGES`."""

    def __post_init__(self) -> None:
        check_language(self.stemming)


def recipe_of(settings: Settings) -> Recipe:
    """The recipe an index was made with."""
    return from_mapping(tomllib.loads(settings.recipe))


def settings_of(config: IndexConfig, embedder: Embedder) -> Settings:
    """What an index of this config records of itself. A ProviderError where the embedder cannot make it."""
    recipe = add_shadows(config.recipe or Recipe())
    options = {"hierarchy": "yes" if config.hierarchy else "no"}
    if config.late:
        from seamline.embed.late import token_embedder

        token_embedder(embedder)
        options["late"] = str(LATE)
    if config.stemming != ENGLISH:
        options |= {"stemming": config.stemming, "stemmer": stemmer_version(config.stemming)}
    return Settings(
        schema=SCHEMA,
        recipe=to_toml(recipe),
        fingerprint=recipe.fingerprint,
        embedder=config.embedder,
        dimensions=embedder.dimensions,
        embedding=embedder.fingerprint,
        analyzer=ANALYZER,
        dual=config.dual,
        options=options,
    )


def is_late(settings: Settings) -> bool:
    """Whether the chunks of an index are read together with those around them."""
    return "late" in settings.options


def add_shadows(recipe: Recipe) -> Recipe:
    """The recipe as an index uses it: with shadows, where it repeats nothing else."""
    if recipe.overlap.kind != "none":
        return recipe
    return replace(recipe, overlap=Overlap("shadows", min(SHADOW, recipe.budget.limit // 2)))


_ELSEWHERE = "index into another place, or leave the option out to go on with this one"


def check(store: Store, embedder: Embedder, config: IndexConfig | None) -> None:
    """Refuse an index that was made with something else than what would be used on it now."""
    made = store.settings
    if made.embedding != embedder.fingerprint or made.dimensions != embedder.dimensions:
        raise StoreError(
            f"the index at {store.url} was made with another version of the embedder {made.embedder}: "
            "vectors of two models cannot be compared; index into another place"
        )
    if made.analyzer != ANALYZER or made.schema != SCHEMA or made.options.get("late", str(LATE)) != str(LATE):
        raise StoreError(f"the index at {store.url} was made by another version of Seamline: index into another place")
    stemmer = made.options.get("stemmer", "")
    if stemmer and stemmer != (installed := stemmer_version(made.stemming)):
        raise StoreError(
            f"the index at {store.url} was made with snowballstemmer {stemmer}, and {installed} is installed: their "
            f"words may differ; run `pip install 'snowballstemmer=={stemmer}.*'`, or index into another place"
        )
    if config is None:
        return
    wanted = settings_of(config if config.recipe else replace(config, recipe=recipe_of(made)), embedder)
    for name, (asked, there) in _choices(wanted, made).items():
        if asked != there:
            differs = _recipe_difference(made, wanted) if name == "recipe" else ""
            raise StoreError(
                f"the index at {store.url} was made {_difference_text(name, asked)}{differs}: {_ELSEWHERE}"
            )


_MOST_NAMED = 4
"""Settings that differ and are named."""


def _recipe_difference(made: Settings, wanted: Settings) -> str:
    """` (budget.limit 512 here, 256 asked for)`: the settings that differ, as the recipes write them."""
    here, asked = (_flat_settings(settings.recipe) for settings in (made, wanted))
    differs = [key for key in {**here, **asked} if here.get(key) != asked.get(key)]
    told = [f"{key} {here.get(key, 'unset')} here, {asked.get(key, 'unset')} asked for" for key in differs]
    more = f"; and {len(told) - _MOST_NAMED} more" if len(told) > _MOST_NAMED else ""
    return f" ({'; '.join(told[:_MOST_NAMED])}{more})" if told else ""


def _flat_settings(recipe: str) -> dict[str, object]:
    """The settings of a recipe by their places, such as `budget.limit`."""
    import tomllib

    flat: dict[str, object] = {}
    for name, value in tomllib.loads(recipe).items():
        flat |= {f"{name}.{key}": inner for key, inner in value.items()} if isinstance(value, dict) else {name: value}
    return flat


def _choices(wanted: Settings, made: Settings) -> dict[str, tuple[object, object]]:
    """What was asked for and what there is, by what people call it."""
    fields = {"embedder": "embedder", "recipe": "fingerprint", "dual": "dual"}
    options = {**wanted.options, **made.options}
    return {
        **{name: (getattr(wanted, field), getattr(made, field)) for name, field in fields.items()},
        **{name: (wanted.options.get(name), made.options.get(name)) for name in options},
    }


def _difference_text(name: str, asked: object) -> str:
    if name == "late":
        return "without late vectors" if asked else "with late vectors"
    if name in ("stemming", "stemmer"):
        return "with stems of another language"
    return f"with another {name}"
