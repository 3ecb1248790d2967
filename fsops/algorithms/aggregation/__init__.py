"""One result from many: weights, rankings, ensembles of filters, classifiers."""
