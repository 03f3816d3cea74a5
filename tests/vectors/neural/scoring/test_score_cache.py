"""The file of scores: what was put is there, in any process, and other files are left alone."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from porism.errors import FormatError, SourceError
from porism.vectors.neural.scoring.cache import ScoreCache, score_key


def test_scores_are_found_again(tmp_path: Path) -> None:
    keys = [score_key("m", ("q", f"d{number}")) for number in range(1200)]
    with ScoreCache(tmp_path / "scores") as cache:
        cache.put(keys[:1000], np.arange(1000))
        cache.put(keys[:1], [7.5])
        with ScoreCache(tmp_path / "scores") as other:  # another process
            found = other.get(keys)
        assert len(cache) == 1000
    assert found[:3].tolist() == [7.5, 1.0, 2.0]
    assert np.isnan(found[1000:]).all()


def test_keys_tell_models_texts_and_their_order_apart() -> None:
    keys = [
        score_key("m", ("a", "b")), score_key("n", ("a", "b")), score_key("m", ("b", "a")), score_key("m", ("ab",)),
        score_key("m", ("a", "b", "")), score_key("m", ("a\0b",)), score_key("m", ("\ud800",)),
    ]
    assert len(set(keys)) == len(keys)
    assert score_key("m", ("a", "b")) == keys[0]


def test_what_fails_in_the_middle_is_not_there(tmp_path: Path) -> None:
    with ScoreCache(tmp_path / "scores") as cache:
        with pytest.raises(ValueError, match="zip"):
            cache.put([b"a", b"b"], [1.0])
        assert len(cache) == 0


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database, but a text that is long enough to be one" * 20)
    with pytest.raises(FormatError, match="not a file of scores"):
        ScoreCache(tmp_path / "text")
    base = sqlite3.connect(tmp_path / "base")
    base.execute("CREATE TABLE mine (x)")
    base.commit()
    base.close()
    with pytest.raises(FormatError, match="another database"):
        ScoreCache(tmp_path / "base")
    with pytest.raises(SourceError, match="cannot be kept there"):
        ScoreCache(tmp_path / "none" / "scores")
