"""``porism serve`` where there is no index yet, and the end of the demo."""

from __future__ import annotations

import io
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from porism.cli import main


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, sample_index: Path, tmp_path: Path) -> list[Any]:
    """The settings of servers that would have been started, in an empty folder."""
    settings: list[Any] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PORISM_INDEX", raising=False)
    monkeypatch.setattr("porism.serve.web.server.serve", lambda given, *others: settings.append(given))
    monkeypatch.setattr("porism.cli.serving.index_sample", lambda path: shutil.copytree(sample_index, path))
    return settings


def run(*arguments: str) -> object:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    return end.value.code


def test_a_server_without_an_index_offers_the_sample(served: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("\n"))
    assert not run("serve")
    assert [dict(settings.indexes) for settings in served] == [{"porism-demo": Path("porism-demo")}]


def test_it_is_not_started_where_the_sample_is_not_wanted(served: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    assert run("serve")
    assert not served
    assert not Path("porism-demo").exists()


def test_where_nobody_can_be_asked_the_error_names_the_demo(
    served: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert run("serve")
    assert "porism serve --index porism-demo" in capsys.readouterr().err
    assert not served


def test_the_usual_index_is_served(served: list[Any], sample_index: Path) -> None:
    shutil.copytree(sample_index, "porism-index")
    assert not run("serve")
    assert [list(settings.indexes.values()) for settings in served] == [[Path("porism-index")]]


def test_what_is_opened_is_said_where_that_takes_long(
    monkeypatch: pytest.MonkeyPatch, sample_index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def open_slowly(settings: Any, host: str, port: int, on_ready: Callable[[str], None]) -> None:
        for thread in threading.enumerate():
            if isinstance(thread, threading.Timer):
                thread.join()
        on_ready("http://127.0.0.1:1/")

    monkeypatch.setattr("porism.serve.web.server.serve", open_slowly)
    monkeypatch.setattr("porism.cli.serving.SECONDS_UNTIL_SAID", 0.0)
    assert run("serve", "--index", str(sample_index)) == 0
    said = capsys.readouterr()
    assert said.err.startswith(f"Opening {sample_index.stem}")
    assert said.out.startswith(f"Serving {sample_index.stem} at http://127.0.0.1:1/")


def test_the_demo_ends_by_naming_the_server(
    sample_index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(sample_index, tmp_path / "demo")
    assert not run("demo", "--index", str(tmp_path / "demo"))
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.strip().startswith(f"porism serve --index {tmp_path / 'demo'}")
