"""Requests to the routes of shards, and commands, as tests send them."""

from __future__ import annotations

from typing import Any

import pytest

from porism.cli import main
from porism.serve.web.client import PREFIX


def post(client: Any, step: str, **body: Any) -> Any:
    return client.post(f"{PREFIX}/shard/{step}", json=body)


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as exit_info:
        main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return int(exit_info.value.code or 0), captured.out, captured.err
