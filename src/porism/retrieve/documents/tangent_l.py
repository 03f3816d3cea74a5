"""Tangent-L as a search model: BM25+ over words and over features of the formulas' layout, weighted apart."""

from __future__ import annotations

from collections.abc import Mapping

from porism.errors import ConfigError
from porism.retrieve.documents.model import SearchModel
from porism.retrieve.lexical.settings import ChannelSettings

_TITLE = 3.0


def tangent_l_model(
    formula_weight: float = 0.2, *, channel: str = "tangent-l", field_weights: Mapping[str, float] | None = None
) -> SearchModel:
    """``(1 − a) · BM25+ of the words + a · BM25+ of the features`` with a = ``formula_weight`` and δ = 1.

    Every term counts as often as the query has it; ``channel`` may be a variant (``tangent-l:edge-pairs``) that the
    index has. Fields not in ``field_weights`` (the title 3 times if none are given) count once. Ng et al., *Dowsing for
    Math Answers with Tangent-L* (CLEF 2020).

    :raises ConfigError: the weight is not between 0 and 1.
    """
    if not 0 <= formula_weight <= 1:
        raise ConfigError(f"formulas cannot have the weight {formula_weight}", hint="Use a number from 0 to 1.")
    return SearchModel(
        {
            "words": ChannelSettings(1.0 - formula_weight, delta=1.0),
            channel: ChannelSettings(formula_weight, delta=1.0),
        },
        field_weights={"title": _TITLE} if field_weights is None else field_weights,
        formulas_power=1.0,
        mass_exponent=0.0,
    )
