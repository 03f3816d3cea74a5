"""The heads of blocks and headings in Markdown: kinds, names, labels and attributes in braces."""

from __future__ import annotations

import re
from typing import NamedTuple

from porism.corpus.directives import BARE_DIRECTIVES
from porism.corpus.sections import kind_of

_ATTRIBUTES = re.compile(r"[ \t]*\{:?[ \t]*([^{}\n]*?)[ \t]*\}[ \t]*$")
_LEADING = re.compile(r"\{:?([^{}\n]{1,500})\}")
_IS_ATTRIBUTES = re.compile(r"""(?:[#.][\w:.-]*|-|[\w-]+=(?:"[^"]*"|'[^']*'|[^\s"']+)|\s+)+""")
_ID = re.compile(r"#([^\s{}#]+)")
_CLASS = re.compile(r"(?:^|\s)\.([\w-]+)")
_NAME = re.compile(r"""\b(?:name|title)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s,]+))""")
_LABEL = re.compile(r"""\blabel\s*=\s*["']?([\w:.-]+)""")
_BRACKETED = re.compile(r"([\w-]+)\[(.*)\]\s*")
_MAX_LENGTH = 2_000
_QUOTED = re.compile(r"[\"“]([^\"“”]*)[\"”]")
_SETTINGS = re.compile(
    r"[ \t]*\{[ \t]*(?:[#.][\w:.-]+|[\w-]+[ \t]*[:=][^{}]*)[^{}]*\}[ \t]*\Z|\([\w-]+[ \t]*:=.*\)[ \t]*\Z", re.DOTALL
)
_SETTING = re.compile(r"""([\w-]+)[ \t]*:?[=:][ \t]*(?:"([^"]*)"|'([^']*)'|([^\s,(){}"']+))""")
_QUARTO = {
    "thm": "theorem", "lem": "lemma", "cor": "corollary", "prp": "proposition", "cnj": "conjecture",
    "def": "definition", "exm": "example", "exr": "exercise", "rem": "remark", "sol": "solution", "alg": "algorithm",
}  # fmt: skip
"""What the prefix of an identifier says of a block of Quarto."""


class BlockHead(NamedTuple):
    """What the head of a block says: the type (None where it is not a unit), the title as it was written, the label."""

    kind: str | None
    title: str
    label: str | None


def without_attributes(heading: str) -> tuple[str, str | None]:
    """A heading without the attributes at its end (``{#sec-a .unnumbered}``), and the identifier among them."""
    match = _ATTRIBUTES.search(heading)
    if match is None or not _IS_ATTRIBUTES.fullmatch(match.group(1)):
        return heading, None
    identifier = _ID.search(match.group(1))
    return heading[: match.start()], identifier.group(1) if identifier else None


def attributes_after(text: str) -> tuple[str, str | None]:
    """What follows the attributes that a text begins with (``{#fig-a width=50%}``), and the identifier among them."""
    match = _LEADING.match(text)
    if match is None or not _IS_ATTRIBUTES.fullmatch(match.group(1)):
        return text, None
    identifier = _ID.search(match.group(1))
    return text[match.end() :], identifier.group(1) if identifier else None


def _named_head(info: str) -> BlockHead:
    """A head that begins with a name: ``theorem Title``, ``theorem[Title]{#x}``, ``theorem "Title" {label: x}``,
    and as Verso writes it ``theorem "x" (title := "Title")``."""
    rest, label, title, settings = info, None, "", None
    if len(info) < _MAX_LENGTH and (settings := _SETTINGS.search(info)) is not None:
        rest = info[: settings.start()]
        values = {key: first or second or third for key, first, second, third in _SETTING.findall(settings.group())}
        identifier = _ID.search(settings.group())
        label = identifier.group(1) if identifier else values.get("label") or values.get("id")
        title = values.get("title") or values.get("name") or ""
    name, _, after = rest.partition(" ")
    if (bracketed := _BRACKETED.fullmatch(rest.strip())) is not None:
        name, after = bracketed.groups()
    after = after.strip()
    if (quoted := _QUOTED.fullmatch(after)) is not None:
        after = quoted.group(1)
        if settings is not None and settings.group().startswith("("):  # Verso has the label in quotes
            label, after = after, ""
    return BlockHead(kind_of(name), title or after, label)


def block_head(info: str) -> BlockHead:
    """The head of a div or directive: ``{#thm-x name="…"}``, ``{.theorem}``, ``{prf:theorem} Title``,
    ``theorem Title``, and as bookdown writes them ``{theorem, name="…", label="…"}`` and ``{theorem x}``.
    """
    inside, _, after = info[1:].partition("}") if info.startswith("{") else ("", "", "")
    if not inside:
        return _named_head(info)
    identifier = _ID.search(inside)
    label = identifier.group(1) if identifier else None
    names = _CLASS.findall(inside)
    if label and "-" in label:
        names.append(_QUARTO.get(label.partition("-")[0], ""))
    words = inside.replace(",", " ").split()
    if words and words[0][0] not in "#.":
        names.append(words[0].rpartition(":")[2])
        if label is None and len(words) > 1 and "=" not in words[1]:
            label = words[1]
    kind = next((known for name in names if (known := kind_of(name))), None)
    if label is None and (labelled := _LABEL.search(inside)):
        label = labelled.group(1)
    named = _NAME.search(inside)
    title = next((group for group in named.groups() if group), "") if named else after.strip()
    if words and words[0].rpartition(":")[2] in BARE_DIRECTIVES:
        title = ""
    return BlockHead(kind, title, label)
