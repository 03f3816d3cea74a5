"""Names of measures, read and written."""

from __future__ import annotations

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import ConfigError
from porism.lab.evaluate import DEFAULT_MEASURES, Measure, parse_measure, parse_measures


@every_case(
    ("text", "name", "definition"),
    [
        ("nDCG@10", "nDCG@10", "nDCG@10"),
        ("nDCG'", "nDCG'", "nDCG, judged documents only"),
        ("nDCG'@10", "nDCG'@10", "nDCG@10, judged documents only"),
        ("MAP'", "MAP'", "AP(rel=2), judged documents only"),
        ("AP'(rel=1)", "AP'(rel=1)", "AP, judged documents only"),
        ("P'@10", "P'@10", "P(rel=2)@10, judged documents only"),
        ("P′@10", "P'@10", "P(rel=2)@10, judged documents only"),
        ("AP(rel=2)", "AP(rel=2)", "AP(rel=2)"),
        (" AP( rel = 2 )@100", "AP(rel=2)@100", "AP(rel=2)@100"),
        ("RR", "RR", "RR"),
        ("Judged@10", "Judged@10", "Judged@10"),
        ("judged@20", "judged@20", "Judged@20"),
        ("bpref", "bpref", "Bpref(rel=2)"),
        ("Bpref", "Bpref", "Bpref"),
        ("bpref(rel=3)", "bpref(rel=3)", "Bpref(rel=3)"),
        ("num_rel_ret", "num_rel_ret", "NumRet(rel=2)"),
        ("IPrec@0.1", "IPrec@0.1", "IPrec@0.1"),
        ("SetF(beta=2.0,rel=2)", "SetF(beta=2.0,rel=2)", "SetF(beta=2.0,rel=2)"),
        ("nDCG(gains={0: 0, 1: 5})@3", "nDCG(gains={0: 0, 1: 5})@3", "nDCG(gains={1:5})@3"),
        ("nDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')@5"),
    ],
)
def test_reading(text: str, name: str, definition: str) -> None:
    measure = parse_measure(text)
    assert repr(measure) == name
    assert measure.definition == definition
    assert parse_measure(repr(measure)) == measure


@given(
    st.sampled_from(["nDCG", "AP", "P", "Bpref", "RR", "bpref", "num_rel_ret", "Success"]),
    st.booleans(),
    st.integers(1, 5),
    st.integers(1, 1000),
)
def test_repr_reads_back(name: str, prime: bool, rel: int, cutoff: int) -> None:
    measure = Measure(
        name,
        judged_only=prime,
        arguments=() if name == "nDCG" else (("rel", str(rel)),),
        at=str(cutoff) if name in ("nDCG", "P", "AP", "Success") else None,
    )
    assert parse_measure(repr(measure)) == measure


@every_case(
    ("text", "message"),
    [
        ("nDGC@10", "there is no measure 'nDGC'. Did you mean nDCG"),
        ("ndcg", "Did you mean"),
        ("zzzzzz", "there is no measure 'zzzzzz'. Write a name of ir_measures"),
        ("@10", "'@10' is not a measure"),
        ("", "'' is not a measure"),
        ("AP(2)", "the arguments (2) cannot be read"),
        ("AP(rel=)", "the arguments (rel=) cannot be read"),
        ("AP(rel=__import__('os'))", "cannot be read"),
        ("AP(**{'rel': 2})", "cannot be read"),
        ("AP(rel=1,rel=2)", "cannot be read"),
        ("AP(level=2)", "It is written AP(rel=…, judged_only=…)@cutoff."),
        ("RR@2.5", "measure RR@2.5"),
        ("P@1.2.3", "'1.2.3' is not a number"),
        ("P@0", "cutoff must be from 1 to 1,000,000"),
        ("P@99999999999", "cutoff must be from 1"),
        ("AP(rel=0)", "rel must be from 1"),
        ("Bpref(rel=-1)", "rel must be from 1"),
        ("SetF(beta=1e999)", "the arguments (beta=1e999) cannot be read"),
        ("SetF(beta=-1e999)", "the arguments (beta=-1e999) cannot be read"),
        ("nDCG(gains={1: 1e999})@10", "the arguments (gains={1: 1e999}) cannot be read"),
        (f"P@{'9' * 5000}", f"measure 'P@{'9' * 78}…': '{'9' * 80}…' is not a number"),
        (f"SetF(beta={'9' * 5000})", "cannot be read"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_measure(text)
    assert message in str(caught.value)


@given(st.text(max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        measure = parse_measure(text)
    except ConfigError:
        return
    assert parse_measure(repr(measure)) == measure


def test_lists_are_separated_by_commas_or_blanks_outside_brackets() -> None:
    measures = parse_measures("nDCG', AP(rel=2, judged_only=True) P'@10\n bpref,bpref")
    assert [repr(measure) for measure in measures] == ["nDCG'", "AP(judged_only=True,rel=2)", "P'@10", "bpref"]
    with pytest.raises(ConfigError, match="no measure is named"):
        parse_measures(" , ")


def test_the_default_measures() -> None:
    assert [repr(measure) for measure in DEFAULT_MEASURES] == [
        "nDCG'", "MAP'", "P'@10", "bpref", "judged@10", "num_rel_ret",
    ]
    assert parse_measures(" ".join(map(repr, DEFAULT_MEASURES))) == DEFAULT_MEASURES
