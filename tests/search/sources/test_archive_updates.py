"""Updating an index of archives: what has not changed is not unpacked."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

from long_forms import LONG_ONLY
from updated_indexes import check, same_as_new

from porism.corpus.archives.reader import ArchiveReader
from porism.search.index import open_index
from porism.search.sources.updating import index_sources, update_index


def paper(folder: Path, name: str, text: str) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        body = f"\\begin{{document}}\n\n{text} $x^2$\n\\end{{document}}"
        archive.writestr("main.tex", f"\\documentclass{{article}}\n{body}")
        archive.writestr("figure.eps", "%!PS")
    (folder / name).write_bytes(file.getvalue())


@LONG_ONLY
def test_only_the_archive_that_changed_is_read(tmp_path: Path, monkeypatch) -> None:
    folder, index = tmp_path / "papers", tmp_path / "index"
    folder.mkdir()
    for number in range(1, 6):
        paper(folder, f"2301.0000{number}.zip", f"words {number}")
    report = index_sources([folder], index, jobs=1)
    check(report, 5, 0, 0, 5)
    assert report.left_out == {".eps": 5}
    unpacked: list[str] = []
    unpack = ArchiveReader.unpack
    monkeypatch.setattr(
        ArchiveReader, "unpack", lambda self, path, tree: unpacked.append(path.name) or unpack(self, path, tree)
    )
    paper(folder, "2301.00002.zip", "other words")
    (folder / "2301.00003.zip").unlink()
    report = update_index(index, jobs=1)
    check(report, 0, 1, 1, 1)
    assert unpacked == ["2301.00002.zip"]
    assert report.left_out == {".eps": 4}
    same_as_new(index, folder)
    unpacked.clear()
    records = [{"id": f"2301.0000{number}", "title": f"Title {number}", "categories": "math.CO"} for number in (1, 9)]
    (folder / "listing.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    check(update_index(index, jobs=1), 2, 1, 0)
    assert unpacked == ["2301.00001.zip"]
    unpacked.clear()
    records.append({"id": "2301.00008", "title": "One more", "categories": "math.CO"})
    (folder / "listing.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    check(update_index(index, jobs=1), 1, 0, 0)
    assert unpacked == []
    same_as_new(index, folder)


def test_a_hit_in_an_archive_names_the_member_and_opens_the_archive(tmp_path: Path) -> None:
    folder, index = tmp_path / "papers", tmp_path / "index"
    folder.mkdir()
    paper(folder, "own.zip", "words in it")
    paper(folder, "2301.00001.zip", "other text")
    index_sources([folder], index, jobs=1)
    with open_index(index) as opened:
        (hit,) = opened.search("words in it", 1)
        assert hit.location.place() == "own.zip/main.tex:4"
        assert hit.location.path == folder / "own.zip"
        assert hit.location.url is None
        (hit,) = opened.search("other text", 1)
        assert hit.location.url == "https://arxiv.org/abs/2301.00001"
        assert not opened.has_changed(hit.location)
        paper(folder, "2301.00001.zip", "another text")
        assert opened.has_changed(hit.location)
    single = tmp_path / "single"
    index_sources([folder / "own.zip"], single, jobs=1)
    with open_index(single) as opened:
        (hit,) = opened.search("words in it", 1)
        assert hit.id == "own.zip/main.tex#text-1"
        assert hit.location.path == folder / "own.zip"
