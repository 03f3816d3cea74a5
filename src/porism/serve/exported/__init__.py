"""Models over engines outside Porism: what an index exports to them, and how they are searched."""
