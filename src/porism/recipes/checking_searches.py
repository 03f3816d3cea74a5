"""Whether what searches makes sense: the collection, pipelines, rerankers and their models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from porism.corpus.registry import READERS
from porism.errors import ConfigError, PorismError
from porism.pipeline.rerankers.registry import reranker_kind
from porism.recipes.checking_terms import TermChecker
from porism.recipes.derived import analysis_config
from porism.recipes.reading import tolerant
from porism.recipes.settings import PipelineSettings, RerankerSettings, own_settings
from porism.recipes.systems import is_formula_set, pipeline_model
from porism.recipes.terms import tokenizer_of
from porism.retrieve import RetrieverSettings
from porism.retrieve.models import channels_of, setting_names, write_model
from porism.settings import Path, SettingError, nearest


class SearchChecker(TermChecker):
    """Checks the collection and what searches it."""

    def collection(self) -> None:
        """Format, options, channels and language."""
        given = self.recipe.collection
        if given is None:
            for kind in ("pipelines", "rerankers"):
                if getattr(self.recipe, kind):
                    self.findings.error(
                        f"{kind} need a collection to search", (kind,), "Write [collection] and its source."
                    )
            return
        if given.format is not None and given.format not in READERS:
            self.findings.error(
                f"there is no format {given.format!r}", ("collection", "format"), nearest(given.format, READERS)
            )
        if isinstance(given.channels, str) and given.channels not in ("default", "all"):
            self.findings.error(
                f"'collection.channels' cannot be {given.channels!r}", ("collection", "channels"),
                "It is \"default\", \"all\", or a list of channels.",
            )
        for number, channel in enumerate(() if isinstance(given.channels, str) else given.channels):
            self.has_tokenizer(channel, ("collection", "channels", number))
        try:
            analysis_config(self.recipe, self.draft.folder)
        except ConfigError as error:
            where = "language" if "stemmer" in error.what or "language" in error.what else "channels"
            self.findings.take(error, ("collection", where))

    def pipeline(self, name: str, pipeline: PipelineSettings, kinds: set[bool]) -> None:
        """The model, for documents or formulas as its topics ask; for either where it is not used."""
        path = ("pipelines", name)
        own = own_settings(PipelineSettings, but="settings")
        given = pipeline.settings.get("kind")
        settings = [
            field for formulas in sorted(kinds or {False, True})
            for field in setting_names(pipeline.model, given, formulas, self.draft.folder)
        ]
        known = list(dict.fromkeys([*own, *settings]))
        self.unknown(pipeline.settings, known, path)
        sound = {key: value for key, value in pipeline.settings.items() if key in known}
        if not kinds:
            try:
                pipeline_model(pipeline, True, self.draft.folder)
                return
            except PorismError:
                kinds = {False}
        for formulas in sorted(kinds):
            make = partial(self._model, pipeline.model, formulas)
            model = tolerant(make, sound, path, self.findings)
            if model is not None:
                self._held_channels(channels_of(model), pipeline.settings, path)
                self.model_terms(write_model(model, formulas), partial(_channel_place, pipeline.settings, path))

    def _model(self, named: str, formulas: bool, settings: Mapping[str, Any]) -> RetrieverSettings:
        return pipeline_model(PipelineSettings(named, settings=settings), formulas, self.draft.folder)

    def reranker(self, name: str, reranker: RerankerSettings, topics: Iterable[str]) -> None:
        """The system whose results it orders, its kind, the settings of that; its topics must ask for documents."""
        path = ("rerankers", name)
        self.system(reranker.of, (*path, "of"), [other for other in self.systems if other != name])
        for named in topics:
            if is_formula_set(self.recipe.topics.get(named)):
                self.findings.error(
                    f"rerankers.{name} orders documents, and the topics {named!r} ask for formulas", path,
                    "Name other systems for these topics.",
                )
        try:
            kind = reranker_kind(reranker.kind)
        except SettingError as error:
            self.findings.take(error, path)
            return
        known = kind.names(reranker.model, reranker.settings, self.draft.folder)
        self.unknown(reranker.settings, [*own_settings(RerankerSettings, but="settings"), *known], path)
        sound = {key: value for key, value in reranker.settings.items() if key in known}
        made = tolerant(
            lambda settings: kind.settings(reranker.model, settings, self.draft.folder), sound, path, self.findings
        )
        if made is not None:
            self._held_channels(kind.channels(made), reranker.settings, path)
            self.model_terms(made, partial(_channel_place, reranker.settings, path))

    def _held_channels(self, channels: Iterable[str], settings: Mapping[str, Any], path: Path) -> None:
        """Whether the collection has the channels of a model, where the recipe lists its channels."""
        if self.held is None:
            return
        asked = tuple(channels)
        if asked and not any(channel in self.held or tokenizer_of(channel) is not None for channel in asked):
            self.findings.error(
                f"the collection has none of the channels {', '.join(asked)}", (*path, "channels"),
                f"It has {', '.join(self.held)}.",
            )
        named = settings.get("channels")
        for channel in asked:
            is_named = isinstance(named, Mapping) and channel in named
            if is_named or self.is_tokenized(channel):
                self.listed(channel, _channel_place(settings, path, channel))


def _channel_place(settings: Mapping[str, Any], path: Path, channel: str) -> Path:
    """Where a table with a model says something of a channel: in its own settings, or by the name of the model."""
    named = settings.get("channels")
    return (*path, "channels", channel) if isinstance(named, Mapping) and channel in named else (*path, "model")
