"""Lists of references: a document for each entry of BibTeX, RIS or CSL-JSON."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO

from porism.corpus.base import ReaderOptions, UnitId, ignore_problem
from porism.corpus.bibliography.bibtex import Bibliography
from porism.corpus.bibliography.csl import CSL_KINDS, csl_fields
from porism.corpus.bibliography.entries import ReadText, attachments, entry_document
from porism.corpus.bibliography.ris import ris_records
from porism.corpus.latex.environments import TextEnvironments
from porism.corpus.latex.tokens import FUEL_CAPACITY, clean, tokenize
from porism.corpus.mathtext import split_math
from porism.corpus.posts.threads import body_content
from porism.corpus.streams import ByteProgress, byte_lines, first_bytes, narrow_encoding, open_seekable
from porism.corpus.tables.json_records import Record, json_records
from porism.corpus.tables.reader import RecordReader
from porism.corpus.text_files import MAX_TEXT_BYTES, decode
from porism.errors import OnProblem, Problem, SourceError
from porism.types import Content, Document, Formula

_MARKUP = re.compile(r"[\\{}$~#%&^]|--|``|''")
_BARE = re.compile(r"(?<!\\)[%#]|(?<!\\)&(?![^\n]*\\\\)")
_DEFINITION = re.compile(r"\\(?:[gex]?def|let|[A-Za-z]*newcommand|DeclareMathOperator|newenvironment)(?![A-Za-z])")
_DOLLAR = re.compile(r"(?<!\\)\$")
_TYPE = re.compile(rb'"type"\s*:\s*"(%s)"' % "|".join(CSL_KINDS).encode())
_OF_REFERENCE = re.compile(rb'"(?:issued|container-title|DOI|citation-key|family)"\s*:')
_LOOKED_AT = 65_536
_FILE_FIELD = re.compile(rb"(?i:\bfile)\s*=|^L1  -", re.MULTILINE)


class LatexValues:
    """Reads the values of an entry of BibTeX as LaTeX: accents and braces, commands of text, formulas.

    :param preamble: LaTeX whose definitions hold in all of them.
    """

    def __init__(self, preamble: str, where: str, on_problem: OnProblem) -> None:
        self._preamble, self._where, self._on_problem = preamble, where, on_problem

    def read(self, value: str, field: str) -> Content:
        """The content of a value."""
        value = clean(value)
        if not _MARKUP.search(value):
            return Content(" ".join(value.split()))
        if len(_DOLLAR.findall(value)) % 2:
            content = split_math(value, where=f"{self._where}: {field}", on_problem=self._on_problem)
            value = "".join(
                f"${part.source}$" if isinstance(part, Formula) else part.replace("$", "\\$") for part in content.parts
            )
        reader = (latex_reader.__wrapped__ if _DEFINITION.search(value) else latex_reader)(self._preamble)
        reader.expander.stream.fuel = FUEL_CAPACITY
        return reader.content(tokenize(_BARE.sub(r"\\\g<0>", value)))


@lru_cache(4)
def latex_reader(preamble: str) -> TextEnvironments:
    """What reads values after a preamble; one that defines macros needs a reader of its own."""
    reader = TextEnvironments()
    reader.expander.stream.fuel = FUEL_CAPACITY
    reader.content(tokenize(preamble))
    return reader


class ReferenceReader(RecordReader):
    """Reads files of references, each of which becomes a document."""

    document = "an entry"

    def detect(self, path: Path) -> bool:
        """Whether the name has one of the extensions, packed with gzip or not."""
        return path.is_file() and path.name.lower().removesuffix(".gz").endswith(self.extensions)

    def id_of(self, record: Record, file: str, options: ReaderOptions) -> UnitId:
        return UnitId(file, str(record.values.get("key") or record.line))

    def document_of(
        self, record: Record, where: str, options: ReaderOptions, on_problem: OnProblem, source: str
    ) -> Document | None:
        doc_id = self.id_of(record, where.rpartition(":")[0], options)
        document = entry_document(record.values, doc_id, source, self.text_reader(record, where, on_problem))
        if document is None:
            on_problem(Problem(where, "an entry without title, abstract and note is skipped"))
        return document

    def attached(self, path: Path, options: ReaderOptions) -> Iterator[tuple[str, Document]]:
        """The whole paths of the files that a list names, each with the document of its entry."""
        try:
            with open_seekable(path, ignore_problem, options.encoding, options.max_unpacked) as file:
                if not _FILE_FIELD.search(file.read(MAX_TEXT_BYTES)):
                    return
                file.seek(0)
                for record in self.records(file, path, options, ignore_problem, ByteProgress(None, 0)):
                    if files := attachments(record.values):
                        document = self.document_of(record, f"{path.name}:{record.line}", options, ignore_problem, "")
                        if document is not None:
                            yield from ((os.path.abspath(path.parent / name), document) for name in files)
        except (SourceError, OSError):
            return  # reported when the list itself is read

    def text_reader(self, record: Record, where: str, on_problem: OnProblem) -> ReadText:
        """What makes content of the values of an entry."""
        return lambda value, field: body_content(value, f"{where}: {field}", on_problem)


class BibtexReader(ReferenceReader):
    """Reads BibTeX and BibLaTeX."""

    name = "bibtex"
    extensions = (".bib", ".bibtex", ".biblatex")
    expected = "entries such as @article{key, title = {…}}"

    def records(
        self, file: IO[bytes], path: Path, options: ReaderOptions, on_problem: OnProblem, progress: ByteProgress
    ) -> Iterator[Record]:
        data = file.read(MAX_TEXT_BYTES + 1)
        if len(data) > MAX_TEXT_BYTES:
            on_problem(Problem(path.name, f"only the first {MAX_TEXT_BYTES:,} bytes are read"))
        text = decode(data[:MAX_TEXT_BYTES], path.name, on_problem, narrow_encoding(options.encoding))
        bibliography = Bibliography(text, path.name, on_problem)
        for entry in bibliography.entries():
            values = {**entry.fields, "kind": entry.kind, "key": entry.key}
            if bibliography.preamble:
                values["preamble"] = "\n".join(bibliography.preamble)
            yield Record(entry.line, values)
        progress.finish()

    def text_reader(self, record: Record, where: str, on_problem: OnProblem) -> ReadText:
        return LatexValues(str(record.values.get("preamble", "")), where, on_problem).read


class RisReader(ReferenceReader):
    """Reads RIS."""

    name = "ris"
    extensions = (".ris",)
    expected = "entries that begin with TY  - and end with ER  -"

    def records(
        self, file: IO[bytes], path: Path, options: ReaderOptions, on_problem: OnProblem, progress: ByteProgress
    ) -> Iterator[Record]:
        encoding = narrow_encoding(options.encoding)

        def lines() -> Iterator[tuple[int, str]]:
            for number, _, data in byte_lines(file, path.name, on_problem, MAX_TEXT_BYTES):
                progress.add(len(data) + 1)
                yield number, decode(data, f"{path.name}:{number}", on_problem, encoding)

        yield from ris_records(lines(), path.name, on_problem)


class CslReader(ReferenceReader):
    """Reads CSL-JSON: one array of items."""

    name = "csl-json"
    extensions = (".json", ".csljson")
    expected = "an array of items of CSL-JSON"

    def detect(self, path: Path) -> bool:
        """Whether it is an array of objects, with a type and a key that only references have."""
        if not super().detect(path):
            return False
        start = first_bytes(path, _LOOKED_AT).lstrip(b"\xef\xbb\xbf \t\r\n")
        return start.startswith(b"[") and bool(_TYPE.search(start)) and bool(_OF_REFERENCE.search(start))

    def records(
        self, file: IO[bytes], path: Path, options: ReaderOptions, on_problem: OnProblem, progress: ByteProgress
    ) -> Iterator[Record]:
        for line, item in json_records(file, path, options, on_problem, progress):
            yield Record(line, csl_fields(item))
