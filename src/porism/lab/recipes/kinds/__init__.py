"""The kinds of tables that a recipe can have, a module each; :mod:`~porism.lab.recipes.kinds.registry` lists them."""
