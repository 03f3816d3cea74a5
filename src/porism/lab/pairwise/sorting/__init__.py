"""Ways of sorting candidates with few comparisons."""
