"""Several indexes of a server as one: ranked as one index of all documents, whatever was committed meanwhile."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="indexes are served by the web app: pip install 'porism[web]'")
pytest.importorskip("httpx", reason="requests are sent by httpx: pip install 'porism[web]'")

from fastapi.testclient import TestClient

from porism.errors import QueryError
from porism.index import IndexWriter, Snapshot
from porism.index.joint import names_of
from porism.search.sources.updating import index_sources
from porism.serve.web.app import create_app
from porism.serve.web.client import PREFIX
from porism.serve.web.ingest import Change, Ingest
from porism.serve.web.served import Library
from porism.serve.web.settings import WebSettings

QUESTION = r"why does $\sum 1/n^2$ converge?"


@pytest.fixture(scope="module")
def together(sample_shards: list[Path]) -> Iterator[Any]:
    app = create_app(WebSettings(names_of(sample_shards), logs=False))
    with TestClient(app, base_url="http://localhost") as made:
        yield made


def answer(client: Any, route: str, **parameters: Any) -> Any:
    response = client.get(f"{PREFIX}/{route}", params=parameters)
    assert response.status_code == 200, response.text
    return response.json()


OTHERS = frozenset({
    "index", "home", "generation", "seconds", "place", "metadata", "facets", "latex", "label", "mathml", "alignments",
    "alignment",
})


def same(value: Any) -> Any:
    """What must not differ: all but the name of the index, the commit, times and places, which of several ways of
    writing a formula is shown, and marks within formulas, for which there is little time."""
    if isinstance(value, list):
        return [same(one) for one in value]
    if isinstance(value, dict):
        return {key: same(one) for key, one in value.items() if key not in OTHERS}
    return value


def test_each_result_names_the_index_that_has_it(
    client: Any, together: Any, sample_shards: list[Path]
) -> None:
    hits = answer(together, "search", index="all", q=QUESTION)["hits"]
    assert {hit["home"] for hit in hits} == set(names_of(sample_shards))
    for name, path in names_of(sample_shards).items():
        with Snapshot.open(path) as snapshot:
            assert [hit["home"] == name for hit in hits] == [snapshot.find(hit["id"]) is not None for hit in hits]
    html = together.get("/search", params={"q": QUESTION, "index": "all"}).text
    assert [html.count(f'<span class="home">{name}</span>') for name in names_of(sample_shards)] == [
        sum(hit["home"] == name for hit in hits) for name in names_of(sample_shards)
    ]
    alone = next(iter(names_of(sample_shards)))
    assert {hit["home"] for hit in answer(together, "search", index=alone, q=QUESTION)["hits"]} == {None}
    assert {hit["home"] for hit in answer(client, "search", q=QUESTION)["hits"]} == {None}


def test_pages_filters_explanations_and_facets_are_those_of_one_index(client: Any, together: Any) -> None:
    for asked in (
        {"q": QUESTION, "explain": True}, {"q": QUESTION, "page": 2, "k": 3},
        {"q": "continuous function", "filter": "tags=topology"},
    ):
        assert same(answer(together, "search", index="all", **asked)) == same(answer(client, "search", **asked))
    found = [answer(one, "facets", q="function", **named)["facets"] for one, named in (
        (client, {}), (together, {"index": "all"}),
    )]
    tags = [next(facet for facet in facets if facet["key"] == "tags") for facets in found]
    assert tags[0] == tags[1]
    totals = [answer(one, "search", q="function", **named)["total"] for one, named in (
        (client, {}), (together, {"index": "all"}),
    )]
    assert totals[0] == totals[1] > 10


def test_formulas_with_wildcards_and_similar_documents_reach_over_all(client: Any, together: Any) -> None:
    for asked in ({"q": "?x^2 + ?y^2"}, {"q": r"\sum_{k=1}^n k^2", "match": "renamed"}):
        assert same(answer(together, "formulas", index="all", **asked)) == same(answer(client, "formulas", **asked))
    first = answer(client, "search", q=QUESTION)["hits"][0]["id"]
    assert same(answer(together, "similar", index="all", id=first)) == same(answer(client, "similar", id=first))
    assert answer(together, "document", index="all", id=first)["id"] == first


def test_the_choice_is_listed_last_and_shown_on_the_page(together: Any) -> None:
    listed = answer(together, "health")["indexes"]
    assert [one["name"] for one in listed] == ["few", "many", "all"]
    assert listed[2]["documents"] == listed[0]["documents"] + listed[1]["documents"]
    assert answer(together, "search", q=QUESTION)["index"] == "few"
    page = together.get("/search", params={"q": QUESTION, "index": "all"}).text
    assert "<option selected>all</option>" in page
    metrics = together.get("/metrics").text
    assert 'index="few"' in metrics
    assert 'index="all"' not in metrics


def test_a_commit_in_one_index_is_found_in_all(tmp_path: Path, sample_shards: list[Path]) -> None:
    paths = [shutil.copytree(path, tmp_path / path.name) for path in sample_shards]
    library = Library(names_of(paths))
    before = library.view("all")
    assert before.index.snapshot.segments[0] is library.view("few").index.snapshot.segments[0]
    gone = before.index.search("function", 1)[0].id
    home = before.index.snapshot.home(gone)  # type: ignore[attr-defined]
    with IndexWriter(tmp_path / f"{home}.index") as writer:
        writer.delete([gone])
    library["all"].refresh()
    after = library.view("all")
    assert after.generation == before.generation + 1
    assert gone not in after.index
    assert gone in before.index


def test_documents_are_changed_in_one_index_only(sample_shards: list[Path]) -> None:
    with pytest.raises(QueryError, match=r"'all' is all indexes together.*Choose from few, many"):
        Ingest(Library(names_of(sample_shards))).change("all", Change(deleted=("x",)))


def test_indexes_that_do_not_fit_are_served_apart(tmp_path: Path, sample_shards: list[Path]) -> None:
    from porism.analysis.analyzer import AnalysisConfig

    (tmp_path / "notes.md").write_text("# Notes\n\nwords $x^2$\n")
    index_sources([tmp_path / "notes.md"], tmp_path / "notes", config=AnalysisConfig(("words",)), jobs=1)
    library = Library({"all": sample_shards[0], "notes": tmp_path / "notes"})
    assert list(library) == ["all", "notes"]
    assert library.apart is not None
    assert "cannot be searched as one" in str(library.apart)
    assert list(Library({"all": sample_shards[0], "many": sample_shards[1]})) == ["all", "many", "all-indexes"]
    assert Library({"one": sample_shards[0]}).apart is None
