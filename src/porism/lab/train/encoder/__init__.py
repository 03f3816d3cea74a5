"""Training of bi-encoders: two texts become vectors, which are compared."""
