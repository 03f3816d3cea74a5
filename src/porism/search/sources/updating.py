"""Bringing an index up to date with its sources: only what has changed is read, analysed and written."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from porism.analysis.analyzer import AnalysisConfig
from porism.analysis.tokenizers.tokenizer import keep_tokenizers
from porism.corpus.base import ignore_problem
from porism.errors import IndexNotFound, OnProblem, SourceError
from porism.index import IndexWriter, Snapshot
from porism.index.sources import SourceTable
from porism.retrieve import DEFAULT_MODEL, SearchModel
from porism.retrieve.meaning.vectors import MeaningChoice
from porism.search.sources.choice import Choice, Options, choose, choose_all
from porism.search.sources.indexing import BUFFER_BYTES, Progress, is_index, prepare_for_searches
from porism.search.sources.update_run import Abandoned, Change, UpdateReport, UpdateRun, UpdateSettings, source_numbers
from porism.system.concurrency.clusters import connected


def index_sources(
    sources: Sequence[str | os.PathLike[str]], path: str | os.PathLike[str], *, format: str | None = None,
    options: Options | None = None, config: AnalysisConfig | None = None, model: SearchModel = DEFAULT_MODEL,
    jobs: int | None = None, change: Change | None = None, on_problem: OnProblem | None = None,
    on_progress: Callable[[Progress], None] | None = None, checksum: bool = False, read_all: bool = False,
    cluster: str | None = None, meaning: MeaningChoice | None = None,
) -> UpdateReport:
    """Brings the index at ``path`` up to date with ``sources`` (files or folders); the index is made if need be.

    The index remembers its sources. Of one that it knows, only the files that have changed since are read, and only the
    documents that have changed are analysed. Documents that are no longer there are deleted; the others become new
    sources. A path inside a source that is known brings that part of it up to date. Running again after an interruption
    completes the index.

    ``format`` names a reader and ``options`` say how it reads; None is what is remembered, or found out from the
    content and the defaults, and a mapping holds the settings that differ. ``config`` is what a new index is made with
    (all channels by default; of an index that exists it must be the configuration), and ``jobs`` is the number of
    analysing processes (all cores by default). Each document is put through ``change`` before it is analysed, where
    that is given; all files are read then.

    With ``checksum`` files whose size and time are as before are compared by their content too; with ``read_all`` all
    files are read again.

    With ``cluster`` the workers of a Dask cluster analyse and build segments (``tcp://host:8786``, or ``local:2`` for
    two processes on this machine); they have to see the folder of the index under the same path. All is one commit
    then.

    ``meaning`` says by which table of terms documents have the vectors of :mod:`porism.retrieve.meaning`: ``auto``
    learns one from the documents, and uses it if it is better than the general one; ``general`` uses the latter;
    ``off`` uses none. The index remembers it; a new one has ``auto``.

    An interruption (Ctrl-C) commits what was analysed and is noted in the report, not raised; with a cluster the index
    stays as it was.

    :raises SourceError: a source is missing, empty or of no known format; nothing was committed then.
    :raises ConfigError: the index exists and was made with another configuration.
    :raises IndexLocked: another process writes to the index.
    :raises StorageError: the disk is full or the folder read-only; the last commit stays.
    :raises ClusterError: there is no such cluster, or a worker has another version of Porism or does not see the index.
    :raises MissingExtra: Dask is not installed.
    """
    if not sources:
        raise SourceError("no source was named", hint="Name at least one file or folder to read.")

    def chosen(table: SourceTable) -> Choice:
        return choose(sources, table.sources, format, options)

    settings = UpdateSettings(
        config, model, jobs, change, on_problem, on_progress, checksum, read_all, strict=True, cluster=cluster,
        meaning=meaning,
    )
    return _bring_up_to_date(Path(path), chosen, settings)


def update_index(
    path: str | os.PathLike[str], sources: Sequence[str | os.PathLike[str]] = (), *, model: SearchModel = DEFAULT_MODEL,
    jobs: int | None = None, change: Change | None = None, on_problem: OnProblem | None = None,
    on_progress: Callable[[Progress], None] | None = None, checksum: bool = False, read_all: bool = False,
    remove_missing: bool = False, cluster: str | None = None, meaning: MeaningChoice | None = None,
) -> UpdateReport:
    """Brings the index at ``path`` up to date with the sources that it remembers, or with those that are named.

    ``sources`` are names or paths of sources of the index, or paths inside them. A source that cannot be reached keeps
    its documents and is named in the report; with ``remove_missing`` it goes with its documents. Otherwise as
    :func:`index_sources`.

    :raises IndexNotFound: there is no index.
    :raises SourceError: a source is named that the index does not have.
    """
    if not is_index(path):
        raise IndexNotFound(
            "there is no index here", where=str(path), hint="Make one with: porism index SOURCE --index DIR"
        )

    def chosen(table: SourceTable) -> Choice:
        return choose(sources, table.sources, may_be_new=False) if sources else choose_all(table.sources)

    settings = UpdateSettings(
        None, model, jobs, change, on_problem, on_progress, checksum, read_all, remove_missing=remove_missing,
        cluster=cluster, meaning=meaning,
    )
    return _bring_up_to_date(Path(path), chosen, settings)


def remove_source(
    path: str | os.PathLike[str], name: str, *, model: SearchModel = DEFAULT_MODEL, on_problem: OnProblem | None = None
) -> int:
    """Deletes all documents of a source and forgets it; returns how many documents there were.

    :raises IndexNotFound: there is no index.
    :raises SourceError: it has no source of that name.
    """
    report = on_problem or ignore_problem
    with IndexWriter(path, create=False) as writer:
        table = writer.sources
        source = table.sources.get(name)
        if source is None:
            raise SourceError(
                f"the index has no source {name!r}", where=str(path),
                hint=f"Its sources are {', '.join(table.sources) or 'none'}.",
            )
        count = writer.delete(writer.owned(source_numbers([source])))
        left = {other: known for other, known in table.sources.items() if other != name}
        writer.sources = SourceTable(left, table.next_group)
        writer.commit(before_publish=lambda segments: prepare_for_searches(segments, model, report))
    return count


def _bring_up_to_date(path: Path, chosen: Callable[[SourceTable], Choice], settings: UpdateSettings) -> UpdateReport:
    try:
        with connected(settings.cluster):
            return _connected(path, chosen, settings)
    except Abandoned as abandoned:
        report: UpdateReport = abandoned.args[0]
        return report


def _connected(path: Path, chosen: Callable[[SourceTable], Choice], settings: UpdateSettings) -> UpdateReport:
    started = time.monotonic()
    config = settings.config
    if not is_index(path):
        # What cannot be read at all leaves no trace: the first batch comes before the folder.
        config = config or AnalysisConfig()
        run = UpdateRun(settings, chosen(SourceTable()), SourceTable(), None)
        run.begin()
        with IndexWriter(path, config=config.to_dict(), buffer_bytes=BUFFER_BYTES) as writer:
            if not writer.generation:
                keep_tokenizers(config.tokenizers, path)
                return run.finish(writer, started)
    with IndexWriter(
        path, config=config.to_dict() if config else None, create=False, buffer_bytes=BUFFER_BYTES
    ) as writer:
        if config is not None:
            keep_tokenizers(config.tokenizers, path)
        with Snapshot.open(path) as snapshot:
            run = UpdateRun(settings, chosen(writer.sources), writer.sources, snapshot)
            try:
                run.begin()
            except KeyboardInterrupt:
                return run.report(path, started, interrupted=True)
            return run.finish(writer, started)
