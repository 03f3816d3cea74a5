"""The bundled sample is well formed: entries, formulas, queries and judgments fit together."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from porism.corpus.mathtext import split_math
from porism.formula import parse_latex
from porism.sample import DEMO_QUESTIONS, ENTRIES, QRELS, QUERIES, entries_path, sample_path
from porism.types import Formula

TYPES = {"theorem", "identity", "definition", "question-and-answer", "example", "remark"}


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


ENTRY = {entry["id"]: entry for entry in read_lines(ENTRIES)}
QUERY = {query["id"]: query["query"] for query in read_lines(QUERIES)}
JUDGMENTS = [line.split() for line in QRELS.read_text(encoding="utf-8").splitlines()]


def texts(entry: dict[str, Any]) -> list[str]:
    return [entry[field] for field in ("title", "question", "body") if field in entry]


def formulas(text: str) -> tuple[Formula, ...]:
    def fail(problem: object) -> None:
        pytest.fail(f"{problem} in {text!r}")

    return split_math(text, on_problem=fail).formulas


def test_paths_lead_to_the_files() -> None:
    assert sample_path("entries.jsonl") == ENTRIES
    assert sample_path("queries.jsonl") == QUERIES
    assert sample_path("qrels.txt") == QRELS
    with entries_path() as path:
        assert path.read_bytes() == ENTRIES.read_bytes()
    with pytest.raises(FileNotFoundError, match="no file 'missing'"):
        sample_path("missing")


def test_counts() -> None:
    assert len(ENTRY) == len(read_lines(ENTRIES)) == 269, "ids are unique"
    assert len(QUERY) == len(read_lines(QUERIES)) == 56, "ids are unique"
    assert len(JUDGMENTS) == 475
    assert next(iter(ENTRY)) == "derivative-definition"
    assert QUERY["Q.1"] == r"why does $\sum 1/n^2$ converge to $\pi^2/6$?"


def test_entries_have_their_fields() -> None:
    for name, entry in ENTRY.items():
        question = {"question"} if entry["type"] == "question-and-answer" else set()
        assert set(entry) == {"id", "type", "title", "body", "tags"} | question, name
        assert entry["type"] in TYPES, name
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
        assert entry["tags"], name
        assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", tag) for tag in entry["tags"]), name
        assert len(set(entry["tags"])) == len(entry["tags"]), name
        for text in texts(entry):
            assert text == text.strip() != "", name
            assert "\ufffd" not in text, name


def test_entries_are_short_and_have_formulas() -> None:
    for name, entry in ENTRY.items():
        assert 300 <= len("\n".join(texts(entry))) <= 1000, name
        assert len(formulas(entry["body"])) >= 3, name


def test_delimiters_are_balanced() -> None:
    for text in (text for entry in ENTRY.values() for text in texts(entry)):
        content = split_math(text)
        assert re.search(r"\$|\\", content.text) is None, "LaTeX outside of formulas"
        for formula in formulas(text):
            source = formula.source
            depth = 0
            for mark in re.findall(r"(?<!\\)(?:\\\\)*([{}])", source):
                depth += 1 if mark == "{" else -1
                assert depth >= 0, source
            assert depth == 0, source
            assert len(re.findall(r"\\left(?![a-z])", source)) == len(re.findall(r"\\right(?![a-z])", source)), source
            assert Counter(re.findall(r"\\begin\{(.*?)\}", source)) == Counter(re.findall(r"\\end\{(.*?)\}", source))


def test_every_formula_is_understood() -> None:
    for text in (text for entry in ENTRY.values() for text in texts(entry)):
        for formula in formulas(text):
            assert parse_latex(formula.source).problems == (), formula.source


def test_titles_and_bodies_are_distinct() -> None:
    for field in ("title", "body"):
        repeated = [text for text, count in Counter(e[field].casefold() for e in ENTRY.values()).items() if count > 1]
        assert repeated == []


def test_entries_spread_over_the_areas() -> None:
    entries_of = Counter(tag for entry in ENTRY.values() for tag in entry["tags"])
    assert sum(count >= 5 for count in entries_of.values()) >= 20
    assert {entry["type"] for entry in ENTRY.values()} == TYPES


def test_the_notation_varies() -> None:
    constructs = [
        r"\begin{align}", r"\begin{align*}", r"\begin{aligned}", r"\begin{gather*}", r"\begin{cases}",
        r"\begin{pmatrix}", r"\begin{bmatrix}", r"\begin{vmatrix}", r"\begin{array}", r"\begin{split}",
        r"\begin{equation}", r"\substack", r"\dfrac", r"\tfrac", r"\cfrac", r"\over", r"\choose", r"\binom",
        r"\left(", r"\bigl(", r"\newcommand", r"\def", r"\operatorname", r"\mathrm", r"\text{if", r"\le", r"\leq",
        r"\ldots", r"\dots", "...", r"\exp", "e^x", "^{2}", "x^2", ":=", r"\,", r"\;", r"\tag", r"\(", r"\[", "$$",
        r"\sum_{k=1}^n k^2", r"\sum_{i=1}^{m} i^{2}", "f'", r"\mathbb R", r"\mathbb{R}", r"\underbrace", r"\overset",
        r"\phantom",
    ]
    bodies = "\n\n".join(entry["body"] for entry in ENTRY.values())
    assert [construct for construct in constructs if construct not in bodies] == []


def test_judgments_fit_queries_and_entries() -> None:
    assert {query for query, *_ in JUDGMENTS} == set(QUERY)
    assert len({(query, entry) for query, _, entry, _ in JUDGMENTS}) == len(JUDGMENTS)
    for _, iteration, entry, gain in JUDGMENTS:
        assert iteration == "0"
        assert entry in ENTRY
        assert gain in {"0", "1", "2", "3"}


def test_every_query_has_answers_and_distractors() -> None:
    for query in QUERY:
        gains = [int(gain) for judged, _, _, gain in JUDGMENTS if judged == query]
        assert gains == sorted(gains, reverse=True), query
        assert gains[0] == 3, query
        assert sum(gain > 0 for gain in gains) >= 2, query
        assert 0 in gains, query


def test_queries_are_words_formulas_and_both() -> None:
    kinds = Counter()
    for text in QUERY.values():
        content = split_math(text)
        assert "$" not in content.text
        for formula in formulas(text):
            assert parse_latex(formula.source).problems == ()
        words = re.search(r"[a-z]{2}", content.text) is not None
        kinds[words, bool(content.formulas)] += 1
    assert kinds[True, False] >= 12
    assert kinds[False, True] >= 12
    assert kinds[True, True] >= 12


def test_demo_questions_are_judged_queries() -> None:
    assert 4 <= len(DEMO_QUESTIONS) <= 5
    assert set(DEMO_QUESTIONS) <= set(QUERY.values())
