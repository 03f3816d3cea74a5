"""Tables and records: JSON Lines, JSON, CSV and TSV."""
