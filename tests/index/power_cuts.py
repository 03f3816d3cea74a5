"""Power cuts while an index with tokenizers, vectors and similarity matrices is written: is what is left usable?

::

    python tests/index/power_cuts.py --images 500

Makes an index, changes it in all the ways there are, and takes images of what a power cut could leave
(:mod:`power`) at every moment at which something becomes durable. Each image is opened, read whole and searched, and
must hold what was promised by then: what a call that has returned has written. Exits with 1 where one does not.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from power import Disk

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.analysis.tokenizers.tokenizer import MathTokenizer
from porism.errors import PorismError
from porism.index import IndexWriter, Snapshot
from porism.lab.doc2query import DocumentExpansion, ExpansionFile, ExpansionSettings, ExpansionWriter
from porism.retrieve.lexical.similarity_matrix import open_similarities, write_similarity_matrix
from porism.search.index import open_index
from porism.search.sources.indexing import index_documents, prepare_for_searches
from porism.types import Content, Document, Formula
from porism.vectors.embeddings import open_token_vectors
from porism.vectors.embeddings.vectors import write_token_vectors

CHANNELS = ["words", "latex", "subtrees"]
TERMS = ["group", "ring", "space"]


@dataclass
class Promise:
    """What has to be found: the documents by id, one of their states, and the sets of vectors, matrices and queries.

    Each is a list of the states that are possible: the last that was promised, and those that are being written.
    """

    documents: list[dict[str, str]] = field(default_factory=lambda: [{}])
    vectors: list[float | None] = field(default_factory=lambda: [None])
    matrix: list[float | None] = field(default_factory=lambda: [None])
    expanded: list[int] = field(default_factory=lambda: [0])
    made: bool = False


def make_tokenizer(path: Path) -> None:
    """A tokenizer of single letters; how good it is does not matter here."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    letters = {letter: number for number, letter in enumerate("[abcdefghijklmnopqrstuvwxyz")}
    tokenizer = Tokenizer(models.BPE(letters, [], unk_token="["))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    MathTokenizer(tokenizer, "text").save(path)


def document(number: int, word: str) -> Document:
    content = Content.of(f"the {word} of a {TERMS[number % 3]} is ", Formula(f"x^{{{number}}}+{word[0]}"), ".")
    return Document(f"d{number}", {"title": Content(f"About {word}"), "body": content}, {"kind": f"k{number % 2}"})


class Run:
    """One run of all changes over an empty folder, with at most ``images`` images taken on the way, each looked at."""

    def __init__(self, folder: Path, seed: int, every: float, images: int, stop: bool) -> None:
        self.root = folder.resolve() / "disk"
        self.root.mkdir()
        self.scratch = folder / "image"
        self.index = self.root / "collections" / "algebra"
        self.tokenizer = folder / "letters.json"
        make_tokenizer(self.tokenizer)
        self.promise = Promise()
        self.chance = random.Random(seed)
        self.every, self.images, self.stop = every, images, stop
        self.count = 0
        self.failures: list[str] = []
        self.disk = Disk(self.root, self.event)

    def event(self) -> None:
        """Takes an image and looks at it, or lets the moment pass."""
        if self.count == self.images or self.chance.random() >= self.every:
            return
        self.count += 1
        self.disk.image(self.scratch, self.chance)
        problem = look(self.scratch, self.index.relative_to(self.root), self.promise)
        if problem:
            self.failures.append(problem)
        shutil.rmtree(self.scratch)
        if self.stop and self.failures:
            raise Enough

    def changes(self) -> None:
        """Everything that writes into the folder of an index."""
        config = AnalysisConfig.named(CHANNELS, tokenizers={"letters": str(self.tokenizer)})
        state: dict[str, str] = {}

        def change(new: dict[str, str], work: object) -> None:
            nonlocal state
            self.promise.documents = [state, new]
            work()  # type: ignore[operator]
            state = new
            self.promise.documents = [state]
            self.promise.made = True

        def add(word: str, numbers: range) -> None:
            new = {**state, **{f"d{number}": word for number in numbers}}
            made = [document(number, word) for number in numbers]
            change(new, lambda: index_documents(made, self.index, config=config if not state else None, jobs=1))

        def delete(*ids: str) -> None:
            with IndexWriter(self.index, create=False) as writer:
                writer.delete(ids)
                change({key: word for key, word in state.items() if key not in ids}, writer.commit)

        def merge() -> None:
            with IndexWriter(self.index, create=False) as writer:
                writer.merge()
                change(state, lambda: writer.commit(before_publish=prepare_for_searches))

        def vectors(value: float) -> None:
            self.promise.vectors.append(value)
            write_token_vectors(
                self.index / "embeddings" / "v.bin", TERMS, np.full((3, 4), value, np.float32),
                {"channel": "words", "method": "made up"},
            )
            self.promise.vectors = [value]

        def matrix(value: float) -> None:
            self.promise.matrix.append(value)
            write_similarity_matrix(
                self.index / "similarities" / "s.bin", TERMS, np.array([0, 2, 3, 4]), np.array([0, 1, 1, 2]),
                np.array([1, value, 1, 1]), {"channel": "words"},
            )
            self.promise.matrix = [value]

        def expand(total: int) -> None:
            self.promise.expanded.append(total)
            with ExpansionWriter(self.root / "queries.jsonl", "a model", ExpansionSettings()) as writer:
                writer.add([DocumentExpansion(f"d{total}", "digest", ("what is a group",))])
            self.promise.expanded = [total]

        add("morphism", range(6))
        vectors(0.5)
        matrix(0.25)
        expand(1)
        add("functor", range(4, 9))
        delete("d1", "d5")
        matrix(0.75)
        add("kernel", range(9, 12))
        expand(2)
        vectors(0.125)
        merge()
        delete("d0")
        add("morphism", range(3))

    def run(self) -> None:
        """Makes all changes once."""
        with self.disk.watching():
            self.changes()


def look(image: Path, where: Path, promise: Promise) -> str | None:
    """What is wrong with an image, None where it is usable and holds what was promised."""
    folder = image / where
    try:
        if promise.made or (folder / "manifest.json").exists():
            found = contents(folder)
            if found not in promise.documents:
                return f"the documents are {found}, not one of {promise.documents}"
            with open_index(folder) as index:
                if found and not index.search("morphism functor kernel", k=3):
                    return "nothing is found"
        vectors = read_vectors(folder)
        if vectors not in promise.vectors:
            return f"the vectors are {vectors}, not one of {promise.vectors}"
        matrix = read_matrix(folder)
        if matrix not in promise.matrix:
            return f"the matrix is {matrix}, not one of {promise.matrix}"
        index_documents([document(99, "ideal")], folder, jobs=1)  # the next writer carries on
        if "d99" not in contents(folder):
            return "the next writer's document is not there"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    try:
        queries = image / "queries.jsonl"
        expanded = 0
        if queries.exists() and queries.stat().st_size:
            with ExpansionFile(queries) as file:
                expanded = len(file)
        if expanded < promise.expanded[0]:
            return f"{expanded} documents with queries where {promise.expanded[0]} were written"
    except PorismError as error:
        if promise.expanded[0]:
            return f"the file of expansions: {type(error).__name__}: {error}"
    return None


def contents(folder: Path) -> dict[str, str]:
    """The documents of an index by id, each with its word; every file is read."""
    with Snapshot.open(folder) as snapshot:
        snapshot.verify()
        Analyzer(AnalysisConfig.from_dict(snapshot.config, folder)).analyze([document(1, "field")])
        found: dict[str, str] = {}
        for segment in snapshot.segments:
            for number in np.flatnonzero(segment.live).tolist():
                text = segment.stored(number).decode()
                found[segment.doc_id(number)] = text.split("About ")[1].split('"')[0]
        return found


def read_vectors(folder: Path) -> float | None:
    if not (folder / "embeddings" / "v.bin").exists():
        return None
    return float(open_token_vectors(folder, "v").vectors[2, 3])


def read_matrix(folder: Path) -> float | None:
    if not (folder / "similarities" / "s.bin").exists():
        return None
    return float(open_similarities(folder, "s").values[1])


class Enough(Exception):
    """One image was unusable, and no more are wanted."""


def cut_power(
    images: int, *, every: float = 0.5, seed: int = 1, stop: bool = False
) -> tuple[int, Counter[str]]:
    """Takes so many images in as many runs as that needs; how many were taken, and what is wrong with how many.

    With ``stop`` the first one that is unusable is the last.
    """
    taken = 0
    failures: Counter[str] = Counter()
    number = 0
    while taken < images and not (stop and failures):
        with tempfile.TemporaryDirectory() as folder:
            run = Run(Path(folder), seed + number, every, images - taken, stop)
            with suppress(Enough):
                run.run()
            number += 1
            taken += run.count
            failures.update(problem.replace(folder, "") for problem in run.failures)
    return taken, failures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    taken, failures = cut_power(arguments.images, seed=arguments.seed)
    print(f"{sum(failures.values())} of {taken} images unusable")
    for problem, count in failures.most_common(20):
        print(f"{count:5}  {problem[:200]}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
