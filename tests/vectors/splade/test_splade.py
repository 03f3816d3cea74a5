"""The channel of a sparse encoder: exact scores, beside other channels, and terms that are kept up to date."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from dense_cases import WORDS, document, query, write_index
from long_forms import LONG_ONLY
from sparse_cases import STEP, by_numpy, sparse_index
from tiny_models import need_encoders, save_encoder, save_splade

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.errors import ConfigError, IndexLocked
from porism.index import IndexWriter, Snapshot
from porism.retrieve.documents.model import SearchModel
from porism.retrieve.documents.retriever import DocumentRetriever
from porism.retrieve.feedback.settings import FEEDBACK_METHODS
from porism.retrieve.lexical.channels import Zone
from porism.retrieve.lexical.settings import ChannelSettings
from porism.search.artifacts import list_artifacts
from porism.search.checking import check_index
from porism.search.models.models import read_model
from porism.search.models.vectors import prepare_vectors
from porism.system.files.artifacts import SPARSE
from porism.types import Content, Query
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.sparse_encoder import EncodedTerms, SparseEncoder
from porism.vectors.neural.sparse_queries import QueryTable
from porism.vectors.records import container_info
from porism.vectors.splade.channels import open_encoded
from porism.vectors.splade.encoding import SPARSE_ENCODING, rows_of
from porism.vectors.splade.records import SPARSE_RECORDS, write_sparse_record

need_encoders()

ASKED = " ".join(WORDS[3:9])
ALONE = SearchModel({"splade": ChannelSettings()})


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sparse_index(tmp_path_factory.mktemp("splade"))[0]


@pytest.fixture(scope="module")
def free(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sparse_index(tmp_path_factory.mktemp("free"), static=True)[0]


def search(path: Path, text: str = ASKED, k: int = 10, model: SearchModel = ALONE, **more: Any) -> Any:
    with Snapshot.open(path) as snapshot:
        return list(opened(snapshot, model).search([query(text)], k, **more)["q"])


def opened(snapshot: Snapshot, model: SearchModel = ALONE) -> DocumentRetriever:
    analyzer = Analyzer(AnalysisConfig.from_dict(snapshot.config, snapshot.path))
    return DocumentRetriever(snapshot, analyzer, model, open_encoded=open_encoded)


@pytest.mark.parametrize("kind", ["index", "free"])
def test_scores_are_inner_products_up_to_the_step_of_weights(kind: str, request: pytest.FixtureRequest) -> None:
    path: Path = request.getfixturevalue(kind)
    expected, bound = by_numpy(path, path.parent / "tiny", ASKED)
    found = dict(search(path, k=100))
    assert len(found) > 30
    for doc_id, product in expected.items():
        assert abs(found.get(doc_id, 0.0) - product) <= bound
    assert bound < 0.02 * max(expected.values())


def test_the_best_are_the_same_for_every_k(index: Path) -> None:
    everything = search(index, k=100)
    assert everything == sorted(sorted(everything, reverse=True), key=lambda one: -one[1])
    for k in (1, 7, 30):
        assert search(index, k=k) == everything[:k]


def test_scores_of_documents_are_those_of_the_search(index: Path) -> None:
    found = dict(search(index, k=100))
    with Snapshot.open(index) as snapshot:
        scores = opened(snapshot).score_documents(query(ASKED), [*found, "none"])
    assert scores[:-1].tolist() == list(found.values())
    assert np.isnan(scores[-1])


def test_an_explanation_shows_each_term_with_both_weights(index: Path) -> None:
    doc_id, score = search(index)[0]
    with Snapshot.open(index) as snapshot:
        retriever = opened(snapshot)
        told = retriever.explain(query(ASKED), doc_id)
        terms = retriever.query_terms(query(ASKED))["splade:tiny"]
    assert told.value == pytest.approx(score)
    assert told.parts[0].label == "channel splade:tiny: Impact()"
    for part in told.parts[0].parts:
        term = next(one for one in terms if part.label.startswith(f"{one!r}: in the query {terms[one]:g} "))
        weight = float(part.label.split("(frequency ")[1].split(",")[0])
        assert part.value == pytest.approx(terms[term] * weight, rel=1e-4)
        assert weight / STEP == pytest.approx(round(weight / STEP))


def test_it_is_one_channel_beside_others_with_a_weight(index: Path) -> None:
    words = SearchModel({"words": ChannelSettings()})
    both = SearchModel({"words": ChannelSettings(), "splade:tiny": ChannelSettings(0.25)})
    of_words, of_splade = dict(search(index, k=100, model=words)), dict(search(index, k=100))
    assert len(of_words) > 10
    assert len(of_splade) > 30
    for doc_id, score in search(index, k=100, model=both):
        assert score == pytest.approx(of_words.get(doc_id, 0.0) + 0.25 * of_splade.get(doc_id, 0.0))


def test_weights_of_fields_and_zones_do_not_change_it(index: Path) -> None:
    other = replace(ALONE, field_weights={"body": 7.0, "*": 3.0}, zones={"body": Zone(0.5, {"body": 1.0})})
    assert search(index, model=other) == search(index)


def test_a_query_field_of_weight_zero_is_not_read(index: Path) -> None:
    model = replace(ALONE, query_field_weights={"noise": 0.0})
    noisy = Query("q", {"query": Content(ASKED), "noise": Content("maximum interval equation")})
    with Snapshot.open(index) as snapshot:
        found = opened(snapshot, model).search([noisy], 5)["q"]
        assert list(found) == search(index, k=5)
        assert list(opened(snapshot).search([noisy], 5)["q"]) != search(index, k=5)


@every_case("method", FEEDBACK_METHODS)
def test_feedback_leaves_it_as_it_is(index: Path, method: str) -> None:
    with_feedback = SearchModel.from_dict({
        "channels": {"words": {}, "splade": {}}, "feedback": {"method": method, "weight": 0.5}, "zones": {},
    })
    with Snapshot.open(index) as snapshot:
        retriever = opened(snapshot, with_feedback)
        terms = retriever.query_terms(query(ASKED))
        expanded = retriever.expander.expand(terms)
    assert expanded["splade:tiny"] == terms["splade:tiny"]
    assert expanded["words"] != terms["words"]


def test_the_named_model_is_the_channel_alone(index: Path) -> None:
    model = read_model("splade")
    assert isinstance(model, SearchModel)
    assert search(index, model=model) == search(index)


@LONG_ONLY
def test_queries_without_a_model_need_no_torch(free: Path) -> None:
    expected = search(free, k=3)
    program = (
        "import sys; sys.modules['torch'] = None; sys.modules['transformers'] = None\n"
        "import porism\n"
        f"index = porism.open_index({str(free)!r}, 'splade')\n"
        f"print([hit.id for hit in index.search({ASKED!r}, 3)])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str([doc_id for doc_id, _ in expected])


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many documents each encoding had."""
    numbers: list[int] = []
    encode = SparseEncoder.encode_documents

    def counting(self: SparseEncoder, texts: Any, *more: Any) -> EncodedTerms:
        numbers.append(sum(bool(text) for text in texts))
        return encode(self, texts, *more)

    monkeypatch.setattr(SparseEncoder, "encode_documents", counting)
    return numbers


def test_commits_merges_and_deletes_encode_new_documents_only(tmp_path: Path, counted: list[int]) -> None:
    path, report = sparse_index(tmp_path, 40)
    assert sum(counted) == report.encoded - 1 == 37  # three are empty, which is one content
    counted.clear()
    analyzer = Analyzer(AnalysisConfig.named(["words"]))
    with IndexWriter(path) as writer:
        writer.add(analyzer.analyze([document(number) for number in range(40, 50)])[0])
        writer.delete(["d003", "d004"])
        writer.commit(before_publish=prepare_vectors)
        assert sum(counted) == 9
        writer.merge()
        writer.commit(before_publish=prepare_vectors)
    assert sum(counted) == 9
    expected, bound = by_numpy(path, tmp_path / "tiny", ASKED)
    found = dict(search(path, k=100))
    assert not {"d003", "d004"} & set(found)
    assert {"d041", "d048"} & set(found)
    for doc_id, product in expected.items():
        assert abs(found.get(doc_id, 0.0) - product) <= bound


def test_scores_do_not_depend_on_segments(tmp_path: Path) -> None:
    path, _ = sparse_index(tmp_path / "two")
    documents = [document(number) for number in range(60)]
    one = write_index(tmp_path / "one.index", documents)
    SPARSE_ENCODING.encode(one, tmp_path / "two" / "tiny", device="cpu")
    assert search(one, k=100) == search(path, k=100)


def test_an_interruption_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counted: list[int]
) -> None:
    monkeypatch.setattr("porism.vectors.splade.encoding.SparseTerms.chunk", 10)
    path = write_index(tmp_path / "i.index", [document(number) for number in range(40)])
    model = save_splade(tmp_path / "tiny")
    encode, calls = SparseEncoder.encode_documents, 0

    def stopping(self: SparseEncoder, texts: Any, *more: Any) -> EncodedTerms:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return encode(self, texts, *more)

    with monkeypatch.context() as patched:
        patched.setattr(SparseEncoder, "encode_documents", stopping)
        report = SPARSE_ENCODING.encode(path, model, device="cpu")
    assert (report.interrupted, report.encoded) == (True, 0)
    with pytest.raises(ConfigError, match="missing"):
        search(path)
    before = sum(counted)
    report = SPARSE_ENCODING.encode(path, model, device="cpu")
    assert not report.interrupted
    assert 0 < before < sum(counted) == 37
    expected, bound = by_numpy(path, model, ASKED)
    found = dict(search(path, k=100))
    assert all(abs(found.get(doc_id, 0.0) - product) <= bound for doc_id, product in expected.items())


def files_of(path: Path) -> dict[str, bytes]:
    return {file.relative_to(path).as_posix(): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_it_is_removed_bit_for_bit(tmp_path: Path) -> None:
    path = write_index(tmp_path / "i.index", [document(number) for number in range(20)])
    before = files_of(path)
    SPARSE_ENCODING.encode(path, save_splade(tmp_path / "tiny"), device="cpu")
    assert len(files_of(path)) == len(before) + 4  # the encoder, weights, postings and their impacts
    with IndexWriter(path), pytest.raises(IndexLocked):
        SPARSE_ENCODING.forget(path, "tiny")
    SPARSE_ENCODING.forget(path, "tiny")
    assert files_of(path) == before
    with pytest.raises(ConfigError, match="no terms of a sparse encoder"):
        search(path)
    with pytest.raises(ConfigError, match="no sparse encoder 'tiny'"):
        SPARSE_ENCODING.forget(path, "tiny")


def test_another_model_of_the_same_name_replaces_the_one_before(tmp_path: Path) -> None:
    path, _ = sparse_index(tmp_path)
    before, count = search(path, k=100), len(files_of(path))
    SPARSE_ENCODING.encode(path, save_splade(tmp_path / "other", seed=1), name="tiny", device="cpu")
    assert search(path, k=100) != before
    assert len(files_of(path)) == count
    expected, bound = by_numpy(path, tmp_path / "other", ASKED)
    assert all(abs(score - expected[doc_id]) <= bound for doc_id, score in search(path, k=100))


def test_of_several_encoders_one_is_named(tmp_path: Path) -> None:
    path, _ = sparse_index(tmp_path)
    SPARSE_ENCODING.encode(path, tmp_path / "tiny", name="few", settings=EncoderSettings(dimensions=4), device="cpu")
    with pytest.raises(ConfigError, match="more than one sparse encoder"):
        search(path)
    few, all_terms = (SearchModel({f"splade:{name}": ChannelSettings()}) for name in ("few", "tiny"))
    assert search(path, model=few) != search(path, model=all_terms)
    with pytest.raises(ConfigError, match="no sparse encoder 'none'"):
        search(path, model=SearchModel({"splade:none": ChannelSettings()}))
    SPARSE_ENCODING.forget(path, "few")
    assert search(path) == search(path, model=all_terms)


def test_a_model_that_has_changed_or_gone_is_not_searched_with(tmp_path: Path) -> None:
    path, _ = sparse_index(tmp_path)
    save_splade(tmp_path / "tiny", seed=2)
    with pytest.raises(ConfigError, match="another than the one whose terms"):
        search(path)
    assert "another than" in next(one.outdated for one in list_artifacts(path) if one.kind == SPARSE.folder)


def test_a_damaged_or_missing_file_is_reported_and_repaired(tmp_path: Path) -> None:
    path, _ = sparse_index(tmp_path)
    expected = search(path, k=100)
    assert check_index(path).sound
    for kind in ("vectors-splade", "postings-splade"):
        file = next(path.glob(f"segments/*/derived/{kind}*.bin"))
        file.write_bytes(file.read_bytes()[:-40])
        assert not check_index(path).sound
        (listed,) = [one for one in list_artifacts(path) if one.kind == SPARSE.folder]
        assert ("documents are not encoded yet: porism encode" in listed.outdated) == (kind == "vectors-splade")
        assert check_index(path, repair=True).sound
        assert search(path, k=100) == expected
    store = SPARSE.path(path, "tiny")
    store.write_bytes(store.read_bytes()[:-40])
    assert [damage.kind for damage in check_index(path).damages] == [SPARSE.folder]


def test_settings_that_an_encoder_has_not_are_refused(index: Path) -> None:
    for settings in (ChannelSettings(field_weights={"body": 2.0}), ChannelSettings(similarity="some")):
        with pytest.raises(ConfigError, match="of a sparse encoder has no"):
            search(index, model=SearchModel({"splade": settings}))
    with pytest.raises(ConfigError, match="same sparse encoder"):
        search(index, model=SearchModel({"splade": ChannelSettings(), "splade:tiny": ChannelSettings()}))
    with pytest.raises(ConfigError, match="made by a sparse encoder"):
        AnalysisConfig.named(["words", "splade"])


def test_a_dense_model_cannot_give_terms(tmp_path: Path) -> None:
    path = write_index(tmp_path / "i.index", [document(1)])
    with pytest.raises(ConfigError, match="not a sparse encoder"):
        SPARSE_ENCODING.encode(path, save_encoder(tmp_path / "dense"), device="cpu")
    assert not SPARSE.names(path)


def test_weights_are_rounded_to_steps_and_too_large_ones_refused(tmp_path: Path) -> None:
    table = QueryTable(np.ones(3, np.float32), b"{}")
    info = container_info("m", "0" * 16, EncoderSettings(), "float32")
    store = write_sparse_record(tmp_path / "s.bin", info, ["b", "a", "c"], table)
    terms, weights = np.array([0, 1, 2, 0], np.int32), np.array([1.234, 0.004, 2.0, 0.016], np.float32)
    found = rows_of(EncodedTerms(terms, weights, np.array([0, 3, 3, 4])), store)
    assert found.vectors.tolist() == [[1, 123], [2, 200], [1, 2]]
    assert found.counts.tolist() == [2, 0, 1]
    with pytest.raises(ConfigError, match="the most is 655"):
        rows_of(EncodedTerms(terms[:1], np.array([700.0], np.float32), np.array([0, 1])), store)


def test_a_store_says_what_its_index_needs(index: Path) -> None:
    store = SPARSE_RECORDS.find(index)
    assert store.name == "tiny"
    assert store.table is None
    assert sorted(store.dictionary) == sorted(store.dictionary.select(store.numbers).strings())
