"""What generators of sites add to Markdown: shortcodes of Hugo and Quarto, tags of Jekyll and mdBook, kramdown's lists.

They are replaced before the text is parsed: a theorem becomes a div, a formula gets dollars, code gets a fence, and
what only asks the generator for something goes. Code stays as it is, and lines keep their numbers.
"""

from __future__ import annotations

import re

from porism.corpus.markdown.vault import CODE
from porism.corpus.sections import kind_of

_DEFINITION = r"^[ \t]*\\(?:(?:re)?newcommand|providecommand|DeclareMathOperator|[gex]?def|let)(?![A-Za-z])[^\n]*$"
_HINT = re.compile(
    r"\{\{[<%#]|\{%|\{:|\{\{-?\s?(?:site|page)\b|===[!+]?[ \t]|:end_tab:|\[\[?_?toc_?\]|\bimport\b"
    rf"|{_DEFINITION}",
    re.IGNORECASE | re.MULTILINE,
)
_FORMULA_NAMES = "katex|math|mathjax|latex|tex|equation"
_ATTRIBUTE = r"""(?:[.#][\w:-]+|[\w-]+=(?:"[^"\n]*"|'[^'\n]*')|toc\b|nomarkdown\b|refdef\b)"""
_TAG = re.compile(
    rf"{CODE}"
    # {{< katex display >}}…{{< /katex >}} and {% katex display %}…{% endkatex %}
    rf"|\{{(?:\{{[<%]|%-?)\s*(?:{_FORMULA_NAMES})\b(?P<options>[^\n<>%{{}}]{{0,200}})(?:[>%]\}}|-?%)\}}"
    rf"(?P<formula>(?:(?!\{{\{{[<%]|\{{%).)*+)"
    rf"\{{(?:\{{[<%]\s*/\s*|%-?\s*end)(?:{_FORMULA_NAMES})\s*(?:[>%]\}}|-?%)\}}"
    # {::comment}…{:/comment} and {% comment %}…{% endcomment %}
    r"|\{::comment\}(?:(?!\{:).)*+\{:/(?:comment)?\}"
    r"|\{%-?\s*comment\s*-?%\}(?:(?!\{%).)*+\{%-?\s*endcomment\s*-?%\}"
    # {{< name options >}}
    r"|\{\{[<%](?P<shortcode>(?:(?!\{\{|[>%]\}\}).){0,2000})[>%]\}\}"
    # {% name options %}, {{ site.name }}, {{#include name}}
    r"|\{%-?[ \t]+(?P<liquid>[A-Za-z](?:(?!\{%|-?%\})[^\n]){0,2000})-?%\}"
    r"|\{\{-?[ \t]?(?:site|page|include|layout|content)\b[^{}\n]*\}\}"
    r"|\{\{#[a-z_]+[^{}\n]*\}\}"
    # {: .class #id}, {:toc}, {::options /}
    rf"|\{{:[ \t]*(?P<attributes>{_ATTRIBUTE}(?:[ \t]+{_ATTRIBUTE})*)[ \t]*\}}|\{{::?/?[a-z_]+[^{{}}\n]*/\}}"
    # === "Tab", of which the content is indented as that of an admonition is
    r"|^(?P<tab>[ \t]*)===[!+]?(?=[ \t]+\")"
    # definitions of macros, d2lbook's tabs, tables of contents, imports of components
    rf"|(?P<definition>{_DEFINITION})"
    r"|^:(?:begin|end)_tab:(?:`[^`\n]*`)?[ \t]*$"
    r"|^[ \t]*\[\[?_?toc_?\]?\][ \t]*$"
    r"|^import[ \t]+(?:[\w*{][^\n]*[ \t]from[ \t]+)?(?P<quote>['\"])[^'\"\n]+(?P=quote);?[ \t]*$",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_STARRED = re.compile(r"(\\(?:begin|end)\{[A-Za-z]{1,32})\\\*\}")
"""The name of an environment whose star ox-hugo has escaped."""
_MYST = re.compile(r"^(?:`{3,}|:{3,})\{[a-z]|^\([\w:.-]+\)=[ \t]*$", re.MULTILINE)
"""What only MyST has."""
_MYST_LINE = re.compile(rf"{CODE}|(?P<myst>^%[^\n]*$|^\+\+\+[^\n]*$)", re.MULTILINE)
_DISPLAY = re.compile(r"\bdisplay\b|\bblock\b|mode=[\"']?display")
_HAS_DELIMITERS = re.compile(r"\$|\\\\?[(\[]|\\begin")
_NAME = re.compile(r"[/\s*]*([\w./-]+)")
_VALUE = re.compile(r"""(?:([\w-]+)[ \t]*=[ \t]*)?(?:"((?:\\.|[^"\\])*)"|'([^']*)'|`([^`]*)`)""")
_FENCED = frozenset(("highlight", "code", "codeblock", "mermaid", "tikz", "graphviz", "plantuml", "chart"))
_CAPTIONS = ("title", "caption", "alt")
_TITLES = ("name", "title", "")


def definitions_in(text: str) -> str:
    """The definitions of macros that have lines of their own in a text."""
    if not _HINT.search(text):
        return ""
    return "\n".join(match.group() for match in _TAG.finditer(text) if _is_definition(match))


def _is_definition(match: re.Match[str]) -> bool:
    """Whether a line is nothing but definitions of macros."""
    line = match.group("definition")
    return line is not None and line.rstrip().endswith("}") and line.count("{") == line.count("}") and "$" not in line


def without_templates(text: str) -> str:
    """A text without the tags of generators, and of MyST without its comments and breaks."""
    if _HINT.search(text):
        text = _TAG.sub(_replaced, text)
    if "\\*}" in text:
        text = _STARRED.sub(r"\1*}", text)
    if _MYST.search(text) and _MYST_LINE.search(text):
        text = _MYST_LINE.sub(lambda match: "" if match.group("myst") else match.group(), text)
    return text


def _replaced(match: re.Match[str]) -> str:
    whole = match.group()
    if whole.lstrip(" \t>")[:1] in ("`", "~"):
        return whole
    replacement = _meaning(match)
    return replacement + "\n" * (whole.count("\n") - replacement.count("\n"))


def _meaning(match: re.Match[str]) -> str:
    """What takes the place of a tag."""
    formula = match.group("formula")
    if formula is not None:
        if _HAS_DELIMITERS.search(formula):
            return formula
        mark = "$$" if _DISPLAY.search(match.group("options")) or "\n" in formula.strip() else "$"
        return f"{mark}{formula.strip() if mark == '$' else formula}{mark}"
    if match.group("definition") is not None:
        return "" if _is_definition(match) else match.group()
    if (tab := match.group("tab")) is not None:
        return f"{tab}!!! tab"
    if (attributes := match.group("attributes")) is not None:
        line = match.string[match.string.rfind("\n", 0, match.start()) + 1 : match.start()]
        return f"{{{attributes}}}" if line.startswith("#") else ""
    shortcode = match.group("shortcode")
    tag = shortcode if shortcode is not None else match.group("liquid")
    named = _NAME.match(tag) if tag is not None else None
    return "" if named is None or tag is None else _block(match, tag, named.group(1).lower())


def _block(match: re.Match[str], tag: str, name: str) -> str:
    """What a shortcode or tag with a name stands for: the beginning or end of a theorem or of code, or its caption."""
    ends = "/" in tag[: tag.lower().find(name)] or name.startswith(("/", "end"))
    if ends:
        name = name.strip("/").removeprefix("end")
    if name in _FENCED:
        return "```" if _is_alone(match) else ""
    values = {key: first or second or third for key, first, second, third in _VALUE.findall(tag)}
    if kind_of(name) is None:
        return " ".join(values[key] for key in _CAPTIONS if values.get(key))
    if not _is_alone(match):
        return ""
    label = values.get("id") or values.get("label")
    title = next((values[key] for key in _TITLES if values.get(key)), "").replace('"', "'")
    attributes = [f".{name}", f"#{label}" if label else "", f'name="{title}"' if title else ""]
    return ":::" if ends else f"::: {{{' '.join(filter(None, attributes))}}}"


def _is_alone(match: re.Match[str]) -> bool:
    """Whether a tag has its lines for itself."""
    text = match.string
    start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
    return not text[start : match.start()].strip() and not text[match.end() : end if end >= 0 else None].strip()
