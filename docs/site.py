"""What `mkdocs.yml` needs beside its settings: the pages, the navigation, and the pages of the Python API.

The pages are copied with the folders they lie in, so that a link works in the repository and on the site. Navigation
and API pages are made from what there is: neither has to be kept up.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import seamline
from seamline import _WHERE

ROOT = Path(__file__).parents[1]
COPIED = (
    *("*.md", "LICENSE", "docs/**/*.md", "docs/pictures/*.svg", "docs/pictures/*.png"),
    *("benchmarks/README.md", "benchmarks/results/*"),
)


class ApiPage(NamedTuple):
    """A page that mkdocstrings fills."""

    title: str
    introduction: str
    names: list[str]
    """What it documents, by dotted names."""


API = {
    "docs/reference/api.md": ApiPage(
        "API",
        "Every public name of `seamline`, from its docstring. [Python](python-api.md) and "
        "[Python: the index](python-index.md) introduce them with examples.",
        [f"seamline.{_WHERE[name]}.{name}" for name in seamline.__all__],
    ),
    "docs/reference/api-plugins.md": ApiPage(
        "API: plugins",
        "What a package that extends Seamline imports. [Write a plugin](../howto/write-a-plugin.md) is the guide.",
        ["seamline.plugins"],
    ),
    "docs/reference/api-adapters.md": ApiPage(
        "API: adapters",
        "Classes for other frameworks. [Frameworks](../howto/frameworks.md) is the guide.",
        [f"seamline.adapters.{name}" for name in ("langchain", "llama_index", "haystack")],
    ),
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Copy the pages, and list them by their folders."""
    pages = Path(config.docs_dir)
    shutil.rmtree(pages, ignore_errors=True)
    for pattern in COPIED:
        for source in ROOT.glob(pattern):
            target = pages / source.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)

    def listed(folder: str) -> list[str]:
        return [path.relative_to(pages).as_posix() for path in sorted((pages / folder).glob("*.md"))]

    config.nav = [
        {"Seamline": ["README.md", {"All pages": "docs/index.md"}, {"Changelog": "CHANGELOG.md"}]},
        {"Tutorials": listed("docs/tutorial")},
        {"How-to guides": listed("docs/howto")},
        {"Reference": [*listed("docs/reference"), *({page.title: path} for path, page in API.items())]},
        {"Explanation": [*listed("docs/explain"), {"Decisions": listed("docs/adr")}]},
        {"Contributing": ["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"]},
        {"Benchmarks": ["benchmarks/README.md", *listed("benchmarks/results")]},
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that mkdocstrings fills."""
    for path, page in API.items():
        body = "\n\n".join(f"::: {name}" for name in page.names)
        text = f"# {page.title}\n\n{page.introduction}\n\n{body}\n"
        files.append(File.generated(config, path, content=text))
    return files
