"""Makes the page of notations from the tables: ``python docs/notations.py`` writes it anew."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "notations.md"
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

from notation_cases import CASES  # noqa: E402

from porism.formula.tables.rows import symbol_rows  # noqa: E402
from porism.types import PlainNotation  # noqa: E402

HEAD = """# Notations beside LaTeX

Porism reads formulas in plain notations to the trees of their LaTeX:

```
porism parse 'sum_(i=1)^n i^2 = (n(n+1)(2n+1))/6' --to latex
porism parse '∀ x : ℝ, 0 ≤ x ^ 2' --from lean --to spoken
porism parse '\\frac{a}{b}' --to typst
```

In Python, `parse_plain(source, notation)` gives a layout tree, as `parse_latex` does; `to_asciimath`, `to_typst`,
`to_lean`, `to_spoken` and `to_unicode` write one. Without `--from`, `detect_notation` chooses: a formula with a command
is LaTeX, one with words or signs that only one notation has is read in it, and everything else is LaTeX. Every text
gives a tree; problems have positions.

- **unicode**: characters of mathematics, and AsciiMath's names of structures. `a/b` is a fraction where nothing is
  multiplied with its sides; else it divides as it does in LaTeX. `√`, `■(a&b@c&d)` and brackets that only group are
  those of UnicodeMath.
- **asciimath**: `/` always makes a fraction of the two operands beside it. Brackets around a script or a side of a
  fraction go. A word that is not a name is read as names and letters: `sinx`, `2pir`; one that looks like an English
  word stays one: `area = pi r^2`. `sup` is the supremum.
- **typst**: arguments are in parentheses right after a name. An unknown name is reported. `limits(x)` has its scripts
  right over and under it.
- **lean**: operands side by side are a function and its arguments. `∀ x : ℝ, p` is `\\forall x\\in\\mathbb{R}: p`,
  and `fun x => e` is `x\\mapsto e`. Coercions (`↑n`) and types of terms (`(2 : ℝ)`) are left out. Of a name with
  points only the last part stays. The operator tree follows the precedence of Lean's and Mathlib's operators, has no
  types of variables, and keeps what a name with a point is applied to: `s.card` is `card s`. `if p then a else b` is a
  distinction of cases, and `∑ i ∈ Finset.Icc a b, …` has the bounds *a* and *b*. What is written has the functions of
  the real numbers; a sequence is a function there: `a n`.
- **spoken**: English as one says it. Speech has no brackets: a power, an index and a denominator end with the next
  operator, a root with the next relation; `the quantity` and `the fraction … over …` hold more together.

An index reads the notations of its sources, and recognises formulas in documents that mark none. A formula search
takes plain notations too, and in a question formulas without dollars are recognised in any of them
([questions](questions.md)).
"""
TITLES: dict[PlainNotation, str] = {
    "unicode": "Unicode", "asciimath": "AsciiMath", "typst": "Typst", "lean": "Lean", "spoken": "Spoken English",
}


def code(*texts: str) -> str:
    """Texts as code in the cell of a table."""
    return ", ".join("`` " + text.replace("|", "\\|") + " ``" for text in texts)


def page() -> str:
    """The whole page."""
    parts = [HEAD.strip()]
    for notation, title in TITLES.items():
        rows = [f"| {code(written)} | {code(latex)} |" for written, latex in CASES[notation]]
        parts.append("\n".join([f"## {title}", "", "| Written | Read as |", "|---|---|", *rows]))
    lines = []
    for row in symbol_rows().values():
        names = [row.names[notation] for notation in ("asciimath", "typst", "lean")]
        if any(names):
            cells = [code(row.label), code(*row.commands[:1]), row.spoken, *(code(*found) for found in names)]
            lines.append("| " + " | ".join(cells) + " |")
    parts.append("\n".join([
        "## Symbols", "",
        "The names of symbols that are not those of LaTeX without the backslash, which every notation has too.", "",
        "| | LaTeX | Spoken | AsciiMath | Typst | Lean |", "|---|---|---|---|---|---|", *lines,
    ]))
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
