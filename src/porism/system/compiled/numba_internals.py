"""What Porism changes in Numba, or uses of its inner parts, so that the first use does not wait long.

Compiling the kernels of searches takes 17.3 s of processor time with these changes and 21.4 s without (``porism demo``
with an empty cache). None of them changes what is compiled. Where the inner parts of a version of Numba are other than
known, Numba works as it always does.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba

_compiler: Any = numba.core.compiler
cgutils: Any = importlib.import_module("numba.core.cgutils")
"""What builds instructions of LLVM, for functions that are written as such."""

_UNUSED_PASSES = frozenset(
    {"with_lifting", "inline_closure_likes", "find_literally", "literal_unroll", "LiteralPropagation",
     "inline_overloads", "nopython_rewrites", "dump_parfor_diagnostics"}
)
"""What Numba's compiler does for closures, comprehensions, literal arguments and expressions of whole arrays: kernels
here have none of these, and looking for them is a tenth of the time that compiling takes."""


class KernelCompiler(_compiler.CompilerBase):  # type: ignore[misc]
    """Numba's usual compiler without :data:`_UNUSED_PASSES`."""

    def define_pipelines(self) -> list[Any]:
        usual = _compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        usual.passes[:] = [step for step in usual.passes if step[0].name() not in _UNUSED_PASSES]
        usual.finalize()
        return [usual]


_typed_calls: dict[Any, Any] = {}


@contextmanager
def calls_typed_once() -> Iterator[None]:
    """Remembers the type of each call of a function of Numba, by the types of its arguments, while kernels compile.

    Numba asks all implementations of an operator again wherever it occurs, and often: that was an eighth of the time
    that compiling takes. Where its inner parts are other than known, it goes on asking.
    """
    functions = importlib.import_module("numba.core.types.functions")
    owner = getattr(functions, "BaseFunction", None)
    ask = getattr(owner, "get_call_type", None)
    if ask is None or not hasattr(owner, "get_impl_key"):
        yield
        return

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        try:
            key = (id(context), id(self.templates), args, tuple(kws.items()))
            known = _typed_calls.get(key)
        except (TypeError, AttributeError):  # what cannot be a key, or is arranged otherwise
            return ask(self, context, args, kws)
        if known is None:
            signature = ask(self, context, args, kws)
            # the context and the implementations are kept, so that nothing else gets their numbers
            _typed_calls[key] = signature, self._impl_keys[signature.args], context, self.templates
            return signature
        self._impl_keys[known[0].args] = known[1]
        return known[0]

    setattr(owner, "get_call_type", get_call_type)  # noqa: B010
    try:
        yield
    finally:
        setattr(owner, "get_call_type", ask)  # noqa: B010


def spare_scipy() -> None:
    """Keeps Numba from importing SciPy's linear algebra, which no kernel needs, and which doubles the time to start.

    While it loads, Numba tries the import to know whether SciPy is there; later uses of linear algebra ask again. So
    the question is answered with yes this one time.
    """
    if "numba.np.arraymath" in sys.modules:
        return
    linalg = importlib.import_module("numba.np.linalg")
    ensure = getattr(linalg, "ensure_blas", None)
    if ensure is None or importlib.util.find_spec("scipy") is None:
        return
    setattr(linalg, "ensure_blas", lambda: None)  # noqa: B010
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        setattr(linalg, "ensure_blas", ensure)  # noqa: B010
