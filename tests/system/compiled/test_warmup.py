"""Which kernels are compiled when."""

from __future__ import annotations

import os
from pathlib import Path

import numba
import pytest

import porism
from porism.system.compiled.building import kernels_of
from porism.system.compiled.warmup import FUSING, SEARCHING, Compilation, compilation, kernel_modules

ROOT = Path(porism.__file__).parent


def test_modules_of_kernels_are_found_by_their_names():
    defining = {
        "porism." + ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in ROOT.rglob("*.py")
        if "import compiled" in (text := path.read_text(encoding="utf-8")) and "@compiled(" in text
    }
    assert sorted(kernel_modules()) == sorted(defining)
    assert set(SEARCHING) | set(FUSING) <= set(defining)
    assert all(kernels_of([module]) for module in defining)


def test_without_a_folder_to_keep_them_they_are_compiled_into_one_that_goes_with_the_process(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("atexit.register", lambda remove: removals.append(remove))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.setattr("numba.config.CACHE_DIR", "")
    removals: list[object] = []
    kernel = next(one for one in kernels_of(FUSING) if one.__name__ == "borda_points")
    monkeypatch.setattr(kernel, "_compiled", None)  # whatever was called before
    Compilation((kernel,), 1, kept=False).run()
    folder = Path(os.environ["NUMBA_CACHE_DIR"])
    assert folder.parent == tmp_path
    assert str(folder) == numba.config.CACHE_DIR
    assert [path.name.split("-")[0] for path in folder.rglob("*.kernel")] == ["kernels.borda_points"]
    assert kernel.is_cached()
    removals[0]()
    assert not folder.exists()


def test_a_kernel_that_is_called_meanwhile_waits_for_all(monkeypatch):
    kernel = next(one for one in kernels_of(FUSING) if one.__name__ == "borda_points")
    monkeypatch.setattr(kernel, "_compiled", None)
    reports: list[tuple[int, int]] = []
    with Compilation((kernel,), 1, kept=True).meanwhile(lambda done, total: reports.append((done, total))):
        kernel.prepare()
        assert reports[-1] == (kernel.size, kernel.size)
    assert kernel.ready


def test_the_estimate_grows_with_what_is_to_be_done_and_falls_with_the_cores(monkeypatch):
    monkeypatch.setattr("porism.system.compiled.kernels.Kernel.is_cached", lambda kernel: False)
    monkeypatch.setattr("porism.system.compiled.kernels.Kernel.ready", False)
    monkeypatch.setattr("porism.system.compiled.warmup.cores", lambda: 1)
    one, fusing = compilation(), compilation(FUSING)
    monkeypatch.setattr("porism.system.compiled.warmup.cores", lambda: 2)
    two = compilation()
    assert one is not None
    assert two is not None
    assert fusing is not None
    assert one.seconds == pytest.approx(2 * two.seconds, abs=1)
    assert 1 <= fusing.seconds < one.seconds
    assert compilation(()) is None
