"""PreTeXt and its predecessor MathBook XML: books in XML whose formulas are LaTeX."""
