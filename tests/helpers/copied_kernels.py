"""The compiled kernels of the package under test, for copies of it, so that these need not compile."""

from __future__ import annotations

import shutil
from pathlib import Path

import porism


def copy_kernels(package: Path) -> None:
    """Gives a copy of the package the compiled kernels of the one that is tested, where their source is the same."""
    tested = Path(porism.__file__).parent
    for copy in package.rglob("*kernels.py"):
        file = tested / copy.relative_to(package)
        if copy.read_bytes() == file.read_bytes():
            shutil.copystat(file, copy)  # compiled code belongs to a file of this time and size
            copy.with_name("__pycache__").mkdir(exist_ok=True)
            for compiled in file.parent.glob(f"__pycache__/{file.stem}.*.kernel"):
                shutil.copy2(compiled, copy.with_name("__pycache__"))
