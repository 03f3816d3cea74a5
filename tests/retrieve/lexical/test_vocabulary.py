"""The terms of a channel, looked up one by one and learnt all at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case

import porism
from porism.index.strings import Dictionary
from porism.retrieve.lexical.channels import channel_statistics
from porism.retrieve.lexical.vocabulary import IndexVocabulary
from porism.retrieve.weightings.base import BM25
from porism.types import Content, Document

WORDS = [f"w{number:02}x" for number in range(40)]


@every_case("segments", [1, 2])
def test_a_vocabulary_that_is_asked_often_is_learnt_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, segments: int
) -> None:
    path = tmp_path / "index"
    documents = [Document(str(n), {"body": Content(" ".join(WORDS[n:]))}) for n in range(40)]
    for part in np.array_split(np.arange(40), segments):
        porism.index_documents([documents[n] for n in part], path, jobs=1)
    looked_up: list[str] = []
    lookup = Dictionary.lookup

    def counted(self: Dictionary, terms: Sequence[str]):
        looked_up.extend(terms)
        return lookup(self, terms)

    with porism.open_index(path) as index:
        units = index.term_retriever.lexical.segments
        fields = index.term_retriever.lexical.fields_of("words")
        statistics = channel_statistics(units, "words", fields)
        monkeypatch.setattr(Dictionary, "lookup", counted)
        vocabulary = IndexVocabulary(units, "words", fields, BM25(), statistics)
        first = [vocabulary.find([word, "none"]) for word in WORDS[:4]]
        assert sorted(set(looked_up)) == ["none", *WORDS[:4]]
        looked_up.clear()
        vocabulary.find(WORDS[4:8])
        looked_up.clear()
        again = [vocabulary.find([word, "none"]) for word in WORDS[:4]]
        rest = vocabulary.find([*WORDS, "nothing"])
        assert looked_up == []
    for one, other in zip(first, again, strict=True):
        for before, after in zip(one, other, strict=True):
            assert before.tolist() == after.tolist()
        assert one.numbers[:, 1].tolist() == [-1] * segments
        assert one.weights[1] == 0
    assert rest.df.tolist() == [*range(1, 41), 0]
    assert rest.numbers.shape == (segments, 41)
    for row, segment in zip(rest.numbers, units, strict=True):
        there = [number for number in row.tolist() if number >= 0]
        assert segment.dictionary("words").select(np.array(there)).strings() == [
            word for word, number in zip(WORDS, row.tolist(), strict=False) if number >= 0
        ]
