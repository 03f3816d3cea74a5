"""Dense retrieval: exact ranks, filters, chunks, explanations, and vectors that are kept up to date."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from dense_cases import WORDS, document, encoded_index, query, write_index
from tiny_models import need_encoders, save_encoder

from porism.errors import ConfigError, IndexCorrupt, IndexLocked, QueryError
from porism.index import IndexWriter, Snapshot
from porism.search.artifacts import list_artifacts
from porism.search.checking import check_index
from porism.search.models.vectors import prepare_vectors
from porism.search.sources.indexing import index_documents
from porism.vectors.dense.encoding import DENSE_ENCODING
from porism.vectors.dense.model import Approximate, DenseModel, Hnsw, IvfPq
from porism.vectors.dense.records import DENSE_RECORDS
from porism.vectors.dense.retriever import DenseRetriever
from porism.vectors.encoding import encoder_name
from porism.vectors.neural.encoder import Encoder
from porism.vectors.neural.encoder_settings import EncoderSettings

need_encoders()

ASKED = " ".join(WORDS[3:9])


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return encoded_index(tmp_path_factory.mktemp("dense"))[0]


def brute_force(path: Path, text: str, settings: EncoderSettings | None = None) -> list[tuple[str, float]]:
    """Cosines of all documents as a straightforward program computes them, ranked with ties by descending id."""
    encoder = Encoder.load(path.parent / "tiny", settings=settings, device="cpu")
    asked = encoder.encode_queries([text])[0][0]
    found = []
    with Snapshot.open(path) as snapshot:
        for segment in snapshot.segments:
            for number in np.flatnonzero(segment.live).tolist():
                body = json.loads(segment.stored(number))["fields"]["body"]
                vectors = encoder.encode_documents([body]).vectors
                if len(vectors):
                    found.append((segment.doc_id(number), float((vectors.astype(float) @ asked.astype(float)).max())))
    return sorted(sorted(found, reverse=True), key=lambda one: -one[1])


def search(path: Path, text: str = ASKED, k: int = 10, model: DenseModel | None = None, **more: Any) -> Any:
    with Snapshot.open(path) as snapshot:
        return list(DenseRetriever(snapshot, model=model).search([query(text)], k, **more)["q"])


def test_the_nearest_documents_are_found_in_order(index: Path) -> None:
    expected = brute_force(index, ASKED)
    found = search(index, k=100)
    assert [name for name, _ in found] == [name for name, _ in expected]
    np.testing.assert_allclose([score for _, score in found], [score for _, score in expected], atol=1e-6)
    assert len(found) == 60 - 5  # empty documents have no vector
    assert search(index, k=7) == found[:7]


def test_scores_of_documents_are_those_of_the_search(index: Path) -> None:
    found = dict(search(index, k=100))
    with Snapshot.open(index) as snapshot:
        retriever = DenseRetriever(snapshot)
        ids = ["d059", "none", *found, "d010"]
        scores = retriever.score_documents(query(ASKED), ids)
        assert np.isnan(scores[1])
        assert scores[2:-1].tolist() == list(found.values())
        assert scores[-1] == 0  # an empty document
        assert not retriever.score_documents(query(" "), list(found)).any()


def test_filters_and_several_queries(index: Path) -> None:
    whole = search(index, k=100)
    with Snapshot.open(index) as snapshot:
        retriever = DenseRetriever(snapshot)
        allowed = snapshot.filter({"half": "1"})
        run = retriever.search([query(ASKED, "a"), query("", "b"), query(ASKED, "c")], 5, allowed=allowed)
        assert list(run["a"]) == [one for one in whole if int(one[0][1:]) % 2 == 1][:5] == list(run["c"])
        assert list(run["b"]) == []
        assert run.provenance is not None
        assert set(run.provenance.seconds) == {"a", "b", "c"}
        with pytest.raises(QueryError, match="0 results"):
            retriever.search([query(ASKED)], 0)
        with pytest.raises(QueryError, match="same id"):
            retriever.search([query(ASKED), query(ASKED)])


def test_equal_documents_are_ranked_by_descending_id(tmp_path: Path) -> None:
    same = [document(3), document(4), document(5)]
    twins = [type(one)(f"t{number}", same[0].fields, one.metadata) for number, one in enumerate(same * 3)]
    path = write_index(tmp_path / "i.index", twins[:4], twins[4:])
    DENSE_ENCODING.encode(path, save_encoder(tmp_path / "tiny"), device="cpu")
    found = search(path, k=5)
    assert [name for name, _ in found] == ["t8", "t7", "t6", "t5", "t4"]
    assert len({score for _, score in found}) == 1


@every_case("numbers", ["float32", "float16", "int8"])
def test_a_document_has_the_score_of_its_best_chunk(tmp_path: Path, numbers: Any) -> None:
    settings = EncoderSettings(cut="chunks", length=16, overlap=4)
    path, report = encoded_index(tmp_path, 30, 40, settings=settings, numbers=numbers)
    assert report.record.numbers == numbers
    expected = dict(brute_force(path, ASKED, settings))
    found = search(path, k=100)
    atol = 1e-6 if numbers == "float32" else 0.02
    np.testing.assert_allclose([score for _, score in found], [expected[name] for name, _ in found], atol=atol)
    with Snapshot.open(path) as snapshot:
        told = DenseRetriever(snapshot).explain(query(ASKED), found[0][0])
    assert told.value == found[0][1]
    assert "chunks number" in told.label


def test_an_explanation_shows_what_was_read_and_what_was_not(index: Path) -> None:
    found = search(index)[0]
    with Snapshot.open(index) as snapshot:
        retriever = DenseRetriever(snapshot)
        told = retriever.explain(query(ASKED), found[0])
        assert told.value == found[1]
        body = json.loads(snapshot.segments[0].stored(0))["fields"]["body"]
        assert told.label.startswith("cosine by the encoder tiny: ")
        assert body in retriever.explain(query(ASKED), "d000").label
        long = retriever.explain(query(" ".join(WORDS * 3)), "d000").label
        assert "the encoder reads 64 tokens of a question; the last" in long
        assert retriever.explain(query(ASKED), "d010").value == 0
        with pytest.raises(QueryError, match="no document 'x'"):
            retriever.explain(query(ASKED), "x")


def test_of_a_long_query_the_beginning_and_the_end_are_read(index: Path) -> None:
    words = [word for word in WORDS if word.isalpha()][:7]
    short, asked = " ".join(words[:6]), " ".join([*words[:3], *[words[6]] * 9, *words[3:6]])
    few = DenseModel(query_length=8)  # two of them are special
    assert search(index, asked, model=few) == search(index, short)
    assert search(index, asked) != search(index, short)
    assert search(index, short, model=few) == search(index, short)
    assert search(index, asked, model=DenseModel(query_length=64)) == search(index, asked)
    with Snapshot.open(index) as snapshot:
        retriever = DenseRetriever(snapshot, model=few)
        assert retriever.notes(query(asked)) == [
            "the encoder reads 8 tokens of a question; 9 tokens in the middle were not read"
        ]
        assert retriever.notes(query(short)) == []
        (note,) = DenseRetriever(snapshot, model=DenseModel(query_length=900)).notes(query(" ".join(WORDS * 3)))
        assert note.startswith("the encoder reads 64 tokens of a question; the last")


def test_an_inner_product_can_rank(tmp_path: Path) -> None:
    path, _ = encoded_index(tmp_path, 30, settings=EncoderSettings(similarity="dot"))
    expected = brute_force(path, ASKED, EncoderSettings(similarity="dot"))
    assert [name for name, _ in search(path, k=8)] == [name for name, _ in expected[:8]]
    assert search(path)[0][1] > 1


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many texts every call encodes."""
    from porism.vectors.neural.encoder import Encoder

    counts: list[int] = []
    inner = Encoder.encode_documents

    def encode(self: Encoder, texts: Any, *rest: Any) -> Any:
        counts.append(sum(bool(text) for text in texts))
        return inner(self, texts, *rest)

    monkeypatch.setattr(Encoder, "encode_documents", encode)
    return counts


def test_commits_merges_and_deletes_encode_new_documents_only(tmp_path: Path, counted: list[int]) -> None:
    path, report = encoded_index(tmp_path, 20)
    assert (report.encoded, report.count, report.interrupted) == (20, 20, False)
    counted.clear()
    with IndexWriter(path, create=False) as writer:
        from porism.analysis.analyzer import AnalysisConfig, Analyzer

        analyzer = Analyzer(AnalysisConfig.from_dict(writer.config, path))
        writer.add(analyzer.analyze([document(30), document(0)])[0])  # d000 is as it was
        writer.delete(["d001"])
        writer.commit(before_publish=prepare_vectors)
        assert sum(counted) == 1
        writer.merge()
        writer.commit(before_publish=prepare_vectors)
        assert sum(counted) == 1
    found = search(path, k=100)
    assert [name for name, _ in found] == [name for name, _ in brute_force(path, ASKED)]
    assert "d001" not in dict(found)
    assert not list((path / "encoding").glob("*"))


def test_an_interruption_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counted: list[int]) -> None:
    monkeypatch.setattr("porism.vectors.dense.encoding.DenseVectors.chunk", 4)
    path = write_index(tmp_path / "i.index", [document(number) for number in range(10)])
    model = save_encoder(tmp_path / "tiny")

    def stop(done: int, total: int) -> None:
        if done >= 8:
            raise KeyboardInterrupt

    report = DENSE_ENCODING.encode(path, model, device="cpu", on_progress=stop)
    assert report.interrupted
    with pytest.raises(ConfigError, match=r"vectors of 10 .* are missing.*porism encode"):
        search(path)
    counted.clear()
    assert not DENSE_ENCODING.encode(path, model, device="cpu").interrupted
    assert counted == [2]
    assert len(search(path)) == 10


def test_another_model_is_another_set_of_vectors(tmp_path: Path) -> None:
    path, first = encoded_index(tmp_path, 12)
    other = save_encoder(tmp_path / "other", seed=5)
    DENSE_ENCODING.encode(path, other, device="cpu")
    assert search(path, model=DenseModel("tiny")) != search(path, model=DenseModel("other"))
    with pytest.raises(ConfigError, match=r"more than one encoder.*Choose one: dense:other, dense:tiny"):
        search(path)
    with pytest.raises(ConfigError, match="no encoder 'none'"):
        search(path, model=DenseModel("none"))
    with IndexWriter(path), pytest.raises(IndexLocked):
        DENSE_ENCODING.forget(path, "other")
    DENSE_ENCODING.forget(path, "other")
    assert search(path)
    assert len(list(path.rglob("vectors-dense-*.bin"))) == 2
    DENSE_ENCODING.encode(path, tmp_path / "tiny", name="tiny", settings=EncoderSettings(length=9), device="cpu")
    assert len(list(path.rglob("vectors-dense-*.bin"))) == 2  # in place of those before
    assert DENSE_RECORDS.find(path).spec != first.record.spec


def test_a_model_that_has_changed_or_gone_is_not_searched_with(tmp_path: Path) -> None:
    path, _ = encoded_index(tmp_path, 12)
    save_encoder(tmp_path / "tiny", seed=9)
    with pytest.raises(ConfigError, match=r"is another than the one.*porism encode"):
        search(path)
    problems: list[Any] = []
    write_index(path, [document(40)], before_publish=lambda found: prepare_vectors(found, on_problem=problems.append))
    assert "encoder tiny" in problems[0].where
    (path / "encoders" / "tiny.json").write_text("{")
    with pytest.raises(IndexCorrupt, match="does not describe an encoder"):
        search(path)
    problems.clear()
    write_index(path, [document(41)], before_publish=lambda found: prepare_vectors(found, on_problem=problems.append))
    assert "kind dense" in problems[0].where
    assert "does not describe an encoder" in problems[0].what
    with Snapshot.open(path) as snapshot:  # the document is not lost for it
        assert snapshot.doc_count == 14
    with pytest.raises(ConfigError, match=r"no vectors of documents.*porism encode"):
        search(write_index(tmp_path / "plain.index", [document(1)]))


def test_a_model_trained_for_an_index_goes_along_with_it(tmp_path: Path) -> None:
    path = write_index(tmp_path / "i.index", [document(number) for number in range(5)])
    save_encoder(path / "models" / "mine")
    DENSE_ENCODING.encode(path, "mine", device="cpu")
    moved = path.rename(tmp_path / "moved.index")
    assert len(search(moved)) == 5


@pytest.mark.parametrize("search_by", ["hnsw", "ivfpq"])
def test_approximate_search_finds_most_and_scores_exactly(tmp_path: Path, search_by: Any) -> None:
    pytest.importorskip("faiss", reason="approximate search needs faiss: pip install 'porism[neural]'")
    approximate = Approximate(Hnsw(8, 40), IvfPq(4, 8), least=20)
    path, _ = encoded_index(tmp_path, 400, approximate=approximate)
    exact = dict(search(path, k=400))
    model = DenseModel(search=search_by, probes=8, rescored=20)
    found = search(path, k=10, model=model)
    assert [exact[name] for name, _ in found] == [score for _, score in found]
    assert len({name for name, _ in found} & {name for name, _ in search(path, k=10)}) >= 7
    with Snapshot.open(path) as snapshot:
        for filters in ({"half": "1"}, {"tenth": "3"}):
            allowed = snapshot.filter(filters)
            run = DenseRetriever(snapshot, model=model).search([query(ASKED)], 5, allowed=allowed)
            (key, value), = filters.items()
            assert {name for name, _ in run["q"]} <= {
                name for name in exact if int(name[1:]) % (2 if key == "half" else 10) == int(value)
            }
            assert len(run["q"]) == 5


def test_approximate_search_that_was_not_built_is_refused(tmp_path: Path) -> None:
    path, _ = encoded_index(tmp_path, 400, approximate=Approximate(least=20))
    with pytest.raises(ConfigError, match=r"no index of near vectors \(hnsw\).*--ann hnsw"):
        search(path, model=DenseModel(search="hnsw"))


def test_names_and_settings() -> None:
    assert encoder_name("sentence-transformers/all-MiniLM-L6-v2") == "all-MiniLM-L6-v2"
    assert encoder_name("/models/a b/") == "a-b"
    with pytest.raises(ConfigError, match="'search' cannot be 'near'"):
        DenseModel.from_dict({"search": "near"})
    with pytest.raises(ConfigError, match="probes cannot be 0"):
        DenseModel.from_dict({"probes": 0})
    with pytest.raises(ConfigError, match="query_length cannot be 7"):
        DenseModel.from_dict({"query_length": 7})


def test_an_index_lists_checks_and_repairs_its_vectors(tmp_path: Path) -> None:
    path, report = encoded_index(tmp_path, 12)
    (listed,) = [one for one in list_artifacts(path) if one.kind == "encoders"]
    assert (listed.name, listed.outdated, listed.made_of["dimensions"]) == ("tiny", "", 16)
    assert check_index(path).sound
    file = next(iter(path.rglob(f"vectors-{report.record.spec.name}.bin")))
    file.write_bytes(file.read_bytes()[:-9])
    assert not check_index(path).sound
    assert check_index(path, repair=True).sound
    file.unlink()
    damages = check_index(path).damages
    assert [damage.what for damage in damages] == ["is missing"]
    write_index(path, [document(70)])
    (listed,) = [one for one in list_artifacts(path) if one.kind == "encoders"]
    assert "documents are not encoded yet" in listed.outdated
    (path / "encoders" / "tiny.json").write_text("{}")
    assert any("does not describe" in damage.what for damage in check_index(path).damages)
    (listed,) = [one for one in list_artifacts(path) if one.kind == "encoders"]
    assert "cannot be read" in listed.outdated


def test_a_document_that_was_deleted_before_it_was_encoded_can_come_back(tmp_path: Path) -> None:
    path = write_index(tmp_path / "i.index", [document(number) for number in range(6)])
    with IndexWriter(path, create=False) as writer:
        writer.delete(["d002"])
    DENSE_ENCODING.encode(path, save_encoder(tmp_path / "tiny"), device="cpu")
    write_index(path, [document(2)], before_publish=prepare_vectors)
    assert "d002" in dict(search(path, k=10))


def test_an_update_that_is_interrupted_while_it_encodes_keeps_the_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from porism.vectors.neural.encoder import Encoder

    path, _ = encoded_index(tmp_path, 8)
    with monkeypatch.context() as patch:
        patch.setattr(Encoder, "encode_documents", lambda self, texts: (_ for _ in ()).throw(KeyboardInterrupt))
        report = index_documents([document(50), document(51)], path, jobs=1)
    assert report.interrupted
    with Snapshot.open(path) as snapshot:
        assert snapshot.doc_count == 10
    with pytest.raises(ConfigError, match="porism encode"):
        search(path)
    assert DENSE_ENCODING.encode(path, tmp_path / "tiny", device="cpu").encoded == 2
    assert len(search(path, k=100)) == 10


def test_documents_of_about_one_length_are_encoded_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counted: list[int]
) -> None:
    documents = [document(number, 5 + 40 * (number % 2)) for number in range(9)]
    path = write_index(tmp_path / "i.index", documents)
    with Snapshot.open(path) as snapshot:
        segment = snapshot.segments[0]
        sizes = [len(segment.stored(number)) for number in range(9)]
    long, short = min(sizes[1::2]), max(sizes[::2])
    assert long > 2 * short
    monkeypatch.setattr("porism.vectors.providers._PART_BYTES", 2 * max(sizes))
    model = save_encoder(tmp_path / "tiny", limit=512)
    report = DENSE_ENCODING.encode(path, model, device="cpu")
    assert report.encoded == 9
    assert len(counted) > 2
    assert [name for name, _ in search(path, k=9)] == [name for name, _ in brute_force(path, ASKED)]
    provider = DENSE_ENCODING.provider(path, report.record)
    with Snapshot.open(path) as snapshot:
        parts = [part.tolist() for part in provider.split(snapshot.segments[0], np.arange(9))]
    assert sorted(np.concatenate(parts).tolist()) == list(range(9))
    assert {number % 2 for number in parts[0]} == {1}
    assert parts[-1][-1] % 2 == 0
    # Of a text that is cut only so much counts as the encoder reads.
    cut = DENSE_ENCODING.encode(path, model, name="cut", settings=EncoderSettings(length=3), device="cpu").record
    with Snapshot.open(path) as snapshot:
        assert len(list(DENSE_ENCODING.provider(path, cut).split(snapshot.segments[0], np.arange(9)))) == 1
