"""Sparse encoders: weighted terms of documents as one more channel."""
