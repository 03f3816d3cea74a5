"""The environments, diagrams and drawings inside a formula of a LaTeX source."""

from __future__ import annotations

from collections.abc import Sequence

from porism.corpus.latex.arrows import DIAGRAM_COMMANDS, DIAGRAMS
from porism.corpus.latex.diagrams import BEGIN, CELL, END
from porism.corpus.latex.drawings import is_drawing, skip_environment
from porism.corpus.latex.formula_contexts import FormulaContexts
from porism.corpus.latex.skipping import skip_arguments
from porism.corpus.latex.tables import DRAWINGS, MATH_ENVIRONMENTS
from porism.corpus.latex.tokens import tokenize
from porism.formula.latex.drawings import drawn_contents
from porism.formula.macros.definition import Macro
from porism.formula.macros.tokens import PAR
from porism.formula.tables.boxes import TEXT_ENVIRONMENTS, TEXT_TABLES


class FormulaEnvironments(FormulaContexts):
    """Begins and ends environments and diagrams inside a formula."""

    def _begin(self, name: str) -> None:
        expander, out = self.expander, self.out
        if self._begin_of_project(name):
            return
        in_text = self.mode == "text"
        if name in DRAWINGS:
            self._drawing(skip_environment(expander, name) or "")
        elif name in DIAGRAMS:
            expander.optional()
            out.append(BEGIN)
            self._open(name, "either", END, package=DIAGRAMS[name]).is_environment = True
        elif name in TEXT_TABLES:
            skip_arguments(expander, TEXT_TABLES[name])
            out.extend([] if in_text else ["\\begin{matrix}", "\\text", "{"])
            entry = self._open(name, "text", *([] if in_text else ["}", "\\end{matrix}"]), package="")
            entry.is_environment, entry.is_table, entry.has_paragraphs = True, not in_text, True
        elif name in TEXT_ENVIRONMENTS or (in_text and name not in MATH_ENVIRONMENTS):
            skip_arguments(expander, TEXT_ENVIRONMENTS.get(name, ""))
            out.extend([] if in_text else ["\\text", "{"])
            entry = self._open(name, "text", *([] if in_text else ["}"]), package="")
            entry.is_environment = entry.has_paragraphs = True
        else:
            around = ["$"] if in_text else []
            out.extend([*around, f"\\begin{{{name}}}"])
            self._open(name, "math", f"\\end{{{name}}}", *around, package="").is_environment = True

    def _begin_of_project(self, name: str) -> bool:
        """Begins an environment of the project inside a formula; False for any other."""
        environment = self.expander.environments.get(name)
        if environment is None or self.expander.stream.fuel <= 0:
            return False
        values = self.expander.arguments(environment.begin)
        if values is None:
            return False
        if is_drawing(environment):
            self._drawing(skip_environment(self.expander, name) or "")
        else:
            self.expander.push_body(_in_formula(environment.begin, values), values)
        return True

    def _end(self, name: str) -> bool:
        """Takes an ``\\end``; whether it ends the formula."""
        expander = self.expander
        index = self._innermost(lambda entry: entry.is_environment and entry.closer == name)
        if index is not None:
            if any(entry.closer == "}" for entry in self.opened[index:]):
                expander.report("a brace that is never closed in a formula")
            self._close_to(index)
            return False
        if name == self.environment:
            if any(entry.is_environment for entry in self.opened):
                expander.report(f"\\end{{{name}}} ends a formula in which another environment is open")
            elif any(entry.closer == "}" for entry in self.opened):
                expander.report("a brace that is never closed in a formula")
            return True
        if name in expander.environments:
            expander.push_body(expander.environments[name].end, [])
            return False
        expander.report(f"\\end{{{name}}} inside a formula that it does not close")
        expander.stream.push(["\\end", "{", name, "}"])
        return True

    def _begin_diagram(self, command: str) -> None:
        expander = self.expander
        if command != "\\xymatrix":
            expander.optional()
            self.out.append(BEGIN)
            self._open("\\end" + command[1:], "either", END, package=DIAGRAM_COMMANDS[command])
            return
        token = None
        for _ in range(50):  # options: @C+2pc, @R=1em
            token = expander.skip_spaces()
            if token is None or token == "{" or token[0] in "$&" or token == PAR:
                break
        if token == "{":
            self.out.append(BEGIN)
            self._open("}", "either", END, package=DIAGRAM_COMMANDS[command])
            expander.begin_group()
        else:
            expander.stream.push([token] if token is not None else [])

    def _drawing(self, source: str) -> None:
        """A drawing inside a formula: what comes next is the texts and formulas that it shows."""
        self.out.append(BEGIN)
        self._open(END, "either", END, package="drawing")
        cells = [token for content in drawn_contents(source) for token in (*tokenize(content), CELL)]
        self.expander.stream.push([*cells, END])

    def _push_labels(self, labels: list[list[str]]) -> None:
        """What comes next is these labels of an arrow, each a cell of its own."""
        self.expander.stream.push([CELL, *(token for label in labels for token in (*label, CELL))])


def _in_formula(begin: Macro, values: list[Sequence[str]]) -> Macro:
    """The beginning of an environment whose arguments are text, where a class or style makes paragraphs of them."""
    body: list[str | int] = []
    for part in begin.body:
        if isinstance(part, int) and body[-2:] == ["\\paragraph", "{"] and values[part - 1]:
            body[-2] = "\\text"
        if part == "}" and body[-3:-1] == ["\\paragraph", "{"]:  # of an optional argument that is not there
            del body[-3:]
        else:
            body.append(part)
    return Macro(begin.arguments, tuple(body))
