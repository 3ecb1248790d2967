"""Decision trees that scikit-learn does not have."""
