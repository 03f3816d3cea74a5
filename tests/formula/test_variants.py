"""Variants of formulas: equal ones have the same value, different ones another, and renaming is consistent."""

from __future__ import annotations

from random import Random

from case_tables import every_case

from porism.formula import operator_string, operator_tree, parse
from porism.formula.tree import OperatorNode, OperatorTree
from porism.formula.values import whole_value
from porism.formula.variants.changes import CHANGES
from porism.formula.variants.editing import apply_one as apply
from porism.formula.variants.editing import copied, rule_table, signature
from porism.formula.variants.making import Varied, equal_values
from porism.formula.variants.renaming import rename
from porism.formula.variants.rewriting import REWRITES, reorder
from porism.types import Formula

FORMULAS = [
    r"\frac{a}{b+1}", r"x^2+2x+1=0", r"\sqrt{x^2+y^2}\le x+y", r"\sum_{i=1}^n i^2=\frac{n(n+1)(2n+1)}{6}",
    r"\int_0^1 x^2\,dx", r"\tan x=\frac{\sin x}{\cos x}", r"e^{-x}(a+b)", r"\binom{n}{k}", r"-(a-bc)", r"a<b\le c",
    r"(a+b)^2", r"\frac12 x_i^2", r"a_1b^{-1}+\sqrt[3]{c}", r"\lim_{n\to\infty}\frac{1}{n}=0", r"|f(x)-L|<\varepsilon",
]


def tree(source: str) -> OperatorNode:
    return operator_tree(parse(Formula(source))).root


def text(root: OperatorNode) -> str:
    return operator_string(OperatorTree(root, ""))


@every_case(("name", "source", "expected"), [
    ("relation mirrored", r"a<b\le c", r"c\ge b>a"),
    ("relation mirrored", r"A\subseteq B", r"B\supseteq A"),
    ("fraction as power", r"\frac{a}{b}", "ab^{-1}"),
    ("fraction as power", r"\frac{1}{b}", "b^{-1}"),
    ("fraction as product", r"\frac{a}{b}", r"a\frac{1}{b}"),
    ("product as fraction", r"ab^{-1}", r"\frac{a}{b}"),
    ("inverse as fraction", "x^{-1}", r"\frac{1}{x}"),
    ("root as power", r"\sqrt{x}", r"x^{\frac{1}{2}}"),
    ("root as power", r"\sqrt[3]{x}", r"x^{\frac{1}{3}}"),
    ("power as root", r"x^{\frac{1}{2}}", r"\sqrt{x}"),
    ("exponential", r"\exp x", "e^x"),
    ("exponential", "e^x", r"\exp x"),
    ("power as product", "x^2", "xx"),
    ("product as power", "xx", "x^2"),
    ("negative moved", "-(a-b)", "-a+b"),
    ("negative moved", r"-\frac{a}{b}", r"\frac{-a}{b}"),
    ("product distributed", "c(a-b)", "ca-cb"),
    ("sides moved", "a=b", "a-b=0"),
    ("sides moved", "a-b=0", "a=b"),
    ("quotient of functions", r"\sec x", r"\frac{1}{\cos x}"),
    ("binomial by factorials", r"\binom{n}{k}", r"\frac{n!}{k!(n-k)!}"),
    ("scripts", "x_i^2", "{(x_i)}^2"),
])
def test_a_rule_writes_a_formula_so(name: str, source: str, expected: str) -> None:
    root = tree(source)
    made = apply(rule_table([rule for rule in REWRITES if rule.name == name]), root, Random(1))
    assert made is not None
    whole = tree(expected)
    for one in (root, whole):
        for node in one.walk():
            if node.kind == "U":
                node.children.sort(key=text)
    assert text(copied(root)) == text(copied(whole)) or equal_values(
        whole_value(OperatorTree(root, "")), whole_value(OperatorTree(whole, ""))
    )


@every_case("rule", REWRITES, ids=lambda rule: rule.name)
def test_a_rewriting_keeps_the_value_of_every_formula_that_it_changes(rule) -> None:
    applied = 0
    for source in FORMULAS:
        varied = Varied(tree(source))
        for seed in range(4):
            root = copied(varied.root)
            if apply(rule_table([rule]), root, Random(seed)) is not None:
                applied += 1
                assert equal_values(varied.value, whole_value(OperatorTree(copied(root), ""))) is not False, source
    assert applied or rule.name in ("product as power", "power as root", "exponential")


@every_case("rule", CHANGES, ids=lambda rule: rule.name)
def test_each_change_changes_some_formula(rule) -> None:
    made = 0
    for source in FORMULAS:
        root = tree(source)
        before = signature(root)
        made += apply(rule_table([rule]), root, Random(3)) is not None and signature(copied(root)) != before
    assert made


def test_equal_variants_have_the_value_and_different_ones_have_another() -> None:
    rules: set[str] = set()
    for source in FORMULAS:
        varied = Varied(tree(source))
        assert varied.value.named or varied.value.renamed, source
        for seed in range(12):
            random = Random(seed)
            same = varied.equal(random, renamed=seed % 2 == 1, rewrites=2)
            other = varied.different(random)
            if same is not None:
                rules.update(same.rules)
                assert signature(same.root) != signature(varied.root)
                if set(same.rules) - {"renamed", "reordered"}:
                    assert equal_values(varied.value, whole_value(OperatorTree(same.root, ""))) is not False
            assert other is not None
            assert equal_values(varied.value, whole_value(OperatorTree(other.root, ""))) is not True
    assert {"renamed", "reordered", "fraction as power", "sides moved"} <= rules


def test_a_formula_is_varied_alike_by_one_seed_and_is_left_as_it_is() -> None:
    varied = Varied(tree(FORMULAS[3]))
    before = signature(varied.root)
    first, again = (varied.equal(Random(7), renamed=True, rewrites=2) for _ in range(2))
    assert first is not None
    assert again is not None
    assert signature(first.root) == signature(again.root)
    assert signature(varied.root) == before


def test_renaming_is_one_to_one_and_leaves_constants() -> None:
    source = r"e^{i\pi x}+f(x,y)=\mathbb{R}_y"
    for seed in range(30):
        root, renamed = tree(source), tree(source)
        assert rename(renamed, Random(seed))
        names: dict[str, str] = {}
        for old, new in zip(root.walk(), renamed.walk(), strict=True):
            assert (old.kind, len(old.children)) == (new.kind, len(new.children))
            assert names.setdefault(old.label, new.label) == new.label
        assert len(set(names.values())) == len(names)
        assert all(names[label] == label for label in ("e", "i", "π", "ℝ"))
        assert any(names[label] != label for label in ("x", "y", "f"))


def test_order_changes_only_where_it_does_not_count() -> None:
    root = tree(r"\frac{a}{b}-c^d")
    seen = set()
    for seed in range(20):
        made = copied(root)
        reorder(made, Random(seed))
        seen.add(text(made))
    assert seen == {text(tree(r"\frac{a}{b}-c^d")), text(tree(r"-c^d+\frac{a}{b}"))}


def test_what_cannot_be_varied_has_no_variant() -> None:
    assert Varied(tree("7")).equal(Random(1), renamed=True, rewrites=2) is None
    assert Varied(tree(r"\infty")).different(Random(1)) is None
