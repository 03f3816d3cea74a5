"""Trials kept on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from porism.errors import FormatError, Problem, SourceError
from porism.lab.tuning import TrialStore

HEADER = '{"porism_trials":1}\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trials.jsonl"


def test_trials_are_found_again_by_objective_and_parameters(path: Path) -> None:
    store = TrialStore(path)
    assert not path.exists()
    store.add("o1", {"k": 60, "w": [0.1, 0.9]}, {"A.1": 0.5, "Ä": 1.0}, 0.25)
    store.add("o2", {"k": 60, "w": [0.1, 0.9]}, {"A.1": 0.75}, 0.5)
    again = TrialStore(path)
    assert len(again) == 2
    assert again.find("o1", {"w": [0.1, 0.9], "k": 60.0}) == ({"A.1": 0.5, "Ä": 1.0}, 0.25)
    assert again.find("o2", {"k": 60, "w": [0.1, 0.9]}) == ({"A.1": 0.75}, 0.5)
    assert again.find("o3", {"k": 60, "w": [0.1, 0.9]}) is None
    assert again.find("o1", {"k": 61, "w": [0.1, 0.9]}) is None


def test_every_cut_keeps_the_trials_before_it(path: Path) -> None:
    store = TrialStore(path)
    for k in range(3):
        store.add("o", {"k": k}, {"A.1": k / 7}, 0.0)
    content = path.read_bytes()
    ends = [position + 1 for position, byte in enumerate(content) if byte == ord("\n")]
    for cut in range(len(content)):
        path.write_bytes(content[:cut])
        problems: list[Problem] = []
        store = TrialStore(path, problems.append)
        whole = sum(end <= cut for end in ends[1:]) + (cut + 1 in ends[1:])  # a line lacks only its end
        assert len(store) == whole
        assert len(problems) == (cut > ends[0] and cut not in ends and cut + 1 not in ends)
        store.add("o", {"k": 9}, {"A.1": 1.0}, 0.0)
        again = TrialStore(path)
        assert len(again) == whole + 1
        assert again.find("o", {"k": 9}) == ({"A.1": 1.0}, 0.0)


def test_a_damaged_line_is_reported_with_its_number_and_skipped(path: Path) -> None:
    good = '{"objective":"o","parameters":{"k":%d},"values":{"A.1":0.5},"seconds":0}\n'
    no_number = '{"objective":"o","parameters":{},"values":{"a":null},"seconds":1}\n'
    damaged = ['{"objective":"o","par\n', "[1]\n", no_number]
    path.write_text(HEADER + good % 1 + "".join(damaged) + HEADER + good % 2)
    problems: list[Problem] = []
    store = TrialStore(path, problems.append)
    assert len(store) == 2
    assert [problem.where for problem in problems] == ["trials.jsonl:3", "trials.jsonl:4", "trials.jsonl:5"]


@pytest.mark.parametrize("content", ["A.1 Q0 d1 1 0.5 run\n", "\n", '{"porism_trials":2}\n', "x"])
def test_another_file_is_refused_and_not_touched(path: Path, content: str) -> None:
    path.write_text(content)
    with pytest.raises(FormatError, match="this is not a store of trials"):
        TrialStore(path)
    assert path.read_text() == content


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        TrialStore(tmp_path)
    with pytest.raises(SourceError, match="cannot be written"):
        TrialStore(tmp_path / "none" / "trials").add("o", {}, {}, 0.0)
