"""What is open while a formula of a LaTeX source is read: braces, boxes, environments, diagrams, formulas in text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from porism.corpus.latex.arrows import DIAGRAMS
from porism.corpus.latex.diagrams import CELL
from porism.corpus.latex.macros import ProjectExpander
from porism.corpus.latex.tables import MATH_ARGUMENTS
from porism.formula.tables.commands import ENVIRONMENTS
from porism.formula.tables.packages import TEXT_COLUMNS
from porism.formula.tables.packages.proofs import HANDLED as PROOF_ARGUMENTS

MAX_REST_OF_ENVIRONMENT = 2000
"""So many characters are looked at for the end of an environment inside a formula."""
_TEXT_ARGUMENTS = frozenset("\\" + name for name, (signature, _) in PROOF_ARGUMENTS.items() if signature == "m")
_BETWEEN_DOLLARS = frozenset("\\" + name for name, (signature, _) in PROOF_ARGUMENTS.items() if "$" in signature)
_WITH_PARAGRAPHS = frozenset({"\\parbox", "\\vbox", "\\vtop", "\\pbox"})

Mode = Literal["math", "text", "either"]
"""What a brace or an environment holds; in ``either``, the argument of an unknown command, a dollar begins one."""


@dataclass(slots=True)
class FormulaContext:
    """What has begun inside a formula and not ended: a brace, an environment, a formula in a box, a diagram."""

    closer: str
    mode: Mode
    written: tuple[str, ...]
    """What the end is written as."""
    package: str
    """Whose arrows a diagram has; empty outside diagrams."""
    depth: int
    pending: int = 0
    owner: str = ""
    is_environment: bool = False
    is_table: bool = False
    has_paragraphs: bool = False


class FormulaContexts:
    """The tokens of one formula that were read, and what is open after them."""

    def __init__(self, expander: ProjectExpander, closers: tuple[str, ...], environment: str | None) -> None:
        self.expander, self.closers, self.environment = expander, closers, environment
        self._outer_mode: Mode = "either" if environment in DIAGRAMS else "math"
        self._outer_package = DIAGRAMS.get(environment or "", "")
        self.mode: Mode = self._outer_mode
        self.package = self._outer_package
        """Whose arrows the innermost diagram has; empty where none is open."""
        self.out: list[str] = []
        self.opened: list[FormulaContext] = []
        self.dollars: list[int] = []
        """The places among them of formulas in boxes."""
        self.pending = 0
        """How many arguments of a mathematical command are to follow."""
        self.box = ""
        """The command whose text follows in braces."""
        self.owner = ""
        """The command that a brace would be an argument of."""

    def _open(self, closer: str, mode: Mode, *written: str, package: str | None = None) -> FormulaContext:
        package = self.package if package is None else package
        entry = FormulaContext(closer, mode, written, package, self.expander.depth)
        if closer in ("$", "$$"):
            self.dollars.append(len(self.opened))
        self.opened.append(entry)
        self.mode, self.package = mode, package
        self.expander.math = mode != "text"
        self.pending, self.box, self.owner = 0, "", ""
        return entry

    def _close_to(self, index: int) -> None:
        """Ends all from this place of the stack on."""
        while len(self.opened) > index:
            entry = self.opened.pop()
            self.out.extend(entry.written)
            self.expander.end_groups(entry.depth)
        while self.dollars and self.dollars[-1] >= index:
            self.dollars.pop()
        innermost = self.opened[-1] if self.opened else None
        self.mode = innermost.mode if innermost is not None else self._outer_mode
        self.package = innermost.package if innermost is not None else self._outer_package
        self.expander.math = self.mode != "text"

    def _innermost(self, fits: Callable[[FormulaContext], bool]) -> int | None:
        """The place of the innermost open thing that fits."""
        return next((index for index in range(len(self.opened) - 1, -1, -1) if fits(self.opened[index])), None)

    def _ends_at_paragraph(self) -> bool:
        if not self.closers or self.closers[0] not in ("$", "\\)"):
            return False
        return not any(entry.has_paragraphs or entry.closer in ENVIRONMENTS for entry in self.opened)

    def _dollar(self, token: str) -> bool:
        if self.mode != "math":
            either = self.mode == "either"
            self.out.extend(["\\text", "{", "$"] if either else ["$"])
            self._open(token, "math", *(("$", "}") if either else ("$",)))
            return False
        index = self.dollars[-1] if self.dollars else None
        if index is not None:
            if index < len(self.opened) - 1:
                self.expander.report("a brace that is never closed in a formula")
            if token == "$$" and self.opened[index].closer == "$":
                self.expander.stream.push(["$"])
            self._close_to(index)
            return False
        if token == "$" and self._environment in TEXT_COLUMNS:
            self.out.append("$")
            self._open(token, "math", "$")
            return False
        if token not in self.closers and self._is_line_of_proof():
            self.out.append("$")
            self._open(token, "math", "$")
            return False
        if self._environment in ENVIRONMENTS and self.opened and (token not in self.closers or self._ends_soon()):
            return False  # each cell is a formula of its own: the dollar ends it, or begins it again
        if token not in self.closers:
            self.expander.report("a $ inside a display formula")
            return False
        if token != self.closers[0]:
            if token == "$$":
                self.expander.stream.push(["$"])
            else:
                self.expander.report("a display formula opened by $$ and closed by $")
        if any(entry.closer == "}" for entry in self.opened):
            self.expander.report("a brace that is never closed in a formula")
        return True

    @property
    def _environment(self) -> str:
        """The innermost environment that is open; empty where there is none."""
        inner = (entry.closer for entry in reversed(self.opened) if entry.is_environment)
        return next(inner, self.environment or "")

    def _ends_soon(self) -> bool:
        """Whether the environment that is open is ended in the same paragraph."""
        file = self.expander.stream.raw_file
        if file is None:
            return False
        end = file.text.find(f"\\end{{{self._environment}}}", file.pos, file.pos + MAX_REST_OF_ENVIRONMENT)
        return end >= 0 and "\n\n" not in file.text[file.pos : end]

    def _is_line_of_proof(self) -> bool:
        """Whether a command of bussproofs was read last whose argument stands between dollars."""
        return next((token for token in reversed(self.out) if not token.isspace()), "") in _BETWEEN_DOLLARS

    def _begin_brace(self) -> None:
        pending, box, owner = max(0, self.pending - 1), self.box, self.owner
        mode: Mode = "text" if box or self.mode == "text" or owner in _TEXT_ARGUMENTS else "math"
        if mode == "math" and owner.startswith("\\") and owner[1:] not in MATH_ARGUMENTS:
            mode = "either"
        self.out.append("{")
        entry = self._open("}", mode, "}")
        entry.pending, entry.owner, entry.has_paragraphs = pending, owner, box in _WITH_PARAGRAPHS
        self.expander.begin_group()

    def _end_brace(self) -> None:
        index = self._innermost(lambda entry: entry.closer not in ("$", "$$"))
        if index is None or self.opened[index].closer != "}":
            self.expander.report("a closing brace without an opening one in a formula")
            return
        if index < len(self.opened) - 1:
            self.expander.report("a $ in a box of a formula that is never closed")
        entry = self.opened[index]
        self._close_to(index)
        self.pending, self.owner = entry.pending, entry.owner

    def _next_cell(self, token: str) -> None:
        if self.package:
            self.out.append(CELL)
        elif self.opened and self.opened[-1].is_table:
            self.out.extend(["}", token, "\\text", "{"])
        else:
            self.out.append(token)
