"""What the soft models of a collection need, trained where it is missing: for ``soft_models.py``."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from porism import AnalysisConfig, open_source
from porism.analysis.analyzer import Analyzer
from porism.analysis.configuration import CHANNEL_SETS
from porism.analysis.tokenizers.training import BpeSettings
from porism.index import Snapshot
from porism.retrieve.documents.published import JOINT, LATEX, SYSTEMS_2021, TANGENT_L, TEXT
from porism.search.sources.indexing import index_documents, is_index
from porism.search.sources.updating import index_sources
from porism.search.tokenizing import train_tokenizer
from porism.system.files.artifacts import EMBEDDINGS, SIMILARITIES
from porism.vectors.embeddings import FastText, Positional, Word2Vec, train_token_vectors
from porism.vectors.embeddings.decontextual import Decontextualised
from porism.vectors.embeddings.decontextual_training import train_decontextualised
from porism.vectors.similarity import SimilaritySettings, build_similarities

TOKENIZERS: Mapping[str, BpeSettings] = {
    "scm-text": BpeSettings(kind="text"), "scm-latex": BpeSettings(kind="latex", merges=1_500),
    "scm-joint": BpeSettings(kind="joint"),
}
"""The 50,000 merges of the paper make one token of most formulas of a small collection: those of LaTeX were chosen on
the topics of 2020 among 300, 1,500, 8,000 and 50,000, of which 1,500 and 300 find most by themselves."""
ALPHAS = (0.0, 0.3, 0.6, 1.0)
SPACES: Mapping[str, Mapping[str, Any]] = {
    "text": {"channel": TEXT, "sample": 1e-4, "vocabulary": 50_000},
    "joint": {"channel": JOINT, "sample": 1e-4, "vocabulary": 50_000},
    "latex": {"channel": LATEX, "sample": 0.0, "vocabulary": 20_000},
    "tangent-l": {"channel": TANGENT_L, "sample": 0.0, "vocabulary": 20_000},
}
"""Channels with what embeddings and matrices of them are made by: few symbols make up most of a formula, so that none
is sampled down, and most features of Tangent-L occur once."""

TRAINING = {"dimensions": 150, "epochs": 10, "min_count": 2}
METHODS = {"word2vec": Word2Vec, "positional": Positional}


@dataclass(frozen=True)
class Variant:
    """A channel with the matrices that it can have; "" is none."""

    channel: str
    matrices: tuple[str, ...]


class Setting:
    """A folder with tokenizers, an index, embeddings and matrices."""

    def __init__(self, work: Path, collection: Path, transformer: str | None, documents: int) -> None:
        self.work, self.collection = work, collection
        self.transformer, self.documents = transformer, documents
        self.index = work / "index"
        work.mkdir(parents=True, exist_ok=True)

    def opened(self) -> tuple[Snapshot, Analyzer]:
        """The index, and how it reads queries."""
        snapshot = Snapshot.open(self.index)
        return snapshot, Analyzer(AnalysisConfig.from_dict(snapshot.config, self.index))

    def prepare(self) -> None:
        """Trains and builds what is not there."""
        for name, bpe in TOKENIZERS.items():
            path = self.work / f"{name}.json"
            if not path.exists():
                print(f"tokenizer {name}", flush=True)
                train_tokenizer(path, sources=[self.collection], settings=bpe)
        if not is_index(self.index):
            print("index", flush=True)
            index_sources([self.collection], self.index, config=self._config())
        for space, settings in SPACES.items():
            for method, kind in METHODS.items():
                self._train(f"{space}-{method}", settings["channel"], kind(**TRAINING, sample=settings["sample"]))
        (scm,) = SYSTEMS_2021["mirmu2021-scm"].channels
        self._train("scm-fasttext", scm, FastText(**TRAINING))
        if self.transformer:
            for space in ("text", "joint"):
                self._decontextualise(f"{space}-transformer", SPACES[space]["channel"])
        self._build("mirmu2021-scm", SimilaritySettings(
            scm, "scm-fasttext", alpha=0.0, top=100, symmetric=True, dominant=True
        ))
        for space in SPACES:
            for embeddings in self._embeddings(space):
                for alpha in ALPHAS:
                    self._build_mixed(space, embeddings, alpha)

    def variants(self, system: str) -> tuple[Variant | None, Variant | None]:
        """The channels of a system of 2022: of text (or both in one), and of formulas; None where something lacks."""
        kind, _, similarity = system.removeprefix("scm2022-").rpartition("-")
        if similarity not in ("word2vec", "positional", "transformer"):
            kind, similarity = system.removeprefix("scm2022-"), ""
        if similarity == "transformer" and not self.transformer:
            return None, None
        if kind in ("text", "joint"):
            return self._variant(kind, similarity), None
        return self._variant("text", similarity), self._variant(kind, similarity)

    def _variant(self, space: str, similarity: str) -> Variant:
        names = tuple(self._name(space, similarity, alpha) for alpha in ALPHAS) if similarity else ("",)
        return Variant(SPACES[space]["channel"], names)

    def _config(self) -> AnalysisConfig:
        tokenizers = {name: self.work / f"{name}.json" for name in TOKENIZERS}
        channels = [*CHANNEL_SETS["default"], *CHANNEL_SETS["mirmu2021"], *CHANNEL_SETS["scm2022"]]
        return AnalysisConfig.named([*channels, *(f"bpe:{name}" for name in TOKENIZERS)], tokenizers=tokenizers)

    def _embeddings(self, space: str) -> tuple[str, ...]:
        return (*METHODS, *(("transformer",) if self.transformer and space in ("text", "joint") else ()))

    def _train(self, name: str, channel: str, settings: Word2Vec) -> None:
        if not EMBEDDINGS.path(self.index, name).exists():
            print(f"embeddings {name}", flush=True)
            train_token_vectors(self.index, name, channel, settings, jobs=None)

    def _decontextualise(self, name: str, channel: str) -> None:
        """Reads the first documents only: a transformer takes milliseconds a token."""
        target = EMBEDDINGS.path(self.index, name)
        if target.exists():
            return
        print(f"embeddings {name}", flush=True)
        assert self.transformer
        part = self.work / "part"
        if not is_index(part):
            index_documents(islice(open_source(self.collection), self.documents), part, config=self._config())
        train_decontextualised(part, name, channel, self.transformer, Decontextualised(min_count=2))
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(EMBEDDINGS.path(part, name), target)

    def _name(self, space: str, embeddings: str, alpha: float) -> str:
        return f"{space}-lexical-1.0" if alpha == 1 else f"{space}-{embeddings}-{alpha}"

    def _build_mixed(self, space: str, embeddings: str, alpha: float) -> None:
        settings = SPACES[space]
        self._build(self._name(space, embeddings, alpha), SimilaritySettings(
            settings["channel"], "" if alpha == 1 else f"{space}-{embeddings}", alpha=alpha, top=100, symmetric=True,
            dominant=True, vocabulary=settings["vocabulary"],
        ))

    def _build(self, name: str, settings: SimilaritySettings) -> None:
        if not SIMILARITIES.path(self.index, name).exists():
            print(f"similarities {name}", flush=True)
            build_similarities(self.index, name, settings)
