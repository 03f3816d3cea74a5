"""Documents and topics as terms that Porism's analysis makes, for engines that are compared on the same terms."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.common.task import read_entries

K1, B = 1.2, 0.75
TERM_CHANNELS = ("words", "tokens", "tokens-2", "tokens-3")


def write_terms(task: Path) -> None:
    """Analyses documents and topics by Porism for the contenders that get terms: lines of id, [channel, term]…"""
    import porism
    from porism.analysis.analyzer import Analyzer

    analyzer = Analyzer(porism.AnalysisConfig(text=("words",), formulas=TERM_CHANNELS[1:]))
    known: dict[str, list[tuple[str, str]]] = {}
    for name in ("documents", "topics-2020", "topics-2021"):
        with (task / f"terms-{name}.jsonl").open("w", encoding="utf-8") as file:
            for entry in read_entries(task / f"{name}.jsonl"):
                terms: list[tuple[str, str]] = []
                for kind, part in entry.parts():
                    if kind == "text":
                        terms += [("words", term) for term in analyzer.content_terms(porism.Content(part))["words"]]
                        continue
                    if part not in known:
                        found = analyzer.formula_terms(porism.Formula(part)).terms
                        known[part] = [(channel, term) for channel in TERM_CHANNELS[1:] for term in found[channel]]
                    terms += known[part]
                file.write(json.dumps([entry.id, terms]) + "\n")


def read_terms(task: Path, name: str = "topics") -> dict[str, list[tuple[str, str]]]:
    """Id → (channel, term) with repetition, of the ``documents`` or of the ``topics`` of both years."""
    names = ("topics-2020", "topics-2021") if name == "topics" else (name,)
    terms: dict[str, list[tuple[str, str]]] = {}
    for path in (task / f"terms-{one}.jsonl" for one in names):
        with path.open(encoding="utf-8") as file:
            for line in file:
                entry_id, found = json.loads(line)
                terms[entry_id] = [(channel, term) for channel, term in found]
    return terms
