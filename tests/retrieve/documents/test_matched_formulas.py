"""What documents gain by their formulas: computed by hand on a few, however they are spread over segments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from alignment_reference import Reference
from case_tables import every_case
from structure_cases import SETTINGS, Group, tree_of, write

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.analysis.term_columns import indexed_form
from porism.errors import ConfigError
from porism.formula import extract, parse
from porism.index import Snapshot
from porism.retrieve.documents.matched_formulas import MatchedFormulas
from porism.retrieve.documents.model import SearchModel
from porism.retrieve.documents.retriever import DocumentRetriever
from porism.retrieve.documents.weighted_formulas import Matches
from porism.retrieve.formulas.model import FormulaModel
from porism.retrieve.lexical.settings import ChannelSettings
from porism.retrieve.ranking import UnitResults
from porism.types import Content, Formula, Query

MODEL = FormulaModel({"tokens": ChannelSettings(0.1), "approach0": ChannelSettings(0.02)}, SETTINGS)
CHOSEN = Matches(weight=0.5, least=0.4, candidates=100, formulas=10)
DOCUMENTS: Group = {
    "same": ["(a+b)^2", "x"],
    "renamed": [r"\frac{x}{y}", "(u+v)^2"],
    "like": ["(a+b)^3", "(a+b)^4"],
    "fraction": [r"\frac{a}{b}", "n"],
    "nothing": [],
    "both": ["(a+b)^2", r"\frac{a}{b}"],
}


def similarity(query: str, found: str) -> float:
    aligned = Reference(tree_of(query).root, tree_of(found).root, SETTINGS).run()
    width = 1 - SETTINGS.width * (1 - aligned.found_matched / aligned.found)
    return (aligned.matched / aligned.query) ** SETTINGS.power * width


def share(query: str, formulas: list[str], least: float = CHOSEN.least) -> float:
    """What a query formula gives a document by its best formula."""
    best = max((similarity(query, found) for found in formulas), default=0.0)
    return max(0.0, (best - least) / (1 - least)) ** 2


def asking(**fields: list[str]) -> Query:
    return Query("q", {name: Content.of(*map(Formula, latex)) for name, latex in fields.items()})


def everything(snapshot: Snapshot) -> UnitResults:
    """All documents, not in their order."""
    segments = np.concatenate([
        np.full(segment.doc_count, number, np.int32) for number, segment in enumerate(snapshot.segments)
    ])
    units = np.concatenate([np.arange(segment.doc_count, dtype=np.int32) for segment in snapshot.segments])
    order = np.random.default_rng(1).permutation(len(units))
    return UnitResults(segments[order], units[order], np.zeros(len(units)))


def gains(evidence: MatchedFormulas, query: Query) -> dict[str, float]:
    snapshot = evidence.retriever.snapshot
    found = everything(snapshot)
    ids = [
        snapshot.segments[segment].doc_ids([unit])[0]
        for segment, unit in zip(found.segments.tolist(), found.units.tolist(), strict=True)
    ]
    return dict(zip(ids, evidence.scores(query, found).tolist(), strict=True))


def evidence_of(snapshot: Snapshot, settings: Matches = CHOSEN, **weights: float) -> MatchedFormulas:
    analyzer = Analyzer(AnalysisConfig.from_dict(snapshot.config))
    return MatchedFormulas(snapshot, analyzer, settings, weights, MODEL)


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> list[Snapshot]:
    """In one segment, and in three of which several hold the same formulas."""
    path, entries = tmp_path_factory.mktemp("evidence"), list(DOCUMENTS.items())
    return [
        write(path / "one", DOCUMENTS),
        write(path / "three", dict(entries[:2]), dict(entries[2:5]), dict(entries[5:])),
        write(path / "deleted", {"gone": ["(a+b)^2", r"\frac{a}{b}"]}, dict(entries[3:]), dict(entries[:3]),
              deleted=["gone"]),
    ]


def test_each_document_gains_by_its_best_formula(snapshots: list[Snapshot]) -> None:
    for snapshot in snapshots:
        evidence = evidence_of(snapshot)
        mass = evidence.retriever.read(Formula("(a+b)^2")).mass
        found = gains(evidence, asking(title=["(a+b)^2"]))
        expected = {
            name: 0.5 * mass * share("(a+b)^2", list(held)) for name, held in DOCUMENTS.items()
        } | ({"gone": found["gone"]} if "gone" in found else {})
        assert found == pytest.approx(expected)
        assert found["same"] == found["both"] == pytest.approx(0.5 * mass)
        assert found["same"] > found["renamed"] > 0
        assert found["same"] > found["like"] > 0
        assert found["nothing"] == 0


def test_gains_do_not_depend_on_segments(snapshots: list[Snapshot]) -> None:
    query = asking(title=["(a+b)^2"], body=[r"\frac{a}{b}", "(a+b)^2", r"\frac{x}{y}"])
    one, three, deleted = (gains(evidence_of(snapshot), query) for snapshot in snapshots)
    deleted.pop("gone", None)
    assert one == three == deleted


def test_the_sum_over_formulas_with_the_weights_of_their_fields(snapshots: list[Snapshot]) -> None:
    evidence = evidence_of(snapshots[0], title=4.0, ignored=0.0)
    query = asking(title=["(a+b)^2"], body=["(a+b)^{2}", "(a + b)^2", r"\frac{a}{b}"], ignored=[r"\frac{x}{y}"])
    masses = {latex: evidence.retriever.read(Formula(latex)).mass for latex in ("(a+b)^2", r"\frac{a}{b}")}
    expected = {
        name: 0.5 * 6**0.5 * masses["(a+b)^2"] * share("(a+b)^2", list(held))
        + 0.5 * masses[r"\frac{a}{b}"] * share(r"\frac{a}{b}", list(held))
        for name, held in DOCUMENTS.items()
    }
    assert gains(evidence, query) == pytest.approx(expected)


def test_the_mass_is_the_sum_of_what_the_terms_say(snapshots: list[Snapshot]) -> None:
    retriever = evidence_of(snapshots[0]).retriever
    expected = 0.0
    keys = {latex for held in DOCUMENTS.values() for latex in held}
    for channel in retriever.lexical.channels:
        rows = [set(extract(channel, parse(Formula(latex)), tree_of(latex))) for latex in keys]
        count = sum(map(bool, rows))
        for term in extract(channel, parse(Formula("(a+b)^2")), tree_of("(a+b)^2")):
            df = sum(indexed_form(term) in map(indexed_form, row) for row in rows)
            expected += np.log(1 + (count - df + 0.5) / (df + 0.5))
    assert retriever.read(Formula("(a+b)^2")).mass == pytest.approx(expected)


@every_case("latex", ["x", "n", "5", r"\pi", "?a", "", r"\mathbb{R}"])
def test_single_symbols_add_nothing(latex: str, snapshots: list[Snapshot]) -> None:
    for snapshot in snapshots:
        evidence = evidence_of(snapshot)
        assert set(gains(evidence, asking(title=[latex, latex])).values()) == {0.0}
        with_formula, alone = asking(title=[latex, "(a+b)^2"]), asking(title=["(a+b)^2"])
        assert gains(evidence, with_formula) == gains(evidence, alone)


def test_only_the_formulas_of_most_mass_are_asked_for(snapshots: list[Snapshot]) -> None:
    both = asking(title=["(a+b)^2", r"\frac{a}{b}"])
    one = evidence_of(snapshots[0], Matches(0.5, 0.4, 100, 1))
    read = one.retriever.read
    heavier = max(("(a+b)^2", r"\frac{a}{b}"), key=lambda latex: read(Formula(latex)).mass)
    assert gains(one, both) == gains(one, asking(title=[heavier]))
    assert gains(one, both) != gains(evidence_of(snapshots[0]), both)


def test_the_best_instead_of_the_sum(snapshots: list[Snapshot]) -> None:
    both = asking(title=["(a+b)^2", r"\frac{a}{b}"])
    each = [gains(evidence_of(snapshots[0]), asking(title=[latex])) for latex in ("(a+b)^2", r"\frac{a}{b}")]
    best = evidence_of(snapshots[0], Matches(0.5, 0.4, 100, 10, combine="best"))
    assert gains(best, both) == {name: max(one[name] for one in each) for name in each[0]}
    total = gains(evidence_of(snapshots[0]), both)
    assert total == pytest.approx({name: sum(one[name] for one in each) for name in each[0]})
    assert total != gains(best, both)
    found = everything(snapshots[0])
    for position, gain in enumerate(best.scores(both, found).tolist()):
        explanation = best.explain(both, found, position)
        assert explanation.value == pytest.approx(gain)
        assert sum(part.value for part in explanation.parts) == pytest.approx(gain)


def test_a_power_of_the_mass(snapshots: list[Snapshot]) -> None:
    query = asking(title=["(a+b)^2"])
    mass = evidence_of(snapshots[0]).retriever.read(Formula("(a+b)^2")).mass
    first = gains(evidence_of(snapshots[0]), query)
    flat = gains(evidence_of(snapshots[0], Matches(0.5, 0.4, 100, 10, mass_power=0.0)), query)
    assert first == pytest.approx({name: gain * mass for name, gain in flat.items()})
    assert max(flat.values()) > 0


def test_few_candidates_and_weights_of_nothing(snapshots: list[Snapshot]) -> None:
    query = asking(title=["(a+b)^2"])
    first = gains(evidence_of(snapshots[0], Matches(0.5, 0.4, 1)), query)
    assert {name for name, gain in first.items() if gain > 0} == {"same", "both"}
    assert set(gains(evidence_of(snapshots[0], Matches(0.0)), query).values()) == {0.0}
    far = gains(evidence_of(snapshots[0], Matches(1.0, 0.999999)), asking(title=["u-7"]))
    assert set(far.values()) == {0.0}
    nothing = UnitResults(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))
    assert evidence_of(snapshots[0]).scores(query, nothing).tolist() == []


def test_explanations_add_up_to_the_gains(snapshots: list[Snapshot]) -> None:
    query = asking(title=["(a+b)^2"], body=[r"\frac{a}{b}", "x"])
    for snapshot in snapshots:
        evidence, found = evidence_of(snapshot), everything(snapshot)
        gained = evidence.scores(query, found).tolist()
        assert max(gained) > 0
        for position, gain in enumerate(gained):
            explanation = evidence.explain(query, found, position)
            assert explanation.value == pytest.approx(gain)
            assert explanation.value == pytest.approx(sum(part.value for part in explanation.parts))
            assert len(explanation.parts) <= 2


def test_matches_name_the_best_formula_of_a_document(snapshots: list[Snapshot]) -> None:
    query = asking(title=["(a+b)^2"], body=[r"\frac{a}{b}", "x"])
    for snapshot in snapshots:
        evidence = evidence_of(snapshot)
        found: dict[str, dict[str, str]] = {}
        for number, segment in enumerate(snapshot.segments):
            for unit, name in enumerate(segment.doc_ids(range(segment.doc_count))):
                if segment.live[unit]:
                    matches = evidence.shown.matches(query, number, unit)
                    found[name] = {match.query.source: match.found.source for match in matches}
        assert found["same"]["(a+b)^2"] == found["both"]["(a+b)^2"] == "(a+b)^2"
        assert found["renamed"] == {"(a+b)^2": "(u+v)^2", r"\frac{a}{b}": r"\frac{x}{y}"}
        assert found["fraction"][r"\frac{a}{b}"] == r"\frac{a}{b}"
        assert found["nothing"] == {}
        for name, matched in found.items():
            for query_formula, best in matched.items():
                alike = [similarity(query_formula, held) for held in DOCUMENTS[name]]
                assert similarity(query_formula, best) == pytest.approx(max(alike))
                assert max(alike) >= 0.5


@every_case("wrong", [
    {"weight": -1.0}, {"weight": float("nan")}, {"weight": 1e7}, {"least": 1.0}, {"least": -0.1}, {"candidates": 0},
    {"formulas": 0}, {"combine": "mean"}, {"mass_power": -1.0},
])
def test_settings_out_of_range(wrong: dict[str, float]) -> None:
    with pytest.raises(ConfigError):
        Matches(**wrong)  # type: ignore[arg-type]


def test_an_index_without_formulas(tmp_path: Path) -> None:
    snapshot = write(tmp_path / "index", {"a": [], "b": []})
    assert gains(evidence_of(snapshot), asking(title=["a+b"])) == {"a": 0.0, "b": 0.0}
    assert evidence_of(snapshot).shown.matches(asking(title=["a+b"]), 0, 0) == []


# --- equal formulas ---

EQUAL = Matches(weight=0.5, least=0.4, equal=1.0, renamed=0.9, part=0.8)
HELD: Group = {
    "itself": ["x", r"1+\frac{1}{x}"], "equal": [r"\frac{1+x}{x}"], "renamed": [r"1+\frac{1}{t}"],
    "part": [r"y=\frac{1+x}{x}"], "unlike": [r"\frac{x}{1+x}"], **{f"other{n}": [f"z^{n}"] for n in range(20)},
}


def hybrid(snapshot: Snapshot, settings: Matches) -> DocumentRetriever:
    model = SearchModel({"tokens": ChannelSettings(1.0), "approach0": ChannelSettings(1.0)}, matches=settings)
    return DocumentRetriever(snapshot, Analyzer(AnalysisConfig.from_dict(snapshot.config)), model)


@every_case("parts", [1, 3])
def test_a_document_with_an_equal_formula_gains_what_it_lacks(parts: int, tmp_path: Path) -> None:
    entries = list(HELD.items())
    snapshot = write(tmp_path / "index", *(dict(entries[start::parts]) for start in range(parts)))
    query = asking(body=[r"1+\frac{1}{x}"])
    found = dict(hybrid(snapshot, EQUAL).search([query], 30)["q"])
    without = dict(hybrid(snapshot, Matches(weight=0.5, least=0.4)).search([query], 30)["q"])
    assert list(found)[:4] == ["equal", "itself", "renamed", "part"] or list(found)[:4] == [
        "itself", "equal", "renamed", "part"
    ]
    assert found["equal"] == pytest.approx(found["itself"], rel=0.3)
    assert found["itself"] == pytest.approx(without["itself"], rel=0.05)
    assert found["unlike"] == without["unlike"]
    assert max(without, key=lambda name: without[name]) == "itself"
    assert without["equal"] < 0.6 * found["equal"]


def test_a_document_without_a_term_of_the_query_is_found(tmp_path: Path) -> None:
    snapshot = write(tmp_path / "index", {"equal": [r"\sin 2\theta"], **{f"o{n}": [f"z^{n}"] for n in range(5)}})
    query = asking(body=[r"2\cos\theta\sin\theta"])
    analyzer = Analyzer(AnalysisConfig.from_dict(snapshot.config))
    model = SearchModel({"tokens-3": ChannelSettings(1.0)}, matches=EQUAL)
    assert list(dict(DocumentRetriever(snapshot, analyzer, model).search([query], 5)["q"])) == ["equal"]
    allowed = [np.zeros(segment.doc_count, np.bool_) for segment in snapshot.segments]
    assert not len(DocumentRetriever(snapshot, analyzer, model).search_units(query, 5, allowed=allowed).scores)
    off = replace(model, matches=replace(EQUAL, equal=0.0))
    assert not dict(DocumentRetriever(snapshot, analyzer, off).search([query], 5)["q"])


def test_what_many_hold_says_little(tmp_path: Path) -> None:
    """The same two documents, once among others that hold an equal formula as well."""
    gained = []
    for others in ([r"z^{%d}"], [r"\frac{%d+%dx}{%dx}"]):
        held = {f"o{n}": [others[0].replace("%d", str(n + 2))] for n in range(30)}
        snapshot = write(tmp_path / str(len(gained)), {"equal": [r"\frac{1+x}{x}"], **held})
        query = asking(body=[r"1+\frac{1}{x}"])
        scores, without = (
            dict(hybrid(snapshot, replace(EQUAL, weight=0.001, equal=equal)).search([query], 40)["q"])
            for equal in (1.0, 0.0)
        )
        gained.append(scores["equal"] - without["equal"])
    assert gained[0] > 1.0
    assert gained[1] < 0.1


def test_explanations_of_equal_formulas_add_up(tmp_path: Path) -> None:
    retriever = hybrid(write(tmp_path / "index", HELD), EQUAL)
    query = asking(body=[r"1+\frac{1}{x}"])
    for name, score in retriever.search([query], 30)["q"]:
        explanation = retriever.explain(query, name)
        assert explanation.value == pytest.approx(score)
        assert ("an equal one" in str(explanation)) == (name in ("equal", "renamed", "part"))
    scores = dict(retriever.search([query], 30)["q"])
    assert retriever.score_documents(query, list(scores)).tolist() == list(scores.values())


def test_deleted_documents_and_unknown_shares(tmp_path: Path) -> None:
    snapshot = write(tmp_path / "index", HELD, deleted=["equal"])
    found = dict(hybrid(snapshot, EQUAL).search([asking(body=[r"1+\frac{1}{x}"])], 30)["q"])
    assert "equal" not in found
    for wrong in ({"equal": -1.0}, {"equal": 11.0}, {"renamed": 1.1}, {"part": -0.1}):
        with pytest.raises(ConfigError):
            Matches(**wrong)
