"""Which encoders of formulas an index has vectors of: a file for each in its folder, by name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from porism.errors import ConfigError, IndexCorrupt
from porism.files.artifacts import FORMULA_ENCODERS
from porism.files.durable import replace_file
from porism.index.vectors import VectorSpec
from porism.neural.encoder_files import model_folder
from porism.neural.formula_encoder import FormulaEncoder, load_formula_encoder, read_model_file
from porism.settings import Settings, read_settings, write_settings

FAMILY = "formula-encoder"
"""How the names of the vectors of formulas begin."""


@dataclass(frozen=True, slots=True)
class FormulaEncoderRecord(Settings):
    """An encoder of formulas of an index: how its ``model`` is found (a folder, or the name of one that was trained for
    the index), the ``digest`` of all on which its vectors depend, and their ``dimensions``."""

    name: str
    model: str
    digest: str
    dimensions: int

    @property
    def spec(self) -> VectorSpec:
        """The vectors of formulas."""
        return VectorSpec(f"{FAMILY}-{self.digest}", self.dimensions)

    def folder(self, index_path: str | os.PathLike[str]) -> Path:
        """The folder of the model.

        :raises ConfigError: it is not there, or has another model than the one whose vectors the index has.
        """
        again = f"porism encode DIR --name {self.name} --index {index_path}"
        found = model_folder(self.model, index_path)
        if found is None:
            raise ConfigError(
                f"the encoder of formulas {self.model!r} is not there any more", where=str(index_path),
                hint=f"Put its folder back, or encode by another one: {again}",
            )
        about = read_model_file(found)
        if (about.name, about.network.dimensions) != (self.digest, self.dimensions):
            raise ConfigError(
                f"the model {self.model!r} is another than the one whose vectors the index has "
                f"({about.network.dimensions} dimensions here, {self.dimensions} there)",
                where=str(index_path), hint=f"Encode the formulas again: {again}",
            )
        return found

    def load(self, index_path: str | os.PathLike[str]) -> FormulaEncoder:
        """The encoder.

        :raises ConfigError: it is not there, is incomplete, or is another one.
        :raises MissingExtra: safetensors is not installed.
        """
        return load_formula_encoder(self.folder(index_path))

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready mapping."""
        return write_settings(self)


def write_record(index_path: str | os.PathLike[str], record: FormulaEncoderRecord) -> Path:
    """Keeps an encoder among those of an index; returns the file.

    :raises ConfigError: its name cannot be one.
    :raises StorageError: the folder cannot be written.
    """
    path = FORMULA_ENCODERS.prepare(index_path, record.name)
    replace_file(path, orjson.dumps(record.to_dict(), option=orjson.OPT_INDENT_2))
    return path


def read_record(path: Path) -> FormulaEncoderRecord:
    """The encoder that a file describes.

    :raises IndexCorrupt: it cannot be read.
    """
    try:
        return read_settings(FormulaEncoderRecord, orjson.loads(path.read_bytes()))
    except (orjson.JSONDecodeError, ConfigError) as error:
        raise IndexCorrupt(
            f"does not describe an encoder of formulas ({error})", where=str(path),
            hint="Remove it, and run porism encode again.",
        ) from error


def records(index_path: str | os.PathLike[str]) -> list[FormulaEncoderRecord]:
    """The encoders of formulas of an index, in the order of their names.

    :raises IndexCorrupt: a file cannot be read.
    """
    return [read_record(path) for path in FORMULA_ENCODERS.files(index_path)]


def find_record(index_path: str | os.PathLike[str], name: str = "") -> FormulaEncoderRecord:
    """The encoder of this name; the only one where no name is given.

    :raises ConfigError: the index has none, none of this name, or several where no name is given.
    """
    names = FORMULA_ENCODERS.names(index_path)
    if not names:
        raise ConfigError(
            "the index has no encoder of formulas", where=str(index_path),
            hint=f"Train one: porism train formula-encoder NAME --index {index_path}",
        )
    if not name and len(names) > 1:
        raise ConfigError(
            "the index has several encoders of formulas", where=str(index_path),
            hint=f"Choose one (encoder = ...): {', '.join(names)}.",
        )
    if name and name not in names:
        raise FORMULA_ENCODERS.missing(index_path, name)
    return read_record(FORMULA_ENCODERS.path(index_path, name or names[0]))
