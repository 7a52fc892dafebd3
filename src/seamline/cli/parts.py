"""The live objects of a command: models with the key of the environment, answers kept for the next run."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from seamline.cli.place import KEY_VARIABLE

if TYPE_CHECKING:
    from seamline.parts import Parts
    from seamline.recipe import Recipe


@lru_cache(4)
def parts_for(recipe: Recipe) -> Parts:
    """Made once for all inputs."""
    from seamline.pipeline import make_parts

    return make_parts(recipe, answers=answers_file() if recipe.llm else None, key=os.environ.get(KEY_VARIABLE, ""))


def answers_file() -> Path:
    """Where answers of language models are kept between runs, beside other things that can be had again."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base, "seamline")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / "answers.db"
