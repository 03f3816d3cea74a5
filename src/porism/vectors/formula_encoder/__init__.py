"""Formula search by the vectors of an encoder that was trained on equal and nearly equal formulas."""
