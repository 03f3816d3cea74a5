"""Bad input gets one clear message and loses nothing."""

from __future__ import annotations

import gzip
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from long_forms import LONG, LONG_ONLY

from porism.search.index import open_index
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document, Formula


def documents_of(porism, index: Path) -> int:
    """How many documents an index has."""
    return int(json.loads(porism("info", index, "--json").out)["documents"])


DEPTH = 10_000 if LONG else 3_000


HOSTILE = [
    "x^{" * DEPTH + "1" + "}" * DEPTH,
    r"\frac{1}{" * DEPTH,
    "f" + "'" * (100_000 if LONG else 10_000),
    "x+" * (500_000 if LONG else 25_000),
    r"\left(" * 5_000,
    r"\begin{matrix}" * 2_000,
    "\x00\x1b[31m\ud800",
    r"\def\a{\a\a}\a",
    "}" * 10_000 + "&" * 10_000,
    "",
]


def test_hostile_formulas_are_indexed_and_asked_for(tmp_path) -> None:
    documents = {
        f"bad {number}": Content.of("hostile ", Formula(source)) for number, source in enumerate(HOSTILE)
    } | {"good": Content.of("harmless ", Formula("x^2"))}
    index_documents([Document(name, {"body": body}) for name, body in documents.items()], tmp_path / "index", jobs=1)
    with open_index(tmp_path / "index") as index:
        assert {hit.id for hit in index.search("hostile harmless", 100)} == documents.keys()
        for source in HOSTILE:
            hits = index.search(Content.of("x", Formula(source or "x")))
            assert all(len(str(hit.snippet)) < 5_000_000 for hit in hits), source[:20]


def test_very_many_words_are_one_document(porism, tmp_path) -> None:
    source = tmp_path / "long.jsonl"
    words = " ".join(f"word{number % 5000}" for number in range(1_000_000 if LONG else 100_000))
    source.write_text(json.dumps({"id": "long", "body": f"{words} needle $x^2$"}) + "\n")
    assert porism("index", source, "--index", tmp_path / "index", "--jobs", 1).status == 0
    hits = json.loads(porism("search", "needle", "--index", tmp_path / "index", "--json").out)
    assert [hit["id"] for hit in hits] == ["long"]
    assert len(hits[0]["snippet"]) < 1_000


def test_broken_xml_keeps_what_was_read(porism, tmp_path) -> None:
    folder = tmp_path / "dump"
    folder.mkdir()
    rows = "".join(
        f'  <row Id="{number}" PostTypeId="1" Title="Question {number}" Body="&lt;p&gt;$x_{number}$" Tags="" />\n'
        for number in range(1, 50)
    )
    (folder / "Posts.xml").write_text(f'<?xml version="1.0"?>\n<posts>\n{rows}  <row Id="50" PostTypeId="1" Titl')
    result = porism("index", folder, "--index", tmp_path / "index", "--unit", "question", "--jobs", 1)
    assert result.status == 0, result.err
    assert documents_of(porism, tmp_path / "index") == 49
    assert "Posts.xml:52" in result.err


def test_a_truncated_gzip_keeps_what_was_read(porism, tmp_path) -> None:
    lines = "".join(json.dumps({"id": str(number), "body": f"text {number * 7919}"}) + "\n" for number in range(5_000))
    data = gzip.compress(lines.encode())
    (tmp_path / "cut.jsonl.gz").write_bytes(data[: len(data) // 2])
    result = porism("index", tmp_path / "cut.jsonl.gz", "--index", tmp_path / "index", "--jobs", 1)
    assert result.status == 0, result.err
    assert 100 < documents_of(porism, tmp_path / "index") < 5_000
    assert "cut.jsonl.gz" in result.err


def test_a_wrong_encoding_is_reported(porism, tmp_path) -> None:
    (tmp_path / "latin.txt").write_bytes("Möbius' Funktion für $n$ prim\n".encode("latin-1"))
    result = porism("index", tmp_path / "latin.txt", "--index", tmp_path / "index", "--jobs", 1)
    assert result.status == 0
    assert "latin.txt" in result.err
    named = porism("index", tmp_path / "latin.txt", "--index", tmp_path / "index", "--jobs", 1, "--encoding", "latin-1")
    assert named.status == 0
    assert json.loads(porism("search", "Möbius", "--index", tmp_path / "index", "--json").out)


def test_documents_with_one_id_are_told_and_both_kept(porism, tmp_path) -> None:
    (tmp_path / "twice.jsonl").write_text('{"id": "a", "body": "first"}\n{"id": "a", "body": "second"}\n')
    for _ in range(2):  # the new name is the same each time, so indexing again changes nothing
        result = porism("index", tmp_path / "twice.jsonl", "--index", tmp_path / "index", "--jobs", 1, "--all")
        assert "twice.jsonl" in result.err
        assert documents_of(porism, tmp_path / "index") == 2
    assert json.loads(porism("search", "first", "--index", tmp_path / "index", "--json").out)[0]["id"] == "a"
    assert json.loads(porism("search", "second", "--index", tmp_path / "index", "--json").out)[0]["id"] != "a"


def test_a_newer_index_says_so(porism, sample_index, tmp_path) -> None:
    copy = tmp_path / "newer"
    shutil.copytree(sample_index, copy)
    manifest = copy / "manifest.json"
    manifest.write_text(re.sub(r'"format":\s*\d+', '"format":99', manifest.read_text()))
    result = porism("search", "x", "--index", copy)
    assert result.status == 1
    assert "99" in result.err
    assert result.err.count("\n") == 1


def test_damage_is_named(porism, sample_index, tmp_path) -> None:
    copy = tmp_path / "damaged"
    shutil.copytree(sample_index, copy)
    largest = max((path for path in copy.rglob("*") if path.is_file() and "derived" not in path.parts),
                  key=lambda path: path.stat().st_size)
    with largest.open("r+b") as file:
        file.truncate(largest.stat().st_size // 2)
    result = porism("search", "theorem", "--index", copy)
    assert result.status == 1
    assert largest.name in result.err
    assert "Traceback" not in result.err


@LONG_ONLY
def test_a_full_disk_keeps_the_last_commit(tmp_path) -> None:
    """A limit on the size of files stands in for a disk that is full."""
    index = tmp_path / "index"
    index_documents([Document("kept", {"body": Content("kept words")})], index, jobs=1)
    source = tmp_path / "big.jsonl"
    with source.open("w") as file:
        for number in range(3_000):
            file.write(json.dumps({"id": str(number), "body": f"{os.urandom(300).hex()} $x_{{{number}}}$"}) + "\n")
    result = subprocess.run(
        [sys.executable, "-m", "porism", "index", str(source), "--index", str(index), "--jobs", "1"],
        capture_output=True, text=True, check=False,
        preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))),
    )
    assert result.returncode == 1
    assert result.stderr.count("Error: ") == 1
    assert "Traceback" not in result.stderr
    with open_index(index) as opened:
        assert [hit.id for hit in opened.search("kept")] == ["kept"]
        assert len(opened) == 1


@LONG_ONLY
def test_killed_at_any_moment_the_last_commit_stays_and_a_rerun_completes(tmp_path) -> None:
    index, source = tmp_path / "index", tmp_path / "many.jsonl"
    index_documents([Document("kept", {"body": Content("kept words")})], index, jobs=1)
    with source.open("w") as file:
        for number in range(1_500):
            file.write(json.dumps({"id": str(number), "body": f"number $n^{{{number}}}$"}) + "\n")
    command = [sys.executable, "-m", "porism", "index", str(source), "--index", str(index), "--jobs", "1", "--quiet"]
    for wait in (0.2, 0.8, 1.2, 1.6, 2.0, 2.5):
        process = subprocess.Popen(command)
        time.sleep(wait)
        process.kill()
        process.wait()
        with open_index(index) as opened:
            assert len(opened) in (1, 1_501)
            assert [hit.id for hit in opened.search("kept")] == ["kept"]
    assert subprocess.run(command, check=False).returncode == 0
    with open_index(index) as opened:
        assert len(opened) == 1_501


@LONG_ONLY
def test_output_into_a_closed_pipe_ends_quietly(sample_index) -> None:
    command = f"{sys.executable} -m porism search theorem --index {sample_index} -k 200 --json | head -c 10"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in result.stderr
    assert "Exception" not in result.stderr
