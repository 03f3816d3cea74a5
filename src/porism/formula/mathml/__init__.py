"""MathML into symbol layout trees."""
