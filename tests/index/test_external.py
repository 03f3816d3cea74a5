"""Segments built outside an index, and taken in by its writer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from index_cases import Doc, batch_of, read_all
from long_forms import LONG, LONG_ONLY

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.errors import ConfigError, IndexCorrupt
from porism.index import IndexWriter, Snapshot
from porism.index.external import ORIGIN_FILE, build_segment, open_outside
from porism.index.segment import DATA_FILE
from porism.search.index import open_index
from porism.search.sources.indexing import index_documents, prepare_for_searches
from porism.types import Content, Document, Formula

CONFIG = AnalysisConfig()


def document(number: int, word: str = "") -> Document:
    content = Content.of(f"word{number % 7} common {word} ", Formula(f"x^{number % 5}+y"))
    return Document(f"d{number}", {"body": content})


def build(folder: Path, documents: list[Document]) -> None:
    analyzer = Analyzer(CONFIG)
    build_segment(folder, (analyzer.analyze([one])[0] for one in documents), CONFIG.to_dict())


def results(path: Path) -> list[list[tuple[str, float]]]:
    with open_index(path) as index:
        return [
            [(hit.id, hit.score) for hit in index.search(question, 40)]
            for question in ("common word3", "$x^2+y$", "newer")
        ]


@LONG_ONLY
def test_segments_of_other_processes_give_the_index_that_one_process_makes(tmp_path: Path) -> None:
    documents = [document(number) for number in range(30)]
    index_documents(documents, tmp_path / "whole", config=CONFIG)
    folders = [str(Path(__file__).parent), *filter(None, sys.path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    parts = [
        f"build(Path({str(tmp_path)!r}) / 'part{start}', [document(number) for number in range({start}, {start + 10})])"
        for start in (0, 10, 20)
    ]
    for work in parts if LONG else ["; ".join(parts)]:  # in the short form one process makes them all
        script = f"from test_external import *; {work}"
        subprocess.run([sys.executable, "-c", script], env=environment, check=True)
    with IndexWriter(tmp_path / "adopted", config=CONFIG.to_dict()) as writer:
        assert [writer.adopt(tmp_path / f"part{start}") for start in (0, 10, 20)] == [10, 10, 10]
        writer.commit(before_publish=prepare_for_searches)
    assert results(tmp_path / "adopted") == results(tmp_path / "whole")


def test_adopted_documents_replace_those_of_their_ids_committed_or_not(tmp_path: Path) -> None:
    path = tmp_path / "index"
    index_documents([document(1), document(2)], path, config=CONFIG)
    build(tmp_path / "part", [document(2, "older"), document(2, "newer"), document(3, "newer")])
    assert open_outside(tmp_path / "part").segment.doc_count == 2
    with IndexWriter(path) as writer:
        writer.add(Analyzer(CONFIG).analyze([document(3), document(4)])[0])
        assert writer.adopt(tmp_path / "part") == 2
        assert writer.doc_count == 4
    with Snapshot.open(path) as snapshot:
        assert snapshot.doc_count == 4
    assert {doc_id for doc_id, _ in results(path)[2]} == {"d2", "d3"}


def test_what_was_not_committed_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "index"
    with IndexWriter(path, config={}) as writer:
        writer.add(batch_of([Doc("a", {"body": ["x"]})]))
    with Snapshot.open(path) as snapshot:
        before = read_all(snapshot)
    build_segment(tmp_path / "part", [batch_of([Doc("a", {"body": ["x"]}), Doc("b", {"body": ["y"]})])], {})
    writer = IndexWriter(path)
    writer.adopt(tmp_path / "part")
    writer.close()
    with Snapshot.open(path) as snapshot:
        assert read_all(snapshot) == before
    with IndexWriter(path) as writer:
        assert writer.adopt(tmp_path / "part") == 2
    with Snapshot.open(path) as snapshot:
        assert snapshot.doc_count == 2


def test_a_segment_of_another_configuration_or_damaged_or_incomplete_is_refused(tmp_path: Path) -> None:
    path, part = tmp_path / "index", tmp_path / "part"
    build_segment(part, [batch_of([Doc("b", {"body": ["y"]})])], {"language": "none"})
    with IndexWriter(path, config={"language": "english"}) as writer:
        with pytest.raises(ConfigError, match="another analysis configuration"):
            writer.adopt(part)
        with pytest.raises(ConfigError, match="no complete segment"):
            writer.adopt(tmp_path / "nowhere")
    with IndexWriter(tmp_path / "same", config={"language": "none"}) as writer:
        data = bytearray((part / DATA_FILE).read_bytes())
        data[len(data) // 3] ^= 1
        (part / DATA_FILE).write_bytes(bytes(data))
        with pytest.raises(IndexCorrupt):
            writer.adopt(part)
        (part / ORIGIN_FILE).unlink()
        with pytest.raises(ConfigError, match="no complete segment"):
            writer.adopt(part)
        assert writer.doc_count == 0
