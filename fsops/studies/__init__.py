"""A study of the user's own table: reading it, checking it, writing the process."""
