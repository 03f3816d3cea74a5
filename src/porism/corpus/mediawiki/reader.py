"""MediaWiki: dumps of whole wikis (Wikipedia, ProofWiki), and single pages of wikitext."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from porism.analysis.languages import language_named
from porism.corpus.base import OnProgress, ReaderOptions, UnitId, clean, ignore_progress
from porism.corpus.html.reader import page_documents
from porism.corpus.macro_files import definitions_in, site_macro_files
from porism.corpus.mediawiki.dump import WikiDump, WikiPage, is_dump
from porism.corpus.mediawiki.macros import macros_of
from porism.corpus.mediawiki.wikitext import Wikitext
from porism.corpus.text_files import read_text, size_of
from porism.corpus.text_reader import PageMacros, with_macros
from porism.corpus.walking import FileReader
from porism.errors import OnProblem, Problem, pluralise
from porism.types import LINKS, Document, Metadata

_CATEGORY, _PICTURE = 14, 6
"""The numbers of the namespaces of categories and of files."""
_NAMED = 10
"""So many of the templates that are not known are named."""


class MediaWikiReader(FileReader):
    """Reads dumps of wikis, in a stream, and pages of wikitext.

    A page is like a file of its own, whose name is its title; its lines are those of its wikitext.
    """

    name = "mediawiki"
    document = "a section of a page; a theorem-like block or a part under a heading like \"Theorem\", with its proof"
    extensions = (".mediawiki", ".wikitext", ".wiki")
    detected_extensions = (".xml",)

    def detect(self, path: Path) -> bool:
        """Whether it is a file of wikitext, a folder of such, or a dump, packed with gzip, bzip2 or not."""
        return super().detect(path) or is_dump(path)

    def companions(self, path: Path, name: str) -> list[Path]:
        return site_macro_files(path, name)

    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        return self.read_in_steps(path, name, source, options, on_problem, ignore_progress)

    def read_in_steps(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        unknown: Counter[str] = Counter()
        definitions = [definitions_in(file) for file in self.companions(path, name)]
        if path.suffix.lower() in self.extensions:
            text = read_text(path, name, on_problem, options.encoding)
            if text is not None:
                page = Wikitext(PurePosixPath(name).stem, _lines(text), unknown)
                documents = _documents(page, name, source, options, on_problem, {}, "")
                yield from with_macros(documents, PageMacros(definitions))
        else:
            dump = WikiDump(path, name, on_problem)
            macros: PageMacros | None = None
            for page_read in dump.pages():
                on_progress(dump.position, size_of(path))
                macros = macros or PageMacros([macros_of(dump.base), *definitions])
                documents = _page_documents(page_read, dump, name, source, options, on_problem, unknown)
                yield from with_macros(documents, macros)
            left_out = [f"{pluralise(count, 'page')} of {kind}" for kind, count in dump.left_out.most_common()]
            if left_out:
                on_problem(Problem(name, f"pages that are no articles are left out: {', '.join(left_out)}"))
        if unknown:
            named = ", ".join(f"{template} ({count:,})" for template, count in unknown.most_common(_NAMED))
            more = f" and {len(unknown) - _NAMED:,} more" if len(unknown) > _NAMED else ""
            on_problem(Problem(name, f"of templates that are not known only formulas are read: {named}{more}"))


def _page_documents(
    page: WikiPage, dump: WikiDump, name: str, source: str, options: ReaderOptions, on_problem: OnProblem,
    unknown: Counter[str],
) -> Iterator[Document]:
    """The documents of a page of a dump."""
    names = ([dump.namespaces.get(number, "")] for number in (_CATEGORY, _PICTURE))
    text = Wikitext(page.title, _lines(page.text), unknown, *names)
    extra: Metadata = {"aliases": page.other_names} if page.other_names else {}
    url = f"{dump.base}{quote(page.title.replace(' ', '_'), safe=':/()!,;@*')}" if dump.base else ""
    place = f"{name}/{clean(page.title)}"
    yield from _documents(text, place, source, options, on_problem, extra, url, dump.language)


def _documents(
    page: Wikitext, name: str, source: str, options: ReaderOptions, on_problem: OnProblem, extra: Metadata, url: str,
    language: str = "",
) -> Iterator[Document]:
    """The documents of a page; those of sections have the address of their heading."""
    if page.tags:
        extra = {**extra, "tags": tuple(dict.fromkeys(page.tags))}
    language = language_named(language) or ""
    for document in page_documents(page.html, name, source, options.formulas, on_problem, extra, language):
        if url:
            is_section = document.metadata["type"] == "section" and isinstance(document.id, UnitId)
            anchor = document.id.partition("#")[2] if is_section else ""
            address = f"{url}#{quote(anchor)}" if anchor else url
            document = replace(document, metadata={**document.metadata, "url": address})
        text = " ".join(content.text for content in document.fields.values())
        links = tuple(link for link in page.links if link.partition("|")[2] in text)
        yield replace(document, metadata={**document.metadata, LINKS: links}) if links else document


def _lines(text: str) -> str:
    return clean(text).replace("\r\n", "\n").replace("\r", "\n")
