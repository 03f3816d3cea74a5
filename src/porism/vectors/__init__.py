"""Models of meaning: what needs torch, transformers, faiss or gensim."""
