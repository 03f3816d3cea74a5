"""The names that a statement and its proof or value mention, as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from porism.corpus.formal.binders import NAME, binders_of

MAX_NAMES = 1_000
"""So many names of a proof count."""

_WRITTEN = re.compile(rf"(?<![\w.'«»]){NAME}")
_HYPOTHESIS = re.compile(r"(?:h|ih|this|e|x|y|z)[\w₀-₉']{0,2}")
_LANGUAGE = frozenset("""
    Type Prop Sort fun let have haveI letI then else match with where deriving from show calc forall exists assume
    suffices this using case next try repeat first all_goals any_goals intro intros rintro rcases obtain cases
    cases' induction induction' exact exact_mod_cast exactI refine apply apply_fun rewrite simp simpa simp_rw
    simp_all dsimp field_simp ring ring_nf ring1 norm_num norm_cast push_cast positivity linarith nlinarith omega
    decide tauto aesop grind gcongr congr convert convert_to change specialize replace subst unfold delta ext ext1
    funext constructor left right split split_ifs use exists exfalso contradiction by_contra by_cases contrapose
    push_neg infer_instance inferInstance assumption rfl trivial symm trans calc conv lhs rhs done stop sorry only
    generalizing generalize set clear rename rename_i filter_upwards fun_prop measurability continuity bound abel
    module group noncomm_ring nth_rw nth_rewrite erw lift mod_cast classical choose wlog nomatch nofun termination_by
    decreasing_by open section namespace extends true false True False swap rotate_left pick_goal
""".split())
"""Words of the language and of tactics."""


def mentioned(text: str, without: Iterable[str] = ()) -> list[str]:
    """The names in a text, each once, without those that its binders bind, words of the language, and such as
    hypotheses mostly have.

    :param without: names that do not count.
    """
    seen = set(without)
    names: list[str] = []
    for name in dict.fromkeys(_WRITTEN.findall(text)):
        if name in seen:
            continue
        seen.add(name)
        first = name.partition(".")[0]
        if first in seen and first != name and first not in names:  # a field of something local
            continue
        if len(name) < 3 or len(first) < 2 or name in _LANGUAGE or _HYPOTHESIS.fullmatch(first):
            continue
        names.append(name)
        if len(names) >= MAX_NAMES:
            break
    return names


def local_names(*texts: str) -> Iterator[str]:
    """The names that binders at the beginning of texts bind."""
    for text in texts:
        for binder in binders_of(text).binders:
            yield binder.name
