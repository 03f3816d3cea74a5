"""Without the extra: one error that says how to install it, and nothing of it is imported before it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest
from case_tables import every_case
from long_forms import LONG_ONLY

from porism.errors import MissingExtra
from porism.lab.adapters import (
    from_pyterrier,
    qrels_to_frame,
    queries_from_frame,
    queries_to_frame,
    run_from_frame,
    run_to_frame,
    to_pyterrier,
)
from porism.runs.run import Run


@every_case(
    "call",
    [
        lambda: to_pyterrier(Run({})),
        lambda: from_pyterrier(object()),
        lambda: queries_to_frame([]),
        lambda: queries_from_frame(None),
        lambda: run_to_frame(Run({})),
        lambda: run_from_frame(None),
        lambda: qrels_to_frame({}),
    ],
)
def test_the_install_command_is_named(call: object, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pyterrier", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"pip install 'porism\[pyterrier\]'"):
        call()  # type: ignore[operator]


@LONG_ONLY
def test_the_adapters_import_nothing_heavy() -> None:
    code = "import sys, porism.lab.adapters; print([name for name in ('pyterrier', 'pandas') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
