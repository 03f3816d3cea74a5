"""How others reach an index, past one process and one machine."""
