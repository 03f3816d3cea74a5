"""A paper as data: what it asked, its recipe at each scale, the files and models that it needs, and its figures.

The file of a paper has::

    title = "…"                      # also: authors, venue, question, method
    uses = ["arqmath-2021"]          # parts of shared.toml
    [recipe]                         # as any recipe: pipelines, fusions, reports, …
    [models.NAME]                    # what, published: the model of the paper; package: one that stands in for it;
                                     # trained: a table [encoders.NAME] that trains one
    [scales.mini]                    # time, memory, disk: what it takes
    [[scales.mini.files]]            # path, source: where the file is published; optional = true
    [scales.mini.recipe]             # what the recipe has at this scale only
    [[tables]]                       # the published figures: title, report, columns, rows
    [[claims]]                       # what the paper found: better, worse, measure
    differences = ["…"]              # why measured figures differ from the published ones

Paths in recipes begin with ``{data}``, ``{papers}`` (the files of this folder) or ``sample:``; ``{model:NAME}`` is a
model that the user names. A system whose file or model is missing is left out. A part of ``shared.toml`` has
``recipe``, ``scales`` and ``models`` alike, and ``extra``
where it needs one. Channels of collections add up.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from porism.errors import ConfigError
from porism.settings import Settings, nearest, read_settings

Scale = Literal["smoke", "mini", "full"]

FOLDER = Path(__file__).parent
"""Where the files of the papers are."""

_EXTRAS = {"embeddings": ("gensim", "rapidfuzz", "tokenizers")}
"""The modules of extras that parts need."""

PAPERS = ("duot5", "psu2020", "ensemble2021", "scm2022", "emnlp2022", "ntcir12", "porism")
"""The names of the papers, in the order in which they are listed."""


@dataclass(frozen=True, slots=True)
class DataFile(Settings):
    """A file of the official data.

    :param path: below the folder of the data.
    :param source: where its organisers publish it.
    :param optional: without it, only the systems that need it are left out.
    """

    path: str
    source: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class ScaleSettings(Settings):
    """A paper, or a shared part, at one scale: what it takes, its files, and its part of the recipe.

    :param estimate: how time, memory and disk were estimated, where the scale was never run.
    """

    time: str = ""
    memory: str = ""
    disk: str = ""
    estimate: str = ""
    files: tuple[DataFile, ...] = ()
    recipe: Mapping[str, Any] = field(default_factory=dict)
    differences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PaperModel(Settings):
    """A model that systems need and the user names.

    :param what: what kind of model it is.
    :param published: the one of the paper.
    :param package: an installed package that stands in for it at the scale ``mini``.
    :param trained: the table ``[encoders.NAME]`` that trains one where none is given.
    :param tiny: at the scale ``smoke`` a tiny one with random weights is made (:mod:`.tiny_model`).
    """

    what: str
    published: str
    package: str | None = None
    trained: str | None = None
    tiny: bool = False


@dataclass(frozen=True, slots=True)
class PaperRow(Settings):
    """A row of a published table: its name there, and the figures (none in a table that nobody published). Then the
    system of the recipe that is measured, and the report that has its figures where it is not that of the table."""

    name: str
    values: tuple[float | None, ...] = ()
    system: str | None = None
    report: str | None = None


@dataclass(frozen=True, slots=True)
class PaperTable(Settings):
    """A published table.

    :param report: the report of the recipe that has the measured figures.
    :param columns: the measures, as the recipe names them.
    :param called: what the paper calls these.
    """

    title: str
    report: str
    columns: tuple[str, ...]
    rows: tuple[PaperRow, ...]
    called: tuple[str, ...] = ()
    digits: int = 3
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.values) not in (0, len(self.columns)):
                raise ConfigError(f"the row {row.name!r} of {self.title!r} has {len(row.values)} figures")


@dataclass(frozen=True, slots=True)
class Claim(Settings):
    """An ordering that the paper found: one system above another by a measure of a report."""

    better: str
    worse: str
    report: str
    measure: str
    says: str


@dataclass(frozen=True, slots=True)
class PaperPart(Settings):
    """What a paper and a shared part have in common. A part that needs an extra is left out where it is missing."""

    recipe: Mapping[str, Any] = field(default_factory=dict)
    scales: Mapping[Scale, ScaleSettings] = field(default_factory=dict)
    models: Mapping[str, PaperModel] = field(default_factory=dict)
    extra: str | None = None

    def missing(self) -> str | None:
        """Why it cannot run; None where the extra that it needs is installed."""
        needed = _EXTRAS.get(self.extra or "", ())
        return None if all(map(find_spec, needed)) else f"it needs pip install 'porism[{self.extra}]'"


@dataclass(frozen=True, slots=True)
class Paper(Settings):
    """A paper; see the module. ``requires`` is system → model, where the table of the system does not name the model
    itself; fusions named in ``shrinking`` go on without members that cannot run."""

    name: str
    title: str
    authors: str
    venue: str
    question: str
    method: str
    uses: tuple[str, ...] = ()
    shrinking: tuple[str, ...] = ()
    requires: Mapping[str, str] = field(default_factory=dict)
    recipe: Mapping[str, Any] = field(default_factory=dict)
    models: Mapping[str, PaperModel] = field(default_factory=dict)
    scales: Mapping[Scale, ScaleSettings] = field(default_factory=dict)
    tables: tuple[PaperTable, ...] = ()
    claims: tuple[Claim, ...] = ()
    differences: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[PaperPart, ...]:
        """The shared parts that it uses, and itself, in the order in which they are laid over each other."""
        shared = _shared()
        return (*(shared[name] for name in self.uses), PaperPart(self.recipe, self.scales))

    def at(self, scale: str) -> ScaleSettings:
        """The paper at a scale.

        :raises ConfigError: it has none of this name.
        """
        for name, settings in self.scales.items():
            if name == scale:
                return settings
        raise ConfigError(f"{self.name} has no scale {scale!r}", hint=nearest(scale, self.scales))

    def files(self, scale: str) -> tuple[DataFile, ...]:
        """The files that it needs at a scale, those of shared parts first."""
        scales = [settings for part in self.parts for name, settings in part.scales.items() if name == scale]
        return tuple(file for settings in scales for file in settings.files)


@cache
def read_paper(name: str) -> Paper:
    """The paper of a name of :data:`PAPERS`.

    :raises ConfigError: there is none.
    """
    if name not in PAPERS:
        raise ConfigError(f"there is no paper {name!r}", hint=nearest(name, PAPERS))
    paper = read_settings(Paper, {"name": name, **_toml(f"{name}.toml")})
    models = dict(paper.models)
    for part in paper.uses:
        models |= _shared()[part].models
    return replace(paper, models=models)


@cache
def _shared() -> Mapping[str, PaperPart]:
    return {name: read_settings(PaperPart, given, at=(name,)) for name, given in _toml("shared.toml").items()}


def _toml(file: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / file).read_text(encoding="utf-8"))
