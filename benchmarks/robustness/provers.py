"""Plain scans of the sources of provers, which share no code with Porism: in which lines do declarations begin?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

NEXT_LINES = 3
"""The name may be so many lines below the keyword."""


@dataclass(frozen=True, slots=True)
class Scan:
    """How the declarations of one prover are found: by a keyword at the beginning of a line, outside comments.

    ``comment`` matches what opens and closes comments (in groups of these names), and comments to the end of a line.
    ``code`` keeps the code of a text, with as many lines. ``shows_kind`` and ``shows_name`` say whether the keyword and
    the name of a document are in the lines of its declaration.
    """

    endings: tuple[str, ...]
    declaration: re.Pattern[str]
    comment: re.Pattern[str]
    code: Callable[[str, str], str] = lambda text, name: text
    shows_kind: bool = True
    shows_name: bool = True

    def files(self, root: Path) -> list[Path]:
        """The sources below a folder."""
        return [path for path in sorted(root.rglob("*")) if path.is_file() and path.name.endswith(self.endings)]

    def lines(self, text: str, name: str) -> Iterator[tuple[int, str]]:
        """The lines in which declarations begin, with their keywords."""
        depth = 0
        for number, line in enumerate(self.code(text, name).split("\n"), 1):
            if depth == 0 and (match := self.declaration.match(line)) is not None:
                yield number, match.group(1)
            for match in self.comment.finditer(line):
                if match.lastgroup == "open":
                    depth += 1
                elif match.lastgroup == "close":
                    depth = max(0, depth - 1)
                elif depth and "-/" in match.group():  # two hyphens are nothing in a comment of Lean
                    depth -= match.group().count("-/") - match.group().count("/-")

    def is_there(self, lines: list[str], kind: str, name: str) -> bool:
        """Whether the first of these lines has the keyword of a declaration, and one of them its name."""
        last = re.split(r"[.:](?=[^.:]*\Z)", name)[-1] if name else ""
        letters = max(re.findall(r"[A-Za-z0-9']+", last) or [last], key=len)  # symbols may be written by their names
        named = not self.shows_name or letters in "\n".join(lines) or (kind == "instance" and last.startswith("inst"))
        shown = not self.shows_kind or re.search(rf"(?<!\w){re.escape(kind.split()[0])}(?!\w)", lines[0]) is not None
        return shown and named


def _words(words: str) -> str:
    return "|".join(words.split())


def _agda_code(text: str, name: str) -> str:
    """The code of a literate module, then all lines of local definitions and of other blocks blank."""
    lines = text.split("\n")
    if not name.endswith(".agda"):
        begin, end = ("```", "```") if name.endswith(".md") else (r"\begin{code}", r"\end{code}")
        block = ""  # how the open block begins
        for number, line in enumerate(lines):
            start = line.strip()
            lines[number] = line if block in ("```", "```agda", r"\begin{code}") and not start.startswith(end) else ""
            if block:
                block = "" if start.startswith(end) else block
            elif start.startswith(begin):
                block = start.split()[0]
    counts = False  # whether lines indented by two are declarations
    for number, line in enumerate(lines):
        if line[:1].strip():
            head, counts = line, bool(re.match(r"(?:private|abstract|instance|postulate)\s*$", line))
        elif line.strip():
            head = f"{head} {line.strip()}" if number else line
        if line.strip() and re.match(r"module\b", head) and re.search(r"\bwhere\s*$", line):
            head, counts = "", True
        if line.startswith(" ") and not line.startswith("  "):
            counts = False  # it is indented in another way
        if not line[:1].strip() and not (counts and re.match(r"  \S", line)):
            lines[number] = ""
    return "\n".join(lines)


SCANS = {
    "lean": Scan(
        (".lean",),
        re.compile(
            r"(?:@\[.*?\]\s*)*(?:(?:private|protected|public|noncomputable|nonrec|unsafe|partial|local|scoped|meta)\s+)*"
            r"(theorem|lemma|def|abbrev|instance|structure|class|inductive|coinductive|axiom|opaque|irreducible_def|"
            r"alias)(?=\s|$)"
        ),
        re.compile(r"--.*|(?P<open>/-)|(?P<close>-/)"),
    ),
    "isabelle": Scan(
        (".thy",),
        re.compile(
            r"\s*(?:(?:private|qualified)\s+)?("
            + _words("lemma theorem corollary proposition definition abbreviation fun function primrec datatype record "
                     "inductive inductive_set coinductive locale class instantiation interpretation sublocale instance "
                     "type_synonym typedef consts axiomatization lift_definition codatatype")
            + r")(?=[\s\[\":(])"
        ),
        re.compile(r"(?P<open>\(\*|\\<open>|‹|\{\*)|(?P<close>\*\)|\\<close>|›|\*\})"),
    ),
    "rocq": Scan(
        (".v",),
        re.compile(
            r"\s*(?:#\[[^\]]*\]\s*)?(?:(?:Local|Global|Program|Polymorphic|Cumulative|HB\.\w+)\s+)*("
            + _words("Theorem Lemma Fact Remark Corollary Proposition Definition Fixpoint CoFixpoint Inductive "
                     "CoInductive Variant Record Structure Class Instance Axiom Parameter Example")
            + r")\s+[\w@]"
        ),
        re.compile(r"(?P<open>\(\*)|(?P<close>\*\))"),
    ),
    "agda": Scan(
        (".agda", ".lagda", ".lagda.md", ".lagda.tex"),
        re.compile(r"\s*((?!--|(?:module|open|import|field|constructor|variable|infix\w*|where|private|abstract)\b)"
                   r"(?:data|record|[^\s(){};\"@.|]+)(?=(?:\s+[^\s(){};\"@]+)*\s+:\s|\s+:$))"),
        re.compile(r"(?P<open>\{-)|(?P<close>-\})"), _agda_code, shows_kind=False,
    ),
    "metamath": Scan(
        (".mm",), re.compile(r"\s*[\w.-]+ (\$[ap])(?=\s)"), re.compile(r"(?P<open>(?<!\S)\$\()|(?P<close>\$\))"),
    ),
    "mizar": Scan(
        (".abs", ".miz"),
        re.compile(rf"\s*(?:redefine\s+)?({_words('theorem scheme func pred attr mode struct')})(?=\s|$)"),
        re.compile(r"::.*"), shows_name=False,
    ),
}
