"""HTML: pages, and the contents of posts and cells."""
