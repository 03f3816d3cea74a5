"""``porism open``: a result in the editor or the browser."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING

import click

from porism.cli.options import DEFAULT_INDEX, Indexes, folders, last_searched_option
from porism.cli.progress import compile_once
from porism.cli.terminal import echo
from porism.errors import pluralise

if TYPE_CHECKING:
    from porism.search.index import Index
    from porism.search.locations import Location

_PAGES = frozenset({".html", ".htm", ".xhtml", ".pdf"})

_PLUS = frozenset(
    "vi vim nvim gvim mvim view vimx nano rnano pico micro emacs emacsclient xemacs mg jed joe jmacs ne kak ee gedit "
    "gnome-text-editor xed pluma mousepad geany leafpad bbedit".split()
)
"""``vim +12 FILE``"""
_GOTO = frozenset("code code-insiders code-oss codium vscodium cursor windsurf positron".split())
"""``code -g FILE:12``"""
_COLON = frozenset("subl sublime_text hx helix zed zeditor atom pulsar lapce".split())
"""``hx FILE:12``"""
_OPTION: Mapping[str, str] = {
    "kate": "--line", "kwrite": "--line", "mate": "--line", "idea": "--line", "pycharm": "--line", "charm": "--line",
    "clion": "--line", "webstorm": "--line", "texstudio": "-line", "texmaker": "-line",
}
"""``kate --line 12 FILE``"""
_USUAL = ("sensible-editor", "nano", "vim", "vi")


@click.command(name="open")
@click.argument("result", metavar="N|ID")
@last_searched_option
@click.option("--print", "only_print", is_flag=True, help="Print file and line, or the address, and open nothing.")
@click.option("--editor", "in_editor", is_flag=True, help="Open an HTML file in the editor, not in the browser.")
def open_result(result: str, indexes: Indexes, only_print: bool, in_editor: bool) -> None:
    """Open result N of the last search, or a document by its ID.

    A file opens in the editor that PORISM_EDITOR, VISUAL or EDITOR names (in this order), at the line of the passage
    that was shown. An HTML file opens in the browser, and so does a document without a file whose metadata have a url,
    link or href. A file that has changed since it was indexed opens with a warning.

    Editors that can open a file at a line are known: vi, vim, nano, emacs, kak, micro, VS Code, Helix, Sublime Text,
    Zed, Kate, JetBrains and others. For any other, set PORISM_EDITOR='myeditor --at {line} {file}'.

    The last results of each user and index are kept in $XDG_STATE_HOME/porism (~/.local/state/porism if it is not set;
    the folder of the user for such data on macOS and Windows).
    """
    from porism.errors import QueryError
    from porism.search.index import open_index

    indexes = indexes or _last_indexes()
    if (page := _page(result, indexes)) is not None:
        if only_print:
            echo(page)
        else:
            _browse(page)
        return
    paths = folders(indexes)
    compile_once()
    with open_index(paths) as index:
        doc_id = _document(result, paths, index)
        location = index.location(doc_id)
        if (line := _line(result, paths, doc_id)) is not None:
            location = replace(location, line=line)
        if location.path is None or (location.url and not location.path.match(location.file or "")):
            if location.url is None:
                raise QueryError(
                    f"the index does not know where the document {doc_id!r} comes from: no file, and no 'url' in its "
                    "metadata", where=_shown(paths),
                )
            if only_print:
                echo(location.url)
            else:
                _browse(location.url)
            return
        _open_file(index, location, location.path, only_print, in_editor)


def _last_indexes() -> Indexes:
    """The indexes of the last search; the default one if no search is remembered.

    :raises IndexNotFound: an index is gone.
    """
    from porism.cli.last_search import last_indexes
    from porism.errors import IndexNotFound
    from porism.search.sources.indexing import is_index

    indexes = last_indexes()
    for path in indexes:
        if isinstance(path, Path) and not is_index(path):
            raise IndexNotFound(
                "the index of your last search is gone", where=str(path),
                hint="Name an index: porism open N --index DIR.",
            )
    return indexes or (Path(DEFAULT_INDEX),)


def _page(result: str, indexes: Sequence[Path | str]) -> str | None:
    """The page of a result of the last search that is on a server, None for others."""
    from porism.cli.last_search import recall_search

    last = recall_search(indexes)
    if last is None:
        return None
    number = _number(result)
    doc_id = last.ids[number - 1] if number is not None and 1 <= number <= len(last.ids) else result
    return last.pages.get(doc_id)


def _line(result: str, indexes: Sequence[Path], doc_id: str) -> int | None:
    """The line of the passage that the last search showed; None for a document that is named by its id."""
    from porism.cli.last_search import recall_search

    last = recall_search(indexes) if _number(result) is not None else None
    return None if last is None else last.lines.get(doc_id)


def _number(result: str) -> int | None:
    """The number of a result, None for an id."""
    return int(result) if result.isascii() and result.isdecimal() and len(result) < 7 else None


def _shown(paths: Sequence[Path]) -> str:
    return ", ".join(map(str, paths))


def _document(result: str, paths: Sequence[Path], index: Index) -> str:
    """The id of the document that is meant.

    :raises QueryError: there is none.
    """
    from porism.cli.last_search import recall_search
    from porism.errors import QueryError

    number = _number(result)
    last = recall_search(paths) if number is not None else None
    if number is not None and last is not None and 1 <= number <= len(last.ids):
        return last.ids[number - 1]
    if result in index:
        return result
    if number is None:
        raise QueryError(
            f"the index has no document {result!r}", where=_shown(paths),
            hint="Give the number of a result of your last search, or an id as a search prints it.",
        )
    if last is None:
        raise QueryError(
            "no search of this index is remembered", where=_shown(paths),
            hint=f"Search first: porism search WORDS {' '.join(f'--index {path}' for path in paths)}; then "
            f"porism open {number}.",
        )
    results = pluralise(len(last.ids), "result")
    raise QueryError(f"the last search ({last.question!r}) had {results}", where=f"result {number}")


def _open_file(index: Index, location: Location, path: Path, only_print: bool, in_editor: bool) -> None:
    from porism.errors import QueryError

    if not path.is_file():
        raise QueryError(
            "the file is gone since it was indexed", where=str(path),
            hint=f"Bring the index up to date: porism update --index {index.snapshot.path}.",
        )
    if index.has_changed(location):
        echo(f"{path} has changed since it was indexed; the document may be at another line.", err=True)
    if only_print:
        if location.is_paged:
            echo(location.address or str(path))
        else:
            echo(f"{path}:{location.line}" if location.line is not None else str(path))
        return
    if path.suffix.lower() in _PAGES and not in_editor:
        _browse(location.address or path.as_uri())
        return
    command = editor_command(path, location.line)
    if command is None:
        raise QueryError(
            f"no editor was found for {path}", hint="Name one: EDITOR=nano porism open …, or set PORISM_EDITOR."
        )
    try:
        status = subprocess.run(command, check=False).returncode
    except OSError as error:
        raise QueryError(
            f"the editor {command[0]!r} cannot be started ({error.strerror})",
            hint="Set PORISM_EDITOR, VISUAL or EDITOR to one that is installed.",
        ) from error
    if status:
        raise QueryError(f"the editor {command[0]!r} ended with status {status}")


def _browse(address: str) -> None:
    from porism.errors import QueryError

    if not webbrowser.open(address):
        raise QueryError(f"no browser could be started for {address}", hint="Set BROWSER, or use --print.")


def editor_command(file: Path, line: int | None, environment: Mapping[str, str] | None = None) -> list[str] | None:
    """The command that opens a file, at a line (from 1) where the editor is known; None without an editor.

    ``PORISM_EDITOR`` is a template with ``{file}`` and ``{line}``, as ``'myeditor --at {line} {file}'``; it, ``VISUAL``
    and ``EDITOR``, in this order, can also be a command alone.
    """
    given = os.environ if environment is None else environment
    chosen = next((given[name] for name in ("PORISM_EDITOR", "VISUAL", "EDITOR") if given.get(name, "").strip()), None)
    if chosen is None:
        usual = ("notepad",) if sys.platform == "win32" else _USUAL
        chosen = next((name for name in usual if shutil.which(name)), None)
        if chosen is None:
            return None
    words = shlex.split(chosen, posix=os.name != "nt")
    if any("{file}" in word for word in words):
        return [word.replace("{file}", str(file)).replace("{line}", str(line or 1)) for word in words]
    return [*words, *_arguments(_name(words[0]), file, line)]


def _name(program: str) -> str:
    return PureWindowsPath(program).name.lower().removesuffix(".exe").removesuffix(".cmd")


def _arguments(name: str, file: Path, line: int | None) -> list[str]:
    if line is None:
        return [str(file)]
    if name in _PLUS or name == "sensible-editor":
        return [f"+{line}", str(file)]
    if name in _GOTO:
        return ["-g", f"{file}:{line}"]
    if name in _COLON:
        return [f"{file}:{line}"]
    if name in _OPTION:
        return [_OPTION[name], str(line), str(file)]
    return [str(file)]
