"""A file of compiled code is loaded only if it is whole, of this code, and of somebody whom this user trusts."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from long_forms import LONG, LONG_ONLY

from porism.search.checking import KERNELS, check_index
from porism.system.compiled.building import kernels_of
from porism.system.compiled.kernel_cache import keeps_rights, read_kernel, trusted_owners
from porism.system.compiled.kernels import Kernel

MODULE = '''
from porism.system.compiled.kernels import compiled


@compiled("int64(int64)")
def doubled(number):
    """Twice."""
    return 2 * number


def _raised(number):
    """One more, for two signatures."""
    return number + 1


raised = compiled("int64(int64)")(_raised)
raised_float = compiled("float64(float64)")(_raised)
'''

USE = "from cached_kernels import doubled, raised, raised_float; print(doubled(21), raised(1), raised_float(0.5))"
FLIPS = 2_000 if LONG else 200


@pytest.fixture
def kernel(tmp_path, monkeypatch) -> Kernel:
    """A kernel that is compiled and stored, in a module with two others that are not."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr("numba.config.CACHE_DIR", "")
    (tmp_path / "cached_kernels.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("cached_kernels", None)
    kernel = next(kernel for kernel in kernels_of(["cached_kernels"]) if kernel.__name__ == "doubled")
    kernel.prepare()
    return kernel


@pytest.fixture
def file(kernel, tmp_path) -> Path:
    """The file of that kernel."""
    (file,) = (tmp_path / "__pycache__").glob("*.doubled-*.kernel")
    assert kernel.is_cached()
    return file


def test_one_wrong_bit_anywhere_is_noticed(kernel, file):
    content = file.read_bytes()
    rng = random.Random(37)
    for bit in rng.sample(range(8 * len(content)), FLIPS):
        broken = bytearray(content)
        broken[bit // 8] ^= 1 << bit % 8
        file.write_bytes(broken)
        assert not kernel.is_cached(), bit
    for broken in (b"", content[:20], content[:-1], content + b"\0", content[:4096] + bytes(len(content) - 4096)):
        file.write_bytes(broken)
        assert not kernel.is_cached()
    file.write_bytes(content)
    assert kernel.is_cached()


@LONG_ONLY
def test_broken_kernels_are_compiled_and_written_again(kernel, file, tmp_path):
    def run() -> str:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
        command = [sys.executable, "-c", USE]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout

    assert run() == "42 2 1.5\n"
    files = list(file.parent.glob("*.kernel"))
    assert len(files) == 3
    before = {path: path.read_bytes()[:16] for path in files}
    for path in files:
        path.write_bytes(path.read_bytes()[:2_000] + bytes(4096))  # pages of zeros, as a power cut leaves them
    assert run() == "42 2 1.5\n"
    for path in before:
        read_kernel(path)


def test_whole_code_of_another_function_is_not_loaded(kernel, file):
    (raised,) = (kernel for kernel in kernels_of(["cached_kernels"]) if kernel._signature == "float64(float64)")
    raised.prepare()
    (other,) = file.parent.glob("*._raised-*.kernel")
    read_kernel(other)
    file.write_bytes(other.read_bytes())
    assert not kernel.is_cached()


@pytest.mark.skipif(os.name == "nt", reason="rights are of POSIX")
def test_code_that_others_may_have_written_is_not_loaded(kernel, file, monkeypatch):
    assert file.stat().st_mode & 0o777 == 0o644 & ~_umask()
    for mode in (0o664, 0o646):
        file.chmod(mode)
        assert not kernel.is_cached()
    file.chmod(0o600)
    assert kernel.is_cached()
    monkeypatch.setattr("os.geteuid", lambda: 12_345)
    assert kernel.is_cached()  # of the owner of the source
    assert trusted_owners(__file__) == tuple(dict.fromkeys((12_345, os.stat(__file__).st_uid, 0)))
    file.rename(file.with_name(file.name.replace(f".{os.stat(__file__).st_uid}.", ".12345.")))
    assert not kernel.is_cached()  # whoever gave it this name is somebody else


@pytest.mark.skipif(os.name == "nt", reason="rights are of POSIX")
def test_a_folder_that_keeps_no_rights_is_not_used(kernel, tmp_path, monkeypatch):
    assert keeps_rights(tmp_path)
    assert kernel.cache_folder() == tmp_path / "__pycache__"
    monkeypatch.setattr("porism.system.compiled.kernel_cache.current_user", lambda: 12_345)
    assert not keeps_rights(tmp_path)
    assert kernel.cache_folder() is None


def test_check_names_broken_kernels_and_repairing_removes_them(file, monkeypatch, sample_index):
    monkeypatch.setattr("porism.search.checking.compiled_files", lambda: file.parent.glob("*.kernel"))
    (kinds,) = (kind for kind in check_index(sample_index).files if kind.kind == KERNELS)
    assert (kinds.files, kinds.damaged) == (1, 0)
    file.write_bytes(file.read_bytes()[:-1])
    report = check_index(sample_index)
    assert [str(damage) for damage in report.damages] == [
        f"{file.as_posix()}: the checksum does not agree. It is compiled again when it is needed."
    ]
    repaired = check_index(sample_index, repair=True)
    assert repaired.sound
    assert [damage.kind for damage in repaired.repaired] == [KERNELS]
    assert not file.exists()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
