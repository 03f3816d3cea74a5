"""Questions with graded judgments, as a folder of files that `porism run` and `porism evaluate` read."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import RLock

from porism.corpus.topics import read_qrels
from porism.errors import FormatError, IndexLocked, QueryError
from porism.system.files.durable import make_folder, replace_file
from porism.system.files.lock import WriterLock
from porism.system.files.names import dump_names, load_names

TOPICS, QRELS, LOCK_FILE = "topics.jsonl", "qrels.tsv", "write.lock"

GRADES = {0: "not relevant", 1: "slightly relevant", 2: "relevant", 3: "highly relevant"}
"""Grades as in ARQMath."""

_GRADES = {str(grade): grade for grade in GRADES}

MAX_QUESTIONS = 10_000
MAX_GRADED = 5_000
"""Questions of a folder, and graded documents of one: whoever reaches the pages can write, and disks are finite."""

MAX_WAIT = 10.0
"""Seconds that a change waits for another server that writes to the folder."""

_POLL = 0.01

MAX_JUDGES = 100
_JUDGE = re.compile(r"[a-z0-9_-]{1,40}")


@dataclass(frozen=True, slots=True)
class Topic:
    """A question that documents are judged for, with the grade of each that was."""

    id: str
    question: str
    grades: Mapping[str, int]


class Judgments:
    """The judgments of a folder. Every change is on the disk, whole, before the method returns.

    ``qrels.tsv`` has the last grade that anyone gave. What a judge gives who has a name is also in a file of its own.

    Safe to share between threads; and servers can share the folder, for each change is made to what the files say then.
    """

    def __init__(self, folder: Path) -> None:
        """Reads what the folder has; it is made with the first question.

        :raises FormatError: a file is not what this class wrote.
        """
        self.folder = folder
        self._lock = RLock()
        self._questions: dict[str, str] = {}
        self._grades: dict[str, dict[str, int]] = {}
        self._judges: dict[str, dict[str, dict[str, int]]] = {}
        self._files: tuple[object, ...] = (None, None)
        self._changes = 0
        self._read()

    def _read(self) -> None:
        """Reads the files, if they have changed."""
        with self._lock:
            judged, asked = self.folder / QRELS, self.folder / TOPICS
            judges = {path.stem.removeprefix("judge-"): path for path in sorted(self.folder.glob("judge-*.tsv"))}
            files = (_state(judged), _state(asked), *map(_state, judges.values()))
            if files == self._files:
                return
            grades = _read_grades(judged) if files[0] else {}  # first, for a question is there before its judgments
            questions = _read_topics(asked) if files[1] else {}
            if unknown := grades.keys() - questions.keys():
                raise FormatError(
                    f"there are judgments for {min(unknown)!r}, which is not a question of {TOPICS}",
                    where=str(judged), hint="Keep the two files of one folder together.",
                )
            self._judges = {name: _read_grades(path) for name, path in judges.items()}
            self._questions, self._grades, self._files = questions, grades, files
            self._changes += 1

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Keeps other threads and servers from writing; what they wrote before is read."""
        with self._lock:
            make_folder(self.folder)
            until = time.monotonic() + MAX_WAIT
            while True:
                try:
                    lock = WriterLock(self.folder / LOCK_FILE, "is writing judgments")
                    break
                except IndexLocked:
                    if time.monotonic() > until:
                        raise
                    time.sleep(_POLL)
            try:
                self._read()
                yield
                self._read()
            finally:
                lock.release()

    @property
    def changes(self) -> int:
        """Rises with each change, whoever makes it."""
        self._read()
        return self._changes

    @property
    def topics(self) -> list[Topic]:
        """All questions, in the order in which they were asked."""
        with self._lock:
            self._read()
            return [self._topic(topic_id) for topic_id in self._questions]

    def question(self, topic_id: str) -> str | None:
        """The question of an id, None where there is none."""
        self._read()
        return self._questions.get(topic_id)

    def topic(self, topic_id: str) -> Topic:
        """A question.

        :raises QueryError: there is none of this id.
        """
        with self._lock:
            self._read()
            self._check(topic_id)
            return self._topic(topic_id)

    def ask(self, question: str) -> Topic:
        """The topic of a question, a new one unless it is there already.

        :raises QueryError: the question is empty.
        :raises StorageError: it cannot be written.
        """
        text = " ".join(question.split())
        if not text:
            raise QueryError("the question is empty", hint="Write the question that documents are to be judged for.")
        with self._writing():
            for topic_id, known in self._questions.items():
                if known == text:
                    return self._topic(topic_id)
            if len(self._questions) >= MAX_QUESTIONS:
                raise QueryError(
                    f"there are {MAX_QUESTIONS:,} questions already", hint="Serve another folder with --judge."
                )
            number = len(self._questions) + 1
            while f"T{number}" in self._questions:
                number += 1
            questions = {**self._questions, f"T{number}": text}
            lines = (dump_names({"id": asked_id, "query": asked}) for asked_id, asked in questions.items())
            replace_file(self.folder / TOPICS, b"".join(line + b"\n" for line in lines))
            return Topic(f"T{number}", text, {})

    @property
    def judges(self) -> Mapping[str, Mapping[str, Mapping[str, int]]]:
        """Name → topic → document → grade, of the judges who gave a name."""
        self._read()
        return self._judges

    def grades(self, topic_id: str, judge: str) -> Mapping[str, int]:
        """The grades that a judge has given for a question, or all where no name is given.

        :raises QueryError: there is no such question, or the name cannot be one.
        """
        own = self.topic(topic_id).grades
        return self.judges.get(judge_name(judge), {}).get(topic_id, {}) if judge else own

    def grade(self, topic_id: str, grades: Mapping[str, int | None], judge: str = "") -> None:
        """Takes the grades of documents for a question; None takes a judgment back.

        :param judge: the name of who gives them.
        :raises QueryError: there is no such question, a grade is none of :data:`GRADES`, or the name cannot be one.
        :raises StorageError: they cannot be written; then nothing has changed.
        """
        for doc_id, grade in grades.items():
            if grade is not None and grade not in GRADES:
                raise QueryError(f"there is no grade {grade}", hint=f"Grades are {', '.join(map(str, GRADES))}.")
            if not doc_id or any(character < " " or character == "\x7f" for character in doc_id):
                raise QueryError(f"the id {doc_id[:200]!r} cannot be written into judgments")
        self.topic(topic_id)
        name = judge_name(judge) if judge else ""
        with self._writing():
            self._check(topic_id)
            if name and name not in self._judges and len(self._judges) >= MAX_JUDGES:
                raise QueryError(f"there are {MAX_JUDGES} judges already")
            own = self._judges.get(name, {}) if name else None
            files = {QRELS: _changed(self._grades, topic_id, grades)}
            if own is not None:
                files = {f"judge-{name}.tsv": _changed(own, topic_id, grades)} | files
            for file, changed in files.items():
                lines = (
                    f"{topic}\t0\t{doc_id}\t{grade}\n"
                    for topic, judged in changed.items() for doc_id, grade in judged.items()
                )
                replace_file(self.folder / file, "".join(lines).encode("utf-8", "surrogatepass"))

    def _topic(self, topic_id: str) -> Topic:
        return Topic(topic_id, self._questions[topic_id], dict(self._grades.get(topic_id, {})))

    def _check(self, topic_id: str) -> None:
        if topic_id not in self._questions:
            raise QueryError(f"there is no question {topic_id[:200]!r} to judge for")


def judge_name(name: str) -> str:
    """The name of a judge, in lower case.

    :raises QueryError: it cannot be the name of a file everywhere.
    """
    lower = name.strip().lower()
    if not _JUDGE.fullmatch(lower):
        raise QueryError(
            f"{name[:80]!r} cannot be the name of a judge", hint="Use up to 40 letters from a to z, digits, - and _."
        )
    return lower


def _changed(
    grades: Mapping[str, Mapping[str, int]], topic_id: str, given: Mapping[str, int | None]
) -> dict[str, Mapping[str, int]]:
    """Grades with those that are given for a topic.

    :raises QueryError: the topic has too many then.
    """
    own = {doc_id: grade for doc_id, grade in grades.get(topic_id, {}).items() if doc_id not in given}
    own |= {doc_id: grade for doc_id, grade in given.items() if grade is not None}
    if len(own) > MAX_GRADED:
        raise QueryError(f"more than {MAX_GRADED:,} documents would be graded for one question")
    return {**grades, topic_id: own}


def _state(path: Path) -> tuple[int, ...] | None:
    """What differs where a file was replaced; None where it is not there, or empty."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns) if status.st_size else None


def _read_grades(path: Path) -> dict[str, dict[str, int]]:
    """Judgments with ids exactly as they are, blanks included; judgments that others wrote are read as usual."""
    grades: dict[str, dict[str, int]] = {}
    try:
        for line in path.read_bytes().decode("utf-8", "surrogatepass").removesuffix("\n").split("\n"):
            topic_id, _, doc_id, grade = line.split("\t")
            grades.setdefault(topic_id, {})[doc_id] = _GRADES[grade]
    except (ValueError, KeyError):
        return read_qrels(path)
    return grades


def _read_topics(path: Path) -> dict[str, str]:
    questions: dict[str, str] = {}
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            value = load_names(line)
            questions[str(value["id"])] = str(value["query"])
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(
                'a line is not {"id": …, "query": …}', where=f"{path}:{number}", hint="Mend it, or name another folder."
            ) from error
    return questions
