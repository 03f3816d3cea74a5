"""What labels in brackets and links of notes lead to."""

from __future__ import annotations

from typing import Any

from porism.search.references import ReferenceResolver, Target


def test_labels_and_links_lead_to_documents_of_the_index(reading: Any) -> None:
    resolver = ReferenceResolver(reading.snapshot)
    theorem = resolver.references(reading.document("paper/main.tex#thm:x"))
    assert theorem.labels == {
        "lem:five": Target("paper/main.tex#lem:five", "Five lemma"), "lem:bare": Target("paper/main.tex#lem:bare", ""),
    }
    assert theorem.links == ()
    group = resolver.references(reading.document("notes/Group.md"))
    ring, homomorphism = Target("notes/Ring.md", "Ring"), Target("notes/Homomorphism.md", "Homomorphism")
    assert group.links == (("Ring", ring), ("the kernel", homomorphism), ("rings", ring))
    assert reading.document("notes/Ring.md").metadata["links"] == ("Group|Group", "Not there|Not there")
    assert resolver.references(reading.document("notes/Ring.md")).links == (
        ("Group", Target("notes/Group.md", "Group")),
    )
