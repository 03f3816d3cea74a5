"""Where an unfinished training is kept: checkpoints of which only whole ones count, and what they are of.

The trainer writes a checkpoint as a folder of several files. It counts once the file :data:`WHOLE` is in it, so that a
process that is killed while it writes one goes on from the one before. Transformers takes the newest folder instead.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import orjson
import xxhash

from porism.errors import ConfigError, StorageError
from porism.settings import write_settings
from porism.system.files.durable import make_folder, replace_file, storage_errors
from porism.system.files.lock import try_lock

WHOLE = "porism-whole"
"""The file that marks a whole checkpoint."""

REPORT = "training.json"
"""The file in the folder of a trained model that says how it was trained."""

_STATE = "state.json"
_CHECKPOINT = re.compile(r"checkpoint-(\d+)\Z")


class Checkpoints(AbstractContextManager["Checkpoints"]):
    """The folder of one training; as long as it is open, no other process can use it.

    It is a context, after which the folder is closed, and gone once the trained model is published.

    :param folder: where checkpoints are.
    :param fingerprint: what tells this training from others; checkpoints of another one are removed.
    :param restart: whether checkpoints of this training are removed, too.
    :raises ConfigError: another process is training there.
    :raises StorageError: the folder cannot be written.
    """

    def __init__(self, folder: Path, fingerprint: str, *, restart: bool = False) -> None:
        self.folder = folder
        make_folder(folder)
        with storage_errors(folder):
            self._lock = open(folder / "lock", "a+b")  # noqa: SIM115  # held until it is closed
        if not try_lock(self._lock):
            self._lock.close()
            raise ConfigError(
                "another process is training here", where=str(folder), hint="Wait until it is done, or name another."
            )
        if restart or self._fingerprint() != fingerprint:
            for _, checkpoint in self._all():
                _remove(checkpoint)
            replace_file(folder / _STATE, orjson.dumps({"fingerprint": fingerprint}))
        self._published = False

    @classmethod
    def of(cls, target: Path, fingerprint: str, *, restart: bool = False) -> Checkpoints:
        """Those of the training of the model ``target``: in ``TARGET.training``, beside it."""
        make_folder(target.parent)
        return cls(target.with_name(f"{target.name}.training"), fingerprint, restart=restart)

    def __exit__(self, *error: object) -> None:
        self.close(remove=self._published)

    def publish(self, target: Path, write: Callable[[Path], object], report: Mapping[str, Any]) -> None:
        """Writes a trained model, so that its folder appears whole and with its report.

        :param write: writes the files of the model into the folder given, which is new.
        :raises StorageError: a file cannot be written.
        """
        made = self.folder / "made"
        with storage_errors(target):
            if made.exists():
                shutil.rmtree(made)
            make_folder(made)
            write(made)
        replace_file(made / REPORT, orjson.dumps(report, option=orjson.OPT_INDENT_2))
        publish_folder(made, target)
        self._published = True

    def last(self) -> Path | None:
        """The newest whole checkpoint; None where there is none."""
        whole = [checkpoint for _, checkpoint in self._all() if (checkpoint / WHOLE).exists()]
        return whole[-1] if whole else None

    def finish_checkpoint(self, step: int) -> None:
        """Marks the checkpoint of a step as whole, and removes those before it."""
        done = self.folder / f"checkpoint-{step}"
        replace_file(done / WHOLE, b"")
        for number, checkpoint in self._all():
            if number < step:
                _remove(checkpoint)

    def close(self, *, remove: bool = False) -> None:
        """Lets others train there; with ``remove`` the folder goes, since what it was for is finished."""
        self._lock.close()
        if remove:
            _remove(self.folder)

    def _all(self) -> list[tuple[int, Path]]:
        matches = ((_CHECKPOINT.match(entry.name), entry) for entry in self.folder.iterdir())
        return sorted((int(match.group(1)), entry) for match, entry in matches if match)

    def _fingerprint(self) -> str:
        try:
            return str(orjson.loads((self.folder / _STATE).read_bytes())["fingerprint"])
        except (OSError, orjson.JSONDecodeError, KeyError, TypeError):  # it is new, or no state: nothing to go on from
            return ""


def fingerprint(settings: Any, examples: Iterable[Any]) -> str:
    """A digest of what a training depends on: its settings, and examples (and the model that it begins with) as values
    ready for JSON."""
    whole = xxhash.xxh3_128(orjson.dumps(write_settings(settings), option=orjson.OPT_SORT_KEYS))
    for example in examples:
        whole.update(orjson.dumps(example))
    return whole.hexdigest()


def check_target(target: Path) -> None:
    """Whether a trained model can have a folder's name: it is free, or another trained model has it.

    :raises ConfigError: something else is there.
    """
    if target.exists() and not (target / REPORT).exists() and not (target.is_dir() and not any(target.iterdir())):
        raise ConfigError("is there already and is not a trained model", where=str(target), hint="Name another folder.")


def publish_folder(made: Path, target: Path) -> None:
    """Gives a folder that is complete its name; what had the name goes.

    :raises StorageError: that cannot be done.
    """
    old = target.with_name(f"{target.name}.{os.getpid()}.old")
    with storage_errors(target):
        if target.exists():
            os.replace(target, old)
        os.replace(made, target)
    if old.exists():
        _remove(old)


def _remove(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise StorageError(
            f"cannot be removed ({error.strerror or error})", where=str(folder), hint="Remove it yourself."
        ) from error
