"""The live objects of a command: models with their keys, answers kept for the next run."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seamline.parts import Parts
    from seamline.recipe import Recipe
    from seamline.trust import Access


@lru_cache(4)
def parts_for(recipe: Recipe, access: Access) -> Parts:
    """Made once for all inputs."""
    from seamline.pipeline import make_parts

    return make_parts(recipe, answers=answers_file() if recipe.llm else None, access=access)


def answers_file() -> Path:
    """Where answers of language models are kept between runs, beside other things that can be had again."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base, "seamline")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / "answers.db"
