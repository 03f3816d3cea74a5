"""The end of a run that added many documents: the segments it has left become one, or stay as they were."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from cluster_cases import use_inline
from long_forms import LONG_ONLY
from updated_indexes import Write, contents, same_as_new

from porism.corpus import ReaderOptions
from porism.errors import Problem
from porism.index import Segment, Snapshot, merging
from porism.index.manifest import SEGMENT_FOLDER
from porism.retrieve import DEFAULT_MODEL
from porism.search.index import open_index
from porism.search.sources import changes, indexing, parts, updating
from porism.search.sources.indexing import Preparation, Progress, index_documents, read_documents
from porism.search.sources.updating import index_sources, update_index


@pytest.fixture
def notes(write: Write, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of 12 notes; a segment is made of each two, and 6 documents are many."""
    monkeypatch.setattr(merging, "RUN", 6)
    monkeypatch.setattr(changes, "BATCH_DOCUMENTS", 2)
    for module in (updating, indexing):
        monkeypatch.setattr(module, "BUFFER_BYTES", 1)
    monkeypatch.setattr(indexing, "BATCH_DOCUMENTS", 2)
    monkeypatch.setattr(parts, "MIN_CHARACTERS", 1)
    root = write(**{f"notes/{number:02}.md": f"words of {number} $x^2+{number}$" for number in range(12)})
    return root / "notes"


def sizes(index: Path) -> list[int]:
    """The documents of each segment; there is no other folder of a segment."""
    with Snapshot.open(index) as snapshot:
        assert {segment.folder.name for segment in snapshot.segments} == {
            path.name for path in (index / SEGMENT_FOLDER).iterdir()
        }
        return [segment.doc_count for segment in snapshot.segments]


def answers(index: Path) -> list[tuple[str, float]]:
    with open_index(index) as opened:
        return [(hit.id, round(hit.score, 5)) for hit in opened.search("words of 7 $x^2+5$", 20)]


@LONG_ONLY
def test_a_run_ends_with_one_segment(notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Progress] = []
    report = index_sources([notes], tmp_path / "merged", jobs=1, on_progress=seen.append)
    assert not report.interrupted
    assert report.notes == ()
    assert sizes(tmp_path / "merged") == [12]
    assert [(progress.documents, progress.merged) for progress in seen if progress.to_merge] == [
        (12, step + 1) for step in range(seen[-1].to_merge)
    ]
    assert seen[-1].to_merge > 3
    monkeypatch.setattr(merging, "RUN", 100)
    index_sources([notes], tmp_path / "left", jobs=1)
    assert sizes(tmp_path / "left") == [2] * 6
    assert contents(tmp_path / "merged") == contents(tmp_path / "left")
    assert answers(tmp_path / "merged") == answers(tmp_path / "left") != []


def test_what_searches_read_is_there_when_the_merged_segment_appears(notes: Path, tmp_path: Path) -> None:
    index_sources([notes], tmp_path / "index", jobs=1)
    files = {path: path.stat().st_ino for path in (tmp_path / "index").rglob("derived/*")}
    assert files
    answers(tmp_path / "index")
    assert {path: path.stat().st_ino for path in (tmp_path / "index").rglob("derived/*")} == files


@LONG_ONLY
def test_an_update_merges_no_more_than_it_added_pays_for(notes: Path, tmp_path: Path, write: Write) -> None:
    index = tmp_path / "index"
    index_sources([notes], index, jobs=1)
    write(**{f"notes/new{number}.md": f"new words {number}" for number in range(4)})
    update_index(index, jobs=1)
    assert sizes(index) == [12, 2, 2]  # four are few
    write(**{"notes/03.md": None}, **{f"notes/{number:02}.md": f"changed {number}" for number in range(4, 10)})
    update_index(index, jobs=1)
    with Snapshot.open(index) as snapshot:
        assert [segment.live_count for segment in snapshot.segments] == [5, 10]  # 15 are more than twice six
    same_as_new(index, notes)


def stop_at_a_merge(progress: Progress) -> None:
    if progress.merged == 2:
        raise KeyboardInterrupt


@LONG_ONLY
def test_ctrl_c_while_merging_leaves_the_segments(notes: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    report = index_sources([notes], index, jobs=1, on_progress=stop_at_a_merge)
    assert not report.interrupted  # nothing is missing
    assert report.notes == (
        "the segments were not merged (interrupted); nothing is missing, and porism merge does it later",
    )
    assert sizes(index) == [2] * 6
    update_index(index, jobs=1)
    same_as_new(index, notes)


def test_ctrl_c_before_a_merged_segment_is_ready_leaves_the_segments(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, prepare = tmp_path / "index", indexing.prepare_formulas

    def stop_at_one(segments: Sequence[Segment]) -> None:
        if len(segments) == 1:
            raise KeyboardInterrupt
        prepare(segments)

    monkeypatch.setattr(indexing, "prepare_formulas", stop_at_one)
    assert "interrupted" in index_sources([notes], index, jobs=1).notes[0]
    assert sizes(index) == [2] * 6
    assert len(answers(index)) == 12


def test_without_room_the_segments_stay_and_a_note_says_so(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=1 << 10))
    report = index_sources([notes], tmp_path / "index", jobs=1)
    assert len(report.notes) == 1
    assert "not merged (0.0 GiB are needed, and the disk has 0.0 GiB free); nothing is missing" in report.notes[0]
    assert sizes(tmp_path / "index") == [2] * 6


def test_an_interrupted_run_does_not_merge(notes: Path, tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        assert not progress.to_merge
        if progress.documents >= 8:
            raise KeyboardInterrupt

    report = index_sources([notes], tmp_path / "index", jobs=1, on_progress=stop)
    assert report.interrupted
    assert sizes(tmp_path / "index") == [2] * 4


@LONG_ONLY
def test_documents_made_in_python_are_merged_too(notes: Path, tmp_path: Path) -> None:
    seen: list[Progress] = []
    report = index_documents(read_documents([notes]), tmp_path / "index", jobs=1, on_progress=seen.append)
    assert report.notes == ()
    assert sizes(tmp_path / "index") == [12]
    assert seen[-1].merged == seen[-1].to_merge > 3
    report = index_documents(
        read_documents([notes], options=ReaderOptions()), tmp_path / "again", jobs=1, on_progress=stop_at_a_merge
    )
    assert "interrupted" in report.notes[0]
    assert sizes(tmp_path / "again") == [2] * 6


@LONG_ONLY
def test_segments_that_a_cluster_built_are_merged_too(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_inline(monkeypatch)
    merge = indexing.merge_after_run
    before: list[int] = []

    def counted(*arguments: object) -> tuple[str, ...]:
        before.append(len(sizes(tmp_path / "index")))
        call: Callable[..., tuple[str, ...]] = merge
        return call(*arguments)

    monkeypatch.setattr("porism.search.sources.update_run.merge_after_run", counted)
    report = index_sources([notes], tmp_path / "index", cluster="inline")
    assert report.notes == ()
    assert before[0] > 1
    assert sizes(tmp_path / "index") == [12]


def test_nothing_is_merged_after_an_interruption(tmp_path: Path) -> None:
    def nothing(*arguments: object) -> None:
        raise AssertionError(arguments)

    prepare = Preparation(DEFAULT_MODEL, nothing, lambda problem: nothing(Problem("", "", "")))
    prepare.interrupted = True
    with indexing.IndexWriter(tmp_path) as writer:
        assert indexing.merge_after_run(writer, 10**6, prepare, nothing) == ()
