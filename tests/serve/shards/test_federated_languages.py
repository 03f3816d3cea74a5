"""Shards of documents in different languages answer as one index that has them all."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case
from shard_cases import split_shards

from porism.search.index import open_index
from porism.search.sources.indexing import index_documents
from porism.serve.shards.federated import FederatedIndex
from porism.types import Content, Document, Query

TEXTS = [
    "Every sequence of points in a compact space has a subsequence that converges to a point of it.",
    "Soit une suite de fonctions continues. On démontre que la limite uniforme est encore continue.",
    "Пусть это группа. Тогда для любой непрерывной функции на ней есть среднее значение.",
    "设 X 是紧空间的闭子集，则它也是紧的。",
    "The continuous functions of de la Vallée Poussin on a group, and their limits.",
]
QUESTIONS = ["limite de la suite des fonctions", "непрерывные функции", "紧空间", "continuous limits", "functions"]


@every_case("homes", [(0, 1, 2, 3, 4), (0, 1, 0, 1, 0)])
def test_languages_of_other_shards_are_read_too(tmp_path: Path, homes: tuple[int, ...]) -> None:
    documents = [Document(str(number), {"body": Content(text)}) for number, text in enumerate(TEXTS)]
    index_documents(documents, tmp_path / "whole", jobs=1)
    queries = [Query(question, {"query": Content(question)}) for question in QUESTIONS]
    with open_index(tmp_path / "whole") as whole:
        expected = whole.run(queries, 10)
        found = FederatedIndex(split_shards(tmp_path, documents, homes)).run(queries, 10)
        for query in queries:
            assert list(found[query.id]) == list(expected[query.id]), query.id
            assert list(found[query.id])
