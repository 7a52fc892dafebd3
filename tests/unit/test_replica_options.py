"""What `seamline serve --on ray` refuses before it starts anything."""

from __future__ import annotations

from pathlib import Path

import pytest

import seamline
from seamline.cli.main import main


@pytest.fixture
def place(tmp_path: Path) -> str:
    with seamline.open_index(tmp_path / "index", config=seamline.IndexConfig(embedder="hash"), root=tmp_path) as index:
        index.add("a.md", "The pump is red.")
    return str(tmp_path / "index")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--on", "ray"], "expected s3://BUCKET/PREFIX"),
        (["--on", "dask"], "expected ray, or ray://HOST:PORT, got 'dask'"),
        (["--on", "ray", "--write"], "write with `seamline index`"),
        (["--on", "ray", "--workers", "2"], "expected --replicas with --on"),
        (["--on", "ray", "--api-key-env", "HOME"], "keys do not travel"),
        (["--on", "ray", "--replicas", "0"], "--replicas: expected 1 or more, got 0"),
        (["--on", "ray", "--port", "0"], "--port: expected the number of a port"),
        (["--replicas", "2"], "--replicas: expected with --on ray"),
        (["--on", "ray", "--host", "0.0.0.0"], "the server needs tokens"),
    ],
)
def test_options_that_cannot_be(place: str, options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--index", place, *options]) == 2
    assert said in capsys.readouterr().err
