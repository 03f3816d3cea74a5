"""Drawings: commands and environments whose source is not LaTeX; what is kept of them is the text that they show."""

from __future__ import annotations

from porism.corpus.latex.macros import ProjectExpander
from porism.corpus.latex.omissions import pass_over
from porism.corpus.latex.tables import DRAWINGS
from porism.formula.macros.definition import Environment
from porism.formula.macros.tokens import EOF_TOKEN, join

DRAWING_COMMANDS = {
    "\\tikz": ";", "\\xygraph": "", "\\xy": "\\endxy",
    "\\tikzpicture": "\\endtikzpicture", "\\pspicture": "\\endpspicture", "\\picture": "\\endpicture",
}
"""Commands that draw → what ends them where no group follows."""


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
