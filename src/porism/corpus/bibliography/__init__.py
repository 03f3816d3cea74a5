"""Lists of references: BibTeX and BibLaTeX, RIS, CSL-JSON."""
