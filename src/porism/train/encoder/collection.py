"""Learning how to ask a collection: texts keep the vectors that the encoder gives them, and only how it reads questions
changes.

In a batch, a positive is told from those of other pairs alone. What no pair asks for is never among these, and what
many pairs ask for is a negative as often: both teach the opposite of what a ranking of the whole collection needs.
Where the vectors of texts stay, all of them can be compared with in each step, exactly: the loss is the cross-entropy
of the positive in the ranking that a search would make. Only the questions of a batch are encoded, so this takes a
fraction of the time of a training of both sides. (A memory bank, Wu et al. 2018, that never ages.)

What is learnt for one collection changes how questions of others are read as well, for the worse. So questions that
shall keep the vectors they had can be mixed into the batches (distillation from the model itself: Li and Hoiem,
*Learning without Forgetting*, ECCV 2016).
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


def with_kept(
    batches: Sequence[Sequence[int]], pairs: Sequence[Pair], kept: Sequence[str], settings: EncoderTraining
) -> list[list[int]]:
    """Batches of pairs with questions that keep their vectors, whose numbers follow those of the pairs.

    All of them are drawn before one comes again. Longer ones come last in a batch, so that parts of it have questions
    of about the same length.
    """
    draw = random.Random(settings.seed)
    waiting: list[int] = []

    def drawn() -> int:
        if not waiting:
            waiting.extend(range(len(pairs), len(pairs) + len(kept)))
            draw.shuffle(waiting)
        return waiting.pop()

    def length(number: int) -> int:
        return len(pairs[number].anchor if number < len(pairs) else kept[number - len(pairs)])

    return [
        sorted([*batch, *(drawn() for _ in range(max(1, round(len(batch) * settings.keep_share)) if kept else 0))],
               key=length)
        for batch in batches
    ]


def collection_loss(
    network: Any, documents: Any, rivals: Rivals, kept: Sequence[str], settings: EncoderTraining
) -> Any:
    """The loss of a model (``network``) that learns to ask for texts which another one (``documents``) reads, and to
    read the texts ``kept`` as it does now."""
    texts = as_read(rivals.texts, documents, settings.cut, settings.document_prefix)
    asked = as_read(kept, network, settings.cut, settings.query_prefix)

    def encoded(model: Any, texts: Sequence[str]) -> Any:
        with autocast(model, settings.precision)():
            found = model.encode(texts, batch_size=_AT_ONCE, convert_to_tensor=True, show_progress_bar=False)
        return found.float()

    return make_collection_loss(
        network, rivals, encoded(documents, texts), settings, encoded(network, asked) if asked else None
    )


def make_collection_loss(
    model: Any, rivals: Rivals, vectors: Any, settings: EncoderTraining, kept: Any | None = None
) -> Any:
    """The cross-entropy of each positive among all rivals, which have these ``vectors``; the labels are the numbers of
    the pairs, and rows do not depend on one another. Labels beyond the pairs are the numbers of questions that shall
    keep their vectors ``kept``: the loss of one is one minus their cosine, times ``settings.keep_weight``."""
    torch = load_torch(_PURPOSE)
    functional = torch.nn.functional
    base: Any = torch.nn.Module
    sizes = settings.matryoshka or (vectors.shape[1],)
    columns = [functional.normalize(vectors[:, :size], dim=-1).T.contiguous() for size in sizes]
    before = [] if kept is None else [functional.normalize(kept[:, :size], dim=-1) for size in sizes]
    pair_count = len(rivals.positives)

    class CollectionLoss(base):  # type: ignore[misc]  # the base is known when torch is imported
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, features: Any, labels: Any) -> Any:
            read = self.model(next(iter(features)))["sentence_embedding"].float()
            anchors, pairs = read[labels < pair_count], labels[labels < pair_count].tolist()
            same, numbers = read[labels >= pair_count], labels[labels >= pair_count] - pair_count
            positives = torch.from_numpy(rivals.positives[pairs]).to(anchors.device)
            spared = [np.empty(0, np.int64), *(rivals.spared[pair] for pair in pairs)]
            counts = [len(one) for one in spared]
            rows = torch.from_numpy(np.repeat(np.arange(-1, len(pairs)), counts)).to(anchors.device)
            texts = torch.from_numpy(np.concatenate(spared)).to(anchors.device)
            never = torch.tensor(-math.inf, device=anchors.device)
            total = 0.0 * read.sum()
            for place, (size, found) in enumerate(zip(sizes, columns, strict=True)):
                if len(anchors):
                    scores = functional.normalize(anchors[:, :size], dim=-1) @ found * settings.scale
                    total = total + functional.cross_entropy(
                        scores.index_put((rows, texts), never), positives, reduction="sum"
                    )
                if len(same):
                    cosines = functional.cosine_similarity(same[:, :size], before[place][numbers])
                    total = total + settings.keep_weight * (1 - cosines).sum()
            return total / (len(sizes) * len(labels))

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
