"""Archives: members read by their formats, with their places; limits, and what is wrong with hostile ones."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import random
import stat
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
import zstandard
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.corpus.archives import formats, unpacking
from porism.corpus.archives.formats import SEVEN_ZIP
from porism.corpus.base import ReaderOptions
from porism.corpus.lacking import Lacking
from porism.corpus.opening import open_source
from porism.corpus.registry import detect_format, source_groups
from porism.errors import MissingExtra
from porism.types import Document

PAPER = {
    "main.tex": r"""\documentclass{article}
\usepackage{own}
\begin{document}
\section{Chains}
Let $\R$ be ordered.
\input{sections/zorn}
\end{document}
""",
    "own.sty": r"\newcommand{\R}{\mathbb{R}}",
    "sections/zorn.tex": "% a comment\n\\begin{theorem}[Zorn]\\label{thm:zorn}\nIn $\\R$.\n\\end{theorem}\n",
}
ZSTANDARD = zstandard.ZstdCompressor()


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def tarred(members: Mapping[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, content in members.items():
            data = content.encode() if isinstance(content, str) else content
            header = tarfile.TarInfo(name)
            header.size = len(data)
            archive.addfile(header, io.BytesIO(data))
    return file.getvalue()


def read(path: Path, options: ReaderOptions | None = None) -> tuple[list[Document], list[str]]:
    problems: list[str] = []
    documents = list(open_source(path, None, options, lambda problem: problems.append(str(problem))))
    return documents, problems


def texts(documents: list[Document]) -> list[str]:
    return [document.fields["body"].to_latex() for document in documents]


@every_case(
    ("name", "data"),
    [
        ("paper.zip", zipped(PAPER)), ("paper.tar", tarred(PAPER)), ("paper.tar.gz", gzip.compress(tarred(PAPER))),
        ("paper.TGZ", gzip.compress(tarred(PAPER))), ("paper.tar.bz2", bz2.compress(tarred(PAPER))),
        ("paper.tar.xz", lzma.compress(tarred(PAPER))), ("paper.tar.zst", ZSTANDARD.compress(tarred(PAPER))),
        ("0704.0001", gzip.compress(tarred(PAPER))), ("0704.0001.gz", gzip.compress(tarred(PAPER))),
    ],
)  # fmt: skip
def test_latex_in_an_archive_is_a_project(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / name).write_bytes(data)
    documents, problems = read(tmp_path)
    assert not problems
    theorem, section = documents
    assert theorem.id == f"{tmp_path.name}/sub/{name}/sections/zorn.tex#thm:zorn"
    assert theorem.title.text == "Zorn"
    assert texts(documents) == ["In $\\mathbb{R}$.", "Let $\\mathbb{R}$ be ordered."]
    assert (theorem.metadata["file"], theorem.metadata["line"]) == (f"sub/{name}/sections/zorn.tex", "2")
    alone, _ = read(tmp_path / "sub" / name)
    assert [document.id for document in alone] == [f"{name}/sections/zorn.tex#thm:zorn", f"{name}/main.tex#section-1"]
    assert alone[0].metadata["file"] == f"{name}/sections/zorn.tex"
    assert section.fields.keys() == {"title", "body"}


def test_a_7z_archive(tmp_path: Path) -> None:
    py7zr = pytest.importorskip("py7zr")
    with py7zr.SevenZipFile(tmp_path / "paper.7z", "w") as archive:
        for name, content in PAPER.items():
            archive.writestr(content, name)
    documents, problems = read(tmp_path)
    assert not problems
    assert [document.id.partition("/")[2] for document in documents] == [
        "paper.7z/sections/zorn.tex#thm:zorn", "paper.7z/main.tex#section-1"
    ]  # fmt: skip


def test_7z_archives_that_are_encrypted_bombs_or_dumps(tmp_path: Path) -> None:
    py7zr = pytest.importorskip("py7zr")
    with py7zr.SevenZipFile(tmp_path / "e.7z", "w", password="secret") as archive:
        archive.writestr("text", "a.md")
    with py7zr.SevenZipFile(tmp_path / "b.7z", "w") as archive:
        archive.writestr(" " * 30_000, "a.md")
    with py7zr.SevenZipFile(tmp_path / "s.7z", "w") as archive:
        archive.writestr('<posts><row Id="1" PostTypeId="1" Title="T" Body="B" /></posts>', "Posts.xml")
        archive.writestr("x" * 100, "PostHistory.xml")
    documents, problems = read(tmp_path, ReaderOptions(max_unpacked=20_000, unit="question"))
    assert [(document.id, document.metadata["file"]) for document in documents] == [("1", "s.7z")]
    assert problems == [
        "b.7z: unpacks to more than it may (--max-unpacked allows more); it is not read",
        "e.7z: is encrypted; it is not read",
    ]  # fmt: skip


def test_without_py7zr_the_command_that_installs_it_is_named_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "py7zr", None)
    for name in ("a.7z", "b.7z", "c.7z"):
        (tmp_path / name).write_bytes(b"7z\xbc\xaf\x27\x1c")
    (tmp_path / "a.md").write_text("text", encoding="utf-8")
    problems: list[str] = []
    source = source_groups(tmp_path, None, ReaderOptions(), lambda problem: problems.append(problem.what))
    assert [group.name for group in source.groups] == ["a.md"]
    assert problems == ["left out: 3 .7z (pip install 'porism[documents]' reads them)"]
    assert source.lacking == {Lacking(SEVEN_ZIP, ".7z"): 3}
    with pytest.raises(MissingExtra, match=r"reading \.7z archives needs py7zr"):
        list(open_source(tmp_path / "a.7z"))


def test_a_compressed_file_is_read_as_itself(tmp_path: Path) -> None:
    (tmp_path / "notes.md.gz").write_bytes(gzip.compress(b"# Rings\n\nWith $x$.\n"))
    (tmp_path / "math0001002.gz").write_bytes(gzip.compress(b"\\input amstex\nLet $y$ be.\n\n\\bye\n"))
    (tmp_path / "log.gz").write_bytes(gzip.compress(b"no format"))
    documents, problems = read(tmp_path)
    assert [(document.id.partition("/")[2], document.metadata["file"]) for document in documents] == [
        ("math0001002.gz#text-1", "math0001002.gz"), ("notes.md.gz", "notes.md.gz")
    ]  # fmt: skip
    assert not problems
    assert documents[0].metadata["url"] == "https://arxiv.org/abs/math/0001002"
    assert source_groups(tmp_path, None, ReaderOptions()).left_out == {".gz": 1}


def test_all_formats_in_archives_and_archives_in_them(tmp_path: Path) -> None:
    inner = zipped({"b.md": "inner $b$", "c.zip": zipped({"d.md": "too deep"})})
    rows = '{"id": "r1", "text": "row"}\n{"text": "row without id"}\n'
    outer = zipped({"a.md": "outer $a$", "deep/in.zip": inner, "rows.jsonl": rows, "photo.png": b"\x89PNG\0"})
    (tmp_path / "all.zip").write_bytes(outer)
    source = source_groups(tmp_path / "all.zip", None, ReaderOptions())
    documents, problems = read(tmp_path / "all.zip")
    assert [(document.id, document.metadata["file"], document.metadata.get("line")) for document in documents] == [
        ("all.zip/a.md", "all.zip/a.md", "1"), ("all.zip/deep/in.zip/b.md", "all.zip/deep/in.zip/b.md", "1"),
        ("r1", "all.zip/rows.jsonl", "1"), ("all.zip/rows.jsonl#2", "all.zip/rows.jsonl", "2"),
    ]  # fmt: skip
    assert problems == ["all.zip/deep/in.zip/c.zip: is inside 2 archives; it is not read"]
    for group in source.groups:
        list(group.items(lambda problem: None, lambda done, total: None))
    assert source.left_out == {".png": 1}


def test_what_a_listing_says_of_papers(tmp_path: Path) -> None:
    records = [
        {
            "id": "2301.00001", "title": "On  rings", "authors": "A. Ann, B. Bob and C. Cy",
            "categories": "math.RA math.AC", "abstract": "We study $x$.",
            "versions": [{"version": "v1"}, {"version": "v3"}],
        },
        {"id": "2301.00009", "title": "Other", "abstract": "Elsewhere.", "categories": "cs.LG"},
    ]  # fmt: skip
    (tmp_path / "listing.json").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "2301.00001.tar.gz").write_bytes(gzip.compress(tarred(PAPER)))
    (tmp_path / "papers" / "arXiv-2301.00002v2.zip").write_bytes(zipped(PAPER))
    sidecar = {
        "entry_id": "http://arxiv.org/abs/2301.00002v2", "title": "Fields", "summary": "Abstract of $y$.",
        "authors": [{"name": "D. Dee"}, "E. Eve"], "categories": ["math.NT"],
    }  # fmt: skip
    (tmp_path / "papers" / "about.json").write_text(json.dumps(sidecar, indent=1), encoding="utf-8")
    documents, problems = read(tmp_path)
    assert not problems
    by_id = {document.id.partition("/")[2] or document.id: document for document in documents}
    theorem = by_id["papers/2301.00001.tar.gz/sections/zorn.tex#thm:zorn"].metadata
    assert {key: theorem[key] for key in ("url", "arxiv", "version", "paper", "authors", "tags")} == {
        "url": "https://arxiv.org/abs/2301.00001", "arxiv": "2301.00001", "version": "v3", "paper": "On rings",
        "authors": ("A. Ann", "B. Bob", "C. Cy"), "tags": ("math.RA", "math.AC"),
    }  # fmt: skip
    assert by_id["2301.00009"].metadata["url"] == "https://arxiv.org/abs/2301.00009"
    abstract = by_id["papers/arXiv-2301.00002v2.zip"]
    assert (abstract.title.text, texts([abstract])) == ("Fields", ["Abstract of $y$."])
    assert abstract.metadata["authors"] == ("D. Dee", "E. Eve")
    assert abstract.metadata["type"] == "abstract"
    assert by_id["papers/arXiv-2301.00002v2.zip/main.tex#section-1"].metadata["version"] == "v2"
    assert "papers/2301.00001.tar.gz" not in by_id  # the listing's own row has its abstract


def test_names_that_lead_out_links_and_devices_are_left_out(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    names = ["../outside.md", "/outside.md", "a/../../outside.md", "..\\outside.md", "C:\\outside.md"]
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "evil")
        link = zipfile.ZipInfo("link.md")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("good.md", "good")
    (tmp_path / "in.zip").write_bytes(file.getvalue())
    documents, problems = read(tmp_path / "in.zip")
    assert texts(documents) == ["good"]
    assert problems == [
        "in.zip: names that lead out of the archive are left out: ../outside.md, /outside.md, a/../../outside.md and 2 "
        "more", "in.zip: links are left out: link.md",
    ]  # fmt: skip
    assert not outside.exists()
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        for name, kind in (("l.md", tarfile.SYMTYPE), ("h.md", tarfile.LNKTYPE), ("d.md", tarfile.CHRTYPE)):
            header = tarfile.TarInfo(name)
            header.type, header.linkname = kind, "/etc/passwd"
            tar.addfile(header)
        for name in ("../outside.md", "good.md"):
            header = tarfile.TarInfo(name)
            header.size = 4
            tar.addfile(header, io.BytesIO(b"good"))
    (tmp_path / "in.tar").write_bytes(file.getvalue())
    documents, problems = read(tmp_path / "in.tar")
    assert texts(documents) == ["good"]
    assert problems == [
        "in.tar: links are left out: l.md, h.md", "in.tar: devices and pipes are left out: d.md",
        "in.tar: names that lead out of the archive are left out: ../outside.md",
    ]  # fmt: skip
    assert not outside.exists()


def test_bombs_end_where_the_limit_is(tmp_path: Path) -> None:
    options = ReaderOptions(max_unpacked=20_000)
    members = {"a.md": "first", "bomb.md": " " * 1_000_000, "z.md": "last"}
    (tmp_path / "b.zip").write_bytes(zipped(members))
    documents, problems = read(tmp_path / "b.zip", options)
    assert texts(documents) == ["first", "last"]
    assert problems == [
        "b.zip: members with which the archive unpacks to more than it may are left out (--max-unpacked allows more): "
        "bomb.md"
    ]
    (tmp_path / "b.tar.gz").write_bytes(gzip.compress(tarred(members)))
    documents, problems = read(tmp_path / "b.tar.gz", options)
    assert texts(documents) == ["first"]
    assert problems[0] == (
        "b.tar.gz: unpacks to more than it may (--max-unpacked allows more); what comes after bomb.md is not read"
    )


def test_limits_hold_for_archives_in_archives_together(tmp_path: Path) -> None:
    inner = {f"{number}.zip": zipped({"x.md": "x" * 8_000}) for number in range(5)}
    (tmp_path / "nested.zip").write_bytes(zipped(inner))
    documents, problems = read(tmp_path / "nested.zip", ReaderOptions(max_unpacked=20_000))
    assert len(documents) == 2
    assert len(problems) == 3
    assert all("unpacks to more than it may" in problem for problem in problems)


def test_members_beyond_the_limit_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    members = {f"{number:03}.md": "text" for number in range(30)}
    monkeypatch.setattr(unpacking.UnpackingLimits.__init__, "__defaults__", (10,))
    (tmp_path / "m.zip").write_bytes(zipped(members))
    documents, problems = read(tmp_path / "m.zip")
    assert len(documents) == 10
    assert problems == ["m.zip: members beyond the first 100,000 are left out: 010.md, 011.md, 012.md and 17 more"]
    (tmp_path / "m.tar").write_bytes(tarred(members))
    documents, problems = read(tmp_path / "m.tar")
    assert len(documents) == 10
    assert problems == ["m.tar: has more than 100,000 members; what comes after 009.md is not read"]
    monkeypatch.setattr(formats, "MAX_DIRECTORY_BYTES", 1000)
    (tmp_path / "ok.md").write_text("beside", encoding="utf-8")
    documents, problems = read(tmp_path)
    assert "beside" in texts(documents)
    assert "m.zip: has many more than 100,000 members; it is not read" in problems


def test_a_later_member_replaces_one_of_its_name(tmp_path: Path) -> None:
    file = io.BytesIO(tarred({"a.md": "a longer first text"}))
    with tarfile.open(fileobj=file, mode="a") as archive:
        for name, text in (("a.md", b"second"), ("a.md/b.md", b"in a file")):
            header = tarfile.TarInfo(name)
            header.size = len(text)
            archive.addfile(header, io.BytesIO(text))
    (tmp_path / "t.tar").write_bytes(file.getvalue())
    documents, problems = read(tmp_path / "t.tar")
    assert texts(documents) == ["second"]
    assert problems == ["t.tar: members whose names no file can have are left out: a.md/b.md"]


def test_damaged_and_encrypted_members_cost_themselves_alone(tmp_path: Path) -> None:
    members = {name: random.Random(name).randbytes(3000).hex() for name in ("a.md", "b.md", "c.md")}
    data = bytearray(zipped(members))
    place = data.index(b"b.md") + 1000
    data[place : place + 20] = bytes(20)
    (tmp_path / "d.zip").write_bytes(data)
    documents, problems = read(tmp_path / "d.zip")
    assert {"d.zip/a.md", "d.zip/c.md"} <= {document.id for document in documents}
    assert problems == ["d.zip: damaged members are read in part or not at all: b.md"]
    encrypted = bytearray(zipped({"a.md": "secret", "b.md": "open"}))
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        encrypted[encrypted.index(mark) + flags] |= 1
    (tmp_path / "e.zip").write_bytes(encrypted)
    documents, problems = read(tmp_path / "e.zip")
    assert texts(documents) == ["open"]
    assert problems == ["e.zip: encrypted members are left out: a.md"]
    tar = bytearray(tarred({"a.md": "first", "b.md": "second", "c.md": "third"}))
    tar[1024:1100] = b"x" * 76  # the header of b.md
    (tmp_path / "d.tar").write_bytes(tar)
    documents, problems = read(tmp_path / "d.tar")
    assert texts(documents) == ["first", "third"]
    assert problems == ["d.tar: has 2 damaged blocks of 512 bytes, which are passed over"]


def test_archives_that_break_off_give_what_came_before(tmp_path: Path) -> None:
    members = {f"{name}.md": random.Random(name).randbytes(20_000).hex() for name in "abc"}
    data = gzip.compress(tarred(members))
    (tmp_path / "t.tar.gz").write_bytes(data[: len(data) // 2])
    documents, problems = read(tmp_path / "t.tar.gz")
    assert documents[0].id.startswith("t.tar.gz/a.md")
    assert problems[0].startswith("t.tar.gz: is damaged or breaks off in or after b.md")
    (tmp_path / "t.tar").write_bytes(tarred({"a.md": "x" * 512, "b.md": "y"})[:1024])
    documents, problems = read(tmp_path / "t.tar")
    assert len(documents) == 1
    assert problems == ["t.tar: breaks off after a.md"]
    (tmp_path / "ok.md").write_text("beside", encoding="utf-8")
    (tmp_path / "z.zip").write_bytes(zipped(members)[:-30])
    documents, problems = read(tmp_path)
    assert "beside" in texts(documents)
    assert any(problem.startswith("z.zip: is no zip file, or breaks off") for problem in problems)


@pytest.mark.parametrize("name", ["x.zip", "x.tar", "x.tar.gz", "x.7z", "x.md.bz2", "x.tar.xz", "x.tar.zst"])
def test_random_bytes_are_a_problem_and_no_error(name: str, tmp_path: Path) -> None:
    if name.endswith(".7z"):
        pytest.importorskip("py7zr")
    starts = (
        b"", b"PK\x03\x04", b"\x1f\x8b\x08\0", b"7z\xbc\xaf\x27\x1c\0\4", b"BZh9", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd",
    )  # fmt: skip
    (tmp_path / "ok.md").write_text("beside", encoding="utf-8")
    for number, start in enumerate(starts):
        (tmp_path / name).write_bytes(start + random.Random(number).randbytes(3000))
        documents, problems = read(tmp_path)
        assert "beside" in texts(documents)
        assert any(problem.startswith(name) for problem in problems)


@given(st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), max_size=8), st.sampled_from(["x.zip", "x.tar"]))
def test_changed_bytes_never_raise(changes: list[tuple[int, int]], name: str) -> None:
    data = bytearray((zipped if name == "x.zip" else tarred)({**PAPER, "a.md": "text " * 100}))
    for place, value in changes:
        data[place % len(data)] = value
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_bytes(data)
        (Path(folder) / "ok.md").write_text("beside", encoding="utf-8")
        documents, _ = read(Path(folder))
        assert "beside" in texts(documents)


def test_nothing_of_an_archive_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "p.zip").write_bytes(zipped(PAPER))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    documents = open_source(tmp_path / "p.zip")
    next(documents)
    assert len(os.listdir(scratch)) == 1
    documents.close()
    assert os.listdir(scratch) == []


def test_pictures_take_no_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: dict[str, int] = {}

    def unpacked(path: Path, tree: unpacking.UnpackedTree) -> str:
        problem = formats.unpack_zip(path, tree)
        sizes.update((file.name, file.stat().st_size) for file in tree.root.iterdir())
        return problem

    monkeypatch.setattr("porism.corpus.archives.reader.unpack_zip", unpacked)
    members = {"a.md": "text", "p.png": b"\x89PNG\0" * 100, "wide.md": "w".encode("utf-16")}
    (tmp_path / "p.zip").write_bytes(zipped(members))
    read(tmp_path / "p.zip")
    assert sizes == {"a.md": 4, "p.png": 0, "wide.md": 4}


def test_archives_are_detected_by_name(tmp_path: Path) -> None:
    for name in ("a.zip", "b.tgz", "c.tar.bz2", "d.7z", "e.tex.gz"):
        (tmp_path / name).write_bytes(b"x")
        assert detect_format(tmp_path / name) == "archive"


def test_an_archive_says_how_far_it_is_beside_other_files_too(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        for number in range(10):
            archive.writestr(f"{number}.md", f"# Note {number}\n\n{'Text. ' * 100}\n")
    (folder / "b.md").write_text("# Note\n\nText.\n")
    said: list[tuple[int, int]] = []
    assert len(list(open_source(folder, on_progress=lambda done, total: said.append((done, total))))) == 11
    size = (folder / "a.zip").stat().st_size
    assert len({done for done, _ in said if 0 < done < size}) == 9
    assert said == sorted(said)


def test_papers_as_arxiv_serves_them_without_an_ending_inside(tmp_path: Path) -> None:
    for name, data in {
        "2301.00001v1.gz": rb"\section{One} Let $x$ be.",
        "2301.00002v1.gz": b"%auto-ignore\nWithdrawn by its author.\n",
        "2301.00003.gz": b"<!DOCTYPE html><html><h1>Two</h1><p>Let $y$ be.</p></html>",
        "2301.00004.gz": b"%!PS-Adobe-3.0",
    }.items():
        (tmp_path / name).write_bytes(gzip.compress(data))
    documents, problems = read(tmp_path)
    assert [document.metadata["type"] for document in documents] == ["section", "text", "document"]
    assert problems == [
        "2301.00004.gz: holds no file that can be read (Left out: 1 .ps (ps2pdf makes PDF of them))"
    ]
