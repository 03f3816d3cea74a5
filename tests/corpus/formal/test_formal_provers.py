"""Isabelle, Rocq, Agda, Metamath and Mizar: a document for each declaration, with its name, statement and comment."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from case_tables import every_case
from hypothesis import example, given, settings
from hypothesis import strategies as st
from long_forms import examples

from porism.corpus import detect_format, open_source
from porism.corpus.base import clean
from porism.corpus.formal.agda import AgdaReader
from porism.corpus.formal.isabelle import IsabelleReader
from porism.corpus.formal.metamath import MetamathReader
from porism.corpus.formal.mizar import MizarReader
from porism.corpus.formal.reader import FormalReader
from porism.corpus.formal.rocq import RocqReader
from porism.corpus.formal.symbols import with_characters
from porism.errors import Problem
from porism.types import Document

THEORY = r"""(* A licence. *)
section \<open>Groups\<close>
theory Small
  imports Main
begin

text \<open>The law $a \cdot b$ of @{term "f x"} and \<^const>\<open>g\<close>.\<close>
lemma comm [simp]: "a \<circ> b = b \<circ>\<^sub>1 a"
  by (rule comm')

text \<open>Words alone.\<close>

subsection "More"

(* What it is. *)
definition twice :: "'a \<Rightarrow> 'a" where
  "twice x = f (f x)"

locale magma =
  fixes op :: "'a \<Rightarrow> 'a"
begin

theorem inner:
  assumes "P x"
  shows "lemma = x" "Q"
proof -
  show ?thesis by simp
qed

definition "half x \<equiv> x"
end

lemma (in magma) outer: "x = x" and again: "y = y" ..
lemma "x = (x::nat)" by simp
lemmas [simp] = comm
lemmas both = comm outer
fun even :: "nat \<Rightarrow> bool" and odd :: "nat \<Rightarrow> bool" where "even 0 = True"
datatype ('a, 'b) pair = Pair 'a 'b
instance nat :: magma ..
end
"""

VERNACULAR = """(** * Numbers *)
Require Import Arith.

Section Group.
Variables (G : Type) (op : G -> G -> G).
Variable e : G.

(** The law of [op], $x y = y x$. *)
Lemma comm (x y : G) : op x y = op y x.
Proof. by rewrite. Qed.

(* Not about it. *)

#[local] Definition twice {A : Type} (f : A -> A) := fun x => f (f x).
End Group.

Module Import Inner.
Inductive tree : Type := Leaf | Node (l : forest) with forest : Type := Nil.
Axioms (p q : Prop).
HB.instance Definition _ := tree.
Canonical tree.
Instance known : Foo (fun x => x := y). Admitted.
End Inner.
Module Alias := Inner.
End Other.
"""

AGDA = """module Data.Small {a} (A : Set a) where

open import Level

-- A relation, $x$.
data _≤_ : ℕ → ℕ → Set where
  z≤n : zero ≤ n

record Magma : Set where
  field op : A
  law : A
  law = op

private
  variable n : ℕ
  helper : A
  helper = x
    where
    local : A
    local = x

module _ (G : Magma) where
  f g : op G
  f = x
    where h : A

postulate ext : A
old-name = helper
f x = y
module Other = Data
"""

DATABASE = r"""$( =-=-=-
        Sets
=-=-=- $)
$( $t althtmldef "e." as " <I>&isin;</I> "; althtmldef "ph" as '<SPAN>&phi;' + '</SPAN>'; $)
$c |- wff e. $.
wph $f wff ph $.
$( Read: ` A e. B ` , see ~ ax-1 . $)
wel $a wff A e. B $.
${
  h.1 $e |- ph $.
  $( From ` ph ` . $)
  th $p |- A e. B $= ( wel ) AB $.
$}
ax-1 $a |- ph $.
df-x $a |- A e. A $.
"""

ABSTRACT = """:: Groups
::  by Nobody
environ
 vocabularies X;
begin

reserve m for Nat;
definition
  let G be Magma;
  attr G is unital means
:: SMALL:def 1
  ex e st e = e;
  func 1_G -> Element of G means
:: SMALL:def 2
  it = e;
  involutiveness;
end;
definition
  mode Group is unital Magma;
end;
registration
  cluster unital for Magma;
end;
theorem :: SMALL:1
  m = m;
canceled;
theorem :: SMALL:3
  m <= m;
scheme :: SMALL:sch 1
 Ind { P[Nat] } : for n holds P[n] provided P[0];
"""

ARTICLE = """:: Groups
environ
begin
definition
  let G be Magma;
  attr G is unital means
  :Def1: ex e st e = e;
  func 1_G -> Element of G means
  :Def2: it = e;
  existence
  proof
    thus thesis by Def1;
  end;
  uniqueness;
end;
theorem Th1: :: OTHER:7
  m = m by Def2;
canceled;
theorem
  m <= m proof thus thesis; end;
scheme Ind { P[Nat] } : for n holds P[n] provided P[0]
proof thus thesis; end;
"""


def read(reader: FormalReader, text: str, name: str) -> tuple[list[Document], list[Problem]]:
    problems: list[Problem] = []
    return list(reader.file_documents(clean(text), Path(name), name, "lib", problems.append).documents()), problems


def shown(documents: list[Document]) -> list[tuple[str, str, str]]:
    return [
        (document.title.text, str(document.metadata["kind"]), document.fields["signature"].text)
        for document in documents if "kind" in document.metadata
    ]


def test_a_theory_of_isabelle() -> None:
    documents, problems = read(IsabelleReader(), THEORY, "Small.thy")
    assert problems == []
    assert shown(documents) == [
        ("comm", "lemma", "[simp]: a ∘ b = b ∘_1 a"), ("twice", "definition", ":: 'a ⇒ 'a where\ntwice x = f (f x)"),
        ("magma", "locale", "=\nfixes op :: 'a ⇒ 'a"),
        ("magma.inner", "theorem", ":\nassumes P x\nshows lemma = x Q"), ("magma.half", "definition", "half x ≡ x"),
        ("magma.outer", "lemma", ": x = x and again: y = y"), ("", "lemma", "x = (x::nat)"),
        ("both", "lemmas", "= comm outer"), ("even", "fun", ":: nat ⇒ bool and odd :: nat ⇒ bool where even 0 = True"),
        ("pair", "datatype", "= Pair 'a 'b"), ("nat", "instance", ":: magma"),
    ]  # fmt: skip
    comm, twice, *_, outer, _, _, even, _, _, prose = documents
    assert comm.fields["body"].to_latex() == "The law $a \\cdot b$ of f x and g."
    assert (twice.fields["body"].text, twice.fields["section"].text) == ("What it is.", "More")
    assert twice.metadata["section"] == ("Groups", "More")
    assert (twice.metadata["type"], twice.metadata["line"], twice.metadata["module"]) == ("definition", "16", "Small")
    assert (outer.metadata["aliases"], even.metadata["aliases"]) == (
        ("Small.magma.outer", "again"), ("Small.even", "odd"),
    )  # fmt: skip
    assert "Words alone." in prose.fields["body"].text


def test_symbols_of_isabelle_are_characters() -> None:
    assert with_characters(r"\<forall>x\<^sub>1. \<A> \<AA> \<bbbN> \<^bsup>n\<^esup> \<nat> \<unknown>\<^foo>") == (
        r"∀x_1. 𝒜 𝔄 ℕ ^(n) ℕ \<unknown>\<^foo>"
    )


def test_a_vernacular_file_of_rocq(tmp_path: Path) -> None:
    documents, problems = read(RocqReader(), VERNACULAR, "small.v")
    assert [str(problem) for problem in problems] == ["small.v:25: ends Other, which does not begin"]
    assert shown(documents) == [
        ("comm", "Lemma", "(G : Type) (op : G -> G -> G) (x y : G) : op x y = op y x"),
        ("twice", "Definition", "{A : Type} (f : A -> A)"),
        ("Inner.tree", "Inductive", ": Type := Leaf | Node (l : forest) with forest : Type := Nil"),
        ("Inner.p", "Axioms", "(p q : Prop)"), ("", "Definition", ":= tree"),
        ("Inner.known", "Instance", ": Foo (fun x => x := y)"),
    ]  # fmt: skip
    comm, twice, tree, axioms, instance, *_ = documents
    assert comm.fields["body"].to_latex() == "The law of op, $x y = y x$."
    assert (comm.fields["section"].text, comm.metadata["line"], comm.metadata["type"]) == ("Numbers", "9", "lemma")
    assert "body" not in twice.fields
    assert (tree.metadata["aliases"], axioms.metadata["aliases"]) == (
        ("small.Inner.tree", "forest"), ("small.Inner.p", "q"),
    )
    assert instance.metadata["modifiers"] == ("HB.instance",)
    folder = tmp_path / "theories" / "sub"
    folder.mkdir(parents=True)
    (tmp_path / "_CoqProject").write_text("-R theories Lib\n", encoding="utf-8")
    (folder / "small.v").write_text(VERNACULAR, encoding="utf-8")
    assert {document.metadata["module"] for document in open_source(folder)} == {"Lib.sub.small"}


def test_a_project_of_rocq_names_folders_of_any_bytes_and_may_be_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / os.fsdecode(b"th\xe9ories") / "sub"
    folder.mkdir(parents=True)
    (folder / "small.v").write_text(VERNACULAR, encoding="utf-8")
    project = tmp_path / "_CoqProject"
    project.write_bytes(b"-R th\xe9ories Lib\n")
    assert {document.metadata["module"] for document in open_source(folder)} == {"Lib.sub.small"}
    problems: list[Problem] = []

    def refuse(project: Path) -> tuple[tuple[Path, str], ...]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("porism.corpus.formal.rocq._paths", refuse)
    documents = list(open_source(folder, on_problem=problems.append))
    assert {document.metadata["module"] for document in documents} == {"small"}
    assert problems[0] == Problem("small.v", "its project cannot be read (Permission denied)")


def test_a_module_of_agda() -> None:
    documents, problems = read(AgdaReader(), AGDA, "Small.agda")
    assert problems == []
    assert shown(documents) == [
        ("_≤_", "data", ": ℕ → ℕ → Set where\nz≤n : zero ≤ n"),
        ("Magma", "record", "{a} (A : Set a) : Set where\nfield op : A\nlaw : A\nlaw = op"),
        ("Magma.law", "function", "{a} (A : Set a) : A"),
        ("helper", "function", "{a} (A : Set a) : A"), ("f", "function", "(G : Magma) : op G"),
        ("ext", "postulate", "{a} (A : Set a) : A"), ("old-name", "function", "= helper"),
    ]  # fmt: skip
    relation, _, _, helper, two, *_ = documents
    assert relation.fields["body"].to_latex() == "A relation, $x$."
    assert (helper.metadata["modifiers"], helper.metadata["line"]) == (("private",), "16")
    assert two.metadata["aliases"] == ("Data.Small.f", "g")


@every_case(("name", "text"), [
    ("a.lagda.md", "# Sets\n\n```agda\nmodule a where\n```\n\n```text\nno : code\n```\n\nAbout $x$.\n\n```\nx : A\n"
                   "x = y\n```\n"),
    ("a.lagda.tex", "\\section{Sets}\n\\begin{code}\nmodule a where\n\\end{code}\n\n\n\nno : code\n\nAbout $x$.\n\n"
                    "\\begin{code}\nx : A\nx = y\n\\end{code}\n"),
])  # fmt: skip
def test_literate_agda(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert detect_format(tmp_path / name) == "agda"
    declaration, *prose = open_source(tmp_path / name)
    assert (declaration.title.text, declaration.metadata["line"]) == ("x", "14" if "md" in name else "13")
    assert (declaration.fields["section"].text, declaration.fields["body"].to_latex()) == ("Sets", "About $x$.")
    assert "About $x$." in prose[-1].fields["body"].to_latex()


def test_a_database_of_metamath() -> None:
    documents, problems = read(MetamathReader(), DATABASE, "small.mm")
    assert problems == []
    assert shown(documents) == [
        ("wel", "$a", "wff A ∈ B"), ("th", "$p", "|- φ ⇒ |- A ∈ B"), ("ax-1", "$a", "|- φ"), ("df-x", "$a", "|- A ∈ A"),
    ]  # fmt: skip
    assert [document.metadata["type"] for document in documents[:4]] == ["notation", "theorem", "axiom", "definition"]
    wel, theorem, *_ = documents
    assert (wel.fields["body"].text, wel.fields["section"].text) == ("Read: A ∈ B , see ax-1 .", "Sets")
    assert (theorem.fields["body"].text, theorem.metadata["line"]) == ("From φ .", "12")
    _, problems = read(MetamathReader(), "$} a $p |- x $= y\n", "a.mm")
    assert [problem.what for problem in problems] == [
        "ends a block that does not begin", "the proof of a is never ended",
    ]


def test_an_article_of_mizar_and_its_abstract() -> None:
    documents, problems = read(MizarReader(), ABSTRACT, "small.abs")
    assert problems == []
    assert shown(documents) == [
        ("SMALL:def 1", "attr", "let G be Magma; G is unital means\nex e st e = e"),
        ("SMALL:def 2", "func", "let G be Magma; 1_G -> Element of G means\nit = e"),
        ("Group", "mode", "Group is unital Magma"), ("", "cluster", "unital for Magma"),
        ("SMALL:1", "theorem", "m = m"), ("SMALL:3", "theorem", "m <= m"),
        ("SMALL:sch 1", "scheme", "Ind { P[Nat] } : for n holds P[n] provided P[0]"),
    ]  # fmt: skip
    assert documents[0].metadata["aliases"] == ("unital",)
    assert documents[0].fields["section"].text == documents[-1].title.text == "Groups"
    article, _ = read(MizarReader(), ARTICLE, "small.miz")
    names = [document.title.text for document in documents if document.title.text.startswith("SMALL")]
    assert [document.title.text for document in article[:-1]] == names
    assert article[3].fields["signature"].text == "m <= m"


@every_case(("name", "text", "format"), [
    ("a.v", "module a;\nendmodule", None), ("a.v", "(* x *)\nLemma a : b.\n", "rocq"),
    ("a.mm", "#import <Foundation.h>", None), ("a.mm", "$c a $.", "metamath"), ("a.abs", "An abstract.", None),
    ("a.miz", "environ\nbegin", "mizar"), ("a.thy", "theory A begin end", "isabelle"), ("a.agda", "x : A", "agda"),
])  # fmt: skip
def test_files_are_recognised(name: str, text: str, format: str | None, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "b.md").write_text("# B\nwords", encoding="utf-8")
    assert detect_format(tmp_path / name) == (format or "text")
    assert detect_format(tmp_path) == ("folder" if format else "markdown")


PIECES = st.sampled_from([
    "\n", "\n", "\n  ", "a", "b.c", " : T", " := ", "(x : α)", "{y}", "(", ")", "[", "]", "(*", "*)", "{-", "-}",
    "-- c\n", '"', "'", "`", "\\<open>", "\\<close>", "‹", "›", "{*", "*}", "lemma a: ", "theorem ", "definition ",
    "theory A ",
    "begin\n", "end\n", "text ", "section ", "Lemma b ", "Section S.", "End S.", "Module M.", ". ", "Variable x : T. ",
    "Axioms (a b : T). ", "(** * H *)", "module _ {a} where\n", "record R : Set where\n", "private\n", "field\n",
    "data D ", "variable ", "where", "=", "$( ", " $)", "${ ", "$} ", " $a ", " $p ", " $= ", " $. ", " $e ",
    "environ\n", ":: X:1\n", "func f -> T means ", "theorem Th1: ", "canceled 2;", "scheme S ", ";", "proof ",
    "let x; ", "```agda\n", "```\n",
    "\\begin{code}\n", "\\end{code}\n", "# H\n", "$x$", "\x00", "\ufffc", "#*#*\nT\n#*#*", "althtmldef \"a\" as \"b\";",
])  # fmt: skip
READERS = {
    "A.thy": IsabelleReader(), "a.v": RocqReader(), "a.agda": AgdaReader(), "a.lagda.md": AgdaReader(),
    "a.lagda": AgdaReader(), "a.mm": MetamathReader(), "a.miz": MizarReader(),
}  # fmt: skip


@pytest.mark.parametrize("name", READERS)
@given(text=st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join)))
@settings(max_examples=examples(300), deadline=None)
@example(text="lemma " + "(" * 50)
@example(text="definition " + " " * 200 + "x")
def test_any_text_is_read(name: str, text: str) -> None:
    documents, _ = read(READERS[name], text, name)
    assert len({document.id for document in documents}) == len(documents)
    lines = text.count("\n") + 1
    assert all(1 <= int(re.sub(r"\D", "", str(document.metadata["line"]))) <= lines for document in documents)
