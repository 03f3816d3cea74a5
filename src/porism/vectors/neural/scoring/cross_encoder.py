"""Cross-encoders: a query and a document, or two, read at once by a model of sequence classification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from porism.errors import ConfigError
from porism.vectors.neural.scoring.base import LogitScorer, ModelTokens


class CrossEncoder(LogitScorer):
    """Scores a query with a document, or with two documents, by a folder of sentence-transformers' ``CrossEncoder`` or
    of any sequence classification of transformers.

    With one document the score is the logit of relevance (Nogueira and Cho 2019). With two it is the probability that
    the first is more relevant (duoBERT: Nogueira et al. 2019): ``[CLS] query [SEP] first [SEP] second [SEP]``.

    Texts that are too long are cut at their ends (:meth:`Scorer.shares`).
    """

    kind = "AutoModelForSequenceClassification"

    def prepare(self) -> int:
        self.what = "logit of relevance" if self.documents == 1 else "probability"
        _check_head(self.network, self.named)
        self._first, self._middle, self._last, self._second = _around(self._model.tokenizer, self.named)
        self.digest = self._model.with_settings("cross-encoder", self.read_as())
        return len(self._first) + self.documents * len(self._middle) + len(self._last)

    def tokenised(self, texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        tokenizer = self._model.tokenizer
        ids: list[list[int]] = tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
        return ids

    def together(self, parts: Sequence[Sequence[int]]) -> ModelTokens:
        shares = self.shares([len(part) for part in parts])
        ids = [*self._first, *parts[0][: shares[0]]]
        segments = [0] * len(ids)
        for number, (part, share) in enumerate(zip(parts[1:], shares[1:], strict=True)):
            ids += [*self._middle, *part[:share]]
            segments += [number * self._second] * len(self._middle) + [self._second] * share
        return ModelTokens([*ids, *self._last], [*segments, *[self._second] * len(self._last)])

    def relevance(self, inputs: dict[str, Any], network: Any = None) -> Any:
        logits = (network or self.network)(**inputs).logits.float()
        return logits[:, 1] - logits[:, 0] if logits.shape[1] == 2 else logits[:, 0]


def _check_head(network: Any, named: str) -> None:
    labels = int(network.config.num_labels)
    if labels not in (1, 2):
        raise ConfigError(f"the model tells {labels} classes apart, and a score needs one or two", where=named,
                          hint="Take a model that was trained to score relevance.")


def _around(tokenizer: Any, named: str) -> tuple[list[int], list[int], list[int], int]:
    """What a tokenizer puts before, between and after two texts, and the segment of the second text."""
    first, second = (list(tokenizer(text, add_special_tokens=False)["input_ids"]) for text in ("a", "b"))
    whole = tokenizer("a", "b")
    ids = list(whole["input_ids"])
    for start in range(len(ids)):
        if first and ids[start : start + len(first)] == first:
            for later in range(start + len(first), len(ids)):
                if second and ids[later : later + len(second)] == second:
                    segments = whole.get("token_type_ids") or [0] * len(ids)
                    middle = ids[start + len(first) : later]
                    return ids[:start], middle, ids[later + len(second) :], int(segments[later])
    raise ConfigError("the tokenizer does not put its special tokens around two texts", where=named)
