"""Kernels are compiled in processes beside this one, into a cache that outlives an interruption."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from long_forms import LONG_ONLY

from porism.system.compiled.building import _tasks, compile_kernels, kernels_of, not_compiled
from porism.system.compiled.kernels import Kernel

MODULE = '''
from porism.system.compiled.kernels import compiled


@compiled("int64(int64)")
def doubled(number):
    """Twice."""
    return 2 * number


def _raised(number):
    """One more, for two signatures: they share a file of the cache."""
    return number + 1


raised = compiled("int64(int64)")(_raised)
raised_float = compiled("float64(float64)")(_raised)


@compiled("int64(int64)")
def slow(number):
    """Takes longest to compile."""
    total = 0
    for i in range(number):
        for j in range(i):
            if i % 3 == j % 5:
                total += i * j
            elif i % 7 == j % 11:
                total -= i + j
    return total
'''

USE = (
    "import sys, numba.core.event as ev\n"
    "from some_kernels import doubled, raised, raised_float\n"
    "with ev.install_recorder('numba:compile') as seen:\n"
    "    print(doubled(21), raised(1), raised_float(0.5))\n"
    "print(len(seen.buffer))\n"
)


@pytest.fixture
def module(tmp_path, monkeypatch):
    """The name of a module with four kernels that nobody compiled, whose cache lies beside it."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr("numba.config.CACHE_DIR", "")
    (tmp_path / "some_kernels.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    yield "some_kernels"
    sys.modules.pop("some_kernels", None)


def used(tmp_path):
    """What another process makes of the kernels: their results, and how many it had to compile."""
    found = subprocess.run([sys.executable, "-c", USE], check=True, capture_output=True, text=True, cwd=tmp_path)
    return found.stdout.split()


@LONG_ONLY
def test_all_are_compiled_at_once_and_later_processes_only_load_them(module, tmp_path):
    kernels = kernels_of([module])
    assert kernels[0].__name__ == "slow"
    assert len(not_compiled(kernels)) == 4
    told = []
    compile_kernels(kernels, processes=2, on_progress=lambda done, total: told.append((done, total)))
    assert not_compiled(kernels) == []
    assert not any(kernel.ready for kernel in kernels)
    total = sum(kernel.size for kernel in kernels)
    assert told[-1] == (total, total)
    assert told == sorted(told)
    assert used(tmp_path) == ["42", "2", "1.5", "0"]


@LONG_ONLY
def test_a_process_with_threads_is_not_forked(module, tmp_path, monkeypatch):
    monkeypatch.setattr("threading.active_count", lambda: 2)
    kernels = kernels_of([module])
    compile_kernels(kernels, processes=1)
    assert not_compiled(kernels) == []


def test_kernels_of_one_function_are_one_task(module):
    tasks = _tasks(kernels_of([module]))
    assert sorted(names for _, names in tasks) == [["doubled"], ["raised", "raised_float"], ["slow"]]


def test_what_is_loaded_or_cached_is_not_compiled_again(module):
    kernels = kernels_of([module])
    kernels[0].prepare()
    assert len(not_compiled(kernels)) == 3
    compile_kernels([])


@LONG_ONLY
def test_kernels_of_a_changed_module_are_compiled_again(module, tmp_path):
    compile_kernels(kernels_of([module]), processes=1)
    # Longer: of a file that changes twice within a second, Python knows old byte code by the size alone.
    (tmp_path / "some_kernels.py").write_text(MODULE.replace("2 * number", "30 * number"))
    sys.modules.pop(module)
    importlib.invalidate_caches()
    assert len(not_compiled(kernels_of([module]))) == 4
    assert used(tmp_path)[0] == "630"


@LONG_ONLY
def test_an_interruption_leaves_a_cache_that_can_be_completed(module, tmp_path):
    kernels = kernels_of([module])

    def interrupt(done, total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compile_kernels(kernels[::-1], processes=1, on_progress=interrupt)
    left = not_compiled(kernels)
    assert 0 < len(left) < 4
    compile_kernels(left, processes=1)
    assert used(tmp_path) == ["42", "2", "1.5", "0"]


@LONG_ONLY
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux forks here")
@pytest.mark.parametrize("when", ["before", "after_in_parent"])
def test_an_interruption_during_a_fork_is_not_lost(module, tmp_path, when):
    """Python drops what the functions raise that it calls around a fork, and that is where a signal may be handled."""
    script = (
        "import os, signal\n"
        "from porism.system.compiled.building import compile_kernels, kernels_of\n"
        f"os.register_at_fork({when}=lambda: signal.raise_signal(signal.SIGINT))\n"
        "try: compile_kernels(kernels_of(['some_kernels']), processes=1)\n"
        "except KeyboardInterrupt: print('interrupted')\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert (ended.stdout, ended.stderr) == ("interrupted\n", "")


@LONG_ONLY
def test_processes_end_with_their_parent(module, tmp_path):
    """Killed outright, the parent can end nothing itself."""
    script = (
        "import os, signal, sys\n"
        "from porism.system.compiled.building import compile_kernels, kernels_of\n"
        "import porism.system.compiled.building as compiling\n"
        "work = compiling._work\n"
        "def slowly(*arguments):\n"
        "    os.write(1, b'%d\\n' % os.getpid())\n"
        "    import time; time.sleep(1); work(*arguments)\n"
        "compiling._work = slowly\n"
        "compile_kernels(kernels_of(['some_kernels']), processes=2)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=tmp_path) as parent:
        assert parent.stdout is not None
        children = [int(parent.stdout.readline()) for _ in range(2)]
        parent.kill()
        parent.wait()
        until = time.monotonic() + 20
        while any(Path(f"/proc/{child}").exists() and _runs(child) for child in children):
            assert time.monotonic() < until, "a process still runs"
            time.sleep(0.05)
    assert not list(tmp_path.glob("__pycache__/*.kernel"))


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_without_a_folder_that_can_be_written_they_work_in_memory(module, tmp_path, monkeypatch):
    monkeypatch.setattr("numba.core.caching._CacheLocator.ensure_cache_path", _refuse)
    kernels = kernels_of([module])
    assert all(kernel.cache_folder() is None for kernel in kernels)
    assert len(not_compiled(kernels)) == 4
    doubled = next(kernel for kernel in kernels if kernel.__name__ == "doubled")
    assert doubled(21) == 42


def test_a_full_disk_is_no_error(module, tmp_path, monkeypatch):
    def full(part: object, path: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("porism.system.files.durable.publish", full)
    doubled = next(kernel for kernel in kernels_of([module]) if kernel.__name__ == "doubled")
    assert doubled(21) == 42


def _refuse(self: object) -> None:
    raise OSError(30, "Read-only file system")


def test_a_numba_of_another_make_is_not_asked(module, monkeypatch):
    monkeypatch.delattr("numba.core.caching.Cache._index_key")
    assert all(isinstance(kernel, Kernel) and kernel.is_cached() for kernel in kernels_of([module]))
