"""``porism index``, ``info``, ``delete``, ``merge``: the life of an index."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from types import MappingProxyType

import pytest
from cluster_cases import Inline, use_inline
from long_forms import LONG_ONLY
from processes import wait_for_work

from porism.cli.formats import left_out_line
from porism.corpus import READERS, registry
from porism.corpus.base import UnitId
from porism.corpus.latex.loading import EXTENSIONS
from porism.corpus.text_reader import TextFileReader
from porism.errors import OnProblem
from porism.extras import Extra
from porism.types import Content, Document


@pytest.fixture
def notes(tmp_path):
    """A folder of mixed notes."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "groups.md").write_text("# Groups\n\nIf $|G|=p$ is prime then $G$ is cyclic.\n", encoding="utf-8")
    (folder / "sums.jsonl").write_text(
        '{"id": "gauss", "title": "Gauss", "body": "$1+2+\\\\dots+n=\\\\frac{n(n+1)}{2}$", "tags": ["sums"]}\n'
        '{"id": "geo", "title": "Geometric series", "body": "If $|q|<1$: $\\\\sum q^k=1/(1-q)$", "tags": ["series"]}\n',
        encoding="utf-8",
    )
    (folder / "thm.tex").write_text(
        "\\documentclass{article}\\newcommand{\\R}{\\mathbb{R}}\\newtheorem{theorem}{Theorem}\n\\begin{document}\n"
        "\\begin{theorem}[Bolzano]\\label{thm:bolzano} A bounded sequence in $\\R$ has a convergent subsequence."
        "\\end{theorem}\n\\end{document}\n",
        encoding="utf-8",
    )
    return folder


def test_a_folder_is_indexed_searched_changed_and_merged(porism, notes, tmp_path) -> None:
    index = tmp_path / "index"
    result = porism("index", notes, "--index", index, "--jobs", 1)
    assert result.status == 0, result.err
    assert "documents" in result.out
    hits = json.loads(porism("search", "$\\sum q^k$", "--index", index, "--json").out)
    assert hits[0]["id"] == "geo"
    bolzano = json.loads(porism("search", "bounded sequence in $\\mathbb{R}$", "--index", index, "--json").out)[0]
    assert "ℝ" in porism("search", "bounded sequence", "--index", index).out
    assert bolzano["title"]["text"] == "Bolzano"

    info = json.loads(porism("info", index, "--json").out)
    before = info["documents"]
    assert before >= 4
    assert info["deleted"] == 0
    assert "1 document deleted" in porism("delete", "geo", "--index", index).out
    assert json.loads(porism("info", index, "--json").out)["documents"] == before - 1
    assert porism("merge", "--index", index).status == 0
    after = json.loads(porism("info", index, "--json").out)
    assert (after["documents"], after["deleted"]) == (before - 1, 0)
    assert "checksum" in porism("info", index, "--verify").out

    again = porism("index", notes, "--index", index, "--jobs", 1, "--all")
    assert again.status == 0
    assert "+1 ~0 −0 documents" in again.out
    assert json.loads(porism("info", index, "--json").out)["documents"] == before


def test_an_update_says_what_it_did(porism, notes, tmp_path, monkeypatch) -> None:
    index = tmp_path / "index"
    monkeypatch.setenv("PORISM_INDEX", str(index))
    assert porism("update").status == 1
    assert "there is no index here" in porism("update").err
    porism("index", notes, "--jobs", 1)
    assert "+0 ~0 −0 documents" in porism("update").out
    (notes / "groups.md").rename(notes / "rings.md")
    (notes / "thm.tex").unlink()
    lines = (notes / "sums.jsonl").read_text(encoding="utf-8").replace("Gauss", "Gauß")
    (notes / "sums.jsonl").write_text(lines, encoding="utf-8")
    result = porism("update", "--jobs", 1)
    assert result.status == 0, result.err
    assert "+1 ~1 −2 documents" in result.out
    assert "2 files read, 0 unchanged" in result.out
    hits = json.loads(porism("search", "cyclic group", "--json").out)
    assert [hit["id"] for hit in hits if "groups.md" in hit["id"]] == []
    result = porism("index", notes, "--encoding", "cp1252", "--jobs", 1)
    assert "Note: the source notes is read again with other settings of encoding." in result.out


def test_a_source_that_is_not_there_is_reported(porism, notes, tmp_path) -> None:
    index = tmp_path / "index"
    porism("index", notes, "--index", index, "--jobs", 1)
    notes.rename(tmp_path / "other")
    result = porism("update", "--index", index)
    assert result.status == 1
    assert "Missing: notes. The documents stay." in result.err
    assert "(missing now)" in porism("info", index).out
    moved = porism("index", tmp_path / "other", "--index", index, "--jobs", 1)
    assert "the source notes has moved" in moved.out
    assert porism("delete", "--source", "notes", "--index", index).out.startswith("4 documents deleted")
    assert json.loads(porism("info", "--index", index, "--json").out)["sources"] == []


def test_info_finds_the_index_as_all_commands_do(porism, notes, tmp_path, monkeypatch) -> None:
    index = tmp_path / "index"
    (notes / "broken.ipynb").write_text("{", encoding="utf-8")
    porism("index", notes, "--index", index, "--jobs", 1)
    expected = porism("info", index).out
    assert "notes: 4 documents of 4 files, folder, read 20" in expected
    assert str(notes) in expected
    assert porism("info", "--index", index).out == expected
    monkeypatch.setenv("PORISM_INDEX", str(index))
    assert porism("info").out == expected
    assert porism("info", "--values", "tags").out == "1  series\n1  sums\n"
    assert json.loads(porism("info", "--values", "tags", "--json").out) == {"series": 1, "sums": 1}
    assert "There are " in porism("info", "--values", "tag").err
    assert porism("info", "--problems").out.splitlines()[0] == "notes/broken.ipynb (1)"
    assert json.loads(porism("info", "--problems", "--json").out)[0]["file"] == "notes/broken.ipynb"
    assert porism("info", "--problems", "--values", "tags").status == 2


def test_indexing_twice_changes_no_ranking(porism, notes, tmp_path) -> None:
    once, twice = tmp_path / "once", tmp_path / "twice"
    porism("index", notes, "--index", once, "--jobs", 1)
    for _ in range(2):
        porism("index", notes, "--index", twice, "--jobs", 1)
    query = ("search", "series $q^k$ theorem", "--json", "--index")
    assert json.loads(porism(*query, once).out) == json.loads(porism(*query, twice).out)


@pytest.mark.parametrize("content", [b"", b"\n\n"])
def test_empty_sources_are_refused_and_leave_nothing(porism, tmp_path, content) -> None:
    (tmp_path / "empty.jsonl").write_bytes(content)
    result = porism("index", tmp_path / "empty.jsonl", "--index", tmp_path / "index")
    assert result.status == 1
    assert "empty.jsonl" in result.err
    assert not (tmp_path / "index").exists()


def test_a_missing_source_is_named(porism, tmp_path, notes) -> None:
    result = porism("index", notes, tmp_path / "no-such-file.md", "--index", tmp_path / "index")
    assert result.status == 1
    assert "no-such-file.md" in result.err
    assert not (tmp_path / "index").exists()


def test_wrong_options_are_explained(porism, notes, tmp_path) -> None:
    index = tmp_path / "index"
    assert "docx" in porism("index", notes, "--index", index, "--format", "docx").err
    assert "NAME=KEY" in porism("index", notes, "--index", index, "--field", "title").err
    assert "no-channel" in porism("index", notes, "--index", index, "--channels", "no-channel").err


def test_broken_lines_are_reported_and_the_rest_is_kept(porism, tmp_path) -> None:
    source = tmp_path / "half.jsonl"
    source.write_text('{"id": "a", "body": "primes"}\n{"id": "b", "bo\n{"id": "c", "body": "$p$ prime"}\n')
    report = tmp_path / "problems.txt"
    result = porism("index", source, "--index", tmp_path / "index", "--problems", report)
    assert result.status == 0
    assert "2 documents" in result.out
    assert "half.jsonl:2" in report.read_text()
    assert "half.jsonl:2" in result.err


def test_delete_needs_something_to_delete(porism, notes, tmp_path) -> None:
    porism("index", notes, "--index", tmp_path / "index", "--jobs", 1)
    assert "no documents to delete" in porism("delete", "--index", tmp_path / "index").err
    assert "2 documents deleted" in porism(
        "delete", "--index", tmp_path / "index", "--filter", "tags=sums", "--filter", "tags=series"
    ).out


@LONG_ONLY
def test_an_interruption_leaves_a_usable_index(tmp_path) -> None:
    source = tmp_path / "many.jsonl"
    with source.open("w") as file:
        for number in range(100_000):
            file.write(f'{{"id": "d{number}", "body": "number {number} $x_{{{number}}}^2+{number}$"}}\n')
    command = [sys.executable, "-m", "porism", "index", str(source), "--index", str(tmp_path / "index"), "--jobs", "2"]
    for seconds in (4.5, 12, 36):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for_work(process, seconds)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)  # a new installation has kernels to compile
        assert process.returncode == 130, err
        assert "Traceback" not in err
        if out and not out.startswith("Stopped. 0 documents"):  # else it was still starting
            break
    assert out.startswith("Stopped. ")
    from porism.search.index import open_index

    with open_index(tmp_path / "index") as index:
        assert 0 < len(index) < 100_000
        assert index.search("number", 1)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere: run it as another user")
def test_a_read_only_folder_is_explained(porism, notes, tmp_path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    result = porism("index", notes, "--index", folder / "index")
    assert result.status == 1
    assert "locked" in result.err


def test_merging_tells_its_steps(porism, notes, tmp_path) -> None:
    from porism.index import IndexWriter

    porism("index", notes, "--index", tmp_path / "index", "--jobs", 1)
    porism("delete", "geo", "--index", tmp_path / "index")
    steps: list[tuple[int, int]] = []
    with IndexWriter(tmp_path / "index", create=False) as writer:
        writer.merge(on_step=lambda done, total: steps.append((done, total)))
    assert [done for done, _ in steps] == list(range(1, len(steps) + 1))
    assert steps[-1][0] == steps[-1][1]


def test_passages_of_ms_marco_v2_are_indexed_run_and_judged_as_they_are_distributed(porism, tmp_path) -> None:
    passages = [
        {"pid": "msmarco_passage_00_0", "passage": "A series converges where its partial sums do.",
         "spans": "(0,45)", "docid": "msmarco_doc_00_0"},
        {"pid": "msmarco_passage_00_172", "passage": "The \"project\" costs $12 or $5.", "spans": "(45,76)",
         "docid": "msmarco_doc_00_0"},
        {"pid": "msmarco_passage_00_301", "passage": "What divides a product?", "spans": "(0,23)",
         "docid": "msmarco_doc_00_4"},
    ]
    source = tmp_path / "msmarco_passage_00.gz"  # its name does not say that it has lines of JSON
    source.write_bytes(gzip.compress("".join(json.dumps(one) + "\n" for one in passages).encode()))
    index, run = tmp_path / "v2.index", tmp_path / "v2.run"
    result = porism("index", source, "--index", index, "--format", "jsonl", "--id-field", "pid",
                    "--field", "body=passage", "--metadata-field", "docid", "--jobs", 1)
    assert result.status == 0, result.err
    (hit,) = json.loads(porism("search", "project costs", "--index", index, "--json").out)
    assert (hit["id"], hit["metadata"]["docid"]) == ("msmarco_passage_00_172", "msmarco_doc_00_0")
    assert hit["snippet"]["text"] == "The \"project\" costs $12 or $5."
    (tmp_path / "passv2_dev_queries.tsv").write_text("2082\twhat does a project cost\n2055\tseries\n")
    (tmp_path / "passv2_dev_qrels.tsv").write_text("2082 0 msmarco_passage_00_172 1\n2055 0 msmarco_passage_00_301 1\n")
    porism("run", "--index", index, "--topics", tmp_path / "passv2_dev_queries.tsv", "--output", run)
    judged = porism("evaluate", run, tmp_path / "passv2_dev_qrels.tsv", "--measures", "RR", "--json")
    assert json.loads(judged.out)["aggregated"]["RR"] == 0.5


def test_indexing_on_a_cluster_says_what_was_done(porism, notes, tmp_path, monkeypatch) -> None:
    use_inline(monkeypatch)
    index = tmp_path / "index"
    result = porism("index", notes, "--index", index, "--cluster", "inline")
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("4 documents with 6 formulas indexed in ")
    (notes / "new.md").write_text("# New\n\nA new $x^2$.\n", encoding="utf-8")
    monkeypatch.setattr(Inline, "check_folder", interrupted)
    result = porism("update", "--index", index, "--cluster", "inline")
    assert result.status == 130
    assert result.out == (
        f"Stopped. Nothing has changed: {index}\nTo begin again, run porism update --index {index}.\n"
    )
    assert "4 documents" in porism("info", "--index", index).out


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_what_a_folder_has_that_is_not_read_is_said_in_one_line(porism, notes, tmp_path) -> None:
    for name in ("a.pngx", "b.PNGX", "c.gifx", ".hidden.pngx", "macros.sty", "LICENSE", "node_modules/d.pngx",
                 "sub/e.pngx"):
        (notes / name).parent.mkdir(exist_ok=True)
        (notes / name).write_text("x", encoding="utf-8")
    result = porism("index", notes, "--index", tmp_path / "index", "--jobs", 1)
    lines = [line for line in result.out.splitlines() if line.startswith("left out")]
    assert lines == ["left out: 3 .pngx, 1 without ending, 1 .gifx (formats: porism index --formats)"]
    one = porism("index", notes / "groups.md", "--index", tmp_path / "one", "--jobs", 1)
    assert "left out" not in one.out


def test_files_that_could_have_a_form_that_is_read_are_left_out_with_what_makes_it() -> None:
    line = left_out_line({".doc": 3, ".pngx": 2, ".pptx": 1, ".ppt": 4}, {})
    assert line == (
        "left out: 3 .doc (save them as .docx, as soffice --headless --convert-to docx does), "
        "4 .ppt, 1 .pptx (export them as PDF, as soffice --headless --convert-to pdf does), "
        "2 .pngx (formats: porism index --formats)"
    )


def test_many_endings_that_are_not_read_make_no_long_line() -> None:
    counts = {f".x{number}": 100 - number for number in range(12)}
    line = left_out_line(counts, {})
    assert line.startswith("left out: 100 .x0, 99 .x1, ")
    assert line.endswith(", 93 .x7, 362 others (formats: porism index --formats)")


class FakeReader(TextFileReader):
    """Reads files with an extra that nobody has, and others without it."""

    name, extensions = "fake", (".fake", ".easy")
    document = "a page"
    needs = MappingProxyType({".fake": Extra("fakes", "porism_no_such_module")})

    def documents(self, text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
        for suffix, extra in self.needs.items():
            if name.endswith(suffix):
                extra.load("reading fakes")
        yield Document(UnitId(name), {"body": Content(text)}, {})


@pytest.fixture
def fake_format(monkeypatch) -> None:
    """A format some of whose files need an extra that is not installed."""
    monkeypatch.setitem(registry.READERS, "fake", FakeReader())
    by_extension = {**registry.FORMATS._by_extension, ".fake": ["fake"], ".easy": ["fake"]}
    monkeypatch.setattr(registry.FORMATS, "_by_extension", by_extension)


def test_files_that_lack_an_extra_are_counted_with_the_command_that_installs_it(
    porism, notes, tmp_path, fake_format
) -> None:
    for number in range(12):
        (notes / f"{number}.fake").write_text("x", encoding="utf-8")
    (notes / "a.easy").write_text("Read without the extra.", encoding="utf-8")
    (notes / "b.pngx").write_text("x", encoding="utf-8")
    result = porism("index", notes, "--index", tmp_path / "index", "--jobs", 1, "--meaning", "off")
    left_out = "left out: 12 .fake (pip install 'porism[fakes]' reads them)"
    assert f"{left_out}, 1 .pngx (formats: porism index --formats)" in result.out.splitlines()
    assert [line for line in result.err.splitlines() if "fake" in line] == [f"  {notes}: {left_out}"]
    assert "5 documents" in result.out


def test_a_folder_and_a_file_that_lack_an_extra_say_the_command(porism, notes, tmp_path, fake_format) -> None:
    folder = tmp_path / "only"
    folder.mkdir()
    (folder / "a.fake").write_text("x", encoding="utf-8")
    for source in (folder, folder / "a.fake"):
        result = porism("index", source, "--index", tmp_path / "index", "--jobs", 1)
        assert (result.status, "pip install 'porism[fakes]'" in result.err) == (1, True), result.err


def test_documents_stay_when_their_extra_is_no_longer_installed(
    porism, notes, tmp_path, fake_format, monkeypatch
) -> None:
    (notes / "a.fake").write_text("An old fake.", encoding="utf-8")
    monkeypatch.setattr(FakeReader, "needs", {})
    index = tmp_path / "index"
    porism("index", notes, "--index", index, "--jobs", 1, "--meaning", "off")
    monkeypatch.undo()
    monkeypatch.setitem(registry.READERS, "fake", FakeReader())
    monkeypatch.setattr(registry.FORMATS, "_by_extension", {**registry.FORMATS._by_extension, ".fake": ["fake"]})
    result = porism("update", "--index", index, "--jobs", 1)
    assert "−0 documents" in result.out
    assert "a.fake: cannot be read (pip install 'porism[fakes]' reads it); its documents stay" in result.err


def test_all_formats_are_listed_with_their_endings_and_extras(porism, fake_format) -> None:
    lines = porism("index", "--formats").out.splitlines()
    names = [line.split()[0] for line in lines if line[0] != " "]
    assert names == list(READERS)
    listed = {word for line in lines for word in line.split()}
    endings = {suffix for reader in READERS.values() for suffix in getattr(reader, "extensions", ())}
    assert {*endings, *EXTENSIONS, ".py"} <= listed
    assert lines[-3:] == [
        "fake              .fake .easy", "                  a document: a page",
        "                  .fake needs the extra fakes (not installed: pip install 'porism[fakes]')",
    ]  # fmt: skip
