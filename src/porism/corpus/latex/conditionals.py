"""The part of TeX's machinery that decides what is read: conditionals, looking ahead, and what steers expansion."""

from __future__ import annotations

from collections.abc import Callable

from porism.corpus.latex.conditions import Conditions
from porism.corpus.latex.macros import ProjectExpander
from porism.corpus.latex.omissions import pass_over
from porism.corpus.latex.tables import INCLUDES, words
from porism.formula.macros.choices import install_choices
from porism.formula.macros.definition import MANDATORY, Macro, body_of
from porism.formula.macros.tokens import EOF_TOKEN, NO_VALUE, PAR, join

_CONDITIONALS = words(
    "\\if \\ifx \\ifnum \\ifdim \\ifodd \\ifcase \\ifcat \\ifhmode \\ifvmode \\ifinner \\ifhbox \\ifvbox \\ifvoid "
    "\\ifeof \\ifdefined \\ifcsname \\iftrue \\iffalse \\ifmmode \\if@twocolumn \\if@twoside"
)
_NUMERIC = frozenset(["\\ifnum", "\\ifdim", "\\ifodd"])
_ENGINE = {
    "\\ifpdf": True, "\\ifpdftex": True, "\\ifPDFTeX": True, "\\ifxetex": False, "\\ifXeTeX": False,
    "\\ifluatex": False, "\\ifLuaTeX": False, "\\iftutex": False, "\\ifTUTeX": False, "\\ifvtex": False,
    "\\ifstandalone": False, "\\ifstandalonebeamer": False,
}  # fmt: skip
"""What packages say of the program that sets the text, which is taken to be pdfLaTeX, and of the document."""

_EXCLUDED = "\\excluded "
"""Before the name of an environment: the macro that says whether the project leaves it out."""

_SAME = {"\\bgroup": "{", "\\egroup": "}", "\\@sptoken": " ", "\\par": PAR}
"""Control sequences that stand for a character."""
_KERNEL = {
    "@empty": (0, ""), "empty": (0, ""), "@firstofone": (1, "#1"), "@iden": (1, "#1"), "@firstoftwo": (2, "#1"),
    "@secondoftwo": (2, "#2"), "@gobble": (1, ""), "@gobbletwo": (2, ""), "unexpanded": (1, "#1"),
    "subfix": (1, "#1"), "@nameuse": (1, "\\csname #1\\endcsname"),
    "@namedef": (1, "\\expandafter\\def\\csname #1\\endcsname"), "csuse": (1, "\\csname #1\\endcsname"),
}  # fmt: skip
"""Macros of LaTeX that projects build on: how many arguments they take, and what they stand for."""


class Conditionals:
    """Carries out conditionals; installs itself in an expander.

    A condition that only a typesetter could evaluate counts as false; where this hides files, it is reported.
    """

    def __init__(self, expander: ProjectExpander) -> None:
        self.expander = expander
        self.flags: dict[str, bool] = dict(_ENGINE)
        """Each ``\\newif`` and its value, in the order of the declarations."""
        self.conditions = Conditions(expander, self.flags)
        self._hidden_files = 0
        self.on_hidden: Callable[[str, str], None] = lambda command, name: None
        """Called with each command that loads a file, and its name, in a branch that may have been to be taken."""
        expander.install({
            self._newif: "newif",
            self._if_next: "@ifnextchar",
            self._unless: "unless",
            self._at_letter: "makeatletter makeatother ExplSyntaxOn ExplSyntaxOff",
            self._ignore: "relax protect long protected xspace leavevmode ignorespaces ignorespacesafterend unskip "
            "nobreak allowbreak noexpand fi",
            self._else: "else or",
            self._exclude: "excludecomment includecomment excludeversion includeversion",
        })
        install_choices(expander)
        for name in (*_CONDITIONALS, *_ENGINE):
            expander.primitives[name] = self._conditional
        expander.expandable.update(_CONDITIONALS, _ENGINE, words("\\else \\or \\fi \\unless"), (
            name for name in expander.primitives if name.startswith(("\\IfBoolean", "\\IfValue", "\\IfNoValue"))
        ))  # fmt: skip

    def declare(self, name: str) -> None:
        """Makes ``name`` (``\\ifdraft``) a conditional, false at first, with the commands that set it."""
        self.flags.pop(name, None)
        self.flags[name] = False
        expander = self.expander
        expander.primitives[name] = self._conditional
        expander.expandable.add(name)
        stem = name[3:]
        for suffix, value in (("true", True), ("false", False)):
            expander.primitives[f"\\{stem}{suffix}"] = self._setter(name, value)

    def choose(self, holds: bool | None) -> None:
        """Reads two groups, and goes on with the first or the second; the other is not read."""
        yes, no = self.expander.group() or [], self.expander.group() or []
        if holds is None:
            hidden = self._hidden_files
            frames = self.expander.stream.swap(yes)
            while (token := self.expander.stream.next()) is not None:
                self._look_for_files(token)
            self.expander.stream.restore(frames)
            if self._hidden_files == hidden:
                self._report_unknown("a test")
        self.expander.stream.push(yes if holds else no)

    def _newif(self, command: str) -> None:
        name = self.expander.skip_spaces() or ""
        if name.startswith("\\if"):
            self.declare(name)

    def _setter(self, name: str, value: bool) -> Callable[[str], None]:
        def put(_: str) -> None:
            self.flags[name] = value

        return put

    def _conditional(self, command: str) -> None:
        """Takes the branch of a condition that can be evaluated, and the ``\\else`` branch of any other."""
        if command == "\\ifcase":
            self._case()
            return
        holds, hidden = self.conditions.holds(command), self._hidden_files
        if not holds:
            self._skip_branch("\\else", unsure=holds is None, commented=command in ("\\iffalse", "\\if"))
        if holds is None and command in _NUMERIC and self._hidden_files == hidden:
            self._report_unknown(command)

    def excludes(self, name: str) -> bool:
        """Whether the project leaves out all environments of this name: ``\\excludecomment``, ``\\let\\x\\comment``."""
        macros = self.expander.macros
        if _EXCLUDED + name in macros:
            return macros[_EXCLUDED + name].body == ("true",)
        macro = macros.get("\\" + name)
        return macro is not None and macro.body in (("\\comment",), ("\0\\comment",)) and name != "comment"

    def _exclude(self, command: str) -> None:
        is_excluded = "true" if command.startswith("\\exclude") else "false"
        for name in self.expander.expanded_name().split(","):
            self.expander.define(_EXCLUDED + name.strip(), Macro((), (is_excluded,)))

    def _unless(self, command: str) -> None:
        condition = self.expander.stream.next() or ""
        if self.expander.primitives.get(condition) != self._conditional or condition == "\\ifcase":
            self.expander.stream.push([condition])
        elif self.conditions.holds(condition):
            self._skip_branch("\\else")

    def _case(self) -> None:
        number = self.conditions.registers.number()
        if number is None:
            self._report_unknown("\\ifcase")
        for _ in range(min(number, 1000) if number is not None and number >= 0 else 1000):
            if self._skip_branch("\\else", "\\or", unsure=number is None) != "\\or":
                return

    def _report_unknown(self, command: str) -> None:
        self.conditions.registers.unknown(f"what {command} asks cannot be computed; it counts as false")

    def _else(self, command: str) -> None:
        """Reached at the end of a branch that was taken."""
        self._skip_branch()

    def _skip_branch(self, *ends: str, unsure: bool = False, commented: bool = False) -> str:
        """Passes over what is not read, up to one of these ends or to ``\\fi``, which it returns.

        :param commented: whether that is how authors comment something out, ``\\iffalse`` and ``\\if0``.
        """
        depth = 0
        primitives = self.expander.primitives
        while (token := self.expander.stream.next()) is not None:
            if token == "\\fi":
                if depth == 0:
                    return token
                depth -= 1
            elif depth == 0 and token in ends:
                return token
            elif token == EOF_TOKEN:
                self.expander.stream.push([token])
                self.expander.report("a conditional without \\fi hides the rest of the file")
                return token
            elif token.startswith("\\if") and primitives.get(token) == self._conditional:
                depth += 1
            elif commented:
                pass_over([token])
            elif unsure:
                self._look_for_files(token)
        return "\\fi"

    def _look_for_files(self, token: str) -> None:
        """Says which files a command names that is not carried out."""
        if token[1:] in INCLUDES:
            self.expander.optional()
            if self.expander.follows("{") and (name := self.expander.expanded_name()):
                self._hidden_files += 1
                self.on_hidden(token[1:], name)

    def _if_next(self, command: str) -> None:
        reader = self.expander
        wanted, yes, no = reader.skip_spaces(), reader.group(), reader.group()
        token = reader.skip_spaces()
        if token is not None:
            reader.stream.push([token])
        wanted = _SAME.get(wanted or "", wanted)
        if wanted and yes is not None and no is not None:
            reader.stream.push(yes if token is not None and token.startswith(wanted) else no)

    def _at_letter(self, command: str) -> None:
        file = self.expander.stream.file
        if file is not None:
            file.at_letter = command in ("\\makeatletter", "\\ExplSyntaxOn")

    def _ignore(self, command: str) -> None:
        return


class Expansion:
    """Carries out what steers expansion; installs itself in an expander."""

    def __init__(self, expander: ProjectExpander, conditionals: Conditionals) -> None:
        self.expander, self._conditionals = expander, conditionals
        expander.install({
            self._csname: "csname", self._expandafter: "expandafter", self._if_undefined: "@ifundefined",
            self._in_preamble: "AtBeginDocument", self._detokenize: "detokenize",
            self._doubled_argument: "@dblarg", self._future_let: "futurelet",
        })
        expander.expandable.update(["\\csname", "\\expandafter", "\\@ifundefined", "\\number", "\\detokenize"])
        for name, (count, body) in _KERNEL.items():
            expander.macros["\\" + name] = Macro((MANDATORY,) * count, body_of(expander.tokenize(body)))

    def _csname(self, command: str) -> None:
        parts: list[str] = []
        stream = self.expander.stream
        while (token := self.expander.next_expanded()) is not None and token != "\\endcsname":
            parts.append(token)
            if token in ("{", "}", EOF_TOKEN) or token[0] == "\\" or len(parts) > 100:
                stream.push(parts)
                return
        stream.push(["\\" + "".join(part for part in parts if part != NO_VALUE).strip()])

    def _expandafter(self, command: str) -> None:
        """Expands the token after the next one, or after a chain of such commands, once."""
        stream = self.expander.stream
        held: list[str] = []
        while (token := stream.next()) is not None and token != EOF_TOKEN:
            held.append(token)
            following = stream.next()
            if following == "\\expandafter":
                stream.fuel -= 1
                continue
            if following is not None and not self.expander.expand_once(following):
                stream.push([following])
            stream.push(held)
            return
        stream.push([*held, token] if token else held)

    def _if_undefined(self, command: str) -> None:
        name = "\\" + join(self.expander.expanded(self.expander.group() or [])).strip()
        self._conditionals.choose(not self._conditionals.conditions.is_defined(name))

    def _in_preamble(self, command: str) -> None:
        """What is to be done where the document begins is done at once: it defines, as nothing in a preamble prints."""
        self.expander.stream.push(self.expander.group() or [])

    def _doubled_argument(self, command: str) -> None:
        """``\\@dblarg\\foo{x}`` is ``\\foo[x]{x}``."""
        reader = self.expander
        called = reader.group() or []
        if not reader.follows("[") and (argument := reader.group()) is not None:
            called = [*called, "[", *argument, "]", "{", *argument, "}"]
        reader.stream.push(called)

    def _future_let(self, command: str) -> None:
        """``\\futurelet\\next\\test x`` is ``\\let\\next=x \\test x``."""
        reader = self.expander
        name, test, following = reader.skip_spaces(), reader.skip_spaces(), reader.stream.next()
        if name is not None and test is not None and following is not None:
            first, *rest = reader.split(following)
            reader.stream.push(["\\let", name, "=", first, test, first, *rest])

    def _detokenize(self, command: str) -> None:
        """``\\detokenize{…}``: characters, also where they look like a command."""
        text = join(self.expander.group() or [])
        self.expander.stream.push([f" {text}" if text[:1] == "\\" else text] if text else [])
