"""Listwise ranking: a causal language model reads a query and several documents, and writes their order."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, pluralise
from porism.vectors.neural.batches import BATCH_TOKENS
from porism.vectors.neural.encoder_model import ModelBatches, model_inputs
from porism.vectors.neural.loading import load_torch
from porism.vectors.neural.scoring.base import Cost
from porism.vectors.neural.scoring.cache import ScoreCache, score_key
from porism.vectors.neural.scoring.model_files import PURPOSE, ModelOptions, open_scoring_model

KIND = "AutoModelForCausalLM"

Window = tuple[str, tuple[str, ...]]
"""A query and the documents that are ranked for it at once."""

_NUMBER = re.compile(r"[0-9]{1,6}")


def read_answer(answer: str, count: int) -> tuple[list[int], bool]:
    """The order of ``count`` documents (numbered from 0) that an answer such as ``[2] > [1] > [3]`` gives, and whether
    it is whole.

    Numbers that are out of range or occur again are passed over, and documents that the answer does not name follow in
    the order that they had. So every answer, also an empty one, gives each document one place.
    """
    named: list[int] = []
    sound = True
    for text in _NUMBER.findall(answer):
        number = int(text) - 1
        if 0 <= number < count and number not in named:
            named.append(number)
        else:
            sound = False
    rest = [number for number in range(count) if number not in named]
    return [*named, *rest], sound and not rest


class ListRanker:
    """Ranks windows of documents by what a causal language model writes (RankGPT: Sun et al. 2023).

    Not safe to share between threads. Answers are greedy, so that the same window has the same answer.
    """

    def __init__(
        self, named: str | os.PathLike[str], *, batch_tokens: int = BATCH_TOKENS,
        on_warning: Callable[[str], None] = lambda warning: None, **options: Unpack[ModelOptions],
    ) -> None:
        """Of the ``options`` a ``length`` of 0 is at most 4,096 tokens of a prompt.

        :raises ConfigError: there is no such model or device, or it cannot read so much.
        :raises MissingExtra: torch or transformers is not installed.
        """
        self._model = open_scoring_model(KIND, named, most=4096, **options)
        self.named, self.length = self._model.named, self._model.length
        self.digest = self._model.with_settings("listwise", {"length": self.length})
        self.batch_tokens, self.on_warning = batch_tokens, on_warning
        self._probed: dict[Window, list[int]] = {}
        self.malformed = 0
        """How many answers so far did not name each document once."""

    def cost(self, windows: Sequence[Window], count: int, cache: ScoreCache | None = None) -> Cost:
        """What ranking ``count`` windows will cost, of which these are the first: others are as long as they.

        One of the windows is ranked, to estimate how long all take; :meth:`rank` does not do it again.
        """
        missing = [window for window in dict.fromkeys(windows) if self._kept(window, cache) is None]
        known = len(windows) - len(missing)
        if not missing:
            return Cost(count, known, 0, 0.0)
        lengths = [len(self._prompt(window)) for window in missing]
        probed = int(np.argsort(lengths, kind="stable")[len(lengths) // 2])
        started = time.perf_counter()
        self._probed[missing[probed]] = self.rank([missing[probed]], cache)[0]
        seconds = time.perf_counter() - started
        left = count - known
        return Cost(count, known, round(sum(lengths) / len(lengths) * left), seconds * left)

    def rank(self, windows: Sequence[Window], cache: ScoreCache | None = None) -> list[list[int]]:
        """The order of the documents of each window, the best first, by their numbers; equal windows are ranked once.

        :raises ConfigError: the length leaves no room for documents, or a single window does not fit into memory.
        """
        orders: dict[Window, list[int]] = {}
        missing: list[Window] = []
        for window in dict.fromkeys(windows):
            known = self._kept(window, cache)
            if known is None:
                missing.append(window)
            else:
                orders[window] = known
        prompts = [self._prompt(window) for window in missing]
        lengths = [len(prompt) for prompt in prompts]

        def run(numbers: NDArray[np.int64]) -> None:
            some = numbers.tolist()
            room = max(_answer_room(len(missing[number][1])) for number in some)
            for number, answer in zip(some, self._answers([prompts[at] for at in some], room), strict=True):
                order, sound = read_answer(answer, len(missing[number][1]))
                self.malformed += not sound
                orders[missing[number]] = order
                if cache is not None:
                    places = np.empty(len(order))
                    places[order] = np.arange(len(order))
                    cache.put(self._keys(missing[number]), places)

        ModelBatches(self.named, self.batch_tokens, self.on_warning).run(lengths, run)
        return [orders[window] for window in windows]

    def _keys(self, window: Window) -> list[bytes]:
        query, documents = window
        return [score_key(self.digest, (query, *documents, str(number))) for number in range(len(documents))]

    def _kept(self, window: Window, cache: ScoreCache | None) -> list[int] | None:
        """The order of a window that was ranked before."""
        if window in self._probed:
            return self._probed[window]
        places = cache.get(self._keys(window)) if cache is not None else np.array([np.nan])
        if np.isnan(places).any():
            return None
        order: list[int] = np.argsort(places).tolist()
        return order

    def _prompt(self, window: Window) -> list[int]:
        """The tokens of what the model reads; documents are cut alike, so that all have a place."""
        query, documents = window
        tokenizer = self._model.tokenizer
        room = self.length - _answer_room(len(documents))
        tokens = [tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"] for text in (query, *documents)]
        short_query = tokenizer.decode(tokens[0][: max(1, room // 4)])
        frame = len(self._whole(short_query, [""] * len(documents)))
        each = (room - frame) // len(documents)
        if each < 1:
            raise ConfigError(
                f"{self.length} tokens leave no room for {pluralise(len(documents), 'document')}", where=self.named,
                hint="Choose a smaller window or a larger length.",
            )
        while True:  # text that is cut and written again can have more tokens
            texts = [tokenizer.decode(text[:each]) for text in tokens[1:]]
            prompt = self._whole(short_query, texts)
            if len(prompt) <= room or each == 1:
                return prompt[:room] if len(prompt) > room else prompt
            each = max(1, each - max(1, (len(prompt) - room) // len(documents)))

    def _whole(self, query: str, documents: Sequence[str]) -> list[int]:
        listed = "\n".join(f"[{number}] {' '.join(text.split())}" for number, text in enumerate(documents, 1))
        words = (
            f"Rank the {len(documents)} texts below by how well they answer the query.\n\n{listed}\n\n"
            f"Query: {query}\n\n"
            "Write only the numbers of all texts, the best first, in the form [2] > [1] > [3].\n"
        )
        tokenizer = self._model.tokenizer
        if getattr(tokenizer, "chat_template", None):
            said = [{"role": "user", "content": words}]
            words = tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=True)
            ids: list[int] = tokenizer(words, add_special_tokens=False, verbose=False)["input_ids"]
        else:
            ids = tokenizer(f"{words}Order: ", verbose=False)["input_ids"]
        return ids

    def _answers(self, prompts: Sequence[Sequence[int]], room: int) -> list[str]:
        """What the model writes after each prompt, ``room`` tokens at most."""
        torch = load_torch(PURPOSE)
        tokenizer, network = self._model.tokenizer, self._model.network
        longest = max(map(len, prompts))
        inputs = model_inputs(tokenizer, prompts, network.device)
        inputs.pop("token_type_ids", None)
        for row, prompt in enumerate(prompts):  # an answer begins where its prompt ends: padding is on the left
            shift = longest - len(prompt)
            for name in ("input_ids", "attention_mask"):
                inputs[name][row] = torch.roll(inputs[name][row], shift)
        filler = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
        with torch.inference_mode(), self._model.context():
            written: Any = network.generate(
                **inputs, do_sample=False, num_beams=1, max_new_tokens=room, pad_token_id=filler or 0
            )
        answers: list[str] = tokenizer.batch_decode(written[:, longest:], skip_special_tokens=True)
        return answers


def _answer_room(count: int) -> int:
    """Tokens that an answer about so many documents may have."""
    return 8 + 6 * count
