"""Search by pattern: which statements have an expression of a given form."""
