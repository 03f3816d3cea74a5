"""Reports on runs: tables as text, HTML, LaTeX and CSV, and the plots that go with them.

Numbers come from ``porism.evaluate``; here they are put into words, tables and pictures. Matplotlib draws and Jinja
fills in the page; both come with ``porism[lab]`` and are loaded when they are needed.
"""
