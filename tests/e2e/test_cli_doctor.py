"""Help, version, doctor and completion."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

import seamline

COMMANDS = (
    *("index", "search", "context", "cite", "ls", "get", "remove", "forget", "sources", "stats"),
    *("export", "import", "chunk", "inspect", "audit", "eval", "tune", "serve", "mcp"),
    *("schema", "trust", "doctor", "completion"),
)


def test_version_is_quick(cli) -> None:
    process = cli.start("--version")
    out, _ = process.communicate()
    assert out.decode() == f"seamline {seamline.__version__}\n"
    best = min(cpu_of(cli) for _ in range(3))
    assert best < 0.2


def cpu_of(cli) -> float:
    process = cli.start("--version", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_utime + usage.ru_stime


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches_by_example(cli, command: str) -> None:
    ended = cli(command, "--help", env={"COLUMNS": "120"})
    assert (ended.code, ended.err) == (0, "")
    assert f"  seamline {command} " in ended.out.partition("examples:")[2]
    assert max(map(len, ended.out.splitlines())) <= 120


def test_help_lists_the_commands(cli) -> None:
    out = cli("--help").out
    assert all(f"    {command} " in out for command in COMMANDS)
    bare = cli()
    assert (bare.code, bare.out) == (0, out)


def test_the_help_names_what_is_looked_for_in_folders(cli) -> None:
    from seamline.formats import FORMATS

    said = cli("chunk", "--help").out
    assert [one.suffixes[0] for one in FORMATS if one.in_folders and one.suffixes and one.suffixes[0] not in said] == [
        ".py"
    ]


def test_doctor_finds_a_sound_installation(cli) -> None:
    ended = cli("doctor")
    assert (ended.code, ended.err) == (0, "")
    assert "tokenizer o200k_base    counts known strings exactly" in ended.out
    report = json.loads(cli("doctor", "--json").out)
    assert report["ok"] is True
    states = {check["name"]: check["state"] for check in report["checks"]}
    parts = ("python", "seamline", "pyromark", "tokenizer cl100k_base", "seamline.toml", "bundled model", "lancedb")
    assert {states[part] for part in (*parts, "words for BM25", "index")} == {"ok"}
    assert str(Path(seamline.__file__).parent) not in json.dumps(report)


def test_doctor_finds_a_broken_config(cli, write) -> None:
    write("seamline.toml", "[budget]\nlimit = 'x'\n")
    ended = cli("doctor")
    assert ended.code == 1
    assert "failed    seamline.toml" in ended.out
    assert "$.budget.limit" in ended.out


def test_doctor_finds_a_missing_part(cli, write) -> None:
    write("stubs/pyromark.py", "raise ImportError('broken on purpose')")
    path = f"{cli.folder / 'stubs'}{os.pathsep}{cli.env['PYTHONPATH']}"
    ended = cli("doctor", env={"PYTHONPATH": path})
    assert ended.code == 1
    assert "failed    Markdown parser         ImportError: broken on purpose; run `pip install" in ended.out
    assert "ok        tokenizer o200k_base" in ended.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_option(cli, shell: str) -> None:
    ended = cli("completion", shell)
    assert (ended.code, ended.err) == (0, "")
    for word in (*COMMANDS, "front-matter", "no-breadcrumb", "root", "hybrid"):
        assert word in ended.out


def test_the_bash_script_parses_and_completes(cli, write) -> None:
    script = write("seamline.bash", cli("completion", "bash").out)
    subprocess.run(["bash", "-n", script], check=True)
    assert completed(script, "seamline", "") == list(COMMANDS)
    assert completed(script, "seamline", "chunk", "--expl") == ["--explain"]
    assert completed(script, "seamline", "chunk", "a.md", "--packer", "") == ["optimal", "fill", "decay"]
    assert completed(script, "seamline", "chunk", "--config", "") == []
    assert completed(script, "seamline", "completion", "z") == ["zsh"]
    assert completed(script, "seamline", "search", "retries", "--legs", "") == ["hybrid", "dense", "bm25"]
    assert completed(script, "seamline", "index", "--wa") == ["--watch"]


def completed(script: Path, *words: str) -> list[str]:
    code = (
        f'source "{script}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _seamline; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run(["bash", "-c", code, "bash", *words], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_doctor_says_what_holds_the_parsers(cli) -> None:
    def line(**env: str) -> str:
        return next(one for one in cli("doctor", env=env).out.splitlines() if " parser isolation " in one)

    assert "limits" in line()
    assert line(SEAMLINE_ISOLATE="0").startswith("optional  parser isolation")
