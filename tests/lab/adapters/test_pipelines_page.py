"""The examples of docs/how-to/build-pipelines.md run as they stand."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from long_forms import LONG_ONLY

from porism.sample import QRELS, QUERIES

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "how-to" / "build-pipelines.md").read_text(encoding="utf-8")


def blocks(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, flags=re.S)


@pytest.fixture
def folder(tmp_path: Path, sample_index: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(sample_index, tmp_path / "notes.index")
    shutil.copy(QUERIES, tmp_path / "topics.jsonl")
    shutil.copy(QRELS, tmp_path / "qrels.txt")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@LONG_ONLY
def test_examples_of_pipelines_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for block in blocks(PAGE.split("## Porism in PyTerrier")[0]):
        exec(block, names)
    assert capsys.readouterr().out == "words % 200 >> RetrieverReranker(depth=50)\n"
    titles = [names["index"].document(doc_id).title.text for doc_id, _ in names["run"][names["queries"][0].id]]
    assert [len(title) for title in titles] == sorted(map(len, titles))


@LONG_ONLY
def test_examples_with_pyterrier_run(folder: Path) -> None:
    pt = pytest.importorskip("pyterrier")
    names: dict[str, Any] = {}
    for block in blocks(PAGE):
        exec(block, names)
    table = names["table"].set_index("name")
    assert list(table.index) == ["hybrid", "reranked", "rrf", "sum"]
    assert table.loc["reranked", "ndcg_cut_10"] > 0.4
    assert table.loc["hybrid", "ndcg_cut_10"] > table.loc["reranked", "ndcg_cut_10"]
    run = names["run"]
    assert run.name == "search"
    assert run.provenance.made_by["reranker"]["kind"] == "pyterrier"
    assert not pt.java.started()
