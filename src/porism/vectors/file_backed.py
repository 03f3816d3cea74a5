"""Encodings whose model has its files in a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar

from porism.errors import ConfigError
from porism.vectors.neural.encoder_files import EncoderFiles, find_encoder
from porism.vectors.neural.encoder_model import Precision
from porism.vectors.neural.encoder_settings import EncoderSettings


class FileBackedModel:
    """The base of encodings whose model has its files in a folder, with settings of how it reads text."""

    __slots__ = ()

    stored: ClassVar[str]
    """What the index has of the model: ``vectors``."""

    name: str
    model: str
    digest: str
    settings: EncoderSettings
    precision: Precision

    def files(self, index_path: str | os.PathLike[str]) -> EncoderFiles:
        """The files of the model.

        :raises ConfigError: they are not there, or are others than those that documents were encoded with.
        """
        found = find_encoder(self.model, index_path, self.settings)
        if found.digest != self.digest:
            raise ConfigError(
                f"the model {self.model!r} is another than the one whose {self.stored} the index has",
                where=str(index_path), hint=self.again(index_path),
            )
        return found

    @property
    def encoded_by(self) -> dict[str, Any]:
        """The digest of the model and its settings: of two encodings that agree in this, vectors and terms compare."""
        return {"digest": self.digest, **self.settings.to_dict()}

    def check(self, index_path: Path) -> object:
        """Checks that the model is there and the same (:meth:`files`)."""
        return self.files(index_path)

    def again(self, index_path: str | os.PathLike[str]) -> str:
        """What to do where what is stored is missing, or of another model."""
        return f"Encode the documents: porism encode {self.model} --name {self.name} --index {index_path}"
