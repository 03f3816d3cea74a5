"""The LaTeX of formulas as texts have it: without delimiters, on one line, rows and columns in an environment."""

from __future__ import annotations

import re
from html import unescape

_TOKEN = re.compile(r"\\(begin|end)\s{0,8}\{|\\\\|\\.|[{}&]|%[^\n]*", re.DOTALL)
_ENVIRONMENT = re.compile(r"\\(begin|end)\s{0,8}\{")
_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")
_BACKSLASHES = re.compile(r"(\\+)([A-Za-z]+|[^A-Za-z]|\Z)", re.DOTALL)
_SURELY_ESCAPED = re.compile(
    r"(?<!\\)(?:\\_\{|\\{4}(?!\\)|\\\\\{.{0,200}?(?<!\\)\\\\\})|\\(?:left|right|[bB]igg?[lr]?)\s*\\\\[{}|]"
    r"|(?:(?<![A-Za-z])[A-Za-z]|\\[A-Za-z]{1,20}|[})\]])\\_(?:[A-Za-z0-9](?![A-Za-z0-9])|\\[A-Za-z])",
    re.DOTALL,
)
_BOX = re.compile(r"\\(?:text\w{0,6}|[mh]box|math(?:rm|it|tt|sf|bf)|operatorname\*?)\s{0,8}\{[^{}]*\}")
_ENTITY = re.compile(r"&(?:[A-Za-z]{2,12}|#[0-9]{2,6});")
_LABEL = re.compile(r"[ \t]*(?:\\label\s{0,8}\{([^{}\n]{1,200})\}|\(\\#([\w:.-]{1,200})\))")
_COMMENT = re.compile(r"(?<!\\)%")


def strip_delimiters(source: str) -> tuple[str, bool]:
    """LaTeX without the delimiters around it, and whether they are those of a display."""
    source = source.strip()
    if source.startswith("$$") and source.endswith("$$") and len(source) >= 4:
        return source[2:-2].strip(), True
    if source.startswith("$") and source.endswith("$") and len(source) >= 2:
        return source[1:-1].strip(), False
    if source.startswith("\\(") and source.endswith("\\)"):
        return source[2:-2].strip(), False
    if source.startswith("\\[") and source.endswith("\\]"):
        return source[2:-2].strip(), True
    return source, source.startswith("\\begin{")


def one_line(source: str) -> str:
    """LaTeX on one line, but for LaTeX with comments, which end with their lines; blank lines go in any case."""
    if _COMMENT.search(source):
        return "\n".join(line for line in source.split("\n") if line.strip())
    return " ".join(source.split())


def aligned(source: str) -> str:
    """A displayed formula, in ``aligned`` where it has ``&`` or ``\\\\`` outside all braces and environments.

    Sphinx, MyST and Jupyter Book set such formulas so; by itself an ``&`` has no meaning in LaTeX.
    """
    if "&" not in source and "\\\\" not in source:
        return source
    depth = 0
    for match in _TOKEN.finditer(source):
        token = match.group()
        if match.group(1) == "begin":
            depth += 2  # the environment, and the brace of its name
        elif token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
        elif token in ("&", "\\\\") and depth <= 0:
            space = "\n" if "%" in source else " "  # a comment ends with its line
            return f"\\begin{{aligned}}{space}{source}{space}\\end{{aligned}}"
    return source


def equations(block: str) -> list[str]:
    """The equations of a block of displayed formulas: those between blank lines, each aligned where it has rows.

    A blank line inside an environment divides nothing.
    """
    pieces: list[str] = []
    open_environments = 0
    for piece in _BLANK_LINES.split(block):
        if open_environments > 0:
            pieces[-1] = f"{pieces[-1]}\n{piece}"
        else:
            pieces.append(piece)
        for match in _ENVIRONMENT.finditer(piece):
            open_environments += 1 if match.group(1) == "begin" else -1
    return [aligned(equation) for piece in pieces if (equation := one_line(strip_delimiters(piece)[0]))]


def without_labels(latex: str) -> tuple[str, list[str]]:
    """LaTeX without its labels (``\\label{eq:a}``, and ``(\\#eq:a)`` as bookdown writes them), and these."""
    labels = [first or second for first, second in _LABEL.findall(latex)]
    return (_LABEL.sub("", latex) if labels else latex), labels


def is_escaped(latex: str) -> bool:
    """Whether LaTeX was surely escaped for a generator that reads formulas as Markdown (``x\\_{i}``)."""
    return _SURELY_ESCAPED.search(_BOX.sub(" ", latex)) is not None


def without_entities(latex: str) -> str:
    """LaTeX with the characters that entities of HTML name (``&lt;``) in their places."""
    return _ENTITY.sub(lambda match: unescape(match.group()), latex) if "&" in latex and ";" in latex else latex


def unescaped(latex: str) -> str:
    """LaTeX that was escaped for Markdown (``\\\\{x\\_{i}\\\\}``) as it was meant.

    Breaks of lines and spaces that nobody escaped (``\\\\`` before a blank, ``\\,``) stay.
    """
    return _BACKSLASHES.sub(_unescape, latex)


def _unescape(match: re.Match[str]) -> str:
    count, following = len(match.group(1)), match.group(2)
    if count == 1:
        return following if following[:1] in tuple("_*<~^`") else match.group()
    is_break = following.isspace() or following in "&[" or (len(following) == 1 and following.isalnum())
    if count == 2:
        return match.group() if is_break else f"\\{following}"
    kept = max(count // 2, 2 if is_break else 1)
    return "\\" * kept + following
