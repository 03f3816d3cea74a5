"""Models of Hugging Face where there is no network: what is here is used, and what is not is an error at once."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from porism.errors import ConfigError
from porism.vectors.neural import loading as neural
from porism.vectors.neural.networks import load_model

pytest.importorskip("transformers", reason="needs porism[neural]")


class Server:
    """A server on this machine that takes connections and answers with ``reply``, or never."""

    def __init__(self, reply: bytes = b"") -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.asked = 0
        self._reply, self._open = reply, []
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.asked += 1
            self._open.append(connection)
            if self._reply:
                connection.recv(4096)
                connection.sendall(self._reply)
                connection.close()


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(neural, "HUB_SECONDS", 0.4)


@pytest.fixture
def silent() -> Iterator[Server]:
    """A server that takes connections and never answers."""
    server = Server()
    yield server
    server.socket.close()


class Kind:
    """A class of models that records how it is asked; only what is ``local`` is found without the hub."""

    def __init__(self, *local: str) -> None:
        self.local, self.calls = set(local), []

    def from_pretrained(self, model: str, local_files_only: bool = False, trust_remote_code: bool = True) -> str:
        """Takes a call."""
        assert not trust_remote_code
        self.calls.append(local_files_only)
        if local_files_only and str(model) not in self.local:
            raise OSError(f"{model} is not in the cache")
        return f"model {model}"


def test_what_is_here_is_loaded_without_a_look_at_the_network(tmp_path, silent, monkeypatch) -> None:
    monkeypatch.setattr(neural, "hub_address", lambda: silent.address)
    folder, fetched = Kind(str(tmp_path)), Kind("org/fetched")
    assert neural.pretrained(folder, tmp_path) == f"model {tmp_path}"
    assert neural.pretrained(fetched, "org/fetched") == "model org/fetched"
    assert (folder.calls, fetched.calls, silent.asked) == ([True], [True], 0)
    for path in (tmp_path, tmp_path / "nowhere", "./nowhere", "a/b/c"):  # a folder is never fetched
        with pytest.raises(OSError, match="not in the cache"):
            neural.pretrained(Kind(), path)
    assert silent.asked == 0


def test_a_hub_that_does_not_answer_is_an_error_at_once(silent, monkeypatch) -> None:
    monkeypatch.setattr(neural, "hub_address", lambda: silent.address)
    kind = Kind()
    with pytest.raises(ConfigError, match=r"org/new: .*: it is not a folder, .* does not answer"):
        neural.pretrained(kind, "org/new")
    assert (kind.calls, silent.asked) == ([True], 1)


def test_offline_by_choice_asks_nobody(monkeypatch) -> None:
    monkeypatch.setattr(neural, "hub_address", lambda: None)
    kind = Kind()
    with pytest.raises(ConfigError, match="since HF_HUB_OFFLINE is set"):
        neural.pretrained(kind, "org/new")
    assert kind.calls == [True]


def test_a_hub_that_answers_is_asked(monkeypatch) -> None:
    server = Server(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    monkeypatch.setattr(neural, "hub_address", lambda: server.address)
    kind = Kind()
    assert neural.pretrained(kind, "org/new") == "model org/new"
    assert kind.calls == [True, False]
    server.socket.close()


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "nonsense", "http://nowhere.invalid"])
def test_what_cannot_be_reached_does_not_answer(address: str) -> None:
    assert not neural.answers(address)


def test_loading_by_name_without_a_network_fails_fast(silent, monkeypatch) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "ENDPOINT", silent.address)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    neural.load_transformers("a test")
    for load in (
        lambda: neural.load_tokenizer("nobody/no-such-model", "a test"),
        lambda: load_model("AutoModel", "nobody/no-such-model", "cpu", "a test"),
    ):
        with pytest.raises(ConfigError, match="nobody/no-such-model: the model cannot be loaded: it is not a folder"):
            load()
    assert silent.asked <= 2  # what is tried again and again waits for long


@pytest.mark.parametrize("name", ["gramophone", "cuda:-1", "meta", "mps:99", "hpu", "xpu:99"])
def test_a_device_that_cannot_compute_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=f"the device '{name}' cannot be used") as error:
        neural.choose_device(name)
    assert error.value.hint == "Choose auto, cpu or cuda."


def test_the_processor_is_a_device() -> None:
    assert neural.choose_device("cpu").type == "cpu"
    assert neural.choose_device().type in ("cpu", "cuda")
