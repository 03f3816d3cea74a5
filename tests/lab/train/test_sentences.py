"""Sentences end at marks before capitals and at ends of lines, and never inside formulas."""

from __future__ import annotations

from case_tables import every_case

from porism.corpus import split_math
from porism.lab.train.sentences import split_sentences


@every_case(("text", "sentences"), [
    ("One. Two! three.\nFour", ["One.", "Two! three.", "Four"]),
    ("Let $a. B$ be. $c$ is. So $d$.", ["Let $a. B$ be.", "$c$ is.", "So $d$."]),
    ("See e.g. Lemma 2 by J. Smith. Done.", ["See e.g. Lemma 2 by J. Smith.", "Done."]),
    ("  \n ", []), ("$x$", ["$x$"]), ("It is 3.5 or so.", ["It is 3.5 or so."]),
])
def test_sentences(text: str, sentences: list[str]) -> None:
    assert [one.to_latex() for one in split_sentences(split_math(text))] == sentences
