"""Training of neural models on the texts of a collection."""
