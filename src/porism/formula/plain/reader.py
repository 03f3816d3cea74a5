"""Reads a plain formula into tokens of LaTeX: one pass, a stack of brackets, no recursion."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from porism.formula.latex.negation import STROKES
from porism.formula.latex.tokens import Tokens
from porism.formula.plain.arguments import ArgumentReader
from porism.formula.plain.dialects import latex_of, names_in, variant
from porism.formula.plain.frames import SCRIPT, Division, Waiting
from porism.formula.plain.matrices import make_matrix
from porism.formula.plain.operands import F, PlainToken
from porism.formula.tables.lookup import (
    PRIME_CHARACTERS,
    SCRIPT_CHARACTERS,
    SYMBOLS,
    closing_fence,
    is_limit_operator,
    kind_of,
    token_class,
)
from porism.formula.tables.structures import STRUCTURE_OF, Structure
from porism.formula.writers.grouping import FREE_AFTER, FREE_BEFORE, PRODUCTS

_LIKE_A_WORD = re.compile(r"[A-Za-z](?=[a-z]*[aeiou])[a-z]{3,}\Z")
"""A word is longer than most products, and has a vowel after its first letter."""
_SIGNS = frozenset("+-±∓")
_POSTFIXES = frozenset({*SCRIPT_CHARACTERS, *PRIME_CHARACTERS, *STROKES, "'"})
_RELATIONS = frozenset({"equality", "arrow"})
"""Classes of symbols over which Typst puts what is above them."""
_FUNCTIONS = frozenset({"function", "trigonometric", "logarithm"})
_NAMES = frozenset({"\\operatorname{", "\\mathrm{", "\\mathsf{", "\\mathtt{", "\\mathit{", "\\mathbf{"})
"""Openings of what sets adjacent letters as one name."""
_PLACED = "{{"
_ENDS_ITSELF = frozenset({"[", "if"})
"""What need not be closed: ``]0, 1[`` is an interval."""
_NOT_READ = frozenset("▒")
_TEXT_SIGNS = {"^": "\\textasciicircum{}", "~": "\\textasciitilde{}"}


class PlainReader(ArgumentReader[F]):
    """Reads the tokens of one formula."""

    def read(self) -> Tokens:
        """The formula as tokens of LaTeX, with spans in the source."""
        handlers = self.handlers()
        while self.i < len(self.tokens) - 1:
            token = self.tokens[self.i]
            handlers[token.kind](token)
            self.i += 1
        while self.outer:
            if self.frame.opener not in _ENDS_ITSELF:
                self.problem(self.frame.position, "this is never closed")
            self.close("", len(self.tokens) - 1, is_written=False)
        self.end_frame()
        return self.pieces.tokens()

    def handlers(self) -> dict[str, Callable[[PlainToken], None]]:
        """What reads each kind of token."""
        return {
            "text": self._text, "number": self._number, "wildcard": self._number, "word": self.word,
            "sign": self.sign, "other": self.sign, "escaped": self._escaped,
        }

    # -- tokens --------------------------------------------------------------------------------------------------------

    def _number(self, token: PlainToken) -> None:
        self.operand(token.text, token.start, token.end)

    def _text(self, token: PlainToken) -> None:
        content = token.text[1:-1]
        if self.dialect.calls and content.isalpha() and self._is_applied(token):
            self.begin()
            self.pieces.add_name(content, token.start, token.end)
            self.finish(is_named=True)
            self.frame.extends = not self.frame.waiting
            return
        if self._is_name() and not (self.dialect.calls and self._is_upright() and len(content) > 1):
            for k, char in enumerate(content, token.start + 1):
                self.pieces.add(latex_of(char), k, k + 1)
            return
        if content:
            self.say(content, token.start + 1)
        else:
            self.begin()
            self.pieces.add_latex("{}", token.start, token.end)
            self.finish()

    def _is_name(self) -> bool:
        """Whether what is being read is the name of a function, and its letters are letters."""
        structure = self.frame.structure
        return structure is not None and structure.opening in _NAMES

    def _is_upright(self) -> bool:
        """Whether what is being read is in Typst's ``upright``, in which a text is one."""
        structure = self.frame.structure
        return structure is not None and structure.opening == "\\mathrm{"

    def _is_applied(self, token: PlainToken) -> bool:
        """Whether arguments or scripts follow directly, so that a text is the name of a function."""
        following = self.tokens[self.i + 1]
        return following.start == token.end and following.text in ("(", "_", "^") and following.kind != "escaped"

    def say(self, content: str, start: int) -> None:
        """A text, which is not multiplied with anything."""
        frame = self.frame
        if not frame.waiting:
            frame.items += 1
            self.settle(is_multiplied=False)
            frame.operand, frame.is_loose = -1, True
        self.pieces.add_latex("\\text{", start, start)
        for k, char in enumerate(content, start):
            if char in _TEXT_SIGNS:
                self.pieces.add_latex(_TEXT_SIGNS[char], k, k + 1)
            else:
                self.pieces.add(latex_of(char), k, k + 1)
        self.pieces.close("}")
        if frame.waiting:
            self.finish()

    def _escaped(self, token: PlainToken) -> None:
        """A character that stands for itself: Typst's ``\\(`` and ``\\u{2115}``."""
        char = token.text[1:] if len(token.text) == 2 else _character(token.text[3:-1])
        self.symbol("∖" if char == "\\" else SYMBOLS.get(char, (char, ""))[0], token.start, token.end)

    def word(self, token: PlainToken) -> None:
        dialect, name = self.dialect, token.text.removeprefix("\\")
        following = self.tokens[self.i + 1]
        is_called = following.text == "(" and following.start == token.end
        if dialect.calls and following.start == token.end and self.named_argument(name, following):
            return
        if self._is_name() and name not in dialect.symbols and name not in dialect.structures:
            for k, char in enumerate(name, token.end - len(name)):
                self.operand(char, k, k + 1)
            return
        known = self.known_part(name) if "." in name else name
        structure, label = dialect.structures.get(known), dialect.symbols.get(known)
        if "." in name and known != name and dialect.calls:
            label = variant(name, dialect) or label
        is_apart = following.kind in ("word", "number") and following.start > token.end
        if structure is not None and (is_called or (label is None and (len(known) > 2 or is_apart))):
            self.structure(structure, token.start, token.end)
        elif label is not None:
            self.symbol(label, token.start, token.end)
        elif name in dialect.spaces:
            self.pieces.add(dialect.spaces[name], token.start, token.end)
        elif name in dialect.texts:
            self.say(name, token.start)
        else:
            self.unknown(known, token)
        if is_called and dialect.calls and structure is None and self.frame.operand >= 0:
            self.frame.extends = not self.frame.waiting

    def known_part(self, name: str) -> str:
        """The longest beginning of a name with points that says what it is, or its first part."""
        while "." in name and name not in self.dialect.structures and name not in self.dialect.symbols:
            name = name.rpartition(".")[0]
        return name

    def unknown(self, name: str, token: PlainToken) -> None:
        """Reads a word that no table has: names that are parts of it and letters, or one name if it is a word."""
        start = token.start + token.text.index(name)
        parts = names_in(name, self.dialect)
        if self.dialect.calls and len(name) > 1:
            self.problem(token.start, f"unknown name {name}")
        elif self.dialect.parts and _LIKE_A_WORD.match(name) and 2 * sum(len(part) == 1 for part in parts) > len(parts):
            self.begin()
            self.pieces.add_latex(f"\\mathrm{{{name}}}", start, token.end)
            self.finish(is_named=True)
            return
        for number, part in enumerate(parts):
            end = start + len(part)
            if len(part) > 1:
                self.symbol(self.dialect.symbols[part], start, end)
            else:
                self.operand(part, start, end)
                if not number and len(name) == 2 and part == "d":
                    self.frame.extends = not self.frame.waiting  # dy/dx
            start = end

    def sign(self, token: PlainToken) -> None:
        text, start, end = token.text, token.start, token.end
        frame = self.frame
        following = self.tokens[self.i + 1]
        if text in ("^", "_"):
            self._script(text, token)
        elif text == "/" and not frame.waiting and frame.operand >= 0:
            self._divide(token)
        elif text in self.dialect.structures and (text in "√∛∜" or following.text == "("):
            self.structure(self.dialect.structures[text], start, end)
        elif text in SCRIPT_CHARACTERS and (length := self._index_length()):
            self._root(length)
        elif self._is_postfix(token):
            self._postfix(token)
        elif text == "\\" and self.dialect.calls:
            self.settle(is_multiplied=False)
            self.pieces.add("\\\\", start, end)
            frame.operand, frame.is_loose = -1, True
        elif text in ("{:", ":}"):
            self.open("", token) if text == "{:" else self.close("", self.i)
        elif self.separator(text, token) or text in _NOT_READ:
            pass
        else:
            label = self.dialect.symbols.get(text) or SYMBOLS.get(text, (text, ""))[0]
            kind = token_class(label)
            if kind == "open":
                self.open(label, token)
            elif kind == "close" and (self.outer or label in ")}"):
                self.close(label, self.i)
            else:
                self.symbol(label, start, end)

    def _is_postfix(self, token: PlainToken) -> bool:
        """Whether a sign belongs to the operand before it."""
        if token.text != "!":
            return token.text in _POSTFIXES or unicodedata.category(token.text[0]) == "Mn"
        frame = self.frame
        return frame.operand >= 0 and not frame.waiting and self.tokens[self.i - 1].end == token.start

    def _index_length(self) -> int:
        """How many small characters before ``√`` begin here, after a space or an operator; 0 where they are scripts."""
        i, tokens = self.i, self.tokens
        if self.frame.operand >= 0 and tokens[i - 1].end == tokens[i].start:
            return 0
        while SCRIPT_CHARACTERS.get(tokens[i].text, ("",))[0] == "above" and tokens[i].end == tokens[i + 1].start:
            i += 1
        return i - self.i if tokens[i].text == "√" and "√" in self.dialect.structures else 0

    def _root(self, length: int) -> None:
        """Reads a root with its index: ``ⁿ√x``."""
        self.begin()
        first, root = self.tokens[self.i], self.tokens[self.i + length]
        self.frame.waiting.append(Waiting(self.dialect.structures["√"], len(self.pieces), 1))
        self.pieces.add_latex("\\sqrt[", first.start, root.end)
        for token in self.tokens[self.i:self.i + length]:
            self.pieces.add(SCRIPT_CHARACTERS[token.text][1], token.start, token.end)
        self.pieces.add_latex("]{", root.start, root.end)
        self.i += length

    def symbol(self, label: str, start: int, end: int) -> None:
        """A symbol by its label: an operand, or an operator."""
        frame, kind = self.frame, token_class(label)
        text = latex_of(label)
        if frame.waiting:
            if kind == "separator":
                self.missing()
            else:
                self.pieces.add(text, start, end)
                if not (label in _SIGNS and frame.waiting[-1].structure is SCRIPT and self._operand_follows(end)):
                    self.finish()
                return
        if kind in _FUNCTIONS and self.dialect.function_takes_operand:
            self.begin()
            self.pieces.add(text, start, end)
            self.finish()
            frame.extends = True
        elif kind == "symbol" or (kind != "limit" and kind_of(label) in "VN" and kind != "dots"):
            self.operand(text, start, end, is_named=True)
            if label == "∂" and self.tokens[self.i + 1].start == end:
                frame.extends = not frame.waiting
        else:
            frame.items += 1
            if kind == "separator":
                (frame.commas if label == "," else frame.semicolons).append(len(self.pieces))
                frame.items -= 1
            self.settle(is_multiplied=kind not in FREE_AFTER and label not in PRODUCTS)
            if kind in _RELATIONS and self.dialect.calls:
                frame.relation = len(self.pieces)
            self.pieces.add(text, start, end)
            frame.operand, frame.group = -1, None
            frame.is_loose = kind in FREE_BEFORE or label in PRODUCTS

    def _operand_follows(self, end: int) -> bool:
        """Whether an operand follows the current token without a space."""
        following = self.tokens[self.i + 1]
        return following.start == end and (
            following.kind in ("number", "word", "wildcard") or following.text in self.dialect.structures
            or token_class(following.text) in ("open", "variable", "greek", "constant")
        )

    def _script(self, sign: str, token: PlainToken) -> None:
        frame = self.frame
        self.missing()
        self.end_arguments()
        frame.items += 1
        frame.group = None
        base = frame.relation if sign == "^" and frame.relation == len(self.pieces) - 1 else frame.placed
        if base >= 0 and base in (frame.operand, frame.relation) and not self._is_limit_operator(base):
            structure = STRUCTURE_OF["\\overset{" if sign == "^" else "\\underset{"]
            frame.waiting.append(Waiting(structure, len(self.pieces), 1, base))
            self.pieces.add_latex(structure.opening, token.start, token.end)
            return
        self.pieces.add(sign, token.start, token.end)
        self.pieces.add("{", token.start, token.end)
        frame.waiting.append(Waiting(SCRIPT, len(self.pieces), 1))

    def _is_limit_operator(self, placed: int) -> bool:
        """Whether what is in ``limits(…)`` has its scripts over and under it anyway."""
        inside = self.pieces.texts[placed + 2:placed + 4]
        return len(inside) == 2 and inside[1] == "}" and is_limit_operator(SYMBOLS.get(inside[0], ("", ""))[0])

    def _divide(self, token: PlainToken) -> None:
        frame = self.frame
        frame.items += 1
        self.settle(is_multiplied=False)
        frame.division = Division(frame.operand, frame.group, frame.is_free, len(self.pieces))
        self.pieces.add("/", token.start, token.end)
        self.pieces.add("", token.start, token.end)
        frame.operand, frame.group, frame.is_loose = -1, None, True

    def _postfix(self, token: PlainToken) -> None:
        """A sign that belongs to the operand before it."""
        if self.frame.waiting:
            self.operand(token.text, token.start, token.end)
        else:
            self.frame.items += 1
            self.frame.group = None
            self.pieces.add(token.text, token.start, token.end)

    # -- brackets and arguments ----------------------------------------------------------------------------------------

    def structure(self, structure: Structure, start: int, end: int) -> None:
        self.begin()
        if structure.opening == _PLACED and not self.frame.waiting:
            self.frame.placed = len(self.pieces)
        self.frame.waiting.append(Waiting(structure, len(self.pieces), max(1, structure.arguments)))
        self.pieces.add_latex(structure.opening, start, end)

    def open(self, label: str, token: PlainToken) -> None:
        frame = self.frame
        is_unseen = not label or (label in self.dialect.dropped and self.takes_group())
        self.begin()
        inner = self.new_frame(label, len(self.pieces), token.start)
        if frame.waiting and label == "(" and frame.waiting[-1].structure is not SCRIPT:
            inner.structure = frame.waiting[-1].structure
        self.pieces.add("" if is_unseen else latex_of(label), token.start, token.end)
        self.outer.append(frame)
        self.frame = inner

    def takes_group(self) -> bool:
        """Whether the brackets that open here only hold together what is in them."""
        return bool(self.frame.waiting)

    def close(self, label: str, i: int, *, is_written: bool = True) -> None:
        token = self.tokens[i]
        if not self.outer:
            self.problem(token.start, "nothing opens this")
            self.symbol(label, token.start, token.end)
            return
        self.end_frame()
        inner, self.frame = self.frame, self.outer.pop()
        pieces, frame = self.pieces, self.frame
        if inner.structure is not None:
            waiting = frame.waiting[-1]
            given = 1 + inner.separators
            is_complete = inner.structure.arguments == 0 or given >= waiting.remaining
            waiting.remaining = 1 if is_complete else waiting.remaining - given + 1
            pieces.add("", token.start, token.end)
            self.finish()
            return
        is_pair = label == closing_fence(inner.opener)
        if not is_pair and pieces.texts[inner.start] == "" and inner.opener:
            pieces.texts[inner.start] = latex_of(inner.opener)
        if not inner.opener and not label and not inner.items and is_written:
            pieces.texts[inner.start], label = "{", "}"  # an empty base of scripts
            pieces.add(label, token.start, token.end)
            self.finish()
            return
        is_unseen = not is_written or not label or pieces.texts[inner.start] == ""
        index = len(pieces)
        pieces.add("" if is_unseen else latex_of(label), token.start, token.end)
        is_script = bool(frame.waiting) and frame.waiting[-1].structure is SCRIPT
        if not is_script and make_matrix(self.pieces.texts, self.dialect, inner, label, index):
            self.finish()
            return
        group = (inner.start, index)
        frame.groups.append((group, inner.commas))
        is_tuple = bool(inner.commas) and not self.dialect.always_divides
        is_dropped = is_pair and inner.opener in self.dialect.dropped and not is_tuple
        self.finish(group if is_dropped else None, is_named=True)


def _character(code: str) -> str:
    """The character with this number in hexadecimal digits."""
    return chr(int(code, 16)) if int(code, 16) < 0x110000 else "\ufffd"
