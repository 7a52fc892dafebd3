"""`make sbom`: the software bill of materials of the locked packages (CycloneDX 1.6, JSON) and a report of licences.

Versions, hashes and who needs whom are read from the lock files, licences from the metadata of the installed packages.
The same lock files make the same bytes. A licence that is not on the list below ends it with exit code 1."""

from __future__ import annotations

import json
import re
import sys
import tomllib
import uuid
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-llm.lock")
TOOLS = {"dev", "docs"}
"""Extras for work on Seamline itself; the others are for its users."""

ALLOWED = {
    *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CNRI-Python", "ISC", "MIT", "MIT-0"),
    *("MIT-CMU", "MPL-2.0", "PSF-2.0", "Unlicense", "Zlib"),
}
"""Licences that any package may have, by SPDX names: permissive ones, and MPL, which asks nothing of other files."""
EXCEPTIONS = {
    "psycopg": {"LGPL-3.0-only"},  # installed by the user with the extra `postgres`, used unchanged
    "psycopg-binary": {"LGPL-3.0-only"},
}
STATED = {  # read in the files of these packages, as their metadata is silent or vague
    "apsw": "Zlib",  # or, by its own words, any licence that the OSI approved
    "axe-playwright-python": "MIT",
    "colorama": "BSD-3-Clause",
    "httpx2-jsfetch": "BSD-3-Clause",  # only installed in a browser
    "itsdangerous": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
    "jsonpointer": "BSD-3-Clause",
    "nest-asyncio": "BSD-2-Clause",
    "omegaconf": "BSD-3-Clause",
    "pypdfium2": "BSD-3-Clause AND Apache-2.0",
    "pyromark": "MIT",
    "pywin32": "PSF-2.0",  # only installed on Windows
    "scipy": "BSD-3-Clause",
    "tiktoken": "MIT",
    "tzdata": "Apache-2.0",  # only installed on Windows and in a browser
}
_SPELLINGS = {
    "3-clause bsd license": "BSD-3-Clause",
    "apache 2": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "psfl": "PSF-2.0",
    "python software foundation license": "PSF-2.0",
}
_PACKAGE = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)(?: ; (?P<marker>[^\\]+?))? \\$")
_HASH = re.compile(r"^ +--hash=sha256:([0-9a-f]{64})")
_VIA = re.compile(r"^ +# (?:via(?: |$)| )? *(?P<name>[A-Za-z0-9._-]*)")


class LockedPackage(NamedTuple):
    """One pin of a lock file."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]
    needed_by: tuple[str, ...]

    @property
    def purl(self) -> str:
        return f"pkg:pypi/{self.name}@{self.version}"


def canonical(name: str) -> str:
    """A name as lock files write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_lock(text: str) -> list[LockedPackage]:
    """The pins of a lock file that `uv pip compile --generate-hashes` wrote."""
    found: list[LockedPackage] = []
    for line in text.splitlines():
        if pin := _PACKAGE.match(line):
            found.append(LockedPackage(canonical(pin["name"]), pin["version"], pin["marker"] or "", (), ()))
        elif digest := _HASH.match(line):
            found[-1] = found[-1]._replace(hashes=(*found[-1].hashes, digest[1]))
        elif (via := _VIA.match(line)) and via["name"]:
            found[-1] = found[-1]._replace(needed_by=(*found[-1].needed_by, canonical(via["name"])))
        elif line.strip() and not via:
            raise ValueError(f"a line of a lock file that is not understood: {line}")
    return found


def locked_packages() -> list[LockedPackage]:
    """All pins, each once; where the files differ, that of the users' file wins."""
    found: dict[str, LockedPackage] = {}
    for lock in LOCKS:
        for package in read_lock((ROOT / lock).read_text(encoding="utf-8")):
            found.setdefault(package.purl, package)
    return sorted(found.values())


def licence_of(name: str) -> str:
    """The SPDX expression of a package; what its metadata says where that is none, empty where it says nothing."""
    if name in STATED:
        return STATED[name]
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return ""
    for expression in about.get_all("License-Expression") or []:
        return str(expression)
    classifiers = [
        line.split(" :: ")[-1] for line in about.get_all("Classifier") or [] if line.startswith("License ::")
    ]
    said = "".join(about.get_all("License") or []).strip()
    for candidate in (said, *classifiers):
        spelled = str(_SPELLINGS.get(candidate.lower(), candidate))
        if spelled and set(_names(spelled)) <= ALLOWED | EXCEPTIONS.get(name, set()):
            return spelled
    return str(said.split("\n")[0] or " AND ".join(classifiers))


def is_allowed(name: str, expression: str) -> bool:
    """Whether a package may have a licence: of `A OR B` one is enough, of `A AND B` both are needed."""
    allowed = ALLOWED | EXCEPTIONS.get(name, set())
    inner = re.search(r"\(([^()]*)\)", expression)
    if inner:  # parentheses from the inside out: what they hold becomes one name
        word = "MIT" if is_allowed(name, inner[1]) else "refused"
        return is_allowed(name, expression[: inner.start()] + word + expression[inner.end() :])
    return any(all(part.strip() in allowed for part in way.split(" AND ")) for way in expression.split(" OR "))


def _names(expression: str) -> list[str]:
    return [word for word in re.split(r" AND | OR |[()]", expression) if word.strip()]


def scopes(packages: Iterable[LockedPackage], project: Mapping[str, object]) -> dict[str, str]:
    """By name: `required` by Seamline itself, `optional` with an extra of its users, `excluded` where only work on
    Seamline needs it; the words of CycloneDX."""
    needs: dict[str, set[str]] = {}
    for package in packages:
        for other in package.needed_by:
            needs.setdefault(other, set()).add(package.name)
    extras = project["optional-dependencies"]
    core, users = _requirements(project["dependencies"]), set[str]()
    for name, lines in extras.items() if isinstance(extras, dict) else ():
        users |= _requirements(lines) if name not in TOOLS else set()
    required, optional = _reach(core, needs), _reach(users - {"seamline"}, needs)
    return {
        package.name: "required" if package.name in required else "optional" if package.name in optional else "excluded"
        for package in packages
    }


def _requirements(lines: object) -> set[str]:
    assert isinstance(lines, list)
    return {canonical(re.split(r"[^A-Za-z0-9._-]", line)[0]) for line in lines}


def _reach(start: set[str], needs: Mapping[str, set[str]]) -> set[str]:
    seen, left = set[str](), set(start)
    while left:
        seen |= left
        left = {other for name in left for other in needs.get(name, set())} - seen
    return seen


def bill(packages: list[LockedPackage], project: Mapping[str, object]) -> dict[str, object]:
    """The CycloneDX document."""
    own = f"pkg:pypi/seamline@{project['version']}"
    scope = scopes(packages, project)
    refs: dict[str, list[str]] = {}
    for package in packages:
        refs.setdefault(package.name, []).append(package.purl)
    needs: dict[str, set[str]] = {own: set(), **{package.purl: set() for package in packages}}
    for package in packages:
        for other in package.needed_by or ("seamline",):
            for ref in refs.get(other, [own]):
                needs[ref].add(package.purl)
    serial = uuid.uuid5(uuid.NAMESPACE_URL, "\n".join((own, *(f"{p.purl} {p.hashes}" for p in packages))))
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": own,
                "name": "seamline",
                "version": project["version"],
                "licenses": _licences(str(project["license"])),
                "purl": own,
            }
        },
        "components": [_component(package, scope[package.name]) for package in packages],
        "dependencies": [{"ref": ref, "dependsOn": sorted(others)} for ref, others in sorted(needs.items())],
    }


def _component(package: LockedPackage, scope: str) -> dict[str, object]:
    files = {
        "type": "distribution",
        "url": f"https://pypi.org/project/{package.name}/{package.version}/#files",
        "hashes": [{"alg": "SHA-256", "content": digest} for digest in package.hashes],
    }
    marker = {"properties": [{"name": "seamline:marker", "value": package.marker}]} if package.marker else {}
    return {
        "type": "library",
        "bom-ref": package.purl,
        "name": package.name,
        "version": package.version,
        "scope": scope,
        "licenses": _licences(licence_of(package.name)),
        "purl": package.purl,
        "externalReferences": [files],
        **marker,
    }


def _licences(expression: str) -> list[dict[str, object]]:
    if not expression:
        return []
    if expression in ALLOWED or expression == "LGPL-3.0-only":
        return [{"license": {"id": expression}}]
    if set(_names(expression)) <= ALLOWED:
        return [{"expression": expression}]
    return [{"license": {"name": expression}}]


def report(packages: list[LockedPackage], project: Mapping[str, object]) -> str:
    """The licences as a table of Markdown, users' packages first."""
    scope = scopes(packages, project)
    ranks = ("required", "optional", "excluded")
    rows = sorted({(ranks.index(scope[p.name]), p.name, p.version, licence_of(p.name) or "unknown") for p in packages})
    table = [f"| {name} | {version} | {ranks[rank]} | {licence} |" for rank, name, version, licence in rows]
    return "\n".join(["# Licences", "", "| package | version | scope | licence |", "|---|---|---|---|", *table, ""])


def objections(packages: Iterable[LockedPackage]) -> list[str]:
    """Packages whose licence is not on the list."""
    said = {package.name: licence_of(package.name) for package in packages}
    return [
        f"{name}: {said[name] or 'no licence is known'}" for name in sorted(said) if not is_allowed(name, said[name])
    ]


def main(folder: str) -> int:
    """Write both files into a folder."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    packages = locked_packages()
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(bill(packages, project), indent=2, ensure_ascii=False) + "\n"
    (out / "seamline.cdx.json").write_text(text, encoding="utf-8")
    (out / "licences.md").write_text(report(packages, project), encoding="utf-8")
    wrong = objections(packages)
    for line in wrong:
        print(f"a licence that is not on the list of .ci/sbom.py: {line}", file=sys.stderr)
    print(f"{out}/seamline.cdx.json and {out}/licences.md: {len(packages)} packages")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if sys.argv[1:] else "build/sbom"))
