"""Documents and queries into the terms of channels."""
