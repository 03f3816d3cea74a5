"""Tables of cases that are one test: each case is tried, and all that fail are reported."""

from __future__ import annotations

import functools
import inspect
import signal
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import Any, TypeAlias

import pytest
from long_forms import MAX_TEST_SECONDS

MAX_LENGTH = 300
"""Characters of a case that a failure shows."""

Test: TypeAlias = Callable[..., None]


def every_case(
    names: str | Sequence[str], cases: Iterable[Any], ids: Sequence[str] | Callable[[Any], object] | None = None
) -> Callable[[Test], Test]:
    """As ``pytest.mark.parametrize``, but one test, since each test costs time of its own.

    Each case has a folder ``tmp_path`` and a ``monkeypatch`` of its own, and ``capsys`` and ``caplog`` begin empty.
    Other fixtures are shared by all cases.

    A test that skips in its first case is skipped, and no later case may.

    :raises ValueError: there are no cases, or two of another number than names.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [_row(keys, case) for case in cases]
    if not rows:
        raise ValueError(f"no cases of {names}")
    labels = [_label(row, ids, number) for number, row in enumerate(rows)]

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def of_all_cases(**fixtures: Any) -> None:
            failures: list[Exception | pytest.fail.Exception] = []
            for number, (row, label) in enumerate(zip(rows, labels, strict=True)):
                if signal.getitimer(signal.ITIMER_VIRTUAL)[0]:
                    signal.setitimer(signal.ITIMER_VIRTUAL, MAX_TEST_SECONDS)  # each case may take as long as a test
                with ExitStack() as stack:
                    try:
                        test(**_own(fixtures, number, stack), **row)
                    except pytest.skip.Exception as skipped:
                        if number == 0:
                            raise  # what the test needs is not here
                        raise TypeError("a case of a table cannot be skipped: use pytest.mark.parametrize") from skipped
                    except (Exception, pytest.fail.Exception) as error:
                        error.add_note(f"in the case {label}")
                        failures.append(error)
            if len(failures) == 1:
                raise failures[0]
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(rows)} cases fail", failures)

        kept = [parameter for name, parameter in signature.parameters.items() if name not in keys]
        of_all_cases.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return of_all_cases

    return decorate


def _row(keys: Sequence[str], case: Any) -> dict[str, Any]:
    return {keys[0]: case} if len(keys) == 1 else dict(zip(keys, case, strict=True))


def _label(row: dict[str, Any], ids: Sequence[str] | Callable[[Any], object] | None, number: int) -> str:
    if callable(ids):
        return ", ".join(str(ids(value)) for value in row.values())
    text = ids[number] if ids else ", ".join(f"{name} = {value!r}" for name, value in row.items())
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}… ({len(text):,} characters)"


def _own(fixtures: dict[str, Any], number: int, stack: ExitStack) -> dict[str, Any]:
    """The fixtures of one case: those that cases would change are new, or empty."""
    own = dict(fixtures)
    if "tmp_path" in own:
        own["tmp_path"] = fixtures["tmp_path"] / f"case{number}"
        own["tmp_path"].mkdir()
    if "monkeypatch" in own:
        own["monkeypatch"] = stack.enter_context(fixtures["monkeypatch"].context())
    if "capsys" in own:
        own["capsys"].readouterr()
    if "caplog" in own:
        own["caplog"].clear()
    return own
