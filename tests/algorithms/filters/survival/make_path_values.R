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
