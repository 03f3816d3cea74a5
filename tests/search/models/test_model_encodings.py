"""``dense:NAME``: models that say which of several encodings of an index they search by."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from case_tables import every_case

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.errors import ConfigError
from porism.index import Snapshot
from porism.lab.pipeline.rerankers.named import named_reranker
from porism.retrieve.base import RetrieverSettings
from porism.search.index import open_index
from porism.search.models.models import artifacts_of, model_from, named_model, read_model, write_model
from porism.search.models.registry import open_retriever
from porism.search.models.sums.kind import SUM_MODELS, parts_of
from porism.search.models.sums.retriever import FormulaSumModel, Part, SumModel
from porism.search.searcher import IndexSearcher
from porism.settings import SettingError

HERE = Path()


@every_case(("name", "setting", "formulas"), [
    ("dense", "encoder", False), ("colbert", "store", False), ("formula-encoder", "encoder", True),
])
def test_a_name_behind_a_colon_is_that_of_the_encoding(name: str, setting: str, formulas: bool) -> None:
    expected = replace(read_model(name, formulas), **{setting: "mpnet"})
    assert read_model(f"{name}:mpnet", formulas) == expected
    assert model_from({"model": f"{name}:mpnet"}, formulas) == expected
    assert model_from({"kind": name, "model": f"{name}:mpnet"}, formulas) == expected
    assert named_model(f"{name}:mpnet", {}, formulas, HERE) == expected
    assert write_model(expected, formulas)[setting] == "mpnet"
    assert [artifact.name for artifact in artifacts_of(expected)] == ["mpnet"]


def test_a_model_of_terms_has_the_channel_of_the_encoder() -> None:
    model = read_model("splade:mpnet")
    assert list(model.channels) == ["splade:mpnet"]  # type: ignore[attr-defined]
    assert model.channels["splade:mpnet"] == read_model("splade").channels["splade"]  # type: ignore[attr-defined]


def test_the_parts_of_a_sum_that_need_an_encoding_have_the_one_that_is_named() -> None:
    def parts(model: RetrieverSettings) -> list[RetrieverSettings]:
        assert isinstance(model, SumModel)
        return [part for _, _, part in parts_of(model)]

    assert parts(read_model("neural:mpnet")) == [read_model("default"), read_model("dense:mpnet")]
    formulas = read_model("formula-vectors:mine", formulas=True)
    assert isinstance(formulas, FormulaSumModel)
    assert parts(formulas) == [read_model("formula-encoder:mine", True), read_model("tangent-cft", True)]
    assert parts(SumModel({"dense:a": Part(), "b": Part(model="dense:b", settings={"breadth": 9})})) == [
        read_model("dense:a"), replace(read_model("dense:b"), breadth=9)  # type: ignore[call-arg]
    ]
    assert SUM_MODELS["neural"] == read_model("neural")


@every_case(("name", "message"), [
    ("words:mpnet", r"'words:mpnet': 'words' has no encoder of an index to choose\. Use words"),
    ("tangent-cft:mpnet", "'tangent-cft' has no encoder"),
    ("dense:", "there is no model 'dense:'"),
    ("dens:mpnet", "there is no model 'dens:mpnet'. Did you mean dense"),
])
def test_names_of_encodings_that_no_model_has_are_refused(name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_model(name)
    with pytest.raises(SettingError):
        named_model(name, {}, False, HERE)


def test_several_encoders_of_an_index_are_searched_by_their_names(tmp_path: Path) -> None:
    from dense_cases import WORDS, document, write_index
    from tiny_models import need_encoders, save_encoder

    need_encoders()
    from porism.vectors.dense.encoding import DENSE_ENCODING

    path = write_index(tmp_path / "i.index", [document(number) for number in range(20)])
    for seed, name in enumerate(("one", "two")):
        DENSE_ENCODING.encode(path, save_encoder(tmp_path / name, seed=seed), device="cpu")
    text = " ".join(WORDS[3:9])
    found = {}
    for name in ("dense:one", "dense:two", "neural:two"):
        with open_index(path, name) as index:
            found[name] = [(hit.id, hit.score) for hit in index.search(text, 5)]
    assert found["dense:one"] != found["dense:two"]
    with IndexSearcher(path) as searcher:
        by_name = named_reranker(searcher, "dense:two;first_stage=0.5")
        by_setting = named_reranker(searcher, "dense:encoder=two;first_stage=0.5")
        assert by_name.describe() == by_setting.describe()  # type: ignore[attr-defined]
    with Snapshot.open(path) as snapshot:
        analyzer = Analyzer(AnalysisConfig.named(["words"]))
        with pytest.raises(ConfigError, match="Choose one: dense:one, dense:two"):
            open_retriever(snapshot, analyzer, read_model("neural"))
        with pytest.raises(ConfigError, match=r"no encoder 'three'.*It has: one, two"):
            open_retriever(snapshot, analyzer, read_model("dense:three"))
    DENSE_ENCODING.forget(path, "two")
    with open_index(path, "dense") as index:
        assert [(hit.id, hit.score) for hit in index.search(text, 5)] == found["dense:one"]
