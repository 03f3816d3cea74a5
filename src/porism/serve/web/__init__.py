"""The web: search pages, a REST API, a server of the Model Context Protocol, and a client. Extra ``porism[web]``."""
