"""Declarations that attributes make of others, as far as the text of a file tells their names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from porism.corpus.formal.binders import NAME_PART
from porism.corpus.lean.attributes import Attribute
from porism.corpus.lean.declarations import Declaration, DeclarationReader, Projections
from porism.corpus.lean.names import last_part, namespace_part
from porism.corpus.lean.translations import ADDITIVE, DUAL, Translation

MAX_GENERATIONS = 3
"""What is made of what is made is followed so far."""

_NOT_NAMES = frozenset("existing self none private high low".split())
_STRUCTURES = frozenset(("structure", "class"))
_FIELD = re.compile(rf"(?:^|[{{;,\n])[ \t]*(?P<name>{NAME_PART})\b[^:=\n]*:=", re.MULTILINE)

_ANY = "any"
SUFFIXES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "reassoc": {_ANY: ("{}_assoc",)},
    "elementwise": {_ANY: ("{}_apply",)},
    "to_app": {_ANY: ("{}_app",)},
    "ext": {"structure": ("{}.ext", "{}.ext_iff"), "class": ("{}.ext", "{}.ext_iff"), _ANY: ("{}_iff",)},
}
"""Attribute → kind of declaration → names of the theorems that it makes."""

TRANSLATIONS: Mapping[str, Translation] = {"to_additive": ADDITIVE, "to_dual": DUAL}
"""Attributes that translate declarations."""

PROJECTIONS: Mapping[str, str] = {
    "toFun": "{}_apply", "invFun": "{}_symm_apply", "carrier": "coe_{}",
    **{
        name: f"{{}}_{name}" for name in
        "obj map hom inv app unit counit functor inverse left right fst snd pt X Y f g π ι".split()
    },
}  # fmt: skip
"""Field of a structure → the theorem that ``simps`` makes of it. Of other fields the text does not say whether they are
data."""


def generated(declaration: Declaration, reader: DeclarationReader) -> Iterator[Declaration]:
    """What attributes make of a declaration, and what theirs make of that."""
    waiting = [(declaration, 0)]
    while waiting:
        current, generation = waiting.pop(0)
        for attribute in _with_nested(current):
            for made in _made(current, attribute, reader):
                yield made
                if generation < MAX_GENERATIONS and made.attributes:
                    waiting.append((made, generation + 1))
    if declaration.kind == "irreducible_def":
        yield _theorem(declaration, f"{declaration.name}_def", "irreducible_def")


def _with_nested(declaration: Declaration) -> Iterator[Attribute]:
    for attribute in declaration.attributes:
        yield attribute
        yield from attribute.nested


def _made(declaration: Declaration, attribute: Attribute, reader: DeclarationReader) -> Iterator[Declaration]:
    name = attribute.name
    if name in TRANSLATIONS:
        yield from _translated(declaration, attribute, TRANSLATIONS[name])
    elif name in SUFFIXES and "iff := false" not in attribute.text:
        by_kind = SUFFIXES[name]
        for pattern in by_kind.get(declaration.kind, by_kind[_ANY]):
            yield _theorem(declaration, pattern.format(declaration.name), name)
    elif name == "mk_iff":
        yield _theorem(declaration, _of_words(declaration, attribute) or _small(declaration.name) + "_iff", name)
    elif name == "simps":
        for made in _projected(declaration, attribute, reader):
            yield _theorem(declaration, made, name)


def _theorem(declaration: Declaration, name: str, attribute: str) -> Declaration:
    return replace(
        declaration, name=name, kind="theorem", docstring=None, inner=[], attributes=(), names=[], generated=attribute,
        origin=declaration.name,
    )


def _translated(declaration: Declaration, attribute: Attribute, translation: Translation) -> Iterator[Declaration]:
    """The translation of a declaration, unless another declaration is it."""
    options = attribute.text.replace("(", " ").split()
    if not {"existing", "self", "none", "private"}.isdisjoint(options[:3]):
        return
    written = next((word for word in attribute.words if word not in _NOT_NAMES), "")
    name = translation.full_name(declaration.name)
    if written:  # as many parts as are written come in the place of the last ones
        space = translation.namespace(namespace_part(declaration.name)).split(".")
        kept = space[: max(0, len(space) - written.count("."))]
        name = ".".join([*filter(None, kept), written])
    if name != declaration.name:
        yield replace(
            declaration, name=name, attributes=attribute.nested, docstring=attribute.doc or declaration.docstring,
            inner=list(declaration.inner), names=[], generated=attribute.name, origin=declaration.name,
        )


def _of_words(declaration: Declaration, attribute: Attribute) -> str:
    """The name that an attribute says, in the namespace of its declaration."""
    word = next((word for word in attribute.words if word not in _NOT_NAMES), "")
    space = namespace_part(declaration.name)
    return f"{space}.{word}" if word and space else word


def _small(name: str) -> str:
    """A full name whose last part begins with a small letter."""
    space, last = namespace_part(name), last_part(name)
    last = last[:1].lower() + last[1:]
    return f"{space}.{last}" if space else last


def _projected(declaration: Declaration, attribute: Attribute, reader: DeclarationReader) -> Iterator[str]:
    """The names of the theorems of ``simps``: of the projections that it names, or of fields in the value."""
    words = attribute.words
    if words:
        yield from (f"{declaration.name}_{word}" for word in words)
        return
    value = reader.source.bare[declaration.value_at : declaration.end]
    own = _own_rules(declaration, reader)
    seen: set[str] = set()
    for match in _FIELD.finditer(value):
        field = match["name"]
        pattern = own.get(field) or PROJECTIONS.get(field)
        if pattern is not None and field not in seen:
            seen.add(field)
            space, last = namespace_part(declaration.name), last_part(declaration.name)
            made = pattern.format(last)
            yield f"{space}.{made}" if space else made


def _own_rules(declaration: Declaration, reader: DeclarationReader) -> dict[str, str]:
    """The names of projections that the file sets for the structure that a declaration is of."""
    for name, rules in reader.projections.items():
        if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", declaration.statement):
            return _patterns(rules)
    return {}


def _patterns(rules: Projections) -> dict[str, str]:
    return {
        field: f"{name}_{{}}" if name in rules.prefixes else f"{{}}_{name}" for field, name in rules.names.items()
    }


