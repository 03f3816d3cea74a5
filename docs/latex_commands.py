"""Makes the page of LaTeX commands from the tables: ``python docs/latex_commands.py`` writes it anew."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "latex-commands.md"
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

from package_examples import EXAMPLES  # noqa: E402

from porism.formula.tables.packages import ENVIRONMENTS, PACKAGE_FUNCTIONS, PACKAGES, POWERS  # noqa: E402

HEAD = r"""# LaTeX commands of packages

Porism reads these commands without a definition. Each line shows an example and the plain LaTeX that it is the same as.
A star, a size (`\big`) and an option that says only how a thing looks are passed over. A definition in a project or in
the formula comes first. An argument may be one token without braces, as in TeX: `\abs x`, `\ket\uparrow`. The tables
are `porism/formula/tables/packages/`; `python docs/latex_commands.py` writes this page.

Definitions in a formula are carried out as in a project: `\newcommand` with options and defaults, `\def` with
delimiters, `\let`, `\NewDocumentCommand` (arguments `m o O s t d D r R g G u v`, `\IfBooleanTF`, `\IfNoValueTF`),
`\DeclareMathOperator`, `\DeclarePairedDelimiter` with `X` and `XPP`, `\newenvironment`. What cannot be carried out is
reported.
"""
TITLES = {
    "common": "Commands that many formulas use undefined", "others": "Other packages, and MathJax",
    "braket": "braket, and Dirac's notation of physics", "mhchem": "mhchem (`\\ce`)",
    "bussproofs": "Proof trees: bussproofs, ebproof, mathpartir, proof.sty",
}
OWN_TITLES = ("common", "amsmath", "mathtools", "braket", "physics", "siunitx", "mhchem", "bussproofs")


def code(text: str) -> str:
    """LaTeX as code in the cell of a table."""
    return "`` " + text.replace("|", "\\|") + " ``"


def names_of(package: str) -> list[str]:
    """The commands of a package; those of small packages are together."""
    packages = [package] if package in OWN_TITLES else sorted(
        name for name in {*PACKAGES, *PACKAGE_FUNCTIONS} if name not in OWN_TITLES
    )
    return sorted(
        {name for part in packages for table in (PACKAGES, PACKAGE_FUNCTIONS) for name in table.get(part, {})},
        key=lambda name: (name.lower(), name),
    )


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for package, examples in EXAMPLES.items():
        rows = [f"| {code(written)} | {code(plain)} |" for written, plain in examples]
        parts.append("\n".join([f"## {TITLES.get(package, package)}", "", "| Written | Read as |", "|---|---|", *rows]))
        parts.append(wrapped(["All its commands:", *(f"`\\{name}`" for name in names_of(package) if "@" not in name)]))
    parts.append("## Environments that stand for others")
    parts.append(wrapped(f"`{name}`" for name in sorted(ENVIRONMENTS)))
    parts.append("## Functions that take a power in brackets before a parenthesis")
    parts.append(wrapped(f"`\\{name}`" for name in sorted(POWERS)))
    return "\n\n".join(part.strip() for part in parts) + "\n"


def wrapped(words: Iterable[str]) -> str:
    """Words in lines that are as wide as those of other pages."""
    return textwrap.fill(" ".join(words), 130, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
