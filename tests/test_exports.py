"""The public surface is what it says it is."""

from __future__ import annotations

import subprocess
import sys

import porism


def test_every_public_name_exists_and_is_listed_once() -> None:
    assert sorted(porism.__all__) == list(porism.__all__)
    assert set(porism._HOME) | {"__version__"} == set(porism.__all__)
    for name in porism.__all__:
        assert getattr(porism, name) is not None
        assert name in dir(porism)


def test_a_wrong_name_is_an_attribute_error() -> None:
    assert not hasattr(porism, "serach")


def test_importing_loads_nothing_heavy() -> None:
    heavy = ("numpy", "numba", "ir_measures", "lxml", "joblib", "rich", "torch", "transformers")
    code = f"import sys, porism, porism.cli; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
