"""How an encoder reads text: settings that belong to a model and lie in its folder as ``porism.json``.

What sentence-transformers stores with a model says how its layers are put together. What it cannot say is how
mathematics is written for the model, what of long texts the model reads, and which words begin questions and documents.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import orjson

from porism.analysis.model_text import Cut, ModelText
from porism.errors import ConfigError, FormatError
from porism.settings import Settings, read_settings, write_settings
from porism.system.files.durable import replace_file

SETTINGS_FILE = "porism.json"
"""The file in the folder of a model."""

PUBLISHED_FILE = "config_sentence_transformers.json"
"""What sentence-transformers says of a model in its folder."""

_DOCUMENT_PROMPTS = ("document", "passage", "corpus")

Similarity = Literal["cos", "dot"]
"""What compares two vectors: their cosine or their inner product."""

Pooling = Literal["model", "mean", "cls"]
"""How the vectors of tokens become one: as the model says, their mean, or that of the first token."""

EncoderCut = Literal[Cut, "chunks"]
"""What a model reads of a text that is too long for it: its beginning, its beginning and end, or all, in chunks."""


@dataclass(frozen=True, slots=True)
class EncoderSettings(Settings):
    """How an encoder reads documents and queries.

    ``text`` says how a document is written; a query is written alike, with all its fields. The prefixes stand before
    the text. ``length`` is how many tokens the model reads at once, special ones and the prefix among them (as many as
    it can if None). ``cut`` says what it reads of a longer text; two chunks share ``overlap`` tokens. Of vectors the
    first ``dimensions`` stay, if said (Matryoshka). ``trained_on`` names what the model was trained on. ``documents``
    is the digest of another model where documents have the vectors that it gives them: then what an index has of that
    one serves, too.

    :raises ConfigError: a setting is out of its range.
    """

    text: ModelText = field(default_factory=ModelText)
    query_prefix: str = ""
    document_prefix: str = ""
    cut: EncoderCut = "head"
    overlap: int = 32
    length: int | None = None
    dimensions: int | None = None
    similarity: Similarity = "cos"
    pooling: Pooling = "model"
    trained_on: tuple[str, ...] = ()
    documents: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "trained_on", tuple(self.trained_on))
        choices: tuple[tuple[str, str, tuple[str, ...]], ...] = (
            ("cut", self.cut, ("head", "head-tail", "chunks")),
            ("similarity", self.similarity, get_args(Similarity)), ("pooling", self.pooling, get_args(Pooling)),
        )
        for name, value, known in choices:
            if value not in known:
                raise ConfigError(f"{name} cannot be {value!r}", hint=f"Choose from {', '.join(known)}.")
        for name, number in (("length", self.length), ("dimensions", self.dimensions)):
            if number is not None and number < 1:
                raise ConfigError(f"{name} cannot be {number}", hint="Use a whole number from 1, or leave it out.")
        if self.overlap < 0:
            raise ConfigError(f"the overlap cannot be {self.overlap}", hint="Use a whole number from 0.")
        if self.cut == "chunks" and self.length is not None and self.overlap >= self.length:
            raise ConfigError(
                f"chunks of {self.length} tokens cannot share {self.overlap}", hint="Use a smaller overlap."
            )

    def changed(self, settings: Mapping[str, Any]) -> EncoderSettings:
        """These settings with others in their place, those of ``text`` among them one by one.

        :raises SettingError: a setting does not exist or does not fit.
        """
        current, given = self.to_dict(), dict(settings)
        text = given.get("text", {})
        if isinstance(text, Mapping):
            given["text"] = {**current["text"], **text}
        return read_settings(EncoderSettings, current | given)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready mapping."""
        return write_settings(self)


def read_encoder_settings(folder: str | os.PathLike[str]) -> EncoderSettings:
    """The settings in the folder of a model; where it has none, the prompts and the similarity that
    sentence-transformers stored with it, else the usual ones.

    :raises FormatError: the file cannot be read or is not JSON.
    :raises ConfigError: a setting does not exist or does not fit; the message names the file.
    """
    path = Path(folder) / SETTINGS_FILE
    try:
        stored = orjson.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return _published_settings(Path(folder) / PUBLISHED_FILE)
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error})", where=str(path)) from error
    except orjson.JSONDecodeError as error:
        raise FormatError(f"is not JSON ({error})", where=str(path), hint="Train or copy the model again.") from error
    try:
        return read_settings(EncoderSettings, stored)
    except ConfigError as error:
        raise ConfigError(error.what, where=str(path), hint=error.hint) from error


def json_object(file: Path) -> dict[str, Any]:
    """The object in a file of a model, empty where there is none."""
    try:
        content = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}
    return content if isinstance(content, dict) else {}


def has_architecture(folder: Path, ending: str) -> bool:
    """Whether the configuration in a folder names a class with this ending, such as ``ForSequenceClassification``."""
    named = json_object(folder / "config.json").get("architectures")
    return isinstance(named, list) and any(str(name).endswith(ending) for name in named)


def _published_settings(path: Path) -> EncoderSettings:
    """What a bi-encoder's own configuration says of prompts and similarity, as ``encode_query`` and ``encode_document``
    of sentence-transformers read it."""
    published = json_object(path)
    if published.get("model_type", "SentenceTransformer") != "SentenceTransformer":
        return EncoderSettings()
    stored = published.get("prompts")
    prompts = {name: text for name, text in stored.items() if isinstance(text, str)} if isinstance(stored, dict) else {}
    document = next(filter(None, map(prompts.get, _DOCUMENT_PROMPTS)), "")
    similarity: Similarity = "dot" if published.get("similarity_fn_name") in ("dot", "dot_product") else "cos"
    return EncoderSettings(query_prefix=prompts.get("query", ""), document_prefix=document, similarity=similarity)


def write_encoder_settings(folder: str | os.PathLike[str], settings: EncoderSettings) -> Path:
    """Writes the settings into the folder of a model, at once and durably; returns the file.

    :raises StorageError: it cannot be written.
    """
    path = Path(folder) / SETTINGS_FILE
    replace_file(path, orjson.dumps(settings.to_dict(), option=orjson.OPT_INDENT_2))
    return path
