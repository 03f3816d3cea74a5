"""Networks in ONNX, run by onnxruntime on the CPU: what folders have whose weights are not those of torch.

Such a network takes the place of one of transformers. A network without weights, made of the configuration, says what
the file does not: how long inputs can be and how many tokens it knows.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from porism.errors import ConfigError
from porism.extras import need
from porism.vectors.neural.loading import load_torch

EXTRA = "onnx"
PURPOSE = "a model in ONNX"

_READ = frozenset(("input_ids", "attention_mask", "token_type_ids"))
_OUTPUTS = {
    "AutoModel": {"last_hidden_state": "last_hidden_state", "token_embeddings": "last_hidden_state"},
    "AutoModelForSequenceClassification": {"logits": "logits"},
}
"""By the class of transformers that a network stands for: what its outputs are called in files, and there."""


class OnnxNetwork:
    """A network in ONNX with what is used of networks of transformers."""

    def __init__(self, kind: Any, file: Path, config: Any) -> None:
        """:raises ConfigError: networks of this kind, or with other inputs than tokens, are not run.
        :raises MissingExtra: onnxruntime is not installed.
        """
        names = _OUTPUTS.get(kind.__name__)
        if names is None:
            raise ConfigError(
                "of models in ONNX only encoders and cross-encoders are run", where=str(file),
                hint="Take the model with weights of torch (model.safetensors).",
            )
        runtime = need("onnxruntime", EXTRA, PURPOSE)
        torch = load_torch(PURPOSE)
        with torch.device("meta"):
            self._shape = kind.from_config(config)
        self.config, self.device = config, torch.device("cpu")
        self._session = runtime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
        self._outputs = {
            output.name: names[output.name] for output in self._session.get_outputs() if output.name in names
        }
        self._inputs = {
            read.name: torch.int32 if read.type == "tensor(int32)" else torch.int64
            for read in self._session.get_inputs()
        }
        self.forward = self._shape.forward
        if not self._outputs or not _READ.issuperset(self._inputs):
            raise ConfigError(
                f"the network is not one from {', '.join(sorted(_READ))} to {' or '.join(names)}", where=str(file),
                hint="Export it for feature extraction, or a cross-encoder for text classification.",
            )

    def __call__(self, **inputs: Any) -> SimpleNamespace:
        """The outputs of the network by the names that transformers has for them, as tensors of float32."""
        torch = load_torch(PURPOSE)
        tokens = inputs["input_ids"]
        read = {
            name: inputs.get(name, torch.zeros_like(tokens)).to(numbers).numpy()
            for name, numbers in self._inputs.items()
        }
        given = zip(self._outputs.values(), self._session.run(list(self._outputs), read), strict=True)
        return SimpleNamespace(**{name: torch.from_numpy(values).float() for name, values in given})

    def named_modules(self) -> Any:
        """The layers, without weights."""
        return self._shape.named_modules()

    def modules(self) -> Any:
        """The layers, without weights."""
        return self._shape.modules()

    def get_input_embeddings(self) -> Any:
        """The layer with a vector for each token, without weights."""
        return self._shape.get_input_embeddings()
