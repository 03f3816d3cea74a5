"""What declarations use and are used by, counterparts, and duplicates, of a small library with a book."""

from __future__ import annotations

from pathlib import Path

import pytest

import porism
from porism.errors import QueryError
from porism.index import Snapshot
from porism.index.derived import derived_path
from porism.index.mentions import open_mentions
from porism.search.duplicates import find_duplicates
from porism.search.related import relations_of

LIBRARY = """
namespace Group
/-- In a group, the inverse of an inverse is the element itself. -/
theorem inverse_inverse {G : Type*} [Monoid G] (a : G) : inverse (inverse a) = a := proof
theorem inverse_inverse' {H : Type u} (b : H) [Monoid H] : b = inverse (inverse b) := (inverse_inverse b).symm
theorem other {G : Type*} [Monoid G] (a : G) : inverse a = a := _root_.Top.far.symm
@[deprecated "x" (since := "2025-01-02")]
theorem old {G : Type*} [Monoid G] (a : G) : inverse (inverse a) = a := inverse_inverse a
end Group
theorem Top.far : Group.other = Group.other := by exact Group.inverse_inverse
def Top.value : Nat := Top.far
"""

BOOK = r"""
# Groups

**Theorem.** In a group, the inverse of an inverse is the element itself.

# Numbers

We expand $(x+y)^2$ first, and $x^2+2xy+y^2$ then.
"""


@pytest.fixture(scope="module")
def index_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    (folder / "Lib.lean").write_text(LIBRARY, encoding="utf-8")
    (folder / "book.md").write_text(BOOK, encoding="utf-8")
    porism.index_sources([folder], folder / "index")
    return folder / "index"


@pytest.fixture
def library(index_path: Path):
    with porism.open_index(index_path) as index:
        yield index


def declared(library: porism.Index, name: str) -> str:
    return library.declarations.documents(name)[0]


def names(library: porism.Index, ids) -> list[str]:
    return [document.title.text for document in library.documents.get(list(ids))]


def test_what_a_declaration_uses(library: porism.Index) -> None:
    uses = library.uses(declared(library, "Group.inverse_inverse'"))
    assert (names(library, uses.statement), names(library, uses.proof)) == ([], ["Group.inverse_inverse"])
    uses = library.uses(declared(library, "Top.far"))
    assert names(library, uses.statement) == ["Group.other"]
    assert names(library, uses.proof) == ["Group.inverse_inverse"]


def test_what_uses_a_declaration(library: porism.Index) -> None:
    used_by = library.used_by(declared(library, "Group.inverse_inverse"))
    assert names(library, used_by.documents) == ["Group.inverse_inverse'", "Group.old", "Top.far"]
    assert used_by.complete
    assert names(library, library.used_by(declared(library, "Top.far")).documents) == ["Group.other", "Top.value"]
    assert library.used_by(declared(library, "Top.value")).documents == ()


def test_counts_agree_with_lists(library: porism.Index) -> None:
    for segment, counts in zip(library.snapshot.segments, library.declarations.use_counts(), strict=True):
        for doc, count in enumerate(counts.tolist()):
            assert count == len(library.used_by(segment.doc_id(doc)).documents)


def test_names_are_computed_where_they_are_not_stored(library: porism.Index) -> None:
    segment = library.snapshot.segments[0]
    stored = open_mentions(segment)
    derived_path(segment.folder, "mentions").rename(segment.folder / "away")
    try:
        for first, second in zip(stored, open_mentions(segment), strict=True):
            assert first.tolist() == second.tolist()
    finally:
        (segment.folder / "away").rename(derived_path(segment.folder, "mentions"))


def test_a_text_finds_its_declaration_and_back(library: porism.Index) -> None:
    text = next(document.id for document in library.documents if "inverse of an inverse" in str(document.fields)
                and "declares" not in document.metadata)
    assert library.counterparts(text, 1)[0].id == declared(library, "Group.inverse_inverse")
    assert library.counterparts(declared(library, "Group.inverse_inverse"), 1)[0].id == text


def test_names_are_not_shown_with_hits(library: porism.Index) -> None:
    hit = next(hit for hit in library.search("inverse of an inverse") if hit.location.file == "Lib.lean")
    assert not {"declares", "mentions", "cites"} & hit.metadata.keys()
    assert "declares" not in {key for segment in library.snapshot.segments for key in segment.metadata_counts()}


def test_a_document_with_all_its_relations(library: porism.Index) -> None:
    relations = relations_of(library, "Group.inverse_inverse", listed=1)
    assert relations.document.title == "Group.inverse_inverse"
    assert (relations.used_by.count, len(relations.used_by.documents)) == (3, 1)
    assert relations.to_dict()["counterparts"]["count"] >= 1
    with pytest.raises(QueryError, match="no document or declaration 'nothing'"):
        relations_of(library, "nothing")


def test_duplicates_are_found_with_their_places(index_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    with Snapshot.open(index_path) as snapshot:
        found = find_duplicates(snapshot, on_progress=lambda done, total: steps.append((done, total)))
        assert steps[-1] == (snapshot.doc_count, snapshot.doc_count)
    assert [(group.kind, [member.title for member in group.members]) for group in found.groups] == [
        ("formal", ["Group.inverse_inverse", "Group.inverse_inverse'"]), ("formula", ["Groups", "Groups"]),
    ]
    assert found.total == 2
    assert found.groups[0].members[1].location.line == 5
    assert {member.text for member in found.groups[1].members} == {"(x + y)²", "x² + 2xy + y²"}


def test_small_and_other_duplicates_are_left_out(index_path: Path) -> None:
    with Snapshot.open(index_path) as snapshot:
        assert find_duplicates(snapshot, min_size=100).total == 0
        assert [group.kind for group in find_duplicates(snapshot, kinds=("formula",)).groups] == ["formula"]
        limited = find_duplicates(snapshot, limit=1)
        assert (len(limited.groups), limited.total) == (1, 2)
