"""ExpandedQuestion terms and tokens of documents on a server are searched together with those of an index here."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from case_tables import every_case

pytest.importorskip("fastapi", reason="indexes are served by the web app: pip install 'porism[web]'")
pytest.importorskip("httpx", reason="requests are sent by httpx: pip install 'porism[web]'")
pytest.importorskip("torch", reason="needs the extra: pip install 'porism[neural]'")
pytest.importorskip("faiss", reason="centroids need faiss: pip install 'porism[neural]'")

from colbert_cases import save_token_model
from shard_servers import run
from tiny_models import save_splade
from web_servers import serving

from porism.corpus import read_topics
from porism.errors import ConfigError
from porism.sample import sample_path
from porism.search.index import open_index
from porism.serve.web.remote_shards import open_shards
from porism.system.files.artifacts import TOKENS
from porism.vectors.colbert.encoding import TOKEN_ENCODING
from porism.vectors.splade.encoding import SPARSE_ENCODING

QUESTION = r"why does $\sum 1/n^2$ converge?"


@pytest.fixture(scope="module")
def encoded(tmp_path_factory: pytest.TempPathFactory, sample_shards: list[Path]) -> list[Path]:
    """The two indexes of the sample, with terms and tokens by the same models and centroids."""
    folder = tmp_path_factory.mktemp("encoded")
    splade, tokens = save_splade(folder / "splade"), save_token_model(folder / "tokens")
    paths = [Path(shutil.copytree(path, folder / path.name)) for path in sample_shards]
    for path in paths:
        SPARSE_ENCODING.encode(path, splade, device="cpu")
        if path != paths[0]:
            shutil.copy(TOKENS.path(paths[0], "tokens"), TOKENS.prepare(path, "tokens"))
        TOKEN_ENCODING.encode(path, tokens, centroids=16, device="cpu")
    return paths


@every_case("model", ["splade", "colbert"])
def test_a_server_and_an_index_here_answer_as_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, encoded: list[Path], model: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    topics = list(read_topics(sample_path("queries.jsonl")))[::14]
    with serving({"many": encoded[1]}, model=model) as server, open_index(encoded, model) as joint:
        together = open_shards([encoded[0], server], model)
        expected, found = joint.run(topics, 60), together.run(topics, 60)
        for query in topics:
            assert list(found[query.id]) == list(expected[query.id]) != []
        several = together.search(QUESTION, 6, explain=True)
        one = joint.search(joint.question(QUESTION, guess_formulas=True), 6)
        assert [(hit.id, hit.score) for hit in several.hits] == [(hit.id, hit.score) for hit in one]
        for hit in several.hits:
            assert hit.explanation is not None
            assert hit.explanation.value == pytest.approx(hit.score)
        status, out, _ = run(
            capsys, "search", QUESTION, "-k", 6, "--model", model, "--index", encoded[0], "--index", server
        )
        assert status == 0
        assert all(hit.id in out for hit in one)
        with pytest.raises(ConfigError, match="is searched by another model than few"):
            open_shards([encoded[0], server], "words").search(QUESTION)
