"""Tangent-L: what a symbol layout tree says about neighbouring symbols, as terms for BM25+.

Sources: Fraser, Kane and Tompa, *Choosing Math Features for BM25 Ranking with Tangent-L* (DocEng 2018); Ng et al.,
*Dowsing for Math Answers with Tangent-L* (CLEF 2020); Kane, Ng and Tompa, *Dowsing for Answers to Math Questions: Doing
Better with Less* (CLEF 2022).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache

from porism.errors import ConfigError
from porism.formula.extractors.walk import MAX_LOCATION_LENGTH, LayoutWalk, layout_walk
from porism.formula.tables.lookup import token_class
from porism.formula.tree import LayoutTree

_KNOWN_LABELS = 1 << 14
_FARTHEST_REPETITION = 16
_IDENTIFIERS = frozenset("△▽∠∡□■◇♢♣♡♠♭♮♯★")
_ANCHORS = frozenset({"equality", "order", "membership", "subset", "relation"})


@dataclass(frozen=True, slots=True)
class TangentL:
    """Which features Tangent-L takes from a layout tree; the defaults are those of its last version.

    Besides pairs of a symbol and the next, ``(v!x,+,n)``:

    - ``terminals``: symbols that no edge leaves, ``(n!2,!0)``; ``compounds``: all edges that leave a symbol,
      ``(v!x,[a,n])``;
    - ``duplicates``: a symbol that was there before, with the path between the two, ``{v!n,nna}``, or where they hang
      from a common symbol with both paths from there, ``{v!a,u,o}``; and the same for the kind of the symbol,
      ``{?v,nna}`` (variable ``v``, number ``n``, operator ``o`` …). Those farther than 16 edges from it have none;
    - ``edge_pairs``: an edge into a symbol with each edge out of it, ``(n,a,v!x)``; ``long_pairs``: symbols two edges
      apart; ``end_of_line``: the last symbol of a formula of at most so many symbols, ``(n!1,!0,n)``;
    - ``wildcards``: pairs and compounds again with ``*`` for a symbol, ``(*,+,n)``, which are what a wildcard of a
      query matches: a query's wildcard finds nothing in an index without them. A formula that has wildcards is a query
      and is not expanded.

    With ``locations`` each of these occurs again with the path to its first symbol, ``(v!x,+,n,nn)``, where that is
    shorter than ``longest_location``. With ``anchors`` a path begins at the closest relation (``=``, ``<``, ``∈`` …)
    before the symbol, else at the start. With ``delimiters`` a formula is between ``#(start)#`` and ``#(end)#``. With
    ``identifiers`` symbols that LaTeXML writes as identifiers have their kind, ``(v!△,/,n)``, and are not operators.
    """

    terminals: bool = True
    compounds: bool = True
    duplicates: bool = True
    locations: bool = True
    longest_location: int = 8
    anchors: bool = True
    edge_pairs: bool = False
    long_pairs: bool = False
    end_of_line: int = 0
    wildcards: bool = False
    delimiters: bool = False
    identifiers: bool = False

    def __call__(self, layout: LayoutTree) -> list[str]:
        """The features, with repetition."""
        walk = layout_walk(layout)
        labels = list(map(tangent_l_label, walk.labels))
        if self.identifiers:
            labels = [f"v!{label}" if label in _IDENTIFIERS else label for label in labels]
        longest = self.longest_location if self.locations else 0
        places = _anchored(walk) if self.anchors else walk.paths
        # what a feature's located form adds, and nothing where there is none
        locations = [f",{place or '-'}" if len(place) < longest else "" for place in places]
        terms: list[str] = []
        add = terms.append
        terminals, compounds = self.terminals, self.compounds
        for label, parent, edge, leaving, location in zip(
            labels, walk.parents, walk.edges, walk.outgoing, locations, strict=True
        ):
            if parent >= 0:
                feature = f"({labels[parent]},{label},{edge}"
                add(feature + ")")
                if locations[parent]:
                    add(f"{feature}{locations[parent]})")
            if not leaving:
                if not terminals:
                    continue
                feature = f"({label},!0"
            elif compounds and len(leaving) > 1:
                feature = f"({label},[{','.join(leaving)}]"
            else:
                continue
            add(feature + ")")
            if location:
                add(f"{feature}{location})")
        if self.duplicates and len(set(labels)) < len(labels):
            _repetitions(walk, labels, locations, terms)
        if self.edge_pairs or self.long_pairs or self.wildcards or self.end_of_line:
            for feature, at in self._older(walk, labels):
                add(feature + ")")
                if locations[at]:
                    add(f"{feature}{locations[at]})")
        return ["#(start)#", *terms, "#(end)#"] if self.delimiters else terms

    def _older(self, walk: LayoutWalk, labels: list[str]) -> list[tuple[str, int]]:
        """Features of options that are off by default, unclosed, and the position of the first symbol of each."""
        terms: list[tuple[str, int]] = []
        wildcards = self.wildcards and "*" not in labels
        small = len(labels) <= self.end_of_line
        for position, label in enumerate(labels):
            parent, edge, leaving = walk.parents[position], walk.edges[position], walk.outgoing[position]
            if self.edge_pairs and edge:
                terms.extend((f"({edge},{other},{label}", position) for other in leaving)
            if wildcards:
                if parent >= 0:
                    terms.append((f"(*,{label},{edge}", parent))
                    terms.append((f"({labels[parent]},*,{edge}", parent))
                if self.compounds and len(leaving) > 1:
                    terms.append((f"(*,[{','.join(leaving)}]", position))
            if self.long_pairs and parent >= 0 and walk.parents[parent] >= 0:
                first = walk.parents[parent]
                terms.append((f"({labels[first]},{label},{walk.edges[parent]}{edge}", first))
            if small and "n" not in leaving and not walk.paths[position].strip("n"):
                terms.append((f"({label},!0,n", position))
        return terms


def _anchored(walk: LayoutWalk) -> list[str]:
    """The path to each symbol from the closest relation on its way, else from the first symbol."""
    anchors = list(map(_is_anchor, walk.labels))
    if True not in anchors:
        return walk.paths
    places: list[str] = []
    for parent, edge in zip(walk.parents, walk.edges, strict=True):
        place = "" if parent < 0 or anchors[parent] else places[parent]
        places.append(place + edge if len(place) <= MAX_LOCATION_LENGTH else place)
    return places


@lru_cache(_KNOWN_LABELS)
def _is_anchor(label: str) -> bool:
    return label[1:2] != "!" and token_class(label) in _ANCHORS


def _repetitions(walk: LayoutWalk, labels: list[str], locations: list[str], terms: list[str]) -> None:
    """Adds each symbol that was there before, with where it is from the last one like it."""
    parents, edges = walk.parents, walk.edges
    depths: list[int] = []
    for parent in parents:
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
    last: dict[str, int] = {}
    for position, label in enumerate(labels):
        before = last.get(label)
        last[label] = position
        if before is None or label == "*":
            continue
        ancestor, other = before, position  # climb from both to the symbol that they hang from
        for _ in range(2 * _FARTHEST_REPETITION):
            if ancestor == other:
                break
            if depths[ancestor] > depths[other]:
                ancestor = parents[ancestor]
            elif depths[other] > depths[ancestor]:
                other = parents[other]
            else:
                ancestor, other = parents[ancestor], parents[other]
        if ancestor != other or max(depths[before], depths[position]) - depths[ancestor] > _FARTHEST_REPETITION:
            continue
        where = ",".join([_way(parents, edges, ancestor, end) for end in (before, position) if end != ancestor])
        for name in (label, f"?{label[0]}" if label[1:2] == "!" else "?o"):
            terms.append(f"{{{name},{where}}}")
            if locations[ancestor]:
                terms.append(f"{{{name},{where}{locations[ancestor]}}}")


def _way(parents: list[int], edges: list[str], above: int, below: int) -> str:
    way: list[str] = []
    while below != above:
        way.append(edges[below])
        below = parents[below]
    return "".join(reversed(way))


@lru_cache(_KNOWN_LABELS)
def tangent_l_label(label: str) -> str:
    """A label as Tangent-L writes it: ``v!x``, ``n!2``, ``f!`` for fractions, ``r!`` for roots; a wildcard is ``*``."""
    if len(label) > 1 and label[1] == "!":
        if label[0] == "O":
            return {"O!divide": "f!", "O!root": "r!", "O!binom": "b!"}.get(label, "f!" + label[2:])
        return "*" if label[0] == "W" else label[0].lower() + label[1:]
    return label


OPTIONS = {option.name.replace("_", "-"): option for option in fields(TangentL)}
"""The names of the options in :func:`tangent_l_options`."""


def tangent_l_options(text: str) -> TangentL:
    """The variant that options separated by ``+`` name: ``edge-pairs``, ``no-locations``, ``end-of-line=8`` …

    :raises ConfigError: there is no such option, or its value is not a whole number from 0.
    """
    values: dict[str, bool | int] = {}
    for written in text.split("+"):
        name, separator, value = written.strip().partition("=")
        known = OPTIONS.get(name.removeprefix("no-"))
        number = known is not None and isinstance(known.default, int) and not isinstance(known.default, bool)
        if known is None or number != bool(separator) or (number and name.startswith("no-")):
            ways = [f"{key}=N" if type(option.default) is int else key for key, option in OPTIONS.items()]
            raise ConfigError(
                f"Tangent-L has no option {written.strip()!r}",
                hint=f"Choose from {', '.join(ways)}, and no-NAME to leave one out; join them with +.",
            )
        if number and not (value.isascii() and value.isdigit() and len(value) < 5):
            raise ConfigError(f"Tangent-L's {name} cannot be {value!r}", hint="Use a whole number from 0 to 9999.")
        values[known.name] = int(value) if number else not name.startswith("no-")
    return TangentL(**values)  # type: ignore[arg-type]  # each value has the type of its option
