"""LaTeX projects."""
