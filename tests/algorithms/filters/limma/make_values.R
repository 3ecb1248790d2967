# Writes table.csv and values.csv: statistics of limma for test_moderated.py.
# Run in this folder: Rscript make_values.R (R with limma and statmod; made with limma 3.54.1).
library(limma)
set.seed(21)
n <- 24; p <- 40
two <- rep(0:1, n / 2)
three <- rep(0:2, each = n / 3)[order(runif(n))]
pair <- rep(seq_len(n / 2), each = 2)
batch <- rep(c("a", "b", "c"), n / 3)[order(runif(n))]
year <- 1900 + sample(60, n, TRUE)
patient <- rep(seq_len(n / 3), each = 3)
arm <- rep(0:1, each = n / 2)
x <- matrix(rnorm(n * p), n) %*% diag(exp(rnorm(p)))
x <- x + matrix(rnorm(n / 2 * p), n / 2)[pair, ] + 0.5 * matrix(rnorm(n / 3 * p), n / 3)[patient, ]
x[, 1:4] <- x[, 1:4] + two + arm
x[, 5:8] <- x[, 5:8] + three
x <- x + outer(as.integer(factor(batch)), rnorm(p)) + outer(year - 1900, rnorm(p) / 50)
x <- sweep(x, 2, 8 + 2 * seq_len(p) / p, "+")
x[, 9] <- round(x[, 9])           # ties
x[, 10] <- x[, 10] * 1e-9         # tiny
x[, 11] <- 1e6 + x[, 11] * 1e3    # large and far from zero
x[, 12] <- as.numeric(x[, 12] > 9) # two values
x[, 13] <- 4                      # constant
holes <- x
holes[matrix(runif(n * p) < 0.15, n)] <- NA
holes[two == 1, 14] <- NA         # a class without values
holes[, 15] <- ifelse(seq_len(n) %in% c(1, 2, 6), x[, 15], NA) # hardly any rows
holes[, 13] <- x[, 13]
complete <- 16:20
holes[, complete] <- x[, complete]

table <- data.frame(two, three, pair, batch, year, patient, arm, x)
names(table)[8:(7 + p)] <- paste0("x", seq_len(p))
known <- as.data.frame(holes); names(known) <- paste0("missing", seq_len(p))
write.table(format(cbind(table, known), digits = 17), "table.csv", sep = ",", quote = FALSE,
            row.names = FALSE)

rows <- list()
add <- function(case, fit, statistic, p.value) {
  rows[[length(rows) + 1]] <<- data.frame(
    case = case, feature = seq_len(p), statistic = statistic, p_value = p.value,
    df = fit$df.total, df_prior = fit$df.prior, posterior = fit$s2.post)
}
one <- function(case, data, formula, coefficient, trend = FALSE, ...) {
  fit <- suppressWarnings(eBayes(lmFit(t(data), model.matrix(formula), ...), trend = trend))
  add(case, fit, fit$t[, coefficient], fit$p.value[, coefficient])
}
# F of limma uses one correlation of the coefficients for all features, so with missing values it is
# an approximation. Here the sum of squares of each feature is that of its own rows.
several <- function(case, data, formula, reduced, trend = FALSE) {
  design <- model.matrix(formula); less <- design[, colnames(design) %in% c("(Intercept)", reduced), drop = FALSE]
  fit <- suppressWarnings(eBayes(lmFit(t(data), design), trend = trend))
  F <- sapply(seq_len(p), function(j) {
    ok <- !is.na(data[, j])
    a <- lm.fit(design[ok, ], data[ok, j]); b <- lm.fit(less[ok, , drop = FALSE], data[ok, j])
    (sum(b$residuals^2) - sum(a$residuals^2)) / (a$rank - b$rank) / fit$s2.post[j]
  })
  coefficients <- setdiff(colnames(design), colnames(less))
  theirs <- suppressWarnings(eBayes(lmFit(t(data), design)[, coefficients], trend = trend))$F
  if (!anyNA(data)) stopifnot(all.equal(F[-13], unname(theirs)[-13]))
  F[13] <- 0
  add(case, fit, F, pf(F, ncol(design) - ncol(less), fit$df.total, lower.tail = FALSE))
}
g <- factor(three); b <- factor(batch); q <- factor(pair)
one("two", x, ~ two, 2)
one("two trend", x, ~ two, 2, trend = TRUE)
one("pair", x, ~ q + two, "two")
one("batch and covariate", x, ~ b + year + two, "two", trend = TRUE)
one("number", x, ~ year, 2)
one("missing", holes, ~ two, 2)
one("missing batch", holes, ~ b + year + two, "two")
several("three", x, ~ g, NULL)
several("three batch", x, ~ b + year + g, c("bb", "bc", "year"), trend = TRUE)
several("missing three batch", holes, ~ b + year + g, c("bb", "bc", "year"))
for (case in c("block", "block missing")) {
  data <- if (case == "block") x else holes
  data <- data[, -13] # its correlation does not exist
  design <- model.matrix(~ arm)
  together <- suppressWarnings(duplicateCorrelation(t(data), design, block = patient))
  fit <- suppressWarnings(eBayes(lmFit(t(data), design, block = patient,
                                       correlation = together$consensus)))
  rows[[length(rows) + 1]] <- data.frame(
    case = case, feature = setdiff(seq_len(p), 13), statistic = fit$t[, 2],
    p_value = fit$p.value[, 2], df = fit$df.total, df_prior = together$consensus,
    posterior = tanh(together$atanh.correlations))
}
values <- do.call(rbind, rows)
write.table(format(values, digits = 15), "values.csv", sep = ",", quote = FALSE, row.names = FALSE)
