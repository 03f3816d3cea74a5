"""Several servers judge in one folder: no question and no judgment is lost or mixed up, and ids stay as they are."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from long_forms import LONG_ONLY

from porism.errors import IndexLocked
from porism.serve.web.judgments import LOCK_FILE, Judgments
from porism.system.files.lock import WriterLock

JUDGE = """
import sys
from pathlib import Path
from porism.serve.web.judgments import Judgments

judgments = Judgments(Path(sys.argv[1]))
for number in range(15):
    topic = judgments.ask(f"question {number} of {sys.argv[2]}")
    judgments.grade(topic.id, {f"document of {topic.question}": 2})
    judgments.grade(judgments.ask("shared").id, {f"{sys.argv[2]} {number}": number % 4}, sys.argv[2])
"""


def test_another_server_sees_a_change_at_once_and_goes_on_from_it(tmp_path):
    first, second = Judgments(tmp_path / "j"), Judgments(tmp_path / "j")
    before = second.changes
    assert first.ask("one").id == "T1"
    first.grade("T1", {"a": 3})
    assert second.changes > before
    assert second.ask("two").id == "T2"
    second.grade("T1", {"b": 1})
    second.grade("T2", {"c": 2})
    assert first.topic("T1").grades == {"a": 3, "b": 1}
    first.grade("T1", {"a": None})
    assert [(topic.id, topic.grades) for topic in second.topics] == [("T1", {"b": 1}), ("T2", {"c": 2})]
    assert first.question("T2") == "two"


@LONG_ONLY
def test_processes_that_judge_at_once_lose_nothing(tmp_path):
    folder = tmp_path / "j"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    judges = [
        subprocess.Popen([sys.executable, "-c", JUDGE, str(folder), name], env=environment) for name in ("one", "two")
    ]
    assert [judge.wait() for judge in judges] == [0, 0]
    judged = Judgments(folder)
    topics = judged.topics
    assert len({topic.id for topic in topics}) == len(topics) == 31
    for topic in topics:
        if topic.question != "shared":
            assert topic.grades == {f"document of {topic.question}": 2}
    (shared,) = (topic for topic in topics if topic.question == "shared")
    assert shared.grades == {f"{name} {number}": number % 4 for name in ("one", "two") for number in range(15)}
    for name in ("one", "two"):
        assert judged.judges[name] == {shared.id: {f"{name} {number}": number % 4 for number in range(15)}}


def test_a_change_waits_for_the_lock_but_not_forever(tmp_path, monkeypatch):
    judgments = Judgments(tmp_path)
    lock = WriterLock(tmp_path / LOCK_FILE)
    timer = threading.Timer(0.2, lock.release)
    timer.start()
    assert judgments.ask("a question").id == "T1"
    timer.join()
    held = WriterLock(tmp_path / LOCK_FILE)
    monkeypatch.setattr("porism.serve.web.judgments.MAX_WAIT", 0.05)
    with pytest.raises(IndexLocked, match="is writing judgments"):
        judgments.grade("T1", {"a": 1})
    held.release()
    assert judgments.topic("T1").grades == {}


TEXT = st.text(st.characters(exclude_categories=(), exclude_characters=[*map(chr, range(32)), "\x7f"]), min_size=1)


@given(TEXT, TEXT.filter(str.strip))
def test_ids_and_questions_are_exactly_as_they_were(tmp_path_factory, doc_id, question):
    folder: Path = tmp_path_factory.mktemp("j")
    judgments = Judgments(folder)
    topic = judgments.ask(question)
    judgments.grade(topic.id, {doc_id: 1, f" {doc_id}": 2, f"{doc_id}\u00a0": 3})
    (again,) = Judgments(folder).topics
    assert again.question == " ".join(question.split())
    assert again.grades == {doc_id: 1, f" {doc_id}": 2, f"{doc_id}\u00a0": 3}
