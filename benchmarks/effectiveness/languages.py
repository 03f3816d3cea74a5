"""Whether questions find statements of their language: 42 statements and 30 questions of our own in each of several
languages, alone and all in one index.

``languages/LANGUAGE.tsv`` has a statement (``d01``) or a question (``q01``) a line; statements of one number say the
same, so ``languages/judgments.txt`` holds for all languages. Questions have other numbers and cases of the words.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import porism
from benchmarks import RESULTS
from benchmarks.common.bench import print_table
from porism.analysis.analyzer import AnalysisConfig
from porism.index import info
from porism.lab.evaluate import evaluate_run
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document, Query

FOLDER = Path(__file__).parent / "languages"
LANGUAGES = tuple(path.stem for path in sorted(FOLDER.glob("*.tsv")))
MEASURE = "nDCG'@10"


class Judged(NamedTuple):
    """The statements and questions of a language, and the gains of statements by question and number."""

    documents: list[Document]
    queries: list[Query]
    judgments: dict[str, dict[str, int]]


def judged(language: str) -> Judged:
    """The judged set of a language; ids have its name before them."""
    texts = dict(line.split("\t") for line in (FOLDER / f"{language}.tsv").read_text(encoding="utf-8").splitlines())
    found: dict[str, dict[str, int]] = {}
    for line in (FOLDER / "judgments.txt").read_text(encoding="utf-8").splitlines():
        query, _, document, gain = line.split()
        found.setdefault(f"{language}-{query}", {})[document] = int(gain)
    where = {"source": language, "file": f"{language}.tsv"}
    return Judged(
        [
            Document(f"{language}-{name}", {"body": Content(text)}, where) for name, text in texts.items()
            if name.startswith("d")
        ],
        [Query(f"{language}-{name}", {"query": Content(text)}) for name, text in texts.items() if name.startswith("q")],
        found,
    )


def judgments_among(language: str, sets: Mapping[str, Judged]) -> dict[str, dict[str, int]]:
    """The judgments of the questions of a language where statements of all are in one index.

    What says the same in another language is not judged: it is neither right nor wrong.
    """
    found: dict[str, dict[str, int]] = {}
    for query, gains in sets[language].judgments.items():
        found[query] = {f"{language}-{name}": gain for name, gain in gains.items()}
        for one in sets.values():
            for document in one.documents:
                if document.id.rpartition("-")[2] not in gains:
                    found[query][document.id] = 0
    return found


def score(
    sets: Mapping[str, Judged], config: AnalysisConfig, languages: Sequence[str]
) -> tuple[dict[str, float], dict[str, int]]:
    """What the questions of each language reach in one index of all statements of ``sets``; and its languages."""
    with tempfile.TemporaryDirectory() as folder:
        documents: Iterable[Document] = [document for one in sets.values() for document in one.documents]
        index_documents(documents, Path(folder) / "index", config=config, jobs=1)
        counts = dict(info(Path(folder) / "index").languages)
        with porism.open_index(Path(folder) / "index") as index:
            return {
                language: evaluate_run(
                    index.run(sets[language].queries, 100), judgments_among(language, sets), [MEASURE]
                )[MEASURE]
                for language in languages
            }, counts


def main() -> None:
    """Indexes and searches, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--languages", default=",".join(LANGUAGES), help="which languages, separated by commas")
    languages = parser.parse_args().languages.split(",")
    sets = {language: judged(language) for language in languages}
    together, counts = score(sets, AnalysisConfig(), languages)
    rows = []
    for language in languages:
        alone = {language: sets[language]}
        row: dict[str, object] = {"language": language}
        for name, setting in (("detected", "auto"), ("as English", "english"), ("without stems", "none")):
            row[name] = round(score(alone, AnalysisConfig(language=setting), [language])[0][language], 3)
        row["all in one index"] = round(together[language], 3)
        row["detected right"] = f"{counts.get(language, 0)} of {len(sets[language].documents)}"
        rows.append(row)
    print(f"{MEASURE} of {len(sets[languages[0]].queries)} questions in each language")
    print_table([list(rows[0]), *(list(map(str, row.values())) for row in rows)])
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "languages.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
