"""What people write to people in Python code: comments and docstrings."""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
import warnings
from typing import Any

MAX_CODE_LENGTH = 1 << 20
"""Longer code, in characters, is data more likely than a program."""

_MAGIC = re.compile(r"(?m)^([ \t]*)(?:[%!?].*|[\w.]+\?\??[ \t]*$|[\w., \t]+=[ \t]*[%!].*)")
_CELL_MAGIC = re.compile(r"\s*%%(?!(?:time|timeit|capture|prun|pypy|python3?)\b)\w")


def comments_and_docstrings(code: str) -> list[str] | None:
    """The comments on lines of their own and the strings that are statements, in the order of the code.

    Commands of IPython (``%``, ``!``, ``?``) may be between the lines; a cell in another language (``%%bash``) has
    no comments.

    :returns: None where the code is not Python, or is longer than ``MAX_CODE_LENGTH``.
    """
    if _CELL_MAGIC.match(code):
        return []
    if len(code) > MAX_CODE_LENGTH:
        return None
    try:
        return _parsed(code)
    except (SyntaxError, ValueError, tokenize.TokenError):
        pass  # IPython's commands are not Python
    except (RecursionError, MemoryError):  # the parser's words for code that is nested too deeply
        return None
    try:
        return _parsed(_MAGIC.sub(r"\1pass", code))
    except (SyntaxError, ValueError, tokenize.TokenError, RecursionError, MemoryError):
        return None


def _parsed(code: str) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of escapes in strings: not the reader's to judge
        tree = ast.parse(code)
    texts = [
        (node.lineno, inspect.cleandoc(node.value.value)) for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    if "#" in code:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            alone = token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()
            if alone and not token.string.startswith("#!"):
                texts.append((token.start[0], token.string.lstrip("#").strip()))
    return [text for _, text in sorted(texts) if text]


def is_python(language: Any) -> bool:
    """Whether code is Python, as it is where no language is named."""
    return not language or (isinstance(language, str) and language.lower().startswith(("python", "ipython", "pyodide")))
