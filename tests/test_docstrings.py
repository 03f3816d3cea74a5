"""No sentence of a docstring is longer than thirty words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from case_tables import every_case

import porism

PACKAGE = Path(porism.__file__).parent
MAX_WORDS = 30
RULE = re.compile(r"=+( +=+)*")


def prose(docstring: str) -> str:
    """The docstring without its tables and without the literal blocks after ``::``."""
    kept: list[str] = []
    literal: int | None = None  # the indent of the line that ends in ::
    in_table = False
    lines = docstring.splitlines()
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if RULE.fullmatch(line.strip()):
            in_table = number + 1 < len(lines) and bool(lines[number + 1].strip())  # else the last rule
            kept.append("")
            continue
        if literal is not None and line.strip() and indent <= literal:
            literal = None
        if in_table or literal is not None:
            continue
        kept.append(line)
        if line.rstrip().endswith("::"):
            literal = indent
            kept.append("")
    return "\n".join(kept)


def sentences(docstring: str) -> Iterator[str]:
    """Sentences and their parts between colons and semicolons; fields, items and the lines after ``\\b`` are apart."""
    for block in re.split(r"\n\s*\n|\n(?=\s*(?::\w[^:`]*: |[-*] ))", prose(docstring)):
        for text in block.splitlines() if block.startswith("\b") else [block]:
            for sentence in re.split(r"(?<=[.;:!?])\s+", text):
                yield " ".join(sentence.split())


def long_sentences(source: str) -> Iterator[tuple[str, str]]:
    """Objects of a module whose docstring has a sentence that is too long, with the sentence."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for sentence in sentences(ast.get_docstring(node) or ""):
                if len(sentence.split()) > MAX_WORDS:
                    yield getattr(node, "name", "module"), sentence


LONG = " ".join(["word"] * 30)  # one word more is too many


@every_case(
    "docstring",
    [
        f"First: {LONG} end.",
        f"{LONG} end. Last.",
        f"First.\n\nSecond.\n{LONG}\nend.",
        f"First.\n\n- {LONG}",
        f"First.\n\n:param x: {LONG} end",
        f"First::\n\n    code\n\n{LONG} end.",
        f"=== ===\na   b\n=== ===\n1   2\n=== ===\n\n{LONG} end.",
    ],
)
def test_a_sentence_of_more_than_thirty_words_is_reported(docstring: str) -> None:
    assert [name for name, _ in long_sentences(f"def f():\n    {docstring!r}\n")] == ["f"]


@every_case(
    "docstring",
    [
        f"{LONG}.",
        f"Some words: {LONG}.\nSome words; {LONG}.",
        f"First::\n\n    {LONG}\n    {LONG}\n\nLast.",
        f"=== ===\na   b\n=== ===\n1   {LONG}\n=== ===\n\nLast.",
        f"\b\n{LONG}\n{LONG}",
        "Items:\n" + "\n".join(["- one two three four five"] * 9) + "\n",
    ],
)
def test_lines_tables_and_literal_blocks_are_not_long_sentences(docstring: str) -> None:
    assert list(long_sentences(f"def f():\n    {docstring!r}\n")) == []


def test_docstrings_have_no_long_sentences() -> None:
    rows = [
        f"{path.relative_to(PACKAGE)}, {name}: {sentence}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for name, sentence in long_sentences(path.read_text(encoding="utf-8"))
    ]
    assert rows == [], f"sentences of more than {MAX_WORDS} words:\n" + "\n".join(rows)
