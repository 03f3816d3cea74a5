"""Meaning: a vector for each term, learnt from pairs of texts, and the vector of a text as the sum of its terms'."""
