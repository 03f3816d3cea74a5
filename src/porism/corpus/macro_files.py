"""Where sites, books and vaults define macros for all of their pages, and the definitions in such files.

These are LaTeX (Obsidian's ``preamble.sty``), or settings of MathJax and KaTeX: in YAML (``_config.yml`` of Jupyter
Book, ``myst.yml``, ``_quarto.yml``), in Sphinx's ``conf.py``, in scripts and page templates (MkDocs, Hugo, Docusaurus).
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from porism.corpus.base import ignore_problem
from porism.corpus.text_files import read_text, size_of
from porism.corpus.walking import is_inside

MAX_MACRO_FILE_BYTES = 1_000_000
"""Larger files are not looked at."""
MAX_DEPTH = 40
"""Settings are looked at to this depth."""

_LATEX_FILES = (
    "preamble.sty", "preamble.tex", "macros.sty", "macros.tex", "_macros.tex", "latex-macros.sty", "latex-macros.tex",
    "math-macros.tex", "_math-macros.tex", "mathjax-macros.tex", "_includes/macros.tex", "includes/macros.tex",
)
_LATEX_PATTERNS = ("*/preamble.sty", "*/macros.sty")
_YAML_FILES = ("_config.yml", "_config.yaml", "myst.yml", "_quarto.yml", "_quarto.yaml", "mkdocs.yml", "_bookdown.yml")
_PYTHON_FILES = ("conf.py", "source/conf.py", "docs/conf.py")
_SCRIPT_PATTERNS = (
    "*mathjax*.js", "*katex*.js", "*mathjax*.html", "*katex*.html", "_includes/*math*.html", "_includes/*katex*.html",
    "_includes/head.html", "layouts/partials/*math*.html", "layouts/partials/*katex*.html", "js/*mathjax*.js",
    "javascripts/*math*.js", "javascripts/*katex*.js", "docs/javascripts/*math*.js", "docs/javascripts/*katex*.js",
    "assets/js/*math*.js", "_static/*mathjax*.js", "docusaurus.config.js", "docusaurus.config.ts", "theme/*math*.html",
)
_FOLDERS = sorted({name.rpartition("/")[0] for name in (*_LATEX_FILES, *_PYTHON_FILES, *_SCRIPT_PATTERNS)})
_SCRIPTS = (".js", ".ts", ".html")
_DEFINITION = re.compile(
    r"\\(?:newcommand|renewcommand|providecommand|DeclareMathOperator|DeclarePairedDelimiter\w*|[gex]?def"
    r"|let|(?:New|Renew|Declare|Provide)DocumentCommand|DeclareRobustCommand)\b"
)
_SCRIPT_MACROS = re.compile(r"\bmacros[\"']?\s*:\s*\{", re.IGNORECASE)
_STRING = r"""(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(?:String\.raw)?`([^`]*)`)"""
_SCRIPT_ENTRY = re.compile(
    rf"(?:{_STRING}|([A-Za-z]\w*))\s*:\s*(?:{_STRING}|\[\s*{_STRING}\s*(?:,\s*(\d))?\s*(?:,\s*{_STRING})?\s*,?\s*\])"
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_BRACE = re.compile(r"(?<!\\)[{}]")
_PARAMETER = re.compile(r"#([1-9])")
_MACRO_KEYS = frozenset(("macros", "math"))
_PREAMBLE_KEYS = frozenset(("header-includes", "text"))


def site_macro_files(path: Path, name: str) -> list[Path]:
    """The files with macros for a page: those in its folder and in the folders above it, the outermost first.

    :param name: of the page in its source, beyond which nothing is read.
    """
    root = path.parents[name.count("/")]
    folders = [folder for folder in path.parents if folder.is_relative_to(root)]
    return [file for folder in reversed(folders) for file in _files_in(folder, root)]


def definitions_in(path: Path) -> str:
    """The macros that a file defines, as definitions in LaTeX; empty where it defines none."""
    size = size_of(path)
    return _definitions_in(path, size, path.stat().st_mtime_ns) if 0 < size <= MAX_MACRO_FILE_BYTES else ""


def definitions_of(settings: Any) -> str:
    """The macros in settings of MathJax or KaTeX, or in a preamble, wherever in the settings these are."""
    return "\n".join(_walk(settings, 0))


def _files_in(folder: Path, root: Path) -> list[Path]:
    times = tuple(_modified(folder / name) for name in _FOLDERS)
    return [file for file in _candidates(folder, times) if is_inside(file, root) and definitions_in(file)]


def _modified(folder: Path) -> int:
    """When the list of files of a folder has changed last, 0 where there is none."""
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=4096)
def _candidates(folder: Path, times: tuple[int, ...]) -> tuple[Path, ...]:
    """The files that may define macros, as long as no list of files has changed."""
    named = [folder / name for name in (*_LATEX_FILES, *_YAML_FILES, *_PYTHON_FILES)]
    files = [file for file in named if file.is_file()]
    for pattern in (*_LATEX_PATTERNS, *_SCRIPT_PATTERNS):
        files += sorted(file for file in folder.glob(pattern) if file.is_file())
    return tuple(dict.fromkeys(files))


@lru_cache(maxsize=512)
def _definitions_in(path: Path, size: int, modified: int) -> str:
    text = read_text(path, path.name, ignore_problem)
    if text is None:
        return ""
    if path.suffix in (".yml", ".yaml"):
        return definitions_of(_yaml(text))
    if path.suffix == ".py":
        return definitions_of(_assigned(text))
    if path.suffix in _SCRIPTS:
        return definitions_of({"macros": _script_macros(text)})
    return text if _DEFINITION.search(text) else ""


def _yaml(text: str) -> Any:
    import yaml

    try:
        return yaml.load(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None


def _assigned(code: str) -> dict[str, Any]:
    """The constants that Python code assigns to names at its top."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    values: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                values[node.targets[0].id] = ast.literal_eval(node.value)
            except (ValueError, TypeError, RecursionError, MemoryError):
                continue  # made by code
    return values


def _script_macros(text: str) -> dict[str, Any]:
    """The entries of the objects ``macros: {…}`` in a script."""
    macros: dict[str, Any] = {}
    for match in _SCRIPT_MACROS.finditer(text):
        position = match.end()
        while (entry := _SCRIPT_ENTRY.match(text, _next_entry(text, position))) is not None:
            groups = entry.groups()
            name = groups[3] or _unquoted(groups[0:3])
            body = _unquoted(groups[4:7]) or _unquoted(groups[7:10])
            if groups[10]:
                default = [_unquoted(groups[11:14])] if any(groups[11:14]) else []
                macros[name] = [body, groups[10], *default]
            else:
                macros[name] = body
            position = entry.end()
    return macros


def _next_entry(text: str, position: int) -> int:
    """Where the next entry of an object begins, behind blanks, commas and comments."""
    between = re.compile(r"(?:[\s,]|//[^\n]*|/\*.*?\*/)*", re.DOTALL).match(text, position)
    return between.end() if between else position


def _unquoted(groups: tuple[str | None, ...]) -> str:
    double, single, raw = groups
    written = double if double is not None else single
    return raw or "" if written is None else _ESCAPE.sub(r"\1", written)


def _walk(value: Any, depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            name = str(key).lower()
            if name in _MACRO_KEYS and isinstance(inner, Mapping):
                yield from _definitions(inner, only_commands=name == "math")
            elif isinstance(inner, str) and (name in _PREAMBLE_KEYS or name.endswith("preamble")):
                yield from _preamble(inner)
            else:
                yield from _walk(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, str):
                yield from _preamble(inner)
            else:
                yield from _walk(inner, depth + 1)


def _preamble(text: str) -> Iterator[str]:
    if _SCRIPT_MACROS.search(text):
        yield from _definitions(_script_macros(text))
    elif _DEFINITION.search(text):
        yield text


def _definitions(macros: Mapping[Any, Any], *, only_commands: bool = False) -> Iterator[str]:
    """Definitions in LaTeX of macros as MathJax, KaTeX and MyST write them: name → body, or body and arguments.

    :param only_commands: whether a name without a backslash is that of something else.
    """
    for key, value in macros.items():
        if only_commands and not str(key).startswith("\\"):
            continue
        name = str(key).lstrip("\\")
        body, count, default = _meaning(value)
        if name.isascii() and name.isalpha() and body and _is_balanced(body):
            arguments = f"[{count}]" if count else ""
            option = f"[{default}]" if count and default is not None else ""
            yield f"\\newcommand{{\\{name}}}{arguments}{option}{{{body}}}"


def _is_balanced(body: str) -> bool:
    braces = _BRACE.findall(body)
    return braces.count("{") == braces.count("}")


def _meaning(value: Any) -> tuple[str, int, str | None]:
    """The body of a macro, how many arguments it takes, and what the first is where it is not given."""
    if isinstance(value, str):
        return value, max(map(int, _PARAMETER.findall(value)), default=0), None
    if isinstance(value, Mapping):  # MyST: {macro: …}
        return _meaning(value.get("macro", ""))
    if isinstance(value, list) and value and isinstance(value[0], str):
        count = int(value[1]) if len(value) > 1 and str(value[1]).isdecimal() else 0
        return value[0], min(count, 9), str(value[2]) if len(value) > 2 and isinstance(value[2], str) else None
    return "", 0, None
