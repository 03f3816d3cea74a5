"""What readers share: options, files at any offset, lines, progress."""

from __future__ import annotations

import gzip
import io
import os
import random
import socket
from pathlib import Path

import pytest
from case_tables import every_case

from porism.corpus import streams
from porism.corpus.base import ReaderOptions, clean, ignore_problem
from porism.corpus.streams import (
    ByteProgress,
    byte_lines,
    check_source,
    decode,
    first_bytes,
    narrow_encoding,
    open_seekable,
)
from porism.corpus.text_files import open_file
from porism.errors import ConfigError, Problem, SourceError


@every_case(
    ("options", "message"),
    [
        ({"unit": "page"}, "there is no unit 'page'. Choose one of answer, question, thread"),
        ({"formulas": "ascii"}, "there is no formula notation 'ascii'. Choose one of latex, mathml"),
        ({"encoding": "martian"}, "there is no encoding 'martian'. Name one that Python knows, such as cp1252"),
    ],
)
def test_options_that_do_not_exist(options: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        ReaderOptions(**options)  # type: ignore[arg-type]
    assert str(error.value) == message


def test_clean() -> None:
    assert clean("a\x00b\x1b\ufffc\tc\r\nd\x7f") == "a b  \tc\r\nd "
    assert clean("nothing to do") == "nothing to do"


def test_lines_and_their_places() -> None:
    file = io.BytesIO(b"a\r\n\nb\r\r\nlast")
    assert list(byte_lines(file, "f", ignore_problem)) == [(1, 0, b"a"), (2, 3, b""), (3, 4, b"b"), (4, 8, b"last")]


def test_a_line_that_is_too_long_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_LINE_LENGTH", 8)
    monkeypatch.setattr(streams, "BLOCK", 4)
    problems: list[Problem] = []
    file = io.BytesIO(b"short\n" + b"x" * 30 + b"\nafter\n" + b"y" * 8)
    lines = [(number, line) for number, _, line in byte_lines(file, "f", problems.append)]
    assert lines == [(1, b"short"), (3, b"after")]
    assert [problem.where for problem in problems] == ["f:2", "f:4"]


def test_progress_is_told_seldom_and_never_too_much() -> None:
    calls: list[tuple[int, int]] = []
    progress = ByteProgress(lambda done, total: calls.append((done, total)), 10_000)
    for _ in range(11_000):
        progress.add(1)
    progress.finish()
    assert len(calls) < 500
    assert calls[-1] == (10_000, 10_000)
    assert max(done for done, _ in calls) == 10_000


def test_files_of_any_packing_can_be_read_at_any_offset(tmp_path: Path) -> None:
    for name, data in {
        "plain": "añb".encode(), "packed": gzip.compress("añb".encode()), "wide": "añb".encode("utf-16"),
        "both": gzip.compress("añb".encode("utf-32")),
    }.items():
        path = tmp_path / name
        path.write_bytes(data)
        with open_seekable(path, ignore_problem) as file:
            file.seek(1)
            assert file.read(2) == "ñ".encode(), name


def test_encodings() -> None:
    assert [narrow_encoding(name) for name in (None, "cp1252", "UTF-16", "utf_32_le")] == [
        "utf-8", "cp1252", "utf-8", "utf-8"
    ]
    problems: list[Problem] = []
    assert decode(b"a\xff\xfeb", "here", problems.append) == "a\ufffd\ufffdb"
    assert problems == [Problem("here", "byte 2 is not utf-8; such bytes become U+FFFD")]


def test_sources_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for name, message in (("empty", "is empty"), ("missing", "no such file"), ("", "a folder")):
        with pytest.raises(SourceError, match=rf"{message}.*Expected words"):
            check_source(tmp_path / name if name else tmp_path, "words")


def test_what_unpacks_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bomb.jsonl.gz"
    path.write_bytes(gzip.compress(b"x" * 3_000_000))
    open_seekable(path, ignore_problem).close()
    monkeypatch.setattr(streams, "UNPACKED_FREELY", 1_000_000)
    with pytest.raises(SourceError, match=r"unpacks to more than 1,000,000 bytes.*--max-unpacked BYTES"):
        open_seekable(path, ignore_problem)
    with open_seekable(path, ignore_problem, max_unpacked=3_000_000) as file:
        assert file.seek(0, 2) == 3_000_000
    with pytest.raises(SourceError, match="unpacks to more than 2,999,999 bytes"):
        open_seekable(path, ignore_problem, max_unpacked=2_999_999)
    text = random.Random(1).randbytes(2_000_000)
    path.write_bytes(gzip.compress(text))
    with open_seekable(path, ignore_problem) as file:  # packed less than 200 times
        assert file.read() == text
    monkeypatch.setattr(streams, "MAX_UNPACKED", 1_500_000)
    with pytest.raises(SourceError, match="unpacks to more than 1,500,000 bytes"):
        open_seekable(path, ignore_problem)


def test_the_first_bytes_are_unpacked_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"head" + b"x" * 100_000)[:200])  # the rest is missing
    assert first_bytes(path, 4) == b"head"
    path.write_bytes("wörds and more".encode("utf-16"))
    assert first_bytes(path, 12).decode() == "\ufeffwörds"
    assert first_bytes(tmp_path / "gone", 4) == b""


def test_pipes_sockets_and_devices_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(tmp_path)  # the path of a socket must be short
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
        for path, kind in ((tmp_path / "pipe", "a named pipe"), (tmp_path / "socket", "a socket"),
                           (Path("/dev/null"), "a device")):
            with pytest.raises(OSError, match=kind):
                open_file(path)
            with pytest.raises(SourceError, match=f"is {kind}, not a file"):
                check_source(path, "a table")
            assert first_bytes(path, 4) == b""
