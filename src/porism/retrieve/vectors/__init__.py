"""Exact search of stored vectors."""
