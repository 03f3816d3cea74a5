"""Published systems as models: the ten of ARQMath 2021, and the twelve soft models of ARQMath 2022.

An index answers them that was made with their channels: ``porism index --channels mirmu2021,scm2022`` and, for those of
2022, with the tokenizers that their channels name. Soft ones need their similarity matrices, too; the recipes of
``benchmarks`` build everything.

2021: Novotný et al., *Ensembling Ten Math Information Retrieval Systems* (CLEF 2021), section 3. MG, PZ and SCM read
answers with the texts of their questions, the others bare answers (section 5). Of MH, LM, JK and VS the paper says
TF·IDF over text with each formula as one token of LaTeX, and no more: how they differ here (in the SMART scheme) is our
choice. CompuBERT is a sentence encoder, and no model of terms.

2022: Novotný and Štefánik, *Combining Sparse and Dense Information Retrieval* (CLEF 2022): Lucene's BM25; γ repeats the
title, in questions and answers; β is the weight of text in an interpolation; a matrix mixes lexical and semantic
similarity by α. Their numbers γ and β are in the models; those of α are in the matrices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from porism.analysis.channels import parse_channel
from porism.retrieve.documents.model import SearchModel
from porism.retrieve.feedback.settings import Feedback
from porism.retrieve.lexical.channels import OTHER_FIELDS
from porism.retrieve.lexical.settings import ChannelSettings

TEXT, LATEX, JOINT, TANGENT_L = "bpe:scm-text", "bpe:scm-latex", "bpe:scm-joint", "tangent-l:delimiters+identifiers"
"""The channels of the models of 2022."""

_SCM_2021 = "joint:prefix:latexml+words=simple+case=upper"
_ONE_TOKEN = "joint:latex+words=plain"
_BARE = {OTHER_FIELDS: 0.0, "body": 1.0}


def _enriched(title: float, question: float = 1.0, tags: float = 1.0) -> dict[str, float]:
    """An answer with the texts of its question; comments left out."""
    return {OTHER_FIELDS: 0.0, "body": 1.0, "title": title, "question": question, "tags": tags}


def _model(
    channels: Mapping[str, ChannelSettings], field_weights: Mapping[str, float],
    query_field_weights: Mapping[str, float] | None = None, feedback: Feedback | None = None,
) -> SearchModel:
    """Every term of a query counts as often as it is there."""
    return SearchModel(
        channels, field_weights=field_weights, query_field_weights=query_field_weights or {}, formulas_power=1.0,
        mass_exponent=0.0, feedback=feedback or Feedback(weight=0.0), needs_all_channels=True,
    )


def _tf_idf(scheme: str, feedback: Feedback | None = None, **parameters: float) -> SearchModel:
    settings = ChannelSettings(1.0, weighting=scheme, parameters=parameters)
    return _model({_ONE_TOKEN: settings}, _BARE, feedback=feedback)


SYSTEMS_2021: Mapping[str, SearchModel] = MappingProxyType({
    "mirmu2021-mg": _model(
        {"whitespace": ChannelSettings(1.0, 1.5, 0.75, 1.0, parameters={"absent": 1.0})}, _enriched(1.0)
    ),
    "mirmu2021-pz": _model({"lucene": ChannelSettings(1.0, 0.9, 0.4)}, _enriched(3.0, question=0.0)),
    "mirmu2021-scm": _model(
        {
            _SCM_2021: ChannelSettings(
                1.0, weighting="Lnu.ltb", parameters={"slope": 0.2}, similarity="mirmu2021-scm", normalised=True
            ),
        },
        _enriched(3.0),
    ),
    "mirmu2021-mh": _tf_idf("ltc.ltc"),
    "mirmu2021-lm": _tf_idf("ntc.ntc"),
    "mirmu2021-mp": _tf_idf(
        "Ltu.ltn", Feedback(method="rocchio", documents=10, terms=40, alpha=1.0, beta=0.75), slope=0.2
    ),
    "mirmu2021-jk": _tf_idf("lnc.ltc"),
    "mirmu2021-am": _model({"joint:prefix:latexml+words=plain+case=upper": ChannelSettings(1.0, 1.5, 0.75)}, _BARE),
    "mirmu2021-vs": _tf_idf("nnc.ntc"),
})
"""The systems of MIRMU and MSM at ARQMath 2021 by name, but for CompuBERT."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of the table of 2022: its channels, each with a similarity ("" for none), γ and β."""

    text: str
    similarity: str
    gamma: float
    formulas: str = ""
    formula_similarity: str = ""
    formula_gamma: float = 0.0
    beta: float = 1.0

    @property
    def model(self) -> SearchModel:
        channels = {self.text: _soft(self.beta, self.similarity, self.gamma)}
        if self.formulas:
            channels[self.formulas] = _soft(1.0 - self.beta, self.formula_similarity, self.formula_gamma)
        return _model(channels, {OTHER_FIELDS: 0.0, "body": 1.0})


def _soft(weight: float, similarity: str, gamma: float) -> ChannelSettings:
    """Lucene's BM25 (with gensim's k1) of answers with the title of their question γ times; questions likewise."""
    return ChannelSettings(
        round(weight, 9), 1.5, 0.75, similarity=similarity, normalised="maintain" if similarity else False,
        field_weights={OTHER_FIELDS: 0.0, "body": 1.0, "title": gamma},
        query_field_weights={"title": gamma, "tags": 0.0},
    )


_ROWS = {
    "text": _Row(TEXT, "", 2),
    "text-transformer": _Row(TEXT, "scm2022-text-transformer", 2),
    "joint": _Row(JOINT, "", 3),
    "joint-word2vec": _Row(JOINT, "scm2022-joint-word2vec", 5),
    "joint-positional": _Row(JOINT, "scm2022-joint-positional", 5),
    "joint-transformer": _Row(JOINT, "scm2022-joint-transformer", 4),
    "latex": _Row(TEXT, "", 2, LATEX, "", 5, 0.6),
    "latex-word2vec": _Row(TEXT, "scm2022-text-word2vec", 2, LATEX, "scm2022-latex-word2vec", 5, 0.6),
    "latex-positional": _Row(TEXT, "scm2022-text-positional", 2, LATEX, "scm2022-latex-positional", 5, 0.6),
    "tangent-l": _Row(TEXT, "", 2, TANGENT_L, "", 4, 0.6),
    "tangent-l-word2vec": _Row(TEXT, "scm2022-text-word2vec", 2, TANGENT_L, "scm2022-tangent-l-word2vec", 5, 0.7),
    "tangent-l-positional": _Row(TEXT, "scm2022-text-positional", 2, TANGENT_L, "scm2022-tangent-l-positional", 5, 0.7),
}

SYSTEMS_2022: Mapping[str, SearchModel] = MappingProxyType({
    f"scm2022-{name}": row.model for name, row in _ROWS.items()
})
"""The twelve soft models of ARQMath 2022 by name, with the published γ and β."""


def channels_of(models: Mapping[str, SearchModel]) -> tuple[str, ...]:
    """The channels that an index needs for all of these models, ``bpe:…`` apart."""
    return tuple(dict.fromkeys(
        channel for model in models.values() for channel in model.channels if parse_channel(channel).tokenizer is None
    ))
