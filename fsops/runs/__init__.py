"""A run as an object: options, execution, results, files, record and report."""
