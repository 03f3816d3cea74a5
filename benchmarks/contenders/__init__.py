"""The programs that are compared, behind one interface."""
