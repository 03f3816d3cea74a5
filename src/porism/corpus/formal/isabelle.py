"""Isabelle: theories, with locales and other contexts, and the text between their commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from porism.corpus.formal.declarations import FormalDeclaration
from porism.corpus.formal.documents import FormalDocuments, Prose
from porism.corpus.formal.reader import FormalReader
from porism.corpus.formal.source import DocComment, SourceText
from porism.corpus.formal.symbols import with_characters
from porism.corpus.markdown.raw_latex import latex_parts
from porism.errors import OnProblem
from porism.types import Content

THEOREMS = ("theorem", "lemma", "corollary", "proposition", "schematic_goal")
DEFINITIONS = (
    "definition", "abbreviation", "fun", "function", "primrec", "primcorec", "primcorecursive", "partial_function",
    "nominal_function", "nominal_primrec", "inductive", "inductive_set", "coinductive", "coinductive_set", "datatype",
    "codatatype", "nominal_datatype", "record", "typedef", "type_synonym", "typedecl", "axiomatization", "consts",
    "lift_definition", "quotient_type", "quotient_definition", "specification", "locale", "class", "corec",
    "corecursive", "function_definition", "crunch", "rep_datatype", "old_datatype", "domain", "fixrec", "nonterminal",
)  # fmt: skip
OTHERS = ("lemmas", "instance", "instantiation", "interpretation", "global_interpretation", "sublocale")
_SCOPES = ("theory", "context", "overloading", "bundle", "notepad", "experiment", "end")
_HEADINGS = ("chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_TEXTS = ("text", "txt")
_LISTS = frozenset(("consts", "typedecl", "nonterminal"))

_NAME = r"[^\W\d][\w'.]*"
_COMMAND = re.compile(
    rf"\n[ \t]*(?:(?:private|qualified)\s+)?(?P<kind>{'|'.join((*THEOREMS, *DEFINITIONS, *OTHERS, *_SCOPES))}"
    rf"|{'|'.join((*_HEADINGS, *_TEXTS))})(?![\w'.])"
)
_MARGIN = re.compile(r"\n(?!(?:and|where|assumes|shows|obtains|fixes|defines|notes|constrains|includes|if|for|is|begin|"
                     r"rewrites|monos|imports|keywords|abbrevs|morphisms|when|in|opening|unbundling|qua)\b)[A-Za-z_]")
"""A command at the left margin, whatever it is."""
_PROOF = re.compile(
    r"(?<![\w'])(?:by|proof|apply|using|unfolding|supply|sorry|oops|done|subgoal|nitpick|quickcheck|sledgehammer|"
    r"including|defer|prefer|show|have|termination)(?![\w'])|(?<![\w'.])\.\.?(?=\s|\Z)"
)
_BEFORE_NAME = r"(?:\s|%\w+|\((?:[^()]|\([^()]*\))*+\)|\[[^\]]*\]|'\w+)*+"
_NAMED = re.compile(rf"{_BEFORE_NAME}\"?(?P<name>{_NAME})?\"?")
_OF_THEOREM = re.compile(rf"{_BEFORE_NAME}(?P<name>{_NAME})\s*(?:\[[^\]]*\]\s*)?:(?!:)")
_LEMMAS = re.compile(rf"{_BEFORE_NAME}(?P<name>{_NAME})\s*(?:\[[^\]]*\]\s*)?=")
_TARGET = re.compile(rf"\s*\(\s*in\s+\"?(?P<name>{_NAME})")
_HEAD_OF_TERM = re.compile(rf"[\"‹][\s(]*(?P<name>{_NAME})")
_AND = re.compile(rf"(?<![\w'])and\s+(?:'\w+\s+)?(?P<name>{_NAME})\s*(?:::|:|\[|=)")
_NEXT = re.compile(rf"\n\s*(?P<name>{_NAME})\s*::")
_BEGIN = re.compile(r"(?<![\w'])begin(?![\w'])")
_QUOTED = re.compile(r"\s*(?:\[[^\]]*\]\s*|%\w+\s*)*(?P<open>‹|\"|\{\*)")
_PLAIN = str.maketrans('"‹›`', "    ")
_EDGE = re.compile("[‹›]")
_COMMENT_EDGE = re.compile(r"\(\*|\*\)")
_STRING = re.compile(r'(?:[^"\\]|\\.)*+"', re.DOTALL)
_ANTIQUOTATION = re.compile(r"@\{\s*[\w.]+\s*(?:\[[^\]]*\]\s*)?[\"‹]?([^{}\"‹›]*)[\"›]?\s*\}")
_INLINE = re.compile(r"(?:\\<\^\w+>|@)?‹([^‹›]*)›")
_LATEX = re.compile(r"[\\$%{}~^_&#]|``|''|--")
_ITEM = re.compile(r"\\<\^(?:item|enum|descr)>")


MAX_UNCLOSED = 20
"""After so many strings that are never closed, no further ones are looked for."""


class _IsabelleSource(SourceText):
    token = re.compile(r"\(\*|\"|`|‹|\{\*")
    comment_marks = ("(*",)

    def _end(self, start: int, end: int, token: str) -> int:
        if token == "(*":
            close = self.nested_end(end, _COMMENT_EDGE, "(*")
            if close > 0:
                self.add_comment(start, close, 2, 2)
        elif len(self.unclosed) >= MAX_UNCLOSED:
            return end
        elif token == "‹":
            close = self.nested_end(end, _EDGE, "‹")
        elif token == '"':
            match = _STRING.match(self.text, end)
            close = match.end() if match is not None else -1
        else:
            closer = "`" if token == "`" else "*}"
            found = self.text.find(closer, end)
            close = found + len(closer) if found >= 0 else -1
        if close < 0:
            self.unclosed.append((start, "comment" if token == "(*" else "string"))
            return len(self.text) if token == "(*" else end
        return close


class IsabelleDocuments(FormalDocuments):
    """The documents of a theory."""

    types = MappingProxyType({
        **dict.fromkeys(DEFINITIONS, "definition"), "axiomatization": "axiom", "schematic_goal": "theorem",
        "lemmas": "theorem", **dict.fromkeys(OTHERS[1:], "instance"),
    })  # fmt: skip

    def items(self) -> Iterator[FormalDeclaration | Prose]:
        source, scopes = self.source, list[str]()
        commands = list(_COMMAND.finditer(source.bare))
        ends = [*(match.start() for match in commands[1:]), len(source.bare)]
        text: tuple[Prose, int] | None = None  # the last text, and where it ends
        for match, end in zip(commands, ends, strict=False):
            kind, place = match["kind"], match.start("kind")
            before, text = text, None
            if kind in _TEXTS or kind in _HEADINGS:
                if before is not None:
                    yield before[0]
                prose, after = self._prose(match, end)
                if kind in _HEADINGS:
                    yield prose
                else:
                    text = (prose, after)
                continue
            declaration = self._declaration(match, end, ".".join(filter(None, scopes)))
            if before is not None:
                if declaration is not None and not source.bare[before[1] : match.start()].strip():
                    first = before[0]
                    declaration.docstring = DocComment(first.start, before[1], first.start, first.text)
                else:
                    yield before[0]
            if declaration is not None:
                yield declaration
            if kind == "end":
                if scopes:
                    scopes.pop()
                elif commands[0]["kind"] == "theory":
                    self.report(place, "ends a context that does not begin")
            elif kind == "theory":
                scopes.append("")
            elif _BEGIN.search(source.bare, match.end(), end):
                own = _NAMED.match(source.code, match.end(), end) if kind in ("locale", "class", "context") else None
                name = own["name"] or "" if own is not None else ""
                scopes.append("" if name in ("fixes", "assumes", "includes", "begin", "notes") else name)
        if text is not None:
            yield text[0]

    def _prose(self, match: re.Match[str], end: int) -> tuple[Prose, int]:
        """The text of a heading or a paragraph, and where it ends."""
        opened = _QUOTED.match(self.source.code, match.end(), end)
        if opened is None:
            return Prose(match.start("kind"), ""), match.end()
        start = opened.end()
        closer = {"‹": "›", '"': '"', "{*": "*}"}[opened["open"]]
        bare = self.source.bare  # what is quoted is blank there, and so are inner quotes
        close = bare.find(closer, start)
        close = close if close >= 0 else end
        level = _HEADINGS.index(match["kind"]) + 1 if match["kind"] in _HEADINGS else 0
        return Prose(start, self.source.text[start:close].strip(), level), min(close + len(closer), len(bare))

    def _declaration(self, match: re.Match[str], end: int, context: str) -> FormalDeclaration | None:
        source, kind, place = self.source, match["kind"], match.end()
        if kind in _SCOPES:
            return None
        margin = _MARGIN.search(source.bare, place, end)
        stop = margin.start() if margin is not None else end
        if kind not in DEFINITIONS or kind == "lift_definition":
            proof = _PROOF.search(source.bare, place, stop)
            stop = proof.start() if proof is not None else stop
        name, named = self._name(kind, place, stop)
        if kind == "lemmas" and not name:  # it gives those that it lists another attribute
            return None
        target = _TARGET.match(source.code, place, stop)
        start, line = match.start(), source.line(match.start("kind"))
        space = target["name"] if target is not None else context
        full = f"{space}.{name}" if space and name else name
        begin = _BEGIN.search(source.bare, named, stop)
        statement, lines = source.stretch(named, begin.start() if begin is not None else stop, line, self._plain)
        return FormalDeclaration(
            full, kind, start, line, statement, lines, source.docstring_before(match.start("kind"), 1),
            names=[*([f"{self.module}.{full}"] if full else []), *self._other_names(kind, place, stop)],
        )  # fmt: skip

    @cached_property
    def _plain(self) -> str:
        """The code without quotation marks."""
        return self.source.code.translate(_PLAIN)

    def _name(self, kind: str, place: int, end: int) -> tuple[str, int]:
        """The name of a declaration, and where its statement begins."""
        code, bare = self.source.code, self.source.bare
        pattern = _OF_THEOREM if kind in THEOREMS else _LEMMAS if kind == "lemmas" else _NAMED
        match = pattern.match(bare if pattern is not _NAMED else code, place, end)
        if kind in ("definition", "abbreviation") and (
            match is None or not match["name"] or code[match.start("name") - 1] in '"‹'
            or _OF_THEOREM.match(bare, place, end) is not None
        ):  # the name is in the equation
            head = _HEAD_OF_TERM.search(code, place, end)
            return head["name"] if head is not None else "", place
        return (match["name"] or "", match.end("name")) if match is not None and match["name"] else ("", place)

    def _other_names(self, kind: str, place: int, end: int) -> Iterator[str]:
        if kind not in OTHERS and kind not in ("locale", "class"):
            for match in (_NEXT if kind in _LISTS else _AND).finditer(self.source.bare, place, end):
                yield match["name"]

    def text_content(self, text: str, line: int) -> Content:
        text = _ITEM.sub("\n- ", _INLINE.sub(r"\1", _INLINE.sub(r"\1", _ANTIQUOTATION.sub(r"\1", text))))
        if _LATEX.search(text) is None:
            return Content(text.strip())
        content = Content.of(*latex_parts(text, []))
        return Content(content.text.strip(), content.formulas)


class IsabelleReader(FormalReader):
    """Reads theories of Isabelle."""

    name = "isabelle"
    document = "a declaration; the text between declarations, or a section of it"
    extensions = (".thy",)
    signs = re.compile(r"(?m)^[ \t]*theory\s")

    def file_documents(
        self, text: str, path: Path, name: str, source: str, on_problem: OnProblem
    ) -> FormalDocuments:
        text = with_characters(text)
        theory = re.search(rf"(?m)^[ \t]*theory\s+\"?({_NAME})", text)
        module = theory.group(1) if theory is not None else PurePosixPath(name).stem
        return IsabelleDocuments(_IsabelleSource(text), name, source, module, on_problem)
