"""Stack Exchange data dumps: ``Posts.xml``, with ``Comments.xml`` and ``PostLinks.xml`` beside it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from porism.corpus.base import OnProgress, ReaderOptions
from porism.corpus.posts.threads import ThreadFiles, ThreadReader
from porism.corpus.streams import first_bytes
from porism.errors import OnProblem
from porism.types import Document

_HINT = "Expected Posts.xml of a Stack Exchange dump (unpack the .7z archive first), or the folder that holds it"


class StackExchangeReader:
    """Reads Stack Exchange dumps."""

    name = "stackexchange"
    document = "an answer with its question, a question, or a thread (--unit)"

    def detect(self, path: Path) -> bool:
        """Whether it is a folder with ``Posts.xml``, or an XML file that begins with ``<posts>``."""
        if path.is_dir():
            return _member(path, "Posts") is not None
        if not path.name.lower().endswith((".xml", ".xml.gz")):
            return False
        start = first_bytes(path, 2000)
        return b"<posts" in start or (b"<row" in start and b"PostTypeId=" in start)

    def read(
        self, path: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        """Yields the documents, with the units, fields and metadata of ARQMath's.

        Bodies may be HTML or Markdown, with formulas between dollars or in bare environments. ``path`` is the folder of
        the dump, or its file of posts alone; ``.gz`` files are read as they are.

        :raises SourceError: there are no posts, or none that can be read.
        """
        files = ThreadFiles(path)
        if path.is_dir():
            files = ThreadFiles.of(path, partial(_member, path), options, on_problem, _HINT)
        name = options.collection or path.resolve().name
        return ThreadReader(files, name, options, on_problem, on_progress).documents()


def _member(folder: Path, kind: str) -> Path | None:
    for name in (f"{kind}.xml", f"{kind}.xml.gz", f"{kind.lower()}.xml", f"{kind.lower()}.xml.gz"):
        if (folder / name).is_file():
            return folder / name
    return None
