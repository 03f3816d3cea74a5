"""Lean's terms: arguments without parentheses, variables that a sign introduces (``∀ x : ℝ, …``), conditionals."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from porism.formula.plain.dialects import Dialect, latex_of
from porism.formula.plain.frames import PlainFrame
from porism.formula.plain.operands import PlainToken
from porism.formula.plain.reader import PlainReader
from porism.formula.tables.lookup import RELATION_CLASSES, token_class

_FUNCTION_SIGNS = frozenset({"λ", "fun"})
_NOT_READ = frozenset("↑⇑")
"""Signs of coercions."""
_ENDS_INTEGRALS = RELATION_CLASSES | {"separator"}
_HAS_FIELDS = re.compile(r"(?!nat|int|rat|set|fin)(?:[a-zͰ-Ͽ][a-z]?[0-9]*|[a-z]{3})\Z")
"""A name that is a term and no namespace, so that what follows its point is a function of it."""
_STAGE_BEFORE = {"then": "if", "else": "then"}
_NUMBERED = re.compile(r"(.)([0-9]+)\Z")


@dataclass(slots=True)
class LeanFrame(PlainFrame):
    """A frame in which variables may be introduced."""

    binder: str = ""
    """The sign that introduces the variables that are being read: a quantifier, a big operator or ``λ``."""
    is_inner: bool = False
    """Whether that sign is before the parenthesis that the frame is in: ``∀ (x : ℝ)``."""
    names_ended: bool = False
    """Whether a type, a set or a condition follows the variables."""
    limits: int = 0
    """The index of the first token after the sign."""
    variables: list[list[str]] = field(default_factory=list)
    """The variables of integrals that end where the frame ends, outermost first."""
    is_applied: bool = False
    """Whether arguments of the last operand have been read."""
    ascribed: int = -1
    """Where the type of what is in parentheses begins: ``(2 : ℝ)``."""
    stage: str = ""
    """The word of ``if``, ``then`` and ``else`` that came last."""
    branch: int = -1
    """Where the value after ``then`` begins; the condition is before it."""


class LeanReader(PlainReader[LeanFrame]):
    """One reading of one term."""

    def __init__(self, source: str, dialect: Dialect) -> None:
        super().__init__(source, dialect, LeanFrame)

    def continues(self) -> bool:
        frame = self.frame
        if frame.binder and not frame.names_ended:
            if frame.operand >= 0:
                self.pieces.close(",")
            frame.operand = len(self.pieces)
            return True
        if frame.is_named and frame.operand >= 0:
            self.pieces.close("," if frame.is_applied else "(")
            frame.is_applied = True
            return True
        return False

    def end_arguments(self) -> None:
        if self.frame.is_applied:
            self.pieces.close(")")
        self.frame.is_applied = self.frame.is_named = False

    def finish(self, group: tuple[int, int] | None = None, *, is_named: bool = False) -> None:
        super().finish(group, is_named=is_named or self.frame.is_applied)

    def takes_group(self) -> bool:
        frame = self.frame
        is_argument = frame.is_named and frame.operand >= 0
        return super().takes_group() or is_argument or bool(frame.binder and not frame.names_ended)

    def open(self, label: str, token: PlainToken) -> None:
        outer = self.frame
        super().open(label, token)
        if outer.binder and not outer.names_ended:
            self.frame.binder, self.frame.is_inner = outer.binder, True

    def word(self, token: PlainToken) -> None:
        first, *fields = token.text.split(".")
        if token.text in _FUNCTION_SIGNS:
            self._bind("λ")
        elif token.text == "if":
            self._condition(token)
        elif token.text in _STAGE_BEFORE and any(
            frame.stage == _STAGE_BEFORE[token.text] for frame in (self.frame, *self.outer)
        ):
            self._branch(token)
        elif fields and _HAS_FIELDS.match(first) and token.text not in self.dialect.symbols:
            self._fields(first, fields, token)
        else:
            super().word(token)

    def _fields(self, name: str, fields: list[str], token: PlainToken) -> None:
        """``hf.comp hg`` is ``comp(hf, hg)``."""
        frame, pieces = self.frame, self.pieces
        is_argument = bool(frame.waiting) or (frame.is_named and frame.operand >= 0) or fields[-1].isdigit()
        self.begin()
        for field_name in reversed(fields):
            if not field_name.isdigit():
                pieces.add_name(field_name, token.start, token.end)
                pieces.add("(", token.start, token.end)
        if len(name) == 1:
            pieces.add(name, token.start, token.start + 1)
        else:
            pieces.add_name(name, token.start, token.start + len(name))
        for field_name in fields[:None if is_argument else -1]:
            pieces.close(f"_{{{field_name}}}" if field_name.isdigit() else ")")
        self.finish(is_named=True)
        frame.is_applied = frame.is_applied or not is_argument

    # -- if … then … else ----------------------------------------------------------------------------------------------

    def _condition(self, token: PlainToken) -> None:
        self.begin()
        self.pieces.add_latex("\\begin{cases}", token.start, token.end)
        self.outer.append(self.frame)
        self.frame = LeanFrame("if", len(self.pieces), token.start, stage="if")
        self.pieces.close("&")

    def _branch(self, token: PlainToken) -> None:
        """``then`` and ``else`` end what is before them since the innermost ``if``, or ``then``, without one."""
        while self.frame.stage != _STAGE_BEFORE[token.text]:
            self.close("", self.i, is_written=False)
        self.end_frame()
        frame, here = self.frame, len(self.pieces)
        if token.text == "else":
            self.pieces.swap(frame.start, frame.branch)
            self.pieces.close("\\\\")
        self.frame = LeanFrame("if", frame.start, frame.position, stage=token.text, branch=here)

    def _end_condition(self) -> None:
        self.end_frame()
        if self.frame.stage == "else":
            self.pieces.close("&\\text{otherwise}")
        else:
            self.problem(self.frame.position, "this if has no else")
        self.pieces.close("\\end{cases}")
        self.frame = self.outer.pop()
        self.finish()

    def close(self, label: str, i: int, *, is_written: bool = True) -> None:
        while self.frame.opener == "if" and self.outer:
            self._end_condition()
            if not label and not is_written:
                return
        super().close(label, i, is_written=is_written)

    def known_part(self, name: str) -> str:
        known = name in self.dialect.structures or name in self.dialect.symbols
        return name if known else name.rpartition(".")[2]

    def unknown(self, name: str, token: PlainToken) -> None:
        self.begin()
        start, numbered = token.end - len(name), _NUMBERED.match(name)
        if len(name) == 1:
            self.pieces.add(name, start, token.end)
        elif numbered is not None:
            self.pieces.add(numbered[1], start, start + 1)
            self.pieces.add_latex(f"_{{{numbered[2]}}}", start + 1, token.end)
        else:
            self.pieces.add_name(name, token.start, token.end)
        self.finish(is_named=True)

    def sign(self, token: PlainToken) -> None:
        if token.text == "!" and self.frame.operand >= 0 and not self.frame.waiting:
            self._postfix(token)
        elif token.text == "." and self._is_field():
            self._field()
        elif token.text not in _NOT_READ:
            super().sign(token)

    def _is_field(self) -> bool:
        """Whether the name of a function follows the point after parentheses: ``(f x).symm``."""
        before, point, name = self.tokens[self.i - 1:self.i + 2] if self.i else (None, None, None)
        return (
            before is not None and point is not None and name is not None and before.text == ")" and name.kind == "word"
            and before.end == point.start and point.end == name.start
            and self.frame.operand >= 0 and not self.frame.waiting and not self.frame.is_applied
        )

    def _field(self) -> None:
        self.i += 1
        frame = self.frame
        for number, name in enumerate(self.tokens[self.i].text.split(".")):
            if number:
                self.pieces.close(")")
            self.pieces.put_before(frame.operand, f"\\operatorname{{{name}}}(")
        frame.is_applied = frame.is_named = True

    def symbol(self, label: str, start: int, end: int) -> None:
        frame, kind = self.frame, token_class(label)
        if (kind in ("big-operator", "integral") or label in "∀∃∄") and not frame.waiting:
            frame.items += 1
            self.settle(is_multiplied=False)
            self.pieces.add(latex_of(label), start, end)
            self._bind(label)
            if kind != "logic":
                self.pieces.add("_", start, end)
                self.pieces.add("{", start, end)
        elif label == ":" and frame.binder and not frame.names_ended:
            frame.names_ended = True
            super().symbol("∈", start, end)
        elif label == "∈" and frame.binder == "∫" and not frame.names_ended:
            self._take_variable()
            frame.names_ended = True
        elif label == ".." and frame.binder == "∫":
            self.settle(is_multiplied=False)
            self.pieces.close("}^{")
            frame.operand, frame.is_loose = -1, True
        elif label == "," and frame.opener == "if" and not frame.binder:
            while self.frame.opener == "if":
                self._end_condition()
            self.symbol(label, start, end)
        elif label == "," and frame.binder and not frame.is_inner:
            self._end_variables()
            if token_class(frame.binder) == "logic":
                super().symbol(":", start, end)
            elif frame.binder == "λ":
                super().symbol("↦", start, end)
            frame.binder = ""
        else:
            if label == ":" and frame.opener == "(" and frame.ascribed < 0 and not frame.is_inner:
                self.settle(is_multiplied=False)
                frame.ascribed = len(self.pieces)
            frame.names_ended = True
            if frame.variables and not frame.binder and kind in _ENDS_INTEGRALS:
                self.missing()
                self.settle(is_multiplied=False)
                self._end_integrals()
            if label == "↦":
                frame.binder = ""
            super().symbol(label, start, end)

    def end_frame(self) -> None:
        super().end_frame()
        frame = self.frame
        if frame.binder and not frame.is_inner:
            self._end_variables()
        if frame.ascribed >= 0:
            self.pieces.cut(frame.ascribed)
        self._end_integrals()

    def _end_integrals(self) -> None:
        """What is integrated ends: the variables follow it."""
        for variable in reversed(self.frame.variables):
            self.pieces.close("d")
            for text in variable:
                self.pieces.close(text)
        self.frame.variables.clear()

    def _bind(self, binder: str) -> None:
        """Variables are introduced from here on."""
        frame = self.frame
        if frame.binder and not frame.is_inner:
            self._end_variables()
        frame.binder, frame.is_inner, frame.names_ended = binder, False, False
        frame.operand, frame.is_loose, frame.limits = -1, True, len(self.pieces)

    def _end_variables(self) -> None:
        """Ends the variables, or what follows them below a big operator."""
        frame = self.frame
        self.missing()
        self.settle(is_multiplied=False)
        if frame.binder == "∫" and not frame.names_ended:
            self._take_variable()
            self.pieces.cut(frame.limits)
        elif token_class(frame.binder) in ("big-operator", "integral"):
            self._bounds()
            self.pieces.close("}")
        frame.operand, frame.is_loose, frame.names_ended = -1, True, True

    def _bounds(self) -> None:
        """Makes bounds of an interval: ``∑ i ∈ Finset.Icc a b, …`` is ``\\sum_{i=a}^{b}``."""
        texts, first = self.pieces.texts, self.frame.limits + 2
        opening = next((i for i in range(first, len(texts)) if texts[i] == "∈"), len(texts)) + 1
        if texts[opening:opening + 1] != ["["] or texts[-1] != "]":
            return
        depth = 0
        for i in range(opening + 1, len(texts) - 1):
            depth += (texts[i] in ("(", "[", "{")) - (texts[i] in (")", "]", "}"))
            if texts[i] == "," and not depth:
                texts[opening - 1], texts[opening], texts[i], texts[-1] = "=", "", "}", ""
                self.pieces.put_before(i + 1, "^{")
                return

    def _take_variable(self) -> None:
        """Keeps the variable of an integral for its end."""
        frame, pieces = self.frame, self.pieces
        self.settle(is_multiplied=False)
        first = frame.limits + 2
        frame.variables.append([text for text in pieces.texts[first:] if text])
        pieces.cut(first)
        frame.operand, frame.is_loose = -1, True
