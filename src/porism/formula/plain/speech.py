"""Spoken English as tokens of a plain formula: which words belong to a script, a root, a fraction, an argument."""

from __future__ import annotations

from dataclasses import dataclass

from porism.formula.plain.operands import PlainToken
from porism.formula.plain.phrases import Phrase, big_operators, order_of, phrases
from porism.formula.tables.lookup import RELATION_CLASSES, closing_fence, token_class

_JUXTAPOSED, _PRODUCT, _SUM, _RELATION, _SEPARATOR, _SUFFIX, _DIFFERENTIAL, _CONJUNCTION = (
    "juxtaposed product sum relation separator suffix differential conjunction".split()
)
_LEVELS = {
    "additive": _SUM, "set-operator": _SUM, "multiplicative": _PRODUCT, "division": _PRODUCT, "separator": _SEPARATOR,
    **dict.fromkeys(RELATION_CLASSES, _RELATION),
}
_BIG = frozenset({"big-operator", "integral", "limit"})
_CONJUNCTIONS = frozenset("∧∨")
_EXPRESSION = frozenset({_RELATION, _SEPARATOR, _DIFFERENTIAL, _CONJUNCTION})
_TERM = frozenset({_PRODUCT, _SUM}) | _EXPRESSION
_OPERAND = frozenset({_JUXTAPOSED}) | _TERM
_ENDS = {
    "sub": frozenset({_SUFFIX}) | _OPERAND, "power": _TERM, "structure": _EXPRESSION | {_PRODUCT}, "under": _OPERAND,
    "denominator": _EXPRESSION, "quantity": _EXPRESSION - {_CONJUNCTION}, "argument": _OPERAND - {_SEPARATOR},
    "derivative": _OPERAND, "variable": frozenset({_SUFFIX}) | _OPERAND, "bound": _EXPRESSION,
}
"""Part of a formula → what ends it after an operand; other parts end with a word, or with the formula."""
_ENCLOSED = {"set": ("{", "}"), "generated": ("⟨", "⟩"), "inner": ("⟨", "⟩")}
_INTERVALS = {"closed": ("[", "]"), "open": ("(", ")"), "half": ("[", ")")}


@dataclass(slots=True)
class _Part:
    """A part that is being read: how it ends, and where its last operand begins among the tokens."""

    kind: str
    closing: str = ""
    operand: int = -1
    start: int = 0
    sign: str = ""
    order: int = 0
    """Those of a derivative."""


class SpokenTokens:
    """The reading of one text."""

    def __init__(self, source: str) -> None:
        self.tokens: list[PlainToken] = []
        self._source = source
        self._phrases = [*phrases(source), Phrase("end", "", len(source), len(source))]
        self._parts = [_Part("formula")]
        self._phrase = self._phrases[-1]
        self._last_end = 0
        self._takes_bounds = False
        """Whether what was read last is a big operator, with its bounds so far."""
        self._is_applied = False
        """Whether what was read last may be a function."""

    def read(self) -> list[PlainToken]:
        """The tokens, in order; ``begin`` and ``end`` are brackets that are not seen."""
        handlers = {
            "operand": self._operand, "symbol": self._symbol, "sign": self._sign, "script": self._script,
            "suffix": self._suffix, "structure": self._structure, "accent": self._accent, "end": self._stop,
            "nth root": self._nth_root, "derivative": self._derivative, "over": self._over, "choose": self._choose,
            "fraction": self._fraction, "quantity": self._quantity, "all": self._all, "enclosed": self._enclosed,
            "interval": self._interval, "base": self._base, "from": self._from,
            "to": self._to, "of": self._of, "respect": self._respect, "given": self._given,
        }
        for number, phrase in enumerate(self._phrases[:-1]):
            self._phrase = phrase
            following = self._phrases[number + 1]
            handlers.get(phrase.kind, self._text)(following)
            self._last_end = phrase.end
        while len(self._parts) > 1:
            self._close()
        return self.tokens

    # -- tokens and parts ----------------------------------------------------------------------------------------------

    def _add(self, kind: str, text: str = "") -> None:
        self.tokens.append(PlainToken(kind, text, self._phrase.start, self._phrase.end))

    def _put(self, place: int, *added: tuple[str, str]) -> None:
        """Puts tokens before others."""
        at = self.tokens[place].start if place < len(self.tokens) else self._phrase.start
        self.tokens[place:place] = [PlainToken(kind, text, at, at) for kind, text in added]

    def _open(self, kind: str, closing: str = "") -> None:
        """Begins a part; without a closing sign its brackets are not seen."""
        if not closing:
            self._add("begin")
        self._parts.append(_Part(kind, closing, -1, len(self.tokens)))

    def _close(self) -> None:
        part = self._parts.pop()
        if part.kind == "variable" and part.order > 1:
            self.tokens.append(PlainToken("suffix", f"^{part.order}", self._last_end, self._last_end))
        kind, text = ("symbol", part.closing) if part.closing else ("end", "")
        self.tokens.append(PlainToken(kind, text, self._last_end, self._last_end))
        if part.kind == "derivative":
            self.tokens.append(PlainToken("suffix", "'" * part.order, self._last_end, self._last_end))

    def _arrive(self, level: str) -> None:
        """Ends the parts that do not go on with what comes."""
        while self._parts[-1].operand >= 0 and level in _ENDS.get(self._parts[-1].kind, ()):
            self._close()

    def _close_through(self, *kinds: str) -> bool:
        """Ends the innermost part of these kinds and all that are in it; whether there is one."""
        if not any(part.kind in kinds for part in self._parts):
            return False
        while self._parts[-1].kind not in kinds:
            self._close()
        self._close()
        return True

    # -- operands and operators ----------------------------------------------------------------------------------------

    def _operand(self, following: Phrase, kind: str = "operand") -> None:
        phrase = self._phrase
        is_differential = phrase.value[0] == "d" and (len(phrase.value) == 2 or (
            phrase.value == "d" and following.kind == "operand" and len(following.value) == 1
        ))
        self._arrive(_DIFFERENTIAL if is_differential else _JUXTAPOSED)
        self._parts[-1].operand = len(self.tokens)
        self._add(kind, phrase.value)
        self._takes_bounds = False
        self._is_applied = len(phrase.value) == 1 and phrase.value.isalpha()

    def _symbol(self, following: Phrase) -> None:
        label = self._phrase.value
        label = big_operators().get(label, label) if following.value in ("over", "from") else label
        if label == "∧" and any(part.kind == "inner product of" for part in self._parts):
            label = ","
        kind = token_class(label)
        self._phrase = self._phrase._replace(value=label)
        if kind == "open":
            self._operand(following, "symbol")
            self._parts.append(_Part("parentheses", closing_fence(label), -1, len(self.tokens)))
        elif kind == "close":
            if not self._close_through("parentheses"):
                self._add("symbol", label)
        elif kind in _LEVELS:
            part = self._parts[-1]
            is_whole = (
                kind == "additive" and part.kind in ("sub", "power") and len(self.tokens) == part.start + 1
                and following.value.isdigit()
            )
            if not is_whole and not (kind == "additive" and part.operand < 0):  # x sub n plus 1
                self._arrive(_CONJUNCTION if label in _CONJUNCTIONS else _LEVELS[kind])
            self._parts[-1].operand = -1
            self._add("symbol", label)
            self._takes_bounds = self._is_applied = False
        else:
            self._operand(following, "symbol")
            self._takes_bounds = kind in _BIG
            self._is_applied = kind in ("function", "trigonometric", "logarithm")

    def _sign(self, following: Phrase) -> None:
        self._add("sign", self._phrase.value)
        if self._phrase.value != "'" and following.kind != "end":
            self._open("sub" if self._phrase.value == "_" else "power")

    def _script(self, following: Phrase) -> None:
        self._arrive(_SUFFIX)
        self._add("sign", self._phrase.value)
        self._open("sub" if self._phrase.value == "_" else "power")

    def _suffix(self, following: Phrase) -> None:
        self._arrive(_SUFFIX)
        self._add("suffix", self._phrase.value)

    def _structure(self, following: Phrase) -> None:
        self._operand(following, "structure")
        self._is_applied = False
        self._open("structure")

    def _nth_root(self, following: Phrase) -> None:
        index = self._phrase.value
        self._phrase = self._phrase._replace(value="\\sqrt[")
        self._operand(following, "structure")
        self._add("operand", index)
        self._is_applied = False
        self._open("structure")

    def _accent(self, following: Phrase) -> None:
        operand = self._parts[-1].operand
        if operand < 0:
            self._text(following)
        else:
            self._put(operand, ("structure", self._phrase.value), ("begin", ""))
            self._add("end")

    def _text(self, following: Phrase) -> None:
        self._arrive(_RELATION)
        self._parts[-1].operand = -1
        start = self._phrase.start
        if self.tokens and self.tokens[-1].kind == "words":
            start = self.tokens.pop().start
        self.tokens.append(PlainToken("words", self._source[start:self._phrase.end], start, self._phrase.end))
        self._takes_bounds = self._is_applied = False

    def _given(self, following: Phrase) -> None:
        self._parts[-1].operand = -1
        self._add("symbol", "|")

    def _stop(self, following: Phrase) -> None:
        """A full stop, or a question mark, ends nothing."""

    # -- words that part and join --------------------------------------------------------------------------------------

    def _over(self, following: Phrase) -> None:
        if self._takes_bounds:
            self._lower()
        elif self._close_through("numerator"):
            self._open("denominator")
        else:
            self._pair("\\frac{", following)

    def _choose(self, following: Phrase) -> None:
        self._pair("\\binom{", following)

    def _pair(self, opening: str, following: Phrase) -> None:
        """The operand before, and the one that follows, as the two arguments of a structure."""
        self._arrive(_SUFFIX)
        operand = self._parts[-1].operand
        if operand < 0:
            self._text(following)
            return
        self._put(operand, ("structure", opening), ("begin", ""))
        self._add("end")
        self._open("under")

    def _fraction(self, following: Phrase) -> None:
        self._phrase = self._phrase._replace(value="\\frac{")
        self._operand(following, "structure")
        self._open("numerator")

    def _quantity(self, following: Phrase) -> None:
        while any(part.kind == "quantity" and part.operand >= 0 for part in self._parts):
            self._close_through("quantity")
        self._bracket("(", ")", "quantity", following)

    def _all(self, following: Phrase) -> None:
        operand = self._parts[-1].operand
        if not self._close_through("quantity") and operand >= 0:
            self._put(operand, ("symbol", "("))
            self._add("symbol", ")")

    def _enclosed(self, following: Phrase) -> None:
        self._bracket(*_ENCLOSED[self._phrase.value.split()[0]], self._phrase.value, following)

    def _interval(self, following: Phrase) -> None:
        self._bracket(*_INTERVALS[self._phrase.value.split()[0]], "interval", following)

    def _bracket(self, opening: str, closing: str, kind: str, following: Phrase) -> None:
        self._phrase = self._phrase._replace(value=opening)
        self._operand(following, "symbol")
        self._open(kind, closing)

    def _lower(self) -> None:
        self._add("sign", "_")
        self._open("lower")
        self._takes_bounds = False

    def _base(self, following: Phrase) -> None:
        self._add("sign", "_")
        self._open("sub")

    def _from(self, following: Phrase) -> None:
        if self._takes_bounds:
            self._lower()
        elif self._phrase.value == "from":
            self._phrase = self._phrase._replace(value=":")
            self._symbol(following)
        else:
            self._text(following)

    def _to(self, following: Phrase) -> None:
        kinds = [part.kind for part in self._parts]
        if "lower" in kinds:
            self._close_through("lower")
            self._add("sign", "^")
            self._open("upper")
        elif "interval" in kinds:
            while self._parts[-1].kind != "interval":
                self._close()
            self._add("symbol", ",")
            self._parts[-1].kind, self._parts[-1].operand = "bound", -1
        else:
            self._phrase = self._phrase._replace(value="→")
            self._symbol(following)

    def _of(self, following: Phrase) -> None:
        if any(part.kind in ("lower", "upper") for part in self._parts):
            self._close_through("lower", "upper")
            return
        while self._parts[-1].kind in ("sub", "variable") and self._parts[-1].operand >= 0:
            self._close()
        operand = self._parts[-1].operand
        if self._is_applied and operand >= 0 and token_class(self.tokens[operand].text) in ("variable", "greek"):
            self._add("symbol", "(")
            self._open("argument", ")")
        self._is_applied = False

    # -- derivatives ---------------------------------------------------------------------------------------------------

    def _derivative(self, following: Phrase) -> None:
        sign = "∂" if "partial" in self._phrase.value else "d"
        order = order_of(self._phrase.value)
        if following.kind == "respect":
            self._phrase = self._phrase._replace(value="\\frac{")
            self._operand(following, "structure")
            self._add("begin")
            self._add("operand", sign)
            if order > 1:
                self._add("suffix", f"^{order}")
            self._add("end")
            self._variable(sign, order)
        else:
            self._arrive(_JUXTAPOSED)
            self._parts[-1].operand = len(self.tokens)
            self._open("derivative")
            self._parts[-1].sign, self._parts[-1].order = sign, order

    def _variable(self, sign: str, order: int) -> None:
        """The denominator of a derivation begins."""
        self._open("variable")
        self._parts[-1].order = order
        self._add("operand", sign)

    def _respect(self, following: Phrase) -> None:
        part = self._parts[-1]
        if part.kind == "variable" and part.operand < 0:
            return
        kinds = [part.kind for part in self._parts]
        if "derivative" not in kinds:
            self._arrive(_JUXTAPOSED)
            self._add("operand", "d")
            return
        while self._parts[-1].kind != "derivative":
            self._close()
        part = self._parts.pop()
        power = [("suffix", f"^{part.order}")] if part.order > 1 else []
        self._add("end")
        self._put(part.start - 1, ("structure", "\\frac{"), ("begin", ""), ("operand", part.sign), *power)
        self._add("end")
        self._variable(part.sign, part.order)
