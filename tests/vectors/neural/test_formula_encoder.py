"""An encoder of formulas reads operator trees, whatever else is in the batch; its folder is checked when it opens."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from case_tables import every_case
from formula_encoder_cases import LABELS, SMALL, random_encoder, random_weights

from porism.errors import ConfigError
from porism.formula import operator_tree, parse
from porism.types import Formula
from porism.vectors.neural.formula_encoder import (
    FormulaEncoder,
    FormulaModelFile,
    FormulaNetwork,
    is_formula_encoder,
    load_formula_encoder,
    save_formula_encoder,
)
from porism.vectors.neural.formula_nodes import NodeVocabulary, make_vocabulary, node_batch


def tree(source: str):
    return operator_tree(parse(Formula(source))).root


def test_a_node_is_read_with_the_way_to_it() -> None:
    vocabulary = make_vocabulary([tree("x^2+y"), tree("x+1")], 2)
    assert vocabulary.labels == ("Uplus", "Vx")
    rows = vocabulary.rows(tree("x^2+y"), 10)
    plus, x, kind = 9, 10, {"O": 2, "V": 3, "N": 4}
    assert rows.features.T.tolist() == [
        [plus, 1, 0, 0, 0, 0, 0], [kind["O"], kind["O"], 1, plus, 0, 0, 0],
        [x, kind["V"], 2, kind["O"], 1, plus, 0], [kind["N"], kind["N"], 2, kind["O"], 2, plus, 0],
        [kind["V"], kind["V"], 1, plus, 0, 0, 0],
    ]
    assert rows.parents.tolist() == [-1, 0, 1, 1, 0]
    assert vocabulary.rows(tree("x^2+y"), 3).size == 3


def test_relations_of_nodes() -> None:
    vocabulary = NodeVocabulary(LABELS)
    relations = node_batch([vocabulary.rows(tree("x^2+x"), 9)]).relations[0]
    assert relations.tolist() == [
        [5, 2, 0, 0, 2], [1, 5, 2, 2, 3], [0, 1, 5, 3, 4], [0, 1, 3, 5, 0], [1, 3, 4, 0, 5],
    ]


def test_a_vector_does_not_depend_on_the_batch_nor_on_an_order_that_does_not_count() -> None:
    encoder = random_encoder()
    sources = ["x^2+y=a", "a", r"\frac{x}{y}", "+".join(["x^2"] * 40), "y=x^2"]
    vectors = encoder.encode(list(map(tree, sources)))
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    for source, vector in zip(sources, vectors, strict=True):
        assert np.allclose(encoder.encode([tree(source)])[0], vector, atol=1e-5)
    same, other = encoder.encode([tree("a=y+x^2"), tree("a=y+2^x")])
    assert np.allclose(same, vectors[0], atol=1e-5)
    assert not np.allclose(other, vectors[0], atol=1e-4)


def test_what_says_nothing_has_the_vector_0() -> None:
    encoder = random_encoder()
    assert not encoder.encode([tree(r"\Theta\wr\Phi")]).any()
    assert not encoder.parts(tree(r"\Theta\wr\Phi")).any()
    assert encoder.encode([]).shape == (0, 8)


def test_the_parts_of_a_vector_add_up_to_it() -> None:
    encoder = random_encoder(replace(SMALL, layers=2))
    root = tree("x^2+y=1")
    parts = encoder.parts(root)
    assert len(parts) == len(list(root.walk()))
    assert np.allclose(parts.sum(axis=0), encoder.encode([root])[0], atol=1e-5)


@every_case("wrong", [
    {"dimensions": 0}, {"dimensions": 10, "heads": 4}, {"layers": -1}, {"nodes": 0},
])
def test_a_network_that_cannot_be(wrong: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match=r"cannot be|Use 0 or more"):
        FormulaNetwork(**wrong)


def test_a_folder_is_opened_as_it_was_saved_or_refused(tmp_path) -> None:
    pytest.importorskip("safetensors", reason="models need safetensors: pip install 'porism[neural]'")
    assert not is_formula_encoder(tmp_path)
    with pytest.raises(ConfigError, match="porism train formula-encoder"):
        load_formula_encoder(tmp_path)
    about = save_formula_encoder(tmp_path, SMALL, NodeVocabulary(LABELS), random_weights())
    assert is_formula_encoder(tmp_path)
    opened = load_formula_encoder(tmp_path)
    assert opened.about == about
    roots = [tree("x+y=2"), tree("a^x")]
    assert np.array_equal(opened.encode(roots), random_encoder().encode(roots))
    weights = tmp_path / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-4] + b"\0\0\0\1")
    with pytest.raises(ConfigError, match=r"not those that porism\.json speaks of"):
        load_formula_encoder(tmp_path)
    weights.unlink()
    with pytest.raises(ConfigError, match="cannot be read"):
        load_formula_encoder(tmp_path)


def test_weights_that_do_not_fit_are_refused() -> None:
    about = FormulaModelFile("formula-encoder", SMALL, LABELS, "0")
    with pytest.raises(ConfigError, match=r"output is missing"):
        FormulaEncoder(about, {name: value for name, value in random_weights().items() if name != "output"})
    with pytest.raises(ConfigError, match="do not fit"):
        FormulaEncoder(about, random_weights(replace(SMALL, width=13)))
    with pytest.raises(ConfigError, match="not finite"):
        FormulaEncoder(about, random_weights() | {"output": np.full((8, 8), np.nan, np.float32)})
