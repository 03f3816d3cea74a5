"""Metamath: statements by their labels, with the hypotheses in scope and the comment before them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path, PurePosixPath

from porism.corpus.formal.declarations import FormalDeclaration
from porism.corpus.formal.documents import FormalDocuments, Prose
from porism.corpus.formal.reader import FormalReader
from porism.corpus.formal.source import SourceText
from porism.errors import OnProblem
from porism.types import Content

_STATEMENT = re.compile(r"(?<!\S)(?:\$(?P<scope>[{}])|(?P<label>[\w.-]+)\s+\$(?P<kind>[aepf])\s|\$(?P<other>[cvd])\s)")
_END = re.compile(r"(?<!\S)\$(?:=|\.)(?!\S)")
_PROOF_END = re.compile(r"(?<!\S)\$\.(?!\S)")
_HEADING = re.compile(r"\A\s*(?P<line>#\*#\*|#\*|=-=-|-\.-\.)[^\n]*\n\s*(?P<title>[^\n]*\S)\s*\n\s*(?P=line)")
_LEVELS = {"#*#*": 1, "#*": 2, "=-=-": 3, "-.-.": 4}
_ENTRY = re.compile(
    r"(?:\A|[\s;])(?P<table>althtmldef|htmldef|latexdef)\s+(?P<token>\"[^\"\n]*\"|'[^'\n]*')\s+as\s*"
    r"(?P<value>(?:\s*\+?\s*(?:\"[^\"\n]*\"|'[^'\n]*'))+)\s*;"
)
_QUOTED = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'")
_TAG = re.compile(r"<[^<>]*>")
_FORMULA = re.compile(r"`([^`]*)`")
_LABEL = re.compile(r"(?<!\S)~ (?=\S)")
_PREFIXES = {"ax-": "axiom", "df-": "definition"}
PROVABLE = "|-"
"""The constant that statements about what is provable begin with."""


class _MetamathSource(SourceText):
    token = re.compile(r"(?<!\S)\$\((?!\S)")
    comment_marks = ("$(",)

    def _end(self, start: int, end: int, token: str) -> int:
        close = self.text.find("$)", end)
        if close < 0:
            self.unclosed.append((start, "comment"))
            return len(self.text)
        self.add_comment(start, close + 2, 2, 2)
        return close + 2

    def _follows(self, before: object, start: int) -> bool:
        return False  # each comment is one


class MetamathDocuments(FormalDocuments):
    """The documents of a database."""

    def __init__(self, source: SourceText, name: str, collection: str, module: str, on_problem: OnProblem) -> None:
        super().__init__(source, name, collection, module, on_problem)
        self._characters = _characters(source)

    def items(self) -> Iterator[FormalDeclaration | Prose]:
        source, bare = self.source, self.source.bare
        comments = iter(source.docstrings)
        comment = next(comments, None)
        hypotheses: list[str] = []
        scopes: list[int] = []
        place = 0
        while (match := _STATEMENT.search(bare, place)) is not None:
            start = match.start()
            while comment is not None and comment.start < start:
                if (heading := _HEADING.match(comment.text)) is not None:
                    yield Prose(comment.text_start + heading.start("title"), heading["title"],
                                _LEVELS[heading["line"]])
                comment = next(comments, None)
            place = match.end()
            if match["scope"] == "{":
                scopes.append(len(hypotheses))
            elif match["scope"]:
                if scopes:
                    del hypotheses[scopes.pop() :]
                else:
                    self.report(start, "ends a block that does not begin")
            if match["scope"]:
                continue
            end = _END.search(bare, place)
            if end is None:
                self.report(start, f"{match['label'] or 'a statement'} is never ended")
                return
            statement, place = bare[place : end.start()], end.end()
            if end.group() == "$=":
                proof = _PROOF_END.search(bare, place)
                if proof is None:
                    self.report(start, f"the proof of {match['label'] or 'a statement'} is never ended")
                    place = end.end()
                else:
                    place = proof.end()
            if match["kind"] == "e":
                hypotheses.append(self._shown(statement))
            elif match["kind"] in ("a", "p"):
                yield self._declaration(match, statement, hypotheses)

    def _declaration(self, match: re.Match[str], statement: str, hypotheses: list[str]) -> FormalDeclaration:
        source, place = self.source, match.start()
        shown = self._shown(statement)
        signature = f"{' & '.join(hypotheses)} ⇒ {shown}" if hypotheses else shown
        comment = source.docstring_before(place)
        if comment is not None and _HEADING.match(comment.text):
            comment = None
        return FormalDeclaration(
            match["label"], f"${match['kind']}", place, source.line(place), signature, docstring=comment,
            modifiers=(() if statement.split(None, 1)[:1] == [PROVABLE] else ("syntax",)),
        )  # fmt: skip

    def _shown(self, statement: str) -> str:
        """A sequence of symbols with the characters that the database gives them."""
        return " ".join(self._characters.get(token, token) for token in statement.split())

    def type_of(self, declaration: FormalDeclaration) -> str:
        if "syntax" in declaration.modifiers:
            return "notation"
        if declaration.kind == "$p":
            return "theorem"
        return next((kind for prefix, kind in _PREFIXES.items() if declaration.name.startswith(prefix)), "axiom")

    def text_content(self, text: str, line: int) -> Content:
        text = text.replace("``", "\x00")
        text = _FORMULA.sub(lambda match: self._shown(match.group(1)), text).replace("\x00", "`")
        return Content(" ".join(_LABEL.sub("", text).split()))


def _characters(source: SourceText) -> Mapping[str, str]:
    """What the comment on typesetting says how symbols look, without its HTML."""
    shown: dict[str, dict[str, str]] = {"htmldef": {}, "althtmldef": {}}
    for comment in source.docstrings:
        if not comment.text.startswith("$t"):
            continue
        for entry in _ENTRY.finditer(comment.text):
            if entry["table"] in shown:
                value = "".join(double or single for double, single in _QUOTED.findall(entry["value"]))
                shown[entry["table"]][entry["token"][1:-1]] = unescape(_TAG.sub("", value)).strip()
    symbols = shown["althtmldef"] or shown["htmldef"]
    return {token: value for token, value in symbols.items() if value}


class MetamathReader(FormalReader):
    """Reads databases of Metamath; sources of Objective-C++ have the same ending."""

    name = "metamath"
    document = "a statement $a or $p"
    extensions = (".mm",)
    signs = re.compile(r"(?<!\S)\$[(cvfae{](?!\S)")

    def file_documents(
        self, text: str, path: Path, name: str, source: str, on_problem: OnProblem
    ) -> FormalDocuments:
        module = PurePosixPath(name).stem
        return MetamathDocuments(_MetamathSource(text), name, source, module, on_problem)
