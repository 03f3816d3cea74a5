"""What is asked of the workers of a cluster before they work, and errors where there is none."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case
from cluster_cases import Inline, Worker

from porism.errors import ClusterError
from porism.system.concurrency import clusters
from porism.system.concurrency.clusters import SharedFolder, connected, shows
from porism.system.concurrency.processes import default_processes, map_parallel
from porism.version import __version__


class Answering(Worker):
    """A worker that gives this answer."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer

    def run(self, function: Any, *arguments: Any, on_error: str) -> dict[str, Any]:
        return {"tcp://127.0.0.1:2": "", self.name: self.answer}


def test_a_worker_that_sees_the_folder_is_as_it_should_be(tmp_path: Path) -> None:
    shared = Inline("here", Worker()).check_folder(tmp_path)  # type: ignore[arg-type]
    assert shared == SharedFolder(str(tmp_path), (tmp_path / "marker").read_text(), __version__, sys.version_info[:2])
    assert len(shared.token) == 16
    shared.check()


@every_case(("settings", "complaint"), [
    ({"version": "0.0.9"}, f"has Porism {__version__}, not 0.0.9"),
    ({"python": (3, 9)}, f"has Python {sys.version_info[0]}.{sys.version_info[1]}, not 3.9"),
    ({"token": "another"}, "does not see the folder"),
    ({"path": "/no/such/folder"}, "does not see the folder /no/such/folder"),
])
def test_a_worker_that_is_not_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any], complaint: str
) -> None:
    monkeypatch.setattr(clusters, "shows", lambda path: shows(path, 0.0))
    (tmp_path / "marker").write_text("t")
    right = {"path": str(tmp_path), "token": "t", "version": __version__, "python": tuple(sys.version_info[:2])}
    SharedFolder(**right).check()
    with pytest.raises(ClusterError, match=complaint):
        SharedFolder(**{**right, **settings}).check()


@every_case(("answer", "message"), [
    ("has Porism 0.0.9, not 0.1.0", r"grid: the worker tcp://127.0.0.1:1 has Porism 0.0.9, not 0.1.0. All"),
    (ModuleNotFoundError("No module named 'porism'", name="porism"), "has no porism. Install Porism"),
    (ValueError("odd"), r"cannot work \(ValueError\('odd'\)\)"),
])
def test_a_complaint_names_the_worker(tmp_path: Path, answer: Any, message: str) -> None:
    with pytest.raises(ClusterError, match=message):
        Inline("grid", Answering(answer)).check_folder(tmp_path)  # type: ignore[arg-type]


def test_work_goes_to_the_cluster_that_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []

    class HasQueryWarnings(Inline):
        def map_parallel(self, work: Any, tasks: Any, *, at_once: bool = False) -> Any:
            for task in tasks:
                taken.append(task)
                yield work(task)

    monkeypatch.setattr(clusters, "_active", [HasQueryWarnings("grid", Worker())])  # type: ignore[arg-type]
    assert list(map_parallel(abs, [-1, -2], default_processes())) == [1, 2]
    assert taken == [-1, -2]
    assert default_processes() == 2
    assert list(map_parallel(abs, [-3], 1)) == [3]
    assert taken == [-1, -2]


def test_without_an_address_nothing_changes() -> None:
    with connected(None) as cluster:
        assert cluster is None
        assert clusters.active_cluster() is None


def test_a_scheduler_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'porism[cluster]'")
    monkeypatch.setattr(clusters, "CONNECT_SECONDS", 0.5)
    with pytest.raises(ClusterError, match=r"^tcp://127.0.0.1:9: there is no scheduler"), connected("tcp://127.0.0.1:9"):
        pass
    with pytest.raises(ClusterError, match=r"no\.json: there is no scheduler"), connected(str(tmp_path / "no.json")):
        pass


def test_something_comes_to_be_there(tmp_path: Path) -> None:
    assert not shows(tmp_path / "later", 0.0)
    assert shows(tmp_path, 0.0)
