"""``porism check`` finds every file that is not as it was written, and makes again what can be made."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from porism.analysis.analyzer import AnalysisConfig
from porism.analysis.tokenizers.tokenizer import MathTokenizer
from porism.corpus import open_source
from porism.errors import IndexLocked, IndexNotFound
from porism.index import IndexWriter, Snapshot
from porism.sample import ENTRIES
from porism.search.checking import check_index
from porism.search.index import open_index
from porism.search.sources.indexing import index_documents
from porism.vectors.embeddings.vectors import write_token_vectors
from porism.vectors.similarity import SimilaritySettings, build_similarities

tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers: pip install 'porism[embeddings]'")
pytest.importorskip("rapidfuzz", reason="needs rapidfuzz: pip install 'porism[similarities]'")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with one of each kind of files."""
    folder = tmp_path_factory.mktemp("check")
    letters = {letter: number for number, letter in enumerate("[abcdefghijklmnopqrstuvwxyz")}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(letters, [], unk_token="["))
    MathTokenizer(tokenizer, "text").save(folder / "letters.json")
    config = AnalysisConfig.named(["words", "latex", "subtrees"], tokenizers={"letters": folder / "letters.json"})
    path = folder / "index"
    documents = list(open_source(ENTRIES))[:30]
    index_documents(documents, path, config=config, jobs=1)
    with IndexWriter(path, create=False) as writer:
        writer.delete([documents[3].id])
    write_token_vectors(path / "embeddings" / "v.bin", ["a"], np.ones((1, 2)), {"channel": "words", "method": "m"})
    build_similarities(path, "s", SimilaritySettings(channel="words", alpha=1.0, min_df=1))
    return path


def damage(file: Path, at: int = 100) -> bytes:
    """Turns a bit of a file; returns what it was before."""
    content = file.read_bytes()
    changed = bytearray(content)
    changed[at] ^= 1
    file.write_bytes(changed)
    return content


def files_of(index: Path) -> list[Path]:
    return [file for file in sorted(index.rglob("*")) if file.is_file() and file.name != "write.lock"]


def test_all_files_are_read(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("porism.search.checking.compiled_files", lambda: iter(()))  # they are outside
    told: list[tuple[int, int]] = []
    report = check_index(index, on_bytes=lambda done, total: told.append((done, total)))
    assert report.sound
    kinds = {kind.kind: kind.files for kind in report.files}
    assert set(kinds) == {
        "manifest", "segments", "deletions", "derived data", "tokenizers", "embeddings", "similarities"
    }
    assert sum(kinds.values()) == len(files_of(index))
    size = sum(file.stat().st_size for file in files_of(index))
    assert sum(kind.size for kind in report.files) == size
    assert told[-1] == (size, size)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    json.dumps(report.to_dict())


def test_a_bit_in_any_file_is_found_and_named(index: Path) -> None:
    for file in files_of(index):
        before = damage(file)
        try:
            report = check_index(index)
            assert [one.file for one in report.damages] == [file.relative_to(index).as_posix()]
            assert report.damages[0].hint.endswith((".", "check --repair.")), report.damages
        finally:
            file.write_bytes(before)
    assert check_index(index).sound


def test_derived_data_and_matrices_are_made_again(index: Path) -> None:
    derived = sorted(index.glob("segments/*/derived/*.bin"))
    for file in derived[::2]:
        damage(file)
    damage(index / "similarities" / "s.bin")
    report = check_index(index, repair=True)
    assert report.sound
    assert len(report.repaired) == len(derived[::2]) + 1
    assert sorted(index.glob("segments/*/derived/*.bin")) == derived
    assert check_index(index).sound
    with open_index(index) as opened:
        assert opened.search("theorem function set number group integral", k=3)


def test_missing_derived_data_are_made_again(index: Path) -> None:
    files = sorted(index.glob("segments/*/derived/*.bin"))
    for file in files[1:]:
        file.unlink()
    assert check_index(index).sound
    report = check_index(index, repair=True)
    assert [one.file for one in report.repaired] == [file.relative_to(index).as_posix() for file in files[1:]]
    assert {one.what for one in report.repaired} == {"is missing"}
    assert sorted(index.glob("segments/*/derived/*.bin")) == files
    assert check_index(index, repair=True).repaired == ()


def test_derived_data_of_another_segment_is_found_and_made_again(index: Path) -> None:
    other = index.with_name("other")
    index_documents(list(open_source(ENTRIES))[40:60], other, jobs=1, config=AnalysisConfig.from_dict(
        Snapshot.open(index).config, index
    ))
    (file,) = index.glob("segments/*/derived/trees.bin")
    (foreign,) = other.glob("segments/*/derived/trees.bin")
    before = file.read_bytes()
    file.write_bytes(foreign.read_bytes())
    (segment,) = Snapshot.open(index).segments
    assert segment.read_derived("trees") is None
    (found,) = check_index(index).damages
    assert found.what == "was made of another segment"
    assert check_index(index, repair=True).sound
    assert file.read_bytes() == before


def test_what_cannot_be_made_again_stays_and_is_reported(index: Path) -> None:
    for name in ("tokenizers/letters.json", "embeddings/v.bin"):
        before = damage(index / name)
        report = check_index(index, repair=True)
        assert [one.file for one in report.damages] == [name]
        assert report.repaired == ()
        (index / name).write_bytes(before)
    (index / "tokenizers/letters.json").rename(index / "gone")
    (found,) = check_index(index).damages
    assert "No such file" in found.what
    (index / "gone").rename(index / "tokenizers/letters.json")


def test_a_missing_file_is_named(index: Path) -> None:
    (file,) = index.glob("segments/*/deleted-*.bin")
    file.rename(index.with_name("away"))
    try:
        (found,) = check_index(index).damages
        assert found.what == "is missing"
        assert found.file.endswith(file.name)
    finally:
        index.with_name("away").rename(file)


def test_no_index_and_a_writer(index: Path, tmp_path: Path) -> None:
    with pytest.raises(IndexNotFound):
        check_index(tmp_path)
    (file,) = index.glob("segments/*/derived/trees.bin")
    before = damage(file)
    with IndexWriter(index, create=False):
        assert not check_index(index).sound
        with pytest.raises(IndexLocked):
            check_index(index, repair=True)
    file.write_bytes(before)
