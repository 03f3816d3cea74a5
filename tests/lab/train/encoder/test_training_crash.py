"""A training that is killed goes on from its last checkpoint, to the model that it would have become."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from long_forms import LONG_ONLY
from tiny_models import need_encoders

need_encoders()

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL, which Windows lacks: run it on Linux or macOS")

from tiny_encoders import PAIRS, save_encoder  # noqa: E402

from porism.lab.train.pairs.files import write_pairs  # noqa: E402

STEPS = 12

COMMAND = """\
import sys
from functools import partial

from porism.cli import main
from porism.lab.train.encoder import training

training.train_encoder = partial(training.train_encoder, checkpoint_seconds=0.0)
main(sys.argv[1:])
"""
"""``porism`` with a checkpoint after each step."""


def start(folder: Path, name: str) -> subprocess.Popen[str]:
    arguments = [
        "train", "encoder", name, "--from", str(folder / "model"), "--pairs", str(folder / "pairs.jsonl"),
        "--output", str(folder / name), "--steps", str(STEPS), "--epochs", "3", "--batch", "12", "--length", "32",
        "--learning-rate", "5e-3", "--precision", "float32", "--device", "cpu",
    ]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment,
    )


def finished(process: subprocess.Popen[str]) -> str:
    out, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    return out


def weights(folder: Path) -> dict[str, np.ndarray]:
    from safetensors.numpy import load_file

    found: dict[str, np.ndarray] = load_file(folder / "model.safetensors")
    return found


@LONG_ONLY
@every_case("seed", [1])
def test_a_killed_training_loses_nothing(tmp_path: Path, seed: int) -> None:
    save_encoder(tmp_path / "model")
    write_pairs(tmp_path / "pairs.jsonl", PAIRS)
    whole = start(tmp_path, "whole")
    after = random.Random(seed).randint(2, STEPS - 3)
    killed = start(tmp_path, "killed")
    checkpoints = tmp_path / "killed.training"
    while not any(int(path.name.rpartition("-")[2]) >= after for path in checkpoints.glob("checkpoint-*")):
        assert killed.poll() is None, killed.communicate()
        time.sleep(0.002)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "killed").exists()
    said = finished(start(tmp_path, "killed"))
    done = int(said.split(" of them before")[0].rpartition(" ")[2])
    assert after - 1 <= done < STEPS
    assert not checkpoints.exists()
    finished(whole)
    mine, other = weights(tmp_path / "killed"), weights(tmp_path / "whole")
    assert mine.keys() == other.keys()
    for name, values in mine.items():
        np.testing.assert_allclose(values, other[name], atol=1e-6, err_msg=name)
