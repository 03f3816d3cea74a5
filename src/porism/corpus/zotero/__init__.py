"""Libraries of Zotero."""
