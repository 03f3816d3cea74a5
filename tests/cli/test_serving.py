"""``porism serve`` where there is no index yet, and the end of the demo."""

from __future__ import annotations

import io
import shutil
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


def test_the_demo_ends_by_naming_the_server(
    sample_index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(sample_index, tmp_path / "demo")
    assert not run("demo", "--index", str(tmp_path / "demo"))
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.strip().startswith(f"porism serve --index {tmp_path / 'demo'}")
