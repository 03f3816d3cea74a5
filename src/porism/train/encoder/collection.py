"""Learning how to ask a collection: texts keep the vectors that the encoder gives them, and only how it reads questions
changes.

In a batch, a positive is told from those of other pairs alone. What no pair asks for is never among these, and what
many pairs ask for is a negative as often: both teach the opposite of what a ranking of the whole collection needs.
Where the vectors of texts stay, all of them can be compared with in each step, exactly: the loss is the cross-entropy
of the positive in the ranking that a search would make. Only the questions of a batch are encoded, so this takes a
fraction of the time of a training of both sides. (A memory bank, Wu et al. 2018, that never ages.)
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.analysis.model_text import ModelText, document_text
from porism.extras import need
from porism.neural.encoder_model import autocast
from porism.neural.loading import EXTRA, load_torch
from porism.train.encoder.model import as_read
from porism.train.encoder.settings import EncoderTraining
from porism.train.pairs.base import Pair
from porism.train.pairs.exclusion import Exclusion
from porism.types import Documents

_PURPOSE = "training an encoder"
_AT_ONCE = 64
"""Texts that are encoded at a time."""


@dataclass(frozen=True, slots=True)
class Rivals:
    """The ``texts`` that positives are told from, by number: the ``positives`` (int64) of the pairs, and for each pair
    the numbers of the texts that are no negatives of it (``spared``): its anchor, what answers it, too, and the
    documents that all of these are from."""

    texts: tuple[str, ...]
    positives: NDArray[np.int64]
    spared: tuple[NDArray[np.int64], ...]

    @property
    def digest(self) -> str:
        """Tells these texts from others."""
        whole = xxhash.xxh3_128()
        for text in self.texts:
            whole.update(text.encode())
            whole.update(b"\0")
        return whole.hexdigest()


def collection_texts(documents: Documents, text: ModelText, exclude: Exclusion) -> dict[str, str]:
    """The texts of documents by id, as a model reads them, without those that nothing may be trained on."""
    texts = {
        document.id: document_text(document, text) for document in documents if document.id not in exclude.ids
    }
    repeats = exclude.repeats(list(texts.values())).tolist()
    return {name: written for (name, written), left in zip(texts.items(), repeats, strict=True) if not left}


def find_rivals(pairs: Sequence[Pair], collection: Mapping[str, str], settings: EncoderTraining) -> Rivals:
    """The texts of all positives, and those of a collection by id: all, or ``settings.rivals`` of them drawn by the
    seed. A document that an anchor or one of its positives is from is no negative of it."""
    numbers: dict[str, int] = {}
    for pair in pairs:
        numbers.setdefault(pair.positive, len(numbers))
    others = sorted(name for name, text in collection.items() if text and text not in numbers)
    if len(others) > settings.rivals:
        others = random.Random(settings.seed).sample(others, settings.rivals)
    for name in others:
        numbers.setdefault(collection[name], len(numbers))
    known: dict[str, set[int]] = defaultdict(set)
    for pair in pairs:
        texts = [pair.anchor, pair.positive, *(collection.get(name, "") for name in (pair.anchor_id, pair.positive_id))]
        known[pair.anchor].update(numbers[text] for text in texts if text in numbers)
    positives = [numbers[pair.positive] for pair in pairs]
    spared = tuple(
        np.array(sorted(known[pair.anchor] - {positive}), np.int64)
        for pair, positive in zip(pairs, positives, strict=True)
    )
    return Rivals(tuple(numbers), np.array(positives, np.int64), spared)


def collection_loss(network: Any, documents: Any, rivals: Rivals, settings: EncoderTraining) -> Any:
    """The loss of a model (``network``) that learns to ask for texts which another one (``documents``) reads."""
    texts = as_read(rivals.texts, documents, settings.cut, settings.document_prefix)
    with autocast(documents, settings.precision)():
        vectors = documents.encode(texts, batch_size=_AT_ONCE, convert_to_tensor=True, show_progress_bar=False)
    return make_collection_loss(network, rivals, vectors.float(), settings)


def make_collection_loss(model: Any, rivals: Rivals, vectors: Any, settings: EncoderTraining) -> Any:
    """The cross-entropy of each positive among all rivals, which have these ``vectors``; the labels are the numbers of
    the pairs, and rows do not depend on one another."""
    torch = load_torch(_PURPOSE)
    functional = torch.nn.functional
    base: Any = torch.nn.Module
    sizes = settings.matryoshka or (vectors.shape[1],)
    columns = [functional.normalize(vectors[:, :size], dim=-1).T.contiguous() for size in sizes]

    class CollectionLoss(base):  # type: ignore[misc]  # the base is known when torch is imported
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, features: Any, labels: Any) -> Any:
            anchors = self.model(next(iter(features)))["sentence_embedding"].float()
            pairs = labels.tolist()
            positives = torch.from_numpy(rivals.positives[pairs]).to(anchors.device)
            spared = [rivals.spared[pair] for pair in pairs]
            rows = torch.from_numpy(np.repeat(np.arange(len(pairs)), [len(one) for one in spared])).to(anchors.device)
            texts = torch.from_numpy(np.concatenate(spared)).to(anchors.device)
            never = torch.tensor(-math.inf, device=anchors.device)
            total = 0.0
            for size, found in zip(sizes, columns, strict=True):
                scores = functional.normalize(anchors[:, :size], dim=-1) @ found * settings.scale
                total = total + functional.cross_entropy(scores.index_put((rows, texts), never), positives)
            return total / len(sizes)

    return CollectionLoss()


def with_documents(questions: Any, documents: Any) -> Any:
    """A model that reads questions as one does and documents as the other; both read texts of one length."""
    library: Any = need("sentence_transformers", EXTRA, _PURPOSE)
    router: Any = need("sentence_transformers.base.modules.router", EXTRA, _PURPOSE).Router
    questions.max_seq_length = documents.max_seq_length
    routes = router.for_query_document(
        query_modules=list(questions.children()), document_modules=list(documents.children()), default_route="document"
    )
    return library.SentenceTransformer(modules=[routes], device=str(questions.device))
