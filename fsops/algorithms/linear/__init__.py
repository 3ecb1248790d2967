"""Linear models that select: LARS, screening, SVM-RFE, AROM, with their own solvers."""
