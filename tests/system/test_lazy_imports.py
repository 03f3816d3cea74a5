"""Packages whose names are imported when they are first used."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys

import pytest
from case_tables import every_case

LAZY = ("porism.corpus", "porism.lab.doc2query", "porism.vectors.embeddings", "porism.vectors.similarity")


@every_case("package", LAZY)
def test_every_public_name_is_found(package: str) -> None:
    module = importlib.import_module(package)
    assert len(module.__all__) > 3
    for name in module.__all__:
        found = getattr(module, name)
        if inspect.isclass(found) or inspect.isfunction(found):
            assert found.__name__ == name


@every_case("package", LAZY)
def test_a_name_that_does_not_exist_is_no_attribute(package: str) -> None:
    with pytest.raises(AttributeError, match=f"'{package}' has no attribute 'nothing'"):
        _ = importlib.import_module(package).nothing


def test_settings_are_read_without_what_uses_them() -> None:
    code = (
        "import sys, porism.corpus.base, porism.lab.doc2query.settings, porism.vectors.embeddings.settings,"
        "porism.vectors.similarity.settings; print('numpy' in sys.modules, 'numba' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert shown.split() == ["False", "False"]
