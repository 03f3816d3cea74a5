"""Encoding the documents of an index by a model, and remembering the model, so that later commits encode new ones."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from porism.index import locked_snapshot
from porism.index.vector_rows import NumberType, check_type
from porism.retrieve.encoding_store import write_record
from porism.system.concurrency.clusters import connected
from porism.system.files.artifacts import ENCODERS
from porism.vectors.dense.model import Approximate
from porism.vectors.dense.provider import DenseVectors
from porism.vectors.dense.records import DENSE_RECORDS, EncoderRecord
from porism.vectors.encoding import chosen_files, encoder_name, lasting_name
from porism.vectors.neural.encoder import load_encoder
from porism.vectors.neural.encoder_model import Precision
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.spreading import encode_documents


@dataclass(frozen=True, slots=True)
class EncodeReport:
    """What was encoded: the ``record`` of the encoder, how many ``documents`` the index has, how many of them were
    ``encoded`` now, in ``seconds``, and whether it was ``interrupted``."""

    record: EncoderRecord
    documents: int
    encoded: int
    seconds: float
    interrupted: bool


def encode_index(
    index_path: str | os.PathLike[str],
    model: str | os.PathLike[str],
    *,
    name: str = "",
    settings: EncoderSettings | Mapping[str, Any] | None = None,
    numbers: NumberType = "float32",
    precision: Precision = "auto",
    approximate: Approximate | None = None,
    device: str = "auto",
    cluster: str | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    on_note: Callable[[str], None] = lambda note: None,
) -> EncodeReport:
    """Encodes the documents of an index that have no vectors of a model yet, and remembers the model under a name.

    :param model: a folder, or a name (:func:`porism.vectors.neural.encoder_files.find_encoder`).
    :param name: what the encoder is called in settings of models; that of the model if empty.
    :param settings: how it reads text, or what is to differ from what its folder says.
    :param numbers: what vectors are stored as. :param precision: what the model computes with.
    :param approximate: the indexes of near vectors to build; none if None.
    :param cluster: where documents are encoded, as :func:`porism.system.concurrency.clusters.connected` takes it; here
    if
        None.
    :param on_progress: receives of how many documents vectors are there, of how many.
    :param on_note: receives sentences, such as on a batch that was halved.

    An interruption (Ctrl-C) keeps what was encoded and is noted in the report, not raised; the same call goes on.

    :raises ConfigError: there is no such model, or parts of it do not fit together.
    :raises IndexNotFound: there is no index. :raises IndexLocked: another process writes to it.
    :raises ClusterError: the workers of the cluster cannot do the work.
    :raises MissingExtra: a library is not installed. :raises StorageError: the folder cannot be written.
    """
    started = time.monotonic()
    index = Path(index_path)
    check_type(numbers)
    files = chosen_files(model, index, settings)
    encoder = load_encoder(files, device=device, precision=precision, on_note=on_note)
    record = EncoderRecord(
        ENCODERS.check_name(name or encoder_name(model)), lasting_name(model, index), encoder.files.digest,
        encoder.dimensions, encoder.settings, numbers, precision, approximate or Approximate(),
    )
    with connected(cluster) as workers, locked_snapshot(index) as snapshot:
        write_record(ENCODERS, index, record.name, record)
        DENSE_RECORDS.remove_others(index, snapshot.segments)
        provider = DenseVectors(index, record, encoder=encoder, device=device)
        encoded, interrupted = encode_documents(snapshot, provider, on_progress, workers)
        return EncodeReport(record, snapshot.doc_count, encoded, time.monotonic() - started, interrupted)


def forget_encoder(index_path: str | os.PathLike[str], name: str) -> None:
    """Forgets an encoder of an index, and removes its vectors.

    :raises ConfigError: the index has none of this name.
    :raises IndexLocked: another process writes to it.
    """
    DENSE_RECORDS.forget(index_path, name)
