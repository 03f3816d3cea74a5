"""What scores texts together, and how many such texts are scored: each once, by length, from a cache where it can."""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.vectors.neural.batches import BATCH_TOKENS
from porism.vectors.neural.encoder_model import ModelBatches, model_inputs
from porism.vectors.neural.loading import load_torch
from porism.vectors.neural.scoring.cache import ScoreCache, score_key
from porism.vectors.neural.scoring.model_files import PURPOSE, ModelOptions, open_scoring_model

Texts = tuple[str, ...]
"""What is read together: a query and a document, or a query and two documents."""

_PROBED = 8
"""So many inputs of middle length are scored first, to estimate how long all take."""


class ModelTokens(NamedTuple):
    """What a model reads: tokens, and of each the number of its segment (empty where the model has none)."""

    ids: list[int]
    segments: list[int]


class Cost(NamedTuple):
    """What scoring will cost.

    :param inputs: texts that are read together, all of them.
    :param cached: how many have a score already.
    :param tokens: of those that have none.
    :param seconds: about how long these take, measured on a few.
    """

    inputs: int
    cached: int
    tokens: int
    seconds: float


class Scorer(ABC):
    """A model that gives texts which it reads together one score. Not safe to share between threads."""

    named: str
    """How the model was named, for messages."""

    what: str = "score"
    """What its scores are, in a word or two."""

    digest: str
    """Identifies the model and everything else that scores depend on."""

    documents: int
    """How many documents it reads with a query."""

    length: int
    """How many tokens it reads at once."""

    room: int
    """How many of these are for texts."""

    def __init__(self, batch_tokens: int = BATCH_TOKENS, on_warning: Callable[[str], None] = lambda warning: None):
        """``on_warning`` receives sentences on what had to be done otherwise, such as halving a batch."""
        self.batch_tokens = batch_tokens
        self.on_warning = on_warning

    @abstractmethod
    def tokenised(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text, without special ones."""

    @abstractmethod
    def together(self, parts: Sequence[Sequence[int]]) -> ModelTokens:
        """What the model reads of the tokens of a query and of documents, each cut to its share."""

    @abstractmethod
    def forward(self, batch: Sequence[ModelTokens]) -> NDArray[np.float64]:
        """The score of each of a batch (float64 [n])."""

    def shares(self, counts: Sequence[int]) -> list[int]:
        """How many tokens are read of a query and of documents that have so many.

        Of the query up to half of the room are read, or more where documents leave some. Documents share the rest
        equally, and what a short one leaves is the other's; so each is read alike in both orders.
        """
        query = min(counts[0], max(1, self.room // 2, self.room - sum(counts[1:])))
        rest, left = self.room - query, self.documents
        for count in sorted(counts[1:]):
            if count * left > rest:
                break
            rest, left = rest - count, left - 1
        most = rest // left if left else self.room
        return [query, *(min(count, most) for count in counts[1:])]

    def read_as(self) -> dict[str, int]:
        """What scores depend on besides the model, for its digest: documents, length, and how two documents are cut
        (2: what a short one leaves is the other's)."""
        return {"documents": self.documents, "length": self.length} | ({"cut": 2} if self.documents > 1 else {})

    def read_lengths(self, texts: Texts) -> list[tuple[int, int]]:
        """Of each text of an input how many tokens are read, of how many."""
        counts = [len(tokens) for tokens in self.tokenised(texts)]
        return list(zip(self.shares(counts), counts, strict=True))


def score_texts(
    scorer: Scorer, inputs: Sequence[Texts], *, cache: ScoreCache | None = None,
    on_cost: Callable[[Cost], None] = lambda cost: None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> NDArray[np.float64]:
    """The score of each input (float64 [n]); equal inputs are scored once.

    Batches go over all inputs by length, so that little is padded. Each batch is in the cache when the next begins.

    :param on_cost: receives what it will cost, before most of it is spent.
    :param on_progress: receives how many inputs are done of how many, without those of the cache.
    :raises ConfigError: a score is not a finite number, or a single input does not fit into memory.
    """
    distinct = list(dict.fromkeys(inputs))
    place = {texts: number for number, texts in enumerate(distinct)}
    keys = [score_key(scorer.digest, texts) for texts in distinct]
    distinct_scores = cache.get(keys) if cache is not None else np.full(len(distinct), np.nan)
    missing = np.flatnonzero(np.isnan(distinct_scores))
    known = len(distinct) - len(missing)
    if len(missing):
        asked = [distinct[number] for number in missing.tolist()]
        texts_in_them = list(dict.fromkeys(text for texts in asked for text in texts))
        tokens = dict(zip(texts_in_them, scorer.tokenised(texts_in_them), strict=True))
        frame = scorer.length - scorer.room
        lengths = [frame + sum(scorer.shares([len(tokens[text]) for text in texts])) for texts in asked]

        def run(numbers: NDArray[np.int64]) -> None:
            batch = [scorer.together([tokens[text] for text in asked[number]]) for number in numbers.tolist()]
            scores = np.asarray(scorer.forward(batch), np.float64)
            if not np.isfinite(scores).all():
                raise ConfigError(
                    "the model gives texts a score that is not a finite number", where=scorer.named,
                    hint="Its weights are damaged, or its precision does not suffice: try float32.",
                )
            at = missing[numbers]
            distinct_scores[at] = scores
            if cache is not None:
                cache.put([keys[number] for number in at.tolist()], scores)

        batches = ModelBatches(scorer.named, scorer.batch_tokens, scorer.on_warning)
        by_length = np.argsort(lengths, kind="stable")
        probed = by_length[max(0, len(by_length) // 2 - _PROBED // 2) :][:_PROBED]
        started = time.perf_counter()
        batches.run([lengths[number] for number in probed.tolist()], lambda some: run(probed[some]))
        rate = (time.perf_counter() - started) / max(1, sum(lengths[number] for number in probed.tolist()))
        rest = np.setdiff1d(np.arange(len(asked)), probed)
        on_cost(Cost(len(distinct), known, sum(lengths), rate * sum(lengths)))
        batches.run(
            [lengths[number] for number in rest.tolist()], lambda some: run(rest[some]),
            lambda done, total: on_progress(len(probed) + done, len(asked)),
        )
        if not len(rest):
            on_progress(len(asked), len(asked))
    else:
        on_cost(Cost(len(distinct), known, 0, 0.0))
    scores: NDArray[np.float64] = distinct_scores[[place[texts] for texts in inputs]] if inputs else np.zeros(0)
    return scores


class LogitOptions(ModelOptions, total=False):
    """The options of a :class:`LogitScorer`."""

    documents: int
    batch_tokens: int
    on_warning: Callable[[str], None]


class LogitScorer(Scorer):
    """A scorer that computes logits; with two documents its score is their logistic function, a probability."""

    kind: ClassVar[str]
    """The class of transformers."""

    def __init__(
        self, named: str | os.PathLike[str], *, documents: int = 1, batch_tokens: int = BATCH_TOKENS,
        on_warning: Callable[[str], None] = lambda warning: None, **options: Unpack[ModelOptions],
    ) -> None:
        """
        :param documents: 1 or 2: how many are read at once.
        :raises ConfigError: there is no such model or device, or it is of another kind.
        :raises MissingExtra: torch or transformers is not installed.
        """
        super().__init__(batch_tokens, on_warning)
        if documents not in (1, 2):
            raise ConfigError(f"a model of this kind reads one or two documents, not {documents}")
        self._model = open_scoring_model(self.kind, named, **options)
        self.named, self.documents, self.length = self._model.named, documents, self._model.length
        self.room = self.length - self.prepare()
        if self.room < 1 + documents:
            raise ConfigError(f"{self.length} tokens leave no room for texts", where=self.named,
                              hint="Raise the length.")

    @abstractmethod
    def prepare(self) -> int:
        """Sets ``what`` and ``digest`` for the opened model; returns how many tokens it reads besides those of texts.

        :raises ConfigError: the model is of another kind.
        """

    @property
    def network(self) -> Any:
        """The model of transformers."""
        return self._model.network

    @abstractmethod
    def relevance(self, inputs: dict[str, Any], network: Any = None) -> Any:
        """The logits (tensor [n]) of what :meth:`inputs` made, with gradients where these are recorded.

        :param network: computes in place of the scorer's own, such as the same one as a trainer wraps it.
        """

    def inputs(self, batch: Sequence[ModelTokens]) -> dict[str, Any]:
        """What the network reads of a batch, as tensors [n × tokens] on its device."""
        inputs = model_inputs(self._model.tokenizer, [read.ids for read in batch], self.network.device)
        if "token_type_ids" in inputs:
            torch = load_torch(PURPOSE)
            for row, read in enumerate(batch):
                inputs["token_type_ids"][row, : len(read.segments)] = torch.tensor(read.segments)
        return inputs

    def forward(self, batch: Sequence[ModelTokens]) -> NDArray[np.float64]:
        torch = load_torch(PURPOSE)
        inputs = self.inputs(batch)
        with torch.inference_mode(), self._model.context():
            logits = self.relevance(inputs)
        scores: NDArray[np.float64] = logits.detach().to("cpu", torch.float32).numpy().astype(np.float64)
        if self.documents == 1:
            return scores
        return 1.0 / (1.0 + np.exp(-np.clip(scores, -700, 700)))

    def save(self, folder: Path, length: int) -> None:
        """Writes model and tokenizer into a folder, from which they read ``length`` tokens if nothing else is said."""
        tokenizer = self._model.tokenizer
        tokenizer.model_max_length = length
        self.network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
