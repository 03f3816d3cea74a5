"""Documents of TeXmacs."""
