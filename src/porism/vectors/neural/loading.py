"""Models of Hugging Face: loaded by name or folder, with one clear error, on the device that is there.

Everything here imports torch and transformers when it is called, never before: ``porism[neural]`` is an extra.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

from porism.errors import ConfigError, PorismError
from porism.extras import need

EXTRA = "neural"

AS_FLOAT32 = {"dtype": "float32"}
"""For classes of sentence-transformers as ``model_kwargs``: to train and to compute on the CPU, weights that files have
in 16 bits become float32."""

HUB_SECONDS = 5.0
"""The hub of Hugging Face is taken for unreachable when it has not answered for so long."""

COPY_AGAIN = "Copy the folder again, whole, or take a model that transformers knows without code of its own."


def load_torch(purpose: str) -> Any:
    """The module torch.

    :raises MissingExtra: it is not installed.
    """
    return need("torch", EXTRA, purpose)


def load_transformers(purpose: str) -> Any:
    """The module transformers, its progress bars off: Porism shows its own.

    :raises MissingExtra: it or torch is not installed.
    """
    load_torch(purpose)
    transformers = need("transformers", EXTRA, purpose)
    need("transformers.utils.logging", EXTRA, purpose).disable_progress_bar()
    return transformers


def choose_device(name: str = "auto") -> Any:
    """A device of torch by name (``cpu``, ``cuda``, ``cuda:1``, ``mps``); ``auto`` is the first GPU, else the CPU.

    :raises ConfigError: there is no such device.
    :raises MissingExtra: torch is not installed.
    """
    torch = load_torch("a device")
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).item()
    # torch raises RuntimeError for names that it does not know and devices that fail, AssertionError where it was built
    # without CUDA, XPU or MTIA, and ImportError where the module of a device (hpu) is not installed
    except (RuntimeError, AssertionError, ImportError) as error:
        raise ConfigError(
            f"the device {name!r} cannot be used ({first_line(error)})", hint="Choose auto, cpu or cuda."
        ) from error
    return device


def processor_has_bfloat16() -> bool:
    """Whether the processor multiplies matrices of bfloat16 itself; elsewhere they are slower than float32.

    :raises MissingExtra: torch is not installed.
    """
    able = load_torch("numbers of 16 bits").cpu.get_capabilities()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16"))


def load_tokenizer(model: str | os.PathLike[str], purpose: str) -> Any:
    """The tokenizer of a model, by the model's name or folder; always one that knows the places of its tokens.

    :raises ConfigError: it cannot be loaded, or has no fast form.
    :raises MissingExtra: transformers is not installed.
    """
    transformers = load_transformers(purpose)
    with loading(model, "tokenizer"), quiet(transformers):
        tokenizer = pretrained(transformers.AutoTokenizer, model)
    check_tokenizer(tokenizer, model)
    return tokenizer


def check_tokenizer(tokenizer: Any, model: str | os.PathLike[str]) -> None:
    """Checks that a tokenizer has a vocabulary, and knows the places of its tokens.

    transformers makes an empty one of a folder without the files of a tokenizer, which reads every word as unknown.

    :raises ConfigError: it has none, or does not.
    """
    if not getattr(tokenizer, "is_fast", False):
        raise ConfigError(
            "the model's tokenizer has no fast form, which knows where in a text its tokens are", where=str(model),
            hint="Take a model whose folder has a tokenizer.json, or convert its tokenizer.",
        )
    if len(tokenizer) <= len(set(tokenizer.all_special_tokens)):
        raise ConfigError(
            "the folder of the model has no vocabulary (tokenizer.json)", where=str(model),
            hint="Copy the files of its tokenizer beside it.",
        )


def pretrained(kind: Any, model: str | os.PathLike[str], **options: Any) -> Any:
    """What a class of transformers makes of a model: of the files of a folder, or of those that were fetched before.

    Only for a name whose files are not all there does it query the hub of Hugging Face; where it does not answer within
    :data:`HUB_SECONDS`, the error comes at once, and nothing is tried again and again. Code that comes with a model is
    never run.

    :raises ConfigError: the model is neither here nor can be fetched.
    """
    options["trust_remote_code"] = False
    try:
        with _no_requests():
            return kind.from_pretrained(model, local_files_only=True, **options)
    except OSError as error:
        if os.path.isdir(model) or _is_path(os.fspath(model)):
            raise
        endpoint = hub_address()
        if endpoint is None or not answers(endpoint):
            reason = "HF_HUB_OFFLINE is set" if endpoint is None else f"{endpoint} does not answer"
            raise ConfigError(
                "the model cannot be loaded: it is not a folder, was not fetched before, and cannot be fetched now, "
                f"since {reason}",
                where=str(model), hint="Give the folder of a model, or fetch it once where there is a connection.",
            ) from error
    return kind.from_pretrained(model, **options)


def _is_path(model: str) -> bool:
    """Whether a model is named by a path, unlike any name on the hub."""
    return os.path.isabs(model) or model.startswith((".", "~")) or model.count("/") > 1 or "\\" in model


@contextlib.contextmanager
def _no_requests() -> Iterator[None]:
    """Keeps the hub's library from asking for anything, which it does also for what is here."""
    constants: Any = need("huggingface_hub.constants", EXTRA, "models of Hugging Face")
    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


def hub_address() -> str | None:
    """The address of the hub of Hugging Face (``HF_ENDPOINT``), None where ``HF_HUB_OFFLINE`` forbids to ask it."""
    constants = need("huggingface_hub.constants", EXTRA, "models by name")
    return None if constants.HF_HUB_OFFLINE else str(constants.ENDPOINT)


def answers(address: str, seconds: float | None = None) -> bool:
    """Whether a server answers within some seconds, whatever it says; through the proxies of the environment too."""
    outcomes: list[bool] = []

    def ask() -> None:
        try:
            with urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=HUB_SECONDS):
                outcomes.append(True)
        except urllib.error.HTTPError:
            outcomes.append(True)
        except (OSError, ValueError, http.client.HTTPException) as error:
            # Who uses certificates of its own may well know better than this look.
            outcomes.append(isinstance(getattr(error, "reason", error), ssl.SSLError))

    asking = threading.Thread(target=ask, daemon=True)  # looking up a name cannot be given a limit
    asking.start()
    asking.join(HUB_SECONDS if seconds is None else seconds)
    return bool(outcomes and outcomes[0])


@contextlib.contextmanager
def loading(model: str | os.PathLike[str], part: str) -> Iterator[None]:
    """Turns whatever libraries raise when a model is missing, broken or of another kind into a ConfigError."""
    try:
        yield
    except PorismError:
        raise
    except Exception as error:  # theirs have no base in common: SafetensorError, UnpicklingError, plain Exception
        raise ConfigError(
            f"the {part} cannot be loaded ({first_line(error)})", where=str(model),
            hint=COPY_AGAIN if os.path.isdir(model) else
            "Give the folder of a model, or its name on the Hugging Face hub, which needs a connection once.",
        ) from error


def first_line(error: BaseException, most: int = 200) -> str:
    """What an error of a library says, on one line, without the full stop."""
    line = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return line.rstrip(".") if len(line) <= most else f"{line[: most - 1]}…"


@contextlib.contextmanager
def quiet(transformers: Any) -> Iterator[None]:
    """Keeps notes on unused weights off the screen: an encoder without its head is what we want."""
    logging = transformers.utils.logging
    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)
