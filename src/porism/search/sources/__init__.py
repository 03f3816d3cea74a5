"""Sources into an index: reading, choosing what has changed, updating."""
