"""The bill of materials of `make sbom`: what is in it, and which licences end it."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / ".ci/sbom.py"
LOCK = """\
one==1.0 ; sys_platform == 'win32' \\
    --hash=sha256:{a} \\
    --hash=sha256:{b}
    # via seamline (pyproject.toml)
Two_x==2.0 \\
    --hash=sha256:{a}
    # via
    #   one
    #   seamline (pyproject.toml)
""".format(a="a" * 64, b="b" * 64)


@pytest.fixture(scope="module")
def sbom() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sbom", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the script writes, in the environment of the tests."""
    folder = tmp_path_factory.mktemp("sbom")
    ended = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return folder


def test_a_lock_file_is_read(sbom: ModuleType) -> None:
    one, two = sbom.read_lock(LOCK)
    assert (one.name, one.version, one.marker) == ("one", "1.0", "sys_platform == 'win32'")
    assert one.hashes == ("a" * 64, "b" * 64)
    assert (two.name, two.needed_by) == ("two-x", ("one", "seamline"))
    with pytest.raises(ValueError, match="not understood"):
        sbom.read_lock("one @ https://example.com/one.whl")


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("", False),
        ("GPL-3.0-only OR MIT", True),
        ("GPL-3.0-only AND MIT", False),
        ("MPL-2.0 AND (Apache-2.0 OR GPL-3.0-only)", True),
        ("(GPL-2.0-only OR GPL-3.0-only) AND MIT", False),
        ("LGPL-3.0-only", False),
    ],
)
def test_licences_that_are_allowed(sbom: ModuleType, licence: str, allowed: bool) -> None:
    assert sbom.is_allowed("any", licence) is allowed


def test_a_package_of_another_licence_is_named(sbom: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    package = sbom.read_lock(LOCK)[0]
    monkeypatch.setitem(sbom.STATED, "one", "GPL-3.0-only")
    assert sbom.objections([package]) == ["one: GPL-3.0-only"]
    monkeypatch.setitem(sbom.STATED, "one", "")
    assert sbom.objections([package]) == ["one: no licence is known"]


def test_every_pin_is_in_the_bill_with_its_hashes_and_licence(made: Path) -> None:
    bill = json.loads((made / "seamline.cdx.json").read_text(encoding="utf-8"))
    parts = {(part["name"], part["version"]): part for part in bill["components"]}
    for lock in ROOT.glob("requirements*.lock"):
        entries = re.split(r"^(?=\S)", lock.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for entry in filter(None, entries):
            name, version = re.match(r"(\S+?)==(\S+)", entry).groups()  # type: ignore[union-attr]
            part = parts[name, version]
            hashes = {one["content"] for one in part["externalReferences"][0]["hashes"]}
            assert hashes == set(re.findall("sha256:([0-9a-f]+)", entry)), name
            assert part["licenses"], name
    wanted = {name for (name, _), part in parts.items() if part["scope"] == "required"}
    assert wanted == set(re.findall("^([a-z-]+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    assert {part["scope"] for (name, _), part in parts.items() if name in ("apsw", "pytest")} == {
        "optional",
        "excluded",
    }


def test_the_bill_keeps_the_rules_of_cyclonedx(made: Path, sbom: ModuleType) -> None:
    """Those of its JSON Schema that this document could break."""
    text = (made / "seamline.cdx.json").read_text(encoding="utf-8")
    bill = json.loads(text)
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bill["serialNumber"])
    refs = [part["bom-ref"] for part in (bill["metadata"]["component"], *bill["components"])]
    assert len(refs) == len(set(refs))
    assert [one["ref"] for one in bill["dependencies"]] == sorted(refs)
    assert {ref for one in bill["dependencies"] for ref in one["dependsOn"]} == set(refs[1:])
    for part in bill["components"]:
        assert set(part) - {"properties"} == {
            *("type", "bom-ref", "name", "version", "scope", "licenses", "purl", "externalReferences")
        }
        assert part["type"] == "library"
        assert part["scope"] in ("required", "optional", "excluded")
        (licence,) = part["licenses"]
        assert set(licence) == {"expression"} or set(licence["license"]) in ({"id"}, {"name"})
        (reference,) = part["externalReferences"]
        assert all(re.fullmatch("[0-9a-f]{64}", one["content"]) for one in reference["hashes"])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    again = json.dumps(sbom.bill(sbom.locked_packages(), project), indent=2, ensure_ascii=False) + "\n"
    assert again == text, "the same lock files make the same bytes"


def test_every_core_dependency_has_its_reason_in_the_docs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    page = (ROOT / "docs/explain/dependencies.md").read_text(encoding="utf-8")
    extras = project["optional-dependencies"]
    names = [re.split(r"[^\w.-]", line)[0] for line in [*project["dependencies"], *extras["index"]]]
    assert not [name for name in names if f"| `{name}` |" not in page]
