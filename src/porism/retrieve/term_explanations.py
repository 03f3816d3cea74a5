"""Why a document has its score by terms: a tree of channels and terms that adds up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from porism.explanation import Explanation
from porism.index.explicit import ExplicitChannel
from porism.index.topk import AnyChannel
from porism.printable import counted
from porism.retrieve.asked import Asked, QueryTerms
from porism.retrieve.soft import explain_soft

if TYPE_CHECKING:
    from porism.retrieve.lexical import LexicalRetriever


def explain_terms(
    lexical: LexicalRetriever, query: QueryTerms, doc_id: str, asked: QueryTerms | None = None
) -> Explanation:
    """See :meth:`porism.retrieve.LexicalRetriever.explain_terms`."""
    segment, document = lexical.find(doc_id)
    names, viewed = lexical.read(query)
    total = 0.0
    channels: list[Explanation] = []
    scored_of = {name: lexical.scored(*name[::-1]) for name in lexical.looks(names)}
    for position, ((view, name), scored_channels) in enumerate(scored_of.items()):
        scored = scored_channels[segment]
        if lexical.channels[name].similarity is not None and isinstance(scored, ExplicitChannel):
            leaves = _soft(lexical, query[name], view, name, scored, segment, document)
        else:
            leaves = _terms(lexical, viewed, asked, position, view, name, scored, segment, document)
        if scored.summands is not None and len(viewed.weights):
            share, summand = lexical.summand_weight(viewed, position, view, name), float(scored.summands[document])
            leaves.append(Explanation(
                share * summand, f"for the document's length: {summand:.4g} · what the query's terms count {share:.4g}"
            ))
        subtotal = sum(leaf.value for leaf in leaves)
        total += subtotal
        if leaves:
            where = f"view {view}, channel {name}" if view else f"channel {name}"
            channels.append(Explanation(subtotal, f"{where}: {_described(lexical, name)}", leaves))
    return Explanation(total, f"{lexical.noun} {doc_id}", channels)


def _described(lexical: LexicalRetriever, name: str) -> str:
    channel = lexical.channels[name]
    if channel.similarity is None:
        return repr(channel.weighting)
    return f"{'soft cosine' if channel.normalised else 'soft inner product'} over {channel.weighting!r}"


def _share(lexical: LexicalRetriever, view: str, name: str) -> float:
    return lexical.channels[name].weight * (lexical.views[view].weight if view else 1.0)


def _soft(
    lexical: LexicalRetriever, query: Mapping[str, float], view: str, name: str, scored: ExplicitChannel, segment: int,
    document: int,
) -> list[Explanation]:
    soft = lexical.terms.soft(name)
    counted = lexical.terms.query_weights(name, query)
    terms = list(counted)
    rows = soft.rows(terms)
    unknown = [term for term, row in zip(terms, rows.tolist(), strict=True) if row < 0]
    found = lexical.terms.vocabulary(name).find(unknown)
    share = _share(lexical, view, name)
    if lexical.channels[name].normalised:
        weights = np.array([counted[term] for term in terms])
        matching = (rows >= 0) | (lexical.terms.vocabulary(name).find(terms).df > 0)
        similar = soft.expand(rows[rows >= 0], weights[rows >= 0])
        norm = soft.norm(rows[matching], weights[matching], similar)
        share /= norm if norm > 0 else 1.0
    numbers = dict(zip(unknown, zip(found.numbers[segment].tolist(), found.weights.tolist(), strict=True), strict=True))
    return explain_soft(soft, scored, segment, document, counted, numbers, share)


def _terms(
    lexical: LexicalRetriever, viewed: Asked, own: QueryTerms | None, position: int, view: str, name: str,
    scored: AnyChannel, segment: int, document: int,
) -> list[Explanation]:
    share = lexical.channels[name].weight
    view_weight = lexical.views[view].weight if view else 1.0
    leaves: list[Explanation] = []
    for i in np.flatnonzero(viewed.channel_of == position).tolist():
        number = int(viewed.numbers[segment, i])
        factor, how = _factor(scored, number, document) if number >= 0 else (0.0, "")
        if factor == 0:
            continue
        in_query, weight, term = float(viewed.asked[i]), float(viewed.weights[i]), viewed.terms[i]
        asked = in_query if own is None or not lexical.channels[name].counted else own.get(name, {}).get(term, 0.0)
        origin = f"{in_query:g}" if asked == in_query else f"({asked:g} + feedback {in_query - asked:.4g})"
        leaves.append(Explanation(weight * factor, (
            f"{term!r}: in the query {origin} · channel weight {share:g} · "
            f"{f'view weight {view_weight:g} · ' if view else ''}"
            f"term weight {weight / (share * view_weight * in_query):.4f} "
            f"(in {counted(int(viewed.df[i]), lexical.noun)}) · {how} "
            f"(frequency {scored.postings.frequency(number, document):g}, "
            f"length {scored.postings.length(document):g})"
        )))
    return leaves


def _factor(scored: AnyChannel, term: int, document: int) -> tuple[float, str]:
    """The exact factor of a term in a document, and how it comes about."""
    if isinstance(scored, ExplicitChannel):
        factor = scored.factor(term, document)
        return factor, f"factor {factor:.4g}"
    factor, x, y = scored.parts(term, document)
    share = f"{x:.4g} / ({x:.4g} + {y:.4g})" if scored.saturating else f"{x:.4g} / {y:.4g}"
    return factor, f"({scored.shift:.4g} + {share})" if scored.shift else share
