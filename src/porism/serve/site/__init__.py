"""A search for static sites: an index as files that one script in the reader's browser reads, without a server."""
