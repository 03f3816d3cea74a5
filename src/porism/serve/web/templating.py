"""The templates of the pages."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from porism.corpus import split_math
from porism.errors import counted
from porism.extras import need
from porism.serve.web import rendering
from porism.serve.web.palette import palette
from porism.serve.web.pieces import plain_pieces
from porism.serve.web.problems import sentence
from porism.serve.web.schema import DocumentView
from porism.serve.web.urls import SearchState, address, formula_search
from porism.version import __version__


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
            formula_html=rendering.formula_html, new_state=SearchState, **shared,
        )
        self._environment.filters.update(
            question=lambda text: rendering.plain_html(plain_pieces(split_math(text))),
            code=rendering.code_html,
            percent=lambda share: f"{share:.0%}", grouped=lambda number: f"{number:,}", counted=counted,
            sentence=sentence,
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
    """The heading of a field: the text below a question is its answer."""
    if name == "body":
        return "Answer" if any(section.name == "question" for section in document.sections) else "Text"
    return name.replace("_", " ").replace("-", " ").capitalize()
