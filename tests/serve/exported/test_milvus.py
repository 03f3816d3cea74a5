"""An index in a real server of milvus-lite: the results of the index, whatever is killed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from case_tables import every_case
from export_cases import QUERIES, change, document, exported, write_index
from long_forms import LONG_ONLY
from milvus_servers import MilvusServer, need_milvus

from porism.corpus import read_topics
from porism.errors import ConfigError, EngineError
from porism.sample import QUERIES as SAMPLE_QUERIES
from porism.search.index import open_index
from porism.search.models.models import read_model
from porism.serve.backends.base import EVERYWHERE, MAX_FILTERS, PARTS, Rows, SparseRows, Table
from porism.serve.backends.milvus import MilvusBackend
from porism.serve.exported.exporting import export_index
from porism.serve.exported.kind import MilvusFormulaModel, MilvusModel
from porism.serve.exported.lexical import DOCUMENTS
from porism.serve.exported.texts import TEXTS, shown_document
from porism.types import Content, Document, Formula, Query

need_milvus()

KEYS = ['a"b', "c\\d", "e'f", "new\nline", "ünï", "tab\t{x}", " sp ace ", "%41", "\ud800x", "[1] and key > 0"]


FORMULAS_BY = ["default", "tokens", "paths", "subtrees", "values"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MilvusServer]:
    running = MilvusServer(tmp_path_factory.mktemp("milvus") / "data")
    running.start()
    yield running
    running.kill()


@pytest.fixture(scope="module")
def sample(server: MilvusServer, sample_index: Path) -> Path:
    """The sample, exported with several models."""
    backend = server.backend("sample")
    report = export_index(
        sample_index, backend, ["default", "plain", "words", "tokens", "paths", "subtrees"],
        formula_models=FORMULAS_BY,
    )
    assert report.tables[DOCUMENTS].sent == report.documents
    backend.close()
    return sample_index


@every_case("named", ["default", "plain", "words", "tokens", "paths", "subtrees"])
def test_ranks_and_scores_are_those_of_the_index(named: str, server: MilvusServer, sample: Path) -> None:
    queries = list(read_topics(SAMPLE_QUERIES))[::6]
    model = MilvusModel(of=named, uri=server.uri, collection="sample")
    with open_index(sample, named) as index:
        there = index.with_models(model)
        for k in (10, 1000):
            own, run = index.run(queries, k), there.run(queries, k)
            assert {query.id: run[query.id] for query in queries} == {query.id: own[query.id] for query in queries}
        assert sum(len(own[query.id]) for query in queries) > 100
        kind = {"type": ["theorem", "definition"]}
        own, run = index.run(queries, 10, filters=kind), there.run(queries, 10, filters=kind)
        assert {query.id: run[query.id] for query in queries} == {query.id: own[query.id] for query in queries}
        assert sum(len(own[query.id]) for query in queries) > 0
        assert run.provenance is not None
        assert run.provenance.made_by["model"]["kind"] == "milvus"


@LONG_ONLY
@every_case("named", FORMULAS_BY)
def test_formulas_are_those_of_the_index(named: str, server: MilvusServer, sample: Path) -> None:
    asked = [formula for query in read_topics(SAMPLE_QUERIES) for formula in query.content.formulas][::4]
    asked += [Formula(r"\sum_{k=1}^n k^2"), Formula(r"\qvar{f}'(x)=0"), Formula("x")]
    model = MilvusFormulaModel(of=named, uri=server.uri, collection="sample")
    with open_index(sample, formula_model=named) as index, open_index(sample, formula_model=model) as there:
        for k in (1, 10, 1000):
            ranked, found = index.formulas.ranker.search(asked, k), there.formulas.ranker.search(asked, k)
            for one, other in zip(ranked, found, strict=True):
                assert [column.tolist() for column in other] == [column.tolist() for column in one]
        assert sum(len(one.scores) for one in ranked) > 200
        topics = [Query(f"q{number}", {"formula": Content.of(formula)}) for number, formula in enumerate(asked)]
        kind = {"type": "theorem"}
        own, run = index.run_formulas(topics, 20, filters=kind), there.run_formulas(topics, 20, filters=kind)
        assert [run[one.id] for one in topics] == [own[one.id] for one in topics]
        own = index.with_models(read_model(named, formulas=True)).run(topics, 20)  # documents by their best formulas
        run = there.with_models(model).run(topics, 20)
        assert [run[one.id] for one in topics] == [own[one.id] for one in topics]
        made_by = there.run_formulas(topics[:1], 1).provenance
        assert made_by is not None
        assert made_by.made_by["model"]["kind"] == "milvus-formulas"


def test_a_person_sees_what_the_index_shows(server: MilvusServer, sample: Path) -> None:
    model = MilvusModel(uri=server.uri, collection="sample")
    with open_index(sample) as index:
        there = index.with_models(model)
        asked = 'derivative of $x^n$ type:theorem "of the"'
        assert there.search(asked, 5) == index.search(asked, 5)
        first = index.search("derivative of $x^n$", 3)
        assert there.explain("derivative of $x^n$", first[0].id) == index.explain("derivative of $x^n$", first[0].id)
        assert there.more_like(first[0].id, 4) == index.more_like(first[0].id, 4)
        judged: dict[str, Any] = {"relevant": [first[1].id], "not_relevant": [first[0].id]}
        assert there.search("derivative", 5, **judged) == index.search("derivative", 5, **judged)


def test_another_program_shows_documents(server: MilvusServer, sample: Path) -> None:
    from pymilvus import MilvusClient

    client = MilvusClient(server.uri)
    with open_index(sample) as index:
        hits = index.search("mean value theorem type:theorem", 3)
        for hit in hits:
            (row,) = client.get("sample_texts", ids=[quote(hit.id)])
            document = index.document(hit.id)
            assert row["document"] == {
                "id": hit.id, "title": document.title.to_latex(), "text": document.fields["body"].to_latex(),
                "metadata": {name: value if isinstance(value, str) else list(value)
                             for name, value in document.metadata.items() if name != "line"},
            }
            assert "$" in row["document"]["text"]
        found = client.query("sample_texts", 'document["metadata"]["type"] == "theorem"', output_fields=["count(*)"])
        masks = index.snapshot.filter({"type": "theorem"})
        assert found[0]["count(*)"] == sum(int(mask.sum()) for mask in masks) > len(hits)
    client.close()


def test_long_and_odd_documents_are_kept(server: MilvusServer) -> None:
    backend = server.backend("odd")
    backend.make(Table("t", documents=True))
    texts = ["é\n" * 50_000, "\\" * 70_000, '"quoted" \x00 \U0001f600', ""]
    documents = [shown_document(Document(f"d{number}", {"body": Content(text)})) for number, text in enumerate(texts)]
    count = len(texts)
    vectors = SparseRows(np.arange(count + 1), np.zeros(count, np.int64), np.ones(count, np.float32))
    numbers = np.arange(count)
    rows = Rows([f"d{number}" for number in numbers], numbers, numbers, [numbers[:0]] * count, vectors, documents)
    backend.put("t", rows)
    kept = backend._query("t", filter="", output_fields=["key", "document"], limit=10)
    assert {row["key"]: row["document"] for row in kept} == {
        key: json.loads(document) for key, document in zip(rows.keys, documents, strict=True)
    }
    assert [json.loads(document).get("cut", False) for document in documents] == [True, True, False, False]
    backend.drop("t")
    backend.close()


def test_a_table_keeps_what_it_is_given(server: MilvusServer) -> None:
    backend = server.backend("table")
    assert backend.read_state() is None
    backend.write_state('{"a": "ü\\""}')
    backend.write_state("b")
    assert backend.read_state() == "b"
    backend.make(Table("t"))
    backend.make(Table("t"))
    backend.make(Table("d", 3))
    assert backend.tables() == ["d", "t"]
    count = len(KEYS)
    parts = np.linspace(0, PARTS - 1024, count).astype(np.int64)
    filters = [np.array([number % 3, PARTS - 1 - number], np.int64) for number in range(count)]
    filters[4] = np.arange(MAX_FILTERS + 1)
    vectors = SparseRows(np.arange(count + 1), np.ones(count, np.int64), np.arange(1, count + 1).astype(np.float32))
    rows = Rows(list(KEYS), parts, parts + 1, filters, vectors)
    backend.put("t", rows)
    backend.put("t", rows)
    assert backend.count("t") == count
    for keys in (None, [*KEYS, "nothing"]):
        found = {key: int(stamp) for batch in backend.stamps("t", keys) for key, stamp in zip(*batch, strict=True)}
        assert found == dict(zip(KEYS, (parts + 1).tolist(), strict=True))
    one = SparseRows(np.array([0, 2]), np.array([1, 9], np.int64), np.array([0.5, 1], np.float32))
    hits = backend.search("t", one, 3)
    assert (hits.keys, hits.scores.tolist()) == (KEYS[:-4:-1], [5.0, 4.5, 4.0])
    third = backend.search("t", one, 100, EVERYWHERE._replace(filters=((0, 7), (PARTS - 1, PARTS - 4))))
    assert third.keys == [KEYS[4], KEYS[3], KEYS[0]]  # the first has so many filters that it may have these
    low, high = EVERYWHERE.halves()
    halves = [backend.search("t", one, 100, where).keys for where in (low, high)]
    assert sorted(halves[0] + halves[1]) == sorted(KEYS)
    assert min(len(half) for half in halves) >= 4
    backend.remove("t", [KEYS[0], KEYS[1], "nothing"])
    assert backend.count("t") == count - 2
    backend.flush("t")
    assert backend.search("t", one, 3).keys == hits.keys
    backend.put("d", Rows(["p", "q"], parts[:2], parts[:2], filters[:2], np.eye(3, dtype=np.float32)[:2]))
    assert backend.search("d", np.array([[0.5, 1, 0]], np.float32), 10).keys == ["q", "p"]
    backend.most = 3  # more than an answer holds are read in halves
    assert sum(len(keys) for keys, _ in backend.stamps("t")) == count - 2
    backend.drop("t")
    assert backend.tables() == ["d"]
    with pytest.raises(EngineError, match="does not exist"):
        backend.count("t")
    backend.close()


@LONG_ONLY
def test_exports_whose_names_begin_alike_leave_each_other_alone(server: MilvusServer, tmp_path: Path) -> None:
    short, long = server.backend("alike"), server.backend("alike_too")
    first, second = write_index(tmp_path / "first"), write_index(tmp_path / "second")
    for again in (False, True):
        export_index(second, long, ["words"], again=again)
        export_index(first, short, ["words"], again=again)
        assert short.tables() == long.tables() == [DOCUMENTS, TEXTS]
        assert export_index(second, long).tables == {DOCUMENTS: (8, 0, 0), TEXTS: (8, 0, 0)}
    short.close()
    long.close()


def test_only_what_changed_is_sent_to_a_server(server: MilvusServer, tmp_path: Path) -> None:
    index = write_index(tmp_path / "index")
    backend = server.backend("steps")
    assert export_index(index, backend).tables[DOCUMENTS] == (8, 8, 0)
    change(index, [document("d1", "ideals of rings", "x^2+y^2"), document("a2", "other words")], delete=["c1"])
    assert export_index(index, backend).tables == {DOCUMENTS: (8, 2, 1), TEXTS: (8, 2, 1)}
    change(index, merge=True)
    assert export_index(index, backend).tables == {DOCUMENTS: (8, 0, 0), TEXTS: (8, 0, 0)}
    with open_index(index) as opened:
        there = exported(backend, opened.snapshot, "default").search(QUERIES, 100)
        own = opened.run(QUERIES, 100)
        assert [there[query.id] for query in QUERIES] == [own[query.id] for query in QUERIES]
    with pytest.raises(EngineError, match="another index"):
        export_index(write_index(tmp_path / "other"), backend)
    backend.close()


def test_the_commands_export_and_search(
    server: MilvusServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from porism.cli import main

    def run(*arguments: str, code: int = 0, hints: bool = False) -> str:
        with pytest.raises(SystemExit) as exit_info:
            main(list(arguments))
        assert (exit_info.value.code or 0) == code
        said = capsys.readouterr()
        return said.err if code or hints else said.out

    monkeypatch.setenv("PORISM_MILVUS_URI", server.uri)
    index = str(write_index(tmp_path / "index"))
    said = run("export", "milvus", "--index", index, "--model", "words", "--model", "default")
    assert "commit 2 with 8 documents" in said
    assert "documents: 8 rows, 8 sent, 0 removed\n" in said
    assert "models: words, default\nstatistics in weights: those of commit 2\n" in said
    own = json.loads(run("search", "prime ideals", "--index", index, "--json"))
    assert json.loads(run("search", "prime ideals", "--index", index, "--json", "--model", "milvus")) == own
    by_server = ["search", "--formulas", "p^2", "--index", index, "--model", "milvus"]
    assert "formulas were not exported" in run(*by_server, code=1)
    said = run("export", "milvus", "--index", index, "--formula-model", "default")
    assert "formula models: default\n" in said
    assert "porism search --formulas" in said
    own = json.loads(run("search", "--formulas", "p^2", "--index", index, "--json"))
    assert own
    assert json.loads(run(*by_server, "--json")) == own
    change(Path(index), [document("d1", "prime ideals of long texts " * 9)])
    said = run(*by_server, hints=True)
    assert "Commit 2 of the index was exported, and it is at 3" in said
    said = run("export", "milvus", "--index", index)
    assert "documents: 9 rows, 1 sent, 0 removed\n" in said
    assert "mean lengths off by" in said
    assert "documents: 9 rows, 9 sent, 0 removed" in run("export", "milvus", "--index", index, "--refresh")
    assert "9 rows, 0 sent, 0 removed, all compared" in run("export", "milvus", "--index", index, "--verify")
    assert run("export", "milvus", "--index", index, "--quiet") == ""
    assert "texts: 9 rows" in run("export", "milvus", "--index", index)
    assert "texts" not in run("export", "milvus", "--index", index, "--no-documents")
    assert "texts" not in run("export", "milvus", "--index", index)
    assert "texts: 9 rows, 9 sent" in run("export", "milvus", "--index", index, "--documents")
    assert "cannot be the name of collections" in run(
        "export", "milvus", "--index", index, "--collection", "a b", code=1
    )
    other = str(write_index(tmp_path / "other"))
    assert "another index than" in run("export", "milvus", "--index", other, code=1)
    assert "8 rows, 8 sent" in run("export", "milvus", "--index", other, "--recreate")


def test_addresses_that_are_none_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PORISM_MILVUS_URI", raising=False)
    with pytest.raises(ConfigError, match="is not the address of a Milvus server"):
        MilvusBackend("somewhere")
    with pytest.raises(ConfigError, match="cannot have a password"):
        MilvusBackend("http://me:secret@localhost:1")
    with pytest.raises(EngineError, match=r"cannot be reached .*Is it running"):
        MilvusBackend("http://127.0.0.1:9", timeout=2)


def test_a_server_that_is_too_old_is_refused(server: MilvusServer, monkeypatch: pytest.MonkeyPatch) -> None:
    import pymilvus

    monkeypatch.setattr(pymilvus.MilvusClient, "get_server_version", lambda *arguments, **more: "v2.3.21")
    with pytest.raises(EngineError, match=r"the server is v2.3.21, which is too old"):
        MilvusBackend(server.uri)
    monkeypatch.setattr(pymilvus.MilvusClient, "get_server_version", lambda *arguments, **more: "2.6.1")
    MilvusBackend(server.uri).close()
