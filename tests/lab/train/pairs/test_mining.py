"""Pairs of several miners: without repetitions, without what is excluded, counted, and in a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_tables import every_case
from listed_documents import SupplementaryHits, document

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError, FormatError, SourceError
from porism.lab.train.pairs.base import Pair
from porism.lab.train.pairs.exclusion import Exclusion, exclusion
from porism.lab.train.pairs.files import read_pairs, write_pairs
from porism.lab.train.pairs.registry import mine_pairs
from porism.lab.train.pairs.texts import Halves, Titles

SUBJECTS = ("groups", "rings", "fields", "modules", "lattices", "graphs", "matroids", "sheaves")
NOTES = SupplementaryHits(*(
    document(name, title=f"About {name}", body=f"Here the theory of {name} begins with {len(name)} axioms for {name}.")
    for name in SUBJECTS
))


def test_repetitions_and_excluded_pairs_are_left_out_and_counted() -> None:
    found = mine_pairs(NOTES, [Titles(), Titles()], exclude=Exclusion(ids=frozenset(["rings"])))
    first, second = found.counts
    assert (first.found, first.excluded, first.kept) == (8, 1, 7)
    assert (second.repeated, second.kept) == (7, 0)
    assert [pair.anchor_id for pair in found.pairs] == [name for name in SUBJECTS if name != "rings"]


def test_what_nearly_repeats_an_excluded_text_is_excluded_on_either_side() -> None:
    near = "here the theory of fields begins with 6 axioms for fields!"
    found = mine_pairs(NOTES, [Titles()], exclude=Exclusion(texts=(near, "About sheaves")))
    assert {pair.anchor_id for pair in found.pairs} == set(SUBJECTS) - {"fields", "sheaves"}


def test_more_than_wanted_are_drawn_by_the_seed() -> None:
    drawn = mine_pairs(NOTES, [Titles()], most=3, seed=1)
    assert drawn.counts[0].surplus == 5
    assert drawn.pairs == mine_pairs(NOTES, [Titles()], most=3, seed=1).pairs
    assert any(mine_pairs(NOTES, [Titles()], most=3, seed=seed).pairs != drawn.pairs for seed in (2, 3))


def test_a_miner_without_pairs_is_an_error_only_where_it_was_asked_for() -> None:
    with pytest.raises(ConfigError, match="two sentences in proof"):
        mine_pairs(NOTES, [Halves(fields=("proof",)), Titles()])
    found = mine_pairs(NOTES, [Halves(fields=("proof",)), Titles()], strict=False)
    assert "two sentences" in found.counts[0].reason
    with pytest.raises(ConfigError, match=r"no pairs to train on \(titles: 8 found, 8 excluded\)"):
        mine_pairs(NOTES, [Titles()], exclude=Exclusion(ids=frozenset(SUBJECTS)))


def test_exclusions_are_read_from_topics_and_from_judgments(tmp_path: Path) -> None:
    (tmp_path / "topics.jsonl").write_text('{"id": "A.1", "title": "Is $x$ here?", "question": "Tell me."}\n')
    (tmp_path / "qrels").write_text("rings 0 fields 1\n")
    found = exclusion([tmp_path / "topics.jsonl"], [tmp_path / "qrels"], NOTES)
    assert found.ids == {"rings"}
    assert found.texts[:3] == ("Is $x$ here?\nTell me.", "Is $x$ here?", "Tell me.")
    assert "About rings" in found.texts
    with pytest.raises(SourceError, match="the ids to exclude cannot be read"):
        exclusion(ids=[tmp_path / "none"])


def test_documents_that_repeat_what_is_excluded_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    near = "here the theory of fields begins with 6 axioms for fields!"
    exclude = Exclusion((near, "About sheaves"), frozenset(["rings"]))
    kept = [name for name in SUBJECTS if name not in ("rings", "fields", "sheaves")]
    assert [one.id for one in exclude.without(NOTES, ModelText())] == kept
    monkeypatch.setattr("porism.lab.train.pairs.exclusion._BATCH_SIZE", 3)
    assert [one.id for one in exclude.without(NOTES, ModelText())] == kept
    assert [one.id for one in Exclusion().without(NOTES, ModelText())] == list(SUBJECTS)


def test_pairs_come_back_from_their_file(tmp_path: Path) -> None:
    pairs = [Pair("a $x$", "b"), Pair("c", "d", ("e", "f"), "titles", "1", "2", (3.0, 1.5, -1.0))]
    assert write_pairs(tmp_path / "p.jsonl", pairs) == 2
    assert read_pairs(tmp_path / "p.jsonl") == pairs
    assert (tmp_path / "p.jsonl").read_text().splitlines()[0] == '{"anchor":"a $x$","positive":"b"}'


@every_case(("line", "message"), [
    ("{", "p:2: a line is not JSON"), ("[]", "p:2: a line is not a pair"),
    ('{"anchor": " ", "positive": "b"}', "p:2: a pair has no anchor"), ('{"anchor": "a"}', "a pair has no positive"),
    ('{"anchor": "a", "positive": "b", "negatives": "c"}', "not a list of texts"),
    ('{"anchor": "a", "positive": "b", "negatives": ["c"], "scores": [1]}', "each of its negatives"),
])
def test_broken_pairs_are_named_with_their_line(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "p").write_text(f'{{"anchor": "a", "positive": "b"}}\n{line}\n')
    with pytest.raises(FormatError, match=message):
        read_pairs(tmp_path / "p")


def test_a_file_without_pairs_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("\n")
    with pytest.raises(SourceError, match="no training pairs"):
        read_pairs(tmp_path / "p")
    with pytest.raises(SourceError, match="cannot be read"):
        read_pairs(tmp_path / "none")
