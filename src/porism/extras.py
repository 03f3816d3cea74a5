"""Optional dependencies: imported when they are needed, and named with the command that installs them when missing."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from porism.errors import MissingExtra


def need(module: str, extra: str, purpose: str) -> ModuleType:
    """Imports a module of an optional dependency: ``need("scipy.stats", "lab", "significance tests")``.

    :raises MissingExtra: it is not installed; the hint is the command that installs it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = (error.name or module).partition(".")[0]
        if missing != module.partition(".")[0]:  # it is installed, and something that it needs itself is not
            purpose = f"{purpose}, through {module.partition('.')[0]},"
        raise MissingExtra(
            f"{purpose} needs {missing}, which is not installed", hint=f"Install it: pip install 'porism[{extra}]'"
        ) from error
