"""Names of measures, read and written: those of ir_measures, the primed ones of ARQMath, and four short forms.

=========================  ==============================================================================
``nDCG@10`` ``AP(rel=2)``  as ir_measures reads it: name, arguments in brackets, ``@`` cutoff
``nDCG'`` ``P'@10``        a prime removes unjudged documents from the ranking first, and lets a gain of
                           2 or more count as relevant where the measure is binary and no ``rel`` is given
``bpref``                  ``Bpref(rel=2)``: it never looks at unjudged documents
``judged@10``              ``Judged@10``: the judged share of the first ten
``num_rel_ret``            ``NumRet(rel=2)``: relevant documents retrieved
``recall`` ``recall@100``  ``SetR(rel=2)``, ``R(rel=2)@100``: the share of relevant documents that is retrieved
=========================  ==============================================================================

So the lower-case names, like the primed ones, follow ARQMath (high and medium are relevant, low is not), and those of
ir_measures keep its own default of 1 or more.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from porism.errors import ConfigError

RELEVANT = 2
"""The lowest gain that is relevant in the binary measures of ARQMath (and of the TREC Deep Learning passage task)."""

_SHORT_FORMS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "bpref": ("Bpref", (("rel", str(RELEVANT)),)),
    "judged": ("Judged", ()),
    "num_rel_ret": ("NumRet", (("rel", str(RELEVANT)),)),
    "recall": ("SetR", (("rel", str(RELEVANT)),)),
}
_SHAPE = re.compile(r"(?P<name>[^\W\d]\w*)(?P<prime>['′’]?)(?:\((?P<arguments>.*)\))?(?:@(?P<at>[\d.]+))?", re.DOTALL)
_MAX_CUTOFF = 1_000_000
_HINT = "Write a name of ir_measures, e.g. nDCG@10, AP(rel=2) or RR, or a primed one, e.g. nDCG', MAP' or P'@10."


@dataclass(frozen=True, slots=True, repr=False)
class Measure:
    """A measure by name; its ``repr`` is what :func:`parse_measure` reads back.

    ``arguments`` are (name, Python literal), sorted by name, and ``at`` is the text after the ``@``.
    """

    name: str
    judged_only: bool = False
    arguments: tuple[tuple[str, str], ...] = ()
    at: str | None = None

    def __repr__(self) -> str:
        arguments = ",".join(f"{name}={value}" for name, value in self.arguments)
        return "".join([
            self.name,
            "'" if self.judged_only else "",
            f"({arguments})" if arguments else "",
            f"@{self.at}" if self.at is not None else "",
        ])

    @property
    def definition(self) -> str:
        """The measure of ir_measures that is computed, and on what: ``AP(rel=2), judged documents only``."""
        return f"{self.resolve()!r}{', judged documents only' if self.judged_only else ''}"

    def resolve(self) -> Any:
        """The measure of ir_measures to compute (for a primed one: on rankings without unjudged documents).

        :raises ConfigError: there is no such measure, or an argument or a cutoff does not fit it.
        """
        from ir_measures import measures as library

        name, fixed = _SHORT_FORMS.get(self.name, (self.name, ()))
        if self.name == "recall" and self.at is not None:
            name = "R"  # ir_measures knows recall with and without a cutoff as two measures
        known = library.registry.get(name)
        if known is None:
            near = difflib.get_close_matches(name, [*library.registry, *_SHORT_FORMS], n=3, cutoff=0.5)
            near = near or [other for other in library.registry if other.lower() == name.lower()]
            raise ConfigError(
                f"there is no measure {self.name!r}", hint=f"Did you mean {' or '.join(near)}?" if near else _HINT
            )
        arguments = {key: ast.literal_eval(value) for key, value in (*fixed, *self.arguments)}
        if self.at is not None:
            arguments[known.AT_PARAM] = ast.literal_eval(self.at)
        if self.judged_only and "rel" in known.SUPPORTED_PARAMS:
            arguments.setdefault("rel", RELEVANT)
        resolved = known(**arguments)
        try:
            resolved.validate_params()
        except AssertionError as error:
            raise ConfigError(str(error), where=f"measure {self!r}", hint=_takes(known)) from error
        self._check_bounds(arguments)
        return resolved

    def _check_bounds(self, arguments: dict[str, Any]) -> None:
        """Keeps from trec_eval what ends its process: cutoffs and relevance levels below 1."""
        for name, most in (("cutoff", _MAX_CUTOFF), ("rel", _MAX_CUTOFF)):
            value = arguments.get(name, 1)
            if not isinstance(value, bool) and isinstance(value, int) and not 1 <= value <= most:
                raise ConfigError(f"{name} must be from 1 to {most:,}", where=f"measure {self!r}")


def _takes(known: Any) -> str:
    names = [name for name in known.SUPPORTED_PARAMS if name != known.AT_PARAM]
    at = f"@{known.AT_PARAM}" if known.AT_PARAM in known.SUPPORTED_PARAMS else ""
    return f"It is written {known.__name__}{'(' + ', '.join(f'{name}=…' for name in names) + ')' if names else ''}{at}."


def _short(text: str, most: int = 80) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def parse_measure(text: str | Measure) -> Measure:
    """Reads one measure, e.g. ``nDCG'``, ``AP(rel=2)``, ``P'@10``, ``bpref``; what is a measure already stays as it is.

    :raises ConfigError: the text is not of the form name, prime, (name=value, …), @cutoff, or names no measure that
        exists with these arguments.
    """
    if isinstance(text, Measure):
        return text
    match = _SHAPE.fullmatch(text.strip())
    if match is None:
        raise ConfigError(f"{_short(text.strip())!r} is not a measure", hint=_HINT)
    at = match["at"]
    if at is not None:
        try:
            at = repr(ast.literal_eval(at))
        except (SyntaxError, ValueError):
            raise ConfigError(f"{_short(at)!r} is not a number", where=f"measure {_short(text.strip())!r}") from None
    measure = Measure(match["name"], bool(match["prime"]), _parse_arguments(text, match["arguments"] or ""), at)
    measure.resolve()
    return measure


def _parse_arguments(text: str, arguments: str) -> tuple[tuple[str, str], ...]:
    try:
        call = ast.parse(f"f({arguments})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise ValueError("arguments without names")
        values = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg}
        if len(values) != len(call.keywords):
            raise ValueError("an argument occurs twice")
        written = {name: repr(value) for name, value in values.items()}
        for value in written.values():
            ast.literal_eval(value)  # 1e999 is read as infinity, whose name is not a number
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise ConfigError(
            f"the arguments ({_short(arguments)}) cannot be read", where=f"measure {_short(text.strip())!r}",
            hint="They are written name=value, separated by commas.",
        ) from error
    return tuple(sorted(written.items()))


def distinct_measures(measures: Iterable[Measure | str]) -> tuple[Measure, ...]:
    """Each of the measures once, in order.

    :raises ConfigError: as :func:`parse_measure`.
    """
    return tuple(dict.fromkeys(map(parse_measure, measures)))


def parse_measures(text: str) -> tuple[Measure, ...]:
    """Reads measures separated by commas or blanks (those inside brackets do not separate); each once, in order.

    :raises ConfigError: as :func:`parse_measure`, or there is none.
    """
    pieces = [""]
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if depth <= 0 and (character == "," or character.isspace()):
            pieces.append("")
        else:
            pieces[-1] += character
    measures = distinct_measures(filter(None, pieces))
    if not measures:
        raise ConfigError("no measure is named", hint=_HINT)
    return measures


DEFAULT_MEASURES: tuple[Measure, ...] = (
    Measure("nDCG", judged_only=True),
    Measure("MAP", judged_only=True),
    Measure("P", judged_only=True, at="10"),
    Measure("bpref"),
    Measure("judged", at="10"),
    Measure("num_rel_ret"),
)
"""nDCG', MAP', P'@10, bpref, judged@10 and num_rel_ret."""
