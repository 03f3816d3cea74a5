"""One formula of a LaTeX source: from its opening delimiter to its end, the project's macros expanded inside."""

from __future__ import annotations

from collections.abc import Callable

from porism.corpus.latex.arrows import DIAGRAMS, ArrowReader
from porism.corpus.latex.diagrams import source_of, take_out_diagrams
from porism.corpus.latex.formula_collector import FormulaCollector, FormulaServices
from porism.corpus.latex.macros import ProjectExpander
from porism.corpus.latex.tables import BARE_ENVIRONMENTS

_CLOSERS = {"$": ("$", "$$"), "$$": ("$$", "$"), "\\(": ("\\)",), "\\[": ("\\]",)}
PROOF_COMMANDS = {"\\AxiomC", "\\AXC", "\\Axiom"}
"""Commands that begin a proof tree in running text."""
_PROOF_END = "\\DisplayProof"


class FormulaReader:
    """Reads formulas from an expander.

    :param label: called with the name of each ``\\label`` inside a formula.
    :param reference: the readable form of a reference command's argument.
    :param leave_file: called where a file ends that was read inside a formula.
    :param number: reads the number that follows; None where none does.
    """

    def __init__(
        self, expander: ProjectExpander, label: Callable[[str], None], reference: Callable[[str, str], str],
        leave_file: Callable[[], None] = lambda: None, number: Callable[[], int | None] = lambda: None,
    ) -> None:
        self.expander = expander
        self._services = FormulaServices(expander, ArrowReader(expander), number, label, reference, leave_file)
        self.diagrams: list[list[str]] = []
        """The diagrams in the formula that was read last: the formulas at the nodes and arrows of each."""
        self.unexpanded = 0
        """How many formulas still hold a macro that the project defines."""

    def read(self, opener: str, environment: str | None = None) -> str:
        """The LaTeX of the formula that ``opener`` (``$``, ``\\[``…) or the environment has begun.

        The formula ends at its closing delimiter; where that is missing, at the first thing that cannot be in a
        formula (a blank line, a section, the end of the file), and that is reported. Diagrams are not part of it.
        """
        collector = FormulaCollector(self._services, _CLOSERS.get(opener, ()), environment)
        source = self._source(collector, collector.run)
        if source and environment and environment not in BARE_ENVIRONMENTS and environment not in DIAGRAMS:
            source = f"\\begin{{{environment}}} {source} \\end{{{environment}}}"
        return source

    def read_proof(self, command: str) -> str:
        """The proof tree that a command such as ``\\AxiomC`` begins in running text."""
        self.expander.stream.push([command])
        collector = FormulaCollector(self._services, (_PROOF_END, "\\DP"), None)
        return self._source(collector, collector.run) + _PROOF_END

    def read_diagram(self, command: str) -> None:
        """Reads the diagram that a command such as ``\\xymatrix`` begins in running text."""
        collector = FormulaCollector(self._services, (), None)
        self._source(collector, lambda: collector.run(command))

    def group(self) -> str:
        """The formula in the group or single token that follows (``\\ensuremath{…}``)."""
        tokens = self.expander.group()
        return "" if tokens is None else self.formula_of(tokens)

    def formula_of(self, tokens: list[str]) -> str:
        """The formula that these tokens are."""
        frames = self.expander.stream.swap([*tokens, "\\)"])
        try:
            return self.read("\\(")
        finally:
            self.expander.stream.restore(frames)

    def _source(self, collector: FormulaCollector, run: Callable[[], list[str]]) -> str:
        self.expander.math = True
        depth = self.expander.depth
        self.expander.begin_group()
        try:
            tokens = run()
        finally:
            self.expander.math = False
            self.expander.end_groups(depth)
        tokens, self.diagrams = take_out_diagrams(tokens)
        macros = self.expander.macros
        if any(token in macros for token in tokens):
            self.unexpanded += 1
        return source_of(tokens)
