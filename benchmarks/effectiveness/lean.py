"""The declarations of Lean 4 sources as documents: names as people type them, docstrings and signatures.

A reader for benchmarks, not a parser of Lean: it follows ``namespace``, ``section`` and ``end``, comments, attributes
and modifiers, and takes what stands before ``:=`` as the signature of a declaration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

MAX_CHARACTERS = 4_000
"""Longer signatures (structures of many fields) are cut here."""

_KINDS = "theorem|lemma|def|abbrev|instance|structure|class|inductive|axiom|opaque|irreducible_def|alias"
_COMMENT = re.compile(r'/-|--[^\n]*|"(?:[^"\\]|\\.)*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
_EDGE = re.compile(r"/-|-/")
_ATTRIBUTES = r"@\[(?:[^\[\]\"]|\"[^\"]*\"|\[[^\[\]]*\])*\]"
_NAME_PART = r"(?:«[^»\n]*»|[^\W\d][\w'!?₀-₉]*)"
_COMMAND = re.compile(
    rf"^[ \t]*(?:(?P<end>end)\b(?:[ \t]+(?P<ended>{_NAME_PART}(?:\.{_NAME_PART})*))?"
    rf"|(?:(?:noncomputable|public|meta|private|@\[expose\]|local|scoped)\s+)*(?P<scope>namespace|section|mutual)\b"
    rf"(?:[ \t]+(?P<scoped>{_NAME_PART}(?:\.{_NAME_PART})*))?"
    rf"|(?P<attributes>(?:{_ATTRIBUTES}\s*)*)"
    r"(?P<modifiers>(?:(?:private|protected|public|noncomputable|nonrec|unsafe|partial|scoped|local|meta)\s+)*)"
    rf"(?P<kind>{_KINDS})\b(?:[ \t]+(?:abbrev|inductive)\b)?"
    r"(?:\s*\(priority\s*:=[^)]*\))?"
    rf"(?:\s+(?P<name>{_NAME_PART}(?:\.(?:{_NAME_PART}|\d+))*))?)",
    re.MULTILINE,
)
_CLOSERS = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⦃": "⦄"}
_ENDS = re.compile(r":=|\bwhere\b|[(\[{⟨⦃)\]}⟩⦄]|\n\s*\||\n\s*\n|\n(?=\S)")
_BLOCK_END = re.compile(r"\n(?=\S)")
_ADDITIVE = re.compile(r"\bto_additive\b(?:\s*\([^()]*\))*\s*(?:existing\s*)?(?P<name>[^\W\d][\w'.]*)?(?P<doc>[^\]]*)")
_CONSTANT = re.compile(rf"{_NAME_PART}(?:\.{_NAME_PART})*|ℕ|ℤ|ℚ|ℝ|ℂ")
_NUMBERS = {"ℕ": "Nat", "ℤ": "Int", "ℚ": "Rat", "ℝ": "Real", "ℂ": "Complex"}


@dataclass(frozen=True)
class Declaration:
    """A declaration: its full name, its kind, where it stands, and what is written about it."""

    name: str
    kind: str
    file: str
    line: int
    docstring: str
    signature: str


def read_folder(folder: Path) -> Iterator[Declaration]:
    """The declarations of all ``.lean`` files below a folder, files in the order of their paths."""
    for path in sorted(folder.rglob("*.lean")):
        yield from read_declarations(path.read_text(encoding="utf-8"), path.relative_to(folder).as_posix())


def read_declarations(source: str, file: str = "") -> Iterator[Declaration]:
    """The declarations of one file in their order; those that ``to_additive`` names beside them."""
    text, docstrings = _without_comments(source)
    scopes: list[tuple[str, tuple[str, ...]]] = []
    documented = dict(docstrings)
    position = 0
    while (match := _COMMAND.search(text, position)) is not None:
        position = match.end()
        if match["end"]:
            _leave(scopes, tuple((match["ended"] or "").split(".")) if match["ended"] else ())
        elif match["scope"]:
            names = tuple(match["scoped"].split(".")) if match["scoped"] else ()
            scopes.append((match["scope"], names))
        else:
            start = match.start("kind")
            written = match["name"] or ""
            if written in ("where", "extends"):
                continue
            signature = _signature(text, match.end(), match["kind"])
            position = match.end()
            space = ".".join(name for kind, names in scopes if kind == "namespace" for name in names)
            name = _full_name(space, written or _instance_name(signature))
            found = Declaration(
                name, match["kind"], file, text.count("\n", 0, start) + 1,
                _docstring(text, match.start(), documented), " ".join(signature.split())[:MAX_CHARACTERS],
            )
            yield found
            yield from _additive(found, space, match["attributes"] or "")


def _without_comments(source: str) -> tuple[str, list[tuple[int, str]]]:
    """The source with comments blanked out, and each docstring with the position where it ends."""
    parts: list[str] = []
    docstrings: list[tuple[int, str]] = []
    place = 0
    while (match := _COMMENT.search(source, place)) is not None:
        start, end = match.span()
        if match.group() == "/-":
            depth = 1
            while depth and (edge := _EDGE.search(source, end)) is not None:
                depth += 1 if edge.group() == "/-" else -1
                end = edge.end()
            if depth:
                end = len(source)
            if source.startswith("/--", start):
                docstrings.append((end, " ".join(source[start + 3 : max(start + 3, end - 2)].split())))
        elif not match.group().startswith("--"):
            parts.append(source[place:end])
            place = end
            continue
        parts += (source[place:start], re.sub(r"[^\n]", " ", source[start:end]))
        place = end
    parts.append(source[place:])
    return "".join(parts), docstrings


def _docstring(text: str, start: int, documented: dict[int, str]) -> str:
    """The docstring that ends before a declaration, with nothing but white space between."""
    bare = text[:start].rstrip() if start < 4_000 else text[start - 4_000 : start].rstrip()
    offset = 0 if start < 4_000 else start - 4_000
    return max(
        ((end, found) for end, found in documented.items() if offset + len(bare) <= end <= start + 1),
        default=(0, ""),
    )[1]


def _leave(scopes: list[tuple[str, tuple[str, ...]]], names: tuple[str, ...]) -> None:
    if not scopes:
        return
    if not names:
        scopes.pop()
        return
    left = list(names)
    while scopes and left:
        kind, opened = scopes.pop()
        if len(opened) > len(left):  # end of the inner part of ``namespace A.B``
            scopes.append((kind, opened[: len(opened) - len(left)]))
            return
        left = left[: len(left) - max(1, len(opened))]


def _full_name(space: str, name: str) -> str:
    if name.startswith("_root_."):
        return name.removeprefix("_root_.")
    return f"{space}.{name}" if space else name


def _signature(text: str, start: int, kind: str) -> str:
    """What stands between the name and the value; of structures and inductive types all that they declare."""
    if kind in ("structure", "class", "inductive"):
        end = _BLOCK_END.search(text, start)
        return text[start : end.start() if end else len(text)]
    opened: list[str] = []
    place = start
    while (match := _ENDS.search(text, place)) is not None:
        found = match.group()
        if found in _CLOSERS:
            opened.append(_CLOSERS[found])
        elif opened and found == opened[-1]:
            opened.pop()
        elif not opened and found not in _CLOSERS.values():
            return text[start : match.start()] + (text[match.end() : match.end() + 200].split("\n")[0]
                                                  if kind == "alias" else "")
        elif found.startswith("\n") and not found.strip() and text[match.end() : match.end() + 1].strip():
            return text[start : match.start()]  # a bracket that the reader did not understand
        place = match.end()
    return text[start:]


def _instance_name(signature: str) -> str:
    """About the name that Lean gives to an instance without one: ``inst``, and the heads of its type."""
    depth, typed = 0, ""
    for number, character in enumerate(signature):
        depth += (character in "([{⦃") - (character in ")]}⦄")
        if character == ":" and depth == 0:
            typed = signature[number + 1 :]
            break
    heads = [_NUMBERS.get(found, found.split(".")[-1]) for found in _CONSTANT.findall(typed)]
    return "inst" + "".join(head for head in heads if len(head) > 1 and head[0].isupper())


def _additive(found: Declaration, space: str, attributes: str) -> Iterator[Declaration]:
    """The additive twin of a multiplicative declaration, where the source names it."""
    match = _ADDITIVE.search(attributes)
    if match is not None and match["name"] and match["name"] not in ("existing", "self", "none"):
        doc = " ".join(match["doc"].strip(' "').split())
        named = match["name"]
        home = found.name.rpartition(".")[0]
        yield replace(found, name=named if "." in named else _full_name(home, named), docstring=doc or found.docstring)
