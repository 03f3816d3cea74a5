"""Sources and groups while they are scanned: what was recorded of them, and what was found of them so far."""

from __future__ import annotations

from dataclasses import replace

from porism.corpus.groups import Placer, ReadGroup, SourceGroups
from porism.errors import Problem
from porism.index.sources import MAX_PROBLEMS, FileProblem, SourceGroup
from porism.search.sources.choice import SourceUpdate
from porism.search.sources.freshness import FileStates


class ScannedSource:
    """One source of the run: how it was, and what is there to read."""

    def __init__(self, wanted: SourceUpdate, listing: SourceGroups | None, trusting: bool) -> None:
        self.wanted, self.listing = wanted, listing
        before = wanted.source
        detected = listing.format if listing is not None else before.detected
        self.before = before
        self.source = replace(before, path=wanted.path, format=wanted.format, detected=detected, options=wanted.options)
        single = not wanted.path.is_dir()
        self.root = wanted.path.parent if single else wanted.path
        self.placer = Placer(before.name, wanted.path.name if single else "")
        self.states = FileStates(self.root, before.files, trusting=trusting)
        self.names = {group.number: name for name, group in before.groups.items()}
        self.seen: set[str] = set()
        self.read_files: set[str] = set()
        self.same_files: set[str] = set()
        self.changed = False
        self.documents = 0

    def means(self, name: str) -> bool:
        """Whether a group is to be looked at."""
        recorded = self.before.groups.get(name)
        return self.wanted.means(name) or (recorded is not None and any(map(self.wanted.means, recorded.files)))


class OpenGroup:
    """A group that is being read."""

    def __init__(self, plan: ScannedSource, group: ReadGroup, recorded: SourceGroup | None, number: int) -> None:
        self.plan, self.group, self.recorded, self.number = plan, group, recorded, number
        self.problems: list[FileProblem] = []
        self.more_problems = 0
        self.documents = self.deferred = 0
        self.begun = self.ended = self.failed = False
        before = recorded.problems if recorded is not None else ()
        self._of_documents: dict[str, list[FileProblem]] = {}
        for problem in before:
            if problem.document:
                self._of_documents.setdefault(problem.document, []).append(problem)

    def problem(self, document: str, problem: Problem) -> None:
        """Keeps what was skipped or not understood."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(FileProblem(document, problem.where, problem.what))
        else:
            self.more_problems += 1

    def unchanged(self, doc_id: str) -> None:
        """Keeps the problems of a document that stays as it is."""
        self.problems += self._of_documents.get(doc_id, ())
