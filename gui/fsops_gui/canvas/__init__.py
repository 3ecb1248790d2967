"""One level of a process as a drawing that can be edited."""
