"""An update that is killed at any moment leaves whole commits, and the next one completes it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from long_forms import LONG, LONG_ONLY

from porism.analysis.documents import load_document
from porism.index import Snapshot
from porism.search.index import open_index
from porism.search.sources.indexing import is_index
from porism.types import Document

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL, which Windows lacks: run it on Linux or macOS")

HARNESS = """
import sys
from pathlib import Path
from test_updating_crash import kill_updates

print(*kill_updates(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
"""

FILES = 12
QUESTIONS = ("words of the turn", "$x^2$ words", "shared")


def write_sources(root: Path, turn: int) -> list[Path]:
    """Notes, a table and a LaTeX project as they are in a turn: some of it changes, some goes, some comes."""
    chance = random.Random(turn)
    notes, project = root / "notes", root / "project"
    for folder in (notes, notes / "sub", project):
        folder.mkdir(parents=True, exist_ok=True)
    for number in range(FILES):
        file = (notes / "sub" if number % 3 else notes) / f"{number}.md"
        if chance.random() < 0.2:
            file.unlink(missing_ok=True)
        elif chance.random() < 0.5 or not file.exists():
            file.write_text(f"# Note {number}\n\nwords of the turn {turn} $x^{number}$\n", encoding="utf-8")
    records = "".join(
        f'{{"id": "r{number}", "text": "shared words {chance.randrange(3)} $x^2$"}}\n'
        for number in range(30) if chance.random() < 0.8
    )
    (root / "table.jsonl").write_text(records, encoding="utf-8")
    chapters = [number for number in range(4) if chance.random() < 0.7] or [0]
    inputs = "".join(f"\\input{{c{number}}}\n" for number in chapters)
    (project / "main.tex").write_text(f"\\documentclass{{book}}\n\\begin{{document}}\n{inputs}\\end{{document}}\n")
    for number in range(4):
        text = f"\\section{{S{number}}} words {chance.randrange(2)} of chapter {number} $x^2$\n"
        (project / f"c{number}.tex").write_text(text, encoding="utf-8")
    return [notes, root / "table.jsonl", project]


def state_of(index: Path) -> dict[str, Document]:
    """All documents of the last commit; checks that what is stored is whole."""
    with Snapshot.open(index) as snapshot:
        snapshot.verify()
        found = [
            load_document(segment.stored(doc)) for segment in snapshot.segments
            for doc in range(segment.doc_count) if segment.live[doc]
        ]
        owners = {
            int(segment.owners[doc]) for segment in snapshot.segments for doc in range(segment.doc_count)
            if segment.live[doc]
        }
        groups = {group.number for source in snapshot.sources.values() for group in source.groups.values()}
    assert len({document.id for document in found}) == len(found)
    assert owners <= groups  # every document belongs to a group that an update knows
    return {document.id: document for document in found}


def answers(index: Path) -> list[list[tuple[str, float]]]:
    with open_index(index) as opened:
        return [[(hit.id, round(hit.score, 3)) for hit in opened.search(text, 30)] for text in QUESTIONS]


def has_ended(process: int) -> bool:
    return os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def kill_updates(root: Path, rounds: int, seed: int) -> tuple[int, int]:
    """Kills updates at random moments; returns how many were killed, and of these how many had committed something."""
    import porism.search.sources.updating as updating

    chance = random.Random(seed)
    index = root / "index"
    sources = write_sources(root, 0)
    updating.index_sources(sources, index, jobs=1)
    begun = time.monotonic()
    updating.update_index(index, jobs=1, read_all=True)
    longest = 3 * (time.monotonic() - begun) + 0.3
    killed = committed = 0
    turn = 0
    while killed < rounds:
        turn += 1
        before = state_of(index)
        generation = Snapshot.open(index).generation
        write_sources(root, turn)
        process = os.fork()
        if process == 0:
            status = 1
            try:
                settings: dict[str, Any] = {"jobs": 1}
                from porism.index import merging
                from porism.search.sources import changes, update_run

                changes.BATCH_DOCUMENTS = 5
                update_run.COMMIT_SECONDS = 0.0  # a commit after every batch
                merging.RUN = 5
                if turn % 2:
                    updating.update_index(index, **settings)
                else:
                    updating.index_sources(sources, index, **settings)
                status = 0
            finally:
                os._exit(status)
        if turn % 2:  # every other one has committed something before
            manifest = (index / "manifest.json").stat().st_ino
            while (index / "manifest.json").stat().st_ino == manifest and not has_ended(process):
                time.sleep(0.001)
        time.sleep(chance.random() * longest / (3 if turn % 2 else 1))
        os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        if os.WIFSIGNALED(status):
            killed += 1
        else:
            assert os.WEXITSTATUS(status) == 0
        assert is_index(index)
        now = state_of(index)
        if Snapshot.open(index).generation == generation:
            assert now == before
        else:
            committed += os.WIFSIGNALED(status)
        if turn % 3:  # the next is killed on top of this one
            continue
        updating.update_index(index, jobs=1)
        fresh = root / "fresh"
        updating.index_sources(sources, fresh, jobs=1)
        assert state_of(index) == state_of(fresh)
        assert answers(index) == answers(fresh)
        for parent, folders, files in os.walk(fresh, topdown=False):
            for name in files:
                os.unlink(os.path.join(parent, name))
            for name in folders:
                os.rmdir(os.path.join(parent, name))
        os.rmdir(fresh)
    return killed, committed


@LONG_ONLY
def test_killed_at_random_moments(tmp_path: Path) -> None:
    folders = [str(Path(__file__).parent), *filter(None, sys.path)]
    rounds, seed = os.environ.get("PORISM_KILLS", "40" if LONG else "4"), os.environ.get("PORISM_SEED", "5")
    result = subprocess.run(
        [sys.executable, "-c", HARNESS, str(tmp_path), rounds, seed], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
    )
    assert result.returncode == 0, result.stderr
    killed, committed = map(int, result.stdout.split())
    assert killed >= int(rounds)
    print(f"{killed} updates killed, {committed} of them after a commit")
