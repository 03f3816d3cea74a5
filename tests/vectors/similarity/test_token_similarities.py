"""Token similarities: by hand, by the book, whatever the blocks; symmetric and dominant where asked for."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from similarity_reference import all_pairs, chosen, dense, levenshtein

from porism.errors import ConfigError, MissingExtra
from porism.settings import SettingError, read_settings
from porism.vectors.similarity import SimilaritySettings, add_similarities, token_similarities

pytest.importorskip("rapidfuzz", reason="lexical similarity needs rapidfuzz: pip install 'porism[embeddings]'")


def made(terms, vectors=None, *, frequencies=None, **given):
    return dense(token_similarities(
        terms, None if vectors is None else np.array(vectors, np.float32), SimilaritySettings(**given),
        frequencies=None if frequencies is None else np.array(frequencies),
    ))


def random_case(seed, count=60, dimensions=5):
    rng = np.random.default_rng(seed)
    words = {"".join(rng.choice(list("abcdé"), rng.integers(1, 9))) for _ in range(count)}
    terms = sorted(words)
    vectors = rng.normal(size=(len(terms), dimensions)).astype(np.float32)
    vectors[rng.random(len(terms)) < 0.1] = 0.0
    return terms, vectors, rng.integers(1, 6, len(terms))


def test_lexical_similarity_by_hand():
    # kitten → sitting: 3 of 7 characters; sitting → sittings: 1 of 8; kitten → sittings: 4
    found = made(["kitten", "sitting", "sittings"], alpha=1.0)
    expected = np.eye(3)
    expected[0, 1] = expected[1, 0] = 1.8 * (4 / 7) ** 5
    expected[1, 2] = expected[2, 1] = 1.8 * (7 / 8) ** 5
    assert found == pytest.approx(expected, rel=1e-6)
    assert made(["kitten", "sitting"], alpha=1.0, lexical_factor=1.0, lexical_power=2.0)[0, 1] == pytest.approx(
        (4 / 7) ** 2
    )
    assert made(["kitten", "sitting"], alpha=1.0, max_distance=2)[0, 1] == 0
    assert made(["kitten", "sitting"], alpha=1.0, lexical_threshold=0.2)[0, 1] == 0
    assert made(["kitten", "sittings"], alpha=1.0, max_distance=4)[0, 1] == pytest.approx(1.8 * 0.5**5)


def test_long_tokens_can_be_more_similar_than_the_same_unless_capped():
    terms = ["homomorphisms", "homomorphism"]
    assert made(terms, alpha=1.0)[0, 1] == pytest.approx(1.8 * (12 / 13) ** 5)
    assert made(terms, alpha=1.0)[0, 1] > 1
    assert made(terms, alpha=1.0, capped=True)[0, 1] == 1


def test_characters_are_counted_not_bytes():
    assert made(["αβγδ", "αβγx"], alpha=1.0)[0, 1] == pytest.approx(1.8 * 0.75**5)
    assert made(["𝔸bcd", "𝔹bcd"], alpha=1.0)[0, 1] == pytest.approx(1.8 * 0.75**5)
    assert made(["", "a"], alpha=1.0)[0, 1] == 0


def test_semantic_similarity_by_hand():
    # cosines: a·b = 0.6, a·c = 0, b·c = 0.8, a·d = −1
    vectors = [[2, 0], [3, 4], [0, 5], [-1, 0]]
    found = made(["a", "b", "c", "d"], vectors, alpha=0.0, exponent=2.0)
    expected = np.eye(4)
    expected[0, 1] = expected[1, 0] = 0.36
    expected[1, 2] = expected[2, 1] = 0.64
    assert found == pytest.approx(expected, rel=1e-6)
    assert made(["a", "b", "c", "d"], vectors, alpha=0.0)[1, 2] == pytest.approx(0.8**4)
    above = made(["a", "b", "c", "d"], vectors, alpha=0.0, threshold=0.7, exponent=1.0)
    assert (above[0, 1], above[1, 2]) == (0, pytest.approx(0.8))


def test_a_pair_has_both_parts_even_if_one_alone_would_have_dropped_it():
    # Alone with room for one: "cat" is nearest to "cats" by spelling, to "lion" by meaning. The sum takes "tat", the
    # second by either.
    terms = ["cat", "cats", "lion", "tat"]
    vectors = np.array([[1, 0, 0], [0, 1, 0], [1, 0.5, 0], [1, 0.6, 0]], float)
    given = {"top": 1, "symmetric": False, "exponent": 1.0}
    assert np.argmax(made(terms, vectors, alpha=1.0, **given)[0] * [0, 1, 1, 1]) == 1
    assert np.argmax(made(terms, vectors, alpha=0.0, **given)[0] * [0, 1, 1, 1]) == 2
    found = made(terms, vectors, alpha=0.5, **given)
    lexical, semantic = 1.8 * (2 / 3) ** 5, 1 / np.sqrt(1.36)
    assert found[0].tolist() == pytest.approx([1, 0, 0, 0.5 * lexical + 0.5 * semantic])


def test_apart_each_part_is_selected_by_itself_and_a_dropped_one_counts_nothing():
    terms = ["cat", "cats", "lion", "tat"]
    vectors = np.array([[1, 0, 0], [0, 1, 0], [1, 0.5, 0], [1, 0.6, 0]], float)
    given = {"top": 1, "symmetric": False, "exponent": 1.0}
    lexical, semantic = made(terms, alpha=1.0, **given), made(terms, vectors, alpha=0.0, **given)
    found = made(terms, vectors, alpha=0.7, apart=True, **given)
    assert found == pytest.approx(0.7 * lexical + 0.3 * semantic, rel=1e-6)
    assert found[0].tolist() == pytest.approx([1, 0.7 * 1.8 * 0.75**5, 0.3 / np.sqrt(1.25), 0])


def test_apart_only_the_semantic_part_is_dominant():
    terms, vectors, df = random_case(7)
    given = {"dominant": True, "top": 20, "lexical_factor": 9.0}
    both = made(terms, vectors, frequencies=df, alpha=0.5, apart=True, **given)
    lexical = made(terms, frequencies=df, alpha=1.0, top=20, lexical_factor=9.0)
    semantic = made(terms, vectors, frequencies=df, alpha=0.0, **given)
    assert (lexical.sum(axis=1) >= 2).any()
    assert both == pytest.approx(0.5 * lexical + 0.5 * semantic, abs=1e-6)


def test_tokens_without_a_vector_have_lexical_similarity_alone():
    found = made(["cat", "cats", "dog"], [[1, 0], [0, 0], [1, 0]], alpha=0.5)
    assert found[0, 1] == pytest.approx(0.5 * 1.8 * 0.75**5)
    assert found[0, 2] == pytest.approx(0.5 * 1.0)
    assert made(["cat", "cats"], [[1, 0], [0, 0]], alpha=0.0).tolist() == np.eye(2).tolist()


def test_rare_tokens_choose_first_and_take_by_rarity():
    # All alike, with room for one each: b, the rarest, takes the first of its best, a; whom the others want is taken.
    found = made(["a", "b", "c", "d"], np.ones((4, 2)), alpha=0.0, top=1, frequencies=[9, 1, 9, 2])
    assert np.argwhere(np.triu(found, 1)).tolist() == [[0, 1]]
    # cosines: a·b = 0.6, b·c = 0.8. A sum below 1 lets c have b, or a have b, whoever comes first.
    vectors = [[1, 0], [0.6, 0.8], [0, 1]]
    first = {"alpha": 0.0, "exponent": 1.0, "dominant": True}
    assert np.argwhere(np.triu(made(["a", "b", "c"], vectors, frequencies=[1, 9, 5], **first), 1)).tolist() == [[0, 1]]
    assert np.argwhere(np.triu(made(["a", "b", "c"], vectors, frequencies=[5, 9, 1], **first), 1)).tolist() == [[1, 2]]
    # A similarity of 1 has no room at all.
    assert made(["a", "b"], np.ones((2, 2)), alpha=0.0, dominant=True).tolist() == np.eye(2).tolist()


CASES = [
    {}, {"alpha": 1.0}, {"alpha": 0.0}, {"dominant": True}, {"top": 3}, {"top": 3, "symmetric": False},
    {"dominant": True, "symmetric": False, "top": 7}, {"max_distance": 9, "top": 10},
    {"threshold": 0.5, "lexical_threshold": 0.2, "exponent": 2.0}, {"exponent": 0.5, "capped": True, "alpha": 0.3},
    {"alpha": 1.0, "lexical_threshold": 0.3, "max_distance": 5}, {"exponent": 3.0, "lexical_power": 1.0},
]


@every_case("given", CASES, ids=str)
@every_case("rare_first", [True, False])
def test_the_same_as_by_the_book(given, rare_first):
    terms, vectors, df = random_case(len(str(given)))
    wanted = SimilaritySettings(**given)
    frequencies = df if rare_first else None
    found = dense(token_similarities(terms, vectors, wanted, frequencies=frequencies))
    expected = chosen(all_pairs(terms, vectors, wanted), wanted, frequencies)
    assert found == pytest.approx(expected, abs=1e-7)
    assert np.array_equal(found > 0, expected > 0)


@every_case("given", CASES, ids=str)
def test_neither_blocks_nor_threads_change_anything(given):
    terms, vectors, df = random_case(3, count=200, dimensions=40)
    wanted = SimilaritySettings(**given)
    whole = token_similarities(terms, vectors, wanted, frequencies=df, workers=1)
    for block_bytes, workers in [(1, 1), (9_000, 3), (1 << 20, 2)]:
        again = token_similarities(terms, vectors, wanted, frequencies=df, workers=workers, block_bytes=block_bytes)
        assert all(np.array_equal(one, other) for one, other in zip(whole, again, strict=True))


def test_the_order_in_which_terms_are_given_only_numbers_them():
    terms, vectors, df = random_case(5)
    shuffled = np.random.default_rng(0).permutation(len(terms))
    # Distinct frequencies and no ties: the choice does not hang on numbers.
    df = np.random.default_rng(1).permutation(len(terms))
    found = made(terms, vectors, frequencies=df, top=4, alpha=0.0)
    other = made([terms[at] for at in shuffled], vectors[shuffled], frequencies=df[shuffled], top=4, alpha=0.0)
    assert np.array_equal(other, found[np.ix_(shuffled, shuffled)])


words = st.lists(st.text("abc", min_size=1, max_size=6), min_size=1, max_size=25, unique=True)


@settings(deadline=None, max_examples=60)
@given(terms=words, seed=st.integers(0, 2**32 - 1), alpha=st.sampled_from([0.0, 0.4, 1.0]),
       top=st.integers(1, 8), symmetric=st.booleans(), dominant=st.booleans())
def test_what_every_matrix_is_like(terms, seed, alpha, top, symmetric, dominant):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(len(terms), 3)).round(1).astype(np.float32)
    wanted = SimilaritySettings(alpha=alpha, top=top, symmetric=symmetric, dominant=dominant)
    rows = token_similarities(terms, vectors, wanted, frequencies=rng.integers(1, 4, len(terms)))
    found = dense(rows)
    assert np.array_equal(np.diag(found), np.ones(len(terms)))
    assert np.isfinite(rows.values).all()
    assert (rows.values > 0).all()
    others = found - np.eye(len(terms))
    assert (np.count_nonzero(others, axis=1) <= top).all()
    for start, stop in zip(rows.indptr, rows.indptr[1:], strict=False):
        assert (np.diff(rows.columns[start:stop]) > 0).all()
    if symmetric:
        assert np.array_equal(found, found.T)
    if dominant:
        assert (others.sum(axis=1) < 1).all()
        if symmetric:
            assert np.linalg.eigvalsh(found).min() > 0


@given(first=st.text("abc", max_size=7), second=st.text("abc", max_size=7))
def test_rapidfuzz_gives_the_textbooks_distance(first, second):
    distance = pytest.importorskip("rapidfuzz.distance").Levenshtein.distance
    assert distance(first, second) == levenshtein(first, second)


def test_one_token_is_similar_to_itself_alone():
    assert made(["a"], [[1.0]]).tolist() == [[1.0]]
    assert made(["a"], alpha=1.0).tolist() == [[1.0]]


def test_progress_tells_all_tokens_and_can_interrupt():
    steps = []
    terms, vectors, _ = random_case(1)
    token_similarities(terms, vectors, block_bytes=1, on_progress=lambda done, total: steps.append((done, total)))
    assert steps == [(done, len(terms)) for done in range(len(terms) + 1)]
    steps.clear()
    token_similarities(
        terms, vectors, SimilaritySettings(apart=True), on_progress=lambda done, total: steps.append((done, total))
    )
    assert (steps[0], steps[-1]) == ((0, 2 * len(terms)), (2 * len(terms), 2 * len(terms)))

    def stop(done, total):
        if done > 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        token_similarities(terms, vectors, block_bytes=1, on_progress=stop)


@every_case(("terms", "vectors", "message"), [
    ([], None, "no terms to compare"),
    (["a", "b", "a"], None, "a term occurs twice"),
    (["a", "b"], None, "alpha 0.6 need vectors"),
    (["a", "b"], np.ones((3, 2)), r"2 terms cannot have vectors of shape \(3, 2\)"),
    (["a", "b"], np.ones((2, 0)), "cannot have vectors of shape"),
    (["a", "b"], np.array([[1, 2], [1, np.nan]]), "the vector of 'b' has a number that is not finite"),
    (["a", "b"], np.array([[np.inf, 2], [1, 1]]), "the vector of 'a'"),
])
def test_bad_input_is_reported(terms, vectors, message):
    with pytest.raises(ConfigError, match=message):
        token_similarities(terms, vectors)


def test_bad_frequencies_and_shares_are_reported():
    with pytest.raises(ConfigError, match="2 terms cannot have frequencies of shape"):
        token_similarities(["a", "b"], settings=SimilaritySettings(alpha=1.0), frequencies=np.array([1]))
    one, two = (
        token_similarities(terms, settings=SimilaritySettings(alpha=1.0)) for terms in (["a"], ["a", "b"])
    )
    with pytest.raises(ConfigError, match="of 1 and of 2 tokens cannot be added"):
        add_similarities(one, two, 0.5)
    with pytest.raises(ConfigError, match="share"):
        add_similarities(one, one, 1.5)


def test_vectors_that_are_huge_or_tiny_have_finite_cosines():
    found = made(["a", "b", "c"], [[3e38, 3e38], [1e-40, 1e-40], [1e-45, 0]], alpha=0.0, exponent=2.0)
    assert found == pytest.approx(np.array([[1, 1, 0.5], [1, 1, 0.5], [0.5, 0.5, 1]]), rel=1e-5)


@every_case(("name", "value"), [
    ("alpha", -0.1), ("alpha", 1.1), ("alpha", float("nan")), ("top", 0), ("top", 10_000), ("threshold", 2.0),
    ("exponent", 0.0), ("max_distance", 0), ("max_distance", 255), ("lexical_factor", 0.0),
    ("lexical_power", float("inf")), ("vocabulary", 0), ("min_df", 0),
])
def test_settings_out_of_their_range_are_reported(name, value):
    with pytest.raises(ConfigError, match=name):
        SimilaritySettings(**{name: value})


def test_settings_are_read_from_plain_values():
    assert read_settings(SimilaritySettings, {"alpha": 0.3, "dominant": True}) == SimilaritySettings(
        alpha=0.3, dominant=True
    )
    with pytest.raises(SettingError, match="Did you mean exponent"):
        read_settings(SimilaritySettings, {"exponents": 2.0})


def test_without_rapidfuzz_only_meaning_is_compared(monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidfuzz.process", None)
    assert made(["a", "b"], [[1, 0], [1, 0]], alpha=0.0)[0, 1] == 1
    with pytest.raises(MissingExtra, match=r"porism\[embeddings\]"):
        made(["a", "b"], alpha=1.0)
