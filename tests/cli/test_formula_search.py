"""``porism search --formulas`` and ``porism run --formulas``, on the sample and on ARQMath's formats."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from case_tables import every_case

from porism.analysis.analyzer import AnalysisConfig
from porism.runs.run import Run

SUM = r"$\sum_{i=1}^m i^2$"
HEADER = "id\tpost_id\tthread_id\ttype\tcomment_id\told_visual_id\tvisual_id\tissue\tformula\n"
ROWS = [
    "1\t1\t1\ttitle\t\t\t100\t\tx^2+1", "2\t1\t1\tquestion\t\t\t101\t\ty^2+1", "3\t2\t1\tanswer\t\t\t102\t\tz^3+2",
    "4\t2\t1\tcomment\t9\t\t100\t\tx^2+1", "5\t3\t3\tquestion\t\t\t\t\tx^2+5",
]
TOPICS = """<?xml version="1.0"?>
<Topics>
  <Topic number="B.1">
    <Formula_Id>q_1</Formula_Id><Latex>u^2+1</Latex>
    <Title>A power &lt;span class="math-container" id="q_1"&gt;$u^2+1$&lt;/span&gt;</Title>
    <Question>&lt;p&gt;or &lt;span class="math-container" id="q_2"&gt;$z^3$&lt;/span&gt;&lt;/p&gt;</Question>
    <Tags>algebra</Tags>
  </Topic>
  <Topic number="B.2"><Formula_Id>q_3</Formula_Id><Latex>\\frac{z^3+2</Latex></Topic>
</Topics>
"""


@pytest.fixture
def tables(porism, tmp_path: Path) -> Path:
    """An index of a table of formulas."""
    folder = tmp_path / "latex_representation_v3"
    folder.mkdir()
    (folder / "1.tsv").write_text(HEADER + "\n".join(ROWS) + "\n", encoding="utf-8")
    result = porism("index", folder, "--index", tmp_path / "formulas", "--jobs", 1)
    assert result.status == 0, result.err
    assert "4 documents with 5 formulas" in result.out
    return tmp_path / "formulas"


@pytest.fixture
def topics(tmp_path: Path) -> Path:
    """Topics laid out as those of ARQMath Task 2."""
    path = tmp_path / "topics.xml"
    path.write_text(TOPICS, encoding="utf-8")
    return path


def test_json_is_one_array_with_the_stated_keys(porism, sample_index) -> None:
    result = porism("search", "--formulas", SUM, "--index", sample_index, "-k", 3, "--json")
    assert (result.status, result.err) == (0, "")
    hits = json.loads(result.out)
    assert [hit["rank"] for hit in hits] == [1, 2, 3]
    assert all(
        set(hit) == {"rank", "score", "key", "latex", "text", "mathml", "documents", "places"} for hit in hits
    )
    explained = json.loads(porism("search", "--formulas", SUM, "--index", sample_index, "--json", "--explain").out)
    assert all(hit["match"]["explanation"]["value"] == pytest.approx(hit["score"]) for hit in explained)
    assert all('class="match"' in hit["match"]["found"]["mathml"] for hit in explained)


def test_the_list_marks_what_matches_and_says_where_it_stands(porism, sample_index) -> None:
    result = porism("search", "--formulas", r"$\sum_{k=1}^n k^2$", "--index", sample_index, "-k", 1)
    lines = result.out.splitlines()
    assert lines[0].startswith(" 1. ")
    assert lines[0].startswith(" 1. ∑ₖ₌₁ⁿ k²")
    assert " in 1 document: " in lines[1] or " documents: " in lines[1]
    assert "asked for" not in result.out
    assert "\x1b" not in result.out
    explained = porism("search", "--formulas", SUM, "--index", sample_index, "-k", 1, "--explain")
    assert "asked for  ∑ᵢ₌₁ᵐ i²  (100% matched)" in explained.out
    latex = porism("search", "--formulas", SUM, "--index", sample_index, "-k", 1, "--show", "latex")
    assert latex.out.startswith(" 1. $")
    assert r"\sum_{" in latex.out.splitlines()[0]


def test_other_letters_are_a_substitution(porism, tables) -> None:
    result = porism("search", "--formulas", "u^2+1", "--index", tables, "-k", 1)
    assert "with u ↦ " in result.out


def test_colours_are_for_terminals_that_want_them(porism, tables, monkeypatch) -> None:
    query = ("search", "--formulas", "x^2+1", "--index", tables, "-k", 1)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    green = "\x1b[32m\x1b[1mx² + 1\x1b[0m"
    assert green in porism(*query).out
    assert "\x1b" not in porism(*query, "--color", "never").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert " 1. x² + 1\n" in porism(*query).out
    assert green in porism(*query, "--color", "always").out


def test_filters_and_places_of_a_table(porism, tables) -> None:
    query = ("search", "--formulas", "x^2+1", "--index", tables, "--json")
    (first, *_) = json.loads(porism(*query).out)
    assert first["documents"] == 2
    assert {"doc_id": "comment-9", "field": "comment", "number": 0, "id": "4", "visual_id": "100"} in first["places"]
    hits = json.loads(porism(*query, "--filter", "type=comment").out)
    assert [[place["doc_id"] for place in hit["places"]] for hit in hits] == [["comment-9"]]


@pytest.mark.parametrize("context", [(), ("--no-context",), ("--context",)])
def test_task_2_topics_are_answered_by_visual_id(porism, tables, topics, tmp_path, context) -> None:
    output = tmp_path / "run.tsv"
    result = porism("run", "--formulas", "--index", tables, "--topics", topics, "--output", output, *context)
    assert result.status == 0, result.err
    assert "2 topics, " in result.out
    assert "topic B.2: formula '\\\\frac{z^3+2': character" in result.err
    run = Run.read(output)
    assert {"100", "101"} <= {visual_id for visual_id, _ in run["B.1"][:2]}
    assert run["B.2"][0][0] == "102"
    assert {visual_id for topic in run for visual_id, _ in run[topic]} <= {"100", "101", "102"}


def test_evaluation_by_the_formulas_of_the_collection(porism, tables, tmp_path) -> None:
    (tmp_path / "a.run").write_text("B.1 Q0 100 1 2.0 x\nB.1 Q0 102 2 1.0 x\n", encoding="utf-8")
    (tmp_path / "qrels").write_text("B.1 0 100 3\nB.1 0 999 3\nB.2 0 998 3\n", encoding="utf-8")
    query = ("evaluate", tmp_path / "a.run", tmp_path / "qrels", "--measures", "AP", "--json")
    assert '"AP": 0.25' in porism(*query).out
    assert '"AP": 1.0' in porism(*query, "--collection", tables, "--formulas").out


def test_context_changes_scores(porism, tables, topics, tmp_path) -> None:
    runs = []
    for number, context in enumerate(("--context", "--no-context")):
        path = tmp_path / f"{number}.run"
        porism("run", "--formulas", "--index", tables, "--topics", topics, "--output", path, context, "--quiet")
        runs.append(Run.read(path)["B.1"])
    assert runs[0] != runs[1]


def test_k_and_name_of_a_run(porism, tables, topics, tmp_path) -> None:
    path = tmp_path / "short.run"
    porism("run", "--formulas", "--index", tables, "--topics", topics, "--output", path, "-k", 1, "--name", "mine")
    assert [line.split("\t")[5] for line in path.read_text(encoding="utf-8").splitlines()] == ["mine", "mine"]


@every_case("query", [
    "$", "$$", "$x", r"$\frac{a}{$", "{{{{", "}}}}", "x^{" * 40_000, "x+" * 50_000, "?x", "$?x+?y$", "\x00",
    "sum of squares", r"\foo{\bar", "<math><mi>x</mi>", "<math></math>", r"\begin{align}", "$$$$$", "ℝ ﬁ 𝔸",
])
def test_bad_queries_are_answered_or_refused_in_few_lines(porism, sample_index, query) -> None:
    result = porism("search", "--formulas", query, "--index", sample_index, "--json", "-k", 3)
    assert "Traceback" not in result.err
    assert result.err.count("\n") <= 6
    assert all(len(line) < 200 for line in result.err.splitlines())
    if result.status == 0:
        assert len(json.loads(result.out)) <= 3
    else:
        assert "the query has no formula" in result.err
        assert result.out == ""


def test_what_was_not_understood_is_said_on_standard_error(porism, sample_index) -> None:
    result = porism("search", "--formulas", r"$\foo x^2+1$", "--index", sample_index, "-k", 1)
    assert result.status == 0
    assert result.err == "formula '\\\\foo x^2+1': character 0: unknown command \\foo\n"
    assert result.out.startswith(" 1. ")


def test_nothing_found_is_said(porism, tmp_path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "a", "body": "no formula"}\n', encoding="utf-8")
    porism("index", tmp_path / "a.jsonl", "--index", tmp_path / "index", "--jobs", 1)
    result = porism("search", "--formulas", "x^2", "--index", tmp_path / "index")
    assert (result.status, result.out) == (0, "Nothing found: no formula shares a part with the query.\n")


def test_models(porism, sample_index, tmp_path) -> None:
    from porism.retrieve.formulas.model import FORMULA_MODELS

    query = ("search", "--formulas", SUM, "--index", sample_index, "-k", 1)
    channels = set(AnalysisConfig.named(["default", "tangent-l"]).formulas)
    for name, model in FORMULA_MODELS.items():
        found = porism(*query, "--model", name)
        if not set(model.channels) & channels:
            assert "the index has none of the formula channels" in found.err
        else:
            assert found.status == 0
    assert porism(*query, "--model", "default").out == porism(*query).out
    wrong = porism(*query, "--model", "no-such-model")
    assert wrong.status == 1
    assert "there is no formula model 'no-such-model'" in wrong.err
    (tmp_path / "broken.toml").write_text("a = [", encoding="utf-8")
    broken = porism(*query, "--model", tmp_path / "broken.toml")
    assert broken.status == 1
    assert "broken.toml: is not valid TOML" in broken.err
    assert broken.err.count("\n") == 1


def test_options_of_formula_search_need_it(porism) -> None:
    result = porism("run", "--topics", "t", "--output", "o", "--context")
    assert result.status == 2
    assert "works with --formulas only" in result.err


def test_documents_can_be_listed_with_the_matches_of_their_formulas(sample_index, capsys) -> None:
    from porism.cli.render import print_hits
    from porism.search.index import open_index

    with open_index(sample_index) as index:
        hits = index.search(SUM, 1)
        match = index.explain_formula(SUM, hits[0].id, "document")
        capsys.readouterr()
        print_hits([replace(hits[0], explanation=match.explanation, matches=(match, match)), *hits[1:]])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert sum(line.startswith("asked for  ") for line in lines) == 2
    assert sum(line == f"{match.score:.4f}  {match.explanation.label}" for line in lines) == 1
