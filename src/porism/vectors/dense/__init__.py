"""Dense retrieval: documents whose vectors are nearest to the query's, both by an encoder of text."""
