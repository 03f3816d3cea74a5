"""Which encoders of formulas an index has vectors of."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from porism.errors import ConfigError
from porism.index.vectors import VectorSpec
from porism.retrieve.encoding_store import EncodingStore, record_reader
from porism.settings import Settings
from porism.system.files.artifacts import FORMULA_ENCODERS
from porism.vectors.neural.encoder_files import model_folder
from porism.vectors.neural.formula_encoder import FormulaEncoder, load_formula_encoder, read_model_file

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

    def check(self, index_path: Path) -> object:
        """Checks that the model is there and the same (:meth:`folder`)."""
        return self.folder(index_path)


FORMULA_RECORDS = EncodingStore(
    FORMULA_ENCODERS, FAMILY, record_reader(FormulaEncoderRecord, "an encoder of formulas"),
    none="the index has no encoder of formulas", several="encoder = {name}",
    make="Train one: porism train formula-encoder NAME --index {index}",
)
