"""Settings of the documentation's site: ``python -m sphinx -W --keep-going -b html docs build/site``."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from docutils.nodes import Element
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

sys.path.insert(0, str(Path(__file__).parent))

from api_pages import home_of, write_api_pages

from porism.version import __version__

project = "Porism"
author = "the authors of Porism"
copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["examples"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?!porism\.).*"),  # names of other libraries, whose sites are not read at a build
    ("py:.*", r"porism\..*(_kernels|\._\w+|\.[A-Z]|\.Model)(\..*)?"),  # what the site does not show
]
suppress_warnings = ["ref.python"]  # annotations that are the name of two classes

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
highlight_language = "none"
pygments_style = "default"
pygments_dark_style = "native"

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "ignore-module-all": True, "show-inheritance": True}
autodoc_mock_imports = [
    "torch", "transformers", "tokenizers", "gensim", "pyterrier", "pandas", "sklearn", "matplotlib", "jinja2",
]
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
add_module_names = False
toc_object_entries = False

html_theme = "furo"
html_title = "Porism"
html_static_path = ["static"]
html_css_files = ["porism.css"]
html_favicon = "static/porism.svg"
html_logo = "static/porism.svg"
html_show_sphinx = False
html_show_copyright = False
html_show_sourcelink = False

SHOWN = {
    "ARCHITECTURE.md": "explanation/architecture",
    "CONTRIBUTING.md": "how-to/contribute",
    "CHANGELOG.md": "changelog",
    "benchmarks/README.md": "measurements/benchmarks",
}
"""Files of the project beside ``docs/``, and the pages of the site that show them."""

ROOT = Path(__file__).resolve().parents[1]


def show_outside(app: Sphinx, name: str, source: list[str]) -> None:
    """Pages that show a file of the project get its text, and links to such files lead to these pages."""
    file = next((file for file, page in SHOWN.items() if page == name), f"docs/{name}.md")
    if file in SHOWN:
        app.env.note_dependency(str(ROOT / file))
        source[0] = (ROOT / file).read_text(encoding="utf-8")

    def inside(match: re.Match[str]) -> str:
        target, _, anchor = match[1].partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(file), target))
        if path in SHOWN:
            path = f"docs/{SHOWN[path]}.md"
        elif path == "README.md":
            path = "docs/index.md"
        if not path.startswith("docs/"):
            return match[0]
        way = os.path.relpath(path.removeprefix("docs/"), os.path.dirname(name) or ".")
        return f"]({way}{'#' + anchor if anchor else ''})"

    source[0] = re.sub(r"\]\((?![a-z]+:|#)([^)\s]+)\)", inside, source[0])


def lead_home(app: Sphinx, env: BuildEnvironment, node: pending_xref, content: Element) -> Element | None:
    """References by the name that a package exports lead to the module that defines it."""
    if node.get("refdomain") != "py":
        return None
    target = home_of(node["reftarget"])
    if target == node["reftarget"]:
        return None
    domain = env.domains.python_domain
    return domain.resolve_xref(env, node["refdoc"], app.builder, node["reftype"], target, node, content)


def setup(app: Sphinx) -> None:
    """Writes the pages of the Python reference, and prepares the links."""
    app.connect("builder-inited", lambda app: write_api_pages(Path(app.srcdir) / "reference" / "api"))
    app.connect("source-read", show_outside)
    app.connect("missing-reference", lead_home)
