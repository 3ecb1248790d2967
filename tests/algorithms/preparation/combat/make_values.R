# Writes table.csv and values.csv: values adjusted by ComBat of the package sva, for test_batches.py.
# Run in this folder: Rscript make_values.R (made with sva 3.46.0).
library(sva)
# ComBat stops its iterations at changes of 1e-4; the test needs more digits.
exact <- getFromNamespace("it.sol", "sva"); formals(exact)$conv <- 1e-13
assignInNamespace("it.sol", exact, "sva")
set.seed(5)
n <- 21; p <- 15
batch <- c(rep(1, 5), rep(2, 9), rep(3, 7))[order(runif(n))]
age <- round(50 + 10 * rnorm(n))
x <- matrix(rnorm(n * p), n) * c(1, 0.5, 2)[batch] + matrix(rnorm(3 * p), 3)[batch, ]
x <- x + outer(age - 50, rnorm(p) / 10)
x[, 2] <- round(x[, 2]); x[, 3] <- x[, 3] * 1e-6; x[, 4] <- 1e6 + 1e3 * x[, 4]
holes <- x; holes[matrix(runif(n * p) < 0.1, n)] <- NA
write.table(format(cbind(data.frame(batch, age), x = x, missing = holes), digits = 17), "table.csv",
            sep = ",", quote = FALSE, row.names = FALSE)
plain <- t(ComBat(t(x), batch)); kept <- t(ComBat(t(x), batch, mod = model.matrix(~ age)))
gaps <- t(ComBat(t(holes), batch))
write.table(format(data.frame(plain = plain, kept = kept, gaps = gaps), digits = 17), "values.csv",
            sep = ",", quote = FALSE, row.names = FALSE)
