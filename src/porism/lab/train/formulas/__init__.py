"""Training an encoder of formulas: formulas that mean the same shall be near to each other, nearly equal ones less."""
