"""Segments that the workers of a cluster build make the index that one process makes."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from cluster_cases import Inline, Worker, processes_of_dask, use_inline
from long_forms import LONG_ONLY
from updated_indexes import Write, check, contents

from porism.analysis.analyzer import AnalysisConfig
from porism.errors import ClusterError, Problem
from porism.index import Snapshot
from porism.index.manifest import SEGMENT_FOLDER
from porism.search.index import open_index
from porism.search.sources import changes, parts, updating
from porism.search.sources.indexing import Progress
from porism.search.sources.updating import index_sources, update_index
from porism.system.concurrency import clusters

SMALL = AnalysisConfig(text=("words",), formulas=("tokens",))
QUESTIONS = ("group ring $x^2$", "prime $a+b$ field", "word7 word11", "$\\sqrt{n}$")


def records(count: int, changed: int = -1) -> str:
    """Lines of JSON, of which one is broken and one repeats an id."""
    lines = []
    for number in range(count):
        word = "changed" if number == changed else f"word{number % 13}"
        body = f"{word} group {'ring' if number % 3 else 'prime field'} $x^{number % 7}+a+b$ and $\\sqrt{{n}}$"
        lines.append(json.dumps({"id": f"d{number}", "body": body}))
    lines[5] = "{broken"
    lines[17] = json.dumps({"id": "d2", "body": "again $\\frac{x}$"})
    return "\n".join(lines) + "\n"


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few documents are several parts."""
    monkeypatch.setattr(changes, "BATCH_DOCUMENTS", 20)
    monkeypatch.setattr(parts, "MIN_CHARACTERS", 1_000)


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch, small_parts: None) -> None:
    """``cluster="inline"`` runs its tasks in this process."""
    use_inline(monkeypatch)


def same(one: Path, other: Path) -> None:
    """Two indexes have the same documents, sources and statistics, and give the same answers with the same scores."""
    assert contents(one) == contents(other)
    with Snapshot.open(one) as left, Snapshot.open(other) as right:
        for name, source in left.sources.items():
            assert source.groups == right.sources[name].groups
            files = right.sources[name].files
            assert {key: (file.size, file.digest) for key, file in source.files.items()} == {
                key: (file.size, file.digest) for key, file in files.items()
            }
    with open_index(one) as left_index, open_index(other) as right_index:
        for question in QUESTIONS:
            found, expected = (
                [(hit.id, hit.score) for hit in opened.search(question, 50)] for opened in (left_index, right_index)
            )
            assert found == expected
            assert found


def leftovers(index: Path) -> list[str]:
    with Snapshot.open(index) as snapshot:
        held = {segment.folder.name for segment in snapshot.segments}
    return sorted(set(os.listdir(index / SEGMENT_FOLDER)) - held)


@LONG_ONLY
def test_it_is_the_index_of_one_process(tmp_path: Path, write: Write, inline: None) -> None:
    write(**{"notes/a.jsonl": records(130), "notes/b.jsonl": records(60)})
    source = write(**{"notes/c.md": "# Title\n\n$x^2$ ring"})
    problems: dict[str, list[Problem]] = {"inline": [], "here": []}
    positions: list[Progress] = []
    one, other = tmp_path / "one", tmp_path / "other"
    report = index_sources(
        [source / "notes"], one, config=SMALL, cluster="inline", on_problem=problems["inline"].append,
        on_progress=positions.append,
    )
    expected = index_sources([source / "notes"], other, config=SMALL, jobs=1, on_problem=problems["here"].append)
    assert (report.documents, report.formulas, report.problems) == (
        expected.documents, expected.formulas, expected.problems,
    )
    assert sorted(map(str, problems["inline"])) == sorted(map(str, problems["here"]))
    assert any("frac" in problem.what or "argument" in problem.what for problem in problems["here"])
    same(one, other)
    with Snapshot.open(one) as snapshot:
        assert snapshot.generation == 1
        assert [segment.doc_count for segment in snapshot.segments] == [40, 40, 40, 40, 29]
    assert leftovers(one) == []
    assert [position.documents for position in positions if not position.to_encode] == [40, 80, 120, 160, 189]
    assert positions[0].documents < positions[-1].documents == report.documents
    assert positions[-1].bytes_done == positions[-1].bytes_total > 0


def test_an_update_works_through_it(tmp_path: Path, write: Write, inline: None) -> None:
    source = write(**{"notes/a.jsonl": records(90), "notes/b.jsonl": records(60)}) / "notes"
    index = tmp_path / "index"
    index_sources([source], index, config=SMALL, cluster="inline")
    write(**{"notes/a.jsonl": records(80, changed=40), "notes/c.jsonl": '{"id": "new", "body": "a new $x^2$ ring"}\n'})
    check(update_index(index, cluster="inline"), 1, 1, 10)
    fresh = tmp_path / "fresh"
    index_sources([source], fresh, config=SMALL, jobs=1)
    assert contents(index) == contents(fresh)
    check(update_index(index, cluster="inline"), 0, 0, 0)
    (source / "c.jsonl").unlink()
    check(update_index(index, cluster="inline"), 0, 0, 1)
    assert leftovers(index) == []


def test_an_interruption_leaves_the_index_as_it_was(tmp_path: Path, write: Write, inline: None) -> None:
    def interrupt(progress: Progress) -> None:
        assert len(leftovers(index)) == 2  # a part that was taken, and those that follow
        raise KeyboardInterrupt

    source = write(**{"notes/a.jsonl": records(30)}) / "notes"
    index = tmp_path / "index"
    index_sources([source], index, config=SMALL, jobs=1)
    before = contents(index)
    write(**{"notes/b.jsonl": records(90)})
    report = update_index(index, cluster="inline", on_progress=interrupt)
    assert report.interrupted
    assert (contents(index), leftovers(index)) == (before, [])
    assert Snapshot.open(index).generation == 1
    assert update_index(index, cluster="inline").documents == 89


def test_what_a_killed_process_left_is_removed(tmp_path: Path, write: Write, inline: None) -> None:
    source = write(**{"notes/a.jsonl": records(30)}) / "notes"
    index = tmp_path / "index"
    index_sources([source], index, config=SMALL, cluster="inline")
    folder = parts.staging_folder(index)
    (folder / "part-000000.1-ab.tmp").mkdir()
    (folder / "part-000000.1-ab.tmp" / "data").write_bytes(b"half")
    assert leftovers(index) == [folder.name]
    update_index(index, cluster="inline")
    assert leftovers(index) == []


def task_of(folder: Path) -> parts.PartTask:
    """A part of two documents, ready for a worker."""
    from porism.types import Content, Document

    shared = Inline("inline", Worker()).check_folder(folder)  # type: ignore[arg-type]
    batch = changes.ChangeBatch()
    for name in ("a", "b"):
        batch.add(Document(name, {"body": Content(f"word {name}")}, {}), 3, 7, 1)
    task = parts.PartTask(shared, "part-000000", SMALL)
    parts._ship(task.documents, [batch])
    return task


def test_a_part_is_built_once(tmp_path: Path) -> None:
    task = task_of(tmp_path)
    assert parts.build_part(task) == {"documents": 2, "formulas": 0, "problems": []}
    written = (task.segment / "origin.json").stat().st_mtime_ns
    task.documents.unlink()  # the other worker finds the segment
    assert parts.build_part(task)["documents"] == 2
    assert (task.segment / "origin.json").stat().st_mtime_ns == written


def test_of_two_workers_the_first_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = task_of(tmp_path)
    true_build = parts.build_segment

    def slow(folder: Path, *arguments: object) -> int:
        monkeypatch.setattr(parts, "build_segment", true_build)
        parts.build_part(task)  # another worker begins later and ends before
        first.append((task.segment / "origin.json").stat().st_ino)
        return true_build(folder, *arguments)  # type: ignore[arg-type]

    first: list[int] = []
    monkeypatch.setattr(parts, "build_segment", slow)
    assert parts.build_part(task)["documents"] == 2
    assert (task.segment / "origin.json").stat().st_ino == first[0]
    assert sorted(os.listdir(tmp_path)) == [clusters.MARKER, "part-000000", "part-000000.documents"]


def test_half_a_segment_has_another_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dying(folder: Path, *arguments: object) -> int:
        true_build(folder, *arguments)  # type: ignore[arg-type]
        assert not task.segment.exists()
        assert folder.parent == task.segment.parent
        raise OSError("the worker dies")

    task = task_of(tmp_path)
    true_build = parts.build_segment
    monkeypatch.setattr(parts, "build_segment", dying)
    with pytest.raises(OSError, match="the worker dies"):
        parts.build_part(task)
    assert sorted(os.listdir(tmp_path)) == [clusters.MARKER, "part-000000.documents"]


def test_a_worker_stops_when_nobody_wants_the_part(tmp_path: Path) -> None:
    task = task_of(tmp_path)
    (tmp_path / clusters.MARKER).write_text("another run")
    with pytest.raises(ClusterError, match="does not see the folder"):
        parts.build_part(task)
    assert not task.segment.exists()


def test_a_segment_that_does_not_appear_is_an_error(
    tmp_path: Path, write: Write, inline: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(**{"notes/a.jsonl": records(30)}) / "notes"
    monkeypatch.setattr(parts, "_rename", lambda temporary, name: None)
    monkeypatch.setattr(parts, "SHOWN_SECONDS", 0.0)
    monkeypatch.setattr(parts, "build_part", lambda task: {"documents": 27, "formulas": 0, "problems": []})
    with pytest.raises(ClusterError, match="which does not appear here"):
        index_sources([source], tmp_path / "index", config=SMALL, cluster="inline")
    assert not updating.is_index(tmp_path / "index")


@LONG_ONLY
def test_a_killed_worker_s_parts_are_built_by_another(tmp_path: Path, write: Write, small_parts: None) -> None:
    source = write(**{"notes/a.jsonl": records(1_500)}) / "notes"
    one, other = tmp_path / "one", tmp_path / "other"
    with processes_of_dask(tmp_path, 2) as (address, workers):
        alive = list(workers)

        def kill(progress: Progress) -> None:
            if len(alive) > 1 and progress.documents:
                alive.pop().send_signal(signal.SIGKILL)

        report = index_sources([source], one, config=SMALL, cluster=address, on_progress=kill)
        assert workers[1].wait() == -signal.SIGKILL
        assert workers[0].poll() is None
    expected = index_sources([source], other, config=SMALL, jobs=1)
    assert (report.documents, report.problems) == (expected.documents, expected.problems) == (1_499, 3)
    same(one, other)
    assert leftovers(one) == []
    assert Snapshot.open(one).generation == 1
