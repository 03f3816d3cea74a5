"""Encoders of tokens for late interaction: a vector for each token of a text, on ``MultiVectorEncoder`` of
sentence-transformers.

A marker tells the model whether it reads a query or a document; a short query is filled up with ``[MASK]``, whose
vectors count, too; tokens that the model skips, such as commas, have no vector in documents (Khattab and Zaharia,
*ColBERT*, SIGIR 2020, section 3). All this is stored with the model. Done here beside its ``encode``: each token knows
its place in the text, and long documents are read in chunks where the settings say so. Batches hold texts of one length
up to a number of tokens.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis.model_text import Cut, cut
from porism.errors import ConfigError
from porism.vectors.neural.encoder_files import EncoderFiles
from porism.vectors.neural.encoder_model import check_vocabulary, input_length, model_inputs, network_of, special_tokens
from porism.vectors.neural.loading import load_torch
from porism.vectors.neural.model_encoder import ModelEncoder, OnProgress, no_progress, unit_rows
from porism.vectors.neural.token_model import MODEL_CLASS, check_token_model

NOWHERE = (-1, -1)
"""The place of a token that is not in the text: ``[CLS]``, a marker, ``[MASK]``."""

_PURPOSE = "encoding tokens"

Place = tuple[int, int]


class EncodedTokens(NamedTuple):
    """The tokens of texts: ``vectors`` (float32, tokens × dimensions, each of length 1), those of text ``i`` being the
    rows from ``offsets[i]`` to before ``offsets[i + 1]`` (int64)."""

    vectors: NDArray[np.float32]
    offsets: NDArray[np.int64]


class QueryTokens(NamedTuple):
    """The tokens of a query: ``vectors`` (float32, tokens × dimensions, each of length 1); each token as its
    vocabulary has it (``tokens``), and its place in the query's text; and how many tokens are ``beyond`` what the
    model reads."""

    vectors: NDArray[np.float32]
    tokens: tuple[str, ...]
    places: tuple[Place, ...]
    beyond: int


class _Piece(NamedTuple):
    """What the model reads at once: the numbers of its tokens and their places.

    It says whether the vector of each token is kept where the model does not skip it, and how many tokens at the end
    fill up a query.
    """

    tokens: list[int]
    places: list[Place]
    kept: list[bool]
    filled: int = 0


class TokenEncoder(ModelEncoder):
    """Encodes the tokens of texts."""

    model_class = MODEL_CLASS
    gives = "vectors of tokens"

    def prepare(self, model: Any, files: EncoderFiles) -> None:
        self._tokenizer = model.tokenizer
        check_vocabulary(network_of(model), model.tokenizer, files.named)
        able = input_length(model, replace(self.settings, length=None), files)
        own = getattr(model[0], "document_length", None)
        given = self.settings.length is not None
        self.length = input_length(model, self.settings, files) if given or not own else min(able, int(own))
        self._expansion: dict[str, Any] | None = getattr(model[0], "query_expansion", None)
        asked = getattr(model[0], "query_length", None)
        self.query_length = min(able, int(asked)) if asked else able
        if self._expansion is not None:
            floor = int(self._expansion["length"])
            fixed = self._expansion["strategy"] == "fixed"
            self.query_length = floor if fixed else max(self.query_length, min(floor, able))
        self._first, self._last = special_tokens(model.tokenizer, files.named)
        self._prefixes = {
            "query": str(model.prompts.get("query") or "") + self.settings.query_prefix,
            "document": str(model.prompts.get("document") or "") + self.settings.document_prefix,
        }
        around = len(self._first) + len(self._last)
        for task, length in (("query", self.query_length), ("document", self.length)):
            if length - around - len(self._tokens(self._prefixes[task])[0]) < 1:
                raise ConfigError(
                    f"a model cannot read {length} tokens of a {task} at once, special ones among them",
                    where=files.named,
                )
        self.dimensions = int(model.get_embedding_dimension())

    def __repr__(self) -> str:
        return f"TokenEncoder({self.files.named!r}, {self.dimensions} dimensions, {self.length} tokens)"

    @classmethod
    def check_folder(cls, folder: str | os.PathLike[str], named: str) -> None:
        check_token_model(folder, named)

    def encode_documents(self, texts: Sequence[str], on_progress: OnProgress = no_progress) -> EncodedTokens:
        """The tokens of documents, of all their chunks where the settings say so; none of one without text.

        ``on_progress`` receives how many sequences of tokens are done of how many.

        :raises ConfigError: vectors are not numbers, or a single text does not fit into memory.
        """
        pieces = [self._pieces(text) for text in texts]
        flat = [piece for of_text in pieces for piece in of_text]
        vectors = self._encode(flat, "document", on_progress)
        counts = np.array([len(rows) for rows in vectors], np.int64)
        ends = np.cumsum([0, *(len(of_text) for of_text in pieces)])
        offsets = np.concatenate([[0], np.cumsum(counts)])[ends].astype(np.int64)
        return EncodedTokens(np.concatenate([np.zeros((0, self.dimensions), np.float32), *vectors]), offsets)

    def encode_queries(self, texts: Sequence[str]) -> list[QueryTokens]:
        pieces = {number: self._query(text) for number, text in enumerate(texts) if text.strip()}
        vectors = dict(zip(pieces, self._encode([piece for piece, _ in pieces.values()], "query"), strict=True))
        queries = []
        for number in range(len(texts)):
            if number in pieces:
                piece, beyond = pieces[number]
                names = tuple(self._tokenizer.convert_ids_to_tokens(piece.tokens))
                queries.append(QueryTokens(vectors[number], names, tuple(piece.places), beyond))
            else:
                queries.append(QueryTokens(np.zeros((0, self.dimensions), np.float32), (), (), 0))
        return queries

    def document_places(self, text: str) -> list[tuple[str, Place]]:
        """Each token of a document that has a vector, in their order, as the vocabulary has it, with its place in the
        text."""
        tokens: list[tuple[str, Place]] = []
        for piece in self._pieces(text):
            counted = self._scored([piece], "document")[0]
            names = self._tokenizer.convert_ids_to_tokens(piece.tokens)
            tokens += [(name, place) for name, place, kept in zip(names, piece.places, counted, strict=True) if kept]
        return tokens

    def _tokens(self, text: str, before: str = "") -> tuple[list[int], list[Place]]:
        """The tokens of a text, and their places in it, after what comes ``before``, whose tokens are nowhere."""
        if not before + text:
            return [], []
        encoding = self._tokenizer(before + text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        shift = len(before)
        places = [
            NOWHERE if stop <= shift else (max(0, start - shift), stop - shift)
            for start, stop in encoding["offset_mapping"]
        ]
        return list(encoding["input_ids"]), places

    def _whole(self, tokens: Sequence[int], places: Sequence[Place], kept: Sequence[bool]) -> _Piece:
        first, last = self._first, self._last
        return _Piece(
            [*first, *tokens, *last], [*[NOWHERE] * len(first), *places, *[NOWHERE] * len(last)],
            [*[True] * len(first), *kept, *[True] * len(last)],
        )

    def _pieces(self, text: str) -> list[_Piece]:
        """What the model reads of a document."""
        if not text.strip():
            return []
        tokens, places = self._tokens(text, self._prefixes["document"])
        room = self.length - len(self._first) - len(self._last)
        how = self.settings.cut
        if len(tokens) <= room or how != "chunks":
            numbers = cut(range(len(tokens)), room, "head-tail" if how == "head-tail" else "head")
            return [self._whole([tokens[n] for n in numbers], [places[n] for n in numbers], [True] * len(numbers))]
        begin = next((number for number, place in enumerate(places) if place != NOWHERE), len(places))
        step, overlap = room - begin, min(self.settings.overlap, room - begin - 1)
        pieces = []
        for start in range(begin, max(begin + 1, len(tokens) - overlap), step - overlap):
            stop = min(start + step, len(tokens))
            # What two chunks share is kept of each to its middle, where both know what is around it.
            low = start + (overlap // 2 if start > begin else 0)
            high = stop - (overlap - overlap // 2 if stop < len(tokens) else 0)
            kept = [low <= number < high for number in range(start, stop)]
            pieces.append(self._whole(
                [*tokens[:begin], *tokens[start:stop]], [*places[:begin], *places[start:stop]],
                [*[start == begin] * begin, *kept],
            ))
        return pieces

    def _query(self, text: str) -> tuple[_Piece, int]:
        """What the model reads of a query, filled up with its tokens of expansion, and how many tokens are beyond."""
        tokens, places = self._tokens(text, self._prefixes["query"])
        room = self.query_length - len(self._first) - len(self._last)
        how: Cut = "head-tail" if self.settings.cut == "head-tail" else "head"
        numbers = cut(range(len(tokens)), room, how)
        piece = self._whole([tokens[n] for n in numbers], [places[n] for n in numbers], [True] * len(numbers))
        if self._expansion is not None:
            more = int(self._expansion["length"]) - len(piece.tokens)
            if more > 0:
                filled = [self._expansion_token()] * more
                piece = _Piece(piece.tokens + filled, piece.places + [NOWHERE] * more, piece.kept + [True] * more, more)
        return piece, max(0, len(tokens) - room)

    def _expansion_token(self) -> int:
        named = (self._expansion or {}).get("token")
        if named is not None:
            return int(self._tokenizer.convert_tokens_to_ids(named))
        mask = self._tokenizer.mask_token_id
        return int(mask if mask is not None else self._tokenizer.eos_token_id)

    def _encode(
        self, pieces: Sequence[_Piece], task: str, on_progress: OnProgress = no_progress
    ) -> list[NDArray[np.float32]]:
        """The vectors of the tokens that are kept of each piece."""
        encoded: list[NDArray[np.float32]] = [np.zeros((0, self.dimensions), np.float32)] * len(pieces)

        def forward(numbers: NDArray[np.int64]) -> None:
            of_batch = [pieces[number] for number in numbers.tolist()]
            features = self._features(of_batch, task)
            out = self._outputs(features, task)
            vectors = self._array(out["token_embeddings"])
            scored = out["attention_mask"].bool().cpu().numpy()
            for row, (number, piece) in enumerate(zip(numbers.tolist(), of_batch, strict=True)):
                size = len(piece.tokens)
                rows = vectors[row, :size][scored[row, :size] & np.array(piece.kept)]
                self._require_finite(rows)
                encoded[number] = unit_rows(rows)

        self._batches.run([len(piece.tokens) for piece in pieces], forward, on_progress)
        return encoded

    def _features(self, pieces: Sequence[_Piece], task: str) -> dict[str, Any]:
        features = model_inputs(self._tokenizer, [piece.tokens for piece in pieces], self._model.device)
        if task == "query" and self._expansion is not None:
            mask = features["attention_mask"]
            expanded = load_torch(_PURPOSE).zeros_like(mask)
            for row, piece in enumerate(pieces):
                expanded[row, len(piece.tokens) - piece.filled : len(piece.tokens)] = 1
            features["query_expansion_positions"] = expanded
            if not self._expansion.get("attend"):
                features["attention_mask"] = mask - expanded
        return features

    def _scored(self, pieces: Sequence[_Piece], task: str) -> list[list[bool]]:
        """Which tokens of pieces the model does not skip and are kept; computes no vectors."""
        torch = load_torch(_PURPOSE)
        features = self._features(pieces, task)
        masks = [module for module in self._model.children() if type(module).__name__ == "MultiVectorMask"]
        with torch.inference_mode():
            for module in masks:
                features = module(features, task=task)
        scored = features["attention_mask"].bool().cpu().numpy()
        return [
            [bool(counts) and kept for counts, kept in zip(row, piece.kept, strict=False)]
            for row, piece in zip(scored, pieces, strict=True)
        ]
