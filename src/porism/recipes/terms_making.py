"""Trains tokenizers and embeddings, builds similarity matrices, and puts them where searching looks for them."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from porism.analysis.tokenizers.tokenizer import TokenizerReference, tokenizer_reference
from porism.embeddings import TokenVectors, embeddings_path, train_token_vectors
from porism.embeddings.decontextual import Decontextualised
from porism.embeddings.decontextual_training import train_decontextualised
from porism.errors import ConfigError
from porism.recipes.cache import Entry, writing
from porism.recipes.digests import digest, file_digest
from porism.recipes.stages import Stage, told_reader
from porism.recipes.terms import bpe_settings, embedding_settings, file_reference, model_place
from porism.search.tokenizing import train_tokenizer
from porism.similarity import SimilarityMatrix, build_similarities, similarity_path

if TYPE_CHECKING:
    from porism.recipes.making import StageMaker

OnCount = Callable[[int, int | None], None]
"""Told how much is done and how much there is."""

_PATHS: Mapping[str, Callable[[Path, str], Path]] = {"embeddings": embeddings_path, "similarities": similarity_path}


class TermMaker:
    """Makes what a workshop's recipe says of terms.

    Embeddings and matrices are made in the folder of the index under a name that is made of their key, so that what
    another recipe makes under the same name goes on where it was; then they move to the cache, and a link or copy of
    them is put into the index under their own name.
    """

    def __init__(self, workshop: StageMaker) -> None:
        self.workshop = workshop
        self.recipe, self.draft, self.cache = workshop.recipe, workshop.draft, workshop.cache

    def make(self, stage: Stage, on_count: OnCount, jobs: int | None) -> Entry:
        """Makes the output of a stage.

        :raises KeyboardInterrupt: it was interrupted; the next start goes on after the last whole epoch.
        :raises ConfigError: there is nothing to train on, or it does not come to finite numbers.
        :raises MissingExtra: a library is not installed.
        """
        if stage.kind == "tokenizer":
            return self._tokenizer(stage, on_count)
        started = time.monotonic()
        path = _PATHS[stage.kind](self.workshop.index_path, f"recipe-{stage.key}")
        if stage.kind == "embeddings":
            self._train(stage, path.stem, on_count, jobs)
            about = _told(TokenVectors(path).info, "terms", "dimensions", "texts", "tokens", "loss")
        else:
            settings = self.workshop.planner.terms.matrices[stage.name].settings
            build_similarities(
                self.workshop.index_path, path.stem, settings, workers=jobs, on_progress=on_count
            )
            about = _told(SimilarityMatrix.open(path).info, "terms", "similarities", "vocabulary")
        with self.cache.making(stage.kind, stage.key) as folder:
            with writing(folder):
                shutil.move(path, folder / f"{stage.name}.bin")
            return self.cache.keep(stage.kind, stage.key, folder, about, time.monotonic() - started)

    def _tokenizer(self, stage: Stage, on_count: OnCount) -> Entry:
        started = time.monotonic()
        collection = self.recipe.collection
        assert collection is not None, "the stage is there only with a collection"
        with self.cache.making(stage.kind, stage.key) as folder:
            tokenizer = train_tokenizer(
                folder / f"{stage.name}.json", sources=[self.draft.file(given) for given in collection.sources],
                settings=bpe_settings(self.recipe.tokenizers[stage.name]), format=collection.format,
                options=told_reader(collection), on_problem=self.workshop.on_problem,
                on_progress=lambda done, total: on_count(done, total or None),
            )
            about = {"tokens": len(tokenizer), **_told(tokenizer.info, "documents", "pieces")}
            return self.cache.keep(stage.kind, stage.key, folder, about, time.monotonic() - started)

    def _train(self, stage: Stage, name: str, on_count: OnCount, jobs: int | None) -> None:
        table, index = self.recipe.embeddings[stage.name], self.workshop.index_path
        settings = embedding_settings(table)
        fresh = self.cache.fresh
        if not isinstance(settings, Decontextualised):
            train_token_vectors(
                index, name, table.channel, settings, jobs=jobs, restart=fresh, on_reading=on_count,
                on_progress=on_count,
            )
            return
        assert table.model is not None, "the method was checked to have one"
        report = train_decontextualised(
            index, name, table.channel, model_place(self.draft, table.model) or table.model, settings,
            device=table.device, batch=table.batch, restart=fresh, on_progress=on_count,
        )
        if report.interrupted:
            raise KeyboardInterrupt

    def place(self, stage: Stage, entry: Entry) -> None:
        """Puts embeddings or a matrix into the folder of the index under its name, all at once.

        :raises ConfigError: the index is none of the cache's, and has a file of this name that is none either.
        :raises StorageError: the folder cannot be written.
        """
        source = entry.file(f"{stage.name}.bin")
        target = _PATHS[stage.kind](self.workshop.index_path, stage.name)
        if _same(source, target):
            return
        self.check_place(stage)
        content = file_digest(source)
        known = self._placed(target)
        with writing(target):
            if self._is_foreign and content not in _lines(known):
                known.parent.mkdir(parents=True, exist_ok=True)
                with open(known, "a", encoding="ascii") as file:
                    file.write(f"{content}\n")
            target.parent.mkdir(exist_ok=True)
            temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
            temporary.unlink(missing_ok=True)
            try:
                os.link(source, temporary)
            except OSError:  # another file system, or one without links
                shutil.copyfile(source, temporary)
            os.replace(temporary, target)

    def check_place(self, stage: Stage) -> None:
        """Whether the output of a stage can be put into the index: an index that was there before may have a file of
        this name, which is not replaced unless this cache put it there.

        :raises ConfigError: it has.
        """
        if not self._is_foreign:
            return
        target = _PATHS[stage.kind](self.workshop.index_path, stage.name)
        if target.exists() and file_digest(target) not in _lines(self._placed(target)):
            raise ConfigError(
                f"the index has {stage.kind} {stage.name!r} of its own", where=str(target),
                hint=f"Choose another name in the recipe, or leave [{stage.kind}.{stage.name}] out to use them.",
            )

    @property
    def _is_foreign(self) -> bool:
        return self.recipe.collection is not None and self.recipe.collection.index is not None

    def _placed(self, target: Path) -> Path:
        """The file that lists the digests of all that this cache has put at a place."""
        return self.cache.folder / "placed" / f"{digest(str(target.resolve()))}.txt"


def tokenizer_references(workshop: StageMaker) -> dict[str, TokenizerReference]:
    """The tokenizers that the index is made with, trained or given."""
    found = {}
    for name, table in workshop.recipe.tokenizers.items():
        if table.file is not None:
            found[name] = file_reference(name, workshop.draft.folder / table.file)
        elif (key := workshop.planner.terms.tokenizer_keys.get(name)) is not None:
            found[name] = tokenizer_reference(name, workshop.cache.path("tokenizer", key) / f"{name}.json")
    return found


def _told(info: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: info[name] for name in names if info.get(name) is not None}


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="ascii").split() if path.exists() else []


def _same(source: Path, target: Path) -> bool:
    if not target.exists():
        return False
    if os.path.samefile(source, target):
        return True
    return source.stat().st_size == target.stat().st_size and file_digest(source) == file_digest(target)
