"""Feedback: terms that a query learns from documents."""
