"""The declarations of a Lean file: names, binders, statements, docstrings and attributes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import NamedTuple

from porism.corpus.formal.binders import CLOSERS, NAME, NAME_PART, Binder, closing, read_binders
from porism.corpus.formal.declarations import FormalDeclaration
from porism.corpus.formal.source import DocComment
from porism.corpus.lean.attributes import Attribute, read_attributes, read_list
from porism.corpus.lean.commands import ANY_COMMAND, BLOCKS, MODIFIER, NO_NAMES, begin, commands
from porism.corpus.lean.names import full_name, instance_name
from porism.corpus.lean.scopes import ONE_COMMAND, Scopes
from porism.corpus.lean.source import LeanSource

MAX_VALUE = 300
"""So many characters of the value say what a declaration without a type is."""

_UNIVERSES = re.compile(r"\.\{[^{}\n]*\}")
_END_OF_STATEMENT = re.compile(
    r":=|(?<![\w.])(?:where|let|have|letI|haveI)(?![\w'])|[(\[{⟨⦃)\]}⟩⦄]|\n\s*\|(?=[^\n]*=>)"
)
_CLOSING = frozenset(CLOSERS.values())
_LOCAL = frozenset(("let", "have", "letI", "haveI"))
_OPENED = re.compile(rf"[ \t]*(?:\n[ \t]+)?(?P<word>{NAME})|[ \t]*(?:\n[ \t]+)?(?P<group>\()")
_IN = re.compile(r"\s*in(?![\w'])")
_NAME_BEHIND = re.compile(rf"[ \t]+({NAME})")
_ALIASED = re.compile(rf"\s*(?:⟨(?P<pair>[^⟨⟩]*)⟩|(?P<name>{NAME})?)\s*(?::=|↔|←)\s*(?P<target>{NAME})?")
_ALIGNED = re.compile(rf"[ \t]+(?P<old>\S+)[ \t]+(?P<name>{NAME})")
_PROJECTIONS = re.compile(rf"\s*(?P<name>{NAME})\s*(?P<rules>\([^()]*\))?")
_PROJECTION = re.compile(rf"({NAME})\s*→\s*({NAME_PART})|as_prefix\s+({NAME_PART})")


@dataclass(slots=True)
class Declaration(FormalDeclaration):
    """A declaration of Lean, with the variables that its statement uses.

    ``variables`` and ``statement`` together are its signature. ``inner`` are the docstrings of its fields or
    constructors, ``value_at`` is where its value begins and ``end`` where it ends. ``generated`` names the attribute
    that makes it, and ``origin`` the declaration that it is made from or, of an alias, that it stands for.
    """

    variables: str = ""
    inner: list[DocComment] = field(default_factory=list)
    attributes: tuple[Attribute, ...] = ()
    opened: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()
    value_at: int = 0
    end: int = 0
    generated: str = ""
    origin: str = ""

    def attribute(self, name: str) -> Attribute | None:
        """The attribute of a name, in others too."""
        waiting = list(self.attributes)
        while waiting:
            attribute = waiting.pop(0)
            if attribute.name == name:
                return attribute
            waiting += attribute.nested
        return None


class Projections(NamedTuple):
    """How ``simps`` names the projections of a structure: field → name, and which names come first."""

    names: dict[str, str]
    prefixes: frozenset[str]


class DeclarationReader:
    """Goes through the commands of a file.

    :param report: called with a place and what is wrong there.
    """

    def __init__(self, source: LeanSource, report: Callable[[int, str], None]) -> None:
        self.source, self._report = source, report
        self._scopes = Scopes()
        self.declarations: list[Declaration] = []
        self.projections: dict[str, Projections] = {}
        """What the file says about the projections of its structures."""
        self._by_name: dict[str, Declaration] = {}
        self._numbers: Counter[str] = Counter()  # of names of instances: how many more have them
        self._read()

    def find(self, name: str, namespace: str = "") -> Declaration | None:
        """The declaration that a name means in a namespace."""
        name = name.removeprefix("_root_.")
        while True:
            declaration = self._by_name.get(full_name(namespace, name))
            if declaration is not None or not namespace:
                return declaration
            namespace = namespace.rpartition(".")[0]

    def _read(self) -> None:
        bare = self.source.bare
        matches = commands(bare)
        ends = [*map(begin, matches[1:]), len(bare)]
        plain: dict[str, Callable[[re.Match[str], int], bool]] = {
            "end": self._end, "variable": self._variable, "include": self._include, "omit": self._omit,
            "initialize_simps_projections": self._projections, "#align": self._align, "open": self._open,
            "attribute": self._attribute,
        }  # fmt: skip
        for match, end in zip(matches, ends, strict=False):
            lasts = False
            if match["kind"]:
                self._declare(match, end)
            elif match["scope"]:
                self._scopes.leave_command()
                self._scopes.enter(match["scope"], self._parts_behind(match.end(), end))
            else:
                lasts = plain[match["command"] or match["plain"]](match, end)
            if not lasts:
                self._scopes.leave_command()

    def _parts_behind(self, place: int, end: int) -> list[str]:
        """The parts of the name that follows on a line, if any."""
        name = _NAME_BEHIND.match(self.source.bare, place, end)
        return name.group(1).split(".") if name is not None else []

    def _end(self, match: re.Match[str], end: int) -> bool:
        self._scopes.leave_command()
        if problem := self._scopes.leave(self._parts_behind(match.end(), end)):
            self._report(begin(match), problem)
        return False

    def _for_one_command(self, place: int, end: int) -> bool:
        """Whether ``in`` follows; then a scope for the next command begins."""
        if _IN.match(self.source.bare, place, end) is None:
            return False
        self._scopes.enter(ONE_COMMAND)
        return True

    def _variable(self, match: re.Match[str], end: int) -> bool:
        binders = read_binders(self.source.bare, self.source.code, match.end(), end)
        lasts = self._for_one_command(binders.end, end)
        self._scopes.bind(binders.binders)
        return lasts

    def _include(self, match: re.Match[str], end: int) -> bool:
        place, names = self._words(match.end(), end)
        lasts = self._for_one_command(place, end)
        self._scopes.include(names)
        return lasts

    def _omit(self, match: re.Match[str], end: int) -> bool:
        binders = read_binders(self.source.bare, self.source.code, match.end(), end)
        place, names = self._words(binders.end, end)
        lasts = self._for_one_command(place, end)
        self._scopes.omit((*binders.binders, *(Binder(name, "", "") for name in names)))
        return lasts

    def _open(self, match: re.Match[str], end: int) -> bool:
        place, names = self._words(match.end(), end)
        if _IN.match(self.source.bare, place, end) is not None and match.group()[1:2].isspace():
            return True  # inside a proof
        lasts = self._for_one_command(place, end)
        names = list(takewhile(lambda name: name not in ("hiding", "renaming"), names))
        self._scopes.open(name for name in names if name != "scoped")
        return lasts

    def _words(self, place: int, end: int) -> tuple[int, list[str]]:
        """The names that follow on this line and those that go on with it, without those in brackets."""
        names: list[str] = []
        bare = self.source.bare
        while (match := _OPENED.match(bare, place, end)) is not None:
            if match["group"]:
                closed = closing(bare, match.end() - 1, end)
                if closed < 0:
                    break
                place = closed
            elif match["word"] == "in":
                break
            else:
                names.append(match["word"])
                place = match.end()
        return place, names

    def _attribute(self, match: re.Match[str], end: int) -> bool:
        """``attribute [simp] foo bar``: attributes that declarations get later."""
        bare = self.source.bare
        start = bare.find("[", match.end(), end)
        closed = closing(bare, start, end) if start >= 0 and not bare[match.end() : start].strip() else -1
        if closed < 0:
            return False
        attributes = tuple(read_list(self.source, start + 1, closed - 1))
        place, names = self._words(closed, end)
        lasts = self._for_one_command(place, end)
        if any(attribute.name == "instance" for attribute in attributes):
            self._scopes.use_instances(names)
        if lasts:
            return True
        for name in names:
            declaration = self.find(name, self._scopes.namespace)
            if declaration is not None:
                declaration.attributes += attributes
        return False

    def _align(self, match: re.Match[str], end: int) -> bool:
        """``#align old_name name``: the name that a declaration had in Lean 3."""
        names = _ALIGNED.match(self.source.bare, match.end(), end)
        declaration = self._by_name.get(names["name"]) if names is not None else None
        if declaration is not None and names is not None:
            declaration.names.append(names["old"])
        return False

    def _projections(self, match: re.Match[str], end: int) -> bool:
        named = _PROJECTIONS.match(self.source.bare, match.end(), end)
        if named is not None:
            rules = _PROJECTION.findall(named["rules"] or "")
            self.projections[named["name"]] = Projections(
                {old: new for old, new, _ in rules if old}, frozenset(prefix for _, _, prefix in rules if prefix)
            )
        return False

    def _declare(self, match: re.Match[str], end: int) -> None:
        """A declaration, or several of one command."""
        source, kind = self.source, " ".join(match["kind"].split())
        start = begin(match)
        keyword = match.start("kind")
        written = match["name"] or ""
        place = match.end()
        if written.partition(".")[0] in NO_NAMES:
            written, place = "", match.start("name")
        head_end = match.end("head")
        common = Declaration(
            name="", kind=kind, start=start, line=source.line(keyword), docstring=source.docstring_before(start),
            attributes=read_attributes(source, start, head_end) if "@" in match["head"] else (),
            modifiers=tuple(MODIFIER.findall(match["head"])) if match["head"] else (),
            opened=self._scopes.opened, instances=self._scopes.instances, end=end,
        )  # fmt: skip
        if kind == "alias":
            self._alias(common, keyword + len(kind), end)
            return
        universes = _UNIVERSES.match(source.bare, place, end)
        place = universes.end() if universes is not None else place
        common.value_at = self._statement_end(kind, place, end)
        if kind in BLOCKS:
            common.end = common.value_at
            common.inner = source.docstrings_within(place, common.value_at)
        self._state(common, place)
        if not written and kind == "instance":
            written = self._unused(self._instance_name(place, common.value_at))
        if not written:
            self._report(keyword, f"{kind} without a name that can be read")
            return
        self._add(common, full_name(self._scopes.namespace, written))

    def _unused(self, name: str) -> str:
        """A name that no declaration before has: Lean adds a number."""
        full = full_name(self._scopes.namespace, name)
        unused = name
        while full_name(self._scopes.namespace, unused) in self._by_name:
            self._numbers[full] += 1
            unused = f"{name}_{self._numbers[full]}"
        return unused

    def _instance_name(self, start: int, end: int) -> str:
        own = read_binders(self.source.bare, self.source.code, start, end)
        names = {binder.name for binder in own.binders}
        hypotheses = [binder.type for binder in own.binders if binder.bracket == "["]
        return instance_name(
            self.source.bare[own.end : end].strip().removeprefix(":"), hypotheses,
            lambda name: name in names or name in self._scopes.variables, self._scopes.namespace,
        )  # fmt: skip

    def _state(self, declaration: Declaration, start: int) -> None:
        """Gives a declaration its statement and the variables that it uses."""
        statement, declaration.statement_lines = self.source.stretch(start, declaration.value_at, declaration.line)
        included = self._scopes.included if declaration.kind in ("theorem", "lemma") else frozenset[str]()
        declaration.variables = self._scopes.variables.used_by(statement, included)
        if not statement:
            end = min(declaration.end, declaration.value_at + MAX_VALUE)
            statement, declaration.statement_lines = self.source.stretch(declaration.value_at, end, declaration.line)
        declaration.statement = statement

    def _alias(self, common: Declaration, place: int, end: int) -> None:
        """``alias name := target``, ``alias ⟨forward, backward⟩ := target``."""
        match = _ALIASED.match(self.source.bare, place, end)
        if match is None:
            self._report(place, "alias without names that can be read")
            return
        written = [name for name in (match["pair"] or match["name"] or "").replace(",", " ").split() if name != "_"]
        target = match["target"] or ""
        named = self.find(target, self._scopes.namespace)
        if named is not None:
            common.variables, common.statement = named.variables, named.statement
        common.origin = named.name if named is not None else target
        common.end = common.value_at = match.end()
        if not written:
            self._report(place, "alias without a name that can be read")
        for name in written:
            full = full_name(self._scopes.namespace, name)
            self._add(replace(common, names=[]), full)
            if named is not None and common.attribute("deprecated") is not None:
                named.names.append(full)

    def _add(self, declaration: Declaration, name: str) -> None:
        declaration.name = name
        self.declarations.append(declaration)
        self._by_name.setdefault(name, declaration)
        if "local" in declaration.modifiers or any(own.name == "instance" for own in declaration.attributes):
            self._scopes.use_instances((name,))

    def _statement_end(self, kind: str, start: int, end: int) -> int:
        """Where the statement of a declaration ends: before its value, or before the next command."""
        bare = self.source.bare
        if kind in BLOCKS:
            following = ANY_COMMAND.search(bare, start, end)
            return following.start() if following is not None else end
        return _value_start(bare, start, end)


def _value_start(bare: str, start: int, end: int) -> int:
    """The place where the value of a declaration begins, the end where it has none."""
    opened: list[str] = []
    local = 0
    for match in _END_OF_STATEMENT.finditer(bare, start, end):
        token = match.group()
        if token in CLOSERS:
            opened.append(CLOSERS[token])
        elif opened:
            if token == opened[-1]:
                opened.pop()
        elif token in _LOCAL:
            local += 1
        elif token == ":=" and local:
            local -= 1
        elif token not in _CLOSING:
            return match.start()
    return end
