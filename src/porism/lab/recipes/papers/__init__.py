"""The papers that Porism unites, as recipes from raw data to their tables, with the published figures beside.

::

    from porism.lab.recipes.papers import PAPERS, read_paper, reproduce

    done = reproduce("duot5", data="../shared/data", scale="mini", output="duot5-mini")
    print(done.text)

A paper is a TOML file of this folder; what several of them need is in ``shared.toml``
(:mod:`porism.lab.recipes.papers.paper` has the form).
"""

from __future__ import annotations

from porism.lab.recipes.papers.building import BuiltRecipe, MissingData, build_recipe
from porism.lab.recipes.papers.paper import PAPERS, Paper, read_paper
from porism.lab.recipes.papers.reproducing import Reproduction, reproduce

__all__ = ["PAPERS", "BuiltRecipe", "MissingData", "Paper", "Reproduction", "build_recipe", "read_paper", "reproduce"]
