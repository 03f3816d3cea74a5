"""Training brings equal formulas together, and is the same after an interruption."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from formula_encoder_cases import LABELS, random_weights
from long_forms import LONG_ONLY

from porism.errors import ConfigError
from porism.formula import operator_tree, parse
from porism.formula.variants.making import Varied
from porism.lab.train.formulas.examples import formula_examples, groups_of
from porism.lab.train.formulas.settings import FormulaTraining
from porism.types import Formula
from porism.vectors.neural.formula_encoder import FormulaNetwork, load_formula_encoder
from porism.vectors.neural.formula_nodes import NodeVocabulary, node_batch

NETWORK = FormulaNetwork(dimensions=16, layers=1, heads=2, width=16, nodes=24)
SETTINGS = FormulaTraining(network=NETWORK, most=80, batch=16, epochs=1, held_out=20, learning_rate=5e-3)
TOPICS = r"""<Topics><Topic number="B.1"><Formula_Id>q</Formula_Id><Latex>u^2+v^2=w^2</Latex><Title>t</Title>
<Question>q</Question><Tags>t</Tags></Topic></Topics>"""


@pytest.fixture
def torch():
    pytest.importorskip("accelerate", reason="training needs accelerate: pip install 'porism[neural]'")
    pytest.importorskip("transformers", reason="training needs transformers: pip install 'porism[neural]'")
    return pytest.importorskip("torch", reason="training needs torch: pip install 'porism[neural]'")


def tree(source: str):
    return operator_tree(parse(Formula(source))).root


def test_equal_formulas_share_a_group() -> None:
    first, renamed, equal, other = (
        set(groups_of(Varied(tree(source)))) for source in ("(x+1)^2=y", "(a+1)^2=b", "x^2+2x+1=y", "(x+1)^3=y")
    )
    assert first & renamed
    assert first & equal
    assert not first & other


@LONG_ONLY
def test_examples_do_not_depend_on_processes_and_leave_topics_out(sample_index: Path, tmp_path: Path) -> None:
    topics = tmp_path / "topics.xml"
    topics.write_text(TOPICS, encoding="utf-8")
    without = formula_examples(sample_index, replace(SETTINGS, most=None), topics=[topics], jobs=1)
    assert 0 < without.excluded < 20
    assert len(without.examples) > 500
    again = formula_examples(sample_index, SETTINGS, jobs=2)
    once = formula_examples(sample_index, SETTINGS, jobs=1)
    assert once.excluded == 0
    assert [one.groups for one in again.examples] == [one.groups for one in once.examples]
    assert all(
        np.array_equal(mine.features, theirs.features)
        for one, other in zip(again.examples, once.examples, strict=True)
        for mine, theirs in zip(one.equal + one.different, other.equal + other.different, strict=True)
    )


def test_the_network_computes_what_the_encoder_does(torch) -> None:
    from formula_encoder_cases import SMALL, random_encoder

    from porism.lab.train.formulas.network import make_network, weights_of

    network = make_network(SMALL, len(NodeVocabulary(LABELS)), 1)
    network.load_state_dict({
        name.replace(".", "__"): torch.from_numpy(value) for name, value in random_weights().items()
    })
    encoder = random_encoder()
    roots = [tree(source) for source in ("x^2+y=a", "x", r"\frac{a}{x+1}")]
    batch = node_batch([encoder.rows(root) for root in roots])
    with torch.no_grad():
        found = network(
            torch.from_numpy(batch.features.transpose(1, 0, 2).copy()), torch.from_numpy(batch.relations),
            torch.from_numpy(batch.mask),
        )
    assert np.allclose(found.numpy(), encoder.encode(roots), atol=1e-5)
    assert weights_of(network).keys() == random_weights().keys()


def test_the_loss_by_hand(torch) -> None:
    from porism.lab.train.formulas.network import contrastive_loss

    unit = torch.eye(2)
    near, none = torch.tensor([[0.0, 1.0], [0.0, 1.0]]), torch.zeros((2, 2), dtype=torch.bool)
    both = torch.tensor([True, False])
    # cosines are 1 for the own positive and 0 for the other; the nearly equal one of the first has 0
    one_other = float(np.log(1 + np.exp(-1)))
    with_near = float(np.log(1 + np.exp(-1) + 0.5 * np.exp(-1)))
    expected = ((with_near + one_other) / 2 + one_other) / 2
    assert float(contrastive_loss(unit, unit, near, both, none, 1.0, 0.5)) == pytest.approx(expected)
    assert float(contrastive_loss(unit, unit, near, both, none, 1.0, 0.0)) == pytest.approx(one_other)
    same = ~torch.eye(2, dtype=torch.bool)  # then nothing of the batch is a negative
    assert float(contrastive_loss(unit, unit, near, torch.zeros_like(both), same, 1.0, 1.0)) == 0


@LONG_ONLY
def test_training_brings_equal_formulas_together(torch, sample_index: Path, tmp_path: Path) -> None:
    from porism.lab.train.formulas.training import train_formula_encoder

    settings = replace(SETTINGS, most=300, epochs=4)
    report = train_formula_encoder(sample_index, tmp_path / "fe", settings, jobs=1)
    assert (report.steps, report.resumed, report.interrupted) == (report.total, 0, False)
    assert report.last_loss < report.first_loss
    assert report.before is not None
    assert report.after is not None
    assert report.after.found > report.before.found
    encoder = load_formula_encoder(tmp_path / "fe")
    assert encoder.network == NETWORK
    vectors = encoder.encode([tree("x^2+y^2=z^2"), tree("b^2+c^2=a^2"), tree(r"\int_0^1 f(t)\,dt")])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


def test_an_interrupted_training_goes_on_as_it_would_have(torch, sample_index: Path, tmp_path: Path) -> None:
    from porism.lab.train.formulas.training import train_formula_encoder

    def stop(done: int, total: int) -> None:
        if done == 2:
            os.kill(os.getpid(), signal.SIGINT)

    whole = train_formula_encoder(sample_index, tmp_path / "whole", SETTINGS, jobs=1)
    stopped = train_formula_encoder(sample_index, tmp_path / "parts", SETTINGS, jobs=1, on_progress=stop)
    assert (stopped.interrupted, stopped.steps) == (True, 2)
    assert not (tmp_path / "parts").exists()
    rest = train_formula_encoder(sample_index, tmp_path / "parts", SETTINGS, jobs=1)
    assert (rest.resumed, rest.steps, rest.interrupted) == (2, whole.steps, False)
    assert load_formula_encoder(tmp_path / "parts").about == load_formula_encoder(tmp_path / "whole").about
    assert not (tmp_path / "parts.training").exists()


def test_what_cannot_be_trained(torch, tmp_path: Path) -> None:
    from porism.analysis.analyzer import Analyzer
    from porism.index import IndexWriter
    from porism.lab.train.formulas.training import train_formula_encoder

    with IndexWriter(tmp_path / "index", config=Analyzer().config.to_dict()):
        pass
    with pytest.raises(ConfigError, match="too few to train on"):
        train_formula_encoder(tmp_path / "index", tmp_path / "fe", SETTINGS, jobs=1)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "note.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ConfigError, match="not a trained model"):
        train_formula_encoder(tmp_path / "index", tmp_path / "taken", SETTINGS, jobs=1)


@every_case("wrong", [
    {"batch": 1}, {"learning_rate": 0.0}, {"temperature": 0.0}, {"hard": -1.0}, {"identical": 1.0}, {"epochs": 0},
    {"most": 0},
])
def test_settings_out_of_their_range(wrong) -> None:
    with pytest.raises(ConfigError):
        FormulaTraining(**wrong)
