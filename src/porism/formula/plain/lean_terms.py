"""Lean's terms to operator trees, by the precedence of Lean's and Mathlib's operators.

Operators have the labels that the same formula has in LaTeX, so that one finds the other. Types that are ascribed,
named arguments, universes and signs of coercion are left out. Of a name with dots the last part counts; what is before
it is an argument where it is an expression (``s.card``, ``(f x).re``), and else a namespace. Total, linear in the
length of the term, and not recursive.
"""

from __future__ import annotations

from porism.formula.latex.parser import MAX_LENGTH
from porism.formula.plain.lean_frames import (
    MEASURE,
    PendingOperator,
    TermFrame,
    applied,
    bound,
    chosen,
    joined,
    prefixed,
    raised,
)
from porism.formula.plain.lean_names import DIGITS, named_node, with_part
from porism.formula.plain.lean_operators import is_infix, operator_of
from porism.formula.plain.lean_tokens import TOKEN, end_of_brackets
from porism.formula.tables.lean import (
    AFTER_MEASURE,
    BINDERS,
    BRACKETS,
    ENCLOSING,
    INFIX,
    POSTFIX,
    PREFIX,
    UNKNOWN_INFIX,
    Operator,
)
from porism.formula.tree import OperatorNode, OperatorTree, ParseProblem

_NOT_READ = frozenset("↑⇑↥@⟮⟯")
_BREAKS = frozenset(("by", "match", "let", "have", "show", "calc", "do"))
_HEAD_ENDS = frozenset((",", "↦", "=>"))
_APPLYING = frozenset(("<|", "$"))
"""What follows is the last argument, up to the end of the scope."""
_TYPING = (0, True, Operator("colon"))
_PLACE = "·"
"""Stands for an argument: ``(· + 1)``."""


class LeanTermReader:
    """One reading of one term."""

    def __init__(self, source: str, max_depth: int) -> None:
        self.source, self.problems = source, list[ParseProblem]()
        self._max_depth = max_depth
        self._frames = [TermFrame("", 0)]

    def read(self) -> OperatorTree:
        """The tree of the term."""
        source, place, last = self.source, 0, 0
        while (match := TOKEN.match(source, place)) is not None:
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
    def _frame(self) -> TermFrame:
        return self._frames[-1]

    def _problem(self, place: int, problem: str) -> None:
        self.problems.append(ParseProblem(place, problem))

    def _argument(self, node: OperatorNode) -> None:
        frame = self._frame
        while frame.prefixes:
            sign, start = frame.prefixes.pop()
            node = prefixed(PREFIX[sign][0], sign, start, node)
        frame.arguments.append(node)

    def _name(self, text: str, start: int, end: int) -> int:
        frame = self._frame
        if text in BINDERS:
            self._bind(text, start)
        elif text == "in" and frame.is_head:
            self._cut(frame)
            frame.is_cut = False
        elif text in ("if", "then", "else"):
            self._choose(text, start, end)
        elif text in _BREAKS:
            self._argument(OperatorNode(text, "E", None, start, end))
            return end_of_brackets(self.source, end)
        else:
            self._argument(node := named_node(text, start, end))
            frame.is_method = frame.is_method or (node.kind == "O" and len(frame.arguments) == 1 and "." in text)
        return end

    def _choose(self, word: str, start: int, end: int) -> None:
        """``if``, ``then`` and ``else``: each ends what is between it and the one before."""
        if word == "if":
            self._push(TermFrame("if", start, lowest=0))
            return
        before = "if" if word == "then" else "then"
        while self._frame.lowest >= 0 and self._frame.opener != before:
            self._close(start)
        frame = self._frame
        if frame.opener != before:
            self._problem(start, f"{word} without {before}")
            self._argument(OperatorNode(word, "E", None, start, end))
            return
        node = self._finish(frame)
        frame.items.append(node if node is not None else OperatorNode("", "E", None, start, start))
        frame.opener = word

    def _push(self, frame: TermFrame) -> None:
        if len(self._frames) >= self._max_depth:
            self._problem(frame.start, "nested too deeply")
            return
        self._frames.append(frame)

    def _method(self, name: str, start: int, end: int, touches: bool) -> None:
        arguments = self._frame.arguments
        if not touches or not arguments:
            self._argument(named_node(name.rpartition(".")[2], start, end))
            return
        node = arguments[-1]
        for part in name.split("."):
            node = with_part(node, part, end)
        arguments[-1] = node
        self._frame.is_method = self._frame.is_method or len(arguments) == 1

    def _power(self, text: str, start: int, end: int) -> None:
        arguments = self._frame.arguments
        if not arguments:
            self._argument(OperatorNode(text, "C", None, start, end))
            return
        number = OperatorNode(text.lstrip("⁻").translate(DIGITS), "N", None, start, end)
        exponent = OperatorNode("neg", "O", [number], start, end) if text[0] == "⁻" else number
        arguments[-1] = raised(arguments[-1], exponent)

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
            if len(self._frames) == 1 and frame.arguments:  # no type of a part, but all that is said: f : X → Y
                self._join(self._frame, _TYPING, ":", start)
            else:
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

    def _around(self) -> TermFrame:
        """The innermost bracket."""
        return next(frame for frame in reversed(self._frames) if frame.lowest < 0)

    def _open(self, sign: str, start: int) -> None:
        self._push(TermFrame(sign, start))

    def _bind(self, sign: str, start: int) -> None:
        self._push(TermFrame(sign, start, lowest=BINDERS[sign][1], is_head=True))

    def _leave_scopes(self, end: int, precedence: int = -1) -> None:
        """Ends the scopes of variables that an operator of this precedence is outside of."""
        while self._frame.lowest > precedence and not self._frame.is_head:
            self._close(end)
        if precedence < 0:
            while self._frame.lowest >= 0:
                self._close(end)

    def _cut(self, frame: TermFrame) -> None:
        """What was read is kept, and what follows is left out."""
        if not frame.is_cut:
            if frame.is_head and not frame.waiting:
                frame.head, frame.arguments = [*frame.head, *frame.arguments], []
            elif (node := self._finish(frame)) is not None:
                frame.kept = node
            frame.is_cut = True

    def _condition(self, frame: TermFrame) -> None:
        """The end of the variable of a set."""
        node = self._finish(frame)
        if not frame.is_cut and node is not None:
            frame.kept = node
        frame.is_set, frame.is_cut = True, False

    def _comma(self, frame: TermFrame) -> None:
        node = self._finish(frame)
        if frame.is_cut:
            node, frame.kept, frame.is_cut = frame.kept, None, False
        if node is not None:
            frame.items.append(node)

    def _end_head(self, frame: TermFrame) -> None:
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
            if frame.opener in BINDERS:
                self._argument(bound(frame, body, end))
            elif frame.items:
                self._argument(chosen(frame, body, end))
            elif body is not None:
                self._argument(body)
            else:
                self._problem(frame.start, f"nothing follows {frame.opener}")
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
                label = "∅" if frame.opener == "{" else operator.label
                self._argument(OperatorNode(label, "C", None, frame.start, end))
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
                frame.waiting.append(PendingOperator(precedence, True, Operator(label), sign, start, is_prefix=True))
            return
        bare = sign.partition("[")[0]
        if has_operand and sign in _APPLYING:
            self._frames.append(TermFrame(sign, start, lowest=INFIX[sign].precedence))
            return
        if not has_operand or sign == _PLACE or not is_infix(bare):
            self._argument(OperatorNode(bare, "C", None, start, end))
            return
        binding = INFIX.get(bare) or INFIX.get(bare[0], UNKNOWN_INFIX)
        self._leave_scopes(start, binding.precedence)
        frame = self._frame
        self._join(frame, (*binding, operator_of(bare)), bare, start)
        if bare == MEASURE and frame.lowest >= 0:  # a sum that follows is outside of the integral
            frame.lowest = AFTER_MEASURE

    def _join(self, frame: TermFrame, operator: tuple[int, bool, Operator], sign: str, start: int) -> None:
        """What was read is the left operand."""
        self._apply(frame)
        self._reduce(frame, operator[0], operator[1])
        frame.waiting.append(PendingOperator(*operator, sign, start))

    def _apply(self, frame: TermFrame) -> None:
        """The function and its arguments are one operand."""
        arguments = frame.arguments
        if not arguments:
            return
        frame.values.append((applied(arguments, frame.is_method), False))
        frame.arguments, frame.is_method = [], False

    def _reduce(self, frame: TermFrame, precedence: int, is_right: bool) -> None:
        """Makes the operators that bind more tightly than one to the right of them."""
        waiting, values = frame.waiting, frame.values
        lowest = precedence + 1 if is_right else precedence
        while waiting and waiting[-1].precedence >= lowest:
            pending = waiting.pop()
            right, right_is_open = values.pop()
            if pending.is_prefix:
                values.append((prefixed(pending.operator.label, pending.sign, pending.start, right), False))
                continue
            left, is_open = values.pop()
            values.append((joined(pending, left, right, is_open, right_is_open), True))

    def _finish(self, frame: TermFrame) -> OperatorNode | None:
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
                frame.values.append((joined(pending, left, missing), True))
                self._reduce(frame, -1, False)
                return frame.values.pop()[0]
        self._apply(frame)
        if not frame.values:
            return None
        self._reduce(frame, -1, False)
        return frame.values.pop()[0]


_CLOSERS = {closer: opener for opener, closer in BRACKETS.items() if closer != opener} | {"|": "|", "‖": "‖"}


def read_term(
    source: str, max_length: int = MAX_LENGTH, max_depth: int = 200
) -> tuple[OperatorTree, list[ParseProblem]]:
    """The operator tree of a term, and what could not be read."""
    reader = LeanTermReader(source[:max_length], max_depth)
    return reader.read(), reader.problems
