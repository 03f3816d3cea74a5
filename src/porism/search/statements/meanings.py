"""What the names and symbols of a Lean statement stand for, so that equal texts of different files are told apart."""

from __future__ import annotations

from collections.abc import Sequence

from porism.corpus.lean.names import namespace_part
from porism.corpus.lean.resolution import DeclaredNames

KNOWN_NAMES = frozenset("""
    Type Prop Sort ℕ ℤ ℚ ℝ ℂ Nat Int Rat Fin Bool List Option Array String Char Unit True False DecidableEq Decidable
    DecidablePred DecidableRel DecidableLT DecidableLE Nonempty Inhabited Subsingleton Setoid Subtype Sigma PSigma Sum
    Prod Quotient Quot Zero One Add Mul Sub Neg Div Inv SMul Pow LE LT Min Max HasEquiv Membership max min id some none
    true false rfl default fun if then else let have haveI letI match with do by in at from show Iff Eq HEq And Or Not
    Exists Unique ite dite
""".split())
"""Names outside all namespaces that Lean's own library and its language have, and letters that are notation of
Mathlib."""

KNOWN_SYMBOLS = frozenset(
    "→←↔↦∈∉∋∀∃λΠΣ∏∑∧∨¬≤≥≠∣∤•×⟨⟩∘∪∩⊆⊂⊇⊃∅⋃⋂⨆⨅⊤⊥⊔⊓⊕·↑⇑↥↓⁻¹²³⁺⁰ᶜᵀᵒᵖˣ₀₁₂₃₄ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ≃⟶≫𝟙⥤⋙≅⟹⌊⌋⌈⌉‖≡↪⦃⦄⟦⟧√▸≈⅟∂∆"
)
"""Notation that means the same wherever it is known. What other symbols mean depends on what is open."""


class Meanings:
    """What names and symbols mean in one declaration.

    A declared name stands for itself with its namespaces. Another one without a namespace, and a symbol, may be
    anything that what is open makes it: then this is a part of what it stands for.
    """

    def __init__(self, declared: DeclaredNames, name: str, opened: tuple[str, ...], instances: Sequence[str]) -> None:
        """``name`` is that of the declaration, ``opened`` are the namespaces that are open there, and ``instances`` the
        names of declarations that are instances only there."""
        self._declared, self._namespace, self._opened = declared, namespace_part(name), opened
        self._context = ""
        self.instances = tuple(map(self.name, instances))

    def name(self, written: str) -> str:
        """What a name stands for that is no variable."""
        if written in KNOWN_NAMES or written[0] == ".":
            return written
        resolved = self._declared.resolve(written, self._namespace, self._opened)
        if resolved.names:
            return "|".join(resolved.names) + resolved.rest
        return written if "." in written else self._in_context(written)

    def symbol(self, written: str) -> str:
        """What a symbol stands for."""
        if written in KNOWN_SYMBOLS or (written.isascii() and written not in "#!"):
            return written
        return self._in_context(written)

    def _in_context(self, written: str) -> str:
        if not self._context:
            self._context = "@" + ",".join((self._namespace, *sorted(self._opened)))
        return written + self._context
