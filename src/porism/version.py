"""The version of Porism."""

__version__ = "0.1.0"
