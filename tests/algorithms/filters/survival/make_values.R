# Writes table.csv, values.csv and curves.csv: values of R's survival package for test_cox.py and
# test_survival.py. Run in this folder: Rscript make_values.R (made with survival 3.5-3).
library(survival)
set.seed(11)
n <- 48; p <- 12
x <- matrix(rnorm(n * p), n)
x[, 2] <- round(x[, 2])            # ties
x[, 3] <- as.numeric(x[, 3] > 0.8) # two values
x[, 4] <- x[, 4] * 1e-9            # tiny
x[, 5] <- 1e6 + x[, 5] * 1e3       # large and far from zero
x[, 6] <- exp(2 * x[, 6])          # outliers
time <- ceiling(8 * rexp(n) * exp(-0.8 * x[, 1])) # many ties
event <- as.integer(runif(n) < 0.65)
x[, 7] <- 4                        # constant
holes <- x
holes[matrix(runif(n * p) < 0.2, n)] <- NA
holes[event == 1, 8] <- NA         # no events
holes[, 9] <- ifelse(seq_len(n) < 4, x[, 9], NA)
names <- paste0("x", seq_len(p))
table <- data.frame(time, event, group = rep(1:3, n / 3), x)
names(table)[4:(3 + p)] <- names
known <- as.data.frame(holes); names(known) <- paste0("missing", seq_len(p))
write.table(format(cbind(table, known), digits = 17), "table.csv", sep = ",", quote = FALSE,
            row.names = FALSE)
rows <- list()
for (kind in c("x", "missing")) for (ties in c("efron", "breslow")) for (j in seq_len(p)) {
  column <- if (kind == "x") x[, j] else holes[, j]
  scale <- sd(column, na.rm = TRUE); if (is.na(scale) || scale == 0) scale <- 1
  z <- (column - mean(column, na.rm = TRUE)) / scale # R's own stopping rule depends on the scale
  fit <- try(suppressWarnings(coxph(Surv(time, event) ~ z, ties = ties,
      control = coxph.control(eps = 1e-14, toler.chol = 1e-15, iter.max = 100))), silent = TRUE)
  bad <- inherits(fit, "try-error") || is.na(coef(fit)) || fit$nevent == 0
  rows[[length(rows) + 1]] <- data.frame(kind, ties, feature = j,
    coefficient = if (bad) NA else unname(coef(fit)) / scale,
    error = if (bad) NA else sqrt(vcov(fit)[1, 1]) / scale,
    score = if (bad) NA else unname(fit$score),
    gain = if (bad) NA else 2 * diff(fit$loglik),
    concordance = if (bad || kind != "x") NA else unname(concordance(
      Surv(time, event) ~ column, reverse = TRUE)$concordance))
}
write.table(format(do.call(rbind, rows), digits = 15), "values.csv", sep = ",", quote = FALSE,
            row.names = FALSE)
fit <- survfit(Surv(time, event) ~ 1, conf.type = "log-log")
curves <- data.frame(time = fit$time, at_risk = fit$n.risk, events = fit$n.event,
  survival = fit$surv, lower = fit$lower, upper = fit$upper)
write.table(format(curves, digits = 15), "curves.csv", sep = ",", quote = FALSE, row.names = FALSE)
test <- survdiff(Surv(time, event) ~ group, data = table)
two <- survdiff(Surv(time, event) ~ x3, data = table)
write.table(format(data.frame(case = c("group", "x3"), chisq = c(test$chisq, two$chisq)), digits = 15),
  "log_rank.csv", sep = ",", quote = FALSE, row.names = FALSE)
