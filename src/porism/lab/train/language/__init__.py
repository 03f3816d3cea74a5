"""Further pretraining: language models that go on learning from the texts and formulas of a collection."""
