"""Optional dependencies: imported when they are needed, and named with the command that installs them when missing."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from porism.errors import MissingExtra


@dataclass(frozen=True, slots=True)
class Extra:
    """An extra of the package, by one of the modules that it installs: ``Extra("pdf", "pymupdf")``."""

    name: str
    module: str

    @property
    def is_installed(self) -> bool:
        """Whether the module is there; nothing is imported."""
        return find_spec(self.module) is not None

    @property
    def command(self) -> str:
        """What installs it."""
        return f"pip install 'porism[{self.name}]'"

    def load(self, purpose: str) -> ModuleType:
        """Imports the module.

        :raises MissingExtra: it is not installed; the hint is the command that installs it.
        """
        return need(self.module, self.name, purpose)


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
