"""Where the theorem-like environments of a LaTeX project begin, found by a plain scan that shares no code with Porism.

The names are those that the project declares (``\\newtheorem``, ``\\declaretheorem`` and their like, commands of its
own around these, environments around such environments) and a few that everybody uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

TEXTS = (".tex", ".ltx", ".latex")
STYLES = (".sty", ".cls", ".def")

USUAL = frozenset(
    "theorem thm lemma lem proposition prop corollary cor definition defn defi example exercise problem remark rem rmk "
    "claim conjecture axiom".split()
)
PROOFS = frozenset("proof pf solution soln sol answer hint abstract".split())
RAW = ("comment", "verbatim", "verbatim*", "Verbatim", "lstlisting", "minted", "filecontents", "filecontents*")

_DECLARERS = (
    r"newtheorem|newmdtheoremenv|newshadetheorem|newframedtheorem|spnewtheorem|declaretheorem|newtcbtheorem|"
    r"NewTcbTheorem|newaliastheorem"
)
_DECLARED = re.compile(
    rf"\\(?:{_DECLARERS})\*?\s*(?:\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]\s*)?\{{\s*([^{{}}#\\]+?)\s*\}}"
)
_DECLARERS_OF_ITS_OWN = re.compile(
    rf"\\(?:def|(?:re)?newcommand\*?)\s*\{{?\s*\\(\w+)\}}?[^{{]*\{{(?:[^{{}}]|\{{[^{{}}]*\}})*?\\(?:{_DECLARERS})\*?\s*"
    r"(?:\[[^\]]*\]\s*)?\{#1\}"
)
_WRAPPER = re.compile(
    r"\\(?:re)?newenvironment\*?\s*\{(\w+\*?)\}\s*(?:\[\d\]\s*)?(?:\[[^\]]*\]\s*)?\{[^{}]*\\begin\{(\w+\*?)\}"
)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_EDGE = re.compile(r"\\(begin|end)\s*\{([^{}]+)\}")
_DEFINITION = re.compile(r"\s*\\(?:(?:re|provide)?new(?:command|environment)|def|gdef|let|DeclareDocument\w+)\b")
_FALSE, _FI = re.compile(r"\\iffalse\b"), re.compile(r"\\fi\b")


def environments(root: Path) -> dict[tuple[str, int], str]:
    """File (relative to the root) and line of each theorem-like environment that is in no other one → its name."""
    files = sorted(path for path in root.rglob("*") if path.suffix in (*TEXTS, *STYLES) and path.is_file())
    lines = {path: list(_lines(path)) for path in files}
    names = theorem_names("\n".join(part) for part in lines.values())
    return {
        (path.relative_to(root).as_posix(), line): name
        for path in files if path.suffix in TEXTS for line, name in _outermost(lines[path], names)
    }  # fmt: skip


def theorem_names(sources: Iterable[str]) -> frozenset[str]:
    """The environments that the sources declare to be theorem-like, with the usual ones."""
    text = "\n".join(sources)
    names = set(USUAL)
    names.update(name.strip() for found in _DECLARED.findall(text) for name in found.split(","))
    for command in set(_DECLARERS_OF_ITS_OWN.findall(text)):
        names.update(re.findall(rf"\\{command}\s*\{{([^{{}}#\\]+)\}}", text))
    wrappers = _WRAPPER.findall(text)
    while more := {name for name, inner in wrappers if inner in names} - names:
        names |= more
    return frozenset(names - PROOFS)


def _lines(path: Path) -> Iterator[str]:
    """The lines of a file without comments, raw text and what ``\\iffalse`` hides; those after its end are empty."""
    raw, hidden, ended = "", False, False
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        if raw:
            raw = "" if f"\\end{{{raw}}}" in line else raw
            yield ""
            continue
        line = _COMMENT.sub(r"\1", line)
        hidden = hidden or bool(_FALSE.search(line))
        raw = next((name for name in RAW if f"\\begin{{{name}}}" in line and f"\\end{{{name}}}" not in line), "")
        yield "" if raw or hidden or ended else line
        hidden = hidden and not _FI.search(line)
        ended = ended or line.lstrip().startswith(("\\end{document}", "\\endinput"))


def _outermost(lines: list[str], names: frozenset[str]) -> Iterator[tuple[int, str]]:
    opened: list[str] = []
    for number, line in enumerate(lines, 1):
        if _DEFINITION.match(line):
            continue
        for edge, name in _EDGE.findall(line):
            if name not in names and name not in PROOFS:
                continue
            if edge == "begin":
                if not opened and name not in PROOFS:
                    yield number, name
                opened.append(name)
            elif name in opened:
                del opened[opened.index(name):]
