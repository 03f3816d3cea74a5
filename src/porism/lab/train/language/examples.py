"""From documents to the sequences of a language model, and from sequences to what it reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from porism.analysis.model_text import ModelText, content_text
from porism.errors import ConfigError
from porism.lab.train.language.sequences import Sentences, TokenSequence, is_held_out, packed_pairs, packed_text
from porism.lab.train.language.settings import LanguageTraining
from porism.lab.train.sentences import split_sentences
from porism.types import Document
from porism.vectors.neural.loading import load_torch

PURPOSE = "training a language model"

_BATCH_SIZE = 1_000
_MASKED, _CHANGED = 0.8, 0.9
IGNORED = -100
"""The label of a token that is not to be found, by which losses leave it out."""


class Reading:
    """A tokenizer, and how many tokens beside its special ones a sequence has."""

    def __init__(self, tokenizer: Any, settings: LanguageTraining) -> None:
        if tokenizer.mask_token_id is None:
            raise ConfigError(
                "the tokenizer has no mask, so its model is none of masked tokens", where=tokenizer.name_or_path,
                hint="Take a model such as BERT or RoBERTa.",
            )
        self.tokenizer = tokenizer
        self.settings = settings
        self.special = special_tokens(tokenizer)
        self.room = settings.length - tokenizer.num_special_tokens_to_add(pair=settings.objective == "mlm-nsp")

    def sentences(self, documents: Iterable[Document], text: ModelText) -> list[tuple[str, Sentences]]:
        """The ids and tokens of documents that have any text."""
        read: list[tuple[str, Sentences]] = []
        waiting: list[tuple[str, list[str]]] = []
        for document in documents:
            names = text.fields or tuple(document.fields)
            contents = (document.fields[name] for name in names if name in document.fields)
            written = [content_text(part, text) for content in contents for part in split_sentences(content)]
            if any(written):
                waiting.append((document.id, [sentence for sentence in written if sentence]))
            if len(waiting) == _BATCH_SIZE:
                read += self._tokens(waiting)
                waiting.clear()
        return read + self._tokens(waiting)

    def _tokens(self, waiting: Sequence[tuple[str, list[str]]]) -> list[tuple[str, Sentences]]:
        texts = [sentence for _, sentences in waiting for sentence in sentences]
        if not texts:
            return []
        numbers = iter(self.tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"])
        return [(doc_id, [next(numbers) for _ in some]) for doc_id, some in waiting]

    def examples(self, documents: Sequence[tuple[str, Sentences]], *, held_out: bool) -> list[TokenSequence]:
        """The sequences of the documents that are held out, or of the others.

        :raises ConfigError: there are none.
        """
        settings = self.settings
        some = [
            sentences for doc_id, sentences in documents
            if is_held_out(doc_id, settings.held_out, settings.seed) is held_out
        ]
        if settings.objective == "mlm-nsp":
            sequences = list(packed_pairs(some, self.room, settings.short, settings.seed))
        else:
            separator = [] if self.tokenizer.sep_token_id is None else [self.tokenizer.sep_token_id]
            sequences = list(packed_text(some, self.room, separator))
        if not sequences:
            use = "held out" if held_out else "to train on"
            raise ConfigError(
                f"{len(documents):,} documents leave no sequences {use}", hint="Take more documents, or another share."
            )
        return sequences

    def features(self, example: TokenSequence) -> dict[str, Any]:
        """What the model reads of a sequence, special tokens around its parts."""
        pair = self.settings.objective == "mlm-nsp"
        features = _prepared(self.special, example, pair)
        if pair:
            features["next_sentence_label"] = 0 if example.follows else 1
        return features

    def masked(self, example: TokenSequence, seed: int) -> dict[str, Any]:
        """What the model reads of a sequence with tokens masked by a seed, and the ``labels`` that it shall find: 80 %
        of these are the mask, 10 % another token, 10 % as they are; elsewhere labels are -100."""
        features = self.features(example)
        draw = np.random.default_rng([self.settings.seed, seed])
        tokens = np.array(features["input_ids"], np.int64)
        plain = np.array(features.pop("special_tokens_mask")) == 0
        wanted = plain & (draw.random(len(tokens)) < self.settings.masked)
        how = draw.random(len(tokens))
        random = draw.integers(0, len(self.tokenizer), len(tokens))
        shown = np.where(how < _MASKED, self.tokenizer.mask_token_id, np.where(how < _CHANGED, random, tokens))
        features["labels"] = np.where(wanted, tokens, IGNORED)
        features["input_ids"] = np.where(wanted, shown, tokens)
        return features

    def collate(self, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Sequences padded to the longest of them, as tensors."""
        torch = load_torch(PURPOSE)
        longest = max(len(row["input_ids"]) for row in rows)
        fillers = {"input_ids": self.tokenizer.pad_token_id or 0, "labels": IGNORED}
        batch: dict[str, Any] = {}
        for name in rows[0]:
            if name == "next_sentence_label":
                batch[name] = torch.tensor([row[name] for row in rows])
                continue
            filled = np.full((len(rows), longest), fillers.get(name, 0), np.int64)
            for line, row in zip(filled, rows, strict=True):
                line[: len(row[name])] = row[name]
            batch[name] = torch.from_numpy(filled)
        return batch

    def measured(self, examples: Sequence[TokenSequence], rows: int) -> list[dict[str, Any]]:
        """Batches of sequences, masked once and for all by the seed."""
        masked = [self.masked(example, number) for number, example in enumerate(examples)]
        return [self.collate(masked[start : start + rows]) for start in range(0, len(masked), rows)]


def _prepared(
    special_ones: tuple[list[int], list[int], list[int]], example: TokenSequence, pair: bool
) -> dict[str, Any]:
    """The tokens of the parts with special ones, which tokenizers put around texts only, not around numbers."""
    first, second = list(example.first), list(example.second)
    before, between, after = special_ones
    tokens = [*before, *first, *(between if pair else after)]
    kinds = [0] * len(tokens)
    special = [*(1 for _ in before), *(0 for _ in first), *(1 for _ in tokens[len(before) + len(first) :])]
    if pair:
        tokens += [*second, *after]
        kinds += [1] * (len(second) + len(after))
        special += [*(0 for _ in second), *(1 for _ in after)]
    features = {"input_ids": tokens, "attention_mask": [1] * len(tokens), "special_tokens_mask": special}
    return features | {"token_type_ids": kinds} if pair else features


def special_tokens(tokenizer: Any) -> tuple[list[int], list[int], list[int]]:
    """What a tokenizer puts before a text, between two, and at the end, as it shows with short ones.

    :raises ConfigError: it does not put them around a text.
    """
    first, second = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in ("a", "b"))
    whole: list[int] = tokenizer("a", "b")["input_ids"]
    for start in range(len(whole)):
        if whole[start : start + len(first)] == first:
            rest = whole[start + len(first) :]
            for middle in range(len(rest)):
                if rest[middle : middle + len(second)] == second:
                    return list(whole[:start]), list(rest[:middle]), list(rest[middle + len(second) :])
    raise ConfigError("the tokenizer does not put its special tokens around a text", where=tokenizer.name_or_path)
