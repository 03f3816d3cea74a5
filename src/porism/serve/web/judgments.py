"""Questions with graded judgments, as a folder of two files that `porism run` and `porism evaluate` read."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import RLock

from porism.corpus.topics import read_qrels
from porism.errors import FormatError, IndexLocked, QueryError, pluralise
from porism.system.files.durable import make_folder, replace_file
from porism.system.files.lock import WriterLock
from porism.system.files.names import dump_names, load_names
from porism.types import Query

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


@dataclass(frozen=True, slots=True)
class Topic:
    """A question that documents are judged for, with the grade of each that was."""

    id: str
    question: str
    grades: Mapping[str, int]


class Judgments:
    """The judgments of a folder. Every change is on the disk, whole, before the method returns.

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
        self._files: tuple[object, ...] = (None, None)
        self._changes = 0
        self._read()

    def _read(self) -> None:
        """Reads the files, if they have changed."""
        with self._lock:
            judged, asked = self.folder / QRELS, self.folder / TOPICS
            files = (_state(judged), _state(asked))
            if files == self._files:
                return
            grades = _read_grades(judged) if files[0] else {}  # first, for a question is there before its judgments
            questions = _read_topics(asked) if files[1] else {}
            if unknown := grades.keys() - questions.keys():
                raise FormatError(
                    f"there are judgments for {min(unknown)!r}, which is not a question of {TOPICS}",
                    where=str(judged), hint="Keep the two files of one folder together.",
                )
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
        self.topic(topic_id)
        with self._writing():
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
            replace_file(self.folder / QRELS, "".join(lines).encode("utf-8", "surrogatepass"))

    def _topic(self, topic_id: str) -> Topic:
        return Topic(topic_id, self._questions[topic_id], dict(self._grades.get(topic_id, {})))

    def _check(self, topic_id: str) -> None:
        if topic_id not in self._questions:
            raise QueryError(f"there is no question {topic_id[:200]!r} to judge for")


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


NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class Grade:
    """What is shown for one document: ``level`` from 0 to 3 for colours, None where it is not judged."""

    level: int | None
    text: str


@dataclass(frozen=True, slots=True)
class GradeScale:
    """The grades of judgments whose highest is ``highest``: those of ARQMath have names, others are numbers."""

    highest: int

    @property
    def relevant(self) -> int:
        """The lowest grade that binary measures count as relevant: 2 as in ARQMath, or 1 where 1 is the highest."""
        return 1 if self.highest <= 1 else 2

    def grade(self, gain: int | None) -> Grade:
        """A gain in words, None for a document without one."""
        if gain is None:
            return Grade(None, NOT_JUDGED)
        if self.highest <= 1:
            return Grade(3, "relevant") if gain > 0 else Grade(0, "not relevant")
        if gain <= 0:
            return Grade(0, f"0 {GRADES[0]}" if gain == 0 else f"{gain} {GRADES[0]}".replace("-", "−"))
        if self.highest == max(GRADES):
            return Grade(gain, f"{gain} {GRADES[gain]}")
        return Grade(max(1, round(3 * gain / self.highest)), f"{gain} of {self.highest}")


ARQMATH = GradeScale(max(GRADES))


def scale_of(qrels: Mapping[str, Mapping[str, int]]) -> GradeScale:
    """The scale of judgments, by the highest gain that occurs."""
    return GradeScale(max((gain for judged in qrels.values() for gain in judged.values()), default=0))


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """The judged answers of one question."""

    topic: str
    gains: Mapping[str, int]
    scale: GradeScale

    def grade(self, doc_id: str) -> Grade:
        """What is shown for a document."""
        return self.scale.grade(self.gains.get(doc_id))

    def summary(self, doc_ids: Iterable[str]) -> str:
        """How many of some results are judged, how many of these are relevant, and how many there are in all."""
        results = list(doc_ids)
        shown = [self.gains[doc_id] for doc_id in results if doc_id in self.gains]
        relevant = sum(gain >= self.scale.relevant for gain in shown)
        of = sum(gain >= self.scale.relevant for gain in self.gains.values())
        return (
            f"Of these {pluralise(len(results), 'result')} {len(shown):,} {'is' if len(shown) == 1 else 'are'} judged, "
            f"{relevant:,} relevant. In all {pluralise(len(self.gains), 'document')} "
            f"{'is' if len(self.gains) == 1 else 'are'} judged for this question, {of:,} relevant."
        )


def topic_text(query: Query) -> str:
    """A topic as a question that can be typed: all its fields but the tags, on one line."""
    shown = [content.to_latex() for name, content in query.fields.items() if name != "tags" and content]
    return " ".join(" ".join(shown).split())


def _unchanged(value: Mapping[str, object], before: Mapping[str, object]) -> bool:
    return value is before or not (value or before)


class KnownQuestions:
    """Questions whose answers are judged: topics with judgments, and questions that are judged on this server."""

    def __init__(
        self, judgments: Judgments | None = None,
        collection: Callable[[], tuple[Mapping[str, Query], Mapping[str, Mapping[str, int]]]] | None = None,
    ) -> None:
        """``collection`` returns topics and judgments as they are now, the same objects until a file changes."""
        self._judgments, self._collection = judgments, collection
        self._read: tuple[Mapping[str, Query], Mapping[str, Mapping[str, int]]] | None = None
        self._by_text: dict[str, JudgedQuestion] = {}
        self._digest = ""

    @property
    def version(self) -> str:
        """Changes whenever an answer is judged, or a file has changed; of equal files all processes have the same."""
        self._refresh()
        return f"{self._judgments.changes if self._judgments else 0}.{self._digest}"

    def find(self, question: str) -> JudgedQuestion | None:
        """The judged answers of a question, None for one that is not known; what is judged here counts first."""
        self._refresh()
        text = " ".join(question.split())
        known = self._by_text.get(text)
        topics = self._judgments.topics if self._judgments is not None else ()
        here = next((topic for topic in topics if topic.question == text), None)
        if here is None or (known is not None and known.scale != ARQMATH):
            return known
        if known is None:
            return JudgedQuestion(here.id, here.grades, ARQMATH)
        return JudgedQuestion(known.topic, {**known.gains, **here.grades}, ARQMATH)

    def _refresh(self) -> None:
        if self._collection is None:
            return
        read = self._collection()
        if self._read is not None and all(map(_unchanged, read, self._read)):
            return
        topics, qrels = read
        scale = scale_of(qrels)
        by_text: dict[str, JudgedQuestion] = {}
        twice: set[str] = set()
        for topic_id, query in topics.items():
            judged = JudgedQuestion(topic_id, qrels.get(topic_id, {}), scale)
            title = query.fields.get("title")
            texts = {topic_text(query), " ".join(title.to_latex().split()) if title else ""} - {""}
            for text in texts:
                if text in by_text:
                    twice.add(text)
                by_text[text] = judged
        self._by_text = {text: judged for text, judged in by_text.items() if text not in twice}
        self._digest = sha256(repr(self._by_text).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self._read = read
