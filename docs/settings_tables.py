"""Makes the tables of settings in the reference from the dataclasses: ``python docs/settings_tables.py`` writes them.

A table is between ``<!-- settings of MODULE.CLASS -->`` and ``<!-- end of settings -->``; one that begins with
``<!-- own settings of`` leaves out the settings of the base class.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
TABLE = re.compile(r"(<!-- (own )?settings of ([\w.]+)\.(\w+) -->\n).*?(<!-- end of settings -->)", flags=re.S)


def table(settings: type[Any], own: bool) -> str:
    """Settings of a dataclass, all or its own: name, default and meaning."""
    kinds = get_type_hints(settings)
    rows = [
        f"| `{field.name}` | {default(field)} | {cell(field.metadata['meaning'] + choices(kinds[field.name]))} |"
        for field in dataclasses.fields(settings)
        if "meaning" in field.metadata and (not own or field.name in settings.__annotations__)
    ]
    return "\n".join(["| setting | default | meaning |", "|---|---|---|", *rows])


def default(field: dataclasses.Field[Any]) -> str:
    """The default of a setting, or what it stands for."""
    if unset := field.metadata["unset"]:
        return cell(unset)
    if isinstance(field.default, bool):
        return "yes" if field.default else "no"
    return "" if field.default in (None, "", ()) else f"`{field.default}`"


def choices(kind: Any) -> str:
    """The values of a setting that has a few, as the end of its meaning."""
    values = [value for part in (kind, *get_args(kind)) if get_origin(part) is Literal for value in get_args(part)]
    return f" ({', '.join(f'`{value}`' for value in values)})" if values else ""


def cell(text: str) -> str:
    """Text in the cell of a table."""
    return re.sub(r"(?<![\w-])(--[a-z][\w-]*)", r"`\1`", text).replace("|", "\\|")


def written(match: re.Match[str]) -> str:
    """A table between its marks."""
    head, own, module, name, end = match.groups()
    return f"{head}\n{table(getattr(import_module(module), name), own is not None)}\n\n{end}"


def pages() -> Iterator[tuple[Path, str]]:
    """The pages of the reference that have tables, as they should be."""
    for path in sorted(REFERENCE.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        if TABLE.search(text):
            yield path, TABLE.sub(written, text)


if __name__ == "__main__":
    for page, content in pages():
        page.write_text(content, encoding="utf-8")
