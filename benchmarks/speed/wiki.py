"""How long a dump of a wiki takes to read, or to index, and how memory grows with it.

::

    python -m benchmarks speed wiki --pages 20000
    python -m benchmarks speed wiki --pages 20000 --index

Made-up pages in the proportions of an encyclopaedia: stubs, pages, long pages; with infoboxes, references, tables,
formulas of ``<math>`` and of templates, lists, links, categories; redirects between them. bzip2 packs the dump.
Time is that of the processor, of all processes together; a line for each fifth of the pages shows whether memory grows.
"""

from __future__ import annotations

import argparse
import bz2
import random
import resource
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

import porism
from benchmarks.speed.update import WORDS, formula, processor_seconds
from porism.corpus import open_source

PARAGRAPHS = {"stub": 2, "page": 9, "long": 40}
"""Paragraphs of a page of each kind."""
SHARES = (45, 42, 13)
HEAD = (
    '<mediawiki xml:lang="en"><siteinfo><base>https://wiki.example.org/wiki/Main_Page</base><namespaces>'
    '<namespace key="0"/><namespace key="1">Talk</namespace><namespace key="14">Category</namespace>'
    "</namespaces></siteinfo>\n"
)
BACK = (
    "== See also ==\n* [[{0}]]\n* [[{1}]]\n\n== References ==\n{{{{reflist}}}}\n{{{{Authority control}}}}\n"
    "[[Category:{2} theory]]\n[[Category:Theorems in {3}]]\n"
)


def paragraph(chance: random.Random) -> str:
    """Sentences with links, formulas of each kind, references; or a list, a displayed formula, a table."""
    kind = chance.random()
    if kind < 0.12:
        return "".join(f"* {sentence(chance)}\n" for _ in range(4))
    if kind < 0.3:
        return f"{sentence(chance)}\n: <math>{formula(chance)}</math>\n{sentence(chance)}\n"
    if kind < 0.34:
        rows = "".join(f"|-\n| ''{chance.choice(WORDS)}'' || {{{{math|''n'' ≥ {n}}}}}\n" for n in range(5))
        return f'{{| class="wikitable"\n! Name !! Value\n{rows}|}}\n'
    if kind < 0.38:
        return f"{{{{math theorem|name={chance.choice(WORDS)} theorem|math_statement={sentence(chance)}}}}}\n"
    return " ".join(sentence(chance) for _ in range(chance.randint(3, 7))) + "\n"


def sentence(chance: random.Random) -> str:
    """About twelve words."""
    words = chance.choices(WORDS, k=9)
    marked = [
        f"[[{words[0]} {words[1]}|{words[0]}]]", f"''{words[2]}''", f"<math>{formula(chance)}</math>",
        f"{{{{mvar|{words[3][0]}}}}}", "<ref>{{cite book|last=Noether|title=Idealtheorie|year=1921}}</ref>",
    ]
    return " ".join([*words, *chance.sample(marked, 2)]).capitalize() + "."


def page(number: int) -> str:
    """A page, or one page in six a redirect to the page before."""
    chance = random.Random(number)
    title = f"{chance.choice(WORDS)} {chance.choice(WORDS)} {number}".capitalize()
    if number % 6 == 5:
        target = random.Random(number - 1)
        lead = f"{target.choice(WORDS)} {target.choice(WORDS)} {number - 1}".capitalize()
        body, redirect = f"#REDIRECT [[{lead}]]", f'<redirect title="{lead}" />'
    else:
        (kind,) = chance.choices(list(PARAGRAPHS), SHARES)
        parts = ["{{short description|A page}}\n{{Infobox mathematics|name=" + title + "|field=[[Algebra]]}}\n"]
        for place in range(PARAGRAPHS[kind]):
            if place % 5 == 4:
                parts.append(f"== {chance.choice(WORDS).capitalize()} of {chance.choice(WORDS)} ==\n")
            parts.append(paragraph(chance))
        parts.append(BACK.format(*chance.choices(WORDS, k=4)))
        body, redirect = "\n".join(parts), ""
    return (
        f"  <page>\n    <title>{title}</title>\n    <ns>0</ns>\n    <id>{number}</id>\n    {redirect}\n    <revision>\n"
        f"      <model>wikitext</model>\n      <text>{escape(body)}</text>\n    </revision>\n  </page>\n"
    )


def dump(pages: int) -> Iterator[str]:
    """The text of a dump."""
    yield HEAD
    yield from map(page, range(pages))
    yield "</mediawiki>\n"


def peak_megabytes() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def read(path: Path, pages: int) -> None:
    """Reads a dump, and prints a line for each fifth of its pages."""
    started, begun = processor_seconds(), peak_megabytes()
    documents, names, step = 0, set(), max(1, pages // 6)
    for document in open_source(path):
        documents += 1
        name = str(document.metadata["file"])
        if name not in names:
            names.add(name)
            if len(names) % step == 0:
                print(
                    f"{len(names):>9,} pages {documents:>10,} documents {processor_seconds() - started:8.1f} s "
                    f"memory {peak_megabytes() - begun:7.1f} MB more", flush=True,
                )
    taken = processor_seconds() - started
    print(f"read: {len(names):,} pages, {documents:,} documents, {1000 * taken / len(names):.2f} ms a page")


def main() -> None:
    """Writes a dump, and reads or indexes it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--index", action="store_true", help="make an index of the dump, instead of reading it alone")
    parser.add_argument("--jobs", type=int, default=None)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="porism-wiki-") as folder:
        path = Path(folder) / "dump.xml.bz2"
        size = 0
        with bz2.open(path, "wt", encoding="utf-8") as file:
            for text in dump(given.pages):
                size += len(text)
                file.write(text)
        print(f"dump: {size / 1e6:,.1f} MB, packed {path.stat().st_size / 1e6:,.1f} MB")
        if not given.index:
            read(path, given.pages)
            return
        started = processor_seconds()
        report = porism.index_sources([path], Path(folder) / "index", jobs=given.jobs)
        taken = processor_seconds() - started
        print(
            f"index: {report.documents:,} documents, {taken:,.1f} s of the processor, "
            f"{1000 * taken / given.pages:.2f} ms a page, {peak_megabytes():,.0f} MB"
        )


if __name__ == "__main__":
    main()
