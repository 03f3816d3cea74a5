"""Several indexes of the sample, searched as one, answer as one index of all of it does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from case_tables import every_case
from long_forms import LONG_ONLY

from porism.corpus import read_topics
from porism.errors import ConfigError, QueryError
from porism.sample import entries_path, sample_path
from porism.search.answering import IndexAnswers, SearchOptions
from porism.search.index import Index, open_index
from porism.search.models.models import known_models
from porism.search.sources.updating import index_sources
from porism.types import Query

QUESTIONS = (
    r"why does $\sum 1/n^2$ converge?", "definition of a compact set", r"title:theorem $x^2 + y^2$", '"mean value"',
    "type:theorem continuous function on a closed interval attains its maximum",
)


@pytest.fixture(scope="module")
def whole(sample_index: Path) -> Iterator[Index]:
    with open_index(sample_index) as index:
        yield index


@pytest.fixture(scope="module")
def joint(sample_shards: list[Path]) -> Iterator[Index]:
    with open_index(sample_shards) as index:
        yield index


@pytest.fixture(scope="module")
def topics() -> list[Query]:
    return list(read_topics(sample_path("queries.jsonl")))[::12]


@LONG_ONLY
def test_every_model_gives_the_ids_and_scores_of_one_index(whole: Index, joint: Index, topics: list[Query]) -> None:
    compared = []
    for name in known_models():
        if name == "milvus":  # a server has the candidates of one index
            continue
        try:
            one = whole.with_models(name)
        except ConfigError:
            with pytest.raises(ConfigError):  # what one index lacks, several lack
                joint.with_models(name)
            continue
        expected, found = one.run(topics, 200), joint.with_models(name).run(topics, 200)
        assert {query.id: list(found[query.id]) for query in topics} == {
            query.id: list(expected[query.id]) for query in topics
        }, name
        compared.append(name)
    assert {"default", "plain", "words", "tangent-l", "alignment", "values"} <= set(compared)


@every_case("question", QUESTIONS)
def test_answers_are_those_of_one_index(whole: Index, joint: Index, question: str) -> None:
    expected, found = (IndexAnswers(index).search(question, 6, explain=True) for index in (whole, joint))
    assert expected.hits
    assert [(hit.id, hit.score, str(hit.title), str(hit.snippet)) for hit in found.hits] == [
        (hit.id, hit.score, str(hit.title), str(hit.snippet)) for hit in expected.hits
    ]
    assert [hit.explanation for hit in found.hits] == [hit.explanation for hit in expected.hits]
    assert found.hints == expected.hints


@every_case("formula", [r"\sum_{k=1}^n k^2", r"?x^2 + ?y^2", r"\int_a^b f(x) dx"])
def test_formulas_are_those_of_one_index_with_all_their_places(whole: Index, joint: Index, formula: str) -> None:
    expected, found = (IndexAnswers(index).search_formulas(formula, 5, explain=True) for index in (whole, joint))
    assert expected.hits
    assert [(hit.key, hit.score, hit.documents) for hit in found.hits] == [
        (hit.key, hit.score, hit.documents) for hit in expected.hits
    ]
    assert [{place.doc_id for place in hit.places} for hit in found.hits] == [
        {place.doc_id for place in hit.places} for hit in expected.hits
    ]


def test_likeness_filters_and_judgments_reach_over_all(whole: Index, joint: Index) -> None:
    first = whole.search("continuous functions", 3)
    for index in (whole, joint):
        assert [hit.id for hit in index.search("continuous functions", 3)] == [hit.id for hit in first]
    like = [IndexAnswers(index).answer_similar(first[0].id, SearchOptions(5)) for index in (whole, joint)]
    assert [(hit.id, hit.score) for hit in like[0].hits] == [(hit.id, hit.score) for hit in like[1].hits]
    filters = {"type": ["theorem", "lemma"]}
    judged = {"relevant": [first[1].id], "not_relevant": [first[2].id]}
    for options in ({"filters": filters}, judged):
        one, other = (index.search("continuous functions", 8, **options) for index in (whole, joint))  # type: ignore[arg-type]
        assert [(hit.id, hit.score) for hit in one] == [(hit.id, hit.score) for hit in other]
        assert one
    with pytest.raises(QueryError, match="no document has the metadata 'colour'"):
        joint.search("function", filters={"colour": "red"})


def test_documents_have_the_places_of_their_own_index(sample_shards: list[Path], joint: Index) -> None:
    for path in sample_shards:
        with open_index(path) as one:
            for document in list(one.documents)[:3]:
                place = joint.location(document.id)
                assert place == one.location(document.id)
                assert place.path == path.with_suffix(".jsonl")
                assert joint.document(document.id) == document
                assert not joint.has_changed(place)
    assert len(joint) == sum(len(one.documents) for one in map(open_index, sample_shards))


def test_shared_ids_and_sources_of_one_name_are_kept_apart(tmp_path: Path) -> None:
    texts = {"a": "A group has an identity", "b": "A ring has an identity and a product"}
    for name, text in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "notes.md").write_text(f"# Algebra\n\n{text}.\n", encoding="utf-8")
        index_sources([tmp_path / name / "notes.md"], tmp_path / f"{name}.index", jobs=1)
    with open_index([tmp_path / "a.index", tmp_path / "b.index"]) as index:
        hits = index.search("identity")
        assert len(hits) == 2
        assert {hit.id.partition(":")[0] for hit in hits} == {"a", "b"}
        for hit in hits:
            name = hit.id.partition(":")[0]
            assert index.document(hit.id).id == hit.id
            assert texts[name] in str(hit.snippet)
            assert hit.location.path == index.location(hit.id).path == tmp_path / name / "notes.md"
        (tmp_path / "b" / "notes.md").write_text("# Algebra\n\nA field.\n", encoding="utf-8")
        changed = {hit.id.partition(":")[0]: index.has_changed(hit.location) for hit in hits}
        assert changed == {"a": False, "b": True}


def test_an_update_of_a_shard_is_that_of_one_index(tmp_path: Path, topics: list[Query]) -> None:
    with entries_path() as path:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)[:24]
    files = {"one": lines[:12], "two": lines[12:], "whole": lines}
    for name, part in files.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(part), encoding="utf-8")
        index_sources([tmp_path / f"{name}.jsonl"], tmp_path / name, jobs=1)
    for name in ("one", "whole"):
        kept = [line for line in files[name] if line not in lines[4:9]]
        (tmp_path / f"{name}.jsonl").write_text("".join(kept), encoding="utf-8")
        index_sources([tmp_path / f"{name}.jsonl"], tmp_path / name, jobs=1)
    with open_index(tmp_path / "whole") as whole, open_index([tmp_path / "one", tmp_path / "two"]) as joint:
        assert len(whole) == len(joint) == 19
        for query in topics[:3]:
            expected = list(whole.run([query], 50)[query.id])
            assert list(joint.run([query], 50)[query.id]) == expected


def test_one_folder_twice_is_one_index(sample_shards: list[Path]) -> None:
    few = sample_shards[0]
    with open_index([few, few.parent / "." / "few.index"]) as index, open_index(few) as one:
        assert len(index) == len(one)
        assert index.snapshot.path == few
