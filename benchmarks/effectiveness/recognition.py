"""Whether formulas that nobody put between dollars are found: 300 sentences of real text, judged by hand.

::

    python -m benchmarks effectiveness recognition --data ../shared/data [--show]

``recognition/judged.tsv`` has a line for each sentence: collection, document, offset, length, the places of its
formulas, and those of what may be one or not: a letter or a number alone, lists and tuples of them, names of code.
The sentences themselves stay in the data; dollars are taken out of them first. What is found is right where it has
at least half of its characters in common with a formula that was judged, each formula counting once. The recogniser
was tuned on the lines with even numbers only.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from porism.formula.recognition.recognising import find_formulas

JUDGED = Path(__file__).parent / "recognition" / "judged.tsv"
_RECORDS = {
    "planetmath": "planetmath/docs.jsonl", "proofwiki": "proofwiki/statements.jsonl",
    "conjectures": "conjectures/queries.{}.tsv", "stackmathqa": "stackmathqa-sample.jsonl",
}
"""The collections that keep all their texts in one file, or in two; of others the id of a text is a path."""

Spans = list[tuple[int, int]]


class Judged(NamedTuple):
    """A sentence without dollars, the places of its formulas, and those that are not judged."""

    collection: str
    text: str
    formulas: Spans
    unjudged: Spans


@dataclass
class Counts:
    """What was found in some sentences: pieces, and their characters."""

    sentences: int = 0
    judged: int = 0
    reported: int = 0
    right: int = 0
    exact: int = 0
    judged_characters: int = 0
    reported_characters: int = 0
    right_characters: int = 0

    def add(self, sentence: Judged, reported: Spans) -> None:
        """Counts one sentence with what was reported in it."""
        kept = [span for span in reported if not _is_unjudged(span, sentence)]
        marked = _characters(sentence.formulas)
        shown = _characters(kept) - (_characters(sentence.unjudged) - marked)
        self.sentences += 1
        self.judged += len(sentence.formulas)
        self.reported += len(kept)
        self.right += sum(any(_alike(span, formula) for formula in sentence.formulas) for span in kept)
        self.exact += sum(span in sentence.formulas for span in kept)
        self.judged_characters += len(marked)
        self.reported_characters += len(shown)
        self.right_characters += len(marked & shown)

    def line(self, name: str) -> str:
        """A line of the table."""
        shares = (
            (self.right, self.reported), (self.right, self.judged), (self.exact, self.judged),
            (self.right_characters, self.reported_characters), (self.right_characters, self.judged_characters),
        )
        cells = "".join(f"{part / whole if whole else 1:10.3f}" for part, whole in shares)
        return f"{name:22}{self.sentences:10}{self.judged:9}{self.reported:9}{cells}"


HEADER = (f"{'':22}{'sentences':>10}{'formulas':>9}{'found':>9}{'precision':>10}{'recall':>10}{'exact':>10}"
          f"{'P letters':>10}{'R letters':>10}")


def main() -> int:
    """Parses arguments, and prints a line for each half and each collection."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, required=True, help="folder of the collections")
    arguments.add_argument("--judged", type=Path, default=JUDGED, help="other judgments")
    arguments.add_argument("--show", action="store_true", help="print what the half for tuning has wrong")
    options = arguments.parse_args()
    halves = Counts(), Counts()
    collections: dict[str, Counts] = {}
    for number, sentence in enumerate(judged_sentences(options.judged, options.data)):
        reported = find_formulas(sentence.text)
        for counts in (halves[number % 2], collections.setdefault(sentence.collection, Counts())):
            counts.add(sentence, reported)
        if options.show and not number % 2:
            show(sentence, reported)
    print(HEADER)
    for name, counts in zip(("tuned on", "not tuned on"), halves, strict=True):
        print(counts.line(name))
    for name, counts in sorted(collections.items()):
        print(counts.line(name))
    return 0


def judged_sentences(judged: Path, data: Path) -> Iterator[Judged]:
    """The sentences, with their judgments."""
    for line in judged.read_text(encoding="utf-8").splitlines():
        collection, name, start, length, formulas, unjudged = line.split("\t")
        text = text_of(data, collection, name)[int(start):int(start) + int(length)]
        yield Judged(collection, text.replace("$", ""), _spans(formulas), _spans(unjudged))


def text_of(data: Path, collection: str, name: str) -> str:
    """The text that a sentence is from, as its file has it."""
    if collection in _RECORDS:
        return _records(data, collection)[name]
    folder = data / collection if (data / collection).is_dir() else data / "projects" / collection
    return (folder / name).read_text(encoding="utf-8")


@lru_cache(8)
def _records(data: Path, collection: str) -> dict[str, str]:
    path = _RECORDS[collection]
    if collection == "conjectures":
        rows = (line.partition("\t") for half in ("train", "dev") for line in _lines(data / path.format(half)))
        return {name: text for name, _, text in rows}
    records = [json.loads(line) for line in _lines(data / path)]
    if collection == "stackmathqa":
        return {f"{number}:{part}": record[part] for number, record in enumerate(records) for part in "QA"}
    return {record["id"]: record["text"] for record in records}


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line]


def _spans(cell: str) -> Spans:
    return [(int(start), int(end)) for start, _, end in (span.partition("-") for span in cell.split(",") if span)]


def _characters(spans: Spans) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}


def _alike(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two spans have half of the characters of both in common."""
    common = min(one[1], other[1]) - max(one[0], other[0])
    return 2 * common >= max(one[1], other[1]) - min(one[0], other[0])


def _is_unjudged(span: tuple[int, int], sentence: Judged) -> bool:
    text = sentence.text[span[0]:span[1]].strip("()[]{}`'")
    is_alone = (len(text) == 1 and text.isalpha()) or text.isdigit()
    is_marked = any(_alike(span, other) for other in sentence.unjudged)
    return (is_alone or is_marked) and span not in sentence.formulas


def show(sentence: Judged, reported: Spans) -> None:
    """Prints what is missing, and what should not be there."""
    missing = [span for span in sentence.formulas if not any(_alike(span, other) for other in reported)]
    wrong = [span for span in reported if not _is_unjudged(span, sentence)
             and not any(_alike(span, formula) for formula in sentence.formulas)]
    inexact = [span for span in reported if span not in sentence.formulas and span not in wrong
               and not _is_unjudged(span, sentence)]
    if missing or wrong or inexact:
        print(f"{sentence.collection}: {sentence.text!r}")
        for name, spans in (("missing", missing), ("wrong", wrong), ("not exact", inexact)):
            for start, end in spans:
                print(f"    {name}: {sentence.text[start:end]!r}")


if __name__ == "__main__":
    sys.exit(main())
