"""What names of formal libraries abbreviate."""

from __future__ import annotations

from case_tables import every_case

from porism.corpus.formal.conventions import ABBREVIATIONS, SYMBOL_NAMES, spoken_name


@every_case(("name", "spoken"), [
    ("add_comm", "commutativity addition"), ("Nat.card_le_card", "cardinality less or equal natural number"),
    ("mulAssoc", "associativity multiplication"), ("addition", ""), ("", ""),
])  # fmt: skip
def test_names_are_spoken(name: str, spoken: str) -> None:
    assert spoken_name(name) == spoken


def test_the_tables_have_words() -> None:
    assert all(name.islower() and words for name, words in ABBREVIATIONS.items())
    assert SYMBOL_NAMES["∣"] == "dvd"
