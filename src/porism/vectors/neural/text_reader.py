"""From texts to the sequences of tokens that a model reads: cut or in chunks, as its settings say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from porism.analysis.model_text import Cut, chunks, cut
from porism.errors import ConfigError
from porism.vectors.neural.encoder_settings import EncoderSettings


class TextReader:
    """Reads texts by the tokenizer of a model, ``length`` tokens at once, special ones among them."""

    def __init__(
        self, tokenizer: Any, special: tuple[Sequence[int], Sequence[int]], settings: EncoderSettings, length: int
    ) -> None:
        """``special`` are the tokens before and after a text.

        :raises ConfigError: the special tokens leave no room.
        """
        self.settings = settings
        self.length = length
        self._tokenizer = tokenizer
        self._first, self._last = special
        self._room = length - len(self._first) - len(self._last)
        if self._room < 1:
            raise ConfigError(f"a model cannot read {length} tokens at once, special ones among them")

    def document(self, text: str) -> list[list[int]]:
        """The sequences of a document: none of one without text, several where it is read in chunks."""
        if not text.strip():
            return []
        prefix = self.settings.document_prefix
        tokens = self._tokens(prefix + text)
        how = self.settings.cut
        if not tokens:
            return []
        if how != "chunks" or len(tokens) <= self._room:
            return [self._whole(cut(tokens, self._room, "head-tail" if how == "head-tail" else "head"))]
        before = self._tokens(prefix)
        room = self._room - len(before)
        return [self._whole([*before, *one]) for one in chunks(self._tokens(text), room, self.settings.overlap)]

    def query(self, text: str, most: int | None = None) -> tuple[list[int], int]:
        """The sequence of a query, empty for one without tokens, and how many tokens of it are not read.

        :param most: how many tokens, special ones among them, are read where the model reads more: then the beginning
            and the end.
        """
        tokens = self._tokens(self.settings.query_prefix + text) if text.strip() else []
        how: Cut = "head-tail" if self.settings.cut == "head-tail" else "head"
        room = self._room
        if most is not None and most < self.length:
            room, how = max(1, most - len(self._first) - len(self._last)), "head-tail"
        return self._whole(cut(tokens, room, how)) if tokens else [], max(0, len(tokens) - room)

    def chunk_places(self, text: str) -> list[tuple[int, int]]:
        """Where in the text of a document each of its sequences begins and ends; of a text that is cut in the middle,
        all of it."""
        if not text.strip():
            return []
        found = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        places = [(int(start), int(stop)) for start, stop in found["offset_mapping"]]
        if self.settings.cut != "chunks" or len(self.document(text)) == 1:
            kept = places if self.settings.cut == "head-tail" else places[: self._room]
            return [(kept[0][0], kept[-1][1])] if kept else []
        room = self._room - len(self._tokens(self.settings.document_prefix))
        return [(one[0][0], one[-1][1]) for one in chunks(places, room, self.settings.overlap)]

    def _tokens(self, text: str) -> list[int]:
        if not text:
            return []
        found: list[int] = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return found

    def _whole(self, tokens: Sequence[int]) -> list[int]:
        return [*self._first, *tokens, *self._last]
