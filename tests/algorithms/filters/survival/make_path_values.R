# Writes path.csv and fits.csv: values of R's glmnet and survival packages for test_cox_path.py.
# Run in this folder: Rscript make_path_values.R (made with glmnet 4.1-6 and survival 3.5-3).
library(glmnet)
library(survival)
table <- read.csv("table.csv", strip.white = TRUE)
x <- as.matrix(table[, paste0("x", 1:12)])
n <- nrow(x)
z <- scale(x) * sqrt(n / (n - 1)) # deviations divide by n
z[, 7] <- 0                       # constant
y <- Surv(table$time, table$event)
rows <- list()
for (ratio in c(1, 0.4)) {
  lambda <- 0.35 * 10^-seq(0, 2, length.out = 9)
  fit <- glmnet(z, y, family = "cox", alpha = ratio, lambda = lambda, standardize = FALSE,
                thresh = 1e-22, maxit = 1e7)
  for (k in seq_along(lambda)) rows[[length(rows) + 1]] <- data.frame(
    ratio, lambda = lambda[k], feature = 1:12, coefficient = as.numeric(fit$beta[, k]))
}
write.table(format(do.call(rbind, rows), digits = 15), "path.csv", sep = ",", quote = FALSE,
            row.names = FALSE)
rows <- list()
for (ties in c("efron", "breslow")) {
  fit <- coxph(y ~ z[, c(1, 2, 3, 8)], ties = ties,
               control = coxph.control(eps = 1e-14, iter.max = 100))
  rows[[length(rows) + 1]] <- data.frame(ties, loglik = fit$loglik[2], null = fit$loglik[1],
    b1 = coef(fit)[1], b2 = coef(fit)[2], b3 = coef(fit)[3], b8 = coef(fit)[4])
}
write.table(format(do.call(rbind, rows), digits = 15), "fits.csv", sep = ",", quote = FALSE,
            row.names = FALSE)

# --- row weights: weighted_path.csv and weighted_fits.csv -----------------------------------------
w <- 0.25 + (seq_len(n) * 7) %% 11 / 3
mean_w <- function(v) weighted.mean(v, w)
deviation <- function(v) sqrt(mean_w((v - mean_w(v))^2))
z <- scale(x, apply(x, 2, mean_w), apply(x, 2, deviation))
z[, 7] <- 0
rows <- list()
for (ratio in c(1, 0.4)) {
  lambda <- 0.35 * 10^-seq(0, 2, length.out = 9)
  fit <- glmnet(z, y, weights = w, family = "cox", alpha = ratio, lambda = lambda,
                standardize = FALSE, thresh = 1e-22, maxit = 1e7)
  for (k in seq_along(lambda)) rows[[length(rows) + 1]] <- data.frame(
    ratio, lambda = lambda[k], feature = 1:12, coefficient = as.numeric(fit$beta[, k]))
}
write.table(format(do.call(rbind, rows), digits = 15), "weighted_path.csv", sep = ",",
            quote = FALSE, row.names = FALSE)
fit <- coxph(y ~ z[, c(1, 2, 3, 8)], ties = "breslow", weights = w,
             control = coxph.control(eps = 1e-14, iter.max = 100))
write.table(format(data.frame(loglik = fit$loglik[2], null = fit$loglik[1],
  b1 = coef(fit)[1], b2 = coef(fit)[2], b3 = coef(fit)[3], b8 = coef(fit)[4]), digits = 15),
  "weighted_fits.csv", sep = ",", quote = FALSE, row.names = FALSE)
