"""What the reproduction of a paper measured, as it is kept: its page can be written again without running anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from porism.errors import FormatError
from porism.lab.recipes.digests import digest
from porism.lab.recipes.papers.figures import CheckedClaim, MeasuredExtension, MeasuredRow, MeasuredTable
from porism.lab.recipes.papers.paper import Paper, read_paper
from porism.system.files.text import write_whole

FILE = "results.json"
"""The file in the output folder."""


@dataclass(frozen=True, slots=True)
class PaperResults:
    """What was measured of a paper at a scale.

    ``recipe`` is the digest of its recipe (:func:`recipe_digest`), and ``left_out`` says why systems did not run →
    which. ``seconds`` are those of all stages of a kind. ``costs`` has system → the median seconds of its queries, and
    those that 95 of 100 do not exceed.
    """

    paper: Paper
    scale: str
    command: str
    recipe: str
    tables: tuple[MeasuredTable, ...]
    claims: tuple[CheckedClaim, ...]
    extensions: Mapping[str, tuple[MeasuredExtension, ...]] = field(default_factory=dict)
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    costs: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def write(self, path: Path) -> None:
        """Writes them; what is published is not among them, since the paper's file has it."""
        write_whole(path, orjson.dumps({
            "paper": self.paper.name, "scale": self.scale, "command": self.command, "recipe": self.recipe,
            "tables": [[row.measured for row in table.rows] for table in self.tables],
            "claims": [(claim.better, claim.worse, claim.p_value) for claim in self.claims],
            "extensions": {
                report: [{"row": dict(row.row), "published": row.published} for row in rows]
                for report, rows in self.extensions.items()
            },
            "left_out": self.left_out, "seconds": self.seconds, "costs": self.costs,
        }, option=orjson.OPT_INDENT_2) + b"\n")

    @classmethod
    def read(cls, path: Path) -> PaperResults:
        """What :meth:`write` wrote, beside the figures that the paper's file has now.

        :raises FormatError: the file cannot be read, or is of a paper with other tables or claims.
        """
        try:
            stored: dict[str, Any] = orjson.loads(path.read_bytes())
            paper = read_paper(stored["paper"])
            tables = tuple(
                MeasuredTable(table, tuple(
                    MeasuredRow(row, tuple(values)) for row, values in zip(table.rows, rows, strict=True)
                )) for table, rows in zip(paper.tables, stored["tables"], strict=True)
            )
            claims = tuple(
                CheckedClaim(claim, *values) for claim, values in zip(paper.claims, stored["claims"], strict=True)
            )
            return cls(
                paper, stored["scale"], stored["command"], stored["recipe"], tables, claims,
                {report: tuple(MeasuredExtension(**row) for row in rows) for report, rows in
                 stored["extensions"].items()},
                {why: tuple(systems) for why, systems in stored["left_out"].items()}, stored["seconds"],
                {system: (median, most) for system, (median, most) in stored["costs"].items()},
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FormatError(
                f"does not have the results of a paper as it is now ({error})", where=str(path),
                hint="Run porism reproduce again.",
            ) from error


def recipe_digest(paper: Paper, scale: str) -> str:
    """The digest of all that the recipe of a paper says at a scale, whatever is installed here."""
    return digest([
        [part.recipe, *(settings.recipe for name, settings in part.scales.items() if name == scale)]
        for part in paper.parts
    ])
