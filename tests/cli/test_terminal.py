"""Colours, and what reaches a terminal."""

from __future__ import annotations

import ast
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from case_tables import every_case
from long_forms import LONG_ONLY

import porism.cli
from porism.cli.terminal import in_color, style

FILES = sorted(Path(porism.cli.__file__).parent.glob("*.py"))
HOSTILE = "id\x1b]0;owned\x07\x9b2J"


@every_case("path", [path for path in FILES if path.name != "terminal.py"], ids=lambda path: path.name)
def test_nothing_prints_but_through_the_terminal_module(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr in ("echo", "secho", "style"):
            assert not (isinstance(node.value, ast.Name) and node.value.id == "click"), (
                f"{path.name}:{node.lineno}: print with porism.cli.terminal, which removes control characters"
            )
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "print", f"{path.name}:{node.lineno}: print with porism.cli.terminal"


@every_case(("environment", "terminal", "expected"), [
    ({}, True, True), ({}, False, False), ({"NO_COLOR": "1"}, True, False), ({"NO_COLOR": ""}, True, True),
    ({"FORCE_COLOR": "1"}, False, True), ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
    ({"TERM": "dumb"}, True, False),
])
def test_colours_follow_the_environment(monkeypatch, environment, terminal, expected) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal, raising=False)
    assert in_color() is expected
    assert style("x\x1b", bold=True) == ("\x1b[1mx�\x1b[0m" if expected else "x�")


@pytest.fixture
def hostile(porism, tmp_path: Path) -> Path:
    """An index of a document all parts of which hold escape sequences."""
    table = tmp_path / "table.jsonl"
    entry = {"id": HOSTILE, "title": f"prime {HOSTILE}", "body": f"<script>alert(1)</script> {HOSTILE} prime $p^2$",
             "tags": [HOSTILE], "type": HOSTILE}
    table.write_text(json.dumps(entry) + "\n", encoding="utf-8")
    assert porism("index", table, "--index", tmp_path / "hostile", "--jobs", 1).status == 0
    return tmp_path / "hostile"


def unsafe(text: str) -> list[str]:
    """The control characters of a text but line feeds."""
    return [one for one in text if (ord(one) < 32 and one != "\n") or 0x7F <= ord(one) < 160]


@pytest.mark.parametrize("arguments", [
    ("search", "prime $p^2$"), ("search", "prime $p^2$", "--explain"), ("search", "prime $p^2$", "--json"),
    ("search", "--formulas", "p^2"), ("search", "--formulas", "p^2", "--json", "--explain"),
    ("search", "prime", "--filter", "type=x"), ("similar", HOSTILE), ("similar", f"{HOSTILE}x"), ("open", "1"),
    ("open", f"{HOSTILE}x"), ("delete", f"{HOSTILE}x"), ("search", f"nowhere:{HOSTILE}"),
    ("search", f"prim\x1b[31mw {HOSTILE}"),
])
def test_escape_sequences_of_documents_do_not_reach_the_terminal(porism, hostile, arguments) -> None:
    porism("search", "prime", "--index", hostile)
    result = porism(*arguments, "--index", hostile)
    assert unsafe(result.out + result.err) == []
    info = porism("info", hostile)
    assert unsafe(info.out + info.err) == []


def test_json_keeps_the_id_as_it_is(porism, hostile) -> None:
    (hit,) = json.loads(porism("search", "prime", "--index", hostile, "--json").out)
    assert hit["id"] == HOSTILE
    assert hit["snippet"]["text"].startswith("<script>")  # plain text: a page that shows it escapes it
    assert "<mark>" not in json.dumps(hit)


@LONG_ONLY
@every_case("encoding", ["latin-1", "utf-8"])
def test_a_terminal_may_lack_characters(sample_index: Path, encoding: str) -> None:
    answer = _run(sample_index, "search", r"sum of squares $\sum n^2$", encoding=encoding)
    assert answer.returncode == 0
    text = answer.stdout.decode(encoding)
    assert ("\\u2211" in text, "\u2211" in text) == ((False, True) if encoding == "utf-8" else (True, False))


@LONG_ONLY
@pytest.mark.skipif(os.name == "nt", reason="shells of POSIX close descriptors")
def test_standard_output_may_be_closed(sample_index: Path) -> None:
    for closed in (">&-", ">&- 2>&-"):
        answer = _run(sample_index, "info", closed=closed)
        assert (answer.returncode, answer.stdout, answer.stderr) == (0, b"", b"")


def test_a_ctrl_c_that_python_cannot_raise_is_not_lost() -> None:
    script = (
        "import porism.cli, time, sys\n"
        "class Fragile:\n"
        "    def __del__(self): raise KeyboardInterrupt\n"
        "def command(arguments):\n"
        "    Fragile()\n"
        "    time.sleep(20)\n"
        "porism.cli.porism.main = lambda **options: command(options)\n"
        "porism.cli.main([])\n"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (answer.returncode, answer.stderr.strip()) == (130, "Interrupted.")


def _run(index: Path, *arguments: str, encoding: str = "utf-8", closed: str = "") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "porism", *arguments, *([] if arguments[0] == "info" else ["--index"]), str(index)]
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(f"{shlex.join(command)} {closed}", shell=True, capture_output=True, env=environment)
