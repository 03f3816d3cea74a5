"""Kinds of rerankers that are a model of Hugging Face: which files, what it reads, and how it computes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

import xxhash

from porism.analysis.model_text import ModelText
from porism.lab.pairwise.aggregation.registry import DEFAULT, make_aggregation
from porism.lab.pairwise.sorting.registry import make_sorting
from porism.lab.pipeline.protocols import Reranker
from porism.lab.pipeline.rerankers.by_encoder import EncoderReranker
from porism.lab.pipeline.rerankers.compared import ModelPairsReranker, Orders
from porism.lab.pipeline.rerankers.plain import NO_MODEL, PlainKind, check_first_stage
from porism.lab.pipeline.rerankers.pointwise import PointwiseReranker
from porism.lab.pipeline.rerankers.scoring import ScoringReranker
from porism.lab.pipeline.rerankers.texts import DocumentSource, RerankedTexts
from porism.settings import SettingError, Settings, read_settings, write_settings
from porism.vectors.neural.encoder_files import digest_of, model_folder
from porism.vectors.neural.encoder_model import Precision
from porism.vectors.neural.scoring.base import Scorer

_LIBRARIES = ("torch", "transformers", "sentence-transformers")


@dataclass(frozen=True, slots=True)
class ModelSettings(Settings):
    """What all models that re-rank have in common.

    :param model: its folder, the name of a model of the index, of an installed package, or on the hub.
    :param digest: of its files and of the libraries that run it; worked out.
    :param text: how documents are written for it, and which of their fields.
    :param query_fields: the fields of a query that it reads, in this order; all if none is named.
    :param length: tokens that it reads at once; 0 is as many as it can, and at most 512.
    :param first_stage: the share of the first stage's scores in a sum with the model's, both as standard scores.
    """

    model: str = ""
    digest: str = ""
    text: ModelText = field(default_factory=ModelText)
    query_fields: tuple[str, ...] = ()
    length: int = 0
    precision: Precision = "auto"
    device: str = "auto"
    first_stage: float = 0.0
    tuned_on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.length < 0:
            raise SettingError(f"length cannot be {self.length}", path=("length",), hint="0, or a number of tokens.")
        check_first_stage(self.first_stage)


M = TypeVar("M", bound=ModelSettings)


class ModelKind(PlainKind[M]):
    """A kind whose settings name a model; the digest of its files is among them."""

    def settings(self, model: str, given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        """All settings: the model as a recipe names it, from whose folder its path begins, over the defaults.

        :raises SettingError: no model is named, it is not there, or a setting does not exist or fit.
        """
        if model == NO_MODEL:
            raise SettingError(
                f"a reranker of the kind {self.name!r} needs a model", path=("model",),
                hint="Name the folder of one: model = \"models/cross-encoder\".",
            )
        settings = read_settings(self.cls, given)
        beside = folder / Path(model).expanduser()
        model_path = beside if beside.is_dir() else model_folder(model)
        if model_path is None:
            raise SettingError(
                f"there is no model {model!r}: it is not a folder or an installed package, and was not fetched",
                path=("model",), hint="Give the folder of a model.",
            )
        named = str(beside.resolve()) if beside.is_dir() else model
        return write_settings(replace(settings, model=named, digest=_digest(model_path)))


    def unmade(self, model: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """All settings of a model that will be made later, under this name; they have no digest yet.

        :raises SettingError: a setting does not exist or fit.
        """
        return write_settings(replace(read_settings(self.cls, given), model=model))


def _digest(folder: Path) -> str:
    """That of the files of a model and of the versions of the libraries that run it."""
    versions = []
    for library in _LIBRARIES:
        try:
            versions.append(metadata.version(library))
        except metadata.PackageNotFoundError:
            versions.append("")
    return xxhash.xxh3_64_hexdigest(f"{digest_of(folder)} {' '.join(versions)}".encode())


def texts_for(index: DocumentSource, settings: ModelSettings) -> RerankedTexts:
    """What a model reads of the documents of an index."""
    return RerankedTexts(index, settings.text, settings.query_fields)


@dataclass(frozen=True, slots=True)
class EncoderRerankerSettings(ModelSettings):
    """Documents have the similarity of their vector and the query's.

    :param cut: what is read of a longer text: its beginning, its beginning and end, or all in chunks.
    :param pooling: how the vectors of tokens become one; ``model`` is what its folder says, and the mean of the last
        layer for a language model.
    """

    cut: str = "head"
    pooling: str = "model"


def _encoder(index: DocumentSource, settings: EncoderRerankerSettings, depth: int) -> Reranker:
    from porism.vectors.neural.encoder import Encoder
    from porism.vectors.neural.encoder_files import find_encoder

    files = find_encoder(settings.model, index.folder)
    changed = files.settings.changed({
        "cut": settings.cut, "pooling": settings.pooling, **({"length": settings.length} if settings.length else {})
    })
    encoder = Encoder.load(replace(files, settings=changed), device=settings.device, precision=settings.precision)
    return tuned(EncoderReranker(encoder, texts_for(index, settings), depth), settings)


R = TypeVar("R", bound=ScoringReranker)


def tuned(reranker: R, settings: ModelSettings) -> R:
    """The reranker, with the share of the first stage, and with the topics that its settings were chosen on."""
    reranker.tuned_on, reranker.first_stage = settings.tuned_on, settings.first_stage
    return reranker


@dataclass(frozen=True, slots=True)
class MonoSettings(ModelSettings):
    """Documents have the logit with which a sequence-to-sequence model says that they are relevant.

    :param true: the token that says so, ``false`` its opposite.
    """

    true: str = "true"
    false: str = "false"


@dataclass(frozen=True, slots=True)
class PairsSettings(ModelSettings):
    """Documents have what an aggregation makes of their comparisons with the others.

    :param method: the aggregation, with its ``parameters``.
    :param orders: whether each pair is read in both orders or in one.
    :param sorting: with fewer comparisons than all: a name of a sorting, with its ``sorting_parameters``; then there is
        no aggregation. Its own ``both`` says whether pairs are read in both orders.
    """

    method: str = DEFAULT
    parameters: Mapping[str, Any] = field(default_factory=dict)
    orders: Orders = "both"
    sorting: str = ""
    sorting_parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ModelSettings.__post_init__(self)
        make_aggregation(self.method, self.parameters)
        if self.sorting:
            make_sorting(self.sorting, self.sorting_parameters)


@dataclass(frozen=True, slots=True)
class DuoSettings(PairsSettings):
    """Those of pairs, by a sequence-to-sequence model; ``true`` says that the first document is more relevant."""

    true: str = "true"
    false: str = "false"


def _scorer(index: DocumentSource, settings: ModelSettings, documents: int) -> Scorer:
    """The model, which reads so many documents with a query: a T5 where the settings have its answers."""
    given: dict[str, Any] = {
        "documents": documents, "length": settings.length, "device": settings.device, "precision": settings.precision,
        "index_path": index.folder,
    }
    if isinstance(settings, (MonoSettings, DuoSettings)):
        from porism.vectors.neural.scoring.seq2seq import TrueFalse

        return TrueFalse(settings.model, true=settings.true, false=settings.false, **given)
    from porism.vectors.neural.scoring.cross_encoder import CrossEncoder

    return CrossEncoder(settings.model, **given)


def _pointwise(index: DocumentSource, settings: ModelSettings, depth: int) -> Reranker:
    scorer = _scorer(index, settings, 1)
    return tuned(PointwiseReranker(scorer, texts_for(index, settings), depth), settings)


def _compared(index: DocumentSource, settings: PairsSettings, depth: int) -> Reranker:
    sorting = make_sorting(settings.sorting, settings.sorting_parameters) if settings.sorting else None
    reranker = ModelPairsReranker(
        _scorer(index, settings, 2), texts_for(index, settings),
        make_aggregation(settings.method, settings.parameters), depth, orders=settings.orders, sorting=sorting,
    )
    return tuned(reranker, settings)


MODEL_KINDS: tuple[ModelKind[Any], ...] = (
    ModelKind("cross-encoder", ModelSettings, _pointwise),
    ModelKind("encoder", EncoderRerankerSettings, _encoder),
    ModelKind("mono-t5", MonoSettings, _pointwise),
    ModelKind("duo-t5", DuoSettings, _compared),
    ModelKind("pairwise-cross-encoder", PairsSettings, _compared),
)
