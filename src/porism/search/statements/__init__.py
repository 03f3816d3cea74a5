"""Statements in a form that does not depend on names of variables, order of hypotheses and direction of equations."""
