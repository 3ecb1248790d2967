"""Methods based on near rows: Relief, instance-based selection, hybrid wrappers."""
