"""What a user of an index sees: searching, answers, snippets, hints, and updating from sources."""
