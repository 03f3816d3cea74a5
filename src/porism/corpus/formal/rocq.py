"""Rocq (Coq): vernacular files, with modules, sections and the variables of these."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from porism.corpus.formal.binders import CLOSERS, Binder, Variables, read_binders
from porism.corpus.formal.declarations import FormalDeclaration
from porism.corpus.formal.documents import FormalDocuments, Prose
from porism.corpus.formal.reader import Folders, FormalReader, module_name, module_of
from porism.corpus.formal.source import DocComment, SourceText, with_text_before
from porism.corpus.mathtext import split_math
from porism.errors import OnProblem, Problem
from porism.types import Content

THEOREMS = ("Theorem", "Lemma", "Fact", "Remark", "Corollary", "Proposition", "Property")
DEFINITIONS = (
    "Definition", "Fixpoint", "CoFixpoint", "Function", "Inductive", "CoInductive", "Variant", "Record", "Structure",
    "Class", "Let", "Example", "Equations", "SubClass",
)  # fmt: skip
AXIOMS = ("Axiom", "Axioms", "Conjecture", "Conjectures", "Parameter", "Parameters")
OTHERS = ("Instance", "Canonical", "Coercion", "Declare Instance")
_VARIABLES = ("Variable", "Variables", "Hypothesis", "Hypotheses", "Context")
_SCOPES = ("Module", "Section", "End")
_MODIFIERS = (
    "Local", "Global", "Program", "Polymorphic", "Monomorphic", "Cumulative", "NonCumulative", "Private", "Time",
    "Fail", "Succeed", "Export", r"HB\.\w+",
)  # fmt: skip
_BLOCKS = frozenset(("Inductive", "CoInductive", "Variant", "Record", "Structure", "Class"))
MAX_VALUE = 300
"""So many characters of the value say what a declaration without a type is."""

_NAME = r"(?!\d)\w[\w'.]*(?<!\.)"
_SENTENCE_END = re.compile(r"\.(?=\s|\Z)")
_COMMAND = re.compile(
    rf"(?:[\s{{}}*+-]|#\[[^\]]*\])*(?P<head>(?:(?:{'|'.join(_MODIFIERS)})\s+)*)"
    rf"(?P<kind>{'|'.join((*THEOREMS, *DEFINITIONS, *AXIOMS, *OTHERS, *_VARIABLES, *_SCOPES))})(?![\w'.])"
    rf"(?P<words>(?:\s+(?:Type|Import|Export|nosimpl|Structure|Coercion|Canonical|Definition)\b)*+)\s*[@?>]?"
    rf"(?P<name>(?!\d)[\w'.]*\w'*)?"
)
_WITH = re.compile(rf"(?<![\w'.])with\s+(?P<name>{_NAME})\s*(?=[:({{\[])")
_WITH_MODULE = re.compile(r"(?<![\w'.])with\s+(?:Module|Definition)\s+[\w'.]+\s*:=")
_NAMES = re.compile(rf"{_NAME}")
_VALUE = re.compile(r":=|[(\[{⟨)\]}⟩]")
_EDGE = re.compile(r"\(\*|\*\)|(?P<string>\"[^\"]*\")")
_HEADING = re.compile(r"\*[ \t]+(?P<stars>\*{1,4})[ \t]+(?P<title>[^\n]*\S)")
_FRAME = re.compile(r"(?m)^[ \t*=-]*$|^[ \t]*\*+|\*+[ \t]*$")
_CODE = re.compile(r"\[([^\[\]\n]*)\]")
_PATHS = re.compile(r"(?m)-[QR]\s+(\S+)\s+(\S+)")
_PROJECTS = ("_CoqProject", "_RocqProject")


class _RocqSource(SourceText):
    token = re.compile(r"\(\*|\"")
    comment_marks = ("(*",)

    def _end(self, start: int, end: int, token: str) -> int:
        if token == '"':
            close = self.text.find('"', end) + 1
        elif (close := self.nested_end(end, _EDGE, "(*")) > 0:
            self.add_comment(start, close, 2, 2)
        if close <= 0:
            self.unclosed.append((start, "comment" if token == "(*" else "string"))
            return len(self.text) if token == "(*" else end
        return close


class RocqDocuments(FormalDocuments):
    """The documents of a vernacular file."""

    types = MappingProxyType({
        **{kind: kind.lower() for kind in THEOREMS}, **dict.fromkeys(DEFINITIONS, "definition"), "Example": "example",
        **dict.fromkeys(AXIOMS, "axiom"), **dict.fromkeys(OTHERS, "instance"),
    })  # fmt: skip

    def items(self) -> Iterator[FormalDeclaration | Prose]:
        source = self.source
        scopes: list[tuple[str, str, Variables]] = []
        variables = Variables()
        place, comments = 0, iter(source.docstrings)
        comment = next(comments, None)
        for sentence in _SENTENCE_END.finditer(source.bare):
            start, place = place, sentence.end()
            while comment is not None and comment.start < place:
                if (heading := _HEADING.match(comment.text)) is not None:
                    yield Prose(comment.text_start, heading["title"], len(heading["stars"]))
                comment = next(comments, None)
            match = _COMMAND.match(source.bare, start, sentence.start())
            if match is None:
                continue
            kind, name = match["kind"], match["name"] or ""
            if kind in _VARIABLES:
                variables = variables.bind(self._binders(match.end("kind"), sentence.start()))
            elif kind in ("Module", "Section"):
                if kind == "Section" or not _is_bound(source.bare, match.end(), sentence.start()):
                    scopes.append((kind, name, variables))
            elif kind == "End":
                if scopes and scopes[-1][1] == name:
                    variables = scopes.pop()[2]
                else:
                    self.report(match.start("kind"), f"ends {name}, which does not begin")
            else:
                space = ".".join(name for kind, name, _ in scopes if kind == "Module")
                declaration = self._declaration(match, sentence.start(), space, variables)
                if declaration is not None:
                    yield declaration

    def _binders(self, place: int, end: int) -> tuple[Binder, ...]:
        bare, code = self.source.bare, self.source.code
        if bare[place:end].lstrip()[:1] not in CLOSERS and bare[place:end].lstrip()[:1] != "`":  # Variable x y : T
            bare, code = f"({bare[place:end]})", f"({code[place:end]})"
            return read_binders(bare, code, 0, len(bare)).binders
        return read_binders(bare.replace("`", " "), code.replace("`", " "), place, end).binders

    def _declaration(
        self, match: re.Match[str], end: int, space: str, variables: Variables
    ) -> FormalDeclaration | None:
        source, kind = self.source, match["kind"]
        name, place = match["name"] or "", match.end()
        value = _value(source.bare, place, end)
        if kind in ("Canonical", "Coercion") and value == end:
            return None  # of what is declared elsewhere
        listed = _NAMES.findall(source.bare, place, _colon(source.bare, place, end)) if kind in AXIOMS else []
        if name in ("", "_"):
            name = listed[0] if listed else ""
        line = source.line(match.start("kind"))
        stop = end if kind in _BLOCKS else value
        statement, lines = source.stretch(place, stop, line)
        if not statement:
            statement, lines = source.stretch(value, min(end, value + MAX_VALUE), line)
        statement, lines = with_text_before(variables.used_by(statement), statement, lines)
        full = ".".join(filter(None, (space, name))) if name else ""
        others = [f"{self.module}.{full}"] if full else []
        others += [other for other in listed if other != name]
        if kind in _BLOCKS:
            others += [other["name"] for other in _WITH.finditer(source.bare, place, end)]
        before = match.start("head")
        return FormalDeclaration(
            full, kind, before, line, statement, lines, self._comment(before),
            tuple(match["head"].split()), others,
        )  # fmt: skip

    def _comment(self, place: int) -> DocComment | None:
        comment = self.source.docstring_before(place, 2)
        if comment is None or _HEADING.match(comment.text):
            return None
        near = self.source.text.count("\n", comment.end, place) <= 1
        return comment if near or comment.text.startswith("*") else None

    def text_content(self, text: str, line: int) -> Content:
        text = _CODE.sub(r"\1", _FRAME.sub("", text)).strip()
        return split_math(text, where=f"{self.name}:{line}")


def _is_bound(bare: str, place: int, end: int) -> bool:
    """Whether a module is defined in its first sentence, which it then is all of."""
    return ":=" in _WITH_MODULE.sub("", bare[place:end])


def _colon(bare: str, place: int, end: int) -> int:
    colon = bare.find(":", place, end)
    return colon if colon >= 0 else end


def _value(bare: str, start: int, end: int) -> int:
    """Where the value of a declaration begins, its end where it has none."""
    depth = 0
    for match in _VALUE.finditer(bare, start, end):
        token = match.group()
        if token == ":=":
            if depth <= 0:
                return match.start()
        else:
            depth += 1 if token in CLOSERS else -1
    return end


def _folders(root: Path) -> Folders:
    """The folders of a project as it names them, longest first.

    :raises OSError: its file cannot be read.
    """
    return _paths(next(root / name for name in _PROJECTS if (root / name).is_file()))


@lru_cache(maxsize=1_000)
def _paths(project: Path) -> tuple[tuple[Path, str], ...]:
    text = os.fsdecode(project.read_bytes())  # it names folders, which may have any bytes
    folders = ((project.parent / folder, name.strip("\"'")) for folder, name in _PATHS.findall(text))
    return tuple(sorted(folders, key=lambda entry: -len(entry[0].parts)))


class RocqReader(FormalReader):
    """Reads vernacular files of Rocq; those of Verilog have the same ending."""

    name = "rocq"
    document = "a declaration"
    extensions = (".v",)
    signs = re.compile(
        rf"(?m)^[ \t]*(?:(?:{'|'.join(_MODIFIERS)})\s+)*(?:From|Require|Import|Export|Notation|Ltac|Set|Unset|"
        rf"{'|'.join((*THEOREMS, *DEFINITIONS, *AXIOMS, *OTHERS, *_VARIABLES, *_SCOPES))})\s[^;]*?\.\s"
    )

    def file_documents(
        self, text: str, path: Path, name: str, source: str, on_problem: OnProblem
    ) -> FormalDocuments:
        try:
            module = module_name(path, name, _PROJECTS, _folders)
        except OSError as error:
            on_problem(Problem(name, f"its project cannot be read ({error.strerror or error})"))
            module = module_of(PurePosixPath(name))
        return RocqDocuments(_RocqSource(text), name, source, module, on_problem)
