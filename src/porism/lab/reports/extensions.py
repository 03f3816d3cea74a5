"""What each extension of a system adds: systems as a tree, each with its difference from the one that it extends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from porism.errors import ConfigError
from porism.lab.evaluate.comparison import RunComparison
from porism.lab.evaluate.significance import permutation_test
from porism.lab.reports.canvas import Plot, bare_rows, drawing, short_names
from porism.lab.reports.layout import new_figure, widest
from porism.lab.reports.theme import light
from porism.lab.reports.words import number, p_value, signed
from porism.settings import Settings, nearest

SAMPLES = 10_000
"""Of each permutation test, where the topics are too many for all."""

EXTENSION_NOTE = "p is of a permutation test of the extension against what it extends, not corrected."


@dataclass(frozen=True, slots=True)
class FusionExtension(Settings):
    """One system is another with something added.

    :param of: the system that is extended.
    :param adds: what is added, in a few words.
    :param gives: the system that results.
    """

    of: str
    adds: str
    gives: str


@dataclass(frozen=True, slots=True)
class Increment:
    """A row of the tree: a system that extends none, or an extension with what it adds.

    :param depth: how many extensions it is from a system that extends none.
    :param value: of the system, by the measure.
    :param before: the value of the system that is extended; None with ``extension`` for one that extends none.
    :param p: of a two-sided permutation test over the topics, not corrected.
    """

    system: str
    depth: int
    value: float
    extension: FusionExtension | None = None
    before: float | None = None
    p: float | None = None

    @property
    def difference(self) -> float | None:
        """What the extension adds."""
        return None if self.before is None else self.value - self.before

    def to_dict(self) -> dict[str, Any]:
        """As plain values for JSON."""
        plain = {key: value for key, value in asdict(self).items() if key != "extension"}
        extended = {"of": self.extension.of, "adds": self.extension.adds} if self.extension else {}
        return plain | extended | {"difference": self.difference}


def increments(comparison: RunComparison, extensions: Iterable[FusionExtension]) -> tuple[Increment, ...]:
    """The tree of extensions by the first measure, each system followed by what extends it, in the order given.

    :raises ConfigError: there is no such system, a system extends itself over others, or it is reached in more than
        one way.
    """
    listed = tuple(extensions)
    for extension in listed:
        for name in (extension.of, extension.gives):
            if name not in comparison.names:
                raise ConfigError(f"there is no run {name!r} to extend", hint=nearest(name, comparison.names))
    given = [extension.gives for extension in listed]
    for name in given:
        if given.count(name) > 1:
            raise ConfigError(f"{name!r} extends two systems", hint="Say which of them, or name it in a second report.")
    measure = comparison.measures[0]
    values = {name: comparison[name].aggregated[measure] for name in comparison.names}

    def extended(system: str, depth: int) -> Iterator[Increment]:
        for extension in listed:
            if extension.of == system:
                gives = extension.gives
                yield Increment(gives, depth, values[gives], extension, values[system], _p(comparison, extension))
                yield from extended(gives, depth + 1)

    rows: list[Increment] = []
    for root in dict.fromkeys(extension.of for extension in listed if extension.of not in given):
        rows += [Increment(root, 0, values[root]), *extended(root, 1)]
    if missing := [name for name in given if name not in {row.system for row in rows}]:
        raise ConfigError(f"{missing[0]!r} extends itself", hint="Extensions lead from one system to others.")
    return tuple(rows)


def _p(comparison: RunComparison, extension: FusionExtension) -> float | None:
    measure = comparison.measures[0]
    before, after = (comparison[name].per_topic[measure] for name in (extension.of, extension.gives))
    gaps = [after[topic] - before[topic] for topic in after if topic in before]
    return permutation_test(gaps, samples=SAMPLES).p_value if gaps else None


def extension_table(rows: Iterable[Increment], measure: str) -> list[list[str]]:
    """Rows of cells, the head first; how far a row is from the root is how far it is moved in."""
    table = [["extension", "system", measure, "difference", "p"]]
    for row in rows:
        gained = "" if row.difference is None else signed(row.difference, 4)
        table.append([
            _label(row, "  "), row.system if row.extension else "", number(row.value, 4), gained,
            "" if row.p is None else p_value(row.p),
        ])
    return table


def _label(row: Increment, space: str) -> str:
    """What it adds, moved in by a space for each extension."""
    return f"{space * row.depth}+ {row.extension.adds}" if row.extension else row.system


def extensions_plot(rows: Iterable[Increment], measure: str) -> Plot:
    """The tree of extensions: a row a system, with an arrow from the value of the one that it extends (the results'
    continuation of Novotný and Štefánik 2022)."""
    listed = list(rows)
    names = short_names([_label(row, "\u00a0\u00a0\u00a0\u00a0") for row in listed], 44)
    said = [
        number(row.value) if row.difference is None else f"{number(row.value)} ({signed(row.difference)})"
        for row in listed
    ]
    with drawing():
        figure = new_figure(height=0.6 + 0.24 * len(listed), left=widest(names), right=widest(said))
        axes = figure.subplots()
        for place, row in enumerate(listed):
            colour = light("baseline" if row.difference is None else "series-1" if row.difference >= 0 else "series-2")
            if row.before is not None:
                axes.annotate(
                    "", (row.value, place), (row.before, place),
                    arrowprops={"arrowstyle": "->", "color": colour, "linewidth": 1.4, "shrinkA": 0, "shrinkB": 3},
                )
                axes.plot([row.before], [place], marker="|", color=light("muted"), markersize=8)
            axes.plot([row.value], [place], marker="o", color=colour, markersize=5)
            axes.text(1.02, place, said[place], transform=axes.get_yaxis_transform(), va="center", fontsize=8)
        axes.margins(x=0.06)
        bare_rows(axes, names)
        axes.set_xlabel(f"mean {measure}")
    words = " ".join(
        f"{row.system}: {text}{f', {row.extension.of} with {row.extension.adds}' if row.extension else ''}."
        for row, text in zip(listed, said, strict=True)
    )
    return Plot(
        "extensions", f"What each extension adds to {measure}",
        "Each row extends the row above it that is less far in. Arrows lead from the value of that to the value of the "
        "extension, to the left where it loses.",
        words, figure,
    )
