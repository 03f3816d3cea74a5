"""The line that says which languages an index has, and where they come from."""

from __future__ import annotations

from case_tables import every_case

from porism.cli.informing import language_line


@every_case(
    ("origins", "line"),
    [
        (
            {
                "english": {"stated": 1, "detected": 1}, "french": {"stated": 1, "detected": 1},
                "german": {"stated": 1}, "russian": {"detected": 1},
            },
            "languages: 2 documents in English (1 stated, 1 detected), 2 in French (1 stated, 1 detected), "
            "1 in German (stated), 1 in Russian (detected)",
        ),
        ({"french": {"stated": 6}}, "languages: 6 documents in French (stated)"),
        ({"none": {"stated": 1}}, "languages: 1 document in no language (stated)"),
        ({"french": {"": 1}}, "languages: 1 document in French"),
    ],
)
def test_the_line_says_how_many_documents_state_a_language(origins: dict[str, dict[str, int]], line: str) -> None:
    assert language_line(origins) == line
