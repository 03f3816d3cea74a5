"""Symbols, commands and alphabets as data."""
