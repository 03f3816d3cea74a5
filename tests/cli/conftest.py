"""Running commands in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from porism.cli import main
from porism.system.compiled.warmup import FUSING, SEARCHING, compilation


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    status: int
    out: str
    err: str


@pytest.fixture(scope="session")
def _compiled_kernels() -> None:
    """No command of a test says that it compiles."""
    for modules in (SEARCHING, FUSING):
        if (work := compilation(modules)) is not None:
            work.run()


@pytest.fixture(autouse=True)
def _no_traces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What a search remembers for its user stays in the test's own folder, and colours depend on nothing outside."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("NO_COLOR", "FORCE_COLOR", "PORISM_EDITOR", "VISUAL", "EDITOR", "BROWSER"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def porism(_compiled_kernels: None, capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """``porism("search", "x")`` runs the command and gives its exit status and output."""

    def run(*arguments: object) -> Result:
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit_info:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(int(exit_info.value.code or 0), captured.out, captured.err)

    return run
