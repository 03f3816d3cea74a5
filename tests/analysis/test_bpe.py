"""Byte-pair encoding: training, files, channels of an index, extension of a given tokenizer."""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path

import pytest
from case_tables import every_case
from click.testing import CliRunner

import porism
from porism.analysis.analyzer import AnalysisConfig
from porism.analysis.tokenizers.tokenizer import (
    load_tokenizer,
    tokenizer_reference,
)
from porism.analysis.tokenizers.training import BpeSettings, train_bpe
from porism.cli import porism as command
from porism.errors import ConfigError, IndexCorrupt, MissingExtra
from porism.formula import parse_latex
from porism.retrieve import ChannelSettings, SearchModel
from porism.search.sources.indexing import index_documents
from porism.system.files.artifacts import TOKENIZERS
from porism.types import Content, Document, Formula

tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers: pip install 'porism[embeddings]'")

DOCUMENTS = [
    Document(f"d{number}", {"body": Content.of(
        "the norm of a matrix ", Formula(r"\dfrac{a}{b}+x_1"), " and the norm of ", Formula(r"\frac{a}{b}"), ".",
    )})
    for number in range(4)
]
"""Eight fractions: the pairs of ``\\frac{a}{b}`` are the most frequent, and ``+x_{1}`` stands four times."""



@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("tokenizers")
    return {
        kind: train_bpe(DOCUMENTS, BpeSettings(kind=kind)).save(folder / f"{kind}.json")  # type: ignore[arg-type]
        for kind in ("latex", "text", "joint")
    }


def test_merges_are_of_the_most_frequent_pairs() -> None:
    assert train_bpe(DOCUMENTS, BpeSettings(merges=1, minimum_frequency=1)).written(parse_latex("")) == ""
    whole = train_bpe(DOCUMENTS)
    assert whole.formula_terms(parse_latex(r"\tfrac ab")) == [r"\frac{a}{b}"]
    assert whole.formula_terms(parse_latex(r"\frac{a}{b}+x_1")) == [r"\frac{a}{b}+x_{1}"]
    assert len(whole.formula_terms(parse_latex("q"))) == 1
    assert len(whole) == 256 + len(r"\frac{a}{b}+x_{1}") - 1
    rare = train_bpe(DOCUMENTS, BpeSettings(minimum_frequency=5))
    assert rare.formula_terms(parse_latex(r"\frac{a}{b}+x_1")) == [r"\frac{a}{b}", *"+x_{1}"]


def test_forms_of_latex() -> None:
    layout = parse_latex(r"\dfrac{a}{b}")
    assert train_bpe(DOCUMENTS, BpeSettings(latex="source")).formula_terms(layout) == [r"\d", r"frac{a}{b}"]
    assert train_bpe(DOCUMENTS, BpeSettings(latex="unified")).formula_terms(layout) == ["<frac><a><b>"]


def test_kinds_read_what_they_should() -> None:
    content = DOCUMENTS[0].fields["body"]
    assert train_bpe(DOCUMENTS, BpeSettings(kind="text")).terms(content, lambda formula: "never") == [
        "Ġthe", "Ġnorm", "Ġof", "Ġa", "Ġmatrix", "Ġand", "Ġthe", "Ġnorm", "Ġof", "Ġ.",
    ]
    joint = train_bpe(DOCUMENTS, BpeSettings(kind="joint"))
    assert joint.terms(content, lambda formula: r"\frac{a}{b}") == [
        "Ġthe", "Ġnorm", "Ġof", "Ġa", "Ġmatrix",
        "[MATH]", r"\frac", "{", "a", "}{", "b", "}", "[/MATH]", "Ġand", "Ġthe", "Ġnorm", "Ġof",
        "[MATH]", r"\frac", "{", "a", "}{", "b", "}", "[/MATH]", "Ġ.",
    ]


def test_what_was_never_seen_has_tokens_all_the_same(files: dict[str, Path]) -> None:
    for path in files.values():
        tokenizer = load_tokenizer(path)
        assert tokenizer.tokens("∑ü數\ud800") != []
        assert tokenizer.tokens("") == tokenizer.tokens(" \n ") == []
        assert len("".join(tokenizer.tokens("z" * 200_000))) == 200_000


def test_training_twice_gives_the_same_file(files: dict[str, Path], tmp_path: Path) -> None:
    for kind, path in files.items():
        again = train_bpe(DOCUMENTS, BpeSettings(kind=kind)).save(tmp_path / "again.json")  # type: ignore[arg-type]
        assert again.read_bytes() == path.read_bytes()


@every_case("kind", ["latex", "text", "joint"])
def test_nothing_to_train_on_is_reported(kind: str) -> None:
    with pytest.raises(ConfigError, match="to train a tokenizer on"):
        train_bpe([Document("a", {"body": Content(" \n ")})], BpeSettings(kind=kind))  # type: ignore[arg-type]


@every_case("settings", [{"merges": 0}, {"minimum_frequency": 0}, {"longest": 1}])
def test_numbers_out_of_their_range_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="cannot be"):
        BpeSettings(**settings)  # type: ignore[arg-type]


def test_what_reading_raises_is_raised() -> None:
    def broken():
        yield DOCUMENTS[0]
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        train_bpe(broken())


def test_an_index_has_the_channels_and_reads_queries_alike(files: dict[str, Path], tmp_path: Path) -> None:
    config = AnalysisConfig.named(["words", "tokens", "joint:bpe:latex"], tokenizers=files)
    assert config.text == ("words", "joint:bpe:latex", "bpe:text", "bpe:joint")
    assert config.formulas == ("tokens", "bpe:latex")
    assert len(pickle.dumps(config)) < 3_000
    documents = [*DOCUMENTS, Document("other", {"body": Content.of("a norm ", Formula("q+r"))})]
    path = tmp_path / "index"
    index_documents(documents, path, config=config, jobs=1)
    assert {file.name for file in (path / "tokenizers").iterdir()} == {"latex.json", "text.json", "joint.json"}
    for channel in (*config.text, *config.formulas):
        model = SearchModel({channel: ChannelSettings()})
        with porism.open_index(path, model=model) as index:
            hits = index.search(r"the norm of $\frac{a}{b}$", k=9)
            assert {hit.id for hit in hits} >= {"d0", "d1", "d2", "d3"}, channel
            assert index.retriever.explain(porism.Query("q", {"q": Content.of(Formula(r"\frac ab"), " norm")}), "d0")
    index_documents([Document("late", {"body": Content.of(Formula(r"\frac{a}{b}"))})], path)
    with porism.open_index(path, model=SearchModel({"bpe:latex": ChannelSettings()})) as index:
        assert {hit.id for hit in index.search(r"$\frac ab$", k=9)} == {"late", "d0", "d1", "d2", "d3"}


def test_worker_processes_read_as_one_does(files: dict[str, Path], tmp_path: Path) -> None:
    config = AnalysisConfig.named(["joint:tokens", "tokens"], tokenizers=files)
    many = [
        Document(f"m{number}", {"body": Content.of(f"the norm {number} of ", Formula(f"\\frac{{a}}{{{number}}}"))})
        for number in range(600)
    ]
    found = []
    for jobs in (1, 2):
        index_documents(many, tmp_path / str(jobs), config=config, jobs=jobs)
        model = SearchModel({name: ChannelSettings() for name in (*config.text, *config.formulas)})
        with porism.open_index(tmp_path / str(jobs), model=model) as index:
            found.append([(hit.id, hit.score) for hit in index.search(r"norm 77 of $\frac{a}{77}$", k=20)])
    assert found[0] == found[1]
    assert found[0][0][0] == "m77"


def test_a_tokenizer_of_an_index_that_is_gone_or_changed_is_reported(files: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "index"
    index_documents(DOCUMENTS, path, config=AnalysisConfig.named(["words", "tokens"], tokenizers={"m": files["latex"]}))
    kept = TOKENIZERS.path(path, "m")
    data = kept.read_bytes()
    kept.write_bytes(data.replace(b"50000", b"50001"))
    with pytest.raises(IndexCorrupt, match="not the tokenizer that the index was made with"):
        porism.open_index(path)
    kept.unlink()
    with pytest.raises(IndexCorrupt, match="cannot be read"):
        porism.open_index(path)
    kept.write_bytes(data)
    with porism.open_index(path) as index:
        assert len(index) == 4


def test_an_index_is_searched_by_other_channels_without_the_library(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "index"
    index_documents(DOCUMENTS, path, config=AnalysisConfig.named(["words", "tokens"], tokenizers={"w": files["text"]}))
    from porism.analysis.tokenizers import tokenizer as bpe

    bpe._loaded.cache_clear()
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with porism.open_index(path, model=SearchModel({"words": ChannelSettings()})) as index:
        assert len(index.search("norm", k=9)) == 4
    with (
        porism.open_index(path, model=SearchModel({"bpe:w": ChannelSettings()})) as index,
        pytest.raises(MissingExtra, match=r"pip install 'porism\[embeddings\]'"),
    ):
        index.search("norm")


@every_case("content", [b"", b"[]", b"{}", b"not json", b'{"porism_tokenizer": 9}'])
def test_a_file_that_is_no_tokenizer_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_bytes(content)
    with pytest.raises(ConfigError, match="this is not a tokenizer"):
        load_tokenizer(tmp_path / "t.json")


def test_names_and_places_that_do_not_do_are_refused(files: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be the name"):
        tokenizer_reference("../m", files["latex"])
    with pytest.raises(ConfigError, match="cannot be read"):
        AnalysisConfig.named((), tokenizers={"m": tmp_path / "none.json"})
    reference = tokenizer_reference("m", files["latex"])
    with pytest.raises(ConfigError, match="its tokenizer reads formulas"):
        AnalysisConfig(("bpe:m",), (), tokenizers=(reference,))
    with pytest.raises(ConfigError, match="there is no tokenizer for the channel 'bpe:n'"):
        AnalysisConfig.named(["bpe:n"], tokenizers={"m": files["latex"]})


def test_a_plain_file_of_the_library_reads_text_or_both(files: dict[str, Path], tmp_path: Path) -> None:
    for kind, path in files.items():
        plain = tmp_path / f"{kind}.json"
        plain.write_text(json.dumps(json.loads(path.read_text())["tokenizer"]))
        assert load_tokenizer(plain).kind == ("joint" if kind == "joint" else "text")


def test_the_command_trains_and_an_index_uses_it(tmp_path: Path) -> None:
    source, index, file = tmp_path / "d.jsonl", tmp_path / "index", tmp_path / "m.json"
    source.write_text("".join(
        json.dumps({"id": str(number), "body": "a norm $\\frac{a}{b}$"}) + "\n" for number in range(3)
    ))
    run = CliRunner().invoke
    arguments = ["train", "tokenizer", "m", str(source), "--output", str(file), "--vocabulary"]
    assert "leaves no merges" in str(run(command, [*arguments, "256"]).exception)
    result = run(command, [*arguments, "260"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("260 tokens learnt from 3 documents")
    channels = ["--channels", "joint:tokens", "--tokenizer", f"m={file}"]
    assert run(command, ["index", str(source), "--index", str(index), *channels, "--jobs", "1"]).exit_code == 0
    shown = run(command, ["info", str(index)]).output
    assert "joint:tokens" in shown
    assert "bpe:m" in shown
    result = run(command, ["train", "tokenizer", "n", "--index", str(index), "--output", str(tmp_path / "n.json")])
    assert result.exit_code == 0, result.output
    tokens = run(command, ["parse", r"\frac{a}{b}", "--tokenizer", str(tmp_path / "n.json")]).output
    assert tokens == "\\frac{a}{b}\n"
    assert run(command, ["parse", "x^2", "--terms", "joint:prefix"]).output == "O!SUP\nV!x\nN!2\n"
    wrong = run(command, ["index", str(source), "--index", str(index), "--tokenizer", "m"])
    assert "not of the form NAME=FILE" in str(wrong.exception)
