"""Control: boxes, branches, loops, collections, macros."""
