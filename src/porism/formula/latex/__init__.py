"""LaTeX into symbol layout trees."""
