"""``porism train pairs`` mines the pairs of an index into a file."""

from __future__ import annotations

from porism.lab.train.pairs.files import read_pairs


def test_pairs_of_an_index_are_written_and_counted(porism, sample_index, tmp_path):
    file = tmp_path / "pairs.jsonl"
    result = porism("train", "pairs", file, "--index", sample_index, "--miner", "titles")
    assert (result.status, result.err) == (0, "")
    found = read_pairs(file)
    assert f"titles: {len(found)} pairs" in result.out
    assert {pair.miner for pair in found} == {"titles"}
    (tmp_path / "ids").write_text(f"{found[0].anchor_id}\n")
    without = ("--miner", "titles", "--exclude-ids", tmp_path / "ids")
    left = porism("train", "pairs", file, "--index", sample_index, *without)
    assert "excluded" in left.out
    assert found[0] not in read_pairs(file)
    assert len(read_pairs(file)) > len(found) / 2
    assert porism("train", "pairs", file, "--index", sample_index, "--most", 5, "--quiet").out == ""
    assert 5 <= len(read_pairs(file)) <= 10


def test_formulas_are_written_as_asked(porism, sample_index, tmp_path):
    file = tmp_path / "pairs.jsonl"
    for writing, sign in (("source", r"\frac"), ("unicode", "√")):
        porism("train", "pairs", file, "--index", sample_index, "--miner", "titles", "--formulas", writing)
        assert any(sign in pair.positive for pair in read_pairs(file)), writing


def test_a_wrong_miner_is_named(porism, sample_index, tmp_path):
    result = porism("train", "pairs", tmp_path / "p", "--index", sample_index, "--miner", "answer")
    assert result.status == 1
    assert "Did you mean answers?" in result.err
