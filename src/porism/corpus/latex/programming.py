"""The programming commands of etoolbox, ifthen and LaTeX's kernel, as far as they decide what is read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from porism.corpus.latex.conditionals import Conditionals
from porism.corpus.latex.macros import ProjectExpander
from porism.formula.macros.definition import Macro, body_of
from porism.formula.macros.tokens import EOF_TOKEN, join

_INTEGER = re.compile(r"-?\d{1,9}")
_COMBINED = frozenset(["\\and", "\\or", "\\not", "\\(", "\\)"])

MAX_LIST_ENTRIES = 1000
"""Lists that a command goes through may have so many entries; of longer ones the rest is left out and reported."""

MAX_LOOP_TOKENS = 2000
"""The end of a loop is looked for among so many tokens."""


@dataclass(slots=True)
class _Proposition:
    """What a parenthesis of a proposition amounts to so far."""

    value: bool | None = None
    operator: str = ""
    negated: bool = False

    def take(self, test: bool | None) -> None:
        """Combines with the next test."""
        if self.negated:
            test, self.negated = None if test is None else not test, False
        if self.operator == "\\and":
            both = self.value, test
            test = False if False in both else None if None in both else True
        elif self.operator == "\\or":
            both = self.value, test
            test = True if True in both else None if None in both else False
        self.value, self.operator = test, ""


class Programming:
    """Carries out tests with two branches, definitions by name, additions to macros and loops; installs itself."""

    def __init__(self, expander: ProjectExpander, conditionals: Conditionals) -> None:
        self.expander, self._conditionals = expander, conditionals
        self._registers = registers = conditionals.conditions.registers
        tests: dict[Callable[[], bool | None], str] = {
            lambda: self._is_defined(self._token()): "ifdef",
            lambda: not self._is_defined(self._token()): "ifundef",
            lambda: self._is_defined(self._name()): "ifcsdef",
            lambda: not self._is_defined(self._name()): "ifcsundef",
            lambda: not self._body(self._token()): "ifdefempty",
            lambda: not self._body(self._token()).strip(): "ifdefvoid",
            lambda: not self._body(self._name()): "ifcsempty",
            lambda: self._body(self._token()) == self._text(): "ifdefstring",
            lambda: self._body(self._name()) == self._text(): "ifcsstring",
            lambda: self._body(self._token()) == self._body(self._token()): "ifdefequal",
            lambda: self._body(self._name()) == self._body(self._name()): "ifcsequal",
            lambda: self._text() == self._text(): "ifstrequal",
            lambda: not self._text(): "ifstrempty",
            lambda: not self._text().strip(): "ifblank",
            lambda: bool(self._text().strip()): "notblank",
            lambda: self._flag("toggle "): "iftoggle",
            lambda: not self._flag("toggle "): "nottoggle",
            lambda: self._flag("\\if"): "ifbool",
            lambda: not self._flag("\\if"): "notbool",
            lambda: self._compare("=", registers.number): "ifnumequal",
            lambda: self._compare(">", registers.number): "ifnumgreater",
            lambda: self._compare("<", registers.number): "ifnumless",
            lambda: self._compare("", registers.number): "ifnumcomp",
            self._is_odd: "ifnumodd",
            lambda: self._compare("=", registers.dimension): "ifdimequal",
            lambda: self._compare(">", registers.dimension): "ifdimgreater",
            lambda: self._compare("<", registers.dimension): "ifdimless",
            lambda: self._compare("", registers.dimension): "ifdimcomp",
            self._proposition: "ifthenelse",
        }
        for test, name in tests.items():
            expander.primitives["\\" + name] = self._choice(test)
            expander.expandable.add("\\" + name)
        expander.install({
            self._new_flag: "newtoggle providetoggle newbool providebool newboolean provideboolean",
            self._set_flag: "toggletrue togglefalse booltrue boolfalse settoggle setbool setboolean",
            self._define: "csdef csgdef csedef csxdef",
            self._let: "cslet letcs csletcs",
            self._undefine: "undef csundef gundef csgundef",
            self._add: "appto gappto eappto xappto preto gpreto epreto xpreto csappto csgappto cspreto csgpreto "
            "apptocmd pretocmd g@addto@macro",
            self._caption: "setlocalecaption",
            self._list: "docsvlist forcsvlist",
            self._kernel_list: "@for",
            self._foreach: "foreach",
            self._loop: "loop",
        })

    def _text(self) -> str:
        return join(self.expander.group() or [])

    def _expanded(self) -> str:
        return join(self.expander.expanded(self.expander.group() or [])).strip()

    def _name(self) -> str:
        return "\\" + self._expanded()

    def _token(self) -> str:
        return "".join(self.expander.group() or []).strip()

    def _is_defined(self, name: str) -> bool:
        return self._conditionals.conditions.is_defined(name)

    def _body(self, name: str) -> str:
        macro = self.expander.macros.get(name)
        return join(macro.fixed) if macro is not None else ""

    def _flag(self, prefix: str) -> bool:
        self.expander.depends_on_more()
        return self._conditionals.flags.get(prefix + self._expanded(), False)

    def _choice(self, test: Callable[[], bool | None]) -> Callable[[str], None]:
        return lambda _: self._conditionals.choose(test())

    def _compare(self, relation: str, operand: Callable[[], float | None]) -> bool | None:
        """Compares two expressions; without a relation, that stands between them."""
        first = self._value(operand)
        relation = relation or self._expanded()
        second = self._value(operand)
        if first is None or second is None:
            return None
        return {"<": first < second, "=": first == second, ">": first > second}.get(relation)

    def _value(self, operand: Callable[[], float | None]) -> float | None:
        """The value of the expression in the group that follows."""
        return self._registers.read(self.expander.group() or [], lambda: self._registers.expression(operand))

    def _is_odd(self) -> bool | None:
        number = self._value(self._registers.number)
        return None if number is None else number % 2 == 1

    def _proposition(self) -> bool | None:
        """A proposition of ifthen: tests that ``\\and``, ``\\or``, ``\\not`` and ``\\( … \\)`` combine.

        As in ifthen, what is combined is read from left to right; it is unknown where a test that counts is.
        """
        tokens = self.expander.group() or []
        stack: list[_Proposition] = [_Proposition()]
        test: list[str] = []
        depth = 0
        for token in [*tokens, "\\)"]:
            depth += (token == "{") - (token == "}")
            name = token.lower()
            if depth or name not in _COMBINED:
                test.append(token)
                continue
            if any(not each.isspace() for each in test):
                stack[-1].take(self._test(test))
            test = []
            if name == "\\(":
                stack.append(_Proposition())
            elif name == "\\)" and len(stack) > 1:
                inner = stack.pop()
                stack[-1].take(inner.value)
            elif name == "\\not":
                stack[-1].negated = not stack[-1].negated
            elif name in ("\\and", "\\or"):
                stack[-1].operator = name
        while len(stack) > 1:
            inner = stack.pop()
            stack[-1].take(inner.value)
        return stack[0].value

    def _test(self, tokens: list[str]) -> bool | None:
        """A single test of ifthen."""
        reader = self.expander
        frames = reader.stream.swap(tokens)
        try:
            command = reader.skip_spaces()
            if command == "\\equal":
                return self._expanded() == self._expanded()
            if command == "\\boolean":
                return self._flag("\\if")
            if command == "\\isundefined":
                return not self._is_defined(self._token())
            if command == "\\isodd":
                return self._is_odd()
            if command == "\\lengthtest":
                return self._registers.read(
                    reader.group() or [], lambda: self._conditionals.conditions.compare(self._registers.dimension)
                )
        finally:
            reader.stream.restore(frames)
        return self._registers.read(tokens, lambda: self._conditionals.conditions.compare(self._registers.number))

    def _new_flag(self, command: str) -> None:
        name = self._expanded()
        if command.endswith("toggle"):
            self._conditionals.flags.setdefault(f"toggle {name}", False)
        elif f"\\if{name}" not in self._conditionals.flags:
            self._conditionals.declare(f"\\if{name}")

    def _set_flag(self, command: str) -> None:
        prefix = "toggle " if "toggle" in command else "\\if"
        name = self._expanded()
        holds = command.endswith("true") if not command.startswith("\\set") else self._expanded() == "true"
        self._conditionals.flags[prefix + name] = holds

    def _define(self, command: str) -> None:
        name, kind = self._name(), command.removeprefix("\\cs")
        self.expander.stream.push([f"\\{kind}", name])

    def _let(self, command: str) -> None:
        name = self._name() if command.startswith("\\cs") else self._token()
        meaning = self._token() if command == "\\cslet" else self._name()
        self.expander.stream.push(["\\let", name, meaning])

    def _caption(self, command: str) -> None:
        """babel's ``\\setlocalecaption{language}{theorem}{Satz}`` gives ``\\theoremname``; the last language counts."""
        reader = self.expander
        _, name, printed = self._expanded(), self._name(), reader.group() or []
        reader.define(f"{name}name", Macro((), body_of(printed)))

    def _undefine(self, command: str) -> None:
        name = self._name() if "cs" in command else self._token()
        self.expander.macros.pop(name, None)

    def _add(self, command: str) -> None:
        """Adds to the end or the beginning of a macro; a command of LaTeX itself stays as it is."""
        reader = self.expander
        name = self._name() if command.startswith("\\cs") else self._token()
        tokens = reader.group() or []
        if command.endswith("cmd"):
            reader.group()
            reader.group()
            if name not in reader.macros:
                return
        if command[1:2] in "ex":  # \\eappto, \\xpreto
            tokens = reader.expanded(tokens)
        macro = reader.macros.get(name) or Macro((), ())
        reader.stream.fuel -= len(macro.body)
        if reader.stream.fuel <= 0:
            reader.report(f"the macro {name} grows too long; what is added to it from here on is left out")
            return
        added = body_of(tokens)
        body = (*added, *macro.body) if "pre" in command else (*macro.body, *added)
        if name.startswith("\\"):
            reader.define(name, Macro(macro.arguments, body))

    def _list(self, command: str) -> None:
        handler = (self.expander.group() or []) if command == "\\forcsvlist" else ["\\do"]
        self._each(self._entries(self.expander.group() or []), lambda entry: [*handler, "{", *entry, "}"])

    def _kernel_list(self, command: str) -> None:
        """``\\@for\\x:=list\\do{…}``."""
        reader = self.expander
        variable = reader.skip_spaces() or ""
        head: list[str] = []
        while (token := reader.stream.next()) is not None and token != "\\do" and len(head) < MAX_LIST_ENTRIES:
            head.append(token)
        body = reader.group() or []
        if head and head[0].startswith(":="):
            head[0] = head[0][2:]
        self._each(self._entries(head), lambda entry: ["\\def", variable, "{", *entry, "}", *body])

    def _foreach(self, command: str) -> None:
        """pgffor's ``\\foreach \\x in {1,...,5} {…}`` with one variable; any other is reported."""
        reader = self.expander
        variable = reader.skip_spaces() or ""
        reader.optional()
        word = reader.skip_spaces() or ""
        if variable[:1] != "\\" or not word.startswith("in"):
            reader.report("a \\foreach that is not read: only loops with one variable are carried out")
            reader.stream.push([variable, word])
            return
        reader.stream.push([word[2:]])
        entries = self._entries(reader.group() or [])
        body = reader.group() or []
        self._each(_ranges(entries), lambda entry: ["\\def", variable, "{", *entry, "}", *body])

    def _loop(self, command: str) -> None:
        """TeX's ``\\loop … \\if… … \\repeat``: goes on while its condition holds."""
        reader = self.expander
        body: list[str] = []
        depth = 0
        while (token := reader.stream.next()) not in (None, EOF_TOKEN) and len(body) < MAX_LOOP_TOKENS:
            if token == "\\repeat" and depth == 0:
                break
            body.append(token or "")
            depth += (token == "{") - (token == "}")
        if token != "\\repeat" or not any(part.startswith("\\if") for part in body):
            reader.report("a \\loop without a condition or its \\repeat; it is read once")
            reader.stream.push([*body, *([token] if token is not None and token != "\\repeat" else [])])
            return
        reader.define("\\iterate", Macro((), body_of([*body, "\\iterate", "\\fi"])))
        reader.stream.push(["\\iterate"])

    def _entries(self, tokens: list[str]) -> list[list[str]]:
        """The entries of a list with commas, which a macro may hold."""
        tokens = [token for token in tokens if token and not token.isspace()] if len(tokens) < 4 else tokens
        macro = self.expander.macros.get(tokens[0]) if len(tokens) == 1 else None
        return _split(list(macro.fixed) if macro is not None else tokens)

    def _each(self, entries: list[list[str]], made: Callable[[list[str]], list[str]]) -> None:
        """Goes on with what is made of each entry."""
        if len(entries) > MAX_LIST_ENTRIES:
            self.expander.report(f"a list of {len(entries):,} entries; {MAX_LIST_ENTRIES:,} of them are gone through")
        taken = [token for entry in entries[:MAX_LIST_ENTRIES] for token in made(entry)]
        self.expander.stream.fuel -= len(taken)
        self.expander.stream.push(taken)


def _split(tokens: list[str]) -> list[list[str]]:
    """The entries between the commas that are in no braces."""
    entries: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token == "{") - (token == "}")
        if depth or "," not in token or token[0] in "\\\0":
            entries[-1].append(token)
            continue
        first, *others = token.split(",")
        entries[-1].append(first)
        entries.extend([other] for other in others)
    return [entry for entry in entries if any(map(str.strip, entry))]


def _ranges(entries: list[list[str]]) -> list[list[str]]:
    """The entries of ``1,3,...,9`` with those for which dots stand; of letters and fractions the dots stay."""
    taken: list[list[str]] = []
    texts = [join(entry).strip() for entry in entries]
    for place, text in enumerate(texts):
        before, after = texts[max(0, place - 2) : place], texts[place + 1 : place + 2]
        if text != "..." or not before or not after or not all(map(_INTEGER.fullmatch, (*before[-1:], *after))):
            taken.append([text])
            continue
        first, last = int(before[-1]), int(after[0])
        is_stepped = len(before) == 2 and _INTEGER.fullmatch(before[0]) is not None
        step = first - int(before[0]) if is_stepped else 1 if first < last else -1
        count = (last - first) // step if step else 0
        numbers = range(first + step, first + step * (min(count, MAX_LIST_ENTRIES) + 1), step or 1)
        taken.extend([str(number)] for number in numbers if number != last)
    return taken
