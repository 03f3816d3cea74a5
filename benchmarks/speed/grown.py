"""A collection of any size in which the vocabulary and the distinct formulas grow as they do in a real one.

::

    python -m benchmarks speed grown --documents 20000 --to benchmarks/work/grown

Documents are bootstrapped from those of a real collection (ARQMath's, Stack Exchange's, any that Porism reads; by
default the bundled sample): each takes the fields and the number of sentences of one of them, most sentences from it,
the others from all. Words and formulas that are rare there become others. Which ones follows Heaps' law, of which the
two constants are measured in the real collection: where the collection has fewer distinct words or formulas than it
should have by then, the next is a new one; otherwise it is one of those that were made before, early ones more often.
A new word is made of syllables, a new formula is a variant of a real one (:mod:`formula_variants`). Both are functions
of their number, so nothing needs to be remembered: the memory is that of the real collection, however many documents
come of it. The same seed gives the same documents, and a larger collection begins with the smaller one.

``--revision 1 --changed 0.01`` writes the same collection with other texts in one document of a hundred.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from random import Random

import orjson

import porism
from benchmarks import WORK
from benchmarks.speed.formula_variants import Maker
from porism.formula import layout_key, parse_latex
from porism.sample import ENTRIES
from porism.types import PLACEHOLDER, Content, Document

RARE = 3
"""Words and formulas with at most so many occurrences in the real collection become others."""
OWN = 0.7
"""How many of a document's sentences come from one document: documents repeat their own words and formulas."""
EARLY = 2.0
"""A number that was used before is drawn as this power of a uniform one, times how many there are."""
KEPT_FORMULAS = 200_000
"""So many formulas that were made are kept to be used again."""
FORMULAS = 20.0
"""Formulas of a document, in the mean: 28 million in 1.4 million documents."""
SHARD = 50_000
"""Documents of a file."""

_SENTENCE = re.compile(r"(?<=[.?!])\s+|\n+")
_WORD = re.compile(r"[^\W_]+")
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_SYLLABLES = tuple(consonant + vowel for consonant in _CONSONANTS for vowel in _VOWELS)

WORD, FORMULA = 0, 1
Slot = tuple[int, str]
"""A rare word, or a formula: the kind and what the real collection has there."""
Sentence = tuple[str | Slot, ...]


@dataclass(frozen=True, slots=True)
class Law:
    """Heaps' law: ``distinct = factor * occurrences ** exponent``."""

    factor: float
    exponent: float

    def __call__(self, occurrences: float) -> float:
        return float(self.factor * occurrences**self.exponent)

    @classmethod
    def through(cls, points: Sequence[tuple[int, int]]) -> Law:
        """The law through points (occurrences, distinct): least squares of the logarithms, and exact at the last."""
        xs, ys = [math.log(n) for n, _ in points], [math.log(distinct) for _, distinct in points]
        mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
        spread = sum((x - mean_x) ** 2 for x in xs)
        slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / spread
        occurrences, distinct = points[-1]
        return cls(distinct / occurrences**slope, slope)


@lru_cache(1 << 20)
def normal_form(latex: str) -> str:
    """What two formulas have in common that count as one."""
    return layout_key(parse_latex(latex))


@dataclass(frozen=True, slots=True)
class Growth:
    """Documents, words and formulas with how many of them are distinct, as a collection is read in random order."""

    documents: int
    words: int
    distinct_words: int
    formulas: int
    distinct_formulas: int


def growth(documents: Sequence[Document], seed: int = 1) -> tuple[list[Growth], Counter[str], Counter[str]]:
    """The growth of a collection at a 16th, an 8th… and all of it; how often it has each word, and each formula."""
    shuffled = list(documents)
    Random(seed).shuffle(shuffled)
    sizes = {len(shuffled) >> shift for shift in range(5)} - {0}
    words: Counter[str] = Counter()
    formulas: Counter[str] = Counter()
    found = []
    for number, document in enumerate(shuffled, 1):
        for content in document.fields.values():
            words.update(_WORD.findall(content.text.lower()))
            formulas.update(normal_form(formula.source) for formula in content.formulas)
        if number in sizes:
            found.append(Growth(number, words.total(), len(words), formulas.total(), len(formulas)))
    return found, words, formulas


class Base:
    """The real collection in sentences, with its two laws."""

    def __init__(self, documents: Sequence[Document], formulas: float = FORMULAS) -> None:
        curve, words, keys = growth(documents)
        self.words = Law.through([(one.words, one.distinct_words) for one in curve])
        self.formulas = Law.through([(one.formulas, one.distinct_formulas) for one in curve])
        self.longer = formulas * len(documents) / max(1, keys.total())
        """How many times as long documents become."""
        self.distinct = len(words), len(keys)
        """Distinct words, and formulas."""
        self.common = sum(count > RARE for count in words.values()), sum(count > RARE for count in keys.values())
        """Those of them that are not rare."""
        self._rare_words = frozenset(word for word, count in words.items() if count <= RARE)
        self._rare_keys = frozenset(key for key, count in keys.items() if count <= RARE)
        self.documents: list[tuple[dict[str, list[Sentence]], str]] = []
        """Of each real document the sentences of its fields, and its tags."""
        self.sentences: dict[str, list[Sentence]] = {}
        """All sentences of each field."""
        sources: list[str] = []
        for document in documents:
            fields = {}
            for name, content in document.fields.items():
                sentences = list(self._sentences(content))
                if sentences:
                    fields[name] = sentences
                    self.sentences.setdefault(name, []).extend(sentences)
                sources += [slot[1] for one in sentences for slot in one if not isinstance(slot, str) and slot[0]]
            if fields:
                tags = document.metadata.get("tags", "")
                self.documents.append((fields, tags if isinstance(tags, str) else ",".join(tags)))
        rare = [source for source in dict.fromkeys(sources) if normal_form(source) in self._rare_keys]
        self.maker = Maker([source for source in rare if len(source) > 5] or rare)

    def _sentences(self, content: Content) -> Iterator[Sentence]:
        formulas = iter(content.formulas)
        for text in _SENTENCE.split(content.text):
            found: list[str | Slot] = []
            for number, part in enumerate(text.split(PLACEHOLDER)):
                if number:
                    latex = " ".join(next(formulas).source.split())
                    found.append((FORMULA, latex) if latex and "$" not in latex else " ")
                found += self._words(re.sub(r"[$<>&\\`*_#]", " ", part))
            if any(not isinstance(piece, str) or piece.strip() for piece in found):
                yield tuple(found)

    def _words(self, text: str) -> Iterator[str | Slot]:
        """The text, with the rare words apart."""
        end = 0
        for match in _WORD.finditer(text):
            word = match.group()
            if word.lower() in self._rare_words:
                yield text[end : match.start()]
                yield WORD, word.lower()
                end = match.end()
        yield text[end:]

    def is_rare(self, latex: str) -> bool:
        """Whether the real collection has few of this formula."""
        return normal_form(latex) in self._rare_keys


class Counting:
    """How many occurrences there were of words, or of formulas, and how many distinct ones were made.

    Of the ``distinct`` ones of the real collection ``common`` are not rare, and need not be made. Those that a
    beginning of it has are taken to grow as all do.
    """

    def __init__(self, law: Law, distinct: int, common: int) -> None:
        self._law, self._distinct, self._common = law, distinct, common
        self.occurrences = 0
        self.made = 0

    @property
    def expected(self) -> float:
        """How many should have been made by now."""
        distinct = self._law(self.occurrences)
        return distinct - self._common * min(1.0, distinct / self._distinct)

    def draw(self, random: Random, keep: bool) -> int:
        """The number of the next rare one. With ``keep`` nothing is counted, and nothing new comes."""
        if not keep and self.made < self.expected:
            self.made += 1
            return self.made - 1
        return int(max(1, self.made) * random.random() ** EARLY)


class Grown:
    """The documents of a grown collection, as records of JSON.

    ``revision`` and ``changed``: the share of documents that have other texts than in revision 0.
    """

    def __init__(self, base: Base, seed: int = 7, *, revision: int = 0, changed: float = 0.01) -> None:
        self._base, self._seed, self._revision, self._changed = base, seed, revision, changed
        self.words = Counting(base.words, base.distinct[0], base.common[0])
        self.formulas = Counting(base.formulas, base.distinct[1], base.common[1])
        self._formula = lru_cache(KEPT_FORMULAS)(lambda number: base.maker.numbered(seed, number))

    def __iter__(self) -> Iterator[dict[str, str]]:
        """Records without end."""
        number = 0
        while True:
            random = Random(f"{self._seed} {number}")
            record = self._record(number, random, keep=False)
            if self._revision and random.random() < self._changed:
                record = self._record(number, Random(f"{self._seed} {number} {self._revision}"), keep=True)
            yield record
            number += 1

    def _record(self, number: int, random: Random, keep: bool) -> dict[str, str]:
        base = self._base
        fields, tags = base.documents[int(random.random() * len(base.documents))]
        others: dict[Slot, str] = {}  # a document uses a word again and again
        record = {"id": f"d{number}"}
        for name, own in fields.items():
            pool = base.sentences[name]
            count = 1 if name == "title" else max(1, int(len(own) * base.longer + random.random()))
            chosen = []
            for _ in range(count):
                of = own if random.random() < OWN else pool
                chosen.append(self._text(of[int(random.random() * len(of))], random, others, keep))
            record["answer" if name == "body" and "question" in fields else name] = " ".join(chosen)
        if tags:
            record["tags"] = tags
        return record

    def _text(self, sentence: Sentence, random: Random, others: dict[Slot, str], keep: bool) -> str:
        parts = []
        for piece in sentence:
            if isinstance(piece, str):
                if not keep:
                    self.words.occurrences += piece.count(" ")
                parts.append(piece)
                continue
            kind, real = piece
            counting = self.formulas if kind else self.words
            if not keep:
                counting.occurrences += 1
            text = others.get(piece)
            if text is None:
                if kind == WORD:
                    text = word(counting.draw(random, keep))
                elif self._base.is_rare(real):
                    text = f"${self._formula(counting.draw(random, keep))}$"
                else:
                    text = f"${real}$"
                others[piece] = text
            parts.append(text)
        return "".join(parts)


def word(number: int) -> str:
    """A word of syllables that no stemmer shortens, a different one for each number."""
    syllables = []
    number += len(_SYLLABLES)
    while number:
        number, digit = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[digit])
    return "".join(syllables) + "k"


def read_base(source: Path, formulas: float = FORMULAS) -> Base:
    """The real collection at a path."""
    return Base(read_documents(source), formulas)


def read_documents(source: Path) -> list[Document]:
    """All documents at a path, without comments."""
    return list(porism.open_source(source, options=porism.ReaderOptions(comments=False)))


def write(records: Iterator[dict[str, str]], documents: int, folder: Path, shard: int = SHARD) -> None:
    """Writes so many records as files of JSON lines, a file for each ``shard`` of them.

    A file whose content stays as it is is not touched.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(math.ceil(documents / shard)):
        path = folder / f"documents-{number:04}.jsonl"
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            for record in islice(records, min(shard, documents - number * shard)):
                file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
        part.replace(path)


def show(curve: Sequence[Growth], words: Counter[str], formulas: Counter[str]) -> None:
    """Prints the growth of a collection, and its laws."""
    print(f"{'documents':>10}{'words':>14}{'distinct':>11}{'formulas':>12}{'distinct':>11}")
    for one in curve:
        print(
            f"{one.documents:10,}{one.words:14,}{one.distinct_words:11,}{one.formulas:12,}{one.distinct_formulas:11,}"
        )
    pairs = {
        "words": ([(one.words, one.distinct_words) for one in curve], words),
        "formulas": ([(one.formulas, one.distinct_formulas) for one in curve], formulas),
    }
    for name, (points, counts) in pairs.items():
        law, once = Law.through(points), sum(count == 1 for count in counts.values()) / max(1, len(counts))
        print(f"distinct {name} = {law.factor:.3g} · occurrences^{law.exponent:.3f}; {once:.0%} of them occur once")


def main() -> int:
    """Writes a collection, or with ``--measure`` prints how one grows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, default=ENTRIES, help="the real collection (default: the sample)")
    parser.add_argument("--documents", type=int, default=1_400_000)
    parser.add_argument("--formulas", type=float, default=FORMULAS, help="of a document, in the mean (default: 20)")
    parser.add_argument("--to", type=Path, default=WORK / "grown", help="the folder (%(default)s)")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--revision", type=int, default=0, help="1, 2…: another version of some documents")
    parser.add_argument("--changed", type=float, default=0.01, help="the share of these documents (default: 0.01)")
    parser.add_argument("--measure", action="store_true", help="print the growth of --source, and write nothing")
    options = parser.parse_args()
    if options.measure:
        show(*growth(read_documents(options.source)))
        return 0
    start = time.perf_counter()
    base = read_base(options.source, options.formulas)
    print(f"words: {base.words}, formulas: {base.formulas}; {len(base.documents):,} real documents", flush=True)
    grown = Grown(base, options.seed, revision=options.revision, changed=options.changed)
    write(iter(grown), options.documents, options.to)
    print(
        f"{options.documents:,} documents with {grown.formulas.occurrences:,} formulas in "
        f"{time.perf_counter() - start:.0f} s: {options.to}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
