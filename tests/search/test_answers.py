"""What is shown of documents that were found."""

from __future__ import annotations

import json

import orjson
from case_tables import every_case

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.search.answers import make_hits
from porism.search.marked_text import Piece, Snippet
from porism.search.snippets import SnippetMaker
from porism.types import Content, Document, Formula

ANALYZER = Analyzer(AnalysisConfig(formulas=("tokens",)))


def hits_of(*documents: Document, words: str = "prime"):
    """The hits for documents in this order."""
    by_id = {document.id: document for document in documents}
    maker = SnippetMaker(ANALYZER, {"words": dict.fromkeys(ANALYZER.words_in("english").terms(words), 1.0)}, [])
    return make_hits([(doc_id, 1.0) for doc_id in by_id], by_id.__getitem__, maker, "unicode", dict)


@every_case(("document", "title"), [
    (Document("x", {"title": Content.of("On ", Formula("p^2"))}, {"section": ("Primes",)}), "On p²"),
    (Document("x", {}, {"section": ("Numbers", "Primes $p^2$"), "file": "a.tex"}), "Primes p²"),
    (Document("x", {}, {"file": "part/a.tex"}), "a.tex"),
    (Document("x\x1b[2J", {}), "x�[2J"),
])
def test_what_stands_in_for_a_title(document: Document, title: str) -> None:
    (hit,) = hits_of(document)
    assert str(hit.title) == title


def test_answers_of_one_thread_show_their_own_text() -> None:
    question = Content("Is every prime odd? I mean every prime number, prime or not.")
    documents = [
        Document("1", {"title": Content("Primes"), "question": question, "body": Content("No, since 2 is a prime.")}),
        Document("2", {"title": Content("Primes"), "question": question, "body": Content("All but two.")}),
        Document("3", {"title": Content("Primes"), "question": question, "body": Content("See above.")}),
        Document("4", {"title": Content("Primes"), "question": question}),
        Document("5", {"title": Content("Primes"), "question": question}),
    ]
    shown = [str(hit.snippet) for hit in hits_of(*documents)]
    assert shown[0] == "No, since 2 is a prime."  # own text counts more
    assert shown[1].startswith("Is every prime odd?")
    assert shown[2] == "See above."  # the question has been shown
    assert shown[3] == shown[4] == shown[1]  # they have nothing else


def test_json_is_plain_text_in_pieces() -> None:
    (hit,) = hits_of(Document("x", {"body": Content.of("a <b>prime</b> ", Formula("p<2"))}, {"tags": ("a", "b")}))
    value = json.loads(orjson.dumps(hit.to_dict()))
    assert set(value) == {"rank", "id", "score", "title", "snippet", "location", "metadata"}
    assert value["snippet"]["text"] == "a <b>prime</b> p < 2"
    assert value["snippet"]["pieces"] == [
        {"text": "a <b>"}, {"text": "prime", "match": True}, {"text": "</b> "}, {"text": "p < 2", "formula": True}
    ]
    assert value["metadata"] == {"tags": ["a", "b"]}
    assert Snippet((Piece("a<b", True), Piece("&"))).html() == "<mark>a&lt;b</mark>&amp;"
    assert hit.snippet.html() == "a &lt;b&gt;<mark>prime</mark>&lt;/b&gt; p &lt; 2"
