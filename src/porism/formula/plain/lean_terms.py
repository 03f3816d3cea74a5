"""Lean's terms to operator trees, by the precedence of Lean's and Mathlib's operators.

Operators have the labels that the same formula has in LaTeX, so that one finds the other. Types that are ascribed,
named arguments, universes and signs of coercion are left out. Of a name with dots the last part counts; what is before
it is an argument where it is an expression (``s.card``, ``(f x).re``), and else a namespace. Total, linear in the length
of the term, and not recursive.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from porism.formula.latex.parser import MAX_LENGTH, parse_latex
from porism.formula.operators.builder import operator_tree
from porism.formula.tables.lean import (
    BINDERS,
    BRACKETS,
    DEGREES,
    ENCLOSING,
    INFIX,
    NAMES,
    OPERATORS,
    POSTFIX,
    PREFIX,
    UNKNOWN_INFIX,
    VARIABLE_FIRST,
    Operator,
)
from porism.formula.tree import OperatorNode, OperatorTree, ParseProblem

_LETTER = r"[A-Za-zͰ-Ͽ℀-⅏\U0001d400-\U0001d7ff_]"
_PART = rf"(?:{_LETTER}[\w'!₀-₉ₐ-ₜᵢ-ᵪ]*|«[^»\n]*»)"
_SUFFIX = r"[*+⋆ₐ-ₜ₀-₉ᵃ-ᶻᴬ-ᶿᵢ-ᵪ]"
_LONG = sorted((sign for sign in (*BINDERS, *POSTFIX, *PREFIX, *INFIX) if len(sign) > 1 and not sign.isalpha()), key=len)
_TOKEN = re.compile(
    rf"\s*(?:(?P<wildcard>\?[A-Za-z]\w*|_(?![\w.]))|(?P<number>[0-9]+(?:\.[0-9]+)?)"
    rf"|(?P<name>(?:Type|Sort)\*|{_PART}(?:\.(?:{_PART}|[0-9]+))*)|(?P<method>\.(?:{_PART}|[0-9]+)(?:\.(?:{_PART}|[0-9]+))*)"
    rf"|(?P<universe>\.\{{[^{{}}]*\}})|(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<power>⁻?[⁰¹²³⁴-⁹]+(?!'))"
    rf"|(?P<sign>:=|=>|//|[→≃↪=≤<≥∼≈⊗∘≅](?:{_SUFFIX}+|[orOΘ](?=[\s\[]))(?:\[[^\[\]]*\])?|[→≃↪⊗]\[[^\[\]]*\]"
    rf"|{'|'.join(map(re.escape, reversed(_LONG)))}|⟫(?:_\w+)?|\S))"
)
_NOT_READ = frozenset("↑⇑↥@⟮⟯")
_BREAKS = frozenset(("by", "match", "let", "have", "show", "calc", "do"))
_HEAD_ENDS = frozenset((",", "↦", "=>"))
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")
_INDEXED = re.compile(r"(?P<base>.[^\W\d_₀-₉]*)(?P<number>[0-9₀-₉]+)\Z")
_VARIABLE = re.compile(r"[^\W\d_][0-9₀-₉ₐ-ₜᵢ-ᵪ']*\Z|[^\W\d_A-ZΑ-Ω]")
"""What begins the name of a variable, if anything does: a letter alone, or one that is small."""
_CHAINS = frozenset(("to", "compose"))
"""Operators besides commutative ones whose operands are listed: ``f ∘ g ∘ h``."""
_MEASURE = "∂"
_PLACE = "·"
"""Stands for an argument: ``(· + 1)``."""


@dataclass(slots=True)
class _Pending:
    """An operator that waits for its operand on the right."""

    precedence: int
    is_right: bool
    operator: Operator
    sign: str
    start: int
    is_prefix: bool = False


@dataclass(slots=True)
class _TermFrame:
    """What is between two brackets, or from a sign that introduces variables to the end of its scope."""

    opener: str
    start: int
    lowest: int = -1
    """Operators that bind less end the frame; -1 of brackets, which nothing but the closing one ends."""
    values: list[tuple[OperatorNode, bool]] = field(default_factory=list)
    """Operands, and whether operators outside all inner brackets made them."""
    waiting: list[_Pending] = field(default_factory=list)
    arguments: list[OperatorNode] = field(default_factory=list)
    """A function and its arguments so far."""
    is_method: bool = False
    """Whether the function has got an argument before its name."""
    prefixes: list[tuple[str, int]] = field(default_factory=list)
    """Signs before the next argument, and where they are."""
    items: list[OperatorNode] = field(default_factory=list)
    kept: OperatorNode | None = None
    """What is before a colon, or before ``|`` in a set."""
    is_head: bool = False
    """Whether variables are being introduced."""
    is_cut: bool = False
    """Whether what follows a colon is being read, which is left out."""
    is_set: bool = False
    is_dropped: bool = False
    head: list[OperatorNode] = field(default_factory=list)
    domain: OperatorNode | None = None


class LeanTermReader:
    """One reading of one term."""

    def __init__(self, source: str, max_depth: int) -> None:
        self.source, self.problems = source, list[ParseProblem]()
        self._max_depth = max_depth
        self._frames = [_TermFrame("", 0)]

    def read(self) -> OperatorTree:
        """The tree of the term."""
        source, place, last = self.source, 0, 0
        while (match := _TOKEN.match(source, place)) is not None:
            kind, start, place = match.lastgroup or "", match.start(match.lastgroup or 0), match.end()
            text = match.group(kind)
            touches = start == last and start > 0
            last = place
            if kind == "name":
                place = last = self._name(text, start, place)
            elif kind == "sign":
                self._sign(text, start, place)
            elif kind == "number":
                self._argument(OperatorNode(text, "N", None, start, place))
            elif kind == "wildcard":
                self._argument(OperatorNode(text.lstrip("?"), "W", None, start, place))
            elif kind == "method":
                self._method(text[1:], start, place, touches)
            elif kind == "power":
                self._power(text, start, place)
            elif kind == "string":
                self._argument(OperatorNode(text, "T", None, start, place))
        while len(self._frames) > 1:
            if self._frames[-1].lowest < 0:
                self._problem(self._frames[-1].start, "a bracket is never closed")
            self._close(len(source))
        root = self._finish(self._frame)
        if root is None:
            root = OperatorNode("", "E", None, 0, 0)
        return OperatorTree(root, source)

    @property
    def _frame(self) -> _TermFrame:
        return self._frames[-1]

    def _problem(self, place: int, problem: str) -> None:
        self.problems.append(ParseProblem(place, problem))

    def _argument(self, node: OperatorNode) -> None:
        frame = self._frame
        while frame.prefixes:
            sign, start = frame.prefixes.pop()
            node = _prefixed(PREFIX[sign][0], sign, start, node)
        frame.arguments.append(node)

    def _name(self, text: str, start: int, end: int) -> int:
        frame = self._frame
        if text in BINDERS:
            self._bind(text, start)
        elif text == "in" and frame.is_head:
            self._cut(frame)
            frame.is_cut = False
        elif text in ("if", "then", "else"):
            self._operator(text, start, end)
        elif text in _BREAKS:
            self._argument(OperatorNode(text, "E", None, start, end))
            return self._end_of_frame(end)
        else:
            self._argument(node := _named(text, start, end))
            frame.is_method = frame.is_method or (node.kind == "O" and len(frame.arguments) == 1 and "." in text)
        return end

    def _end_of_frame(self, place: int) -> int:
        """The place of the bracket that closes what is open here."""
        depth = 0
        while place < len(self.source):
            character = self.source[place]
            if character in "([{⟨":
                depth += 1
            elif character in ")]}⟩":
                depth -= 1
                if depth < 0:
                    break
            place += 1
        return place

    def _method(self, name: str, start: int, end: int, touches: bool) -> None:
        arguments = self._frame.arguments
        if not touches or not arguments:
            self._argument(_named(name.rpartition(".")[2], start, end))
            return
        node = arguments[-1]
        for part in name.split("."):
            node = OperatorNode(_label(part), "O", [node], node.start, end)
        arguments[-1] = node
        self._frame.is_method = self._frame.is_method or len(arguments) == 1

    def _power(self, text: str, start: int, end: int) -> None:
        arguments = self._frame.arguments
        if not arguments:
            self._argument(OperatorNode(text, "C", None, start, end))
            return
        number = OperatorNode(text.lstrip("⁻").translate(_DIGITS), "N", None, start, end)
        exponent = OperatorNode("neg", "O", [number], start, end) if text[0] == "⁻" else number
        arguments[-1] = OperatorNode("SUP", "O", [arguments[-1], exponent], arguments[-1].start, end)

    def _sign(self, sign: str, start: int, end: int) -> None:
        frame = self._frame
        if sign in ("|", "‖"):
            self._bar(sign, start, end)
        elif sign in BRACKETS:
            self._open(sign, start)
        elif sign in BINDERS:
            self._bind(sign, start)
        elif sign in _HEAD_ENDS and frame.is_head:
            self._end_head(frame)
        elif sign == ",":
            self._leave_scopes(start)
            self._comma(self._frame)
        elif sign in _CLOSERS or sign[0] == "⟫":
            self._closing(sign[0], start, end)
        elif sign == ":":
            if not frame.is_head:
                self._leave_scopes(start)
            self._cut(self._frame)
        elif sign == ":=":
            self._leave_scopes(start)
            self._frame.is_dropped = True
        elif sign == "//":
            self._leave_scopes(start)
            self._condition(self._frame)
        elif sign in POSTFIX and frame.arguments:
            node = frame.arguments[-1]
            frame.arguments[-1] = OperatorNode(POSTFIX[sign], "O", [node], node.start, end)
        elif sign not in _NOT_READ:
            self._operator(sign, start, end)

    def _bar(self, sign: str, start: int, end: int) -> None:
        """``|`` and ``‖`` open and close; the former also parts a set."""
        frame = self._frame
        around = self._around()
        if frame.arguments or frame.is_cut:
            if around.opener == sign:
                self._closing(sign, start, end)
                return
            if sign == "|" and around.opener in ("{", "⦃") and not around.is_set and not self._opens(start):
                self._leave_scopes(start)
                self._condition(self._frame)
                return
        if not frame.arguments or self._opens(start):
            self._open(sign, start)
        else:
            self._operator("given", start, end)

    def _opens(self, place: int) -> bool:
        """Whether a sign stands before a word, and a blank before it."""
        around = self.source[place - 1 : place + 2]
        return len(around) == 3 and around[0] in " (" and not around[2].isspace()

    def _around(self) -> _TermFrame:
        """The innermost bracket."""
        return next(frame for frame in reversed(self._frames) if frame.lowest < 0)

    def _open(self, sign: str, start: int) -> None:
        if len(self._frames) >= self._max_depth:
            self._problem(start, "nested too deeply")
            return
        self._frames.append(_TermFrame(sign, start))

    def _bind(self, sign: str, start: int) -> None:
        if len(self._frames) >= self._max_depth:
            self._problem(start, "nested too deeply")
            return
        self._frames.append(_TermFrame(sign, start, lowest=BINDERS[sign][1], is_head=True))

    def _leave_scopes(self, end: int, precedence: int = -1) -> None:
        """Ends the scopes of variables that an operator of this precedence is outside of."""
        while self._frame.lowest > precedence and not self._frame.is_head:
            self._close(end)
        if precedence < 0:
            while self._frame.lowest >= 0:
                self._close(end)

    def _cut(self, frame: _TermFrame) -> None:
        """What was read is kept, and what follows is left out."""
        if not frame.is_cut:
            if frame.is_head and not frame.waiting:
                frame.head, frame.arguments = [*frame.head, *frame.arguments], []
            elif (node := self._finish(frame)) is not None:
                frame.kept = node
            frame.is_cut = True

    def _condition(self, frame: _TermFrame) -> None:
        """The end of the variable of a set."""
        node = self._finish(frame)
        if not frame.is_cut and node is not None:
            frame.kept = node
        frame.is_set, frame.is_cut = True, False

    def _comma(self, frame: _TermFrame) -> None:
        node = self._finish(frame)
        if frame.is_cut:
            node, frame.kept, frame.is_cut = frame.kept, None, False
        if node is not None:
            frame.items.append(node)

    def _end_head(self, frame: _TermFrame) -> None:
        """The variables are introduced: their scope begins."""
        if frame.waiting or frame.values:
            node = self._finish(frame)
            if frame.head:
                frame.domain = None if frame.is_cut else node
            elif node is not None:
                frame.head = [node]
        else:
            if frame.is_cut:
                self._finish(frame)
            elif frame.head and frame.arguments:
                frame.domain = self._finish(frame)
            else:
                frame.head = [*frame.head, *frame.arguments]
            frame.arguments, frame.is_method = [], False
        frame.is_head = frame.is_cut = False

    def _closing(self, sign: str, start: int, end: int) -> None:
        opener = _CLOSERS[sign]
        if not any(frame.opener == opener for frame in self._frames):
            self._problem(start, f"{sign} closes nothing")
            return
        while (frame := self._frame).opener != opener:
            if frame.lowest < 0:
                self._problem(frame.start, "a bracket is never closed")
            self._close(start)
        self._close(end)

    def _close(self, end: int) -> None:
        """Ends the innermost frame, whose node is an argument of the one around it."""
        frame = self._frame
        if frame.lowest >= 0:
            if frame.is_head:
                self._end_head(frame)
            body = self._finish(frame)
            self._frames.pop()
            self._argument(_bound(frame, body, end))
            return
        was_cut = frame.is_cut
        node = self._finish(frame)
        self._frames.pop()
        if frame.is_dropped:
            return
        if frame.is_set:
            pair = [part for part in (frame.kept, node) if part is not None]
            self._argument(OperatorNode("setbuilder", "O", pair, frame.start, end))
            return
        if was_cut:
            node = frame.kept
        if frame.items or frame.opener != "(":
            items = [*frame.items, node] if node is not None else frame.items
            operator = ENCLOSING[frame.opener]
            if items:
                self._argument(OperatorNode(operator.label, operator.kind, items, frame.start, end))
            else:
                self._argument(OperatorNode("∅" if frame.opener == "{" else operator.label, "C", None, frame.start, end))
        elif node is not None:
            node.start, node.end = frame.start, end
            self._argument(node)
        else:
            self._argument(OperatorNode("tuple", "C", None, frame.start, end))

    def _operator(self, sign: str, start: int, end: int) -> None:
        frame = self._frame
        has_operand = bool(frame.arguments)
        if sign in PREFIX and (not has_operand or sign not in INFIX):
            if has_operand:
                frame.prefixes.append((sign, start))
            else:
                label, precedence = PREFIX[sign]
                frame.waiting.append(_Pending(precedence, True, Operator(label), sign, start, is_prefix=True))
            return
        bare = sign.partition("[")[0]
        if not has_operand or sign == _PLACE or not _is_infix(bare):
            self._argument(OperatorNode(bare, "C", None, start, end))
            return
        binding = INFIX.get(bare) or INFIX.get(bare[0], UNKNOWN_INFIX)
        self._leave_scopes(start, binding.precedence)
        frame = self._frame
        self._apply(frame)
        self._reduce(frame, binding.precedence, binding.is_right)
        frame.waiting.append(_Pending(*binding, _operator_of(bare), bare, start))

    def _apply(self, frame: _TermFrame) -> None:
        """The function and its arguments are one operand."""
        arguments = frame.arguments
        if not arguments:
            return
        frame.values.append((_applied(arguments, frame.is_method), False))
        frame.arguments, frame.is_method = [], False

    def _reduce(self, frame: _TermFrame, precedence: int, is_right: bool) -> None:
        """Makes the operators that bind more tightly than one to the right of them."""
        waiting, values = frame.waiting, frame.values
        while waiting and (waiting[-1].precedence > precedence or (waiting[-1].precedence == precedence and not is_right)):
            pending = waiting.pop()
            right, right_is_open = values.pop()
            if pending.is_prefix:
                values.append((_prefixed(pending.operator.label, pending.sign, pending.start, right), False))
                continue
            left, is_open = values.pop()
            values.append((_joined(pending, left, right, is_open, right_is_open), True))

    def _finish(self, frame: _TermFrame) -> OperatorNode | None:
        """All that was read in a frame as one node; None where nothing was."""
        while frame.prefixes:
            sign, start = frame.prefixes.pop()
            frame.arguments.append(OperatorNode(sign, "C", None, start, start + 1))
        if frame.waiting and not frame.arguments:
            pending = frame.waiting.pop()
            self._problem(pending.start, f"nothing follows {pending.sign}")
            if pending.is_prefix:
                frame.arguments.append(OperatorNode(pending.sign, "C", None, pending.start, pending.start + 1))
            else:
                left = frame.values.pop()[0]
                missing = OperatorNode("", "E", None, left.end, left.end)
                frame.values.append((_joined(pending, left, missing), True))
                self._reduce(frame, -1, False)
                return frame.values.pop()[0]
        self._apply(frame)
        if not frame.values:
            return None
        self._reduce(frame, -1, False)
        return frame.values.pop()[0]


_CLOSERS = {closer: opener for opener, closer in BRACKETS.items() if closer != opener} | {"|": "|", "‖": "‖"}


def read_term(source: str, max_length: int = MAX_LENGTH, max_depth: int = 200) -> tuple[OperatorTree, list[ParseProblem]]:
    """The operator tree of a term, and what could not be read."""
    reader = LeanTermReader(source[:max_length], max_depth)
    return reader.read(), reader.problems


def _prefixed(label: str, sign: str, start: int, operand: OperatorNode) -> OperatorNode:
    children = [operand]
    if sign in DEGREES:
        children.append(OperatorNode(DEGREES[sign], "N", None, start, start + 1))
    return OperatorNode(label, "O", children, start, operand.end)


def _joined(
    pending: _Pending, left: OperatorNode, right: OperatorNode, left_is_open: bool = False, right_is_open: bool = False
) -> OperatorNode:
    """An operator with its operands; one that goes on, as a sum, takes those of the operand it goes on from."""
    label, kind = pending.operator
    if pending.sign == "-":
        label, kind = "plus", "U"
        right = OperatorNode("neg", "O", [right], pending.start, right.end)
    children = [left, right]
    if pending.is_right:
        if right_is_open and right.label == label and (kind == "U" or label in _CHAINS):
            children = [left, *right.children]
    elif left_is_open and left.label == label and kind == "U" :
        children = [*left.children, right]
    return OperatorNode(label, kind, children, left.start, right.end)


def _bound(frame: _TermFrame, body: OperatorNode | None, end: int) -> OperatorNode:
    """What a sign that introduces variables makes of them and of its scope."""
    label = BINDERS[frame.opener][0]
    node = body if body is not None else OperatorNode("", "E", None, end, end)
    end = node.end
    measure: list[OperatorNode] = []
    if node.label == _MEASURE and len(node.children) == 2:
        node, *measure = node.children
    variables = frame.head or [OperatorNode("", "E", None, frame.start, frame.start)]
    if frame.domain is not None and label != "int":
        last = variables[-1]
        variables = [*variables[:-1], OperatorNode("in", "O", [last, frame.domain], last.start, frame.domain.end)]
    for variable in reversed(variables):
        if label in VARIABLE_FIRST:
            children = [variable, node]
        elif label == "int":
            domain = frame.domain
            limits = [] if domain is None else domain.children if domain.label == ".." else [domain]
            children = [node, *limits, OperatorNode("diff", "O", [variable], variable.start, variable.end), *measure]
        else:
            children = [node, variable]
        node = OperatorNode(label, "O", children, frame.start, end)
    return node


def _applied(arguments: list[OperatorNode], is_method: bool) -> OperatorNode:
    """A function with its arguments; a name that is no variable is the operator itself."""
    head = arguments[0]
    if len(arguments) == 1:
        return head
    rest, end = arguments[1:], arguments[-1].end
    if is_method:
        return OperatorNode(head.label, "O", [*head.children, *rest], head.start, end)
    if head.kind == "N":
        return OperatorNode("times", "U", arguments, head.start, end)
    if not head.children and head.kind in "VC" and len(head.label) > 1:
        return OperatorNode(head.label, "O", rest, head.start, end)
    return OperatorNode("apply", "O", arguments, head.start, end)


def _label(name: str) -> str:
    return f"proj{name}" if name.isdigit() else NAMES.get(name, name)


def _named(text: str, start: int, end: int) -> OperatorNode:
    """The leaf of a name, or the application of the parts of it to an expression at its beginning."""
    if "." not in text:
        return _leaf(text, start, end)
    first, *others = text.split(".")
    if _VARIABLE.match(first) is None:
        last = others[-1]
        if last.isdigit():
            return OperatorNode(_label(last), "O", [_leaf(first, start, end)], start, end)
        return _leaf(last, end - len(last), end)
    node = _leaf(first, start, start + len(first))
    place = start + len(first)
    for part in others:
        place += 1 + len(part)
        node = OperatorNode(_label(part), "O", [node], start, place)
    return node


def _leaf(name: str, start: int, end: int) -> OperatorNode:
    """A variable, with its index and its primes, or another name."""
    plain = name.rstrip("'")
    primes = len(name) - len(plain)
    indexed = _INDEXED.match(plain) if len(plain) > 1 else None
    base = indexed["base"] if indexed is not None else plain
    if len(base) > 1 or not base:
        label = NAMES.get(name, name)
        return OperatorNode(label, "V" if label.isalpha() else "C", None, start, end)
    node = OperatorNode(base, "C" if base in "⊤⊥∞∅" else "V", None, start, start + len(base))
    if indexed is not None:
        number = OperatorNode(indexed["number"].translate(_DIGITS), "N", None, start + 1, start + len(plain))
        node = OperatorNode("SUB", "O", [node, number], start, start + len(plain))
    if primes:
        node = OperatorNode("prime" if primes == 1 else f"prime{primes}", "O", [node], start, end)
    return node


@lru_cache(4_096)
def _operator_of(sign: str) -> Operator:
    """The operator that a sign is: that of its character in LaTeX, where it has one."""
    operator = OPERATORS.get(sign)
    if operator is not None:
        return operator
    root = operator_tree(parse_latex(f"x {sign} y")).root
    if [(child.kind, child.label) for child in root.children] == [("V", "x"), ("V", "y")] and root.kind in "UO":
        return Operator(root.label, root.kind) if root.label not in ("list", "apply") else Operator(sign)
    return Operator(sign)


@lru_cache(4_096)
def _is_infix(sign: str) -> bool:
    """Whether a sign that is not listed stands between operands."""
    return sign in INFIX or sign[0] in INFIX or _operator_of(sign) != Operator(sign)


def name_label(name: str) -> str:
    """The label that a name has in trees, as an operator or as a leaf."""
    return _label(name.rpartition(".")[2])


OPERATOR_LABELS = frozenset((
    *(_operator_of(sign).label for sign in INFIX), *(label for label, _ in BINDERS.values()),
    *(operator.label for operator in OPERATORS.values()), "apply", "SUB", "SUP", "diff", "setbuilder", "set", "tuple", "list",
))  # fmt: skip
"""Labels of operators that are no functions with a name."""
