"""Training of rerankers: models that read a query with one or two documents."""
