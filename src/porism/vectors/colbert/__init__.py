"""Late interaction: documents by their tokens, each of which can meet each token of a query."""
