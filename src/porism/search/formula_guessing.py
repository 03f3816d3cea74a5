r"""Formulas in a question that nobody put between dollars: ``why does ∑ 1/n² = π²/6``, ``x^2+y^2=z^2``, ``\int_0^1 f``.

What is surely a formula becomes one; what could be one, such as ``n/2``, stays words and is reported. Words divide the
text into runs of what can be part of a formula. A run is one where it has what prose has not: a command of LaTeX, a
power, an index, a relation or a sum of symbols, a call ``f(x)``, a sign of Unicode's mathematics.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from porism.types import Content, Formula

_SIGNS = (
    "\u00b2\u00b3\u00b9\u2070-\u209c\u2102-\u2134\u2190-\u21ff\u2200-\u2211\u2213-\u22ff\u27c0-\u27ff\u2900-\u2aff"
    "\U0001d400-\U0001d7ff"
)
_LEXEME = re.compile(
    rf"(?P<sign>[{_SIGNS}])|(?P<command>\\(?:[A-Za-z]+|[^A-Za-z]))|(?P<number>\d+(?:\.\d+)*|[¼-¾])"
    rf"|(?P<wildcard>\?[A-Za-z]+)|(?P<letters>(?:(?![{_SIGNS}])[^\W\d_])+)"
    r"|(?P<relation><=|>=|!=|:=|->|=>|[=<>])|(?P<operator>[+*/×÷±·−-])|(?P<script>[\^_])"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<bar>\|+)|(?P<prime>['′]+(?![^\W_]))|(?P<dots>\.{3}|…)"
    r"|(?P<separator>[,;!&](?=\S)|!)|(?P<other>.)",
    re.DOTALL,
)
_FUNCTIONS = frozenset(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln sqrt exp lim max min sup inf gcd lcm det dim "
    "ker deg mod arg".split()
)
_WITHOUT_PARENTHESES = frozenset("sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln sqrt".split())
_GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega "
    "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega".split()
)
_SHORT_WORDS = frozenset(
    "is of or if the to in on by as at an and are be for has its it no not so we us up do how why can let all any one "
    "two non vs via me my he".split()
)
_ARTICLES = frozenset("aAI")
_ABBREVIATIONS = frozenset("n/a w/o c/o i/o a/c b/c y/n w/e s/o".split())
_INDEX = re.compile(r"[ijklmnpqrst]\Z")
_INTEGRALS = frozenset({"∫", "∬", "∮", r"\int", r"\iint", r"\oint"})
_BIG = _INTEGRALS | {"∑", "∏", r"\sum", r"\prod", r"\lim", "lim"}
_WRITTEN = {"*": r"\cdot ", "<=": r"\le ", ">=": r"\ge ", "!=": r"\ne ", "->": r"\to ", "=>": r"\Rightarrow "}
_OPERAND_ENDS = frozenset({"letters", "number", "wildcard", "sign", "command", "close", "prime", "bar"})
_OPERAND_STARTS = frozenset({"letters", "number", "wildcard", "sign", "command", "open", "bar"})
_JOINING = frozenset({"operator", "relation", "script", "sign", "command"})


class _Lexeme(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class _Chunk(NamedTuple):
    """A text between blanks. ``kind``: ``word``; ``weak``, few letters or an article, which belong to a formula
    beside an operator only; ``alone``, an operand that does not begin or end one by itself; ``part`` of a formula."""

    kind: str
    lexemes: tuple[_Lexeme, ...]
    ends: bool


@dataclass(frozen=True, slots=True)
class Guess:
    """A text in which formulas were recognised: the ``content``, the LaTeX of those that are new, and what stayed words
    though it could be a formula (``doubtful``)."""

    content: Content
    formulas: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()


def recognise_formulas(text: Content | str) -> Guess:
    """Recognises formulas in the text of a question; those that it has already stay as they are."""
    given = Content(text) if isinstance(text, str) else text
    parts: list[str | Formula] = []
    formulas: list[str] = []
    doubtful: list[str] = []
    for part in given.parts:
        if isinstance(part, Formula):
            parts.append(part)
            continue
        done = 0
        for run in _runs(part):
            start, end = run[0].start, run[-1].end
            if _is_formula(run):
                source = _to_latex(run, part)
                parts += [part[done:start], Formula(source)]
                formulas.append(source)
                done = end
            elif _is_doubtful(run, part[start:end]):
                doubtful.append(part[start:end])
        parts.append(part[done:])
    return Guess(Content.of(*parts), tuple(formulas), tuple(dict.fromkeys(doubtful)))


def _tokens(text: str) -> Iterator[_Chunk]:
    """The texts between blanks; a blank between the braces of LaTeX parts nothing."""
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        start, depth, latex = position, 0, False
        while position < len(text) and (depth > 0 or not text[position].isspace()):
            latex = latex or text[position] in "\\^_"
            depth += latex and text[position] == "{"
            depth -= depth > 0 and text[position] == "}"
            position += 1
        yield _token(text, start, position)


def _token(text: str, start: int, end: int) -> _Chunk:
    stop = end
    while stop > start and text[stop - 1] in ".,;:?!\"”" and text[start:stop] not in ("...", "…"):
        stop -= 1
    lexemes = tuple(
        _Lexeme(str(match.lastgroup), match.group(), match.start(), match.end())
        for match in _LEXEME.finditer(text, start, stop)
    )
    return _Chunk(_kind(lexemes), lexemes, stop < end)


def _kind(lexemes: tuple[_Lexeme, ...]) -> str:
    if not lexemes or any(lexeme.kind == "other" and not lexeme.text.isspace() for lexeme in lexemes):
        return "word"
    has_command = any(lexeme.kind == "command" for lexeme in lexemes)
    weak = False
    for number, lexeme in enumerate(lexemes):
        if lexeme.kind != "letters" or len(lexeme.text) == 1 or has_command or lexeme.text in _FUNCTIONS:
            continue
        neighbours = (*lexemes[max(0, number - 1):number], *lexemes[number + 1:number + 2])
        beside = {neighbour.kind for neighbour in neighbours if neighbour.text != "-"}
        if lexeme.text in _GREEK or (len(lexeme.text) == 2 and lexeme.text[0] == "d"):
            weak = weak or len(lexemes) == 1
        elif len(lexeme.text) > 3 or lexeme.text.lower() in _SHORT_WORDS:
            return "word"
        elif not beside & {"operator", "relation", "script"}:
            if len(lexemes) > 1:
                return "word"
            weak = True
    if weak:
        return "weak"
    if len(lexemes) == 1 and lexemes[0].text in _ARTICLES:
        return "weak"
    alone = len(lexemes) == 1 and lexemes[0].kind in ("letters", "number")
    return "alone" if alone and lexemes[0].text not in _WITHOUT_PARENTHESES else "part"


def _runs(text: str) -> Iterator[list[_Lexeme]]:
    """The lexemes between words and the marks of sentences, without what cannot begin or end a formula."""
    tokens = list(_tokens(text))
    if tokens and all(token.kind in ("alone", "part") and not token.ends for token in tokens[:-1]) and (
        tokens[-1].kind in ("alone", "part")
    ):  # a question of nothing but mathematics is one formula
        if whole := _balanced([lexeme for token in tokens for lexeme in token.lexemes]):
            yield whole
        return
    run: list[_Chunk] = []
    opened = 0
    for token in tokens:
        if token.kind != "word":
            run.append(token)
        opened += sum((lexeme.kind == "open") - (lexeme.kind == "close") for lexeme in token.lexemes)
        if token.kind == "word" or (token.ends and opened <= 0):  # H^1(X, Z) goes on after the comma
            yield from _trimmed(run)
            run, opened = [], 0
    yield from _trimmed(run)


def _trimmed(run: list[_Chunk]) -> Iterator[list[_Lexeme]]:
    """A run without loose letters and numbers at its ends, in parts where few letters have no operator beside them."""
    parts: list[list[_Chunk]] = [[]]
    for number, token in enumerate(run):
        before = run[number - 1].lexemes[-1] if number else None
        after = run[number + 1].lexemes[0] if number + 1 < len(run) else None
        if token.kind == "weak" and not (_joins(before) or _joins(after) or _is_differential(token, run)):
            parts.append([])
        else:
            parts[-1].append(token)
    for part in parts:
        while part and part[0].kind == "alone" and not _joins(part[1].lexemes[0] if len(part) > 1 else None):
            part.pop(0)
        while part and part[-1].kind == "alone" and not (
            len(part) > 1 and (_joins(part[-2].lexemes[-1]) or _applies(part[-2]))
        ):
            part.pop()
        lexemes = _balanced([lexeme for token in part for lexeme in token.lexemes])
        if lexemes:
            yield lexemes


def _joins(lexeme: _Lexeme | None) -> bool:
    """Whether what is beside a lexeme belongs to the same formula."""
    return lexeme is not None and (lexeme.kind in _JOINING or lexeme.text in _FUNCTIONS)


def _applies(token: _Chunk) -> bool:
    """Whether a token is a big operator with its bounds, to which what follows belongs: ``\\int_0^1``."""
    return token.lexemes[0].text in _BIG


def _is_differential(token: _Chunk, run: Sequence[_Chunk]) -> bool:
    text = token.lexemes[0].text
    return text[0] == "d" and any(lexeme.text in _INTEGRALS for other in run for lexeme in other.lexemes)


def _balanced(lexemes: list[_Lexeme]) -> list[_Lexeme]:
    """The lexemes without parentheses at the ends that have no partner, and without operators that end in nothing."""
    unmatched: set[int] = set()
    opened: list[int] = []
    for number, lexeme in enumerate(lexemes):
        if lexeme.kind == "open":
            opened.append(number)
        elif lexeme.kind == "close":
            if opened:
                opened.pop()
            else:
                unmatched.add(number)
    unmatched.update(opened)
    first, last = 0, len(lexemes)
    while first < last and (first in unmatched or lexemes[first].kind in ("separator", "prime")):
        first += 1
    while first < last and (last - 1 in unmatched or lexemes[last - 1].kind in ("operator", "separator", "dots")):
        last -= 1
    return lexemes[first:last]


def _is_formula(run: Sequence[_Lexeme]) -> bool:
    """Whether a run has something that prose has not."""
    return any(_tells(run, number) for number in range(len(run)))


def _tells(run: Sequence[_Lexeme], number: int) -> bool:
    lexeme = run[number]
    before = run[number - 1] if number else None
    after = run[number + 1] if number + 1 < len(run) else None
    between = before is not None and after is not None and (
        before.kind in _OPERAND_ENDS and (after.kind in _OPERAND_STARTS or after.text in ("+", "-", "−"))
    )
    if lexeme.kind == "command":
        return lexeme.text[1:].isalpha()
    if lexeme.kind == "sign":
        return len(run) > 1
    if lexeme.kind == "relation":
        return between and _has_symbol(run)
    if lexeme.kind == "script":
        return between and (lexeme.text == "^" or _is_index(run, number))
    if lexeme.kind == "operator":
        return between and lexeme.text in "+*×·−" and _has_symbol(run)
    if lexeme.kind == "prime" and after is not None:
        return after.text == "(" and after.start == lexeme.end
    if lexeme.kind == "letters" and after is not None:
        called = after.kind == "open" and after.text == "(" and after.start == lexeme.end
        if called and (len(lexeme.text) == 1 or lexeme.text in _FUNCTIONS):
            return True
        return lexeme.text in _WITHOUT_PARENTHESES and after.kind in ("letters", "number", "sign")
    return lexeme.kind == "bar" and number == 0 and len(run) > 2 and run[-1].kind == "bar"


def _is_index(run: Sequence[_Lexeme], number: int) -> bool:
    """Whether ``_`` begins an index (``a_n``, ``x_{12}``), not a part of a name (``my_file``, ``a_b``)."""
    before, after = run[number - 1], run[number + 1]
    if before.kind == "letters" and len(before.text) > 1 and before.text not in _GREEK:
        return False
    return after.kind != "letters" or _INDEX.match(after.text) is not None


def _has_symbol(run: Sequence[_Lexeme]) -> bool:
    return any(lexeme.kind in ("letters", "wildcard", "command", "sign") for lexeme in run)


def _is_doubtful(run: Sequence[_Lexeme], text: str) -> bool:
    """Whether a run could be a formula, or a name or an abbreviation."""
    if text.lower() in _ABBREVIATIONS or not any(lexeme.kind == "letters" for lexeme in run):
        return False
    return any(
        before.kind in _OPERAND_ENDS and after.kind in _OPERAND_STARTS and (
            sign.text in ("/", "_") or (sign.text == "-" and "number" in (before.kind, after.kind))
        )
        for before, sign, after in zip(run, run[1:], run[2:], strict=False)
    )


def _to_latex(run: Sequence[_Lexeme], text: str) -> str:
    """A run as LaTeX: as it was written where it is LaTeX; else ``pi``, ``<=``, ``x^10``, ``sqrt(2)`` as LaTeX means
    them."""
    source = text[run[0].start : run[-1].end]
    if any(lexeme.kind == "command" or lexeme.text in "{}" for lexeme in run):
        return source
    written: list[str] = []
    closing: list[str] = []
    done = run[0].start
    for number, lexeme in enumerate(run):
        written.append(text[done : lexeme.start])
        done = lexeme.end
        before = run[number - 1] if number else None
        shown = _WRITTEN.get(lexeme.text, lexeme.text)
        if lexeme.kind == "letters" and (lexeme.text in _GREEK or lexeme.text in _FUNCTIONS):
            shown = rf"\{lexeme.text} "
        if lexeme.kind == "open":
            grouped = before is not None and before.end == lexeme.start and (
                before.kind == "script" or before.text == "sqrt"
            )
            closing.append("}" if grouped else {"(": ")", "[": "]"}.get(lexeme.text, lexeme.text))
            shown = "{" if grouped else lexeme.text
        elif lexeme.kind == "close" and closing:
            shown = closing.pop()
        elif before is not None and before.kind == "script":
            shown = "{" + shown
            if lexeme.text in ("-", "−", "+") and number + 1 < len(run):
                closing.append("sign")
            else:
                shown += "}"
        if closing and closing[-1] == "sign" and lexeme.text not in ("-", "−", "+"):
            closing.pop()
            shown += "}"
        written.append(shown)
    return "".join(written)
