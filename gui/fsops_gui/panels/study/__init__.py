"""The guided study: four screens from a table to an answer."""
