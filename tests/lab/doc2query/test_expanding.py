"""Expanding goes on where it stopped, expands again what has changed, and skips what is bad."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from porism.errors import ConfigError, FormatError, Problem, SourceError
from porism.lab.doc2query import DocumentExpansion, ExpansionFile, ExpansionSettings, ExpansionWriter, expand_documents
from porism.types import Content


def queries(path: Path) -> dict[str, tuple[str, ...]]:
    with ExpansionFile(path) as file:
        return {doc_id: file.get(doc_id).queries for doc_id in file.ids}


def test_documents_are_expanded_in_batches_by_length(tmp_path, canned, documents):
    generator, seen = canned(), []
    report = expand_documents(
        documents, generator, tmp_path / "x.jsonl", batch=2, total=5, on_progress=lambda *step: seen.append(step)
    )
    assert (report.documents, report.already, report.problems, report.interrupted) == (5, 0, 0, False)
    assert [[text.split("\n")[0] for text in batch] for batch in generator.batches] == [
        ["word5", "word4"], ["word3", "word2"], ["word1"]
    ]
    assert generator.batches[2] == ["word1\ntext $x^1$"]
    assert seen == [(2, 5), (4, 5), (5, 5)]
    assert queries(tmp_path / "x.jsonl")["d4"] == ("about word4", "of batch word5")


@pytest.mark.parametrize("stop_after", [0, 1, 2])
def test_an_interrupted_run_ends_as_one_that_was_not(tmp_path, canned, documents, stop_after):
    expand_documents(documents, canned(), tmp_path / "whole.jsonl", batch=2)
    path = tmp_path / "parts.jsonl"
    first = expand_documents(documents, canned(stop_after=stop_after), path, batch=2)
    assert (first.interrupted, first.documents) == (True, 2 * stop_after)
    again = expand_documents(documents, canned(), path, batch=2)
    assert (again.interrupted, again.already, again.documents) == (False, 2 * stop_after, 5 - 2 * stop_after)
    assert path.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_run_with_nothing_to_do_asks_nothing_of_the_model(tmp_path, canned, documents):
    expand_documents(documents, canned(), tmp_path / "x.jsonl")
    content = (tmp_path / "x.jsonl").read_bytes()
    generator = canned()
    assert expand_documents(documents, generator, tmp_path / "x.jsonl").already == 5
    assert generator.batches == []
    assert (tmp_path / "x.jsonl").read_bytes() == content


def test_a_document_that_has_changed_is_expanded_again(tmp_path, canned, documents):
    path = tmp_path / "x.jsonl"
    expand_documents(documents, canned(), path)
    documents[1] = replace(documents[1], fields={"title": Content("other words")})
    report = expand_documents(documents, canned(), path)
    assert (report.already, report.documents) == (4, 1)
    assert queries(path)["d2"] == ("about other", "of batch other")
    assert len(path.read_text().splitlines()) == 1 + 5 + 1


def test_a_bad_document_takes_none_along(tmp_path, canned, documents):
    documents[3] = replace(documents[3], fields={"title": Content("bad")})
    documents.append(replace(documents[0], id="empty", fields={"title": Content("  ")}))
    problems: list[Problem] = []
    report = expand_documents(documents, canned(), tmp_path / "x.jsonl", batch=9, on_problem=problems.append)
    assert (report.documents, report.problems) == (4, 2)
    assert sorted(map(str, problems)) == [
        "d4: not expanded, RuntimeError: cannot be read", "empty: not expanded: it has no text"
    ]
    assert set(queries(tmp_path / "x.jsonl")) == {"d1", "d2", "d3", "d5"}


def test_a_model_that_always_fails_is_told_soon(tmp_path, canned, documents):
    bad = [replace(documents[0], id=f"b{number}", fields={"t": Content("bad")}) for number in range(500)]
    generator = canned()
    with pytest.raises(ConfigError, match="canned: the model fails on every document"):
        expand_documents(bad, generator, tmp_path / "x.jsonl", batch=16)
    assert len(generator.batches) < 40


def test_only_named_fields_are_read(tmp_path, canned, documents):
    generator = canned(settings=ExpansionSettings(queries=2, fields=("title",)))
    expand_documents(documents[:1], generator, tmp_path / "x.jsonl")
    assert generator.batches == [["word1"]]


def test_a_torn_line_is_written_again(tmp_path, canned, documents):
    path = tmp_path / "x.jsonl"
    expand_documents(documents, canned(), path)
    whole = path.read_bytes()
    for cut in (1, 20, len(whole) - whole.index(b"\n") - 5, len(whole) - 5, len(whole)):
        path.write_bytes(whole[:-cut])
        assert expand_documents(documents, canned(), path).documents > 0
        assert len(queries(path)) == 5
    assert path.read_bytes() == whole


def test_a_file_of_another_model_or_of_other_settings_is_left_alone(tmp_path, canned, documents):
    path = tmp_path / "x.jsonl"
    expand_documents(documents, canned(), path)
    before = path.read_bytes()
    with pytest.raises(ConfigError, match="was written with the model canned"):
        expand_documents(documents, canned(model="another"), path)
    other = ExpansionSettings(queries=3, top_k=5)
    with pytest.raises(ConfigError, match="was written with other settings of queries, top_k"):
        expand_documents(documents, canned(settings=other), path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", ['{"id": "a"}\n', "not json\n", "a letter without an end", '{"expansions": 9}\n'])
def test_other_files_are_never_written_over(tmp_path, canned, documents, content):
    path = tmp_path / "x.jsonl"
    path.write_text(content)
    with pytest.raises(FormatError):
        expand_documents(documents, canned(), path)
    assert path.read_text() == content


def test_broken_lines_are_named(tmp_path):
    path = tmp_path / "x.jsonl"
    with ExpansionWriter(path, "m", ExpansionSettings()) as writer:
        writer.add([DocumentExpansion("a", "0", ("q",))])
    with path.open("a") as file:
        file.write('{"id": "b", "digest": "0", "queries": [1]}\n')
    with pytest.raises(FormatError, match=r"x\.jsonl:3: not a document with its queries"):
        ExpansionFile(path)
    with pytest.raises(SourceError, match="cannot be read"):
        ExpansionFile(tmp_path / "none.jsonl")
    with pytest.raises(SourceError, match="cannot be written"):
        ExpansionWriter(tmp_path / "none" / "x.jsonl", "m", ExpansionSettings())


def test_what_utf8_cannot_hold_is_replaced(tmp_path):
    path = tmp_path / "x.jsonl"
    with ExpansionWriter(path, "m", ExpansionSettings()) as writer:
        writer.add([DocumentExpansion("a", "0", ("lone \ud800",))])
    assert queries(path) == {"a": ("lone \ufffd",)}


def test_a_full_disk_leaves_whole_lines(tmp_path, canned, documents, monkeypatch):
    path = tmp_path / "x.jsonl"
    with ExpansionWriter(path, "canned", canned().settings) as writer:
        writer.add([DocumentExpansion("a", "0", ("q",))])
        before = path.read_bytes()
        inner = writer._file

        class Full:
            """Takes some bytes and then no more."""

            def __init__(self) -> None:
                self.left = 10

            def write(self, data: bytes) -> int:
                if not self.left:
                    raise OSError(28, "No space left on device")
                taken, self.left = inner.write(data[: self.left]), 0
                return taken

            def __getattr__(self, name: str) -> object:
                return getattr(inner, name)

        monkeypatch.setattr(writer, "_file", Full())
        with pytest.raises(SourceError, match="No space left"):
            writer.add([DocumentExpansion("b", "0", ("another",))])
    assert path.read_bytes() == before


def test_a_file_is_written_by_one_at_a_time(tmp_path, canned, documents):
    path, settings = tmp_path / "x.jsonl", ExpansionSettings()
    with ExpansionWriter(path, "m", settings) as writer:
        writer.add([DocumentExpansion("d1", "0", ("one",))])
        before = path.read_bytes()
        with pytest.raises(SourceError, match=r"x\.jsonl: another process is writing to this file\. Wait"):
            ExpansionWriter(path, "m", settings)
        assert path.read_bytes() == before
    with ExpansionWriter(path, "m", settings) as writer:
        assert writer.known is not None
        assert writer.known.ids == ["d1"]


def test_the_lock_also_holds_against_another_process_and_ends_with_it(tmp_path):
    path = tmp_path / "x.jsonl"
    script = (
        "import sys\n"
        "from porism.lab.doc2query import ExpansionSettings, ExpansionWriter\n"
        "writer = ExpansionWriter(sys.argv[1], 'm', ExpansionSettings())\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", script, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        with pytest.raises(SourceError, match="another process is writing"):
            ExpansionWriter(path, "m", ExpansionSettings())
        other.kill()
        other.wait()
    ExpansionWriter(path, "m", ExpansionSettings()).close()


def test_a_refused_writer_leaves_no_lock(tmp_path):
    path = tmp_path / "x.jsonl"
    ExpansionWriter(path, "m", ExpansionSettings()).close()
    with pytest.raises(ConfigError, match="was written with the model m"):
        ExpansionWriter(path, "other", ExpansionSettings())
    ExpansionWriter(path, "m", ExpansionSettings()).close()


def test_of_documents_with_one_id_the_first_counts_every_time(tmp_path, canned, documents):
    path = tmp_path / "x.jsonl"
    twice = [*documents, replace(documents[0], fields={"title": Content("other words")}), documents[1]]
    problems: list[Problem] = []
    report = expand_documents(twice, canned(), path, on_problem=problems.append)
    assert (report.documents, report.already, report.problems) == (5, 0, 2)
    assert [(one.where, one.what) for one in problems] == [
        (doc_id, "not expanded: another document with this id came before") for doc_id in ("d1", "d2")
    ]
    content = path.read_bytes()
    again = expand_documents(twice, canned(), path)
    assert (again.documents, again.already, again.problems) == (0, 5, 2)
    assert path.read_bytes() == content


def test_repeated_ids_do_not_look_like_a_model_that_fails(tmp_path, canned, documents):
    report = expand_documents([documents[0]] * 50 + documents[1:], canned(), tmp_path / "x.jsonl")
    assert (report.documents, report.problems) == (5, 49)
