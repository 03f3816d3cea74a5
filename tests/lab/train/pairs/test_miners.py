"""Each miner finds the pairs that it names, and says what a collection lacks."""

from __future__ import annotations

from pathlib import Path

import pytest
from listed_documents import SupplementaryHits, document

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError, FormatError, SourceError
from porism.lab.train.pairs.base import Miner
from porism.lab.train.pairs.judgments import JudgmentsMiner
from porism.lab.train.pairs.posts import AnswersMiner, LinksMiner
from porism.lab.train.pairs.registry import MINERS, make_miner, parse_miner, usual_miners
from porism.lab.train.pairs.statements import Citations, References, read_links
from porism.lab.train.pairs.texts import Halves, Openings, Titles

TEXT = ModelText()


def answer(name: str, question: str, text: str, **metadata: str | tuple[str, ...]) -> object:
    return document(
        name, {"question_id": question, **metadata}, title=f"Title {question}", question=f"Why ${question}$?", body=text
    )


def mined(miner: Miner, *documents: object) -> list[tuple[str, str]]:
    return [(pair.anchor, pair.positive) for pair in miner.mine(SupplementaryHits(*documents), TEXT)]  # type: ignore[arg-type]


THREAD = (
    answer("11", "1", "Because $x$.", score="9", accepted="true"), answer("12", "1", "No.", score="3"),
    answer("21", "2", "Look there.", score="-1", duplicates=("1", "7"), linked=("2",)),
)


def test_answers_take_all_accepted_or_voted_ones() -> None:
    first = ("Title 1\nWhy $1$?", "Because $x$.")
    assert mined(AnswersMiner(), *THREAD) == [first, (first[0], "No."), ("Title 2\nWhy $2$?", "Look there.")]
    assert mined(AnswersMiner(accepted=True), *THREAD) == [first]
    assert mined(AnswersMiner(votes=3), *THREAD) == [first, (first[0], "No.")]
    assert mined(AnswersMiner(accepted=True, votes=9), *THREAD) == [first]


def test_only_posts_before_a_date_count() -> None:
    dated = (
        answer("11", "1", "Old.", created="2017-12-31T23:59:59.000"), answer("12", "1", "New.", created="2018-01-01"),
        answer("21", "2", "Undated.", duplicates=("1",)),
        answer("31", "3", "Old, too.", created="2016-01-01", duplicates=("1",)),
    )
    answers = mined(AnswersMiner(before="2018"), *dated)
    assert [positive for _, positive in answers] == ["Old.", "Old, too."]
    assert mined(LinksMiner(before="2018"), *dated) == [("Title 3\nWhy $3$?", "Title 1\nWhy $1$?")]


def test_answers_can_be_found_by_the_title_alone_too() -> None:
    assert mined(AnswersMiner(accepted=True, title_only=True), *THREAD)[1] == ("Title 1", "Because $x$.")


def test_threads_have_their_answers_in_one_field() -> None:
    thread = document("1", title="T", body="Q", answers="A")
    assert mined(AnswersMiner(), thread) == [("T\nQ", "A")]


def test_without_questions_there_are_no_answers() -> None:
    with pytest.raises(ConfigError, match="no answers with their questions"):
        mined(AnswersMiner(), document("1", title="T", body="B"))


def test_links_join_questions_of_the_collection() -> None:
    assert mined(LinksMiner(), *THREAD) == [("Title 2\nWhy $2$?", "Title 1\nWhy $1$?")]
    assert mined(LinksMiner(kinds=("linked",)), *THREAD) == [("Title 2\nWhy $2$?", "Title 2\nWhy $2$?")]
    assert mined(LinksMiner(answers=True), *THREAD)[1:] == [
        ("Title 2\nWhy $2$?", "Because $x$."), ("Title 2\nWhy $2$?", "No.")
    ]
    with pytest.raises(ConfigError, match="no document has links of the kind linked"):
        mined(LinksMiner(kinds=("linked",)), THREAD[0])
    with pytest.raises(ConfigError, match="Choose duplicates or linked"):
        LinksMiner(kinds=("other",))  # type: ignore[arg-type]


def test_titles_find_bodies() -> None:
    one = document("a", section="Sums", title="Limit", body="The sum of all terms is what they tend to.")
    short, untitled = document("b", title="X", body="short"), document("c", body="No title, but a text that is long.")
    assert mined(Titles(), one, short, untitled) == [("Limit", "The sum of all terms is what they tend to.")]
    assert mined(Titles(section=True), one)[0][0] == "Sums\nLimit"
    assert len(mined(Titles(shortest=5), one, short)) == 2
    with pytest.raises(ConfigError, match="take the miner halves"):
        mined(Titles(), untitled)


LONG = (
    "Let $x$ be a real number that is positive. Then $x. Y$ has a root that is real.\nEvery such root is unique, too."
)


def test_openings_are_the_first_sentence_and_the_whole_document() -> None:
    described = document("d", title="Roots", body=LONG)
    formal = document("f", title="Roots of x", body="(x : G) [Add G] : f (x + a) = f x + b * (c + d)")
    short = document("s", body="A root. It is the root of nothing at all, and has no use.")
    opening = ("Let $x$ be a real number that is positive.", f"Roots\n{LONG}")
    assert mined(Openings(), described, formal, short) == [opening]
    assert [anchor for anchor, _ in mined(Openings(shortest=5), described, formal, short)] == [opening[0], "A root."]
    assert [whole for _, whole in mined(Openings(prose=0.2), described, formal, short)] == [
        opening[1], "Roots of x\n(x : G) [Add G] : f (x + a) = f x + b * (c + d)",
    ]
    assert [anchor for anchor, _ in mined(Openings(fields=("title", "body"), shortest=5), described)] == [
        "Roots", opening[0],
    ]
    with pytest.raises(ConfigError, match="begins with a sentence of words in title"):
        mined(Openings(fields=("title",)), described)
    with pytest.raises(ConfigError, match="a share of 2 words cannot be asked for"):
        Openings(prose=2)


def test_halves_are_a_sentence_and_the_rest() -> None:
    sentences = [
        "Let $x$ be a real number that is positive.", "Then $x. Y$ has a root that is real.",
        "Every such root is unique, too.",
    ]
    ((anchor, rest),) = mined(Halves(kept=0), document("d", body=LONG))
    assert anchor in sentences
    assert rest == "\n".join(one for one in sentences if one != anchor)
    assert len(mined(Halves(kept=0, each=5), document("d", body=LONG))) == 3
    assert mined(Halves(kept=1), document("d", body=LONG))[0][1] == "\n".join(sentences)


def test_halves_do_not_depend_on_other_documents() -> None:
    many = [document(str(number), body=LONG) for number in range(30)]
    assert mined(Halves(), *many)[20:] == mined(Halves(), *many[20:])
    assert len({anchor for anchor, _ in mined(Halves(), *many)}) == 3
    assert mined(Halves(), *many) != mined(Halves(seed=2), *many)
    with pytest.raises(ConfigError, match="two sentences in proof"):
        mined(Halves(fields=("proof",)), *many)


STATEMENTS = (
    document("s", body="Statement.", proof="By [thm:t] and [nothing]."),
    document("t", {"labels": ("thm:t", "b"), "uses": ("s", "t", "gone")}, title="T", body="Cited.", labels="thm:t"),
)


def test_citations_come_from_a_file_or_the_metadata(tmp_path: Path) -> None:
    links = tmp_path / "links.tsv"
    links.write_text("s 0 t 1\n\nt 0 s 0\ns 0 gone 1\n")
    assert mined(Citations(file=str(links)), *STATEMENTS) == [("Statement.", "T\nCited.")]
    links.write_text("t\ts\n")
    assert mined(Citations(file=str(links)), *STATEMENTS) == [("T\nCited.", "Statement.")]
    assert mined(Citations(key="uses"), *STATEMENTS) == [("T\nCited.", "Statement.")]
    links.write_text("x\ty\n")
    with pytest.raises(ConfigError, match="no link joins two documents"):
        mined(Citations(file=str(links)), *STATEMENTS)
    with pytest.raises(ConfigError, match=r"file=LINKS\.tsv"):
        Citations()


def test_broken_links_are_named_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "l").write_text("a b\na b c\n")
    with pytest.raises(FormatError, match="l:2: a line of 3 columns"):
        list(read_links(tmp_path / "l"))
    with pytest.raises(SourceError, match="cannot be read"):
        list(read_links(tmp_path / "none"))


def test_references_are_labels_in_brackets() -> None:
    assert mined(References(), *STATEMENTS) == [("Statement.", "T\nCited.")]
    with pytest.raises(ConfigError, match="by its label"):
        mined(References(), STATEMENTS[0])


def test_judgments_give_what_was_judged_worse_as_negatives(tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("1\tWhat is a limit?\n2\tWhy?\n3\tunjudged\n")
    (tmp_path / "qrels").write_text("1 0 a 2\n1 0 b 0\n1 0 c 1\n1 0 gone 3\n1 0 empty 2\n2 0 b 1\n4 0 a 2\n")
    notes = SupplementaryHits(*(document(name, body=text) for name, text in (
        ("a", "A limit."), ("b", "A group."), ("c", "A bound."), ("empty", ""), ("other", "x")
    )))
    given = {"topics": str(tmp_path / "topics.tsv"), "qrels": str(tmp_path / "qrels")}
    found = list(JudgmentsMiner(**given, gain=2).mine(notes, TEXT))
    assert [(one.anchor, one.positive, one.negatives) for one in found] == [
        ("What is a limit?", "A limit.", ("A bound.", "A group."))
    ]
    assert (found[0].miner, found[0].anchor_id, found[0].positive_id) == ("judgments", "1", "a")
    assert [(one.positive, one.negatives) for one in JudgmentsMiner(**given, negatives=0).mine(notes, TEXT)] == [
        ("A limit.", ()), ("A bound.", ()), ("A group.", ())
    ]
    with pytest.raises(ConfigError, match="no topic has a document of the collection that was judged 4 or more"):
        list(JudgmentsMiner(**given, gain=4).mine(notes, TEXT))
    with pytest.raises(ConfigError, match="judgments are of topics"):
        JudgmentsMiner(topics="t")
    with pytest.raises(ConfigError, match="gain is 1 or more"):
        JudgmentsMiner(**given, gain=0)


def test_miners_are_read_from_one_word_each() -> None:
    assert parse_miner("answers") == AnswersMiner()
    assert parse_miner("answers:accepted=true;votes=7") == AnswersMiner(accepted=True, votes=7)
    assert parse_miner("halves:fields=proof") == Halves(fields=("proof",))
    with pytest.raises(ConfigError, match="Did you mean titles"):
        parse_miner("title")
    with pytest.raises(ConfigError, match="there is no setting 'vote'"):
        make_miner("answers", {"vote": 1})
    assert {name: miner.name for name, miner in MINERS.items()} == {name: name for name in MINERS}


def test_the_usual_miners_fit_the_collection() -> None:
    assert usual_miners(["duplicates"], ["title", "question", "body"]) == [AnswersMiner(), LinksMiner()]
    assert usual_miners(["labels"], ["title", "body"]) == [References(), Titles()]
    assert usual_miners([], ["title", "body"]) == [Titles()]
    assert usual_miners([], ["body"]) == [Halves()]
