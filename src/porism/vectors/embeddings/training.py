"""Training vectors of the terms of a channel, interruptible, into the folder of an index.

After each epoch but the last the state of training is kept in ``INDEX/embeddings/NAME.training``; the same training,
started again, goes on from there, and removes the file when it is done. With one worker the vectors are those of
training that was not interrupted, bit by bit; with more they differ anyhow.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xxhash

from porism.extras import need
from porism.index import Snapshot
from porism.index.languages import snapshot_analyzer
from porism.settings import write_settings
from porism.system.files.artifacts import EMBEDDINGS
from porism.vectors.embeddings.corpus import GENSIM, Corpus
from porism.vectors.embeddings.settings import Positional, Word2Vec
from porism.vectors.embeddings.texts import OnProgress, channel_texts
from porism.vectors.embeddings.trainers import Trainer, keep_state, take_up
from porism.vectors.embeddings.vectors import write_token_vectors


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What training made: the file, how many terms have vectors, and how many texts and terms in them were read in each
    epoch.

    It gives the seconds of all epochs, and how many of these were done before. The mean loss of a word is that of the
    last epoch (None where the method does not report it).
    """

    path: Path
    terms: int
    texts: int
    tokens: int
    seconds: float
    resumed: int
    loss: float | None


def train_token_vectors(
    index_path: str | os.PathLike[str], name: str, channel: str, settings: Word2Vec | None = None, *,
    jobs: int | None = 1, restart: bool = False,
    on_reading: OnProgress = lambda done, total: None, on_progress: OnProgress = lambda done, total: None,
    on_epoch: Callable[[int, float | None], None] = lambda epoch, loss: None,
) -> TrainingReport:
    """Trains vectors of the terms of a channel and stores them in the folder of the index as ``name``.

    ``settings`` choose the method: :class:`Word2Vec` (the default), :class:`~porism.vectors.embeddings.FastText`
    or :class:`Positional`. Training that was interrupted goes on after its last whole epoch where texts and settings
    are the same, unless ``restart``.
    Vectors of that name are replaced at the end, all at once. ``jobs`` processes read the documents; ``on_reading`` is
    told how many of how many are read, ``on_progress`` how many terms of all epochs, ``on_epoch`` each epoch that is
    done (from 1) and its loss.

    :raises ConfigError: the name is none, the index has no such channel, fewer than two of its terms are frequent
        enough, or the numbers grow beyond bounds.
    :raises MissingExtra: gensim is not installed (positional training without phrases does not need it).
    :raises StorageError: the folder cannot be written.
    """
    settings = settings or Word2Vec()
    path = EMBEDDINGS.path(index_path, name)
    if settings.phrases or not isinstance(settings, Positional):
        need("gensim.models", "embeddings", GENSIM)
    with Snapshot.open(index_path) as snapshot:
        generation = snapshot.generation
        analyzer = snapshot_analyzer(snapshot)
        texts = channel_texts(snapshot, analyzer, channel, jobs=jobs, on_progress=on_reading)
    corpus = Corpus(texts, settings)
    corpus_digest = corpus.digest
    described = {"method": settings.method, "channel": channel, "settings": write_settings(settings)}
    fingerprint = xxhash.xxh3_64_hexdigest(f"{sorted(described.items())} {corpus_digest}".encode())
    trainer = make_trainer(corpus, settings)
    state_path = path.with_name(f"{name}.training")
    known = {} if restart else take_up(trainer, state_path, fingerprint)
    resumed, before = int(known.get("epochs", 0)), float(known.get("seconds", 0.0))
    total = corpus.token_count * settings.epochs
    done = resumed * corpus.token_count
    started = time.monotonic()
    loss: float | None = None

    def read(tokens: int) -> None:
        nonlocal done
        done += tokens
        on_progress(min(done, total), total)

    for epoch in range(resumed, settings.epochs):
        done = epoch * corpus.token_count  # an epoch with joined phrases reads fewer
        loss = trainer.train_epoch(epoch, read)
        on_epoch(epoch + 1, loss)
        if epoch + 1 < settings.epochs:
            seconds = before + time.monotonic() - started
            keep_state(trainer, state_path, {"fingerprint": fingerprint, "epochs": epoch + 1, "seconds": seconds})
    seconds = before + time.monotonic() - started
    trained = trainer.result()
    of_channel = set(texts.terms)  # phrases that are not terms of the channel served training only
    rows = [row for row, term in enumerate(trained.terms) if term in of_channel]
    info: dict[str, Any] = {
        **described, "texts": corpus.text_count, "tokens": corpus.token_count, "seconds": round(seconds, 3),
        "corpus": corpus_digest, "loss": loss, "generation": generation,
    }
    write_token_vectors(path, [trained.terms[row] for row in rows], trained.vectors[rows], info)
    state_path.unlink(missing_ok=True)
    return TrainingReport(path, len(rows), corpus.text_count, corpus.token_count, seconds, resumed, loss)


def make_trainer(corpus: Corpus, settings: Word2Vec) -> Trainer:
    """The trainer of the method that the settings are of."""
    if isinstance(settings, Positional):
        from porism.vectors.embeddings.positional import PositionalTrainer

        return PositionalTrainer(corpus, settings)
    from porism.vectors.embeddings.gensim_trainers import GensimTrainer

    return GensimTrainer(corpus, settings)
