"""Late interaction over an index: scores are MaxSim, bit by bit the same however documents are found."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from colbert_cases import reference, save_token_model, token_index
from dense_cases import document, query, write_index
from tiny_models import need_encoders, save_encoder

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.errors import ConfigError, IndexCorrupt, IndexLocked, QueryError
from porism.index import IndexWriter, Segment, Snapshot
from porism.index.token_rows import open_tokens
from porism.search.artifacts import list_artifacts
from porism.search.checking import check_index
from porism.search.models.vectors import prepare_vectors
from porism.types import Content, Document, Formula, Query
from porism.vectors.colbert.encoding import TOKEN_ENCODING
from porism.vectors.colbert.model import ColbertModel
from porism.vectors.colbert.records import TOKEN_RECORDS
from porism.vectors.colbert.retriever import ColbertRetriever
from porism.vectors.neural.token_codec import CODE
from porism.vectors.neural.token_encoder import TokenEncoder

need_encoders()
pytest.importorskip("faiss", reason="centroids need faiss: pip install 'porism[neural]'")

QUESTIONS = ("a prime number divides a product", "the sum of the series", "maximum")
ALL = ColbertModel(exhaustive=True)


@pytest.fixture(scope="module", params=[1, 2, 4])
def encoded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return token_index(tmp_path_factory.mktemp("colbert"), bits=request.param)[0]


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return token_index(tmp_path)[0]


def retriever(path: Path, model: ColbertModel = ALL) -> ColbertRetriever:
    return ColbertRetriever(Snapshot.open(path), model=model)


def ranking(path: Path, text: str, model: ColbertModel = ALL, k: int = 1000) -> list[tuple[str, float]]:
    run = retriever(path, model).search([query(text)], k)
    return list(zip(run.doc_ids, run.scores.tolist(), strict=True))


def prepare(segments: Sequence[Segment]) -> None:
    prepare_vectors(segments)


@pytest.mark.parametrize("text", QUESTIONS)
def test_scores_are_max_sims_of_the_tokens_that_are_stored(encoded: Path, text: str) -> None:
    store = TOKEN_RECORDS.find(encoded)
    vectors = TokenEncoder.load(store.model, device="cpu").encode_queries([text])[0].vectors
    expected = reference(encoded, store, vectors)
    found = dict(ranking(encoded, text))
    assert found.keys() == expected.keys()
    assert len(found) == 55  # of 60, five are empty
    for doc_id, score in expected.items():
        assert found[doc_id] == pytest.approx(score, abs=2e-5)


def test_results_are_in_order_ties_by_descending_id(encoded: Path) -> None:
    found = ranking(encoded, QUESTIONS[0])
    assert all(after[1] < before[1] or (after[1] == before[1] and after[0] < before[0])
               for before, after in pairwise(found))
    assert ranking(encoded, QUESTIONS[0], k=7) == found[:7]


def test_documents_of_equal_text_are_level(tmp_path: Path) -> None:
    twins = [replace(document(1), id=name) for name in ("b", "a", "c")]
    path = write_index(tmp_path / "i.index", [*twins, document(2)], [replace(document(1), id="d")])
    TOKEN_ENCODING.encode(path, save_token_model(tmp_path / "tiny"), device="cpu")
    found = [one for one in ranking(path, QUESTIONS[0]) if one[0] in "abcd"]
    assert [doc_id for doc_id, _ in found] == ["d", "c", "b", "a"]
    assert len({score for _, score in found}) == 1


def test_pruning_finds_some_of_the_documents_with_the_same_scores(encoded: Path) -> None:
    whole = ranking(encoded, QUESTIONS[1])
    every = ColbertModel(probes=16, candidates=1000)
    assert ranking(encoded, QUESTIONS[1], every) == whole
    few = ranking(encoded, QUESTIONS[1], ColbertModel(probes=1, candidates=12))
    assert len(few) == 12
    assert set(few) <= set(whole)
    store = TOKEN_RECORDS.find(encoded)
    vectors = TokenEncoder.load(store.model, device="cpu").encode_queries([QUESTIONS[1]])[0].vectors
    cosines = store.codec.centroids @ vectors.T
    probed = set(cosines.argmax(axis=0).tolist())
    rough = []
    with Snapshot.open(encoded) as snapshot:
        for segment in snapshot.segments:
            rows = open_tokens(segment, store.spec, "")
            for number in range(segment.doc_count):
                codes = rows.heads[rows.offsets[number] : rows.offsets[number + 1]] & CODE
                if not probed.isdisjoint(codes.tolist()):
                    near = cosines[codes][(cosines[codes] >= 0).any(axis=1)]
                    rough.append((float(near.max(axis=0, initial=0.0).sum(dtype=np.float64)), segment.doc_id(number)))
    least = sorted(score for score, _ in rough)[-12]  # those level with it are compared, too
    able = {doc_id for score, doc_id in rough if score >= least - 1e-5}
    assert len(able) < len(rough)
    assert few == [one for one in whole if one[0] in able][:12]
    strict = ranking(encoded, QUESTIONS[1], ColbertModel(probes=16, candidates=12, threshold=1.0))
    assert set(strict) <= set(whole)


def test_candidates_do_not_depend_on_the_number_of_results_or_on_segments(tmp_path: Path, index: Path) -> None:
    few = ColbertModel(probes=2, candidates=9)
    found = ranking(index, QUESTIONS[0], few)
    assert ranking(index, QUESTIONS[0], few, k=4) == found[:4]
    with IndexWriter(index) as writer:
        writer.merge()
        writer.commit(before_publish=prepare)
    with Snapshot.open(index) as snapshot:
        assert len(snapshot.segments) == 1
    assert ranking(index, QUESTIONS[0], few) == found


def test_filters_and_scores_of_given_documents(encoded: Path) -> None:
    one = retriever(encoded)
    whole = dict(ranking(encoded, QUESTIONS[0]))
    allowed = one.snapshot.filter({"half": "1"})
    run = one.search([query(QUESTIONS[0])], 1000, allowed=allowed)
    assert set(run.doc_ids) == {doc_id for doc_id in whole if int(doc_id[1:]) % 2}
    asked = ["d003", "nothing", "d010", "d002"]
    scores = one.score_documents(query(QUESTIONS[0]), asked)
    assert scores[[0, 3]].tolist() == [whole["d003"], whole["d002"]]
    assert np.isnan(scores[1])
    assert scores[2] == 0.0
    assert one.score_documents(query(QUESTIONS[0]), []).tolist() == []


def test_questions_without_text_find_nothing(encoded: Path) -> None:
    one = retriever(encoded)
    assert list(one.search([query("  ")]).doc_ids) == []
    assert one.score_documents(query(""), ["d003"]).tolist() == [0.0]
    with pytest.raises(QueryError, match="0 results"):
        one.search([query("a")], 0)


def test_an_explanation_says_which_token_met_which_and_adds_up(tmp_path: Path) -> None:
    formula = Formula(r"\frac{a}{b}")
    first = Document("f", {"body": Content.of("Let ", formula, " be a fraction and ", Formula("x^2"), ".")})
    path = write_index(tmp_path / "i.index", [first, *map(document, range(12))])
    TOKEN_ENCODING.encode(path, save_token_model(tmp_path / "tiny"), device="cpu")
    asked = Query("q", {"query": Content.of("a fraction ", formula)})
    one = retriever(path)
    explanation = one.explain(asked, "f")
    run = one.search([asked])
    assert explanation.value == dict(zip(run.doc_ids, run.scores.tolist(), strict=True))["f"]
    assert sum(part.value for part in explanation.parts) == pytest.approx(explanation.value)
    text = str(explanation)
    # How the tokenizer, which was trained on few texts, cuts the words differs from run to run.
    assert re.search(r"'\S+' in the formula \\frac\{a\}\{b\} meets '", text)
    assert re.search(r"'f\S*' in “a \[f\w*\]\w* \$\\frac\{a\}\{b\}\$” meets", text)
    assert "tokens that the model adds to the question" in text
    assert "[Q] meets" in text
    with pytest.raises(QueryError, match="no document 'g'"):
        one.explain(asked, "g")
    assert one.explain(query(" "), "f").value == 0.0
    assert one.explain(asked, "d010").value == 0.0


def test_a_long_question_says_how_much_of_it_was_not_read(encoded: Path) -> None:
    assert retriever(encoded).notes(query("a prime")) == []
    said = retriever(encoded).notes(query("prime " * 30))
    assert said == ["the encoder reads 24 tokens of a question; the last 9 tokens were not read"]


def test_only_new_documents_are_encoded_and_deleted_ones_go(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = dict(ranking(index, QUESTIONS[0]))
    encoded = []
    original = TokenEncoder.encode_documents

    def counting(self: TokenEncoder, texts: list[str], *more: object) -> object:
        encoded.extend(texts)
        return original(self, texts)

    monkeypatch.setattr(TokenEncoder, "encode_documents", counting)
    new = document(61)
    analyzer = Analyzer(AnalysisConfig.named(["words"]))
    with IndexWriter(index) as writer:
        writer.delete(["d003"])
        writer.add(analyzer.analyze([new])[0])
        writer.commit(before_publish=prepare)
        writer.merge()
        writer.commit(before_publish=prepare)
    assert encoded == [new.fields["body"].text]
    after = dict(ranking(index, QUESTIONS[0]))
    assert after.keys() == before.keys() - {"d003"} | {"d061"}
    assert all(after[doc_id] == before[doc_id] for doc_id in after.keys() & before.keys())


def test_an_interruption_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, report = token_index(tmp_path / "whole")
    assert (report.count, report.encoded, report.interrupted) == (60, 56, False)  # the empty ones have one text
    monkeypatch.setattr("porism.vectors.colbert.encoding.DocumentTokens.chunk", 8)
    monkeypatch.setattr("porism.vectors.colbert.encoding._SAMPLE_BATCH_SIZE", 8)
    monkeypatch.setattr("porism.vectors.colbert.encoding._MIN_SAMPLE", 1)
    monkeypatch.setattr("porism.vectors.colbert.encoding._CENTROID_TOKENS", 1)
    done: list[int] = []

    def interrupt(count: int, total: int) -> None:
        done.append(count)
        if count >= 24:
            raise KeyboardInterrupt

    path, first = token_index(tmp_path / "part", on_progress=interrupt)
    assert first.interrupted
    assert first.encoded + done[-1] >= 16
    with pytest.raises(ConfigError, match=r"tokens of .* documents are missing"):
        ranking(path, QUESTIONS[0])
    second = TOKEN_ENCODING.encode(path, tmp_path / "part" / "tiny", centroids=16, device="cpu")
    assert not second.interrupted
    assert 0 < second.encoded <= 60 - 24
    store = TOKEN_RECORDS.find(path)
    vectors = TokenEncoder.load(store.model, device="cpu").encode_queries([QUESTIONS[0]])[0].vectors
    assert dict(ranking(path, QUESTIONS[0])) == pytest.approx(reference(path, store, vectors), abs=2e-5)
    assert not list((path / "encoding").glob("*"))
    third = TOKEN_ENCODING.encode(path, tmp_path / "part" / "tiny", centroids=16, device="cpu")
    assert third.encoded == 0


def test_damage_is_found_and_mended(index: Path) -> None:
    before = ranking(index, QUESTIONS[0])
    store = TOKEN_RECORDS.find(index)
    files = sorted(index.glob(f"segments/*/derived/vectors-{store.spec.name}.bin"))
    assert len(files) == 2
    data = bytearray(files[0].read_bytes())
    with Snapshot.open(index) as snapshot:
        heads = open_tokens(snapshot.segments[0], store.spec, "").heads.tobytes()
    data[data.index(heads) + 5] ^= 255
    files[0].write_bytes(data)
    files[1].unlink()
    with pytest.raises(ConfigError, match=r"tokens of .* documents are missing"):
        ranking(index, QUESTIONS[0])
    damaged = {damage.file for damage in check_index(index).damages}
    assert damaged == {file.relative_to(index).as_posix() for file in files}
    (listed,) = [artifact for artifact in list_artifacts(index) if artifact.kind == "tokens"]
    assert listed.outdated == f"60 documents are not encoded yet: porism encode {store.model}"
    assert not check_index(index, repair=True).damages
    assert ranking(index, QUESTIONS[0]) == before


def test_a_damaged_codec_is_reported(index: Path) -> None:
    (path,) = (index / "tokens").glob("*.bin")
    data = bytearray(path.read_bytes())
    data[100] ^= 255
    path.write_bytes(data)
    assert [damage.file for damage in check_index(index).damages] == [path.relative_to(index).as_posix()]
    with pytest.raises(IndexCorrupt, match="has changed in section 'centroids'"):
        retriever(index)


def test_a_store_is_listed_and_forgotten(index: Path) -> None:
    (one,) = [artifact for artifact in list_artifacts(index) if artifact.kind == "tokens"]
    assert (one.name, one.outdated) == ("tiny", "")
    assert one.made_of["digest"] == TOKEN_RECORDS.find(index).digest
    with IndexWriter(index), pytest.raises(IndexLocked):
        TOKEN_ENCODING.forget(index, "tiny")
    TOKEN_ENCODING.forget(index, "tiny")
    assert not list(index.glob("segments/*/derived/vectors-tokens-*.bin"))
    with pytest.raises(ConfigError, match="no tokens of documents"):
        retriever(index)
    with pytest.raises(ConfigError, match="no store of tokens 'tiny'"):
        TOKEN_ENCODING.forget(index, "tiny")


def test_another_model_of_the_same_name_is_refused_until_documents_are_encoded_again(
    tmp_path: Path, index: Path
) -> None:
    before = TOKEN_RECORDS.find(index)
    shutil.rmtree(tmp_path / "tiny")
    save_token_model(tmp_path / "tiny", seed=5)
    with pytest.raises(ConfigError, match="is another than the one whose tokens the index has"):
        retriever(index)
    report = TOKEN_ENCODING.encode(index, tmp_path / "tiny", centroids=16, device="cpu")
    assert report.encoded == 56
    assert report.record.spec.name != before.spec.name
    assert len(list(index.glob("segments/*/derived/vectors-tokens-*.bin"))) == 2  # the old ones went
    assert len(ranking(index, QUESTIONS[0])) == 55


def test_several_stores_are_told_apart(tmp_path: Path, index: Path) -> None:
    TOKEN_ENCODING.encode(index, tmp_path / "tiny", name="four", bits=4, device="cpu")
    with pytest.raises(ConfigError, match="more than one store of tokens") as error:
        retriever(index)
    assert "colbert:four, colbert:tiny" in str(error.value.hint)
    assert len(ranking(index, QUESTIONS[0], ColbertModel(store="four", exhaustive=True))) == 55
    with pytest.raises(ConfigError, match="no store of tokens 'five'"):
        retriever(index, ColbertModel(store="five"))


def test_models_that_do_not_fit_are_refused(tmp_path: Path, index: Path) -> None:
    with pytest.raises(ConfigError, match="gives no vectors of tokens"):
        TOKEN_ENCODING.encode(index, save_encoder(tmp_path / "dense"), device="cpu")
    with pytest.raises(ConfigError, match="3 bits"):
        TOKEN_ENCODING.encode(index, tmp_path / "tiny", bits=3, device="cpu")
    for wrong in ({"probes": 0}, {"candidates": 0}, {"threshold": 1.5}):
        with pytest.raises(ConfigError):
            ColbertModel(**wrong)  # type: ignore[arg-type]


def test_it_re_ranks_and_is_part_of_sums(index: Path) -> None:
    from porism.lab.pipeline import RetrieverReranker, pipeline
    from porism.lab.pipeline.rerankers.explaining import rerank_explained
    from porism.search.index import open_index
    from porism.search.models.sums.retriever import Part, SumModel

    one = query(QUESTIONS[0])
    whole = dict(ranking(index, QUESTIONS[0]))
    with open_index(index) as opened:
        first = pipeline(opened, "words").search([one], 9)
        again = (pipeline(opened, "words") >> RetrieverReranker(opened, "colbert", depth=9)).search([one], 9)
        assert set(again.doc_ids) == set(first.doc_ids)
        assert again.scores.tolist() == sorted((whole[doc_id] for doc_id in first.doc_ids), reverse=True)
        done = rerank_explained(RetrieverReranker(opened, "colbert", depth=9), one, first)
        explained = done.explain(again.doc_ids[0])
        assert explained.value == again.scores[0]
        assert sum(part.value for part in explained.parts) == pytest.approx(explained.value, abs=1e-4)
        assert " meets '" in explained.parts[0].label
    both = SumModel({"words": Part(0.5), "colbert": Part(0.5)})
    with open_index(index, model=both) as opened:
        assert len(pipeline(opened, both).search([one], 5).doc_ids) == 5
