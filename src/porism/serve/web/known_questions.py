"""Questions whose answers are judged, and how the grades of their results are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from porism.errors import pluralise
from porism.serve.web.judgments import GRADES, Judgments
from porism.types import Query

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
