"""The ARQMath collection: posts, comments and links of Math Stack Exchange, and tables of all formulas.

A folder laid out as the lab distributes it: ``Posts.V1.3.xml``, ``Comments.V1.3.xml``, ``PostLinks.V1.3.xml``,
``latex_representation_v3/*.tsv``, ``slt_representation_v3/*.tsv``; any may be missing but the posts, and any may be
packed with gzip.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

from porism.corpus.base import OnProgress, ReaderOptions, ignore_problem
from porism.corpus.posts.formula_table import (
    CollectionFormula,
    FormulaIds,
    FormulaTable,
    newest_tables,
    read_tables,
    table_files,
)
from porism.corpus.posts.threads import ThreadFiles, ThreadReader, database_errors, temporary_database
from porism.corpus.streams import ByteProgress
from porism.corpus.walking import only_inside
from porism.errors import OnProblem, Problem, SourceError
from porism.types import Content, Document, MarkupNotation

_HINT = "Expected a folder with Posts.V1.3.xml, and beside it Comments, PostLinks, latex_representation_v3/*.tsv"


class ArqmathReader:
    """Reads the ARQMath collection."""

    name = "arqmath"
    document = "an answer with its question, a question, or a thread (--unit)"

    def detect(self, path: Path) -> bool:
        """Whether the folder holds ``Posts.V*.xml``, or ``Posts.xml`` beside formula tables."""
        if not path.is_dir():
            return False
        return bool(_versions(path, "Posts", versioned=True)) or (
            bool(_versions(path, "Posts")) and bool(newest_tables(path, "latex") or newest_tables(path, "slt"))
        )

    def read(
        self, path: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        """Yields the documents of an ARQMath collection, thread by thread.

        ========  ======================================================================================================
        unit      fields
        ========  ======================================================================================================
        answer    ``title`` and ``question`` (body) and ``tags`` of its question, ``body``, its ``comments``
        question  ``title``, ``body``, ``tags``, its ``comments``
        thread    the question's ``title``, ``body``, ``tags``; all ``answers``; all ``comments``
        ========  ======================================================================================================

        Ids are those of the post (of the question, for a thread). Metadata: ``type``, ``question_id``, ``tags``,
        ``source``, and where known ``linked``, ``duplicates`` (questions), ``answer_ids``, ``accepted``,
        ``accepted_answer_id``, ``score``, ``created``. Formulas carry the ids of their spans and the visual ids of the
        tables. Where a post id occurs twice, the later post counts. Memory does not grow with the collection.

        With ``mathml`` in ``options.formulas``, formulas are those of the tables of layout trees where these are there.

        :raises SourceError: there is no such folder, or no posts in it, or none that can be read.
        """
        files = ThreadFiles.of(path, lambda kind: _newest(path, kind, on_problem), options, on_problem, _HINT)
        latex = only_inside(newest_tables(path, "latex"), path, options, on_problem)
        slt: list[Path] = []
        if options.formulas == "mathml" or not latex:
            slt = only_inside(newest_tables(path, "slt"), path, options, on_problem)
        if options.formulas == "mathml" and not slt:
            on_problem(Problem(str(path), "there are no slt_representation tables; formulas are given as LaTeX"))
        if slt and options.formulas == "latex":
            latex, slt = slt, []  # the tables of MathML have the visual ids too
        name = options.collection or path.resolve().name

        with ExitStack() as stack:
            ids: FormulaIds | None = None
            if latex or slt:
                ids = FormulaIds(stack.enter_context(closing(temporary_database())))
            reader = ThreadReader(
                files, name, options, on_problem, on_progress,
                finish=ids.complete if ids is not None else _unchanged,
                extra_bytes=sum(table.stat().st_size for table in [*latex, *slt]),
            )
            return _documents(reader, ids, latex, slt, on_problem, stack.pop_all())


def _documents(
    reader: ThreadReader, ids: FormulaIds | None, latex: list[Path], slt: list[Path], on_problem: OnProblem,
    stack: ExitStack,
) -> Iterator[Document]:
    with stack:
        stack.enter_context(database_errors(reader.files.posts))
        if ids is not None:
            for path in latex:
                with ExitStack() as table_stack:
                    ids.add_visual_ids(FormulaTable(path, on_problem, table_stack), reader.progress)
            for path in slt:
                ids.add_mathml(FormulaTable(path, on_problem, stack), reader.progress)
        yield from reader.documents()


def read_formulas(
    path: str | Path, *, notation: MarkupNotation = "latex", on_problem: OnProblem | None = None,
    on_progress: OnProgress | None = None,
) -> Iterator[CollectionFormula]:
    """Yields every occurrence of a formula in the tables of an ARQMath collection, in the order of the tables.

    :param path: the collection's folder, a folder of tables, or one table.
    :param notation: which tables are read: ``latex_representation*`` or ``slt_representation*``.
    :raises SourceError: there are no such tables.
    """
    path = Path(path)
    kind = "latex" if notation == "latex" else "slt"
    if path.is_file():
        tables = [path]
    else:
        tables = newest_tables(path, kind) or table_files(path)
    if not tables:
        raise SourceError(
            "there are no formula tables", where=str(path), hint=f"Expected {kind}_representation_v3/*.tsv"
        )
    progress = ByteProgress(on_progress, sum(table.stat().st_size for table in tables))
    return read_tables(tables, notation, on_problem or ignore_problem, progress)


def _unchanged(content: Content) -> Content:
    return content


def _versions(path: Path, kind: str, *, versioned: bool = False) -> list[Path]:
    """The files of a kind, the newest version last."""
    pattern = re.compile(rf"{kind}(\.[Vv][\d.]*\d){'' if versioned else '?'}\.xml(\.gz)?")
    try:
        match = [entry for entry in path.iterdir() if pattern.fullmatch(entry.name)]
    except OSError:
        return []
    return sorted(match, key=lambda entry: ([int(part) for part in re.findall(r"\d+", entry.name)], entry.name))


def _newest(path: Path, kind: str, on_problem: OnProblem) -> Path | None:
    files = _versions(path, kind)
    for older in files[:-1]:
        on_problem(Problem(older.name, f"is left aside for {files[-1].name}"))
    return files[-1] if files else None
