"""Statements are found by the form of their hypotheses and conclusions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import QueryError
from porism.retrieve.patterns.question import read_patterns
from porism.search.index import Index, open_index
from porism.search.patterns import PatternSearch
from porism.search.sources.updating import index_sources

LEAN = """
/-! # Things -/
theorem inf_sup [Lattice α] (a b c : α) : a ⊔ (b ⊓ c) = (a ⊔ b) ⊓ (a ⊔ c) := proof
theorem sup_inf [Lattice α] (a b c : α) : (x ⊓ y) ⊔ z = w := proof
@[to_additive]
theorem mul_comm [CommMonoid M] (a b : M) : a * b = b * a := proof
theorem sq (a b : ℝ) : a * b = a * b := proof
theorem lt_trans {a b c : α} (h : a < b) : b < c → a < c := proof
theorem lt_other {a b c : α} (hab : a < b) (hcd : c < d) : a < c := proof
theorem sqrt_le (x : ℝ) : Real.sqrt x ≤ x + 1 := proof
theorem log_mul (x y : ℝ) : Real.log (x * y) = Real.log x + Real.log y := proof
theorem three (a b c : ℝ) : a + b + c = c := proof
theorem iff_and : p ∧ q ∧ r ↔ s := proof
theorem no_le (f : ℕ → ℝ) (h : ∀ n, f n ≤ 1) : f 0 = 0 := proof
/-- Here $x \\le \\sqrt{y}$. -/
theorem doc (x : ℝ) : x = x := proof
"""
TEXT = r"""# Roots

Where $n \ge 1$, $\sqrt{n} \le n + 1$ and $\log(ab) = \log a + \log b$.
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("patterns")
    (folder / "source").mkdir()
    (folder / "source" / "A.lean").write_text(LEAN, encoding="utf-8")
    (folder / "source" / "roots.md").write_text(TEXT, encoding="utf-8")
    index_sources([folder / "source"], folder / "index", jobs=1)
    with open_index(folder / "index") as opened:
        yield opened


def found(index: Index, pattern: str, *, symmetric: bool = True) -> set[str]:
    answer = PatternSearch(index.snapshot).search(pattern, 50, symmetric=symmetric)
    assert answer.total == len(answer.hits)
    assert answer.undecided == 0
    return {hit.name for hit in answer.hits}


@every_case(("pattern", "names"), [
    ("?a ⊔ (?b ⊓ ?c) = _", {"inf_sup"}),
    ("(?b ⊓ ?c) ⊔ ?a = _", {"sup_inf"}),
    ("?a * ?b = ?b * ?a", {"mul_comm"}),
    ("?a + ?b = ?b + ?a", {"add_comm"}),
    ("x * y = x * y", {"sq"}),
    ("?a < ?b → ?b < ?c → ?a < ?c", {"lt_trans"}),
    ("?b < ?c → ?a < ?b → ?a < ?c", {"lt_trans"}),
    ("?a < ?b → ?c < ?d → ?a < ?c", {"lt_other"}),
    ("⊢ ?a < ?b", {"lt_trans", "lt_other"}),
    ("?a < ?b ⊢ ?c = ?d", set()),
    ("∀ n, ?f n ≤ _ ⊢", {"no_le"}),
    ("√?a ≤ ?b", {"sqrt_le", "Roots"}),
    (r"\sqrt{?a} \le ?b", {"sqrt_le", "Roots"}),
    (r"?b \le \sqrt{?a}", set()),
    (r"?b \ge \sqrt{?a}", {"sqrt_le", "Roots"}),
    ("?b > ?a → ?b < ?c → ?c > ?a", {"lt_trans"}),
    ("⊢ ?a > ?b", {"lt_trans", "lt_other"}),
    (r"1 \le ?n", {"Roots"}),
    ("?f (?a * ?b) = ?f ?a + ?f ?b", {"log_mul", "Roots"}),
    (r"\log(?a) + _", {"log_mul", "Roots"}),
    (r"\log ?a + _", {"log_mul", "Roots"}),
    (r"?f(?x) = \log(?y) + _", {"log_mul", "Roots"}),
    ("Real.log", {"log_mul", "Roots"}),
    ('log, "mul"', {"log_mul"}),
    ('"MUL"', {"mul_comm", "log_mul"}),
    ("?a + ?b + ?c = ?d", {"three"}),
    ("?x + ?c = ?c", {"three"}),
    ("a + b", {"add_comm", "three"}),
    ("?p ∧ ?q ↔ ?s", {"iff_and"}),
    ("?s ↔ ?p ∧ ?q", {"iff_and"}),
    ("Lattice ?a ⊢", {"inf_sup", "sup_inf"}),
    ("nothing_like_it", set()),
])  # fmt: skip
def test_all_and_only_what_matches_is_found(index: Index, pattern: str, names: set[str]) -> None:
    assert found(index, pattern) == names


def test_sides_change_places_only_where_that_is_wanted(index: Index) -> None:
    assert found(index, "_ = ?a ⊔ (?b ⊓ ?c)") == {"inf_sup"}
    assert found(index, "_ = ?a ⊔ (?b ⊓ ?c)", symmetric=False) == set()
    assert found(index, "?s ↔ ?p ∧ ?q", symmetric=False) == set()


def test_hits_have_their_statement_and_place(index: Index) -> None:
    answer = index.patterns.search(r"\sqrt{?a} \le ?b", 5)
    by_name = {hit.name: hit for hit in answer.hits}
    assert by_name["sqrt_le"].statement == "(x : ℝ) : Real.sqrt x ≤ x + 1"
    assert (by_name["sqrt_le"].kind, by_name["sqrt_le"].location.line) == ("theorem", 10)
    assert by_name["Roots"].statement == r"$\sqrt{n} \le n + 1$"
    assert [hit.size for hit in answer.hits] == sorted(hit.size for hit in answer.hits)
    (roots,) = [hit for hit in index.patterns.search("log", 5).hits if hit.name == "Roots"]
    assert roots.statement == r"$\log(ab) = \log a + \log b$"
    value = answer.to_dict()
    assert (value["total"], value["undecided"], len(value["unchecked"])) == (2, 0, 4)


def test_only_so_many_are_shown_and_filters_count(index: Index) -> None:
    assert len(index.patterns.search("?a = ?b", 3).hits) == 3
    assert index.patterns.search("?a = ?b", 3).total > 3
    assert index.patterns.search("√?a ≤ ?b", 3, filters={"kind": ("theorem",)}).total == 1
    with pytest.raises(QueryError):
        index.patterns.search("?a = ?b", 0)


@given(st.lists(st.sampled_from(["?a", "?f ", "(", ")", " + ", " = ", "x", "√", "_", " → ", "∀ x, ", "⊢ ", "1"])))
def test_any_pattern_has_an_answer(index: Index, pieces: list[str]) -> None:
    try:
        question = read_patterns("".join(pieces))
    except QueryError:
        return
    assert index.patterns.search(question, 3).total >= 0
