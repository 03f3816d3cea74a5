"""The score components, by name. A new component is a module with its settings and its kind, and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from porism.retrieve.documents.components import ComponentKind
from porism.retrieve.documents.coverage import COVERAGE
from porism.retrieve.documents.kinds import KINDS
from porism.retrieve.documents.links import LINKS
from porism.retrieve.documents.matched_formulas import MATCHES
from porism.settings import SettingError, nearest

COMPONENTS: Mapping[str, ComponentKind[Any]] = MappingProxyType({
    kind.name: kind for kind in (
        MATCHES, COVERAGE, KINDS,
        LINKS,  # last: a thread counts by the whole scores of its documents
    )
})
"""Name → kind, in the order in which components add to scores."""


def component_kind(named: str) -> ComponentKind[Any]:
    """A kind by its name.

    :raises SettingError: there is none of this name.
    """
    if named not in COMPONENTS:
        raise SettingError(
            f"there is no component {named!r}", path=("components", named), hint=nearest(named, COMPONENTS)
        )
    return COMPONENTS[named]
