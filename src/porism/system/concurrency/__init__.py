"""Threads, processes, forks and interruptions."""
