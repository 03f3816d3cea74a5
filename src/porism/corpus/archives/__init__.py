"""Archives as they were downloaded, and what arXiv says of its papers."""
