"""Topics and judgments in every format in use, and exact counts of the real ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_tables import every_case

from porism.corpus.topics import read_qrels, read_topic_information, read_topics
from porism.errors import FormatError, SourceError
from porism.types import Content, Formula, Query

F = "\ufffc"
TASK_1 = """<?xml version="1.0" ?>\r
<Topics>\r
  <Topic number="A.1">\r
    <Title>Is &lt;span class=&quot;math-container&quot; id=&quot;q_1&quot;&gt;$c$&lt;/span&gt; real?</Title>\r
    <Question>&lt;p&gt;If &lt;span class="math-container" id="q_2"&gt;$$c &amp;lt; 1$$&lt;/span&gt;.&lt;/p&gt;\r
    </Question>\r
    <Tags>real-analysis,functions</Tags>\r
  </Topic>\r
</Topics>"""
TITLE = Content(f"Is {F} real?", (Formula("c", id="q_1"),))
QUESTION = Content(f"If {F}.", (Formula("c < 1", id="q_2", display=True),))
TAGS = Content("real-analysis functions")


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_arqmath_task_1(tmp_path: Path) -> None:
    assert read_topics(write(tmp_path / "t.xml", TASK_1)) == [
        Query("A.1", {"title": TITLE, "question": QUESTION, "tags": TAGS}, {"tags": ("real-analysis", "functions")})
    ]


def test_arqmath_task_2(tmp_path: Path) -> None:
    text = TASK_1.replace("<Title>", "<Formula_Id>q_2</Formula_Id><Latex>c &lt; 1</Latex><Title>")
    (topic,) = read_topics(write(tmp_path / "t.xml", text))
    assert list(topic.fields) == ["formula", "title", "question", "tags"]
    assert topic.fields["formula"] == Content(F, (Formula("c < 1", id="q_2"),))
    assert topic.metadata["formula_id"] == "q_2"


def test_formulas_and_texts_after_a_tab(tmp_path: Path) -> None:
    text = "\ufeffNTCIR12-MathWiki-1\t-0.\\qvar{*1*}\\ldots\r\nNTCIR12-MathWiki-2\t\\mathfrak{P}\r\n"
    assert read_topics(write(tmp_path / "ntcir.txt", text)) == [
        Query("NTCIR12-MathWiki-1", {"formula": Content(F, (Formula("-0.\\qvar{*1*}\\ldots"),))}),
        Query("NTCIR12-MathWiki-2", {"formula": Content(F, (Formula("\\mathfrak{P}"),))}),
    ]
    text = "1\twhy is $e^x$ convex\n\n2\tplain words\n3\tx^2+y^2\n4\t$a$\n"
    queries = read_topics(write(tmp_path / "mixed.tsv", text))
    assert [dict(query.fields) for query in queries] == [
        {"query": Content(f"why is {F} convex", (Formula("e^x"),))},
        {"query": Content("plain words")},
        {"formula": Content(F, (Formula("x^2+y^2"),))},
        {"query": Content(F, (Formula("a"),))},
    ]
    (query,) = read_topics(write(tmp_path / "told.tsv", "1\tx^2"), content="text")
    assert query.fields == {"query": Content("x^2")}


def test_json_lines(tmp_path: Path) -> None:
    text = (
        '{"id": 7, "query": "limit of $x$"}\n'
        '{"qid": "b", "title": "T", "question": "<p>Q</p>", "tags": ["a", "b"], "formula": "$y$", "formula_id": "f"}\n'
    )
    assert read_topics(write(tmp_path / "t.jsonl", text)) == [
        Query("7", {"query": Content(f"limit of {F}", (Formula("x"),))}),
        Query(
            "b",
            {
                "formula": Content(F, (Formula("y", id="f"),)), "title": Content("T"), "question": Content("Q"),
                "tags": Content("a b"),
            },
            {"tags": ("a", "b"), "formula_id": "f"},
        ),
    ]


@every_case(
    ("text", "message"),
    [
        ("<Topics>\n<Topic number='A'>\n<Title>x</Topic></Topics>", r"topics:3: the XML is broken"),
        ("<Topics>\n<Topic><Title>x</Title></Topic></Topics>", r"topics:2: a topic has no id"),
        ("<Topics>\n<Topic number='A'></Topic></Topics>", r"topics:2: the topic A is empty"),
        ("<Topics>\n<Topic number='A'><Formula_Id>q</Formula_Id></Topic></Topics>", "A names a formula but"),
        ("<Topics></Topics>", r"there are no topics"),
        ("1\ta\n1\tb\n", r"topics:2: the topic 1 occurs twice"),
        ("1\ta\nno tab\n", r"topics:2: a line is not an id, a tab and a text"),
        ("\n\n", r"there are no topics"),
        ('{"id": 1}', r"topics:1: a topic has no query"),
        ('{"id": 1, "query": 3}', r"topics:1: query is not a string"),
        ('{"id": 1, "query": "a"}\n{broken', r"topics:2: a line is not valid JSON"),
        ('{"query": "a"}', r"topics:1: a topic has no id"),
        (b"1\t\xff\xfe", r"topics:1: byte 3 of the line is not UTF-8"),
    ],
)
def test_broken_topics_are_named(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_topics(write(tmp_path / "topics", text))


def test_entities_are_not_fetched(tmp_path: Path) -> None:
    secret = write(tmp_path / "secret", "secret")
    text = f"""<!DOCTYPE t [<!ENTITY e SYSTEM "{secret.as_uri()}">]>
<Topics><Topic number="1"><Title>a &e; b</Title></Topic></Topics>"""
    (topic,) = read_topics(write(tmp_path / "t.xml", text))
    assert "secret" not in topic.fields["title"].text


def test_missing_and_empty_files(tmp_path: Path) -> None:
    for reader in (read_topics, read_qrels, read_topic_information):
        with pytest.raises(SourceError, match="no such file"):
            reader(tmp_path / "missing")
        with pytest.raises(SourceError, match=r"the file is empty\. Expected"):
            reader(write(tmp_path / "empty", ""))
        with pytest.raises(SourceError, match="this is a folder"):
            reader(tmp_path)


def test_topic_information(tmp_path: Path) -> None:
    text = "Topic,Difficulty, Average  Rating\r\nA.1,Low,1.5\r\nA.2,\"High, very\",\r\n"
    assert read_topic_information(write(tmp_path / "i.csv", text)) == {
        "A.1": {"difficulty": "Low", "average rating": "1.5"},
        "A.2": {"difficulty": "High, very", "average rating": ""},
    }
    with pytest.raises(FormatError, match=r"i\.csv:2: a row has 1 cells and not 2"):
        read_topic_information(write(tmp_path / "i.csv", "a,b\nc\n"))
    with pytest.raises(FormatError, match="occurs twice"):
        read_topic_information(write(tmp_path / "i.csv", "a,b\nc,1\nc,2\n"))


@every_case(
    "text",
    [
        "A.1\t0\td1\t2\nA.1\t0\td2\t0\nB\t0\td1\t-1\n",
        "A.1\t0\td1\t2\r\nA.1\t0\td2\t0\r\nB\t0\td1\t-1",
        "A.1\t0\td1\t2\r\r\nA.1\t0\td2\t0\r\r\nB\t0\td1\t-1\r\r\n",
        "\ufeffA.1 Q0 d1 2.0\n\nA.1 xxx  d2 0.0\n  B xxx d1 -1.0  \n",
        "A.1 0 d1 2\nA.1 0 d1 2\nA.1 0 d2 0\nB 0 d1 -1\n",
    ],
)
def test_judgments_in_all_variants(tmp_path: Path, text: str) -> None:
    assert read_qrels(write(tmp_path / "q", text)) == {"A.1": {"d1": 2, "d2": 0}, "B": {"d1": -1}}


def test_document_ids_with_spaces_between_tabs(tmp_path: Path) -> None:
    assert read_qrels(write(tmp_path / "q", "1\t0\tSome page:3\t1\n")) == {"1": {"Some page:3": 1}}


@every_case(
    ("text", "message"),
    [
        ("a 0 d 1\na 0 d\n", r"q:2: a line has 3 columns and not 4"),
        ("a\n", r"q:1: a line has 1 column and not 4"),
        ("\t0\td\t1\n", r"q:1: a line has no query id or no document id"),
        ("a\t0\td\n", r"q:1: a line has 3 columns and not 4"),
        ("a 0 d x\n", r"q:1: the gain 'x' is not a whole number"),
        ("a 0 d 1.5\n", r"q:1: the gain '1.5' is not a whole number"),
        ("a 0 d 1_0\n", r"q:1: the gain '1_0' is not a whole number"),
        ("a 0 d ٣\n", r"q:1: the gain '٣' is not a whole number"),
        ("a 0 d nan\n", r"q:1: the gain 'nan'"),
        ("a 0 d inf\n", r"q:1: the gain 'inf'"),
        ("a 0 d 1\na 0 d 2\n", r"q:2: the document d is judged 1 and 2 for a"),
        ("\n \n", r"there are no judgments"),
        (b"a 0 \xff 1\n", r"q:1: byte 5 of the line is not UTF-8"),
    ],
)
def test_broken_judgments_are_named(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_qrels(write(tmp_path / "q", text))


@pytest.mark.needs_shared_data
@every_case(
    ("name", "count", "first", "formulas"),
    [
        ("arqmath-topics/2020/Topics_Task1_2020.xml", 98, "A.1", 1007),
        ("arqmath-topics/2020/Topics_Task2_2020.xml", 85, "B.1", 1006),
        ("arqmath-topics/2021/Topics_Task1_2021.xml", 100, "A.201", 843),
        ("arqmath-topics/2021/Topics_Task2_2021.xml", 100, "B.201", 943),
        ("ntcir12/topics.txt", 40, "NTCIR12-MathWiki-1", 40),
        ("ntcir12/topics-wildcards.txt", 20, "NTCIR12-MathWiki-21", 20),
    ],
)
def test_real_topics(shared_data: Path, name: str, count: int, first: str, formulas: int) -> None:
    topics = read_topics(shared_data / name)
    assert (len(topics), topics[0].id) == (count, first)
    assert sum(len(topic.content.formulas) for topic in topics) == formulas
    if "Task2" in name or "ntcir" in name:
        assert all(len(topic.fields["formula"].formulas) == 1 for topic in topics)


@pytest.mark.needs_shared_data
@every_case(
    ("name", "topics", "judged", "positive", "first"),
    [
        ("arqmath-topics/2020/qrel_task1_2020.tsv", 77, 39124, 4073, ("2190525", 0)),
        ("arqmath-topics/2020/qrel_task2_2020_visual_id.v3.tsv", 45, 6074, 1233, ("1051844", 2)),
        ("arqmath-topics/2021/qrel_task1_2021.tsv", 71, 31788, 3482, ("255630", 0)),
        ("arqmath-topics/2021/qrel_task2_2021_visual_id.v3.tsv", 58, 8115, 3100, ("3638886", 0)),
        ("ntcir12/qrels.txt", 40, 2687, 1839, ("Active_contour_model:1", 0)),
        ("duot5-dl20/qrels.dl20-passage.txt", 54, 11386, 3606, ("1020327", 2)),
    ],
)
def test_real_judgments(
    shared_data: Path, name: str, topics: int, judged: int, positive: int, first: tuple[str, int]
) -> None:
    qrels = read_qrels(shared_data / name)
    gains = [gain for documents in qrels.values() for gain in documents.values()]
    assert (len(qrels), len(gains), sum(gain > 0 for gain in gains)) == (topics, judged, positive)
    assert next(iter(next(iter(qrels.values())).items())) == first


@pytest.mark.needs_shared_data
def test_real_topic_information(shared_data: Path) -> None:
    information = read_topic_information(
        shared_data / "arqmath-topics" / "2021" / "Task1_ARQMath2_Topic_Information.csv"
    )
    assert len(information) == 71
    assert {key: information["A.201"][key] for key in ("dependency", "difficulty", "category")} == {
        "dependency": "Text", "difficulty": "Low", "category": "Proof",
    }
