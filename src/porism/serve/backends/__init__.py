"""Engines outside Porism that keep vectors and find the best of them: for collections that outgrow a machine."""
