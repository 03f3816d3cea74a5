"""Decontextualised embeddings: what a transformer makes of a term, averaged over all places where the term occurs.

The vector of a term is the mean of the contextual embeddings of its occurrences: Štefánik, Novotný and Sojka,
*Regressive Ensemble for Machine Translation Quality Evaluation* (WMT 2021); Novotný and Štefánik, *Combining Sparse and
Dense Information Retrieval* (CLEF 2022). A term that the model reads as several tokens has, at each of its places, the
mean of the embeddings of these tokens.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.settings import SettingError, Settings, setting
from porism.vectors.embeddings.decontextual_texts import SpannedText, math_marks
from porism.vectors.neural.loading import choose_device, load_tokenizer, load_torch
from porism.vectors.neural.networks import load_model, longest_input

_PURPOSE = "decontextualised embeddings"
_FIRST_ROWS = 1 << 12


@dataclass(frozen=True)
class Decontextualised(Settings):
    """How contextual embeddings become vectors of terms.

    Long texts are read in windows. Each token counts once, in the window in which it has more context.

    :raises SettingError: a setting is out of its range.
    """

    layer: int = setting(-1, "The layer whose output is taken; -1 is the last, 0 the input.")
    stride: int = setting(64, "Tokens that two windows of a long text share.")
    longest_input: int = setting(0, "Tokens of a window; 0 is as many as the model can read.")
    min_count: int = setting(1, "Terms that are rarer are left out.")

    method: ClassVar[str] = "decontextualised"

    def __post_init__(self) -> None:
        for name, least in (("stride", 0), ("longest_input", 0), ("min_count", 1)):
            if getattr(self, name) < least:
                raise SettingError(f"{name} cannot be {getattr(self, name)}", path=(name,), hint=f"At least {least}.")


@dataclass(frozen=True, slots=True)
class _Window:
    """Tokens ``start:end`` of a pool that are read together; of these ``first:last`` count."""

    start: int
    end: int
    first: int
    last: int


class Decontextualizer:
    """Sums up contextual embeddings of terms; :meth:`means` are their vectors.

    ``model`` is the name or folder of any model that ``AutoModel`` loads (of an encoder and a decoder, the encoder);
    ``batch`` how many tokens it reads at once, padding included. The sums are float64, on the device where it has that.

    :raises ConfigError: the model or the device cannot be used, or the model has no such layer.
    :raises MissingExtra: torch or transformers is not installed.
    """

    def __init__(
        self, model: str | os.PathLike[str], settings: Decontextualised | None = None, *, device: str = "auto",
        batch: int = 8_192,
    ) -> None:
        self.settings = settings or Decontextualised()
        self._torch = torch = load_torch(_PURPOSE)
        self.device = choose_device(device)
        self._tokenizer = load_tokenizer(model, _PURPOSE)
        network = load_model("AutoModel", model, self.device, _PURPOSE)
        limit = longest_input(self._tokenizer, network)
        self._network = network.get_encoder() if getattr(network.config, "is_encoder_decoder", False) else network
        self.dimensions = int(network.config.hidden_size)
        self._batch = max(1, batch)
        self._prefix, self._suffix = self._around()
        longest = self.settings.longest_input
        self._room = (min(longest, limit) if longest else limit) - len(self._prefix) - len(self._suffix)
        if self._room <= self.settings.stride:
            raise ConfigError(
                f"windows of {self._room} tokens cannot share {self.settings.stride} of them", where=os.fspath(model),
                hint="Lower the stride.",
            )
        self._left_out = np.array(sorted(set(self._tokenizer.all_special_ids) - self._math_ids()), np.int64)
        self._layer = self._which_layer(os.fspath(model), int(network.config.num_hidden_layers))
        self._kind = torch.float32 if self.device.type == "mps" else torch.float64
        self._numbers: dict[str, int] = {}
        self._sums = torch.zeros((_FIRST_ROWS, self.dimensions), dtype=self._kind, device=self.device)
        self._counts = np.zeros(0, np.int64)
        self.tokens = 0
        """Tokens that were read, each once."""

    @property
    def math(self) -> tuple[str, str]:
        """The delimiters of formulas in the texts."""
        return math_marks(lambda token: token in self._tokenizer.get_vocab())

    def add(self, texts: Sequence[SpannedText]) -> None:
        """Reads texts and adds the embeddings of their terms to the sums.

        :raises ConfigError: the model gives numbers that are not finite.
        """
        texts = [text for text in texts if text.text.strip()]
        if not texts:
            return
        pool = self._read(texts)
        order = sorted(pool.windows, key=lambda window: window.start - window.end)
        start = 0
        while start < len(order):
            longest = order[start].end - order[start].start + len(self._prefix) + len(self._suffix)
            stop = start + max(1, self._batch // longest)
            self._embed(pool, order[start:stop])
            start = stop
        self._counts = self._counts_with(pool)
        self.tokens += len(pool.ids)

    def means(self) -> tuple[list[str], NDArray[np.float32], NDArray[np.int64]]:
        """The terms that have been seen, their vectors (float32, terms × dimensions) and numbers of occurrences.

        Terms that are too rare, or that the model's tokenizer leaves nothing of, are not among them.
        """
        counts = self._counts
        rows = np.flatnonzero(counts >= self.settings.min_count)
        rows = rows[counts[rows] > 0]
        sums = self._sums[: len(counts)][self._torch.from_numpy(rows).to(self.device)]
        means = sums.cpu().numpy() / counts[rows, None]
        terms = list(self._numbers)
        return [terms[row] for row in rows.tolist()], means.astype(np.float32), counts[rows]

    def state(self) -> dict[str, NDArray[Any]]:
        """All that was summed up, for :meth:`restore`."""
        terms = "\n".join(self._numbers).encode("utf-8", "surrogatepass")  # no term has a line end
        return {
            "terms": np.frombuffer(terms, np.uint8), "counts": self._counts, "tokens": np.array([self.tokens]),
            "sums": self._sums[: len(self._numbers)].cpu().numpy(),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Goes back to a state."""
        terms = bytes(state["terms"]).decode("utf-8", "surrogatepass")
        self._numbers = {term: number for number, term in enumerate(terms.split("\n") if terms else [])}
        self._counts = np.array(state["counts"], np.int64)
        self.tokens = int(state["tokens"][0])
        self._grow()
        self._sums[: len(self._numbers)] = self._torch.from_numpy(np.array(state["sums"])).to(self._sums)

    def _around(self) -> tuple[list[int], list[int]]:
        """The special tokens that the model wants before and after a text."""
        bare = self._tokenizer("a", add_special_tokens=False)["input_ids"]
        full = self._tokenizer("a")["input_ids"]
        at = next((at for at in range(len(full)) if full[at : at + len(bare)] == bare), None) if bare else None
        return ([], []) if at is None else (full[:at], full[at + len(bare) :])

    def _math_ids(self) -> set[int]:
        """The tokens around formulas are terms of a channel, even where they are special to the model."""
        marks = (mark.strip() for mark in math_marks(lambda token: True))
        return {number for mark in marks if (number := self._tokenizer.get_vocab().get(mark)) is not None}

    def _which_layer(self, model: str, layers: int) -> int:
        layer = self.settings.layer
        if not -layers - 1 <= layer <= layers:
            raise ConfigError(
                f"the model has no layer {layer}", where=model,
                hint=f"It has 0 (the input) to {layers}; -1 is the last.",
            )
        return layer if layer >= 0 else layers + 1 + layer

    def _read(self, texts: Sequence[SpannedText]) -> _TokenPool:
        encoded = self._tokenizer(
            [text.text for text in texts], add_special_tokens=False, return_offsets_mapping=True,
            return_attention_mask=False, return_token_type_ids=False, verbose=False,
        )
        lengths = np.fromiter(map(len, encoded["input_ids"]), np.int64, count=len(texts))
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        ids = np.fromiter(chain.from_iterable(encoded["input_ids"]), np.int64, count=bounds[-1])
        places = np.array(list(chain.from_iterable(encoded["offset_mapping"])), np.int64).reshape(-1, 2)
        shifts = np.concatenate([[0], np.cumsum([len(text.text) + 1 for text in texts])])[:-1]  # as if one long text
        token_starts, token_ends = (places + np.repeat(shifts, lengths)[:, None]).T
        of = np.repeat(np.arange(len(texts)), [len(text.terms) for text in texts])
        starts = np.concatenate([text.starts for text in texts]) + shifts[of]
        ends = np.concatenate([text.ends for text in texts]) + shifts[of]
        first = np.searchsorted(ends, token_starts, "right")  # the first term that ends beyond the token's start
        stop = np.searchsorted(starts, token_ends, "left")  # the first that begins at its end or later
        touched = np.where((token_ends > token_starts) & ~np.isin(ids, self._left_out), np.maximum(stop - first, 0), 0)
        tokens = np.repeat(np.arange(len(ids)), touched)
        spans = np.arange(len(tokens)) - np.repeat(np.cumsum(touched) - touched, touched) + np.repeat(first, touched)
        parts = np.bincount(spans, minlength=len(of))
        numbers = np.fromiter(
            (self._numbers.setdefault(term, len(self._numbers)) for text in texts for term in text.terms), np.int64,
            count=len(of),
        )
        self._grow()
        weights = np.array([text.weight for text in texts], np.int64)[of]
        windows = [
            window for low, high in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
            for window in self._windows(low, high)
        ]
        return _TokenPool(
            ids, windows, tokens, numbers[spans], weights[spans] / np.maximum(parts, 1)[spans], numbers[parts > 0],
            weights[parts > 0],
        )

    def _windows(self, low: int, high: int) -> Iterator[_Window]:
        """Windows over tokens ``low:high`` that overlap, and the part of each that counts."""
        if high - low <= self._room:
            if high > low:
                yield _Window(low, high, low, high)
            return
        starts = list(range(low, high - self._room, self._room - self.settings.stride))
        starts.append(high - self._room)
        first = low
        for number, start in enumerate(starts):
            end = start + self._room
            last = high if number + 1 == len(starts) else (starts[number + 1] + end + 1) // 2
            yield _Window(start, end, first, last)
            first = last

    def _embed(self, pool: _TokenPool, windows: Sequence[_Window]) -> None:
        torch = self._torch
        before, after = len(self._prefix), len(self._suffix)
        width = max(window.end - window.start for window in windows) + before + after
        padding = self._tokenizer.pad_token_id
        ids = np.full((len(windows), width), 0 if padding is None else padding, np.int64)
        mask = np.zeros((len(windows), width), np.int64)
        flat: list[NDArray[np.int64]] = []
        pairs: list[NDArray[np.int64]] = []
        for row, window in enumerate(windows):
            length = window.end - window.start
            ids[row, :before] = self._prefix
            ids[row, before : before + length] = pool.ids[window.start : window.end]
            ids[row, before + length : before + length + after] = self._suffix
            mask[row, : before + length + after] = 1
            low, high = np.searchsorted(pool.tokens, (window.first, window.last))
            pairs.append(np.arange(low, high))
            flat.append(row * width + before + pool.tokens[low:high] - window.start)
        chosen = np.concatenate(pairs)
        if not len(chosen):
            return

        def there(array: NDArray[Any]) -> Any:
            return torch.from_numpy(array).to(self.device)

        with torch.inference_mode():
            output = self._network(
                input_ids=there(ids), attention_mask=there(mask), output_hidden_states=True, return_dict=True
            )
            hidden = output.hidden_states[self._layer].reshape(-1, self.dimensions)
            vectors = hidden[there(np.concatenate(flat))].to(self._kind)
            if not bool(torch.isfinite(vectors).all()):
                raise ConfigError(
                    "the model gives numbers that are not finite", hint="Load it in float32, or take another layer."
                )
            vectors *= there(pool.weights[chosen]).to(self._kind)[:, None]
            self._sums.index_add_(0, there(pool.terms[chosen]), vectors)

    def _counts_with(self, pool: _TokenPool) -> NDArray[np.int64]:
        counts = np.bincount(pool.seen, weights=pool.seen_weights, minlength=len(self._numbers)).astype(np.int64)
        counts[: len(self._counts)] += self._counts
        return counts

    def _grow(self) -> None:
        """Makes room for the sums of all terms that have a number."""
        rows = len(self._sums)
        if len(self._numbers) > rows:
            more = max(rows, len(self._numbers) - rows)
            zeros = self._torch.zeros((more, self.dimensions), dtype=self._kind, device=self.device)
            self._sums = self._torch.cat([self._sums, zeros])


@dataclass(frozen=True, slots=True, eq=False)
class _TokenPool:
    """Texts that were read at once, as one row of tokens.

    ``ids`` int64 [tokens]; ``tokens``, ``terms`` (int64) and ``weights`` (float64) [P]: token, term, and what the
    token's embedding counts for the term; tokens never decrease. ``seen`` and ``seen_weights`` [S]: the term of each
    place and how often it is in the collection.
    """

    ids: NDArray[np.int64]
    windows: list[_Window]
    tokens: NDArray[np.int64]
    terms: NDArray[np.int64]
    weights: NDArray[np.float64]
    seen: NDArray[np.int64]
    seen_weights: NDArray[np.int64]
