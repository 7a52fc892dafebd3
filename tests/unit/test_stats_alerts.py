"""What `seamline stats` says about an index that should be looked at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import seamline
from seamline.cli.main import main

TEXT = "# Pumps\n\nThe red pump of the second hall needs part seven before the end of the week.\n"


def test_what_is_beyond_its_threshold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "kb"
    with seamline.open_index(place, config=seamline.IndexConfig(embedder="hash")) as index:
        index.add("a.md", TEXT)
        fine = index.stats()
        assert (fine.completeness, fine.alerts) == (1.0, [])
        index.add_many([("b.md", TEXT), ("c.md", "7 8 9")])  # the same again; and neither a title nor a language
        told = index.stats().alerts
        assert index.stats().completeness < 0.95
    assert len(told) == 2
    assert main(["stats", "--index", str(place), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["alerts"] == told
    assert main(["stats", "--index", str(place)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == [f"  alerts        {told[0]}", f"                {told[1]}"]
