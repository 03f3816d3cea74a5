"""The parser of reStructuredText: docutils, with every role and directive kept, whoever defines it.

docutils knows the roles and directives of its own and turns others into errors; Sphinx and its extensions add
hundreds. Here a role is its text, or a formula, and a directive is a ``container`` with its name.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from porism.corpus.directives import BARE_DIRECTIVES, CODE_DIRECTIVES, DROPPED_DIRECTIVES
from porism.corpus.latex.tables import words
from porism.corpus.references import role_text
from porism.system.garbage import without_collector

MAX_LINE_LENGTH = 100_000
"""docutils reads no text with a longer line."""

MAX_WORK = 10_000_000
"""Running text is read where its length times the number of its marks is less: docutils takes quadratic time."""

DIRECTIVE = "porism-directive"
"""The one directive that all others are written as, so that docutils knows them all."""

_HEAD = re.compile(
    r"(?m)^([ \t]*\.\.[ ]+(?:\|[^|\n]{1,200}\|[ ]+)?)(?!replace::|unicode::)([A-Za-z][\w:+.-]{0,60}?)[ ]?::(?=\s|\Z)"
)
_REWRITTEN = re.compile(rf"{DIRECTIVE}:: (\S+)")
_MARKS = re.compile(r"[*`_|]")
_OPTION = re.compile(r"\s*:([\w-]+):(?:\s+(.*)|\Z)")
_ROLE_BASE = re.compile(r"([\w:+.-]+)\s*(?:\(\s*([\w:+.-]+)\s*\))?")
_LITERAL = words("literal code samp kbd file command")


def parse_rst(text: str) -> tuple[Any, list[tuple[int, str]]]:
    """The document tree of a text, and the lines of running text that could not be read, with the reasons.

    Directives are nodes ``container`` with the attributes ``directive``, ``label`` and
    ``line``, whose first child is a ``title`` where they have an argument; nothing is read from other files.

    :raises Exception: whatever stops docutils, which is not made for any input.
    """
    from docutils.utils import new_document

    parser_class, inliner_class, settings = _tools()
    document = new_document("text", settings.copy())
    inliner = inliner_class()
    with without_collector():  # else the time of a text of many headings or tables grows faster than its length
        parser_class(inliner=inliner).parse(_HEAD.sub(rf"\1{DIRECTIVE}:: \2", text), document)
    return document, inliner.unread


def as_written(text: str) -> str:
    """Literal text, with the directives in it under their names."""
    return _REWRITTEN.sub(r"\1::", text) if DIRECTIVE in text else text


@cache
def _tools() -> tuple[Any, Any, Any]:
    """The parser, the reader of running text and the settings; made late, since docutils takes a while to import."""
    from docutils import frontend, nodes
    from docutils.parsers.rst import Directive, Parser, directives, states
    from docutils.utils import unescape

    class AnyDirective(Directive):  # type: ignore[misc, unused-ignore]
        """Every directive: its content is parsed, or is a formula or code, or is left out."""

        has_content = True

        def run(self) -> list[Any]:
            name, _, argument = str(self.content[0]).partition(" ") if self.content else ("", "", "")
            options: dict[str, str] = {}
            last = 1
            while last < len(self.content) and self.content[last].strip() and not _OPTION.match(self.content[last]):
                last += 1  # the argument goes on
            if last < len(self.content) and _OPTION.match(self.content[last]):
                argument = "\n".join([argument, *self.content[1:last]])
            else:
                last = 1
            while last < len(self.content) and (match := _OPTION.match(self.content[last])):
                options[match.group(1)] = (match.group(2) or "").strip()
                last += 1
            short = name.rpartition(":")[2].lower()
            found_nodes = self._nodes(short, argument.strip(), last, options)
            if isinstance(self.state, states.SubstitutionDef):
                return [nodes.inline("", "".join(node.astext() for node in found_nodes))]
            return found_nodes

        def _nodes(self, name: str, argument: str, first: int, options: dict[str, str]) -> list[Any]:
            if name in ("role", "default-role"):
                self._define(name, argument)
                return []
            if name in DROPPED_DIRECTIVES:
                return []
            node = nodes.container(directive=name, label=options.get("label") or options.get("name") or "")
            node.line = self.lineno
            content = self.content[first:]
            if name == "math" or name in CODE_DIRECTIVES:
                is_math = name == "math"
                text = "\n".join([argument, *content] if is_math else content)
                node += nodes.math_block("", text) if is_math else nodes.literal_block("", text)
                node.children[0].line = self.lineno if is_math and argument else self.content_offset + first + 1
            else:
                if argument and name not in BARE_DIRECTIVES:
                    texts, messages = self.state.inline_text(argument, self.lineno)
                    node += [nodes.title(argument, "", *texts), *messages]
                self.state.nested_parse(content, self.content_offset + first, node)
            return [node]

        def _define(self, name: str, argument: str) -> None:
            roles = self.state.memo.inliner.bases
            if name == "default-role":
                roles[""] = argument
            elif defined := _ROLE_BASE.match(argument):
                roles[defined.group(1)] = defined.group(2) or ""

    class AnyInliner(states.Inliner):  # type: ignore[misc, unused-ignore]
        """Running text in which every role is known, and whose nodes know their lines."""

        def __init__(self) -> None:
            super().__init__()
            self.bases: dict[str, str] = {}  # of the roles that the text defines
            self.unread: list[tuple[int, str]] = []

        def parse(self, text: str, lineno: int, memo: Any, parent: Any) -> Any:
            read, messages = [nodes.Text(text)], []
            if len(text) * len(_MARKS.findall(text)) > MAX_WORK:
                self.unread.append((lineno, f"a paragraph of {len(text):,} characters is too long for its many marks"))
            else:
                try:
                    read, messages = super().parse(text, lineno, memo, parent)
                except RecursionError:
                    self.unread.append((lineno, "a paragraph has too many marks to be read; they stay in the text"))
            for node in read:
                node.line = lineno
            return read, messages

        def interpreted(self, rawsource: str, text: str, role: str, lineno: int) -> Any:
            name = self.bases.get(role or "", role or "").lower()
            short = name if name == "prf:ref" else name.rpartition(":")[2]
            raw = rawsource[rawsource.find("`") + 1 : rawsource.rfind("`")]
            if short == "math":
                return [nodes.math(rawsource, raw)], []
            if short in _LITERAL:
                return [nodes.literal(rawsource, raw)], []
            return [nodes.inline(rawsource, role_text(short, unescape(text)))], []

    for attribute, value in vars(states.Inliner).items():
        if isinstance(value, str) and not attribute.startswith("__"):
            setattr(AnyInliner, attribute, value)  # docutils looks for its patterns in the class alone
    directives.register_directive(DIRECTIVE, AnyDirective)
    settings = frontend.get_default_settings(Parser)
    vars(settings).update(
        file_insertion_enabled=False, raw_enabled=False, report_level=5, halt_level=5, warning_stream=False,
        line_length_limit=MAX_LINE_LENGTH, syntax_highlight="none",
    )
    return Parser, AnyInliner, settings
