"""Scoring of weighted terms over the channels of an index."""
