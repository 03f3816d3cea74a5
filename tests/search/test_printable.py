"""Text from documents that is safe to print."""

from __future__ import annotations

import json

from case_tables import every_case

from porism.errors import pluralise
from porism.search.printable import escaped_json, one_printable_line, printable


@every_case(("text", "shown"), [
    ("plain ∑ text\n\tand more", "plain ∑ text\n\tand more"),
    ("a\x1b[31mred", "a�[31mred"),
    ("a\x9b31mred\x07\r\x7f", "a�31mred���"),
    ("file\u202egpj.exe", "file�gpj.exe"),
    ("lone \ud800 surrogate", "lone � surrogate"),
    ("tag \U000e0041", "tag �"),
])
def test_control_characters_are_replaced(text: str, shown: str) -> None:
    assert printable(text) == shown
    shown.encode("utf-8")


def test_a_line_is_one_line() -> None:
    assert one_printable_line("a\n b\t\x1bc ") == "a b �c"


def test_escaped_json_is_the_same_value() -> None:
    value = {"id": "a\x1b\x9b\u202e\U000e0041z"}
    written = escaped_json(json.dumps(value, ensure_ascii=False))
    assert json.loads(written) == value
    assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in written)
    assert "\u202e" not in written


def test_numbers_of_things_are_words() -> None:
    assert [pluralise(count, "file") for count in (0, 1, 2, 2_000)] == ["0 files", "1 file", "2 files", "2,000 files"]
    assert [pluralise(count, "entry", "entries") for count in (1, 2)] == ["1 entry", "2 entries"]
