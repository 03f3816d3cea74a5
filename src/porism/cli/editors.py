"""How editors open a file at a line."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path, PureWindowsPath

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


def editor_command(file: Path, line: int | None, environment: Mapping[str, str] | None = None) -> list[str] | None:
    """The command that opens a file, at a line (from 1) where the editor is known; None where there is no editor.

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
