"""Commands of packages that a pattern cannot replace: each function makes the tokens that take the place of a call."""

from __future__ import annotations

from porism.formula.latex.functions import chemistry, layouts, matrices, proofs, quantities
from porism.formula.latex.functions.call import Call, Function

__all__ = ["FUNCTIONS", "Call", "Function"]

FUNCTIONS: dict[str, Function] = {
    function.__name__: function for function in (
        layouts.general_fraction, layouts.dots_in_columns, layouts.tensor, layouts.indices, layouts.under_accent,
        layouts.content_of_option, layouts.braket_of_parts, layouts.plain_cases, layouts.numbered_lines, layouts.token,
        layouts.enclosure,
        matrices.bracket_or_quantity, matrices.matrix_in_brackets, matrices.identity_matrix, matrices.matrix_of_one,
        matrices.matrix_of_zeros, matrices.pauli_matrix, matrices.diagonal_matrix, matrices.antidiagonal_matrix,
        quantities.quantity, quantities.number, quantities.angle, quantities.unit, quantities.unit_or_quantity,
        quantities.numbers, quantities.quantities, quantities.quantity_of_product, quantities.physical_unit,
        chemistry.chemistry, proofs.axiom, proofs.inference, proofs.right_label, proofs.left_label, proofs.proof,
        proofs.rule, proofs.rule_from_below, proofs.hypothesis, proofs.proof_line,
    )
}
"""Name in the tables of packages → function."""
