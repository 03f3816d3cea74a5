"""Files that are left out: how many there are, and what reads them, an extra or another form of the same file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from porism.extras import Extra

MAX_ENDINGS = 8
"""So many endings are named."""


_OTHER_FORMS = {
    "save them as .docx, as soffice --headless --convert-to docx does": ".doc .dot .wpd .wps .sxw .pages .one",
    "export them as PDF, as soffice --headless --convert-to pdf does": ".ppt .pptx .pps .ppsx .odp .key",
    "save them as .csv": ".xls .xlsx .ods .numbers",
    "ps2pdf makes PDF of them": ".ps",
    "dvipdfmx makes PDF of them": ".dvi",
    "djvutxt makes text of them": ".djvu .djv",
    "ebook-convert makes .epub of them": ".mobi .azw .azw3 .kfx .lit",
    "save them as .html": ".mht .mhtml .webarchive .chm .xps .oxps",
    "unpack them": ".rar .lzh .cab .dmg .iso",
    "export them as LaTeX": ".mw .mws .wxmx .tc2",
    "sagews2ipynb makes notebooks of them": ".sagews",
    "export them as Markdown or HTML": ".enex",
}
_FORM_BY_ENDING = {ending: hint for hint, endings in _OTHER_FORMS.items() for ending in endings.split()}


def other_form(ending: str) -> str:
    """What makes a file with such an ending readable; empty where nothing is known."""
    return _FORM_BY_ENDING.get(ending, "")


class Lacking(NamedTuple):
    """The extra that files lack, and their ending."""

    extra: Extra
    ending: str


def lacking_texts(lacking: Mapping[Lacking, int]) -> list[str]:
    """``12 .docx, 3 .odt (pip install 'porism[documents]' reads them)``, one for each extra."""
    by_command: dict[str, dict[str, int]] = {}
    for (extra, ending), count in lacking.items():
        by_command.setdefault(extra.command, {})[ending] = count
    return [f"{', '.join(count_texts(counts))} ({command} reads them)" for command, counts in by_command.items()]


def count_texts(counts: Mapping[str, int]) -> Sequence[str]:
    """``12 .docx``, ``3 .odt``…: files by their endings, the most frequent first."""
    order = sorted(counts, key=lambda ending: (-counts[ending], ending))
    shown = [f"{counts[ending]:,} {ending or 'without ending'}" for ending in order[:MAX_ENDINGS]]
    if rest := sum(counts[ending] for ending in order[MAX_ENDINGS:]):
        shown.append(f"{rest:,} others")
    return shown


def left_out_texts(left_out: Mapping[str, int]) -> list[str]:
    """``3 .doc (save them as .docx, …)`` for each form that files could have; the others together, without a hint."""
    by_form: dict[str, dict[str, int]] = {}
    for ending, count in left_out.items():
        by_form.setdefault(other_form(ending), {})[ending] = count
    others = by_form.pop("", {})
    return [
        *(f"{', '.join(count_texts(counts))} ({form})" for form, counts in by_form.items()),
        *([f"{', '.join(count_texts(others))} (formats: porism index --formats)"] if others else ()),
    ]
