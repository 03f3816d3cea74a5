"""Positional word2vec: the kernel does what the reference does, and learns what depends on position."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from case_tables import every_case
from positional_reference import train

from porism.errors import ConfigError
from porism.vectors.embeddings import Positional, TokenTexts
from porism.vectors.embeddings.corpus import Corpus
from porism.vectors.embeddings.positional import PositionalTrainer, alias_table, keep_probabilities

LETTERS = [["a", "b", "c", "d", "b"], ["d", "c"], ["a"], ["b", "b", "a", "c", "d", "e", "a", "b"], ["e", "a", "e"]]


def trainer(texts, **settings):
    given = {"dimensions": 6, "positional": 4, "window": 2, "epochs": 1, "min_count": 1, "sample": 0.0, **settings}
    chosen = Positional(**given)
    return PositionalTrainer(Corpus(TokenTexts.of(texts), chosen), chosen)


def first_state(seed, epoch=0):
    bits = np.random.SeedSequence([seed, epoch, 0]).generate_state(1, np.uint64)
    return max(1, int(bits[0] >> np.uint64(1)))


@every_case(
    "settings",
    [
        {}, {"initial": "ones"}, {"positional": 0}, {"positional": 6}, {"sample": 0.05}, {"negative": 40, "rate": 0.2},
        {"dimensions": 40, "positional": 33, "window": 5},
    ],
    ids=str,
)
def test_an_epoch_is_that_of_the_reference(settings):
    model = trainer(LETTERS, seed=7, **settings)
    chosen = model.settings
    random = np.random.default_rng(1)  # else outputs begin at 0 and half of the first step is none
    model.outputs[:, : chosen.dimensions] = random.normal(size=(5, chosen.dimensions))
    inputs = model.inputs[:, : chosen.dimensions].astype(np.float64)
    outputs = model.outputs[:, : chosen.dimensions].astype(np.float64)
    positions = model.positions[:, : chosen.positional].astype(np.float64)
    tokens, starts = model.corpus.epoch(0)
    texts = [tokens[low:high].tolist() for low, high in pairwise(starts)]
    alias, share = alias_table(model.corpus.counts**0.75)
    loss = train(
        texts, inputs, outputs, positions, seed=first_state(7), window=chosen.window, negative=chosen.negative,
        rate=chosen.rate, last_rate=chosen.last_rate, kept=keep_probabilities(model.corpus.counts, chosen.sample),
        alias=alias, share=share, scale=1 / chosen.dimensions,
    )
    before = model.inputs.copy()
    words = len(tokens) if chosen.sample == 0 else None
    mean = model.train_epoch(0, lambda tokens: None)
    assert not np.array_equal(model.inputs, before)
    assert model.inputs[:, : chosen.dimensions] == pytest.approx(inputs, abs=2e-5)
    assert model.outputs[:, : chosen.dimensions] == pytest.approx(outputs, abs=2e-5)
    assert model.positions[:, : chosen.positional] == pytest.approx(positions, abs=2e-5)
    if words:
        trained = words - 1  # the text of one word trains nothing
        assert mean == pytest.approx(loss / trained, rel=1e-4)
    assert not model.inputs[:, chosen.dimensions :].any()
    assert not model.outputs[:, chosen.dimensions :].any()
    assert (model.positions[:, chosen.positional :] == 1).all()


def test_the_step_is_the_gradient():
    """One word with one context word and no negative samples drawn: numerical derivatives of the loss."""
    window, size = 1, 3
    random = np.random.default_rng(3)
    v, u, d = random.normal(size=(2, size)), random.normal(size=(2, size)), random.normal(size=(2, size))

    def loss(v, u, d):
        return -np.log(1 / (1 + np.exp(-(v[1] * d[1]) @ u[0])))

    def slope(which, row):
        slopes = np.zeros(size)
        for feature in range(size):
            moved = [v.copy(), u.copy(), d.copy()]
            moved[which][row, feature] += 1e-6
            slopes[feature] = (loss(*moved) - loss(v, u, d)) / 1e-6
        return slopes

    new_v, new_u, new_d = v.copy(), u.copy(), d.copy()
    rate = 1e-3
    # The second centre is the other word: keep its updates apart by training on the first centre only.
    alias, share = np.arange(2), np.zeros(2)
    alias[:] = 0  # every sample is the centre itself, which is not a negative
    train([[0, 1]], new_v, new_u, new_d, seed=5, window=window, negative=1, rate=rate, last_rate=rate,
          kept=np.ones(2), alias=alias, share=share, scale=1.0)
    assert (new_v[1] - v[1]) / -rate == pytest.approx(slope(0, 1), abs=1e-2)
    assert (new_d[1] - d[1]) / -rate == pytest.approx(slope(2, 1), abs=1e-2)


def ordered_language(texts=1500):
    """Between ``x`` and ``y`` stands ``p`` if ``x`` comes first and ``q`` if ``y`` does: only the order tells which."""
    random = np.random.default_rng(11)
    return [["x", "p", "y"] if random.random() < 0.5 else ["y", "q", "x"] for _ in range(texts)]


def test_positions_tell_what_a_bag_of_words_cannot():
    common = {"dimensions": 16, "epochs": 12, "window": 1, "seed": 2, "negative": 2, "rate": 0.1}
    losses = {}
    for positional in (0, 16):
        model = trainer(ordered_language(), positional=positional, **common)
        for epoch in range(12):
            losses[positional] = model.train_epoch(epoch, lambda tokens: None)
        x, y, p, q = (model.corpus.terms.index(term) for term in "xypq")
        size = slice(0, 16)
        v, u, d = model.inputs[:, size].astype(float), model.outputs[:, size].astype(float), np.ones((2, 16))
        if positional:
            d = model.positions[:, :16].astype(float)
        hidden = (d[0] * v[x] + d[1] * v[y]) / 2  # x before the word, y after it
        other = (d[0] * v[y] + d[1] * v[x]) / 2
        margins = hidden @ (u[p] - u[q]), other @ (u[q] - u[p])
        if positional:
            assert min(margins) > 1
        else:
            assert margins[0] == pytest.approx(-margins[1])  # one bag: what speaks for p speaks against q
    assert losses[16] < 0.8 * losses[0]


def test_the_loss_falls_and_seeds_decide(capsys):
    def run(seed, epochs=3):
        model = trainer(ordered_language(400), dimensions=8, seed=seed, epochs=epochs)
        losses = [model.train_epoch(epoch, lambda tokens: None) for epoch in range(epochs)]
        return losses, model.result().vectors

    losses, vectors = run(1)
    again, same = run(1)
    _, other = run(2)
    assert losses[-1] < losses[0]
    assert losses == again
    assert np.array_equal(vectors, same)
    assert not np.array_equal(vectors, other)


def test_several_threads_read_all_texts_once():
    model = trainer(ordered_language(500), workers=3)
    seen = []
    loss = model.train_epoch(0, seen.append)
    assert sum(seen) == 1500
    assert np.isfinite(loss)


def test_alias_table_has_the_probabilities_of_the_weights():
    weights = np.array([5.0, 1.0, 0.25, 3.0, 0.75])
    alias, share = alias_table(weights)
    drawn = share.astype(np.float64).copy()
    for number, rest in enumerate(1 - share.astype(np.float64)):
        drawn[alias[number]] += rest
    assert drawn / 5 == pytest.approx(weights / 10, abs=1e-6)


def test_frequent_terms_are_read_less_often():
    # shares 0.9 and 0.1; threshold 0.1: √(1/9) + 1/9 and, for the rarer, all
    assert keep_probabilities(np.array([90, 10]), 0.1) == pytest.approx([1 / 3 + 1 / 9, 1.0])
    assert keep_probabilities(np.array([90, 10]), 0.0).tolist() == [1, 1]


def test_training_that_diverges_is_reported():
    model = trainer(LETTERS)
    model.inputs[0, 0] = np.nan
    with pytest.raises(ConfigError, match="not finite in epoch 1"):
        model.train_epoch(0, lambda tokens: None)
