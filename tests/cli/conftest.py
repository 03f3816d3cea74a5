"""Running commands in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from porism.cli import main
from porism.kernels import FUSING, SEARCHING, compilation


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
