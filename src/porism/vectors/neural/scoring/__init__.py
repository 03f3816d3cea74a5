"""Models that score texts together: a query with a document, or with two of them."""
