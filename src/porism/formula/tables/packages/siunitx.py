"""Numbers with units: the commands of siunitx in both of its versions, and its unit macros."""

from __future__ import annotations

HANDLED: dict[str, tuple[str, str]] = {
    "SI": ("-o m o m", "quantity"), "num": ("-o m", "number"), "ang": ("-o m", "angle"), "si": ("-o m", "unit"),
    "unit": ("o m", "unit_or_quantity"), "SIrange": ("-o m m m", "quantities"), "SIlist": ("-o m m", "quantities"),
    "qtyrange": ("-o m m m", "quantities"), "qtylist": ("-o m m", "quantities"),
    "qtyproduct": ("-o m m", "quantity_of_product"), "numrange": ("-o m m", "numbers"), "numlist": ("-o m", "numbers"),
    "numproduct": ("-o m", "number"), "complexnum": ("-o m", "number"), "complexqty": ("-o m m", "quantity_of_product"),
    "tablenum": ("-o m", "number"), "pu": ("m", "physical_unit"),
}

PREFIXES: dict[str, str] = {
    "quecto": "q", "ronto": "r", "yocto": "y", "zepto": "z", "atto": "a", "femto": "f", "pico": "p", "nano": "n",
    "micro": "µ", "milli": "m", "centi": "c", "deci": "d", "deca": "da", "deka": "da", "hecto": "h", "kilo": "k",
    "mega": "M", "giga": "G", "tera": "T", "peta": "P", "exa": "E", "zetta": "Z", "yotta": "Y", "ronna": "R",
    "quetta": "Q", "kibi": "Ki", "mebi": "Mi", "gibi": "Gi", "tebi": "Ti",
}

UNITS: dict[str, str] = {
    "meter": "m", "metre": "m", "second": "s", "gram": "g", "kilogram": "kg", "ampere": "A", "kelvin": "K",
    "mole": "mol", "candela": "cd", "becquerel": "Bq", "celsius": "°C", "degreeCelsius": "°C", "coulomb": "C",
    "farad": "F", "gray": "Gy", "hertz": "Hz", "henry": "H", "joule": "J", "katal": "kat", "lumen": "lm", "lux": "lx",
    "newton": "N", "ohm": "Ω", "pascal": "Pa", "radian": "rad", "siemens": "S", "sievert": "Sv", "steradian": "sr",
    "tesla": "T", "volt": "V", "watt": "W", "weber": "Wb", "day": "d", "hour": "h", "minute": "min", "degree": "°",
    "arcminute": "′", "arcsecond": "″", "hectare": "ha", "liter": "L", "litre": "L", "tonne": "t", "neper": "Np",
    "bel": "B", "decibel": "dB", "electronvolt": "eV", "dalton": "Da", "atomicmassunit": "u", "astronomicalunit": "au",
    "percent": "%", "bar": "bar", "angstrom": "Å", "barn": "b", "knot": "kn", "mmHg": "mmHg", "nauticalmile": "M",
    "clight": "c", "lightspeed": "c", "elementarycharge": "e", "bit": "bit", "byte": "B", "parsec": "pc",
    "atm": "atm", "atmosphere": "atm", "torr": "Torr", "calorie": "cal", "gauss": "G", "kWh": "kWh", "molar": "M",
    "litres": "L", "liters": "L", "meters": "m", "metres": "m", "seconds": "s",
}
"""Macro of a unit → its symbol."""

POWERS_BEFORE: dict[str, str] = {"square": "2", "cubic": "3"}
POWERS_AFTER: dict[str, str] = {"squared": "2", "cubed": "3"}

UPRIGHT_UNITS = frozenset(
    """
    kg mg km cm mm nm dm ms ns mol mmol kmol cd Hz kHz MHz GHz THz Pa hPa kPa MPa GPa eV meV keV MeV GeV TeV kJ MJ kW
    MW GW kWh mL dB Wb lm lx Bq Gy Sv mSv kcal cal atm Torr kN MN mA kA mV kV mW nF pF mH mT kV kat mmHg
    """.split()
)
"""Symbols of several letters that are units wherever they are upright: what is beside them is multiplied."""
