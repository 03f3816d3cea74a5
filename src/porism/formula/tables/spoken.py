"""The English words for the symbols of formulas, as a mathematician reads them aloud, as data.

The writer of spoken English says the first words of a label; the reader understands them and the others.
"""

from __future__ import annotations

_LINES = """
    = equals; ≠ is not equal to; ≡ is congruent to; ≢ is not congruent to; ≈ is approximately; ≅ is isomorphic to;
    ≇ is not isomorphic to; ≃ is equivalent to; ∼ is similar to; ≁ is not similar to; ≍ is asymptotic to;
    ≐ is approximately; ≔ is defined as; ≕ defines; ≜ is defined as; ≝ is defined as; ≟ is perhaps equal to;
    ∝ is proportional to; < is less than; > is greater than; ≤ is less than or equal to; ≥ is greater than or equal to;
    ≪ is much less than; ≫ is much greater than; ≮ is not less than; ≯ is not greater than;
    ≰ is not less than or equal to; ≱ is not greater than or equal to; ≨ is strictly less than;
    ≩ is strictly greater than; ≲ is at most about; ≳ is at least about; ≺ precedes; ≻ succeeds;
    ≼ precedes or equals; ≽ succeeds or equals; ⊲ is a normal subgroup of; ⊴ is a normal subgroup of;
    ⊳ contains as a normal subgroup; ⊵ contains as a normal subgroup; ∈ in; ∉ not in; ∋ contains; ∌ does not contain;
    ⊂ is a subset of; ⊃ is a superset of; ⊆ is a subset of; ⊇ is a superset of; ⊄ is not a subset of;
    ⊅ is not a superset of; ⊈ is not a subset of; ⊉ is not a superset of; ⊊ is a proper subset of;
    ⊋ is a proper superset of; ⋐ is compactly contained in; → to; ← from; ↔ if and only if; ↦ maps to;
    ↪ embeds in; ↠ maps onto; ↣ embeds in; ↑ up; ↓ down; ⇝ leads to; ⇀ converges weakly to; ↗ increases to;
    ↘ decreases to; ↾ restricted to; ⇉ converges uniformly to; ⇌ is in equilibrium with; ⇒ implies; ⇐ is implied by;
    ⇔ if and only if; ⇏ does not imply; ∧ and; ∨ or; ¬ not; ∀ for all; ∃ there exists; ∄ there does not exist;
    ⊢ proves; ⊬ does not prove; ⊨ models; ⊭ does not model; ⊩ forces; ⊻ exclusive or; ∴ therefore; ∵ because;
    ∣ divides; ∤ does not divide; ∦ is not parallel to; ⋈ natural join; ⋔ is transversal to; + plus; - minus;
    ± plus or minus; ∓ minus or plus; ⊕ direct sum; ⊖ minus; ⊎ disjoint union; ⋅ times; × times; * times;
    ∘ composed with; • times; ⋆ star; ⊗ tensor; ⊙ times; ⊠ box times; ⋊ semidirect product; ⋉ semidirect product;
    ≀ wreath product; ⨿ coproduct; / divided by; ÷ divided by; mod modulo; ∩ intersection; ∪ union;
    ∖ set minus; △ symmetric difference; ⊔ join; ⊓ meet; ∁ complement of;
    ∑ sum; ∏ product; ∐ coproduct; ⋃ union; ⋂ intersection; ⋁ join; ⋀ meet; ⨁ direct sum; ⨂ tensor product;
    ⨆ disjoint union; ⨄ disjoint union; ⨅ meet; ⨀ product; ∫ integral; ∬ double integral; ∭ triple integral;
    ⨌ quadruple integral; ∮ contour integral; ∯ surface integral; ∰ volume integral;
    ∞ infinity; ∅ empty set; ℏ h bar; ℵ aleph; ℶ beth; ⊤ top; ⊥ perpendicular to; … dots; ⋮ dots; ⋱ dots; ⋰ dots;
    ′ prime; ‵ prime; ! factorial; ∂ partial; ∇ gradient; ∠ angle; ∡ angle; □ box; ■ end of proof; † dagger;
    ‡ double dagger; ° degrees; % percent; ★ star; ♯ sharp; ♭ flat; ♮ natural; ℓ l; ℘ p; ı i; ȷ j; & and;
    ∥ is parallel to; ϵ epsilon; ε epsilon; ϑ theta; ϰ kappa; ϖ pi; ϱ rho; ς sigma; φ phi; ϕ phi
"""

_NAMES = """
    sin sine; cos cosine; tan tangent; cot cotangent; sec secant; csc cosecant; arcsin arcsine; arccos arccosine;
    arctan arctangent; arccot arccotangent; sinh hyperbolic sine; cosh hyperbolic cosine; tanh hyperbolic tangent;
    coth hyperbolic cotangent; sech hyperbolic secant; csch hyperbolic cosecant; arcsinh inverse hyperbolic sine;
    arccosh inverse hyperbolic cosine; arctanh inverse hyperbolic tangent; log logarithm; ln natural logarithm;
    lg logarithm; lb binary logarithm; exp exponential; lim limit; limsup limit superior; liminf limit inferior;
    max maximum; min minimum; sup supremum; inf infimum; argmax argument of the maximum;
    argmin argument of the minimum; esssup essential supremum; essinf essential infimum; injlim direct limit;
    projlim inverse limit; colim colimit; plim limit in probability; ℜ real part; ℑ imaginary part; arg argument;
    deg degree; det determinant; dim dimension; gcd greatest common divisor; lcm least common multiple; ker kernel;
    coker cokernel; im image; Pr probability; sgn sign; rank rank; tr trace; Tr trace; erf error function; span span;
    diag diagonal matrix; hom homomorphisms; Hom homomorphisms; End endomorphisms; Aut automorphisms;
    Gal Galois group; Spec spectrum; Res residue; ord order; grad gradient; Var variance; Cov covariance; curl curl;
    div divergence; supp support; vol volume; Li logarithmic integral; const constant; id identity
"""

_OTHERS = """
    = is equal to; = equal to; = equal; ≠ does not equal; ≠ not equal to; ≠ is not; < less than; < is smaller than;
    > greater than; > is larger than; > is bigger than; ≤ less than or equal to; ≤ is at most; ≤ at most;
    ≥ greater than or equal to; ≥ is at least; ≥ at least; ≈ is approximately equal to; ≈ approximately equals;
    ≈ approximately; ≡ congruent to; ≅ isomorphic to; ∼ similar to; ∈ is in; ∈ belongs to; ∈ is an element of;
    ∈ element of; ∈ is a member of; ∉ is not in; ∉ does not belong to; ∉ is not an element of; ⊂ subset of;
    ⊆ is contained in; ⊆ is a subset of or equal to; ⊆ subset of or equal to; ⊃ superset of; → goes to; → tends to;
    → approaches; → converges to; ↦ is mapped to; × cross; ⋅ dot; ⋅ multiplied by; / divided by; / slash; ◊ diamond;
    ± plus minus; ∩ intersected with; ∩ intersect; ∖ without; ∘ composed with; ∘ after; ∀ for every; ∀ for each;
    ∀ for any; ∀ for all; ∃ there is; ∃ there exist; ⇒ only if; ⇔ iff; mod mod; ∑ summation; ∑ the sum; ∂ del; ∇ nabla;
    ⊔ disjoint union; - negative; + positive; ∞ infinity; ∅ the null set; ⊥ orthogonal to; ⊥ is orthogonal to;
    ⊥ is perpendicular to; ∥ parallel to; : such that; log log of; exp exponential function
"""

_SETS = """
    R the real numbers; Q the rational numbers; Z the integers; N the natural numbers; C the complex numbers;
    H the quaternions; F field F; E expected value; P probability; 1 indicator function
"""


def _table(lines: str) -> dict[str, str]:
    pairs = (entry.strip().partition(" ") for entry in lines.split(";"))
    return {label: words for label, _, words in pairs if label}


WORDS = _table(_LINES)
"""Label of a symbol → what it is read as."""

FUNCTIONS = _table(_NAMES)
"""Label of a named function → what it is read as, before "of" and its argument."""

BLACKBOARD = _table(_SETS)
"""Letter in blackboard bold → what it is read as."""

MARKS = {
    "^": "hat", "~": "tilde", "¯": "bar", "→": "vector", "←": "vector", "˙": "dot", "¨": "double dot", "ˇ": "check",
    "˘": "breve", "´": "acute", "`": "grave", "˚": "ring", "⃛": "triple dot",
}
"""Mark over or under a symbol → what is read after the symbol; braces are not read."""

POWERS = {
    "2": "squared", "3": "cubed", "negative 1": "inverse", "prime": "prime", "composed with": "degrees",
    "degrees": "degrees", "times": "star", "star": "star", "dagger": "dagger", "perpendicular to": "perpendicular",
    "T": "transpose", "plus": "plus", "minus": "minus", "prime prime": "double prime",
    "prime prime prime": "triple prime", "complement of": "complement",
}
"""What is above a symbol, as it is read → what is read of both; other powers are "to the power"."""

FRACTIONS = {("1", "2"): "one half", ("1", "3"): "one third", ("1", "4"): "one quarter", ("2", "3"): "two thirds",
             ("3", "4"): "three quarters"}
"""Numerator and denominator → how the fraction is read; others are one "over" the other."""

NABLA_PRODUCTS = {"⋅": "divergence", "·": "divergence", "×": "curl"}
"""Sign of a product after ``∇`` → how both are read."""

FENCES = {
    "⌊": "floor of", "⌈": "ceiling of", "|": "absolute value of", "∥": "norm of", "⟨": "generated by",
    "{": "the set of",
}
"""Opening fence → what is read before its content."""

STATES = {"|⟩": "ket", "∣⟩": "ket", "⟨|": "bra", "⟨∣": "bra"}
"""Opening and closing fence of a state of physics → what is read before its content."""



def _names() -> dict[str, list[str]]:
    names = {label: [words] for label, words in (WORDS | FUNCTIONS).items()}
    for entry in _OTHERS.split(";"):
        label, _, words = entry.strip().partition(" ")
        names.setdefault(label, []).append(words)
    return names


SPOKEN_NAMES = _names()
"""Label → what it is read as, and the other words that it is understood from."""

NUMBERS = {word: str(number) for number, word in enumerate(
    "zero one two three four five six seven eight nine ten eleven twelve".split()
)}

SCRIPTS = {
    "sub": "_", "subscript": "_", "to the power": "^", "to the power of": "^", "raised to the power": "^",
    "raised to the power of": "^", "raised to the": "^", "raised to": "^", "to the": "^", "superscript": "^",
}
"""Words before a script → its sign."""

SUFFIXES = {
    "squared": "^2", "cubed": "^3", "inverse": "^{-1}", "transpose": "^T", "star": "^*", "prime": "'",
    "double prime": "''", "triple prime": "'''", "factorial": "!", "degrees": "^\\circ", "dagger": "^\\dagger",
    "complement": "^\\complement", "perp": "^\\perp", "to the fourth": "^4", "to the fifth": "^5",
    "to the nth": "^n",
}
"""Words after an operand → what is written after it."""

STRUCTURES_OF = {
    "square root of": "\\sqrt{", "root of": "\\sqrt{", "cube root of": "\\sqrt[3]{", "absolute value of": "\\vert",
    "modulus of": "\\vert", "magnitude of": "\\vert", "norm of": "\\Vert", "floor of": "\\lfloor",
    "ceiling of": "\\lceil", "vector": "\\vec{",
}
"""Words before an operand → LaTeX that the structure opens with."""

ACCENTS_AFTER = {
    "hat": "\\hat{", "tilde": "\\tilde{", "bar": "\\bar{", "dot": "\\dot{", "double dot": "\\ddot{",
    "check": "\\check{", "breve": "\\breve{",
}
"""Words after an operand that has a mark → LaTeX that the mark opens with."""
