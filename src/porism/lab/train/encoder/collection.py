"""Learning how to ask a collection: texts keep the vectors that the encoder gives them, and only how it reads questions
changes.

In a batch, a positive is told from those of other pairs alone. What no pair asks for is never among these, and what
many pairs ask for is a negative as often. Both teach the opposite of what a ranking of the whole collection needs.
Where the vectors of texts stay, all of them can be compared with in each step, exactly. The loss is the cross-entropy
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
from porism.lab.train.encoder.model import as_read
from porism.lab.train.encoder.settings import EncoderTraining
from porism.lab.train.pairs.base import Pair
from porism.lab.train.pairs.exclusion import Exclusion
from porism.types import Documents
from porism.vectors.neural.encoder_model import autocast
from porism.vectors.neural.loading import EXTRA, load_torch

_PURPOSE = "training an encoder"
_BATCH_SIZE = 64
"""Texts that are encoded at a time."""


@dataclass(frozen=True, slots=True)
class CandidatePool:
    """The ``texts`` that positives are told from, by number: the ``positives`` (int64) of the pairs, and for each pair
    the numbers of the texts that are not negatives of it (``spared``). These are its anchor, what answers it, too, and
    the documents that all of these are from."""

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


@dataclass(frozen=True, slots=True)
class TrainingCollection:
    """A collection whose questions are learnt: its pairs, and the texts of documents by id that their positives are
    told from."""

    pairs: Sequence[Pair]
    collection: Mapping[str, str]


def collection_texts(
    documents: Documents, text: ModelText, exclude: Exclusion, most: int | None = None, seed: int = 1
) -> dict[str, str]:
    """The texts of documents by id, as a model reads them, without those that nothing may be trained on.

    :param most: how many documents are drawn by the seed where there are more.
    """
    names = sorted({document.id for document in documents} - exclude.ids)
    if most is not None and len(names) > most:
        names = random.Random(seed).sample(names, most)
    chosen = set(names)
    texts = {document.id: document_text(document, text) for document in documents if document.id in chosen}
    repeats = exclude.repeats(list(texts.values())).tolist()
    return {name: written for (name, written), left in zip(texts.items(), repeats, strict=True) if not left}


def find_candidates(pairs: Sequence[Pair], collection: Mapping[str, str], settings: EncoderTraining) -> CandidatePool:
    """The texts of all positives, and those of a collection by id: all, or ``settings.candidates`` of them drawn by the
    seed. A document that an anchor or one of its positives is from is not a negative of it."""
    numbers: dict[str, int] = {}
    for pair in pairs:
        numbers.setdefault(pair.positive, len(numbers))
    others = sorted(name for name, text in collection.items() if text and text not in numbers)
    if len(others) > settings.candidates:
        others = random.Random(settings.seed).sample(others, settings.candidates)
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
    return CandidatePool(tuple(numbers), np.array(positives, np.int64), spared)


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
    network: Any, documents: Any, pools: Sequence[CandidatePool], kept: Sequence[str], settings: EncoderTraining
) -> Any:
    """The loss of a model (``network``) that learns to ask for texts which another one (``documents``) reads, and to
    read the texts ``kept`` as it does now."""
    texts = [as_read(pool.texts, documents, settings.cut, settings.document_prefix) for pool in pools]
    questions = as_read(kept, network, settings.cut, settings.query_prefix)

    def encoded(model: Any, texts: Sequence[str]) -> Any:
        with autocast(model, settings.precision)():
            vectors = model.encode(texts, batch_size=_BATCH_SIZE, convert_to_tensor=True, show_progress_bar=False)
        return vectors.float()

    return make_collection_loss(
        network, pools, [encoded(documents, text) for text in texts], settings,
        encoded(network, questions) if questions else None,
    )


def make_collection_loss(
    model: Any, pools: Sequence[CandidatePool], vectors: Sequence[Any], settings: EncoderTraining,
    kept: Any | None = None,
) -> Any:
    """The cross-entropy of each positive among all candidates of its collection, which have these ``vectors``.

    Labels are the numbers of the pairs, one collection after another; rows do not depend on one another. Labels beyond
    the pairs are the numbers of questions that shall keep their vectors ``kept``. The loss of one is one minus their
    cosine, times ``settings.keep_weight``.
    """
    torch = load_torch(_PURPOSE)
    functional = torch.nn.functional
    base: Any = torch.nn.Module
    sizes = settings.matryoshka or (vectors[0].shape[1],)
    columns = [[functional.normalize(vector[:, :size], dim=-1).T.contiguous() for size in sizes] for vector in vectors]
    before = [] if kept is None else [functional.normalize(kept[:, :size], dim=-1) for size in sizes]
    starts = np.cumsum([0, *(len(pool.positives) for pool in pools)]).tolist()

    class CollectionLoss(base):  # type: ignore[misc]  # the base is known when torch is imported
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, features: Any, labels: Any) -> Any:
            read = self.model(next(iter(features)))["sentence_embedding"].float()
            total = 0.0 * read.sum()
            for place, pool in enumerate(pools):
                own = (labels >= starts[place]) & (labels < starts[place + 1])
                if own.any():
                    total = total + told_apart(read[own], pool, (labels[own] - starts[place]).tolist(), columns[place])
            same = labels >= starts[-1]
            if same.any():
                for size, old in zip(sizes, before, strict=True):
                    cosines = functional.cosine_similarity(read[same][:, :size], old[labels[same] - starts[-1]])
                    total = total + settings.keep_weight * (1 - cosines).sum()
            return total / (len(sizes) * len(labels))

    def told_apart(anchors: Any, pool: CandidatePool, pairs: list[int], columns: Sequence[Any]) -> Any:
        """The sum of the cross-entropies of pairs of one collection, whose texts are the columns."""
        positives = torch.from_numpy(pool.positives[pairs]).to(anchors.device)
        spared = [pool.spared[pair] for pair in pairs]
        rows = torch.from_numpy(np.repeat(np.arange(len(pairs)), [len(texts) for texts in spared])).to(anchors.device)
        texts = torch.from_numpy(np.concatenate(spared)).to(anchors.device)
        never = torch.tensor(-math.inf, device=anchors.device)
        total = 0.0
        for size, candidates in zip(sizes, columns, strict=True):
            scores = functional.normalize(anchors[:, :size], dim=-1) @ candidates * settings.scale
            total = total + functional.cross_entropy(scores.index_put((rows, texts), never), positives, reduction="sum")
        return total

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
