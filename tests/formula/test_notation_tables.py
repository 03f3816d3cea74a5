"""The names of symbols and structures in plain notations."""

from __future__ import annotations

from case_tables import every_case

from porism.formula import PLAIN_NOTATIONS, PlainNotation, operator_string, operator_tree, parse_latex, parse_plain
from porism.formula.plain.dialects import DIALECTS
from porism.formula.tables.notations import SYMBOL_NAMES
from porism.formula.tables.rows import symbol_rows
from porism.formula.tables.structures import STRUCTURES


@every_case("notation", PLAIN_NOTATIONS)
def test_every_name_is_read_as_its_symbol(notation: PlainNotation) -> None:
    dialect = DIALECTS[notation]
    wrong = {
        name: dialect.symbols[name]
        for label, names in SYMBOL_NAMES[notation].items() for name in names
        if dialect.symbols[name] != label and name not in SYMBOL_NAMES[notation][dialect.symbols[name]]
    }
    assert wrong == {}


@every_case("notation", PLAIN_NOTATIONS)
def test_labels_of_names_are_those_of_the_symbols(notation: PlainNotation) -> None:
    for label in SYMBOL_NAMES[notation]:
        tree = parse_latex(" ".join(symbol_rows()[label].commands[:1]) or label)
        assert [node.label for node in tree.row] in ([label], []), label


@every_case("notation", STRUCTURES)
def test_structures_are_read_without_problems(notation: PlainNotation) -> None:
    for name, structure in STRUCTURES[notation].items():
        if notation == "lean" and name.rpartition(".")[2] == "Ioo":
            continue  # an open interval is no pair, as which LaTeX reads it
        count = max(1, structure.arguments)
        arguments = "abc"[:count]
        written = f"{name}({', '.join(arguments)})" if notation != "lean" else f"{name} {' '.join(arguments)}"
        tree = parse_plain(written, notation)
        latex = f"{structure.opening} {structure.separator.join(arguments)} {structure.closing}"
        wanted = parse_latex(latex)
        assert tree.problems == (), name
        assert operator_string(operator_tree(tree)) == operator_string(operator_tree(wanted)), name


def test_a_symbol_is_one_row() -> None:
    row = symbol_rows()["→"]
    assert row.commands[:2] == (r"\to", r"\rightarrow")
    assert row.characters[0] == "→"
    assert row.spoken == "to"
    assert row.names["typst"][:2] == ("arrow.r", "arrow.r.long")
    assert symbol_rows()["ℝ"].spoken == "the real numbers"
    assert symbol_rows()["ℝ"].commands == (r"\mathbb{R}",)
    assert symbol_rows()["ℝ"].names["lean"] == ("Real",)
