"""Formula search: the documented score, the same however documents are spread, and every hit explained by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from alignment_reference import Reference
from case_tables import every_case
from hostile import HOSTILE
from lexical_cases import Doc, bm25_by_the_book
from long_forms import LONG
from structure_cases import Group, named, retriever_of, sources, tree_of, write

from porism.analysis.term_columns import indexed_form
from porism.errors import ConfigError, QueryError
from porism.explanation import Explanation
from porism.formula import extract, layout_key, parse
from porism.formula.values import WHOLE_MARKS
from porism.index import Snapshot
from porism.retrieve.formulas.alignment_kernels import MAX_NODES, most_steps
from porism.retrieve.formulas.model import DEFAULT_FORMULA_MODEL, FormulaModel
from porism.retrieve.lexical.settings import ChannelSettings
from porism.retrieve.weightings.base import BM25, LexicalChannel
from porism.types import Formula

DOCUMENTS: Group = {
    "squares": [r"\sum_{i=1}^{n}i^2", r"\sum_{k=1}^{m}k^2=\frac{m(m+1)(2m+1)}{6}", r"\sum_{k=0}^{m}k^3"],
    "basel": [r"\sum_{n=1}^{\infty}\frac{1}{n^2}=\frac{\pi^2}{6}", r"\frac{\pi^2}{6}", "n"],
    "binomial": ["(a+b)^2=a^2+2ab+b^2", "(a+b)^2", "a^2+2ab+b^2", "(x+y)^3", "n"],
    "fractions": [r"1+\frac{1}{x}", r"\frac{1+x}{x}", r"\frac{a}{b}", r"\frac{b}{a}", r"\frac{x}{1+x}"],
    "trigonometry": [r"\sin^2x+\cos^2x=1", r"\sin 2x=2\sin x\cos x", r"\tan x", r"\cos^2 t+\sin^2 t"],
    "order": ["a<b", "x+y\\leq z", "a=b", "x=y", "|x-y|<\\varepsilon"],
    "again": [r"\sum_{i=1}^{n}i^2", "(a+b)^2", "x=y", r"\int_0^1x^2\,dx", r"e^{i\pi}+1=0"],
}
QUERIES = [
    r"\sum_{j=1}^{n}j^2", "(u+v)^2", r"1+\frac{1}{x}", r"\frac{x}{y}", "a=b", r"\cos^2\theta+\sin^2\theta=1", "x",
    r"\frac{?a}{?b}", "?a^2+?b^2", r"\pi", r"\int_0^1t^2\,dt",
]
FEW = replace(DEFAULT_FORMULA_MODEL, candidates=4)
"""A model of which most results are not among the candidates that are aligned."""


def parts(*ranges: tuple[int, int]) -> list[Group]:
    entries = list(DOCUMENTS.items())
    return [dict(entries[low:high]) for low, high in ranges]


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> list[Snapshot]:
    """The same documents in one segment, in three, merged, and after others were deleted."""
    path = tmp_path_factory.mktemp("formulas")
    three = parts((4, 7), (0, 2), (2, 4))
    others = {"other": [r"\frac{1}{n^2}", "n", "(a+b)^2", r"\nabla f"], "another": ["x=y", "p\\to q"]}
    return [
        write(path / "one", DOCUMENTS),
        write(path / "three", *three),
        write(path / "merged", *three, merge=True),
        write(path / "deleted", *three[:2], others, *three[2:], deleted=list(others)),
    ]


def adds_up(explanation: Explanation) -> bool:
    return all(adds_up(part) for part in explanation.parts) and (
        not explanation.parts or explanation.value == pytest.approx(sum(part.value for part in explanation.parts))
    )


def all_keys() -> dict[str, str]:
    """Each distinct formula by its key."""
    return {layout_key(parse(Formula(latex))): latex for held in DOCUMENTS.values() for latex in held}


# --- the score ---

def by_the_book(query: str, model: FormulaModel) -> dict[str, float]:
    """What the channels give every formula: for each, BM25 as a share of what the query itself would have."""
    keys = all_keys()
    total = dict.fromkeys(keys, 0.0)
    for name, channel in model.channels.items():
        def terms(latex: str, name: str = name) -> list[str]:
            return [indexed_form(term) for term in extract(name, parse(Formula(latex)), tree_of(latex))]

        rows = {key: terms(latex) for key, latex in keys.items()}
        asked = Counter(term for term in terms(query) if term[0] not in WHOLE_MARKS)  # found by itself, not summed
        docs = [Doc(key, {"body": row}) for key, row in rows.items()]
        lexical = {"words": LexicalChannel(1.0, BM25(channel.k1, channel.b))}
        scores = dict(bm25_by_the_book(docs, lexical, {}, {"words": dict(asked)}, 1000))
        # the query among the same statistics: idf of terms that nothing has is that of df = 0
        count = sum(bool(row) for row in rows.values())
        mean = sum(map(len, rows.values())) / count
        length = channel.k1 * (1 - channel.b + channel.b * sum(asked.values()) / mean)
        own = 0.0
        for term, times in asked.items():
            df = sum(term in row for row in rows.values())
            own += times * np.log(1 + (count - df + 0.5) / (df + 0.5)) * times / (times + length)
        for key, score in scores.items():
            total[key] += channel.weight * score / own
    return total


@every_case("query", [query for query in QUERIES if "?" not in query])
def test_the_score_is_the_one_that_is_documented(query: str, snapshots: list[Snapshot]) -> None:
    model = replace(
        DEFAULT_FORMULA_MODEL, value=0.0, renamed_value=0.0, equal=0.0, renamed_equal=0.0, identical=0.0, renamed=0.0,
        part=0.0, renamed_part=0.0,
    )
    assert model.alignment is not None
    channels = by_the_book(query, model)
    expected: dict[str, float] = {}
    for key, latex in all_keys().items():
        if channels[key] > 0:
            aligned = Reference(tree_of(query).root, tree_of(latex).root, model.alignment).run()
            similar = min(1.0, aligned.matched / aligned.query) ** model.alignment.power * (
                1 - model.alignment.width * (1 - min(1.0, aligned.found_matched / aligned.found))
            )
            expected[key] = channels[key] + model.alignment_weight * similar
    found = named(snapshots[0], retriever_of(snapshots[0], model).search([Formula(query)], 1000)[0])
    assert dict(found) == pytest.approx(expected, rel=1e-9)
    assert found == sorted(sorted(found, reverse=True), key=lambda hit: -hit[1]), "by score, then descending key"


def test_a_formula_has_the_whole_weight_of_each_part_with_itself(snapshots: list[Snapshot]) -> None:
    model = DEFAULT_FORMULA_MODEL
    retriever = retriever_of(snapshots[0])
    found = retriever.search([Formula("(a+b)^2=a^2+2ab+b^2")], 1)[0]
    assert sources(snapshots[0], found) == ["(a+b)^2=a^2+2ab+b^2"]
    terms = retriever.read(Formula("(a+b)^2=a^2+2ab+b^2")).terms
    whole = sum(model.channels[name].weight for name in terms)
    assert found.scores[0] >= whole + model.alignment_weight * (1 - 1e-12)


@every_case("model", [DEFAULT_FORMULA_MODEL, FEW], ids=["default", "few"])
@every_case("query", QUERIES)
def test_scores_do_not_depend_on_segments(query: str, model: FormulaModel, snapshots: list[Snapshot]) -> None:
    results = [
        named(snapshot, retriever_of(snapshot, model).search([Formula(query)], 1000)[0]) for snapshot in snapshots
    ]
    assert results[0]
    assert all(result == results[0] for result in results)
    assert len({key for key, _ in results[0]}) == len(results[0])


@every_case("model", [DEFAULT_FORMULA_MODEL, FEW], ids=["default", "few"])
@every_case("query", QUERIES)
def test_every_hit_is_explained_with_its_score(query: str, model: FormulaModel, snapshots: list[Snapshot]) -> None:
    for snapshot in snapshots[0 if LONG else 1 : 2]:
        retriever = retriever_of(snapshot, model)
        found = named(snapshot, retriever.search([Formula(query)], 1000)[0])
        assert found
        for key, score in found:
            match = retriever.match(Formula(query), key)
            assert match.score == score == match.explanation.value
            assert adds_up(match.explanation)
            assert layout_key(parse(match.found)) == key


@every_case("query", QUERIES)
def test_what_matches_is_known_without_the_score(query: str, snapshots: list[Snapshot]) -> None:
    for model in (DEFAULT_FORMULA_MODEL, replace(DEFAULT_FORMULA_MODEL, alignment=None)):
        retriever = retriever_of(snapshots[1], model)
        found = named(snapshots[1], retriever.search([Formula(query)], 5)[0])
        assert found
        for key, _ in found:
            match, aligned = retriever.match(Formula(query), key), retriever.aligned(Formula(query), key)
            assert aligned == replace(match, score=0.0, explanation=aligned.explanation)
            assert (aligned.explanation.value, len(aligned.explanation.parts)) == (0.0, 0)


@every_case("model", [DEFAULT_FORMULA_MODEL, FEW], ids=["default", "few"])
def test_any_number_of_results_is_a_beginning_of_all(model: FormulaModel, snapshots: list[Snapshot]) -> None:
    for snapshot in snapshots[0 if LONG else 1 : 2]:
        retriever = retriever_of(snapshot, model)
        for query in QUERIES:
            everything = named(snapshot, retriever.search([Formula(query)], 1000)[0])
            assert everything
            for k in (1, 2, 3, 4, 5, 6, 9, len(everything), len(everything) + 1):
                assert named(snapshot, retriever.search([Formula(query)], k)[0]) == everything[:k]


def test_equal_scores_stand_by_descending_key(tmp_path: Path) -> None:
    held = [f"{letter}+{letter}^2" for letter in "abckmnpq"]
    for number, groups in enumerate(([{"a": held}], [{"a": held[:3]}, {"b": held[3:]}])):
        snapshot = write(tmp_path / str(number), *groups)
        found = named(snapshot, retriever_of(snapshot).search([Formula("x+x^2")], 10)[0])
        assert len({score for _, score in found}) == 1
        assert [key for key, _ in found] == sorted((key for key, _ in found), reverse=True)


# --- what is found ---

@every_case("query", ["", r"\unheard", r"\text{nothing of this}", "{}"])
def test_nothing_known_finds_nothing(query: str, snapshots: list[Snapshot]) -> None:
    model = replace(DEFAULT_FORMULA_MODEL, channels={"tokens": ChannelSettings(1.0)})
    found = retriever_of(snapshots[0], model).search([Formula(query)], 10)[0]
    assert len(found.scores) == len(found.units) == len(found.segments) == 0


def test_formulas_of_deleted_documents_are_not_found(tmp_path: Path) -> None:
    snapshot = write(tmp_path / "index", DOCUMENTS, {"more": ["a+b+c", "(a+b)^2"]}, deleted=["more", "again"])
    retriever = retriever_of(snapshot)
    for query in ("a+b+c", r"\int_0^1x^2\,dx", "(a+b)^2"):
        keys = [key for key, _ in named(snapshot, retriever.search([Formula(query)], 1000)[0])]
        assert (layout_key(parse(Formula(query))) in keys) == (query == "(a+b)^2")
    with pytest.raises(QueryError, match="no formula"):
        retriever.match(Formula("a"), layout_key(parse(Formula("a+b+c"))))


def test_an_index_without_formulas(tmp_path: Path) -> None:
    for name, groups in {"none": [], "empty": [{"a": []}], "deleted": [{"b": ["x+y"]}]}.items():
        snapshot = write(tmp_path / name, *groups, deleted=["b"])
        assert len(retriever_of(snapshot).search([Formula("x+y")], 10)[0].scores) == 0


def test_what_is_refused(snapshots: list[Snapshot], tmp_path: Path) -> None:
    retriever = retriever_of(snapshots[0])
    with pytest.raises(QueryError, match="0 results"):
        retriever.search([Formula("x")], 0)
    with pytest.raises(QueryError, match="no formula 'nowhere'"):
        retriever.match(Formula("x"), "nowhere")
    few = write(tmp_path / "few", {"a": ["x+y"]}, formulas=("subtrees",))
    with pytest.raises(ConfigError, match="none of the formula channels"):
        retriever_of(few, FormulaModel({"tokens": ChannelSettings()}))


def test_channels_that_the_index_lacks_are_left_out(tmp_path: Path) -> None:
    snapshot = write(tmp_path / "index", DOCUMENTS, formulas=("tokens",))
    retriever = retriever_of(snapshot)
    assert set(retriever.lexical.channels) == {"tokens"}
    assert sources(snapshot, retriever.search([Formula("(a+b)^2")], 1)[0]) == ["(a+b)^2"]


@every_case(("query", "found"), [
    (r"\sum_{i=1}^{?n}?a", r"\sum_{i=1}^{n}i^2"), (r"\frac{?a}{6}", r"\frac{\pi^2}{6}"), ("?a<?b", "a<b"),
    (r"1+\frac{?a}{?b}", r"1+\frac{1}{x}"), (r"\sin^2?t+\cos^2?t", r"\cos^2 t+\sin^2 t"), ("(?a)^3", "(x+y)^3"),
])
def test_wildcard_queries_find_what_they_stand_for(query: str, found: str, snapshots: list[Snapshot]) -> None:
    retriever = retriever_of(snapshots[1])
    results = retriever.search([Formula(query)], 3)[0]
    assert found in sources(snapshots[1], results)
    match = retriever.match(Formula(query), layout_key(parse(Formula(found))))
    assert match.query_share == match.found_share == 1.0


# --- threads and bounds ---

def test_threads_share_a_retriever(snapshots: list[Snapshot]) -> None:
    expected = [
        named(snapshots[1], retriever_of(snapshots[1]).search([Formula(query)], 20)[0]) for query in QUERIES
    ]
    shared = retriever_of(snapshots[1])

    def ask(number: int) -> Sequence[tuple[str, float]]:
        return named(snapshots[1], shared.search([Formula(QUERIES[number % len(QUERIES)])], 20)[0])

    with ThreadPoolExecutor(4) as pool:
        for number, result in enumerate(pool.map(ask, range(4 * len(QUERIES)))):
            assert result == expected[number % len(QUERIES)]


def test_a_search_aligns_a_bounded_number_of_nodes(tmp_path: Path) -> None:
    """Hostile formulas against one another: no query takes more than its candidates times the bound of one pair."""
    held = [make(400) for make in list(HOSTILE.values())[:: 1 if LONG else 3]]
    snapshot = write(tmp_path / "index", {str(n): [latex] for n, latex in enumerate(held)})
    model = replace(DEFAULT_FORMULA_MODEL, candidates=20)
    retriever = retriever_of(snapshot, model)
    assert retriever.aligner is not None
    for latex in held:
        asked = retriever.read(Formula(latex))
        aligned = retriever.lexical.search_units([asked.terms], model.candidates)[0].units
        assert len(aligned) <= model.candidates
        steps = retriever.aligner.steps(asked.tree, 0, aligned)
        assert steps <= len(aligned) * most_steps(len(asked.tree.labels), MAX_NODES)
        assert len(retriever.search([Formula(latex)], 1000)[0].scores) >= len(aligned)


@every_case("documents", [
    [{"a": ["p, d: c = s", "p=dc", "p=d+s", "c, s: p", "a=bq+r"]}],
    [{"a": ["p, d: c = s", "p=dc", "a=bq+r"]}, {"b": ["p=d+s", "c, s: p"]}],
])
def test_formulas_with_other_names_are_candidates_by_their_structure(tmp_path: Path, documents: list[Group]) -> None:
    retriever = retriever_of(write(tmp_path / "index", *documents), replace(DEFAULT_FORMULA_MODEL, candidates=1))
    (hits,) = retriever.search([Formula("c, s: p=dc+s")], 1)
    assert sources(retriever.snapshot, hits) == ["a=bq+r"]
