"""Training pairs: texts that a retriever shall find by one another, mined from a collection."""
