"""Reading and writing files: text with line numbers, durable and atomic writing, locks."""
