"""Modeling: learners and the use of models."""
