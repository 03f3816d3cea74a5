"""What a run records on the way: commits before its end, groups that are being read, numbers, and its report."""

from __future__ import annotations

import pytest
from updated_indexes import Write, contents, same_as_new

from porism.corpus import ReaderOptions
from porism.errors import Problem
from porism.index import IndexWriter, Snapshot
from porism.index.sources import MAX_PROBLEMS, SourceGroup
from porism.search.sources import changes, update_run
from porism.search.sources.indexing import Progress
from porism.search.sources.updating import index_sources, update_index
from porism.types import Document

RECORDS = 60
"""More than two batches of documents."""


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "BATCH_DOCUMENTS", 25)


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, SourceGroup]]:
    """Commits after every batch; the groups of the source that each commit published."""
    published: list[dict[str, SourceGroup]] = []
    commit = IndexWriter.commit

    def recorded(writer: IndexWriter, **settings: object) -> None:
        commit(writer, **settings)  # type: ignore[arg-type]
        with Snapshot.open(writer.path) as snapshot:
            owners = {int(owner) for segment in snapshot.segments for owner in segment.owners[:]}
            groups = {name: group for source in snapshot.sources.values() for name, group in source.groups.items()}
            assert owners <= {group.number for group in groups.values()}  # a later update knows whose they are
            published.append(groups)

    monkeypatch.setattr(update_run, "COMMIT_SECONDS", 0.0)
    monkeypatch.setattr(IndexWriter, "commit", recorded)
    return published


def records(turn: int) -> str:
    return "".join(f'{{"id": "r{number}", "text": "words {number} of {turn}"}}\n' for number in range(RECORDS))


def test_a_commit_on_the_way_says_what_is_being_read(write: Write, commits: list[dict[str, SourceGroup]]) -> None:
    root = write(**{"n/t.jsonl": records(0)})
    index_sources([root / "n"], root / "index", jobs=1)
    assert [published["t.jsonl"].complete for published in commits[:1]] == [False]
    assert commits[-1]["t.jsonl"].complete
    first = len(commits)
    assert first > 1
    write(**{"n/t.jsonl": records(1)})
    update_index(root / "index", jobs=1)
    assert not commits[first]["t.jsonl"].complete  # it was, before it was read again
    assert commits[-1]["t.jsonl"].complete


def test_a_group_that_was_being_read_is_read_again(write: Write) -> None:
    root = write(**{"n/t.jsonl": records(0), "n/z.md": "words z"})
    index = root / "index"
    index_sources([root / "n"], index, jobs=1)
    write(**{"n/t.jsonl": records(1)})

    def stop(document: Document) -> Document:
        if document.id == f"r{RECORDS - 1}":
            raise KeyboardInterrupt
        return document

    assert index_sources([root / "n"], index, jobs=1, change=stop).interrupted
    assert not Snapshot.open(index).sources["n"].groups["t.jsonl"].complete
    update_index(index, jobs=1)
    same_as_new(index, root / "n")


def test_other_options_make_all_groups_incomplete_until_they_are_read(write: Write) -> None:
    rows = "".join(f"{number},words {number},other {number}\n" for number in range(RECORDS))
    root = write(**{"n/t.csv": f"nr,a,b\n{rows}", "n/z.csv": "nr,a,b\nz,words,other\n"})
    index = root / "index"
    index_sources([root / "n"], index, jobs=1, options=ReaderOptions(fields={"body": "a"}, id_field="nr"))

    def stop(document: Document) -> Document:
        if document.id == "z":
            raise KeyboardInterrupt
        return document

    changed = ReaderOptions(fields={"body": "b"}, id_field="nr")
    assert index_sources([root / "n"], index, jobs=1, options=changed, change=stop).interrupted
    groups = Snapshot.open(index).sources["n"].groups
    assert groups.keys() == {"t.csv", "z.csv"}
    assert not groups["z.csv"].complete
    update_index(index, jobs=1)
    assert all(document.fields["body"].text.startswith("other") for document in contents(index).values())


def test_numbers_of_groups_are_not_given_twice(write: Write) -> None:
    root = write(**{"n/a.md": "words a", "n/b.md": "words b"})
    index = root / "index"
    index_sources([root / "n"], index, jobs=1)
    write(**{"n/b.md": None})
    update_index(index, jobs=1)
    update_index(index, jobs=1)  # reads nothing
    write(**{"n/c.md": "words c"})
    update_index(index, jobs=1)
    assert {name: group.number for name, group in Snapshot.open(index).sources["n"].groups.items()} == {
        "a.md": 0, "c.md": 2,
    }


def test_an_interruption_during_the_analysis_is_reported(write: Write) -> None:
    root = write(**{"n/a.md": "words a", "n/b.md": "words b"})

    def interrupt(progress: Progress) -> None:
        if progress.documents:
            raise KeyboardInterrupt

    report = index_sources([root / "n"], root / "index", jobs=1, on_progress=interrupt)
    assert report.interrupted
    assert not update_index(root / "index", jobs=1).interrupted


def test_problems_beyond_those_kept_are_counted(write: Write) -> None:
    root = write(**{
        "n/t.jsonl": "".join(
            f'{{"id": "r{number}", "text": "words $x^{{{number}$"}}\n' for number in range(MAX_PROBLEMS + RECORDS)
        ),
    })  # fmt: skip
    reported: list[Problem] = []
    index_sources([root / "n"], root / "index", jobs=1, on_problem=reported.append)
    of_records = [problem for problem in reported if problem.where.startswith("r")]
    group = Snapshot.open(root / "index").sources["n"].groups["t.jsonl"]
    assert len(group.problems) == MAX_PROBLEMS < len(of_records)
    assert group.problem_count == len(of_records)
