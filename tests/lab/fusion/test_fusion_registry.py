"""Methods by name, their parameters, what is refused, and where a fused run says that it comes from."""

from __future__ import annotations

import math
from dataclasses import fields

import pytest
from case_tables import every_case

from porism.errors import ConfigError, FormatError
from porism.lab.fusion import FUSIONS, RRF, Condorcet, FusionTable, fuse, make_fusion
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.settings import SettingError, read_settings, write_settings

A = Run({"T": [("x", 2.0), ("y", 1.0)], "U": [("z", 1.0)]}, "a")
B = Run({"T": [("y", 2.0)], "V": [("z", 1.0)]}, "b")


def test_the_methods() -> None:
    assert set(FUSIONS) >= {
        "rrf", "borda", "combsum", "combmnz", "combanz", "combmin", "combmax", "combmed", "isr", "log-isr", "linear",
        "condorcet", "ibc", "wibc", "rbc",
    }


@every_case("method", sorted(FUSIONS))
def test_parameters_as_plain_values_and_back(method: str) -> None:
    fusion = make_fusion(method)
    assert type(fusion) is FUSIONS[method]
    assert read_settings(FUSIONS[method], write_settings(fusion)) == fusion
    for parameter in fields(FUSIONS[method]):
        assert f":param {parameter.name}:" in "".join(kind.__doc__ or "" for kind in FUSIONS[method].__mro__[:2])


def test_runs_of_other_topics_and_depths() -> None:
    fused = fuse([A, B], "rrf")
    assert fused.query_ids == ("T", "U", "V")
    assert [doc for doc, _ in fused["T"]] == ["y", "x"]
    assert fused["V"] == [("z", 1 / 61)]
    assert fused.name == "rrf"
    assert fuse([A, B], RRF(k=1.0), name="mine", depth=1)["T"] == [("y", 1 / 2 + 1 / 3)]


def test_a_fused_run_says_where_it_comes_from() -> None:
    tuned = A.with_provenance(Provenance(tuned_on=("T",), evidence=({"kind": "grid"},), seconds={"T": 1.0}))
    provenance = fuse([tuned, B], "linear", weights=[0.7, 0.3], depth=5).provenance
    assert provenance == Provenance(
        {
            "kind": "fusion", "method": "linear", "parameters": {"weights": [0.7, 0.3], "norm": "min-max"}, "depth": 5,
            "sources": ["a", "b"],
        },
        ("T",), ({"kind": "grid"},),
    )


def test_a_fused_run_can_be_written_and_read(tmp_path) -> None:
    fused = fuse([A, B], "condorcet")
    fused.write(tmp_path / "fused.run")
    read = Run.read(tmp_path / "fused.run")
    assert read == fused
    assert read.provenance == fused.provenance


@every_case(("method", "parameters", "message"), [
    ("rff", {}, r"there is no fusion 'rff'. Did you mean rrf\?"),
    ("median", {}, "there is no fusion 'median'"),
    ("rrf", {"K": 60}, r"there is no setting 'K'. Did you mean k\?"),
    ("rrf", {"wieghts": [1, 2]}, r"there is no setting 'wieghts'. Did you mean weights\?"),
    ("isr", {"k": 60}, "there is no setting 'k'. It takes no settings"),
    ("rrf", {"k": "60"}, "the setting 'k' cannot be '60'"),
    ("rrf", {"k": -1}, "k is -1.0. It is 0 or more"),
    ("rrf", {"weights": [0.5]}, "there are 1 weights for 2 runs. Give one a run, in this order: a, b"),
    ("rrf", {"weights": [0, 0]}, "all weights are zero"),
    ("borda", {"weights": [1, -0.5]}, "weight 2 is -0.5"),
    ("condorcet", {"weights": [1, -0.5]}, "weight 2 is -0.5"),
    ("log-isr", {"sigma": -0.1}, "sigma is -0.1"),
    ("combsum", {"norm": "zscore"}, "the setting 'norm' cannot be 'zscore'"),
    ("linear", {"norm": "minmax"}, "the setting 'norm' cannot be 'minmax'"),
    ("ibc", {"median": "upper"}, "the setting 'median' cannot be 'upper'"),
    ("ibc", {"deepest": 0}, "deepest is 0"),
    ("wibc", {"deepest": 2**62}, "deepest is 4611686018427387904. It is a rank from 1 to 1,000,000,000"),
    ("condorcet", {"weights": [1e300, 1]}, r"weight 1 is 1e\+300"),
    ("ibc", {"seed": 1.5}, "the setting 'seed' cannot be 1.5"),
    ("rbc", {"model": "lasso"}, "the setting 'model' cannot be 'lasso'"),
    ("rbc", {"model": "auto", "options": {"alpha": 1}}, "options are of one regression model"),
    ("rbc", {"seed": -1}, "seed is -1"),
])
def test_what_is_refused(method, parameters, message) -> None:
    with pytest.raises(ConfigError, match=message):
        fuse([A, B], method, **parameters)


@every_case("value", [math.nan, math.inf])
def test_numbers_are_finite(value: float) -> None:
    with pytest.raises(ConfigError):
        RRF(k=value)
    with pytest.raises(ConfigError):
        RRF(weights=(1.0, value))
    with pytest.raises(SettingError):
        make_fusion("rrf", {"weights": [1.0, value]})


def test_there_must_be_runs_and_a_depth() -> None:
    with pytest.raises(ConfigError, match="there are no runs to fuse"):
        fuse([])
    with pytest.raises(ConfigError, match="the depth is 0"):
        fuse([A], depth=0)
    with pytest.raises(ConfigError, match="'k' is given beside a fusion"):
        fuse([A], RRF(), k=3)


def test_ranks_count_from_one() -> None:
    zero = Run.from_columns(["T"], [0, 1], ["x"], [1.0], "zero", ranks=[0])
    with pytest.raises(FormatError, match="zero: a rank is below 1"):
        fuse([A, zero])


def test_ids_of_any_characters() -> None:
    odd = Run({"ε": [("\ud800", 1.0), ("", 1.0), ("café", 1.0)]}, "odd")
    for method in ("rrf", "ibc", "condorcet"):
        assert {doc for doc, _ in fuse([odd, A], method)["ε"]} == {"\ud800", "", "café"}


def test_the_table() -> None:
    table = FusionTable([A, B])
    assert table.query_ids == ("T", "U", "V")
    assert table.doc_ids == ["x", "y", "z", "z"]
    assert table.offsets.tolist() == [0, 2, 3, 4]
    assert table.lengths.tolist() == [[2, 1], [1, 0], [0, 1]]
    assert table.starts.tolist() == [0, 1, 3, 4, 5]
    assert table.systems.tolist() == [0, 0, 1, 0, 1]
    assert table.ranks.tolist() == [1, 2, 1, 1, 1]
    assert Condorcet().fuse(table) == fuse([A, B], "condorcet")
