"""Tokenizers trained on an index or on sources, and kept in a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from porism.analysis.tokenizers.tokenizer import MathTokenizer
from porism.analysis.tokenizers.training import BpeSettings, train_bpe
from porism.corpus import ReaderOptions
from porism.errors import OnProblem
from porism.index import Snapshot
from porism.index.documents import StoredDocuments
from porism.search.sources.indexing import read_documents


def train_tokenizer(
    path: str | os.PathLike[str], *, sources: Sequence[str | os.PathLike[str]] = (),
    index: str | os.PathLike[str] | None = None, settings: BpeSettings | None = None, format: str | None = None,
    options: ReaderOptions | None = None, on_problem: OnProblem | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> MathTokenizer:
    """Trains byte-pair encoding on the documents of ``sources`` or, where there are none, of an ``index``, writes it to
    the file ``path`` in one step, and returns it.

    ``on_progress`` receives how many documents were read, of how many (0 where that is unknown). What was in the file
    stays until the training is complete.

    :raises SourceError: a source is missing or empty, or the file cannot be written.
    :raises IndexNotFound: there is no index.
    :raises ConfigError: there is nothing to train on.
    :raises MissingExtra: the library ``tokenizers`` is not installed.
    """
    total = 0
    if sources or index is None:
        documents = read_documents(sources, format=format, options=options, on_problem=on_problem)
    else:
        snapshot = Snapshot.open(index)
        total = snapshot.doc_count
        documents = iter(StoredDocuments(snapshot))
    tokenizer = train_bpe(documents, settings, on_progress=lambda done: on_progress(done, total))
    tokenizer.save(path)
    return tokenizer
