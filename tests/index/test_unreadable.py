"""What the system does not let us read: many files, rights, memory. None of it says that an index is damaged."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from case_tables import every_case
from index_cases import Doc, batch_of
from long_forms import LONG, LONG_ONLY

from porism.errors import IndexCorrupt, IndexUnreadable
from porism.index import IndexWriter, Snapshot, container
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs limits and modes of POSIX: run it on Linux or macOS")

MANY = """
import os, resource, sys
from pathlib import Path
import numpy as np
from index_cases import Doc, batch_of
from porism.errors import IndexUnreadable
from porism.index import IndexWriter, Snapshot, merging

merging.FACTOR = 1000
path, segments, files = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
with IndexWriter(path) as writer:
    for number in range(segments):
        writer.add(batch_of([Doc(f"d{number}", {"body": ["x"]})]))
        writer.commit(before_publish=lambda segments: [
            segments[-1].write_derived(f"postings-d{n}", {"a": np.arange(3)}, {}) for n in range(files)
        ])
held = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
snapshot = Snapshot.open(path)
arrays = [segment.read_derived(f"postings-d{n}")[0]["a"] for segment in snapshot.segments for n in range(files)]
assert len(snapshot.segments) == segments and all(array.tolist() == [0, 1, 2] for array in arrays)
assert not held or len(os.listdir("/proc/self/fd")) <= held
taken = []
try:
    while True:
        taken.append(os.open(os.devnull, os.O_RDONLY))
except OSError:
    pass
for opening in (Snapshot.open, lambda path: snapshot.segments[0].read_derived("postings-d1")):
    try:
        opening(path)
    except IndexUnreadable as error:
        print(error)
"""


@LONG_ONLY
def test_an_index_of_many_segments_holds_no_descriptors(tmp_path: Path) -> None:
    """30 segments with 20 files of derived data each, under a limit of 64; and what is told when none is left.

    The short form has 12 segments with 8 files each.
    """
    segments, files = (30, 20) if LONG else (12, 8)
    folders = [str(Path(__file__).parent), *filter(None, sys.path)]
    result = subprocess.run(
        [sys.executable, "-c", MANY, str(tmp_path / "index"), str(segments), str(files)],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
    )
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert "cannot be read (Too many open files). Too many files are open" in line
        assert "ulimit -n" in line
        assert "delete" not in line


@every_case("number", [errno.EMFILE, errno.EACCES, errno.EIO, errno.ENOMEM])
def test_failures_of_the_system_are_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    with IndexWriter(tmp_path) as writer:
        writer.add(batch_of([Doc("a", {"body": ["x"]})]))

    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(container, "map_file", fail)
    with pytest.raises(IndexUnreadable) as caught:
        Snapshot.open(tmp_path)
    assert not isinstance(caught.value, IndexCorrupt)
    assert os.strerror(number) in str(caught.value)
    assert "segment.bin" in str(caught.value)
    assert "delete" not in str(caught.value)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that all users may read, as those of pytest are not: each of its runs takes such rights away again."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@LONG_ONLY
@pytest.mark.parametrize("name", ["manifest.json", "segment.bin", "postings-d.bin"])
def test_rights_that_are_missing(open_folder: Path, name: str) -> None:
    path = open_folder / "index"
    with IndexWriter(path) as writer:
        writer.add(batch_of([Doc("a", {"body": ["x"]})]))
        writer.commit(
            before_publish=lambda segments: segments[0].write_derived("postings-d", {"a": segments[0].id_order}, {})
        )
    (file,) = path.rglob(name)
    file.chmod(0)
    code = (
        "import os, sys; from porism.index import Snapshot; from porism.errors import IndexUnreadable\n"
        "if os.geteuid() == 0: os.seteuid(65534)\n"
        "try:\n    Snapshot.open(sys.argv[1]).segments[0].read_derived('postings-d')\n"
        "except IndexUnreadable as error:\n    print(error)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert f"{name}: cannot be read (Permission denied). This user may not read it" in result.stdout, result.stderr
    assert "chmod" in result.stdout
    assert "delete" not in result.stdout


def test_memory_is_given_back_when_the_last_array_has_gone(tmp_path: Path) -> None:
    import gc

    import numpy as np

    with ContainerWriter(tmp_path / "c.bin", "test") as writer:
        writer.add("a", np.arange(10_000))
        writer.finish({})

    def mapped() -> bool:
        """Whether the file is in memory: as the system says, where it says so, and else as long as something has it."""
        maps = Path("/proc/self/maps")
        return str(tmp_path / "c.bin") in maps.read_text() if maps.exists() else mapping() is not None

    array = Container(tmp_path / "c.bin", "test").array("a")[5:]
    mapping = weakref.ref(array.base.base)
    gc.collect()
    assert mapped()
    assert array[0] == 5
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.flags.writeable = True
    del array
    gc.collect()
    assert not mapped()
    assert mapping() is None
