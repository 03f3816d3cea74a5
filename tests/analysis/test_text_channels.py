"""Channels of the text that see formulas in place."""

from __future__ import annotations

import pytest
from case_tables import every_case

from porism.analysis.analyzer import AnalysisConfig, Analyzer, channels_named
from porism.analysis.channels import (
    FormulaChannel,
    JointChannel,
    TextChannel,
    TokenizerChannel,
    UnknownChannel,
    parse_channel,
)
from porism.analysis.term_columns import MAX_TERM_LENGTH
from porism.errors import ConfigError
from porism.types import Content, Document, Formula

CONTENT = Content.of("Let ", Formula("x^2"), " be the squares of ", Formula("Y", "latex"), "!")


def terms(channel: str, content: Content = CONTENT) -> list[str]:
    return Analyzer(AnalysisConfig((channel,), ())).content_terms(content)[channel]


@every_case(
    ("channel", "expected"),
    [
        ("words", ["squar"]),
        ("plain", ["let", "be", "the", "squares", "of"]),
        ("simple", ["let", "be", "the", "squares", "of"]),
        ("whitespace", ["let", "$x^2$", "be", "the", "squar", "of", "$y$!"]),
        ("lucene", ["let", "x", "2", "squar", "y"]),
        ("joint:tokens", ["x", "^", "{", "2", "}", "squar", "Y"]),
        ("joint:tokens+case=upper", ["X", "^", "{", "2", "}", "squar", "Y"]),
        ("joint:prefix", ["O!SUP", "V!x", "N!2", "squar", "V!Y"]),
        ("joint:prefix+words=plain", ["let", "O!SUP", "V!x", "N!2", "be", "the", "squares", "of", "V!Y"]),
        (
            "joint:prefix+words=simple+case=upper",
            ["let", "O!SUP", "V!X", "N!2", "be", "the", "squares", "of", "V!Y"],
        ),
        ("joint:latex+words=lucene", ["let", "x^{2}", "squar", "Y"]),
        ("joint:unified", ["<x>", "<superscript>", "<2>", "squar", "<Y>"]),
        ("joint:tangent-l:no-locations+no-compounds", ["(v!x,n!2,a)", "(n!2,!0)", "squar", "(v!Y,!0)"]),
    ],
)
def test_each_channel(channel: str, expected: list[str]) -> None:
    assert terms(channel) == expected


def test_options_of_the_formula_channel_and_of_the_joint_one_are_told_apart() -> None:
    channel = parse_channel("joint:tangent-l:edge-pairs+longest-location=3+words=plain")
    assert isinstance(channel, JointChannel)
    assert [form.name for form in channel.forms] == ["tangent-l:edge-pairs+longest-location=3"]
    assert (channel.words, channel.case, channel.has_stems) == ("plain", "same", False)


@every_case(
    ("name", "kind", "reads", "tokenizer"),
    [
        ("words", TextChannel, "text", None),
        ("whitespace", TextChannel, "text", None),
        ("joint:tokens", JointChannel, "text", None),
        ("joint:bpe:m", JointChannel, "text", "m"),
        ("tokens", FormulaChannel, "formulas", None),
        ("tangent-l:edge-pairs", FormulaChannel, "formulas", None),
        ("bpe:m", TokenizerChannel, None, "m"),
    ],
)
def test_a_channel_knows_what_it_reads_and_needs(
    name: str, kind: type[object], reads: str | None, tokenizer: str | None
) -> None:
    channel = parse_channel(name)
    assert isinstance(channel, kind)
    assert (channel.name, channel.reads, channel.tokenizer) == (name, reads, tokenizer)


def test_a_name_without_a_channel_is_told_from_wrong_options() -> None:
    with pytest.raises(UnknownChannel, match="there is no channel 'wrods'"):
        parse_channel("wrods")
    with pytest.raises(ConfigError, match="words=loud") as caught:
        parse_channel("joint:tokens+words=loud")
    assert not isinstance(caught.value, UnknownChannel)


@every_case(
    ("name", "what"),
    [
        ("joint:nothing", "there is no term extractor 'nothing'"),
        ("joint:", "there is no term extractor ''"),
        ("joint:tokens+words=loud", "words=loud is not an option"),
        ("joint:tokens+case=lower", "case=lower is not an option"),
        ("joint:tokens+case=upper+case=upper", "has case twice"),
        ("joint:words", "there is no term extractor 'words'"),
        ("joint:bpe:m", "there is no tokenizer for the channel 'bpe:m'"),
        ("bpe:m", "there is no tokenizer for the channel 'bpe:m'"),
        ("nothing", "there is no channel 'nothing'"),
        ("tokens", "there is no text channel 'tokens'"),
    ],
)
def test_a_channel_that_cannot_be_is_refused(name: str, what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        AnalysisConfig((name,), ())


def test_names_and_sets_are_told_apart() -> None:
    default = channels_named(())
    assert default == channels_named(("default",)) == (AnalysisConfig().text, AnalysisConfig().formulas)
    assert channels_named(("tokens",)) == (default[0], ("tokens",))
    assert channels_named(("joint:tokens", "whitespace")) == (("joint:tokens", "whitespace"), default[1])
    assert channels_named(("default", "lucene", "words"))[0] == (*default[0], "lucene")
    text, formulas = channels_named(("all",))
    assert {"words", "plain", "whitespace"} <= set(text)
    assert {"latex", "unified", "mias"} <= set(formulas)


def test_mathml_stands_as_latex() -> None:
    content = Content.of("a ", Formula("<math><msup><mi>x</mi><mn>2</mn></msup></math>", "mathml"))
    assert terms("whitespace", content) == ["a", "$x^{2}$"]
    assert terms("joint:tokens", content) == ["x", "^", "{", "2", "}"]


def test_lone_surrogates_and_long_tokens_can_be_stored() -> None:
    content = Content.of("ab\ud800cd ", Formula("\ud800 x"), " " + "z" * 300)
    for channel in ("whitespace", "lucene", "plain", "simple", "joint:tokens+words=plain", "joint:latex"):
        found = terms(channel, content)
        assert found
        for term in found:
            assert term.encode("utf-8")
            assert len(term) <= MAX_TERM_LENGTH


def test_documents_and_queries_are_read_alike() -> None:
    names = ("words", "joint:tokens", "joint:prefix+case=upper", "whitespace", "lucene")
    analyzer = Analyzer(AnalysisConfig(names, ("prefix",)))
    again = Content.of("Again ", Formula(" x^{2} "), Formula("x^2"))
    batch, problems = analyzer.analyze([Document("a", {"body": CONTENT}), Document("b", {"body": again})])
    assert problems == []
    assert len(batch.formula_sources) == 2
    for name, matrix in batch.text.items():
        for row, content in enumerate((CONTENT, again)):
            start, stop = matrix.indptr[row], matrix.indptr[row + 1]
            counts = zip(matrix.terms[start:stop], matrix.counts[start:stop], strict=True)
            held = sorted(term for number, count in counts for term in [matrix.vocabulary[number]] * count)
            assert held == sorted(Analyzer(analyzer.config).content_terms(content)[name]), name


def test_a_configuration_without_tokenizers_is_stored_as_before() -> None:
    stored = AnalysisConfig().to_dict()
    assert set(stored) == {"version", "text", "formulas", "language", "stop_words", "identifiers"}
    assert AnalysisConfig.from_dict(stored) == AnalysisConfig()
