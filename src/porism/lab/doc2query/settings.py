"""The settings of a model that expands documents."""

from __future__ import annotations

from dataclasses import dataclass

from porism.settings import SettingError, Settings, setting

PLACE = "{text}"
"""Where the text of a document is in a template."""


@dataclass(frozen=True)
class ExpansionSettings(Settings):
    """How queries are generated from a document (doc2query: Nogueira et al. 2019).

    :raises SettingError: a setting is out of its range.
    """

    queries: int = setting(5, "Queries of a document.")
    beams: int = setting(0, "Beams of a beam search; 0 samples the queries instead.")
    top_k: int = setting(10, "Sample from so many of the likeliest tokens; 0 is all.")
    top_p: float = setting(1.0, "Sample from the likeliest tokens that have this probability together.")
    temperature: float = setting(1.0, "Below 1 likely tokens become likelier, above 1 less so.")
    seed: int = setting(1, "Other numbers sample other queries.")
    max_input_tokens: int = setting(0, "Tokens of a document that are read; 0 is as many as the model can.")
    max_query_tokens: int = setting(64, "Tokens of a query.")
    template: str = setting(PLACE, f"What the model reads, with {PLACE} where the text of the document goes.")
    fields: tuple[str, ...] = setting((), "A field that the model reads; repeatable.", unset="all fields")

    def __post_init__(self) -> None:
        for name, minimum in (
            ("queries", 1), ("beams", 0), ("top_k", 0), ("seed", 0), ("max_input_tokens", 0), ("max_query_tokens", 1)
        ):
            if getattr(self, name) < minimum:
                raise SettingError(f"{name} cannot be {getattr(self, name)}", path=(name,), hint=f"At least {minimum}.")
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
