"""The systems that :mod:`benchmarks.peers.documents` and :mod:`benchmarks.peers.formulas` compare, by name.

Each runs as it is meant to: from the topic's words and LaTeX to ranked ids, its analysis included in the time.
``…-terms`` are the three engines on the same terms: words and token 1- to 3-grams as Porism analyses them, terms known
before the clock starts, plain BM25 with the same parameters, each distinct term counted as often as the topic has it.
``formulas-…`` find formulas.
"""

from __future__ import annotations

from benchmarks.contenders.approach0 import ApproachZero, ApproachZeroFormulas
from benchmarks.contenders.base import Contender
from benchmarks.contenders.bm25s import Bm25s, Bm25sFormulas, Bm25sNgrams, Bm25sTerms
from benchmarks.contenders.formulas import PorismChannels, PorismFormulas
from benchmarks.contenders.lucene import Lucene, LuceneTerms
from benchmarks.contenders.porism import Porism, PorismTerms

DOCUMENTS: dict[str, type[Contender]] = {
    "porism": Porism, "bm25s": Bm25s, "bm25s-ngrams": Bm25sNgrams, "lucene": Lucene, "approach0": ApproachZero,
    "porism-terms": PorismTerms, "bm25s-terms": Bm25sTerms, "lucene-terms": LuceneTerms,
}
"""In the order of the table; the first is what the others are compared with, and ``porism-terms`` by ``…-terms``."""

FORMULAS: dict[str, type[Contender]] = {
    "formulas-porism": PorismFormulas, "formulas-channels": PorismChannels, "formulas-bm25s": Bm25sFormulas,
    "formulas-approach0": ApproachZeroFormulas,
}
"""The same for formula search. ``formulas-porism:NAME`` is a model that the library has a name for."""

CONTENDERS = {**DOCUMENTS, **FORMULAS}


def contender_class(name: str) -> type[Contender]:
    """The class of a contender; what follows a colon in its name is a variant of it.

    :raises KeyError: there is none.
    """
    return CONTENDERS[name.partition(":")[0]]
