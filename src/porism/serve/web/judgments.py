"""Questions with graded judgments, as a folder of two files that `porism run` and `porism evaluate` read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import orjson

from porism.corpus.topics import read_qrels
from porism.errors import FormatError, QueryError
from porism.system.files.durable import make_folder, replace_file

TOPICS, QRELS = "topics.jsonl", "qrels.tsv"

GRADES = {0: "not relevant", 1: "slightly relevant", 2: "relevant", 3: "highly relevant"}
"""Grades as in ARQMath."""

MAX_QUESTIONS = 10_000
MAX_GRADED = 5_000
"""Questions of a folder, and graded documents of one: whoever reaches the pages can write, and disks are finite."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A question that documents are judged for, with the grade of each that was."""

    id: str
    question: str
    grades: Mapping[str, int]


class Judgments:
    """The judgments of a folder. Every change is on the disk, whole, before the method returns; safe to share."""

    def __init__(self, folder: Path) -> None:
        """Reads what the folder has; it is made with the first question.

        :raises FormatError: a file is not what this class wrote.
        """
        self.folder = folder
        self._lock = Lock()
        self._questions: dict[str, str] = {}
        self._grades: dict[str, dict[str, int]] = {}
        self.changes = 0
        """Rises with each change."""
        if (folder / TOPICS).is_file():
            self._questions = _read_topics(folder / TOPICS)
        if (folder / QRELS).is_file() and (folder / QRELS).stat().st_size:
            self._grades = read_qrels(folder / QRELS)
            if unknown := self._grades.keys() - self._questions.keys():
                raise FormatError(
                    f"there are judgments for {min(unknown)!r}, which is not a question of {TOPICS}",
                    where=str(folder / QRELS), hint="Keep the two files of one folder together.",
                )

    @property
    def topics(self) -> list[Topic]:
        """All questions, in the order in which they were asked."""
        with self._lock:
            return [self._topic(one) for one in self._questions]

    def question(self, topic_id: str) -> str | None:
        """The question of an id, None where there is none."""
        return self._questions.get(topic_id)

    def topic(self, topic_id: str) -> Topic:
        """A question.

        :raises QueryError: there is none of this id.
        """
        with self._lock:
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
        with self._lock:
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
            make_folder(self.folder)
            lines = (orjson.dumps({"id": one, "query": asked}) for one, asked in questions.items())
            replace_file(self.folder / TOPICS, b"".join(line + b"\n" for line in lines))
            self._questions = questions
            self.changes += 1
            return self._topic(f"T{number}")

    def grade(self, topic_id: str, grades: Mapping[str, int | None]) -> None:
        """Takes the grades of documents for a question; None takes a judgment back.

        :raises QueryError: there is no such question, or a grade is none of :data:`GRADES`.
        :raises StorageError: they cannot be written; then nothing has changed.
        """
        for doc_id, grade in grades.items():
            if grade is not None and grade not in GRADES:
                raise QueryError(f"there is no grade {grade}", hint=f"Grades are {', '.join(map(str, GRADES))}.")
            if not doc_id or any(character < " " or character == "\x7f" for character in doc_id):
                raise QueryError(f"the id {doc_id[:200]!r} cannot be written into judgments")
        with self._lock:
            self._check(topic_id)
            own = dict(self._grades.get(topic_id, {}))
            for doc_id, grade in grades.items():
                own.pop(doc_id, None)
                if grade is not None:
                    own[doc_id] = grade
            if len(own) > MAX_GRADED:
                raise QueryError(f"more than {MAX_GRADED:,} documents would be graded for one question")
            changed = {**self._grades, topic_id: own}
            lines = (
                f"{topic}\t0\t{doc_id}\t{grade}\n"
                for topic, judged in changed.items() for doc_id, grade in judged.items()
            )
            make_folder(self.folder)
            replace_file(self.folder / QRELS, "".join(lines).encode("utf-8", "surrogatepass"))
            self._grades = changed
            self.changes += 1

    def _topic(self, topic_id: str) -> Topic:
        return Topic(topic_id, self._questions[topic_id], dict(self._grades.get(topic_id, {})))

    def _check(self, topic_id: str) -> None:
        if topic_id not in self._questions:
            raise QueryError(f"there is no question {topic_id[:200]!r} to judge for")


def _read_topics(path: Path) -> dict[str, str]:
    questions: dict[str, str] = {}
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            value = orjson.loads(line)
            questions[str(value["id"])] = str(value["query"])
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(
                'a line is not {"id": …, "query": …}', where=f"{path}:{number}", hint="Mend it, or name another folder."
            ) from error
    return questions
