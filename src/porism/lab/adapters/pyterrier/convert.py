"""PyTerrier: Porism's retrievers, rerankers and fusions as transformers, and transformers as retrievers and rerankers.

::

    search = to_pyterrier(porism.open_index("notes.index"))
    pt.Experiment([search % 10, bm25 >> to_pyterrier(RetrieverReranker(index))], topics, qrels, ["nDCG@10"])
    stage = from_pyterrier(bm25) % 200 >> RetrieverReranker(index)

What is here imports PyTerrier when it is called; Java is never started by it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from porism.errors import ConfigError
from porism.extras import need
from porism.lab.fusion import Fusion
from porism.lab.pipeline import PipelineStage, Reranker, pipeline
from porism.retrieve import Searcher
from porism.runs.run import Run
from porism.search.searcher import IndexSearcher
from porism.types import Query

if TYPE_CHECKING:
    from porism.lab.adapters.pyterrier.stages import TransformerReranker

_PURPOSE = "the PyTerrier adapter"


def to_pyterrier(
    made: PipelineStage | Searcher | IndexSearcher | Run | Reranker | Fusion,
    *sources: Any,
    k: int = 1000,
    depth: int | None = None,
    fields: Sequence[str] = (),
) -> Any:
    """A ``pt.Transformer`` of what Porism has.

    - A retriever, a stage, an index or a run: Q → R. It takes ``qid`` and ``query``, in which formulas are between
      dollars, and gives these and all other columns of the query with ``docno``, ``score`` and ``rank`` (from 0; ties
      by Porism's tie rule). A search of an index takes results, too (R → R), and gives them its own scores.
    - A reranker: R → R. It takes ``qid``, ``query`` and ``docno``; without a ``score`` all documents are re-ranked.
    - A fusion: the results of ``sources``, transformers or what can be made one, as one list.

    :param k: the results of a query. A rank cutoff of a compiled pipeline (``%``) lowers it.
    :param depth: of a reranker: how many results it re-ranks; its own by default.
    :param fields: fields of the query, each in a column ``query_<field>``, which then make the query instead of
        ``query``: see :func:`queries_to_frame`.
    :raises MissingExtra: PyTerrier is not installed.
    :raises ConfigError: it is none of these.
    """
    pt = need("pyterrier", "pyterrier", _PURPOSE)
    from porism.lab.adapters.pyterrier import transformers

    if isinstance(made, pt.Transformer) and not sources:
        return made
    if isinstance(made, (PipelineStage, IndexSearcher, Run)):
        return transformers.PorismRetriever(pipeline(made), k, tuple(fields))
    if isinstance(made, Fusion):
        if not sources:
            raise ConfigError(
                f"the fusion {made!r} has nothing to fuse", hint="Name the transformers: to_pyterrier(fusion, a, b)."
            )
        of = [to_pyterrier(source, fields=fields) for source in sources]
        return transformers.PorismFusion(made, of, k)
    if sources:
        raise ConfigError(f"a {type(made).__name__} has no sources", hint="Only a fusion has.")
    if isinstance(made, Reranker):
        return transformers.PorismReranker(made, depth, tuple(fields))
    if isinstance(made, Searcher) and not isinstance(made, type):
        return transformers.PorismRetriever(pipeline(made), k, tuple(fields))
    raise ConfigError(
        f"a {type(made).__name__} cannot become a transformer",
        hint="Give an index, a retriever, a stage, a run, a reranker or a fusion.",
    )


def from_pyterrier(
    transformer: Any,
    kind: Literal["retriever", "reranker"] | None = None,
    *,
    name: str | None = None,
    text: Callable[[Query], str] | None = None,
    documents: IndexSearcher | Callable[[str], str] | None = None,
    depth: int = 100,
    batch: bool = False,
) -> PipelineStage | TransformerReranker:
    """A stage (Q → R) or a reranker (R → R) of a PyTerrier transformer.

    :param kind: which of both; by default what PyTerrier's inspection says, a stage where it can be either.
    :param name: what its runs are called; ``pyterrier`` by default.
    :param text: the ``query`` of a query; by default its text with formulas between dollars. Some engines have a
        query language, in which such text must be escaped.
    :param documents: of a reranker: where the column ``text`` comes from, an index or a function of the document's id.
    :param depth: of a reranker: how many results it re-ranks where a pipeline does not say.
    :param batch: of a retriever: it is given all queries at once; then no query has a time of its own.
    :raises MissingExtra: PyTerrier is not installed.
    :raises ConfigError: it is not a transformer, or PyTerrier cannot tell what it takes.
    """
    pt = need("pyterrier", "pyterrier", _PURPOSE)
    from porism.lab.adapters.pyterrier.stages import TransformerReranker, TransformerRetriever

    if not isinstance(transformer, pt.Transformer):
        raise ConfigError(f"a {type(transformer).__name__} is not a PyTerrier transformer")
    if kind not in (None, "retriever", "reranker"):
        raise ConfigError(f"there is no kind {kind!r} of transformer", hint="Choose 'retriever' or 'reranker'.")
    if kind is None:
        inputs = pt.inspect.transformer_inputs(transformer, strict=False)
        if not inputs or not any(inputs):
            raise ConfigError(
                f"PyTerrier cannot tell which columns {transformer!r} takes",
                hint="Say so: kind='retriever' for queries, kind='reranker' for results.",
            )
        kind = "retriever" if any("docno" not in columns for columns in inputs) else "reranker"
    if kind == "reranker":
        return TransformerReranker(transformer, name or "pyterrier", text, documents, depth)
    if documents is not None:
        raise ConfigError("a retriever is given no documents", hint="Only a reranker is.")
    return pipeline(TransformerRetriever(transformer, name or "pyterrier", text), batch=batch)
