"""What each extra weighs on disk, for the table of docs/howto/install.md.

    pip install '.[all,langchain,llama-index,haystack]'
    python -m benchmarks.install

Sizes are those of the files that pip wrote, byte code included. A package counts for every extra that needs it, so
columns do not add up; `adds` is what an extra brings beside the base package.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement

LARGEST = 4
"""Packages that a row names."""


def needs(package: str, extras: frozenset[str], seen: dict[str, Distribution]) -> None:
    """Collects a package and all that it needs."""
    found = distribution(package)
    seen[found.metadata["Name"].lower().replace("_", "-")] = found
    for line in found.requires or ():
        requirement = Requirement(line)
        if any(marked(requirement, extra) for extra in (extras or {""})):
            name = requirement.name.lower().replace("_", "-")
            wanted = frozenset(requirement.extras)
            if name not in seen or wanted:
                try:
                    needs(requirement.name, wanted, seen)
                except PackageNotFoundError:
                    raise SystemExit(f"{requirement.name} is not installed: install all extras first") from None


def marked(requirement: Requirement, extra: str) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def size(found: Distribution) -> int:
    paths = {str(found.locate_file(file)): found.locate_file(file) for file in found.files or ()}
    return sum(path.stat().st_size for path in paths.values() if path.is_file())  # type: ignore[attr-defined]


def rows() -> Iterator[tuple[str, int, int, str]]:
    """Extra, megabytes in all, megabytes it adds, and its largest packages."""
    base: dict[str, Distribution] = {}
    needs("seamline", frozenset(), base)
    sizes: dict[str, int] = {}
    names = sorted(set(distribution("seamline").metadata.get_all("Provides-Extra") or ()) - {"dev", "docs", "all"})
    for extra in ("", *names, "all"):
        seen: dict[str, Distribution] = {}
        needs("seamline", frozenset({extra}) if extra else frozenset(), seen)
        sizes |= {name: size(found) for name, found in seen.items() if name not in sizes}
        new = sorted(seen.keys() - base.keys() if extra else seen, key=lambda name: -sizes[name])
        largest = ", ".join(f"{name} {megabytes(sizes[name])}" for name in new[:LARGEST])
        yield extra or "(none)", sum(map(sizes.__getitem__, seen)), sum(map(sizes.__getitem__, new)), largest


def megabytes(count: int) -> int:
    return round(count / 1e6)


if __name__ == "__main__":
    print("| extra | in all | adds | largest |\n|---|---|---|---|")
    for extra, whole, added, largest in rows():
        print(f"| `{extra}` | {megabytes(whole)} MB | {megabytes(added)} MB | {largest} |")
