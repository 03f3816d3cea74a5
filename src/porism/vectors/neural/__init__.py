"""Models of Hugging Face: loading, running and extending them."""
