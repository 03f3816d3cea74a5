"""What declarations of Lean mention, and what names mean."""

from __future__ import annotations

from case_tables import every_case

from porism.corpus.lean.documents import LeanDocuments
from porism.corpus.lean.mentions import mentioned
from porism.corpus.lean.resolution import DeclaredNames
from porism.types import CITES, DECLARES, MENTIONS

MODULE = """
namespace Group
variable {G : Type*} [Group G]

@[to_additive]
theorem mul_inv (a : G) (h : IsUnit a) : a * inverse a = 1 := by
  rw [Nat.add_comm, h.foo, mul_one.symm]
  simp

section
attribute [local instance] Matrix.normed
theorem local_one : True := trivial
@[local instance] def own : Foo := bar
theorem local_two : True := trivial
end
theorem last : True := trivial
"""


def test_a_declaration_says_what_it_mentions() -> None:
    documents = list(LeanDocuments(MODULE, "A.lean", "lib", "A", lambda problem: None).documents())
    first = documents[0].metadata
    assert first[DECLARES] == "Group.mul_inv"
    assert first[MENTIONS] == ("Group", "IsUnit", "inverse")
    assert first[CITES] == ("Nat.add_comm", "mul_one.symm")
    made = next(document for document in documents if "generated" in document.metadata)
    assert made.metadata[DECLARES] == "AddGroup.add_neg"
    assert MENTIONS not in made.metadata


def test_instances_of_a_section_are_those_of_its_declarations() -> None:
    by_name = {
        document.title.text: document.metadata
        for document in LeanDocuments(MODULE, "A.lean", "lib", "A", lambda problem: None).documents()
    }
    assert by_name["Group.local_one"]["instances"] == ("Matrix.normed",)
    assert by_name["Group.local_two"]["instances"] == ("Matrix.normed", "Group.own")
    assert "instances" not in by_name["Group.last"]


def test_words_of_the_language_and_hypotheses_are_no_mentions() -> None:
    assert mentioned("by simp [foo_bar, hx.le, h₁, ab] at this; exact Foo.bar x") == ["foo_bar", "Foo.bar"]
    assert mentioned("f.trans g foo", ["f"]) == ["foo"]


DECLARED = DeclaredNames({
    "add_comm": False, "Nat.add_comm": True, "Nat.succ": False, "Int.succ": False, "A.B.foo": False, "A.foo": False,
    "add_comm.symm": False,
}.get)


@every_case(("written", "namespace", "opened", "names", "rest"), [
    ("foo", "A.B", (), ("A.B.foo",), ""),
    ("foo", "A", (), ("A.foo",), ""),
    ("B.foo", "A", (), ("A.B.foo",), ""),
    ("foo", "", ("A",), ("A.foo",), ""),
    ("foo", "A", ("B",), ("A.foo",), ""),
    ("_root_.add_comm", "Nat", (), ("add_comm",), ""),
    ("add_comm", "Nat", (), ("add_comm",), ""),  # protected
    ("Nat.add_comm", "", (), ("Nat.add_comm",), ""),
    ("succ", "", ("Nat", "Int"), ("Nat.succ", "Int.succ"), ""),
    ("succ.inj", "Nat", (), ("Nat.succ",), ".inj"),
    ("add_comm.symm", "", (), ("add_comm.symm",), ""),
    ("unknown", "A.B", ("Nat",), (), ""),
])
def test_names_mean_what_is_nearest(
    written: str, namespace: str, opened: tuple[str, ...], names: tuple[str, ...], rest: str
) -> None:
    resolved = DECLARED.resolve(written, namespace, opened)
    assert (resolved.names, resolved.rest) == (names, rest)
