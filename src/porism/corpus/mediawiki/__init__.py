"""MediaWiki: dumps of wikis, and wikitext."""
