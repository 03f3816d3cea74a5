"""Commands of physics: brackets, vectors, derivatives, matrices, and words between formulas.

Dirac's notation is in :mod:`porism.formula.tables.packages.braket`.
"""

from __future__ import annotations

from porism.formula.tables.packages import common

_ORDER = r"\IfValueT{#2}{^{#2}}"


def _fraction(over: str, under: str, function: str) -> str:
    """A derivative, with a star on one line, and the function in parentheses that may come after it."""
    return (
        rf"\IfBooleanTF{{#1}}{{{{{over}}}/{{{under}}}}}{{\frac{{{over}}}{{{under}}}}}"
        rf"\IfValueT{{{function}}}{{\left({function}\right)}}"
    )


def _derivative(sign: str) -> tuple[str, str]:
    """``\\dv[n]{f}{x}``, ``\\dv{x}``, ``\\dv{x}(f)``, ``\\dv*{f}{x}``."""
    over = rf"{sign}{_ORDER}\IfValueT{{#4}}{{#3}}"
    under = rf"{sign}\IfNoValueTF{{#4}}{{#3}}{{#4}}{_ORDER}"
    return "s o m g d()", _fraction(over, under, "#5")


def _partial_derivative(sign: str) -> tuple[str, str]:
    """The same with a second variable: ``\\pdv{f}{x}{y}`` is of the second order where it does not say another."""
    second = rf"{sign}\IfValueTF{{#2}}{{^{{#2}}}}{{^{{2}}}}#3"
    over = rf"\IfValueTF{{#5}}{{{second}}}{{{sign}{_ORDER}\IfValueT{{#4}}{{#3}}}}"
    under = rf"{sign}\IfNoValueTF{{#4}}{{#3}}{{#4}}\IfValueTF{{#5}}{{{sign}#5}}{{{_ORDER}}}"
    return "s o m g g d()", _fraction(over, under, "#6")


def _differential(sign: str) -> tuple[str, str]:
    """``\\dd{x}``, ``\\dd[3]{x}``, ``\\dd(\\cos x)``."""
    return "o g d()", rf"{sign}\IfValueT{{#1}}{{^{{#1}}}}\IfValueT{{#2}}{{#2}}\IfValueT{{#3}}{{\left(#3\right)}}"


def _pair(left: str, right: str) -> tuple[str, str]:
    return "s -z m m", rf"\left{left} #3,#4\right{right} "


def _matrix(environment: str) -> tuple[str, str]:
    return "s m", rf"\begin{{{environment}}}#2\end{{{environment}}}"


_FLAT_MATRIX = ("s m", r"\left\lgroup\begin{matrix}#2\end{matrix}\right\rgroup ")


def _vector(mark: str) -> tuple[str, str]:
    """A letter in bold, with a star in bold italic, and a mark on it."""
    return "s m", rf"{mark}{{\IfBooleanTF{{#1}}{{\boldsymbol{{#2}}}}{{\mathbf{{#2}}}}}}"


_QUICK_WORDS = "if then else otherwise unless given using assume since let for all even odd integer and or as in"

COMMANDS: dict[str, tuple[str, str]] = {
    "pqty": ("s -z m", r"\left(#3\right)"), "bqty": ("s -z m", r"\left[#3\right]"),
    "vqty": ("s -z m", r"\left|#3\right|"), "Bqty": ("s -z m", r"\left\{#3\right\}"),
    "order": ("s -z m", r"\mathcal{O}\left(#3\right)"), "eval": (
        "s g d(| d[|",
        r"\IfValueT{#2}{\left.#2\right|}\IfValueT{#3}{\left(#3\right|}\IfValueT{#4}{\left[#4\right|}"
        r"\IfNoValueT{#2}{\IfNoValueT{#3}{\IfNoValueT{#4}{|}}}",
    ),
    "comm": _pair("[", "]"), "acomm": _pair(r"\{", r"\}"), "pb": _pair(r"\{", r"\}"),
    "vb": ("s m", r"\IfBooleanTF{#1}{\boldsymbol{#2}}{\mathbf{#2}}"), "va": _vector(r"\vec"), "vu": _vector(r"\hat"),
    "vdot": ("", r"\cdot "), "cross": ("", r"\times "), "grad": ("", r"\nabla "),
    "divergence": ("", r"\nabla\cdot "), "curl": ("", r"\nabla\times "), "laplacian": ("", r"\nabla^{2}"),
    "dd": _differential(r"\mathrm{d}"), "var": _differential(r"\delta "),
    "dv": _derivative(r"\mathrm{d}"), "pdv": _partial_derivative(r"\partial "), "fdv": _derivative(r"\delta "),
    "vev": ("m", r"\left\langle 0\middle|#1\middle|0\right\rangle "),
    "mdet": _matrix("vmatrix"), "smdet": _matrix("vmatrix"), "pmqty": _matrix("pmatrix"), "Pmqty": _FLAT_MATRIX,
    "bmqty": _matrix("bmatrix"), "vmqty": _matrix("vmatrix"), "spmqty": _matrix("pmatrix"),
    "sPmqty": _FLAT_MATRIX, "sbmqty": _matrix("bmatrix"), "svmqty": _matrix("vmatrix"),
    "pv": ("", r"\mathcal{P}"), "PV": ("", r"\operatorname{P.V.}"), "qq": ("s m", r"\quad\text{#2}\quad "),
    "qcomma": ("", r",\quad "), "qcc": ("s", r"\quad\text{c.c.}\quad "),
    **{"q" + word: ("s", rf"\quad\text{{{word}}}\quad ") for word in _QUICK_WORDS.split()},
    "trace": ("", r"\tr "), "Trace": ("", r"\Tr "), "residue": ("", r"\Res "), "imaginary": ("", r"\Im "),
    "determinant": ("", r"\det "), "Probability": ("", r"\Pr "), "probability": ("", r"\Pr "),
    "exponential": ("", r"\exp "), "logarithm": ("", r"\log "), "naturallogarithm": ("", r"\ln "),
    "vnabla": ("", r"\vec{\nabla}"), "divisionsymbol": ("", "÷"), "divsymbol": ("", "÷"),
    "absolutevalue": common.COMMANDS["abs"],
}

HANDLED: dict[str, tuple[str, str]] = {
    "qty": ("-s -z o f g", "bracket_or_quantity"), "mqty": ("s f", "matrix_in_brackets"),
    "smqty": ("s f", "matrix_in_brackets"), "imat": ("m", "identity_matrix"), "xmat": ("s m m m", "matrix_of_one"),
    "zmat": ("m m", "matrix_of_zeros"), "pmat": ("m", "pauli_matrix"), "dmat": ("O{} m", "diagonal_matrix"),
    "admat": ("O{} m", "antidiagonal_matrix"),
}

_LONG_NAMES = """
    evaluated:eval commutator:comm anticommutator:acomm poissonbracket:pb vectorbold:vb
    vectorarrow:va vectorunit:vu dotproduct:vdot dotp:vdot crossproduct:cross cp:cross gradient:grad
    principalvalue:pv qqtext:qq qc:qcomma differential:dd derivative:dv odv:dv partialderivative:pdv pderivative:pdv
    variation:var functionalderivative:fdv fderivative:fdv matrixquantity:mqty smallmatrixquantity:smqty
    matrixdeterminant:mdet smallmatrixdeterminant:smdet identitymatrix:imat xmatrix:xmat zeromatrix:zmat
    paulimatrix:pmat diagonalmatrix:dmat antidiagonalmatrix:admat quantity:qty
"""
for _name, _, _short in (pair.partition(":") for pair in _LONG_NAMES.split()):
    if _short in HANDLED:
        HANDLED[_name] = HANDLED[_short]
    elif _short in COMMANDS:
        COMMANDS[_name] = COMMANDS[_short]

POWERS: dict[str, str] = {
    **{name: name for name in (
        "sin", "cos", "tan", "csc", "sec", "cot", "sinh", "cosh", "tanh", "csch", "sech", "coth", "arcsin", "arccos",
        "arctan", "arccsc", "arcsec", "arccot", "log", "ln",
    )},
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "acsc": "arccsc", "asec": "arcsec", "acot": "arccot",
    "sine": "sin", "cosine": "cos", "tangent": "tan", "cosecant": "csc", "secant": "sec", "cotangent": "cot",
    "hypsine": "sinh", "hypcosine": "cosh", "hyptangent": "tanh", "hypcosecant": "csch", "hypsecant": "sech",
    "hypcotangent": "coth",
    **{prefix + name: plain for prefix in ("arc", "a") for name, plain in (
        ("sine", "arcsin"), ("cosine", "arccos"), ("tangent", "arctan"), ("cosecant", "arccsc"),
        ("secant", "arcsec"), ("cotangent", "arccot"),
    )},
}
"""Functions that take a power in brackets before their argument (``\\sin[2](x)``) → their plain names."""
