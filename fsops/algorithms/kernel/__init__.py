"""Kernel methods: clinical kernel, kernel SVM, multiple kernels, KNIFE."""
