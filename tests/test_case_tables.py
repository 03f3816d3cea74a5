"""Tables of cases: all are tried, each with folders and patches of its own, and those that fail are named."""

from __future__ import annotations

import inspect
import os
from pathlib import Path

import pytest
from case_tables import every_case


def test_each_case_that_fails_is_named_and_the_others_are_tried() -> None:
    tried = []

    @every_case("number, square", [(1, 1), (2, 5), (3, 9), (4, 4)])
    @every_case("sign", [1, -1], ids=["plus", "minus"])
    def squares(number: int, square: int, sign: int) -> None:
        tried.append(number * sign)
        assert (number * sign) ** 2 == square

    with pytest.raises(BaseExceptionGroup, match="2 of 4 cases fail") as failed:
        squares()
    assert tried == [1, -1, 2, -2, 3, -3, 4, -4]
    assert [error.__notes__ for error in failed.value.exceptions] == [
        ["in the case number = 2, square = 5"], ["in the case number = 4, square = 4"],
    ]
    (inner, _) = failed.value.exceptions
    assert isinstance(inner, BaseExceptionGroup)
    assert [error.__notes__ for error in inner.exceptions] == [["in the case plus"], ["in the case minus"]]


def test_a_single_failure_is_raised_as_it_is() -> None:
    @every_case("divisor", [1, 0, 2])
    def divide(divisor: int) -> None:
        assert 1 / divisor

    with pytest.raises(ZeroDivisionError) as failed:
        divide()
    assert failed.value.__notes__ == ["in the case divisor = 0"]


def test_cases_do_not_disturb_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @every_case("name", ["a", "b"])
    def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        assert list(tmp_path.iterdir()) == []
        assert "PORISM_CASE" not in os.environ
        (tmp_path / name).touch()
        monkeypatch.setenv("PORISM_CASE", name)

    assert list(inspect.signature(fresh).parameters) == ["tmp_path", "monkeypatch"]
    fresh(tmp_path=tmp_path, monkeypatch=monkeypatch)
    assert "PORISM_CASE" not in os.environ


def test_no_case_is_left_out_in_silence() -> None:
    with pytest.raises(ValueError, match="no cases of name"):
        every_case("name", [])

    @every_case("name", ["a", "b"])
    def skips(name: str) -> None:
        if name == "b":
            pytest.skip("not here")

    with pytest.raises(TypeError, match="cannot be skipped"):
        skips()

    @every_case("name", ["b", "a"])
    def needs(name: str) -> None:
        pytest.importorskip("no_such_module")

    with pytest.raises(pytest.skip.Exception):
        needs()
    with pytest.raises(ValueError, match="zip"):
        every_case("a, b", [(1,)])
