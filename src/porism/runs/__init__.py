"""Ranked results of many queries, their files, and what made them."""
