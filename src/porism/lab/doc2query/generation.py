"""Texts to queries by a sequence-to-sequence model of Hugging Face, in batches of similar length."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import xxhash

from porism.errors import ConfigError
from porism.lab.doc2query.settings import PLACE, ExpansionSettings
from porism.vectors.neural.loading import choose_device, load_tokenizer, load_torch
from porism.vectors.neural.networks import load_model, longest_input

_PURPOSE = "expanding documents"


class QueryGenerator:
    """A model that writes queries which a text answers: any that ``AutoModelForSeq2SeqLM`` loads (T5, BART, …).

    ``model`` is the name or the folder of the model, ``device`` where it runs (``auto``, ``cpu``, ``cuda``, …).

    :raises ConfigError: the model or the device cannot be used, or the template is longer than the model can read.
    :raises MissingExtra: torch or transformers is not installed.
    """

    def __init__(
        self, model: str | os.PathLike[str], settings: ExpansionSettings | None = None, *, device: str = "auto"
    ) -> None:
        self.model = os.fspath(model)
        self.settings = settings or ExpansionSettings()
        self._torch = load_torch(_PURPOSE)
        self.device = choose_device(device)
        self._tokenizer = load_tokenizer(model, _PURPOSE)
        self._network = load_model("AutoModelForSeq2SeqLM", model, self.device, _PURPOSE)
        limit = longest_input(self._tokenizer, self._network)
        self.max_input_tokens = min(self.settings.max_input_tokens or limit, limit)
        self._before, self._after = self.settings.template.split(PLACE)
        frame = len(self._tokenizer(self._before + self._after)["input_ids"])
        self._room = self.max_input_tokens - frame
        if self._room < 1:
            raise ConfigError(
                f"the template takes {frame} of the {self.max_input_tokens} tokens that are read, which leaves no room",
                where=self.model, hint="Shorten the template, or raise max_input_tokens.",
            )

    def __repr__(self) -> str:
        return f"QueryGenerator({self.model!r}, {self.settings!r}, device={str(self.device)!r})"

    def generate(self, texts: Sequence[str]) -> list[list[str]]:
        """The queries of each text, read as one batch; a text beyond the model's limit is read as far as it goes.

        The same batch gives the same queries on the same machine: the random numbers come from the seed and the texts.
        """
        if not texts:
            return []
        torch, settings = self._torch, self.settings
        inputs = self._tokenizer(
            [self._filled(text) for text in texts], padding=True, truncation=True, max_length=self.max_input_tokens,
            return_tensors="pt",
        ).to(self.device)
        inputs.pop("token_type_ids", None)
        how: dict[str, Any] = (
            {"do_sample": False, "num_beams": settings.beams, "early_stopping": True} if settings.beams else {
                "do_sample": True, "num_beams": 1, "top_k": settings.top_k, "top_p": settings.top_p,
                "temperature": settings.temperature,
            }
        )
        devices = [self.device] if self.device.type == "cuda" else []
        with torch.random.fork_rng(devices), torch.inference_mode():
            torch.manual_seed(self._seed(texts))
            written = self._network.generate(
                **inputs, **how, num_return_sequences=settings.queries, max_new_tokens=settings.max_query_tokens,
                max_length=None,
            )
        queries = self._tokenizer.batch_decode(written, skip_special_tokens=True)
        lines = [" ".join(query.split()) for query in queries]
        return [
            [line for line in lines[start : start + settings.queries] if line]
            for start in range(0, len(lines), settings.queries)
        ]

    def order(self, texts: Sequence[str]) -> list[int]:
        """The texts by length, the longest first: neighbours make a batch with little padding."""
        most = 12 * self.max_input_tokens
        lengths = np.fromiter((min(len(text), most) for text in texts), np.int64, count=len(texts))
        order: list[int] = np.argsort(-lengths, kind="stable").tolist()
        return order

    def _filled(self, text: str) -> str:
        """The template with the text, which is cut so that what comes after it in the template is read too."""
        if self._after:
            places = self._tokenizer(
                text, add_special_tokens=False, truncation=True, max_length=self._room, return_offsets_mapping=True
            )["offset_mapping"]
            text = text[: places[-1][1]] if places else ""
        return f"{self._before}{text}{self._after}"

    def _seed(self, texts: Sequence[str]) -> int:
        digest = xxhash.xxh3_64(str(self.settings.seed).encode())
        for text in texts:
            digest.update(b"\0" + text.encode("utf-8", "surrogatepass"))
        return digest.intdigest() >> 1
