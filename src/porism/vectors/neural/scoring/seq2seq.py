"""monoT5 and duoT5: a sequence-to-sequence model that answers *true* or *false*."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Unpack

from porism.errors import ConfigError
from porism.vectors.neural.loading import load_torch
from porism.vectors.neural.scoring.base import LogitOptions, LogitScorer, ModelTokens
from porism.vectors.neural.scoring.model_files import PURPOSE

FRAMES = {1: ("Query:", "Document:", "Relevant:"), 2: ("Query:", "Document0:", "Document1:", "Relevant:")}
"""What stands before each text and at the end, by how many documents are read (Pradeep, Nogueira and Lin 2021)."""


class TrueFalse(LogitScorer):
    """Scores a query with a document (monoT5: Nogueira et al. 2020), or with two (duoT5: Pradeep, Nogueira and Lin
    2021), by the first token that a sequence-to-sequence model answers.

    With one document the score is the logit of *true* minus that of *false*, of which the softmax of both is the
    logistic function; with two it is this probability, that the first is more relevant. Texts that are too long are
    cut at their ends (:meth:`Scorer.shares`), and the words after them are read.
    """

    kind = "AutoModelForSeq2SeqLM"

    def __init__(
        self, named: str | os.PathLike[str], *, true: str = "true", false: str = "false",
        **options: Unpack[LogitOptions],
    ) -> None:
        """See :class:`LogitScorer`.

        :param true: the word that says that the (first) document is relevant, ``false`` its opposite.
        :raises ConfigError: one of the words is not a token of the model.
        """
        self._words = {"true": true, "false": false}
        super().__init__(named, **options)

    def prepare(self) -> int:
        self.what = "logit of true" if self.documents == 1 else "probability of true"
        tokenizer, words = self._model.tokenizer, tuple(self._words.values())
        self._answers = tuple(answer_token(tokenizer, word, self.named) for word in words)
        if self._answers[0] == self._answers[1]:
            raise ConfigError(f"{words[0]!r} and {words[1]!r} begin with the same token", where=self.named,
                              hint="Choose other words, as the model was trained with.")
        self._start = _start_token(self.network, self.named)
        self._frame = [_ids(tokenizer, word) for word in FRAMES[self.documents]]
        end = tokenizer.eos_token_id
        self._end = [] if end is None else [end]
        self.digest = self._model.with_settings("true-false", self.read_as() | self._words)
        return sum(map(len, self._frame)) + len(self._end)

    def tokenised(self, texts: Sequence[str]) -> list[list[int]]:
        return [_ids(self._model.tokenizer, text) for text in texts]

    def together(self, parts: Sequence[Sequence[int]]) -> ModelTokens:
        shares = self.shares([len(part) for part in parts])
        ids: list[int] = []
        for words, part, share in zip(self._frame, parts, shares, strict=False):
            ids += [*words, *part[:share]]
        return ModelTokens([*ids, *self._frame[-1], *self._end], [])

    def inputs(self, batch: Sequence[ModelTokens]) -> dict[str, Any]:
        inputs = super().inputs(batch)
        inputs.pop("token_type_ids", None)
        return inputs

    def relevance(self, inputs: dict[str, Any], network: Any = None) -> Any:
        torch = load_torch(PURPOSE)
        rows = inputs["input_ids"]
        begin = torch.full((len(rows), 1), self._start, device=rows.device)
        logits = (network or self.network)(**inputs, decoder_input_ids=begin, use_cache=False).logits[:, 0].float()
        return logits[:, self._answers[0]] - logits[:, self._answers[1]]


def _ids(tokenizer: Any, text: str) -> list[int]:
    ids: list[int] = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
    return ids


def answer_token(tokenizer: Any, word: str, named: str) -> int:
    """The token that a word is.

    :raises ConfigError: the word is several tokens, or none that the model knows.
    """
    ids = _ids(tokenizer, word)
    if len(ids) != 1 or ids[0] == tokenizer.unk_token_id:
        raise ConfigError(
            f"{word!r} is {'no token' if len(ids) < 2 else f'{len(ids)} tokens'} of the model, and the first token of "
            "its answer is the score",
            where=named, hint="Choose the words that it was trained with, for example true = \"yes\".",
        )
    return ids[0]


def _start_token(network: Any, named: str) -> int:
    start = getattr(network.config, "decoder_start_token_id", None)
    if start is None:
        start = getattr(network.generation_config, "decoder_start_token_id", None)
    if not isinstance(start, int):
        raise ConfigError("nothing says with which token the model begins an answer (decoder_start_token_id)",
                          where=named, hint="Add it to the model's config.json.")
    return start
