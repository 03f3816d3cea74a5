"""The settings of a model that expands documents."""

from __future__ import annotations

from dataclasses import dataclass

from porism.settings import SettingError, Settings

PLACE = "{text}"
"""Where the text of a document is in a template."""


@dataclass(frozen=True)
class ExpansionSettings(Settings):
    """How queries are generated from a document (doc2query: Nogueira et al. 2019).

    ``queries`` a document; sampled from the ``top_k`` likeliest tokens (0: all), of these from the fewest whose
    probabilities sum to ``top_p``, at ``temperature``, from ``seed`` on; or, where ``beams`` is not 0, the best of a
    search with so many beams. ``longest_input`` and ``longest_query`` are in tokens; an input of 0 is the model's
    limit. ``template`` is what the model reads, with ``{text}`` where the text goes; the text is that of ``fields``, or
    of all fields, in the document's order.

    :raises SettingError: a setting is out of its range.
    """

    queries: int = 5
    beams: int = 0
    top_k: int = 10
    top_p: float = 1.0
    temperature: float = 1.0
    seed: int = 1
    longest_input: int = 0
    longest_query: int = 64
    template: str = PLACE
    fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, least in (
            ("queries", 1), ("beams", 0), ("top_k", 0), ("seed", 0), ("longest_input", 0), ("longest_query", 1)
        ):
            if getattr(self, name) < least:
                raise SettingError(f"{name} cannot be {getattr(self, name)}", path=(name,), hint=f"At least {least}.")
        if not 0.0 < self.top_p <= 1.0:
            raise SettingError(f"top_p cannot be {self.top_p}", path=("top_p",), hint="Above 0 and at most 1.")
        if not 0.0 < self.temperature < float("inf"):
            raise SettingError(
                f"temperature cannot be {self.temperature}", path=("temperature",), hint="A number above 0."
            )
        if 0 < self.beams < self.queries:
            raise SettingError(
                f"{self.beams} beams do not give {self.queries} queries", path=("beams",),
                hint="At least as many beams as queries; or 0, to sample.",
            )
        if self.template.count(PLACE) != 1:
            raise SettingError(
                f"the template {self.template!r} does not have {PLACE} once", path=("template",),
                hint="For example: Generate a question: {text}",
            )
