"""Output of the command line: consoles, progress, tables, pages."""
