"""Drawings: commands and environments whose source is not text; what is kept of them is the formulas that they show."""

from __future__ import annotations

from porism.corpus.latex.arrows import XY_NODE
from porism.corpus.latex.macros import ProjectExpander
from porism.corpus.latex.omissions import pass_over
from porism.corpus.latex.tables import DRAWINGS
from porism.corpus.latex.tokens import tokenize
from porism.formula.macros.definition import Environment
from porism.formula.macros.tokens import EOF_TOKEN, join

DRAWING_COMMANDS = {
    "\\tikz": ";", "\\xygraph": "", "\\xy": "\\endxy",
    "\\tikzpicture": "\\endtikzpicture", "\\pspicture": "\\endpspicture", "\\picture": "\\endpicture",
}
"""Commands that draw → what ends them where no group follows."""

MAX_DRAWING_FORMULAS = 60


def skip_drawing(expander: ProjectExpander, command: str) -> str:
    """Reads the drawing that a command has begun: a group, or what comes before its end. Returns its source."""
    end = DRAWING_COMMANDS[command]
    expander.star()
    if end.startswith("\\end"):
        return _until(expander, end)
    expander.optional()
    token = expander.skip_spaces()
    expander.stream.push([token] if token is not None else [])
    if token == "{" or not end:
        return join(expander.group() or [])
    return _until(expander, end)


def _until(expander: ProjectExpander, end: str) -> str:
    file = expander.stream.raw_file
    if file is None:
        taken: list[str] = []  # from an expansion: token by token
        while (token := expander.stream.next()) is not None and token != EOF_TOKEN:
            before, ended, rest = token.partition(end)
            taken.append(before)
            if ended:
                expander.stream.push([rest] if rest else [])
                return join(taken)
        expander.stream.push([token] if token is not None else [])
        expander.report(f"a drawing without its {end}")
        return join(taken)
    raw = file.until(end)
    if raw is None:
        expander.report(f"a drawing without its {end}")
    return raw or ""


def is_drawing(environment: Environment) -> bool:
    """Whether an environment of the project is a drawing: it begins one, or has the beginning of one."""
    body = environment.begin.body
    return any(part in DRAWING_COMMANDS for part in body) or any(
        command == "\\begin" and name in DRAWINGS for command, name in zip(body, body[2:], strict=False)
    )


def skip_environment(expander: ProjectExpander, name: str) -> str | None:
    """Reads an environment whose content is not LaTeX, to its end; its content, None where it has no end."""
    file = expander.stream.raw_file
    if file is not None:
        raw = file.until(f"\\end{{{name}}}")
        if raw is None:
            expander.report(f"\\begin{{{name}}} is never ended")
        return raw
    taken: list[str] = []  # from an expansion: token by token
    while (token := expander.stream.next()) is not None:
        if token == "\\end":
            if expander.name() == name:
                break
        elif token == EOF_TOKEN:
            expander.stream.push([token])
            break
        taken.append(token)
    pass_over(taken)
    return join(taken)


def drawn_formulas(source: str) -> list[list[str]]:
    """The formulas in a drawing of TikZ or Xy-pic: between dollars, and the nodes of matrices and of Xy-pic."""
    tokens = tokenize(source)
    formulas: list[list[str]] = []
    is_matrix = False
    position = 0
    while position < len(tokens) and len(formulas) < MAX_DRAWING_FORMULAS:
        token = tokens[position]
        position += 1
        if token in ("$", "$$"):
            end = _end_of_formula(tokens, position, token)
            formulas.append(tokens[position:end])
            position = end + 1
        elif token == "\\xymatrix":
            end = _end_of_group(tokens, position)
            formulas.append(tokens[position - 1 : end])
            position = end
        elif "matrix of math nodes" in token:
            is_matrix = True
        elif token == "{" and (is_matrix or XY_NODE.search(tokens[position - 2] if position > 1 else "")):
            end = _end_of_group(tokens, position - 1)
            inner = tokens[position : end - 1]
            formulas.append(["\\diagram", *inner, "\\enddiagram"] if is_matrix else inner)
            position, is_matrix = end, False
    return [formula for formula in formulas if formula]


def _end_of_formula(tokens: list[str], position: int, closer: str) -> int:
    """Where the dollar is that ends a formula: one inside braces is inner."""
    depth = 0
    for place in range(position, len(tokens)):
        depth += (tokens[place] == "{") - (tokens[place] == "}")
        if depth < 0 or (depth == 0 and tokens[place] == closer):
            return place
    return len(tokens)


def _end_of_group(tokens: list[str], position: int) -> int:
    """Where the next group ends; the end of all where it does not."""
    depth = 0
    for place in range(position, len(tokens)):
        depth += (tokens[place] == "{") - (tokens[place] == "}")
        if depth == 0 and tokens[place] == "}":
            return place + 1
    return len(tokens)
