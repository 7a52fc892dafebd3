"""The reference pages hold every name that the code has: a new field, option, rule or file needs its line."""

from __future__ import annotations

import argparse
import inspect
import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path

import pytest
from pages import PAGES, ROOT, name_of

import seamline
from seamline import Budget, Overlap, Recipe
from seamline.cli import output as exits
from seamline.cli.main import COMMANDS, build_parser
from seamline.cut.audit.audit import RULES
from seamline.filters.tree import FIELDS
from seamline.formats import FORMATS
from seamline.recipe.presets import OVERLAPS, PRESETS, SIZES
from seamline.recipe.recipe import DERIVED, FACTS, KINDS, PLACES, SCORES, SECTIONS
from seamline.recipe.toml import TABLES, to_toml
from seamline.registry import STRATEGIES
from seamline.search.hits import PromptPassage, Why
from seamline.search.plan import Plan

REFERENCE = ROOT / "docs/reference"
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+ (?P<title>.+)$", re.MULTILINE)
CODE = re.compile(r"^(`{3,}).*?^\1", re.MULTILINE | re.DOTALL)


def page(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")


def missing(names: Iterable[str], text: str) -> list[str]:
    """Names that a page does not put in code marks, alone or at the start of a piece of code."""
    said = {word for code in re.findall(r"`([^`\n]+)`", text) for word in (code, re.split(r"[ \[(={]", code)[0])}
    return [name for name in names if name not in said]


def parsers() -> dict[str, argparse.ArgumentParser]:
    whole = build_parser()
    commands = next(action for action in whole._actions if isinstance(action, argparse._SubParsersAction))
    return {"": whole, **commands.choices}


def options(parser: argparse.ArgumentParser) -> list[str]:
    return [name for action in parser._actions for name in action.option_strings]


def test_every_field_of_the_recipe() -> None:
    names = [field.name for kind in (Recipe, Budget, Overlap) for field in fields(kind)]
    assert not missing(names, page("recipe.md"))


def test_every_default_of_the_recipe() -> None:
    text = page("recipe.md")
    for name, place in PLACES.items():
        value = getattr(Recipe(), name)
        shown = (
            f'"{value}"'
            if isinstance(value, str)
            else str(list(value))
            if isinstance(value, tuple)
            else str(value).lower()
        )
        assert f"| `{name}` | `{place}` | `{shown}` |" in text


def test_every_key_of_the_configuration_file() -> None:
    text = page("recipe.md")
    assert not missing(["preset", *PLACES.values(), *KINDS], text)
    assert not missing((key for table in ("budget", "overlap") for key in TABLES[table]), text)
    assert not [table for table in ("budget", "overlap", "whole", "split", "scores") if f"## {table}\n" not in text]
    assert to_toml(Recipe()) in text


def test_every_setting_of_a_strategy_with_its_default() -> None:
    text = page("strategies.md")
    for name, kind in SECTIONS.items():
        assert f"## {name}\n" in text
        for field in fields(kind):
            value = getattr(kind(), field.name)
            plain = list(value) if isinstance(value, tuple) else value
            shown = f'"{value}"' if isinstance(value, str) else str(plain).lower()
            assert f"| `{field.name}` | `{shown}` |" in text, (name, field.name)


def test_every_strategy_fact_and_kind_of_derived_text() -> None:
    text = page("strategies.md")
    assert not missing([*STRATEGIES.ours, *FACTS, *DERIVED], text)
    assert not missing((field.name for field in fields(seamline.Facts)), text)
    assert not missing((field.name for field in fields(seamline.Derived) if field.name != "document"), text)


def test_every_score_with_its_default() -> None:
    text = page("recipe.md")
    assert not [key for key, score in SCORES.items() if f"| `{key}` | {score} |" not in text]


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_option_of_a_command(command: str) -> None:
    text = page("cli.md")
    assert f"## seamline {command}".rstrip() in text
    assert not missing(options(parsers()[command]), text)


@pytest.mark.parametrize("name", ["cli.md", "notices-and-errors.md"])
def test_every_exit_code(name: str) -> None:
    codes = [value for key, value in vars(exits).items() if key.isupper() and isinstance(value, int)]
    assert len(codes) == 6
    assert not [code for code in codes if f"| {code} |" not in page(name)]


def test_every_format_with_its_suffixes() -> None:
    text = page("formats.md")
    assert not missing([one.name for one in FORMATS], text)
    suffixes = [suffix for one in FORMATS if one.name != "code" for suffix in one.suffixes]
    assert not [suffix for suffix in suffixes if not re.search(rf"{re.escape(suffix)}(?![\w])", text)]


def test_every_audit_rule_in_its_own_words() -> None:
    text = page("audit-rules.md")
    assert not [rule for rule, meaning in RULES.items() if f"| `{rule}` | {meaning} |" not in text]


def test_every_key_of_a_record() -> None:
    chunks = seamline.chunk("# A\n\n" + "One sentence. " * 60, limit=64, overlap="shadows")
    keys = {key for chunk in chunks for key in chunk.to_dict()}
    inner = {key for chunk in chunks for context in chunk.to_dict()["context"] for key in context}
    assert "shadows" in keys
    assert not missing(keys | inner, page("json-lines.md"))


def test_every_preset_with_its_figures() -> None:
    text = page("presets.md")
    for name, recipe in PRESETS.items():
        overlap = recipe.overlap
        repeats = overlap.kind if overlap.kind == "none" else f"{overlap.kind}, {overlap.tokens}"
        sizes = f"{recipe.budget.target} | {recipe.budget.limit} | {recipe.budget.floor}"
        row = f"| `{name}` | {sizes} | {recipe.tokenizer} | {recipe.packer} | {recipe.sections} | {repeats} |"
        assert row in text
    assert not missing([*SIZES, *OVERLAPS], text)


PYTHON = ("python-api.md", "python-index.md")


def test_every_public_name() -> None:
    names = [name for name in seamline.__all__ if not issubclass_of_error(name)]
    assert not missing(names, "".join(page(name) + headings_as_code(name) for name in PYTHON))


SIGNATURE = re.compile(r"^    (?P<name>\w+)\((?P<given>[^)]*)\)", re.MULTILINE)
METHOD = re.compile(r"`(?P<name>\w+)\((?P<given>[^)`]*)\)")


def parameters(function: Callable[..., object]) -> list[str]:
    """The names of what a function takes, and where those that need their name begin."""
    found: list[str] = []
    for one in inspect.signature(function).parameters.values():
        if one.kind is one.KEYWORD_ONLY and "*" not in found:
            found.append("*")
        found += [one.name] if one.name != "self" else []
    return found


@pytest.mark.parametrize("name", PYTHON)
def test_every_signature_of_a_function(name: str) -> None:
    shown = {found["name"]: found["given"] for found in SIGNATURE.finditer(page(name))}
    assert shown
    for function, given in shown.items():
        names = [part.split("=")[0].strip() for part in given.split(",")]
        assert names == parameters(getattr(seamline, function)), function


def test_every_signature_of_a_method_of_an_index() -> None:
    shown = {found["name"]: found["given"] for found in METHOD.finditer(page("python-index.md"))}
    methods = {name: value for name, value in vars(seamline.Index).items() if inspect.isfunction(value)}
    for name, method in methods.items():
        if not name.startswith("_"):
            given = [part.strip() for part in shown[name].split(",") if part.strip()]
            assert given == parameters(method), name


def headings_as_code(name: str) -> str:
    return " ".join(f"`{title}`" for title in HEADING.findall(page(name)))


def test_every_field_of_the_values() -> None:
    text = page("python-api.md")
    for kind in (seamline.Chunk, seamline.Document, seamline.Source, seamline.Node):
        assert not missing((field.name for field in fields(kind)), text)
    for row in (seamline.Block, seamline.Span, seamline.Context, seamline.Notice, seamline.Violation):
        assert not missing(row._fields, text)


def test_every_field_of_the_values_of_an_index() -> None:
    text = page("python-index.md")
    of_a_search = (
        seamline.Results,
        seamline.Hit,
        seamline.Citation,
        seamline.ContextText,
        seamline.Resolved,
        PromptPassage,
    )
    for kind in (
        *of_a_search,
        Why,
        Plan,
        seamline.IndexConfig,
        seamline.UpdateReport,
        seamline.SearchOptions,
        seamline.Stats,
    ):
        assert not missing((field.name for field in fields(kind) if field.name != "query"), text), kind.__name__
    assert not missing((name for name in vars(seamline.Index) if not name.startswith("_")), text)


def test_every_default_of_a_search() -> None:
    text = page("python-index.md")
    for field in fields(seamline.SearchOptions):
        value = getattr(seamline.SearchOptions(), field.name)
        shown = f'"{value}"' if isinstance(value, str) else str(value)
        assert f"| `{field.name}` | `{shown.partition('(')[0]}" in text, field.name


def test_every_field_of_a_filter() -> None:
    assert not missing([*FIELDS, "meta.NAME"], page("filters.md"))


def test_every_extra_with_its_size() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    names = extras.keys() - {"dev", "docs"}
    assert not missing(names, (ROOT / "docs/index.md").read_text(encoding="utf-8"))
    rows = (ROOT / "docs/howto/install.md").read_text(encoding="utf-8")
    assert not [name for name in names if not re.search(rf"^\| `{name}` \| [\d,]+ MB \|", rows, re.MULTILINE)]


def test_every_error() -> None:
    errors = [name for name in seamline.__all__ if issubclass_of_error(name)]
    assert len(errors) == 9
    assert not missing(errors, page("notices-and-errors.md"))


def issubclass_of_error(name: str) -> bool:
    value = getattr(seamline, name)
    return isinstance(value, type) and issubclass(value, seamline.SeamlineError)


def test_every_notice() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "src/seamline").rglob("*.py")]
    codes = {code for text in sources for code in re.findall(r'\bNotice\(\s*"([^"]+)"', text)}
    assert codes
    assert not missing(codes, page("notices-and-errors.md"))


# --- the map of the code, and links ----------------------------------------------------------------------------------


def test_the_architecture_page_names_every_package() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    packages = [path.parent.name for path in (ROOT / "src/seamline").glob("*/__init__.py")]
    assert packages
    assert not [package for package in packages if f"`{package}/`" not in text]


def test_the_architecture_page_names_every_folder_of_tests() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    folders = {path.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").rglob("test_*.py")}
    assert not [folder for folder in folders if f"`{folder}/`" not in text]


def test_the_security_page_says_what_holds_and_what_does_not() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert set(HEADING.findall(text)) >= {
        "Security",
        "Reporting",
        "Supported versions",
        "What Seamline treats as hostile",
        "What is a boundary, and what is not",
    }
    parts = re.split(r"^#+ ", text, flags=re.MULTILINE)
    said = {part.partition("\n")[0]: part for part in parts}
    assert "private security advisories" in said["Reporting"]
    minor = ".".join(seamline.__version__.split(".")[:2])
    assert f"| {minor}.x | yes |" in said["Supported versions"]
    assert "**Not a boundary:**" in said["What is a boundary, and what is not"]
    assert "(SECURITY.md)" in page("../../README.md")


DOCUMENTS = [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(document: Path) -> None:
    broken = []
    for link in LINK.finditer(CODE.sub("", document.read_text(encoding="utf-8"))):
        path, _, anchor = link["target"].partition("#")
        if "://" in path:
            continue
        target = (document.parent / path).resolve() if path else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link["target"])
    assert not broken


def anchors(document: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    titles = HEADING.findall(CODE.sub("", document.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_is_linked_from_the_index() -> None:
    index = ROOT / "docs/index.md"
    linked = {(index.parent / link["target"]).resolve() for link in LINK.finditer(index.read_text(encoding="utf-8"))}
    assert not [name_of(page) for page in PAGES[1:] if page != index and page not in linked]
