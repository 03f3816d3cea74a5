"""Documents that the workers of a cluster encode have the vectors that one process gives them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from cluster_cases import processes_of_dask, use_inline
from formula_encoder_cases import random_model
from long_forms import LONG_ONLY

pytest.importorskip("torch", reason="needs the extra: pip install 'porism[neural]'")

from colbert_cases import save_token_model
from dense_cases import document, write_index
from processes import descendants
from tiny_models import save_encoder, save_splade

from porism.analysis.analyzer import Analyzer
from porism.cli import main
from porism.errors import ClusterError
from porism.index import IndexWriter, Snapshot
from porism.index.manifest import SEGMENT_FOLDER
from porism.index.token_rows import open_tokens
from porism.index.vectors import open_vectors
from porism.types import Content, Document, Formula
from porism.vectors import cluster_encoding
from porism.vectors.colbert.encoding import TOKEN_ENCODING, DocumentTokens
from porism.vectors.dense.encoding import DENSE_ENCODING, DenseVectors
from porism.vectors.formula_encoder.encoding import FORMULA_ENCODING, EncodedFormulas
from porism.vectors.splade.encoding import SPARSE_ENCODING, SparseTerms

MODULES = ["porism.vectors.encoding"]


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A task has few documents."""
    for provider in (DenseVectors, SparseTerms, DocumentTokens, EncodedFormulas):
        monkeypatch.setattr(provider, "chunk", 4)


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch, small_chunks: None) -> None:
    """``cluster="inline"`` runs its tasks in this process."""
    use_inline(monkeypatch, *MODULES)
    monkeypatch.setattr(cluster_encoding, "_opened", {})


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_encoder(tmp_path_factory.mktemp("model") / "tiny")


def two_indexes(folder: Path, count: int = 50) -> tuple[Path, Path]:
    documents = [document(number) for number in range(count)]
    groups = documents[: count // 2 + 3], documents[count // 2 + 3 :]
    one, other = (write_index(folder / name, *groups) for name in ("one", "other"))
    return one, other


def leftovers(index: Path) -> list[str]:
    with Snapshot.open(index) as snapshot:
        held = {segment.folder.name for segment in snapshot.segments}
    return sorted(set(os.listdir(index / SEGMENT_FOLDER)) - held)


def vectors(index: Path, spec: Any) -> list[Any]:
    """All rows and offsets that are stored."""
    with Snapshot.open(index) as snapshot:
        return [
            (np.array(rows.vectors).tobytes(), np.array(rows.offsets).tolist())
            for rows in (open_vectors(segment, spec, segment.doc_count) for segment in snapshot.segments)
        ]


def test_vectors_are_those_of_one_process(tmp_path: Path, model: Path, inline: None) -> None:
    one, other = two_indexes(tmp_path)
    steps: list[tuple[int, int]] = []
    report = DENSE_ENCODING.encode(one, model, device="cpu", cluster="inline", on_progress=lambda *at: steps.append(at))
    expected = DENSE_ENCODING.encode(other, model, device="cpu")
    assert (report.count, report.encoded, report.interrupted) == (50, expected.encoded, False)
    assert report.encoded == 47  # four documents are empty, two of each segment
    assert vectors(one, report.record.spec) == vectors(other, expected.record.spec)
    assert leftovers(one) == []
    assert steps[0] == (1, 50)
    assert steps[-1] == (50, 50)
    again = DENSE_ENCODING.encode(one, model, device="cpu", cluster="inline")
    assert again.encoded == 0


def test_weighted_terms_and_tokens_are_those_of_one_process(tmp_path: Path, inline: None) -> None:
    one, other = two_indexes(tmp_path, 20)
    splade = save_splade(tmp_path / "splade")
    terms = SPARSE_ENCODING.encode(one, splade, device="cpu", cluster="inline")
    expected = SPARSE_ENCODING.encode(other, splade, device="cpu")
    assert terms.rows == expected.rows > 0
    assert vectors(one, terms.record.spec) == vectors(other, expected.record.spec)
    late = save_token_model(tmp_path / "late")
    tokens = TOKEN_ENCODING.encode(one, late, device="cpu", cluster="inline", centroids=8)
    alone = TOKEN_ENCODING.encode(other, late, device="cpu", centroids=8)
    assert (tokens.rows, tokens.bytes) == (alone.rows, alone.bytes)
    assert tokens.rows > 0
    with Snapshot.open(one) as left, Snapshot.open(other) as right:
        for mine, theirs in zip(left.segments, right.segments, strict=True):
            rows, others = open_tokens(mine, tokens.record.spec, ""), open_tokens(theirs, alone.record.spec, "")
            assert np.array_equal(rows.offsets, others.offsets)
            assert np.array_equal(rows.heads, others.heads)


def test_vectors_of_formulas_are_those_of_one_process(tmp_path: Path, inline: None) -> None:
    pytest.importorskip("safetensors", reason="models need safetensors: pip install 'porism[neural]'")
    analyzer = Analyzer()
    model = random_model(tmp_path)
    specs = []
    for name, cluster in (("one", "inline"), ("other", None)):
        with IndexWriter(tmp_path / name, config=analyzer.config.to_dict()) as writer:
            formulas = [Formula(f"x^{number}+y") for number in range(9)]
            writer.add(analyzer.analyze([Document("d", {"body": Content.of(*formulas)})])[0])
            writer.commit()
        report = FORMULA_ENCODING.encode(tmp_path / name, model, cluster=cluster)
        assert (report.count, report.encoded, report.rows) == (9, 9, 9)
        specs.append(report.record.spec)
    assert leftovers(tmp_path / "one") == []
    with Snapshot.open(tmp_path / "one") as left, Snapshot.open(tmp_path / "other") as right:
        mine, theirs = (
            open_vectors(snapshot.segments[0], spec, 9).decode(0, 9)
            for snapshot, spec in zip((left, right), specs, strict=True)
        )
    assert np.array_equal(mine, theirs)


def test_an_interruption_keeps_what_was_encoded_and_leaves_nothing_behind(
    tmp_path: Path, model: Path, inline: None
) -> None:
    index, other = two_indexes(tmp_path)

    def interrupt(done: int, total: int) -> None:
        if done > 10:
            raise KeyboardInterrupt

    report = DENSE_ENCODING.encode(index, model, device="cpu", cluster="inline", on_progress=interrupt)
    assert report.interrupted
    assert leftovers(index) == []
    more = DENSE_ENCODING.encode(index, model, device="cpu", cluster="inline")
    expected = DENSE_ENCODING.encode(other, model, device="cpu")
    assert 0 < more.encoded < expected.encoded
    assert vectors(index, more.record.spec) == vectors(other, expected.record.spec)


def test_rows_that_do_not_appear_and_other_commits_are_refused(
    tmp_path: Path, model: Path, inline: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, _ = two_indexes(tmp_path)
    monkeypatch.setattr(cluster_encoding, "SHOWN_SECONDS", 0.05)
    with monkeypatch.context() as patched:
        patched.setattr(cluster_encoding, "encode_part", lambda task: task.name)
        with pytest.raises(ClusterError, match="which does not appear here"):
            DENSE_ENCODING.encode(index, model, device="cpu", cluster="inline")
    assert leftovers(index) == []
    tasks: list[cluster_encoding.EncodingTask] = []
    with monkeypatch.context() as patched:
        real = cluster_encoding.encode_part
        patched.setattr(cluster_encoding, "encode_part", lambda task: (tasks.append(task), real(task))[1])
        DENSE_ENCODING.encode(index, model, device="cpu", cluster="inline")
    with pytest.raises(ClusterError, match="does not see the folder"):
        cluster_encoding.encode_part(tasks[0])  # nobody wants it any more
    write_index(index, [document(99)])
    monkeypatch.setattr(cluster_encoding, "_opened", {})
    with pytest.raises(ClusterError, match="the index is at commit 3 here, not 2"):
        cluster_encoding._open(tasks[0])


def test_the_command_takes_a_cluster(
    tmp_path: Path, model: Path, inline: None, capsys: pytest.CaptureFixture[str]
) -> None:
    index, _ = two_indexes(tmp_path, 20)
    with pytest.raises(SystemExit) as ended:
        main(["encode", str(model), "--index", str(index), "--device", "cpu", "--cluster", "inline", "--name", "by"])
    assert not ended.value.code
    assert "20 documents encoded" in capsys.readouterr().out


@LONG_ONLY
def test_a_killed_worker_s_documents_are_encoded_by_another(tmp_path: Path, model: Path, small_chunks: None) -> None:
    one, other = two_indexes(tmp_path, 300)
    with processes_of_dask(tmp_path, 2) as (address, workers):

        def kill_at_first_rows() -> None:
            while not list((one / SEGMENT_FOLDER).glob("building-*/*.npz")):
                time.sleep(0.005)
            workers[1].send_signal(signal.SIGKILL)

        killer = Thread(target=kill_at_first_rows, daemon=True)
        killer.start()
        report = DENSE_ENCODING.encode(one, model, device="cpu", precision="float32", cluster=address)
        killer.join(60)
        assert workers[1].wait(60) == -signal.SIGKILL
        assert workers[0].poll() is None
    expected = DENSE_ENCODING.encode(other, model, device="cpu", precision="float32")
    assert (report.encoded, report.interrupted) == (expected.encoded, False)
    for (mine, offsets), (theirs, others) in zip(
        vectors(one, report.record.spec), vectors(other, expected.record.spec), strict=True
    ):
        assert offsets == others  # another process may compute with other kernels, by its number of threads
        assert np.frombuffer(mine, np.float32) == pytest.approx(np.frombuffer(theirs, np.float32), abs=1e-5)
    assert leftovers(one) == []


@LONG_ONLY
@pytest.mark.parametrize("command", ["encode", "index"])
def test_control_c_on_a_local_cluster_leaves_nothing_behind(tmp_path: Path, model: Path, command: str) -> None:
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'porism[cluster]'")
    index, _ = two_indexes(tmp_path, 3_000)
    with Snapshot.open(index) as snapshot:
        before = (snapshot.generation, snapshot.doc_count)
    (tmp_path / "more.jsonl").write_text("".join(
        f'{{"id": "m{number}", "body": "a group $x^{number}$ and a ring $y_{number}$"}}\n' for number in range(60_000)
    ), encoding="utf-8")
    arguments = {"encode": ["encode", str(model), "--device", "cpu"], "index": ["index", str(tmp_path / "more.jsonl")]}
    process = subprocess.Popen(
        [sys.executable, "-m", "porism", *arguments[command], "--index", str(index), "--cluster", "local:2"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )
    try:
        assert shown(index / SEGMENT_FOLDER, "building-*/*", process), "no work has begun"
        below = list(descendants(process.pid))
        assert len(below) >= 2
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=200)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 130, (out, err)
    end = time.monotonic() + 20
    while any(Path(f"/proc/{one}").exists() for one in below) and time.monotonic() < end:
        time.sleep(0.1)
    assert not [one for one in below if Path(f"/proc/{one}").exists()]
    assert leftovers(index) == []
    with Snapshot.open(index) as snapshot:
        assert (snapshot.generation, snapshot.doc_count) == before


def shown(folder: Path, pattern: str, process: subprocess.Popen[str]) -> bool:
    """Whether something appears below a folder before a process ends."""
    end = time.monotonic() + 120
    while not list(folder.glob(pattern)):
        if process.poll() is not None or time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
