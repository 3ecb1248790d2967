"""Interactive plots, painted by the designer: axes, zoom, hover, box and lasso."""
