"""How far Porism's operator trees agree with LaTeXML's Content MathML (Debian package ``latexml``; development only).

    python -m benchmarks peers latexml [--formulas FILE.tsv] [--count 200] [--seed 20] [--show 20]

Takes ``--count`` distinct formulas of four symbols or more at random from the last column of a TSV file, lets LaTeXML
parse them, twenty to a document, and compares trees where LaTeXML found one.

A *constituent* is the multiset of leaves (variables, numbers, constants, text, function letters; not operators) under
an inner node, if it holds two leaves or more; a node that holds the same leaves as its only child counts once. F1 is
over the multisets of constituents of all formulas together. *Root agreement* compares the label of the root, as one
of a few classes (relation, sum, product, fraction, script, list or fence, function, big operator, other).

Both trees are first brought to one form, so that notation alone makes no difference: a chain of relations is one node
(LaTeXML: ``and`` of pairs that share operands), sums and products are flat, a difference is a sum with a sign, base
with both scripts is a superscript of a subscript, bounds belong to their operator, primes and degree signs are no
leaves. With ``--products``, Porism's application of a letter is a product too, as LaTeXML reads ``f(x)`` unless f is
declared.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from benchmarks import ROOT
from porism.formula.latex.parser import parse_latex
from porism.formula.operators.builder import operator_tree
from porism.formula.operators.lists import RELATION_LABELS
from porism.formula.operators.notation import operator_string
from porism.formula.tree import OperatorNode

DEFAULT_FORMULAS = ROOT.parent / "shared/data/arqmath-mini/latex_representation_v3/1.tsv"
PER_DOCUMENT = 20
PREAMBLE = (
    "\\documentclass{article}\n\\usepackage{amsmath,amssymb,color,mathrsfs}\n"
    "\\newcommand{\\lt}{<}\\newcommand{\\gt}{>}\n\\begin{document}\n"
)
MATHML = "{http://www.w3.org/1998/Math/MathML}"
NO_LEAVES = frozenset("′∘°") | {"prime", "degree", ""}
OPERATOR_LEAVES = {
    "plus": "+", "minus": "-", "times": "×", "divide": "/", "infinity": "∞", "emptyset": "∅", "compose": "∘",
    "exponentiale": "e", "imaginaryi": "i", "pi": "π", "eq": "=", "lt": "<", "gt": ">", "union": "∪",
    "intersect": "∩", "naturalnumbers": "ℕ", "integers": "ℤ", "reals": "ℝ",
}
BIG = frozenset({
    "sum", "product", "int", "limit", "infimum", "supremum", "max", "min", "lim", "limsup", "liminf", "iint", "iiint",
    "oint", "prod", "bigcup", "bigcap", "union", "inter",
})


@dataclass
class Node:
    """A tree in the common form: ``leaf`` is empty for an inner node."""

    label: str
    children: list[Node] = field(default_factory=list)
    leaf: str = ""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--formulas", type=Path, default=DEFAULT_FORMULAS, help="TSV, LaTeX in the last column")
    arguments.add_argument("--count", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=20)
    arguments.add_argument("--show", type=int, default=0, help="print so many of the formulas that agree least")
    arguments.add_argument("--products", action="store_true", help="read f(x) as a product, as LaTeXML does")
    arguments.add_argument("--work", type=Path, help="folder for LaTeXML's output, used again when it is there")
    options = arguments.parse_args()
    formulas = sample(options.formulas, options.count + options.count // 4, options.seed)
    with tempfile.TemporaryDirectory() as temporary:
        trees = content_mathml(formulas, options.work or Path(temporary))
    compared = [(formula, tree) for formula, tree in zip(formulas, trees, strict=True) if tree is not None]
    failed = len(formulas) - len(compared)
    report(compared[: options.count], failed, len(formulas), options)


def sample(path: Path, count: int, seed: int) -> list[str]:
    """Distinct formulas of four symbols or more and at most 200 characters, without wildcards, at random."""
    with path.open(encoding="utf-8") as lines:
        next(lines)
        formulas = dict.fromkeys(line.rstrip("\n").split("\t")[-1] for line in lines)
    usable = [
        formula for formula in formulas
        if len(re.findall(r"\\[a-zA-Z]+|[a-zA-Z0-9]", formula)) >= 4 and len(formula) <= 200
        and "qvar" not in formula and '"' not in formula
    ]
    return random.Random(seed).sample(usable, min(count, len(usable)))


def content_mathml(formulas: list[str], work: Path) -> list[Node | None]:
    """LaTeXML's reading of each formula in the common form; None where it found no tree."""
    work = work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    trees: list[Node | None] = []
    for begin in range(0, len(formulas), PER_DOCUMENT):
        batch = formulas[begin : begin + PER_DOCUMENT]
        result = work / f"{begin}.post.xml"
        if not result.exists():
            source = work / f"{begin}.tex"
            source.write_text(
                PREAMBLE + "\n\n".join(f"${formula}$" for formula in batch) + "\n\\end{document}\n", encoding="utf-8"
            )
            parsed = work / f"{begin}.xml"
            commands = (
                ["latexml", "--quiet", f"--log={source}.log", f"--dest={parsed}", str(source)],
                ["latexmlpost", "--quiet", f"--log={source}.post.log", "--cmml", "--nocrossref", f"--dest={result}",
                 str(parsed)],
            )
            for command in commands:
                try:
                    subprocess.run(command, check=False, timeout=600, cwd=work)
                except FileNotFoundError:
                    sys.exit(f"{command[0]} is not installed, e.g. apt-get install latexml")
        trees.extend(_read(result, len(batch)))
    return trees


def _read(path: Path, count: int) -> list[Node | None]:
    if not path.exists():
        return [None] * count
    # formulas that split into several Math elements (text inside, alignment) are told by their paragraph
    document = etree.parse(str(path))
    paragraphs = list(document.iter("{http://dlmf.nist.gov/LaTeXML}para"))
    if len(paragraphs) != count:
        return [None] * count
    trees: list[Node | None] = []
    for paragraph in paragraphs:
        math = list(paragraph.iter(MATHML + "math"))
        if len(math) != 1 or len(math[0]) != 1 or next(math[0].iter(MATHML + "cerror"), None) is not None:
            trees.append(None)
        else:
            trees.append(_from_mathml(math[0][0], {}))
    return trees


def _text(element: etree._Element) -> str:
    return _symbol("".join(element.itertext()).strip().removeprefix("italic-"))


def _symbol(label: str) -> str:
    """One spelling of a leaf: fonts folded, and dots, bullets and stars that the two write differently."""
    label = unicodedata.normalize("NFKC", label)
    return {"⋯": "…", "...": "…", "∙": "•", "*": "×", "⋅": "×", "\\eps": "ε"}.get(label, label)


def _from_mathml(element: etree._Element, shared: dict[str, Node]) -> Node:
    tag = etree.QName(element).localname
    if tag == "share":
        return Node("share", leaf="share")
    if tag in ("ci", "cn", "csymbol", "mtext"):
        return Node(tag, leaf=_text(element) or " ")
    children = [child for child in element if isinstance(child.tag, str)]
    if tag != "apply":
        found = [_from_mathml(child, shared) for child in children]
        return Node(tag, found) if found else Node(tag, leaf=OPERATOR_LEAVES.get(tag, tag))
    if not children:
        return Node("empty", leaf=" ")
    head, operands = children[0], [_from_mathml(child, shared) for child in children[1:]]
    name = etree.QName(head).localname
    if name == "apply":
        operator = _from_mathml(head, shared)
        label, bounds = _operator_and_bounds(operator)
        return Node(label, [*bounds, *operands])
    if name in ("csymbol", "ci"):
        name = _text(head)
        if etree.QName(head).localname == "ci" and _is_function_letter(name) and operands:
            return Node("apply", [Node("ci", leaf=name), *operands])
    if name == "and" and any(_holds_share(operand) for operand in operands):
        chain: list[Node] = []
        for operand in operands:
            chain.extend(child for child in operand.children if child.leaf != "share")
        return Node("eq", chain)
    return Node(name, operands)


def _is_function_letter(name: str) -> bool:
    return len(name) == 1 and name.isalpha()


def _holds_share(node: Node) -> bool:
    return any(child.leaf == "share" for child in node.children)


def _operator_and_bounds(node: Node) -> tuple[str, list[Node]]:
    bounds: list[Node] = []
    while node.children and node.label in ("superscript", "subscript"):
        bounds = [*node.children[1:], *bounds]
        node = node.children[0]
    if node.leaf:
        if len(node.leaf) == 1 and node.leaf.isalpha():
            return "apply", [node, *bounds]
        return node.leaf, bounds
    return "apply", [node, *bounds]


def from_porism(node: OperatorNode, products: bool) -> Node:
    """A tree of ours in the common form."""
    if not node.children:
        return Node(node.kind, leaf=_symbol(node.label) or " ")
    children = [from_porism(child, products) for child in node.children]
    label = node.label
    if label == "subsup":
        return Node("sup", [Node("sub", children[:2]), children[2]])
    if label in ("sub", "sup") and children[0].label == "prime":
        return Node(label, children)
    if products and label == "apply":
        return Node("times", children if len(children) == 2 else [children[0], Node("tuple", children[1:])])
    return Node(label, children)


FLAT = {"plus": "plus", "minus": "plus", "times": "times"}


def flatten(node: Node) -> Node:
    """Sums in sums and products in products joined, and leaves that are not operands dropped."""
    children = [
        flatten(child) for child in node.children if not (child.leaf and child.leaf in NO_LEAVES)
    ]
    label = FLAT.get(node.label, node.label)
    if label in ("plus", "times") and len(children) > 1:
        joined: list[Node] = []
        for child in children:
            joined.extend(child.children if child.label == label and len(child.children) > 1 else [child])
        children = joined
    return Node(label, children, node.leaf)


def constituents(node: Node) -> tuple[Counter[tuple[str, ...]], tuple[str, ...]]:
    """The constituents under a node, and its leaves."""
    if node.leaf:
        return Counter(), (node.leaf,)
    found: Counter[tuple[str, ...]] = Counter()
    below: list[tuple[str, ...]] = []
    for child in node.children:
        inner, leaves = constituents(child)
        found.update(inner)
        below.append(leaves)
    leaves = tuple(sorted(leaf for part in below for leaf in part))
    if len(leaves) > 1 and leaves not in below:
        found[leaves] += 1
    return found, leaves


def root_class(node: Node) -> str:
    """The class of the operator at the root."""
    label = node.label
    if node.leaf:
        return "leaf"
    if label in ("plus", "minus", "neg", "pm", "mp", "±", "∓", "plus-or-minus", "minus-or-plus"):
        return "sum"
    if label in ("times", "divide", "/", "mod", "modulo", "compose", "setminus", "setdiff", "∘"):
        return "product"
    if label in ("sup", "sub", "superscript", "subscript", "prime", "prime2", "prime3"):
        return "script"
    if label in (
        "list", "formulae", "set", "interval", "vector", "tuple", "closed", "open", "closed_open", "open_closed",
        "setbuilder", "conditional-set", "sequence", "inner",
    ):
        return "list"
    if label in RELATION_LABELS or "-" in label or label in ("and", "equivalent", "subset", "prsubset", "implies"):
        return "relation"
    if len(label) == 1 and not label.isalnum():
        return "relation"
    return "big operator" if label in BIG else "other"


def report(compared: list[tuple[str, Node]], failed: int, total: int, options: argparse.Namespace) -> None:
    """Prints the agreement, and the formulas that agree least."""
    both = ours_count = theirs_count = roots = exact = 0
    worst: list[tuple[float, str, str, str]] = []
    for formula, theirs_tree in compared:
        tree = operator_tree(parse_latex(formula))
        our_root, their_root = flatten(from_porism(tree.root, options.products)), flatten(theirs_tree)
        ours, _ = constituents(our_root)
        theirs, _ = constituents(their_root)
        common = sum((ours & theirs).values())
        size = sum(ours.values()) + sum(theirs.values())
        both += common
        ours_count += sum(ours.values())
        theirs_count += sum(theirs.values())
        roots += root_class(our_root) == root_class(their_root)
        exact += ours == theirs
        worst.append((2 * common / size if size else 1.0, formula, operator_string(tree), _shown(their_root)))
    count = max(1, len(compared))
    print(f"formulas compared {len(compared)}; of {total} tried LaTeXML gave no tree for {failed}")
    print(f"constituents: precision {both / max(1, ours_count):.3f} recall {both / max(1, theirs_count):.3f} "
          f"F1 {2 * both / max(1, ours_count + theirs_count):.3f}")
    print(f"all constituents equal {exact / count:.3f}; root operator of the same class {roots / count:.3f}")
    for score, formula, ours_shown, theirs_shown in sorted(worst)[: options.show]:
        print(f"\n{score:.2f}  {formula}\n  porism   {ours_shown}\n  latexml  {theirs_shown}")


def _shown(node: Node) -> str:
    return node.leaf if node.leaf else f"{node.label}({', '.join(_shown(child) for child in node.children)})"


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    main()
