"""What a recipe makes again: only what has changed, or what an interruption left."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from recipe_cases import RECIPE, TOPICS, contents, made

from porism.analysis.analyzer import AnalysisConfig
from porism.corpus import read_qrels
from porism.errors import Problem
from porism.lab.recipes import StageEvent, plan_recipe, run_recipe
from porism.runs.run import Run
from porism.search.searcher import IndexSearcher
from porism.search.sources.updating import index_sources
from porism.types import Query

Write = Callable[..., Path]
Searched = list[list[str]]


def interrupting(monkeypatch: pytest.MonkeyPatch, after: int) -> list[str]:
    """Interrupts a search after so many topics; gives the topics that were searched."""
    topics: list[str] = []
    real = IndexSearcher.run

    def run(self: IndexSearcher, queries: Iterable[Query], *arguments: Any, **options: Any) -> Run:
        listed = list(queries)
        if len(topics) == after:
            raise KeyboardInterrupt
        topics.extend(query.id for query in listed)
        return real(self, listed, *arguments, **options)

    monkeypatch.setattr(IndexSearcher, "run", run)
    return topics


def test_a_second_start_makes_nothing_and_a_fresh_one_makes_the_same_bytes(
    write: Write, laboratory: Path, searched: Searched
) -> None:
    path = write()
    first = run_recipe(path)
    assert made(first) == {stage["stage"] for stage in first.record["stages"]}
    before = contents(first.output)
    assert {"runs/dev/rrf.run", "report/report.csv", "report/report.tex", "report/report.txt"} <= set(before)
    searched.clear()
    second = run_recipe(path)
    assert made(second) == set()
    assert searched == []
    assert contents(second.output) == before
    elsewhere = run_recipe(path, output=laboratory / "other", cache=laboratory / "other-cache")
    assert contents(elsewhere.output) == before
    fresh = run_recipe(path, fresh=True)
    assert made(fresh) == made(first)
    assert contents(fresh.output) == before


def test_only_what_changed_is_made_again(write: Write, laboratory: Path, searched: Searched) -> None:
    run_recipe(write())
    searched.clear()
    changed = run_recipe(write(RECIPE, ("k = 30", "k = 31")))
    assert made(changed) == {"fuse rrf on dev", "tune tuned on dev", "run tuned on dev", "report report on dev"}
    assert all(len(topics) == 6 for topics in searched)  # tuning asks tokens with other powers; no pipeline's own run
    renamed = run_recipe(write(RECIPE, ("k = 30", "k = 31"), ('baseline = "words"', 'baseline = "tokens"')))
    assert made(renamed) == {"report report on dev"}
    judged = (laboratory / "qrels.txt").read_text(encoding="utf-8")
    first, *rest = judged.splitlines()
    topics = list(read_qrels(laboratory / "qrels.txt"))
    grouped = sorted(judged.splitlines(), key=lambda line: topics.index(line.split()[0]))
    (laboratory / "qrels.txt").write_text("\n".join(grouped) + "\n", encoding="utf-8")
    assert made(run_recipe(write())) == set()  # the same judgments, documents in another order
    (laboratory / "qrels.txt").write_text("\n".join([f"{first[:-1]}3", *rest]) + "\n", encoding="utf-8")
    rejudged = run_recipe(write())
    assert made(rejudged) == {"tune tuned on dev", "run tuned on dev", "report report on dev"}
    (laboratory / "notes.jsonl").touch()  # what counts is what is in a file
    assert made(run_recipe(write())) == set()
    with (laboratory / "notes.jsonl").open("a", encoding="utf-8") as notes:
        notes.write('{"id": "new", "title": "prime", "body": "prime numbers $x^2$"}\n')
    assert made(run_recipe(write())) == made(run_recipe(write(), fresh=True))


def test_a_changed_topic_alone_is_asked_again(write: Write, laboratory: Path, searched: Searched) -> None:
    path = write()
    run_recipe(path, only=["words"])
    assert searched == [[topic] for topic in TOPICS]
    searched.clear()
    text = (laboratory / "topics.tsv").read_text(encoding="utf-8")
    (laboratory / "topics.tsv").write_text(text.replace("prime numbers", "prime proof"), encoding="utf-8")
    changed = run_recipe(path, only=["words"])
    assert searched == [["T.5"]]
    assert made(changed) == {"run words on dev"}


def test_an_interrupted_run_goes_on_with_the_topics_that_are_left(
    write: Write, laboratory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write()
    with monkeypatch.context() as patch:
        first = interrupting(patch, 2)
        with pytest.raises(KeyboardInterrupt):
            run_recipe(path)
    assert first == ["T.1", "T.2"]
    record = json.loads((laboratory / "recipe-results" / "record.json").read_bytes())
    assert [stage["stage"] for stage in record["stages"]] == ["index collection"]
    assert record["finished"] is False
    (answers,) = (laboratory / ".porism-cache" / "topics").iterdir()
    answers.write_bytes(answers.read_bytes()[:-9])  # and the power failed
    problems: list[Problem] = []
    with monkeypatch.context() as patch:
        rest = interrupting(patch, 10**9)
        done = run_recipe(path, only=["words"], on_problem=problems.append)
    assert rest == ["T.2", "T.3", "T.4", "T.5", "T.6"]
    assert [problem.what for problem in problems] == ["the answer of a topic is damaged; it is found again"]
    whole = run_recipe(path, only=["words"], output=laboratory / "whole", cache=laboratory / "whole-cache")
    assert contents(done.output) == contents(whole.output)
    assert set(done.run("words", "dev").provenance.seconds) == set(TOPICS)  # type: ignore[union-attr]


def test_an_interrupted_tuning_tries_the_rest(write: Write, laboratory: Path, searched: Searched) -> None:
    path = write()
    run_recipe(path, only=["rrf"])
    searched.clear()

    def stop(event: StageEvent) -> None:
        if event.stage.kind == "tune" and event.what == "progress" and event.done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_recipe(path, on_event=stop)
    before = len(searched)
    assert before == 1  # one value of tokens.formulas_power
    counts: list[int] = []
    done = run_recipe(path, on_event=lambda event: counts.append(event.done) if event.what == "progress" else None)
    assert counts[-1] == 4
    whole = run_recipe(path, output=laboratory / "whole", cache=laboratory / "whole-cache")
    assert contents(done.output) == contents(whole.output)
    (trials,) = (laboratory / ".porism-cache" / "trials").iterdir()
    assert len(trials.read_text(encoding="utf-8").splitlines()) == 1 + 4  # a header, and each trial once


def test_an_interrupted_index_is_completed(write: Write, laboratory: Path) -> None:
    path = write()
    (key,) = (stage.key for stage in plan_recipe(path).stages if stage.kind == "index")
    half = laboratory / "half.jsonl"
    lines = (laboratory / "notes.jsonl").read_text(encoding="utf-8").splitlines()
    lines[3] = lines[3].replace("proof", "lemma").replace("prime", "lemma")  # of an earlier state of the document
    half.write_text("\n".join(lines[:20]), encoding="utf-8")
    unfinished = laboratory / ".porism-cache" / "unfinished" / f"index-{key}" / "index"
    index_sources([half], unfinished, config=AnalysisConfig(formulas=("tokens",)), jobs=1)
    resumed = run_recipe(path, only=["words", "tokens"])
    assert resumed.record["stages"][0]["output"]["documents"] == 40
    whole = run_recipe(path, only=["words", "tokens"], output=laboratory / "whole", cache=laboratory / "whole-cache")
    for system in ("words", "tokens"):
        mine, other = resumed.run(system, "dev"), whole.run(system, "dev")
        assert mine.query_ids == other.query_ids
        assert mine.scores.tolist() == pytest.approx(other.scores.tolist())
    assert contents(resumed.output) == contents(whole.output)


def test_a_damaged_cache_is_seen_and_mended(write: Write, laboratory: Path) -> None:
    path = write()
    before = contents(run_recipe(path).output)
    for file in (laboratory / ".porism-cache" / "made" / "fuse").rglob("run"):
        file.write_bytes(file.read_bytes().replace(b"d1\t", b"d2\t"))
    problems: list[Problem] = []
    mended = run_recipe(path, on_problem=problems.append)
    assert made(mended) == {"fuse rrf on dev"}
    assert "run is not as it was written; it is made again" in problems[0].what
    assert contents(mended.output) == before
