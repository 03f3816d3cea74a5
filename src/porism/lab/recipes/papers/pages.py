"""The page of a reproduction as blocks, and these as text, as Markdown and as HTML."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from types import MappingProxyType

from porism.lab.evaluate.tables import aligned
from porism.lab.recipes.papers.figures import CheckedClaim, MeasuredExtension, MeasuredTable, shown_figure
from porism.lab.recipes.papers.results import PaperResults
from porism.lab.reports.words import p_value, signed

_WIDTH = 110
_STYLE = """
body{max-width:62rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif;color:#222;background:#fff}
table{border-collapse:collapse;margin:1rem 0}
th,td{padding:.2rem .7rem;border-bottom:1px solid #ccc;text-align:right}
th:first-child,td:first-child{text-align:left}
h1{font-size:1.6rem}h2{font-size:1.2rem}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}a{color:#8bf}}
"""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is the title."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class PageParagraph:
    """Sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FigureGrid:
    """A table: its header and its rows."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class PageLink:
    """A page beside this one."""

    text: str
    target: str


Block = Heading | PageParagraph | Bullets | FigureGrid | PageLink


def page(results: PaperResults, reports: Mapping[str, str] = MappingProxyType({})) -> list[Block]:
    """What was asked, how Porism does it, published beside measured, and why they differ.

    :param reports: name of a report → the path of its page.
    """
    paper, scale = results.paper, results.scale
    blocks: list[Block] = [
        Heading(f"{paper.title} ({scale})", 1), PageParagraph(f"{paper.authors}, {paper.venue}."),
        PageParagraph(f"Made by: {results.command}"),
        Heading("What was asked"), PageParagraph(paper.question),
        Heading("How Porism does it"), PageParagraph(paper.method),
    ]
    for table in results.tables:
        blocks += _table(table)
    for report, rows in results.extensions.items():
        blocks += _extensions(rows, report if report in reports else "")
    if results.claims:
        blocks += [
            Heading("What the paper found, and what holds here"), _claims(results.claims),
            PageParagraph(
                "p is of a permutation test over the topics, corrected by Holm–Bonferroni for the number of findings."
            ),
        ]
    differences = (*paper.differences, *paper.at(scale).differences)
    if differences:
        blocks += [Heading("Why figures differ"), Bullets(differences)]
    if results.left_out:
        items = tuple(f"{', '.join(names)}: {why}." for why, names in results.left_out.items())
        blocks += [Heading("Not run"), Bullets(items)]
    blocks += _times(results.seconds)
    full = paper.scales.get("full")
    if full is not None and scale != "full":
        blocks += [Heading("At full scale"), PageParagraph(
            f"The scale full was never run here. By an estimate it takes {full.time}, {full.memory} of memory and "
            f"{full.disk} of disk ({full.estimate}). What it needs and does: "
            f"porism reproduce {paper.name} --scale full --plan"
        )]
    if results.costs:
        blocks += [Heading("What a query costs"), FigureGrid(("system", "median, ms", "95 %, ms"), tuple(
            (system, f"{1000 * median:,.1f}", f"{1000 * most:,.1f}")
            for system, (median, most) in results.costs.items()
        ))]
    blocks += [PageLink(f"All figures, tests and plots: {name}", target) for name, target in reports.items()]
    return blocks


def _table(measured_table: MeasuredTable) -> list[Block]:
    table = measured_table.table
    called = table.called or table.columns
    known = any(row.values for row in table.rows)
    header = ("system", *(name for column in called for name in ((column, "here") if known else (column,))))
    rows = []
    for row in measured_table.rows:
        cells = [row.row.name]
        for number, measured in enumerate(row.measured):
            if known:
                cells.append(shown_figure(row.row.values[number] if row.row.values else None, table))
            cells.append(shown_figure(measured, table))
        rows.append(tuple(cells))
    blocks: list[Block] = [Heading(table.title)]
    if table.note:
        blocks.append(PageParagraph(table.note))
    blocks.append(FigureGrid(header, tuple(rows)))
    if compared := measured_table.compared:
        blocks.append(PageParagraph(
            f"{measured_table.exact} of the {compared} figures that were measured are those of the paper as printed."
        ))
    return blocks


def _extensions(rows: Sequence[MeasuredExtension], drawn: str) -> list[Block]:
    cells = []
    for extension in rows:
        row = extension.row
        if "adds" not in row:
            cells.append((row["system"], "–", "–", f"{row['value']:.3f}", "–"))
            continue
        cells.append((
            f"{'+ ' * row['depth']}{row['adds']}", "–" if extension.published is None else signed(extension.published),
            signed(row["difference"]), f"{row['value']:.3f}", "–" if row["p"] is None else p_value(row["p"]),
        ))
    said = "Each row extends the row above it that has one + less."
    return [
        Heading("What each extension adds"),
        PageParagraph(f"{said} The page of the report {drawn} has the plot." if drawn else said),
        FigureGrid(("extension", "published", "here", "gives", "p"), tuple(cells)),
    ]


def _claims(claims: Iterable[CheckedClaim]) -> FigureGrid:
    rows = []
    for checked in claims:
        figures = (checked.better, checked.worse, checked.p_value)
        unsure = ", not significantly" if checked.verdict == "holds" and not checked.significant else ""
        rows.append((
            checked.claim.says, checked.claim.measure, *("–" if value is None else f"{value:.3f}" for value in figures),
            f"{checked.verdict}{unsure}",
        ))
    return FigureGrid(("finding", "measure", "better", "worse", "p", "here"), tuple(rows))


def _times(seconds: Mapping[str, float]) -> list[Block]:
    """Seconds by kind of stage: indexing, training and searching, whenever they were spent."""
    if not seconds:
        return []
    rows = tuple((kind, f"{spent:,.1f}") for kind, spent in seconds.items())
    return [Heading("Time"), FigureGrid(("stages", "seconds"), (*rows, ("all", f"{sum(seconds.values()):,.1f}")))]


def as_text(blocks: Iterable[Block]) -> str:
    """For a terminal."""
    parts: list[str] = []
    for block in blocks:
        if isinstance(block, Heading):
            parts.append(f"{block.text}\n{('=' if block.level == 1 else '-') * len(block.text)}")
        elif isinstance(block, PageParagraph):
            parts.append(textwrap.fill(block.text, _WIDTH, break_long_words=False, break_on_hyphens=False))
        elif isinstance(block, Bullets):
            parts.append("\n".join(
                textwrap.fill(item, _WIDTH, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)
                for item in block.items
            ))
        elif isinstance(block, FigureGrid):
            parts.append("\n".join(aligned([list(block.header), *map(list, block.rows)])))
        else:
            parts.append(f"{block.text}: {block.target}")
    return "\n\n".join(parts) + "\n"


def as_markdown(blocks: Iterable[Block]) -> str:
    """For the documentation; links to files beside the page are left out."""
    parts: list[str] = []
    for block in blocks:
        if isinstance(block, Heading):
            parts.append(f"{'#' * block.level} {_marked(block.text)}")
        elif isinstance(block, PageParagraph):
            parts.append(_marked(block.text))
        elif isinstance(block, Bullets):
            parts.append("\n".join(f"- {_marked(item)}" for item in block.items))
        elif isinstance(block, FigureGrid):
            lines = [block.header, ("---",) * len(block.header), *block.rows]
            parts.append("\n".join(f"| {' | '.join(map(_marked, line))} |" for line in lines))
    return "\n\n".join(parts) + "\n"


def as_html(blocks: Iterable[Block]) -> str:
    """A page of its own."""
    parts: list[str] = []
    title = ""
    for block in blocks:
        if isinstance(block, Heading):
            title = title or block.text
            parts.append(f"<h{block.level}>{escape(block.text)}</h{block.level}>")
        elif isinstance(block, PageParagraph):
            parts.append(f"<p>{escape(block.text)}</p>")
        elif isinstance(block, Bullets):
            parts.append(f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in block.items)}</ul>")
        elif isinstance(block, FigureGrid):
            head = "".join(f"<th>{escape(cell)}</th>" for cell in block.header)
            rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in block.rows)
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
        else:
            parts.append(f'<p><a href="{escape(block.target, quote=True)}">{escape(block.text)}</a></p>')
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>\n'
        f"<body>\n{body}\n</body></html>\n"
    )


def _marked(text: str) -> str:
    """Text for Markdown: what would be markup is written so that it is none."""
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")
