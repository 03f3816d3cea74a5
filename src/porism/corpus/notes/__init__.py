"""Notes in the formats of the programs that keep them: flashcards, notebooks of notes, outlines, documents."""
