"""Chemical formulas: the command of mhchem and the signs of its language."""

from __future__ import annotations

HANDLED: dict[str, tuple[str, str]] = {"ce": ("m", "chemistry"), "cf": ("m", "chemistry"), "cee": ("m", "chemistry")}

ARROWS: dict[str, tuple[str, str]] = {
    "<=>>": (r"\rightleftharpoons ", r"\xrightleftharpoons"), "<<=>": (r"\rightleftharpoons ", r"\xrightleftharpoons"),
    "<=>": (r"\rightleftharpoons ", r"\xrightleftharpoons"), "<-->": (r"\rightleftarrows ", r"\xrightleftarrows"),
    "<->": (r"\leftrightarrow ", r"\xleftrightarrow"), "->": (r"\rightarrow ", r"\xrightarrow"),
    "<-": (r"\leftarrow ", r"\xleftarrow"), "→": (r"\rightarrow ", r"\xrightarrow"),
    "⟶": (r"\rightarrow ", r"\xrightarrow"), "⇌": (r"\rightleftharpoons ", r"\xrightleftharpoons"),
    "↔": (r"\leftrightarrow ", r"\xleftrightarrow"),
}
"""Arrow of a reaction → how it is set bare, and with notes."""

BONDS: dict[str, str] = {
    "-": "-", "1": "-", "=": "=", "2": "=", "#": r"\equiv ", "3": r"\equiv ", "~": r"\sim ", "~-": r"\sim ",
    "~=": r"\approx ", "~--": r"\approx ", "-~-": r"\approx ", "...": r"\cdots ", "....": r"\cdots ",
    "->": r"\rightarrow ", "<-": r"\leftarrow ",
}
"""What ``\\bond`` takes → the sign of the bond."""

STATES = frozenset("aq s l g cr am vit mon pol sln ads lc org solid liquid gas".split())
"""States of matter: ``(aq)``."""

ELEMENTS = frozenset(
    """
    H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo
    Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl
    Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og D T
    """.split()
)
"""Symbols of the chemical elements, and of the isotopes of hydrogen."""
