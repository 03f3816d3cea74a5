"""What a Typst file is made of, as far as its text and formulas need it."""

from __future__ import annotations

from typing import NamedTuple


class Text(NamedTuple):
    """Words, with the white space between them."""

    text: str
    line: int


class Math(NamedTuple):
    """A formula: what is between its dollars."""

    source: str
    line: int
    display: bool


class Raw(NamedTuple):
    """Code, which is kept as it is."""

    text: str
    line: int


class ParagraphEnd(NamedTuple):
    """A blank line, or the beginning of an item; ``line`` is that of what follows."""

    line: int
    mark: str = ""


class TypstHeading(NamedTuple):
    """A heading of this level."""

    level: int
    content: list[Node]
    line: int


class Label(NamedTuple):
    """A label of what is before it."""

    name: str


class Reference(NamedTuple):
    """A reference to a label, or a citation."""

    name: str
    supplement: list[Node] | None


class String(NamedTuple):
    """A string of code."""

    text: str


class Code(NamedTuple):
    """A number or an operator."""

    text: str


class Name(NamedTuple):
    """The name of a value."""

    name: str


class Brackets(NamedTuple):
    """Content between brackets."""

    nodes: list[Node]
    line: int


class Group(NamedTuple):
    """Values in parentheses or braces, and the branches of a condition."""

    nodes: list[Node]


class TypstArgument(NamedTuple):
    """An argument of a call, with its name or without one."""

    name: str
    values: list[Node]


class TypstCall(NamedTuple):
    """A call; ``callee`` is what is called where that is a call itself."""

    name: str
    arguments: list[TypstArgument]
    line: int
    callee: TypstCall | None = None


class Let(NamedTuple):
    """A definition of values, or of a function of these parameters."""

    names: list[str]
    parameters: list[TypstArgument] | None
    value: list[Node]


class Setting(NamedTuple):
    """A ``set`` or ``show`` rule."""

    values: list[Node]


class FileName(NamedTuple):
    """A file that is included, or whose definitions are imported; ``renamed`` says which get other names."""

    name: str
    line: int
    is_included: bool
    renamed: dict[str, str]


Node = (
    Text | Math | Raw | ParagraphEnd | TypstHeading | Label | Reference | String | Code | Name | Brackets | Group
    | TypstCall | Let | Setting | FileName
)
