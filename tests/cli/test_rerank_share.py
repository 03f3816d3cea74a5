"""``porism rerank --qrels``: the share of the first stage, chosen by judgments."""

from __future__ import annotations

from pathlib import Path

import pytest

from porism.runs.run import Run
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document

TOPICS = tuple(f"q{number}" for number in range(1, 9))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Words find b best, c next, and in a nothing; the first stage has a before b before c."""
    folder = tmp_path_factory.mktemp("share")
    texts = {"a": "Nothing of the kind.", "b": "A prime, and a prime.", "c": "The prime numbers are many, too."}
    index_documents(
        [Document(name, {"body": Content(text)}) for name, text in texts.items()], folder / "i.index", jobs=1
    )
    Run({topic: [("a", 3.0), ("b", 2.0), ("c", 1.0)] for topic in TOPICS}, "first").write(folder / "first.run")
    (folder / "topics.tsv").write_text("".join(f"{topic}\tprime\n" for topic in TOPICS))
    (folder / "b.qrels").write_text("".join(f"{topic} 0 b 1\n{topic} 0 elsewhere 1\n" for topic in TOPICS))
    (folder / "a.qrels").write_text("".join(f"{topic} 0 a 1\n" for topic in TOPICS))
    return folder


def arguments(files: Path, output: Path, *more: object) -> tuple[object, ...]:
    return ("rerank", files / "first.run", "--index", files / "i.index", "--topics", files / "topics.tsv",
            "--kind", "retriever", "--model", "words", "--output", output, *more)


def test_the_share_of_other_topics_is_chosen(porism, files, tmp_path) -> None:
    result = porism(*arguments(files, tmp_path / "out.run", "--qrels", files / "b.qrels", "--measure", "RR",
                               "--folds", 2))
    assert result.status == 0
    table, _, words = result.out.partition("\n\n")[2].partition("\n\n")
    lines = [line.split() for line in table.splitlines()]
    assert lines[0] == ["first_stage", "RR"]
    assert lines[1] == ["1", "0.5000", "the", "first", "stage", "alone"]
    assert lines[-1] == ["0", "1.0000"]
    assert len(lines) == 12
    best = next(line[0] for line in lines[1:] if line[1] == "1.0000")
    assert words.splitlines() == [
        # all 8 topics gain: 2 of the 256 assignments of signs are as far from 0
        "held out, 8 topics: RR 1.0000; to the first stage alone +0.5000 (+0.5000 to +0.5000), permutation test: "
        "p = 0.008",
        f"the folds chose {best}, {best}", f"For other topics: --set first_stage={best}",
    ]
    run = Run.read(tmp_path / "out.run")
    assert {topic: run[topic][0][0] for topic in TOPICS} == dict.fromkeys(TOPICS, "b")
    assert run.provenance is not None
    assert run.provenance.tuned_on == ()
    again = porism(*arguments(files, tmp_path / "again.run", "--set", f"first_stage={best}"))
    assert again.status == 0
    assert Run.read(tmp_path / "again.run") == run
    whole = porism(*arguments(files, tmp_path / "whole.run", "--qrels", files / "b.qrels", "--measure", "nDCG",
                             "--folds", 0))
    assert "first_stage  nDCG\n" in whole.out
    assert "          0  1.0000\n" in whole.out  # the relevant document that is not in the index does not count
    assert "held out" not in whole.out
    assert whole.out.endswith("These topics chose it: compare it with the first stage on others.\n")
    assert set(Run.read(tmp_path / "whole.run").provenance.tuned_on) == set(TOPICS)


def test_a_reranker_that_does_not_help_is_left_out(porism, files, tmp_path) -> None:
    result = porism(*arguments(files, tmp_path / "out.run", "--qrels", files / "a.qrels", "--folds", 2))
    assert result.status == 0
    assert "to the first stage alone 0.0000 (0.0000 to 0.0000), permutation test: p = 1.000\n" in result.out
    assert result.out.endswith("No significant gain over the first stage alone: leave this reranker out.\n")
    assert "first_stage  nDCG'\n" in result.out
    first, found = Run.read(files / "first.run"), Run.read(tmp_path / "out.run")
    assert {topic: found[topic] for topic in TOPICS} == {topic: first[topic] for topic in TOPICS}
    whole = porism(*arguments(files, tmp_path / "whole.run", "--qrels", files / "a.qrels", "--folds", 0))
    assert whole.out.endswith(
        "No share is better than the first stage alone on these topics: leave this reranker out.\n"
    )
    quiet = porism(*arguments(files, tmp_path / "quiet.run", "--qrels", files / "a.qrels", "--folds", 0, "--quiet"))
    assert (quiet.status, quiet.out) == (0, "")


def test_a_gain_of_few_topics_is_no_reason_to_keep_a_reranker(porism, files, tmp_path) -> None:
    few = tmp_path / "few.qrels"
    few.write_text("".join(f"{topic} 0 b 1\n" for topic in TOPICS[:4]))
    result = porism(*arguments(files, tmp_path / "out.run", "--qrels", few, "--measure", "RR", "--folds", 2))
    assert "held out, 4 topics: RR 1.0000; to the first stage alone +0.5000" in result.out
    assert result.out.endswith("p = 0.125\nthe folds chose 0.6, 0.6\nNo significant gain over the first stage alone: "
                               "leave this reranker out.\n")


def test_options_that_do_not_fit(porism, files, tmp_path) -> None:
    output, qrels = tmp_path / "out.run", files / "a.qrels"
    for more, message in (
        (("--folds", 3), "--folds works with --qrels only"),
        (("--measure", "RR"), "--measure works with --qrels only"),
        (("--qrels", qrels, "--folds", 1), "One fold leaves no topics to choose by"),
        (("--qrels", qrels, "--set", "first_stage=0.5"), "--qrels chooses first_stage"),
    ):
        result = porism(*arguments(files, output, *more))
        assert (result.status, message in result.err) == (2, True), result.err
    assert "no measure" in porism(*arguments(files, output, "--qrels", qrels, "--measure", "none")).err
    other = tmp_path / "other.qrels"
    other.write_text("q9 0 a 1\n")
    assert "no query of the run has judgments" in porism(*arguments(files, output, "--qrels", other)).err
    assert not output.exists()
