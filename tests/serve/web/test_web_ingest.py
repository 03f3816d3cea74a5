"""Changes over the API: found after the answer, by those who may, and never lost once they are answered for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Semaphore
from typing import Any

import pytest
from case_tables import every_case
from long_forms import LONG_ONLY

pytest.importorskip("fastapi", reason="documents are taken by the web app: pip install 'porism[web]'")
pytest.importorskip("httpx", reason="requests are sent by httpx: pip install 'porism[web]'")

from fastapi.testclient import TestClient
from updated_indexes import contents

from porism.errors import QueryError
from porism.index import IndexWriter
from porism.search.sources.updating import index_sources, update_index
from porism.serve.web import ingest as ingest_module
from porism.serve.web.app import create_app
from porism.serve.web.client import PREFIX, ApiError, Client
from porism.serve.web.guarding import new_key
from porism.serve.web.ingest import IndexChanger, read_records
from porism.serve.web.settings import WebSettings

URL = f"{PREFIX}/documents"


@pytest.fixture
def index(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "first.md").write_text("# First\n\nwords $x^2$\n")
    index_sources([tmp_path / "notes"], tmp_path / "index", jobs=1)
    return tmp_path / "index"


@pytest.fixture
def key(tmp_path: Path) -> dict[str, str]:
    """The headers of who may change documents; the file of keys is ``writers``."""
    secret, line = new_key("writer")
    (tmp_path / "writers").write_text(line)
    return {"X-API-Key": secret}


@pytest.fixture
def changed(index: Path, key: dict[str, str]) -> Iterator[Any]:
    """A client of a server that takes documents."""
    app = create_app(WebSettings({"notes": index}, ingest=index.parent / "writers", logs=False))
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def found(client: Any, question: str) -> list[str]:
    answer = client.get(f"{PREFIX}/search", params={"q": question})
    return [hit["id"] for hit in answer.json()["hits"]]


def test_documents_are_found_after_the_answer_replaced_and_deleted(changed: Any, key: dict[str, str]) -> None:
    one = {"id": "a", "title": "Pythagoras", "body": "The squares: $a^2+b^2=c^2$.", "tags": ["geometry"], "year": 1950}
    answer = changed.post(URL, json={"documents": [one, {"id": "b", "body": "words only"}]}, headers=key)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"index": "notes", "generation": 2, "written": 2, "deleted": 0, "problems": []}
    assert found(changed, "pythagoras")[0] == "a"
    assert found(changed, "$u^2+v^2=w^2$")[0] == "a"
    shown = changed.get(f"{PREFIX}/document", params={"id": "a"}).json()
    assert shown["metadata"]["tags"] == ["geometry"]
    assert shown["metadata"]["year"] == "1950"
    changed.post(URL, json={"documents": [{"id": "a", "title": "Thales", "body": "A right angle."}]}, headers=key)
    assert found(changed, "pythagoras") == []
    assert found(changed, "thales") == ["a"]
    answer = changed.delete(URL, params={"id": ["a", "nobody"]}, headers=key)
    assert (answer.json()["deleted"], answer.json()["written"]) == (1, 0)
    assert found(changed, "thales") == []
    assert set(found(changed, "words")) == {"b", "notes/first.md"}


def test_completions_know_what_was_added_without_any_formula(changed: Any, key: dict[str, str]) -> None:
    changed.post(URL, json={"documents": [{"id": "b", "body": "isomorphism"}]}, headers=key)
    until = time.monotonic() + 20
    while not changed.get(f"{PREFIX}/suggest", params={"q": "isom"}).json()["completions"]:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_what_files_have_stays_theirs(changed: Any, key: dict[str, str], index: Path) -> None:
    changed.post(URL, json={"documents": [{"id": "b", "body": "words only"}]}, headers=key)
    report = update_index(index, jobs=1)
    assert (report.added, report.changed, report.removed) == (0, 0, 0)
    assert set(contents(index)) == {"b", "notes/first.md"}


@every_case(
    ("body", "status", "said"),
    [
        ({"documents": [{"title": "no id"}]}, 400, "documents[0] has no id"),
        ({"documents": [{"id": "a", "body": "x"}, {"id": "a", "body": "y"}]}, 400, "documents[1] has the id 'a'"),
        ({"documents": []}, 422, "at least 1"),
        ({"documents": [{"id": "a", "body": "x"}], "index": "other"}, 400, "There is no index 'other'"),
        ({"documents": "a"}, 422, "list"),
    ],
)
def test_what_is_wrong_changes_nothing(
    changed: Any, key: dict[str, str], index: Path, body: Any, status: int, said: str
) -> None:
    answer = changed.post(URL, json=body, headers=key)
    assert answer.status_code == status
    assert said in answer.text
    assert set(contents(index)) == {"notes/first.md"}


def test_a_document_without_text_is_reported_and_the_others_are_taken(
    changed: Any, key: dict[str, str], index: Path
) -> None:
    documents = [{"id": "empty", "body": "  "}, {"id": "good", "body": r"words $\frac{1}{$ and"}]
    answer = changed.post(URL, json={"documents": documents}, headers=key).json()
    assert answer["written"] == 1
    assert answer["problems"][0].startswith("documents[0]: a record without ")
    assert any("good" in problem for problem in answer["problems"][1:])
    assert set(contents(index)) == {"good", "notes/first.md"}


@every_case("headers", [{}, {"X-API-Key": "porism_wrong"}, {"Authorization": "Bearer porism_wrong"}])
def test_nobody_else_may(changed: Any, index: Path, headers: dict[str, str]) -> None:
    for answer in (
        changed.post(URL, json={"documents": [{"id": "a", "body": "x"}]}, headers=headers),
        changed.delete(URL, params={"id": "notes/first.md"}, headers=headers),
    ):
        assert answer.status_code == 401
    assert set(contents(index)) == {"notes/first.md"}


def test_readers_may_not_write_and_writers_may_read(index: Path, key: dict[str, str], tmp_path: Path) -> None:
    secret, line = new_key("reader")
    (tmp_path / "readers").write_text(line)
    settings = WebSettings({"notes": index}, keys=tmp_path / "readers", ingest=tmp_path / "writers", logs=False)
    with TestClient(create_app(settings), base_url="http://localhost") as client:
        body = {"documents": [{"id": "a", "body": "x"}]}
        assert client.post(URL, json=body, headers={"X-API-Key": secret}).status_code == 401
        assert client.get(f"{PREFIX}/search", params={"q": "words"}, headers={"X-API-Key": secret}).status_code == 200
        assert client.get(f"{PREFIX}/search", params={"q": "words"}, headers=key).status_code == 200
        assert client.get(f"{PREFIX}/search", params={"q": "words"}).status_code == 401


def test_without_the_option_there_is_no_such_route(index: Path, key: dict[str, str]) -> None:
    with TestClient(create_app(WebSettings({"notes": index}, logs=False)), base_url="http://localhost") as client:
        assert client.post(URL, json={"documents": [{"id": "a", "body": "x"}]}, headers=key).status_code == 404


def test_requests_that_wait_are_committed_together(
    changed: Any, key: dict[str, str], index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = Semaphore(0)
    change = IndexChanger.change
    monkeypatch.setattr(IndexChanger, "change", lambda *arguments: (change(*arguments), waiting.release())[0])

    def add(number: int) -> int:
        answer = changed.post(URL, json={"documents": [{"id": f"d{number}", "body": "words"}]}, headers=key)
        return int(answer.json()["generation"])

    writer = IndexWriter(index, create=False)
    with ThreadPoolExecutor(8) as pool:
        promised = [pool.submit(add, number) for number in range(8)]
        for _ in range(8):
            assert waiting.acquire(timeout=60)
        writer.close()
        generations = {one.result(30) for one in promised}
    assert len(generations) <= 3
    assert len(contents(index)) == 9


def test_another_writer_is_waited_for_but_not_forever(
    changed: Any, key: dict[str, str], index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_module, "LOCKED_SECONDS", 0.3)
    with IndexWriter(index, create=False):
        answer = changed.post(URL, json={"documents": [{"id": "a", "body": "x"}]}, headers=key)
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "index_locked"
    assert changed.post(URL, json={"documents": [{"id": "a", "body": "x"}]}, headers=key).status_code == 200


def test_ids_are_read_as_those_of_records() -> None:
    (document,) = read_records([{"doc_id": 7, "text": "words $x$"}]).documents
    assert document.id == "7"
    with pytest.raises(QueryError, match=r"documents\[1\] has no id"):
        read_records([{"id": "a", "body": "x"}, {"body": "y"}])


@LONG_ONLY
def test_nothing_that_was_answered_for_is_lost_when_the_server_is_killed(index: Path, key: dict[str, str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "porism", "serve", "--index", index, "--port", "0", "--no-log", "--ingest",
         index.parent / "writers"],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.stdout is not None
    address = process.stdout.readline().split(" at ")[1].split("/ ")[0]
    answered: list[str] = []

    def add(worker: int) -> None:
        with Client(address, key=key["X-API-Key"], tries=1) as client:
            try:
                for number in range(1_000):
                    client.add([{"id": f"{worker}-{number}", "body": f"words $x_{{{number}}}$"}])
                    answered.append(f"{worker}-{number}")
            except ApiError:
                return

    with ThreadPoolExecutor(3) as pool:
        for worker in range(3):
            pool.submit(add, worker)
        until = time.monotonic() + 60
        while len(answered) < 12:
            assert time.monotonic() < until
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    process.wait(20)
    kept = contents(index)
    assert set(answered) <= kept.keys()
    assert len(kept) <= len(answered) + 3 + 1  # of each worker one may be committed and not answered for
