"""What a unit is and is called: kinds that a query names, names, labels, headings, proofs and symbols."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from case_tables import every_case

from porism import Index, index_documents
from porism.corpus import split_math
from porism.errors import ConfigError
from porism.retrieve import DEFAULT_MODEL, Kinds
from porism.retrieve.documents.kinds import kinds_named
from porism.search.index import make_query
from porism.types import Document

FILLER = "Nothing in this text says more than that it is here and fills a page."


def document(doc_id: str, kind: str = "", **fields: str) -> Document:
    return Document(doc_id, {name: split_math(text) for name, text in fields.items()}, {"type": kind} if kind else {})


def found(tmp_path: Path, question: str, *documents: Document, model=DEFAULT_MODEL) -> list[str]:
    others = [document(f"filler-{number}", body=f"{FILLER} {number}") for number in range(8)]
    index_documents([*documents, *others], tmp_path / "index", jobs=1)
    with Index(tmp_path / "index", model) as index:
        return [hit.id for hit in index.search(question, 5)]


@every_case(("question", "kinds"), [
    ("definition of a manifold", ("definition",)),
    ("define manifold", ("definition",)),
    ("how is a sheaf defined", ("definition",)),
    ("what is a sheaf?", ("definition",)),
    ("What are modular forms", ("definition",)),
    ("what is compactness?", ("definition",)),
    ("what does étale mean", ("definition",)),
    ("definition in the theorem of Stokes", ("definition",)),
    ("five lemma", ("lemma",)),
    ("example of a space that is not Hausdorff", ("example",)),
    ("proof of the theorem of Stokes", ("theorem", "lemma", "proposition", "corollary", "proof")),
    ("what is the limit of $x^n$", ()),
    ("Stokes", ()),
    ("$x^2$", ()),
    ("I read the definition of a sheaf and a theorem and do not see why it has to be so long", ()),
])
def test_short_queries_name_kinds(question: str, kinds: tuple[str, ...]) -> None:
    assert kinds_named(make_query(question)) == kinds


THEOREM = document("theorem", "theorem", body="Each manifold in the list has a cover by charts, which are many.")
DEFINITION = document(
    "definition", "definition", body="A manifold is a space that looks flat near every point that it has."
)


def test_a_definition_that_is_asked_for_comes_first(tmp_path: Path) -> None:
    assert found(tmp_path, "definition of manifold", THEOREM, DEFINITION)[0] == "definition"


def test_without_a_cue_or_the_setting_it_does_not(tmp_path: Path) -> None:
    off = replace(DEFAULT_MODEL, kinds=Kinds(weight=0.0))
    assert found(tmp_path / "a", "manifold", THEOREM, DEFINITION)[0] == "theorem"
    assert found(tmp_path / "b", "define manifold", THEOREM, DEFINITION, model=off)[0] == "theorem"


def test_the_explanation_adds_up_and_names_the_kind(tmp_path: Path) -> None:
    index_documents([THEOREM, DEFINITION], tmp_path / "index", jobs=1)
    with Index(tmp_path / "index") as index:
        hit = index.search("definition of manifold", 1)[0]
        explained = index.explain("definition of manifold", hit.id)
        assert explained.value == pytest.approx(hit.score)
        (part,) = [part for part in explained.parts if part.label.startswith("kind")]
        (meaning,) = [part for part in explained.parts if part.label.startswith("meaning")]
        assert part.value == pytest.approx(0.5 * (hit.score - meaning.value - part.value))
        assert "definition" in part.label


@every_case("weight", [-1.0, float("inf"), float("nan")])
def test_a_weight_out_of_its_range_is_refused(weight: float) -> None:
    with pytest.raises(ConfigError, match="kinds cannot have the weight"):
        Kinds(weight=weight)


def test_a_label_is_found_by_its_parts(tmp_path: Path) -> None:
    labelled = document("other-id", "lemma", labels="lemma-five-lemma", body="Rows are exact.")
    mentions = document("mentions", "remark", body="Of the five rows of this diagram one lemma says they are exact.")
    assert found(tmp_path, "five lemma", mentions, labelled)[0] == "other-id"


def test_an_own_name_outranks_an_inherited_heading(tmp_path: Path) -> None:
    named = document("named", "theorem", title="Zariski's main theorem", body=FILLER)
    below = [
        document(f"below-{number}", "lemma", section="Zariski's main theorem", body=f"Zariski {number}")
        for number in range(3)
    ]
    assert found(tmp_path, "Zariski main theorem", *below, named)[0] == "named"


def test_a_proof_weighs_less_than_a_statement(tmp_path: Path) -> None:
    statement = document("statement", "theorem", body=f"Nakayama holds. {FILLER}")
    proved = document("proved", "theorem", body=f"This holds. {FILLER}", proof="By Nakayama and Nakayama.")
    assert found(tmp_path, "Nakayama", proved, statement)[0] == "statement"


@every_case("question", [r"$x \sqcup y$", "⊔", r"\sqcup"])
def test_a_symbol_is_found_however_it_is_written(tmp_path: Path, question: str) -> None:
    plain = document("plain", body="theorem sup_comm : a ⊔ b = b ⊔ a")
    formula = document("formula", body=r"The join $A \sqcup B$ of both.")
    assert set(found(tmp_path, question, plain, formula)[:2]) == {"plain", "formula"}


def test_an_identifier_is_found_whole_and_by_its_parts(tmp_path: Path) -> None:
    exact = document("exact", body="theorem Finset.sum_comm : x")
    parts = document("parts", body="comm of the sum over a finset, and once more: finset sum comm")
    assert found(tmp_path / "a", "Finset.sum_comm", parts, exact)[0] == "exact"
    assert set(found(tmp_path / "b", "sum over finset", parts, exact)[:2]) == {"exact", "parts"}
