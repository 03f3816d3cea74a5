"""Why a document has its score by terms: a tree of channels and terms that adds up."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from porism.errors import pluralise
from porism.explanation import Explanation
from porism.index.engine.factors import FactorChannel
from porism.index.engine.topk import AnyChannel
from porism.retrieve.lexical.query_terms import PreparedQuery, QueryTerms
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.lexical.soft import explain_soft


def explain_terms(
    lexical: LexicalRetriever, query: QueryTerms, doc_id: str, *, original: QueryTerms | None = None
) -> Explanation:
    """Why a document has its score: channels, those of zones too, and in each its terms, all adding up.

    Of a term that ``original`` gives less weight than ``query`` the rest is shown as what feedback gave it.

    :raises QueryError: the index has no such document, or a weight is not a finite number ≥ 0.
    :raises ConfigError: the query names a channel that the retriever does not have.
    """
    segment, document = lexical.find(doc_id)
    names, zoned = lexical.read(query)
    total = 0.0
    channels: list[Explanation] = []
    scored_of = {name: lexical.scored(*name[::-1]) for name in lexical.zone_channels(names)}
    for position, ((zone, name), scored_channels) in enumerate(scored_of.items()):
        scored = scored_channels[segment]
        if lexical.channels[name].similarity is not None and isinstance(scored, FactorChannel):
            leaves = _soft(lexical, query[name], zone, name, scored, segment, document)
        else:
            leaves = _terms(lexical, zoned, original, position, zone, name, scored, segment, document)
        if scored.summands is not None and len(zoned.weights):
            share, summand = lexical.summand_weight(zoned, position, zone, name), float(scored.summands[document])
            leaves.append(Explanation(
                share * summand, f"for the document's length: {summand:.4g} · what the query's terms count {share:.4g}"
            ))
        subtotal = sum(leaf.value for leaf in leaves)
        total += subtotal
        if leaves:
            where = f"zone {zone}, channel {name}" if zone else f"channel {name}"
            channels.append(Explanation(subtotal, f"{where}: {_described(lexical, name)}", leaves))
    return Explanation(total, f"{lexical.noun} {doc_id}", channels)


def _described(lexical: LexicalRetriever, name: str) -> str:
    channel = lexical.channels[name]
    if channel.similarity is None:
        return repr(channel.weighting)
    how = {True: "soft cosine", "maintain": "soft cosine with lengths maintained"}.get(
        channel.normalised, "soft inner product"
    )
    return f"{how} over {channel.weighting!r}"


def _share(lexical: LexicalRetriever, zone: str, name: str) -> float:
    return lexical.channels[name].weight * (lexical.zones[zone].weight if zone else 1.0)


def _soft(
    lexical: LexicalRetriever, query: Mapping[str, float], zone: str, name: str, scored: FactorChannel, segment: int,
    document: int,
) -> list[Explanation]:
    soft = lexical.terms.soft(name)
    counted = lexical.terms.query_weights(name, query)
    terms = list(counted)
    rows = soft.rows(terms)
    unknown = [term for term, row in zip(terms, rows.tolist(), strict=True) if row < 0]
    known_terms = lexical.terms.vocabulary(name).find(unknown)
    share = _share(lexical, zone, name)
    if normalised := lexical.channels[name].normalised:
        weights = np.array([counted[term] for term in terms])
        matching = (rows >= 0) | (lexical.terms.vocabulary(name).find(terms).df > 0)
        similar = soft.expand(rows[rows >= 0], weights[rows >= 0])
        norm = soft.norm(rows[matching], weights[matching], similar, normalised)
        share /= norm if norm > 0 else 1.0
    columns = zip(known_terms.numbers[segment].tolist(), known_terms.weights.tolist(), strict=True)
    numbers = dict(zip(unknown, columns, strict=True))
    return explain_soft(soft, scored, segment, document, counted, numbers, share)


def _terms(
    lexical: LexicalRetriever, zoned: PreparedQuery, own: QueryTerms | None, position: int, zone: str, name: str,
    scored: AnyChannel, segment: int, document: int,
) -> list[Explanation]:
    share = lexical.channels[name].weight
    zone_weight = lexical.zones[zone].weight if zone else 1.0
    leaves: list[Explanation] = []
    for i in np.flatnonzero(zoned.channel_of == position).tolist():
        number = int(zoned.numbers[segment, i])
        factor, how = _factor(scored, number, document) if number >= 0 else (0.0, "")
        if factor == 0:
            continue
        in_query, weight, term = float(zoned.counts[i]), float(zoned.weights[i]), zoned.terms[i]
        before = in_query if own is None or not lexical.channels[name].counted else own.get(name, {}).get(term, 0.0)
        origin = f"{in_query:g}" if before == in_query else f"({before:g} + feedback {in_query - before:.4g})"
        leaves.append(Explanation(weight * factor, (
            f"{term!r}: in the query {origin} · channel weight {share:g} · "
            f"{f'zone weight {zone_weight:g} · ' if zone else ''}"
            f"term weight {weight / (share * zone_weight * in_query):.4f} "
            f"(in {pluralise(int(zoned.df[i]), lexical.noun)}) · {how} "
            f"(frequency {scored.postings.frequency(number, document):g}, "
            f"length {scored.postings.length(document):g})"
        )))
    return leaves


def _factor(scored: AnyChannel, term: int, document: int) -> tuple[float, str]:
    """The exact factor of a term in a document, and how it comes about."""
    if isinstance(scored, FactorChannel):
        factor = scored.factor(term, document)
        return factor, f"factor {factor:.4g}"
    factor, x, y = scored.parts(term, document)
    share = f"{x:.4g} / ({x:.4g} + {y:.4g})" if scored.saturating else f"{x:.4g} / {y:.4g}"
    return factor, f"({scored.shift:.4g} + {share})" if scored.shift else share
