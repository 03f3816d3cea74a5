"""The templates of the pages."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from porism.corpus import split_math
from porism.corpus.pdf.pictures import PICTURES
from porism.errors import pluralise
from porism.extras import need
from porism.formula.tables.rows import symbol_rows
from porism.serve.web import rendering
from porism.serve.web.document_schema import DocumentView
from porism.serve.web.formula_views import view
from porism.serve.web.page_pictures import box_link, page_links
from porism.serve.web.pieces import plain_pieces
from porism.serve.web.problems import sentence
from porism.serve.web.urls import SearchState, address, formula_search
from porism.types import Formula
from porism.version import __version__


class Key(NamedTuple):
    """A key of the palette: ``insert`` is LaTeX, in which ``|`` is where the cursor goes; ``mathml`` is shown."""

    insert: str
    name: str
    mathml: str


_GROUPS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "Structures": (
        (r"\frac{|}{}", r"\frac{a}{b}", "fraction"), ("^{|}", "x^n", "power"), ("_{|}", "x_n", "index"),
        (r"\sqrt{|}", r"\sqrt{x}", "square root"), (r"\sqrt[|]{}", r"\sqrt[n]{x}", "root"),
        (r"\sum_{|}^{}", r"\sum", "sum"), (r"\prod_{|}^{}", r"\prod", "product"),
        (r"\int_{|}^{}", r"\int", "integral"), (r"\lim_{|\to }", r"\lim", "limit"),
        (r"\binom{|}{}", r"\binom{n}{k}", "binomial"), (r"\left|{|}\right|", "|x|", "absolute value"),
        (r"\overline{|}", r"\overline{x}", "bar"), (r"\hat{|}", r"\hat{x}", "hat"),
        (r"\begin{pmatrix}|&\\&\end{pmatrix}", r"\begin{pmatrix}a&b\\c&d\end{pmatrix}", "matrix"),
        ("?|", "?x", "wildcard: any subexpression"),
    ),
}
_SYMBOLS = {
    "Greek": "alpha beta gamma delta varepsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau varphi chi psi "
    "omega Gamma Delta Theta Lambda Sigma Phi Psi Omega",
    "Relations": "leq geq neq approx equiv sim cong mid propto to mapsto implies iff",
    "Sets and logic": "in notin subseteq cup cap setminus emptyset forall exists neg land lor mathbb{N} mathbb{Z} "
    "mathbb{Q} mathbb{R} mathbb{C}",
    "Other": "infty partial nabla cdot times pm circ otimes oplus ell sin cos log ln det dots",
}
"""Groups of commands; what they are called is in the table of symbols."""


@lru_cache(1)
def palette() -> dict[str, tuple[Key, ...]]:
    """The keys by group."""
    rows = {command: row for row in symbol_rows().values() for command in row.commands}
    groups = dict(_GROUPS)
    used: set[str] = set()
    for group, commands in _SYMBOLS.items():
        keys = []
        for command in commands.split():
            row = rows[f"\\{command}"]
            names = (row.spoken, *row.names["spoken"], command)
            name = next(name for name in names if name and name not in used)
            used.add(name)
            keys.append((f"\\{command} ", f"\\{command}", name))
        groups[group] = tuple(keys)
    return {
        group: tuple(Key(insert, name, view(Formula(shown)).mathml) for insert, shown, name in keys)
        for group, keys in groups.items()
    }


def roughly(count: int) -> str:
    """A count for readers: from 100 on ``about`` with two digits that count, as the line between good and bad is not
    sharp."""
    if count < 100:
        return str(count)
    unit = 10 ** (len(str(count)) - 2)
    return f"about {round(count / unit) * unit:,}"


class Templates:
    """Renders a page by the name of its template; everything that is not HTML made here is escaped."""

    def __init__(self, **shared: Any) -> None:
        """``shared`` is known to every template."""
        jinja2 = need("jinja2", "web", "the pages")
        self._environment = jinja2.Environment(
            loader=jinja2.PackageLoader("porism.serve.web", "templates"), autoescape=True, trim_blocks=True,
            lstrip_blocks=True, undefined=jinja2.StrictUndefined, auto_reload=False,
        )
        self._environment.globals.update(
            version=__version__, palette=palette, palette_html=self._palette_html,
            address=address, formula_search=formula_search, safe=rendering.safe,
            pieces_html=rendering.pieces_html, plain_html=rendering.plain_html,
            section_name=_section_name,
            formula_html=rendering.formula_html, new_state=SearchState, page_links=page_links, box_link=box_link,
            has_pictures=PICTURES.is_installed, pictures_command=PICTURES.command, **shared,
        )
        self._environment.filters.update(
            question=lambda text: rendering.plain_html(plain_pieces(split_math(text))),
            code=rendering.code_html,
            percent=lambda share: f"{share:.0%}", grouped=lambda number: f"{number:,}", pluralise=pluralise,
            sentence=sentence, roughly=roughly,
            listed=lambda value: [value] if isinstance(value, str) else list(value),
            field_name=lambda name: name.replace("_", " ").replace("-", " ").capitalize(),
        )

    @cached_property
    def _palette(self) -> Any:
        return rendering.safe(self.render("fragments/palette.html"))

    def _palette_html(self) -> Any:
        """The keys of the palette, which are the same on all pages and made once."""
        return self._palette

    def render(self, template: str, /, **values: Any) -> str:
        """A page as HTML."""
        html: str = self._environment.get_template(template).render(**values)
        return html


def _section_name(name: str, document: DocumentView) -> str:
    """The heading of a field: the text below a question is its answer, that above a proof is what it proves."""
    if name == "body":
        beside = {section.name for section in document.sections}
        return "Answer" if "question" in beside else "Statement" if "proof" in beside else "Text"
    return name.replace("_", " ").replace("-", " ").capitalize()
