r"""Formulas in text that nobody put between dollars: ``why does ∑ 1/n² = π²/6``, ``x^2+y^2=z^2``, ``\int_0^1 f``.

What is surely a formula becomes one; what could be one, such as ``n/2``, stays words. Words divide the text into runs
of what can be part of a formula (:mod:`~porism.formula.recognition.runs`). A run is one where it has what prose has
not: a command of LaTeX, a power, an index, a relation or a sum of symbols, a call ``f(x)``, a sign of Unicode's
mathematics (:mod:`~porism.formula.recognition.recognising`).
"""
