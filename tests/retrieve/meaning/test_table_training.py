"""Training of tables: losses and gradients as finite differences and torch give them, one result by seed, memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.retrieve.meaning import bags as bags_module
from porism.retrieve.meaning import training
from porism.retrieve.meaning.bags import Bags, add_up
from porism.retrieve.meaning.training import (
    TableTrainer,
    TableTraining,
    batch_gradients,
    own_rows,
    plan_batches,
    random_table,
    train_table,
)

TERMS = 300
SETTINGS = TableTraining(dimensions=32, cuts=(8, 16), epochs=4, batch=64, scale=20.0, learning_rate=0.02)


def made_up(rows: int, seed: int, terms: int = TERMS) -> Bags:
    """Bags of 1 to 12 terms, common ones more often, that may occur several times in a bag."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 13, rows)
    chosen = (terms * random.random(int(sizes.sum())) ** 2).astype(np.int32)
    return Bags(np.concatenate([[0], np.cumsum(sizes)]), chosen, random.random(len(chosen)).astype(np.float32) + 0.1)


def paired(rows: int, seed: int = 3) -> tuple[Bags, Bags]:
    """Pairs whose texts share no term, but whose terms belong together: each term t with t + TERMS."""
    left = made_up(rows, seed)
    return left, Bags(left.starts, left.terms + TERMS, left.weights)


def test_a_vector_is_the_weighted_sum_of_rows() -> None:
    bags, table = made_up(50, 1), random_table(TERMS, 24)
    expected = np.zeros((50, 24))
    for row in range(50):
        for entry in range(bags.starts[row], bags.starts[row + 1]):
            expected[row] += bags.weights[entry] * table[bags.terms[entry]].astype(np.float64)
    assert add_up(bags, table) == pytest.approx(expected, abs=1e-5)


def test_turned_bags_are_the_transposed_matrix() -> None:
    bags = made_up(40, 2)
    turned = bags.turned()
    assert sorted(turned.distinct.tolist()) == sorted(set(bags.terms.tolist()))
    assert turned.distinct[turned.positions.terms].tolist() == bags.terms.tolist()
    identity = np.eye(TERMS, dtype=np.float32)
    matrix = add_up(bags, identity)
    expected = np.zeros((TERMS, 40), np.float32)
    expected[turned.distinct] = add_up(turned.of_terms, np.eye(40, dtype=np.float32))
    assert expected == pytest.approx(matrix.T, abs=1e-6)
    assert not len(Bags(np.zeros(3), np.zeros(0), np.zeros(0)).turned().distinct)


def test_a_term_of_several_rows_moves_them_as_if_its_texts_had_them() -> None:
    left, right, table = made_up(300, 1), made_up(300, 2), random_table(90, 32)
    rows = made_up(TERMS, 3, terms=90)
    composed = []
    for bags in (left, right):
        parts = rows.take(bags.terms)
        starts = parts.starts[bags.starts]
        composed.append(Bags(starts, parts.terms, parts.weights * np.repeat(bags.weights, parts.sizes)))
    found = train_table(left, right, rows, table, SETTINGS)
    expected = train_table(*composed, own_rows(90), table, SETTINGS)
    assert found.losses == pytest.approx(expected.losses, rel=1e-4)
    assert float(np.mean(np.abs(found.vectors - expected.vectors) > 1e-3)) < 0.01


def mean_loss(left: NDArray[np.float64], right: NDArray[np.float64], scale: float, widths: tuple[int, ...]) -> float:
    """The loss in float64, as it is defined."""
    total = 0.0
    for width in widths:
        near = left[:, :width] / np.linalg.norm(left[:, :width], axis=1, keepdims=True)
        far = right[:, :width] / np.linalg.norm(right[:, :width], axis=1, keepdims=True)
        scores = scale * near @ far.T
        for matrix in (scores, scores.T):
            total += float(np.mean(np.log(np.exp(matrix).sum(axis=1)) - np.diagonal(matrix))) / 2 / len(widths)
    return total


@every_case("widths", [(12,), (4, 12)])
def test_gradients_are_finite_differences(widths: tuple[int, ...]) -> None:
    random = np.random.default_rng(5)
    left, right = random.normal(size=(2, 9, 12))
    found = batch_gradients(left.astype(np.float32), right.astype(np.float32), 7.0, widths)
    assert found.loss == pytest.approx(mean_loss(left, right, 7.0, widths), rel=1e-5)
    for side, gradients in ((left, found.left), (right, found.right)):
        slopes = np.empty_like(side)
        for place in np.ndindex(*side.shape):
            value = side[place]
            side[place] = value + 1e-5
            more = mean_loss(left, right, 7.0, widths)
            side[place] = value - 1e-5
            slopes[place] = (more - mean_loss(left, right, 7.0, widths)) / 2e-5
            side[place] = value
        assert gradients == pytest.approx(slopes, abs=2e-6)


def test_steps_are_those_of_torch() -> None:
    torch: Any = pytest.importorskip("torch", reason="needs torch: pip install 'porism[neural]'")
    left, right = made_up(400, 1), made_up(400, 2)
    table = random_table(TERMS, 32)
    trainer = TableTrainer(table, own_rows(TERMS), SETTINGS)
    bag = torch.nn.EmbeddingBag(TERMS, 32, mode="sum", sparse=True, _weight=torch.tensor(table.copy()))
    optimiser = torch.optim.SparseAdam(bag.parameters(), lr=SETTINGS.learning_rate)

    def vectors(bags: Bags) -> Any:
        arrays = bags.terms.astype(np.int64), bags.starts[:-1], bags.weights
        return bag(*map(torch.from_numpy, arrays[:2]), per_sample_weights=torch.from_numpy(arrays[2]))

    for first in range(0, 400, 50):
        rows = np.arange(first, first + 50)
        batch, partners = left.take(rows), right.take(rows)
        both, loss = (vectors(batch), vectors(partners)), 0.0
        for width in (8, 16, 32):
            near, far = (torch.nn.functional.normalize(side[:, :width], dim=1) for side in both)
            scores = SETTINGS.scale * near @ far.T
            for matrix in (scores, scores.T):
                loss = loss + torch.nn.functional.cross_entropy(matrix, torch.arange(50)) / 6
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        assert trainer.step(batch, partners) == pytest.approx(loss.item(), rel=1e-5)
    moved = bag.weight.detach().numpy()
    assert np.abs(moved - table).max() > 0.01
    # Adam divides by the gradient's size: of one that is nearly 0, rounding errors decide
    assert float(np.mean(np.abs(trainer.table - moved) > 1e-4)) < 0.01


def test_training_brings_together_what_belongs_together() -> None:
    left, right = paired(2_000)
    trained = train_table(left, right, own_rows(2 * TERMS), random_table(2 * TERMS, 32), SETTINGS)
    assert trained.losses[-1] < 0.5 * trained.losses[0]
    unseen, partners = paired(200, seed=11)
    for width in (8, 32):
        near, far = (add_up(bags, trained.vectors)[:, :width] for bags in (unseen, partners))
        cosines = (near / np.linalg.norm(near, axis=1)[:, None]) @ (far / np.linalg.norm(far, axis=1)[:, None]).T
        assert float(np.mean(cosines.argmax(axis=1) == np.arange(200))) > 0.8


def test_the_seed_and_not_the_threads_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = made_up(500, 1), made_up(500, 2)
    table = random_table(TERMS, 32)
    found = {}
    for threads in (1, 2, 5):
        for module in (training, bags_module):
            monkeypatch.setattr(module, "cores", lambda threads=threads: threads)
        found[threads] = train_table(left, right, own_rows(TERMS), table, SETTINGS)
    assert np.array_equal(found[1].vectors, found[2].vectors)
    assert np.array_equal(found[1].vectors, found[5].vectors)
    assert found[1].losses == found[2].losses
    other = train_table(left, right, own_rows(TERMS), table, replace(SETTINGS, seed=2))
    assert not np.array_equal(other.vectors, found[1].vectors)


def test_rows_of_terms_that_do_not_occur_stay_and_the_given_table_too() -> None:
    left, right = made_up(100, 1, terms=50), made_up(100, 2, terms=50)
    table = random_table(TERMS, 32)
    before = table.copy()
    trained = train_table(left, right, own_rows(TERMS), table, SETTINGS)
    assert np.array_equal(table, before)
    assert np.array_equal(trained.vectors[50:], table[50:])
    assert not np.array_equal(trained.vectors[:50], table[:50])


def test_progress_and_an_interruption() -> None:
    left, right = made_up(200, 1), made_up(200, 2)
    table = random_table(TERMS, 32)
    told: list[tuple[int, int]] = []
    train_table(left, right, own_rows(TERMS), table, SETTINGS, on_batch=lambda done, total: told.append((done, total)))
    assert told == [(done, 16) for done in range(1, 17)]

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_table(left, right, own_rows(TERMS), table, SETTINGS, on_batch=interrupt)


def test_a_batch_has_pairs_of_one_origin_and_each_pair_is_seen_once() -> None:
    origins = np.array([5] * 130 + [2] * 64 + [9] + [7] * 3)
    batches = plan_batches(origins, 64, np.random.default_rng(1))
    assert sorted(map(len, batches)) == [3, 43, 43, 44, 64]
    assert all(len(set(origins[rows].tolist())) == 1 for rows in batches)
    seen = np.concatenate(batches).tolist()
    assert sorted(seen) == [row for row in range(198) if origins[row] != 9]  # one pair has nothing to compare with
    assert seen != sorted(seen)


@every_case("rows", [0, 1, 2, 63, 64, 65])
def test_any_number_of_pairs(rows: int) -> None:
    trained = train_table(made_up(rows, 1), made_up(rows, 2), own_rows(TERMS), random_table(TERMS, 32), SETTINGS)
    assert np.isfinite(trained.vectors).all()
    assert len(trained.losses) == (SETTINGS.epochs if rows > 1 else 0)


def test_empty_texts_and_equal_ones_are_no_fault() -> None:
    bags = Bags(np.array([0, 0, 2, 2, 4]), np.array([1, 2, 1, 2]), np.ones(4))
    trained = train_table(bags, bags, own_rows(3), random_table(3, 32), SETTINGS)
    assert np.isfinite(trained.vectors).all()


@every_case("wrong", [
    {"dimensions": 0}, {"epochs": 0}, {"batch": 1}, {"cuts": (32,)}, {"cuts": (0,)}, {"scale": 0.0}, {"scale": 41.0},
    {"learning_rate": 0.0}, {"learning_rate": float("nan")},
])
def test_settings_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        replace(SETTINGS, **wrong)


def test_pairs_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="no pairs"):
        train_table(made_up(3, 1), made_up(4, 1), own_rows(TERMS), random_table(TERMS, 32), SETTINGS)
    with pytest.raises(ValueError, match="does not fit"):
        train_table(*paired(9), own_rows(TERMS), random_table(TERMS, 32), SETTINGS)
    with pytest.raises(ValueError, match="do not fit"):
        Bags(np.array([0, 2]), np.array([1]), np.ones(1))
    with pytest.raises(ValueError, match="below 0"):
        Bags(np.array([0, 1]), np.array([-1]), np.ones(1))
