"""Numbers with units as siunitx reads them: ``\\SI{9.8}{\\meter\\per\\second}``, ``\\num{1e-3}``, ``\\ang{30;15}``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from porism.formula.latex.functions.call import Call, tex
from porism.formula.macros.tokens import join
from porism.formula.tables.packages.siunitx import POWERS_AFTER, POWERS_BEFORE, PREFIXES, UNITS

_NUMBER = re.compile(
    r"(?P<relation><=|>=|<<|>>|[<>]|\\(?:le|ge|ll|gg|sim|approx)\b\s*)?"
    r"(?P<sign>\+-|-\+|\\pm\b|\\mp\b|[+-])?"
    r"(?P<digits>\d+[.,]?\d*|[.,]\d+)?"
    r"(?:\((?P<last>\d+)\)|(?:\+-|\\pm\b\s*)(?P<error>\d+[.,]?\d*|[.,]\d+))?"
    r"(?P<unit>[ij])?"
    r"(?:[eEdD](?P<exponent>[+-]?\d+))?"
)
_SIGNS = {"+-": r"\pm ", "-+": r"\mp ", "<=": r"\le ", ">=": r"\ge ", "<<": r"\ll ", ">>": r"\gg "}
_UNIT_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[A-Za-zµμΩÅ]+|[0-9]+|\s+|.", re.DOTALL)


_SIGNS_OF_UNITS = frozenset({",", "cdot", " ", "times", "highlight", "cancel"})
"""Commands between units that say no more than their product."""


def is_number(tokens: Sequence[str]) -> bool:
    """Whether an argument is a number as siunitx writes it."""
    text = join(tokens).replace(" ", "")
    return any(char.isdigit() for char in text) and "".join(_NUMBER.sub("", text).split("x")) in ("", "/")


def number_tokens(tokens: Sequence[str]) -> list[str]:
    """A number: a product of powers of ten, an uncertainty, a fraction, a complex number; else what is there."""
    text = "".join(join(tokens).split())
    if not text or _NUMBER.sub("", text).strip("x/"):
        return [*tokens]
    return tex(r"\times ".join("/".join(_number(part) for part in factor.split("/")) for factor in text.split("x")))


def _number(text: str) -> str:
    result = ""
    for match in _NUMBER.finditer(text):
        if not match[0]:
            continue
        relation, sign, digits, unit, exponent = match.group("relation", "sign", "digits", "unit", "exponent")
        result += _SIGNS.get(relation, relation or "") + _SIGNS.get(sign, sign or "")
        digits = (digits or "").replace(",", ".")
        error = match["error"] or (_uncertainty(digits, match["last"]) if match["last"] else "")
        if error:
            digits += r"\pm " + error.replace(",", ".")
            if exponent:
                digits = f"({digits})"
        result += digits + (rf"\mathrm{{{unit}}}" if unit else "")
        if exponent:
            result += (r"\times " if digits else "") + f"10^{{{exponent.removeprefix('+')}}}"
    return result


def _uncertainty(digits: str, last: str) -> str:
    """The uncertainty of the last digits: ``1.23(4)`` has 0.04."""
    places = len(digits.partition(".")[2])
    if not places:
        return last
    last = last.rjust(places + 1, "0")
    return f"{last[:-places]}.{last[-places:]}"


def unit_tokens(tokens: Sequence[str]) -> list[str]:
    """A unit: its macros, or letters with signs between them, as a product of powers."""
    return tex(_unit(join(tokens)))


@lru_cache(maxsize=1024)
def _unit(source: str) -> str:
    parts: list[str] = []
    prefix = power_before = ""
    divides = False
    tokens = _UNIT_TOKEN.findall(source)
    i = 0
    while i < len(tokens):
        token = tokens[i]
        i += 1
        name = token[1:] if token[0] == "\\" else ""
        if name in ("tothe", "raiseto"):
            power, i = _argument(tokens, i)
            if name == "raiseto":
                power_before = power
            elif parts:
                parts[-1] = _raise(parts[-1], power)
        elif name in POWERS_AFTER:
            parts[-1:] = [_raise(parts[-1], POWERS_AFTER[name])] if parts else []
        elif name in POWERS_BEFORE:
            power_before = POWERS_BEFORE[name]
        elif name == "per":
            divides = True
        elif name == "of":
            label, i = _argument(tokens, i)
            parts[-1:] = [f"{parts[-1]}_{{\\text{{{label}}}}}"] if parts else [f"\\text{{{label}}}"]
        elif name in PREFIXES:
            prefix += PREFIXES[name]
        elif (symbol := _symbol(name)) or token.isalpha() or (name and name not in _SIGNS_OF_UNITS):
            part = _upright(prefix + (symbol or token)) if symbol or not name else _upright(prefix) + token + " "
            if power_before or divides:
                part = _raise(part, ("-" if divides else "") + (power_before or "1"))
            parts.append(part)
            prefix, power_before, divides = "", "", False
        elif token == "^":
            power, i = _argument(tokens, i)
            if parts:
                parts[-1] = _raise(parts[-1], power)
        elif token == "/":
            divides = True
        elif token.isdigit() and parts:
            parts[-1] = _raise(parts[-1], token)
        elif token not in ".~*{}()" and token[0] != "\\" and not token.isspace():
            parts.append(token)
    return r"\,".join(parts)


def _argument(tokens: list[str], i: int) -> tuple[str, int]:
    """The argument in braces, or the single token with its sign, at this place, and where it ends."""
    while i < len(tokens) and tokens[i].isspace():
        i += 1
    if i < len(tokens) and tokens[i] == "{":
        end = i + 1
        while end < len(tokens) and tokens[end] != "}":
            end += 1
        return "".join(tokens[i + 1:end]), end + 1
    end = i + (2 if i < len(tokens) and tokens[i] in "+-" else 1)
    return "".join(tokens[i:end]), end


def _symbol(name: str) -> str:
    """The symbol of a unit's macro, or of its abbreviation (``kHz``, ``um``); empty for other names."""
    if name in UNITS or not name:
        return UNITS.get(name, "")
    return _ABBREVIATIONS.get(name, "")


def _abbreviations() -> dict[str, str]:
    symbols = {symbol for symbol in UNITS.values() if symbol.isascii() and symbol.isalpha()} | {"l"}
    abbreviations = {symbol: symbol for symbol in symbols}
    for prefix in PREFIXES.values():
        for symbol in symbols:
            abbreviations.setdefault(prefix.replace("µ", "u") + symbol, prefix + symbol)
    abbreviations.update(
        (prefix + "ohm", sign + "Ω") for prefix, sign in (("", ""), ("m", "m"), ("k", "k"), ("M", "M"))
    )
    return abbreviations


_ABBREVIATIONS = _abbreviations()


def _upright(symbol: str) -> str:
    if not symbol:
        return ""
    if symbol in ("°", "°C", "′", "″"):
        return {"°": r"^{\circ}", "°C": r"^{\circ}\mathrm{C}", "′": "'", "″": "''"}[symbol]
    if symbol == "%":
        return r"\%"
    sign = symbol[0] if symbol[0] in "µμ" else ""
    letters = symbol[len(sign):]
    if letters.endswith("Ω"):
        return (r"\mu " if sign else "") + (rf"\mathrm{{{letters[:-1]}}}" if letters[:-1] else "") + r"\Omega "
    return (r"\mu " if sign else "") + (rf"\mathrm{{{letters}}}" if letters else "")


def _raise(part: str, power: str) -> str:
    base, has_power, old = part.rpartition("^{")
    if has_power and old.endswith("}") and old[:-1].lstrip("-").isdigit():
        part = base
        if old.startswith("-"):
            power = "-" + (old[1:-1] if power == "1" else power)
    return f"{part.rstrip()}^{{{power}}}"


def quantity_tokens(number: Sequence[str], unit: Sequence[str]) -> list[str]:
    """A number and its unit."""
    written = unit_tokens(unit)
    apart = bool(written) and written[0] not in ("^", "'", "''", "^{")
    return [*number_tokens(number), *(tex(r"\,") if apart and number else []), *written]


def quantity(call: Call) -> list[str]:
    """``\\SI{5}[€]{\\per\\kg}``, with what stands before the number as an option."""
    _, number, before, unit = call.values
    return [*(tex(before, r"\,") if call.has(2) else []), *quantity_tokens(number, unit)]


def number(call: Call) -> list[str]:
    """``\\num{-1.5e3}``."""
    return number_tokens(call.values[1])


def angle(call: Call) -> list[str]:
    """``\\ang{12;30;5}``: degrees, minutes, seconds."""
    parts = join(call.values[1]).split(";")
    signs = (r"^{\circ}", "'", "''")
    return tex("".join(
        _number("".join(part.split())) + sign for part, sign in zip(parts, signs, strict=False) if part.strip()
    ), *parts[3:])


def unit(call: Call) -> list[str]:
    """``\\si{\\kilo\\gram}``."""
    return unit_tokens(call.values[1])


def unit_or_quantity(call: Call) -> list[str]:
    """``\\unit``: of siunitx, or with a number in brackets that of the package units."""
    option, written = call.values
    return quantity_tokens(option if call.has(0) and is_number(option) else [], written)


def _several(values: Sequence[Sequence[str]], separator: str) -> list[list[str]]:
    joined = join(values[0])
    return [tex(part) for part in joined.split(separator)] if len(values) == 1 else [[*value] for value in values]


def numbers(call: Call) -> list[str]:
    """``\\numrange{1}{2}`` with a dash between, ``\\numlist{1;2;3}`` with commas."""
    values = call.values[1:]
    return _joined([number_tokens(value) for value in _several(values, ";")], is_range=len(values) > 1)


def quantities(call: Call) -> list[str]:
    """``\\SIrange{1}{2}{\\m}``, ``\\SIlist{1;2}{\\m}``: the unit with each number."""
    values, written = call.values[1:-1], call.values[-1]
    return _joined([quantity_tokens(value, written) for value in _several(values, ";")], is_range=len(values) > 1)


def _joined(parts: list[list[str]], *, is_range: bool) -> list[str]:
    result: list[str] = []
    for k, part in enumerate(parts):
        result += (tex(r"\text{ to }") if is_range else [","]) if k else []
        result += part
    return result


def quantity_of_product(call: Call) -> list[str]:
    """``\\qtyproduct{2 x 3}{\\m}``, ``\\complexqty{1+2i}{\\ohm}``: the unit after the whole in parentheses."""
    return ["(", *number_tokens(call.values[1]), ")", *tex(r"\,"), *unit_tokens(call.values[2])]


def physical_unit(call: Call) -> list[str]:
    """``\\pu{1.2e3 kJ/mol}`` of mhchem: a number and what follows it as a unit."""
    text = call.text(0).strip()
    match = re.match(r"[-+.,\deE*^()x\s]*(?<![eE])", text)
    head = match[0].rstrip() if match is not None and re.search(r"\d", match[0]) else ""
    written = re.sub(r"(?<=[A-Za-z])-(?=\d)", "^-", text[len(head):])
    over, has_line, under = written.partition("//")
    if not has_line:
        first, *divisors = written.split("/")
        quantity = quantity_tokens(tex(head), tex(first)) if head else unit_tokens(tex(first))
        return [*quantity, *(token for unit in divisors for token in ("/", *unit_tokens(tex(unit))))]
    fraction = tex(r"\frac", "{", unit_tokens(tex(over)), "}{", unit_tokens(tex(under)), "}")
    return [*number_tokens(tex(head)), *(tex(r"\,") if head else []), *fraction]
