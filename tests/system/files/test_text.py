"""Files are written whole or not at all; links stay, and what is not a file is written to."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from porism.errors import FormatError, SourceError
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.system.files.text import decimal_number, is_special, read_run_columns, whole_number, write_whole


def test_a_link_stays_and_the_file_behind_it_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").write_text("before")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real" / "file")
    assert write_whole(link, "after") == link
    assert link.is_symlink()
    assert (tmp_path / "real" / "file").read_text() == "after"
    new = tmp_path / "new"
    new.symlink_to(tmp_path / "real" / "other")  # leads to nothing yet
    write_whole(new, b"made")
    assert (tmp_path / "real" / "other").read_bytes() == b"made"
    assert sorted(path.name for path in (tmp_path / "real").iterdir()) == ["file", "other"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes: run it on Linux or macOS")
def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert is_special(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()), daemon=True)
    reader.start()
    Run({"q": [("a", 1.0)]}, "t", provenance=Provenance({"kind": "x"})).write(pipe)
    reader.join(20)
    assert got == ["q\tQ0\ta\t1\t1.0\tt\n"]
    assert pipe.is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]  # a record beside it would be of nothing


def test_long_names_fit_as_far_as_the_disk_allows(tmp_path: Path) -> None:
    name = "é" * 127  # 254 bytes
    write_whole(tmp_path / name, "x")
    assert (tmp_path / name).read_text() == "x"
    with pytest.raises(SourceError, match="cannot be written"):
        write_whole(tmp_path / ("é" * 128), "x")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_columns_of_a_run_across_all_lines(tmp_path: Path) -> None:
    path = tmp_path / "some.run"
    lines = [f"q{n % 3} Q0 d{n} {n + 1} {n / 4} tag" + "\n" * (1 + n % 2) for n in range(1000)]
    path.write_text("".join(lines))
    columns = read_run_columns(path, with_ranks=True)
    assert columns.queries == ("q0", "q1", "q2")
    assert columns.numbers.tolist() == [n % 3 for n in range(1000)]
    assert list(columns.doc_ids) == [f"d{n}" for n in range(1000)]
    assert columns.scores.tolist() == [n / 4 for n in range(1000)]
    assert columns.ranks is not None
    assert columns.ranks.tolist() == list(range(1, 1001))
    assert columns.lines.tolist() == [1 + n + n // 2 for n in range(1000)]
    for broken, message in [
        ("q Q0 a 1 nan t", "nan' is not a finite"), ("q Q0 a 1", "4 columns"),
        ("q Q0 a 99999999999999999999 1 t", "the rank"), ("q Q0 a 0 1 t", "the rank"), ("q Q0 a b 1 t", "the rank"),
        ("q Q0 a 1_0 1 t", "the rank '1_0'"), ("q Q0 a ٣ 1 t", "the rank '٣'"), ("q Q0 a 1 ٣ t", "the score '٣'"),
    ]:
        path.write_text("".join([*lines, broken, "\n", "q Q0 a\n"]))
        with pytest.raises(FormatError, match=message) as caught:
            read_run_columns(path, with_ranks=True)
        assert caught.value.where == "some.run:1501"


def test_numbers_of_files_are_decimal_digits_and_nothing_else() -> None:
    assert [whole_number(text) for text in ("0", "-7", "+12", "007")] == [0, -7, 12, 7]
    assert [decimal_number(text) for text in ("1", "-.5", "2.", "+1e-3", "1E2")] == [1.0, -0.5, 2.0, 0.001, 100.0]
    for text in ("", " 1", "1 ", "1_000", "٣", "１", "0x1", "1.0", "1e3", "--1", "²", "9" * 5000):
        with pytest.raises(ValueError, match="is not a whole number"):
            whole_number(text)
    for text in ("", " 1", "1_0.5", "٣", "inf", "nan", "1e999", "0x1p3", "1e", ".", "1.5.2", "1e٣"):
        with pytest.raises(ValueError, match="is not a finite number"):
            decimal_number(text)


def test_a_failure_half_way_leaves_what_was_there(tmp_path: Path) -> None:
    """A limit on the size of files stands in for a full disk."""
    resource = pytest.importorskip("resource")
    target = tmp_path / "file"
    target.write_text("before")
    free, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(SourceError, match="cannot be written"):
            write_whole(target, b"x" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (free, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_readers_see_the_old_file_or_the_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the file gets its name, it is complete beside the old one."""
    target = tmp_path / "file"
    target.write_text("before")
    seen: list[tuple[str, str]] = []
    true_replace = os.replace

    def replace(source: Path, place: Path) -> None:
        seen.append((Path(source).read_text(), target.read_text()))
        true_replace(source, place)

    monkeypatch.setattr(os, "replace", replace)
    write_whole(target, "after")
    assert seen == [("after", "before")]
    assert target.read_text() == "after"
